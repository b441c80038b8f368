// SPDX-License-Identifier: MIT
/** @file
 * Lines of the code that a program's driver made, where VK_LAYER_LULL_lines has compiled the
 * shader with changes (debug/lines).
 */
#ifndef LULL_DEBUG_SESSION_LINES_H
#define LULL_DEBUG_SESSION_LINES_H

#include "debug/lines/lines.h"
#include "debug/session/debug.h"

struct lull_pipeline;

/** The lines of the code of @p p, looked for among the files of process @p pid if it is new. What
 * is wrong with a file is remembered and is no error here. */
void lull_debug_lines_meet(struct lull_debug *d, uint32_t pid, const struct lull_pipeline *p);

/** The lines of the code that holds @p va; NULL: none are known. @p ret_start: where it begins. */
const struct lull_lines *lull_debug_lines_of(const struct lull_debug *d, uint64_t va,
                                             uint64_t *ret_start);

/** The line of the instruction that holds @p va. */
bool lull_debug_lines_at(const struct lull_debug *d, uint64_t va, struct lull_line *ret);

/** Append " (exact, by 2 changes)" if @p va is code whose lines were found so. */
void lull_debug_show_sure(const struct lull_debug *d, uint64_t va, struct lull_str *out);

/** Where line @p line of @p file (NULL: any) is, in the code of the dispatch that is held or was
 * last, else in any. LULL_ERR_NOT_FOUND: nowhere that is known. */
struct lull_error *lull_debug_lines_find(const struct lull_debug *d, const char *file,
                                         uint32_t line, uint64_t *ret_va) LULL_MUST_USE;

void lull_debug_lines_free(struct lull_debug_lines *l);

struct lull_symscope;
/** The function at @p va, inlined or not; NULL: not known. */
const struct lull_symscope *lull_debug_function_at(struct lull_debug *d, uint64_t va);
/** Is @p va part of a call that was inlined into @p from? NULL: false. */
bool lull_debug_in_inlined(struct lull_debug *d, const struct lull_symscope *from, uint64_t va);

#endif
