// SPDX-License-Identifier: MIT
// Which workgroups of a dispatch are not launched yet. One thread launches them in order. Several
// cut ranges off from the start, each of a few workgroups, and launch those by themselves; what is
// left of a range when they stand is launched first by whoever goes on.
#include "model/amd/gpu/gpu_impl.h"

void lull_range_all(struct lull_work *d)
{
    uint64_t n = 1;
    for (unsigned i = 0; i < 3; i++) { // More than that would take centuries.
        n = __builtin_mul_overflow(n, d->end[i] - d->start[i], &n) ? UINT64_MAX : n;
    }
    d->range[LULL_WORK_REST] = (struct lull_work_range){.end = n};
    d->ranges = UINT32_C(1) << LULL_WORK_REST;
}

void lull_range_ids(const struct lull_work *d, uint64_t number, uint32_t ret[3])
{
    const uint32_t x = d->end[0] - d->start[0], y = d->end[1] - d->start[1];
    const bool row = number < x; // Divisions take as long as all the rest.
    const uint64_t rows = row ? 0 : number / x;
    ret[0] = d->start[0] + (uint32_t)(row ? number : number % x);
    ret[1] = d->start[1] + (uint32_t)(rows < y ? rows : rows % y);
    ret[2] = d->start[2] + (uint32_t)(rows < y ? 0 : rows / y);
}

unsigned lull_range_first(const struct lull_work *d)
{
    const uint32_t free = d->ranges & ~d->held;
    return free != 0 ? (unsigned)__builtin_ctz(free) : LULL_WORK_RANGES;
}

void lull_range_took(struct lull_work *d, unsigned range)
{
    struct lull_work_range *r = &d->range[range];
    if (++r->next == r->end) {
        d->ranges &= ~(UINT32_C(1) << range);
    }
}

unsigned lull_range_hold(struct lull_work *d, unsigned range, uint64_t n)
{
    struct lull_work_range *from = &d->range[range];
    const uint64_t left = from->end - from->next;
    unsigned i = range;
    if (left == 0 || n == 0) {
        return LULL_WORK_RANGES;
    }
    if (range == LULL_WORK_REST) {
        const uint32_t empty = ~d->ranges & ~(UINT32_C(1) << LULL_WORK_REST);
        if (empty == 0) {
            return LULL_WORK_RANGES;
        }
        i = (unsigned)__builtin_ctz(empty);
        n = n < left ? n : left;
        d->range[i] = (struct lull_work_range){.next = from->next, .end = from->next + n};
        d->ranges |= UINT32_C(1) << i;
        from->next += n;
        if (from->next == from->end) {
            d->ranges &= ~(UINT32_C(1) << LULL_WORK_REST);
        }
    }
    d->held |= UINT32_C(1) << i;
    return i;
}

void lull_range_give(struct lull_work *d, unsigned range, uint64_t next)
{
    struct lull_work_range *r = &d->range[range];
    r->next = next;
    d->held &= ~(UINT32_C(1) << range);
    if (r->next == r->end) {
        d->ranges &= ~(UINT32_C(1) << range);
    }
}
