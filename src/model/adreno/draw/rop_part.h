// SPDX-License-Identifier: MIT
/** @file
 * Between the files of the back end.
 */
#ifndef LULL_MODEL_ADRENO_DRAW_ROP_PART_H
#define LULL_MODEL_ADRENO_DRAW_ROP_PART_H

#include "model/adreno/draw/rop.h"

/** What registers say of depth and stencil; `samples` and `window` of @p ret are set. */
struct lull_error *lull_arop_read_depth(struct lull_arop *ret) LULL_MUST_USE;

/** Test samples @p mask, and write depth and stencil. @return Those that pass. */
uint32_t lull_arop_test(const struct lull_arop *r, const struct lull_arop_quad *q, uint32_t mask);

/** What registers say of all targets. */
struct lull_error *lull_arop_read_targets(struct lull_arop *ret) LULL_MUST_USE;

/** Samples @p mask into all targets. */
void lull_arop_write(const struct lull_arop *r, const struct lull_arop_quad *q, uint32_t mask);

/** Component @p c of output @p n of a pixel as a single. */
float lull_arop_number(const struct lull_arop *r, const struct lull_arop_quad *q, unsigned n,
                       unsigned pixel, unsigned c);

static inline uint32_t lull_arop_reg(const struct lull_arop *r, uint32_t number)
{
    return r->source.reg(r->source.ctx, number);
}

static inline uint64_t lull_arop_reg64(const struct lull_arop *r, uint32_t number)
{
    return lull_arop_reg(r, number) | (uint64_t)lull_arop_reg(r, number + 1) << 32;
}

static inline float lull_arop_single(uint32_t bits)
{
    const union {
        uint32_t u;
        float f;
    } v = {.u = bits};
    return v.f;
}

/** Where a surface is: registers @p base, base + 1 in memory; in tiles @p gmem instead. */
void lull_arop_place(const struct lull_arop *r, struct lull_asurface *s, uint64_t base,
                     uint32_t gmem);

/** Place in a surface of sample @p sample of pixel @p pixel. False: outside of it. */
bool lull_arop_sample_at(const struct lull_arop *r, const struct lull_asurface *s,
                         const struct lull_arop_quad *q, unsigned pixel, unsigned sample,
                         uint64_t *ret);

#endif
