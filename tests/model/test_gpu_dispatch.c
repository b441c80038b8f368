// SPDX-License-Identifier: MIT
// Dispatch: which work-items run, with which registers, in which order.
//
// The engine is replaced by one that notes the state a wave starts with, so these tests need no
// instructions. What is expected is computed from the grid alone, in nested loops.
#include "gpu_fixture.h"
#include "test.h"

#include <inttypes.h>

enum {
    MAX_ITEMS = 1 << 17,
    SHADER_EN = 1,
    PARTIAL_TG_EN = 2,
    FROM_ZERO = 4,
    THREAD_DIMENSIONS = 32,
    W32 = 0x8000,
    USER_SGPRS = 3,
    RSRC1_WGP = 1 << 29,
    // USER_SGPR 3, TGID_X/Y/Z, TG_SIZE, ids x, y and z
    RSRC2 = USER_SGPRS << 1 | 7 << 7 | 1 << 10 | 2 << 11,
};

/** What the engine below sees. Set by each test before it runs. */
static struct {
    uint8_t *hits;     ///< Per work-item of the grid.
    uint32_t items[3]; ///< Of the whole grid.
    uint32_t block[3], first[3];
    unsigned bad;     ///< Lanes that are not in the grid, or wrong registers.
    uint64_t history; ///< Hash of the order in which waves were run.
    unsigned waves, calls, in_flight, max_in_flight;
    unsigned length; ///< Instructions a wave runs before it ends.
} seen;

static void note(uint64_t v)
{
    seen.history = (seen.history ^ v) * UINT64_C(0x100000001b3); // FNV-1a
}

static void note_lanes(const struct lull_wave *w)
{
    const uint64_t exec = w->sgpr[126] | (uint64_t)w->sgpr[127] << 32;
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        const uint32_t v = w->vgpr[lane];
        const uint32_t local[3] = {v & 0x3ff, v >> 10 & 0x3ff, v >> 20 & 0x3ff};
        uint32_t global[3] = {0};
        bool inside = true;
        if ((exec >> lane & 1) == 0) {
            continue;
        }
        for (unsigned i = 0; i < 3; i++) {
            global[i] = (w->sgpr[USER_SGPRS + i] - seen.first[i]) * seen.block[i] + local[i];
            inside &= local[i] < seen.block[i] && global[i] < seen.items[i];
        }
        if (inside) {
            seen.hits[(global[2] * seen.items[1] + global[1]) * seen.items[0] + global[0]]++;
        } else {
            seen.bad++;
        }
    }
}

/** A wave's registers when it starts, against what the packet said. */
static void note_start(const struct lull_wave *w)
{
    const uint32_t tg_size = w->sgpr[USER_SGPRS + 3];
    const uint32_t index = tg_size >> 20 & 0x1f;
    bool ok = w->sgpr[0] == 0xaaaa0000 && w->sgpr[1] == 0xaaaa0001 && w->sgpr[2] == 0xaaaa0002;
    ok &= (tg_size & 0x3f) == w->wg->nwaves && index < w->wg->nwaves &&
          (tg_size >> 31 != 0) == (index == 0);
    ok &= w->sgpr[108 + 11] == (index | 1 << 6); // ttmp11: wave in group, no scratch
    for (unsigned i = 0; i < 3; i++) {
        ok &= w->sgpr[108 + 8 + i] == w->sgpr[USER_SGPRS + i] &&
              w->wg->id[i] == w->sgpr[USER_SGPRS + i];
    }
    ok &= w->pc == FIXTURE_VA + 0x100 && w->lds_alloc == 0 && w->sgpr[124] == 0;
    seen.bad += !ok;
}

static uint32_t recording_engine(struct lull_wave *w, uint32_t budget)
{
    if (w->ninsns == 0) {
        note_start(w);
        note_lanes(w);
        seen.waves++;
        seen.in_flight++;
        seen.max_in_flight =
            seen.in_flight > seen.max_in_flight ? seen.in_flight : seen.max_in_flight;
    }
    seen.calls++;
    note(w->hw_id1);
    note(w->sgpr[108 + 8]);
    const uint64_t left = seen.length - w->ninsns;
    const uint32_t n = budget < left ? budget : (uint32_t)left;
    w->ninsns += n;
    if (w->ninsns == seen.length) {
        w->state = LULL_WAVE_ENDED;
        seen.in_flight--;
    }
    return n;
}

struct grid {
    const char *name;
    uint32_t dim[3], block[3], partial[3], start[3];
    uint32_t initiator;
};

static void program(struct fixture *f, const struct grid *t)
{
    const uint64_t pgm = (FIXTURE_VA + 0x100) >> 8;
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_PGM_LO, (uint32_t)pgm);
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_PGM_HI, (uint32_t)(pgm >> 32));
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_PGM_RSRC1, RSRC1_WGP);
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_PGM_RSRC2, RSRC2);
    for (uint32_t i = 0; i < USER_SGPRS; i++) {
        lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_USER_DATA_0 + 4 * i, 0xaaaa0000 + i);
    }
    for (unsigned i = 0; i < 3; i++) {
        lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_NUM_THREAD_X + 4 * i,
                         t->block[i] | t->partial[i] << 16);
        lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_START_X + 4 * i, t->start[i]);
    }
    lull_pm4_dispatch(&f->b, t->dim[0], t->dim[1], t->dim[2], t->initiator | SHADER_EN);
}

/** Work-items in dimension @p i, from the definition of the packet. */
static uint32_t items_in(const struct grid *t, unsigned i)
{
    if ((t->initiator & THREAD_DIMENSIONS) != 0) {
        return t->dim[i];
    }
    const uint32_t first = (t->initiator & FROM_ZERO) != 0 ? 0 : t->start[i];
    const uint32_t groups = t->dim[i] > first ? t->dim[i] - first : 0;
    const bool partial = (t->initiator & PARTIAL_TG_EN) != 0 && t->partial[i] != 0;
    return groups * t->block[i] - (partial && groups != 0 ? t->block[i] - t->partial[i] : 0);
}

static bool run_grid(const struct grid *t, uint64_t seed, unsigned length,
                     struct lull_gpu_done *done)
{
    static uint8_t hits[MAX_ITEMS];
    struct fixture f = fixture_new(seed, 0, 0, 0);
    memset(hits, 0, sizeof hits);
    memset(&seen, 0, sizeof seen);
    seen.hits = hits;
    seen.length = length;
    for (unsigned i = 0; i < 3; i++) {
        seen.items[i] = items_in(t, i);
        seen.block[i] = t->block[i];
        seen.first[i] = (t->initiator & (FROM_ZERO | THREAD_DIMENSIONS)) != 0 ? 0 : t->start[i];
    }
    lull_gpu_set_engine(f.g, recording_engine);
    program(&f, t);
    fixture_submit(&f, LULL_RING_COMPUTE0, 7);
    const bool ended = fixture_run(&f, 100000000, done);
    fixture_free(&f);
    return ended;
}

static const struct grid grids[] = {
    {"one item", {1, 1, 1}, {1, 1, 1}, {0}, {0}, FROM_ZERO | W32},
    {"one wave of 32", {1, 1, 1}, {32, 1, 1}, {0}, {0}, FROM_ZERO | W32},
    {"one wave of 64", {1, 1, 1}, {64, 1, 1}, {0}, {0}, FROM_ZERO},
    {"wave half empty", {3, 1, 1}, {20, 1, 1}, {0}, {0}, FROM_ZERO | W32},
    {"two waves, the second of 1", {2, 1, 1}, {33, 1, 1}, {0}, {0}, FROM_ZERO | W32},
    {"many groups", {700, 1, 1}, {64, 1, 1}, {0}, {0}, FROM_ZERO | W32},
    {"more groups than fit", {4000, 1, 1}, {32, 1, 1}, {0}, {0}, FROM_ZERO | W32},
    {"3-D", {5, 4, 3}, {4, 8, 2}, {0}, {0}, FROM_ZERO | W32},
    {"3-D of 64", {5, 4, 3}, {3, 5, 7}, {0}, {0}, FROM_ZERO},
    {"1024 items", {3, 2, 1}, {32, 32, 1}, {0}, {0}, FROM_ZERO | W32},
    {"1024 items deep", {2, 1, 2}, {1, 1, 1024}, {0}, {0}, FROM_ZERO},
    {"partial x", {4, 1, 1}, {64, 1, 1}, {7, 0, 0}, {0}, FROM_ZERO | W32 | PARTIAL_TG_EN},
    {"partial x, y, z", {3, 4, 2}, {16, 4, 4}, {5, 3, 1}, {0}, FROM_ZERO | W32 | PARTIAL_TG_EN},
    {"partial is the only group",
     {1, 1, 1},
     {64, 2, 1},
     {32, 1, 1},
     {0},
     FROM_ZERO | PARTIAL_TG_EN},
    {"partial ignored", {3, 1, 1}, {64, 1, 1}, {7, 0, 0}, {0}, FROM_ZERO | W32},
    {"as vkCmdCopyQueryPoolResults",
     {1, 1, 1},
     {64, 1, 1},
     {2, 1, 1},
     {0},
     FROM_ZERO | PARTIAL_TG_EN},
    {"thread dimensions", {1000, 3, 1}, {256, 2, 1}, {0}, {0}, FROM_ZERO | W32 | THREAD_DIMENSIONS},
    {"thread dimensions that divide",
     {1024, 1, 1},
     {256, 1, 1},
     {0},
     {0},
     FROM_ZERO | THREAD_DIMENSIONS},
    {"from START to DIM", {9, 5, 2}, {8, 8, 1}, {0}, {4, 3, 1}, W32},
    {"START with FORCE_START_AT_000", {3, 3, 1}, {8, 8, 1}, {0}, {2, 2, 0}, FROM_ZERO | W32},
    {"no groups", {0, 1, 1}, {64, 1, 1}, {0}, {0}, FROM_ZERO | W32},
    {"START at DIM", {4, 1, 1}, {64, 1, 1}, {0}, {4, 0, 0}, W32},
};

static void test_grids(void)
{
    for (size_t i = 0; i < TEST_ROWS(grids); i++) {
        for (uint64_t seed = 0; seed < 2; seed++) {
            struct lull_gpu_done done = {0};
            const bool ended = run_grid(&grids[i], seed, 1, &done);
            const uint32_t total = seen.items[0] * seen.items[1] * seen.items[2];
            uint32_t wrong = 0;
            for (uint32_t k = 0; k < total; k++) {
                wrong += seen.hits[k] != 1;
            }
            test_case(ended && done.result == LULL_JOB_DONE && done.cookie == 7 && wrong == 0 &&
                          seen.bad == 0 && seen.in_flight == 0,
                      grids[i].name,
                      "seed %" PRIu64 ": ended %d, result %d '%s', %u of %u items wrong, %u bad",
                      seed, ended, done.result, done.message, wrong, total, seen.bad);
        }
    }
}

static const struct {
    struct grid grid;
    const char *message;
} refused[] = {
    {{"block of 0", {1, 1, 1}, {0, 1, 1}, {0}, {0}, FROM_ZERO}, "NUM_THREAD_X: 0 full"},
    {{"block of 1025", {1, 1, 1}, {1025, 1, 1}, {0}, {0}, FROM_ZERO}, "NUM_THREAD_X: 1025 full"},
    {{"block of 2048", {1, 1, 1}, {64, 32, 1}, {0}, {0}, FROM_ZERO}, "workgroup of 64 x 32 x 1"},
    {{"block whose product wraps", {1, 1, 1}, {1024, 1024, 1024}, {0}, {0}, FROM_ZERO},
     "workgroup of 1024 x 1024"},
    {{"partial beyond full", {1, 1, 1}, {64, 1, 1}, {65, 0, 0}, {0}, FROM_ZERO | PARTIAL_TG_EN},
     "65 partial"},
};

static void test_refused(void)
{
    for (size_t i = 0; i < TEST_ROWS(refused); i++) {
        struct lull_gpu_done done = {0};
        const bool ended = run_grid(&refused[i].grid, 0, 1, &done);
        test_case(ended && done.result == LULL_JOB_BAD_PACKET &&
                      strstr(done.message, refused[i].message) != NULL &&
                      strstr(done.message, "DISPATCH_DIRECT at dword") != NULL && seen.waves == 0,
                  refused[i].grid.name, "ended %d, result %d '%s', want '%s'", ended, done.result,
                  done.message, refused[i].message);
    }
}

/** The same seed gives the same history, another one another; the results are the same. */
static void test_seeds(void)
{
    const struct grid grid = {"", {200, 1, 1}, {128, 1, 1}, {0}, {0}, FROM_ZERO | W32};
    uint64_t history[4] = {0};
    const uint64_t seeds[4] = {0, 0, 5, 6};
    bool complete = true;
    for (unsigned i = 0; i < 4; i++) {
        struct lull_gpu_done done = {0};
        complete &= run_grid(&grid, seeds[i], 900, &done) && seen.bad == 0 && seen.waves == 800;
        history[i] = seen.history;
    }
    test_case(complete, "all seeds run all waves", "%u waves, %u bad", seen.waves, seen.bad);
    test_case(history[0] == history[1], "same seed, same history", "%" PRIx64 " %" PRIx64,
              history[0], history[1]);
    test_case(history[2] != history[3] && history[2] != history[0], "other seed, other history",
              "%" PRIx64 " %" PRIx64, history[2], history[3]);
    struct lull_gpu_done done = {0};
    complete = run_grid(&grid, 5, 900, &done);
    test_case(complete && seen.history == history[2], "seed 5 again", "%" PRIx64 " %" PRIx64,
              seen.history, history[2]);
    test_case(seen.max_in_flight >= 8 && seen.max_in_flight <= 3072, "several waves in flight",
              "%u", seen.max_in_flight);
}

int main(void)
{
    test_grids();
    test_refused();
    test_seeds();
    return test_end();
}
