// SPDX-License-Identifier: MIT
// Instructions that sample, and derivatives: operands, quads, results.
//
// Source: Mesa ir3/ir3_compiler_nir.c emit_tex() (order of operands), isa/ir3-cat5.xml.
#include "model/adreno/exec/texture.h"

#include <string.h>

#include "hw/adreno_pkts.h"
#include "model/adreno/exec/sample.h"
#include "model/fp/fp.h"
#include "model/fp/fp_host.h"

enum { NO_REG = 63 * 4, QUAD = 4 };

/** What all fibers ask for: those that are off, too, because neighbours need their coordinates. */
struct asks {
    enum lull_ir3_sampling what;
    uint8_t component, coords;
    bool cube, compares, explicit_lod, gradients;
    float coord[3][LULL_IR3_FIBERS], d[2][3][LULL_IR3_FIBERS];
    float layer[LULL_IR3_FIBERS], reference[LULL_IR3_FIBERS], lod[LULL_IR3_FIBERS];
    int32_t offset[3][LULL_IR3_FIBERS];
};

/** Where results go. */
struct results {
    struct lull_ir3_tables tables;
    uint32_t texture[LULL_IR3_FIBERS], sampler[LULL_IR3_FIBERS];
    unsigned dst;
    uint8_t wrmask;
    bool half, to_float;
};

/** Operands in order, each of one component. */
struct operands {
    struct lull_ir3_wave *w;
    const struct lull_ir3_env *env;
    const struct lull_ir3_operand *at;
    unsigned n;
};

static void next_float(struct operands *o, float *ret)
{
    uint32_t v[LULL_IR3_FIBERS];
    (void)lull_ir3_fetch(o->w, o->env, o->at, o->n++, v);
    for (unsigned i = 0; i < o->w->fibers; i++) {
        ret[i] = o->at->half ? lull_format_from_half((uint16_t)v[i]) : lull_f32_value(v[i]);
    }
}

static void next_integer(struct operands *o, int32_t *ret)
{
    uint32_t v[LULL_IR3_FIBERS];
    (void)lull_ir3_fetch(o->w, o->env, o->at, o->n++, v);
    for (unsigned i = 0; i < o->w->fibers; i++) {
        ret[i] = o->at->half ? (int16_t)v[i] : (int32_t)v[i];
    }
}

static void project(const struct lull_ir3_wave *w, struct asks *a, const float *by)
{
    for (unsigned i = 0; i < w->fibers; i++) {
        for (unsigned k = 0; k < a->coords; k++) {
            a->coord[k][i] /= by[i];
        }
        a->reference[i] /= by[i];
    }
}

/** The first operand: coordinates, what they are compared with, layer, divisor; from the fifth
 * component on gradients. */
static void first_operand(struct operands *o, const struct lull_ir3_insn *in, struct asks *a)
{
    enum { GRADIENTS = 4 };
    for (unsigned k = 0; k < a->coords; k++) {
        next_float(o, a->coord[k]);
    }
    if (a->compares) {
        next_float(o, a->reference);
    }
    if (in->m.array) {
        next_float(o, a->layer);
    }
    if (in->m.projected) {
        float by[LULL_IR3_FIBERS];
        next_float(o, by);
        project(o->w, a, by);
    }
    o->n = GRADIENTS;
    for (unsigned k = 0; a->gradients && k < 2u * a->coords; k++) {
        next_float(o, a->d[k / a->coords][k % a->coords]);
    }
}

/** The second operand: offsets, then a level or a bias. */
static void second_operand(struct operands *o, const struct lull_ir3_insn *in, struct asks *a)
{
    const bool lod = in->op == LULL_IR3_OP_SAML || in->op == LULL_IR3_OP_SAMB;
    for (unsigned k = 0; in->m.offsets && k < a->coords; k++) {
        next_integer(o, a->offset[k]);
    }
    if (lod) {
        next_float(o, a->lod);
    }
}

/** Gradients of quads: fibers 4n + 1 and 4n + 2 against 4n, for all four. */
static void quads(const struct lull_ir3_wave *w, struct asks *a)
{
    for (unsigned i = 0; i < w->fibers; i++) {
        const unsigned quad = i & ~3u;
        for (unsigned k = 0; k < a->coords; k++) {
            a->d[0][k][i] = a->coord[k][quad + 1] - a->coord[k][quad];
            a->d[1][k][i] = a->coord[k][quad + 2] - a->coord[k][quad];
        }
    }
}

static struct lull_ir3_asked asked(const struct asks *a, unsigned i)
{
    struct lull_ir3_asked r = {
        .what = a->what,
        .component = a->component,
        .cube = a->cube,
        .compares = a->compares,
        .explicit_lod = a->explicit_lod,
        .layer = a->layer[i],
        .reference = a->reference[i],
        .lod = a->lod[i],
    };
    for (unsigned k = 0; k < 3; k++) {
        r.coord[k] = a->coord[k][i];
        r.offset[k] = a->offset[k][i];
        r.d[0][k] = a->d[0][k][i];
        r.d[1][k] = a->d[1][k][i];
    }
    return r;
}

/** A texture and a sampler that fibers mean: made again only where a number changes. */
struct bound {
    bool valid;
    uint32_t texture, sampler;
    struct lull_ir3_pair pair;
};

static bool bind(struct lull_ir3_wave *w, struct lull_ir3_env *env, const struct results *r,
                 unsigned fiber, struct bound *b)
{
    uint32_t words[LULL_IR3_DESCRIPTOR], sampler[LULL_IR3_SAMPLER];
    if (b->valid && b->texture == r->texture[fiber] && b->sampler == r->sampler[fiber]) {
        return true;
    }
    *b = (struct bound){.texture = r->texture[fiber], .sampler = r->sampler[fiber]};
    lull_ir3_texture(w, env, &r->tables, fiber, b->texture, words);
    lull_ir3_sampler(w, env, &r->tables, fiber, b->sampler, sampler);
    b->valid = lull_ir3_image_of(w, env, words, &b->pair.image) &&
               lull_ir3_sampler_of(w, sampler, &b->pair.sampler);
    if (b->valid) {
        lull_ir3_border(w, env, fiber, &b->pair);
    }
    return b->valid;
}

static bool sample_all(struct lull_ir3_wave *w, struct lull_ir3_env *env, const struct asks *a,
                       const struct results *r)
{
    const struct lull_ir3_mask on = lull_ir3_active(w);
    struct bound b = {.valid = false};
    for (unsigned i = 0; i < w->fibers; i++) {
        uint32_t rgba[4];
        if (!lull_ir3_on(&on, i)) {
            continue;
        }
        if (!bind(w, env, r, i, &b)) {
            return false;
        }
        const struct lull_ir3_asked q = asked(a, i);
        lull_ir3_sample(w, env, i, &b.pair, &q, rgba);
        for (unsigned k = 0; k < 4; k++) {
            const uint32_t v = !r->half      ? rgba[k]
                               : r->to_float ? lull_f16_from_f32(rgba[k], 0)
                                             : rgba[k] & 0xffff;
            if ((r->wrmask >> k & 1) != 0) {
                lull_ir3_set(w, r->dst + k, r->half, i, v);
            }
        }
    }
    return true;
}

/** What @p op does; false: it does not sample. */
static bool kind_of(enum lull_ir3_op op, struct asks *a)
{
    switch ((unsigned)op) {
    case LULL_IR3_OP_SAM:
    case LULL_IR3_OP_SAMB:
        break;
    case LULL_IR3_OP_SAML:
        a->explicit_lod = true;
        break;
    case LULL_IR3_OP_SAMGQ:
        a->gradients = true;
        break;
    case LULL_IR3_OP_GETLOD:
        a->what = LULL_IR3_LEVELS;
        break;
    case LULL_IR3_OP_GATHER4R:
    case LULL_IR3_OP_GATHER4G:
    case LULL_IR3_OP_GATHER4B:
    case LULL_IR3_OP_GATHER4A:
        a->what = LULL_IR3_GATHER;
        a->component = (uint8_t)(op - LULL_IR3_OP_GATHER4R);
        break;
    default:
        return false;
    }
    return true;
}

static void sample(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                   const struct lull_ir3_insn *in, struct asks *a)
{
    struct results r = {.tables = lull_ir3_tables_of(w, in),
                        .dst = (unsigned)in->dst[0].value,
                        .wrmask = in->m.wrmask,
                        .half = lull_ir3_type_bits(in->m.type) == 16,
                        .to_float = in->m.type == LULL_IR3_TYPE_F16};
    if (r.dst >= NO_REG) {
        return; // A preamble has descriptors loaded early.
    }
    if (!lull_ir3_textures(w, env, in, r.texture) || !lull_ir3_samplers(w, env, in, r.sampler)) {
        return;
    }
    a->coords = in->m.dim3 ? 3 : 2;
    a->cube = in->m.dim3;
    a->compares = in->m.variant;
    struct operands first = {w, env, &in->src[0], 0}, second = {w, env, &in->src[1], 0};
    first_operand(&first, in, a);
    second_operand(&second, in, a);
    if (!a->gradients && !a->explicit_lod && a->what != LULL_IR3_GATHER) {
        quads(w, a);
    }
    (void)sample_all(w, env, a, &r);
}

bool lull_ir3_prefetch(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                       const struct lull_ir3_prefetch *p, uint32_t coord[2][LULL_IR3_FIBERS])
{
    struct asks a = {.coords = 2};
    struct results r = {
        .tables = p->tables, .dst = p->dst, .wrmask = p->wrmask, .half = p->half, .to_float = true};
    if (!kind_of(p->op, &a)) {
        lull_ir3_wrong(w, "a texture prefetch by %s", lull_ir3_op_names[p->op]);
        return false;
    }
    for (unsigned i = 0; i < w->fibers; i++) {
        r.texture[i] = p->texture;
        r.sampler[i] = p->sampler;
        a.coord[0][i] = lull_f32_value(coord[0][i]);
        a.coord[1][i] = lull_f32_value(coord[1][i]);
    }
    quads(w, &a);
    return sample_all(w, env, &a, &r);
}

/** Differences in the quad, of the own row or column or of the first, whether neighbours are on or
 * not. */
static void derive(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                   const struct lull_ir3_insn *in, unsigned bit, bool coarse)
{
    struct lull_ir3_operand dst = in->dst[0];
    const bool half = in->src[0].half;
    const unsigned moved = coarse ? QUAD - 1 : bit; // Bits of a fiber that do not matter.
    dst.half = half;
    for (unsigned k = 0; k < 4; k++) {
        uint32_t v[LULL_IR3_FIBERS], d[LULL_IR3_FIBERS];
        if ((in->m.wrmask >> k & 1) == 0) {
            continue;
        }
        (void)lull_ir3_fetch(w, env, &in->src[0], k, v);
        for (unsigned i = 0; i < w->fibers; i++) {
            const uint32_t near = v[i & ~moved], far = v[(i & ~moved) | bit];
            d[i] =
                half ? lull_f16_sub((uint16_t)far, (uint16_t)near, 0) : lull_f32_sub(far, near, 0);
        }
        (void)lull_ir3_store(w, &dst, k, d);
    }
}

bool lull_ir3_do_texture(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                         const struct lull_ir3_insn *in)
{
    enum { ACROSS = 1, DOWN = 2 }; // Bits of a fiber's number.
    const bool coarse = lull_ir3_assumes(&env->assume, LULL_IR3_ASSUME_DERIVATIVES,
                                         LULL_IR3_ASSUME_DERIVATIVES_COARSE);
    if (in->op == LULL_IR3_OP_DSX || in->op == LULL_IR3_OP_DSY) {
        lull_ir3_rests(env, LULL_IR3_ASSUME_DERIVATIVES);
    }
    switch ((unsigned)in->op) {
    case LULL_IR3_OP_DSX:
        derive(w, env, in, ACROSS, coarse);
        return true;
    case LULL_IR3_OP_DSXPP_1:
        derive(w, env, in, ACROSS, false);
        return true;
    case LULL_IR3_OP_DSY:
        derive(w, env, in, DOWN, coarse);
        return true;
    case LULL_IR3_OP_DSYPP_1:
        derive(w, env, in, DOWN, false);
        return true;
    default: {
        struct asks a = {.coords = 0};
        if (!kind_of(in->op, &a)) {
            return false;
        }
        sample(w, env, in, &a);
        return true;
    }
    }
}
