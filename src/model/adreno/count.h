// SPDX-License-Identifier: MIT
/** @file
 * Queries: how many samples have passed, pipeline statistics.
 *
 * Source: Mesa vulkan/tu_query_pool.cc (what is expected where); registers/adreno/adreno_pm4.xml.
 */
#ifndef LULL_MODEL_ADRENO_COUNT_H
#define LULL_MODEL_ADRENO_COUNT_H

#include "hw/apkt.h"
#include "model/adreno/compute/compute.h"
#include "model/adreno/draw/draw.h"
#include "model/adreno/draw/rop.h"

enum { LULL_AGPU_PRIMCTRS = LULL_ADRAW_COUNTERS + 1 };

/** What RBBM_PRIMCTR_0 and on count, while events let them. Plain data. */
struct lull_agpu_statistics {
    uint64_t n[LULL_AGPU_PRIMCTRS]; ///< enum lull_adraw_counter; the last: compute invocations.
    bool primitives, fragments, compute;
};

/**
 * CP_EVENT_WRITE, or CP_EVENT_WRITE7 (@p seven), is done: if it is ZPASS_DONE, the number of
 * samples, of 64 bits, goes to RB_SAMPLE_COUNT_ADDR, or on a7xx to where the packet says: the begin
 * of a query to the address, its end 16 bytes on, and what lies between is added 8 bytes on.
 * START_PRIMITIVE_CTRS, STOP_COMPUTE_CTRS and the like say what @p statistics counts.
 */
void lull_agpu_count(const struct lull_arop_source *s, struct lull_agpu_statistics *statistics,
                     bool seven, const struct lull_apkt_args *args);

/** Where a draw counts now; NULL: nowhere. */
uint64_t *lull_agpu_statistics_of_draw(struct lull_agpu_statistics *s);

/** A dispatch begins. */
void lull_agpu_statistics_of_dispatch(struct lull_agpu_statistics *s,
                                      const struct lull_acompute *c);

/** Put them, and @p clock of the always-on counter, into registers: they are read next. */
void lull_agpu_statistics_put(const struct lull_agpu_statistics *s, uint64_t clock, void *ctx,
                              void (*set_reg)(void *ctx, uint32_t number, uint32_t value));

#endif
