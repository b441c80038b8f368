// SPDX-License-Identifier: MIT
/** @file
 * Stretches of code that a wave may step through by itself, as a debugger's range stepping does:
 * the host is asked only where it has something to decide. For src/debug/ only.
 */
#ifndef LULL_DEBUG_SESSION_STRETCH_H
#define LULL_DEBUG_SESSION_STRETCH_H

#include "debug/session/engine.h"

enum { LULL_STRETCHES = 8 };

struct lull_stretches {
    /** Calls are run as one instruction: a stretch ends in front of them. */
    bool over;
    /** May be NULL: a stretch also ends in front of an address where this is true. */
    bool (*ends_at)(void *ctx, uint64_t va);
    void *ctx;
    unsigned next;                                ///< Entry of @p known that is used next.
    struct lull_step_range known[LULL_STRETCHES]; ///< Those used last; size 0: none.
};

/**
 * The stretch that the instruction at @p va is in.
 *
 * In it are no barriers, no ends of the program, no enabled breakpoints and nothing that cannot be
 * decoded. Breakpoints must not change while @p s is used.
 *
 * @param n Looks no further than so many instructions.
 * @return Borrowed until the next call; NULL: the host has to look at that instruction itself.
 */
const struct lull_step_range *lull_debug_stretch(struct lull_debug *d, struct lull_stretches *s,
                                                 uint64_t va, uint64_t n);

#endif
