// SPDX-License-Identifier: MIT
// Submissions, fences, sync objects, time and hangs, on a GPU whose jobs do what the test says.
#include <stdio.h>

#include "drm/amdgpu/amdgpu.h"
#include "test.h"
#include "vdrm/fake.h"

struct client {
    struct fake *f;
    struct lull_kernel *k;
    int fd;
    uint32_t ctx;
};

// Errors of set-up calls end the test; the interesting calls are checked by hand.
static void must(struct lull_error *err)
{
    if (err != NULL) {
        printf("# %s\n", lull_error_message(err));
        abort();
    }
}

static void check(bool ok, const char *name, struct lull_error *err)
{
    test_case(ok, name, "error: %s", err != NULL ? lull_error_message(err) : "none");
    lull_error_free(err);
}

static struct client another(struct client c)
{
    c.fd = c.k->open(c.k, "/dev/dri/renderD128", O_RDWR);
    must(lull_amdgpu_ctx_create(c.k, c.fd, &c.ctx));
    return c;
}

static struct client start(struct lull_vdrm_options options)
{
    struct client c = {0};
    c.k = fake_kernel(&options, &c.f);
    return another(c);
}

static struct lull_error *submit(struct client c, uint32_t ring,
                                 const struct lull_syncobj_point *in,
                                 const struct lull_syncobj_point *out, uint64_t *seq)
{
    const struct lull_amdgpu_ib ib = {.va = 0x200000, .bytes = 64};
    const struct lull_amdgpu_submit s = {.ctx = c.ctx,
                                         .ip = LULL_AMDGPU_COMPUTE,
                                         .ring = ring,
                                         .ibs = &ib,
                                         .nibs = 1,
                                         .in = in,
                                         .nin = in != NULL,
                                         .out = out,
                                         .nout = out != NULL};
    return lull_amdgpu_submit(c.k, c.fd, &s, seq);
}

static struct lull_error *wait_for(struct client c, uint32_t ring, uint64_t seq, uint64_t timeout,
                                   bool *done)
{
    const struct lull_amdgpu_fence f = {
        .ctx = c.ctx, .ip = LULL_AMDGPU_COMPUTE, .ring = ring, .seq = seq};
    return lull_amdgpu_wait(c.k, c.fd, &f, timeout, done);
}

/** One submission to compute ring 0 and, last, to the gfx ring. */
static int submit_gang(struct client c, uint64_t *seq)
{
    const struct drm_amdgpu_cs_chunk_ib ibs[] = {
        {.va_start = 0x200000, .ib_bytes = 64, .ip_type = AMDGPU_HW_IP_COMPUTE},
        {.va_start = 0x201000, .ib_bytes = 64, .ip_type = AMDGPU_HW_IP_GFX}};
    struct drm_amdgpu_cs_chunk chunks[2] = {{0}};
    uint64_t pointers[2] = {0};
    for (unsigned i = 0; i < 2; i++) {
        chunks[i] = (struct drm_amdgpu_cs_chunk){AMDGPU_CHUNK_ID_IB, sizeof ibs[i] / 4,
                                                 (uint64_t)(uintptr_t)&ibs[i]};
        pointers[i] = (uint64_t)(uintptr_t)&chunks[i];
    }
    union drm_amdgpu_cs cs = {
        .in = {.ctx_id = c.ctx, .num_chunks = 2, .chunks = (uint64_t)(uintptr_t)pointers}};
    const int r = c.k->ioctl(c.k, c.fd, DRM_IOCTL_AMDGPU_CS, &cs);
    *seq = cs.out.handle;
    return r;
}

static bool in_log(struct client c, const char *word)
{
    const int fd = c.k->open(c.k, "/dev/kmsg", O_RDONLY);
    char line[512] = "";
    bool found = false;
    ssize_t n = 0;
    while ((n = c.k->pread(c.k, fd, line, sizeof line - 1, 0)) > 0) {
        line[n] = '\0';
        found = found || strstr(line, word) != NULL;
    }
    c.k->close(c.k, fd);
    return found && n == -EAGAIN;
}

static void test_time(void)
{
    struct client c = start((struct lull_vdrm_options){.poll_cycles = 10});
    uint64_t seq = 0;
    bool done = true;
    must(submit(c, 0, NULL, NULL, &seq));
    test_case(seq == 1 && c.f->submitted == 1 && c.f->cycles == 10,
              "a submission lets one poll pass", "%llu cycles", (unsigned long long)c.f->cycles);
    must(wait_for(c, 0, seq, 0, &done));
    test_case(!done && c.f->cycles == 20, "timeout 0 is one poll", "%llu cycles",
              (unsigned long long)c.f->cycles);
    const uint64_t before = c.k->now_ns(c.k);
    must(wait_for(c, 0, seq, 5000, &done));
    test_case(!done && c.f->cycles == 520 && c.k->now_ns(c.k) == before + 5000,
              "5 us are 500 cycles", "%llu cycles", (unsigned long long)c.f->cycles);
    must(wait_for(c, 0, seq, 1000000000, &done));
    test_case(done && c.f->cycles == 1000, "a wait ends with its job", "%llu cycles",
              (unsigned long long)c.f->cycles);
    must(wait_for(c, 0, UINT64_MAX, 0, &done));
    test_case(done && c.f->cycles == 1000, "the newest submission", "%llu cycles",
              (unsigned long long)c.f->cycles);
    // Nothing moves: time is up at once, and the client's clock says so.
    c.f->kind = FAKE_HALT;
    must(submit(c, 0, NULL, NULL, &seq));
    const uint64_t then = c.k->now_ns(c.k);
    must(wait_for(c, 0, seq, 20000000000, &done));
    test_case(!done && c.k->now_ns(c.k) == then + 20000000000, "a wait for halted waves", "%llu ns",
              (unsigned long long)(c.k->now_ns(c.k) - then));
    c.k->destroy(c.k);
}

static void test_user_fence(void)
{
    struct client c = start((struct lull_vdrm_options){0});
    uint32_t bo = 0;
    void *map = NULL;
    must(lull_amdgpu_gem_create(c.k, c.fd, 4096, LULL_AMDGPU_GTT, 0, &bo));
    must(lull_amdgpu_gem_mmap(c.k, c.fd, bo, 4096, &map));
    struct lull_amdgpu_ib ibs[20] = {{0}};
    for (unsigned i = 0; i < 20; i++) {
        ibs[i] = (struct lull_amdgpu_ib){.va = 0x200000 + i * 256, .bytes = i == 3 ? 0 : 64};
    }
    const struct lull_amdgpu_submit s = {.ctx = c.ctx,
                                         .ip = LULL_AMDGPU_GFX,
                                         .ibs = ibs,
                                         .nibs = 20,
                                         .bos = &bo,
                                         .nbos = 1,
                                         .fence_bo = bo,
                                         .fence_offset = 64};
    uint64_t seq = 0, value = 0;
    bool idle = true, done = false;
    must(lull_amdgpu_submit(c.k, c.fd, &s, &seq));
    test_case(c.f->submitted == 3, "20 command buffers, one of them empty, are 3 jobs of the model",
              "%u", c.f->submitted);
    must(lull_amdgpu_gem_wait(c.k, c.fd, bo, 0, &idle));
    memcpy(&value, (char *)map + 64, 8);
    test_case(!idle && value == 0, "the buffer is busy", "%llu", (unsigned long long)value);
    must(lull_drm_gem_close(c.k, c.fd, bo)); // the mapping and the job keep it
    const struct lull_amdgpu_fence f = {.ctx = c.ctx, .ip = LULL_AMDGPU_GFX, .seq = seq};
    must(lull_amdgpu_wait(c.k, c.fd, &f, LULL_AMDGPU_FOREVER, &done));
    memcpy(&value, (char *)map + 64, 8);
    test_case(done && value == seq, "user fence", "%llu, want %llu", (unsigned long long)value,
              (unsigned long long)seq);
    c.k->munmap(c.k, map, 4096);
    c.k->destroy(c.k);
}

static void test_dependencies(void)
{
    struct client c = start((struct lull_vdrm_options){0});
    uint32_t sync = 0;
    uint64_t a = 0, b = 0;
    bool done = false;
    must(lull_syncobj_create(c.k, c.fd, false, &sync));
    const struct lull_syncobj_point s = {.handle = sync};
    c.f->cost = 100000;
    must(submit(c, 0, NULL, &s, &a));
    must(submit(c, 1, &s, NULL, &b));
    test_case(c.f->submitted == 1, "a job waits for its sync object", "%u", c.f->submitted);
    must(wait_for(c, 1, b, LULL_AMDGPU_FOREVER, &done));
    test_case(done && c.f->submitted == 2 && c.f->cycles >= 200000, "and runs after it",
              "%llu cycles", (unsigned long long)c.f->cycles);
    // By fence of a context.
    must(submit(c, 0, NULL, NULL, &a));
    const struct lull_amdgpu_fence dep = {
        .ctx = c.ctx, .ip = LULL_AMDGPU_COMPUTE, .ring = 0, .seq = a};
    const struct lull_amdgpu_ib ib = {.va = 0x200000, .bytes = 64};
    const struct lull_amdgpu_submit d = {.ctx = c.ctx,
                                         .ip = LULL_AMDGPU_COMPUTE,
                                         .ring = 2,
                                         .ibs = &ib,
                                         .nibs = 1,
                                         .deps = &dep,
                                         .ndeps = 1};
    must(lull_amdgpu_submit(c.k, c.fd, &d, &b));
    test_case(c.f->submitted == 3, "a job waits for another of its context", "%u", c.f->submitted);
    const struct lull_amdgpu_fence both[] = {
        dep, {.ctx = c.ctx, .ip = LULL_AMDGPU_COMPUTE, .ring = 2, .seq = b}};
    uint32_t first = 9;
    must(lull_amdgpu_wait_fences(
        c.k, c.fd, &(const struct lull_amdgpu_wait_many){both, 2, false, LULL_AMDGPU_FOREVER},
        &done, &first));
    test_case(done && first == 0 && c.f->submitted == 4, "any of two fences", "first %u", first);
    must(lull_amdgpu_wait_fences(
        c.k, c.fd, &(const struct lull_amdgpu_wait_many){both, 2, true, LULL_AMDGPU_FOREVER}, &done,
        NULL));
    test_case(done, "both fences", "not done");
    // Only two jobs at a time are on a ring.
    for (unsigned i = 0; i < 5; i++) {
        must(submit(c, 3, NULL, NULL, &a));
    }
    test_case(c.f->n[LULL_RING_COMPUTE0 + 3] == 2, "two jobs on a ring", "%u",
              c.f->n[LULL_RING_COMPUTE0 + 3]);
    must(lull_amdgpu_fence_to_syncobj(
        c.k, c.fd, &(const struct lull_amdgpu_fence){c.ctx, LULL_AMDGPU_COMPUTE, 3, a}, &sync));
    must(lull_syncobj_wait(c.k, c.fd,
                           &(const struct lull_syncobj_wait){
                               .handles = &sync, .n = 1, .timeout_ns = LULL_AMDGPU_FOREVER},
                           &done, NULL));
    test_case(done && c.f->n[LULL_RING_COMPUTE0 + 3] == 0, "fence as sync object", "%u left",
              c.f->n[LULL_RING_COMPUTE0 + 3]);
    c.k->destroy(c.k);
}

static uint64_t point_of(struct client c, uint32_t sync, bool submitted)
{
    uint64_t p = 0;
    must(lull_syncobj_query(c.k, c.fd, &sync, 1, submitted, &p));
    return p;
}

static int point_wait(struct client c, uint32_t sync, uint64_t point)
{
    bool done = false;
    struct lull_error *err = lull_syncobj_wait(
        c.k, c.fd, &(const struct lull_syncobj_wait){.handles = &sync, .points = &point, .n = 1},
        &done, NULL);
    const int r = err != NULL ? -lull_error_errno(err) : done;
    lull_error_free(err);
    return r;
}

static struct lull_error *wait_gfx(struct client c, uint64_t seq, uint64_t timeout, bool *done)
{
    const struct lull_amdgpu_fence f = {.ctx = c.ctx, .ip = LULL_AMDGPU_GFX, .seq = seq};
    return lull_amdgpu_wait(c.k, c.fd, &f, timeout, done);
}

// A gang: its last ring's job is the one that clients wait for; the end of one by a fault ends all.
static void test_gang(void)
{
    struct client c = start((struct lull_vdrm_options){.poll_cycles = 10});
    uint64_t seq = 0, alone = 0;
    bool done = true;
    const int r = submit_gang(c, &seq);
    test_case(r == 0 && seq == 1 && c.f->n[LULL_RING_GFX] == 1 && c.f->n[LULL_RING_COMPUTE0] == 1 &&
                  c.f->queue[LULL_RING_GFX][0].job.ib[0].va == 0x201000 &&
                  c.f->queue[LULL_RING_COMPUTE0][0].job.ib[0].va == 0x200000,
              "a gang is on both rings", "%d, %u and %u jobs", r, c.f->n[LULL_RING_GFX],
              c.f->n[LULL_RING_COMPUTE0]);
    c.f->queue[LULL_RING_GFX][0].cost = 5000;
    must(wait_for(c, 0, UINT64_MAX, 0, &done));
    test_case(done, "the ring of a follower has no submission", "it has");
    must(wait_gfx(c, seq, 30000, &done));
    test_case(!done && c.f->n[LULL_RING_COMPUTE0] == 0, "a follower's end is not the gang's",
              "done %d", done);
    must(wait_gfx(c, seq, 1000000000, &done));
    test_case(done, "the leader's is", "%d", done);
    c.f->kind = FAKE_LOOP;
    test_case(submit_gang(c, &seq) == 0 && seq == 2, "another", "%llu", (unsigned long long)seq);
    c.f->queue[LULL_RING_COMPUTE0][0].kind = FAKE_BAD;
    c.f->kind = FAKE_WORK;
    struct client d = another(c);
    must(submit(d, 1, NULL, NULL, &alone));
    must(wait_for(d, 1, alone, 1000000000, &done));
    test_case(done && c.f->n[LULL_RING_GFX] == 0 && c.f->n[LULL_RING_COMPUTE0] == 0,
              "a fault of one ends both", "%u and %u left", c.f->n[LULL_RING_GFX],
              c.f->n[LULL_RING_COMPUTE0]);
    c.k->destroy(c.k);
}

static void test_timeline(void)
{
    struct client c = start((struct lull_vdrm_options){.poll_cycles = 1});
    uint32_t t = 0, b = 0;
    uint64_t seq = 0;
    bool done = false;
    must(lull_syncobj_create(c.k, c.fd, false, &t));
    must(lull_syncobj_create(c.k, c.fd, false, &b));
    const struct lull_syncobj_point five = {t, 5}, seven = {t, 7};
    must(submit(c, 0, NULL, &five, &seq));
    must(submit(c, 1, NULL, &seven, &seq));
    test_case(point_of(c, t, false) == 0 && point_of(c, t, true) == 7, "points: submitted", "%llu",
              (unsigned long long)point_of(c, t, true));
    test_case(point_wait(c, t, 8) == -EINVAL && point_wait(c, t, 6) == 0, "points: not reached",
              "%d %d", point_wait(c, t, 8), point_wait(c, t, 6));
    must(lull_syncobj_transfer(c.k, c.fd, seven, (struct lull_syncobj_point){b, 0}));
    const uint64_t p5 = 4;
    must(lull_syncobj_wait(
        c.k, c.fd,
        &(const struct lull_syncobj_wait){
            .handles = &t, .points = &p5, .n = 1, .timeout_ns = LULL_AMDGPU_FOREVER},
        &done, NULL));
    test_case(done && point_of(c, t, false) >= 5, "point 4 is reached with 5", "%llu",
              (unsigned long long)point_of(c, t, false));
    must(lull_syncobj_wait(
        c.k, c.fd,
        &(const struct lull_syncobj_wait){.handles = &b, .n = 1, .timeout_ns = LULL_AMDGPU_FOREVER},
        &done, NULL));
    test_case(
        done && point_of(c, t, false) == 7 && point_wait(c, t, 7) == 1 && point_wait(c, t, 2) == 1,
        "a point moved to a binary object", "%llu", (unsigned long long)point_of(c, t, false));
    const uint64_t nine = 9;
    must(lull_syncobj_timeline_signal(c.k, c.fd, &t, &nine, 1));
    test_case(point_of(c, t, false) == 9 && point_wait(c, t, 9) == 1, "signal by the host", "%llu",
              (unsigned long long)point_of(c, t, false));
    // Several fences behind one point: all must be done.
    c.f->cost = 50000;
    must(submit(c, 0, NULL, &(const struct lull_syncobj_point){t, 20}, &seq));
    c.f->cost = 10;
    must(submit(c, 1, NULL, &(const struct lull_syncobj_point){t, 21}, &seq));
    must(lull_syncobj_transfer(c.k, c.fd, (struct lull_syncobj_point){t, 21},
                               (struct lull_syncobj_point){b, 3}));
    must(wait_for(c, 1, seq, LULL_AMDGPU_FOREVER, &done));
    test_case(done && point_wait(c, b, 3) == 0 && point_wait(c, t, 21) == 0,
              "a later point waits for earlier ones", "%d", point_wait(c, b, 3));
    must(wait_for(c, 0, UINT64_MAX, LULL_AMDGPU_FOREVER, &done));
    test_case(point_wait(c, b, 3) == 1 && point_wait(c, t, 21) == 1, "and comes with the last",
              "%d", point_wait(c, b, 3));
    // Handles to files and back.
    struct drm_syncobj_handle h = {.handle = t};
    test_case(c.k->ioctl(c.k, c.fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h) == 0 && h.fd >= 0,
              "to a file", "fd %d", h.fd);
    h.handle = 0;
    test_case(c.k->ioctl(c.k, c.fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &h) == 0 && h.handle != t &&
                  point_of(c, h.handle, false) == 21,
              "and back", "handle %u", h.handle);
    c.k->close(c.k, h.fd);
    c.k->destroy(c.k);
}

static void test_loop(void)
{
    struct client c = start((struct lull_vdrm_options){.lockup_cycles = 100000});
    uint64_t seq = 0;
    bool done = false;
    uint32_t state = 9;
    c.f->kind = FAKE_LOOP;
    must(submit(c, 0, NULL, NULL, &seq));
    must(wait_for(c, 0, seq, 500000, &done));
    test_case(!done, "an endless loop runs until the lockup", "done");
    struct lull_error *err = wait_for(c, 0, seq, LULL_AMDGPU_FOREVER, &done);
    check(err != NULL && lull_error_errno(err) == ENODATA && lull_amdgpu_is_lost(err),
          "then its waves are killed", err);
    must(lull_amdgpu_ctx_state(c.k, c.fd, c.ctx, &state));
    test_case(state == (LULL_AMDGPU_CTX_RESET | LULL_AMDGPU_CTX_GUILTY) && c.f->resets == 0,
              "context: reset, guilty", "state %u", state);
    test_case(in_log(c, "ring comp_1.0.0 timeout, but soft recovered"), "log: soft recovery",
              "not there");
    err = submit(c, 0, NULL, NULL, &seq);
    check(err != NULL && lull_error_errno(err) == ENODATA, "the context takes no more on that ring",
          err);
    c.f->kind = FAKE_WORK;
    must(lull_amdgpu_ctx_create(c.k, c.fd, &c.ctx));
    must(submit(c, 0, NULL, NULL, &seq));
    must(wait_for(c, 0, seq, LULL_AMDGPU_FOREVER, &done));
    must(lull_amdgpu_ctx_state(c.k, c.fd, c.ctx, &state));
    test_case(done && state == 0, "a new context works", "state %u", state);
    c.k->destroy(c.k);
}

static void test_stuck(void)
{
    struct client c = start((struct lull_vdrm_options){.lockup_cycles = 100000}), d = another(c);
    uint64_t seq = 0, neighbour = 0, later = 0;
    bool done = false;
    c.f->kind = FAKE_STUCK;
    must(submit(c, 0, NULL, NULL, &seq));
    c.f->kind = FAKE_WORK;
    must(submit(d, 0, NULL, NULL, &neighbour));
    must(submit(c, 0, NULL, NULL, &later));
    struct lull_error *err = wait_for(c, 0, seq, LULL_AMDGPU_FOREVER, &done);
    check(err != NULL && lull_error_errno(err) == ETIME && c.f->resets >= 1,
          "a stuck ring is reset", err);
    err = wait_for(d, 0, neighbour, LULL_AMDGPU_FOREVER, &done);
    check(err != NULL && lull_error_errno(err) == ECANCELED, "its neighbour on the ring is lost",
          err);
    err = wait_for(c, 0, later, LULL_AMDGPU_FOREVER, &done);
    check(err != NULL && lull_amdgpu_is_lost(err), "what came after it as well", err);
    test_case(in_log(c, "Ring comp_1.0.0 reset succeeded"), "log: ring reset", "not there");
    c.k->destroy(c.k);

    c = start((struct lull_vdrm_options){0});
    c.f->kind = FAKE_BAD;
    must(submit(c, 1, NULL, NULL, &seq));
    err = wait_for(c, 1, seq, LULL_AMDGPU_FOREVER, &done);
    check(err != NULL && lull_error_errno(err) == ETIME && in_log(c, "fake packet"), "a bad packet",
          err);
    c.k->destroy(c.k);

    c = start((struct lull_vdrm_options){.lockup_cycles = UINT64_MAX});
    c.f->kind = FAKE_HALT;
    must(submit(c, 0, NULL, NULL, &seq));
    must(wait_for(c, 0, seq, LULL_AMDGPU_FOREVER, &done));
    test_case(!done, "halted and no lockup: a wait without end returns", "done");
    c.k->close(c.k, c.fd);
    test_case(c.f->n[LULL_RING_COMPUTE0] == 0, "closing the file drops its jobs", "%u",
              c.f->n[LULL_RING_COMPUTE0]);
    c.k->destroy(c.k);

    c = start((struct lull_vdrm_options){0});
    c.f->kind = FAKE_HALT;
    must(submit(c, 0, NULL, NULL, &seq));
    err = wait_for(c, 0, seq, LULL_AMDGPU_FOREVER, &done);
    check(err != NULL && lull_error_errno(err) == ETIME,
          "halted: a wait without end ends it as a hang", err);
    c.k->destroy(c.k);
}

// What goes while jobs run stays in the page tables, and its memory with it, until they are done.
static void test_unmap_busy(void)
{
    struct client c = start((struct lull_vdrm_options){0});
    uint32_t bo = 0;
    uint64_t seq = 0, entry = 0;
    bool done = false;
    must(lull_amdgpu_gem_create(c.k, c.fd, 0x400000, LULL_AMDGPU_VRAM, 0, &bo));
    must(lull_amdgpu_va_map(c.k, c.fd,
                            &(const struct lull_amdgpu_va){
                                .va = 0x400000, .size = 0x400000, .handle = bo, .flags = 6}));
    c.f->cost = 1000000;
    must(submit(c, 0, NULL, NULL, &seq));
    memset(c.f->phys.vram, 7, 64); // the buffer is VRAM's first
    must(lull_drm_gem_close(c.k, c.fd, bo));
    test_case(c.f->phys.vram[0] == 7, "memory stays while a job runs", "%u", c.f->phys.vram[0]);
    // The second level from the root: PDB0's entry 2 of VA 4 MiB.
    uint64_t table = c.f->regs[(FAKE_PT_BASE + 8) / 4] & ~4095u;
    table |= (uint64_t)c.f->regs[(FAKE_PT_BASE + 12) / 4] << 32;
    for (unsigned level = 0; level < 2; level++) {
        memcpy(&entry, c.f->phys.vram + table, 8);
        table = entry & 0xfffffffff000;
    }
    memcpy(&entry, c.f->phys.vram + table + 2 * 8, 8);
    test_case((entry & 1) == 1, "and so does its entry", "%llx", (unsigned long long)entry);
    uint32_t next = 0;
    must(lull_amdgpu_gem_create(c.k, c.fd, 0x1000, LULL_AMDGPU_VRAM, 0, &next));
    must(lull_amdgpu_va_map(c.k, c.fd,
                            &(const struct lull_amdgpu_va){
                                .va = 0x400000, .size = 0x1000, .handle = next, .flags = 6}));
    uint64_t after = 0;
    must(submit(c, 1, NULL, NULL, &after));
    test_case(c.f->submitted == 1, "a job after it waits", "%u", c.f->submitted);
    must(wait_for(c, 1, after, LULL_AMDGPU_FOREVER, &done));
    struct lull_amdgpu_memory m = {0};
    must(lull_amdgpu_memory(c.k, c.fd, &m));
    test_case(done && c.f->phys.vram[0] == 0 && m.vram.used < 0x100000, "then it goes",
              "%llu bytes used", (unsigned long long)m.vram.used);
    c.k->destroy(c.k);
}

static void test_vmids(void)
{
    struct client c[9] = {start((struct lull_vdrm_options){0})};
    uint64_t seq[9] = {0};
    bool done = false;
    for (unsigned i = 1; i < 9; i++) {
        c[i] = another(c[0]);
    }
    uint32_t seen = 0;
    for (unsigned i = 0; i < 9; i++) {
        c[0].f->cost = 100000 * (i + 1);
        must(submit(c[i], i % 4, NULL, NULL, &seq[i]));
        seen |= 1u << c[0].f->last_vmid;
    }
    test_case(c[0].f->submitted == 7 && seen == 0xfe, "seven VMIDs", "%u jobs, VMIDs %x",
              c[0].f->submitted, seen);
    for (unsigned i = 0; i < 9; i++) {
        must(wait_for(c[i], i % 4, seq[i], LULL_AMDGPU_FOREVER, &done));
    }
    test_case(done && c[0].f->submitted == 9, "nine clients", "%u jobs", c[0].f->submitted);
    must(lull_amdgpu_reserve_vmid(c[0].k, c[0].fd));
    must(submit(c[0], 0, NULL, NULL, &seq[0]));
    const uint32_t own = c[0].f->last_vmid;
    must(wait_for(c[0], 0, seq[0], LULL_AMDGPU_FOREVER, &done));
    seen = 0;
    for (unsigned i = 1; i < 9; i++) {
        must(submit(c[i], i % 4, NULL, NULL, &seq[i]));
        must(wait_for(c[i], i % 4, seq[i], LULL_AMDGPU_FOREVER, &done));
        seen |= 1u << c[0].f->last_vmid;
    }
    test_case((seen & 1u << own) == 0, "a reserved VMID is not given away", "%x, reserved %u", seen,
              own);
    c[0].k->destroy(c[0].k);
}

static void test_fault(void)
{
    struct client c = start((struct lull_vdrm_options){0});
    uint64_t seq = 0;
    bool done = false;
    must(submit(c, 0, NULL, NULL, &seq));
    // Page 0x800000123 of VMID 1; WALKER_ERROR 1, write, client TCP (fact sheet 4.2)
    c.f->regs[FAKE_FAULT_STATUS / 4] = 1u << 20 | 1u << 18 | 8u << 9 | 1u << 1;
    c.f->regs[FAKE_FAULT_STATUS / 4 + 1] = 0x00000123;
    c.f->regs[FAKE_FAULT_STATUS / 4 + 2] = 0x8;
    must(wait_for(c, 0, seq, 0, &done));
    struct lull_amdgpu_vm_fault fault = {0};
    must(lull_amdgpu_vm_fault(c.k, c.fd, &fault));
    test_case(fault.va == 0xffff800000123000 &&
                  fault.status == (1u << 20 | 1u << 18 | 8u << 9 | 1u << 1),
              "page fault", "0x%llx status 0x%x", (unsigned long long)fault.va, fault.status);
    test_case(c.f->regs[FAKE_FAULT_STATUS / 4] == 0, "page fault: taken", "still there");
    test_case(in_log(c, "in page starting at address 0x0000800000123000") &&
                  in_log(c, "TCP (0x8)") && in_log(c, "WALKER_ERROR: 0x1"),
              "page fault: log", "not there");
    c.k->destroy(c.k);
}

int main(void)
{
    test_time();
    test_user_fence();
    test_dependencies();
    test_gang();
    test_timeline();
    test_loop();
    test_stuck();
    test_unmap_busy();
    test_vmids();
    test_fault();
    return test_end();
}
