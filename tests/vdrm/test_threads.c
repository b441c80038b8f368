// SPDX-License-Identifier: MIT
// The driver with threads: several clients at once, waits that others end, jobs that wait for the
// CPU. Expected values are what each client wrote into its own command buffers.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/pm4.h"
#include "drm/amdgpu/amdgpu.h"
#include "hw/gc11_regs.h"
#include "test.h"
#include "vdrm/amdgpu/vdrm.h"
#include "vdrm/core/vd.h"

enum {
    IB_DWORDS = 512,
    CODE = 0x1000,
    DATA = 0x2000,
    SIZE = 0x3000,
    NTHREADS = 4,
    NFILES = 4,
    ROUNDS = 12,
    MS = 1000000,
};

#define VA 0xffff800000400000ull
#define ENDPGM 0xbfb00000u      // s_endpgm (llvm-mc-19 -mcpu=gfx1100)
#define BRANCH_SELF 0xbfa0ffffu // s_branch to itself
#define SLEEP 0xbf830010u       // s_sleep 16
#define BRANCH_BACK 0xbfa0fffeu // s_branch to the instruction before it

struct client {
    struct lull_kernel *k;
    int fd;
    uint32_t ctx, bo, ring;
    uint8_t *map;
    struct lull_pm4_builder b;
};

static void must(struct lull_error *err)
{
    if (err != NULL) {
        printf("# %s\n", lull_error_message(err));
        abort();
    }
}

static struct lull_kernel *kernel(struct lull_vdrm_options options)
{
    struct lull_kernel *k = NULL;
    options.vram_size = 1 << 28;
    options.gtt_size = 1 << 26;
    options.threaded = true;
    options.threads = 3;
    must(lull_vdrm_new(&options, &k));
    return k;
}

static struct client client(struct lull_kernel *k)
{
    struct client c = {.k = k};
    void *map = NULL;
    must(lull_amdgpu_open(k, "/dev/dri/renderD128", &c.fd));
    must(lull_amdgpu_ctx_create(k, c.fd, &c.ctx));
    must(lull_amdgpu_gem_create(k, c.fd, SIZE, LULL_AMDGPU_GTT, 0, &c.bo));
    must(lull_amdgpu_gem_mmap(k, c.fd, c.bo, SIZE, &map));
    must(lull_amdgpu_va_map(k, c.fd,
                            &(const struct lull_amdgpu_va){.va = VA,
                                                           .size = SIZE,
                                                           .handle = c.bo,
                                                           .flags = LULL_AMDGPU_PAGE_READ |
                                                                    LULL_AMDGPU_PAGE_WRITE |
                                                                    LULL_AMDGPU_PAGE_EXEC}));
    c.map = map;
    c.b = lull_pm4_builder_of(map, IB_DWORDS);
    return c;
}

static void done(struct client c)
{
    c.k->munmap(c.k, c.map, SIZE);
    c.k->close(c.k, c.fd);
}

static struct lull_amdgpu_fence submit(struct client *c, const struct lull_syncobj_point *out)
{
    lull_pm4_pad(&c->b, 8);
    const struct lull_amdgpu_submit s = {
        .ctx = c->ctx,
        .ip = LULL_AMDGPU_COMPUTE,
        .ring = c->ring,
        .ibs = &(const struct lull_amdgpu_ib){.va = VA, .bytes = (uint32_t)c->b.ndwords * 4},
        .nibs = 1,
        .bos = &c->bo,
        .nbos = 1,
        .out = out,
        .nout = out != NULL,
    };
    struct lull_amdgpu_fence f = {.ctx = c->ctx, .ip = LULL_AMDGPU_COMPUTE, .ring = c->ring};
    must(lull_amdgpu_submit(c->k, c->fd, &s, &f.seq));
    c->b = lull_pm4_builder_of((uint32_t *)c->map, IB_DWORDS);
    return f;
}

static void dispatch(struct client *c, uint32_t code, uint32_t groups)
{
    const uint64_t pgm = (VA + CODE) >> 8;
    const uint32_t sleeping[2] = {SLEEP, BRANCH_BACK};
    memcpy(c->map + CODE, &code, sizeof code);
    if (code == SLEEP) {
        memcpy(c->map + CODE, sleeping, sizeof sleeping);
    }
    lull_pm4_set_sh1(&c->b, LULL_GC11_COMPUTE_PGM_LO, (uint32_t)pgm);
    lull_pm4_set_sh1(&c->b, LULL_GC11_COMPUTE_PGM_HI, (uint32_t)(pgm >> 32));
    lull_pm4_set_sh1(&c->b, LULL_GC11_COMPUTE_PGM_RSRC1, 0);
    lull_pm4_set_sh1(&c->b, LULL_GC11_COMPUTE_PGM_RSRC2, 0);
    lull_pm4_set_sh1(&c->b, LULL_GC11_COMPUTE_PGM_RSRC3, 0);
    for (unsigned i = 0; i < 3; i++) {
        lull_pm4_set_sh1(&c->b, LULL_GC11_COMPUTE_START_X + 4 * i, 0);
        lull_pm4_set_sh1(&c->b, LULL_GC11_COMPUTE_NUM_THREAD_X + 4 * i, i == 0 ? 32 : 1);
    }
    lull_pm4_dispatch(&c->b, groups, 1, 1,
                      LULL_GC11_COMPUTE_DISPATCH_INITIATOR__COMPUTE_SHADER_EN_MASK |
                          LULL_GC11_COMPUTE_DISPATCH_INITIATOR__CS_W32_EN_MASK);
    lull_pm4_wait_waves(&c->b);
}

static uint64_t host_ns(clockid_t clock)
{
    struct timespec t = {0};
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/** One thread: NFILES clients of its own, ROUNDS jobs each. */
struct many {
    struct lull_kernel *k;
    uint32_t id;
    unsigned wrong;
};

static void *many_jobs(void *arg)
{
    struct many *m = arg;
    struct client c[NFILES] = {0};
    for (unsigned i = 0; i < NFILES; i++) {
        c[i] = client(m->k);
        c[i].ring = (m->id + i) % 4;
    }
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        struct lull_amdgpu_fence f[NFILES] = {0};
        uint32_t handle[NFILES] = {0};
        for (unsigned i = 0; i < NFILES; i++) {
            const uint32_t value = m->id << 16 | i << 8 | round;
            must(lull_syncobj_create(m->k, c[i].fd, false, &handle[i]));
            dispatch(&c[i], ENDPGM, 1 + round);
            lull_pm4_write_data(&c[i].b, VA + DATA, &value, 1);
            f[i] = submit(&c[i], &(const struct lull_syncobj_point){.handle = handle[i]});
        }
        for (unsigned i = 0; i < NFILES; i++) {
            bool ok = false, again = false;
            const struct lull_syncobj_wait w = {
                .handles = &handle[i], .n = 1, .all = true, .timeout_ns = LULL_AMDGPU_FOREVER};
            must(lull_syncobj_wait(m->k, c[i].fd, &w, &ok, NULL));
            must(lull_amdgpu_wait(m->k, c[i].fd, &f[i], LULL_AMDGPU_FOREVER, &again));
            uint32_t got = 0;
            memcpy(&got, c[i].map + DATA, sizeof got);
            m->wrong += !ok || !again || got != (m->id << 16 | i << 8 | round);
            must(lull_syncobj_destroy(m->k, c[i].fd, handle[i]));
        }
    }
    for (unsigned i = 0; i < NFILES; i++) {
        done(c[i]);
    }
    return NULL;
}

static void test_many(void)
{
    struct lull_kernel *k = kernel((struct lull_vdrm_options){0});
    struct many m[NTHREADS] = {0};
    pthread_t t[NTHREADS];
    unsigned wrong = 0;
    for (uint32_t i = 0; i < NTHREADS; i++) {
        m[i] = (struct many){.k = k, .id = i};
        if (pthread_create(&t[i], NULL, many_jobs, &m[i]) != 0) {
            abort();
        }
    }
    for (unsigned i = 0; i < NTHREADS; i++) {
        pthread_join(t[i], NULL);
        wrong += m[i].wrong;
    }
    test_case(wrong == 0, "4 threads with 4 files each", "%u of %d results are wrong", wrong,
              NTHREADS * NFILES * ROUNDS);
    k->destroy(k);
}

// A job waits for memory that the CPU writes; what is behind it on other rings does not wait.
static void test_cpu_wait(void)
{
    struct lull_kernel *k = kernel((struct lull_vdrm_options){0});
    struct client a = client(k), b = client(k);
    const uint32_t one = 1, go = 0x600d;
    bool ok = true;
    b.ring = 1;
    lull_pm4_wait_mem_equal(&a.b, VA + DATA, go, UINT32_MAX);
    lull_pm4_write_data(&a.b, VA + DATA + 8, &one, 1);
    const struct lull_amdgpu_fence fa = submit(&a, NULL);
    lull_pm4_write_data(&b.b, VA + DATA + 8, &one, 1);
    const struct lull_amdgpu_fence fb = submit(&b, NULL);
    must(lull_amdgpu_wait(k, b.fd, &fb, LULL_AMDGPU_FOREVER, &ok));
    test_case(ok, "another ring goes on", "not done");
    const uint64_t start = host_ns(CLOCK_MONOTONIC), cpu = host_ns(CLOCK_PROCESS_CPUTIME_ID);
    must(lull_amdgpu_wait(k, a.fd, &fa, 200ull * MS, &ok));
    const uint64_t waited = host_ns(CLOCK_MONOTONIC) - start;
    test_case(!ok && waited >= 200ull * MS, "a wait of 200 ms takes them", "%llu ns",
              (unsigned long long)waited);
    const uint64_t used = host_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    test_case(used < 100ull * MS, "the worker sleeps while nothing moves", "%llu ns of CPU time",
              (unsigned long long)used);
    memcpy(a.map + DATA, &go, sizeof go);
    must(lull_amdgpu_wait(k, a.fd, &fa, LULL_AMDGPU_FOREVER, &ok));
    uint32_t got = 0;
    memcpy(&got, a.map + DATA + 8, sizeof got);
    test_case(ok && got == 1, "the CPU's write ends WAIT_REG_MEM", "got %u", got);
    done(a);
    done(b);
    k->destroy(k);
}

struct later {
    struct client c;
    uint32_t handle;
    uint64_t point;
    int fd;
};

static void *signal_later(void *arg)
{
    const struct later *l = arg;
    usleep(20000);
    must(lull_syncobj_timeline_signal(l->c.k, l->c.fd, &l->handle, &l->point, 1));
    return NULL;
}

static void *submit_later(void *arg)
{
    struct later *l = arg;
    const uint32_t one = 1;
    usleep(20000);
    lull_pm4_wait_mem_equal(&l->c.b, VA + DATA, one, UINT32_MAX);
    submit(&l->c, &(const struct lull_syncobj_point){.handle = l->handle, .point = l->point});
    return NULL;
}

static void *close_later(void *arg)
{
    const struct later *l = arg;
    usleep(20000);
    l->c.k->close(l->c.k, l->fd);
    return NULL;
}

static void test_syncobj(void)
{
    struct lull_kernel *k = kernel((struct lull_vdrm_options){0});
    struct later l = {.c = client(k), .point = 7};
    pthread_t t;
    bool ok = false;
    must(lull_syncobj_create(k, l.c.fd, false, &l.handle));
    struct lull_syncobj_wait w = {.handles = &l.handle,
                                  .points = &l.point,
                                  .n = 1,
                                  .for_submit = true,
                                  .timeout_ns = LULL_AMDGPU_FOREVER};
    if (pthread_create(&t, NULL, signal_later, &l) != 0) {
        abort();
    }
    must(lull_syncobj_wait(k, l.c.fd, &w, &ok, NULL));
    pthread_join(t, NULL);
    test_case(ok, "a point that another thread signals", "not done");

    l.point = 9;
    w.available = true;
    if (pthread_create(&t, NULL, submit_later, &l) != 0) {
        abort();
    }
    ok = false;
    must(lull_syncobj_wait(k, l.c.fd, &w, &ok, NULL));
    pthread_join(t, NULL);
    test_case(ok, "WAIT_AVAILABLE ends at the submission", "not done");
    w.available = false;
    w.timeout_ns = 10ull * MS;
    must(lull_syncobj_wait(k, l.c.fd, &w, &ok, NULL));
    test_case(!ok, "but the point is not reached yet", "done");
    const uint32_t one = 1;
    memcpy(l.c.map + DATA, &one, sizeof one);
    w.timeout_ns = LULL_AMDGPU_FOREVER;
    must(lull_syncobj_wait(k, l.c.fd, &w, &ok, NULL));
    test_case(ok, "then it is", "not done");
    done(l.c);
    k->destroy(k);
}

// The last close ends waits; an fd that was adopted keeps the file.
static void test_close(void)
{
    struct lull_kernel *k = kernel((struct lull_vdrm_options){0});
    struct client c = client(k);
    pthread_t t;
    bool ok = true;
    const uint32_t one = 1;
    const int mine = k->adopt(k, getpid(), 0);
    test_case(mine >= 0 && k->adopt(k, getpid(), 1) == -ENOENT && k->adopt(k, 1, 0) == -ENOENT,
              "adopt: the only file of this process", "fd %d", mine);
    lull_pm4_wait_mem_equal(&c.b, VA + DATA, 5, UINT32_MAX);
    lull_pm4_write_data(&c.b, VA + DATA + 4, &one, 1);
    const struct lull_amdgpu_fence f = submit(&c, NULL);
    k->close(k, c.fd);
    uint32_t go = 5, got = 0;
    must(lull_amdgpu_wait(k, mine, &f, 5ull * MS, &ok));
    test_case(!ok, "the adopted fd sees the context's job", "done");
    memcpy(c.map + DATA, &go, sizeof go);
    must(lull_amdgpu_wait(k, mine, &f, LULL_AMDGPU_FOREVER, &ok));
    memcpy(&got, c.map + DATA + 4, sizeof got);
    test_case(ok && got == 1, "and the file lives on with it", "got %u", got);

    c.fd = mine;
    lull_pm4_wait_mem_equal(&c.b, VA + DATA, 6, UINT32_MAX);
    const struct lull_amdgpu_fence g = submit(&c, NULL);
    struct later l = {.c = c, .fd = mine};
    if (pthread_create(&t, NULL, close_later, &l) != 0) {
        abort();
    }
    struct lull_error *err = lull_amdgpu_wait(k, mine, &g, LULL_AMDGPU_FOREVER, &ok);
    pthread_join(t, NULL);
    test_case(err != NULL || !ok, "closing the file ends a wait", "the job is done");
    lull_error_free(err);
    k->munmap(k, c.map, SIZE);
    k->destroy(k);
}

// A file with many buffers is closed in parts: the lock goes round in between.
static void test_close_in_parts(void)
{
    enum { BUFFERS = 2000, TURNS = 20 };
    struct lull_kernel *k = kernel((struct lull_vdrm_options){0});
    struct lull_amdgpu_memory before = {0}, after = {0};
    int fds[2] = {-1, -1};
    must(lull_amdgpu_open(k, "/dev/dri/renderD128", &fds[0]));
    must(lull_amdgpu_memory(k, fds[0], &before));
    must(lull_amdgpu_open(k, "/dev/dri/renderD128", &fds[1]));
    for (uint64_t i = 0; i < BUFFERS; i++) {
        struct lull_amdgpu_va va = {
            .va = VA + i * 2 * LULL_VD_PAGE, .size = LULL_VD_PAGE, .flags = LULL_AMDGPU_PAGE_READ};
        must(lull_amdgpu_gem_create(k, fds[1], LULL_VD_PAGE, LULL_AMDGPU_VRAM, 0, &va.handle));
        must(lull_amdgpu_va_map(k, fds[1], &va));
    }
    const uint64_t start = lull_vd_of(k)->thread.next;
    k->close(k, fds[1]);
    const uint64_t turns = lull_vd_of(k)->thread.next - start;
    test_case(turns >= TURNS, "closing many buffers: others have their turn", "%llu turns",
              (unsigned long long)turns);
    must(lull_amdgpu_memory(k, fds[0], &after));
    test_case(after.vram.used == before.vram.used, "closing many buffers: all memory is free",
              "%llu bytes used, %llu before", (unsigned long long)after.vram.used,
              (unsigned long long)before.vram.used);
    k->close(k, fds[0]);
    k->destroy(k);
}

// Waves that only sleep and look must not keep a processor busy, which is 300 ms; some use 130. An
// idle GPU's clock goes on.
static void test_idle(void)
{
    struct lull_kernel *k = kernel((struct lull_vdrm_options){.lockup_ms = 100000});
    struct client c = client(k);
    uint64_t ticks[2] = {0};
    bool ok = true;
    must(lull_amdgpu_timestamp(k, c.fd, &ticks[0]));
    usleep(50000);
    must(lull_amdgpu_timestamp(k, c.fd, &ticks[1]));
    test_case(ticks[1] - ticks[0] >= 5000000, "the clock of an idle GPU: 100 MHz", "%llu in 50 ms",
              (unsigned long long)(ticks[1] - ticks[0]));
    dispatch(&c, SLEEP, 2);
    const struct lull_amdgpu_fence f = submit(&c, NULL);
    const uint64_t cpu = host_ns(CLOCK_PROCESS_CPUTIME_ID);
    must(lull_amdgpu_wait(k, c.fd, &f, 300ull * MS, &ok));
    const uint64_t used = host_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    test_case(!ok && used < 225ull * MS, "waves that sleep again and again",
              "done %d, %llu ns of CPU time in 300 ms", ok, (unsigned long long)used);
    done(c);
    k->destroy(k);
}

// A client that only looks at memory, never waits: its jobs are done once it has been quiet,
// whether the worker sleeps for good (each job here but one) or for a while (behind a wait).
static void test_quiet(void)
{
    enum { JOBS = 4, WAITS = 1, LONGEST_S = 120 };
    struct lull_kernel *k = kernel((struct lull_vdrm_options){0});
    struct client c = client(k);
    const volatile uint32_t *got = (const volatile uint32_t *)(const void *)(c.map + DATA);
    uint32_t jobs = 0;
    for (uint32_t i = 1; i <= JOBS && jobs == i - 1; i++) {
        bool ok = true;
        lull_pm4_write_data(&c.b, VA + DATA, &i, 1);
        const struct lull_amdgpu_fence f = submit(&c, NULL);
        if (i == 1 + WAITS) {
            must(lull_amdgpu_wait(k, c.fd, &f, LULL_AMDGPU_FOREVER, &ok));
        }
        for (unsigned ms = 0; ms < LONGEST_S * 1000 && *got != i; ms++) {
            usleep(1000);
        }
        jobs += ok && *got == i;
    }
    test_case(jobs == JOBS, "jobs of a client that does not wait", "%u of %d are done", jobs, JOBS);
    done(c);
    k->destroy(k);
}

static void test_lockup(void)
{
    struct lull_kernel *k = kernel((struct lull_vdrm_options){.lockup_ms = 30});
    struct client c = client(k);
    bool ok = false;
    dispatch(&c, BRANCH_SELF, 1);
    const struct lull_amdgpu_fence f = submit(&c, NULL);
    struct lull_error *err = lull_amdgpu_wait(k, c.fd, &f, LULL_AMDGPU_FOREVER, &ok);
    test_case(err != NULL && lull_error_errno(err) == ENODATA, "a loop ends by soft recovery",
              "error: %s", err != NULL ? lull_error_message(err) : "none");
    lull_error_free(err);
    done(c);
    k->destroy(k);
}

int main(void)
{
    test_many();
    test_cpu_wait();
    test_syncobj();
    test_close();
    test_close_in_parts();
    test_idle();
    test_quiet();
    test_lockup();
    return test_end();
}
