// SPDX-License-Identifier: MIT
// The typed calls of msm, on the virtual driver: a command buffer writes memory; errors in words.
#include <stdlib.h>
#include <string.h>

#include "drm/msm/msm.h"
#include "test.h"
#include "vdrm/msm/vdrm.h"

#define SECOND 1000000000ull

static void says(struct lull_error *err, const char *what)
{
    const char *text = err != NULL ? lull_error_message(err) : "no error";
    test_case(strstr(text, what) != NULL, what, "%s", text);
    lull_error_free(err);
}

static void test_store(struct lull_kernel *k, int fd, const struct lull_msm_bo *cmd,
                       const struct lull_msm_bo *data)
{
    const struct lull_msm_bo *const bos[] = {cmd, data};
    // CP_NOP, and CP_MEM_WRITE of 77
    const uint32_t packets[] = {0x70108000, 0x703d8003, (uint32_t)data->iova + 8,
                                (uint32_t)(data->iova >> 32), 77};
    const struct lull_msm_cmd c = {.bo = 0, .offset = 16, .size = sizeof packets};
    uint32_t queue = 0, fence = 0;
    bool done = false;
    struct lull_error *err = lull_msm_queue_new(k, fd, 2, &queue);
    const struct lull_msm_submit s = {
        .queue = queue, .bos = bos, .nbos = 2, .cmds = &c, .ncmds = 1};
    memcpy((char *)cmd->map + 16, packets, sizeof packets);
    err = err == NULL ? lull_msm_submit(k, fd, &s, &fence) : err;
    err = err == NULL ? lull_msm_wait(k, fd, queue, fence, SECOND, &done) : err;
    test_case(err == NULL && done && fence == 1 && ((const uint32_t *)data->map)[2] == 77,
              "a command buffer writes memory", "%s",
              err != NULL ? lull_error_message(err) : "no error");
    lull_error_free(err);
    says(lull_msm_wait(k, fd, queue, 9, 0, &done),
         "MSM_WAIT_FENCE of queue 1, fence 9: no such fence");
    says(lull_msm_queue_close(k, fd, 7), "MSM_SUBMITQUEUE_CLOSE of queue 7");
    const struct lull_msm_bo *const twice[] = {cmd, cmd};
    const struct lull_msm_submit t = {.bos = twice, .nbos = 2};
    says(lull_msm_submit(k, fd, &t, &fence), "a buffer stands in the list twice");
}

int main(void)
{
    const struct lull_vdm_options o = {.memory = 16 << 20};
    struct lull_kernel *k = NULL;
    struct lull_msm_gpu gpu = {0};
    struct lull_msm_bo a = {0}, b = {0}, c = {0};
    uint64_t faults = 1;
    int fd = -1;
    if (lull_vdm_new(&o, &k) != NULL || lull_msm_open(k, "/dev/dri/renderD128", &fd) != NULL) {
        abort();
    }
    struct lull_error *err = lull_msm_gpu(k, fd, &gpu);
    test_case(err == NULL && gpu.gpu_id == 660 && gpu.va_size == 1ull << 32 && gpu.priorities == 3,
              "the GPU", "%llu", (unsigned long long)gpu.gpu_id);
    err = lull_msm_bo_new(k, fd, 4096, LULL_MSM_READONLY, 0, &a);
    err = err == NULL ? lull_msm_bo_new(k, fd, 4096, 0, gpu.va_start + (1 << 20), &b) : err;
    test_case(err == NULL && a.map != NULL && a.iova == gpu.va_start &&
                  b.iova == gpu.va_start + (1 << 20),
              "buffers", "0x%llx", (unsigned long long)a.iova);
    test_store(k, fd, &a, &b);
    says(lull_msm_bo_new(k, fd, 4096, 0, a.iova, &c), "the address is taken");
    says(lull_msm_bo_new(k, fd, 0, LULL_MSM_CACHED, 0, &c),
         "MSM_GEM_NEW of 0 bytes: a buffer of 0 bytes");
    err = lull_msm_faults(k, fd, &faults);
    test_case(err == NULL && faults == 0, "no faults", "%llu", (unsigned long long)faults);
    lull_msm_bo_free(k, fd, &a);
    lull_msm_bo_free(k, fd, &b);
    k->close(k, fd);
    k->destroy(k);
    return test_end();
}
