// SPDX-License-Identifier: MIT
/** @file
 * What `lull debug` opens, for others than its prompt.
 */
#ifndef LULL_CLI_RUN_DEBUG_OPEN_H
#define LULL_CLI_RUN_DEBUG_OPEN_H

#include "debug/session/debug.h"

struct lull_debug_opened;

/** A session by arguments of `lull debug`. Takes @p argv, ended by NULL, and
 * its strings, from malloc(). @p ret_debug lives as long as @p ret. */
struct lull_error *lull_debug_opened_new(int argc, char **argv, struct lull_debug_opened **ret,
                                         struct lull_debug **ret_debug) LULL_MUST_USE;
/** A verb is done: what shaders printed goes to standard output, and, if the kernel is done, its
 * buffers to their files. */
void lull_debug_opened_after(struct lull_debug_opened *o);
/** NULL is allowed. */
void lull_debug_opened_free(struct lull_debug_opened *o);

#endif
