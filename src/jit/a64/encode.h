// SPDX-License-Identifier: MIT
/** @file
 * A64 machine code: what there is around the operations of templates, and the registers that all of
 * it uses. Code is made in struct lull_x86, which is a buffer of bytes.
 */
#ifndef LULL_JIT_A64_ENCODE_H
#define LULL_JIT_A64_ENCODE_H

#include "jit/encode.h"

/** General registers, and vectors behind those of the window. */
enum lull_a64_reg {
    LULL_A64_X0,
    LULL_A64_X1,
    LULL_A64_X2,
    LULL_A64_X3,
    LULL_A64_T0 = 16, ///< For moments.
    LULL_A64_T1,
    LULL_A64_WAVE = 19,
    LULL_A64_VGPRS,      ///< This strip of VGPR 0.
    LULL_A64_CONSTS,     ///< Of the pool.
    LULL_A64_AREA,       ///< struct lull_jit_area.
    LULL_A64_LANE,       ///< First of the strip.
    LULL_A64_MASKS,      ///< To 26: parts of masks, gathered.
    LULL_A64_FLUSH = 27, ///< The flag of FPSR that says that the host has flushed a result.
    LULL_A64_LDS_SIZE,   ///< Of the workgroup's part, in bytes,
    LULL_A64_LDS,        ///< and where it is.
    LULL_A64_ZERO = 31,
    LULL_A64_TEMP = 28, ///< v28: for moments.
    LULL_A64_BITS,      ///< v29: 1, 2, 4, 8.
    LULL_A64_DOUBT,     ///< v30: lanes in doubt.
    LULL_A64_EXEC,      ///< v31: lanes that are on.
};

/** An instruction without its registers, and these: at bits 0, 5 and 16. */
void lull_a64(struct lull_x86 *x, uint32_t word);
void lull_a64_reg(struct lull_x86 *x, uint32_t word, unsigned d, unsigned n, unsigned m);
/** A load or store of 1 << @p scale bytes, by the opcode @p word with an unsigned offset. T1 is
 * lost where that does not fit. */
void lull_a64_mem(struct lull_x86 *x, uint32_t word, unsigned scale, unsigned reg,
                  struct lull_x86_mem m);
/** The general register that @p base is. */
unsigned lull_a64_base(unsigned base);
/** Register @p d becomes the address. */
void lull_a64_address(struct lull_x86 *x, unsigned d, struct lull_x86_mem m);
void lull_a64_imm(struct lull_x86 *x, unsigned d, uint64_t v);
/** Where code keeps the struct lull_exec_exit that it was called with. */
extern const struct lull_x86_mem lull_a64_at_exit;
/** A branch without its distance: B, B.cond, CBZ. @return its place, for lull_a64_land(). */
size_t lull_a64_jump(struct lull_x86 *x, uint32_t word);
void lull_a64_land(struct lull_x86 *x, size_t at, size_t to);

/** Opcodes. */
#define LULL_A64_LDR_Q 0x3dc00000u
#define LULL_A64_STR_Q 0x3d800000u
#define LULL_A64_LDR_X 0xf9400000u
#define LULL_A64_STR_X 0xf9000000u
#define LULL_A64_LDR_W 0xb9400000u
#define LULL_A64_STR_W 0xb9000000u
#define LULL_A64_LDRH 0x79400000u
#define LULL_A64_MOV 0xaa0003e0u ///< X: from m.
#define LULL_A64_ORR 0xaa000000u
#define LULL_A64_AND 0x8a000000u
#define LULL_A64_LSL 0x9ac02000u
#define LULL_A64_LSR 0x9ac02400u
#define LULL_A64_BLR 0xd63f0000u ///< To n.
#define LULL_A64_RET 0xd65f03c0u
#define LULL_A64_B 0x14000000u
#define LULL_A64_BEQ 0x54000000u
#define LULL_A64_BNE 0x54000001u
#define LULL_A64_BIT 0x6ea01c00u ///< Bits of n to d, where m has one.
#define LULL_A64_BLE 0x5400000du
#define LULL_A64_ADD_IMM 0x91000000u ///< X: an immediate at bit 10.
#define LULL_A64_CBZ 0xb4000000u     ///< X.
#define LULL_A64_CBNZ 0xb5000000u    ///< X.

#endif
