// SPDX-License-Identifier: MIT
// Depth bounds, stencil and depth of one sample.
#include "model/raster/output.h"

enum { MOST = UINT8_MAX };

/** @p order: bit 0 if the first value is the smaller one, bit 1 if they are equal, bit 2 if it is
 * the greater one; none of them if one is not a number, and then only "not equal" and "always"
 * hold. */
static bool holds(unsigned compare, unsigned order)
{
    const bool unordered = compare == LULL_RASTER_NOT_EQUAL || compare == LULL_RASTER_ALWAYS;
    return order == 0 ? unordered : (compare & order) != 0;
}

static unsigned order_of(float a, float b)
{
    return (a < b ? 1u : 0) | (a == b ? 2u : 0) | (a > b ? 4u : 0);
}

static uint8_t stencil_op(const struct lull_raster_stencil *s, unsigned op, uint8_t old)
{
    const unsigned v = s->value;
    switch ((enum lull_raster_stencil_op)op) {
    case LULL_RASTER_KEEP:
        return old;
    case LULL_RASTER_ZERO:
        return 0;
    case LULL_RASTER_ONES:
        return MOST;
    case LULL_RASTER_REPLACE:
        return s->reference;
    case LULL_RASTER_REPLACE_VALUE:
        return s->value;
    case LULL_RASTER_ADD_CLAMP:
        return (uint8_t)(old + v > MOST ? MOST : old + v);
    case LULL_RASTER_SUB_CLAMP:
        return (uint8_t)(old < v ? 0 : old - v);
    case LULL_RASTER_INVERT:
        return (uint8_t)~old;
    case LULL_RASTER_ADD_WRAP:
        return (uint8_t)(old + v);
    case LULL_RASTER_SUB_WRAP:
        return (uint8_t)(old - v);
    case LULL_RASTER_AND:
        return (uint8_t)(old & v);
    case LULL_RASTER_OR:
        return (uint8_t)(old | v);
    case LULL_RASTER_XOR:
        return (uint8_t)(old ^ v);
    case LULL_RASTER_NAND:
        return (uint8_t) ~(old & v);
    case LULL_RASTER_NOR:
        return (uint8_t) ~(old | v);
    case LULL_RASTER_XNOR:
        return (uint8_t) ~(old ^ v);
    }
    return old;
}

static uint8_t stencil_after(const struct lull_raster_stencil *s, unsigned op, uint8_t old)
{
    return (uint8_t)((old & ~s->write_mask) | (stencil_op(s, op, old) & s->write_mask));
}

enum lull_raster_verdict lull_raster_test(const struct lull_raster_depth_state *s, bool front,
                                          float z, struct lull_raster_depth *at)
{
    if (s->bounds_test && !(at->z >= s->bounds_min && at->z <= s->bounds_max)) {
        return LULL_RASTER_FAIL_BOUNDS;
    }
    const struct lull_raster_stencil *f = front ? &s->front : &s->back;
    const uint8_t old = at->stencil;
    if (s->stencil_test) {
        const uint8_t mask = f->read_mask;
        if (!holds(f->compare, order_of((float)(f->reference & mask), (float)(old & mask)))) {
            at->stencil = stencil_after(f, f->fail, old);
            return LULL_RASTER_FAIL_STENCIL;
        }
    }
    const bool pass = !s->depth_test || holds(s->compare, order_of(z, at->z));
    if (s->stencil_test) {
        at->stencil = stencil_after(f, pass ? f->pass : f->depth_fail, old);
    }
    if (!pass) {
        return LULL_RASTER_FAIL_DEPTH;
    }
    if (s->depth_test && s->depth_write) {
        at->z = z;
    }
    return LULL_RASTER_PASS;
}
