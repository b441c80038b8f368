// SPDX-License-Identifier: MIT
// Stores to 0x20_0000_4000, which nothing is mapped at, and waits for it.
    .amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
    .text
    .globl stray
    .globl store
    .p2align 8
    .type stray,@function
stray:
    s_nop 1
    v_mov_b32_e32 v0, 0x4000
    v_mov_b32_e32 v1, 32
    v_mov_b32_e32 v2, 7
store:
    global_store_b32 v[0:1], v2, off
    s_waitcnt_vscnt null, 0x0
.Lagain:
    s_nop 0
    s_branch .Lagain
    s_endpgm
.Lend:
    .size stray, .Lend-stray

    .rodata
    .p2align 6
    .amdhsa_kernel stray
        .amdhsa_kernarg_size 0
        .amdhsa_next_free_vgpr 3
        .amdhsa_next_free_sgpr 4
        .amdhsa_wavefront_size32 1
    .end_amdhsa_kernel

    .amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: stray
    .symbol: stray.kd
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
