// SPDX-License-Identifier: MIT
// Images and samplers as operands; texels by number; sizes. What is in them the host knows.
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/arith.h"
#include "front/eval/priv.h"

enum { MOST_COORDS = 4, WIDE = 64 };

struct lull_error *lull_ev_get_image(struct lull_ev *ev, uint32_t id, struct lull_ev_operand *ret,
                                     const struct lull_fr_type **ret_type)
{
    struct lull_error *err = lull_ev_get(ev, id, ret);
    if (err != NULL) {
        return err;
    }
    const struct lull_fr_type *t = ret->type;
    const bool sampled = t->kind == LULL_FR_OTHER && t->op == SpvOpTypeSampledImage;
    t = sampled ? t->element : t;
    if (t == NULL || t->kind != LULL_FR_OTHER || t->op != SpvOpTypeImage) {
        return lull_ev_bad(ev, "not an image");
    }
    *ret_type = t;
    return NULL;
}

/** The descriptor that a handle is. */
static struct lull_ev_slot slot_of(const uint64_t *words)
{
    const struct lull_ev_pointer p = lull_ev_unpack(words);
    return (struct lull_ev_slot){(uint32_t)(p.at >> 32), (uint32_t)p.at, (uint32_t)p.end};
}

/** Coordinates without the layer; @p faces: those of a cube are layers. 0: not such an image. */
static unsigned spatial_of(const struct lull_fr_image *i, bool faces)
{
    switch (i->dim) {
    case SpvDim1D:
    case SpvDimBuffer:
        return 1;
    case SpvDim2D:
        return 2;
    case SpvDim3D:
        return 3;
    case SpvDimCube:
        return faces ? 2 : 3;
    default:
        return 0;
    }
}

struct lull_ev_image lull_ev_image_of(const struct lull_fr_type *type,
                                      const struct lull_ev_operand *of, uint32_t lane)
{
    const uint64_t *words = lull_ev_of(of, lane);
    struct lull_ev_image io = {.type = &type->image, .image = slot_of(words), .bits = 32};
    if (of->type->op == SpvOpTypeSampledImage) {
        io.sampler = slot_of(words + LULL_EV_POINTER);
    }
    return io;
}

struct lull_error *lull_ev_image_ask(struct lull_ev *ev, struct lull_ev_image *io)
{
    if (ev->host.image == NULL) {
        return lull_ev_refuse(ev, "images are not available here");
    }
    return ev->host.image(ev->host.arg, io);
}

/** One of them: @p bit says which. */
LULL_MUST_USE static struct lull_error *operand(struct lull_ev *ev, uint32_t bit, uint32_t id,
                                                struct lull_ev_image_operands *o)
{
    struct lull_ev_operand scope = {0};
    switch (bit) {
    case SpvImageOperandsBiasMask:
        o->has_bias = true;
        return lull_ev_get_kind(ev, id, 'f', &o->bias);
    case SpvImageOperandsLodMask:
        o->has_lod = true;
        return lull_ev_get(ev, id, &o->lod);
    case SpvImageOperandsConstOffsetMask:
    case SpvImageOperandsOffsetMask:
        o->has_offset = true;
        return lull_ev_get_kind(ev, id, 'i', &o->offset);
    case SpvImageOperandsConstOffsetsMask:
    case SpvImageOperandsOffsetsMask:
        o->has_offsets = true;
        return lull_ev_get(ev, id, &o->offsets);
    case SpvImageOperandsSampleMask:
        o->has_sample = true;
        return lull_ev_get_kind(ev, id, 'i', &o->sample);
    case SpvImageOperandsMinLodMask:
        o->has_min_lod = true;
        return lull_ev_get_kind(ev, id, 'f', &o->min_lod);
    default:
        return lull_ev_get(ev, id, &scope);
    }
}

struct lull_error *lull_ev_image_operands(struct lull_ev *ev, uint32_t at,
                                          struct lull_ev_image_operands *ret)
{
    const uint32_t none = SpvImageOperandsNonPrivateTexelMask | SpvImageOperandsVolatileTexelMask |
                          SpvImageOperandsSignExtendMask | SpvImageOperandsZeroExtendMask |
                          SpvImageOperandsNontemporalMask;
    const uint32_t mask = at < ev->in->n ? ev->in->w[at] : 0;
    struct lull_error *err = NULL;
    *ret = (struct lull_ev_image_operands){0};
    at++;
    for (uint32_t bit = 1; err == NULL && bit != 0 && bit <= mask; bit <<= 1) {
        if ((mask & bit & ~none) == 0) {
            continue;
        }
        const bool grad = bit == SpvImageOperandsGradMask;
        if (at + grad >= ev->in->n) {
            return lull_ev_bad(ev, "operands are missing");
        }
        if (grad) {
            ret->has_gradients = true;
            err = lull_ev_get_kind(ev, ev->in->w[at], 'f', &ret->dx);
            err = err != NULL ? err : lull_ev_get_kind(ev, ev->in->w[at + 1], 'f', &ret->dy);
        } else {
            err = operand(ev, bit, ev->in->w[at], ret);
        }
        at += 1 + grad;
    }
    if (err == NULL && ret->has_lod && !lull_fr_is_plain(ret->lod.type)) {
        err = lull_ev_bad(ev, "a level that is not a number");
    }
    return err;
}

struct lull_error *lull_ev_texel(struct lull_ev *ev, struct lull_ev_operand *ret,
                                 uint64_t **ret_words, const struct lull_fr_type **ret_texel,
                                 size_t *ret_skip)
{
    struct lull_error *err = lull_ev_result(ev, ret, ret_words);
    const struct lull_fr_type *t = ret->type;
    *ret_skip = 0;
    if (err == NULL && t->kind == LULL_FR_STRUCT) {
        const bool sparse = t->count == 2 && lull_ev_words(t->members[0]) == 1;
        t = sparse ? t->members[1] : NULL;
        *ret_skip = 1;
    }
    const bool ok = err != NULL ||
                    (t != NULL && lull_fr_is_plain(t) && lull_fr_scalar(t)->kind != LULL_FR_BOOL &&
                     lull_ev_words(t) <= MOST_COORDS &&
                     (lull_fr_scalar(t)->kind == LULL_FR_INT || lull_fr_scalar(t)->bits <= 32));
    *ret_texel = t;
    return ok ? err : lull_ev_bad(ev, "its result is not a texel");
}

void lull_ev_texel_words(const struct lull_fr_type *texel, const uint32_t v[4], uint64_t *ret)
{
    const struct lull_fr_type *t = lull_fr_scalar(texel);
    const uint64_t n = lull_ev_words(texel);
    for (uint64_t i = 0; i < n; i++) {
        float f = 0;
        memcpy(&f, &v[i], sizeof f);
        ret[i] = t->kind == LULL_FR_INT ? lull_ev_cut(t, v[i])
                 : t->bits == 32        ? v[i]
                                        : lull_ev_bits(t, (double)f);
    }
    if (t->bits == WIDE) { // the others are 0, 0, 1
        ret[0] = v[0] | (uint64_t)v[1] << 32;
        for (uint64_t i = 1; i < n; i++) {
            ret[i] = i == MOST_COORDS - 1;
        }
    }
}

/** A texel by number: its image, coordinate and operands. */
struct access {
    const struct lull_fr_type *type;
    struct lull_ev_operand image, at;
    struct lull_ev_image_operands o;
    unsigned n, spatial;
};

LULL_MUST_USE static struct lull_error *look(struct lull_ev *ev, uint32_t image, uint32_t at,
                                             uint32_t operands, struct access *a)
{
    struct lull_error *err = lull_ev_get_image(ev, image, &a->image, &a->type);
    err = err != NULL ? err : lull_ev_get_kind(ev, at, 'i', &a->at);
    err = err != NULL ? err : lull_ev_image_operands(ev, operands, &a->o);
    if (err != NULL) {
        return err;
    }
    const struct lull_fr_image *i = &a->type->image;
    a->spatial = spatial_of(i, true);
    a->n = a->spatial + (i->arrayed || i->dim == SpvDimCube);
    if (a->spatial == 0) {
        return lull_ev_refuse(ev, "an image of such dimensions");
    }
    if (a->at.words < a->n || (a->o.has_offset && a->o.offset.words < a->spatial) ||
        (a->o.has_lod && lull_ev_kind(a->o.lod.type) != 'i')) {
        return lull_ev_bad(ev, "its operands have too few numbers, or such of another kind");
    }
    return NULL;
}

static int32_t whole(const struct lull_ev_operand *o, uint32_t lane, unsigned i)
{
    return (int32_t)lull_fr_extend(lull_fr_scalar(o->type), lull_ev_of(o, lane)[i]);
}

static struct lull_ev_image access_of(const struct access *a, uint32_t lane)
{
    struct lull_ev_image io = lull_ev_image_of(a->type, &a->image, lane);
    io.spatial = a->spatial;
    for (unsigned i = 0; i < a->n; i++) {
        io.at[i] = whole(&a->at, lane, i);
        if (a->o.has_offset && i < a->spatial) {
            io.at[i] = (int32_t)((uint32_t)io.at[i] + (uint32_t)whole(&a->o.offset, lane, i));
        }
    }
    io.level = a->o.has_lod ? whole(&a->o.lod, lane, 0) : 0;
    io.sample = a->o.has_sample ? whole(&a->o.sample, lane, 0) : 0;
    return io;
}

/** OpImageRead, OpImageFetch, and those with a residency code: all is resident. */
LULL_MUST_USE static struct lull_error *read_texel(struct lull_ev *ev)
{
    struct access a = {0};
    struct lull_ev_operand result = {0};
    const struct lull_fr_type *texel = NULL;
    uint64_t *ret = NULL;
    size_t skip = 0;
    struct lull_error *err = look(ev, ev->in->w[3], ev->in->w[4], 5, &a);
    err = err != NULL ? err : lull_ev_texel(ev, &result, &ret, &texel, &skip);
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        struct lull_ev_image io = access_of(&a, lane);
        io.what = LULL_EV_IMAGE_READ;
        io.bits = lull_fr_scalar(texel)->bits;
        err = lull_ev_image_ask(ev, &io);
        ret[result.words * lane] = 0;
        lull_ev_texel_words(texel, io.v, ret + result.words * lane + skip);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *write_texel(struct lull_ev *ev)
{
    struct access a = {0};
    struct lull_ev_operand v = {0};
    struct lull_error *err = look(ev, ev->in->w[1], ev->in->w[2], 4, &a);
    err = err != NULL ? err : lull_ev_get(ev, ev->in->w[3], &v);
    if (err == NULL &&
        (!lull_fr_is_plain(v.type) || lull_ev_kind(v.type) == 'b' || v.words > MOST_COORDS)) {
        err = lull_ev_bad(ev, "not a texel");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        const struct lull_fr_type *t = lull_fr_scalar(v.type);
        struct lull_ev_image io = access_of(&a, lane);
        io.what = LULL_EV_IMAGE_WRITE;
        io.bits = t->bits;
        for (size_t i = 0; i < v.words; i++) {
            const uint64_t word = lull_ev_of(&v, lane)[i];
            const float f = t->kind == LULL_FR_FLOAT ? (float)lull_ev_float(t, word) : 0;
            io.v[i] = (uint32_t)lull_fr_extend(t, word);
            memcpy(&io.v[i], t->kind == LULL_FR_FLOAT ? (const void *)&f : &io.v[i], sizeof f);
        }
        if (t->bits == WIDE) {
            io.v[0] = (uint32_t)*lull_ev_of(&v, lane);
            io.v[1] = (uint32_t)(*lull_ev_of(&v, lane) >> 32);
        }
        err = lull_ev_image_ask(ev, &io);
    }
    return err;
}

/** OpImageTexelPointer: an address, for atomics. */
LULL_MUST_USE static struct lull_error *point(struct lull_ev *ev)
{
    struct access a = {0};
    struct lull_ev_operand sample = {0}, result = {0};
    uint64_t *ret = NULL;
    struct lull_error *err = lull_ev_get(ev, ev->in->w[3], &a.image);
    err = err != NULL ? err : lull_ev_get_kind(ev, ev->in->w[4], 'i', &a.at);
    err = err != NULL ? err : lull_ev_get_kind(ev, ev->in->w[5], 'i', &sample);
    err = err != NULL ? err : lull_ev_result(ev, &result, &ret);
    if (err != NULL) {
        return err;
    }
    const struct lull_fr_type *t =
        a.image.type->kind == LULL_FR_POINTER ? a.image.type->element : NULL;
    if (t == NULL || t->kind != LULL_FR_OTHER || t->op != SpvOpTypeImage ||
        result.type->kind != LULL_FR_POINTER) {
        return lull_ev_bad(ev, "not a pointer to an image");
    }
    a.type = t;
    a.spatial = spatial_of(&t->image, true);
    a.n = a.spatial + (t->image.arrayed || t->image.dim == SpvDimCube);
    if (a.spatial == 0 || a.at.words < a.n) {
        return lull_ev_refuse(ev, "an image of such dimensions");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        struct lull_ev_image io = access_of(&a, lane);
        io.what = LULL_EV_IMAGE_PLACE;
        io.sample = whole(&sample, lane, 0);
        err = lull_ev_image_ask(ev, &io);
        struct lull_ev_pointer p = {.space = LULL_EV_MEMORY, .at = io.va, .end = io.end};
        if (io.end == 0) { // outside: behind an end, which is not 0
            p.at = 2;
            p.end = 1;
        }
        lull_ev_pack(&p, ret + result.words * lane);
    }
    return err;
}

/** OpSampledImage, OpImage. */
LULL_MUST_USE static struct lull_error *combine(struct lull_ev *ev)
{
    struct lull_ev_operand image = {0}, sampler = {0}, result = {0};
    const struct lull_fr_type *type = NULL;
    const bool both = ev->in->op == SpvOpSampledImage;
    uint64_t *ret = NULL;
    struct lull_error *err = lull_ev_get_image(ev, ev->in->w[3], &image, &type);
    err = err == NULL && both ? lull_ev_get(ev, ev->in->w[4], &sampler) : err;
    err = err != NULL ? err : lull_ev_result(ev, &result, &ret);
    if (err == NULL && (result.words != (both ? 2 : 1) * LULL_EV_POINTER ||
                        (both && sampler.words != LULL_EV_POINTER))) {
        err = lull_ev_bad(ev, "not an image and a sampler");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        const size_t size = LULL_EV_POINTER * sizeof *ret;
        uint64_t *to = ret + result.words * lane;
        memcpy(to, lull_ev_of(&image, lane), size);
        if (both) {
            memcpy(to + LULL_EV_POINTER, lull_ev_of(&sampler, lane), size);
        }
    }
    return err;
}

/** Sizes, and how many levels or samples there are. */
LULL_MUST_USE static struct lull_error *query(struct lull_ev *ev, enum lull_ev_image_what what)
{
    const bool has_level = ev->in->op == SpvOpImageQuerySizeLod;
    struct lull_ev_operand image = {0}, level = {0}, result = {0};
    const struct lull_fr_type *type = NULL;
    uint64_t *ret = NULL;
    struct lull_error *err = lull_ev_get_image(ev, ev->in->w[3], &image, &type);
    err = err == NULL && has_level ? lull_ev_get_kind(ev, ev->in->w[4], 'i', &level) : err;
    err = err != NULL ? err : lull_ev_result(ev, &result, &ret);
    if (err != NULL) {
        return err;
    }
    const unsigned n = spatial_of(&type->image, true);
    const size_t want = what == LULL_EV_IMAGE_SIZE ? n + type->image.arrayed : 1;
    if (n == 0 || !lull_fr_is_plain(result.type) || lull_ev_kind(result.type) != 'i' ||
        result.words != want) {
        return lull_ev_bad(ev, "its result does not fit the image");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        struct lull_ev_image io = lull_ev_image_of(type, &image, lane);
        io.what = what;
        io.spatial = n;
        io.level = has_level ? whole(&level, lane, 0) : 0;
        err = lull_ev_image_ask(ev, &io);
        for (size_t i = 0; i < result.words; i++) {
            ret[result.words * lane + i] = lull_ev_cut(lull_fr_scalar(result.type), io.v[i]);
        }
    }
    return err;
}

/** OpImageSparseTexelsResident: all is. */
LULL_MUST_USE static struct lull_error *resident(struct lull_ev *ev)
{
    struct lull_ev_operand result = {0};
    uint64_t *ret = NULL;
    struct lull_error *err = lull_ev_result(ev, &result, &ret);
    if (err == NULL && result.words != 1) {
        err = lull_ev_bad(ev, "its result is not a truth value");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        ret[ev->lanes[k]] = 1;
    }
    return err;
}

struct lull_error *lull_ev_image(struct lull_ev *ev, bool *ret_known)
{
    *ret_known = true;
    switch (ev->in->op) {
    case SpvOpSampledImage:
    case SpvOpImage:
        return combine(ev);
    case SpvOpImageRead:
    case SpvOpImageFetch:
    case SpvOpImageSparseRead:
    case SpvOpImageSparseFetch:
        return read_texel(ev);
    case SpvOpImageWrite:
        return write_texel(ev);
    case SpvOpImageTexelPointer:
        return point(ev);
    case SpvOpImageQuerySize:
    case SpvOpImageQuerySizeLod:
        return query(ev, LULL_EV_IMAGE_SIZE);
    case SpvOpImageQueryLevels:
        return query(ev, LULL_EV_IMAGE_LEVELS);
    case SpvOpImageQuerySamples:
        return query(ev, LULL_EV_IMAGE_SAMPLES);
    case SpvOpImageSparseTexelsResident:
        return resident(ev);
    default:
        *ret_known = false;
        return NULL;
    }
}
