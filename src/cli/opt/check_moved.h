// SPDX-License-Identifier: MIT
/** @file
 * Pairs of a dispatch and a transfer (race/across.h): which call of the program's it is, and
 * whether that orders the two.
 */
#ifndef LULL_CLI_CHECK_MOVED_H
#define LULL_CLI_CHECK_MOVED_H

#include "check/race/across.h"
#include "image/names.h"

/** A pair of which one is a transfer, of the command processor or by a shader of the driver's. */
struct lull_check_moved {
    const struct lull_across_pair *pair;
    const struct lull_transfer *t;       ///< NULL: by a shader,
    uint32_t groups;                     ///< of so many workgroups.
    unsigned side;                       ///< Of sites and launches: the transfer.
    const struct lull_names *names;      ///< Of the dispatch's process.
    const struct lull_names_dispatch *d; ///< The dispatch.
    /** Number of the dispatch that the transfer is in front of, or that of all. */
    uint64_t number;
};

/** Tell of it, if no barrier is between what it may be and the dispatch. */
void lull_check_moved_judge(struct lull_checks *c, const struct lull_check_moved *m);

/** The same, if dispatch @p launch, which is indirect, is behind it and loads its workgroups from
 * what it stored at @p address: of m pair and side are not there. @return whether it was told. */
bool lull_check_moved_grid(struct lull_checks *c, const struct lull_check_moved *m, uint64_t launch,
                           uint64_t address);

/** @p from for a finding, which owns it. */
struct lull_check_site lull_check_moved_copy(const struct lull_check_site *from);

#endif
