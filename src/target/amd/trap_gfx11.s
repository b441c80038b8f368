// SPDX-License-Identifier: MIT
// Trap handler for gfx11: saves the whole wave into its slot, tells the host, waits for a command,
// restores the wave and returns. Many waves can be in it at once: a wave finds its slot from HW_ID1.
// The memory it shares with the debugger is described in trap_layout.h.
//
// Trap temporaries: ttmp0/1 return address and cause (hardware), ttmp6..11 set up by the SPI at
// launch and never touched, but for bits 31:24 of ttmp11, which it leaves alone: how many
// instructions are still to be stepped. ttmp4/5 slot address. ttmp2/3, 12..15 free.
// SCC of the program goes from STATUS (ttmp12) into bit 27 of ttmp1, the reason into bits 31:28.
//
// Source: RDNA3 ISA guide chapters 3.3 (hardware registers) and 16 (s_trap, s_rfe, s_sendmsg_rtn,
// global_store_addtid); field positions: data/reg/hwreg.reg.
#include "trap_layout.h"

.macro GET_TMA
    s_sendmsg_rtn_b64 ttmp[2:3], sendmsg(MSG_RTN_GET_TMA) // address >> 8
    s_waitcnt lgkmcnt(0)
    s_lshl_b64 ttmp[2:3], ttmp[2:3], 8
    s_bfe_i32 ttmp3, ttmp3, 0x100000 // sign-extend from bit 47
.endm

.macro LOAD dst:vararg
    s_load_b32 \dst glc
    s_waitcnt lgkmcnt(0)
.endm

// Stop with reason \code if bit \bit of \reg is set.
.macro STOP_IF_BIT reg, bit, code
    s_bitcmp1_b32 \reg, \bit
    s_cselect_b32 ttmp14, \code << 28, 0
    s_cbranch_scc1 stop
.endm

// TRAPSTS is \reg without the causes of traps; exceptions that are enabled are causes.
.macro CLEAR_CAUSES reg, room
    s_getreg_b32 \room, hwreg(HW_REG_MODE, 12, 9)
    s_or_b32 \room, \room, LULL_TRAP_CAUSES
    s_and_not1_b32 \reg, \reg, \room
    s_setreg_b32 hwreg(HW_REG_TRAPSTS), \reg
.endm

.text
trap:
    s_getreg_b32 ttmp12, hwreg(HW_REG_STATUS)
    s_and_b32 ttmp13, ttmp1, 0xff0000
    s_cmp_eq_u32 ttmp13, LULL_TRAP_ID_BREAK << 16
    s_cbranch_scc1 broke
    s_cmp_eq_u32 ttmp13, LULL_TRAP_ID_EXIT << 16
    s_cbranch_scc1 exit
enter:
    s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
    s_waitcnt_vscnt null, 0
    s_lshr_b32 ttmp13, ttmp11, 24
    s_cbranch_scc1 next_step
why:
    GET_TMA

    // ttmp4/5 = SLOTS + number * STRIDE
    s_getreg_b32 ttmp13, hwreg(HW_REG_HW_ID1)
    LOAD ttmp4, ttmp[2:3], LULL_TRAP_CTL_WGPS
    s_bfe_u32 ttmp5, ttmp13, 0x30012  // SE
    s_lshl_b32 ttmp5, ttmp5, 1
    s_bfe_u32 ttmp14, ttmp13, 0x10010 // SA
    s_add_u32 ttmp5, ttmp5, ttmp14
    s_mul_i32 ttmp5, ttmp5, ttmp4
    s_bfe_u32 ttmp14, ttmp13, 0x4000a // WGP
    s_add_u32 ttmp5, ttmp5, ttmp14
    s_lshl_b32 ttmp5, ttmp5, 2
    s_bfe_u32 ttmp14, ttmp13, 0x20008 // SIMD
    s_add_u32 ttmp5, ttmp5, ttmp14
    s_lshl_b32 ttmp5, ttmp5, 4
    s_and_b32 ttmp14, ttmp13, 15      // wave
    s_add_u32 ttmp5, ttmp5, ttmp14
    s_load_b64 ttmp[14:15], ttmp[2:3], LULL_TRAP_CTL_SLOTS glc
    s_waitcnt lgkmcnt(0)
    s_mul_hi_u32 ttmp13, ttmp5, LULL_TRAP_SLOT_STRIDE
    s_mul_i32 ttmp4, ttmp5, LULL_TRAP_SLOT_STRIDE
    s_add_u32 ttmp4, ttmp4, ttmp14
    s_addc_u32 ttmp5, ttmp13, ttmp15

    // A wave that gave its VGPRs back (STATUS.NO_VGPRS) cannot be saved: let it end.
    s_mov_b32 ttmp14, 0
    s_bitcmp1_b32 ttmp12, 24
    s_cbranch_scc1 leave

    // Why are we here?
    s_and_b32 ttmp13, ttmp1, 0xf0ff0000
    s_cmp_eq_u32 ttmp13, LULL_TRAP_REASON_BREAK << 28 | LULL_TRAP_ID_BREAK << 16
    s_cselect_b32 ttmp14, LULL_TRAP_REASON_BREAK << 28, 0
    s_cbranch_scc1 stop
    s_getreg_b32 ttmp13, hwreg(HW_REG_TRAPSTS)
    s_and_b32 ttmp14, ttmp1, 0xff0000
    s_cselect_b32 ttmp14, LULL_TRAP_REASON_TRAP << 28, 0
    s_cbranch_scc1 stop
    STOP_IF_BIT ttmp13, 8, LULL_TRAP_REASON_MEMORY
    STOP_IF_BIT ttmp13, 11, LULL_TRAP_REASON_ILLEGAL
    s_and_b32 ttmp15, ttmp13, 0x7000 // watchpoints 1 to 3
    s_getreg_b32 ttmp14, hwreg(HW_REG_MODE, 12, 9)
    s_and_b32 ttmp14, ttmp14, ttmp13
    s_or_b32 ttmp14, ttmp14, ttmp15
    s_cselect_b32 ttmp14, LULL_TRAP_REASON_EXCEPTION << 28, 0
    s_cbranch_scc1 stop
    // What the wave came to by itself is the reason, even if the host asks at the same time.
    s_bitcmp1_b32 ttmp13, 17
    s_cbranch_scc1 wave_start
    s_bitcmp1_b32 ttmp13, 20
    s_cbranch_scc1 after_inst
    STOP_IF_BIT ttmp1, 24, LULL_TRAP_REASON_HOST
    STOP_IF_BIT ttmp13, 16, LULL_TRAP_REASON_HOST
    // Nothing we know of: look for breakpoints, go on.
    s_branch look

wave_start:
    s_icache_inv // The debugger may have changed code while the wave's job ran.
    LOAD ttmp13, ttmp[2:3], LULL_TRAP_CTL_FLAGS
    s_bitcmp1_b32 ttmp13, LULL_TRAP_FLAG_EXCP_BIT
    s_cbranch_scc0 start_as_is
    s_mov_b32 ttmp14, 0
    s_setreg_b32 hwreg(HW_REG_MODE, 8, 1), ttmp14 // DX10_CLAMP suppresses all exceptions
start_as_is:
    STOP_IF_BIT ttmp13, LULL_TRAP_FLAG_START_BIT, LULL_TRAP_REASON_START
    s_branch look

after_inst: // In the block of a breakpoint? Its exits lead out, the rest is one instruction.
    s_load_b64 ttmp[14:15], ttmp[2:3], LULL_TRAP_CTL_BLOCKS glc
    LOAD ttmp13, ttmp[2:3], LULL_TRAP_CTL_MASK
    s_sub_u32 ttmp14, ttmp0, ttmp14
    s_subb_u32 ttmp15, ttmp1, ttmp15
    s_and_b32 ttmp15, ttmp15, 0xffff
    s_cbranch_scc1 outside
    s_or_b32 ttmp13, ttmp13, LULL_TRAP_BLOCK_SIZE - 1
    s_cmp_gt_u32 ttmp14, ttmp13
    s_cbranch_scc1 outside
    s_and_b32 ttmp13, ttmp0, LULL_TRAP_BLOCK_SIZE - 1
    s_cmp_lt_u32 ttmp13, LULL_TRAP_BLOCK_EXIT
    s_cbranch_scc1 amid
    s_sub_u32 ttmp2, ttmp0, ttmp13
    s_bfe_i32 ttmp3, ttmp1, 0x100000
    s_and_b32 ttmp13, ttmp13, 4
    s_lshl_b32 ttmp13, ttmp13, 1
    s_load_b64 ttmp[14:15], ttmp[2:3], ttmp13 offset:LULL_TRAP_BLOCK_NEXT glc
    s_waitcnt lgkmcnt(0)
    s_mov_b32 ttmp0, ttmp14
    s_and_b32 ttmp1, ttmp1, 0xffff0000
    s_or_b32 ttmp1, ttmp1, ttmp15
    GET_TMA
outside:
    LOAD ttmp13, ttmp[4:5], LULL_TRAP_SLOT_STEP
    STOP_IF_BIT ttmp13, 0, LULL_TRAP_REASON_STEP

look:
    LOAD ttmp15, ttmp[2:3], LULL_TRAP_CTL_FLAGS
    s_and_b32 ttmp15, ttmp15, 1 << LULL_TRAP_FLAG_STEP_BIT
    s_cbranch_scc0 none
    LOAD ttmp13, ttmp[2:3], LULL_TRAP_CTL_NBREAK
look_next:
    s_cmp_eq_u32 ttmp13, 0
    s_cbranch_scc1 none_stepping
    s_load_b64 ttmp[14:15], ttmp[2:3], LULL_TRAP_CTL_BREAK glc
    s_waitcnt lgkmcnt(0)
    s_xor_b32 ttmp15, ttmp15, ttmp1
    s_and_b32 ttmp15, ttmp15, 0xffff
    s_xor_b32 ttmp14, ttmp14, ttmp0
    s_or_b32 ttmp14, ttmp14, ttmp15
    s_cselect_b32 ttmp14, 0, LULL_TRAP_REASON_BREAK << 28
    s_cbranch_scc0 stop
    s_add_u32 ttmp2, ttmp2, 8
    s_addc_u32 ttmp3, ttmp3, 0
    s_sub_u32 ttmp13, ttmp13, 1
    s_branch look_next

none_stepping:
    s_mov_b32 ttmp15, 1
none: // The wave came to nothing; the host may have asked. ttmp15: 1 if it is to trap again
    s_getreg_b32 ttmp13, hwreg(HW_REG_TRAPSTS)
    STOP_IF_BIT ttmp1, 24, LULL_TRAP_REASON_HOST
    STOP_IF_BIT ttmp13, 16, LULL_TRAP_REASON_HOST
    s_mov_b32 ttmp14, ttmp15
leave: // ttmp14: 1 to trap again after the next instruction
    s_setreg_b32 hwreg(HW_REG_MODE, 11, 1), ttmp14
    s_mov_b32 ttmp15, 0
    s_setreg_b32 hwreg(HW_REG_TRAPSTS, 17, 4), ttmp15 // not HOST_TRAP: one may wait
    s_and_b32 ttmp1, ttmp1, 0xffff
    s_bitcmp1_b32 ttmp12, 0
    s_rfe_b64 ttmp[0:1]

amid: // Not a whole step.
    s_add_u32 ttmp11, ttmp11, 1 << 24
    s_mov_b32 ttmp14, 1
    s_branch leave

// One of several steps is done, ttmp4/5 are still the slot's. The wave goes on by itself while
// nothing else has happened, steps are left, and its pc is in the range that the host gave.
next_step:
    s_sub_u32 ttmp11, ttmp11, 1 << 24
    s_lshr_b32 ttmp13, ttmp11, 24
    s_cbranch_scc0 why
    s_getreg_b32 ttmp13, hwreg(HW_REG_TRAPSTS)
    s_bitcmp1_b32 ttmp13, 20
    s_cbranch_scc0 why
    s_getreg_b32 ttmp14, hwreg(HW_REG_MODE, 12, 9)
    s_or_b32 ttmp14, ttmp14, LULL_TRAP_CAUSES & ~(1 << 20)
    s_and_b32 ttmp14, ttmp14, ttmp13
    s_cbranch_scc1 why
    s_and_b32 ttmp14, ttmp1, 0x1ff0000 // trap id, host trap
    s_cbranch_scc1 why
    s_load_b64 ttmp[14:15], ttmp[4:5], LULL_TRAP_SLOT_RANGE glc
    s_load_b32 ttmp13, ttmp[4:5], LULL_TRAP_SLOT_RANGE_BYTES glc
    s_and_b32 ttmp2, ttmp1, 0xffff
    s_waitcnt lgkmcnt(0)
    s_sub_u32 ttmp14, ttmp0, ttmp14
    s_subb_u32 ttmp15, ttmp2, ttmp15
    s_cmp_lg_u32 ttmp15, 0
    s_cbranch_scc1 why
    s_cmp_ge_u32 ttmp14, ttmp13
    s_cbranch_scc1 why
    s_mov_b32 ttmp14, 1
    s_branch leave

// The end of a block, or the program's own s_trap: it is one of ours if the block says so.
exit:
    s_bfe_i32 ttmp1, ttmp1, 0x100000
    s_and_b32 ttmp13, ttmp0, 4 // of the second: its words are 8 bytes further, it is 4
    s_load_b64 ttmp[14:15], ttmp[0:1], ttmp13 offset:LULL_TRAP_BLOCK_SELF - LULL_TRAP_BLOCK_EXIT glc
    s_load_b64 ttmp[2:3], ttmp[0:1], ttmp13 offset:LULL_TRAP_BLOCK_NEXT - LULL_TRAP_BLOCK_EXIT glc
    s_waitcnt lgkmcnt(0)
    s_cmp_eq_u64 ttmp[14:15], ttmp[0:1]
    s_cbranch_scc0 exit_of_program
    s_bitcmp1_b32 ttmp12, 0
    s_rfe_b64 ttmp[2:3]
exit_of_program:
    s_and_b32 ttmp1, ttmp1, 0xffff
    s_or_b32 ttmp1, ttmp1, LULL_TRAP_ID_EXIT << 16
    s_branch enter

.org LULL_TRAP_HANDLER_BLOCKS, 0
    .quad 0

// An s_trap that may stand for a breakpoint. If it has a test, and no other breakpoint's block is
// in the place where its own belongs, the test is all there is to do, as long as it is false.
broke:
    s_and_b32 ttmp1, ttmp1, 0xffffff
    s_getpc_b64 ttmp[4:5]
.org LULL_TRAP_HANDLER_BLOCKS + 20 // what that gives
    s_load_b64 ttmp[4:5], ttmp[4:5], -20
    s_lshl_b32 ttmp14, ttmp0, 5
    s_and_b32 ttmp14, ttmp14, LULL_TRAP_BLOCKS * LULL_TRAP_BLOCK_SIZE - LULL_TRAP_BLOCK_SIZE
    s_waitcnt lgkmcnt(0)
    s_load_b64 ttmp[2:3], ttmp[4:5], ttmp14 offset:LULL_TRAP_BLOCK_TESTED glc
    s_load_b64 ttmp[14:15], ttmp[4:5], ttmp14 offset:LULL_TRAP_BLOCK_TEST glc
    s_waitcnt lgkmcnt(0)
    s_cmp_eq_u64 ttmp[2:3], ttmp[0:1]
    s_cbranch_scc0 broke_slowly
    s_swappc_b64 ttmp[2:3], ttmp[14:15]
    // It holds: the wave stops, if all else allows.

// Waves that cannot stop run what it stands for.
broke_slowly:
    GET_TMA
    s_load_b64 ttmp[4:5], ttmp[2:3], LULL_TRAP_CTL_BLOCKS glc
    s_load_b32 ttmp13, ttmp[2:3], LULL_TRAP_CTL_MASK glc
    LOAD ttmp15, ttmp[2:3], LULL_TRAP_CTL_FLAGS
    s_lshl_b32 ttmp14, ttmp0, 5
probe:
    s_and_b32 ttmp14, ttmp14, ttmp13
    s_load_b64 ttmp[2:3], ttmp[4:5], ttmp14 offset:LULL_TRAP_BLOCK_KEY glc
    s_waitcnt lgkmcnt(0)
    s_cmp_eq_u64 ttmp[2:3], ttmp[0:1]
    s_cbranch_scc1 found
    s_cmp_eq_u64 ttmp[2:3], 0
    s_cbranch_scc1 enter
    s_add_u32 ttmp14, ttmp14, LULL_TRAP_BLOCK_SIZE
    s_branch probe
found:
    s_add_u32 ttmp4, ttmp4, ttmp14
    s_addc_u32 ttmp5, ttmp5, 0
    s_load_b64 ttmp[2:3], ttmp[4:5], LULL_TRAP_BLOCK_START glc
    LOAD ttmp13, ttmp[4:5], LULL_TRAP_BLOCK_FLAGS
    s_bitcmp0_b32 ttmp13, LULL_TRAP_BLOCK_LIVE_BIT
    s_cbranch_scc1 go_to
    s_bitcmp1_b32 ttmp15, LULL_TRAP_FLAG_LEFT_BIT
    s_cbranch_scc1 go_to
    s_bitcmp1_b32 ttmp12, 24 // STATUS.NO_VGPRS: it cannot be saved.
    s_cbranch_scc1 go_to
    s_bitcmp1_b32 ttmp13, LULL_TRAP_BLOCK_TEST_BIT
    s_cbranch_scc0 holds
    s_load_b64 ttmp[2:3], ttmp[4:5], LULL_TRAP_BLOCK_TEST glc
    s_waitcnt lgkmcnt(0)
    s_swappc_b64 ttmp[2:3], ttmp[2:3]
holds:
    s_or_b32 ttmp1, ttmp1, LULL_TRAP_REASON_BREAK << 28
    s_branch enter
go_to: // ttmp2/3: where to.
    s_bitcmp1_b32 ttmp12, 0
    s_rfe_b64 ttmp[2:3]

// The debugger has gone without a word: nobody would let the wave go on. ttmp14: reason << 28.
left:
    s_and_b32 ttmp13, ttmp1, 0xf0ff0000
    s_cmp_eq_u32 ttmp13, LULL_TRAP_REASON_BREAK << 28 | LULL_TRAP_ID_BREAK << 16
    s_cbranch_scc1 broke
    s_cmp_eq_u32 ttmp14, LULL_TRAP_REASON_MEMORY << 28
    s_cbranch_scc1 dead
    s_cmp_eq_u32 ttmp14, LULL_TRAP_REASON_ILLEGAL << 28
    s_cbranch_scc1 dead
    s_cmp_eq_u32 ttmp14, LULL_TRAP_REASON_TRAP << 28
    s_cselect_b32 ttmp13, 4, 0 // over the s_trap
    s_add_u32 ttmp0, ttmp0, ttmp13
    s_addc_u32 ttmp1, ttmp1, 0
    s_getreg_b32 ttmp13, hwreg(HW_REG_TRAPSTS)
    CLEAR_CAUSES ttmp13, ttmp14
    s_mov_b32 ttmp14, 0
    s_branch leave
dead: // as without a handler
    s_sethalt 5
    s_branch dead

// ttmp14: reason << 28.
stop:
    GET_TMA
    LOAD ttmp13, ttmp[2:3], LULL_TRAP_CTL_FLAGS
    s_bitcmp1_b32 ttmp13, LULL_TRAP_FLAG_LEFT_BIT
    s_cbranch_scc1 left
    s_and_b32 ttmp1, ttmp1, 0x01ffffff
    s_or_b32 ttmp1, ttmp1, ttmp14
    s_and_b32 ttmp12, ttmp12, 1
    s_lshl_b32 ttmp12, ttmp12, 27
    s_or_b32 ttmp1, ttmp1, ttmp12
    s_mov_b32 ttmp14, exec_lo
    s_mov_b32 ttmp15, exec_hi
    s_mov_b32 exec_lo, -1
    s_mov_b32 exec_hi, -1

    // VGPRs. GPR_ALLOC.VGPR_SIZE + 1 blocks of 4; two at a time in wave32, which has them in 24s.
    s_add_u32 ttmp2, ttmp4, LULL_TRAP_SLOT_VGPR
    s_addc_u32 ttmp3, ttmp5, 0
    s_getreg_b32 ttmp13, hwreg(HW_REG_GPR_ALLOC, 12, 8)
    s_getreg_b32 ttmp12, hwreg(28, 11, 1) // IB_STS2.WAVE64
    s_cmp_eq_u32 ttmp12, 1
    s_cbranch_scc1 save64
    s_lshr_b32 ttmp13, ttmp13, 1

.set block, 0
.rept 32
.set reg, 0
.rept 8
    global_store_addtid_b32 v[block * 8 + reg], ttmp[2:3] offset:reg * 128 glc
.set reg, reg + 1
.endr
    s_cmp_eq_u32 ttmp13, block
    s_cbranch_scc1 saved
    s_add_u32 ttmp2, ttmp2, 1024
    s_addc_u32 ttmp3, ttmp3, 0
.set block, block + 1
.endr

save64:
.set block, 0
.rept 64
.set reg, 0
.rept 4
    global_store_addtid_b32 v[block * 4 + reg], ttmp[2:3] offset:reg * 256 glc
.set reg, reg + 1
.endr
    s_cmp_eq_u32 ttmp13, block
    s_cbranch_scc1 saved
    s_add_u32 ttmp2, ttmp2, 1024
    s_addc_u32 ttmp3, ttmp3, 0
.set block, block + 1
.endr

saved: // From here on VGPRs are ours; lines are 32 lanes wide.
    s_mov_b32 exec_hi, 0
.set n, 0
.rept 32
    v_writelane_b32 v0, s[n], n
    v_writelane_b32 v1, s[n + 32], n
    v_writelane_b32 v2, s[n + 64], n
.set n, n + 1
.endr
.set n, 0
.rept 10
    v_writelane_b32 v3, s[n + 96], n
.set n, n + 1
.endr
    v_writelane_b32 v3, vcc_lo, 10
    v_writelane_b32 v3, vcc_hi, 11
    global_store_addtid_b32 v0, ttmp[4:5] offset:LULL_TRAP_SLOT_SGPR glc
    global_store_addtid_b32 v1, ttmp[4:5] offset:LULL_TRAP_SLOT_SGPR + 128 glc
    global_store_addtid_b32 v2, ttmp[4:5] offset:LULL_TRAP_SLOT_SGPR + 256 glc
    global_store_addtid_b32 v3, ttmp[4:5] offset:LULL_TRAP_SLOT_SGPR + 384 glc

.macro PUT reg, offset
    v_writelane_b32 v0, \reg, (\offset - LULL_TRAP_SLOT_PC) / 4
.endm
.macro PUT_HW name, offset
    s_getreg_b32 ttmp2, hwreg(\name)
    PUT ttmp2, \offset
.endm
    PUT ttmp0, LULL_TRAP_SLOT_PC
    PUT ttmp1, LULL_TRAP_SLOT_PC + 4
    PUT ttmp14, LULL_TRAP_SLOT_EXEC
    PUT ttmp15, LULL_TRAP_SLOT_EXEC + 4
    s_lshr_b32 ttmp3, ttmp1, 27
    s_and_b32 ttmp3, ttmp3, 1
    s_getreg_b32 ttmp2, hwreg(HW_REG_STATUS)
    s_and_b32 ttmp2, ttmp2, ~1
    s_or_b32 ttmp2, ttmp2, ttmp3
    PUT ttmp2, LULL_TRAP_SLOT_STATUS
    PUT_HW HW_REG_TRAPSTS, LULL_TRAP_SLOT_TRAPSTS
    PUT_HW HW_REG_MODE, LULL_TRAP_SLOT_MODE
    PUT m0, LULL_TRAP_SLOT_M0
    PUT_HW HW_REG_HW_ID1, LULL_TRAP_SLOT_HW_ID1
    PUT_HW HW_REG_HW_ID2, LULL_TRAP_SLOT_HW_ID2
    PUT_HW HW_REG_FLAT_SCR_LO, LULL_TRAP_SLOT_FLAT_SCRATCH
    PUT_HW HW_REG_FLAT_SCR_HI, LULL_TRAP_SLOT_FLAT_SCRATCH + 4
    PUT_HW HW_REG_GPR_ALLOC, LULL_TRAP_SLOT_GPR_ALLOC
    PUT_HW HW_REG_LDS_ALLOC, LULL_TRAP_SLOT_LDS_ALLOC
    PUT_HW HW_REG_IB_STS, LULL_TRAP_SLOT_IB_STS
    PUT_HW 28, LULL_TRAP_SLOT_IB_STS2
    PUT ttmp6, LULL_TRAP_SLOT_TTMP6
    PUT ttmp7, LULL_TRAP_SLOT_TTMP6 + 4
    PUT ttmp8, LULL_TRAP_SLOT_TTMP6 + 8
    PUT ttmp9, LULL_TRAP_SLOT_TTMP6 + 12
    PUT ttmp10, LULL_TRAP_SLOT_TTMP6 + 16
    PUT ttmp11, LULL_TRAP_SLOT_TTMP6 + 20
    global_store_addtid_b32 v0, ttmp[4:5] offset:LULL_TRAP_SLOT_PC glc
    s_waitcnt_vscnt null, 0

    // STATE = 1, CMD = STEP = 0; then the stop is counted and queued.
    v_mov_b32 v0, 0
    v_writelane_b32 v0, 1, 0
    global_store_addtid_b32 v0, ttmp[4:5] glc
    s_waitcnt_vscnt null, 0
    GET_TMA
    s_mov_b32 exec_lo, 1
    v_mov_b32 v0, 0
    v_mov_b32 v1, 1
    global_atomic_add_u32 v2, v0, v1, ttmp[2:3] offset:LULL_TRAP_CTL_NSTOPPED glc
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 ttmp15, v2 // the stop's number, kept until the wave goes on
    v_and_b32 v2, LULL_TRAP_QUEUE_SIZE - 1, v2
    v_lshlrev_b32 v2, 2, v2
    v_mov_b32 v1, ttmp4
    global_store_b32 v2, v1, ttmp[2:3] offset:LULL_TRAP_CTL_QUEUE glc
    s_waitcnt_vscnt null, 0
    s_mov_b32 exec_lo, -1

wait: // HALT does not hold a wave in its trap handler, so it sleeps and looks.
    GET_TMA
    LOAD ttmp14, ttmp[2:3], LULL_TRAP_CTL_FLAGS
    s_mov_b32 ttmp13, LULL_TRAP_CMD_CONTINUE
    s_bitcmp1_b32 ttmp14, LULL_TRAP_FLAG_LEFT_BIT
    s_cbranch_scc1 restore
    LOAD ttmp13, ttmp[4:5], LULL_TRAP_SLOT_CMD
    s_cmp_eq_u32 ttmp13, LULL_TRAP_CMD_SAVE_LDS
    s_cbranch_scc1 copy_lds
    s_cmp_eq_u32 ttmp13, LULL_TRAP_CMD_LOAD_LDS
    s_cbranch_scc1 copy_lds
    // A command counts from when GO is above the stop. It is read again then: the first look may
    // have come before the host wrote it.
    LOAD ttmp14, ttmp[2:3], LULL_TRAP_CTL_GO
    s_sub_u32 ttmp14, ttmp15, ttmp14
    s_cmp_ge_i32 ttmp14, 0
    s_cbranch_scc1 sleep
    LOAD ttmp13, ttmp[4:5], LULL_TRAP_SLOT_CMD
    s_cmp_eq_u32 ttmp13, LULL_TRAP_CMD_CONTINUE
    s_cbranch_scc1 restore
    s_cmp_eq_u32 ttmp13, LULL_TRAP_CMD_STEP
    s_cbranch_scc1 restore
    s_sethalt 1
sleep:
    s_sleep 100
    s_branch wait

// LDS <-> slot, 32 dwords at a time. ttmp14 bytes left, ttmp2/3 memory, v1 LDS address.
copy_lds:
    LOAD ttmp14, ttmp[4:5], LULL_TRAP_SLOT_LDS_BYTES
    s_mov_b32 ttmp12, m0
    s_mov_b32 m0, -1
    s_add_u32 ttmp2, ttmp4, LULL_TRAP_SLOT_LDS
    s_addc_u32 ttmp3, ttmp5, 0
    v_mbcnt_lo_u32_b32 v1, -1, 0
    v_lshlrev_b32 v1, 2, v1
copy_next:
    s_cmp_eq_u32 ttmp14, 0
    s_cbranch_scc1 copied
    s_cmp_eq_u32 ttmp13, LULL_TRAP_CMD_LOAD_LDS
    s_cbranch_scc1 load_lds
    ds_load_b32 v2, v1
    s_waitcnt lgkmcnt(0)
    global_store_addtid_b32 v2, ttmp[2:3] glc
    s_branch copy_step
load_lds:
    global_load_addtid_b32 v2, ttmp[2:3] glc
    s_waitcnt vmcnt(0)
    ds_store_b32 v1, v2
copy_step:
    v_add_nc_u32 v1, 128, v1
    s_add_u32 ttmp2, ttmp2, 128
    s_addc_u32 ttmp3, ttmp3, 0
    s_sub_u32 ttmp14, ttmp14, 128
    s_branch copy_next
copied:
    s_waitcnt lgkmcnt(0)
    s_waitcnt_vscnt null, 0
    s_mov_b32 m0, ttmp12
    v_mov_b32 v0, 0
    v_writelane_b32 v0, 1, 0
    global_store_addtid_b32 v0, ttmp[4:5] glc // CMD = 0 says done
    s_waitcnt_vscnt null, 0
    s_branch wait

// ttmp13: CONTINUE or STEP.
restore:
    s_sethalt 0
    s_lshr_b32 ttmp15, ttmp13, 1 // 1: step
    LOAD ttmp14, ttmp[4:5], LULL_TRAP_SLOT_STEPS
    s_mul_i32 ttmp14, ttmp14, ttmp15
    s_and_b32 ttmp11, ttmp11, 0xffffff
    s_or_b32 ttmp11, ttmp11, ttmp14
    v_mov_b32 v0, 0
    v_writelane_b32 v0, ttmp15, LULL_TRAP_SLOT_STEP / 4
    global_store_addtid_b32 v0, ttmp[4:5] glc
    s_waitcnt_vscnt null, 0

    // MODE as saved, TRAP_AFTER_INST_EN as wanted now.
    GET_TMA
    LOAD ttmp14, ttmp[2:3], LULL_TRAP_CTL_FLAGS
    s_and_b32 ttmp14, ttmp14, 1 << LULL_TRAP_FLAG_STEP_BIT
    s_or_b32 ttmp15, ttmp15, ttmp14
    s_lshl_b32 ttmp15, ttmp15, 11
    LOAD ttmp14, ttmp[4:5], LULL_TRAP_SLOT_MODE
    s_bitset0_b32 ttmp14, 11
    s_or_b32 ttmp14, ttmp14, ttmp15
    s_setreg_b32 hwreg(HW_REG_MODE), ttmp14
    // The causes are dealt with: clear them, or the wave comes straight back. HOST_TRAP too: a
    // broadcast SQ_CMD TRAP also reached the waves that stood here already.
    LOAD ttmp14, ttmp[4:5], LULL_TRAP_SLOT_TRAPSTS
    CLEAR_CAUSES ttmp14, ttmp13
    LOAD ttmp14, ttmp[4:5], LULL_TRAP_SLOT_FLAT_SCRATCH
    s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), ttmp14
    LOAD ttmp14, ttmp[4:5], LULL_TRAP_SLOT_FLAT_SCRATCH + 4
    s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), ttmp14
    LOAD ttmp14, ttmp[4:5], LULL_TRAP_SLOT_M0
    s_mov_b32 m0, ttmp14

    s_load_b512 s[0:15], ttmp[4:5], LULL_TRAP_SLOT_SGPR glc
    s_load_b512 s[16:31], ttmp[4:5], LULL_TRAP_SLOT_SGPR + 64 glc
    s_load_b512 s[32:47], ttmp[4:5], LULL_TRAP_SLOT_SGPR + 128 glc
    s_load_b512 s[48:63], ttmp[4:5], LULL_TRAP_SLOT_SGPR + 192 glc
    s_load_b512 s[64:79], ttmp[4:5], LULL_TRAP_SLOT_SGPR + 256 glc
    s_load_b512 s[80:95], ttmp[4:5], LULL_TRAP_SLOT_SGPR + 320 glc
    s_load_b256 s[96:103], ttmp[4:5], LULL_TRAP_SLOT_SGPR + 384 glc
    s_load_b64 s[104:105], ttmp[4:5], LULL_TRAP_SLOT_SGPR + 416 glc
    s_load_b64 vcc, ttmp[4:5], LULL_TRAP_SLOT_SGPR + 424 glc

    s_mov_b32 exec_hi, -1
    s_add_u32 ttmp2, ttmp4, LULL_TRAP_SLOT_VGPR
    s_addc_u32 ttmp3, ttmp5, 0
    s_getreg_b32 ttmp13, hwreg(HW_REG_GPR_ALLOC, 12, 8)
    s_getreg_b32 ttmp12, hwreg(28, 11, 1)
    s_cmp_eq_u32 ttmp12, 1
    s_cbranch_scc1 load64
    s_lshr_b32 ttmp13, ttmp13, 1

.set block, 0
.rept 32
.set reg, 0
.rept 8
    global_load_addtid_b32 v[block * 8 + reg], ttmp[2:3] offset:reg * 128 glc
.set reg, reg + 1
.endr
    s_cmp_eq_u32 ttmp13, block
    s_cbranch_scc1 loaded
    s_add_u32 ttmp2, ttmp2, 1024
    s_addc_u32 ttmp3, ttmp3, 0
.set block, block + 1
.endr

load64:
.set block, 0
.rept 64
.set reg, 0
.rept 4
    global_load_addtid_b32 v[block * 4 + reg], ttmp[2:3] offset:reg * 256 glc
.set reg, reg + 1
.endr
    s_cmp_eq_u32 ttmp13, block
    s_cbranch_scc1 loaded
    s_add_u32 ttmp2, ttmp2, 1024
    s_addc_u32 ttmp3, ttmp3, 0
.set block, block + 1
.endr

loaded:
    s_load_b64 ttmp[0:1], ttmp[4:5], LULL_TRAP_SLOT_PC glc
    s_load_b64 ttmp[14:15], ttmp[4:5], LULL_TRAP_SLOT_EXEC glc
    s_load_b32 ttmp12, ttmp[4:5], LULL_TRAP_SLOT_STATUS glc
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_mov_b32 exec_lo, ttmp14
    s_mov_b32 exec_hi, ttmp15
    s_and_b32 ttmp1, ttmp1, 0xffff
    s_bitcmp1_b32 ttmp12, 13 // STATUS.HALT as it was
    s_cbranch_scc0 not_halted
    s_sethalt 1
not_halted:
    s_icache_inv // The debugger may have changed code meanwhile.
    s_bitcmp1_b32 ttmp12, 0
    s_rfe_b64 ttmp[0:1]

    // The prefetcher may read ahead: 16 dwords that are code.
.rept 16
    s_code_end
.endr
