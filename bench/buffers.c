// SPDX-License-Identifier: MIT
// bench_buffers N: the virtual driver with N and 4 N buffers of a page in one DRM file. Prints
// microseconds for each buffer, by what is done to it, and the longest call that another file had
// to wait for meanwhile.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "drm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/vdrm.h"

#define VA 0x100000000ull

enum { PAGE = 4096, STEP = 7919 }; // STEP: a prime, to go through all handles in another order

struct other {
    struct lull_kernel *k;
    int fd;
    atomic_bool stop;
    atomic_uint calls, longest; // How many; nanoseconds.
};

static double now(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(struct lull_error *err)
{
    if (err != NULL) {
        fprintf(stderr, "bench_buffers: %s\n", lull_error_message(err));
        exit(1);
    }
}

// Another program, which asks for nothing that takes time.
static void *ask(void *arg)
{
    struct other *o = arg;
    while (!o->stop) {
        struct lull_amdgpu_memory m = {0};
        const double start = now();
        must(lull_amdgpu_memory(o->k, o->fd, &m));
        const unsigned took = (unsigned)(1e9 * (now() - start));
        o->longest = took > o->longest ? took : o->longest;
        o->calls++;
        nanosleep(&(const struct timespec){.tv_nsec = 100000}, NULL);
    }
    return NULL;
}

static void create(struct lull_kernel *k, int fd, uint32_t n, uint32_t *handles)
{
    for (uint32_t i = 0; i < n; i++) {
        must(lull_amdgpu_gem_create(k, fd, PAGE, i % 2 != 0 ? LULL_AMDGPU_VRAM : LULL_AMDGPU_GTT, 0,
                                    &handles[i]));
    }
}

static void map_all(struct lull_kernel *k, int fd, uint32_t n, const uint32_t *handles)
{
    for (uint32_t i = 0; i < n; i++) { // from the top, as Mesa gives addresses out
        must(lull_amdgpu_va_map(
            k, fd,
            &(const struct lull_amdgpu_va){.va = VA + (uint64_t)(n - 1 - i) * 2 * PAGE,
                                           .size = PAGE,
                                           .handle = handles[i],
                                           .flags = LULL_AMDGPU_PAGE_READ}));
    }
}

static void close_half(struct lull_kernel *k, int fd, uint32_t n, const uint32_t *handles)
{
    for (uint32_t i = 0, at = 0; i < n; i++, at = (at + STEP) % n) {
        if (at % 4 < 2) {
            must(lull_drm_gem_close(k, fd, handles[at]));
        }
    }
}

static void phase(const char *name, uint32_t n, double *start)
{
    const double end = now();
    printf("  %-16s %8.2f us\n", name, 1e6 * (end - *start) / n);
    fflush(stdout);
    *start = now();
}

static void round_of(struct lull_kernel *k, struct other *o, uint32_t n)
{
    uint32_t *handles = calloc(n, sizeof *handles);
    const int fd = k->open(k, "/dev/dri/renderD128", O_RDWR);
    double start = now();
    if (fd < 0 || handles == NULL) {
        exit(1);
    }
    printf("%u buffers\n", n);
    create(k, fd, n, handles);
    phase("create", n, &start);
    map_all(k, fd, n, handles);
    phase("map", n, &start);
    close_half(k, fd, n, handles);
    phase("close half", n / 2, &start);
    create(k, fd, n / 2, handles);
    phase("create again", n / 2, &start);
    o->longest = 0;
    start = now();
    k->close(k, fd);
    phase("close the file", n, &start);
    for (const unsigned calls = o->calls; o->calls == calls;) { // the one that began before the end
        nanosleep(&(const struct timespec){.tv_nsec = 100000}, NULL);
    }
    printf("  %-16s %8.2f ms\n", "another's call", 1e-6 * o->longest);
    free(handles);
}

int main(int argc, char **argv)
{
    const uint32_t n = argc == 2 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    if (n == 0 || n > 1 << 20) {
        fprintf(stderr, "bench_buffers N\n");
        return 2;
    }
    struct lull_kernel *k = NULL;
    must(lull_vdrm_new(&(const struct lull_vdrm_options){.threaded = true, .isolate = true}, &k));
    struct other o = {.k = k, .fd = k->open(k, "/dev/dri/renderD128", O_RDWR)};
    pthread_t thread;
    if (pthread_create(&thread, NULL, ask, &o) != 0) {
        return 1;
    }
    round_of(k, &o, n);
    round_of(k, &o, 4 * n);
    o.stop = true;
    pthread_join(thread, NULL);
    k->destroy(k);
    return 0;
}
