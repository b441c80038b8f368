// SPDX-License-Identifier: MIT
/** @file
 * Between the files that lower images, samplers and texel buffers.
 *
 * As a value an image is its descriptor, a vector of 8 words; a sampler and a texel buffer have 4.
 * A sampled image is a struct of an image and a sampler. descriptor.c makes these, image.c knows
 * what all instructions need; over it are image_cube.c, texel.c, image_access.c, image_sample.c,
 * image_query.c.
 *
 * Source: LLVM 19, IntrinsicsAMDGPU.td, "AMDGPUImageDimIntrinsic": order of operands.
 */
#ifndef LULL_FRONT_LLVM_IMAGE_PRIV_H
#define LULL_FRONT_LLVM_IMAGE_PRIV_H

#include "front/llvm/lower_priv.h"

enum {
    LULL_FL_MAX_COORDS = 4,     ///< Coordinates of an image, with its layer and sample.
    LULL_FL_MAX_IMAGE_ARGS = 32 ///< Arguments of an intrinsic.
};

/** How an intrinsic calls the dimensions of an image. */
struct lull_fl_shape {
    const char *name; ///< "2darray".
    unsigned spatial; ///< Coordinates without the layer: offsets, derivatives. Of a cube 3.
    unsigned n;       ///< With it.
};

/** An image as an instruction uses it. */
struct lull_fl_image {
    const struct lull_fr_type *type; ///< OpTypeImage.
    LLVMValueRef words;
    LLVMValueRef sampler; ///< NULL: none.
    bool coherent;        ///< The variable says so.
};

/** Image operands; NULL where there is none. */
struct lull_fl_image_operands {
    LLVMValueRef bias, lod, dx, dy, offset, offsets, sample, min_lod;
    bool coherent; ///< The access is seen by others, or sees what they do.
    bool is_signed, is_unsigned;
};

/** Arguments of an intrinsic, and the types that it is overloaded on. */
struct lull_fl_image_call {
    LLVMValueRef args[LULL_FL_MAX_IMAGE_ARGS];
    unsigned n;
    LLVMTypeRef types[4];
    unsigned ntypes;
};

// descriptor.c

/** For instructions that sample: cubes are cubes. */
struct lull_fl_shape lull_fl_sampled_shape(const struct lull_fr_type *image);
/** For those that read and write: faces of cubes are layers. */
struct lull_fl_shape lull_fl_stored_shape(const struct lull_fr_type *image);
bool lull_fl_is_texels(const struct lull_fr_type *image);

// image.c

/** The image that an id is; of a sampled image with its sampler. */
struct lull_error *lull_fl_get_image(struct lull_fl *f, uint32_t id,
                                     struct lull_fl_image *ret) LULL_MUST_USE;

/** The image operands from word @p at on. */
struct lull_error *lull_fl_image_operands(struct lull_fl *f, uint32_t at,
                                          struct lull_fl_image_operands *ret) LULL_MUST_USE;

/** The first @p n numbers of a coordinate, as i32 or float. */
struct lull_error *lull_fl_coordinates(struct lull_fl *f, uint32_t id, char kind, unsigned n,
                                       LLVMValueRef *ret) LULL_MUST_USE;

/** A scalar as i32 or float. */
struct lull_error *lull_fl_image_number(struct lull_fl *f, uint32_t id, char kind,
                                        LLVMValueRef *ret) LULL_MUST_USE;

void lull_fl_push(struct lull_fl_image_call *c, LLVMValueRef v);
void lull_fl_push_all(struct lull_fl_image_call *c, const LLVMValueRef *v, unsigned n);

/** Is the instruction one with a residency code? */
bool lull_fl_is_sparse(uint32_t op);

/** The type of texels that the instruction gives; an error if they are not numbers. */
struct lull_error *lull_fl_texel_type(struct lull_fl *f,
                                      const struct lull_fr_type **ret) LULL_MUST_USE;

/** What an intrinsic gives: floats of @p n words, and a residency code if it is sparse. */
LLVMTypeRef lull_fl_raw_type(const struct lull_fl *f, unsigned n, bool sparse);

/** The instruction's result out of that. */
LLVMValueRef lull_fl_texel(const struct lull_fl *f, const struct lull_fr_type *texel,
                           LLVMValueRef raw, bool sparse);

// image_cube.c

/** A direction in a cube: where on which face. @p v has 3 numbers, and a layer if @p layered;
 * in their place come 3. Derivatives of 3 numbers become 2; NULL: none. */
void lull_fl_cube(const struct lull_fl *f, bool layered, LLVMValueRef *v, LLVMValueRef *dx,
                  LLVMValueRef *dy);

// texel.c

LLVMValueRef lull_fl_load_texels(const struct lull_fl *f, const struct lull_fl_image *image,
                                 LLVMValueRef at, LLVMTypeRef raw, bool coherent);
void lull_fl_store_texels(const struct lull_fl *f, const struct lull_fl_image *image,
                          LLVMValueRef at, LLVMValueRef v, bool coherent);
LLVMValueRef lull_fl_texels_size(const struct lull_fl *f, const struct lull_fl_image *image);
/** @p name: "add". @p compare: NULL, but for "cmpswap". */
LLVMValueRef lull_fl_texels_atomic(const struct lull_fl *f, LLVMValueRef words, const char *name,
                                   LLVMValueRef at, LLVMValueRef v, LLVMValueRef compare);

#endif
