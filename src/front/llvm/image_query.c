// SPDX-License-Identifier: MIT
// Sizes, levels and samples of images, levels of detail, and residency codes.
#include <stdio.h>

#include <spirv/unified1/spirv.h>

#include "front/llvm/image_priv.h"
#include "hw/img11_regs.h"

enum { ALL = 15, TWO = 3, FACES = 6, LAYERS = 2, LEVELS = 3, KIND_WORD = 3 };

/** Width, height, depth or layers, levels: four numbers. */
static LLVMValueRef information(const struct lull_fl *f, const struct lull_fl_image *image,
                                LLVMValueRef level)
{
    char name[96] = "";
    LLVMTypeRef types[2] = {LLVMVectorType(f->f32, 4), f->i32};
    LLVMValueRef args[5] = {lull_fl_int(f, ALL), level, image->words, lull_fl_int(f, 0),
                            lull_fl_int(f, 0)};
    snprintf(name, sizeof name, "llvm.amdgcn.image.getresinfo.%s",
             lull_fl_sampled_shape(image->type).name);
    LLVMValueRef v = lull_fl_call_types(f, name, types, 2, args, 5);
    return LLVMBuildBitCast(f->b, v, LLVMVectorType(f->i32, 4), "");
}

/** @p n numbers as the type of the result. */
LULL_MUST_USE static struct lull_error *give(struct lull_fl *f, const LLVMValueRef *v, unsigned n,
                                             LLVMValueRef *ret)
{
    const struct lull_fr_type *t = lull_fr_type_of(f->m, f->in->w[1]);
    LLVMTypeRef type = NULL;
    const bool plain = lull_fr_is_plain(t) && lull_fr_scalar(t)->kind == LULL_FR_INT;
    struct lull_error *err =
        plain ? lull_fl_type(f, t, &type) : lull_fl_bad(f, "its result is not integers");
    if (err == NULL && lull_fl_count(type) != n) {
        err = lull_fl_bad(f, "its result is not %u numbers", n);
    }
    if (err != NULL) {
        return err;
    }
    LLVMTypeRef scalar = lull_fl_scalar_of(type);
    *ret = LLVMGetPoison(type);
    for (unsigned i = 0; i < n; i++) {
        *ret = lull_fl_put(f, *ret, LLVMBuildIntCast2(f->b, v[i], scalar, false, ""), i);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *size(struct lull_fl *f, LLVMValueRef *ret)
{
    struct lull_fl_image image = {0};
    LLVMValueRef level = lull_fl_int(f, 0), v[3] = {0};
    struct lull_error *err = lull_fl_get_image(f, f->in->w[3], &image);
    if (err == NULL && f->in->op == SpvOpImageQuerySizeLod) {
        err = lull_fl_image_number(f, f->in->w[4], 'i', &level);
    }
    if (err != NULL) {
        return err;
    }
    if (lull_fl_is_texels(image.type)) {
        v[0] = lull_fl_texels_size(f, &image);
        return give(f, v, 1, ret);
    }
    const struct lull_fr_image *i = &image.type->image;
    LLVMValueRef all = information(f, &image, level);
    unsigned n = i->dim == SpvDimCube ? 2 : lull_fl_sampled_shape(image.type).spatial;
    for (unsigned k = 0; k < n; k++) {
        v[k] = lull_fl_part(f, all, k);
    }
    if (i->arrayed) {
        LLVMValueRef layers = lull_fl_part(f, all, LAYERS);
        v[n++] =
            i->dim == SpvDimCube ? LLVMBuildUDiv(f->b, layers, lull_fl_int(f, FACES), "") : layers;
    }
    return give(f, v, n, ret);
}

/** Levels, or samples: what images with samples have in the place of a last level. */
LULL_MUST_USE static struct lull_error *count(struct lull_fl *f, LLVMValueRef *ret)
{
    const bool levels = f->in->op == SpvOpImageQueryLevels;
    struct lull_fl_image image = {0};
    LLVMValueRef v = NULL;
    struct lull_error *err = lull_fl_get_image(f, f->in->w[3], &image);
    if (err == NULL &&
        (lull_fl_is_texels(image.type) || (bool)image.type->image.multisampled != !levels)) {
        err = lull_fl_bad(f, "an image that has none");
    }
    if (err != NULL) {
        return err;
    }
    if (levels) {
        v = lull_fl_part(f, information(f, &image, lull_fl_int(f, 0)), LEVELS);
    } else {
        LLVMValueRef word = lull_fl_part(f, image.words, KIND_WORD);
        v = LLVMBuildAnd(f->b, word, lull_fl_int(f, LULL_IMG11_WORD3__LAST_LEVEL_MASK), "");
        v = LLVMBuildLShr(f->b, v, lull_fl_int(f, LULL_IMG11_WORD3__LAST_LEVEL_SHIFT), "");
        v = LLVMBuildShl(f->b, lull_fl_int(f, 1), v, "");
    }
    return give(f, &v, 1, ret);
}

/** OpImageQueryLod: needs neighbours, as sampling without a level does. */
LULL_MUST_USE static struct lull_error *level_of_detail(struct lull_fl *f, LLVMValueRef *ret)
{
    struct lull_fl_image image = {0};
    struct lull_fl_image_call c = {0};
    LLVMValueRef at[LULL_FL_MAX_COORDS] = {0};
    char name[96] = "";
    struct lull_error *err = lull_fl_get_image(f, f->in->w[3], &image);
    if (err != NULL) {
        return err;
    }
    struct lull_fr_type flat = *image.type; // the layer is not in the coordinate
    flat.image.arrayed = false;
    const struct lull_fl_shape shape = lull_fl_sampled_shape(&flat);
    if (image.sampler == NULL || shape.name == NULL || flat.image.multisampled) {
        return lull_fl_bad(f, "%%%u is not an image with a sampler", f->in->w[3]);
    }
    if (f->m->model != SpvExecutionModelFragment) {
        return lull_fl_refuse(f, "outside of pixel shaders");
    }
    err = lull_fl_coordinates(f, f->in->w[4], 'f', shape.n, at);
    if (err != NULL) {
        return err;
    }
    if (flat.image.dim == SpvDimCube) {
        lull_fl_cube(f, false, at, NULL, NULL);
    }
    LLVMTypeRef types[2] = {LLVMVectorType(f->f32, 2), f->f32};
    snprintf(name, sizeof name, "llvm.amdgcn.image.getlod.%s", shape.name);
    lull_fl_push(&c, lull_fl_int(f, TWO));
    lull_fl_push_all(&c, at, shape.n);
    lull_fl_push(&c, image.words);
    lull_fl_push(&c, image.sampler);
    lull_fl_push(&c, LLVMConstInt(f->i1, 0, false));
    lull_fl_push(&c, lull_fl_int(f, 0));
    lull_fl_push(&c, lull_fl_int(f, 0));
    *ret = lull_fl_call_types(f, name, types, 2, c.args, c.n);
    return NULL;
}

/** OpImageSparseTexelsResident: hardware counts what failed. */
LULL_MUST_USE static struct lull_error *resident(struct lull_fl *f, LLVMValueRef *ret)
{
    LLVMValueRef code = NULL;
    struct lull_error *err = lull_fl_get_kind(f, f->in->w[3], 'i', &code);
    if (err == NULL) {
        *ret = LLVMBuildICmp(f->b, LLVMIntEQ, code, LLVMConstNull(LLVMTypeOf(code)), "");
    }
    return err;
}

struct lull_error *lull_fl_image_query(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    *ret_known = true;
    switch (f->in->op) {
    case SpvOpImageQuerySize:
    case SpvOpImageQuerySizeLod:
        return size(f, ret);
    case SpvOpImageQueryLevels:
    case SpvOpImageQuerySamples:
        return count(f, ret);
    case SpvOpImageQueryLod:
        return level_of_detail(f, ret);
    case SpvOpImageSparseTexelsResident:
        return resident(f, ret);
    default:
        *ret_known = false;
        return NULL;
    }
}
