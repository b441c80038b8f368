// SPDX-License-Identifier: MIT
// Texels by number: fetch, read, write, atomics.
#include <stdio.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/llvm/image_priv.h"
#include "front/llvm/stage.h"

enum { ALL = 15, TWO_WORDS = 3, SPARSE = 1 };

/** Where a texel is. */
struct place {
    struct lull_fl_image image;
    struct lull_fl_shape shape;
    LLVMValueRef at[LULL_FL_MAX_COORDS + 1]; ///< With the sample, or the level.
    unsigned n;
    bool level;
};

/** The image's shape and coordinate, which is at word @p coordinate. */
LULL_MUST_USE static struct lull_error *find(struct lull_fl *f, uint32_t coordinate,
                                             struct place *p)
{
    p->shape = lull_fl_stored_shape(p->image.type);
    const bool attachment = p->image.type->image.dim == SpvDimSubpassData;
    p->n = lull_fl_is_texels(p->image.type) ? 1 : attachment ? p->shape.spatial : p->shape.n;
    struct lull_error *err = lull_fl_coordinates(f, coordinate, 'i', p->n, p->at);
    if (err != NULL || !attachment) {
        return err;
    }
    if (f->m->model != SpvExecutionModelFragment) {
        return lull_fl_bad(f, "an input attachment, and not a pixel shader");
    }
    for (unsigned i = 0; i < p->n; i++) { // What the coordinate says is an offset.
        p->at[i] = LLVMBuildAdd(f->b, p->at[i], lull_fl_pixel_place(f, i), "");
    }
    p->at[p->n++] = f->stage->layer;
    return NULL;
}

/** What operands add to the coordinate. */
LULL_MUST_USE static struct lull_error *extend(struct lull_fl *f,
                                               const struct lull_fl_image_operands *o,
                                               struct place *p)
{
    const bool texels = lull_fl_is_texels(p->image.type);
    const unsigned n = texels ? 1 : p->shape.spatial;
    if (o->offset != NULL && lull_fl_count(LLVMTypeOf(o->offset)) < n) {
        return lull_fl_bad(f, "an offset of less than %u numbers", n);
    }
    for (unsigned i = 0; o->offset != NULL && i < n; i++) {
        LLVMValueRef by = LLVMBuildIntCast2(f->b, lull_fl_part(f, o->offset, i), f->i32, true, "");
        p->at[i] = LLVMBuildAdd(f->b, p->at[i], by, "");
    }
    if (texels) {
        return NULL;
    }
    if (p->image.type->image.multisampled) {
        if (o->sample == NULL) {
            return lull_fl_bad(f, "an image with samples, and no operand Sample");
        }
        p->at[p->n++] = o->sample;
    } else if (o->lod != NULL) {
        if (LLVMTypeOf(o->lod) != f->i32) {
            return lull_fl_bad(f, "a level that is not an integer");
        }
        p->level = LLVMIsAConstantInt(o->lod) == NULL || LLVMConstIntGetZExtValue(o->lod) != 0;
        p->at[p->n] = o->lod;
        p->n += p->level;
    }
    return NULL;
}

/** Image, flags for hardware, and the call. */
static LLVMValueRef finish(const struct lull_fl *f, const struct place *p, const char *op,
                           bool sparse, unsigned cache, struct lull_fl_image_call *c)
{
    char name[96] = "";
    snprintf(name, sizeof name, "llvm.amdgcn.image.%s.%s", op, p->shape.name);
    lull_fl_push_all(c, p->at, p->n);
    lull_fl_push(c, p->image.words);
    lull_fl_push(c, lull_fl_int(f, sparse ? SPARSE : 0));
    lull_fl_push(c, lull_fl_int(f, cache));
    c->types[c->ntypes++] = f->i32;
    return lull_fl_call_types(f, name, c->types, c->ntypes, c->args, c->n);
}

LULL_MUST_USE static struct lull_error *load(struct lull_fl *f, LLVMValueRef *ret)
{
    const bool sparse = lull_fl_is_sparse(f->in->op);
    const struct lull_fr_type *texel = NULL;
    struct lull_fl_image_operands o = {0};
    struct place p = {0};
    struct lull_error *err = lull_fl_get_image(f, f->in->w[3], &p.image);
    err = err != NULL ? err : lull_fl_texel_type(f, &texel);
    err = err != NULL ? err : find(f, f->in->w[4], &p);
    err = err != NULL ? err : lull_fl_image_operands(f, 5, &o);
    err = err != NULL ? err : extend(f, &o, &p);
    if (err != NULL) {
        return err;
    }
    const bool wide = lull_fr_scalar(texel)->bits == 64;
    LLVMTypeRef raw = lull_fl_raw_type(f, wide ? 2 : 4, sparse);
    const bool coherent = o.coherent || p.image.coherent;
    if (lull_fl_is_texels(p.image.type)) {
        *ret = lull_fl_load_texels(f, &p.image, p.at[0], raw, coherent);
    } else {
        struct lull_fl_image_call c = {.types = {raw}, .ntypes = 1};
        lull_fl_push(&c, lull_fl_int(f, wide ? TWO_WORDS : ALL));
        *ret = finish(f, &p, p.level ? "load.mip" : "load", sparse,
                      coherent ? lull_fl_coherent(f, false) : 0, &c);
    }
    *ret = lull_fl_texel(f, texel, *ret, sparse);
    return NULL;
}

/** Words as floats, which is how they are stored. */
LULL_MUST_USE static struct lull_error *words_of(struct lull_fl *f, uint32_t id,
                                                 const struct lull_fl_image_operands *o,
                                                 LLVMValueRef *ret)
{
    const struct lull_fr_type *t = NULL;
    LLVMValueRef v = NULL;
    struct lull_error *err = lull_fl_type_of(f, id, &t);
    err = err != NULL ? err : lull_fl_get_kind(f, id, '*', &v);
    if (err != NULL) {
        return err;
    }
    const struct lull_fr_type *s = lull_fr_scalar(t);
    const unsigned n = lull_fl_count(LLVMTypeOf(v));
    if (s->kind == LULL_FR_BOOL || n > 4 || (s->kind == LULL_FR_FLOAT && s->bits > 32)) {
        return lull_fl_bad(f, "%%%u is not a texel", id);
    }
    if (s->bits == 64) {
        *ret = LLVMBuildBitCast(f->b, lull_fl_part(f, v, 0), LLVMVectorType(f->f32, 2), "");
        return NULL;
    }
    const bool is_signed = o->is_signed || (s->is_signed && !o->is_unsigned);
    *ret = LLVMConstNull(LLVMVectorType(f->f32, 4));
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef one = lull_fl_part(f, v, i);
        one = s->kind == LULL_FR_FLOAT
                  ? LLVMBuildFPCast(f->b, one, f->f32, "")
                  : LLVMBuildBitCast(f->b, LLVMBuildIntCast2(f->b, one, f->i32, is_signed, ""),
                                     f->f32, "");
        *ret = lull_fl_put(f, *ret, one, i);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *store(struct lull_fl *f)
{
    struct lull_fl_image_operands o = {0};
    struct place p = {0};
    LLVMValueRef v = NULL;
    struct lull_error *err = lull_fl_get_image(f, f->in->w[1], &p.image);
    err = err != NULL ? err : find(f, f->in->w[2], &p);
    err = err != NULL ? err : lull_fl_image_operands(f, 4, &o);
    err = err != NULL ? err : extend(f, &o, &p);
    err = err != NULL ? err : words_of(f, f->in->w[3], &o, &v);
    if (err != NULL) {
        return err;
    }
    const bool coherent = o.coherent || p.image.coherent;
    if (lull_fl_is_texels(p.image.type)) {
        lull_fl_store_texels(f, &p.image, p.at[0], v, coherent);
        return NULL;
    }
    struct lull_fl_image_call c = {.types = {LLVMTypeOf(v)}, .ntypes = 1};
    lull_fl_push(&c, v);
    lull_fl_push(&c, lull_fl_int(f, lull_fl_count(LLVMTypeOf(v)) == 4 ? ALL : TWO_WORDS));
    (void)finish(f, &p, p.level ? "store.mip" : "store", false,
                 coherent ? lull_fl_coherent(f, true) : 0, &c);
    return NULL;
}

/** OpImageTexelPointer: image, coordinate and sample are kept for the atomic. */
LULL_MUST_USE static struct lull_error *point(struct lull_fl *f)
{
    const struct lull_spv_insn *in = f->in;
    const struct lull_fr_type *t = lull_fr_type_of(f->m, in->w[1]);
    const struct lull_fl_pointer *from = NULL;
    struct place p = {0};
    struct lull_error *err = lull_fl_get_pointer(f, in->w[3], &from);
    if (err != NULL) {
        return err;
    }
    if (from->where != LULL_FL_DESCRIPTOR || from->type->op != SpvOpTypeImage ||
        t->kind != LULL_FR_POINTER || t->storage != SpvStorageClassImage) {
        return lull_fl_bad(f, "%%%u is not a pointer to an image", in->w[3]);
    }
    p.image.type = from->type;
    err = find(f, in->w[4], &p);
    if (err == NULL && from->type->image.multisampled) {
        err = lull_fl_image_number(f, in->w[5], 'i', &p.at[p.n++]);
    }
    if (err != NULL) {
        return err;
    }
    struct lull_fl_pointer to = {.type = t->element, .where = LULL_FL_TEXEL, .image = from->type};
    struct lull_fl_pointer of = *from;
    of.non_uniform |= f->m->ids[in->w[2]].decor.non_uniform;
    to.base = lull_fl_load_descriptor(f, &of);
    to.offset = LLVMGetPoison(LLVMVectorType(f->i32, LULL_FL_MAX_COORDS));
    for (unsigned i = 0; i < p.n; i++) {
        to.offset = lull_fl_put(f, to.offset, p.at[i], i);
    }
    return lull_fl_set_pointer(f, in->w[2], t, &to);
}

LLVMValueRef lull_fl_texel_atomic(const struct lull_fl *f, const struct lull_fl_pointer *p,
                                  const char *name, LLVMValueRef v, LLVMValueRef compare)
{
    char op[32] = "";
    if (lull_fl_is_texels(p->image)) {
        return lull_fl_texels_atomic(f, p->base, name, lull_fl_part(f, p->offset, 0), v, compare);
    }
    struct place at = {.image = {.type = p->image, .words = p->base},
                       .shape = lull_fl_stored_shape(p->image)};
    struct lull_fl_image_call c = {.types = {LLVMTypeOf(v)}, .ntypes = 1};
    const unsigned n = at.shape.n + (p->image->image.multisampled ? 1 : 0);
    for (at.n = 0; at.n < n; at.n++) {
        at.at[at.n] = lull_fl_part(f, p->offset, at.n);
    }
    lull_fl_push(&c, v);
    if (compare != NULL) {
        lull_fl_push(&c, compare);
    }
    snprintf(op, sizeof op, "atomic.%s", name);
    return finish(f, &at, op, false, 0, &c);
}

struct lull_error *lull_fl_image_access(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    *ret_known = true;
    switch (f->in->op) {
    case SpvOpImageFetch:
    case SpvOpImageRead:
    case SpvOpImageSparseFetch:
    case SpvOpImageSparseRead:
        return load(f, ret);
    case SpvOpImageWrite:
        return store(f);
    case SpvOpImageTexelPointer:
        return point(f);
    default:
        *ret_known = false;
        return NULL;
    }
}
