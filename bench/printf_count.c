// SPDX-License-Identifier: MIT
// What a kernel with printf executes: printf_count CODE_OBJECT GRID BLOCK ROUNDS BUFFER_BYTES
//
// The kernel takes a buffer and a number of rounds. One line of JSON: instructions, atomics, lanes
// of atomics, entries lost and dwords asked for, and host seconds in the model.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arch/arch.h"
#include "base/str.h"
#include "compile/run.h"
#include "image/image.h"
#include "model/amd/gpu/gpu.h"
#include "model/observer.h"
#include "target/amd/launch.h"
#include "target/amd/printf.h"
#include "vdrm/amdgpu/vdrm.h"

enum { CACHE = 1 << 14, OUT_BYTES = 1 << 22 };

struct counter {
    struct lull_observer observer;
    uint64_t instructions, atomics, atomic_lanes;
    uint8_t known[CACHE]; // By address: 0 not looked at, 1 an atomic, 2 none.
};

static void before(struct lull_observer *o, const struct lull_observed *at)
{
    struct counter *c = (struct counter *)o;
    uint8_t *known = &c->known[at->pc / 4 % CACHE];
    c->instructions++;
    if (*known == 0) {
        const struct lull_insn_memory m = at->arch->memory(at->insn);
        *known = m.reads && m.writes && m.kind != LULL_MEMORY_LOCAL ? 1 : 2;
    }
    if (*known == 1) {
        c->atomics++;
        c->atomic_lanes += (unsigned)__builtin_popcountll(at->active);
    }
}

struct job {
    struct lull_kernel *kernel;
    struct lull_amd_device *device;
    struct lull_image *image;
    struct lull_amd_printf printf;
    struct lull_launched launched;
    uint32_t numbers[3]; // grid, block, rounds
    uint64_t bytes;
};

LULL_MUST_USE static struct lull_error *prepare(struct job *j, const uint8_t *code, size_t size)
{
    const struct lull_vdrm_options how = {.lockup_cycles = UINT64_MAX};
    struct lull_amd_bo *out = NULL;
    struct lull_error *err = lull_image_parse(code, size, &j->image);
    err = err != NULL ? err : lull_vdrm_new(&how, &j->kernel);
    err = err != NULL ? err : lull_amd_device_open(j->kernel, NULL, &j->device);
    err = err != NULL ? err : lull_amd_bo_new(j->device, "out", OUT_BYTES, 0, &out);
    err = err != NULL ? err : lull_amd_printf_new(j->device, j->bytes, 0, &j->printf);
    if (err != NULL) {
        return err;
    }
    struct lull_launch_arg args[2] = {{.bo = out}, {.size = sizeof j->numbers[2]}};
    memcpy(args[1].bytes, &j->numbers[2], sizeof j->numbers[2]);
    const struct lull_launch launch = {.image = j->image,
                                       .kernel = lull_image_kernel(j->image, 0),
                                       .args = args,
                                       .nargs = 2,
                                       .grid = {j->numbers[0], 1, 1},
                                       .block = {j->numbers[1], 1, 1},
                                       .printf_va = j->printf.descriptor->va};
    return lull_launch_prepare(j->device, &launch, &j->launched);
}

static double now(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

LULL_MUST_USE static struct lull_error *go(struct job *j, double *ret_seconds)
{
    enum lull_amd_wait how = LULL_AMD_WAIT_BUSY;
    const double start = now();
    struct lull_error *err = lull_amd_submit(j->device, &j->launched.dispatch);
    err = err != NULL ? err : lull_amd_wait(j->device, UINT64_C(100000000000), &how);
    *ret_seconds = now() - start;
    return err != NULL || how == LULL_AMD_WAIT_DONE
               ? err
               : lull_error_new(LULL_ERR_BAD_DATA, "the kernel did not end well");
}

LULL_MUST_USE static struct lull_error *measure(struct job *j, const char *path)
{
    static struct counter c = {.observer.before = before}; // too big for the stack
    uint8_t *code = NULL;
    size_t size = 0;
    double seconds = 0, counted = 0;
    struct lull_error *err = lull_run_read(path, &code, &size);
    err = err != NULL ? err : prepare(j, code, size);
    err = err != NULL ? err : go(j, &seconds);
    uint64_t asked = 0;
    uint32_t lost = 0;
    if (err == NULL) {
        memcpy(&asked, j->printf.buffer->map, sizeof asked);
        memcpy(&lost, (uint8_t *)j->printf.buffer->map + sizeof asked, sizeof lost);
        memset(j->printf.buffer->map, 0, j->bytes);
        lull_gpu_observe(lull_vdrm_gpu(j->kernel), &c.observer);
        err = go(j, &counted);
    }
    if (err == NULL) {
        printf("{\"instructions\":%" PRIu64 ",\"atomics\":%" PRIu64 ",\"atomic_lanes\":%" PRIu64
               ",\"dwords\":%" PRIu64 ",\"lost\":%u,\"seconds\":%.6f}\n",
               c.instructions, c.atomics, c.atomic_lanes, asked, lost, seconds);
    }
    free(code);
    return err;
}

int main(int argc, char **argv)
{
    struct job j = {0};
    if (argc != 6) {
        fprintf(stderr, "usage: printf_count CODE_OBJECT GRID BLOCK ROUNDS BUFFER_BYTES\n");
        return 2;
    }
    for (unsigned i = 0; i < 3; i++) {
        j.numbers[i] = (uint32_t)strtoul(argv[2 + i], NULL, 0);
    }
    j.bytes = strtoull(argv[5], NULL, 0);
    struct lull_error *err = measure(&j, argv[1]);
    if (err != NULL) {
        fprintf(stderr, "printf_count: %s\n", lull_error_message(err));
    }
    lull_amd_device_close(j.device);
    if (j.kernel != NULL) {
        j.kernel->destroy(j.kernel);
    }
    lull_image_free(j.image);
    lull_error_free(err);
    return err != NULL;
}
