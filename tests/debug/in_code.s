// SPDX-License-Identifier: MIT
// Instructions that go elsewhere or say where they are, for breakpoints on all of them. Behind each: how
// often a wave comes to it.
    .amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
    .text
    .globl paths
    .p2align 8
    .type paths,@function
paths:
    s_load_b64 s[0:1], s[0:1], 0x0            // 1
    v_mov_b32_e32 v1, 0                       // 1
    s_movk_i32 s2, 5                          // 1
again:
    s_bitcmp1_b32 s2, 0                       // 5
    s_cbranch_scc1 odd                        // 5
    v_add_nc_u32_e32 v1, 0x64, v1             // 2
    s_branch next                             // 2
odd:
    v_add_nc_u32_e32 v1, 0x12345, v1          // 3
next:
    s_getpc_b64 s[4:5]                        // 5
here:
    s_add_u32 s4, s4, function-here           // 5
    s_addc_u32 s5, s5, 0                      // 5
    s_swappc_b64 s[30:31], s[4:5]             // 5
    s_call_b64 s[30:31], function             // 5
    s_sub_i32 s2, s2, 1                       // 5
    s_cmp_lg_u32 s2, 0                        // 5
    s_cbranch_scc1 again                      // 5
    s_barrier                                 // 1
    v_dual_mov_b32 v2, v0 :: v_dual_mov_b32 v3, v1 // 1
    v_lshlrev_b32_e32 v0, 2, v2               // 1
    s_waitcnt lgkmcnt(0)                      // 1
    s_clause 0x1                              // 1
    global_load_b32 v4, v0, s[0:1]            // 1
    global_load_b32 v5, v0, s[0:1]            // 1
    s_waitcnt vmcnt(0)                        // 1
    v_add3_u32 v3, v3, v4, v5                 // 1
    global_store_b32 v0, v3, s[0:1]           // 1
    s_swappc_b64 s[4:5], s[4:5]               // 1
    s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)      // 1
    s_endpgm                                  // 1
function:
    v_add_nc_u32_e32 v1, 1, v1                // 11
    s_cmp_eq_u32 s2, 0                        // 11
    s_cbranch_scc1 last                       // 11
    s_setpc_b64 s[30:31]                      // 10
last:
    s_setpc_b64 s[4:5]                        // 1
.Lpaths_end:
    .size paths, .Lpaths_end-paths

    .rodata
    .p2align 6
    .amdhsa_kernel paths
        .amdhsa_kernarg_size 8
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_next_free_vgpr 6
        .amdhsa_next_free_sgpr 32
        .amdhsa_wavefront_size32 1
    .end_amdhsa_kernel

    .amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: paths
    .symbol: paths.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 32
    .vgpr_count: 6
    .max_flat_workgroup_size: 1024
    .args:
      - .name: out
        .value_kind: global_buffer
        .address_space: global
        .offset: 0
        .size: 8
    .end_amdgpu_metadata
