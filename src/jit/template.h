// SPDX-License-Identifier: MIT
/** @file
 * What gen/lift makes of rows: operations of a host on vectors, over values that each
 * operation makes one of. Encodings are those of VEX and EVEX, or words of A64. Source: Intel SDM
 * volume 2, 2.3; Arm Architecture Reference Manual, C4.1.
 */
#ifndef LULL_JIT_TEMPLATE_H
#define LULL_JIT_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
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
    LULL_JIT_A64,  ///< aarch64: bits of word; d at bit 0, s1 at 5, s2 at 16. With konst: that.
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
    LULL_JIT_IN_NEG, ///< Bits of sources.
    LULL_JIT_IN_AH,  ///< Upper halves of sources of 64 bits.
    LULL_JIT_IN_BH,
    LULL_JIT_IN_CH,
    LULL_JIT_INPUTS,
};

enum { LULL_JIT_MAX_VALUES = 128 };

struct lull_jit_op {
    uint8_t map, pp, w, l, opcode, imm;
    uint8_t has_imm; ///< 0 or 1.
    uint8_t form;    ///< enum lull_jit_form.
    uint8_t ext;
    uint8_t tied;         ///< 1: what was in d's register is read, too: s3.
    int8_t d, s1, s2, s3; ///< Values; -1: none. s2 is none where konst is some.
    int16_t konst;        ///< Number of a constant, or -1.
    uint8_t evex;         ///< 1: encoded with EVEX; l 2: 512 bits.
    uint8_t z;            ///< 1: lanes that are not written become 0; 2: l says how it is rounded.
    uint8_t kd;           ///< 1: d is a mask in a k register.
    int8_t k;             ///< Value: the mask of lanes that are written; -1: all.
    uint32_t word;        ///< LULL_JIT_A64: without registers.
};

struct lull_jit_template {
    uint16_t first; ///< In the target's ops.
    uint8_t n, nvalues, ninputs;
    uint8_t inputs[LULL_JIT_INPUTS]; ///< enum lull_jit_input of values 0 ...
    int8_t d;                        ///< Value of the result.
    int8_t dh;                       ///< Of its upper half, if it has 64 bits; or -1.
    int8_t e;                        ///< Of the second, a mask; or -1.
    int8_t doubt;                    ///< Lanes that were not done; or -1.
    uint8_t check;                   ///< enum lull_jit_check.
    uint8_t mask;                    ///< 1: the result is a mask.
};

/** Indices of templates + 1 by mode of lull_jit_modes; 0: none. */
struct lull_jit_row {
    uint16_t plain[LULL_JIT_MODES], clamp[LULL_JIT_MODES];
    uint16_t same;                  ///< Where sources 0 and 1 are one; it depends on no MODE.
    uint16_t wide[LULL_JIT_MODES];  ///< Operands and the result are f16 that stand in f32.
    uint16_t quick[LULL_JIT_MODES]; ///< The same in fewer steps, with lanes that it does not do.
    uint8_t any;                    ///< 1: they do not depend on MODE at all.
};

struct lull_jit_machine; // machine.h
struct lull_jit_vendor;  // vendor.h

/** The tables of one kind of host, and how many lanes a strip has there. */
struct lull_jit_target {
    const char *name; ///< As compilers call it: "x86-64-v3".
    unsigned lanes;   ///< Of a strip. With 16 masks are in k registers.
    unsigned slots;   ///< Registers for values: see window.h.
    const struct lull_jit_machine *machine;
    const struct lull_jit_op *ops; ///< Of all templates.
    const uint8_t *consts;         ///< One after the other, of a strip each.
    const struct lull_jit_template *templates;
    const struct lull_jit_vendor *vendor;
    const struct lull_jit_row *rows; ///< LULL_RDNA_NOPS; of gfx1100.
    const uint16_t *cases;           ///< Of ir3: by case of a row (ir3_cases.h), the template + 1.
};

/** AVX2, FMA and BMI2: strips of eight lanes. */
extern const struct lull_jit_target lull_jit_v3;
/** AVX-512 F, BW, DQ and VL: strips of sixteen lanes. */
extern const struct lull_jit_target lull_jit_v4;
/** The same two, of ir3. */
extern const struct lull_jit_target lull_jit_ir3_v3, lull_jit_ir3_v4;
/** aarch64 with Advanced SIMD: strips of four lanes. */
extern const struct lull_jit_target lull_jit_a64;

/** Bytes of a vector: a strip of one VGPR. */
static inline unsigned lull_jit_bytes(const struct lull_jit_target *t)
{
    return 4 * t->lanes;
}

enum { LULL_JIT_OR_NAN = 8 }; ///< Turned in the immediate of a comparison.

/** Whether @p o is vcmpps by a condition that is false of NaNs, so that there is the same one that
 * is true of them. Source: Intel SDM volume 2, CMPPS, table of predicates. */
static inline bool lull_jit_is_compare(const struct lull_jit_op *o)
{
    enum { CMPPS = 0xc2, EQ = 0, LT, LE, NEQ = 12, GE, GT };
    const unsigned how = o->imm & 15;
    return o->map == 1 && o->pp == 0 && o->opcode == CMPPS &&
           (how == EQ || how == LT || how == LE || how == NEQ || how == GE || how == GT);
}

/** Constant @p n. */
static inline const uint8_t *lull_jit_const_of(const struct lull_jit_target *t, int n)
{
    return t->consts + (size_t)n * lull_jit_bytes(t);
}

#endif
