// SPDX-License-Identifier: MIT
// Images, samplers and texel buffers as values: their types, and where they are read from.
#include <spirv/unified1/spirv.h>

#include "front/llvm/image_priv.h"

enum { IMAGE_WORDS = 8, SAMPLER_WORDS = 4 };

bool lull_fl_is_texels(const struct lull_fr_type *image)
{
    return image->image.dim == SpvDimBuffer;
}

/** Indexed by dimension (1D, 2D, 3D, cube); layers; samples. A name of NULL: there is none. */
static const struct lull_fl_shape shapes[4][2][2] = {
    [SpvDim1D] = {{{"1d", 1, 1}, {0}}, {{"1darray", 1, 2}, {0}}},
    [SpvDim2D] = {{{"2d", 2, 2}, {"2dmsaa", 2, 2}}, {{"2darray", 2, 3}, {"2darraymsaa", 2, 3}}},
    [SpvDim3D] = {{{"3d", 3, 3}, {0}}, {{0}, {0}}},
    [SpvDimCube] = {{{"cube", 3, 3}, {0}}, {{"cube", 3, 4}, {0}}},
};

struct lull_fl_shape lull_fl_sampled_shape(const struct lull_fr_type *image)
{
    const struct lull_fr_image *i = &image->image;
    if (i->dim == SpvDimSubpassData) { // An input attachment has the pixels' size, and layers.
        return shapes[SpvDim2D][1][i->multisampled];
    }
    return i->dim <= SpvDimCube ? shapes[i->dim][i->arrayed][i->multisampled]
                                : (struct lull_fl_shape){0};
}

struct lull_fl_shape lull_fl_stored_shape(const struct lull_fr_type *image)
{
    return image->image.dim == SpvDimCube ? shapes[SpvDim2D][1][0] : lull_fl_sampled_shape(image);
}

LLVMTypeRef lull_fl_descriptor_type(const struct lull_fl *f, const struct lull_fr_type *t)
{
    LLVMTypeRef four = LLVMVectorType(f->i32, SAMPLER_WORDS);
    LLVMTypeRef both[2] = {NULL, four};
    switch (t->op) {
    case SpvOpTypeSampler:
        return four;
    case SpvOpTypeImage:
        return lull_fl_is_texels(t)                    ? four
               : lull_fl_sampled_shape(t).name != NULL ? LLVMVectorType(f->i32, IMAGE_WORDS)
                                                       : NULL;
    case SpvOpTypeSampledImage:
        both[0] = lull_fl_descriptor_type(f, t->element);
        return both[0] != NULL ? LLVMStructTypeInContext(f->c, both, 2, false) : NULL;
    default:
        return NULL;
    }
}

/** Call of lull.KIND.desc. */
static LLVMValueRef descriptor(const struct lull_fl *f, const struct lull_fl_pointer *p,
                               const char *const names[2], unsigned words)
{
    LLVMValueRef args[3] = {lull_fl_int(f, p->set), lull_fl_int(f, p->binding), p->offset};
    return lull_fl_extern(f, names[p->non_uniform], LLVMVectorType(f->i32, words), args, 3);
}

LLVMValueRef lull_fl_load_descriptor(const struct lull_fl *f, const struct lull_fl_pointer *p)
{
    static const char *const texels[] = {"lull.texel.desc", "lull.texel.desc.nonuniform"};
    static const char *const image[] = {"lull.image.desc", "lull.image.desc.nonuniform"};
    static const char *const sampler[] = {"lull.sampler.desc", "lull.sampler.desc.nonuniform"};
    const struct lull_fr_type *t = p->type;
    if (t->op == SpvOpTypeSampler) {
        return descriptor(f, p, sampler, SAMPLER_WORDS);
    }
    const struct lull_fr_type *of = t->op == SpvOpTypeSampledImage ? t->element : t;
    const bool buffer = lull_fl_is_texels(of);
    LLVMValueRef words =
        descriptor(f, p, buffer ? texels : image, buffer ? SAMPLER_WORDS : IMAGE_WORDS);
    if (t->op == SpvOpTypeImage) {
        return words;
    }
    LLVMValueRef both = LLVMGetPoison(lull_fl_descriptor_type(f, t));
    both = LLVMBuildInsertValue(f->b, both, words, 0, "");
    return buffer
               ? both
               : LLVMBuildInsertValue(f->b, both, descriptor(f, p, sampler, SAMPLER_WORDS), 1, "");
}
