// SPDX-License-Identifier: MIT
/** @file
 * What the parts of the assembler share. For src/isa/ir3/ only.
 */
#ifndef LULL_ISA_IR3_ASM_H
#define LULL_ISA_IR3_ASM_H

#include "isa/ir3/ir3.h"

/** A text whose comments, and whatever is not code, are blanks. Places are offsets in it. */
struct lull_ir3_code {
    char *text;
    struct lull_ir3_part {
        const char *title; ///< In the caller's text; NULL: none.
        size_t title_size, start, end;
        uint64_t constant_bytes;       ///< lull_ir3_shader.constant_bytes,
        unsigned group_reg, pixel_reg; ///< and others of it.
    } * parts;                         ///< A shader each.
    size_t nparts, room;
    size_t counted; ///< Newlines are counted so far,
    unsigned line;  ///< and this is the line there, from 0.
};

struct lull_error *lull_ir3_code_of(const char *text, struct lull_ir3_code *ret) LULL_MUST_USE;
void lull_ir3_code_done(struct lull_ir3_code *c);

/** Line of the place @p at, from 1. Quick if places go up. */
unsigned lull_ir3_line(struct lull_ir3_code *c, size_t at);

/** Letters, digits, '_' and, if @p dots, '.'; 0 if it begins with none of the letters or '_'. */
size_t lull_ir3_word(const char *at, bool dots);

/** Room for one more in an array of @p n things. */
struct lull_error *lull_ir3_grow(void *array, size_t n, size_t *room, size_t size) LULL_MUST_USE;

/**
 * Read a header at @p at, an '@'.
 *
 * @param[out] ret Its values: free(). @return LULL_ERR_INVALID without a line.
 */
struct lull_error *lull_ir3_header_read(const char *at, struct lull_ir3_header *ret,
                                        size_t *ret_used) LULL_MUST_USE;

#endif
