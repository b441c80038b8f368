// SPDX-License-Identifier: MIT
// Sampling and gathering: coordinates in floats, filtered by a sampler.
#include <stdio.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/llvm/image_priv.h"
#include "front/sample_op.h"

enum {
    ALL = 15,
    ONE = 1,
    SPARSE = 1,
    COORDINATE = 4,   ///< Word.
    OFFSET_SHIFT = 8, ///< From one offset to the next.
    OFFSET_MASK = 63,
    CORNER = 3, ///< What a gather gives of the texel with the lowest coordinates.
};

/** One sample. */
struct sample {
    const struct lull_fr_sample_op *row;
    struct lull_fl_image image;
    struct lull_fl_shape shape;
    struct lull_fl_image_operands o;
    LLVMValueRef at[LULL_FL_MAX_COORDS], dx[3], dy[3];
    unsigned n, derivatives; ///< Coordinates; derivatives in each direction, 0 without any.
    LLVMValueRef dref;
    unsigned dmask;
    bool sparse;
};

/** Coordinates, divided if they are to be projected. */
LULL_MUST_USE static struct lull_error *coordinates(struct lull_fl *f, struct sample *s)
{
    LLVMValueRef v[LULL_FL_MAX_COORDS + 1] = {0};
    const unsigned n = s->shape.n;
    if (s->row->proj && (s->image.type->image.arrayed || s->image.type->image.dim == SpvDimCube)) {
        return lull_fl_bad(f, "a projection of an image with layers or faces");
    }
    struct lull_error *err = lull_fl_coordinates(f, f->in->w[COORDINATE], 'f', n + s->row->proj, v);
    for (unsigned i = 0; err == NULL && i < n; i++) {
        s->at[i] = s->row->proj ? lull_fl_divide(f, v[i], v[n]) : v[i];
    }
    if (err == NULL && s->row->dref) {
        err = lull_fl_image_number(f, f->in->w[COORDINATE + 1], 'f', &s->dref);
        s->dref = err == NULL && s->row->proj ? lull_fl_divide(f, s->dref, v[n]) : s->dref;
    }
    s->n = n;
    return err;
}

LULL_MUST_USE static struct lull_error *derivatives(struct lull_fl *f, struct sample *s)
{
    const unsigned n = s->shape.spatial;
    if (s->o.dx == NULL) {
        return NULL;
    }
    if (lull_fl_count(LLVMTypeOf(s->o.dx)) < n || lull_fl_count(LLVMTypeOf(s->o.dy)) < n) {
        return lull_fl_bad(f, "derivatives of less than %u numbers", n);
    }
    for (unsigned i = 0; i < n; i++) {
        s->dx[i] = LLVMBuildFPCast(f->b, lull_fl_part(f, s->o.dx, i), f->f32, "");
        s->dy[i] = LLVMBuildFPCast(f->b, lull_fl_part(f, s->o.dy, i), f->f32, "");
    }
    s->derivatives = n;
    return NULL;
}

/** Layers are whole numbers; directions in cubes become places on faces. */
static void place(const struct lull_fl *f, struct sample *s)
{
    const struct lull_fr_image *i = &s->image.type->image;
    if (i->arrayed) {
        LLVMValueRef *layer = &s->at[s->n - 1];
        *layer = lull_fl_call(f, "llvm.rint", f->f32, layer, 1);
    }
    if (i->dim == SpvDimCube) {
        const bool grad = s->derivatives != 0;
        lull_fl_cube(f, i->arrayed, s->at, grad ? s->dx : NULL, grad ? s->dy : NULL);
        s->n = 3;
        s->derivatives = grad ? 2 : 0;
    }
}

/** The level, where none is given and there are no derivatives: 0, but for bias and minimum. */
static void level(const struct lull_fl *f, struct sample *s)
{
    struct lull_fl_image_operands *o = &s->o;
    if (f->m->model == SpvExecutionModelFragment && !s->row->gather) {
        return;
    }
    if (s->derivatives != 0 || o->lod != NULL || (o->bias == NULL && o->min_lod == NULL)) {
        return;
    }
    o->lod = o->bias != NULL ? o->bias : lull_fl_float(f->f32, 0);
    if (o->min_lod != NULL) {
        LLVMValueRef both[2] = {o->lod, o->min_lod};
        o->lod = lull_fl_call(f, "llvm.maxnum", f->f32, both, 2);
    }
    o->bias = o->min_lod = NULL;
}

/** Offsets of 6 bits in one number. */
LULL_MUST_USE static struct lull_error *pack(const struct lull_fl *f, const struct sample *s,
                                             LLVMValueRef offset, LLVMValueRef *ret)
{
    LLVMValueRef all = lull_fl_int(f, 0);
    if (LLVMGetTypeKind(lull_fl_scalar_of(LLVMTypeOf(offset))) != LLVMIntegerTypeKind ||
        lull_fl_count(LLVMTypeOf(offset)) < s->shape.spatial) {
        return lull_fl_bad(f, "an offset of less than %u integers", s->shape.spatial);
    }
    for (unsigned i = 0; i < s->shape.spatial; i++) {
        LLVMValueRef v = LLVMBuildIntCast2(f->b, lull_fl_part(f, offset, i), f->i32, true, "");
        v = LLVMBuildAnd(f->b, v, lull_fl_int(f, OFFSET_MASK), "");
        v = LLVMBuildShl(f->b, v, lull_fl_int(f, (uint64_t)i * OFFSET_SHIFT), "");
        all = LLVMBuildOr(f->b, all, v, "");
    }
    *ret = all;
    return NULL;
}

/** What is put behind the name, for the level. */
static const char *level_suffix(const struct lull_fl *f, const struct sample *s)
{
    const bool implicit = f->m->model == SpvExecutionModelFragment && !s->row->gather;
    return s->derivatives != 0 ? ".d"
           : s->o.lod != NULL  ? ".l"
           : s->o.bias != NULL ? ".b"
           : implicit          ? ""
                               : ".lz";
}

/** The intrinsic. @p packed: offsets, or NULL. */
static LLVMValueRef emit(const struct lull_fl *f, const struct sample *s, LLVMValueRef packed)
{
    const struct lull_fl_image_operands *o = &s->o;
    const char *suffix = level_suffix(f, s);
    const bool one = s->row->dref && !s->row->gather;
    LLVMTypeRef raw = lull_fl_raw_type(f, one ? 1 : 4, s->sparse);
    struct lull_fl_image_call c = {.types = {raw}, .ntypes = 1};
    char name[96] = "";
    snprintf(name, sizeof name, "llvm.amdgcn.image.%s%s%s%s%s.%s",
             s->row->gather ? "gather4" : "sample", s->row->dref ? ".c" : "", suffix,
             o->min_lod != NULL ? ".cl" : "", packed != NULL ? ".o" : "", s->shape.name);
    lull_fl_push(&c, lull_fl_int(f, s->dmask));
    if (packed != NULL) {
        lull_fl_push(&c, packed);
    }
    if (strcmp(suffix, ".b") == 0) {
        lull_fl_push(&c, o->bias);
        c.types[c.ntypes++] = f->f32;
    }
    if (s->row->dref) {
        lull_fl_push(&c, s->dref);
    }
    if (s->derivatives != 0) {
        lull_fl_push_all(&c, s->dx, s->derivatives);
        lull_fl_push_all(&c, s->dy, s->derivatives);
        c.types[c.ntypes++] = f->f32;
    }
    lull_fl_push_all(&c, s->at, s->n);
    if (s->derivatives == 0 && o->lod != NULL) {
        lull_fl_push(&c, o->lod);
    } else if (o->min_lod != NULL) {
        lull_fl_push(&c, o->min_lod);
    }
    c.types[c.ntypes++] = f->f32;
    lull_fl_push(&c, s->image.words);
    lull_fl_push(&c, s->image.sampler);
    lull_fl_push(&c, LLVMConstInt(f->i1, 0, false));
    lull_fl_push(&c, lull_fl_int(f, s->sparse ? SPARSE : 0));
    lull_fl_push(&c, lull_fl_int(f, 0));
    return lull_fl_call_types(f, name, c.types, c.ntypes, c.args, c.n);
}

/** Four gathers, one with each offset: of each the texel at its corner. */
LULL_MUST_USE static struct lull_error *gather_four(struct lull_fl *f, const struct sample *s,
                                                    LLVMValueRef *ret)
{
    LLVMTypeRef type = LLVMTypeOf(s->o.offsets);
    LLVMValueRef code = NULL;
    if (LLVMGetTypeKind(type) != LLVMArrayTypeKind || LLVMGetArrayLength2(type) != 4 ||
        LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMVectorTypeKind) {
        return lull_fl_bad(f, "offsets that are not an array of four");
    }
    LLVMValueRef all = LLVMGetPoison(LLVMVectorType(f->f32, 4));
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef packed = NULL;
        struct lull_error *err =
            pack(f, s, LLVMBuildExtractValue(f->b, s->o.offsets, i, ""), &packed);
        if (err != NULL) {
            return err;
        }
        LLVMValueRef raw = emit(f, s, packed);
        LLVMValueRef words = s->sparse ? LLVMBuildExtractValue(f->b, raw, 0, "") : raw;
        all = lull_fl_put(f, all, lull_fl_part(f, words, CORNER), i);
        if (s->sparse) {
            LLVMValueRef one = LLVMBuildExtractValue(f->b, raw, 1, "");
            code = code == NULL ? one : LLVMBuildOr(f->b, code, one, "");
        }
    }
    *ret = all;
    if (s->sparse) {
        *ret = LLVMBuildInsertValue(f->b, LLVMGetPoison(lull_fl_raw_type(f, 4, true)), all, 0, "");
        *ret = LLVMBuildInsertValue(f->b, *ret, code, 1, "");
    }
    return NULL;
}

/** Which component a gather gives. */
LULL_MUST_USE static struct lull_error *component(struct lull_fl *f, struct sample *s)
{
    uint64_t which = 0;
    s->dmask = s->row->dref ? ONE : ALL;
    if (!s->row->gather || s->row->dref) {
        return NULL;
    }
    struct lull_error *err = lull_fl_number(f, f->in->w[COORDINATE + 1], &which);
    s->dmask = which < 4 ? 1u << which : 0;
    return err != NULL     ? err
           : s->dmask != 0 ? NULL
                           : lull_fl_bad(f, "component %llu", (unsigned long long)which);
}

/** All that is known before code is made. */
LULL_MUST_USE static struct lull_error *prepare(struct lull_fl *f, struct sample *s)
{
    struct lull_error *err = lull_fl_get_image(f, f->in->w[3], &s->image);
    if (err != NULL) {
        return err;
    }
    s->shape = lull_fl_sampled_shape(s->image.type);
    if (s->image.sampler == NULL || s->shape.name == NULL || s->image.type->image.multisampled) {
        return lull_fl_bad(f, "%%%u is not an image with a sampler", f->in->w[3]);
    }
    err = component(f, s);
    err = err != NULL ? err : coordinates(f, s);
    err = err != NULL
              ? err
              : lull_fl_image_operands(f, COORDINATE + 1 + (s->row->dref || s->row->gather), &s->o);
    if (err == NULL && s->o.lod != NULL && LLVMTypeOf(s->o.lod) != f->f32) {
        err = lull_fl_bad(f, "a level that is not a float");
    }
    if (err == NULL && s->row->is_explicit && s->o.lod == NULL && s->o.dx == NULL) {
        err = lull_fl_bad(f, "neither a level nor derivatives");
    }
    if (err == NULL && s->row->gather && (s->o.dx != NULL || s->shape.spatial < 2)) {
        err = lull_fl_bad(f, "a gather with derivatives, or of one dimension");
    }
    if (err == NULL && s->image.type->image.dim == SpvDimCube &&
        (s->o.offset != NULL || s->o.offsets != NULL)) {
        err = lull_fl_bad(f, "an offset in a cube");
    }
    return err != NULL ? err : derivatives(f, s);
}

LULL_MUST_USE static struct lull_error *sample(struct lull_fl *f,
                                               const struct lull_fr_sample_op *row,
                                               LLVMValueRef *ret)
{
    const struct lull_fr_type *texel = NULL;
    struct sample s = {.row = row, .sparse = lull_fl_is_sparse(row->op)};
    LLVMValueRef packed = NULL;
    struct lull_error *err = lull_fl_texel_type(f, &texel);
    err = err != NULL ? err : prepare(f, &s);
    if (err == NULL && (lull_fr_scalar(texel)->bits > 32 ||
                        (texel->kind == LULL_FR_VECTOR) != (!row->dref || row->gather))) {
        err = lull_fl_bad(f, "its result is not what a sampler gives");
    }
    if (err != NULL) {
        return err;
    }
    place(f, &s);
    level(f, &s);
    if (s.o.offsets != NULL) {
        err = row->gather ? gather_four(f, &s, ret) : lull_fl_bad(f, "four offsets");
    } else {
        err = s.o.offset != NULL ? pack(f, &s, s.o.offset, &packed) : NULL;
        *ret = err == NULL ? emit(f, &s, packed) : NULL;
    }
    if (err == NULL) {
        *ret = lull_fl_texel(f, texel, *ret, s.sparse);
    }
    return err;
}

struct lull_error *lull_fl_image_sample(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    const struct lull_fr_sample_op *row = lull_fr_sample_op(f->in->op);
    *ret_known = row != NULL;
    return row != NULL ? sample(f, row, ret) : NULL;
}
