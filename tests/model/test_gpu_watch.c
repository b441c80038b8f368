// SPDX-License-Identifier: MIT
// TCP_WATCH0 to 3: which accesses hit, and the trap that follows.
//
// The words are what llvm-mc 19 -mcpu=gfx1100 makes of the assembly beside them; register fields
// are those of gc_11_0_0_sh_mask.h.
#include "gpu_fixture.h"
#include "test.h"

#include <inttypes.h>

enum {
    CODE = 0x10000, // offsets in the mapping
    HANDLER = 0x11000,
    OUT = 0x20000,
    LOG = 0x30000,
    PC_STORE = 24, // behind each of the three instructions
    PC_LOAD = 36,
    PC_ATOMIC = 48,
    READ = 0, // modes
    NONREAD = 1,
    ATOMIC = 2,
    ALL = 3,
    EXACT = 0x7fffff,
};

#define VALID (1u << 31)

// clang-format off
static const uint32_t program[] = {
    0xb98004c1, 0x00000001, // s_setreg_imm32_b32 hwreg(HW_REG_MODE, 19, 1), 1
    0x30040082,             // v_lshlrev_b32 v2, 2, v0
    0x7e060287,             // v_mov_b32 v3, 7
    0xdc6a0000, 0x00000302, // global_store_b32 v2, v3, s[0:1]
    0xbc7c0000,             // s_waitcnt_vscnt null, 0
    0xdc520800, 0x04000002, // global_load_b32 v4, v2, s[0:1] offset:2048
    0xbf8903f7,             // s_waitcnt vmcnt(0)
    0xdcd60000, 0x00020302, // global_atomic_add_u32 v2, v3, s[2:3]
    0xbc7c0000,             // s_waitcnt_vscnt null, 0
    0xbfb00000,             // s_endpgm
};
// Writes {TRAPSTS, PC} to s[4:5], which it moves on.
static const uint32_t handler[] = {
    0xb8eef803,             // s_getreg_b32 ttmp2, hwreg(HW_REG_TRAPSTS)
    0xb98001c3, 0x00000000, // s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 7, 1), 0
    0xb9801303, 0x00000000, // s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 12, 3), 0
    0x7e0a026e,             // v_mov_b32 v5, ttmp2
    0x7e0c026c,             // v_mov_b32 v6, ttmp0
    0x7e0e0280,             // v_mov_b32 v7, 0
    0xdc6e0000, 0x00040507, // global_store_b64 v7, v[5:6], s[4:5]
    0xbc7c0000,             // s_waitcnt_vscnt null, 0
    0x80048804,             // s_add_u32 s4, s4, 8
    0x8b6dff6d, 0x0000ffff, // s_and_b32 ttmp1, ttmp1, 0xffff
    0xbe804a6c,             // s_rfe_b64 ttmp[0:1]
};
// clang-format on

struct hit {
    uint32_t trapsts, pc;
};

static const struct {
    const char *name;
    unsigned n; ///< Of the watch.
    uint32_t at, mask, mode, vmid;
    struct hit want[4];
} rows[] = {
    {"a store", 0, OUT, EXACT, NONREAD, 1, {{1 << 7, PC_STORE}}},
    {"its last byte's block", 0, OUT + 127, EXACT, ALL, 1, {{1 << 7, PC_STORE}}},
    {"the block behind", 0, OUT + 128, EXACT, ALL, 1, {{0, 0}}},
    {"reads only", 0, OUT, EXACT, READ, 1, {{0, 0}}},
    {"a load, by watch 1", 1, OUT + 2048, EXACT, READ, 1, {{1 << 12, PC_LOAD}}},
    {"an atomic, by watch 2", 2, OUT + 0x1000, EXACT, ATOMIC, 1, {{1 << 13, PC_ATOMIC}}},
    {"a store is not an atomic", 3, OUT, EXACT, ATOMIC, 1, {{0, 0}}},
    {"an atomic does not only read", 3, OUT + 0x1000, EXACT, NONREAD, 1, {{1 << 14, PC_ATOMIC}}},
    {"a mask: 4 KiB", // address bits 11 to 7 do not count
     0,
     OUT + 0x500,
     EXACT & ~31u,
     ALL,
     1,
     {{1 << 7, PC_STORE}, {1 << 7, PC_LOAD}}},
    {"another VMID", 0, OUT, EXACT, ALL, 2, {{0, 0}}},
};

static void test_row(size_t i, bool enabled)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    const uint64_t tba = (FIXTURE_VA + HANDLER) >> 8, pgm = (FIXTURE_VA + CODE) >> 8;
    const uint64_t address = FIXTURE_VA + rows[i].at;
    const struct lull_bank bank = {.srbm = FIXTURE_VMID << 4};
    struct lull_gpu_done done = {0};
    uint32_t code[sizeof program / 4] = {0};
    memcpy(code, program, sizeof program);
    code[1] = enabled; // what s_setreg writes to MODE.EXCP_EN bit 7
    memcpy(fixture_mem(&f, CODE), code, sizeof code);
    memcpy(fixture_mem(&f, HANDLER), handler, sizeof handler);
    lull_gpu_write_reg(f.g, bank, LULL_GC11_SQ_SHADER_TBA_LO, (uint32_t)tba);
    lull_gpu_write_reg(f.g, bank, LULL_GC11_SQ_SHADER_TBA_HI, (uint32_t)(tba >> 32) | 1u << 31);
    lull_gpu_write_reg(f.g, bank, 0xcaa0 + 12 * rows[i].n, (uint32_t)(address >> 32) & 0xffff);
    lull_gpu_write_reg(f.g, bank, 0xcaa4 + 12 * rows[i].n, (uint32_t)address & ~127u);
    lull_gpu_write_reg(f.g, bank, 0xcaa8 + 12 * rows[i].n,
                       rows[i].mask | rows[i].vmid << 24 | rows[i].mode << 29 | VALID);
    lull_pm4_set_sh1(&f.b, LULL_GC11_COMPUTE_PGM_LO, (uint32_t)pgm);
    lull_pm4_set_sh1(&f.b, LULL_GC11_COMPUTE_PGM_HI, (uint32_t)(pgm >> 32));
    lull_pm4_set_sh1(&f.b, LULL_GC11_COMPUTE_PGM_RSRC1, 3);
    lull_pm4_set_sh1(&f.b, LULL_GC11_COMPUTE_PGM_RSRC2, 6 << 1);
    const uint64_t args[3] = {FIXTURE_VA + OUT, FIXTURE_VA + OUT + 0x1000, FIXTURE_VA + LOG};
    lull_pm4_set_sh(&f.b, LULL_GC11_COMPUTE_USER_DATA_0, (const uint32_t *)args, 6);
    for (unsigned k = 0; k < 3; k++) {
        lull_pm4_set_sh1(&f.b, LULL_GC11_COMPUTE_NUM_THREAD_X + 4 * k, k == 0 ? 32 : 1);
    }
    lull_pm4_dispatch(&f.b, 1, 1, 1, 0x8005);
    fixture_submit(&f, LULL_RING_COMPUTE0, 1);
    const bool ended = fixture_run(&f, 100000, &done);
    bool same = true;
    for (unsigned k = 0; k < 4; k++) {
        const uint32_t pc = (uint32_t)(FIXTURE_VA + CODE) + rows[i].want[k].pc;
        const bool want = enabled && rows[i].want[k].trapsts != 0;
        same =
            same && (fixture_u32(&f, LOG + 8 * k) & 0x7080) == (want ? rows[i].want[k].trapsts : 0);
        same = same && fixture_u32(&f, LOG + 8 * k + 4) == (want ? pc : 0);
    }
    test_case(ended && same && fixture_u32(&f, OUT) == 7 && fixture_u32(&f, OUT + 0x1000) == 7,
              enabled ? rows[i].name : "MODE.EXCP_EN without it: no trap",
              "enabled %d, ended %d: TRAPSTS 0x%" PRIx32 " PC 0x%" PRIx32 ", then 0x%" PRIx32,
              enabled, ended, fixture_u32(&f, LOG), fixture_u32(&f, LOG + 4),
              fixture_u32(&f, LOG + 8));
    fixture_free(&f);
}

int main(void)
{
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        test_row(i, true);
    }
    test_row(0, false); // MODE.EXCP_EN bit 7 is clear: no trap
    return test_end();
}
