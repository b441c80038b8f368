// SPDX-License-Identifier: MIT
/** @file
 * Between the files that lower shaders that draw.
 *
 * A vertex shader becomes a primitive shader (amdgpu_gs, NGG passthrough): stage_ngg.c is what
 * stands around it. Input variables are filled before the entry point's first block, output
 * variables are read behind its last. stage.c begins and ends a shader; stage_vs.c, stage_ps.c are
 * inputs, stage_ngg.c, stage_color.c outputs; fragment.c instructions of pixel shaders.
 *
 * Parameters are what a vertex shader gives to a pixel shader, sixteen bytes each. Each has a key;
 * its slot is how many written parameters have smaller keys.
 *
 * Source: LLVM, AMDGPUUsage "Calling Conventions" and IntrinsicsAMDGPU.td; Mesa 25.0.7,
 * src/amd/vulkan/radv_shader_args.c (registers at the start) and src/amd/common/ac_nir.c.
 */
#ifndef LULL_FRONT_LLVM_STAGE_H
#define LULL_FRONT_LLVM_STAGE_H

#include "front/interface.h"
#include "front/llvm/lower_priv.h"

/** Keys of parameters: locations, then built-ins. */
enum {
    LULL_FL_KEY_LAYER = LULL_FR_LOCATIONS,
    LULL_FL_KEY_VIEWPORT,
    LULL_FL_KEY_CLIP, ///< Clip distances, then cull distances, eight numbers.
    LULL_FL_KEY_CLIP1,
    LULL_FL_KEY_POINT, ///< gl_PointCoord, which no vertex shader writes.
    LULL_FL_NKEYS,
    LULL_FL_WORDS = 4, ///< Of a parameter.
};

/** Where inputs of a pixel shader are interpolated. */
enum lull_fl_place { LULL_FL_CENTER, LULL_FL_CENTROID, LULL_FL_SAMPLE };

struct lull_fl_stage {
    bool pixel;
    LLVMBasicBlockRef end;  ///< Where the shader's code ends: outputs follow.
    LLVMBasicBlockRef done; ///< Of primitive shaders: behind the vertex's part.
    LLVMValueRef lane;      ///< Of primitive shaders.
    uint64_t keys;          ///< Parameters that are written or read.
    uint64_t flat;          ///< Of them, those that are not interpolated.
    LLVMValueRef words[LULL_FL_NKEYS][LULL_FL_WORDS]; ///< Written: i32; NULL: not written.
    bool per_sample;                                  ///< The shader runs for each sample.
    LLVMValueRef ij; ///< Weights for instructions that interpolate; NULL: each input's own.
    uint32_t again;  ///< Input that is interpolated again; 0: none.
};

/** Number of the parameter with @p key among those that are written or read. */
static inline unsigned lull_fl_slot_of(const struct lull_fl_stage *s, unsigned key)
{
    return (unsigned)__builtin_popcountll(s->keys & ((UINT64_C(1) << key) - 1));
}

/** Parameter @p i of the shader's function. */
static inline LLVMValueRef lull_fl_param(const struct lull_fl *f, unsigned i)
{
    return LLVMGetParam(f->fn, i);
}

// stage.c

/** The entry function, with the registers that the hardware fills. */
struct lull_error *lull_fl_stage_function(struct lull_fl *f) LULL_MUST_USE;
/** Behind the variables: blocks around the shader. */
struct lull_error *lull_fl_stage_begin(struct lull_fl *f) LULL_MUST_USE;
/** What the shader gives out; the builder is where the function returns. */
struct lull_error *lull_fl_stage_end(struct lull_fl *f) LULL_MUST_USE;

/** Give the input variables their values; of a pixel shader with stage->again that one's copy. */
struct lull_error *lull_fl_fill_inputs(struct lull_fl *f) LULL_MUST_USE;

// stage_words.c

/** The place of a leaf in memory. */
struct lull_error *lull_fl_leaf_at(struct lull_fl *f, const struct lull_fr_leaf *leaf,
                                   struct lull_fl_pointer *ret) LULL_MUST_USE;

/** A value as 32-bit integers: floats of 16 bits as of 32, integers widened, 64 bits as two.
 * @return How many, at most 8. */
unsigned lull_fl_to_words(const struct lull_fl *f, const struct lull_fr_type *t, LLVMValueRef v,
                          LLVMValueRef words[8]);
/** The value of type @p t that the words mean. */
LLVMValueRef lull_fl_from_words(const struct lull_fl *f, const struct lull_fr_type *t,
                                const LLVMValueRef words[8]);
/** Words of a type. */
unsigned lull_fl_nwords(const struct lull_fr_type *t);

// stage_vs.c, stage_ps.c

/** A part of what the entry point reads: its value. */
struct lull_error *lull_fl_vertex_input(struct lull_fl *f, const struct lull_fr_leaf *leaf,
                                        LLVMValueRef *ret) LULL_MUST_USE;
struct lull_error *lull_fl_pixel_input(struct lull_fl *f, const struct lull_fr_leaf *leaf,
                                       LLVMValueRef *ret) LULL_MUST_USE;

/** Count the parameters that a pixel shader reads. */
struct lull_error *lull_fl_pixel_keys(struct lull_fl *f) LULL_MUST_USE;

/** Weights of a place. */
LLVMValueRef lull_fl_weights(const struct lull_fl *f, enum lull_fl_place place, bool linear);

// stage_ngg.c

/** The part for primitives, and the begin of that for vertices. */
void lull_fl_ngg_begin(struct lull_fl *f);
/** Position and parameters. */
struct lull_error *lull_fl_ngg_end(struct lull_fl *f) LULL_MUST_USE;

// stage_color.c
struct lull_error *lull_fl_pixel_end(struct lull_fl *f) LULL_MUST_USE;

// fragment.c

/** Difference to the lane beside in a block of four: @p y down, else to the right. */
LLVMValueRef lull_fl_derivative(const struct lull_fl *f, LLVMValueRef v, bool y, bool fine);

#endif
