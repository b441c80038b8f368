// SPDX-License-Identifier: MIT
/** @file
 * Inside of debug.h: what a GPU keeps for a debugger.
 */
#ifndef LULL_MODEL_ADRENO_WATCH_H
#define LULL_MODEL_ADRENO_WATCH_H

#include "model/adreno/compute/compute.h"
#include "model/adreno/debug.h"
#include "model/adreno/draw/draw.h"
#include "model/adreno/exec/stops.h"

/** Waves under way: of a dispatch, or of a draw. Both NULL: none. */
struct lull_agpu_waves {
    struct lull_acompute *compute;
    struct lull_adraw *draw;
};

/** All zero: nobody watches. */
struct lull_agpu_watch {
    struct lull_ir3_stops stops;
    bool dispatches, draws; ///< Each is held.
    bool held;              ///< One is.
    bool open, open_draw;   ///< The newest record is of the dispatch or draw under way.
    uint64_t n, ndraws;     ///< Dispatches, draws.
    uint64_t ttbr0;         ///< Of what began last.
    struct lull_agpu_dispatch records[LULL_AGPU_DISPATCHES]; ///< By number, the last ones.
    struct lull_agpu_draw drawn[LULL_AGPU_RECORDS];
};

/* As in struct lull_agpu_debug_ops; @p now: the waves under way. */

void lull_agpu_watch_set(struct lull_agpu_watch *w, const struct lull_agpu_waves *now,
                         const struct lull_agpu_stops *s);
/** A dispatch begins. */
void lull_agpu_watch_began(struct lull_agpu_watch *w, struct lull_acompute *c, uint64_t ttbr0,
                           uint64_t clock);
/** A draw does; @p tiled: to GMEM. */
void lull_agpu_watch_drew(struct lull_agpu_watch *w, const struct lull_adraw *d, bool tiled,
                          uint64_t ttbr0, uint64_t clock);
/** It is over. */
void lull_agpu_watch_ended(struct lull_agpu_watch *w, bool killed, uint64_t clock);
bool lull_agpu_watch_stands(const struct lull_agpu_watch *w, const struct lull_agpu_waves *now);
bool lull_agpu_watch_dispatch(const struct lull_agpu_watch *w, uint64_t number,
                              struct lull_agpu_dispatch *ret);
bool lull_agpu_watch_draw(const struct lull_agpu_watch *w, uint64_t number,
                          struct lull_agpu_draw *ret);
bool lull_agpu_watch_release(struct lull_agpu_watch *w);
unsigned lull_agpu_watch_waves(const struct lull_agpu_watch *w, const struct lull_agpu_waves *now,
                               struct lull_agpu_wave *ret, unsigned room);
bool lull_agpu_watch_go(const struct lull_agpu_waves *now, uint32_t wave, bool step);
void lull_agpu_watch_interrupt(const struct lull_agpu_waves *now);
bool lull_agpu_watch_invocation(const struct lull_agpu_waves *now, uint32_t wave, uint32_t fiber,
                                struct lull_agpu_invocation *ret);
/** @p value: from or to where. */
bool lull_agpu_watch_reg(const struct lull_agpu_waves *now, const struct lull_agpu_reg *r,
                         bool write, uint32_t *value);
uint8_t *lull_agpu_watch_local(const struct lull_agpu_waves *now, uint32_t *ret_bytes);

#endif
