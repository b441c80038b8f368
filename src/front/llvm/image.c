// SPDX-License-Identifier: MIT
// Images and samplers as operands, and what all their instructions need.
#include <spirv/unified1/spirv.h>

#include "front/llvm/image_priv.h"

struct lull_error *lull_fl_get_image(struct lull_fl *f, uint32_t id, struct lull_fl_image *ret)
{
    const struct lull_fr_type *t = NULL;
    LLVMValueRef v = NULL;
    struct lull_error *err = lull_fl_type_of(f, id, &t);
    err = err != NULL ? err : lull_fl_get(f, id, &v);
    if (err != NULL) {
        return err;
    }
    if (t->kind != LULL_FR_OTHER || t->op == SpvOpTypeSampler) {
        return lull_fl_bad(f, "%%%u is not an image", id);
    }
    *ret = (struct lull_fl_image){.type = t, .words = v, .coherent = f->values[id].coherent};
    if (t->op == SpvOpTypeSampledImage) {
        ret->type = t->element;
        ret->words = LLVMBuildExtractValue(f->b, v, 0, "");
        ret->sampler = LLVMBuildExtractValue(f->b, v, 1, "");
    }
    return NULL;
}

/** Images that differ at most in whether they are said to be of depth, which means nothing. */
static bool same_image(const struct lull_fr_type *a, const struct lull_fr_type *b)
{
    const struct lull_fr_image *x = &a->image, *y = &b->image;
    return a == b ||
           (a->op == SpvOpTypeImage && b->op == SpvOpTypeImage && a->element == b->element &&
            x->dim == y->dim && x->arrayed == y->arrayed && x->multisampled == y->multisampled &&
            x->sampled == y->sampled && x->format == y->format);
}

/** OpSampledImage. */
LULL_MUST_USE static struct lull_error *combine(struct lull_fl *f, LLVMValueRef *ret)
{
    const struct lull_spv_insn *in = f->in;
    const struct lull_fr_type *t = lull_fr_type_of(f->m, in->w[1]), *of_sampler = NULL;
    struct lull_fl_image image = {0};
    LLVMValueRef sampler = NULL;
    LLVMTypeRef type = NULL;
    struct lull_error *err = lull_fl_type(f, t, &type);
    err = err != NULL ? err : lull_fl_get_image(f, in->w[3], &image);
    err = err != NULL ? err : lull_fl_type_of(f, in->w[4], &of_sampler);
    err = err != NULL ? err : lull_fl_get(f, in->w[4], &sampler);
    if (err != NULL) {
        return err;
    }
    if (of_sampler->kind != LULL_FR_OTHER || of_sampler->op != SpvOpTypeSampler ||
        t->kind != LULL_FR_OTHER || t->op != SpvOpTypeSampledImage ||
        !same_image(t->element, image.type)) {
        return lull_fl_bad(f, "not an image and a sampler");
    }
    *ret = LLVMBuildInsertValue(f->b, LLVMGetPoison(type), image.words, 0, "");
    *ret = LLVMBuildInsertValue(f->b, *ret, sampler, 1, "");
    return NULL;
}

static bool is_visible(uint32_t mask)
{
    return (mask & (SpvImageOperandsMakeTexelAvailableMask | SpvImageOperandsMakeTexelVisibleMask |
                    SpvImageOperandsVolatileTexelMask)) != 0;
}

/** One operand: what is read of it. */
LULL_MUST_USE static struct lull_error *operand(struct lull_fl *f, uint32_t bit, uint32_t id,
                                                struct lull_fl_image_operands *o)
{
    const struct lull_fr_type *t = NULL;
    struct lull_error *err = lull_fl_type_of(f, id, &t);
    switch (err == NULL ? bit : 0) {
    case SpvImageOperandsBiasMask:
        return lull_fl_image_number(f, id, 'f', &o->bias);
    case SpvImageOperandsLodMask:
        return lull_fl_image_number(f, id, lull_fr_scalar(t)->kind == LULL_FR_INT ? 'i' : 'f',
                                    &o->lod);
    case SpvImageOperandsConstOffsetMask:
    case SpvImageOperandsOffsetMask:
        return lull_fl_get_kind(f, id, 'i', &o->offset);
    case SpvImageOperandsConstOffsetsMask:
    case SpvImageOperandsOffsetsMask:
        return lull_fl_get(f, id, &o->offsets);
    case SpvImageOperandsSampleMask:
        return lull_fl_image_number(f, id, 'i', &o->sample);
    case SpvImageOperandsMinLodMask:
        return lull_fl_image_number(f, id, 'f', &o->min_lod);
    default: // a scope
        return err;
    }
}

struct lull_error *lull_fl_image_operands(struct lull_fl *f, uint32_t at,
                                          struct lull_fl_image_operands *ret)
{
    const uint32_t none = SpvImageOperandsNonPrivateTexelMask | SpvImageOperandsVolatileTexelMask |
                          SpvImageOperandsSignExtendMask | SpvImageOperandsZeroExtendMask |
                          SpvImageOperandsNontemporalMask;
    const uint32_t mask = at < f->in->n ? f->in->w[at] : 0;
    struct lull_error *err = NULL;
    *ret = (struct lull_fl_image_operands){
        .coherent = is_visible(mask),
        .is_signed = (mask & SpvImageOperandsSignExtendMask) != 0,
        .is_unsigned = (mask & SpvImageOperandsZeroExtendMask) != 0};
    at++;
    for (uint32_t bit = 1; err == NULL && bit != 0 && bit <= mask; bit <<= 1) {
        if ((mask & bit & ~none) == 0) {
            continue;
        }
        const bool grad = bit == SpvImageOperandsGradMask;
        if (at + grad >= f->in->n) {
            err = lull_fl_bad(f, "operands are missing");
        } else if (grad) {
            err = lull_fl_get_kind(f, f->in->w[at], 'f', &ret->dx);
            err = err != NULL ? err : lull_fl_get_kind(f, f->in->w[at + 1], 'f', &ret->dy);
        } else {
            err = operand(f, bit, f->in->w[at], ret);
        }
        at += 1 + grad;
    }
    return err;
}

/** One number as i32 or float. */
static LLVMValueRef widen(const struct lull_fl *f, LLVMValueRef v, char kind)
{
    return kind == 'f' ? LLVMBuildFPCast(f->b, v, f->f32, "")
                       : LLVMBuildIntCast2(f->b, v, f->i32, true, "");
}

struct lull_error *lull_fl_coordinates(struct lull_fl *f, uint32_t id, char kind, unsigned n,
                                       LLVMValueRef *ret)
{
    LLVMValueRef v = NULL;
    struct lull_error *err = lull_fl_get_kind(f, id, kind, &v);
    if (err == NULL && lull_fl_count(LLVMTypeOf(v)) < n) {
        err = lull_fl_bad(f, "%%%u has less than %u numbers", id, n);
    }
    for (unsigned i = 0; err == NULL && i < n; i++) {
        ret[i] = widen(f, lull_fl_part(f, v, i), kind);
    }
    return err;
}

struct lull_error *lull_fl_image_number(struct lull_fl *f, uint32_t id, char kind,
                                        LLVMValueRef *ret)
{
    return lull_fl_coordinates(f, id, kind, 1, ret);
}

void lull_fl_push(struct lull_fl_image_call *c, LLVMValueRef v)
{
    c->args[c->n++] = v;
}

void lull_fl_push_all(struct lull_fl_image_call *c, const LLVMValueRef *v, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        lull_fl_push(c, v[i]);
    }
}

bool lull_fl_is_sparse(uint32_t op)
{
    return (op >= SpvOpImageSparseSampleImplicitLod && op <= SpvOpImageSparseDrefGather) ||
           op == SpvOpImageSparseRead;
}

struct lull_error *lull_fl_texel_type(struct lull_fl *f, const struct lull_fr_type **ret)
{
    const struct lull_fr_type *t = lull_fr_type_of(f->m, f->in->w[1]);
    if (lull_fl_is_sparse(f->in->op)) {
        const bool ok = t->kind == LULL_FR_STRUCT && t->count == 2 &&
                        t->members[0]->kind == LULL_FR_INT && t->members[0]->bits == 32;
        t = ok ? t->members[1] : NULL;
    }
    const bool ok = t != NULL && lull_fr_is_plain(t) && lull_fr_scalar(t)->kind != LULL_FR_BOOL &&
                    (t->kind != LULL_FR_VECTOR || t->count <= 4) &&
                    (lull_fr_scalar(t)->kind == LULL_FR_INT || lull_fr_scalar(t)->bits <= 32);
    *ret = t;
    return ok ? NULL : lull_fl_bad(f, "its result is not a texel");
}

LLVMTypeRef lull_fl_raw_type(const struct lull_fl *f, unsigned n, bool sparse)
{
    LLVMTypeRef both[2] = {n == 1 ? f->f32 : LLVMVectorType(f->f32, n), f->i32};
    return sparse ? LLVMStructTypeInContext(f->c, both, 2, false) : both[0];
}

/** Number @p i of a texel. */
static LLVMValueRef component(const struct lull_fl *f, const struct lull_fr_type *scalar,
                              LLVMValueRef raw, unsigned i)
{
    if (scalar->bits == 64) { // two words, of the first number; the others are 0, 0, 1
        LLVMValueRef whole = LLVMBuildBitCast(f->b, raw, f->i64, "");
        return i == 0 ? whole : LLVMConstInt(f->i64, i == 3, false);
    }
    LLVMValueRef v = lull_fl_part(f, raw, i);
    if (scalar->kind == LULL_FR_FLOAT) {
        return scalar->bits == 16 ? LLVMBuildFPTrunc(f->b, v, f->f16, "") : v;
    }
    v = LLVMBuildBitCast(f->b, v, f->i32, "");
    return LLVMBuildTrunc(f->b, v, LLVMIntTypeInContext(f->c, scalar->bits), "");
}

LLVMValueRef lull_fl_texel(const struct lull_fl *f, const struct lull_fr_type *texel,
                           LLVMValueRef raw, bool sparse)
{
    const struct lull_fr_type *scalar = lull_fr_scalar(texel);
    const unsigned n = texel->kind == LULL_FR_VECTOR ? texel->count : 1;
    LLVMValueRef words = sparse ? LLVMBuildExtractValue(f->b, raw, 0, "") : raw;
    LLVMValueRef v = component(f, scalar, words, 0), first = v;
    v = n == 1 ? v : LLVMGetPoison(LLVMVectorType(LLVMTypeOf(first), n));
    for (unsigned i = 0; n != 1 && i < n; i++) {
        v = lull_fl_put(f, v, i == 0 ? first : component(f, scalar, words, i), i);
    }
    if (!sparse) {
        return v;
    }
    LLVMTypeRef members[2] = {f->i32, LLVMTypeOf(v)};
    LLVMValueRef both = LLVMGetPoison(LLVMStructTypeInContext(f->c, members, 2, false));
    both = LLVMBuildInsertValue(f->b, both, LLVMBuildExtractValue(f->b, raw, 1, ""), 0, "");
    return LLVMBuildInsertValue(f->b, both, v, 1, "");
}

struct lull_error *lull_fl_image(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    struct lull_fl_image image = {0};
    struct lull_error *err = NULL;
    *ret_known = true;
    switch (f->in->op) {
    case SpvOpSampledImage:
        return combine(f, ret);
    case SpvOpImage:
        err = lull_fl_get_image(f, f->in->w[3], &image);
        *ret = image.words;
        return err;
    default:
        *ret_known = false;
        return NULL;
    }
}
