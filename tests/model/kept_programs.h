// SPDX-License-Identifier: MIT
/** @file
 * Programs whose adds a thread may keep (src/model/amd/mem/kept.h): they are the last that a wave
 * does. s[0:1]: where to, s2: the group.
 *
 * The words are what llvm-mc 19 -mcpu=gfx1100 makes of the assembly beside them.
 */
#ifndef LULL_TEST_KEPT_PROGRAMS_H
#define LULL_TEST_KEPT_PROGRAMS_H

#include <stdint.h>

// clang-format off
/** Each item of a group adds its number to its word, of a page for even groups and one for odd, and
 * ends. */
static const uint32_t kept_last[] = {
    0x84038602,             // s_lshl_b32 s3, s2, 6
    0x4a020003,             // v_add_nc_u32 v1, s3, v0
    0x30040082,             // v_lshlrev_b32 v2, 2, v0
    0xbe840000,             // s_mov_b32 s4, s0
    0xbe850001,             // s_mov_b32 s5, s1
    0xbe8600c1,             // s_mov_b32 s6, -1
    0xbe8700ff, 0x31016fac, // s_mov_b32 s7, 0x31016fac
    0x8b088102,             // s_and_b32 s8, s2, 1
    0x84088c08,             // s_lshl_b32 s8, s8, 12
    0xe0d40204, 0x08410102, // buffer_atomic_add_u32 v1, v2, s[4:7], s8 offen offset:516
    0xbc7c0000,             // s_waitcnt_vscnt null, 0x0
    0xbfb60003,             // s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
    0xbfb00000,             // s_endpgm
};
/** Two items of each wave add its group's number to one word, and end. */
static const uint32_t kept_few[] = {
    0xbe840000,             // s_mov_b32 s4, s0
    0xbe850001,             // s_mov_b32 s5, s1
    0xbe8600c1,             // s_mov_b32 s6, -1
    0xbe8700ff, 0x31016fac, // s_mov_b32 s7, 0x31016fac
    0x7e020202,             // v_mov_b32 v1, s2
    0xbefe0085,             // s_mov_b32 exec_lo, 5
    0xe0d40004, 0x80010100, // buffer_atomic_add_u32 v1, off, s[4:7], 0 offset:4
    0xbfb00000,             // s_endpgm
};
/** Of two waves one adds to 32 words of its group and ends, and the other, the first or the second
 * by the group's number, copies them behind a barrier. */
static const uint32_t kept_passes[] = {
    0xbe840000,             // s_mov_b32 s4, s0
    0xbe850001,             // s_mov_b32 s5, s1
    0xbe8600c1,             // s_mov_b32 s6, -1
    0xbe8700ff, 0x31016fac, // s_mov_b32 s7, 0x31016fac
    0x84038702,             // s_lshl_b32 s3, s2, 7
    0x8009ff03, 0x00020000, // s_add_u32 s9, s3, 0x20000
    0x30040082,             // v_lshlrev_b32 v2, 2, v0
    0x360404ff, 0x0000007c, // v_and_b32 v2, 0x7c, v2
    0x4a020402,             // v_add_nc_u32 v1, s2, v2
    0x7e100500,             // v_readfirstlane_b32 s8, v0
    0x840a8502,             // s_lshl_b32 s10, s2, 5
    0x8b0aa00a,             // s_and_b32 s10, s10, 32
    0xbf060a08,             // s_cmp_eq_u32 s8, s10
    0xbfa20003,             // s_cbranch_scc1 waits
    0xe0d40000, 0x03410102, // buffer_atomic_add_u32 v1, v2, s[4:7], s3 offen
    0xbfb00000,             // s_endpgm
    0xbfbd0000,             // waits: s_barrier
    0xe0504000, 0x03410302, // buffer_load_b32 v3, v2, s[4:7], s3 offen glc
    0xbf8903f7,             // s_waitcnt vmcnt(0)
    0xe0680000, 0x09410302, // buffer_store_b32 v3, v2, s[4:7], s9 offen
    0xbfb00000,             // s_endpgm
};
/** Of two groups the first adds to 64 words and then 64 to one, for which the second waits and then
 * copies the words. */
static const uint32_t kept_says[] = {
    0xbe840000,             // s_mov_b32 s4, s0
    0xbe850001,             // s_mov_b32 s5, s1
    0xbe8600c1,             // s_mov_b32 s6, -1
    0xbe8700ff, 0x31016fac, // s_mov_b32 s7, 0x31016fac
    0x85038102,             // s_lshr_b32 s3, s2, 1
    0x840a8203,             // s_lshl_b32 s10, s3, 2
    0x84038803,             // s_lshl_b32 s3, s3, 8
    0x8009ff03, 0x00020000, // s_add_u32 s9, s3, 0x20000
    0x30040082,             // v_lshlrev_b32 v2, 2, v0
    0x4a020402,             // v_add_nc_u32 v1, s2, v2
    0x7e0a0281,             // v_mov_b32 v5, 1
    0x800aff0a, 0x00040000, // s_add_u32 s10, s10, 0x40000
    0xbf0d8002,             // s_bitcmp1_b32 s2, 0
    0xbfa20006,             // s_cbranch_scc1 looks
    0xe0d40000, 0x03410102, // buffer_atomic_add_u32 v1, v2, s[4:7], s3 offen
    0xbc7c0000,             // s_waitcnt_vscnt null, 0x0
    0xe0d40000, 0x0a010500, // buffer_atomic_add_u32 v5, off, s[4:7], s10
    0xbfb00000,             // s_endpgm
    0x7e080280,             // looks: v_mov_b32 v4, 0
    0xe0d44000, 0x0a010400, // buffer_atomic_add_u32 v4, off, s[4:7], s10 glc
    0xbf8903f7,             // s_waitcnt vmcnt(0)
    0x7e100504,             // v_readfirstlane_b32 s8, v4
    0xbf0ac008,             // s_cmp_lt_u32 s8, 64
    0xbfa10002,             // s_cbranch_scc0 said
    0xbf830001,             // s_sleep 1
    0xbfa0fff7,             // s_branch looks
    0xe0504000, 0x03410302, // said: buffer_load_b32 v3, v2, s[4:7], s3 offen glc
    0xbf8903f7,             // s_waitcnt vmcnt(0)
    0xe0680000, 0x09410302, // buffer_store_b32 v3, v2, s[4:7], s9 offen
    0xbfb00000,             // s_endpgm
};
/** The same by other instructions. */
static const uint32_t kept_last_global[] = {
    0x84038602,             // s_lshl_b32 s3, s2, 6
    0x4a020003,             // v_add_nc_u32 v1, s3, v0
    0x30040082,             // v_lshlrev_b32 v2, 2, v0
    0x8b088102,             // s_and_b32 s8, s2, 1
    0x84088c08,             // s_lshl_b32 s8, s8, 12
    0x4a040408,             // v_add_nc_u32 v2, s8, v2
    0xdcd60204, 0x00000102, // global_atomic_add_u32 v2, v1, s[0:1] offset:516
    0xbc7c0000,             // s_waitcnt_vscnt null, 0x0
    0xbfb60003,             // s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
    0xbfb00000,             // s_endpgm
};
static const uint32_t kept_last_flat[] = {
    0x84038602,             // s_lshl_b32 s3, s2, 6
    0x4a020003,             // v_add_nc_u32 v1, s3, v0
    0x30040082,             // v_lshlrev_b32 v2, 2, v0
    0x8b088102,             // s_and_b32 s8, s2, 1
    0x84088c08,             // s_lshl_b32 s8, s8, 12
    0x4a040408,             // v_add_nc_u32 v2, s8, v2
    0x7e0a0201,             // v_mov_b32 v5, s1
    0xd7006a04, 0x00020400, // v_add_co_u32 v4, vcc_lo, s0, v2
    0x400a0a80,             // v_add_co_ci_u32 v5, vcc_lo, 0, v5, vcc_lo
    0xdcd40204, 0x007c0104, // flat_atomic_add_u32 v[4:5], v1 offset:516
    0xbfb00000,             // s_endpgm
};
static const uint32_t kept_few_global[] = {
    0x7e020202,             // v_mov_b32 v1, s2
    0x7e040280,             // v_mov_b32 v2, 0
    0xbefe0085,             // s_mov_b32 exec_lo, 5
    0xdcd60004, 0x00000102, // global_atomic_add_u32 v2, v1, s[0:1] offset:4
    0xbfb00000,             // s_endpgm
};
static const uint32_t kept_passes_global[] = {
    0x84038702,             // s_lshl_b32 s3, s2, 7
    0x30040082,             // v_lshlrev_b32 v2, 2, v0
    0x360404ff, 0x0000007c, // v_and_b32 v2, 0x7c, v2
    0x4a020402,             // v_add_nc_u32 v1, s2, v2
    0x4a040403,             // v_add_nc_u32 v2, s3, v2
    0x7e100500,             // v_readfirstlane_b32 s8, v0
    0x840a8502,             // s_lshl_b32 s10, s2, 5
    0x8b0aa00a,             // s_and_b32 s10, s10, 32
    0xbf060a08,             // s_cmp_eq_u32 s8, s10
    0xbfa20003,             // s_cbranch_scc1 waits
    0xdcd60000, 0x00000102, // global_atomic_add_u32 v2, v1, s[0:1]
    0xbfb00000,             // s_endpgm
    0xbfbd0000,             // waits: s_barrier
    0xdc524000, 0x03000002, // global_load_b32 v3, v2, s[0:1] glc
    0x4a0404ff, 0x00020000, // v_add_nc_u32 v2, 0x20000, v2
    0xbf8903f7,             // s_waitcnt vmcnt(0)
    0xdc6a0000, 0x00000302, // global_store_b32 v2, v3, s[0:1]
    0xbfb00000,             // s_endpgm
};
// clang-format on

#endif
