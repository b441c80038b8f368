// SPDX-License-Identifier: MIT
/** @file
 * How the addresses of a wave's lanes lie; inline, so that it is compiled for each kind of host.
 */
#ifndef LULL_MODEL_SHAPE_H
#define LULL_MODEL_SHAPE_H

#include "model/observer.h"

enum { LULL_SHAPE_HALF = 32, LULL_SHAPE_MOST = 64 }; // Lanes: of the vectorised loops; of a touch.

/** Bits by which 32 addresses differ from such as are @p step apart. */
static inline uint64_t lull_shape_differ(const uint64_t *address, uint64_t first, uint64_t step)
{
    uint64_t bits = 0;
    for (unsigned l = 0; l < LULL_SHAPE_HALF; l++) {
        bits |= address[l] ^ (first + l * step);
    }
    return bits;
}

/** Of all lanes: the lowest and the highest address. */
static inline void lull_shape_span(const uint64_t *address, unsigned lanes, struct lull_touch *t)
{
    uint64_t low = address[0], high = address[0];
    for (unsigned l = 0; l < lanes; l += LULL_SHAPE_HALF) {
        for (unsigned i = l; i < l + LULL_SHAPE_HALF; i++) {
            low = address[i] < low ? address[i] : low;
            high = address[i] > high ? address[i] : high;
        }
    }
    t->low = low;
    t->high = high;
}

/** Of some lanes. */
static inline void lull_shape_some(struct lull_touch *t)
{
    for (uint64_t m = t->lanes; m != 0; m &= m - 1) {
        const uint64_t a = t->address[__builtin_ctzll(m)];
        t->low = a < t->low ? a : t->low;
        t->high = a > t->high ? a : t->high;
    }
}

/** Fill in shape, low and high of @p t, which has lanes, of a wave of 32 or 64. */
static inline void lull_touch_shape(struct lull_touch *t, unsigned lanes)
{
    const bool all = t->lanes == (lanes == 64 ? UINT64_MAX : UINT32_MAX);
    const uint64_t first = t->address[__builtin_ctzll(t->lanes)];
    uint64_t run = 0, one = 0;
    t->low = t->high = first;
    for (unsigned l = 0; all && l < lanes; l += LULL_SHAPE_HALF) {
        run |= lull_shape_differ(t->address + l, first + (uint64_t)l * t->bytes, t->bytes);
        one |= lull_shape_differ(t->address + l, first, 0);
    }
    if (!all) {
        lull_shape_some(t);
    } else if (run == 0) {
        t->high = first + (uint64_t)(lanes - 1) * t->bytes;
    } else if (one != 0) {
        lull_shape_span(t->address, lanes, t);
    }
    t->shape = all && run == 0     ? LULL_TOUCH_RUN
               : t->low == t->high ? LULL_TOUCH_ONE
                                   : LULL_TOUCH_ANY;
}

#endif
