// SPDX-License-Identifier: MIT
/** @file
 * Inside of debug.h: what a GPU keeps for a debugger.
 */
#ifndef LULL_MODEL_ADRENO_WATCH_H
#define LULL_MODEL_ADRENO_WATCH_H

#include "model/adreno/compute/compute.h"
#include "model/adreno/debug.h"
#include "model/adreno/exec/stops.h"

/** All zero: nobody watches. */
struct lull_agpu_watch {
    struct lull_ir3_stops stops;
    bool dispatches; ///< Each is held.
    bool held;       ///< One is.
    bool open;       ///< The newest record is of the dispatch under way.
    uint64_t n;      ///< Dispatches.
    struct lull_agpu_dispatch records[LULL_AGPU_RECORDS]; ///< By number, the last ones.
};

/** @p c: the dispatch under way; NULL: none. The rest as in struct lull_agpu_debug_ops. */
void lull_agpu_watch_set(struct lull_agpu_watch *w, struct lull_acompute *c,
                         const struct lull_agpu_stops *s);
/** A dispatch begins. */
void lull_agpu_watch_began(struct lull_agpu_watch *w, struct lull_acompute *c, uint64_t ttbr0,
                           uint64_t clock);
/** It is over. */
void lull_agpu_watch_ended(struct lull_agpu_watch *w, bool killed, uint64_t clock);
bool lull_agpu_watch_stands(const struct lull_agpu_watch *w, const struct lull_acompute *c);
bool lull_agpu_watch_dispatch(const struct lull_agpu_watch *w, uint64_t number,
                              struct lull_agpu_dispatch *ret);
bool lull_agpu_watch_release(struct lull_agpu_watch *w);
unsigned lull_agpu_watch_waves(struct lull_acompute *c, struct lull_agpu_wave *ret, unsigned room);
bool lull_agpu_watch_go(struct lull_acompute *c, uint32_t wave, bool step);
void lull_agpu_watch_interrupt(struct lull_acompute *c);
/** @p value: from or to where. */
bool lull_agpu_watch_reg(struct lull_acompute *c, const struct lull_agpu_reg *r, bool write,
                         uint32_t *value);
uint8_t *lull_agpu_watch_local(struct lull_acompute *c, uint32_t *ret_bytes);

#endif
