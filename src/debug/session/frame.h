// SPDX-License-Identifier: MIT
/** @file
 * Where a wave is and who called it, as far as that is known.
 */
#ifndef LULL_DEBUG_SESSION_FRAME_H
#define LULL_DEBUG_SESSION_FRAME_H

#include "debug/session/debug.h"

/** Is the code at @p va that of a kernel, which the GPU starts? Code without symbols is. */
bool lull_debug_in_kernel(const struct lull_debug *d, uint64_t va);
/** Address that the function returns to, if it is where the call left it; @p ret_good: it is
 * behind a call. */
struct lull_error *lull_debug_return_address(struct lull_debug *d, const struct lull_debug_wave *w,
                                             uint64_t *ret_va, bool *ret_good) LULL_MUST_USE;

#endif
