// SPDX-License-Identifier: MIT
// A barrier with a place to stop in front of it: out[i] = 2 * (i + 1) + 3.
    .amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
    .text
    .globl meet
    .p2align 8
    .type meet,@function
meet:
    s_load_b64 s[0:1], s[0:1], 0x0
    v_lshlrev_b32_e32 v1, 2, v0
    v_mov_b32_e32 v2, 1
    s_waitcnt lgkmcnt(0)
    s_nop 0                             // meet+0x14: in front of the barrier
    v_add_nc_u32_e32 v2, v2, v0
    s_barrier
    v_add_nc_u32_e32 v2, v2, v2         // meet+0x20: behind it
    v_add_nc_u32_e32 v2, 3, v2
    global_store_b32 v1, v2, s[0:1]
    s_endpgm
.Lmeet_end:
    .size meet, .Lmeet_end-meet

    .rodata
    .p2align 6
    .amdhsa_kernel meet
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
  - .name: meet
    .symbol: meet.kd
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
