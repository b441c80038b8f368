// SPDX-License-Identifier: MIT
/** @file
 * Memory that a program allocated and nobody has ever written to, read by its dispatches. Drivers
 * copy such memory with dispatches of their own, and may: which are the program's is known only
 * behind the run, so what was found is kept until then.
 */
#ifndef LULL_CHECK_UNINIT_NEVER_H
#define LULL_CHECK_UNINIT_NEVER_H

#include "check/checks.h"
#include "model/fresh.h"

/** A finding, if the program launched it. */
struct lull_never_found {
    uint64_t launch; ///< lull_check_group.launch.
    const char *what;
    uint32_t space;
    uint64_t count;
    struct lull_check_site sites[2]; ///< The load, and what depends on it.
};

/** Zero-initialise; lull_never_done(). */
struct lull_never {
    struct lull_fresh fresh; ///< Of the dispatches that run.
    uint64_t launch;         ///< The last that began.
    struct lull_never_found *found;
    size_t n, room;
};

/** A wave starts: what was read before its dispatch may have been written by the host since. */
void lull_never_starts(struct lull_never *v, const struct lull_check_now *n);

/** @return The finding; new if its count is 1: then its sites are to be filled in. NULL: lost. */
struct lull_never_found *lull_never_find(struct lull_never *v, const struct lull_check_now *n,
                                         const char *what, uint64_t pc, uint64_t other);

void lull_never_done(struct lull_never *v);

#endif
