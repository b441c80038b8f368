// SPDX-License-Identifier: MIT
/** @file
 * Buffers and push constants of a program's dispatch or draw as variables, with the members that
 * its shader declares: of modules that the names layer has kept.
 *
 * A block with a name of its own is one by that name (GLSL: `buffer B { ... } outp`), one without
 * by its type's name, and its members are variables by themselves.
 */
#ifndef LULL_DEBUG_SESSION_BLOCK_H
#define LULL_DEBUG_SESSION_BLOCK_H

#include "debug/session/debug.h"
#include "expr/expr.h"

/** The buffer that @p name is; NULL. Its type is a struct, or an array of such. What is returned
 * stays until lull_debug_blocks_free(). */
const struct lull_symvar *lull_debug_block(struct lull_debug *d, const char *name);
/** Where that buffer is. */
bool lull_debug_block_address(struct lull_debug *d, const char *name, uint64_t *ret_va);
/** Push constants by their name, or a member of a block without one; NULL. */
const struct lull_symvar *lull_debug_block_named(struct lull_debug *d, const char *name);

/** Where one of these is now. LULL_ERR_NOT_FOUND: what is looked at has none such. */
struct lull_error *lull_debug_block_place(struct lull_debug *d, const struct lull_symvar *v,
                                          bool only_type, struct lull_location *ret) LULL_MUST_USE;
/** @p size bytes of push constants at @p offset. */
struct lull_error *lull_debug_block_pushed(struct lull_debug *d, const struct lull_symvar *v,
                                           uint64_t offset, void *buf, size_t size) LULL_MUST_USE;

void lull_debug_blocks_free(struct lull_debug_blocks *b);

#endif
