// SPDX-License-Identifier: MIT
/** @file
 * Which instructions a text may be. For src/isa/spec/ only.
 */
#ifndef LULL_ISA_SPEC_INDEX_H
#define LULL_ISA_SPEC_INDEX_H

#include "isa/spec/scope.h"

enum { LULL_SPEC_INDEX_LEAVES = 1024 };

/** Leaves that may read @p text, a bit for each, and never one too few. */
void lull_spec_index_find(const struct lull_spec_index *x, const char *text,
                          uint64_t masks[LULL_SPEC_INDEX_LEAVES / 64]);

const struct lull_spec_bitset *lull_spec_index_leaf(const struct lull_spec_index *x, unsigned leaf);

enum { LULL_SPEC_MEMO_DEPTH = 3 };

/** What an expression was asked of: its node and those around it. */
struct lull_spec_asked {
    const struct lull_spec_bitset *bitset[LULL_SPEC_MEMO_DEPTH];
    const struct lull_spec_field *via[LULL_SPEC_MEMO_DEPTH];
    uintptr_t expr;
};

/** An answer that is known already. */
struct lull_spec_memo {
    struct lull_spec_asked asked; ///< bitset[0] NULL: none.
    uint64_t bits;
};

/** Where the answer to @p asked stands, or another one. */
struct lull_spec_memo *lull_spec_index_memo(const struct lull_spec_index *x,
                                            const struct lull_spec_asked *asked);

#endif
