// SPDX-License-Identifier: MIT
/** @file
 * Images, samplers and texel buffers of gfx11 for the interpreter (front/eval): what its accesses
 * give, by descriptors and memory of the host.
 *
 * Which texels a coordinate means, and how they are filtered, is as the model has it (model/sample,
 * and what model/amd/img/img.h says where documents leave it open). Anisotropic filters take the
 * samples along the longer gradient. All memory is resident.
 */
#ifndef LULL_FRONT_TEXEL_TEXEL_H
#define LULL_FRONT_TEXEL_TEXEL_H

#include "front/eval/eval.h"
#include "tex/descriptor.h"
#include "tex/tiling.h"

/** Memory where texels are. */
struct lull_texel_memory {
    void *arg;
    struct lull_error *(*read)(void *arg, uint64_t va, void *ret, size_t size);
    struct lull_error *(*write)(void *arg, uint64_t va, const void *data, size_t size);
};

/** What a descriptor is of. */
enum lull_texel_kind { LULL_TEXEL_IMAGE, LULL_TEXEL_BUFFER };

struct lull_texel {
    enum lull_texel_kind kind;
    struct lull_image_desc image;     ///< IMAGE.
    struct lull_buffer_desc buffer;   ///< BUFFER.
    struct lull_sampler_desc sampler; ///< Of accesses that have one.
    uint32_t border[4];               ///< The colour of a sampler whose border is from a table.
};

/**
 * Do what @p io says.
 *
 * @return What memory's functions returned. LULL_ERR_UNSUPPORTED: a format or a tiling that is not
 *         known, or memory that is compressed. Outside of the image is no error.
 */
struct lull_error *lull_texel_do(const struct lull_texel *t, const struct lull_texel_memory *memory,
                                 struct lull_ev_image *io) LULL_MUST_USE;

#endif
