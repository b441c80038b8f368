// SPDX-License-Identifier: MIT
/** @file
 * What happened, for whoever asks: a queue, or a function that is called.
 */
#ifndef LULL_DEBUG_SESSION_EVENTS_H
#define LULL_DEBUG_SESSION_EVENTS_H

#include "debug/session/debug.h"

/** Keep events for lull_debug_next_event() from now on. */
void lull_debug_keep_events(struct lull_debug *d);
/** Forget those that wait. */
void lull_debug_free_events(struct lull_debug *d);
/** Tell one. */
struct lull_error *lull_debug_tell(struct lull_debug *d,
                                   const struct lull_debug_event *event) LULL_MUST_USE;
/** Tell what a verb ended with: d->outcome, and dispatches that have ended. */
struct lull_error *lull_debug_tell_outcome(struct lull_debug *d) LULL_MUST_USE;
/** The breakpoint that @p w was stopped by and that is still there, or NULL. */
const struct lull_breakpoint *lull_debug_breakpoint_of(struct lull_debug *d,
                                                       const struct lull_debug_wave *w);

#endif
