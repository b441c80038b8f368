// SPDX-License-Identifier: MIT
// Lanes that the host's arithmetic could not do: once more, without the work for lanes that are
// off.
#include <string.h>

#include "model/amd/exec/uop.h"

void lull_lanes_doubt(lull_lane_fn *soft, uint32_t doubt, uint32_t *r, const uint32_t *d,
                      const uint32_t *a, const uint32_t *b, const uint32_t *c,
                      const struct lull_lane_ctx *x)
{
    struct lull_lane_ctx y = *x;
    uint32_t t[32];
    const uint32_t on = doubt & ~x->off;
    if (on == 0) {
        return;
    }
    memcpy(t, d, sizeof t);
    y.off = ~on;
    soft(t, a, b, c, &y);
    for (unsigned i = 0; i < 32; i++) {
        r[i] = (on >> i & 1) != 0 ? t[i] : r[i];
    }
}

/** @p v with lane @p first in those of @p off, in @p room; NULL stays. */
static uint32_t *repeat(const uint32_t *v, uint32_t off, unsigned first, uint32_t room[32])
{
    if (v == NULL) {
        return NULL;
    }
    for (unsigned i = 0; i < 32; i++) {
        room[i] = (off >> i & 1) != 0 ? v[first] : v[i];
    }
    return room;
}

void lull_lanes_redo(lull_lane_fn *fn, lull_lane_fn *soft, uint32_t *d, const uint32_t *a,
                     const uint32_t *b, const uint32_t *c, struct lull_lane_ctx *x)
{
    if (x->off == 0 || x->off == UINT32_MAX || x->again != 0) {
        soft(d, a, b, c, x);
        return;
    }
    const unsigned first = (unsigned)__builtin_ctz(~x->off);
    uint32_t room[8][32];
    struct lull_lane_ctx y = *x;
    y.again = 1;
    y.ah = repeat(x->ah, x->off, first, room[0]);
    y.bh = repeat(x->bh, x->off, first, room[1]);
    y.ch = repeat(x->ch, x->off, first, room[2]);
    y.dh = repeat(x->dh, x->off, first, room[3]);
    uint32_t *t = repeat(d, x->off, first, room[4]);
    fn(t, repeat(a, x->off, first, room[5]), repeat(b, x->off, first, room[6]),
       repeat(c, x->off, first, room[7]), &y);
    for (unsigned i = 0; i < 32; i++) {
        const bool on = (x->off >> i & 1) == 0;
        d[i] = on ? t[i] : d[i];
        if (on && y.dh != NULL) {
            x->dh[i] = y.dh[i];
        }
    }
    x->out = y.out;
}
