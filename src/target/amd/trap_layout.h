// SPDX-License-Identifier: MIT
/** @file
 * Memory that the trap handler and the debugger share. Included by C and by trap_gfx11.s, hence
 * macros and nothing else. All offsets and sizes in bytes.
 *
 * Control block (TMA points at it):
 *   SLOTS     u64  address of slot 0
 *   FLAGS     u32  bits below
 *   NBREAK    u32  valid entries of BREAK
 *   NSTOPPED  u32  the handler adds 1 when a wave is saved and waits
 *   WGPS      u32  WGPs of a shader array, for the slot number
 *   GO        u32  host: commands are written for all stops numbered below (modulo 2^32)
 *   BLOCKS    u64  address of the blocks of breakpoints that stand in code
 *   MASK      u32  their size in bytes less that of one
 *   BREAK     u64[MAX_BREAK]  breakpoint addresses, low 48 bits
 *   QUEUE     u32[QUEUE_SIZE] low half of the slot address of stop number n, at n % QUEUE_SIZE
 *
 * A wave whose stop is not below GO waits without STATUS.HALT: on the model that holds up
 * everything, until the host has decided for each wave whether it is to go on, and lets them by one
 * store. One below GO without a command stands, with STATUS.HALT set: others may go on.
 *
 * A breakpoint in code is `s_trap ID_BREAK` in place of its instruction. Blocks are a hash table by
 * KEY, from entry (pc / 4) on, to the first whose KEY is 0. A block has the instruction, or others
 * that do the same there, in front of `s_trap ID_EXIT` at byte EXIT, which goes to NEXT, and one
 * more, which goes to NEXT + 8: where a branch is taken. Blocks stay as long as the handler: a wave
 * may be in one.
 *   SELF      u64[2]  the addresses of its two s_trap ID_EXIT
 *   KEY       u64  address of the breakpoint in bits 47:0, ID_BREAK in 55:48
 *   NEXT      u64[2]
 *   START     u64  address of the first instruction in the block
 *   FLAGS     u32  bits below
 *   HOME      u64  for the host: address of the breakpoint, also when KEY is gone
 *   TEST      u64  address of the code of its test
 *   TESTED    u64  KEY while the block is LIVE and has a TEST, else 0
 *
 * Slot of a wave: number wave + 16 * (simd + 4 * (wgp + WGPS * (sa + 2 * se))), from HW_ID1.
 */
#ifndef LULL_TARGET_AMD_TRAP_LAYOUT_H
#define LULL_TARGET_AMD_TRAP_LAYOUT_H

#define LULL_TRAP_CTL_SLOTS 0x00
#define LULL_TRAP_CTL_FLAGS 0x08
#define LULL_TRAP_CTL_NBREAK 0x0c
#define LULL_TRAP_CTL_NSTOPPED 0x10
#define LULL_TRAP_CTL_WGPS 0x14
#define LULL_TRAP_CTL_GO 0x18
#define LULL_TRAP_CTL_BLOCKS 0x20
#define LULL_TRAP_CTL_MASK 0x28
#define LULL_TRAP_CTL_QUEUE 0x400
#define LULL_TRAP_QUEUE_SIZE 4096
#define LULL_TRAP_CTL_BREAK 0x4400
#define LULL_TRAP_MAX_BREAK 4096
#define LULL_TRAP_CTL_SIZE 0xc400

#define LULL_TRAP_FLAG_STEP_BIT 0  /* look for breakpoints after every instruction */
#define LULL_TRAP_FLAG_START_BIT 1 /* stop every wave in front of its first instruction */
#define LULL_TRAP_FLAG_LEFT_BIT 2  /* nobody debugs any more: all waves go on */
#define LULL_TRAP_FLAG_EXCP_BIT 3  /* new waves are to raise exceptions: MODE.DX10_CLAMP off */

/* Trap ids: 7 is the debugger's in AMD's own stack, too (ROCdbgapi). */
#define LULL_TRAP_ID_BREAK 7
#define LULL_TRAP_ID_EXIT 0xfe

#define LULL_TRAP_HANDLER_BLOCKS 0x400 /* in the handler itself: BLOCKS, by the host */

#define LULL_TRAP_BLOCK_KEY 0x08
#define LULL_TRAP_BLOCK_NEXT 0x10
#define LULL_TRAP_BLOCK_START 0x20
#define LULL_TRAP_BLOCK_FLAGS 0x28
#define LULL_TRAP_BLOCK_HOME 0x30
#define LULL_TRAP_BLOCK_TEST 0x38
#define LULL_TRAP_BLOCK_SELF 0x40
#define LULL_TRAP_BLOCK_TESTED 0x50
#define LULL_TRAP_BLOCK_CODE 0x60
#define LULL_TRAP_BLOCK_EXIT 0x78 /* the last two dwords */
#define LULL_TRAP_BLOCK_SIZE 0x80
#define LULL_TRAP_BLOCKS 65536 /* a power of 2 */

#define LULL_TRAP_BLOCK_LIVE_BIT 0 /* waves stop there */
#define LULL_TRAP_BLOCK_TEST_BIT 1 /* TEST says whether they do */

/* First line: written by the handler as one 128-byte store; CMD also by the host while STATE is 1.
 */
#define LULL_TRAP_SLOT_STATE 0x00 /* 1: saved and waiting for CMD */
#define LULL_TRAP_SLOT_CMD 0x04
#define LULL_TRAP_SLOT_STEP 0x08      /* the wave runs one instruction */
#define LULL_TRAP_SLOT_LDS_BYTES 0x40 /* host: for the LDS commands; multiple of 256 */
/* Written by the host alone, for STEP: with STEPS the wave goes on by itself, for so many
 * instructions, while its pc is in the range. */
#define LULL_TRAP_SLOT_RANGE 0x80 /* address, low 48 bits */
#define LULL_TRAP_SLOT_RANGE_BYTES 0x88
#define LULL_TRAP_SLOT_STEPS 0x8c /* in bits 31:24, as in ttmp11; 0: one instruction */

#define LULL_TRAP_CMD_CONTINUE 1
#define LULL_TRAP_CMD_STEP 2
#define LULL_TRAP_CMD_SAVE_LDS 3
#define LULL_TRAP_CMD_LOAD_LDS 4

/* Second line: hardware registers. */
#define LULL_TRAP_SLOT_PC 0x100 /* ttmp0, ttmp1: pc 47:0, trap id 55:48, SCC 59, reason 63:60 */
#define LULL_TRAP_SLOT_EXEC 0x108
#define LULL_TRAP_SLOT_STATUS 0x110
#define LULL_TRAP_SLOT_TRAPSTS 0x114
#define LULL_TRAP_SLOT_MODE 0x118
#define LULL_TRAP_SLOT_M0 0x11c
#define LULL_TRAP_SLOT_HW_ID1 0x120
#define LULL_TRAP_SLOT_HW_ID2 0x124
#define LULL_TRAP_SLOT_FLAT_SCRATCH 0x128
#define LULL_TRAP_SLOT_GPR_ALLOC 0x130
#define LULL_TRAP_SLOT_LDS_ALLOC 0x134
#define LULL_TRAP_SLOT_IB_STS 0x138
#define LULL_TRAP_SLOT_IB_STS2 0x13c
#define LULL_TRAP_SLOT_TTMP6 0x140 /* ttmp6..11; of 11 bits 31:24 are the handler's: steps left */
#define LULL_TRAP_SLOT_SGPR 0x200  /* s0..s105, vcc_lo, vcc_hi */
#define LULL_TRAP_SLOT_VGPR 0x400  /* v0.., lanes * 4 bytes each */
#define LULL_TRAP_SLOT_LDS 0x10400 /* up to 64 KiB, after SAVE_LDS */
#define LULL_TRAP_SLOT_STRIDE 0x21000

/* Bits of TRAPSTS that a resumed wave must not keep: watchpoints (7, 14:12), memory violation (8),
 * illegal instruction (11), host trap (16), wave start and end (17, 18), after instruction (20). */
#define LULL_TRAP_CAUSES 0x177980
#define LULL_TRAP_EXCP_WATCH_BIT 7 /* of TRAPSTS.EXCP and MODE.EXCP_EN: an address watch */

/* Reason, in bits 63:60 of PC. */
#define LULL_TRAP_REASON_TRAP 1
#define LULL_TRAP_REASON_HOST 2
#define LULL_TRAP_REASON_MEMORY 3
#define LULL_TRAP_REASON_ILLEGAL 4
#define LULL_TRAP_REASON_EXCEPTION 5
#define LULL_TRAP_REASON_START 6
#define LULL_TRAP_REASON_STEP 7
#define LULL_TRAP_REASON_BREAK 8

#endif
