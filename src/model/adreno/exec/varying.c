// SPDX-License-Identifier: MIT
// What only fragment shaders do: inputs of the rasteriser, pixels that are dropped.
//
// bary.f: P0 + i (P1 - P0) + j (P2 - P0) of a slot, with i and j as the register has them, here
// rounded once. flat.b, ldlv: as the provoking vertex has it. kill: the fiber goes on as a helper,
// so that others have their derivatives. Source: Mesa ir3_compiler_nir.c, ir3_legalize.c.
#include <string.h>

#include "model/adreno/exec/wave.h"
#include "model/fp/fp.h"

static float as_float(uint32_t bits)
{
    float f = 0;
    memcpy(&f, &bits, sizeof f);
    return f;
}

uint32_t lull_ir3_interpolate(const struct lull_ir3_fragments *f, unsigned quad, uint32_t slot,
                              float i, float j)
{
    uint32_t v[3] = {0, 0, 0};
    f->slot(f->ctx, quad, slot, v);
    const double p0 = as_float(v[0]), p1 = as_float(v[1]), p2 = as_float(v[2]);
    const float sum = (float)(p0 + i * (p1 - p0) + j * (p2 - p0));
    uint32_t ret = 0;
    memcpy(&ret, &sum, sizeof ret);
    return ret;
}

static bool input(struct lull_ir3_wave *w, struct lull_ir3_env *env, const struct lull_ir3_insn *in)
{
    const struct lull_ir3_fragments *f = env->fragments;
    const struct lull_ir3_operand *slot = &in->src[0];
    uint32_t at[LULL_IR3_FIBERS], i[LULL_IR3_FIBERS], j[LULL_IR3_FIBERS], d[LULL_IR3_FIBERS];
    for (unsigned step = 0; step <= in->m.repeat; step++) {
        const bool next = slot->r && slot->kind == LULL_IR3_K_IMM;
        (void)lull_ir3_fetch(w, env, slot, slot->r ? step : 0, at);
        (void)lull_ir3_fetch(w, env, &in->src[1], 0, i);
        (void)lull_ir3_fetch(w, env, &in->src[1], 1, j);
        for (unsigned n = 0; n < w->fibers; n++) {
            at[n] += next ? step : 0;
            d[n] = in->op == LULL_IR3_OP_FLAT_B
                       ? f->flat(f->ctx, n / 4, at[n])
                       : lull_ir3_interpolate(f, n / 4, at[n], as_float(i[n]), as_float(j[n]));
            d[n] = in->m.sat ? lull_f32_clamp(d[n], 0) : d[n];
            d[n] =
                in->dst[0].half && in->op == LULL_IR3_OP_BARY_F ? lull_f16_from_f32(d[n], 0) : d[n];
        }
        if (!lull_ir3_store(w, &in->dst[0], step, d)) {
            break;
        }
    }
    return true;
}

/** ldlv: slots one after the other, as flat.b has them. */
static bool local_varying(struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                          const struct lull_ir3_insn *in)
{
    uint32_t d[LULL_IR3_FIBERS];
    for (unsigned k = 0; k < (unsigned)in->m.size; k++) {
        for (unsigned n = 0; n < w->fibers; n++) {
            d[n] = env->fragments->flat(env->fragments->ctx, n / 4, (uint32_t)in->m.offset + k);
        }
        if (!lull_ir3_store(w, &in->dst[0], k, d)) {
            break;
        }
    }
    return true;
}

/** rgetpos: where a sample stands, from the centre of its pixel. */
static bool sample_place(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                         const struct lull_ir3_insn *in)
{
    uint32_t id[LULL_IR3_FIBERS], d[LULL_IR3_FIBERS];
    (void)lull_ir3_fetch(w, env, &in->src[0], 0, id);
    for (unsigned k = 0, to = 0; k < 2; k++) {
        if ((in->m.wrmask >> k & 1) == 0) {
            continue;
        }
        for (unsigned n = 0; n < w->fibers; n++) {
            const float at = (float)env->fragments->sample[id[n] % LULL_IR3_SAMPLES][k] / 16;
            memcpy(&d[n], &at, sizeof at);
            d[n] = in->dst[0].half ? lull_f16_from_f32(d[n], 0) : d[n];
        }
        if (!lull_ir3_store(w, &in->dst[0], to++, d)) {
            break;
        }
    }
    return true;
}

static bool kill(struct lull_ir3_wave *w, const struct lull_ir3_insn *in)
{
    const struct lull_ir3_mask on = lull_ir3_active(w);
    const struct lull_ir3_operand *o = &in->src[0];
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t p = w->p[o->value & 3].w[i];
        w->helpers.w[i] |= on.w[i] & (o->inv ? ~p : p);
    }
    return true;
}

bool lull_ir3_do_fragment(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                          const struct lull_ir3_insn *in)
{
    if (in->op == LULL_IR3_OP_KILL) {
        return kill(w, in);
    }
    const bool position = in->op == LULL_IR3_OP_RGETPOS, local = in->op == LULL_IR3_OP_LDLV;
    if (!position && !local && in->op != LULL_IR3_OP_BARY_F && in->op != LULL_IR3_OP_FLAT_B) {
        return false;
    }
    if (env->fragments == NULL) {
        lull_ir3_wrong(w, "%s in a shader that has no pixels", lull_ir3_op_names[in->op]);
        return true;
    }
    return position ? sample_place(w, env, in)
           : local  ? local_varying(w, env, in)
                    : input(w, env, in);
}
