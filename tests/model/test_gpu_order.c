// SPDX-License-Identifier: MIT
// The order in which waves run is that of the seed: however the cycles are given out, whoever
// looks, whatever trap handlers do and however long a dispatch is held. The program is one in which
// order decides what is stored; what it stores undisturbed is compared with what it stores else.
//
// The words are what llvm-mc 19 -mcpu=gfx1100 makes of the assembly beside them.
#include "order_program.h"
#include "test.h"

#include <inttypes.h>

enum {
    SINGLE_STEP = 3 << 1, // SPI_GDBG_PER_VMID_CNTL.LAUNCH_MODE
    CMD_TRAP = 5,         // SQ_CMD
    BROADCAST = 1 << 4,
    LIMIT = 50000000,
};

#define ALL (7u << 29) // GRBM_GFX_INDEX: all broadcast bits

// clang-format off
static const uint32_t busy[] = {
    0xb8f0f802,             // s_getreg_b32 ttmp4, hwreg(HW_REG_STATUS)
    0x936eff6c, 0x00030002, // s_bfe_u32 ttmp2, ttmp0, 0x30002
    0x80ee816e,             // s_sub_u32 ttmp2, ttmp2, 1
    0xbfa1fffe,             // s_cbranch_scc0 again
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
     .handler = order_waiting,
     .handler_bytes = sizeof order_waiting,
     .step = true},
    {.name = "the host interrupts all waves",
     .slice = 1,
     .slice_mask = 255,
     .handler = order_waiting,
     .handler_bytes = sizeof order_waiting,
     .traps = 40},
    {.name = "dispatches are held", .slice = 100, .holds = 50},
    {.name = "dispatches are held while handlers wait",
     .slice = 1,
     .slice_mask = 255,
     .handler = order_waiting,
     .handler_bytes = sizeof order_waiting,
     .step = true,
     .holds = 50},
    {.name = "an observer", .slice = LIMIT, .observed = true},
};

struct held {
    uint32_t runs, left;
};

static bool on_launch(void *ctx, const struct lull_gpu_launch *l, bool again, uint64_t *id,
                      struct lull_gpu_relaunch *how)
{
    struct held *h = ctx;
    (void)l;
    (void)how;
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

static void see(struct lull_observer *o, const struct lull_observed *at)
{
    (void)o;
    (void)at;
}

static void install(struct fixture *f, const struct row *r)
{
    const struct lull_bank bank = {.srbm = FIXTURE_VMID << 4};
    const uint64_t tba = (FIXTURE_VA + ORDER_HANDLER) >> 8;
    memcpy(fixture_mem(f, ORDER_CODE), order_program, sizeof order_program);
    if (r->handler != NULL) {
        memcpy(fixture_mem(f, ORDER_HANDLER), r->handler, r->handler_bytes);
        lull_gpu_write_reg(f->g, bank, LULL_GC11_SQ_SHADER_TBA_LO, (uint32_t)tba);
        lull_gpu_write_reg(f->g, bank, LULL_GC11_SQ_SHADER_TBA_HI,
                           (uint32_t)(tba >> 32) | 1u << 31);
        lull_gpu_write_reg(f->g, bank, LULL_GC11_SPI_GDBG_PER_VMID_CNTL, r->step ? SINGLE_STEP : 0);
    }
}

/** What the program leaves in @p ret. False: it does not end. */
static bool run(uint64_t seed, uint32_t groups, const struct row *r, uint8_t ret[ORDER_BYTES])
{
    struct fixture f = fixture_new(seed, 2, 1, 2);
    struct held held = {.runs = r->holds};
    struct lull_observer observer = {.before = see};
    struct lull_gpu_done done = {0};
    uint64_t random = 88172645463325252;
    unsigned ended = 0;
    install(&f, r);
    lull_gpu_watch(f.g, &(const struct lull_gpu_watcher){
                            .ctx = &held, .launch = on_launch, .ended = on_ended});
    if (r->observed) {
        lull_gpu_observe(f.g, &observer);
    }
    order_submit(&f, LULL_RING_COMPUTE0, 0, 2, groups);
    order_submit(&f, LULL_RING_GFX, 1, groups > 1 ? 2 : 0, groups);
    order_submit(&f, LULL_RING_COMPUTE0, 2, groups > 1 ? 1 : 0, groups); // behind the first
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
    memcpy(ret, fixture_mem(&f, ORDER_OUT), ORDER_BYTES);
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
    static uint8_t want[4][ORDER_BYTES], got[ORDER_BYTES];
    for (uint64_t seed = 0; seed < 4; seed++) {
        const bool ended = run(seed, groups, &undisturbed, want[seed]);
        test_case(ended && first_u32(want[seed]) == tickets, "undisturbed",
                  "%s, seed %" PRIu64 ": ended %d, %u tickets", name, seed, ended,
                  first_u32(want[seed]));
        for (size_t i = 0; i < TEST_ROWS(rows); i++) {
            const bool there = run(seed, groups, &rows[i], got);
            size_t at = 0;
            while (at < ORDER_BYTES && want[seed][at] == got[at]) {
                at++;
            }
            test_case(there && at == ORDER_BYTES, rows[i].name,
                      "%s, seed %" PRIu64 ": ended %d, another at byte %zu", name, seed, there, at);
        }
        for (uint64_t other = 0; other < seed; other++) {
            test_case(memcmp(want[seed], want[other], ORDER_BYTES) != 0, "seeds differ",
                      "%s: %" PRIu64 " and %" PRIu64 " give the same", name, seed, other);
        }
    }
}

static void trap_wave(struct fixture *f, const struct lull_gpu_slot *s)
{
    const uint32_t grbm = (uint32_t)s->unit.se << 16 | (uint32_t)s->unit.sa << 8 |
                          (uint32_t)s->unit.wgp << 2 | s->unit.simd;
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
        order_submit(&f, LULL_RING_COMPUTE0, 0, 1, ORDER_GROUPS);
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
        fixture_put32(&f, ORDER_OUT + 8, 1);
        const bool ended = fixture_run(&f, LIMIT, &done);
        test_case(ended && fixture_u32(&f, ORDER_OUT) == 16 * ORDER_GROUPS * ORDER_ITEMS,
                  "and goes on at last", "ended %d, %u tickets", ended, fixture_u32(&f, ORDER_OUT));
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
    order_submit(&f, LULL_RING_COMPUTE0, 0, 1, ORDER_GROUPS);
    (void)lull_gpu_run(f.g, 300);
    const struct lull_gpu_slot *stands = f.g->groups[0]->slots[0],
                               *waits = f.g->groups[0]->slots[1];
    trap_wave(&f, stands);
    (void)lull_gpu_run(f.g, 400);
    trap_wave(&f, waits);
    (void)lull_gpu_run(f.g, 333); // the one that waits looks first
    const bool inside = lull_trap_inside(stands) && lull_trap_inside(waits);
    const uint64_t clock = lull_gpu_clock(f.g);
    fixture_put32(&f, ORDER_OUT + 8, 1);
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
    test_same("twelve groups", ORDER_GROUPS, 5 * 16 * ORDER_GROUPS * ORDER_ITEMS);
    test_same("one group", 1, 2 * 16 * ORDER_ITEMS);
    test_standing();
    test_let_go();
    return test_end();
}
