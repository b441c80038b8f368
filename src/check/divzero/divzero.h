// SPDX-License-Identifier: MIT
/** @file
 * Integer divisions by 0 whose result the program uses: divzero.c of gfx11, divzero_ir3.c of ir3.
 *
 * gfx11 divides integers by a reciprocal of a float: v_rcp_iflag_f32 (LLVM), or v_rcp_f32 times the
 * largest float below 2^32 or 2^64 (Mesa, LLVM with 64 bits). With a divisor of 0 the lane's result
 * is marked, and the mark goes where the value goes, since compilers turn "b != 0 ? a / b : 0" into
 * a division and a choice: v_cndmask and s_cselect have the mark of what they choose, masks that
 * are combined with and, or lose it where the other side decides. Told are stores, addresses and
 * branches. Marks stay in registers and scratch memory; a load from elsewhere has none.
 *
 * LLVM does not optimise at -O0, and reciprocals of 8, 16 and 64 bits look as those of floats.
 * There OpenCL C has marks in front of divisions that are by 0 (or overflow), and the next
 * reciprocal of these lanes is the division's.
 *
 * Of 64 bits Mesa makes other sequences: modules get a division of 32 bits beside (spirv/marks.h).
 *
 * ir3 does it with rcp of a float, times the same (Mesa; of 8 and 16 bits it adds 1 to the bits of
 * the reciprocal); its marks are those of check/shadow.
 *
 * Sources: LLVM 19 AMDGPUISelLowering.cpp, LowerUDIVREM and LowerUDIVREM64; Mesa
 * nir_lower_idiv.c.
 */
#ifndef LULL_CHECK_DIVZERO_DIVZERO_H
#define LULL_CHECK_DIVZERO_DIVZERO_H

#include "check/checks.h"

extern const struct lull_check_module lull_check_divzero, lull_check_divzero_ir3;

enum {
    LULL_DIVZERO_MARK = 0x6f04, ///< s_ttracedata_imm of src/compile/opencl/undefined.clh.
    LULL_DIVZERO_MARK_REACH =
        1024, ///< Bytes of code up to the reciprocal of its division, at most.
    LULL_DIVZERO_BELOW_2_32 = 0x4f7ffffe, ///< By which reciprocals of integers are multiplied.
    LULL_DIVZERO_BELOW_2_64 = 0x5f7ffffc,
};

/** A division by 0. */
struct lull_divzero_place {
    uint64_t pc;
    unsigned lane;
};

/** The instruction at hand uses what came out of @p of, in lane @p lane, @p how says for what;
 * @p whole: the wave does. */
void lull_divzero_tell(const struct lull_check_now *n, const struct lull_divzero_place *of,
                       unsigned lane, bool whole, const char *how);

#endif
