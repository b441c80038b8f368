// SPDX-License-Identifier: MIT
#include "check/nan/values.h"

#include <inttypes.h>
#include <string.h>

#include "model/fp/fp.h"

enum { HALF = 16 };

static const uint32_t f32_inf = 0x7f800000, f32_mask = 0x7fffffff;
static const uint32_t f16_inf = 0x7c00, f16_mask = 0x7fff;
static const uint32_t f64_inf = 0x7ff00000;

unsigned lull_nan_ops(const struct lull_rdna_insn *in, struct lull_nan_op ret[2])
{
    switch (in->enc) {
    case LULL_RDNA_VOP1:
    case LULL_RDNA_VOP2:
    case LULL_RDNA_VOP3:
    case LULL_RDNA_VOP3SD:
    case LULL_RDNA_VOP3P:
        ret[0] = (struct lull_nan_op){in->op, in->src, 3, in->dst};
        return 1;
    case LULL_RDNA_VOPD:
        ret[0] = (struct lull_nan_op){in->op, in->src, 2, in->dst};
        ret[1] = (struct lull_nan_op){in->y.op, in->y.src, 2, in->y.dst};
        return 2;
    default:
        return 0;
    }
}

enum lull_nan_kind lull_nan_kind(unsigned op, unsigned slot)
{
    switch (lull_rdna_ops[op].type[slot]) {
    case LULL_RDNA_T_F16:
        return LULL_NAN_F16;
    case LULL_RDNA_T_F32:
    case LULL_RDNA_T_MIX:
        return LULL_NAN_F32;
    case LULL_RDNA_T_F64:
        return LULL_NAN_F64;
    case LULL_RDNA_T_V2F16:
        return LULL_NAN_PAIR;
    default:
        return LULL_NAN_NONE;
    }
}

/** Inline constants are never NaNs; their values are for the text alone. Source: RDNA3 ISA guide,
 * table of operand values. */
static uint32_t constant(const struct lull_rdna_insn *in, unsigned reg, enum lull_nan_kind kind)
{
    static const double floats[] = {0.5, -0.5, 1, -1, 2, -2, 4, -4, 0.15915494309189532};
    if (reg == LULL_RDNA_LITERAL) {
        return in->literal;
    }
    if (reg < LULL_RDNA_FLOAT0 || reg >= LULL_RDNA_FLOAT0 + sizeof floats / sizeof floats[0]) {
        return 0;
    }
    uint32_t v = 0;
    if (kind == LULL_NAN_F64) {
        uint64_t bits = 0;
        memcpy(&bits, &floats[reg - LULL_RDNA_FLOAT0], sizeof bits);
        return (uint32_t)(bits >> 32);
    }
    const float f = (float)floats[reg - LULL_RDNA_FLOAT0];
    memcpy(&v, &f, sizeof v);
    return kind == LULL_NAN_F32 ? v : lull_f16_from_f32(v, 0);
}

void lull_nan_read(const struct lull_wave *w, const struct lull_rdna_insn *in, unsigned reg,
                   enum lull_nan_kind kind, struct lull_nan_value *ret)
{
    const unsigned n = reg - LULL_RDNA_VGPR0, words = kind == LULL_NAN_F64 ? 2 : 1;
    ret->kind = kind;
    for (unsigned i = 0; i < words; i++) {
        uint32_t *to = i == 0 ? ret->low : ret->high;
        if (reg >= LULL_RDNA_VGPR0 && n + i < w->nvgprs) {
            memcpy(to, w->vgpr + (size_t)(n + i) * w->lanes, w->lanes * sizeof *to);
            continue;
        }
        const bool scalar = reg + i < sizeof w->sgpr / sizeof w->sgpr[0];
        const uint32_t v = scalar                 ? w->sgpr[reg + i]
                           : i == 0 && words == 2 ? 0
                                                  : constant(in, reg, kind);
        for (unsigned l = 0; l < w->lanes; l++) {
            to[l] = v;
        }
    }
}

void lull_nan_mix(const struct lull_rdna_insn *in, unsigned i, struct lull_nan_value *v)
{
    const unsigned shift = (in->op_sel >> i & 1) != 0 ? HALF : 0;
    if ((in->op_sel_hi >> i & 1) == 0) {
        return;
    }
    v->kind = LULL_NAN_F16;
    for (unsigned l = 0; l < LULL_NAN_LANES; l++) {
        v->low[l] = v->low[l] >> shift & UINT16_MAX;
    }
}

uint64_t lull_nan_lanes(const struct lull_nan_value *v, unsigned n)
{
    uint64_t lanes = 0;
    for (unsigned l = 0; l < n; l++) {
        const uint32_t a = v->low[l], high = v->high[l] & f32_mask;
        bool nan = false;
        if (v->kind == LULL_NAN_F32) {
            nan = (a & f32_mask) > f32_inf;
        } else if (v->kind == LULL_NAN_F64) {
            nan = high > f64_inf || (high == f64_inf && a != 0);
        } else if (v->kind != LULL_NAN_NONE) {
            nan = (a & f16_mask) > f16_inf || (a >> HALF & f16_mask) > f16_inf;
        }
        lanes |= (uint64_t)nan << l;
    }
    return lanes;
}

/** Is one of @p v, shifted and masked, above @p most? In whole halves of waves, for vectors. */
static bool above(const uint32_t *v, unsigned n, unsigned shift, uint32_t mask, uint32_t most)
{
    int32_t some = 0;
    for (unsigned half = 0; half < n; half += LULL_NAN_LANES / 2) {
        for (unsigned l = 0; l < LULL_NAN_LANES / 2; l++) {
            some |= (int32_t)most - (int32_t)(v[half + l] >> shift & mask);
        }
    }
    return some < 0;
}

bool lull_nan_may(const uint32_t *v, unsigned n, enum lull_nan_kind kind)
{
    switch (kind) {
    case LULL_NAN_NONE:
        return false;
    case LULL_NAN_F32:
        return above(v, n, 0, f32_mask, f32_inf);
    case LULL_NAN_F64:
        return above(v, n, 0, f32_mask, f64_inf - 1);
    case LULL_NAN_F16:
    case LULL_NAN_PAIR:
        break;
    }
    return above(v, n, 0, f16_mask, f16_inf) || above(v, n, HALF, f16_mask, f16_inf);
}

void lull_nan_number(enum lull_nan_kind kind, uint64_t bits, struct lull_str *out)
{
    float f = 0;
    double d = 0;
    uint32_t low = (uint32_t)bits;
    if (kind == LULL_NAN_F64) {
        memcpy(&d, &bits, sizeof d);
        lull_str_addf(out, "%.9g", d);
        return;
    }
    if (kind == LULL_NAN_PAIR) {
        lull_str_addf(out, "0x%08" PRIx32, low);
        return;
    }
    low = kind == LULL_NAN_F16 ? lull_f32_from_f16((uint16_t)low, 0) : low;
    memcpy(&f, &low, sizeof f);
    lull_str_addf(out, "%.9g", (double)f);
}

void lull_nan_text(const struct lull_nan_value *v, unsigned lane, struct lull_str *out)
{
    lull_nan_number(v->kind, v->low[lane] | (uint64_t)v->high[lane] << 32, out);
}
