// SPDX-License-Identifier: MIT
/** @file
 * What the two halves of the assembler share: a word that is being made. For src/isa/spec/ only.
 */
#ifndef LULL_ISA_SPEC_ASSEMBLE_H
#define LULL_ISA_SPEC_ASSEMBLE_H

#include "isa/spec/scope.h"

enum {
    MAX_CONSTRAINTS = 64,
    MAX_NODES = 24,
    MAX_STEPS = 20000, ///< Pieces tried for one encoding.
};

/** A bitset that is part of the word, in the place of field @p via of @p parent. */
struct node {
    const struct lull_spec_bitset *bitset;
    const struct node *parent;
    const struct lull_spec_field *via;
    unsigned shift, bits; ///< Where it stands in the whole word.
};

/** Where we are in a display, and what comes after it. */
struct frame {
    const struct lull_spec_piece *pieces;
    unsigned n, i;
    const struct node *node;
    const struct frame *up;
};

enum constraint_kind {
    IS_VALUE, ///< The expression gives value.
    IS_TRUTH, ///< It is not 0 if value is 1, and 0 if value is 0.
    IS_CASE,  ///< If the condition of the case holds, its bits are as it expects.
};

struct constraint {
    const struct node *node;
    int16_t expr;
    enum constraint_kind kind;
    uint64_t value;
    const struct lull_spec_case *c; ///< IS_CASE.
    uint64_t bits;                  ///< That it is about; when it is solved.
};

struct assembly {
    const struct lull_spec *spec;
    const struct lull_spec_options *o;
    uint64_t word, known; ///< known: bits that are decided.
    unsigned nconstraints;
    struct constraint constraints[MAX_CONSTRAINTS];
    unsigned nnodes;
    const struct node *nodes[MAX_NODES];
    const char *furthest; ///< As far as any try came.
    unsigned steps;
    bool to_the_end; ///< Contradictions too: to see how far the text goes.
};

/** Find bits not yet known so that all constraints hold; the rest is 0. */
bool lull_spec_solve(struct assembly *a);

/** Is the field bits that have a value, rather than a name? */
static inline bool lull_spec_is_given(const struct lull_spec_field *f)
{
    return f->type == LULL_SPEC_EXPECT || f->type == LULL_SPEC_FIXED;
}

/** Float to half, to nearest even. */
uint64_t lull_spec_half(float v);

#endif
