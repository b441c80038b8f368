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

#endif
