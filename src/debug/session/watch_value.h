// SPDX-License-Identifier: MIT
/** @file
 * Watchpoints on values that the GPU cannot watch: registers, variables, LDS. By stepping.
 */
#ifndef LULL_DEBUG_WATCH_VALUE_H
#define LULL_DEBUG_WATCH_VALUE_H

#include "debug/session/debug.h"

/** A value that is watched: that of one wave, or of a workgroup in LDS. */
struct lull_watched {
    struct lull_expr *expr; ///< Owned.
    unsigned wave;          ///< Number of the wave that had the focus.
    bool lds;               ///< Any wave of its workgroup can change it.
    uint64_t offset, bytes; ///< There.
    uint32_t workgroup[3];
    uint32_t hw_id1; ///< Of the wave.
    bool has_range;  ///< Where it is can be looked for backwards:
    struct lull_search_range range;
    bool known;            ///< was is one.
    bool ended;            ///< Nobody is left who has the value.
    struct lull_value was; ///< When it was last looked at.
    struct lull_value now; ///< What it changed to.
};

/** Is the value of @p text one that the GPU cannot watch? Then it is @p b's, of the focused wave.
 */
struct lull_error *lull_debug_watched_expr(struct lull_debug *d, const char *text,
                                           struct lull_breakpoint *b, bool *ret_is) LULL_MUST_USE;
void lull_watched_free(struct lull_watched *v);

/** Take its value as the old one, if it has one now. */
void lull_watched_look(struct lull_debug *d, struct lull_watched *v);
/** Has it changed, now that @p w has stepped from @p pc? @p ret_lanes: of which lanes, or, in LDS,
 * by which. */
bool lull_watched_changed(struct lull_debug *d, const struct lull_debug_wave *w, uint64_t pc,
                          struct lull_watched *v, uint64_t *ret_lanes);

/** Lanes of @p w whose instruction at @p pc, which comes next, goes to the value that @p b watches
 * by stepping, as b->watch says: reads, or reads and writes. */
struct lull_error *lull_watched_touching(struct lull_debug *d, const struct lull_debug_wave *w,
                                         uint64_t pc, const struct lull_breakpoint *b,
                                         uint64_t *ret) LULL_MUST_USE;

/** Its value now, for what is said of a read. */
void lull_watched_now(struct lull_debug *d, const struct lull_debug_wave *w,
                      struct lull_watched *v);

#endif
