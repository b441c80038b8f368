// SPDX-License-Identifier: MIT
/** @file
 * Shaders of Adreno a3xx to a7xx as a whole: labels, listings, headers, both ways.
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
    bool json;   ///< An object a line: number, word, text and what lull_ir3_decode() makes of it.
};

/** Text of @p n instructions, a line each; branch targets are labels "l12:", on lines of their own
 * unless it is JSON. */
void lull_ir3_disasm(const uint64_t *words, size_t n, const struct lull_ir3_options *o,
                     struct lull_str *out);

/** What a header names in parentheses. */
enum lull_ir3_header_reg { LULL_IR3_NO_REG, LULL_IR3_GPR, LULL_IR3_CONST };

/** A line that says what the code needs, and is not code: "@const(c1.x) 1.0, 2, 3, 0x4". */
struct lull_ir3_header {
    const char *name; ///< "const". A constant.
    char *text;       ///< All of it, as it stands there; newlines are blanks.
    unsigned line;
    enum lull_ir3_header_reg kind;
    bool half;
    unsigned reg;     ///< 4 times the register's number, and 0 to 3 for x to w.
    uint32_t *values; ///< In their order; floats as their bits; of "name=value" the value.
    size_t nvalues;
};

struct lull_ir3_shader {
    char *title; ///< Mesa's line above the listing; NULL: none.
    uint64_t *words;
    size_t n;
    struct lull_ir3_header *headers;
    size_t nheaders;
    uint64_t constant_bytes; ///< Data behind its code, by the NIR in front of it; 0: none is said.
    /** By what Mesa prints behind it, as header.reg, plus 1: the first of the registers that begin
     * with the workgroup's id, or with the pixel's place; 0: none is said. */
    unsigned group_reg, pixel_reg;
    struct lull_str notes; ///< What was taken for granted, a line each.
};

/** The shaders of a text. Owns all of it. */
struct lull_ir3_shaders {
    struct lull_ir3_shader *all;
    size_t n;
};

/**
 * Assemble a text: what lull_ir3_disasm() prints, a file of Mesa's computerator, or what Mesa
 * prints with IR3_SHADER_DEBUG, any number of listings with other text between them.
 *
 * Newlines are blanks. Each word is read back: its text has no warning. docs/formats/ir3.md.
 *
 * @return LULL_ERR_INVALID: a line, with its number.
 */
struct lull_error *lull_ir3_assemble(const char *text, unsigned gen,
                                     struct lull_ir3_shaders *ret) LULL_MUST_USE;

void lull_ir3_shaders_done(struct lull_ir3_shaders *s);

#endif
