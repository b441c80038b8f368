// SPDX-License-Identifier: MIT
/** @file
 * Shaders of Adreno a3xx to a7xx as a whole: labels, both ways.
 *
 * Single instructions: isa/spec/spec.h with lull_spec_ir3. Generations are gpu ids: 320, 430, 540,
 * 630, 740.
 */
#ifndef LULL_ISA_IR3_IR3_H
#define LULL_ISA_IR3_IR3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct lull_ir3_options {
    unsigned gen;
    bool errors; ///< Say what is wrong with a word.
    bool words;  ///< Number and word before each instruction.
};

/** Text of @p n instructions, a line each; branch targets are labels "l12:". */
void lull_ir3_disasm(const uint64_t *words, size_t n, const struct lull_ir3_options *o,
                     struct lull_str *out);

/**
 * Assemble a shader: one instruction a line, labels "NAME:" and "#NAME", "//" and ';' comments.
 *
 * @param[out] ret Words; free(). @return LULL_ERR_INVALID: a line, with its number.
 */
struct lull_error *lull_ir3_assemble(const char *text, unsigned gen, uint64_t **ret,
                                     size_t *ret_n) LULL_MUST_USE;

#endif
