// SPDX-License-Identifier: MIT
/** @file
 * What operands each SPIR-V instruction has: tables made from Khronos' grammar (gen/spirv_ops.py).
 *
 * Source: package spirv-headers, spirv.core.grammar.json and extinst.glsl.std.450.grammar.json,
 * extinst.nonsemantic.shader.debuginfo.100.grammar.json; what is newer than those:
 * data/spirv/supplement.tsv.
 */
#ifndef LULL_SPIRV_GRAMMAR_H
#define LULL_SPIRV_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spirv/module.h"

/**
 * One instruction. A letter for each operand: T type of the result, R result, I id, N one word,
 * S string, C number as wide as the type of the result (of OpSwitch: of the selector), O opcode
 * with operands of its own, L word and id, M id and word, P two ids, and lower case for
 * enumerations whose values have operands. ? and * behind it: at most one, any number.
 */
struct lull_spv_op {
    uint32_t op;
    const char *name;     ///< "OpIAdd"; of extended instructions "FAbs".
    const char *operands; ///< NULL: only the name is known.
};

/** One instruction of NonSemantic.Shader.DebugInfo.100; all its operands are ids. */
struct lull_spv_debug_op {
    uint32_t op;
    const char *name;     ///< "DebugLocalVariable".
    const char *operands; ///< Their names in the grammar, with | between: "Name|Type|Source".
};

/** Operands that a value of an enumeration, or a bit of it, has. */
struct lull_spv_enumerant {
    char kind;
    bool bit;
    uint32_t value;
    const char *operands;
};

/** Rising by op. */
extern const struct lull_spv_op lull_spv_ops[];
extern const size_t lull_spv_nops;
extern const struct lull_spv_op lull_spv_glsl_ops[];
extern const size_t lull_spv_nglsl_ops;
extern const struct lull_spv_debug_op lull_spv_debug_ops[];
extern const size_t lull_spv_ndebug_ops;
extern const struct lull_spv_enumerant lull_spv_enumerants[];
extern const size_t lull_spv_nenumerants;

/** The row of an opcode; NULL: there is none. */
const struct lull_spv_op *lull_spv_op(uint32_t op);

/** The row of an instruction of GLSL.std.450; NULL: there is none. */
const struct lull_spv_op *lull_spv_glsl_op(uint32_t op);

/** Names of enumerants, as "Workgroup", "VertexIndex"; "unknown" of what the grammar has not. */
const char *lull_spv_storage_name(uint32_t storage);
const char *lull_spv_builtin_name(uint32_t builtin);
const char *lull_spv_dim_name(uint32_t dim);

/**
 * Which word of an OpExtInst of NonSemantic.Shader.DebugInfo.100 is the operand @p name; of a list
 * of operands its first. It may lie behind the instruction. 0: the instruction has none of it.
 */
uint32_t lull_spv_debug_operand(const struct lull_spv_insn *in, const char *name);

/** "word 12: OpIAdd %7: " and the message. */
struct lull_error *lull_spv_error(enum lull_error_code code, const struct lull_spv_insn *in,
                                  const char *fmt, ...) LULL_PRINTF(3, 4) LULL_NEW_ERROR;

/** Of words for people that are older than NonSemantic.*: operands may be numbers, not only ids. */
bool lull_spv_has_literals(const struct lull_spv *m, const struct lull_spv_insn *in);

/**
 * Has @p in the operands that the grammar says, and is each id that it uses defined somewhere?
 *
 * @return LULL_ERR_BAD_DATA if not; LULL_ERR_UNSUPPORTED if the instruction is not known.
 */
struct lull_error *lull_spv_check(const struct lull_spv *m,
                                  const struct lull_spv_insn *in) LULL_MUST_USE;

#endif
