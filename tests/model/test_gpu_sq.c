// SPDX-License-Identifier: MIT
// Waves from outside (SQ_IND, SQ_CMD, launch controls) and between themselves (barrier, sleep).
//
// The engine is replaced by a script that each wave follows, so these tests need no instructions.
#include "gpu_fixture.h"
#include "hw/sqind_regs.h"
#include "test.h"

#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>

enum {
    INDEX = 0x8de0, // byte offsets; Linux gc_11_0_0_offset.h
    DATA = 0x8de4,
    CMD = 0x8dec,
    GDBG = 0xc748,
    AUTO_INCR = 1 << 11,
    CMD_SETHALT = 1,
    CMD_KILL = 3,
    CMD_TRAP_AFTER_INST = 4,
    CMD_TRAP = 5,
    CMD_SETFATALHALT = 7,
    CMD_SINGLE_STEP = 8,
    BROADCAST = 1 << 4,
    CHECK_VMID = 1 << 7,
    STATUS_PRIV = 1 << 5,
    STATUS_HALT = 1 << 13,
    STATUS_IN_BARRIER = 1 << 12,
    W32 = 0x8005,
};

#define ALL (7u << 29) // GRBM_GFX_INDEX: all broadcast bits

/** What waves do; chosen by each test. */
static struct {
    enum { SPIN, MEET, NAP, COUNT_DOWN } script;
    unsigned order[64], norder; ///< MEET: wave numbers as they pass the barrier.
    unsigned arrived[3], early; ///< MEET: by workgroup; waves that passed before all arrived.
    unsigned traps;
    uint64_t woke_at;
    const struct lull_gpu *g;
} play;

static unsigned wave_number(const struct lull_wave *w)
{
    return w->sgpr[108 + 11] & 0x3f;
}

/** A handler of one instruction: PRIV cleared. */
static bool scripted_trap(struct lull_wave *w)
{
    if ((w->status & STATUS_PRIV) != 0) {
        play.traps++;
        w->status &= ~(uint32_t)STATUS_PRIV;
        if ((w->status & STATUS_HALT) != 0) {
            w->state = LULL_WAVE_HALTED;
        }
        return true;
    }
    return false;
}

/**
 * Wave n works n instructions, meets the others, works on, ends; wave 1 ends without meeting.
 * Wave 3 takes several turns to come.
 */
static uint32_t meet(struct lull_wave *w)
{
    const uint64_t pc = w->ninsns++, work = wave_number(w) == 3 ? 2000 : wave_number(w);
    if (pc < work) {
        return 1;
    }
    if (pc == work && wave_number(w) != 1) {
        w->state = LULL_WAVE_BARRIER;
        w->status |= STATUS_IN_BARRIER;
        play.arrived[w->wg->id[0] % 3]++;
        return 1;
    }
    play.early += wave_number(w) != 1 && play.arrived[w->wg->id[0] % 3] != w->wg->nwaves - 1;
    play.order[play.norder++ % 64] = wave_number(w);
    w->state = LULL_WAVE_ENDED;
    return 1;
}

static uint32_t scripted_engine(struct lull_wave *w, uint32_t budget)
{
    if (scripted_trap(w)) {
        return 1;
    }
    switch (play.script) {
    case MEET:
        return meet(w);
    case NAP:
        if (w->ninsns++ == 0) {
            w->state = LULL_WAVE_SLEEP;
            w->sleep_cycles = 1000;
            return 1;
        }
        play.woke_at = play.g->cycles;
        w->state = LULL_WAVE_ENDED;
        return 1;
    case COUNT_DOWN:
        w->ninsns += budget;
        w->sgpr[20] += budget;
        if (w->sgpr[20] >= 100000) {
            w->state = LULL_WAVE_ENDED;
        }
        return budget;
    case SPIN:
        break;
    }
    w->ninsns += budget;
    w->sgpr[20] += budget;
    return budget;
}

/** A GPU of 2 x 2 x 2 WGPs with @p groups workgroups of @p items under way. */
static struct fixture start(int script, uint32_t groups, uint32_t items)
{
    struct fixture f = fixture_new(0, 2, 2, 2);
    memset(&play, 0, sizeof play);
    play.script = (unsigned)script;
    play.g = f.g;
    lull_gpu_set_engine(f.g, scripted_engine);
    const uint64_t pgm = (FIXTURE_VA + 0x100) >> 8;
    lull_pm4_set_sh1(&f.b, LULL_GC11_COMPUTE_PGM_LO, (uint32_t)pgm);
    lull_pm4_set_sh1(&f.b, LULL_GC11_COMPUTE_PGM_HI, (uint32_t)(pgm >> 32));
    lull_pm4_set_sh1(&f.b, LULL_GC11_COMPUTE_PGM_RSRC1, 1 | 1 << 29);
    lull_pm4_set_sh1(&f.b, LULL_GC11_COMPUTE_PGM_RSRC2, 1 << 7);
    lull_pm4_set_sh1(&f.b, LULL_GC11_COMPUTE_NUM_THREAD_X, items);
    lull_pm4_set_sh1(&f.b, LULL_GC11_COMPUTE_NUM_THREAD_Y, 1);
    lull_pm4_set_sh1(&f.b, LULL_GC11_COMPUTE_NUM_THREAD_Z, 1);
    lull_pm4_dispatch(&f.b, groups, 1, 1, W32);
    lull_pm4_wait_waves(&f.b);
    fixture_submit(&f, LULL_RING_COMPUTE0 + 2, 1);
    return f;
}

static uint32_t sq_read(const struct fixture *f, uint32_t grbm, unsigned wave, unsigned index,
                        unsigned lane)
{
    const struct lull_bank bank = {.grbm = grbm};
    lull_gpu_write_reg(f->g, bank, INDEX, wave | lane << 5 | index << 16);
    return lull_gpu_read_reg(f->g, bank, DATA);
}

static void sq_write(const struct fixture *f, uint32_t grbm, unsigned wave, unsigned index,
                     unsigned lane, uint32_t value)
{
    const struct lull_bank bank = {.grbm = grbm};
    lull_gpu_write_reg(f->g, bank, INDEX, wave | lane << 5 | index << 16);
    lull_gpu_write_reg(f->g, bank, DATA, value);
}

static void sq_cmd(const struct fixture *f, uint32_t grbm, uint32_t value)
{
    lull_gpu_write_reg(f->g, (struct lull_bank){.grbm = grbm}, CMD, value);
}

static uint32_t simd_select(unsigned se, unsigned sa, unsigned wgp, unsigned simd)
{
    return se << 16 | sa << 8 | wgp << 2 | simd;
}

/** Find the wave of workgroup @p id; false: it is not there. */
static bool find(const struct fixture *f, uint32_t id, uint32_t *grbm, unsigned *wave)
{
    for (unsigned i = 0; i < 32; i++) {
        *grbm = simd_select(i >> 4 & 1, i >> 3 & 1, i >> 2 & 1, i & 3);
        const uint32_t active = sq_read(f, *grbm, 0, 0x0a, 0);
        for (*wave = 0; *wave < 16; (*wave)++) {
            if ((active >> *wave & 1) != 0 && sq_read(f, *grbm, *wave, 0x274, 0) == id) { // TTMP8
                return true;
            }
        }
    }
    return false;
}

/** Every wave is where HW_ID1 says, and all of them are found. */
static void test_places(void)
{
    struct fixture f = start(SPIN, 40, 32);
    unsigned found[40] = {0}, misplaced = 0, waves = 0;
    (void)lull_gpu_run(f.g, 200000);
    for (unsigned i = 0; i < 32; i++) {
        const unsigned se = i >> 4 & 1, sa = i >> 3 & 1, wgp = i >> 2 & 1, simd = i & 3;
        const uint32_t grbm = simd_select(se, sa, wgp, simd);
        const uint32_t active = sq_read(&f, grbm, 0, 0x0a, 0);
        for (unsigned wave = 0; wave < 20; wave++) {
            if ((active >> wave & 1) != 0) {
                const uint32_t want = wave | simd << 8 | wgp << 10 | sa << 16 | se << 18;
                misplaced += sq_read(&f, grbm, wave, 0x117, 0) != want;
                found[sq_read(&f, grbm, wave, 0x274, 0) % 40]++;
                waves++;
            }
        }
    }
    unsigned once = 0;
    for (unsigned i = 0; i < 40; i++) {
        once += found[i] == 1;
    }
    test_case(once == 40 && waves == 40 && misplaced == 0, "waves are where HW_ID1 says",
              "%u of 40 once, %u waves, %u misplaced", once, waves, misplaced);
    const uint32_t id2 = sq_read(&f, 0, 0, 0x118, 0);
    test_case(id2 == (2u << 4 | 1u << 8 | 1u << 24), "HW_ID2: pipe 2, ME 1, VMID 1", "0x%08" PRIx32,
              id2);
    test_case(sq_read(&f, 5u << 16, 0, 0x102, 0) == 0, "no such SE", "not 0");
    test_case(sq_read(&f, 0, 15, 0x102, 0) == 0, "no such wave", "not 0");
    fixture_free(&f);
}

static void test_registers(void)
{
    struct fixture f = start(SPIN, 1, 32);
    uint32_t grbm = 0;
    unsigned wave = 0;
    (void)lull_gpu_run(f.g, 100);
    const bool found = find(&f, 0, &grbm, &wave);
    const uint32_t pc[2] = {sq_read(&f, grbm, wave, 0x108, 0), sq_read(&f, grbm, wave, 0x109, 0)};
    test_case(found && pc[0] == (uint32_t)(FIXTURE_VA + 0x100) &&
                  pc[1] == (uint32_t)(FIXTURE_VA >> 32),
              "PC", "0x%" PRIx32 " 0x%" PRIx32, pc[0], pc[1]);
    test_case(sq_read(&f, grbm, wave, 0x27e, 0) == 0xffffffff &&
                  sq_read(&f, grbm, wave, 0x27f, 0) == 0,
              "EXEC", "not 0xffffffff, 0");
    test_case(sq_read(&f, grbm, wave, 0x400, 13) == 13, "VGPR 0 of lane 13", "%" PRIu32,
              sq_read(&f, grbm, wave, 0x400, 13));
    sq_write(&f, grbm, wave, 0x402, 5, 0x1234);
    test_case(sq_read(&f, grbm, wave, 0x402, 5) == 0x1234 && sq_read(&f, grbm, wave, 0x402, 4) == 0,
              "write a VGPR", "0x%" PRIx32, sq_read(&f, grbm, wave, 0x402, 5));
    sq_write(&f, grbm, wave, 0x200 + 30, 0, 0x77);
    sq_write(&f, grbm, wave, 0x200 + 124, 0, 0x77);
    test_case(sq_read(&f, grbm, wave, 0x200 + 30, 0) == 0x77 &&
                  sq_read(&f, grbm, wave, 0x200 + 124, 0) == 0,
              "write SGPRs, but not NULL", "0x%" PRIx32, sq_read(&f, grbm, wave, 0x200 + 30, 0));
    const struct lull_bank bank = {.grbm = grbm};
    lull_gpu_write_reg(f.g, bank, INDEX, wave | AUTO_INCR | 0x200u << 16);
    bool same = true;
    for (unsigned i = 0; i < 128; i++) {
        const uint32_t v = lull_gpu_read_reg(f.g, bank, DATA);
        const uint32_t index = lull_gpu_read_reg(f.g, bank, INDEX);
        same &= v == sq_read(&f, grbm, wave, 0x200 + i, 0);
        lull_gpu_write_reg(f.g, bank, INDEX, index);
    }
    test_case(same, "AUTO_INCR reads all SGPRs", "a difference");
    test_case(sq_read(&f, grbm, wave, 0x400 + 255, 0) == 0, "VGPR beyond the allocation", "not 0");
    // RSRC1.VGPRS 1: 16 asked for, 24 given (granule of Navi 31), told in fours
    test_case(sq_read(&f, grbm, wave, 0x105, 0) == 5u << 12, "GPR_ALLOC", "0x%" PRIx32,
              sq_read(&f, grbm, wave, 0x105, 0));
    fixture_free(&f);
}

/** What was written from outside is not there for the next wave in that memory. */
static void test_left_behind(void)
{
    enum { IN_FLIGHT = 64 };
    struct fixture f = start(SPIN, IN_FLIGHT + 1, 32);
    uint32_t grbm = 0;
    unsigned wave = 0;
    (void)lull_gpu_run(f.g, 1000);
    const bool first = find(&f, 0, &grbm, &wave) && !find(&f, IN_FLIGHT, &grbm, &wave) &&
                       find(&f, 0, &grbm, &wave);
    sq_write(&f, grbm, wave, 0x402, 5, 0x1234);
    sq_cmd(&f, grbm, CMD_KILL | wave << 16);
    (void)lull_gpu_run(f.g, 100000);
    const bool next = find(&f, IN_FLIGHT, &grbm, &wave);
    test_case(first && next && sq_read(&f, grbm, wave, 0x402, 5) == 0,
              "the next wave's registers are 0", "first %d, next %d, 0x%" PRIx32, first, next,
              sq_read(&f, grbm, wave, 0x402, 5));
    fixture_free(&f);
}

static void test_halt(void)
{
    struct fixture f = start(SPIN, 4, 32);
    uint32_t grbm = 0, other = 0;
    unsigned wave = 0, other_wave = 0;
    (void)lull_gpu_run(f.g, 200000);
    bool found = find(&f, 2, &grbm, &wave) && find(&f, 1, &other, &other_wave);
    sq_cmd(&f, grbm, CMD_SETHALT | 1 << 8 | wave << 16);
    const uint32_t before = sq_read(&f, grbm, wave, 0x214, 0),
                   other_before = sq_read(&f, other, other_wave, 0x214, 0);
    (void)lull_gpu_run(f.g, 200000);
    const uint32_t after = sq_read(&f, grbm, wave, 0x214, 0);
    test_case(found && before == after && sq_read(&f, other, other_wave, 0x214, 0) > other_before,
              "SETHALT stops one wave", "%" PRIu32 " %" PRIu32, before, after);
    test_case((sq_read(&f, grbm, wave, 0x102, 0) & STATUS_HALT) != 0, "STATUS.HALT is seen",
              "it is not");
    test_case(sq_read(&f, grbm, 0, 0x0b, 0) == 1u << wave, "VALID_AND_IDLE", "0x%" PRIx32,
              sq_read(&f, grbm, 0, 0x0b, 0));
    sq_cmd(&f, grbm, CMD_SINGLE_STEP | wave << 16);
    sq_cmd(&f, grbm, CMD_SINGLE_STEP | wave << 16);
    (void)lull_gpu_run(f.g, 200000);
    test_case(sq_read(&f, grbm, wave, 0x214, 0) == after + 2, "SINGLE_STEP",
              "%" PRIu32 ", was %" PRIu32, sq_read(&f, grbm, wave, 0x214, 0), after);
    sq_cmd(&f, ALL, CMD_SETHALT | 1 << 8 | BROADCAST);
    test_case(lull_gpu_run(f.g, 1000) == 0, "all halted: nothing moves", "it moves");
    sq_cmd(&f, ALL, CMD_SETHALT | BROADCAST | CHECK_VMID | 2u << 28);
    test_case(lull_gpu_run(f.g, 1000) == 0, "another VMID's command", "it moves");
    sq_cmd(&f, grbm, CMD_SETHALT | wave << 16);
    test_case(lull_gpu_run(f.g, 1000) == 1000 && sq_read(&f, grbm, wave, 0x214, 0) == after + 1002,
              "resume one", "%" PRIu32, sq_read(&f, grbm, wave, 0x214, 0));
    sq_cmd(&f, grbm, CMD_SETFATALHALT | 1 << 8 | wave << 16);
    sq_cmd(&f, grbm, CMD_SETHALT | wave << 16);
    test_case(lull_gpu_run(f.g, 1000) == 0, "FATAL_HALT holds without HALT", "it moves");
    sq_cmd(&f, ALL, CMD_KILL | BROADCAST | CHECK_VMID | 1u << 28);
    struct lull_gpu_done done = {0};
    const bool ended = fixture_run(&f, 1000, &done);
    test_case(ended && done.result == LULL_JOB_DONE && sq_read(&f, grbm, 0, 0x0a, 0) == 0,
              "KILL, as the kernel's soft recovery does", "ended %d", ended);
    fixture_free(&f);
}

/** A trap reaches a wave that is halted; without a handler there is none. */
static void test_trap(void)
{
    struct fixture f = start(SPIN, 1, 32);
    const struct lull_bank bank = {.srbm = FIXTURE_VMID << 4};
    lull_gpu_write_reg(f.g, bank, LULL_GC11_SQ_SHADER_TBA_LO, 0x00800010);
    lull_gpu_write_reg(f.g, bank, LULL_GC11_SQ_SHADER_TBA_HI, 0xff | 1u << 31);
    lull_gpu_write_reg(f.g, bank, LULL_GC11_SQ_SHADER_TMA_LO, 0x55);
    test_case(lull_gpu_read_reg(f.g, bank, LULL_GC11_SQ_SHADER_TBA_HI) == (0xff | 1u << 31) &&
                  lull_gpu_read_reg(f.g, (struct lull_bank){0}, LULL_GC11_SQ_SHADER_TBA_HI) == 0,
              "TBA is banked by VMID", "it is not");
    (void)lull_gpu_run(f.g, 100);
    uint32_t grbm = 0;
    unsigned wave = 0;
    (void)find(&f, 0, &grbm, &wave);
    const struct lull_wave *w = &f.g->groups[0]->slots[0]->w;
    test_case(
        w->trap_en && w->tba == 0xffffff0080001000 && w->tma == 0x5500 && (w->status & 1 << 6) != 0,
        "TBA, TMA and TRAP_EN at launch", "tba 0x%" PRIx64 ", tma 0x%" PRIx64, w->tba, w->tma);
    sq_cmd(&f, grbm, CMD_SETHALT | 1 << 8 | wave << 16);
    sq_cmd(&f, grbm, CMD_TRAP | wave << 16);
    const uint32_t before = sq_read(&f, grbm, wave, 0x214, 0);
    (void)lull_gpu_run(f.g, 1000);
    test_case(play.traps == 1 && sq_read(&f, grbm, wave, 0x214, 0) == before,
              "TRAP reaches a halted wave", "%u traps", play.traps);
    sq_cmd(&f, grbm, CMD_TRAP_AFTER_INST | 1 << 8 | wave << 16);
    test_case((sq_read(&f, grbm, wave, 0x101, 0) >> 11 & 1) == 1, "TRAP_AFTER_INST sets MODE",
              "it does not");
    fixture_free(&f);
    f = start(SPIN, 1, 32);
    (void)lull_gpu_run(f.g, 100);
    sq_cmd(&f, ALL, CMD_TRAP | BROADCAST);
    (void)lull_gpu_run(f.g, 100);
    test_case(play.traps == 0 && f.g->groups[0]->slots[0]->w.pending == 0, "no handler, no trap",
              "%u", play.traps);
    fixture_free(&f);
}

static void test_launch_controls(void)
{
    const struct lull_bank bank = {.srbm = FIXTURE_VMID << 4};
    struct fixture f = start(COUNT_DOWN, 3, 32);
    struct lull_gpu_done done = {0};
    lull_gpu_write_reg(f.g, bank, GDBG, 1); // STALL
    (void)fixture_run(&f, 1000, &done);
    test_case(f.g->nwaves == 0 && lull_gpu_run(f.g, 100) == 0, "STALL launches nothing", "%u waves",
              f.g->nwaves);
    lull_gpu_write_reg(f.g, bank, GDBG, 1 << 1); // LAUNCH_MODE halt
    (void)fixture_run(&f, 1000, &done);
    test_case(f.g->nwaves == 3 && lull_gpu_run(f.g, 100) == 0, "LAUNCH_MODE 1: halted at launch",
              "%u waves", f.g->nwaves);
    sq_cmd(&f, ALL, CMD_SETHALT | BROADCAST);
    const bool ended = fixture_run(&f, 10000000, &done);
    test_case(ended && done.result == LULL_JOB_DONE, "and resumed", "ended %d", ended);
    fixture_free(&f);
    f = start(SPIN, 1, 32);
    lull_gpu_write_reg(f.g, bank, GDBG,
                       3 << 1 | 1 << 4 | 1 << 14 | 1 << 15); // single step, EXCP_EN, start, end
    lull_gpu_write_reg(f.g, bank, LULL_GC11_SQ_SHADER_TBA_LO, 1);
    lull_gpu_write_reg(f.g, bank, LULL_GC11_SQ_SHADER_TBA_HI, 1u << 31);
    (void)lull_gpu_run(f.g, 10);
    const struct lull_wave *w = &f.g->groups[0]->slots[0]->w;
    test_case(w->pending == LULL_TRAP_WAVE_START && (w->mode >> 11 & 1) == 1 &&
                  (w->mode >> 12 & 0x1ff) == 1 && (w->mode >> 21 & 1) == 1,
              "TRAP_ON_START, TRAP_ON_END, EXCP_EN, single step", "pending %u, mode 0x%" PRIx32,
              w->pending, w->mode);
    fixture_free(&f);
}

static void test_barrier(void)
{
    struct fixture f = start(MEET, 3, 8 * 32);
    struct lull_gpu_done done = {0};
    const bool ended = fixture_run(&f, 100000, &done);
    unsigned ends = 0;
    for (unsigned i = 0; i < 24; i++) {
        ends += play.order[i] == 1;
    }
    test_case(ended && play.norder == 24 && ends == 3 && play.early == 0,
              "everybody passes the barrier once", "ended %d, %u passed", ended, play.norder);
    fixture_free(&f);
    // wave 3 halted: nobody passes
    f = start(MEET, 1, 8 * 32);
    lull_gpu_write_reg(f.g, (struct lull_bank){.srbm = FIXTURE_VMID << 4}, GDBG, 1 << 1);
    (void)lull_gpu_run(f.g, 100);
    for (unsigned i = 0; i < 8; i++) {
        const struct lull_gpu_slot *s = f.g->groups[0]->slots[i];
        if (i != 3) {
            sq_cmd(&f, simd_select(s->unit.se, s->unit.sa, s->unit.wgp, s->unit.simd),
                   CMD_SETHALT | (unsigned)s->wave << 16);
        }
    }
    (void)fixture_run(&f, 10000, &done);
    const bool held = f.g->ngroups == 1 && play.norder == 1 && f.g->groups[0]->wg.nbarrier == 6 &&
                      lull_gpu_run(f.g, 100) == 0;
    if (!test_case(held, "a halted wave holds the others at the barrier", "%u groups, %u passed",
                   f.g->ngroups, play.norder)) {
        fixture_free(&f);
        return;
    }
    // a trap taken at the barrier comes back to it
    for (unsigned i = 0; i < 8; i++) {
        struct lull_gpu_slot *s = f.g->groups[0]->slots[i];
        if (s != NULL) {
            s->w.tba = 0x100;
            s->w.trap_en = true;
        }
    }
    const struct lull_gpu_slot *s = f.g->groups[0]->slots[0];
    sq_cmd(&f, simd_select(s->unit.se, s->unit.sa, s->unit.wgp, s->unit.simd),
           CMD_TRAP | (unsigned)s->wave << 16);
    (void)fixture_run(&f, 1000, &done);
    test_case(play.traps == 1 && play.norder == 1 && s->w.state == LULL_WAVE_BARRIER &&
                  (s->w.status & STATUS_IN_BARRIER) != 0,
              "a trap taken at the barrier comes back to it", "%u traps, %u passed, state %d",
              play.traps, play.norder, s->w.state);
    sq_cmd(&f, ALL, CMD_SETHALT | BROADCAST);
    const bool done_at_last = fixture_run(&f, 10000, &done);
    test_case(done_at_last && play.norder == 8, "and all pass in the end", "%u passed",
              play.norder);
    fixture_free(&f);
}

/** Pages of [@p mem, +@p size) that the host has given. */
static unsigned pages_of(const void *mem, size_t size)
{
    enum { PAGE = 4096, MOST = 8192 };
    static unsigned char in_core[MOST];
    const uintptr_t first = ((uintptr_t)mem + PAGE - 1) / PAGE,
                    end = ((uintptr_t)mem + size) / PAGE;
    unsigned n = 0;
    if (end - first > MOST || mincore((char *)mem + (first * PAGE - (uintptr_t)mem),
                                      (end - first) * PAGE, in_core) != 0) {
        return UINT_MAX;
    }
    for (size_t i = 0; i < end - first; i++) {
        n += in_core[i] & 1;
    }
    return n;
}

/** Programs are started thousands of times, and most have few waves. */
static void test_untouched(void)
{
    // Meson has malloc fill what it gives (MALLOC_PERTURB_), and a kernel may give large pages.
    mallopt(M_PERTURB, 0);
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    struct fixture f = fixture_new(0, 6, 2, 8);
    for (unsigned i = 0; i < LULL_NVMID; i++) {
        lull_gpu_flush_tlb(f.g, i);
    }
    const size_t size = f.g->nslots * sizeof *f.g->slots;
    const unsigned slots = pages_of(f.g->slots, size), own = pages_of(f.g, sizeof *f.g);
    test_case(size > 4 << 20 && slots == 0 && own <= 4 * LULL_NVMID,
              "a new GPU holds few pages of the host's", "%u of %zu bytes of slots, %u of its own",
              slots, size, own);
    unsigned there = 0;
    for (unsigned i = 0; i < f.g->nslots; i += LULL_SIMD_SLOTS) {
        const struct lull_gpu_unit u = lull_gpu_unit_of(f.g, i);
        there += sq_read(&f, simd_select(u.se, u.sa, u.wgp, u.simd), 0, LULL_SQIND_ACTIVE, 0) != 0;
    }
    sq_cmd(&f, ALL, CMD_SETHALT | BROADCAST);
    const unsigned after = pages_of(f.g->slots, size);
    test_case(there == 0 && after == 0, "and looking for waves takes no more", "%u, %u pages",
              there, after);
    fixture_free(&f);
}

static void test_sleep(void)
{
    struct fixture f = start(NAP, 1, 32);
    struct lull_gpu_done done = {0};
    const uint64_t before = f.g->cycles;
    const bool ended = fixture_run(&f, 100000, &done);
    test_case(ended && play.woke_at >= before + 1000 && play.woke_at < before + 1100,
              "s_sleep takes its time", "ended %d, %" PRIu64 " cycles", ended,
              play.woke_at - before);
    fixture_free(&f);
}

int main(void)
{
    test_places();
    test_registers();
    test_left_behind();
    test_halt();
    test_trap();
    test_launch_controls();
    test_barrier();
    test_sleep();
    test_untouched();
    return test_end();
}
