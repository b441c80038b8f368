// SPDX-License-Identifier: MIT
// Hardware registers, traps, messages, halt, sleep, barrier, end. Bit numbers from AMD's guide and
// the kernel.
#include <stdint.h>

#include "sys_rows.h"
#include "wave_fixture.h"

enum {
    ID_MODE = 1,
    ID_STATUS = 2,
    ID_TRAPSTS = 3,
    PRIV = 1 << 5,
    HALT = 1 << 13,
    FATAL_HALT = 1 << 23,
    IN_BARRIER = 1 << 12,
    TTMP0 = 108,
};
#define TBA 0xffff800000abc000ull

static void setup(struct fixture *f)
{
    f->w.pc = 0xffff8000deadbee0;
    f->w.tba = TBA;
    f->w.trap_en = true;
    f->w.status = 1 << 6;
}

static void test_trap(void)
{
    struct fixture *f = fix_new(32, 1);
    setup(f);
    bool ok = fix_run(f, ASM("s_trap 2")) == LULL_EXEC_STAY; // counted when it is passed over
    test_case(ok && f->w.pc == TBA && (f->w.status & PRIV) != 0 && f->w.sgpr[TTMP0] == 0xdeadbee0 &&
                  f->w.sgpr[TTMP0 + 1] == 0x00028000,
              "s_trap 2", "pc %llx ttmp1 %x", (unsigned long long)f->w.pc, f->w.sgpr[TTMP0 + 1]);
    test_case(fix_run(f, ASM("s_trap 3")) == LULL_EXEC_ILLEGAL, "s_trap in the handler",
              "executed");
    f->w.sgpr[TTMP0] += 4;
    ok = fix_run(f, ASM("s_rfe_b64 [ttmp0, ttmp1]")) == LULL_EXEC_JUMP;
    test_case(ok && f->w.pc == 0xffff8000deadbee4 && (f->w.status & PRIV) == 0,
              "s_rfe_b64 extends 48 bits", "pc %llx", (unsigned long long)f->w.pc);
    test_case(fix_run(f, ASM("s_rfe_b64 s[2:3]")) == LULL_EXEC_ILLEGAL,
              "s_rfe_b64 outside the handler", "executed");
    ok = lull_wave_trap(&f->w, 0, true);
    test_case(ok && f->w.sgpr[TTMP0 + 1] == 0x01008000, "host trap", "ttmp1 %x",
              f->w.sgpr[TTMP0 + 1]);
    f->w.status &= ~(uint32_t)PRIV;
    f->w.trap_en = false;
    f->w.pc = 64;
    ok = fix_run(f, ASM("s_trap 2")) == LULL_EXEC_NEXT && f->w.pc == 64 &&
         !lull_wave_trap(&f->w, 0, false);
    test_case(ok && (f->w.status & PRIV) == 0, "s_trap without a handler", "pc %llx",
              (unsigned long long)f->w.pc);
    fix_free(f);
}

// Branch by STATUS bits 21 (SYS) and 20 (USER); the loop over EXEC's halves, as AMD's guide tells
// it.
static void test_rare_branches(void)
{
    struct fixture *f = fix_new(64, 1);
    for (uint32_t bits = 0; bits < 4; bits++) {
        const bool sys = (bits & 2) != 0;
        const bool user = (bits & 1) != 0;
        f->w.status = bits << 20;
        bool ok = (fix_run(f, ASM("s_cbranch_cdbgsys 3")) == LULL_EXEC_JUMP) == sys;
        ok = ok && (fix_run(f, ASM("s_cbranch_cdbguser 3")) == LULL_EXEC_JUMP) == user;
        ok = ok &&
             (fix_run(f, ASM("s_cbranch_cdbgsys_or_user 3")) == LULL_EXEC_JUMP) == (sys || user);
        ok = ok &&
             (fix_run(f, ASM("s_cbranch_cdbgsys_and_user 3")) == LULL_EXEC_JUMP) == (sys && user);
        test_case(ok, "s_cbranch_cdbg*", "bits %u", bits);
    }
    f->w.sgpr[126] = 0x0f;
    f->w.sgpr[127] = 0xf0;
    f->w.pc = 0x1000;
    bool ok = fix_run(f, ASM("s_subvector_loop_begin s5, 8")) == LULL_EXEC_NEXT;
    test_case(ok && f->w.sgpr[5] == 0xf0 && f->w.sgpr[126] == 0x0f && f->w.sgpr[127] == 0,
              "low pass", "s5 %x", f->w.sgpr[5]);
    ok = fix_run(f, ASM("s_subvector_loop_end s5, 0xfffe")) == LULL_EXEC_JUMP;
    test_case(ok && f->w.pc == 0x1000 + 4 - 8 && f->w.sgpr[126] == 0 && f->w.sgpr[127] == 0xf0,
              "then the high pass", "pc %llx", (unsigned long long)f->w.pc);
    ok = fix_run(f, ASM("s_subvector_loop_end s5, 0xfffe")) == LULL_EXEC_NEXT;
    test_case(ok && f->w.sgpr[126] == 0x0f && f->w.sgpr[127] == 0xf0, "EXEC as before", "%x",
              f->w.sgpr[126]);
    fix_free(f);
}

// s_setreg of all ones over zeros: bits that change.
static const struct {
    const char *name;
    unsigned id;
    uint32_t user, priv;
} masks[] = {
    {"MODE", ID_MODE, 0x089ff3ff, 0x08bfffff},
    {"TRAPSTS", ID_TRAPSTS, 0x000071ff, 0xffffffff},
    {"FLAT_SCR_LO", 20, 0, 0xffffffff},
    {"HW_ID1", 23, 0, 0},
    {"HW_ID2", 24, 0, 0},
    {"GPR_ALLOC", 5, 0, 0},
};

static void test_masks(void)
{
    for (size_t i = 0; i < TEST_ROWS(masks); i++) {
        for (unsigned priv = 0; priv < 2; priv++) {
            struct fixture *f = fix_new(32, 1);
            f->w.mode = 0;
            f->w.flat_scratch = 0;
            f->w.status = priv * PRIV;
            lull_wave_set_hwreg(&f->w, masks[i].id, UINT32_MAX);
            const uint32_t got = lull_wave_hwreg(&f->w, masks[i].id);
            test_case(got == (priv ? masks[i].priv : masks[i].user), masks[i].name, "priv %u: %08x",
                      priv, got);
            fix_free(f);
        }
    }
}

static void test_status(void)
{
    struct fixture *f = fix_new(64, 1);
    struct lull_wave *w = &f->w;
    w->sgpr[126] = w->sgpr[127] = w->sgpr[106] = 0;
    w->sgpr[107] = 1;
    w->scc = 1;
    uint32_t got = lull_wave_hwreg(w, ID_STATUS);
    test_case(got == (1 | 1 << 9), "STATUS: SCC, EXECZ of wave64", "%08x", got);
    w->sgpr[127] = 1;
    w->sgpr[107] = 0;
    w->scc = 0;
    got = lull_wave_hwreg(w, ID_STATUS);
    test_case(got == 1 << 10, "STATUS: VCCZ of wave64", "%08x", got);
    lull_wave_set_hwreg(w, ID_STATUS, HALT | FATAL_HALT | PRIV | 1);
    test_case((w->status & (HALT | FATAL_HALT | PRIV)) == 0 && w->scc == 0,
              "user code cannot halt or rise by STATUS", "%08x", w->status);
    w->status |= PRIV;
    lull_wave_set_hwreg(w, ID_STATUS, HALT | 1);
    test_case((w->status & (HALT | PRIV)) == (HALT | PRIV) && w->scc == 1,
              "the handler writes HALT and SCC, not PRIV", "%08x", w->status);
    got = lull_wave_hwreg(w, 15);
    test_case(got == 0x20001000, "SH_MEM_BASES", "%08x", got);
    fix_free(f);
}

static void test_fields(void)
{
    struct fixture *f = fix_new(32, 1);
    f->w.mode = 0x000001f0;
    f->w.sgpr[3] = 0xfffffff9;
    f->w.hw_id2 = 0x05012345;
    fix_run(f, ASM("s_getreg_b32 s2, hwreg(HW_REG_HW_ID2, 24, 4)"));
    test_case(f->w.sgpr[2] == 5, "s_getreg_b32 of VM_ID", "%x", f->w.sgpr[2]);
    fix_run(f, ASM("s_setreg_b32 hwreg(HW_REG_MODE, 2, 2), s3"));
    test_case(f->w.mode == 0x000001f4, "s_setreg_b32 of two bits", "%x", f->w.mode);
    fix_run(f, ASM("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0x3a"));
    test_case(f->w.mode == 0x000001a4, "s_setreg_imm32_b32", "%x", f->w.mode);
    fix_run(f, ASM("s_round_mode 0x3"));
    test_case(f->w.mode == 0x000001a3, "s_round_mode", "%x", f->w.mode);
    fix_run(f, ASM("s_denorm_mode 5"));
    test_case(f->w.mode == 0x00000153, "s_denorm_mode", "%x", f->w.mode);
    fix_run(f, ASM("s_setprio 2"));
    test_case(f->w.status == 2 << 3, "s_setprio", "%x", f->w.status);
    f->w.sgpr[TTMP0 + 2] = 42;
    fix_run(f, ASM("s_getreg_b32 ttmp2, hwreg(HW_REG_MODE)"));
    test_case(f->w.sgpr[TTMP0 + 2] == 42, "s_getreg_b32 into TTMP of user code", "%x",
              f->w.sgpr[TTMP0 + 2]);
    fix_free(f);
}

static void test_states(void)
{
    struct fixture *f = fix_new(32, 1);
    setup(f);
    bool ok = fix_run(f, ASM("s_sleep 3")) == LULL_EXEC_YIELD && f->w.state == LULL_WAVE_SLEEP;
    test_case(ok && f->w.sleep_cycles == 192, "s_sleep", "%u", f->w.sleep_cycles);
    f->w.state = LULL_WAVE_RUNNING;
    ok = fix_run(f, ASM("s_barrier")) == LULL_EXEC_YIELD && f->w.state == LULL_WAVE_BARRIER;
    test_case(ok && (f->w.status & IN_BARRIER) != 0, "s_barrier", "state %d", (int)f->w.state);
    f->w.state = LULL_WAVE_RUNNING;
    f->wg.nended = 1;
    ok = fix_run(f, ASM("s_barrier")) == LULL_EXEC_NEXT && f->w.state == LULL_WAVE_RUNNING;
    test_case(ok, "s_barrier of the last wave", "state %d", (int)f->w.state);
    ok = fix_run(f, ASM("s_sethalt 1")) == LULL_EXEC_YIELD && f->w.state == LULL_WAVE_HALTED;
    test_case(ok && (f->w.status & HALT) != 0, "s_sethalt", "state %d", (int)f->w.state);
    f->w.state = LULL_WAVE_RUNNING;
    f->w.status = PRIV;
    ok = fix_run(f, ASM("s_sethalt 1")) == LULL_EXEC_NEXT && f->w.state == LULL_WAVE_RUNNING;
    f->w.sgpr[2] = 0x1000;
    f->w.sgpr[3] = 0;
    ok = ok && fix_run(f, ASM("s_rfe_b64 s[2:3]")) == LULL_EXEC_YIELD &&
         f->w.state == LULL_WAVE_HALTED;
    test_case(ok && f->w.pc + 4 == 0x1000, "HALT waits for the end of the handler", "pc %llx",
              (unsigned long long)f->w.pc);
    f->w.state = LULL_WAVE_RUNNING;
    f->w.status = PRIV;
    ok = fix_run(f, ASM("s_sethalt 5")) == LULL_EXEC_YIELD && f->w.state == LULL_WAVE_HALTED;
    test_case(ok && f->w.status == (PRIV | FATAL_HALT), "fatal halt", "%x", f->w.status);
    f->w.state = LULL_WAVE_RUNNING;
    test_case(fix_run(f, ASM("s_code_end")) == LULL_EXEC_ILLEGAL, "s_code_end", "executed");
    f->w.status = 0;
    f->w.mode = 1 << 21; // WAVE_END
    f->w.pc = 0x2000;
    ok = fix_run(f, ASM("s_endpgm")) == LULL_EXEC_JUMP && f->w.pc == TBA && f->w.trapsts == 1 << 18;
    test_case(ok && f->w.sgpr[TTMP0] == 0x2000, "trap at the end of the wave", "%x", f->w.trapsts);
    f->w.status = 0;
    ok = fix_run(f, ASM("s_endpgm")) == LULL_EXEC_YIELD && f->w.state == LULL_WAVE_ENDED;
    test_case(ok, "s_endpgm", "state %d", (int)f->w.state);
    fix_free(f);
}

static void take_message(struct lull_wave *w, uint32_t msg)
{
    w->tma = msg;
}

static uint64_t answer(struct lull_wave *w, uint32_t msg)
{
    (void)w;
    return 0x123456789abc0000 + msg;
}

static uint64_t tick(struct lull_wave *w)
{
    (void)w;
    return 0x87654321;
}

static void test_messages(void)
{
    struct fixture *f = fix_new(32, 1);
    f->host.sendmsg = take_message;
    f->host.sendmsg_rtn = answer;
    f->host.clock = tick;
    fix_run(f, ASM("s_sendmsg sendmsg(MSG_INTERRUPT)"));
    test_case(f->w.tma == 1, "s_sendmsg", "%llx", (unsigned long long)f->w.tma);
    fix_run(f, ASM("s_sendmsg_rtn_b64 s[4:5], sendmsg(MSG_RTN_GET_TMA)"));
    test_case(f->w.sgpr[4] == 0x9abc0082 && f->w.sgpr[5] == 0x12345678, "s_sendmsg_rtn_b64",
              "%x %x", f->w.sgpr[4], f->w.sgpr[5]);
    f->w.sgpr[7] = 7;
    fix_run(f, ASM("s_sendmsg_rtn_b32 s6, sendmsg(MSG_RTN_GET_DOORBELL)"));
    test_case(f->w.sgpr[6] == 0x9abc0080 && f->w.sgpr[7] == 7, "s_sendmsg_rtn_b32", "%x",
              f->w.sgpr[6]);
    fix_run(f, ASM("s_getreg_b32 s2, hwreg(HW_REG_SHADER_CYCLES)"));
    test_case(f->w.sgpr[2] == 0x54321, "SHADER_CYCLES has 20 bits", "%x", f->w.sgpr[2]);
    fix_free(f);
}

int main(void)
{
    test_trap();
    test_rare_branches();
    test_masks();
    test_status();
    test_fields();
    test_states();
    test_messages();
    return test_end();
}
