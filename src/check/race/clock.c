// SPDX-License-Identifier: MIT
#include "check/race/clock.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1024 };

/** The first entry that is not below @p group. */
static size_t find(const struct lull_race_clock *c, uint64_t group)
{
    size_t low = 0, high = c->n;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (c->seen[mid].group < group) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

/** There is no room for one more: from now on it is behind all that is known, up to the latest. */
static void merge(struct lull_race_clock *c, uint32_t time)
{
    for (size_t i = 0; i < c->n; i++) {
        time = c->seen[i].time > time ? c->seen[i].time : time;
    }
    c->all = time > c->all ? time : c->all;
    c->n = 0;
}

void lull_race_clock_see(struct lull_race_clock *c, uint64_t group, uint32_t time)
{
    if (time <= c->all) {
        return;
    }
    const size_t at = find(c, group);
    if (at < c->n && c->seen[at].group == group) {
        c->seen[at].time = c->seen[at].time > time ? c->seen[at].time : time;
        return;
    }
    if (c->n == c->room) {
        const size_t room = c->room != 0 ? 2 * c->room : 4;
        struct lull_race_seen *more = room > MOST ? NULL : realloc(c->seen, room * sizeof *more);
        if (more == NULL) {
            merge(c, time);
            return;
        }
        c->seen = more;
        c->room = room;
    }
    memmove(&c->seen[at + 1], &c->seen[at], (c->n - at) * sizeof *c->seen);
    c->seen[at] = (struct lull_race_seen){.group = group, .time = time};
    c->n++;
}

void lull_race_clock_join(struct lull_race_clock *c, const struct lull_race_clock *other)
{
    c->all = other->all > c->all ? other->all : c->all;
    for (size_t i = 0; i < other->n; i++) {
        lull_race_clock_see(c, other->seen[i].group, other->seen[i].time);
    }
}

bool lull_race_clock_behind(const struct lull_race_clock *c, uint64_t group, uint32_t time)
{
    if (time <= c->all) {
        return true;
    }
    const size_t at = find(c, group);
    return at < c->n && c->seen[at].group == group && time <= c->seen[at].time;
}

void lull_race_clock_done(struct lull_race_clock *c)
{
    free(c->seen);
    *c = (struct lull_race_clock){0};
}
