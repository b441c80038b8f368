// SPDX-License-Identifier: MIT
/** @file
 * What the parts of a walk know of each other. For src/adreno/show/ only.
 */
#ifndef LULL_ADRENO_SHOW_WALK_H
#define LULL_ADRENO_SHOW_WALK_H

#include "adreno/show/capture.h"
#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"

/** Packets that are shown in another way than by their fields. */
enum lull_cap_op {
    LULL_CAP_OP_PLAIN,
    LULL_CAP_OP_TELLS,   ///< What it does says all.
    LULL_CAP_OP_NO_DUMP, ///< It has no fields, and is not dumped for that.
    LULL_CAP_OP_CHAIN,
};

/** Something is wrong at @p address (0: with the section that is being read). */
void lull_cap_problem(struct lull_cap *c, uint64_t address, const char *fmt, ...) LULL_PRINTF(3, 4);
void lull_cap_note(struct lull_cap *c, const char *fmt, ...) LULL_PRINTF(2, 3);

/** The work of @p n dwords; false: there may be no more in this stream. */
static inline bool lull_cap_work(struct lull_cap *c, uint64_t n)
{
    return lull_astream_work(&c->s, n);
}

/** Part of @p w from dword @p from on. */
static inline struct lull_cap_words lull_cap_part(struct lull_cap_words w, uint32_t from,
                                                  uint32_t n)
{
    from = from < w.n ? from : w.n;
    n = n < w.n - from ? n : w.n - from;
    return (struct lull_cap_words){w.words + from, w.address + from * 4ull, n};
}

/* memory.c */

struct lull_error *lull_cap_add_buffer(struct lull_cap *c,
                                       const struct lull_rd_range *r) LULL_MUST_USE;
struct lull_error *lull_cap_fill_buffer(struct lull_cap *c,
                                        const struct lull_rd_section *s) LULL_MUST_USE;
void lull_cap_drop_buffers(struct lull_cap *c);

/* gpu.c */

struct lull_error *lull_cap_set_gpu(struct lull_cap *c, unsigned gen) LULL_MUST_USE;

/* events.c */

/** What the engine did. @p ctx: the walk. */
void lull_cap_did(void *ctx, struct lull_astream *s, const struct lull_as_event *e);

/* track.c */

/** Registers are about to be written: told. */
void lull_cap_track_write(struct lull_cap *c, const struct lull_as_event *e);
/** A draw was told: what was written is old from now on. */
void lull_cap_track_draw(struct lull_cap *c);

/* loads.c */

void lull_cap_load_state(struct lull_cap *c, const struct lull_as_packet *p,
                         const struct lull_as_load *l);

/* draws.c */

void lull_cap_draw_packet(struct lull_cap *c, const struct lull_as_packet *p,
                          const struct lull_as_draw *d);

/* shaders.c */

/** The shader at @p address; false: nothing is known of it. */
bool lull_cap_shader_at(struct lull_cap *c, enum lull_cap_stage stage, uint64_t address,
                        struct lull_cap_shader *ret);
/** Fills d->shaders by the registers. */
void lull_cap_draw_shaders(struct lull_cap *c, struct lull_cap_draw *d);

#endif
