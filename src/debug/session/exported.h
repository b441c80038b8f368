// SPDX-License-Identifier: MIT
/** @file
 * Where a fragment shader exported what the back end of a draw wrote.
 */
#ifndef LULL_DEBUG_SESSION_EXPORTED_H
#define LULL_DEBUG_SESSION_EXPORTED_H

#include "debug/session/debug.h"

/**
 * The export of the pixel that the back end of a draw wrote to one of @p size bytes at @p va last,
 * in what can be gone back to and before @p until; it is found by going back.
 *
 * @param[out] ret_is False: nothing of that kind did.
 */
struct lull_error *lull_debug_exported(struct lull_debug *d, uint64_t va, uint64_t size,
                                       uint64_t until, struct lull_wrote *ret_by,
                                       struct lull_found *ret, bool *ret_is) LULL_MUST_USE;

#endif
