// SPDX-License-Identifier: MIT
// Task shaders: entries of workgroups on a compute ring, which the gfx ring takes up.
//
// The engine is replaced by one that writes what a task shader writes, as Mesa's
// ac_nir_lower_taskmesh_io_to_mem.c describes it: dimensions, then the ready bit.
#include "gpu_fixture.h"
#include "test.h"

#include <inttypes.h>

enum {
    CODE = 0x100,
    CONTROL = 0x2000, ///< Offsets in the mapping.
    ENTRIES = 0x2100,
    ARGUMENTS = 0x3000,
    GFX_IB = 0x3e0000,
    N = 4,               ///< Entries of the ring.
    FIRST_USER = 0xb900, ///< COMPUTE_USER_DATA_0
    USER = (0xb900 - 0xb000) / 4,
    INITIATOR = 0x8005, ///< COMPUTE_SHADER_EN, FORCE_START_AT_000, CS_W32_EN
    MOST = 32,
};

static struct {
    struct fixture *f;
    unsigned n;
    uint32_t user[MOST][6]; ///< Entry, dimensions, draw, workgroup.
} seen;

/** Asks for 0 meshes, so that nothing has to be drawn. */
static uint32_t engine(struct lull_wave *w, uint32_t budget)
{
    (void)budget;
    const uint32_t n = w->sgpr[0] + w->sgpr[5];
    const uint32_t at = ENTRIES + n % N * 16;
    memcpy(seen.user[seen.n++ % MOST], w->sgpr, sizeof seen.user[0]);
    fixture_put32(seen.f, at, 0);
    fixture_put32(seen.f, at + 4, 7);
    fixture_put32(seen.f, at + 8, 9);
    *fixture_mem(seen.f, at + 12) = (uint8_t)(n / N & 1);
    w->ninsns++;
    w->state = LULL_WAVE_ENDED;
    return 1;
}

static void put_control(struct fixture *f, uint64_t at)
{
    const uint64_t draws = FIXTURE_VA + ENTRIES;
    for (unsigned i = 0; i < 3; i++) {
        memcpy(fixture_mem(f, CONTROL + 8 * i), &at, sizeof at);
    }
    fixture_put32(f, CONTROL + 24, N);
    fixture_put32(f, CONTROL + 28, (uint32_t)draws);
    fixture_put32(f, CONTROL + 32, (uint32_t)(draws >> 32));
}

static void start(struct fixture *f)
{
    *f = fixture_new(0, 1, 1, 1);
    memset(&seen, 0, sizeof seen);
    seen.f = f;
    lull_gpu_set_engine(f->g, engine);
    put_control(f, N);
}

static void emit(struct fixture *f, const uint32_t *dwords, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        lull_pm4_emit(&f->b, dwords[i]);
    }
}

static void put_shader(struct fixture *f)
{
    const uint64_t pgm = (FIXTURE_VA + CODE) >> 8;
    const uint32_t init[] = {0xc001a902, (uint32_t)(FIXTURE_VA + CONTROL),
                             (uint32_t)((FIXTURE_VA + CONTROL) >> 32)};
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_PGM_LO, (uint32_t)pgm);
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_PGM_HI, (uint32_t)(pgm >> 32));
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_PGM_RSRC1, 0);
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_PGM_RSRC2, 5 << 1 | 1 << 7); // user SGPRs, TGID_X
    for (unsigned i = 0; i < 3; i++) {
        lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_NUM_THREAD_X + 4 * i, 1);
    }
    for (uint32_t i = 0; i < 5; i++) {
        lull_pm4_set_sh1(&f->b, FIRST_USER + 4 * i, 0);
    }
    emit(f, init, 3);
}

static void direct(struct fixture *f, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t packet[] = {0xc004aa02, x, y, z, INITIATOR, USER};
    emit(f, packet, 6);
}

/** Of draws at ARGUMENTS, 16 bytes apart. @p in_memory: their number is behind the last, too. */
static void indirect(struct fixture *f, uint32_t count, bool in_memory)
{
    const uint64_t va = FIXTURE_VA + ARGUMENTS;
    const uint64_t count_va = va + 0x100;
    const uint32_t packet[] = {0xc009ad02,
                               (uint32_t)va,
                               (uint32_t)(va >> 32),
                               USER,
                               (in_memory ? 2 : 0) | 4 | 8 | (uint32_t)(USER + 4) << 16,
                               USER + 1,
                               count,
                               (uint32_t)count_va,
                               (uint32_t)(count_va >> 32),
                               16,
                               INITIATOR};
    emit(f, packet, 11);
}

static void check(const struct fixture *f, const char *name, unsigned waves, uint64_t write)
{
    const uint32_t last = ENTRIES + (uint32_t)((write - 1) % N) * 16;
    const uint32_t end = 2 | (uint32_t)((write - 1) / N & 1);
    test_case(seen.n == waves && fixture_u64(f, CONTROL) == write &&
                  fixture_u32(f, last + 12) == end && fixture_u32(f, last) == 0,
              name, "%u waves, %" PRIu64 " entries, the last 0x%" PRIx32, seen.n,
              fixture_u64(f, CONTROL), fixture_u32(f, last + 12));
}

static void finish(struct fixture *f, const char *name)
{
    struct lull_gpu_done done = {0};
    const bool ended = fixture_run(f, 100000, &done);
    test_case(ended && done.result == LULL_JOB_DONE, name, "%d %s", ended, done.message);
}

static void test_direct(void)
{
    static const struct {
        const char *name;
        uint32_t dim[3];
        unsigned waves;
    } rows[] = {
        {"three workgroups", {3, 1, 1}, 3},
        {"none", {0, 1, 1}, 0},
        {"none in z", {2, 2, 0}, 0},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct fixture f;
        start(&f);
        put_shader(&f);
        direct(&f, rows[i].dim[0], rows[i].dim[1], rows[i].dim[2]);
        fixture_submit(&f, LULL_RING_COMPUTE0, 1);
        finish(&f, rows[i].name);
        check(&f, rows[i].name, rows[i].waves, N + rows[i].waves + 1);
        fixture_free(&f);
    }
}

/** Draws of 2, 0 and 1 workgroups: each finds its first entry, its dimensions and its number. */
static void test_indirect(void)
{
    static const uint32_t arguments[] = {2, 1, 1, 99, 0, 5, 5, 99, 1, 1, 1, 99};
    static const uint32_t want[3][6] = {
        {N, 2, 1, 1, 0, 0}, {N, 2, 1, 1, 0, 1}, {N + 2, 1, 1, 1, 2, 0}};
    static const struct {
        const char *name;
        uint32_t count, memory; ///< UINT32_MAX: not in memory.
        unsigned waves;
    } rows[] = {
        {"three draws", 3, UINT32_MAX, 3},   {"one of them", 1, UINT32_MAX, 2},
        {"as many as memory says", 3, 2, 2}, {"not more than the packet says", 3, 9, 3},
        {"none by memory", 3, 0, 0},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct fixture f;
        start(&f);
        memcpy(fixture_mem(&f, ARGUMENTS), arguments, sizeof arguments);
        fixture_put32(&f, ARGUMENTS + 0x100, rows[i].memory);
        put_shader(&f);
        indirect(&f, rows[i].count, rows[i].memory != UINT32_MAX);
        fixture_submit(&f, LULL_RING_COMPUTE0, 1);
        finish(&f, rows[i].name);
        check(&f, rows[i].name, rows[i].waves, N + rows[i].waves + 1);
        test_case(memcmp(seen.user, want, rows[i].waves * sizeof want[0]) == 0, rows[i].name,
                  "the last finds %u %u,%u,%u %u %u", seen.user[2][0], seen.user[2][1],
                  seen.user[2][2], seen.user[2][3], seen.user[2][4], seen.user[2][5]);
        fixture_free(&f);
    }
}

/** Only as many workgroups run as there are free entries. */
static void test_full(void)
{
    static const struct {
        uint64_t free;
        unsigned waves;
        bool done;
    } steps[] = {
        {N, 4, false}, {N + 2, 6, false}, {N + 5, 9, false}, {N + 6, 10, false}, {N + 7, 10, true}};
    struct fixture f;
    start(&f);
    put_shader(&f);
    direct(&f, 10, 1, 1);
    fixture_submit(&f, LULL_RING_COMPUTE0, 1);
    for (size_t i = 0; i < TEST_ROWS(steps); i++) {
        struct lull_gpu_done done = {0};
        memcpy(fixture_mem(&f, CONTROL + 16), &steps[i].free, sizeof steps[i].free);
        const bool ended = fixture_run(&f, 100000, &done);
        test_case(ended == steps[i].done && seen.n == steps[i].waves, "a full ring",
                  "%" PRIu64 " given back: %u waves, ended %d", steps[i].free - N, seen.n, ended);
    }
    check(&f, "a ring that was full", 10, N + 11);
    fixture_free(&f);
}

/** Packets on the gfx ring, for the entries of two dispatches, one of which has to wait for it. */
static void submit_gfx(struct fixture *f, unsigned packets)
{
    uint32_t dwords[16] = {0xc001a900, (uint32_t)(FIXTURE_VA + CONTROL),
                           (uint32_t)((FIXTURE_VA + CONTROL) >> 32)};
    uint32_t n = 3;
    for (unsigned i = 0; i < packets; i++) {
        const uint32_t packet[] = {0xc0024d00, 0, 0, 2};
        memcpy(&dwords[n], packet, sizeof packet);
        n += 4;
    }
    memcpy(fixture_mem(f, GFX_IB), dwords, sizeof dwords);
    const struct lull_gpu_job job = {
        .vmid = FIXTURE_VMID, .cookie = 2, .nibs = 1, .ib = {{FIXTURE_VA + GFX_IB, n}}};
    if (lull_gpu_submit(f->g, LULL_RING_GFX, &job) != NULL) {
        abort();
    }
}

static void test_together(void)
{
    struct fixture f;
    struct lull_gpu_done done[2] = {{0}};
    start(&f);
    submit_gfx(&f, 3);
    test_case(!fixture_run(&f, 1000, &done[0]) && fixture_u64(&f, CONTROL + 8) == N,
              "the gfx ring waits for entries", "%" PRIu64, fixture_u64(&f, CONTROL + 8));
    put_shader(&f);
    direct(&f, 10, 1, 1);
    direct(&f, 0, 1, 1);
    direct(&f, 2, 1, 1);
    fixture_submit(&f, LULL_RING_COMPUTE0, 1);
    const bool ended = fixture_run(&f, 100000, &done[0]) && fixture_run(&f, 100000, &done[1]);
    test_case(ended && done[0].result == LULL_JOB_DONE && done[1].result == LULL_JOB_DONE,
              "both rings end", "%d '%s' '%s'", ended, done[0].message, done[1].message);
    check(&f, "entries of three packets", 12, N + 10 + 2 + 3);
    test_case(fixture_u64(&f, CONTROL + 8) == N + 15 && fixture_u64(&f, CONTROL + 16) == N + 15,
              "all are given back", "%" PRIu64 " %" PRIu64, fixture_u64(&f, CONTROL + 8),
              fixture_u64(&f, CONTROL + 16));
    fixture_free(&f);
}

static void test_refused(void)
{
    static const struct {
        const char *name;
        enum lull_ring ring;
        bool init;
        uint32_t entries;
        const char *message;
    } rows[] = {
        {"no control buffer", LULL_RING_COMPUTE0, false, N, "no DISPATCH_TASK_STATE_INIT"},
        {"three entries", LULL_RING_COMPUTE0, true, 3, "a ring of 3 task entries"},
        {"no entries", LULL_RING_COMPUTE0, true, 0, "a ring of 0 task entries"},
        {"on the gfx ring", LULL_RING_GFX, true, N, "task shaders are for compute rings"},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct fixture f;
        struct lull_gpu_done done = {0};
        start(&f);
        fixture_put32(&f, CONTROL + 24, rows[i].entries);
        if (rows[i].init) {
            put_shader(&f);
        }
        direct(&f, 1, 1, 1);
        fixture_submit(&f, rows[i].ring, 1);
        const bool ended = fixture_run(&f, 1000, &done);
        test_case(ended && done.result == LULL_JOB_BAD_PACKET &&
                      strstr(done.message, rows[i].message) != NULL,
                  rows[i].name, "%d %d '%s'", ended, done.result, done.message);
        fixture_free(&f);
    }
}

int main(void)
{
    test_direct();
    test_indirect();
    test_full();
    test_together();
    test_refused();
    return test_end();
}
