// SPDX-License-Identifier: MIT
// The virtual msm: bad arguments and the errno that Linux 6.12 gives for each (the kernel function
// that decides stands in the row), what calls do, and the calls of Turnip at its start.
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "drm/core/kernel.h"
#include "test.h"
#include "uapi/msm.h"
#include "vdrm/msm/vdrm.h"

#define PTR(p) ((uint64_t)(uintptr_t)(p))
#define ARG(type, ...) (&(const struct type){__VA_ARGS__})
#define PARAM(...) DRM_IOCTL_MSM_GET_PARAM, ARG(drm_msm_param, __VA_ARGS__)
#define SET(...) DRM_IOCTL_MSM_SET_PARAM, ARG(drm_msm_param, __VA_ARGS__)
#define NEW(...) DRM_IOCTL_MSM_GEM_NEW, ARG(drm_msm_gem_new, __VA_ARGS__)
#define INFO(...) DRM_IOCTL_MSM_GEM_INFO, ARG(drm_msm_gem_info, __VA_ARGS__)
#define PREP(...) DRM_IOCTL_MSM_GEM_CPU_PREP, ARG(drm_msm_gem_cpu_prep, __VA_ARGS__)
#define MADV(...) DRM_IOCTL_MSM_GEM_MADVISE, ARG(drm_msm_gem_madvise, __VA_ARGS__)
#define QUEUE(...) DRM_IOCTL_MSM_SUBMITQUEUE_NEW, ARG(drm_msm_submitqueue, __VA_ARGS__)
#define QUERY(...) DRM_IOCTL_MSM_SUBMITQUEUE_QUERY, ARG(drm_msm_submitqueue_query, __VA_ARGS__)
#define WAIT(...) DRM_IOCTL_MSM_WAIT_FENCE, ARG(drm_msm_wait_fence, __VA_ARGS__)
#define SUBMIT(...) DRM_IOCTL_MSM_GEM_SUBMIT, ARG(drm_msm_gem_submit, __VA_ARGS__)
#define D3 .pipe = MSM_PIPE_3D0
#define VA 0x100000000ull

struct row {
    const char *name, *function;
    unsigned long request;
    const void *arg;
    int want; ///< 0 or an errno.
};

static struct lull_kernel *open_kernel(const struct lull_achip *chip, int *fd)
{
    const struct lull_vdm_options o = {.chip = chip, .memory = 64 << 20};
    struct lull_kernel *k = NULL;
    if (lull_vdm_new(&o, &k) != NULL) {
        abort();
    }
    *fd = k->open(k, "/dev/dri/renderD128", 2);
    return k;
}

static int call(struct lull_kernel *k, int fd, unsigned long request, const void *arg)
{
    uint8_t copy[256] = {0};
    memcpy(copy, arg, _IOC_SIZE(request));
    return -k->ioctl(k, fd, request, copy);
}

static void run_rows(struct lull_kernel *k, int fd, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const int e = call(k, fd, rows[i].request, rows[i].arg);
        test_case(e == rows[i].want, rows[i].name, "%s: errno %d, not %d", rows[i].function, e,
                  rows[i].want);
    }
}

static uint32_t new_bo(struct lull_kernel *k, int fd, uint64_t size, uint32_t flags)
{
    struct drm_msm_gem_new arg = {.size = size, .flags = flags};
    return k->ioctl(k, fd, DRM_IOCTL_MSM_GEM_NEW, &arg) == 0 ? arg.handle : 0;
}

static int info(struct lull_kernel *k, int fd, uint32_t handle, uint32_t what, uint64_t *value)
{
    struct drm_msm_gem_info arg = {.handle = handle, .info = what, .value = *value};
    const int r = k->ioctl(k, fd, DRM_IOCTL_MSM_GEM_INFO, &arg);
    *value = arg.value;
    return -r;
}

static uint32_t *map_bo(struct lull_kernel *k, int fd, uint32_t handle, size_t size)
{
    uint64_t offset = 0;
    void *p = NULL;
    const int e = info(k, fd, handle, MSM_INFO_GET_OFFSET, &offset);
    return e == 0 && offset != 0 && k->mmap(k, fd, size, offset, &p) == 0 ? p : NULL;
}

// Buffers 1 (64 KiB, at VA), 2 (64 KiB, nowhere); sync object 1 (no fence).
static void make(struct lull_kernel *k, int fd)
{
    uint64_t va = VA;
    struct drm_syncobj_create s = {0};
    test_case(new_bo(k, fd, 0x10000, MSM_BO_WC) == 1 && new_bo(k, fd, 0x10000, MSM_BO_WC) == 2 &&
                  info(k, fd, 1, MSM_INFO_SET_IOVA, &va) == 0 &&
                  k->ioctl(k, fd, DRM_IOCTL_SYNCOBJ_CREATE, &s) == 0 && s.handle == 1,
              "setup", "handle %u", s.handle);
}

// clang-format off
static void test_param_errno(void)
{
    int fd = -1;
    struct lull_kernel *k = open_kernel(&lull_achip_a630, &fd);
    make(k, fd);
    const struct row rows[] = {
        {"pipe 0", "msm_ioctl_get_param", PARAM(.param = 1), EINVAL},
        {"padding", "msm_ioctl_get_param", PARAM(D3, .param = 1, .pad = 1), EINVAL},
        {"a length where there is no pointer", "adreno_get_param", PARAM(D3, .param = 1, .len = 4), EINVAL},
        {"a parameter", "adreno_get_param", PARAM(D3, .param = MSM_PARAM_GPU_ID), 0},
        {"a parameter to write only", "adreno_get_param", PARAM(D3, .param = MSM_PARAM_COMM), EINVAL},
        {"a parameter of later kernels", "adreno_get_param", PARAM(D3, .param = 0x14), EINVAL},
        {"no parameter", "adreno_get_param", PARAM(D3), EINVAL},
        {"set one that is read only", "adreno_set_param", SET(D3, .param = MSM_PARAM_GPU_ID), EINVAL},
        {"set comm", "adreno_set_param", SET(D3, .param = MSM_PARAM_COMM, .value = PTR("x"), .len = 1), 0},
        {"set comm from nowhere", "adreno_set_param", SET(D3, .param = MSM_PARAM_COMM, .value = 16, .len = 1), EFAULT},
        {"set comm of a page", "adreno_set_param", SET(D3, .param = MSM_PARAM_COMM, .value = 16, .len = 4096), EINVAL},
        {"set sysprof", "adreno_set_param: CAP_SYS_ADMIN", SET(D3, .param = MSM_PARAM_SYSPROF, .value = 1), EPERM},
        {"set VM_BIND, of 1.13", "adreno_set_param", SET(D3, .param = 0x16, .value = 1), EINVAL},
        {"VM_BIND itself", "drm_ioctl", DRM_IOW(DRM_COMMAND_BASE + 0x0d, uint64_t[8]), &(const uint64_t[8]){0}, EINVAL},
    };
    run_rows(k, fd, rows, TEST_ROWS(rows));
    k->destroy(k);
}

static void test_gem_errno(void)
{
    int fd = -1;
    struct lull_kernel *k = open_kernel(&lull_achip_a630, &fd);
    static char name[64];
    make(k, fd);
    const struct row rows[] = {
        {"no bytes", "msm_gem_new", NEW(.flags = MSM_BO_WC), EINVAL},
        {"no cache mode", "msm_gem_new_impl", NEW(.size = 4096), EINVAL},
        {"two cache modes", "msm_gem_new_impl", NEW(.size = 4096, .flags = MSM_BO_WC | MSM_BO_CACHED), EINVAL},
        {"uncached", "msm_gem_new_impl: what is promoted to WC is not what is used", NEW(.size = 4096, .flags = MSM_BO_UNCACHED), EINVAL},
        {"unknown flags", "msm_ioctl_gem_new", NEW(.size = 4096, .flags = MSM_BO_WC | 4), EINVAL},
        {"cached", "msm_gem_new_impl", NEW(.size = 4096, .flags = MSM_BO_CACHED), 0},
        {"cached and coherent", "msm_gem_new_impl", NEW(.size = 1, .flags = MSM_BO_CACHED_COHERENT | MSM_BO_SCANOUT), 0},
        {"more than there is", "msm_gem_new", NEW(.size = 128 << 20, .flags = MSM_BO_WC), ENOMEM},
        {"unknown question", "msm_ioctl_gem_info", INFO(.handle = 1, .info = 8), EINVAL},
        {"padding of a question", "msm_ioctl_gem_info", INFO(.handle = 1, .pad = 1), EINVAL},
        {"a length by value, before the handle", "msm_ioctl_gem_info", INFO(.handle = 99, .len = 4), EINVAL},
        {"unknown handle", "msm_ioctl_gem_info", INFO(.handle = 99), ENOENT},
        {"a name of 32 bytes", "msm_ioctl_gem_info", INFO(.handle = 1, .info = MSM_INFO_SET_NAME, .value = PTR(name), .len = 32), EINVAL},
        {"a name from nowhere", "msm_ioctl_gem_info", INFO(.handle = 1, .info = MSM_INFO_SET_NAME, .value = 16, .len = 8), EFAULT},
        {"metadata of 129 bytes", "msm_ioctl_gem_info_set_metadata", INFO(.handle = 1, .info = MSM_INFO_SET_METADATA, .value = 16, .len = 129), EOVERFLOW},
        {"metadata from nowhere", "msm_ioctl_gem_info_set_metadata", INFO(.handle = 1, .info = MSM_INFO_SET_METADATA, .value = 16, .len = 8), EFAULT},
        {"an address again", "get_vma_locked", INFO(.handle = 1, .info = MSM_INFO_SET_IOVA, .value = VA), 0},
        {"an address that is taken", "drm_mm_insert_node_in_range", INFO(.handle = 2, .info = MSM_INFO_SET_IOVA, .value = VA + 0xf000), ENOSPC},
        {"an address below", "drm_mm_insert_node_in_range", INFO(.handle = 2, .info = MSM_INFO_SET_IOVA, .value = VA - 0x1000), ENOSPC},
        {"an address over the end", "drm_mm_insert_node_in_range", INFO(.handle = 2, .info = MSM_INFO_SET_IOVA, .value = 2 * VA - 0xf000), ENOSPC},
        {"the last address", "drm_mm_insert_node_in_range", INFO(.handle = 2, .info = MSM_INFO_SET_IOVA, .value = 2 * VA - 0x10000), 0},
        {"half a page", "drm_mm_insert_node_in_range", INFO(.handle = 3, .info = MSM_INFO_SET_IOVA, .value = VA + 0x10800), ENOSPC},
        {"another address", "msm_gem_set_iova", INFO(.handle = 2, .info = MSM_INFO_SET_IOVA, .value = VA + 0x100000), EBUSY},
        {"and then it has none", "msm_gem_set_iova", INFO(.handle = 2, .info = MSM_INFO_SET_IOVA, .value = VA + 0x100000), 0},
        {"none", "msm_gem_set_iova", INFO(.handle = 2, .info = MSM_INFO_SET_IOVA), 0},
        {"unknown operation", "msm_ioctl_gem_cpu_prep", PREP(.handle = 99, .op = 0x10), EINVAL},
        {"prepare nothing", "msm_ioctl_gem_cpu_prep", PREP(.handle = 99), ENOENT},
        {"prepare", "msm_gem_cpu_prep", PREP(.handle = 1, .op = MSM_PREP_WRITE), 0},
        {"advice", "msm_ioctl_gem_madvise", MADV(.handle = 99, .madv = 2), EINVAL},
        {"advice for nothing", "msm_ioctl_gem_madvise", MADV(.handle = 99), ENOENT},
    };
    run_rows(k, fd, rows, TEST_ROWS(rows));
    k->destroy(k);
}

static void test_queue_errno(void)
{
    int fd = -1;
    struct lull_kernel *k = open_kernel(&lull_achip_a630, &fd);
    make(k, fd);
    const struct row rows[] = {
        {"priority 3 of one ring", "msm_gpu_convert_priority", QUEUE(.prio = 3), EINVAL},
        {"preemption, of 6.13", "msm_ioctl_submitqueue_new", QUEUE(.flags = 1), EINVAL},
        {"close queue 0", "msm_submitqueue_remove", DRM_IOCTL_MSM_SUBMITQUEUE_CLOSE, &(const uint32_t){0}, ENOENT},
        {"close an unknown queue", "msm_submitqueue_remove", DRM_IOCTL_MSM_SUBMITQUEUE_CLOSE, &(const uint32_t){9}, ENOENT},
        {"ask with padding", "msm_submitqueue_query", QUERY(.id = 9, .pad = 1), EINVAL},
        {"ask an unknown queue", "msm_submitqueue_query", QUERY(.id = 9, .param = 7), ENOENT},
        {"ask what there is not", "msm_submitqueue_query", QUERY(.param = 1), EINVAL},
        {"ask for no bytes", "msm_submitqueue_query_faults", QUERY(.data = 16), 0},
        {"ask to nowhere", "msm_submitqueue_query_faults", QUERY(.data = 16, .len = 4), EFAULT},
        {"wait with unknown flags", "msm_ioctl_wait_fence", WAIT(.flags = 2, .queueid = 9), EINVAL},
        {"wait for an unknown queue", "msm_ioctl_wait_fence", WAIT(.queueid = 9), ENOENT},
        {"wait for what was never given", "wait_fence", WAIT(.fence = 1), EINVAL},
        {"wait for nothing", "wait_fence", WAIT(.fence = 0), 0},
    };
    run_rows(k, fd, rows, TEST_ROWS(rows));
    k->destroy(k);
}

static void test_submit_errno(void)
{
    int fd = -1;
    struct lull_kernel *k = open_kernel(&lull_achip_a660, &fd);
    static const struct drm_msm_gem_submit_bo one = {.flags = 1, .handle = 1}, none = {.handle = 1}, odd = {.flags = 0x11, .handle = 1},
        nine = {.flags = 1, .handle = 9}, twice[2] = {{.flags = 1, .handle = 1}, {.flags = 2, .handle = 1}};
    static const struct drm_msm_gem_submit_cmd type = {.type = 4, .size = 4}, size2 = {.type = 1, .size = 2}, empty = {.type = 1},
        idx = {.type = 1, .submit_idx = 1, .size = 4}, past = {.type = 1, .submit_offset = 0xfffc, .size = 8},
        target = {.type = 2, .size = 8}, reloc = {.type = 1, .size = 4, .nr_relocs = 1}, far = {.type = 1, .size = 0x7ffffffc, .submit_offset = 0xfffffffc};
    static const struct drm_msm_gem_submit_syncobj s1 = {.handle = 1}, s9 = {.handle = 9}, sf = {.handle = 1, .flags = 2};
    const uint32_t in = MSM_SUBMIT_SYNCOBJ_IN | MSM_PIPE_3D0, out = MSM_SUBMIT_SYNCOBJ_OUT | MSM_PIPE_3D0;
#define CMD(c) .nr_bos = 1, .bos = PTR(&one), .nr_cmds = 1, .cmds = PTR(&c), .flags = MSM_PIPE_3D0
    make(k, fd);
    const struct row rows[] = {
        {"padding, before the pipe", "msm_ioctl_gem_submit", SUBMIT(.pad = 1, .queueid = 9), EINVAL},
        {"pipe 0, before the queue", "msm_ioctl_gem_submit", SUBMIT(.queueid = 9), EINVAL},
        {"pipe 2D", "msm_ioctl_gem_submit", SUBMIT(.flags = MSM_PIPE_2D0), EINVAL},
        {"unknown flags", "msm_ioctl_gem_submit", SUBMIT(.flags = MSM_PIPE_3D0 | 0x10000), EINVAL},
        {"sudo", "msm_ioctl_gem_submit", SUBMIT(.flags = MSM_PIPE_3D0 | MSM_SUBMIT_SUDO), EINVAL},
        {"unknown queue", "msm_ioctl_gem_submit", SUBMIT(.flags = MSM_PIPE_3D0 | MSM_SUBMIT_FENCE_FD_IN, .fence_fd = -1, .queueid = 9), ENOENT},
        {"a fence that is none", "sync_file_get_fence", SUBMIT(.flags = MSM_PIPE_3D0 | MSM_SUBMIT_FENCE_FD_IN, .fence_fd = 0), EINVAL},
        {"wait for an unknown sync object", "drm_syncobj_find_fence", SUBMIT(.flags = in, .nr_in_syncobjs = 1, .in_syncobjs = PTR(&s9), .syncobj_stride = 16), ENOENT},
        {"wait for one without fence", "drm_syncobj_find_fence", SUBMIT(.flags = in, .nr_in_syncobjs = 1, .in_syncobjs = PTR(&s1), .syncobj_stride = 16), EINVAL},
        {"wait with unknown flags", "msm_parse_deps", SUBMIT(.flags = in, .nr_in_syncobjs = 1, .in_syncobjs = PTR(&sf), .syncobj_stride = 16), EINVAL},
        {"wait for what is nowhere", "msm_parse_deps", SUBMIT(.flags = in, .nr_in_syncobjs = 1, .in_syncobjs = 16, .syncobj_stride = 16), EFAULT},
        {"signal an unknown one", "msm_parse_post_deps", SUBMIT(.flags = out, .nr_out_syncobjs = 1, .out_syncobjs = PTR(&s9), .syncobj_stride = 16), EINVAL},
        {"signal with flags", "msm_parse_post_deps", SUBMIT(.flags = out, .nr_out_syncobjs = 1, .out_syncobjs = PTR(&sf), .syncobj_stride = 16), EINVAL},
        {"buffers nowhere", "submit_lookup_objects", SUBMIT(.flags = MSM_PIPE_3D0, .nr_bos = 1, .bos = 16), EFAULT},
        {"a buffer neither read nor written", "submit_lookup_objects", SUBMIT(.flags = MSM_PIPE_3D0, .nr_bos = 1, .bos = PTR(&none)), EINVAL},
        {"a buffer with unknown flags", "submit_lookup_objects", SUBMIT(.flags = MSM_PIPE_3D0, .nr_bos = 1, .bos = PTR(&odd)), EINVAL},
        {"unknown buffer", "submit_lookup_objects", SUBMIT(.flags = MSM_PIPE_3D0, .nr_bos = 1, .bos = PTR(&nine)), EINVAL},
        {"a buffer twice", "drm_exec_lock_obj", SUBMIT(.flags = MSM_PIPE_3D0, .nr_bos = 2, .bos = PTR(twice)), EALREADY},
        {"commands nowhere", "submit_lookup_cmds", SUBMIT(.flags = MSM_PIPE_3D0, .nr_cmds = 1, .cmds = 16), EFAULT},
        {"unknown kind of command", "submit_lookup_cmds", SUBMIT(CMD(type)), EINVAL},
        {"a command of half a dword", "submit_lookup_cmds", SUBMIT(CMD(size2)), EINVAL},
        {"an empty command", "msm_ioctl_gem_submit", SUBMIT(CMD(empty)), EINVAL},
        {"a command in no buffer", "submit_bo", SUBMIT(CMD(idx)), EINVAL},
        {"a command past the end", "msm_ioctl_gem_submit", SUBMIT(CMD(past)), EINVAL},
        {"a command far past the end", "msm_ioctl_gem_submit", SUBMIT(CMD(far)), EINVAL},
        {"relocations nowhere", "submit_lookup_cmds", SUBMIT(CMD(reloc)), EFAULT},
        {"a command that is only a target", "msm_ioctl_gem_submit", SUBMIT(CMD(target)), 0},
        {"a number of the client's", "msm_ioctl_gem_submit", SUBMIT(.flags = MSM_PIPE_3D0 | MSM_SUBMIT_FENCE_SN_IN, .fence = 77), 0},
        {"number 0", "msm_ioctl_gem_submit", SUBMIT(.flags = MSM_PIPE_3D0 | MSM_SUBMIT_FENCE_SN_IN), EINVAL},
        {"nothing at all", "msm_ioctl_gem_submit", SUBMIT(.flags = MSM_PIPE_3D0), 0},
    };
    run_rows(k, fd, rows, TEST_ROWS(rows));
    k->destroy(k);
}
// clang-format on

// What later kernels have is refused by name.
static void test_refusal(void)
{
    int fd = -1;
    char line[256] = "";
    struct lull_kernel *k = open_kernel(&lull_achip_a630, &fd);
    const struct drm_msm_param arg = {D3, .param = 0x16, .value = 1};
    const int log = k->open(k, "/dev/kmsg", 0);
    while (k->pread(k, log, line, sizeof line - 1, 0) > 0) {
        memset(line, 0, sizeof line);
    }
    const int e = call(k, fd, DRM_IOCTL_MSM_SET_PARAM, &arg);
    const ssize_t n = k->pread(k, log, line, sizeof line - 1, 0);
    test_case(e == EINVAL && n > 0 && strstr(line, "VM_BIND") != NULL &&
                  strstr(line, "1.12") != NULL,
              "VM_BIND is refused by name", "%d: %s", e, line);
    k->close(k, log);
    k->destroy(k);
}

// Values of parameters, by chip. Source: the kernel's catalogue of GPUs, as Turnip expects them.
static void test_params(void)
{
    static const struct {
        const struct lull_achip *chip;
        uint64_t id, chip_id, gmem, base, va_size, bank;
    } rows[] = {
        {&lull_achip_a630, 630, 0x06030001, 1 << 20, 0x100000, 4ull << 30, 15},
        {&lull_achip_a660, 660, 0x06060001, 3 << 19, 0, 4ull << 30, 16},
        {&lull_achip_a740, 0, 0x43050a01, 3 << 20, 0, 16ull << 30, 16},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        int fd = -1;
        struct lull_kernel *k = open_kernel(rows[i].chip, &fd);
        const struct {
            uint32_t param;
            uint64_t want;
        } params[] = {
            {MSM_PARAM_GPU_ID, rows[i].id},
            {MSM_PARAM_CHIP_ID, rows[i].chip_id},
            {MSM_PARAM_GMEM_SIZE, rows[i].gmem},
            {MSM_PARAM_GMEM_BASE, rows[i].base},
            {MSM_PARAM_VA_START, VA},
            {MSM_PARAM_VA_SIZE, rows[i].va_size},
            {MSM_PARAM_PRIORITIES, 3},
            {MSM_PARAM_HIGHEST_BANK_BIT, rows[i].bank},
            {MSM_PARAM_FAULTS, 0},
            {MSM_PARAM_PP_PGTABLE, 0},
        };
        for (size_t j = 0; j < TEST_ROWS(params); j++) {
            struct drm_msm_param arg = {D3, .param = params[j].param};
            const int r = k->ioctl(k, fd, DRM_IOCTL_MSM_GET_PARAM, &arg);
            test_case(r == 0 && arg.value == params[j].want, rows[i].chip->name,
                      "parameter %u: %d, 0x%llx", params[j].param, r,
                      (unsigned long long)arg.value);
        }
        k->destroy(k);
    }
}

struct gpu {
    struct lull_kernel *k;
    int fd;
    uint32_t *cmd, *data; // Buffers 1, at VA, and 2, at VA + 64 KiB.
    uint64_t data_va;
};

static struct gpu open_gpu(const struct lull_achip *chip)
{
    struct gpu g = {.data_va = VA + 0x10000};
    g.k = open_kernel(chip, &g.fd);
    make(g.k, g.fd);
    uint64_t va = g.data_va;
    g.cmd = map_bo(g.k, g.fd, 1, 0x10000);
    g.data = map_bo(g.k, g.fd, 2, 0x10000);
    test_case(g.cmd != NULL && g.data != NULL && info(g.k, g.fd, 2, MSM_INFO_SET_IOVA, &va) == 0,
              "buffers are mapped", "%p %p", (void *)g.cmd, (void *)g.data);
    return g;
}

// Both buffers, and @p ndwords of the first as commands. @return The fence's number; 0: it failed.
static uint32_t submit(const struct gpu *g, uint32_t ndwords)
{
    const struct drm_msm_gem_submit_bo bos[2] = {
        {.flags = MSM_SUBMIT_BO_READ, .handle = 1},
        {.flags = MSM_SUBMIT_BO_READ | MSM_SUBMIT_BO_WRITE, .handle = 2}};
    const struct drm_msm_gem_submit_cmd cmd = {.type = MSM_SUBMIT_CMD_BUF, .size = ndwords * 4};
    struct drm_msm_gem_submit arg = {.flags = MSM_PIPE_3D0,
                                     .nr_bos = 2,
                                     .bos = PTR(bos),
                                     .nr_cmds = ndwords != 0,
                                     .cmds = PTR(&cmd)};
    return g->k->ioctl(g->k, g->fd, DRM_IOCTL_MSM_GEM_SUBMIT, &arg) == 0 ? arg.fence : 0;
}

static int wait_for(const struct gpu *g, uint32_t fence, int64_t seconds)
{
    struct drm_msm_wait_fence arg = {.fence = fence, .timeout = {.tv_sec = seconds}};
    return -g->k->ioctl(g->k, g->fd, DRM_IOCTL_MSM_WAIT_FENCE, &arg);
}

static uint64_t faults(const struct gpu *g)
{
    struct drm_msm_param arg = {D3, .param = MSM_PARAM_FAULTS};
    return g->k->ioctl(g->k, g->fd, DRM_IOCTL_MSM_GET_PARAM, &arg) == 0 ? arg.value : UINT64_MAX;
}

// CP_MEM_WRITE of one dword.
static void store(uint32_t *at, uint64_t va, uint32_t value)
{
    at[0] = 0x703d8003;
    at[1] = (uint32_t)va;
    at[2] = (uint32_t)(va >> 32);
    at[3] = value;
}

// CP_WAIT_REG_MEM: until the dword at @p va is @p ref.
static void wait_mem(uint32_t *at, uint64_t va, uint32_t ref)
{
    const uint32_t words[] = {0x70bc8006, 0x13, (uint32_t)va, (uint32_t)(va >> 32), ref,
                              UINT32_MAX, 16};
    memcpy(at, words, sizeof words);
}

// More submits than the ring has room for, each of which writes its number.
static void test_ring(const struct lull_achip *chip)
{
    enum { TIMES = 1000 };
    struct gpu g = open_gpu(chip);
    bool ok = true;
    for (uint32_t i = 1; ok && i <= TIMES; i++) {
        store(g.cmd, g.data_va, i * 3);
        const uint32_t fence = submit(&g, 4);
        ok = fence == i && wait_for(&g, fence, 100) == 0 && g.data[0] == i * 3;
    }
    test_case(ok, "the ring goes round", "%s: 0x%x", chip->name, g.data[0]);
    test_case(wait_for(&g, TIMES + 1, 0) == EINVAL && wait_for(&g, TIMES, 0) == 0,
              "numbers that were not given yet, and old ones", "%s", chip->name);
    g.k->destroy(g.k);
}

// A wait that the CPU ends, and one that nobody ends.
static void test_waits(const struct lull_achip *chip)
{
    struct gpu g = open_gpu(chip);
    wait_mem(g.cmd, g.data_va + 4, 5);
    store(g.cmd + 7, g.data_va, 6);
    uint32_t fence = submit(&g, 11);
    const struct drm_msm_gem_cpu_prep prep = {.handle = 2, .op = MSM_PREP_READ | MSM_PREP_NOSYNC};
    test_case(wait_for(&g, fence, 0) == ETIMEDOUT &&
                  call(g.k, g.fd, DRM_IOCTL_MSM_GEM_CPU_PREP, &prep) == EBUSY,
              "a submit that waits", "%s", chip->name);
    const struct drm_msm_gem_cpu_prep reads = {.handle = 1, .op = MSM_PREP_READ};
    test_case(call(g.k, g.fd, DRM_IOCTL_MSM_GEM_CPU_PREP, &reads) == 0,
              "who only reads waits for those who write", "%s", chip->name);
    g.data[1] = 5;
    test_case(wait_for(&g, fence, 100) == 0 && g.data[0] == 6 && faults(&g) == 0,
              "is done when memory changes", "%s: 0x%x", chip->name, g.data[0]);
    g.data[1] = 0;
    fence = submit(&g, 11);
    const uint32_t next = submit(&g, 0);
    test_case(wait_for(&g, fence, 100) == 0 && faults(&g) == 1, "a hang is found, and counted",
              "%s: %llu faults", chip->name, (unsigned long long)faults(&g));
    uint32_t count = 0;
    const struct drm_msm_submitqueue_query q = {.data = PTR(&count), .len = 4};
    test_case(call(g.k, g.fd, DRM_IOCTL_MSM_SUBMITQUEUE_QUERY, &q) == 0 && count == 1,
              "of the queue, too", "%s: %u", chip->name, count);
    test_case(wait_for(&g, next, 100) == 0 && faults(&g) == 1, "what was behind it goes on", "%s",
              chip->name);
    g.k->destroy(g.k);
}

// What is no packet stops the command processor; what is not mapped does not.
static void test_errors(void)
{
    struct gpu g = open_gpu(&lull_achip_a660);
    g.cmd[0] = 0xdeadd00d;
    test_case(wait_for(&g, submit(&g, 1), 100) == 0 && faults(&g) == 1, "no packet is a hang",
              "%llu faults", (unsigned long long)faults(&g));
    store(g.cmd, g.data_va + 0x10000, 1);
    store(g.cmd + 4, g.data_va, 2);
    test_case(wait_for(&g, submit(&g, 8), 100) == 0 && g.data[0] == 2 && faults(&g) == 1,
              "a page fault lets the submit go on", "0x%x", g.data[0]);
    g.k->destroy(g.k);
}

// Memory is what is in it now, whoever wrote it: the command processor copies a dword that it has
// stored itself, and the CPU has changed since, again and again.
static void test_memory(void)
{
    enum { TIMES = 2500 }; // more than the engine of captures remembers
    struct gpu g = open_gpu(&lull_achip_a630);
    bool ok = true;
    for (uint32_t i = 0; ok && i < TIMES; i++) {
        const uint64_t from = g.data_va + 4096 + 4 * (uint64_t)i;
        store(g.cmd, from, i);
        ok = wait_for(&g, submit(&g, 4), 100) == 0 && g.data[1024 + i] == i;
        g.data[1024 + i] = i + 7;
        const uint32_t copy[] = {0x70738005,          0,
                                 (uint32_t)g.data_va, (uint32_t)(g.data_va >> 32),
                                 (uint32_t)from,      (uint32_t)(from >> 32)}; // CP_MEM_TO_MEM
        memcpy(g.cmd, copy, sizeof copy);
        ok = ok && wait_for(&g, submit(&g, 6), 100) == 0 && g.data[0] == i + 7;
    }
    test_case(ok, "the command processor sees what the CPU wrote", "0x%x", g.data[0]);
    g.k->destroy(g.k);
}

// Two files have each their own addresses.
static void test_spaces(void)
{
    struct gpu a = open_gpu(&lull_achip_a630);
    struct gpu b = {.k = a.k, .fd = a.k->open(a.k, "/dev/dri/renderD128", 2), .data_va = a.data_va};
    make(b.k, b.fd);
    uint64_t va = b.data_va;
    test_case(info(b.k, b.fd, 2, MSM_INFO_SET_IOVA, &va) == 0, "the same address elsewhere", "-");
    b.cmd = map_bo(b.k, b.fd, 1, 0x10000);
    b.data = map_bo(b.k, b.fd, 2, 0x10000);
    store(a.cmd, a.data_va, 11);
    store(b.cmd, b.data_va, 22);
    bool ok = true;
    for (unsigned i = 0; i < 3; i++) {
        a.data[0] = b.data[0] = 0;
        ok = ok && wait_for(&a, submit(&a, 4), 100) == 0 && wait_for(&b, submit(&b, 4), 100) == 0 &&
             a.data[0] == 11 && b.data[0] == 22;
    }
    test_case(ok, "each writes its own memory", "%u %u", a.data[0], b.data[0]);
    a.k->destroy(a.k);
}

// Timelines, as vkQueueSubmit() has them: an empty submit signals in order.
static void test_sync(void)
{
    struct gpu g = open_gpu(&lull_achip_a740);
    wait_mem(g.cmd, g.data_va, 1);
    submit(&g, 7);
    const struct drm_msm_gem_submit_syncobj out = {.handle = 1, .point = 7};
    struct drm_msm_gem_submit arg = {.flags = MSM_PIPE_3D0 | MSM_SUBMIT_SYNCOBJ_OUT |
                                              MSM_SUBMIT_FENCE_FD_OUT,
                                     .out_syncobjs = PTR(&out),
                                     .nr_out_syncobjs = 1,
                                     .syncobj_stride = sizeof out};
    test_case(g.k->ioctl(g.k, g.fd, DRM_IOCTL_MSM_GEM_SUBMIT, &arg) == 0 && arg.fence == 2 &&
                  arg.fence_fd >= 0,
              "an empty submit has a number and a fence", "%u", arg.fence);
    const uint32_t handle = 1;
    uint64_t point = 7, now = 0;
    struct drm_syncobj_timeline_array q = {
        .handles = PTR(&handle), .points = PTR(&now), .count_handles = 1};
    g.k->ioctl(g.k, g.fd, DRM_IOCTL_SYNCOBJ_QUERY, &q);
    test_case(now == 0, "it waits for the one before", "%llu", (unsigned long long)now);
    g.data[0] = 1;
    struct drm_syncobj_timeline_wait w = {.handles = PTR(&handle),
                                          .points = PTR(&point),
                                          .timeout_nsec = INT64_MAX,
                                          .count_handles = 1};
    const int r = g.k->ioctl(g.k, g.fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &w);
    g.k->ioctl(g.k, g.fd, DRM_IOCTL_SYNCOBJ_QUERY, &q);
    test_case(r == 0 && now == 7, "and signals its point", "%d, %llu", r, (unsigned long long)now);
    struct drm_msm_gem_submit in = {.flags = MSM_PIPE_3D0 | MSM_SUBMIT_FENCE_FD_IN,
                                    .fence_fd = arg.fence_fd};
    test_case(g.k->ioctl(g.k, g.fd, DRM_IOCTL_MSM_GEM_SUBMIT, &in) == 0 &&
                  wait_for(&g, in.fence, 100) == 0,
              "a sync file as a fence to wait for", "%u", in.fence);
    g.k->destroy(g.k);
}

// What Turnip asks when it starts and when it submits one dispatch, with the answers that a kernel
// of version 1.12 gives. Source: a recorder under Turnip 25.0.7 on an a630.
static void test_turnip(void)
{
    static const struct {
        uint32_t size, flags;
        uint64_t iova;
    } bos[] = {
        {0x4500, 0x20000, 0x100000000}, {0x20000, 0x20002, 0x100005000},
        {0x1000, 0x20002, 0x100025000}, {0x4000, 0x20000, 0x100026000},
        {0x400, 0x20000, 0x10002a000},  {0x80, 0x20000, 0x10002b000},
        {0x4000, 0x20002, 0x10002c000}, {0x2000, 0x20002, 0x100030000},
    };
    int fd = -1;
    struct lull_kernel *k = open_kernel(&lull_achip_a630, &fd);
    struct drm_msm_gem_submit_bo list[TEST_ROWS(bos)];
    struct drm_msm_submitqueue queue = {.prio = 1};
    test_case(k->ioctl(k, fd, DRM_IOCTL_MSM_SUBMITQUEUE_NEW, &queue) == 0 && queue.id == 1, "queue",
              "%u", queue.id);
    for (uint32_t i = 0; i < TEST_ROWS(bos); i++) {
        uint64_t iova = bos[i].iova, got = 0, offset = 0;
        const uint32_t h = new_bo(k, fd, bos[i].size, bos[i].flags);
        test_case(h == i + 1 && info(k, fd, h, MSM_INFO_SET_IOVA, &iova) == 0 &&
                      info(k, fd, h, MSM_INFO_GET_IOVA, &got) == 0 && got == bos[i].iova &&
                      info(k, fd, h, MSM_INFO_GET_OFFSET, &offset) == 0 && offset != 0 &&
                      offset % 4096 == 0,
                  "buffer", "%u: handle %u at 0x%llx", i, h, (unsigned long long)got);
        list[i] = (struct drm_msm_gem_submit_bo){.flags = 7, .handle = h};
    }
    uint32_t *map = map_bo(k, fd, 7, 0x4000);
    for (uint32_t i = 0; map != NULL && i < 0x2e0 / 4; i++) {
        map[i] = 0x70108000; // CP_NOP
    }
    struct drm_syncobj_create s = {0};
    const struct drm_msm_gem_submit_cmd cmd = {.type = 1, .submit_idx = 6, .size = 0x2e0};
    struct drm_msm_gem_submit work = {.flags = 0x80000010,
                                      .nr_bos = TEST_ROWS(bos),
                                      .bos = PTR(list),
                                      .nr_cmds = 1,
                                      .cmds = PTR(&cmd),
                                      .queueid = 1,
                                      .syncobj_stride = 16};
    test_case(k->ioctl(k, fd, DRM_IOCTL_MSM_GEM_SUBMIT, &work) == 0 && work.fence == 1 &&
                  k->ioctl(k, fd, DRM_IOCTL_SYNCOBJ_CREATE, &s) == 0,
              "submit", "%u", work.fence);
    const struct drm_msm_gem_submit_syncobj out = {.handle = s.handle};
    struct drm_msm_gem_submit end = {.flags = 0x84000010,
                                     .queueid = 1,
                                     .nr_out_syncobjs = 1,
                                     .out_syncobjs = PTR(&out),
                                     .syncobj_stride = 16};
    struct drm_syncobj_wait w = {
        .handles = PTR(&s.handle), .timeout_nsec = INT64_MAX, .count_handles = 1};
    test_case(k->ioctl(k, fd, DRM_IOCTL_MSM_GEM_SUBMIT, &end) == 0 && end.fence == 2 &&
                  k->ioctl(k, fd, DRM_IOCTL_SYNCOBJ_WAIT, &w) == 0,
              "fence", "%u", end.fence);
    k->destroy(k);
}

int main(void)
{
    test_param_errno();
    test_gem_errno();
    test_queue_errno();
    test_submit_errno();
    test_refusal();
    test_params();
    test_ring(&lull_achip_a630);
    test_ring(&lull_achip_a740);
    test_waits(&lull_achip_a660);
    test_waits(&lull_achip_a740);
    test_errors();
    test_memory();
    test_spaces();
    test_sync();
    test_turnip();
    return test_end();
}
