// SPDX-License-Identifier: MIT
// Across fibers: masks, broadcasts, shuffles, numbers.
//
// Source: Mesa isa/ir3-cat5.xml (brcst, quad_shuffle), ir3-cat6.xml (shfl, getfiberid ...),
// ir3_compiler_nir.c.
#include "isa/ir3/lanes.h"
#include "model/adreno/exec/wave.h"

static bool half_of(unsigned type)
{
    return lull_ir3_type_bits(type) == 16;
}

/** Which fibers are on, 32 to a register. */
static void movmsk(struct lull_ir3_wave *w, const struct lull_ir3_insn *in)
{
    const struct lull_ir3_mask on = lull_ir3_active(w);
    for (unsigned k = 0; k < in->m.cluster / 32; k++) {
        uint32_t d[LULL_IR3_FIBERS];
        for (unsigned i = 0; i < w->fibers; i++) {
            d[i] = (uint32_t)(on.w[k / 2] >> (k & 1) * 32);
        }
        (void)lull_ir3_store(w, &in->dst[0], k, d);
    }
}

/** In each group the upper half gets the value of the last active fiber of the lower half. */
static void brcst(struct lull_ir3_wave *w, struct lull_ir3_env *env, const struct lull_ir3_insn *in)
{
    const struct lull_ir3_mask on = lull_ir3_active(w);
    const unsigned size = in->m.cluster > 0 ? in->m.cluster : 2;
    struct lull_ir3_operand dst = in->dst[0];
    uint32_t a[LULL_IR3_FIBERS], d[LULL_IR3_FIBERS];
    dst.half = half_of(in->m.type);
    (void)lull_ir3_fetch(w, env, &in->src[0], 0, a);
    (void)lull_ir3_fetch(w, env, &dst, 0, d);
    for (unsigned first = 0; first < w->fibers; first += size) {
        unsigned from = LULL_IR3_FIBERS;
        for (unsigned i = first; i < first + size / 2; i++) {
            from = lull_ir3_on(&on, i) ? i : from;
        }
        for (unsigned i = first + size / 2; from < LULL_IR3_FIBERS && i < first + size; i++) {
            d[i] = a[from];
        }
    }
    (void)lull_ir3_store(w, &dst, 0, d);
}

static void shuffle(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                    const struct lull_ir3_insn *in)
{
    uint32_t a[LULL_IR3_FIBERS], by[LULL_IR3_FIBERS] = {0}, d[LULL_IR3_FIBERS];
    struct lull_ir3_operand dst = in->dst[0];
    dst.half = half_of(in->m.type);
    (void)lull_ir3_fetch(w, env, &in->src[0], 0, a);
    if (in->nsrc > 1) {
        (void)lull_ir3_fetch(w, env, &in->src[1], 0, by);
    }
    for (unsigned i = 0; i < w->fibers; i++) {
        d[i] = a[lull_ir3_partner(in, i, by[i], w->fibers)];
    }
    (void)lull_ir3_store(w, &dst, 0, d);
}

static void number(struct lull_ir3_wave *w, const struct lull_ir3_insn *in)
{
    uint32_t d[LULL_IR3_FIBERS];
    struct lull_ir3_operand dst = in->dst[0];
    dst.half = half_of(in->m.type);
    for (unsigned i = 0; i < w->fibers; i++) {
        d[i] = in->op == LULL_IR3_OP_GETFIBERID ? i
               : in->op == LULL_IR3_OP_GETWID   ? w->slot
                                                : w->sp;
    }
    (void)lull_ir3_store(w, &dst, 0, d);
}

bool lull_ir3_do_lanes(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                       const struct lull_ir3_insn *in)
{
    switch ((unsigned)in->op) {
    case LULL_IR3_OP_MOVMSK:
        movmsk(w, in);
        return true;
    case LULL_IR3_OP_BRCST_ACTIVE:
        brcst(w, env, in);
        return true;
    case LULL_IR3_OP_QUAD_SHUFFLE_BRCST:
    case LULL_IR3_OP_QUAD_SHUFFLE_HORIZ:
    case LULL_IR3_OP_QUAD_SHUFFLE_VERT:
    case LULL_IR3_OP_QUAD_SHUFFLE_DIAG:
    case LULL_IR3_OP_SHFL:
        shuffle(w, env, in);
        return true;
    case LULL_IR3_OP_GETFIBERID:
    case LULL_IR3_OP_GETWID:
    case LULL_IR3_OP_GETSPID:
        number(w, in);
        return true;
    default:
        return false;
    }
}
