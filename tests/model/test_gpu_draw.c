// SPDX-License-Identifier: MIT
// The waves of a draw are waves like others: what they draw, who sees them, their trap handlers,
// their faults, the order in which they run. The pixels are computed here.
#include <inttypes.h>

#include "draw_program.h"
#include "test.h"

enum {
    LIMIT = 10000000,
    FLAG = 0x1234,
    ON_START = LULL_GC11_SPI_GDBG_PER_VMID_CNTL__TRAP_ON_START_MASK,
    SINGLE_STEP = 3 << 1, // SPI_GDBG_PER_VMID_CNTL.LAUNCH_MODE
    UNTOUCHED = 0x55555555,
    CB_DB = 0, // as amdgpu names fault clients: gfxhub_client_ids, gfxhub_v3_0.c
    Z_X_64KB = 24,
    TEST_S = 1 | 7 << 8, // of DB_DEPTH_CONTROL
    TEST_Z = 2 | 7 << 4,
    WRITE_Z = 4,
    EARLY = 1 << 4, // Z_ORDER of DB_SHADER_CONTROL
};

#define NOWHERE (FIXTURE_VA + 0x40000000)
#define PLANE (FIXTURE_VA + 0x100000)

static struct fixture make(uint64_t seed)
{
    struct fixture f = fixture_new(seed, 2, 1, 2);
    fixture_put32(&f, DRAW_FLAG, FLAG);
    memset(fixture_mem(&f, DRAW_IMAGE), UNTOUCHED & 0xff, DRAW_BYTES);
    return f;
}

/** Texels that are not what was to be drawn. */
static unsigned wrong(const struct fixture *f)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < DRAW_BYTES / 4; i++) {
        const uint32_t x = i % DRAW_WIDTH, y = i / DRAW_WIDTH % DRAW_HEIGHT;
        const bool in = x >= DRAW_X0 && x < DRAW_X1 && y >= DRAW_Y0 && y < DRAW_Y1;
        const uint32_t want = in ? (uint32_t)FLAG << 16 | y << 8 | x : UNTOUCHED;
        n += fixture_u32(f, DRAW_IMAGE + 4 * i) != want;
    }
    return n;
}

/** Have the handler of DRAW_HANDLER, entered as @p gdbg says. */
static void install(struct fixture *f, uint32_t gdbg)
{
    const struct lull_bank bank = {.srbm = FIXTURE_VMID << 4};
    const uint64_t tba = (FIXTURE_VA + DRAW_HANDLER) >> 8;
    lull_gpu_write_reg(f->g, bank, LULL_GC11_SQ_SHADER_TBA_LO, (uint32_t)tba);
    lull_gpu_write_reg(f->g, bank, LULL_GC11_SQ_SHADER_TBA_HI, (uint32_t)(tba >> 32) | 1u << 31);
    lull_gpu_write_reg(f->g, bank, LULL_GC11_SPI_GDBG_PER_VMID_CNTL, gdbg);
}

/** What an observer saw. */
struct seen {
    struct lull_observer o;
    unsigned insns, starts, loads;
};

static void before(struct lull_observer *o, const struct lull_observed *at)
{
    struct seen *s = (struct seen *)o;
    s->insns += !at->handler;
    // each wave begins there once
    s->starts += at->pc == FIXTURE_VA + DRAW_VS || at->pc == FIXTURE_VA + DRAW_PS;
}

static void access(struct lull_observer *o, const struct lull_observed *at, unsigned lane,
                   uint64_t address, size_t size, int store)
{
    (void)at;
    (void)lane;
    (void)size;
    ((struct seen *)o)->loads += store == 0 && address == FIXTURE_VA + DRAW_FLAG;
}

struct row {
    const char *name;
    uint64_t seed, slice;
    uint32_t gdbg;
    bool handler, observed;
    uint32_t interrupts; // of the handler
};

enum {
    VS_INSNS = 11,
    PS_INSNS = 12,
    INSNS = DRAW_LAYERS * VS_INSNS + (DRAW_WAVES - DRAW_LAYERS) * PS_INSNS,
};

static const struct row rows[] = {
    {"a draw", 0, LIMIT, 0, false, false, 0},
    {"with a seed", 3, LIMIT, 0, false, false, 0},
    {"cycle by cycle", 3, 1, 0, false, false, 0},
    {"observed", 3, LIMIT, 0, false, true, 0},
    {"each wave traps at its start", 0, LIMIT, ON_START, true, false, DRAW_WAVES},
    {"traps after each instruction", 3, LIMIT, SINGLE_STEP, true, true, INSNS - DRAW_WAVES},
};

static void test_row(const struct row *r)
{
    struct fixture f = make(r->seed);
    struct seen seen = {.o = {.before = before, .access = access}};
    struct lull_gpu_done done = {.result = LULL_JOB_KILLED};
    bool ended = false;
    draw_submit(&f, FIXTURE_VA + DRAW_FLAG, FIXTURE_VA + DRAW_IMAGE);
    if (r->handler) {
        install(&f, r->gdbg);
    }
    if (r->observed) {
        lull_gpu_observe(f.g, &seen.o);
    }
    for (unsigned i = 0; !ended && i < LIMIT && lull_gpu_run(f.g, r->slice) != 0; i++) {
        ended = lull_gpu_next_done(f.g, &done);
    }
    const unsigned bad = wrong(&f), count = fixture_u32(&f, DRAW_FLAG + 4);
    test_case(ended && done.result == LULL_JOB_DONE && bad == 0 && count == DRAW_PIXELS, r->name,
              "result %d (%s), %u texels wrong, %u of %d pixels", (int)done.result, done.message,
              bad, count, DRAW_PIXELS);
    test_case(f.g->interrupts == r->interrupts, r->name, "%u interrupts, want %u", f.g->interrupts,
              r->interrupts);
    test_case(!r->observed ||
                  (seen.insns == INSNS && seen.starts == DRAW_WAVES && seen.loads == DRAW_PIXELS),
              r->name, "%u instructions, %u starts, %u loads seen", seen.insns, seen.starts,
              seen.loads);
    fixture_free(&f);
}

/** As an undisturbed run is, so is one that is looked at: to the cycle. */
static void test_order(void)
{
    uint64_t cycles[3] = {0};
    for (unsigned i = 0; i < 3; i++) {
        struct fixture f = make(5);
        struct seen seen = {.o = {.before = before, .access = access}};
        draw_submit(&f, FIXTURE_VA + DRAW_FLAG, FIXTURE_VA + DRAW_IMAGE);
        if (i == 1) {
            lull_gpu_observe(f.g, &seen.o);
        }
        while (lull_gpu_run(f.g, i == 2 ? 3 : LIMIT) != 0) {
        }
        cycles[i] = f.g->time;
        fixture_free(&f);
    }
    test_case(cycles[0] > INSNS && cycles[0] == cycles[1] && cycles[0] == cycles[2], "order",
              "%" PRIu64 ", %" PRIu64 " and %" PRIu64 " cycles", cycles[0], cycles[1], cycles[2]);
}

/** The next draw after a reset of the ring is right. */
static void test_again(struct fixture *f)
{
    struct lull_gpu_done done = {0};
    fixture_put32(f, DRAW_FLAG + 4, 0);
    draw_submit(f, FIXTURE_VA + DRAW_FLAG, FIXTURE_VA + DRAW_IMAGE);
    const bool again = fixture_run(f, LIMIT, &done) && done.result == LULL_JOB_DONE;
    test_case(again && wrong(f) == 0, "and the next draw", "%d, %u texels wrong", again, wrong(f));
}

static uint32_t fault_status(const struct fixture *f)
{
    const struct lull_bank bank = {0};
    return lull_gpu_read_reg(f->g, bank, LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS);
}

static uint32_t client_of(uint32_t status)
{
    return lull_field(status, LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__CID_MASK);
}

/** A wave that faults stands there, as a dispatch's does, and the ring can be reset. */
static void test_load_fault(void)
{
    struct fixture f = make(0);
    struct lull_gpu_done done = {0};
    unsigned halted = 0, n = 0;
    draw_submit(&f, NOWHERE, FIXTURE_VA + DRAW_IMAGE);
    const bool ended = fixture_run(&f, LIMIT, &done);
    for (unsigned i = 0; i < f.g->nslots; i++) {
        const struct lull_gpu_slot *s = &f.g->slots[i];
        n += s->group != NULL;
        halted += s->group != NULL && s->w.state == LULL_WAVE_HALTED &&
                  (s->w.status & LULL_HWREG_STATUS__FATAL_HALT_MASK) != 0 &&
                  (s->w.trapsts & LULL_HWREG_TRAPSTS__EXCP_MASK) != 0;
    }
    const uint32_t status = fault_status(&f);
    const bool rw = (status & LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__RW_MASK) != 0;
    test_case(!ended && n == DRAW_WAVES / DRAW_LAYERS - 1 && halted == n && status != 0 && !rw,
              "a load faults", "ended %d, %u of %u waves halted, fault 0x%08x", ended, halted, n,
              status);
    lull_gpu_reset_ring(f.g, LULL_RING_GFX);
    const bool killed = lull_gpu_next_done(f.g, &done) && done.result == LULL_JOB_KILLED;
    test_case(killed, "a load faults", "not killed");
    test_again(&f);
    fixture_free(&f);
}

/** Texels are written when the waves have ended: then there is only the job. */
static void test_texel_fault(void)
{
    struct fixture f = make(0);
    struct lull_gpu_done done = {0};
    draw_submit(&f, FIXTURE_VA + DRAW_FLAG, NOWHERE);
    const bool ended = fixture_run(&f, LIMIT, &done);
    const uint32_t status = fault_status(&f);
    test_case(ended && done.result == LULL_JOB_FAULT && f.g->nwaves == 0 &&
                  (status & LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__RW_MASK) != 0 &&
                  client_of(status) == CB_DB &&
                  strstr(done.message, ": colour target 0: write to 0x") != NULL,
              "a texel faults", "result %d (%s), %u waves, fault 0x%08x", (int)done.result,
              done.message, f.g->nwaves, status);
    test_again(&f);
    fixture_free(&f);
}

/** Depth and stencil planes, 32_FLOAT and 8 bits, tiled, that the draw tests. */
static void depth_state(struct lull_pm4_builder *b, uint64_t z, uint64_t s, uint32_t control)
{
    const uint32_t info = Z_X_64KB << 4;
    draw_context(b, LULL_DRAW11_DB_Z_INFO, LULL_DRAW11_DB_Z_INFO__FORMAT__32_FLOAT | info);
    draw_context(b, LULL_DRAW11_DB_STENCIL_INFO, 1 | info);
    draw_context(b, LULL_DRAW11_DB_DEPTH_SIZE_XY, (DRAW_WIDTH - 1) | (DRAW_HEIGHT - 1) << 16);
    draw_context(b, LULL_DRAW11_DB_DEPTH_VIEW, (DRAW_LAYERS - 1) << 13);
    draw_context(b, LULL_DRAW11_DB_Z_READ_BASE, (uint32_t)(z >> 8));
    draw_context(b, LULL_DRAW11_DB_Z_READ_BASE_HI, (uint32_t)(z >> 40) & 0xff);
    draw_context(b, LULL_DRAW11_DB_Z_WRITE_BASE, (uint32_t)(z >> 8));
    draw_context(b, LULL_DRAW11_DB_Z_WRITE_BASE_HI, (uint32_t)(z >> 40) & 0xff);
    draw_context(b, LULL_DRAW11_DB_STENCIL_READ_BASE, (uint32_t)(s >> 8));
    draw_context(b, LULL_DRAW11_DB_STENCIL_READ_BASE_HI, (uint32_t)(s >> 40) & 0xff);
    draw_context(b, LULL_DRAW11_DB_STENCIL_WRITE_BASE, (uint32_t)(s >> 8));
    draw_context(b, LULL_DRAW11_DB_STENCIL_WRITE_BASE_HI, (uint32_t)(s >> 40) & 0xff);
    draw_context(b, LULL_DRAW11_DB_DEPTH_CONTROL, control);
}

static const struct depth_row {
    const char *name;
    uint64_t z, s;        // where the planes are
    uint32_t test, order; // of DB_DEPTH_CONTROL: it always passes; of DB_SHADER_CONTROL
    bool counted;         // somebody numbers the draws
    const char *message;
} depth_rows[] = {
    {"depth, late", NOWHERE, PLANE, TEST_Z, 0, false, ": depth: read of 0x"},
    {"depth, early", NOWHERE, PLANE, TEST_Z, EARLY, false, ": depth: read of 0x"},
    {"depth, written", NOWHERE, PLANE, TEST_Z | WRITE_Z, 0, false, ": depth: write to 0x"},
    {"stencil", PLANE, NOWHERE, TEST_Z | TEST_S, EARLY, false, ": stencil: write to 0x"},
    {"with a number", NOWHERE, PLANE, TEST_Z, 0, true, ": draw 7: depth: read of 0x"},
};

static bool number_it(void *ctx, const struct lull_gpu_draw_launch *l, bool again, uint64_t *id)
{
    (void)ctx;
    (void)l;
    (void)again;
    *id = 7;
    return true;
}

/** It is the depth block that faults, not the command processor; then draws go on. */
static void test_depth_fault(const struct depth_row *r)
{
    struct fixture f = make(0);
    struct lull_gpu_done done = {0};
    const struct lull_gpu_watcher watcher = {.draw = r->counted ? number_it : NULL};
    lull_gpu_watch(f.g, &watcher);
    draw_programs(&f);
    draw_state(&f.b, FIXTURE_VA + DRAW_FLAG, FIXTURE_VA + DRAW_IMAGE);
    depth_state(&f.b, r->z, r->s, r->test);
    draw_context(&f.b, LULL_DRAW11_DB_SHADER_CONTROL, r->order);
    draw_auto(&f.b);
    fixture_submit(&f, LULL_RING_GFX, 77);
    const bool ended = fixture_run(&f, LIMIT, &done);
    const uint32_t status = fault_status(&f);
    test_case(ended && done.result == LULL_JOB_FAULT && client_of(status) == CB_DB &&
                  strstr(done.message, r->message) != NULL,
              r->name, "result %d (%s), fault 0x%08x", (int)done.result, done.message, status);
    test_again(&f);
    fixture_free(&f);
}

int main(void)
{
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        test_row(&rows[i]);
    }
    test_order();
    test_load_fault();
    test_texel_fault();
    for (size_t i = 0; i < TEST_ROWS(depth_rows); i++) {
        test_depth_fault(&depth_rows[i]);
    }
    return test_end();
}
