// SPDX-License-Identifier: MIT
/** @file
 * Between the files that lower shaders that draw.
 *
 * A vertex shader becomes a primitive shader (amdgpu_gs, NGG passthrough): stage_ngg.c is what
 * stands around it. On gfx9 it stays a vertex shader (amdgpu_vs). Which registers a chip fills:
 * stage_regs.c. Input variables are filled before the entry point's first block, output
 * variables are read behind its last. stage.c begins and ends a shader; stage_vs.c, stage_ps.c are
 * inputs, stage_out.c, stage_color.c outputs; fragment.c instructions of pixel shaders. A mesh
 * shader's outputs are in LDS, where all its lanes write them: stage_mesh.c. A geometry shader's
 * function calls that of the vertex or evaluation shader before it; both pass vertices on in LDS:
 * stage_gs.c, and stage_ring.c for gfx9. So does a tessellation control shader's (amdgpu_hs), whose
 * outputs are in LDS, and go off chip at its end: stage_hull.c; stage_tess.c is what lies there,
 * and who reads it.
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

/** Generations of chips. */
enum { LULL_FL_GFX9 = 9, LULL_FL_GFX10 = 10, LULL_FL_GFX11 = 11, LULL_FL_GFX12 = 12 };

/** Registers that are not in the same place on all chips. */
enum lull_fl_register {
    LULL_FL_VERTEX, ///< Number of the vertex.
    LULL_FL_INSTANCE,
    LULL_FL_RELATIVE_VERTEX, ///< Of hull shaders before gfx11: number of the vertex in the group.
    LULL_FL_U,               ///< Of evaluation shaders, as all that follow.
    LULL_FL_V,
    LULL_FL_RELATIVE_PATCH,
    LULL_FL_PATCH,
    LULL_FL_BASE_OFF_CHIP, ///< Where the group's patches are.
    LULL_FL_PRIMITIVE_ID,  ///< Of vertex shaders: number of the primitive.
    LULL_FL_NREGISTERS,
};

/** Where inputs of a pixel shader are interpolated. */
enum lull_fl_place { LULL_FL_CENTER, LULL_FL_CENTROID, LULL_FL_SAMPLE };

struct lull_fl_stage {
    bool pixel, mesh;
    bool part;                         ///< The shader before a geometry or control shader.
    struct lull_fl_geometry *geometry; ///< Of a geometry shader and the part before it; else NULL.
    struct lull_fl_hull *hull;         ///< Of a control shader and the part before it; else NULL.
    LLVMValueRef vertices;             ///< Of both: the function that is the part.
    bool has_ring;          ///< Of geometry shaders of gfx9: what is emitted goes through memory.
    unsigned ring_words;    ///< ... words of a vertex.
    LLVMValueRef ring;      ///< ... where they go.
    LLVMBasicBlockRef end;  ///< Where the shader's code ends: outputs follow.
    LLVMBasicBlockRef done; ///< Of primitive shaders: behind the part for threads of the API.
    LLVMValueRef lane;      ///< Of primitive shaders.
    LLVMValueRef index; ///< Of mesh, geometry and control shaders: the lane's number in its group.
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
    LLVMValueRef layer; ///< Of pixel shaders with input attachments: the one that is drawn to.
    LLVMValueRef ij;    ///< Weights for instructions that interpolate; NULL: each input's own.
    uint32_t again;     ///< Input that is interpolated again; 0: none.
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

/** Say to the pass that writes metadata that the shader reads gl_PrimitiveID. */
static inline void lull_fl_is_numbered(const struct lull_fl *f)
{
    LLVMAddTargetDependentFunctionAttr(f->fn, "lull-reads", "primitive-id");
}

/** The number of the view that is drawn, which a driver gives as user data: PAL's ViewId. Source:
 * PAL inc/core/palPipelineAbi.h, Util::Abi::UserDataMapping. */
static inline LLVMValueRef lull_fl_view(const struct lull_fl *f)
{
    enum { VIEW_ID = 0x1000000b };
    LLVMValueRef arg = lull_fl_int(f, VIEW_ID);
    return lull_fl_extern(f, "lull.user.data", f->i32, &arg, 1);
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

// stage_regs.c

/** Is a shader of vertices a primitive shader (NGG)? Else it is a hardware vertex shader. */
bool lull_fl_is_primitive_shader(const struct lull_fl *f);
/** Types of the parameters of the function, but of pixel shaders; how many, and SGPRs of them. */
unsigned lull_fl_vertex_registers(const struct lull_fl *f, LLVMTypeRef *types, unsigned *ret_sgprs);
/** A register that the shader has on its chip. */
LLVMValueRef lull_fl_register(const struct lull_fl *f, enum lull_fl_register which);
/** Arguments of a part before the shader. */
void lull_fl_part_registers(const struct lull_fl *f, LLVMValueRef *args);

// refuse.c

/** Is the entry point a shader that is compiled, for that chip? */
struct lull_error *lull_fl_check_model(const struct lull_fr_module *m, const char *cpu,
                                       unsigned gfx) LULL_MUST_USE;
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

/** The pixel of a pixel shader: its x, @p part 0, or y, as an integer. */
/** What subpass loads need, while all lanes are there. */
void lull_fl_pixel_begin(struct lull_fl *f);
LLVMValueRef lull_fl_pixel_place(const struct lull_fl *f, unsigned part);

/** Count the parameters that a pixel shader reads. */
struct lull_error *lull_fl_pixel_keys(struct lull_fl *f) LULL_MUST_USE;

/** Weights of a place. */
LLVMValueRef lull_fl_weights(const struct lull_fl *f, enum lull_fl_place place, bool linear);

// stage_ngg.c

/** The part for primitives, and the begin of that for vertices. */
struct lull_error *lull_fl_ngg_begin(struct lull_fl *f) LULL_MUST_USE;
/** Position and parameters. */
struct lull_error *lull_fl_ngg_end(struct lull_fl *f) LULL_MUST_USE;

// stage_rows.c

/** Bits of a number. */
LLVMValueRef lull_fl_field(const struct lull_fl *f, LLVMValueRef v, unsigned shift, uint32_t mask);
/** Number of the wave in its subgroup. */
LLVMValueRef lull_fl_wave_number(const struct lull_fl *f);
/** GS_ALLOC_REQ, by the first wave: so much is exported. */
void lull_fl_request(const struct lull_fl *f, LLVMValueRef nvertices, LLVMValueRef nprimitives);

/** Bits from one corner to the next in the word that is a primitive. */
unsigned lull_fl_corner_bits(const struct lull_fl *f);

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

// stage_vertex.c

enum {
    /** Of what vertices give: locations, position, size, two of clip and two of cull distances. */
    LULL_FL_VERTEX_KEYS = LULL_FR_LOCATIONS + 6,
    LULL_FL_MOST_VARIABLES = 64,
    LULL_FL_PART_INDEX = 17, ///< Parameter of a part: number of the vertex in its subgroup.
};

/** Key of what a vertex gives; LULL_FL_VERTEX_KEYS: nothing that passes. */
unsigned lull_fl_vertex_key(const struct lull_fr_leaf *leaf);
/** Words of a leaf, at most 8; 0: it is of no type that passes. */
unsigned lull_fl_leaf_words(const struct lull_fr_leaf *leaf);
/** The words of a value, and the value that they mean: as lull_fl_to_words(), or an array. */
unsigned lull_fl_leaf_to_words(const struct lull_fl *f, const struct lull_fr_leaf *leaf,
                               LLVMValueRef v, LLVMValueRef words[8]);
LLVMValueRef lull_fl_leaf_from_words(const struct lull_fl *f, const struct lull_fr_leaf *leaf,
                                     const LLVMValueRef words[8]);

/** An interface variable, and an array of it in LDS. */
struct lull_fl_io {
    uint32_t id;
    const struct lull_fr_type *t;
    LLVMTypeRef type;
    LLVMValueRef all;
};

struct lull_fl_variables {
    struct lull_fl_io list[LULL_FL_MOST_VARIABLES];
    unsigned n;
};

/** Add the variables of @p storage that functions use, without memory. */
struct lull_error *lull_fl_list_variables(struct lull_fl *f, uint32_t storage,
                                          struct lull_fl_variables *to) LULL_MUST_USE;
/** Bytes of one of each. */
uint64_t lull_fl_variables_bytes(const struct lull_fl *f, const struct lull_fl_variables *all);
/** An array in LDS. */
LLVMValueRef lull_fl_lds(const struct lull_fl *f, LLVMTypeRef type, uint64_t n, const char *name);
/** Run the part before, in lanes with a vertex; all arguments but its index are given. */
void lull_fl_run_part(struct lull_fl *f, LLVMValueRef args[LULL_FL_PART_INDEX + 1]);

// stage_gs.c

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

// stage_ring.c

/** Before any code: words of a vertex. */
struct lull_error *lull_fl_ring_prepare(struct lull_fl *f) LULL_MUST_USE;
/** Where the shader for primitives begins. */
void lull_fl_ring_begin(struct lull_fl *f);
/** The outputs as they are now are the lane's vertex number @p vertex. */
struct lull_error *lull_fl_ring_emit(struct lull_fl *f, LLVMValueRef vertex) LULL_MUST_USE;
/** The strip ends. */
void lull_fl_ring_cut(const struct lull_fl *f);
/** The wave emits no more. */
void lull_fl_ring_end(const struct lull_fl *f);
/** Of the copy shader: outputs from the ring. */
struct lull_error *lull_fl_ring_take(struct lull_fl *f) LULL_MUST_USE;

// stage_place.c

/** A control shader, and the part before it. */
struct lull_fl_hull {
    unsigned patches; ///< Of a group, at most.
    struct lull_fl_variables inputs, outputs;
    LLVMValueRef patch, point, first; ///< Of the lane; number of the patch's first vertex.
};

/** The variable with @p id; NULL: it is not among them. */
const struct lull_fl_io *lull_fl_io_of(const struct lull_fl_variables *all, uint32_t id);
/** Where a variable of the lane's patch is in LDS; NULL: it is not there. */
LLVMValueRef lull_fl_hull_place(const struct lull_fl *f, uint32_t id, bool output);

// stage_hull.c

/** Before any code: what vertices give, and how large groups are. */
struct lull_error *lull_fl_hull_prepare(struct lull_fl *f) LULL_MUST_USE;
/** The part for vertices, and the begin of that for output vertices. */
struct lull_error *lull_fl_hull_begin(struct lull_fl *f) LULL_MUST_USE;
/** Vertices and patches go off chip. */
struct lull_error *lull_fl_hull_end(struct lull_fl *f) LULL_MUST_USE;
/** Fill a part of what is the lane's or patch's. */
struct lull_error *lull_fl_hull_input(struct lull_fl *f,
                                      const struct lull_fr_leaf *leaf) LULL_MUST_USE;
/** Of the vertex shader before: its outputs into LDS. */
struct lull_error *lull_fl_hull_vertex_end(struct lull_fl *f) LULL_MUST_USE;

// stage_tess.c

/** What a control and an evaluation shader have together. */
struct lull_fl_tess {
    const struct lull_fr_module *control;
    unsigned points;           ///< Vertices of a patch that come out of the control shader.
    uint64_t keys, patch_keys; ///< What the evaluation shader reads of vertices, and of patches.
    struct lull_fr_shapes modes;
};

/** @return LULL_ERR_BAD_DATA for shaders that do not say enough. */
struct lull_error *lull_fl_tess_read(const struct lull_fr_module *control,
                                     const struct lull_fr_module *evaluation,
                                     struct lull_fl_tess *ret) LULL_MUST_USE;
/** Bytes of a patch off chip. */
uint32_t lull_fl_tess_bytes(const struct lull_fl_tess *t);
/** Descriptor @p n of the driver's table. */
LLVMValueRef lull_fl_global_desc(const struct lull_fl *f, unsigned n);
/** @p n words, 1 to 4, at byte @p base + @p at of a buffer. */
void lull_fl_store_words(const struct lull_fl *f, LLVMValueRef desc, LLVMValueRef at,
                         LLVMValueRef base, const LLVMValueRef *words, unsigned n);
/** The value of an output of the control shader, as far as somebody reads it. */
void lull_fl_patch_store(const struct lull_fl *f, const struct lull_fr_leaf *leaf,
                         LLVMValueRef patch, LLVMValueRef point, LLVMValueRef base, LLVMValueRef v);
/** Fill a part of what an evaluation shader reads. */
struct lull_error *lull_fl_evaluation_input(struct lull_fl *f,
                                            const struct lull_fr_leaf *leaf) LULL_MUST_USE;
/** Say how patches are tessellated, for the pass that writes metadata. */
void lull_fl_tess_describe(const struct lull_fl *f);

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
/** Parameters @p keys of vertex or primitive @p index into the attribute ring; before gfx11, of the
 * lane's own vertex, as exports. */
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
