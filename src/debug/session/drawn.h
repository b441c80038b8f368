// SPDX-License-Identifier: MIT
/** @file
 * What a draw draws, counted while it runs.
 */
#ifndef LULL_DEBUG_SESSION_DRAWN_H
#define LULL_DEBUG_SESSION_DRAWN_H

#include "debug/session/debug.h"

/**
 * Let the held draw run to its end, or with @p frame all that is left of the frame (of it counts
 * what draws to the surface that the last draw drew to), and count: lull_debug_drawn_pixels() and
 * lull_debug_drawn_primitives() have it until lull_debug_counted(). Ends in front of what comes
 * next, or with the program; catchpoints on the way are passed, any other stop is an error.
 */
struct lull_error *lull_debug_count_drawn(struct lull_debug *d, bool frame, uint32_t width,
                                          uint32_t height) LULL_MUST_USE;
/** @{ What was counted. */
struct lull_error *lull_debug_drawn_pixels(struct lull_debug *d, struct lull_shaded_pixel *ret,
                                           size_t room, size_t *ret_n) LULL_MUST_USE;
struct lull_error *lull_debug_drawn_primitives(struct lull_debug *d,
                                               struct lull_exported_primitive *ret, size_t room,
                                               size_t *ret_n) LULL_MUST_USE;
/** @} */
/** Forget what was counted. */
void lull_debug_counted(struct lull_debug *d);

#endif
