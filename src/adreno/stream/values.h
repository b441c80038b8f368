// SPDX-License-Identifier: MIT
/** @file
 * Values that may be unknown, and what is computed with them. For the functions that gen/pm4
 * makes of data/adreno/pm4.sem.
 */
#ifndef LULL_ADRENO_STREAM_VALUES_H
#define LULL_ADRENO_STREAM_VALUES_H

#include <stdbool.h>
#include <stdint.h>

struct lull_av {
    uint64_t v;
    bool known; ///< If not, v means nothing.
};

static inline struct lull_av lull_av_of(uint64_t v)
{
    return (struct lull_av){v, true};
}

static inline struct lull_av lull_av_unknown(void)
{
    return (struct lull_av){0, false};
}

/** Known too if one of them is 0. */
static inline struct lull_av lull_av_and(struct lull_av a, struct lull_av b, uint64_t mask)
{
    const bool zero = (a.known && (a.v & mask) == 0) || (b.known && (b.v & mask) == 0);
    return (struct lull_av){zero ? 0 : a.v & b.v & mask, zero || (a.known && b.known)};
}

/** Known too if one of them is all ones. */
static inline struct lull_av lull_av_or(struct lull_av a, struct lull_av b, uint64_t mask)
{
    const bool ones = (a.known && (a.v & mask) == mask) || (b.known && (b.v & mask) == mask);
    return (struct lull_av){ones ? mask : (a.v | b.v) & mask, ones || (a.known && b.known)};
}

/** To the left, 32 bits. */
static inline struct lull_av lull_av_rotl(struct lull_av a, unsigned by)
{
    const uint32_t v = (uint32_t)a.v;
    by %= 32;
    return (struct lull_av){by != 0 ? v << by | v >> (32 - by) : v, a.known};
}

static inline struct lull_av lull_av_choose(struct lull_av which, struct lull_av a,
                                            struct lull_av b)
{
    return !which.known ? lull_av_unknown() : which.v != 0 ? a : b;
}

/** Comparison @p function of CP_WAIT_REG_MEM and its like: always, <, <=, ==, !=, >=, >. */
static inline struct lull_av lull_av_test(unsigned function, bool is_signed, struct lull_av a,
                                          struct lull_av b)
{
    const int64_t x = is_signed ? (int32_t)a.v : (int64_t)(uint32_t)a.v;
    const int64_t y = is_signed ? (int32_t)b.v : (int64_t)(uint32_t)b.v;
    const bool results[] = {true, x<y, x <= y, x == y, x != y, x >= y, x> y};
    if (function == 0) {
        return lull_av_of(1);
    }
    return (struct lull_av){function < 7 && results[function], function < 7 && a.known && b.known};
}

#endif
