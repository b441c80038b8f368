// SPDX-License-Identifier: MIT
#include "check/codes.h"

#include <stdlib.h>
#include <string.h>

/** How many begin at @p pc or in front of it. */
static size_t below(const struct lull_codes *c, uint64_t pc)
{
    size_t low = 0, high = c->n;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (c->at[mid] <= pc) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

bool lull_codes_add(struct lull_codes *c, uint64_t begin)
{
    if (begin == c->last) {
        return true;
    }
    const size_t at = below(c, begin);
    if (at != 0 && c->at[at - 1] == begin) {
        c->last = begin;
        return true;
    }
    if (c->n == c->room) {
        const size_t room = 2 * c->room + 16;
        uint64_t *more = realloc(c->at, room * sizeof *more);
        if (more == NULL) {
            return false;
        }
        c->at = more;
        c->room = room;
    }
    memmove(&c->at[at + 1], &c->at[at], (c->n - at) * sizeof *c->at);
    c->at[at] = c->last = begin;
    c->n++;
    return true;
}

uint64_t lull_codes_of(const struct lull_codes *c, uint64_t pc)
{
    const size_t n = below(c, pc);
    return n != 0 ? c->at[n - 1] : 0;
}

void lull_codes_done(struct lull_codes *c)
{
    free(c->at);
    *c = (struct lull_codes){0};
}
