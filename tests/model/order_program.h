// SPDX-License-Identifier: MIT
/** @file
 * A program for struct fixture in which order decides what is stored: racy sums, tickets, sleep,
 * barriers.
 *
 * The words are what llvm-mc 19 -mcpu=gfx1100 makes of the assembly beside them.
 */
#ifndef LULL_TEST_ORDER_PROGRAM_H
#define LULL_TEST_ORDER_PROGRAM_H

#include "gpu_fixture.h"

enum {
    ORDER_CODE = 0x10000, // offsets in the mapping
    ORDER_HANDLER = 0x11000,
    ORDER_OUT = 0x20000, // ticket, racy sum, flag for standing waves, ...
    ORDER_RESULT = 64,   // from there: a sum for each work-item
    ORDER_GROUPS = 12,
    ORDER_ITEMS = 128,
    ORDER_BYTES = ORDER_RESULT + 4 * ORDER_GROUPS * ORDER_ITEMS,
    ORDER_IB_BYTES = 0x400,
    ORDER_W32 = 0x8005,            // enable, from zero, wave32
    ORDER_RSRC2 = 2 << 1 | 1 << 7, // two user SGPRs, workgroup id x
};

// clang-format off
static const uint32_t order_program[] = {
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
/** A trap handler that sleeps. */
static const uint32_t order_waiting[] = {
    0xb8f0f802,             // s_getreg_b32 ttmp4, hwreg(HW_REG_STATUS)
    0xbf830003,             // s_sleep 3
    0xbf800000,             // s_nop 0
    0xbf830001,             // s_sleep 1
    0xbf0d8070,             // s_bitcmp1_b32 ttmp4, 0
    0xbe804a6c,             // s_rfe_b64 ttmp[0:1]
};
// clang-format on

/** Job number @p n: @p dispatches of the program, which nothing orders, on @p ring. */
static inline void order_submit(struct fixture *f, enum lull_ring ring, uint32_t n,
                                unsigned dispatches, uint32_t groups)
{
    const uint64_t pgm = (FIXTURE_VA + ORDER_CODE) >> 8;
    const uint32_t at = FIXTURE_IB + n * ORDER_IB_BYTES;
    const uint32_t user[2] = {(uint32_t)(FIXTURE_VA + ORDER_OUT), (uint32_t)(FIXTURE_VA >> 32)};
    struct lull_pm4_builder b =
        lull_pm4_builder_of((uint32_t *)(void *)fixture_mem(f, at), ORDER_IB_BYTES / 4);
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_PGM_LO, (uint32_t)pgm);
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_PGM_HI, (uint32_t)(pgm >> 32));
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_PGM_RSRC1, 1u << 29 | 1u << 30);
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_PGM_RSRC2, ORDER_RSRC2);
    lull_pm4_set_sh(&b, LULL_GC11_COMPUTE_USER_DATA_0, user, 2);
    for (unsigned i = 0; i < 3; i++) {
        lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_NUM_THREAD_X + 4 * i, i == 0 ? ORDER_ITEMS : 1);
    }
    for (unsigned i = 0; i < dispatches; i++) {
        lull_pm4_dispatch(&b, groups, 1, 1, ORDER_W32);
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

#endif
