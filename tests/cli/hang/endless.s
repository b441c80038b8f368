// SPDX-License-Identifier: MIT
// Goes on for ever: the waves are at one of the two instructions from `again` on.
    .amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
    .text
    .globl endless
    .globl again
    .p2align 8
    .type endless,@function
endless:
    s_mov_b32 s2, 0
    v_mov_b32_e32 v1, 7
again:
.Lagain:
    s_add_u32 s2, s2, 1
    s_branch .Lagain
    s_endpgm
.Lend:
    .size endless, .Lend-endless

    .rodata
    .p2align 6
    .amdhsa_kernel endless
        .amdhsa_kernarg_size 0
        .amdhsa_next_free_vgpr 3
        .amdhsa_next_free_sgpr 4
        .amdhsa_wavefront_size32 1
    .end_amdhsa_kernel

    .amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: endless
    .symbol: endless.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 6
    .vgpr_count: 3
    .max_flat_workgroup_size: 1024
    .args: []
    .end_amdgpu_metadata
