// SPDX-License-Identifier: MIT
/** @file
 * Instructions that programs.c puts between others, as text that llvm-mc assembles.
 */
#ifndef LULL_TESTS_JIT_FORMS_H
#define LULL_TESTS_JIT_FORMS_H

#define ASM(text) text

// Forms that lull_rdna_encode() does not make, in wave32; wave64 has pairs in the same fields.
static const char *const forms[] = {
    ASM("v_fmamk_f32 v1, v2, 0x40490fdb, v3"),
    ASM("v_fmaak_f32 v3, v1, v2, 0xbf000000"),
    ASM("v_fmac_f32 v4, v5, v6"),
    ASM("v_fmac_f32 v4, v4, v4"),
    ASM("v_fmac_f32 v1, s4, v6"),
    ASM("v_cndmask_b32 v2, v3, v4, vcc_lo"),
    ASM("v_cndmask_b32 v2, -v3, |v4|, s20"),
    ASM("v_cndmask_b32 v3, s4, v4, vcc_lo"),
    ASM("v_add_co_u32 v1, s20, v2, v3"),
    ASM("v_add_co_u32 v5, vcc_lo, v5, v6"),
    ASM("v_sub_co_u32 v2, s22, v1, v3 clamp"),
    ASM("v_subrev_co_u32 v2, vcc_lo, v1, v3"),
    ASM("v_add_co_ci_u32 v6, vcc_lo, v1, v2, vcc_lo"),
    ASM("v_sub_co_ci_u32 v6, s22, v1, v2, s20"),
    ASM("v_subrev_co_ci_u32 v7, vcc_lo, v1, v2, vcc_lo"),
    ASM("v_cmp_lt_f32 vcc_lo, v1, v2"),
    ASM("v_cmp_gt_u32 vcc_lo, 17, v2"),
    ASM("v_cmp_class_f32 vcc_lo, v1, v2"),
    ASM("v_cmpx_ne_u32 v1, v2"),
    ASM("v_cmpx_lt_f32 s4, v2"),
    ASM("v_div_fmas_f32 v1, v2, v3, v4"),
    ASM("v_mov_b32 v3, vcc_lo"),
    ASM("v_mov_b32 v3, s20"),
    ASM("v_mov_b32 v4, exec_lo"),
    ASM("v_lshlrev_b32 v5, 3, v6"),
    ASM("v_add_f32 v1, v1, v1"),
    // One register twice, in rows that need many: it stays until its second value is used.
    ASM("v_minmax_f32 v5, v2, v3, v2"),
    ASM("v_maxmin_f32 v7, v5, s7, v5"),
    ASM("v_min3_f32 v5, v2, s12, v2"),
    ASM("v_med3_f32 v1, v1, v4, v1"),
    ASM("v_mul_f32 v7, 0x3fc00000, v1"),
    // Rotations.
    ASM("v_alignbit_b32 v1, v2, v2, 7"),
    ASM("v_alignbit_b32 v4, v4, v4, v3"),
    ASM("v_alignbit_b32 v5, s4, s4, 0"),
    ASM("v_alignbit_b32 v6, v7, v7, s5"),
    ASM("v_alignbit_b32 v6, 57, 57, 5"),
    ASM("v_alignbit_b32_e64_dpp v3, v4, v4, v5 row_shr:1 row_mask:0xf bank_mask:0xf"),
    // A mask of lanes for each sign.
    ASM("v_dot4_i32_iu8 v1, v2, v3, v4 neg_lo:[1,0,0]"),
    ASM("v_dot4_i32_iu8 v4, v4, v5, v6 neg_lo:[0,1,0]"),
    ASM("v_dot4_i32_iu8 v5, v5, v5, v5 neg_lo:[1,1,0] clamp"),
    ASM("v_dot4_i32_iu8 v7, s4, v6, v7 clamp"),
    ASM("v_perm_b32 v6, v1, v2, 0x7040b0c"),
    ASM("v_swap_b32 v1, v2"),
    ASM("v_readfirstlane_b32 s6, v1"),
    ASM("s_getpc_b64 s[6:7]"),
    ASM("s_cmp_lt_u32 s4, s5"),
    ASM("s_delay_alu instid0(VALU_DEP_1)"),
    ASM("s_and_b32 s20, s20, vcc_lo"),
    ASM("s_mov_b32 s21, s4"),
    ASM("s_cselect_b32 s7, s4, vcc_lo"),
};

// Sources of other lanes, many of them.
static const char *const shuffles[] = {
    ASM("v_add_f32_dpp v1, v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf"),
    ASM("v_add_f32_dpp v2, v2, v2 row_shr:15 row_mask:0xf bank_mask:0xf bound_ctrl:1"),
    ASM("v_add_nc_u32_dpp v4, v4, v4 row_shl:3 row_mask:0xf bank_mask:0xf"),
    ASM("v_max_f32_dpp v3, v1, v3 row_ror:5 row_mask:0xf bank_mask:0xf"),
    ASM("v_mov_b32_dpp v5, v6 row_mirror row_mask:0xf bank_mask:0xf"),
    ASM("v_mov_b32_dpp v6, v5 row_half_mirror row_mask:0x5 bank_mask:0xb"),
    ASM("v_sub_f32_dpp v7, v1, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf"),
    ASM("v_fmac_f32_dpp v1, v2, v3 quad_perm:[0,0,2,2] row_mask:0xf bank_mask:0xf fi:1"),
    ASM("v_min_f32_dpp v2, v1, v4 row_xmask:3 row_mask:0xa bank_mask:0xf bound_ctrl:1"),
    ASM("v_mul_f32_dpp v3, -v1, |v4| row_share:7 row_mask:0xf bank_mask:0xf"),
    ASM("v_xor_b32_dpp v4, v1, v3 dpp8:[7,6,5,4,3,2,1,0]"),
    ASM("v_cndmask_b32_dpp v1, v2, v3, vcc_lo row_shr:2 row_mask:0xf bank_mask:0xf bound_ctrl:1"),
    ASM("v_cmp_lt_f32_dpp vcc_lo, v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1"),
    ASM("v_cmp_gt_i32_dpp vcc_lo, v4, v2 row_shr:1 row_mask:0xf bank_mask:0xf"),
    ASM("v_add3_u32_e64_dpp v1, v2, v3, v4 row_shl:1 row_mask:0xf bank_mask:0xf"),
    ASM("v_max3_f32_e64_dpp v0, v0, v7, v2 row_ror:1 row_mask:0xf bank_mask:0xf"),
    ASM("v_add_f16_dpp v4, v5, v6 row_shr:1 row_mask:0xf bank_mask:0xf"),
};

// For wave32 alone.
static const char *const dual[] = {
    ASM("v_dual_mul_f32 v1, v2, v3 :: v_dual_add_f32 v4, v5, v6"),
    ASM("v_dual_fmac_f32 v1, v2, v3 :: v_dual_fmac_f32 v4, v1, v6"),
    ASM("v_dual_mul_f32 v1, v2, v3 :: v_dual_sub_f32 v2, v1, v6"),
    ASM("v_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v2, v1"),
    ASM("v_dual_cndmask_b32 v1, v2, v3 :: v_dual_add_nc_u32 v4, s4, v1"),
    ASM("v_dual_fmaak_f32 v1, v2, v3, 0x3fc00000 :: v_dual_fmamk_f32 v4, v5, 0x3fc00000, v6"),
    ASM("v_dual_max_f32 v1, s4, v3 :: v_dual_min_f32 v4, v5, v6"),
    ASM("v_dual_subrev_f32 v5, 2.0, v3 :: v_dual_lshlrev_b32 v4, 3, v6"),
    ASM("v_dual_mov_b32 v5, 0 :: v_dual_and_b32 v4, 0x123456, v6"),
};

// What makes addresses of LDS in v5: all the same, one after the other, anywhere inside, and some
// beyond the end; and what loads from there.
static const char *const addresses[][2] = {
    {ASM("v_mov_b32 v5, 0x120"), NULL},
    {ASM("v_mbcnt_lo_u32_b32 v5, -1, 0"), ASM("v_lshlrev_b32 v5, 2, v5")},
    {ASM("v_mbcnt_lo_u32_b32 v5, -1, 0"), ASM("v_lshl_add_u32 v5, v5, 2, 0x7b0")},
    {ASM("v_mbcnt_lo_u32_b32 v5, -1, 0"), ASM("v_lshlrev_b32 v5, 1, v5")},
    {ASM("v_mbcnt_lo_u32_b32 v5, -1, 0"), ASM("v_lshl_add_u32 v5, v5, 1, 0x7d8")},
    {ASM("v_mbcnt_lo_u32_b32 v5, -1, 0"), ASM("v_add_nc_u32 v5, 0x7e7, v5")},
    {ASM("v_mbcnt_lo_u32_b32 v5, -1, 0"), ASM("v_lshl_add_u32 v5, v5, 2, 0xffffffc0")},
    {ASM("v_mov_b32 v5, 0x7fc"), NULL},
    {ASM("v_and_b32 v5, 0x7fc, v5"), NULL},
    {ASM("v_and_b32 v5, 0xfff, v5"), NULL},
    {NULL, NULL},
};
static const char *const loads[] = {
    ASM("ds_load_b32 v1, v5 offset:16"),
    ASM("ds_load_b32 v5, v5"),
    ASM("ds_load_b64 v[4:5], v5 offset:8"),
    ASM("ds_load_b96 v[0:2], v5 offset:100"),
    ASM("ds_load_b128 v[4:7], v5"),
    ASM("ds_load_2addr_b32 v[1:2], v5 offset0:3 offset1:1"),
    ASM("ds_load_2addr_b64 v[0:3], v5 offset1:2"),
    ASM("ds_load_2addr_b32 v[5:6], v5 offset0:3 offset1:1"),
    ASM("ds_load_2addr_stride64_b32 v[6:7], v5 offset0:1 offset1:3"),
    ASM("ds_load_u16 v3, v5 offset:2"),
    ASM("ds_load_u16 v5, v5"),
    ASM("ds_load_i16 v3, v5 offset:6"),
    ASM("ds_load_u8 v2, v5 offset:1"),
    ASM("ds_load_i8 v1, v5"),
    ASM("ds_load_u16_d16 v3, v5"),
    ASM("ds_load_u16_d16_hi v3, v5 offset:4"),
    ASM("ds_load_u16_d16_hi v5, v5 offset:2"),
    ASM("ds_load_u8_d16 v2, v5 offset:3"),
    ASM("ds_load_u8_d16_hi v2, v5"),
    ASM("ds_load_i8_d16 v1, v5 offset:3"),
    ASM("ds_load_i8_d16_hi v1, v5"),
};

// Two or three after each other: a number that is made as f32 is read as f16, and gone; bytes are
// selected by numbers that select some; rotations of two shifts, and what only looks like them.
static const char *const chains[][3] = {
    // Sums of f16 a little below and above the middle of two, which f32 has no room for.
    {ASM("v_mov_b32 v1, 0x3c01"), ASM("v_fma_f16 v2, v1, 0xffe, v1")},
    {ASM("v_mov_b32 v1, 0x3c01"), ASM("v_fma_f16 v2, v1, 0x8ffe, v1")},
    {ASM("v_mov_b32 v1, 0xbc01"), ASM("v_fma_f16 v2, v1, 0xffe, v1")},
    {ASM("v_mov_b32 v1, 0xbc01"), ASM("v_fma_f16 v2, v1, 0x8ffe, v1")},
    // One that is denormal, and one that is too great for f16 and not for f32.
    {ASM("v_mov_b32 v1, 0x403"), ASM("v_fma_f16 v2, v1, 0.5, 0")},
    {ASM("v_mov_b32 v1, 0x7bff"), ASM("v_fma_f16 v2, v1, 1.0, 0x4d00"),
     ASM("v_sub_f16 v3, v2, v1")},
    // Halves from LDS, and sums and products of them, which are read whole, swapped, or lose a
    // half.
    {ASM("ds_load_u16_d16 v1, v5"), ASM("v_fmac_f16 v2, v1, v3"), ASM("v_fmac_f16 v2, v1, v4")},
    {ASM("ds_load_u16 v1, v5 offset:2"), ASM("v_fma_f16 v2, v1, -v1, |v3|"),
     ASM("v_xor_b32 v3, v1, v2")},
    {ASM("ds_load_u16_d16 v4, v5"), ASM("ds_load_u16_d16_hi v4, v5 offset:2"),
     ASM("v_mul_f16 v1, v4, v4")},
    {ASM("ds_load_u16_d16 v3, v5"), ASM("v_swap_b32 v3, v4"), ASM("v_add_f16 v1, v3, v4")},
    {ASM("ds_load_u16_d16 v3, v5"), ASM("v_max_f16 v3, v3, v2"), ASM("v_mov_b32 v6, v3")},
    // From one place for all lanes, or so it may look.
    {ASM("v_mov_b32 v5, s4"), ASM("ds_load_b128 v[0:3], v5"), ASM("v_add_f32 v1, v2, v3")},
    {ASM("v_mov_b32 v5, 0x140"), ASM("ds_load_b64 v[4:5], v5 offset:8"),
     ASM("v_fmac_f32 v3, v4, v5")},
    {ASM("v_mov_b32 v5, 36"), ASM("ds_load_2addr_b32 v[5:6], v5 offset0:3 offset1:1"),
     ASM("v_mul_f32 v1, v5, v6")},
    {ASM("v_mov_b32 v6, 36"), ASM("ds_load_u16 v3, v5 offset:2"), ASM("ds_load_b32 v4, v6")},
    {ASM("v_mov_b32 v5, 44"), ASM("v_add_nc_u32 v5, v5, v6"), ASM("ds_load_b32 v4, v5")},
    {ASM("v_mov_b32 v5, 8"), ASM("v_swap_b32 v5, v6"), ASM("ds_load_b32 v4, v5")},
    {ASM("v_mov_b32 v5, v6"), ASM("ds_load_b64 v[1:2], v5")},
    {ASM("v_mul_f16 v1, v2, v3"), ASM("v_swap_b32 v1, v2"), ASM("v_sub_f16 v3, v1, v2")},
    {ASM("v_fma_f16 v1, v1, s4, 2.0"), ASM("v_fma_f16 v1, v1, v2, v3 op_sel:[0,1,0,1]"),
     ASM("v_pk_add_f16 v2, v1, v1")},
    {ASM("v_add_f16 v1, v2, v3"), ASM("v_mul_f16 v1, v1, v1"), ASM("v_min_f16 v1, 1.0, v1")},
    {ASM("v_mul_f16 v2, v1, v1"), ASM("v_cmp_lt_f16 vcc_lo, v2, v1"),
     ASM("v_cndmask_b32 v1, v2, v1, vcc_lo")},
    {ASM("v_add_f32 v1, v2, v3"), ASM("v_fma_mix_f32 v1, v1, v4, v5 op_sel_hi:[1,0,0]")},
    {ASM("v_mul_f32 v6, v1, v4"), ASM("v_pk_add_u16 v6, v6, v3 op_sel:[1,0]")},
    {ASM("v_fma_f32 v3, v1, v2, v4"),
     ASM("v_fma_mix_f32 v3, v5, v3, v3 op_sel:[0,1,0] op_sel_hi:[1,1,1]")},
    {ASM("v_fma_mixlo_f16 v2, v1, v3, v4"), ASM("v_fma_mixhi_f16 v2, v4, v3, v1")},
    {ASM("v_and_b32 v5, 0xf0f0f0f, v6"), ASM("v_perm_b32 v4, v2, v3, v5")},
    {ASM("v_lshrrev_b32 v1, 6, v0"), ASM("v_lshl_or_b32 v1, v0, 26, v1")},
    {ASM("v_lshrrev_b32 v1, 31, v2"), ASM("v_lshl_or_b32 v2, v2, 1, v1")},
    {ASM("v_lshrrev_b32 v1, 6, v0"), ASM("v_lshl_or_b32 v1, v0, 25, v1")},
    {ASM("v_lshrrev_b32 v1, 6, v0"), ASM("v_lshl_or_b32 v1, v1, 26, v1")},
    {ASM("v_lshrrev_b32 v1, 6, v1"), ASM("v_lshl_or_b32 v1, v1, 26, v1")},
    {ASM("v_lshrrev_b32 v3, 7, v2"), ASM("v_add_f32 v2, v2, v4"),
     ASM("v_lshl_or_b32 v3, v2, 25, v3")},
    {ASM("v_lshrrev_b32 v3, 7, v2"), ASM("v_add_f32 v4, v3, v5"),
     ASM("v_lshl_or_b32 v3, v2, 25, v3")},
    {ASM("v_lshrrev_b32 v3, 7, v2"), ASM("v_fmac_f32 v3, v4, v5"),
     ASM("v_lshl_or_b32 v3, v2, 25, v3")},
    {ASM("v_lshrrev_b32 v3, 7, v2"), ASM("v_swap_b32 v2, v4"), ASM("v_lshl_or_b32 v3, v2, 25, v3")},
};

#endif
