// SPDX-License-Identifier: MIT
/** @file
 * Between the files that lower shaders that draw.
 *
 * A vertex shader becomes a primitive shader (amdgpu_gs, NGG passthrough): stage_ngg.c is what
 * stands around it. Input variables are filled before the entry point's first block, output
 * variables are read behind its last. stage.c begins and ends a shader; stage_vs.c, stage_ps.c are
 * inputs, stage_out.c, stage_color.c outputs; fragment.c instructions of pixel shaders. A mesh
 * shader's outputs are in LDS, where all its lanes write them: stage_mesh.c. A geometry shader's
 * function calls that of the vertex shader before it; both pass vertices on in LDS: stage_gs.c.
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
    LULL_FL_KEY_POINT,     ///< gl_PointCoord, which no vertex shader writes.
    LULL_FL_KEY_PRIMITIVE, ///< gl_PrimitiveID, which no vertex shader writes either.
    LULL_FL_NKEYS,
    LULL_FL_WORDS = 4, ///< Of a parameter.
    LULL_FL_DISTANCES = 8,
};

/** Where inputs of a pixel shader are interpolated. */
enum lull_fl_place { LULL_FL_CENTER, LULL_FL_CENTROID, LULL_FL_SAMPLE };

struct lull_fl_stage {
    bool pixel, mesh;
    bool part;                         ///< The vertex shader before a geometry shader.
    struct lull_fl_geometry *geometry; ///< Of a geometry shader and the part before it; else NULL.
    LLVMValueRef vertices;             ///< Of a geometry shader: the function that is the part.
    LLVMBasicBlockRef end;             ///< Where the shader's code ends: outputs follow.
    LLVMBasicBlockRef done; ///< Of primitive shaders: behind the part for threads of the API.
    LLVMValueRef lane;      ///< Of primitive shaders.
    LLVMValueRef index;     ///< Of mesh and geometry shaders: the lane's number in its workgroup.
    /** Memory: of mesh shaders for what SetMeshOutputs said, of geometry shaders for how many
     * vertices were emitted, all and of the strip. */
    LLVMValueRef counts[2];
    uint64_t keys;         ///< Parameters that are written or read.
    uint64_t flat;         ///< Of them, those that are not interpolated.
    uint64_t smooth;       ///< Those that are, or of which parts are.
    unsigned nclip, ncull; ///< Distances that a pixel shader reads.
    uint64_t primitive;    ///< Of them, those that belong to a primitive; they are the last.
    LLVMValueRef words[LULL_FL_NKEYS][LULL_FL_WORDS]; ///< Written: i32; NULL: not written.
    bool per_sample;                                  ///< The shader runs for each sample.
    LLVMValueRef ij; ///< Weights for instructions that interpolate; NULL: each input's own.
    uint32_t again;  ///< Input that is interpolated again; 0: none.
};

/** Parameters of a vertex: at least one if a primitive has some, since the hardware counts so. */
static inline unsigned lull_fl_vertex_slots(const struct lull_fl_stage *s)
{
    const unsigned n = (unsigned)__builtin_popcountll(s->keys & ~s->primitive);
    return n == 0 && s->primitive != 0 && !s->pixel ? 1 : n;
}

/** All parameters, with that one. */
static inline unsigned lull_fl_slots(const struct lull_fl_stage *s)
{
    return lull_fl_vertex_slots(s) + (unsigned)__builtin_popcountll(s->keys & s->primitive);
}

/** Number of the parameter with @p key among those that are written or read. */
static inline unsigned lull_fl_slot_of(const struct lull_fl_stage *s, unsigned key)
{
    const uint64_t below = (UINT64_C(1) << key) - 1;
    const bool primitive = (s->primitive >> key & 1) != 0;
    const uint64_t like = s->keys & (primitive ? s->primitive : ~s->primitive);
    return (primitive ? lull_fl_vertex_slots(s) : 0) + (unsigned)__builtin_popcountll(like & below);
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

// refuse.c

/** Is the entry point a shader that is compiled, for that generation of processors? */
struct lull_error *lull_fl_check_model(const struct lull_fr_module *m, unsigned gfx) LULL_MUST_USE;
/** Does no function query rays? */
struct lull_error *lull_fl_check_rays(const struct lull_fr_module *m) LULL_MUST_USE;

// stage_words.c

/** The place of a leaf in memory. @p each: which vertex or primitive, of a leaf for each. */
struct lull_error *lull_fl_leaf_at(struct lull_fl *f, const struct lull_fr_leaf *leaf,
                                   LLVMValueRef each, struct lull_fl_pointer *ret) LULL_MUST_USE;

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

// stage_rows.c

/** Bits of a number. */
LLVMValueRef lull_fl_field(const struct lull_fl *f, LLVMValueRef v, unsigned shift, uint32_t mask);
/** Number of the wave in its subgroup. */
LLVMValueRef lull_fl_wave_number(const struct lull_fl *f);
/** GS_ALLOC_REQ, by the first wave: so much is exported. */
void lull_fl_request(const struct lull_fl *f, LLVMValueRef nvertices, LLVMValueRef nprimitives);

/** A loop over rows of lanes: each wave has its own row, then those that no wave has. */
struct lull_fl_rows {
    LLVMValueRef row, index; ///< Its number; that of a lane in it.
    LLVMBasicBlockRef head, next, after;
};
/** The code that follows runs for each number below @p count, the same in all lanes. */
void lull_fl_rows_begin(const struct lull_fl *f, LLVMValueRef count, unsigned nwaves,
                        struct lull_fl_rows *ret);
void lull_fl_rows_end(const struct lull_fl *f, const struct lull_fl_rows *r);

// stage_mesh.c

/** Blocks around the shader, and its parameters. */
struct lull_error *lull_fl_mesh_begin(struct lull_fl *f) LULL_MUST_USE;
/** The vertices and primitives of the workgroup. */
struct lull_error *lull_fl_mesh_end(struct lull_fl *f) LULL_MUST_USE;
/** What the entry point reads: its value. */
struct lull_error *lull_fl_mesh_input(struct lull_fl *f, const struct lull_fr_leaf *leaf,
                                      LLVMValueRef *ret) LULL_MUST_USE;

// stage_gs.c

enum { LULL_FL_PART_INDEX = 17 }; ///< Parameter of a part: number of the vertex in its subgroup.

/** Before any code: what vertices give, and how large subgroups are. */
struct lull_error *lull_fl_geometry_prepare(struct lull_fl *f) LULL_MUST_USE;
/** The part for vertices, and the begin of that for primitives. */
struct lull_error *lull_fl_geometry_begin(struct lull_fl *f) LULL_MUST_USE;
/** What was emitted goes out. */
struct lull_error *lull_fl_geometry_end(struct lull_fl *f) LULL_MUST_USE;
/** Fill a part of what comes in with each vertex. */
struct lull_error *lull_fl_geometry_input(struct lull_fl *f,
                                          const struct lull_fr_leaf *leaf) LULL_MUST_USE;
/** A built-in of the primitive; NULL: it is none. */
LLVMValueRef lull_fl_geometry_builtin(const struct lull_fl *f, uint32_t which);
/** Of the vertex shader before: its outputs into LDS. */
struct lull_error *lull_fl_vertex_part_end(struct lull_fl *f) LULL_MUST_USE;

// stage_out.c

/** What goes out of a vertex or primitive and is no parameter; NULL: not written. */
struct lull_fl_out {
    LLVMValueRef position; ///< Four floats.
    LLVMValueRef size, layer, viewport;
    LLVMValueRef clip[LULL_FL_DISTANCES], cull[LULL_FL_DISTANCES];
    unsigned nclip, ncull;
    LLVMValueRef id;              ///< Of the primitive.
    LLVMValueRef culled, corners; ///< Of primitives of mesh shaders.
};

/** Does a primitive have one of it, and not a vertex? */
bool lull_fl_is_of_primitive(const struct lull_fr_leaf *leaf);

/** Take what the shader left in its outputs: into stage->words and @p ret.
 * @param each Which vertex or primitive, of stages that have outputs for each; else NULL. */
struct lull_error *lull_fl_out_collect(struct lull_fl *f, LLVMValueRef each, bool primitive,
                                       struct lull_fl_out *ret) LULL_MUST_USE;
/** Parameters @p keys of vertex or primitive @p index into the attribute ring. */
void lull_fl_out_store(struct lull_fl *f, uint64_t keys, LLVMValueRef index);
/** Export positions: of the wave's own vertices, or of wave number @p row's; NULL: its own. */
void lull_fl_out_positions(const struct lull_fl *f, const struct lull_fl_out *p, LLVMValueRef row);
/** Say what the positions mean, for PA_CL_VS_OUT_CNTL. */
void lull_fl_out_describe(const struct lull_fl *f, const struct lull_fl_out *p);

// stage_color.c
struct lull_error *lull_fl_pixel_end(struct lull_fl *f) LULL_MUST_USE;

// fragment.c

/** Difference to the lane beside in a block of four: @p y down, else to the right. */
LLVMValueRef lull_fl_derivative(const struct lull_fl *f, LLVMValueRef v, bool y, bool fine);

#endif
