// SPDX-License-Identifier: MIT
/** @file
 * Who wrote a place in memory last, in any submission of a program, as far as that is noted.
 */
#ifndef LULL_DEBUG_SESSION_WRITER_H
#define LULL_DEBUG_SESSION_WRITER_H

#include "debug/session/debug.h"
#include "debug/session/names.h"

enum { LULL_WRITER_HOPS = 8 };

/** One answer; of a copy the next is that for where it came from. */
struct lull_debug_writer {
    struct lull_wrote by;
    uint64_t va, size; ///< What was asked for.
    bool changed; ///< Memory has something else: the host has written there since, or a file's end.
    bool has_dispatch, has_draw; ///< The record of launch is there:
    struct lull_dispatch_info dispatch;
    struct lull_draw_info draw;
};

/** The place @p text; LULL_ERR_UNSUPPORTED: not in memory. */
struct lull_error *lull_debug_writer_place(struct lull_debug *d, const char *text, uint64_t *ret_va,
                                           uint64_t *ret_size) LULL_MUST_USE;

/**
 * Who wrote one of @p size bytes at @p va last; then, if that was a copy, who wrote its source, and
 * so on.
 *
 * @param before Only before what can be gone back to.
 * @param[out] ret, ret_n Answers, at least one; the last may be LULL_BY_NOBODY.
 */
struct lull_error *lull_debug_writers(struct lull_debug *d, uint64_t va, uint64_t size, bool before,
                                      struct lull_debug_writer ret[LULL_WRITER_HOPS],
                                      size_t *ret_n) LULL_MUST_USE;

#endif
