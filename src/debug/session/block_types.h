// SPDX-License-Identifier: MIT
/** @file
 * Types of buffers, as a SPIR-V module lays them out, as types that expressions have.
 */
#ifndef LULL_DEBUG_SESSION_BLOCK_TYPES_H
#define LULL_DEBUG_SESSION_BLOCK_TYPES_H

#include "base/arena.h"
#include "file/spirv.h"
#include "image/names.h"
#include "symbols/symbols.h"

/** Where types are made, and by what. */
struct lull_block_types {
    struct lull_arena *arena;
    const struct lull_names_pipeline *pipeline; ///< Its specialization constants; NULL: defaults.
    struct lull_block_struct *structs;          ///< Made so far; NULL to start.
};

/**
 * The struct @p t as it lies in a buffer.
 *
 * @param bytes Of the buffer: so many elements its runtime array has; 0: not known.
 * @return NULL if it holds what has no layout, or memory is short.
 */
const struct lull_symtype *lull_block_type(struct lull_block_types *to,
                                           const struct lull_spirv_type *t, uint64_t bytes);

#endif
