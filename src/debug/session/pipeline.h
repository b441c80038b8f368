// SPDX-License-Identifier: MIT
/** @file
 * Code that dispatches of a program run: told apart by address and content, named by a hash.
 */
#ifndef LULL_DEBUG_PIPELINE_H
#define LULL_DEBUG_PIPELINE_H

#include "debug/rdna/descriptors.h"
#include "debug/session/debug.h"

/** One piece of code. Its symbol is "cs_" (or a stage of draws) and the first 8 digits of the hash.
 */
struct lull_pipeline {
    uint64_t va;
    uint64_t hash;  ///< FNV-1a of its bytes.
    uint32_t bytes; ///< Up to the padding behind its last instruction.
    uint32_t ninsns;
    uint64_t dispatches; ///< How many were seen.
    char symbol[16];
};

/** The pipeline at @p code_va, read from memory; a new one is remembered. */
struct lull_error *lull_pipeline_at(struct lull_debug *d, uint64_t code_va,
                                    struct lull_pipeline **ret) LULL_MUST_USE;
/** The same of a draw's stage, whose symbol begins with "hs_", "gs_" or "ps_", of an Adreno
 * with "vs_" or "fs_". */
struct lull_error *lull_pipeline_stage(struct lull_debug *d, uint64_t code_va,
                                       enum lull_draw_stage stage,
                                       struct lull_pipeline **ret) LULL_MUST_USE;
/** Draw @p number is what is looked at from now on: d->draw, and the code of its stages. An error
 * if the target does not know it. */
struct lull_error *lull_pipeline_draw(struct lull_debug *d, uint64_t number) LULL_MUST_USE;
/** The pipeline whose code holds @p va, or NULL. */
const struct lull_pipeline *lull_pipeline_of(const struct lull_debug *d, uint64_t va);
const struct lull_pipeline *lull_pipeline_by_symbol(const struct lull_debug *d, const char *name);
/** By number from 0, or NULL. Valid until the next lull_pipeline_at(). */
const struct lull_pipeline *lull_pipeline_number(const struct lull_debug *d, size_t i);
void lull_pipelines_free(struct lull_pipelines *p);

/** What code @p va is part of: its start and its name; false if that is not known. */
bool lull_debug_code(const struct lull_debug *d, uint64_t va, uint64_t *ret_start,
                     const char **ret_name);
/** What @p dispatch gives its code, found by following it. Large: allocate it. */
struct lull_error *lull_debug_bindings(struct lull_debug *d,
                                       const struct lull_dispatch_info *dispatch,
                                       struct lull_bindings *ret) LULL_MUST_USE;
/** Addresses of up to @p room instructions in front of @p va, rising, found from its symbol's
 * start. */
size_t lull_debug_insns_before(struct lull_debug *d, uint64_t va, uint64_t *ret, size_t room);

#endif
