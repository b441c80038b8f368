// SPDX-License-Identifier: MIT
// Blending in single precision, each operation rounded by itself; logic operations.
#include "model/raster/output.h"

enum { RGBA = 4, ALPHA = 3 };

/** @p v within the range. What is not a number is 0 where there is one. */
static float clamped(unsigned range, float v)
{
    if (range == LULL_RASTER_ANY) {
        return v;
    }
    const float low = range == LULL_RASTER_UNORM ? 0.0f : -1.0f;
    return v >= 1 ? 1 : v >= low ? v : v < low ? low : 0;
}

/** What factors are made of, within the range. */
struct inputs {
    float src[RGBA], src1[RGBA], dst[RGBA], constant[RGBA];
};

/** Factor @p f of component @p c, before it is clamped. */
static float factor(const struct inputs *x, unsigned f, unsigned c)
{
    const float rest = 1 - x->dst[ALPHA];
    switch ((enum lull_raster_factor)f) {
    case LULL_RASTER_F_ZERO:
        return 0;
    case LULL_RASTER_F_ONE:
        return 1;
    case LULL_RASTER_F_SRC:
        return x->src[c];
    case LULL_RASTER_F_ONE_MINUS_SRC:
        return 1 - x->src[c];
    case LULL_RASTER_F_SRC_ALPHA:
        return x->src[ALPHA];
    case LULL_RASTER_F_ONE_MINUS_SRC_ALPHA:
        return 1 - x->src[ALPHA];
    case LULL_RASTER_F_DST_ALPHA:
        return x->dst[ALPHA];
    case LULL_RASTER_F_ONE_MINUS_DST_ALPHA:
        return rest;
    case LULL_RASTER_F_DST:
        return x->dst[c];
    case LULL_RASTER_F_ONE_MINUS_DST:
        return 1 - x->dst[c];
    case LULL_RASTER_F_SRC_ALPHA_SATURATE:
        return c == ALPHA ? 1 : x->src[ALPHA] < rest ? x->src[ALPHA] : rest;
    case LULL_RASTER_F_CONSTANT:
        return x->constant[c];
    case LULL_RASTER_F_ONE_MINUS_CONSTANT:
        return 1 - x->constant[c];
    case LULL_RASTER_F_SRC1:
        return x->src1[c];
    case LULL_RASTER_F_ONE_MINUS_SRC1:
        return 1 - x->src1[c];
    case LULL_RASTER_F_SRC1_ALPHA:
        return x->src1[ALPHA];
    case LULL_RASTER_F_ONE_MINUS_SRC1_ALPHA:
        return 1 - x->src1[ALPHA];
    case LULL_RASTER_F_CONSTANT_ALPHA:
        return x->constant[ALPHA];
    case LULL_RASTER_F_ONE_MINUS_CONSTANT_ALPHA:
        return 1 - x->constant[ALPHA];
    }
    return 0;
}

/** @p v times factor @p f; nothing of infinities and NaN is left by ZERO. */
static float scaled(const struct lull_raster_blend *b, const struct inputs *x, unsigned f,
                    unsigned c, float v)
{
    return f == LULL_RASTER_F_ZERO ? 0 : v * clamped(b->range, factor(x, f, c));
}

static float combined(const struct lull_raster_blend *b, const struct inputs *x, unsigned c)
{
    const unsigned part = c == ALPHA;
    const unsigned op = b->op[part];
    const float s = x->src[c];
    const float d = x->dst[c];
    if (op == LULL_RASTER_MIN) {
        return s < d ? s : d;
    }
    if (op == LULL_RASTER_MAX) {
        return s > d ? s : d;
    }
    const float from = scaled(b, x, b->src[part], c, s);
    const float to = scaled(b, x, b->dst[part], c, d);
    return op == LULL_RASTER_ADD ? from + to : op == LULL_RASTER_SUBTRACT ? from - to : to - from;
}

void lull_raster_blend(const struct lull_raster_blend *b, const float src[4], const float src1[4],
                       const float dst[4], float ret[4])
{
    struct inputs x = {{0}, {0}, {0}, {0}};
    for (unsigned c = 0; c < RGBA; c++) {
        x.src[c] = clamped(b->range, src[c]);
        x.src1[c] = clamped(b->range, src1[c]);
        x.dst[c] = clamped(b->range, dst[c]);
        x.constant[c] = clamped(b->range, b->constant[c]);
    }
    for (unsigned c = 0; c < RGBA; c++) {
        ret[c] = b->on ? clamped(b->range, combined(b, &x, c)) : src[c];
    }
}

uint32_t lull_raster_logic(unsigned op, uint32_t src, uint32_t dst)
{
    return ((op & 1) != 0 ? ~src & ~dst : 0) | ((op & 2) != 0 ? ~src & dst : 0) |
           ((op & 4) != 0 ? src & ~dst : 0) | ((op & 8) != 0 ? src & dst : 0);
}
