// SPDX-License-Identifier: MIT
/** @file
 * v_wmma_*: D = A * B + C of matrices of 16 by 16.
 *
 * Lane i of the first 16 holds row i of A and column i of B; the others hold copies, which are not
 * looked at. Row r of C and D stands in register r / g, lanes (r % g) * 16 and up, g being the
 * number of groups of 16 lanes (2 or 4); 16-bit results in the half that op_sel[2] says, the other
 * half is kept. EXEC is not looked at.
 *
 * Products are added to C one after the other in the order of k; of floats each step is one fma in
 * f32 by MODE, and 16-bit results are rounded once, at the end (f16 by MODE, bf16 to nearest
 * even). Integers are exact; with clamp the end is saturated. neg and neg_hi negate the low and
 * high halves of A and B, and are minus and absolute value of C; for integers neg says signed.
 *
 * Source: RDNA3 ISA guide 7.9; AMD GPUOpen, "How to accelerate AI applications on RDNA 3 using
 * WMMA" (layouts). The order and the rounding of sums are not documented.
 */
#ifndef LULL_MODEL_AMD_EXEC_MATRIX_H
#define LULL_MODEL_AMD_EXEC_MATRIX_H

#include "model/amd/exec/uop.h"

lull_uop_fn lull_wmma;

#endif
