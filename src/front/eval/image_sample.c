// SPDX-License-Identifier: MIT
// Sampling and gathering: coordinates in floats. A level that is not said is 0, but for the bias.
#include <math.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/arith.h"
#include "front/eval/priv.h"
#include "front/sample_op.h"

enum { COORDINATE = 4, CORNER = 3, OFFSETS = 4 };

/** One instruction, for all lanes. */
struct sample {
    const struct lull_fr_sample_op *row;
    const struct lull_fr_type *type;
    struct lull_ev_operand image, at, more; ///< more: what is compared with, or the component.
    struct lull_ev_image_operands o;
    unsigned spatial, n; ///< Coordinates without and with the layer.
};

static float number(const struct lull_ev_operand *o, uint32_t lane, unsigned i)
{
    return (float)lull_ev_float(lull_fr_scalar(o->type), lull_ev_of(o, lane)[i]);
}

static unsigned spatial_of(const struct lull_fr_image *i)
{
    return i->dim == SpvDim1D                           ? 1
           : i->dim == SpvDim2D                         ? 2
           : i->dim == SpvDim3D || i->dim == SpvDimCube ? 3
                                                        : 0;
}

/** Have the operands the numbers that are needed? NULL: yes. */
LULL_MUST_USE static struct lull_error *check(const struct lull_ev *ev, const struct sample *s)
{
    const struct lull_ev_image_operands *o = &s->o;
    const bool plain = s->row->gather || !s->row->proj || s->n == s->spatial;
    if (s->spatial == 0 || s->type->image.multisampled ||
        s->image.type->op != SpvOpTypeSampledImage) {
        return lull_ev_bad(ev, "not an image with a sampler");
    }
    if (!plain || s->at.words < s->n + s->row->proj ||
        (o->has_gradients && (o->dx.words < s->spatial || o->dy.words < s->spatial)) ||
        (o->has_offset && o->offset.words < (s->spatial < 3 ? s->spatial : 3)) ||
        (o->has_lod && lull_ev_kind(o->lod.type) != 'f')) {
        return lull_ev_bad(ev, "its operands have too few numbers, or such of another kind");
    }
    if (o->has_offsets && (!s->row->gather || o->offsets.words != OFFSETS * 2 ||
                           o->offsets.type->kind != LULL_FR_ARRAY ||
                           o->offsets.type->element->kind != LULL_FR_VECTOR ||
                           lull_ev_kind(o->offsets.type->element) != 'i')) {
        return lull_ev_bad(ev, "offsets that are not an array of four");
    }
    if (s->row->is_explicit && !o->has_lod && !o->has_gradients) {
        return lull_ev_bad(ev, "neither a level nor derivatives");
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *look(struct lull_ev *ev, struct sample *s)
{
    const bool more = s->row->gather || s->row->dref;
    struct lull_error *err = lull_ev_get_image(ev, ev->in->w[3], &s->image, &s->type);
    err = err != NULL ? err : lull_ev_get_kind(ev, ev->in->w[COORDINATE], 'f', &s->at);
    err = err == NULL && more
              ? lull_ev_get_kind(ev, ev->in->w[COORDINATE + 1], s->row->dref ? 'f' : 'i', &s->more)
              : err;
    err = err != NULL ? err : lull_ev_image_operands(ev, COORDINATE + 1 + more, &s->o);
    if (err != NULL) {
        return err;
    }
    s->spatial = spatial_of(&s->type->image);
    s->n = s->spatial + s->type->image.arrayed;
    return check(ev, s);
}

static struct lull_ev_image access_of(const struct sample *s, uint32_t lane)
{
    const struct lull_ev_image_operands *o = &s->o;
    struct lull_ev_image io = lull_ev_image_of(s->type, &s->image, lane);
    const float by = s->row->proj ? number(&s->at, lane, s->n) : 1;
    io.what = s->row->gather ? LULL_EV_IMAGE_GATHER : LULL_EV_IMAGE_SAMPLE;
    io.spatial = s->spatial;
    for (unsigned i = 0; i < s->n; i++) {
        io.coord[i] = number(&s->at, lane, i) / by;
    }
    if (s->row->dref) {
        io.compares = true;
        io.reference = number(&s->more, lane, 0) / by;
    } else if (s->row->gather) {
        io.component = (unsigned)*lull_ev_of(&s->more, lane) % 4;
    }
    io.has_gradients = o->has_gradients;
    for (unsigned i = 0; o->has_gradients && i < s->spatial; i++) {
        io.d[0][i] = number(&o->dx, lane, i);
        io.d[1][i] = number(&o->dy, lane, i);
    }
    io.lod = o->has_lod ? number(&o->lod, lane, 0) : o->has_bias ? number(&o->bias, lane, 0) : 0;
    io.has_min_lod = o->has_min_lod;
    io.min_lod = o->has_min_lod ? number(&o->min_lod, lane, 0) : 0;
    for (unsigned i = 0; o->has_offset && i < s->spatial; i++) {
        io.offset[i] = (int32_t)lull_fr_extend(lull_fr_scalar(o->offset.type),
                                               lull_ev_of(&o->offset, lane)[i]);
    }
    return io;
}

/** Four gathers, one with each offset: of each the texel at its corner. */
LULL_MUST_USE static struct lull_error *gather_four(struct lull_ev *ev, const struct sample *s,
                                                    uint32_t lane, struct lull_ev_image *ret)
{
    const struct lull_fr_type *t = lull_fr_scalar(s->o.offsets.type->element);
    uint32_t v[4] = {0};
    struct lull_error *err = NULL;
    for (unsigned i = 0; i < OFFSETS && err == NULL; i++) {
        struct lull_ev_image io = *ret;
        for (unsigned c = 0; c < 2; c++) {
            io.offset[c] = (int32_t)lull_fr_extend(t, lull_ev_of(&s->o.offsets, lane)[2 * i + c]);
        }
        err = lull_ev_image_ask(ev, &io);
        v[i] = io.v[CORNER];
    }
    memcpy(ret->v, v, sizeof v);
    return err;
}

LULL_MUST_USE static struct lull_error *sample(struct lull_ev *ev,
                                               const struct lull_fr_sample_op *row)
{
    struct sample s = {.row = row};
    struct lull_ev_operand result = {0};
    const struct lull_fr_type *texel = NULL;
    uint64_t *ret = NULL;
    size_t skip = 0;
    struct lull_error *err = look(ev, &s);
    err = err != NULL ? err : lull_ev_texel(ev, &result, &ret, &texel, &skip);
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        struct lull_ev_image io = access_of(&s, lane);
        err = s.o.has_offsets ? gather_four(ev, &s, lane, &io) : lull_ev_image_ask(ev, &io);
        ret[result.words * lane] = 0;
        lull_ev_texel_words(texel, io.v, ret + result.words * lane + skip);
    }
    return err;
}

struct lull_error *lull_ev_image_sample(struct lull_ev *ev, bool *ret_known)
{
    const struct lull_fr_sample_op *row = lull_fr_sample_op(ev->in->op);
    *ret_known = row != NULL;
    return row != NULL ? sample(ev, row) : NULL;
}
