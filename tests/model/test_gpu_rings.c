// SPDX-License-Identifier: MIT
// Rings together, and what a ring keeps: which CUs it may use, counters, what counts as progress.
//
// The engine is replaced by one that does what the first user SGPR says.
#include "gpu_fixture.h"
#include "test.h"

#include <inttypes.h>

enum {
    SHADER_EN_W32 = 0x8001,
    CODE = 0x100,
    FLAG = 0x1000, ///< Offsets in the mapping.
    COUNTERS = 0x2000,
    EMPTY = 0, ///< What waves do: end at once,
    SPIN = 1,  ///< wait for FLAG,
    SET = 2,   ///< set FLAG.
    FOREVER = 3,
};

static struct {
    struct fixture *f;
    unsigned waves, wrong;
    uint32_t want_mask, want; ///< Of HW_ID1.
} seen;

static uint32_t engine(struct lull_wave *w, uint32_t budget)
{
    if (w->ninsns == 0) {
        seen.waves++;
        seen.wrong += (w->hw_id1 & seen.want_mask) != seen.want;
    }
    const uint32_t what = w->sgpr[0];
    if (what == SET) {
        fixture_put32(seen.f, FLAG, 1);
    }
    const bool end =
        what == EMPTY || what == SET || (what == SPIN && fixture_u32(seen.f, FLAG) != 0);
    const uint32_t n = end ? 1 : budget;
    w->ninsns += n;
    w->state = end ? LULL_WAVE_ENDED : w->state;
    return n;
}

static struct fixture start(unsigned se, unsigned sa, unsigned wgp)
{
    return fixture_new(0, se, sa, wgp);
}

static void watch(struct fixture *f)
{
    memset(&seen, 0, sizeof seen);
    seen.f = f;
    lull_gpu_set_engine(f->g, engine);
}

static void dispatch(struct fixture *f, uint32_t what, uint32_t groups, uint32_t items)
{
    const uint64_t pgm = (FIXTURE_VA + CODE) >> 8;
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_PGM_LO, (uint32_t)pgm);
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_PGM_HI, (uint32_t)(pgm >> 32));
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_PGM_RSRC1, 0);
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_PGM_RSRC2, 1 << 1);
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_USER_DATA_0, what);
    for (unsigned i = 0; i < 3; i++) {
        lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_START_X + 4 * i, 0);
        lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_NUM_THREAD_X + 4 * i, i == 0 ? items : 1);
    }
    lull_pm4_dispatch(&f->b, groups, 1, 1, SHADER_EN_W32);
}

// COMPUTE_STATIC_THREAD_MGMT_SE0 and SE1: 0xb858, 0xb85c; SA0_CU_EN 15:0, SA1_CU_EN 31:16.
static void test_cus(void)
{
    static const struct {
        const char *name;
        uint32_t se0, se1, want_mask, want; ///< HW_ID1: SIMD 9:8, WGP 13:10, SA 16, SE 20:18
        unsigned waves;
    } rows[] = {
        {"all CUs", UINT32_MAX, UINT32_MAX, 0, 0, 64},
        {"one SE", 0, UINT32_MAX, 7 << 18, 1 << 18, 64},
        {"one SA", 0xffff0000, 0, 7 << 18 | 1 << 16, 1 << 16, 64},
        {"the second CU of a WGP", 0, 2, 7 << 18 | 1 << 16 | 15 << 10 | 2 << 8, 1 << 18 | 2 << 8,
         64},
        {"the third CU", 4, 0, 7 << 18 | 1 << 16 | 15 << 10 | 2 << 8, 1 << 10, 64},
        {"none", 0, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct fixture f = start(2, 2, 2);
        struct lull_gpu_done done = {0};
        watch(&f);
        seen.want_mask = rows[i].want_mask;
        seen.want = rows[i].want;
        lull_pm4_set_sh1(&f.b, 0xb858, rows[i].se0);
        lull_pm4_set_sh1(&f.b, 0xb85c, rows[i].se1);
        dispatch(&f, EMPTY, 64, 32);
        fixture_submit(&f, LULL_RING_COMPUTE0, i);
        const bool ended = fixture_run(&f, 100000, &done);
        test_case(ended == (rows[i].waves != 0) && seen.waves == rows[i].waves && seen.wrong == 0,
                  rows[i].name, "ended %d, %u waves, %u of them elsewhere", ended, seen.waves,
                  seen.wrong);
        fixture_free(&f);
    }
}

static void test_counters(void)
{
    struct fixture f = start(1, 1, 2);
    struct lull_gpu_done done = {0};
    watch(&f);
    for (unsigned ring = 0; ring < 2; ring++) {
        dispatch(&f, EMPTY, 5, 48);      // 240 work-items
        lull_pm4_packet3(&f.b, 0x46, 3); // EVENT_WRITE SAMPLE_PIPELINESTAT, index 2
        lull_pm4_emit(&f.b, 0x21e);
        lull_pm4_emit64(&f.b, FIXTURE_VA + COUNTERS + 0x100 * ring);
        fixture_put32(&f, COUNTERS + 0x70, 0x77);
        fixture_submit(&f, ring == 0 ? LULL_RING_GFX : LULL_RING_COMPUTE0, ring);
        fixture_run(&f, 100000, &done);
    }
    test_case(fixture_u64(&f, COUNTERS + 80) == 240 && fixture_u64(&f, COUNTERS) == 0 &&
                  fixture_u32(&f, COUNTERS + 0x70) == 0x77,
              "gfx ring: the 11th of 14 counters counts work-items", "%" PRIu64,
              fixture_u64(&f, COUNTERS + 80));
    test_case(fixture_u64(&f, COUNTERS + 0x100) == 240, "compute ring: the only one does",
              "%" PRIu64, fixture_u64(&f, COUNTERS + 0x100));
    fixture_free(&f);
}

// More groups than fit spin until a wave of another ring comes: it must get its place.
static void test_overlap(void)
{
    struct fixture f = start(1, 1, 8);
    struct lull_gpu_done done = {0};
    unsigned ended = 0;
    watch(&f);
    dispatch(&f, SPIN, 200, 32);
    fixture_submit(&f, LULL_RING_GFX, 1);
    fixture_run(&f, 10000, &done);
    f.b = lull_pm4_builder_of((uint32_t *)(void *)fixture_mem(&f, FIXTURE_IB + 0x1000), 256);
    dispatch(&f, SET, 1, 32);
    const struct lull_gpu_job job = {
        .vmid = FIXTURE_VMID,
        .cookie = 2,
        .nibs = 1,
        .ib = {{.va = FIXTURE_VA + FIXTURE_IB + 0x1000, .ndwords = (uint32_t)f.b.ndwords}},
    };
    struct lull_error *err = lull_gpu_submit(f.g, LULL_RING_COMPUTE0 + 1, &job);
    for (unsigned i = 0; err == NULL && i < 2; i++) {
        ended += fixture_run(&f, 50000000, &done) && done.result == LULL_JOB_DONE;
    }
    test_case(ended == 2 && seen.waves == 201, "waves that wait for another ring's",
              "%u jobs ended, %u waves", ended, seen.waves);
    lull_error_free(err);
    fixture_free(&f);
}

static void test_cross_wait(void)
{
    struct fixture f = start(1, 1, 1);
    struct lull_gpu_done done = {0};
    watch(&f);
    lull_pm4_wait_mem_equal(&f.b, FIXTURE_VA + FLAG + 64, 9, UINT32_MAX);
    fixture_submit(&f, LULL_RING_COMPUTE0, 1);
    const bool early = fixture_run(&f, 1000, &done);
    f.b = lull_pm4_builder_of((uint32_t *)(void *)fixture_mem(&f, FIXTURE_IB + 0x1000), 256);
    dispatch(&f, EMPTY, 4, 32);
    lull_pm4_release(&f.b, FIXTURE_VA + FLAG + 64, 9);
    const struct lull_gpu_job job = {
        .vmid = FIXTURE_VMID,
        .cookie = 2,
        .nibs = 1,
        .ib = {{.va = FIXTURE_VA + FIXTURE_IB + 0x1000, .ndwords = (uint32_t)f.b.ndwords}},
    };
    struct lull_error *err = lull_gpu_submit(f.g, LULL_RING_GFX, &job);
    const bool a = fixture_run(&f, 100000, &done) && done.cookie == 2;
    const bool b = fixture_run(&f, 100000, &done) && done.cookie == 1;
    test_case(err == NULL && !early && a && b && seen.waves == 4,
              "WAIT_REG_MEM for another ring's RELEASE_MEM", "early %d, %d, %d", early, a, b);
    lull_error_free(err);
    fixture_free(&f);
}

static void test_progress(void)
{
    struct fixture f = start(1, 1, 1);
    struct lull_gpu_done done = {0};
    watch(&f);
    dispatch(&f, FOREVER, 1, 32);
    lull_pm4_wait_waves(&f.b);
    fixture_submit(&f, LULL_RING_COMPUTE0, 1);
    fixture_run(&f, 10000, &done);
    const uint64_t before = lull_gpu_progress(f.g, LULL_RING_COMPUTE0);
    fixture_run(&f, 100000, &done);
    test_case(before != 0 && lull_gpu_progress(f.g, LULL_RING_COMPUTE0) == before,
              "a loop makes no progress", "%" PRIu64 " then %" PRIu64, before,
              lull_gpu_progress(f.g, LULL_RING_COMPUTE0));
    lull_gpu_reset_ring(f.g, LULL_RING_COMPUTE0);
    lull_gpu_next_done(f.g, &done);
    dispatch(&f, EMPTY, 1, 32); // and a jump to itself
    lull_pm4_indirect(&f.b, FIXTURE_VA + FIXTURE_IB, (uint32_t)f.b.ndwords + 4, true);
    fixture_submit(&f, LULL_RING_COMPUTE0, 2);
    const bool ended = fixture_run(&f, 3000000, &done);
    const uint64_t then = lull_gpu_progress(f.g, LULL_RING_COMPUTE0);
    fixture_run(&f, 100000, &done);
    test_case(!ended && lull_gpu_progress(f.g, LULL_RING_COMPUTE0) == then,
              "nor does a command buffer that jumps to itself, in the end", "%" PRIu64, then);
    fixture_free(&f);
}

int main(void)
{
    test_cus();
    test_counters();
    test_overlap();
    test_cross_wait();
    test_progress();
    return test_end();
}
