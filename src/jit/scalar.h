// SPDX-License-Identifier: MIT
/** @file
 * Scalar instructions: machine code of their rows, copied, with the places of registers and
 * constants put in.
 */
#ifndef LULL_JIT_SCALAR_H
#define LULL_JIT_SCALAR_H

#include "jit/encode.h"
#include "model/amd/exec/uop.h"

/** What stands in a hole: the offset of an SGPR in struct lull_wave, or a constant. */
enum lull_jit_hole_kind { LULL_JIT_HOLE_A, LULL_JIT_HOLE_B, LULL_JIT_HOLE_D, LULL_JIT_HOLE_K };

/** 32 bits of the code of a stencil; of aarch64 an instruction with 16 bits of a number. */
struct lull_jit_hole {
    uint8_t at;    ///< In bytes, from the stencil's first.
    uint8_t which; ///< enum lull_jit_hole_kind; of aarch64 + 4 times the number of the part.
    int8_t plus;   ///< Is added; of aarch64: 0.
};

/** Code with rdi, the wave, which changes rax, rcx, rdx, rsi, r8 to r11 and flags. Of aarch64: with
 * x0, the wave, which changes what functions may, but for vectors. */
struct lull_jit_stencil {
    uint16_t code;  ///< In lull_jit_stencil_code, or lull_a64_stencil_code.
    uint16_t holes; ///< In lull_jit_holes, or lull_a64_holes.
    uint8_t size;   ///< 0: there is none.
    uint8_t nholes;
};

extern const uint8_t lull_jit_stencil_code[];
extern const struct lull_jit_hole lull_jit_holes[];
/** By bits: source 0 is a constant, source 1 is one. */
extern const struct lull_jit_stencil lull_jit_stencils[LULL_RDNA_NOPS][4];
/** The same for aarch64. */
extern const uint8_t lull_a64_stencil_code[];
extern const struct lull_jit_hole lull_a64_holes[];
extern const struct lull_jit_stencil lull_a64_stencils[LULL_RDNA_NOPS][4];

/** What stands in each kind of hole of @p u, into @p ret. False: its operands do not fit, or it is
 * not what its row says. */
bool lull_jit_scalar_holes(const struct lull_uop *u, int32_t ret[LULL_JIT_HOLE_K + 1]);

/** Emit @p u, if it is a scalar instruction with a stencil that fits its operands. @return whether
 * it is. */
bool lull_jit_emit_scalar(struct lull_x86 *x, const struct lull_uop *u);

/** The condition that the code so far ends by storing as SCC, and that the host's flags still say;
 * -1: it does not. */
int lull_jit_scc_condition(const struct lull_x86 *x);

#endif
