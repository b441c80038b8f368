// SPDX-License-Identifier: MIT
// The run loop and the code cache: what happens around instructions.
#include "hw/hwreg_regs.h"
#include "model/bare.h"
#include "model/observer.h"
#include "test.h"

// Words by llvm-mc-19 -triple=amdgcn -mcpu=gfx1100 -show-encoding.
enum {
    S_MOV_S0_1 = (int)0xbe800081,     // s_mov_b32 s0, 1
    S_MOV_S0_2 = (int)0xbe800082,     // s_mov_b32 s0, 2
    S_MOV_S1_1 = (int)0xbe810081,     // s_mov_b32 s1, 1
    S_MOV_S0_LIT = (int)0xbe8000ff,   // s_mov_b32 s0, literal
    S_MOV_TTMP0_1 = (int)0xbeec0081,  // s_mov_b32 ttmp0, 1
    S_MOV_S0_TTMP0 = (int)0xbe80006c, // s_mov_b32 s0, ttmp0
    S_BRANCH_BACK = (int)0xbfa0ffff,  // s_branch to itself
    V_MOV_V255_0 = (int)0x7ffe0280,   // v_mov_b32 v255, 0
    NOT_CODE = (int)0xbf5f0000,       // a SOPC that does not exist
    S_ADD_S2_1 = (int)0x80028102,     // s_add_u32 s2, s2, 1
    S_MOV_S3_TTMP0 = (int)0xbe83006c, // s_mov_b32 s3, ttmp0
    S_MOV_S4_TTMP1 = (int)0xbe84006d, // s_mov_b32 s4, ttmp1
    S_ADD_TTMP0_4 = (int)0x806c846c,  // s_add_u32 ttmp0, ttmp0, 4
    S_RFE = (int)0xbe804a6c,          // s_rfe_b64 ttmp[0:1]
    S_TRAP_3 = (int)0xbf900003,       // s_trap 3
};

static void put(struct bare *b, unsigned offset, uint32_t word)
{
    memcpy(b->code + offset, &word, sizeof word);
}

static struct bare *at(unsigned offset)
{
    struct bare *b = bare_new(32);
    for (unsigned i = 0; i < BARE_CODE_BYTES; i += 4) {
        put(b, i, (uint32_t)S_BRANCH_BACK);
    }
    b->w.pc = BARE_CODE + offset;
    return b;
}

static void is_u32(const char *name, uint32_t got, uint32_t want)
{
    test_case(got == want, name, "0x%x, want 0x%x", got, want);
}

static void test_illegal(void)
{
    struct bare *b = at(0);
    put(b, 0, (uint32_t)S_MOV_S0_1);
    put(b, 4, (uint32_t)NOT_CODE);
    is_u32("an unknown word stops the wave: instructions done", lull_wave_run(&b->w, 10), 1);
    is_u32("unknown word: pc", (uint32_t)b->w.pc, BARE_CODE + 4);
    is_u32("unknown word: TRAPSTS", b->w.trapsts, LULL_HWREG_TRAPSTS__ILLEGAL_INST_MASK);
    is_u32("unknown word: HALT and FATAL_HALT",
           b->w.status & (LULL_HWREG_STATUS__HALT_MASK | LULL_HWREG_STATUS__FATAL_HALT_MASK),
           LULL_HWREG_STATUS__HALT_MASK | LULL_HWREG_STATUS__FATAL_HALT_MASK);
    is_u32("unknown word: state", b->w.state, LULL_WAVE_HALTED);
    is_u32("a halted wave does not run", lull_wave_run(&b->w, 10), 0);
    bare_free(b);
}

static void test_vgpr_beyond(void)
{
    struct bare *b = at(0);
    put(b, 0, (uint32_t)V_MOV_V255_0);
    b->w.nvgprs = 255;
    b->vgpr[255 * 32] = 7;
    is_u32("a VGPR the wave does not have", lull_wave_run(&b->w, 10), 0);
    is_u32("VGPR beyond: TRAPSTS", b->w.trapsts, LULL_HWREG_TRAPSTS__ILLEGAL_INST_MASK);
    is_u32("VGPR beyond: memory behind is untouched", b->vgpr[255 * 32], 7);
    bare_free(b);
}

static void test_fetch_fault(void)
{
    struct bare *b = at(0);
    b->w.pc = 0x7f000000;
    is_u32("code that is not mapped", lull_wave_run(&b->w, 10), 0);
    is_u32("not mapped: TRAPSTS bit 8", b->w.trapsts, 1 << 8);
    is_u32("not mapped: address of the fault", (uint32_t)b->vm.fault.va, 0x7f000000);
    is_u32("not mapped: it was a fetch", b->vm.fault.access, LULL_ACCESS_EXEC);
    bare_free(b);
}

static void test_across(void)
{
    struct bare *b = at(LULL_PAGE_SIZE - 4);
    put(b, LULL_PAGE_SIZE - 4, (uint32_t)S_MOV_S0_LIT);
    put(b, LULL_PAGE_SIZE, 0x12345678);
    put(b, LULL_PAGE_SIZE + 4, (uint32_t)S_MOV_S1_1);
    is_u32("an instruction across two pages", lull_wave_run(&b->w, 2), 2);
    is_u32("across: literal of the second page", b->w.sgpr[0], 0x12345678);
    is_u32("across: goes on behind it", b->w.sgpr[1], 1);
    put(b, LULL_PAGE_SIZE, 0x9abcdef0);
    lull_code_cache_epoch(b->w.code);
    b->w.pc = BARE_CODE + LULL_PAGE_SIZE - 4;
    lull_wave_run(&b->w, 1);
    is_u32("across: seen when it changes", b->w.sgpr[0], 0x9abcdef0);
    bare_free(b);
}

static void test_epoch(void)
{
    struct bare *b = at(0);
    put(b, 0, (uint32_t)S_MOV_S0_1);
    lull_wave_run(&b->w, 1);
    put(b, 0, (uint32_t)S_MOV_S0_2);
    lull_code_cache_epoch(b->w.code);
    b->w.pc = BARE_CODE;
    lull_wave_run(&b->w, 1);
    is_u32("patched code is seen in the next epoch", b->w.sgpr[0], 2);
    bare_free(b);
}

static void test_budget(void)
{
    struct bare *b = at(0);
    is_u32("an endless loop ends with the budget", lull_wave_run(&b->w, 12345), 12345);
    is_u32("ninsns counts", (uint32_t)b->w.ninsns, 12345);
    is_u32("the wave still runs", b->w.state, LULL_WAVE_RUNNING);
    bare_free(b);
}

static void test_ttmp(void)
{
    struct bare *b = at(0);
    put(b, 0, (uint32_t)S_MOV_TTMP0_1);
    put(b, 4, (uint32_t)S_MOV_S0_TTMP0);
    b->w.sgpr[LULL_RDNA_TTMP0] = 9;
    b->w.sgpr[0] = 5;
    lull_wave_run(&b->w, 2);
    is_u32("TTMPs are not written outside the trap handler", b->w.sgpr[LULL_RDNA_TTMP0], 9);
    is_u32("and read 0 there", b->w.sgpr[0], 0);
    b->w.status |= LULL_HWREG_STATUS__PRIV_MASK;
    b->w.pc = BARE_CODE;
    lull_wave_run(&b->w, 2);
    is_u32("TTMPs are written inside", b->w.sgpr[LULL_RDNA_TTMP0], 1);
    is_u32("and read", b->w.sgpr[0], 1);
    bare_free(b);
}

/** With a trap handler that counts in s2, shows ttmp0 in s3 and ttmp1 in s4, and goes on @p skip
 * bytes later. */
static struct bare *with_handler(unsigned skip)
{
    struct bare *b = at(0);
    const unsigned h = 2 * LULL_PAGE_SIZE;
    put(b, h, (uint32_t)S_ADD_S2_1);
    put(b, h + 4, (uint32_t)S_MOV_S3_TTMP0);
    put(b, h + 8, (uint32_t)S_MOV_S4_TTMP1);
    put(b, h + 12, skip == 0 ? (uint32_t)S_ADD_S2_1 : (uint32_t)S_ADD_TTMP0_4);
    put(b, h + 16, (uint32_t)S_RFE);
    b->w.tba = BARE_CODE + h;
    b->w.trap_en = true;
    put(b, 0, (uint32_t)S_MOV_S0_1);
    put(b, 4, (uint32_t)S_MOV_S1_1);
    return b;
}

/** As lull_wave_run(), into the trap handler and out of it. */
static void run_through(struct bare *b, uint32_t budget)
{
    bool moved = true;
    while (budget > 0 && moved && b->w.state == LULL_WAVE_RUNNING) {
        const uint32_t was = b->w.status, n = lull_wave_run(&b->w, budget);
        moved = n != 0 || b->w.status != was;
        budget -= n;
    }
}

static void test_trap_after(void)
{
    struct bare *b = with_handler(0);
    b->w.mode |= LULL_HWREG_MODE__TRAP_AFTER_INST_EN_MASK;
    lull_wave_run(&b->w, 1);
    is_u32("trap after instruction: the instruction is done", b->w.sgpr[0], 1);
    is_u32("and then the trap", b->w.pending, LULL_TRAP_AFTER_INST);
    is_u32("a run ends where the handler begins", lull_wave_run(&b->w, 9), 0);
    is_u32("which is PRIV", b->w.status & LULL_HWREG_STATUS__PRIV_MASK,
           LULL_HWREG_STATUS__PRIV_MASK);
    is_u32("and where it ends", lull_wave_run(&b->w, 9), 5);
    is_u32("the handler ran once", b->w.sgpr[2], 2);
    is_u32("it saw the next instruction's address", b->w.sgpr[3], BARE_CODE + 4);
    is_u32("trap id 0", b->w.sgpr[4], 0);
    is_u32("TRAPSTS.TRAP_AFTER_INST", b->w.trapsts, LULL_HWREG_TRAPSTS__TRAP_AFTER_INST_MASK);
    is_u32("back at the next instruction", (uint32_t)b->w.pc, BARE_CODE + 4);
    is_u32("which is not done yet", b->w.sgpr[1], 0);
    run_through(b, 6);
    is_u32("one instruction and one more trap", b->w.sgpr[1] * 16 + b->w.sgpr[2], 16 + 4);
    bare_free(b);
}

static void test_trap_illegal(void)
{
    struct bare *b = with_handler(4);
    put(b, 4, (uint32_t)NOT_CODE);
    put(b, 8, (uint32_t)S_MOV_S1_1);
    run_through(b, 7);
    is_u32("illegal instruction with a handler: ttmp0 is its address", b->w.sgpr[3], BARE_CODE + 4);
    is_u32("illegal: TRAPSTS", b->w.trapsts, LULL_HWREG_TRAPSTS__ILLEGAL_INST_MASK);
    is_u32("illegal: the handler skipped it", b->w.sgpr[1], 1);
    is_u32("illegal: the wave runs", b->w.state, LULL_WAVE_RUNNING);
    bare_free(b);
}

static void test_trap_illegal_in_handler(void)
{
    struct bare *b = with_handler(4);
    put(b, 4, (uint32_t)NOT_CODE);
    put(b, 2 * LULL_PAGE_SIZE + 4, (uint32_t)NOT_CODE);
    run_through(b, 100);
    is_u32("illegal instruction in the handler halts", b->w.state, LULL_WAVE_HALTED);
    is_u32("there", (uint32_t)b->w.pc, BARE_CODE + 2 * LULL_PAGE_SIZE + 4);
    bare_free(b);
}

static void test_trap_memory(void)
{
    struct bare *b = with_handler(0);
    b->w.pc = 0x7f000000;
    run_through(b, 3);
    is_u32("fetch from nowhere with a handler: ttmp0", b->w.sgpr[3], 0x7f000000);
    is_u32("fetch from nowhere: TRAPSTS bit 8", b->w.trapsts, 1 << 8);
    bare_free(b);
}

static void test_trap_host(void)
{
    struct bare *b = with_handler(0);
    b->w.pending = LULL_TRAP_HOST;
    run_through(b, 5);
    is_u32("host trap: before the next instruction", b->w.sgpr[3], BARE_CODE);
    is_u32("host trap: bit 24 of ttmp1", b->w.sgpr[4], 1 << 24);
    is_u32("host trap: TRAPSTS", b->w.trapsts, LULL_HWREG_TRAPSTS__HOST_TRAP_MASK);
    is_u32("host trap: taken once", b->w.pending, 0);
    b->w.trap_en = false;
    b->w.pending = LULL_TRAP_HOST;
    lull_wave_run(&b->w, 2);
    is_u32("without a handler it is dropped", b->w.pending | b->w.sgpr[1] << 8, 1 << 8);
    bare_free(b);
}

static void test_s_trap(void)
{
    struct bare *b = with_handler(4);
    put(b, 0, (uint32_t)S_TRAP_3);
    run_through(b, 7);
    is_u32("s_trap: ttmp0 is its own address", b->w.sgpr[3], BARE_CODE);
    is_u32("s_trap: the id", b->w.sgpr[4] >> 16, 3);
    is_u32("s_trap: goes on behind it", b->w.sgpr[1], 1);
    bare_free(b);
}

struct counter {
    struct lull_observer o;
    uint64_t last_pc;
    unsigned calls;
};

static void count(struct lull_observer *o, const struct lull_observed *at)
{
    struct counter *c = (struct counter *)o;
    c->calls++;
    c->last_pc = at->pc;
}

static void test_observer(void)
{
    struct counter second = {.o = {.before = count}},
                   first = {.o = {.before = count, .next = &second.o}};
    struct bare *b = at(0);
    put(b, 0, (uint32_t)S_MOV_S0_1);
    put(b, 4, (uint32_t)S_MOV_S1_1);
    lull_wave_observe(&b->w, &first.o);
    lull_wave_run(&b->w, 2);
    is_u32("an observer sees each instruction", first.calls, 2);
    is_u32("the next observer, too", second.calls, 2);
    is_u32("with the pc of the instruction", (uint32_t)first.last_pc, BARE_CODE + 4);
    is_u32("which is then executed", b->w.sgpr[1], 1);
    bare_free(b);
}

static void see(struct lull_observer *o, const struct lull_observed *at, unsigned lane,
                uint64_t address, size_t size, int store)
{
    struct counter *c = (struct counter *)o;
    c->calls += lane == 0 && address == BARE_DATA + 8 && size == 4 && store == 0;
    c->last_pc = at->pc;
}

// Code that is known already has other handlers as soon as somebody watches, and as long.
static void test_observer_comes_and_goes(void)
{
    struct counter c = {.o = {.access = see}};
    struct bare *b = at(0);
    put(b, 0, 0xf4000501); // s_load_b32 s20, s[2:3], 0x8
    put(b, 4, 0xf8000008);
    static const unsigned want[] = {0, 1, 2, 2};
    for (unsigned i = 0; i < TEST_ROWS(want); i++) {
        lull_wave_observe(&b->w, want[i] > (i > 0 ? want[i - 1] : 0) ? &c.o : NULL);
        b->w.sgpr[2] = BARE_DATA;
        b->w.sgpr[3] = 0;
        b->w.pc = BARE_CODE;
        is_u32("a load that somebody may watch", lull_wave_run(&b->w, 1), 1);
        is_u32("accesses told", c.calls, want[i]);
    }
    is_u32("with the pc of the load", (uint32_t)c.last_pc, BARE_CODE);
    bare_free(b);
}

static void test_both_sizes(void)
{
    struct bare *b = at(0), *wide = bare_new(64);
    put(b, 0, 0x7e0002ff); // v_mov_b32 v0, literal
    put(b, 4, 0x12345678);
    memcpy(wide->code, b->code, sizeof b->code);
    lull_code_cache_free(wide->w.code);
    wide->w.code = b->w.code;
    wide->w.pc = BARE_CODE;
    lull_wave_run(&b->w, 1);
    lull_wave_run(&wide->w, 1);
    is_u32("waves of both sizes share a cache: wave32 lane 31", *bare_vgpr(b, 0, 31), 0x12345678);
    is_u32("wave64 lane 63", *bare_vgpr(wide, 0, 63), 0x12345678);
    is_u32("wave64 leaves the next register", *bare_vgpr(wide, 1, 0), 0);
    wide->w.code = NULL;
    bare_free(wide);
    bare_free(b);
}

static const uint32_t calls[] = {
    0xbe804700,             // s_getpc_b64 s[0:1]
    0xba020001,             // s_call_b64 s[2:3], 1
    0xbfa0ffff,             // s_branch to itself
    0x80009800,             // s_add_u32 s0, s0, 24
    0xbe844900,             // s_swappc_b64 s[4:5], s[0:1]
    0xbfa0ffff,             // s_branch to itself
    0xbfa0ffff,             // s_branch to itself
    0x8b01ff01, 0x0000ffff, // s_and_b32 s1, s1, 0xffff
    0x80009400,             // s_add_u32 s0, s0, 20
    0xbe804800,             // s_setpc_b64 s[0:1]
    0xbfa0ffff,             // s_branch to itself
    0xbe864700,             // s_getpc_b64 s[6:7]
};

// LLVM adds the distance to a table to what s_getpc_b64 gives and loads from there: it is the
// address with its sign. ACO jumps to addresses whose sign is not extended.
static void test_high_pc(struct lull_observer *observer)
{
    const uint64_t high = 0xffff800000000000 | BARE_CODE;
    static const unsigned want[] = {4 + 24 + 20, 8, 20, 52}; // s[0:1], s[2:3], s[4:5], s[6:7]
    struct bare *b = at(0);
    bare_map(b, high, b->code);
    memcpy(b->code, calls, sizeof calls);
    lull_wave_observe(&b->w, observer);
    b->w.pc = high;
    is_u32("a PC in the upper half: instructions done", lull_wave_run(&b->w, 8), 8);
    test_case(b->w.pc == high + 52, "upper half: pc", "0x%llx", (unsigned long long)b->w.pc);
    for (unsigned i = 0; i < TEST_ROWS(want); i++) {
        const uint64_t got = b->w.sgpr[2 * i] | (uint64_t)b->w.sgpr[2 * i + 1] << 32;
        const uint64_t sign = i == 0 ? UINT64_C(0xffff) << 48 : 0; // s_and_b32 took it away.
        test_case(got == high + want[i] - sign, "upper half: getpc, call, swappc, getpc",
                  "s[%u:%u] 0x%llx", 2 * i, 2 * i + 1, (unsigned long long)got);
    }
    bare_free(b);
}

int main(void)
{
    struct lull_observer nothing = {0};
    test_high_pc(NULL);
    test_high_pc(&nothing);
    test_illegal();
    test_vgpr_beyond();
    test_fetch_fault();
    test_across();
    test_epoch();
    test_budget();
    test_ttmp();
    test_trap_after();
    test_trap_illegal();
    test_trap_illegal_in_handler();
    test_trap_memory();
    test_trap_host();
    test_s_trap();
    test_observer();
    test_observer_comes_and_goes();
    test_both_sizes();
    return test_end();
}
