// SPDX-License-Identifier: MIT
// The order in which waves run is that of the seed: however the cycles are given out, whoever
// looks, whatever trap handlers do and however long a dispatch is held. The program is one in which
// order decides what is stored; what it stores undisturbed is compared with what it stores else.
//
// The words are what llvm-mc 19 -mcpu=gfx1100 makes of the assembly beside them.
#include "gpu_fixture.h"
#include "test.h"

#include <inttypes.h>

enum {
    CODE = 0x10000, // offsets in the mapping
    HANDLER = 0x11000,
    OUT = 0x20000, // ticket, racy sum, flag for standing waves, ...
    RESULT = 64,   // from there: a sum for each work-item
    GROUPS = 12,
    ITEMS = 128,
    OUT_BYTES = RESULT + 4 * GROUPS * ITEMS,
    IB_BYTES = 0x400,
    W32 = 0x8005,            // enable, from zero, wave32
    RSRC2 = 2 << 1 | 1 << 7, // two user SGPRs, workgroup id x
    SINGLE_STEP = 3 << 1,    // SPI_GDBG_PER_VMID_CNTL.LAUNCH_MODE
    CMD_TRAP = 5,            // SQ_CMD
    BROADCAST = 1 << 4,
    LIMIT = 50000000,
};

#define ALL (7u << 29) // GRBM_GFX_INDEX: all broadcast bits

// clang-format off
static const uint32_t order[] = {
    0x84038702,             // s_lshl_b32 s3, s2, 7
    0x4a020003,             // v_add_nc_u32 v1, s3, v0
    0x7e040280,             // v_mov_b32 v2, 0
    0x7e060205,             // v_mov_b32 v3, s5
    0x7e0a0281,             // v_mov_b32 v5, 1
    0xbe840080,             // s_mov_b32 s4, 0
    0xdc520004, 0x04000002, // global_load_b32 v4, v2, s[0:1] offset:4
    0xbf8903f7,             // s_waitcnt vmcnt(0)
    0xd6460004, 0x04050304, // v_lshl_add_u32 v4, v4, 1, v1
    0xdc6a0004, 0x00000402, // global_store_b32 v2, v4, s[0:1] offset:4
    0xdcd64000, 0x06000502, // global_atomic_add_u32 v6, v2, v5, s[0:1] glc
    0xbf8903f7,             // s_waitcnt vmcnt(0)
    0x1606069f,             // v_mul_u32_u24 v3, 31, v3
    0xd6550003, 0x041a0903, // v_add3_u32 v3, v3, v4, v6
    0x80048104,             // s_add_u32 s4, s4, 1
    0xbf0d8204,             // s_bitcmp1_b32 s4, 2
    0xbfa10001,             // s_cbranch_scc0 awake
    0xbf830001,             // s_sleep 1
    0xbf078804,             // s_cmp_lg_u32 s4, 8
    0xbfa20001,             // s_cbranch_scc1 on
    0xbfbd0000,             // s_barrier
    0xbf079004,             // s_cmp_lg_u32 s4, 16
    0xbfa2ffea,             // s_cbranch_scc1 loop
    0x30020282,             // v_lshlrev_b32 v1, 2, v1
    0xdcd60040, 0x00000301, // global_atomic_add_u32 v1, v3, s[0:1] offset:64
    0xbfb00000,             // s_endpgm
};
static const uint32_t busy[] = {
    0xb8f0f802,             // s_getreg_b32 ttmp4, hwreg(HW_REG_STATUS)
    0x936eff6c, 0x00030002, // s_bfe_u32 ttmp2, ttmp0, 0x30002
    0x80ee816e,             // s_sub_u32 ttmp2, ttmp2, 1
    0xbfa1fffe,             // s_cbranch_scc0 again
    0xbf0d8070,             // s_bitcmp1_b32 ttmp4, 0
    0xbe804a6c,             // s_rfe_b64 ttmp[0:1]
};
static const uint32_t waiting[] = {
    0xb8f0f802,             // s_getreg_b32 ttmp4, hwreg(HW_REG_STATUS)
    0xbf830003,             // s_sleep 3
    0xbf800000,             // s_nop 0
    0xbf830001,             // s_sleep 1
    0xbf0d8070,             // s_bitcmp1_b32 ttmp4, 0
    0xbe804a6c,             // s_rfe_b64 ttmp[0:1]
};
static const uint32_t standing[] = {
    0xb8f0f802,             // s_getreg_b32 ttmp4, hwreg(HW_REG_STATUS)
    0xb8ee0a17,             // s_getreg_b32 ttmp2, hwreg(HW_REG_HW_ID1, 8, 2): SIMD
    0xbf07806e,             // s_cmp_lg_u32 ttmp2, 0
    0xbfa20001,             // s_cbranch_scc1 look
    0xbf820001,             // s_sethalt 1
    0xbf83000a,             // s_sleep 10
    0xf4005b80, 0xf8000008, // s_load_b32 ttmp2, s[0:1], 0x8 glc
    0xbf89fc07,             // s_waitcnt lgkmcnt(0)
    0xbf06806e,             // s_cmp_eq_u32 ttmp2, 0
    0xbfa2fffa,             // s_cbranch_scc1 look
    0xbf820000,             // s_sethalt 0
    0xbf0d8070,             // s_bitcmp1_b32 ttmp4, 0
    0xbe804a6c,             // s_rfe_b64 ttmp[0:1]
};
// clang-format on

/** A way to disturb. */
struct row {
    const char *name;
    uint64_t slice, slice_mask; ///< Cycles of a run; a random number of these bits is added.
    const uint32_t *handler;
    size_t handler_bytes;
    bool step;      ///< Trap after each instruction; else only if traps is set.
    uint32_t traps; ///< SQ_CMD TRAP to all waves every so many runs; 0: never.
    uint32_t holds; ///< Every dispatch is held for so many runs.
    bool observed;
};

static const struct row rows[] = {
    {.name = "one cycle at a time", .slice = 1},
    {.name = "seven cycles at a time", .slice = 7},
    {.name = "random slices", .slice = 1, .slice_mask = 1023},
    {.name = "a handler after each instruction",
     .slice = LIMIT,
     .handler = busy,
     .handler_bytes = sizeof busy,
     .step = true},
    {.name = "a handler that waits after each instruction",
     .slice = 1,
     .slice_mask = 511,
     .handler = waiting,
     .handler_bytes = sizeof waiting,
     .step = true},
    {.name = "the host interrupts all waves",
     .slice = 1,
     .slice_mask = 255,
     .handler = waiting,
     .handler_bytes = sizeof waiting,
     .traps = 40},
    {.name = "dispatches are held", .slice = 100, .holds = 50},
    {.name = "dispatches are held while handlers wait",
     .slice = 1,
     .slice_mask = 255,
     .handler = waiting,
     .handler_bytes = sizeof waiting,
     .step = true,
     .holds = 50},
    {.name = "an observer", .slice = LIMIT, .observed = true},
};

struct held {
    uint32_t runs, left;
};

static bool on_launch(void *ctx, const struct lull_gpu_launch *l, bool again, uint64_t *id)
{
    struct held *h = ctx;
    (void)l;
    *id = 0;
    h->left = again ? h->left - (h->left > 0) : h->runs;
    return h->left == 0;
}

static void on_ended(void *ctx, uint64_t id, uint64_t groups, bool killed)
{
    (void)ctx;
    (void)id;
    (void)groups;
    (void)killed;
}

static void see(struct lull_observer *o, const struct lull_wave *w, const struct lull_rdna_insn *in)
{
    (void)o;
    (void)w;
    (void)in;
}

/** Job number @p n: @p dispatches of the program, which nothing orders, on @p ring. */
static void submit(struct fixture *f, enum lull_ring ring, uint32_t n, unsigned dispatches,
                   uint32_t groups)
{
    const uint64_t pgm = (FIXTURE_VA + CODE) >> 8;
    const uint32_t at = FIXTURE_IB + n * IB_BYTES;
    const uint32_t user[2] = {(uint32_t)(FIXTURE_VA + OUT), (uint32_t)(FIXTURE_VA >> 32)};
    struct lull_pm4_builder b =
        lull_pm4_builder_of((uint32_t *)(void *)fixture_mem(f, at), IB_BYTES / 4);
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_PGM_LO, (uint32_t)pgm);
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_PGM_HI, (uint32_t)(pgm >> 32));
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_PGM_RSRC1, 1u << 29 | 1u << 30);
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_PGM_RSRC2, RSRC2);
    lull_pm4_set_sh(&b, LULL_GC11_COMPUTE_USER_DATA_0, user, 2);
    for (unsigned i = 0; i < 3; i++) {
        lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_NUM_THREAD_X + 4 * i, i == 0 ? ITEMS : 1);
    }
    for (unsigned i = 0; i < dispatches; i++) {
        lull_pm4_dispatch(&b, groups, 1, 1, W32);
    }
    const struct lull_gpu_job job = {
        .vmid = FIXTURE_VMID,
        .cookie = n,
        .stream = n + 1,
        .nibs = 1,
        .ib = {{.va = FIXTURE_VA + at, .ndwords = (uint32_t)b.ndwords}}};
    struct lull_error *err = lull_gpu_submit(f->g, ring, &job);
    if (err != NULL || b.overflow) {
        abort();
    }
}

static void install(struct fixture *f, const struct row *r)
{
    const struct lull_bank bank = {.srbm = FIXTURE_VMID << 4};
    const uint64_t tba = (FIXTURE_VA + HANDLER) >> 8;
    memcpy(fixture_mem(f, CODE), order, sizeof order);
    if (r->handler != NULL) {
        memcpy(fixture_mem(f, HANDLER), r->handler, r->handler_bytes);
        lull_gpu_write_reg(f->g, bank, LULL_GC11_SQ_SHADER_TBA_LO, (uint32_t)tba);
        lull_gpu_write_reg(f->g, bank, LULL_GC11_SQ_SHADER_TBA_HI,
                           (uint32_t)(tba >> 32) | 1u << 31);
        lull_gpu_write_reg(f->g, bank, LULL_GC11_SPI_GDBG_PER_VMID_CNTL, r->step ? SINGLE_STEP : 0);
    }
}

/** What the program leaves in @p ret. False: it does not end. */
static bool run(uint64_t seed, uint32_t groups, const struct row *r, uint8_t ret[OUT_BYTES])
{
    struct fixture f = fixture_new(seed, 2, 1, 2);
    struct held held = {.runs = r->holds};
    struct lull_observer observer = {.before = see};
    struct lull_gpu_done done = {0};
    uint64_t random = 88172645463325252;
    unsigned ended = 0;
    install(&f, r);
    lull_gpu_watch(f.g, &(const struct lull_gpu_watcher){&held, on_launch, on_ended});
    if (r->observed) {
        lull_gpu_observe(f.g, &observer);
    }
    submit(&f, LULL_RING_COMPUTE0, 0, 2, groups);
    submit(&f, LULL_RING_GFX, 1, groups > 1 ? 2 : 0, groups);
    submit(&f, LULL_RING_COMPUTE0, 2, groups > 1 ? 1 : 0, groups); // behind the first
    for (uint64_t i = 0; ended < 3 && i < LIMIT; i++) {
        random ^= random << 13; // Marsaglia, "Xorshift RNGs", 2003
        random ^= random >> 7;
        random ^= random << 17;
        (void)lull_gpu_run(f.g, r->slice + (random & r->slice_mask));
        ended += lull_gpu_next_done(f.g, &done) && done.result == LULL_JOB_DONE;
        if (r->traps != 0 && i % r->traps == 0) {
            lull_gpu_write_reg(f.g, (struct lull_bank){.grbm = ALL}, LULL_GC11_SQ_CMD,
                               CMD_TRAP | BROADCAST);
        }
    }
    memcpy(ret, fixture_mem(&f, OUT), OUT_BYTES);
    fixture_free(&f);
    return ended == 3;
}

static uint32_t first_u32(const uint8_t *bytes)
{
    uint32_t v = 0;
    memcpy(&v, bytes, sizeof v);
    return v;
}

/** @p name of test cases: how many groups there are; so few that all waves may be asleep at once.
 */
static void test_same(const char *name, uint32_t groups, uint32_t tickets)
{
    static const struct row undisturbed = {.slice = LIMIT};
    static uint8_t want[4][OUT_BYTES], got[OUT_BYTES];
    for (uint64_t seed = 0; seed < 4; seed++) {
        const bool ended = run(seed, groups, &undisturbed, want[seed]);
        test_case(ended && first_u32(want[seed]) == tickets, "undisturbed",
                  "%s, seed %" PRIu64 ": ended %d, %u tickets", name, seed, ended,
                  first_u32(want[seed]));
        for (size_t i = 0; i < TEST_ROWS(rows); i++) {
            const bool there = run(seed, groups, &rows[i], got);
            size_t at = 0;
            while (at < OUT_BYTES && want[seed][at] == got[at]) {
                at++;
            }
            test_case(there && at == OUT_BYTES, rows[i].name,
                      "%s, seed %" PRIu64 ": ended %d, another at byte %zu", name, seed, there, at);
        }
        for (uint64_t other = 0; other < seed; other++) {
            test_case(memcmp(want[seed], want[other], OUT_BYTES) != 0, "seeds differ",
                      "%s: %" PRIu64 " and %" PRIu64 " give the same", name, seed, other);
        }
    }
}

static void trap_wave(struct fixture *f, const struct lull_gpu_slot *s)
{
    const uint32_t grbm =
        (uint32_t)s->se << 16 | (uint32_t)s->sa << 8 | (uint32_t)s->wgp << 2 | s->simd;
    lull_gpu_write_reg(f->g, (struct lull_bank){.grbm = grbm}, LULL_GC11_SQ_CMD,
                       CMD_TRAP | (uint32_t)s->wave << 16);
}

/** On SIMD 0 a wave stands, by HALT: the others go on. Elsewhere it waits: all wait for it. */
static void test_standing(void)
{
    static const struct row r = {.handler = standing, .handler_bytes = sizeof standing};
    for (unsigned simd = 0; simd < 2; simd++) {
        struct fixture f = fixture_new(0, 2, 1, 2);
        struct lull_gpu_done done = {0};
        install(&f, &r);
        submit(&f, LULL_RING_COMPUTE0, 0, 1, GROUPS);
        (void)lull_gpu_run(f.g, 300);
        trap_wave(&f, f.g->groups[0]->slots[simd]);
        const uint64_t clock = lull_gpu_clock(f.g);
        const uint64_t passed = lull_gpu_run(f.g, 1000000);
        const uint64_t seen = lull_gpu_clock(f.g) - clock;
        // its group's other waves stand at their barrier, all other groups end
        test_case(passed == 1000000 && (simd == 0 ? f.g->ngroups == 1 && seen != 0 : seen == 0),
                  simd == 0 ? "a wave that stands" : "a wave that waits",
                  "%u groups, %" PRIu64 " of %" PRIu64 " cycles are the program's", f.g->ngroups,
                  seen, passed);
        fixture_put32(&f, OUT + 8, 1);
        const bool ended = fixture_run(&f, LIMIT, &done);
        test_case(ended && fixture_u32(&f, OUT) == 16 * GROUPS * ITEMS, "and goes on at last",
                  "ended %d, %u tickets", ended, fixture_u32(&f, OUT));
        fixture_free(&f);
    }
}

/** Waves that stand and one that waits are let go by one store: no program goes on before all can.
 */
static void test_let_go(void)
{
    static const struct row r = {.handler = standing, .handler_bytes = sizeof standing};
    struct fixture f = fixture_new(0, 2, 1, 2);
    install(&f, &r);
    submit(&f, LULL_RING_COMPUTE0, 0, 1, GROUPS);
    (void)lull_gpu_run(f.g, 300);
    const struct lull_gpu_slot *stands = f.g->groups[0]->slots[0],
                               *waits = f.g->groups[0]->slots[1];
    trap_wave(&f, stands);
    (void)lull_gpu_run(f.g, 400);
    trap_wave(&f, waits);
    (void)lull_gpu_run(f.g, 333); // the one that waits looks first
    const bool inside = lull_trap_inside(stands) && lull_trap_inside(waits);
    const uint64_t clock = lull_gpu_clock(f.g);
    fixture_put32(&f, OUT + 8, 1);
    for (unsigned i = 0; lull_gpu_clock(f.g) == clock && i < 100000; i++) {
        (void)lull_gpu_run(f.g, 1);
    }
    test_case(inside && !lull_trap_inside(stands) && !lull_trap_inside(waits) &&
                  lull_gpu_clock(f.g) != clock,
              "all are let go at once", "inside %d, then %d %d", inside, lull_trap_inside(stands),
              lull_trap_inside(waits));
    fixture_free(&f);
}

int main(void)
{
    test_same("twelve groups", GROUPS, 5 * 16 * GROUPS * ITEMS);
    test_same("one group", 1, 2 * 16 * ITEMS);
    test_standing();
    test_let_go();
    return test_end();
}
