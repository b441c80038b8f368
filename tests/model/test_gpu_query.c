// SPDX-License-Identifier: MIT
// What packets tell of counters: their order in memory, what is left out while they are stopped.
#include "gpu_fixture.h"
#include "model/amd/gfx/gfx.h"
#include "model/amd/gpu/gpu_spi.h"
#include "test.h"

#include <inttypes.h>

enum { AT = 0x2000, NSTATS = 13 /* the 14th is a compute ring's */ };

/** An event that writes to @p at. */
static void sample(struct fixture *f, uint32_t control, uint32_t at)
{
    lull_pm4_packet3(&f->b, 0x46, 3);
    lull_pm4_emit(&f->b, control);
    lull_pm4_emit64(&f->b, FIXTURE_VA + at);
}

static void event(struct fixture *f, uint32_t control)
{
    lull_pm4_packet3(&f->b, 0x46, 1);
    lull_pm4_emit(&f->b, control);
}

static void run(struct fixture *f, enum lull_ring ring)
{
    struct lull_gpu_done done = {0};
    fixture_submit(f, ring, 1);
    const bool ended = fixture_run(f, 100000, &done);
    test_case(ended && done.result == LULL_JOB_DONE, "job", "%d %s", ended, done.message);
}

enum { STATS_START = 0x19, STATS_STOP = 0x1a, STATS = 0x21e, ZPASS = 0x139 };

/** Number of the counter for each bit of VkQueryPipelineStatisticFlagBits. Source: Mesa 25.0.7
 * radv_query.c, pipeline_statistics_indices; the last by its query of mesh primitives. */
static void test_order(void)
{
    static const struct {
        const char *name;
        size_t counter;
        unsigned index;
    } rows[] = {
        {"IA vertices", offsetof(struct lull_gfx_counters, ia_vertices), 7},
        {"IA primitives", offsetof(struct lull_gfx_counters, ia_primitives), 6},
        {"VS invocations", offsetof(struct lull_gfx_counters, vs_invocations), 3},
        {"GS invocations", offsetof(struct lull_gfx_counters, gs_invocations), 4},
        {"GS primitives", offsetof(struct lull_gfx_counters, gs_primitives), 5},
        {"clipping invocations", offsetof(struct lull_gfx_counters, clip_invocations), 2},
        {"clipping primitives", offsetof(struct lull_gfx_counters, clip_primitives), 1},
        {"PS invocations", offsetof(struct lull_gfx_counters, ps_invocations), 0},
        {"HS patches", offsetof(struct lull_gfx_counters, hs_invocations), 8},
        {"DS invocations", offsetof(struct lull_gfx_counters, ds_invocations), 9},
        {"mesh invocations", offsetof(struct lull_gfx_counters, ms_invocations), 11},
        {"mesh primitives", offsetof(struct lull_gfx_counters, ms_primitives), 12},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture f = fixture_new(0, 1, 1, 1);
        uint64_t sum = 0;
        const uint64_t want = UINT64_C(0x123456789);
        memcpy((char *)&f.g->counters + rows[i].counter, &want, sizeof want);
        fixture_put32(&f, AT + 8 * NSTATS, 0x77);
        sample(&f, STATS, AT);
        run(&f, LULL_RING_GFX);
        for (uint32_t k = 0; k < NSTATS; k++) {
            sum += fixture_u64(&f, AT + 8 * k);
        }
        const uint64_t got = fixture_u64(&f, AT + 8 * rows[i].index);
        test_case(got == want && sum == want && fixture_u32(&f, AT + 8 * NSTATS) == 0x77,
                  rows[i].name, "0x%" PRIx64 ", all together 0x%" PRIx64, got, sum);
        fixture_free(&f);
    }
}

/** Counted 100 while started, 10 while stopped, 1000 started again, 5 stopped. */
static void test_gate(void)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    static const struct {
        uint64_t add;
        uint32_t event; // before it is sampled; 0: none
        uint64_t want;
    } steps[] = {
        {100, 0, 100},          {0, STATS_STOP, 100},  {10, 0, 100},
        {10, STATS_STOP, 100},  {0, STATS_START, 100}, {1000, 0, 1100},
        {0, STATS_START, 1100}, {1, STATS_STOP, 1101}, {5, STATS_START, 1101},
        {2, STATS_START, 1103},
    };
    for (uint32_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        f.g->counters.ps_invocations += steps[i].add;
        if (steps[i].event != 0) {
            event(&f, steps[i].event);
        }
        sample(&f, STATS, AT);
        run(&f, LULL_RING_GFX);
        test_case(fixture_u64(&f, AT) == steps[i].want, "stopped counters", "step %u: %" PRIu64, i,
                  fixture_u64(&f, AT));
    }
    f.g->counters.ps_invocations += 1;
    event(&f, STATS_STOP); // of another ring: not these
    run(&f, LULL_RING_COMPUTE0);
    f.g->counters.ps_invocations += 1;
    sample(&f, STATS, AT);
    run(&f, LULL_RING_GFX);
    test_case(fixture_u64(&f, AT) == 1105, "a compute ring does not stop them", "%" PRIu64,
              fixture_u64(&f, AT));
    fixture_free(&f);
}

/** 24 render backends, 16 bytes apart; bit 63: valid. The sum of all is what a driver sees. */
static void test_zpass(void)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    for (unsigned way = 0; way < 2; way++) {
        uint64_t sum = 0;
        f.g->counters.samples_passed = UINT64_C(0x200000007) + way;
        if (way == 0) {
            sample(&f, ZPASS, AT);
        } else {
            lull_pm4_packet3(&f.b, 0xb1, 2); // EVENT_WRITE_ZPASS
            lull_pm4_emit64(&f.b, FIXTURE_VA + AT);
        }
        run(&f, LULL_RING_GFX);
        unsigned valid = 0;
        for (uint32_t i = 0; i < 24; i++) {
            valid += (fixture_u64(&f, AT + 16 * i) >> 63) != 0;
            sum += fixture_u64(&f, AT + 16 * i) & ~(UINT64_C(1) << 63);
        }
        test_case(sum == UINT64_C(0x200000007) + way && valid == 24,
                  way == 0 ? "PIXEL_PIPE_STAT_DUMP" : "EVENT_WRITE_ZPASS", "0x%" PRIx64 " in %u",
                  sum, valid);
    }
    fixture_free(&f);
}

enum { GDS_BASE = 64, GDS_SIZE = 256 };

/** Steps in one command buffer, then what stands where. GDS begins as 0. */
static void test_gds(void)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    const uint32_t lo = (uint32_t)FIXTURE_VA + AT, hi = (uint32_t)(FIXTURE_VA >> 32);
    const struct {
        uint32_t n, dwords[7];
    } steps[] = {
        {5, {0xc0033700, 3 << 8, 8, 0, 0x1111}},                   // WRITE_DATA: GDS 8
        {6, {0xc0044000, 5 | 3 << 8, 0x2222, 0, 12, 0}},           // COPY_DATA immediate: GDS 12
        {7, {0xc0055000, 2 << 29 | 1 << 20, 0x3333, 0, 16, 0, 8}}, // DMA_DATA fills 16, 20
        {7, {0xc0055000, 1 << 20, lo + 0x40, hi, 252, 0, 4}},      // memory: GDS 252, the last
        {7, {0xc0055000, 1 << 29 | 1 << 20, 8, 0, 24, 0, 8}},      // GDS 8, 12: GDS 24, 28
        {6, {0xc0044000, 3 | 5 << 8 | 1 << 16, 8, 0, lo, hi}},     // COPY_DATA of GDS 8, 12
        {7, {0xc0055000, 1 << 29, 16, 0, lo + 8, hi, 16}},         // DMA_DATA of GDS 16 to 31
    };
    static const uint32_t want[] = {0x1111, 0x2222, 0x3333, 0x3333, 0x1111, 0x2222, 0, 0, 0x4444};
    const struct lull_bank bank = {0};
    lull_gpu_write_reg(f.g, bank, 0xcc00 + 8 * FIXTURE_VMID, GDS_BASE);
    lull_gpu_write_reg(f.g, bank, 0xcc04 + 8 * FIXTURE_VMID, GDS_SIZE);
    fixture_put32(&f, AT + 0x40, 0x4444);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        for (uint32_t k = 0; k < steps[i].n; k++) {
            lull_pm4_emit(&f.b, steps[i].dwords[k]);
        }
    }
    const uint32_t release[] = {0xc0064900, 0x2f | 5 << 8, 5u << 29, lo + 0x20, hi, 63 | 1 << 16, 0,
                                0}; // of dword 63: Mesa's EOP_DATA_GDS(63, 1)
    for (size_t i = 0; i < sizeof release / sizeof release[0]; i++) {
        lull_pm4_emit(&f.b, release[i]);
    }
    run(&f, LULL_RING_GFX);
    for (uint32_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        test_case(fixture_u32(&f, AT + 4 * i) == want[i], "GDS", "dword %u: 0x%x, want 0x%x", i,
                  fixture_u32(&f, AT + 4 * i), want[i]);
    }
    uint32_t first = 0;
    memcpy(&first, f.g->gds + GDS_BASE + 8, sizeof first);
    test_case(first == 0x1111, "by the base of the VMID", "0x%x", first);
    fixture_free(&f);
}

/** Packets that reach beyond the job's 256 bytes. */
static void test_gds_bounds(void)
{
    static const struct {
        const char *name;
        uint32_t n, dwords[8];
    } rows[] = {
        {"WRITE_DATA", 5, {0xc0033700, 3 << 8, 256, 0, 1}},
        {"WRITE_DATA of two", 6, {0xc0043700, 3 << 8, 252, 0, 1, 1}},
        {"WRITE_DATA, address of 64 bits", 5, {0xc0033700, 3 << 8, 0, 1, 1}},
        {"COPY_DATA", 6, {0xc0044000, 3 | 3 << 8 | 1 << 16, 252, 0, 0, 0}},
        {"COPY_DATA to", 6, {0xc0044000, 5 | 3 << 8, 0, 0, 256, 0}},
        {"DMA_DATA", 7, {0xc0055000, 2 << 29 | 1 << 20, 0, 0, 252, 0, 8}},
        {"RELEASE_MEM", 8, {0xc0064900, 0x52f, 5u << 29, 0, 0, 63 | 2 << 16, 0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture f = fixture_new(0, 1, 1, 1);
        struct lull_gpu_done done = {0};
        lull_gpu_write_reg(f.g, (struct lull_bank){0}, 0xcc04 + 8 * FIXTURE_VMID, GDS_SIZE);
        for (uint32_t k = 0; k < rows[i].n; k++) {
            lull_pm4_emit(&f.b, rows[i].dwords[k]);
        }
        fixture_submit(&f, LULL_RING_GFX, 1);
        const bool ended = fixture_run(&f, 1000, &done);
        test_case(ended && done.result == LULL_JOB_BAD_PACKET &&
                      strstr(done.message, "the job has 256") != NULL,
                  rows[i].name, "%d %d '%s'", ended, (int)done.result, done.message);
        fixture_free(&f);
    }
}

/** The id that ds_ordered_count goes by: s2 11:0 of merged waves, if NGG_WAVE_ID_EN (bit 24). */
static void test_ordered_id(void)
{
    static const struct {
        uint32_t stages, ordered, want;
    } rows[] = {
        {0x03002000, 0, 0}, {0x03002000, 5, 5}, {0x03002000, 0x1007, 7}, {0x02002000, 5, 0}};
    static uint32_t vgpr[16 * 64];
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture f = fixture_new(0, 1, 1, 1);
        struct lull_wave w = {.vgpr = vgpr, .lanes = 64, .nvgprs = 16};
        struct lull_gpu_group group = {.wg = {.nwaves = 1}};
        f.g->gfx = calloc(1, sizeof *f.g->gfx);
        if (f.g->gfx == NULL) {
            abort();
        }
        f.g->gfx_bytes = sizeof *f.g->gfx;
        f.g->gfx->ordered = rows[i].ordered;
        f.g->gfx->sub.nvertices = 3;
        f.g->gfx->sub.nprims = 1;
        lull_gpu_write_reg(f.g, (struct lull_bank){0}, 0x28b54, rows[i].stages);
        lull_work_geometry.start(f.g, &group, 0, (const uint32_t[3]){64, 1, 1}, &w);
        test_case(w.sgpr[2] == (rows[i].want | 3 << 12 | 1 << 22), "ordered id",
                  "row %u: s2 is 0x%x", i, w.sgpr[2]);
        fixture_free(&f);
    }
}

int main(void)
{
    test_ordered_id();
    test_gds();
    test_gds_bounds();
    test_order();
    test_gate();
    test_zpass();
    return test_end();
}
