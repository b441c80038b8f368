// SPDX-License-Identifier: MIT
/** @file
 * How far the lanes of dispatches reach by addresses, without a descriptor. Where the buffers are
 * is known only behind the run, from what the program was told of their addresses: so of each page
 * the lowest and the highest byte are kept, and who went there. How far they reach in local memory:
 * what of it is the shader's is known by its SPIR-V alone.
 */
#ifndef LULL_CHECK_BOUNDS_REACH_H
#define LULL_CHECK_BOUNDS_REACH_H

#include "check/checks.h"

/** An end of what was accessed in a page. */
struct lull_reach_end {
    uint64_t launch;  ///< lull_check_group.launch.
    uint64_t address; ///< Of the whole access.
    unsigned bytes;
    enum lull_touch_kind kind;
    struct lull_check_site site; ///< Without texts.
};

/** What was accessed in a page. */
struct lull_reach_side {
    uint64_t low, high; ///< GPU virtual addresses of the first byte, behind the last.
    struct lull_reach_end first, last; ///< Who went there.
};

/** A page of 4 KiB. */
struct lull_reach_page {
    uint64_t number;
    uint32_t space;
    struct lull_reach_side lanes;
    /** Of scalar loads the first bytes: compilers load more behind them than is used. */
    struct lull_reach_side scalar;
};

/** How far an instruction's stores went in local memory. */
struct lull_reach_local {
    uint32_t space;
    struct lull_reach_end last;
};

/** Zero-initialise; lull_reach_done(). */
struct lull_reach {
    struct lull_reach_page **pages; ///< Open addressing; NULL entries are free.
    struct lull_reach_page *recent, *recent_scalar;
    size_t n, room;
    struct lull_reach_local *locals; ///< In the order in which they were met.
    size_t nlocals, locals_room, recent_local;
    bool lost; ///< Memory was short, or there were too many pages.
};

/** An access to memory of the GPU, without a descriptor. */
void lull_reach_touch(struct lull_reach *r, const struct lull_check_now *n,
                      const struct lull_touch *t);

/** A store or atomic operation in local memory. */
void lull_reach_touch_local(struct lull_reach *r, const struct lull_check_now *n,
                            const struct lull_touch *t);

void lull_reach_done(struct lull_reach *r);

#endif
