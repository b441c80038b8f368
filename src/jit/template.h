// SPDX-License-Identifier: MIT
/** @file
 * What gen/lift makes of rows: operations of x86 on vectors of eight lanes, over values that each
 * operation makes one of. Encodings are those of VEX. Source: Intel SDM volume 2, 2.3.
 */
#ifndef LULL_JIT_TEMPLATE_H
#define LULL_JIT_TEMPLATE_H

#include <stdint.h>

#include "isa/rdna_ops.h"
#include "jit/modes.h"

/** Where the operands of an operation stand. */
enum lull_jit_form {
    LULL_JIT_RVM,  ///< d in reg, s1 in vvvv, s2 in r/m.
    LULL_JIT_RM,   ///< d in reg, s2 in r/m.
    LULL_JIT_VM,   ///< d in vvvv, s2 in r/m, reg is ext.
    LULL_JIT_MR,   ///< d in r/m, s1 in reg.
    LULL_JIT_RVMR, ///< As RVM, and s3 in the immediate.
    LULL_JIT_ZERO, ///< d in all three: the result depends on nothing.
};

/** NaNs that put a lane in doubt, which is then done by the interpreter. */
enum lull_jit_check {
    LULL_JIT_CHECK_NONE,
    LULL_JIT_CHECK_OUT, ///< Of the result.
    LULL_JIT_CHECK_IN,  ///< Of sources 0 and 1.
};

/** Parameters of a template, as gen/isa/sem/strips.py counts them. */
enum lull_jit_input {
    LULL_JIT_IN_A,
    LULL_JIT_IN_B,
    LULL_JIT_IN_C,
    LULL_JIT_IN_D, ///< Old value of the destination.
    LULL_JIT_IN_VCC,
    LULL_JIT_IN_LITERAL,
    LULL_JIT_INPUTS,
};

enum { LULL_JIT_MAX_VALUES = 128 };

struct lull_jit_op {
    uint8_t map, pp, w, l, opcode, imm;
    uint8_t has_imm; ///< 0 or 1.
    uint8_t form;    ///< enum lull_jit_form.
    uint8_t ext;
    uint8_t tied;         ///< 1: a fused multiply-add, whose reg is read, too: s3.
    int8_t d, s1, s2, s3; ///< Values; -1: none. s2 is none where konst is some.
    int16_t konst;        ///< Index in lull_jit_consts, or -1.
};

struct lull_jit_template {
    uint16_t first; ///< In lull_jit_ops.
    uint8_t n, nvalues, ninputs;
    uint8_t inputs[LULL_JIT_INPUTS]; ///< enum lull_jit_input of values 0 ...
    int8_t d;                        ///< Value of the result.
    int8_t e;                        ///< Of the second, a mask; or -1.
    int8_t doubt;                    ///< Lanes that were not done; or -1.
    uint8_t check;                   ///< enum lull_jit_check.
    uint8_t mask;                    ///< 1: the result is a mask.
};

/** Indices of templates + 1 by mode of lull_jit_modes; 0: none. */
struct lull_jit_row {
    uint16_t plain[LULL_JIT_MODES], clamp[LULL_JIT_MODES];
    uint8_t any; ///< 1: they do not depend on MODE at all.
};

extern const struct lull_jit_op lull_jit_ops[];
extern const uint8_t lull_jit_consts[][32];
extern const struct lull_jit_template lull_jit_templates[];
extern const struct lull_jit_row lull_jit_rows[LULL_RDNA_NOPS];

#endif
