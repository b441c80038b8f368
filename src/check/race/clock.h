// SPDX-License-Identifier: MIT
/** @file
 * What a wave is ordered behind: of other workgroups, all that they had done up to some time.
 */
#ifndef LULL_CHECK_RACE_CLOCK_H
#define LULL_CHECK_RACE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Zero: behind nothing. */
struct lull_race_clock {
    struct lull_race_seen {
        uint64_t group;
        uint32_t time;
    } * seen; ///< In order of group.
    size_t n, room;
    uint32_t all; ///< Up to this time behind all: too much to be kept apart.
};

/** Behind what @p group had done up to @p time. */
void lull_race_clock_see(struct lull_race_clock *c, uint64_t group, uint32_t time);

/** Behind all that @p other is behind; it is not @p c. */
void lull_race_clock_join(struct lull_race_clock *c, const struct lull_race_clock *other);

/** Is what @p group did at @p time in front? */
bool lull_race_clock_behind(const struct lull_race_clock *c, uint64_t group, uint32_t time);

void lull_race_clock_done(struct lull_race_clock *c);

#endif
