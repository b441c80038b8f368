// SPDX-License-Identifier: MIT
// No metadata: only a descriptor.
.text
.globl plain
.p2align 8
.type plain,@function
plain:
    s_mov_b32 s0, 0
loop:
    s_add_u32 s0, s0, 1
    s_cmp_lt_u32 s0, 10
    s_cbranch_scc1 loop
    s_endpgm
.Lend:
.size plain, .Lend - plain
.rodata
.p2align 6
.amdhsa_kernel plain
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 8
    .amdhsa_group_segment_fixed_size 512
    .amdhsa_private_segment_fixed_size 48
    .amdhsa_kernarg_size 24
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_vgpr_workitem_id 2
.end_amdhsa_kernel
