// SPDX-License-Identifier: MIT
/** @file
 * Where a wave is and who called it, as far as that is known.
 */
#ifndef LULL_DEBUG_SESSION_FRAME_H
#define LULL_DEBUG_SESSION_FRAME_H

#include "debug/session/debug.h"
#include "symbols/symbols.h"

/** Is the code at @p va that of a kernel, which the GPU starts? Code without symbols is. */
bool lull_debug_in_kernel(const struct lull_debug *d, uint64_t va);
/** Address that the function returns to, if it is where the call left it; @p ret_good: it is
 * behind a call. */
struct lull_error *lull_debug_return_address(struct lull_debug *d, const struct lull_debug_wave *w,
                                             uint64_t *ret_va, bool *ret_good) LULL_MUST_USE;

enum { LULL_MAX_FRAMES = 32 };

/** A function that is under way, an inlined one as well. */
struct lull_frame {
    uint64_t va;                       ///< The pc, or where the function called returns to.
    const struct lull_symscope *scope; ///< Innermost there; NULL: no debug information.
    const char *inlined;               ///< Its name, if it is inlined into the next; NULL.
    struct lull_line line;             ///< line 0: not known.
    bool caller; ///< It has called another: of its registers only the frame's base is known, 0.
};

/** Frames of a wave that stands, from the innermost out. @p ret_more: there are further callers,
 * which are not known. */
struct lull_error *lull_debug_frames(struct lull_debug *d, const struct lull_debug_wave *w,
                                     struct lull_frame *ret, unsigned *ret_n,
                                     bool *ret_more) LULL_MUST_USE;
/** The frame that the user looks at: lull_debug.frame, or the innermost. */
struct lull_error *lull_debug_frame(struct lull_debug *d, const struct lull_debug_wave *w,
                                    struct lull_frame *ret) LULL_MUST_USE;
/** What the function returned that @p w has just come back from, in each lane. @p ret->type: a
 * number or a pointer. */
struct lull_error *lull_debug_returned(struct lull_debug *d, const struct lull_debug_wave *w,
                                       struct lull_value *ret) LULL_MUST_USE;

#endif
