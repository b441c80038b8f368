// SPDX-License-Identifier: MIT
// For stepping: each lane adds i + 1 (v1, i its number in the workgroup) to v2, 250 times, and
// stores v2: out[i] = 250 * (i + 1). In a workgroup of 256 there are 8 waves.
    .amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
    .text
    .globl loop
    .p2align 8
    .type loop,@function
loop:
    s_load_b64 s[0:1], s[0:1], 0x0      // the only argument: out
    v_add_nc_u32_e32 v1, 1, v0
    v_mov_b32_e32 v2, 0
    s_movk_i32 s2, 250
.Lagain:
    v_add_nc_u32_e32 v2, v2, v1         // break at loop+0x14 and change $v2
    s_sub_i32 s2, s2, 1
    s_cmp_lg_u32 s2, 0
    s_cbranch_scc1 .Lagain
    v_lshlrev_b32_e32 v0, 2, v0
    s_waitcnt lgkmcnt(0)
    global_store_b32 v0, v2, s[0:1]
    s_endpgm
.Lloop_end:
    .size loop, .Lloop_end-loop

    .rodata
    .p2align 6
    .amdhsa_kernel loop
        .amdhsa_kernarg_size 8
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_next_free_vgpr 3
        .amdhsa_next_free_sgpr 3
        .amdhsa_wavefront_size32 1
    .end_amdhsa_kernel

    .amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: loop
    .symbol: loop.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 5
    .vgpr_count: 3
    .max_flat_workgroup_size: 1024
    .args:
      - .name: out
        .offset: 0
        .size: 8
        .value_kind: global_buffer
        .address_space: global
    .end_amdgpu_metadata
