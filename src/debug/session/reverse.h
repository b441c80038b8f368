// SPDX-License-Identifier: MIT
/** @file
 * Steps and runs backwards.
 */
#ifndef LULL_DEBUG_SESSION_REVERSE_H
#define LULL_DEBUG_SESSION_REVERSE_H

#include "debug/session/debug.h"

/** @p n steps back of the wave in focus: in front of the instruction, or to the beginning of the
 * line, that it executed before. d->at_first says that there was no more to go back to. */
struct lull_error *lull_debug_reverse_step(struct lull_debug *d, enum lull_debug_step how,
                                           uint64_t n) LULL_MUST_USE;
/** To the call of the function that the wave is in; in a kernel, to its beginning. */
struct lull_error *lull_debug_reverse_finish(struct lull_debug *d) LULL_MUST_USE;
/** Where a wave is: where it was launched, and how many instructions it has executed. */
struct lull_debug_place {
    uint32_t hw_id1, workgroup[3];
    uint64_t executed;
    bool timed; ///< It is known when, since the dispatch began, if nobody stood meanwhile.
    uint64_t time;
};

/** Of the focused wave; false: none stands, or it is not known. */
bool lull_debug_place_of_focus(struct lull_debug *d, struct lull_debug_place *ret);
/** There again, or for the first time: other waves come as far as they do until then. */
struct lull_error *lull_debug_travel_to_place(struct lull_debug *d,
                                              const struct lull_debug_place *p) LULL_MUST_USE;

/** In front of the instruction of the focused wave that has number @p n, from 0. */
struct lull_error *lull_debug_travel_to_insn(struct lull_debug *d, uint64_t n) LULL_MUST_USE;
/** Back to the last time at which a breakpoint, or a change of what is watched, would stop it: in
 * front of that instruction. */
struct lull_error *lull_debug_reverse_continue(struct lull_debug *d) LULL_MUST_USE;

#endif
