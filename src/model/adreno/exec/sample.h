// SPDX-License-Identifier: MIT
/** @file
 * Textures through samplers of a6xx and a7xx: what one fiber gets.
 *
 * Where no document says it, as Vulkan has it: texel coordinates and levels of detail have 8 bits
 * of fraction, points are taken down to the texel, arithmetic is done in double and rounded once.
 * The border's colour is put in before the descriptor's swizzle; components that the format lacks
 * are 0 and 1 in it, too. Source: Mesa fdl/fd6_view.c (swizzles), vulkan/tu_device.cc (samplers,
 * border colours).
 */
#ifndef LULL_MODEL_ADRENO_EXEC_SAMPLE_H
#define LULL_MODEL_ADRENO_EXEC_SAMPLE_H

#include "model/adreno/exec/image.h"
#include "model/sample/level.h"

/** A sampler's descriptor. */
struct lull_ir3_sampler {
    bool mag_linear, min_linear, mip_linear;
    bool base_only; ///< No level but the first.
    bool seamless;  ///< Cubes: beyond an edge is another face.
    bool unnormalized;
    uint8_t wrap[3];                ///< enum lull_wrap.
    uint8_t aniso;                  ///< Most samples of an anisotropic filter; 1: it is none.
    uint8_t compare;                ///< For lull_taps_compare().
    uint8_t reduction;              ///< enum lull_reduction.
    uint32_t border;                ///< Number of the border's colour.
    int32_t bias, min_lod, max_lod; ///< In 1/256 of a level.
};

/** Descriptor @p words of LULL_IR3_SAMPLER dwords; false: lull does not do such, and @p w has
 * stopped. */
bool lull_ir3_sampler_of(struct lull_ir3_wave *w, const uint32_t *words,
                         struct lull_ir3_sampler *ret);

/** A texture and a sampler, made once for many fibers. */
struct lull_ir3_pair {
    struct lull_ir3_image image;
    struct lull_ir3_sampler sampler;
    uint32_t border[4]; ///< As a texel.
};

/** Fill in @p p->border: from memory, by env->border. */
void lull_ir3_border(struct lull_ir3_wave *w, struct lull_ir3_env *env, unsigned fiber,
                     struct lull_ir3_pair *p);

/** What is done with the texels. */
enum lull_ir3_sampling {
    LULL_IR3_FILTER,
    LULL_IR3_GATHER, ///< A component of four texels.
    LULL_IR3_LEVELS, ///< getlod.
};

/** What a fiber asks for. */
struct lull_ir3_asked {
    enum lull_ir3_sampling what;
    uint8_t component; ///< LULL_IR3_GATHER.
    bool cube;         ///< Coordinates are a direction.
    bool compares;
    bool explicit_lod; ///< lod is the level; else it is added to that of the gradients.
    float coord[3], layer, reference, lod;
    float d[2][3]; ///< Gradients towards the right and below.
    int32_t offset[3];
};

/** Four components as a shader sees them; of LULL_IR3_LEVELS two numbers in 1/256 of a level. */
void lull_ir3_sample(struct lull_ir3_wave *w, struct lull_ir3_env *env, unsigned fiber,
                     const struct lull_ir3_pair *p, const struct lull_ir3_asked *a,
                     uint32_t rgba[4]);

#endif
