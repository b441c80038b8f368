// SPDX-License-Identifier: MIT
/** @file
 * Packets that draw: one draw, or as many as memory says, one after the other.
 *
 * Source: Mesa registers/adreno/adreno_pm4.xml, CP_DRAW_INDIRECT_MULTI; vulkan/tu_cmd_buffer.cc.
 */
#ifndef LULL_MODEL_ADRENO_DRAWS_H
#define LULL_MODEL_ADRENO_DRAWS_H

#include "adreno/stream/stream.h"
#include "model/adreno/draw/draw.h"

/** The GPU, as a packet that draws sees it. */
struct lull_agpu_drawer {
    struct lull_adraw_source source;
    void *ctx;
    void (*set_reg)(void *ctx, uint32_t number, uint32_t value);
    uint32_t (*word)(void *ctx, uint64_t address); ///< Of memory; 0: nothing is there.
};

/** A packet under way. All 0: none. */
struct lull_agpu_draws {
    struct lull_agpu_drawer by;
    struct lull_adraw *now; ///< NULL: the next is not begun. Owned.
    struct lull_adraw_call call;
    char fault[128];   ///< lull_adraw_fault() since the caller last cleared it; "": nothing.
    uint64_t indirect; ///< What the next draw is, in memory; 0: `call` says all.
    uint32_t stride, next, n;
    uint32_t params; ///< Vec4 of constants that tells vertex shaders what is drawn; 0: none.
};

/** What is drawn by packet @p p, which told @p d. @return What is refused, by name. */
struct lull_error *lull_agpu_draws_begin(struct lull_agpu_draws *q,
                                         const struct lull_agpu_drawer *by, unsigned gen,
                                         const struct lull_as_packet *p,
                                         const struct lull_as_draw *d) LULL_MUST_USE;
/** Up to @p most cycles; the first of each draw is its beginning, of which nothing is executed yet.
 * @return What stopped it for good. */
struct lull_error *lull_agpu_draws_run(struct lull_agpu_draws *q, uint64_t most,
                                       uint64_t *done) LULL_MUST_USE;
/** Something is left to be drawn. */
bool lull_agpu_draws_on(const struct lull_agpu_draws *q);
/** Drop it. */
void lull_agpu_draws_done(struct lull_agpu_draws *q);

#endif
