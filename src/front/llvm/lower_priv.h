// SPDX-License-Identifier: MIT
/** @file
 * Between the files that lower SPIR-V.
 *
 * Functions are lowered where they are called: a module becomes one LLVM function. Values of SPIR-V
 * are LLVM values; structs, arrays and matrices are LLVM's aggregates, with vectors as columns. A
 * pointer is not an LLVM value but a struct lull_fl_pointer, so that descriptors stay in registers.
 * A truth value is i1 as a value, i32 in memory.
 *
 * Files from the ground up: ir.c, type.c, value.c; then memory.c over leaf.c; alu.c, special.c,
 * dot.c, composite.c, convert.c, matrix.c, cooperative.c, glsl.c, atomic.c, subgroup.c, builtin.c,
 * which are one instruction each, printf.c, and the files of image_priv.h; flow.c over step.c,
 * which knows them all; lower.c.
 */
#ifndef LULL_FRONT_LLVM_LOWER_PRIV_H
#define LULL_FRONT_LLVM_LOWER_PRIV_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "front/llvm/lower.h"

enum lull_fl_where {
    LULL_FL_NATURAL,    ///< Memory laid out by LLVM: base is a pointer to the type.
    LULL_FL_BYTES,      ///< Memory laid out by decorations: base is a pointer to bytes.
    LULL_FL_BUFFER,     ///< base is a descriptor, a pointer of address space 8; offset in bytes.
    LULL_FL_PUSH,       ///< Push constants; offset in bytes.
    LULL_FL_TABLE,      ///< Descriptors of an array: offset is which.
    LULL_FL_DESCRIPTOR, ///< An image, sampler or texel buffer, of element offset of its binding.
    /** A texel, for atomics: base is the image's descriptor, offset a vector of coordinates. */
    LULL_FL_TEXEL,
};

/** A pointer. */
struct lull_fl_pointer {
    const struct lull_fr_type *type; ///< What it points to.
    enum lull_fl_where where;
    LLVMValueRef base, offset;
    uint32_t matrix_stride; ///< Of the matrix that it points to or into.
    bool row_major;
    uint32_t component_stride; ///< It points to a column of a row-major matrix; else 0.
    bool is_volatile, non_uniform;
    bool read_only;                   ///< It points into a uniform buffer.
    unsigned align;                   ///< Of NATURAL and BYTES, in bytes; 0: as the numbers are.
    uint32_t set, binding;            ///< TABLE, DESCRIPTOR.
    const struct lull_fr_type *image; ///< TEXEL: of what.
    uint32_t input;     ///< Id of the pixel shader's input that it points into; 0: none.
    LLVMValueRef again; ///< Of an input: the same place in a copy for other interpolation.
};

/** What an id is: an LLVM value, or a pointer. */
struct lull_fl_value {
    const struct lull_fr_type *type; ///< NULL: nothing yet.
    LLVMValueRef v;
    const struct lull_fl_pointer *p;
    bool coherent; ///< Of an image: its variable says so.
};

/** A variable for a value that comes from several blocks. */
struct lull_fl_slot {
    LLVMValueRef base, offset;   ///< Of a value, base only; NULL: never written.
    struct lull_fl_pointer like; ///< Of a pointer: all but its base and offset.
};

enum {
    LULL_FL_MAX_COMPONENTS = 16,
    LULL_FL_SIDE = 16,       ///< Rows and columns of cooperative matrices.
    LULL_FL_ACCUMULATOR = 2, ///< Their use; matrix A is 0, B 1.
};

struct lull_fl_stage;
struct lull_fl_tess;

struct lull_fl {
    const struct lull_fr_module *m;
    LLVMContextRef c;
    LLVMModuleRef module;
    LLVMBuilderRef b;   ///< Where code goes.
    LLVMBuilderRef top; ///< The first block: variables.
    LLVMValueRef fn;
    LLVMTypeRef i1, i8, i16, i32, i64, f16, f32, f64;
    unsigned wave;
    const char *cpu;   ///< The processor: "gfx1100".
    unsigned gfx;      ///< Its generation: 9, 10, 11, 12.
    bool printf;       ///< Debug printf becomes calls.
    bool primitive_id; ///< A vertex shader gives it to pixel shaders.
    bool multiview;    ///< Each primitive goes to the layer of its view.
    bool copy;         ///< It is the copy shader behind the geometry shader: stage_ring.c.
    struct lull_fl_debug *debug;  ///< NULL: no debug information.
    struct lull_fl_value *values; ///< By id.
    struct lull_fl_slot **slots;  ///< Of phis, by id.
    struct lull_arena arena;
    struct lull_fl_stage *stage;       ///< Of shaders that draw; else NULL.
    const struct lull_fl_stage *whole; ///< Of a shader that is a part of another: that one's.
    const struct lull_fl_tess *tess;   ///< Of shaders of a pipeline that tessellates; else NULL.
    const struct lull_spv_insn *in;    ///< The instruction that is lowered.
    bool cleared;          ///< Lanes have cleared shared memory: a barrier has to follow.
    unsigned long emitted; ///< Instructions and numbers moved so far: functions are copied.
};

// ir.c: LLVM's C API, shorter.

struct lull_error *lull_fl_bad(const struct lull_fl *f, const char *fmt, ...)
    LULL_PRINTF(2, 3) LULL_NEW_ERROR;
struct lull_error *lull_fl_refuse(const struct lull_fl *f, const char *fmt, ...)
    LULL_PRINTF(2, 3) LULL_NEW_ERROR;

LLVMValueRef lull_fl_int(const struct lull_fl *f, uint64_t v); ///< An i32.

/** Is the processor's name this one's, or does it begin so? */
bool lull_fl_is_chip(const struct lull_fl *f, const char *prefix);

/** Bits of the cache policy of an access that goes as far as all lanes of the GPU see. */
unsigned lull_fl_coherent(const struct lull_fl *f, bool store);

/** Call of an intrinsic of LLVM that is overloaded on @p type (NULL: on nothing). */
LLVMValueRef lull_fl_call(const struct lull_fl *f, const char *name, LLVMTypeRef type,
                          LLVMValueRef *args, unsigned n);

/** ... on several types. */
LLVMValueRef lull_fl_call_types(const struct lull_fl *f, const char *name, LLVMTypeRef *types,
                                unsigned ntypes, LLVMValueRef *args, unsigned n);

/** Call of a function that is declared if it is new. @p params: types of args. */
LLVMValueRef lull_fl_extern(const struct lull_fl *f, const char *name, LLVMTypeRef result,
                            LLVMValueRef *args, unsigned n);

LLVMValueRef lull_fl_part(const struct lull_fl *f, LLVMValueRef vector, unsigned i);
LLVMValueRef lull_fl_put(const struct lull_fl *f, LLVMValueRef vector, LLVMValueRef v, unsigned i);

/** A vector (or scalar, n 1) of the same value. */
LLVMValueRef lull_fl_splat(const struct lull_fl *f, LLVMValueRef v, unsigned n);

/** A constant vector of @p n (at most LULL_FL_MAX_COMPONENTS) times the same constant. */
LLVMValueRef lull_fl_all_of(LLVMValueRef one, unsigned n);

/** The number @p v in a type of floats or integers, or in each part of a vector of them. */
LLVMValueRef lull_fl_float(LLVMTypeRef type, double v);
LLVMValueRef lull_fl_whole(LLVMTypeRef type, uint64_t v);

unsigned lull_fl_count(LLVMTypeRef type);                        ///< Components; 1 of a scalar.
LLVMTypeRef lull_fl_scalar_of(LLVMTypeRef type);                 ///< Of a vector.
LLVMTypeRef lull_fl_like(LLVMTypeRef shape, LLVMTypeRef scalar); ///< As many of another scalar.

// type.c

/** The type of values; an error if there are none of it. */
struct lull_error *lull_fl_type(const struct lull_fl *f, const struct lull_fr_type *t,
                                LLVMTypeRef *ret) LULL_MUST_USE;

/** The type in LLVM_NATURAL memory. */
struct lull_error *lull_fl_memory_type(const struct lull_fl *f, const struct lull_fr_type *t,
                                       LLVMTypeRef *ret) LULL_MUST_USE;

/** Numbers of a cooperative matrix that each lane has: its value is a vector of them. */
unsigned lull_fl_cooperative_length(const struct lull_fl *f, const struct lull_fr_type *t);

/** Does the memory of a storage class have the layout that decorations say? */
bool lull_fl_is_explicit(const struct lull_fr_type *t);

/** How many parts a struct, array, matrix, vector or cooperative matrix has; else 0. */
uint32_t lull_fl_parts_of(const struct lull_fl *f, const struct lull_fr_type *t);

/** Bytes of a type that decorations lay out; of a matrix with those of its member. */
uint64_t lull_fl_explicit_size(const struct lull_fr_type *t, uint32_t matrix_stride,
                               bool row_major);

/** Bytes of a number, or of each part of a vector or matrix; 4 of others. */
unsigned lull_fl_scalar_bytes(const struct lull_fr_type *t);

/** Part @p i of one. */
const struct lull_fr_type *lull_fl_part_type(const struct lull_fr_type *t, uint32_t i);

// descriptor.c, image_access.c: see image_priv.h.

/** The type of an image, a sampler or both as a value; NULL: the type is none, or not supported. */
LLVMTypeRef lull_fl_descriptor_type(const struct lull_fl *f, const struct lull_fr_type *t);
/** The value that a pointer to one (DESCRIPTOR) is read as. */
LLVMValueRef lull_fl_load_descriptor(const struct lull_fl *f, const struct lull_fl_pointer *p);
/** An atomic on a pointer to a texel (TEXEL), by the last part of its intrinsic's name. @p compare:
 * NULL, but for "cmpswap". */
LLVMValueRef lull_fl_texel_atomic(const struct lull_fl *f, const struct lull_fl_pointer *p,
                                  const char *name, LLVMValueRef v, LLVMValueRef compare);
/** Is it a pointer that has no address: to a descriptor, or to a texel? */
bool lull_fl_is_resource(const struct lull_fl_pointer *p);

// value.c

/** The LLVM value of an id; of a pointer its address, if it has one. */
struct lull_error *lull_fl_get(struct lull_fl *f, uint32_t id, LLVMValueRef *ret) LULL_MUST_USE;

/** The type of an id; an error if it is no value. */
struct lull_error *lull_fl_type_of(struct lull_fl *f, uint32_t id,
                                   const struct lull_fr_type **ret) LULL_MUST_USE;

/** An integer or a float that is a vector or scalar: kinds as characters, "i", "f", "b". */
struct lull_error *lull_fl_get_kind(struct lull_fl *f, uint32_t id, char kind,
                                    LLVMValueRef *ret) LULL_MUST_USE;

/** Is @p t a cooperative matrix, and the instruction one that takes its numbers one by one? */
bool lull_fl_is_each(const struct lull_fl *f, const struct lull_fr_type *t);

/** The pointer that an id is. */
struct lull_error *lull_fl_get_pointer(struct lull_fl *f, uint32_t id,
                                       const struct lull_fl_pointer **ret) LULL_MUST_USE;

/** The result of the instruction is @p v, which has the type that it says: checked. */
struct lull_error *lull_fl_set(struct lull_fl *f, uint32_t id, const struct lull_fr_type *type,
                               LLVMValueRef v) LULL_MUST_USE;

/** ... or a pointer, which is copied. */
struct lull_error *lull_fl_set_pointer(struct lull_fl *f, uint32_t id,
                                       const struct lull_fr_type *type,
                                       const struct lull_fl_pointer *p) LULL_MUST_USE;

/** An integer constant of the module. */
struct lull_error *lull_fl_number(struct lull_fl *f, uint32_t id, uint64_t *ret) LULL_MUST_USE;

/** Is it a pointer that is no address, but one into a buffer or shared memory? */
bool lull_fl_is_logical(const struct lull_fr_type *t);

/** The id is a pointer of such a type, to nothing. */
struct lull_error *lull_fl_null_pointer(struct lull_fl *f, uint32_t id,
                                        const struct lull_fr_type *t) LULL_MUST_USE;

/** A pointer of physical memory at an address, an i64. */
struct lull_fl_pointer lull_fl_at_address(const struct lull_fl *f, const struct lull_fr_type *type,
                                          LLVMValueRef address);

// leaf.c: numbers and vectors of them, in memory.

struct lull_error *lull_fl_load_leaf(struct lull_fl *f, const struct lull_fl_pointer *p,
                                     LLVMValueRef *ret) LULL_MUST_USE;
struct lull_error *lull_fl_store_leaf(struct lull_fl *f, const struct lull_fl_pointer *p,
                                      LLVMValueRef v) LULL_MUST_USE;
/** The pointer as LLVM has it, of memory that is not behind a descriptor. */
LLVMValueRef lull_fl_address(struct lull_fl *f, const struct lull_fl_pointer *p);

// atomic.c

/** A barrier: all lanes of the workgroup see what each of them wrote before. */
struct lull_error *lull_fl_meet(struct lull_fl *f) LULL_MUST_USE;

// shared.c

/** A variable that a workgroup shares: the instruction. If it has an initializer, all lanes clear
 * it where the builder is, and @p f says so: a barrier has to follow. */
struct lull_error *lull_fl_shared(struct lull_fl *f, struct lull_fl_pointer *p) LULL_MUST_USE;

// memory.c

struct lull_error *lull_fl_variable(struct lull_fl *f) LULL_MUST_USE;
struct lull_error *lull_fl_step(struct lull_fl *f, struct lull_fl_pointer *p,
                                LLVMValueRef index) LULL_MUST_USE;
struct lull_error *lull_fl_load(struct lull_fl *f, const struct lull_fl_pointer *p,
                                LLVMValueRef *ret) LULL_MUST_USE;
struct lull_error *lull_fl_store(struct lull_fl *f, const struct lull_fl_pointer *p,
                                 LLVMValueRef v) LULL_MUST_USE;

// printf.c

/** Is the instruction a debug printf that is to be compiled? */
bool lull_fl_is_printf(const struct lull_fl *f);
struct lull_error *lull_fl_printf(struct lull_fl *f) LULL_MUST_USE;

/** What an instruction computes; false in @p ret_known: it is none of the file's. */
typedef struct lull_error *lull_fl_lowering(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known);

struct lull_error *lull_fl_memory(struct lull_fl *f, bool *ret_known) LULL_MUST_USE;
struct lull_error *lull_fl_alu(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known) LULL_MUST_USE;
struct lull_error *lull_fl_special(struct lull_fl *f, LLVMValueRef *ret,
                                   bool *ret_known) LULL_MUST_USE;
struct lull_error *lull_fl_dot_products(struct lull_fl *f, LLVMValueRef *ret,
                                        bool *ret_known) LULL_MUST_USE;
struct lull_error *lull_fl_convert(struct lull_fl *f, LLVMValueRef *ret,
                                   bool *ret_known) LULL_MUST_USE;
struct lull_error *lull_fl_composite(struct lull_fl *f, LLVMValueRef *ret,
                                     bool *ret_known) LULL_MUST_USE;
struct lull_error *lull_fl_matrix(struct lull_fl *f, LLVMValueRef *ret,
                                  bool *ret_known) LULL_MUST_USE;
struct lull_error *lull_fl_glsl(struct lull_fl *f, LLVMValueRef *ret,
                                bool *ret_known) LULL_MUST_USE;
struct lull_error *lull_fl_pack(struct lull_fl *f, uint32_t op, LLVMValueRef *ret,
                                bool *ret_known) LULL_MUST_USE;
struct lull_error *lull_fl_parts(struct lull_fl *f, uint32_t op, LLVMValueRef *ret,
                                 bool *ret_known) LULL_MUST_USE;
struct lull_error *lull_fl_atomic(struct lull_fl *f, LLVMValueRef *ret,
                                  bool *ret_known) LULL_MUST_USE;
struct lull_error *lull_fl_vendor(struct lull_fl *f, LLVMValueRef *ret,
                                  bool *ret_known) LULL_MUST_USE; ///< Before those of GLSL.std.450.
struct lull_error *lull_fl_subgroup(struct lull_fl *f, LLVMValueRef *ret,
                                    bool *ret_known) LULL_MUST_USE;

struct lull_error *lull_fl_cooperative(struct lull_fl *f, LLVMValueRef *ret,
                                       bool *ret_known) LULL_MUST_USE;
/** Of an instruction on each number of cooperative matrices: do the operands' types fit? */
struct lull_error *lull_fl_check_each(struct lull_fl *f) LULL_MUST_USE;

struct lull_error *lull_fl_image(struct lull_fl *f, LLVMValueRef *ret,
                                 bool *ret_known) LULL_MUST_USE;
struct lull_error *lull_fl_image_access(struct lull_fl *f, LLVMValueRef *ret,
                                        bool *ret_known) LULL_MUST_USE;
struct lull_error *lull_fl_image_sample(struct lull_fl *f, LLVMValueRef *ret,
                                        bool *ret_known) LULL_MUST_USE;
struct lull_error *lull_fl_image_query(struct lull_fl *f, LLVMValueRef *ret,
                                       bool *ret_known) LULL_MUST_USE;

/** Can numbers go between that many lanes? */
struct lull_error *lull_fl_check_reach(const struct lull_fl *f, unsigned lanes) LULL_MUST_USE;
struct lull_error *lull_fl_reduce(struct lull_fl *f, LLVMValueRef *ret,
                                  bool *ret_known) LULL_MUST_USE;

// subgroup_lanes.c: numbers and vectors of them, of other lanes.

LLVMValueRef lull_fl_first(const struct lull_fl *f, LLVMValueRef v); ///< The first active lane's.
/** Of one lane, the same number everywhere. */
LLVMValueRef lull_fl_lane_value(const struct lull_fl *f, LLVMValueRef v, LLVMValueRef lane);
/** Of a lane that each lane chooses. */
LLVMValueRef lull_fl_shuffle(const struct lull_fl *f, LLVMValueRef v, LLVMValueRef lane);
/** Begin of code in which all lanes are on: what those have that were off. */
LLVMValueRef lull_fl_fill(const struct lull_fl *f, LLVMValueRef v, LLVMValueRef inactive);
LLVMValueRef lull_fl_end_whole(const struct lull_fl *f, LLVMValueRef v); ///< Its end.
/** In such code: of lane number xor @p distance, a power of two. */
LLVMValueRef lull_fl_swap(const struct lull_fl *f, LLVMValueRef v, unsigned distance);
/** In such code, for scans: of lanes @p distance before, or @p identity. */
LLVMValueRef lull_fl_before(const struct lull_fl *f, LLVMValueRef v, LLVMValueRef identity,
                            unsigned distance);
/** The end of such code: of the lane before; of lane 0 @p identity. */
LLVMValueRef lull_fl_previous(const struct lull_fl *f, LLVMValueRef v, LLVMValueRef identity);

/** a * b + c as LLVM may fuse it. */
LLVMValueRef lull_fl_mad(const struct lull_fl *f, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);
/** Sum of the products of parts. */
LLVMValueRef lull_fl_dot(const struct lull_fl *f, LLVMValueRef a, LLVMValueRef b);
/** Division with Vulkan's precision. */
LLVMValueRef lull_fl_divide(const struct lull_fl *f, LLVMValueRef a, LLVMValueRef b);
/** Square root with Vulkan's precision. */
LLVMValueRef lull_fl_root(const struct lull_fl *f, LLVMValueRef a);
/** Fast-math flags of a result: contract, unless the decoration NoContraction forbids. */
LLVMValueRef lull_fl_contract(const struct lull_fl *f, LLVMValueRef v);

/** Lane's number in its wave. */
LLVMValueRef lull_fl_lane(const struct lull_fl *f);
/** Its number in the workgroup. */
LLVMValueRef lull_fl_local_index(const struct lull_fl *f);
/** A built-in as a value of @p type, in the first block. */
struct lull_error *lull_fl_builtin(struct lull_fl *f, uint32_t builtin,
                                   const struct lull_fr_type *type,
                                   LLVMValueRef *ret) LULL_MUST_USE;

/** Of mesh shaders: a part of an id, and SetMeshOutputsEXT. */
enum lull_fl_id { LULL_FL_LOCAL_ID, LULL_FL_WORKGROUP_ID, LULL_FL_NUM_WORKGROUPS };
LLVMValueRef lull_fl_mesh_part(const struct lull_fl *f, enum lull_fl_id which, unsigned i);
struct lull_error *lull_fl_mesh(struct lull_fl *f, LLVMValueRef *ret,
                                bool *ret_known) LULL_MUST_USE;
/** EmitVertex, EndPrimitive, and those of streams. */
struct lull_error *lull_fl_emits(struct lull_fl *f, LLVMValueRef *ret,
                                 bool *ret_known) LULL_MUST_USE;

/** Derivatives, discards, interpolation. */
struct lull_error *lull_fl_fragment(struct lull_fl *f, LLVMValueRef *ret,
                                    bool *ret_known) LULL_MUST_USE;

// floats.c

/** The execution modes of floats, as attributes of the function; an error if the processor has not
 * such modes. */
struct lull_error *lull_fl_float_modes(struct lull_fl *f) LULL_MUST_USE;
/** Do execution modes say that floats of the type are rounded toward zero? */
bool lull_fl_rounds_to_zero(const struct lull_fl *f, LLVMTypeRef type);
/** Do denormals of 16 and 64 bits become 0? */
bool lull_fl_flushes(const struct lull_fl *f);
/** "fadd" and its like of @p n (at most 3) values, as the processor's mode rounds. */
LLVMValueRef lull_fl_rounded(const struct lull_fl *f, const char *name, LLVMValueRef *v,
                             unsigned n);
/**
 * What is to become halves. Of a product LLVM makes v_fma_mixlo_f16 with + 0, for which -0 is 0;
 * not where SignedZeroInfNanPreserve says that it matters.
 */
LLVMValueRef lull_fl_with_sign(const struct lull_fl *f, LLVMValueRef v);
/** A float as a smaller one (float or half), rounded toward zero. */
LLVMValueRef lull_fl_cut_off(const struct lull_fl *f, LLVMValueRef v, LLVMTypeRef want);

// pointer.c

/** A pointer that OpSelect chooses, or OpCopyObject copies, of type @p t. */
struct lull_error *lull_fl_choose_pointer(struct lull_fl *f,
                                          const struct lull_fr_type *t) LULL_MUST_USE;
struct lull_error *lull_fl_compare_pointers(struct lull_fl *f, LLVMValueRef *ret,
                                            bool *ret_known) LULL_MUST_USE;
/** The pointer in a variable, and back. */
struct lull_error *lull_fl_load_pointer(struct lull_fl *f, const struct lull_fl_pointer *from,
                                        struct lull_fl_pointer *ret) LULL_MUST_USE;
struct lull_error *lull_fl_store_pointer(struct lull_fl *f, const struct lull_fl_pointer *to,
                                         const struct lull_fl_pointer *v) LULL_MUST_USE;

/** Do two pointers differ in base and offset only? */
bool lull_fl_alike(const struct lull_fl_pointer *a, const struct lull_fl_pointer *b);

/** One instruction that is not about blocks. */
struct lull_error *lull_fl_step_one(struct lull_fl *f) LULL_MUST_USE;

// debug.c: all of it does nothing without debug information.

/** The function that is lowered, and where in it. A call puts it away. */
struct lull_fl_scope {
    LLVMMetadataRef function, inlined; ///< Subprogram, and its call; NULL: of the entry point.
    uint32_t id;                       ///< Its DebugFunction; 0: none.
    LLVMMetadataRef scope, scope_in;   ///< What DebugScope says; scope_in NULL: not inlined.
    uint32_t scope_function;           ///< ... the DebugFunction of that scope.
    const char *path;                  ///< NULL: of no line.
    uint32_t line, column;
    LLVMMetadataRef at; ///< The builder's location.
};

struct lull_error *lull_fl_debug_begin(struct lull_fl *f,
                                       const struct lull_fl_options *o) LULL_MUST_USE;
void lull_fl_debug_end(struct lull_fl *f);
void lull_fl_debug_block(struct lull_fl *f); ///< A block begins: of no line yet.
void lull_fl_debug_line(struct lull_fl *f);  ///< The instruction may say a line, or a variable.
struct lull_fl_scope lull_fl_debug_enter(struct lull_fl *f, const struct lull_fr_function *fn);
void lull_fl_debug_leave(struct lull_fl *f, const struct lull_fl_scope *saved);
/** The instruction, an OpVariable, was lowered. */
struct lull_error *lull_fl_debug_variable(struct lull_fl *f) LULL_MUST_USE;
/** The parameters of the function that was entered are known. */
struct lull_error *lull_fl_debug_parameters(struct lull_fl *f,
                                            const struct lull_fr_function *fn) LULL_MUST_USE;

/** All blocks of the entry point. */
struct lull_error *lull_fl_run(struct lull_fl *f) LULL_MUST_USE;

#endif
