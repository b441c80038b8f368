// SPDX-License-Identifier: MIT
/** @file
 * Time travel inside of a session: times are the target's. For src/debug/session only.
 */
#ifndef LULL_DEBUG_SESSION_TRAVEL_PRIV_H
#define LULL_DEBUG_SESSION_TRAVEL_PRIV_H

#include "debug/session/debug.h"

/** A wave by its place. */
struct lull_travel_wave {
    uint32_t hw_id1, workgroup[3];
};

/** A wave that a check stopped. */
struct lull_debug_found {
    uint64_t time;
    struct lull_travel_wave who;
    unsigned lane;
    size_t n; ///< Findings so far.
};

/** The focused wave was stopped by a check: remember when. */
void lull_travel_note_found(struct lull_debug *d);
/** The last stop by a check before @p time; NULL: none. Valid until one more is noted. */
const struct lull_debug_found *lull_travel_found_before(const struct lull_debug *d, uint64_t time);
/** To when the check of @p f had just stopped its wave. */
struct lull_error *lull_travel_to_found(struct lull_debug *d,
                                        const struct lull_debug_found *f) LULL_MUST_USE;

/** LULL_ERR_UNSUPPORTED, with the reason, if nothing is remembered. */
struct lull_error *lull_travel_state(struct lull_debug *d, struct lull_travel *ret) LULL_MUST_USE;
/** The wave in focus; false: none is. */
bool lull_travel_focus(struct lull_debug *d, struct lull_travel_wave *ret);
/** Go to @p time, with the focus on @p who if it is there; else, or NULL, on any wave. */
struct lull_error *lull_travel_arrive(struct lull_debug *d, uint64_t time,
                                      const struct lull_travel_wave *who) LULL_MUST_USE;

#endif
