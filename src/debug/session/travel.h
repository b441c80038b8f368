// SPDX-License-Identifier: MIT
/** @file
 * Back in time, and to any time of a dispatch: what the target remembers is executed again.
 *
 * Times count the instructions of all waves, from 0 for the first of the dispatch.
 */
#ifndef LULL_DEBUG_SESSION_TRAVEL_H
#define LULL_DEBUG_SESSION_TRAVEL_H

#include "debug/session/debug.h"

/** Where in time it is. */
struct lull_when {
    uint64_t now, first, last; ///< first: the earliest that can be gone to; last: come to so far.
    uint64_t marks, bytes;     ///< What is kept for it.
    bool ended;                ///< Now the dispatch has ended.
    bool has_wave;             ///< The focused wave has executed so many instructions:
    uint64_t executed;
};

/** LULL_ERR_UNSUPPORTED: nothing is remembered, and why. */
struct lull_error *lull_debug_when(struct lull_debug *d, struct lull_when *ret) LULL_MUST_USE;
/** How much memory may be used for it, from the next start on; 0: none, and no way back. */
struct lull_error *lull_debug_set_record_bytes(struct lull_debug *d, uint64_t bytes) LULL_MUST_USE;
/** Note who writes memory, in programs, in a quarter of that: where what is remembered does not
 * reach, it says who wrote last. LULL_ERR_UNSUPPORTED: the target cannot. */
struct lull_error *lull_debug_set_record_writers(struct lull_debug *d, bool on) LULL_MUST_USE;

/** All waves as they were at @p time. The wave in focus keeps it if it was there. */
struct lull_error *lull_debug_travel_to(struct lull_debug *d, uint64_t time) LULL_MUST_USE;
/** To the first or the last time that is known. */
struct lull_error *lull_debug_travel_to_end(struct lull_debug *d, bool last) LULL_MUST_USE;

#endif
