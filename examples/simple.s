// SPDX-License-Identifier: MIT
// out[i] = i * 3 + 1 for one workgroup. The smallest kernel there is.
    .amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
    .text
    .globl simple
    .p2align 8
    .type simple,@function
simple:
    s_load_b64 s[0:1], s[0:1], 0x0      // the only argument: out
    v_lshlrev_b32_e32 v1, 2, v0         // byte offset of this work-item
    v_mad_u32_u24 v2, v0, 3, 1
    s_waitcnt lgkmcnt(0)
    global_store_b32 v1, v2, s[0:1]
    s_endpgm
.Lsimple_end:
    .size simple, .Lsimple_end-simple

    .rodata
    .p2align 6
    .amdhsa_kernel simple
        .amdhsa_kernarg_size 8
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_next_free_vgpr 3
        .amdhsa_next_free_sgpr 2
        .amdhsa_wavefront_size32 1
    .end_amdhsa_kernel

    .amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: simple
    .symbol: simple.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 4
    .vgpr_count: 3
    .max_flat_workgroup_size: 1024
    .args:
      - .name: out
        .offset: 0
        .size: 8
        .value_kind: global_buffer
        .address_space: global
    .end_amdgpu_metadata
