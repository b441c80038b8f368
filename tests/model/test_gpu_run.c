// SPDX-License-Identifier: MIT
// Whole programs on the whole GPU: PM4, dispatch, waves that execute machine code, memory.
//
// The words are what llvm-mc 19 -mcpu=gfx1100 makes of the assembly beside them.
#include "gpu_fixture.h"
#include "test.h"

#include <inttypes.h>

enum {
    CODE = 0x10000, // offsets in the mapping
    HANDLER = 0x11000,
    OUT = 0x20000,
    SCRATCH = 0x100000,
    SHADER_W32 = 0x8005, // enable, from zero, wave32
    SHADER_W64 = 0x0005,
    // two user SGPRs, workgroup id x
    RSRC2 = 2 << 1 | 1 << 7,
    RSRC2_SCRATCH = RSRC2 | 1,
    STATUS_FATAL_HALT = 1 << 23,
};

// clang-format off
static const uint32_t squares[] = {
    0x84028502,             // s_lshl_b32 s2, s2, 5
    0x4a020002,             // v_add_nc_u32 v1, s2, v0
    0x30040282,             // v_lshlrev_b32 v2, 2, v1
    0xd72c0003, 0x00020301, // v_mul_lo_u32 v3, v1, v1
    0xdc6a0000, 0x00000302, // global_store_b32 v2, v3, s[0:1]
    0xbfb00000,             // s_endpgm
};
static const uint32_t reverse[] = {
    0x84028802,             // s_lshl_b32 s2, s2, 8
    0x4a020002,             // v_add_nc_u32 v1, s2, v0
    0x30040082,             // v_lshlrev_b32 v2, 2, v0
    0xd8340000, 0x00000102, // ds_store_b32 v2, v1
    0xbf89fc07,             // s_waitcnt lgkmcnt(0)
    0xbfbd0000,             // s_barrier
    0x4c0604ff, 0x000003fc, // v_sub_nc_u32 v3, 0x3fc, v2
    0xd8d80000, 0x04000003, // ds_load_b32 v4, v3
    0xbf89fc07,             // s_waitcnt lgkmcnt(0)
    0x30040282,             // v_lshlrev_b32 v2, 2, v1
    0xdc6a0000, 0x00000402, // global_store_b32 v2, v4, s[0:1]
    0xbfb00000,             // s_endpgm
};
static const uint32_t in_scratch[] = {
    0x30040082,             // v_lshlrev_b32 v2, 2, v0
    0x84028702,             // s_lshl_b32 s2, s2, 7
    0x4a040402,             // v_add_nc_u32 v2, s2, v2
    0xdc690004, 0x007c0200, // scratch_store_b32 off, v2, off offset:4
    0xbc7c0000,             // s_waitcnt_vscnt null, 0
    0xbf830001,             // s_sleep 1: other waves write theirs
    0xdc510004, 0x037c0000, // scratch_load_b32 v3, off, off offset:4
    0xbf8903f7,             // s_waitcnt vmcnt(0)
    0xdc6a0000, 0x00000302, // global_store_b32 v2, v3, s[0:1]
    0xbfb00000,             // s_endpgm
};
static const uint32_t wild[] = {
    0x7e0202ff, 0x12345000, // v_mov_b32 v1, 0x12345000
    0x7e040285,             // v_mov_b32 v2, 5
    0xdc6a0000, 0x007c0001, // global_store_b32 v[1:2], v0, off
    0xbfb00000,             // s_endpgm
};
static const uint32_t endless[] = {
    0x7e020280,             // v_mov_b32 v1, 0
    0x7e040281,             // v_mov_b32 v2, 1
    0xdcd60000, 0x00000201, // global_atomic_add_u32 v1, v2, s[0:1]
    0xbf830001,             // s_sleep 1
    0xbfa0fffc,             // s_branch back to the atomic
    0xbfb00000,             // s_endpgm
};
static const uint32_t trapping[] = {
    0x7e080291,             // v_mov_b32 v4, 0x11
    0xbf900002,             // s_trap 2
    0x30040082,             // v_lshlrev_b32 v2, 2, v0
    0xdc6a0000, 0x00000402, // global_store_b32 v2, v4, s[0:1]
    0xbfb00000,             // s_endpgm
};
static const uint32_t handler[] = {
    0x806c846c,             // s_add_u32 ttmp0, ttmp0, 4
    0x826d806d,             // s_addc_u32 ttmp1, ttmp1, 0
    0x8b6dff6d, 0x0000ffff, // s_and_b32 ttmp1, ttmp1, 0xffff
    0x7e0802ff, 0x00000055, // v_mov_b32 v4, 0x55
    0xbe804a6c,             // s_rfe_b64 ttmp[0:1]
};
// clang-format on

struct launch {
    const uint32_t *code;
    size_t nbytes;
    uint32_t rsrc2, groups, items, initiator;
};

static void launch(struct fixture *f, const struct launch *l)
{
    const uint64_t pgm = (FIXTURE_VA + CODE) >> 8, scratch = (FIXTURE_VA + SCRATCH) >> 8;
    const uint32_t user[2] = {(uint32_t)(FIXTURE_VA + OUT), (uint32_t)(FIXTURE_VA >> 32)};
    memcpy(fixture_mem(f, CODE), l->code, l->nbytes);
    memset(fixture_mem(f, OUT), 0xee, 0x10000);
    lull_pm4_invalidate(&f->b);
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_PGM_LO, (uint32_t)pgm);
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_PGM_HI, (uint32_t)(pgm >> 32));
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_PGM_RSRC1, 1u << 29 | 1u << 30);
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_PGM_RSRC2, l->rsrc2);
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_DISPATCH_SCRATCH_BASE_LO, (uint32_t)scratch);
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_DISPATCH_SCRATCH_BASE_HI, (uint32_t)(scratch >> 32));
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_TMPRING_SIZE, 64 | 4 << 12); // 64 waves of 1024 bytes
    lull_pm4_set_sh(&f->b, LULL_GC11_COMPUTE_USER_DATA_0, user, 2);
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_NUM_THREAD_X, l->items);
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_NUM_THREAD_Y, 1);
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_NUM_THREAD_Z, 1);
    lull_pm4_dispatch(&f->b, l->groups, 1, 1, l->initiator);
    lull_pm4_wait_waves(&f->b);
    lull_pm4_release(&f->b, FIXTURE_VA, 0x1122334455667788);
    fixture_submit(f, LULL_RING_COMPUTE0, 1);
}

static uint32_t square(uint32_t i)
{
    return i * i;
}

static uint32_t mirrored(uint32_t i)
{
    return (i & ~255u) + 255 - (i & 255);
}

static uint32_t in_fours(uint32_t i)
{
    return 4 * i;
}

static const struct {
    const char *name;
    struct launch launch;
    uint32_t (*want)(uint32_t i);
    uint32_t n;
} programs[] = {
    {"squares", {squares, sizeof squares, RSRC2, 100, 32, SHADER_W32}, square, 3200},
    {"squares, waves of 64", {squares, sizeof squares, RSRC2, 100, 32, SHADER_W64}, square, 3200},
    {"reverse through LDS",
     {reverse, sizeof reverse, RSRC2 | 2 << 15, 16, 256, SHADER_W32},
     mirrored,
     4096},
    {"reverse through LDS, waves of 64",
     {reverse, sizeof reverse, RSRC2 | 2 << 15, 16, 256, SHADER_W64},
     mirrored,
     4096},
    {"scratch",
     {in_scratch, sizeof in_scratch, RSRC2_SCRATCH, 200, 32, SHADER_W32},
     in_fours,
     6400},
};

static void test_programs(void)
{
    for (size_t i = 0; i < TEST_ROWS(programs); i++) {
        for (uint64_t seed = 0; seed < 3; seed++) {
            struct fixture f = fixture_new(seed, 2, 1, 2);
            struct lull_gpu_done done = {0};
            launch(&f, &programs[i].launch);
            const bool ended = fixture_run(&f, 10000000, &done);
            uint32_t wrong = 0, first = 0;
            for (uint32_t k = programs[i].n; k-- > 0;) {
                if (fixture_u32(&f, OUT + 4 * k) != programs[i].want(k)) {
                    wrong++;
                    first = k;
                }
            }
            const uint32_t behind = fixture_u32(&f, OUT + 4 * programs[i].n);
            test_case(ended && done.result == LULL_JOB_DONE && wrong == 0 && behind == 0xeeeeeeee &&
                          fixture_u64(&f, 0) == 0x1122334455667788,
                      programs[i].name,
                      "seed %" PRIu64 ": ended %d, result %d '%s', %u wrong, at %u got 0x%" PRIx32,
                      seed, ended, done.result, done.message, wrong, first,
                      fixture_u32(&f, OUT + 4 * first));
            fixture_free(&f);
        }
    }
}

/** A store out of bounds: fault registers, the wave stands at the store, the job does not end. */
static void test_fault(void)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    struct lull_gpu_done done = {0};
    launch(&f, &(struct launch){wild, sizeof wild, RSRC2, 1, 32, SHADER_W32});
    const bool ended = fixture_run(&f, 100000, &done);
    const struct lull_bank bank = {0};
    const uint32_t status = lull_gpu_read_reg(f.g, bank, 0xa0a0);
    const uint32_t page = lull_gpu_read_reg(f.g, bank, 0xa0a4);
    test_case(!ended && page == 0x512345 && (status >> 9 & 0x1ff) == 8 && (status >> 18 & 1) == 1 &&
                  (status >> 20 & 15) == FIXTURE_VMID,
              "fault registers: TCP, a write, VMID 1",
              "ended %d, status 0x%08" PRIx32 ", page 0x%" PRIx32, ended, status, page);
    lull_gpu_write_reg(f.g, bank, 0x8de0, 0x102 << 16); // SQ_IND_INDEX: STATUS of wave 0
    const uint32_t wave = lull_gpu_read_reg(f.g, bank, 0x8de4);
    lull_gpu_write_reg(f.g, bank, 0x8de0, 0x108 << 16);
    const uint32_t pc = lull_gpu_read_reg(f.g, bank, 0x8de4);
    test_case((wave & STATUS_FATAL_HALT) != 0 && pc == (uint32_t)(FIXTURE_VA + CODE + 12),
              "the wave stands at its store", "STATUS 0x%08" PRIx32 ", PC 0x%" PRIx32, wave, pc);
    lull_gpu_reset_ring(f.g, LULL_RING_COMPUTE0);
    const bool killed = lull_gpu_next_done(f.g, &done);
    test_case(killed && done.result == LULL_JOB_KILLED && f.g->nwaves == 0, "reset", "result %d",
              done.result);
    fixture_free(&f);
}

/** All waves of an endless program go on, and time passes. */
static void test_endless(void)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    struct lull_gpu_done done = {0};
    launch(&f, &(struct launch){endless, sizeof endless, RSRC2, 4, 32, SHADER_W32});
    const bool ended = fixture_run(&f, 100000, &done);
    bool fair = f.g->ngroups == 4;
    for (unsigned i = 0; i < f.g->ngroups; i++) {
        fair &= f.g->groups[i]->slots[0]->w.ninsns > 1000;
    }
    test_case(!ended && fair && lull_gpu_job_cycles(f.g, LULL_RING_COMPUTE0) >= 100000,
              "an endless program takes turns", "ended %d, %u groups", ended, f.g->ngroups);
    fixture_free(&f);
}

/** s_trap into a handler at TBA and back; without TRAP_EN it does nothing. */
static void test_trap(void)
{
    for (unsigned enabled = 0; enabled < 2; enabled++) {
        struct fixture f = fixture_new(0, 1, 1, 1);
        struct lull_gpu_done done = {0};
        const struct lull_bank bank = {.srbm = FIXTURE_VMID << 4};
        const uint64_t tba = (FIXTURE_VA + HANDLER) >> 8;
        memcpy(fixture_mem(&f, HANDLER), handler, sizeof handler);
        lull_gpu_write_reg(f.g, bank, LULL_GC11_SQ_SHADER_TBA_LO, (uint32_t)tba);
        lull_gpu_write_reg(f.g, bank, LULL_GC11_SQ_SHADER_TBA_HI,
                           (uint32_t)(tba >> 32) | enabled << 31);
        launch(&f, &(struct launch){trapping, sizeof trapping, RSRC2, 1, 32, SHADER_W32});
        const bool ended = fixture_run(&f, 100000, &done);
        const uint32_t got = fixture_u32(&f, OUT + 4 * 31);
        test_case(ended && done.result == LULL_JOB_DONE && got == (enabled ? 0x55 : 0x11),
                  enabled ? "s_trap and back" : "s_trap without TRAP_EN", "ended %d, 0x%" PRIx32,
                  ended, got);
        fixture_free(&f);
    }
}

int main(void)
{
    test_programs();
    test_fault();
    test_endless();
    test_trap();
    return test_end();
}
