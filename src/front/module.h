// SPDX-License-Identifier: MIT
/** @file
 * SPIR-V modules as a compiler needs them: types, constants with their values, decorations,
 * functions and blocks.
 *
 * The bytes may be anything. After lull_fr_read() each instruction has the operands that the
 * grammar says, and each id that it uses is defined; types and constants are whole, sizes bounded.
 * What ids of functions are, and of which types, the lowering checks.
 *
 * Source: Khronos, "SPIR-V Specification" 1.6; Vulkan 1.3, "Interfaces with SPIR-V".
 */
#ifndef LULL_FRONT_MODULE_H
#define LULL_FRONT_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "spirv/grammar.h"

/** "None" where 0 is a value. */
#define LULL_FR_NONE UINT32_MAX

enum lull_fr_kind {
    LULL_FR_NO_TYPE, ///< The id is not a type.
    LULL_FR_VOID,
    LULL_FR_BOOL,
    LULL_FR_INT,
    LULL_FR_FLOAT,
    LULL_FR_VECTOR,
    LULL_FR_MATRIX, ///< element is a column.
    LULL_FR_ARRAY,
    LULL_FR_RUNTIME_ARRAY,
    LULL_FR_STRUCT,
    LULL_FR_POINTER,
    LULL_FR_FUNCTION,    ///< element is what it returns; members its parameters.
    LULL_FR_COOPERATIVE, ///< A matrix that the lanes of a wave have together.
    LULL_FR_OTHER,       ///< Images and the like.
};

/** What decorations say of an id or a member. */
struct lull_fr_decor {
    uint32_t set, binding, spec_id, builtin, offset; ///< LULL_FR_NONE: not said.
    uint32_t array_stride, matrix_stride;            ///< 0: not said.
    bool block, buffer_block, row_major, coherent, is_volatile, non_uniform, no_contraction;
    bool saturated;
    uint32_t rounding;                   ///< FPRoundingMode; LULL_FR_NONE.
    uint32_t location, component, color; ///< color: Index, of dual-source blending.
    uint32_t stream;                     ///< Of what a geometry shader emits.
    bool flat, noperspective, centroid, sample;
    bool per_primitive; ///< PerPrimitiveEXT.
    bool patch;         ///< Of a patch, not of each of its vertices.
};

struct lull_fr_member_decor {
    uint32_t index;
    struct lull_fr_decor decor;
    struct lull_fr_member_decor *next;
};

struct lull_fr_member_name {
    uint32_t index;
    const char *text;
    struct lull_fr_member_name *next;
};

/** What OpTypeImage says. */
struct lull_fr_image {
    uint32_t dim; ///< SpvDim.
    bool arrayed, multisampled;
    uint32_t sampled; ///< 1 with a sampler, 2 without; 0: not said.
    uint32_t format;  ///< SpvImageFormat.
};

/** What OpTypeCooperativeMatrixKHR says. */
struct lull_fr_cooperative {
    uint32_t scope; ///< SpvScope.
    uint32_t rows, columns;
    uint32_t use; ///< 0 matrix A, 1 matrix B, 2 accumulator.
};

struct lull_fr_type {
    uint32_t id;
    enum lull_fr_kind kind;
    uint32_t bits; ///< INT, FLOAT.
    bool is_signed;
    bool brain; ///< FLOAT of 16 bits: bfloat16.
    /** VECTOR, MATRIX, ARRAY, COOPERATIVE; POINTER: what it points to; of an image its numbers, of
     * a sampled image the image. */
    const struct lull_fr_type *element;
    /** VECTOR, MATRIX, ARRAY, members of STRUCT, parameters. COOPERATIVE: 1, since constants have
     * one number for all. */
    uint32_t count;
    const struct lull_fr_type **members;
    const struct lull_fr_decor *decor;      ///< count of them, of members of a STRUCT.
    const char **names;                     ///< ... OpMemberName; NULL: none.
    uint32_t stride;                        ///< ArrayStride; 0: none.
    uint32_t storage;                       ///< POINTER: storage class.
    bool block, buffer_block;               ///< STRUCT.
    uint32_t op;                            ///< OTHER: the instruction that made it.
    struct lull_fr_image image;             ///< OTHER, OpTypeImage.
    struct lull_fr_cooperative cooperative; ///< COOPERATIVE.
    bool cooperates;                        ///< It is a COOPERATIVE, or holds one.
    uint64_t scalars;                       ///< Numbers in it, a runtime array counted as one.
    unsigned depth;                         ///< Of nesting, without pointers.
};

/** A constant: a number, or parts. */
struct lull_fr_constant {
    const struct lull_fr_type *type;
    bool undefined;
    bool null;                             ///< OpConstantNull.
    uint64_t bits;                         ///< BOOL, INT, FLOAT: zero-extended.
    const struct lull_fr_constant **parts; ///< VECTOR, MATRIX, ARRAY, STRUCT.
};

/** What is known of an id. */
struct lull_fr_id {
    const char *name; ///< OpName; NULL.
    struct lull_fr_decor decor;
    struct lull_fr_member_decor *members;
    struct lull_fr_member_name *member_names;
    struct lull_fr_type *type;               ///< Of a type.
    const struct lull_fr_constant *constant; ///< Of a constant.
    uint32_t function;                       ///< OpFunction: 1 + its index.
    uint32_t pointer;                        ///< Of a variable outside functions: its type.
    bool is_interface;                       ///< Among the variables of the entry point.
    uint64_t uses; ///< Members that functions use, the last bit for all from there on.
};

struct lull_fr_block {
    uint32_t label;
    uint32_t first, end; ///< Words: behind OpLabel; behind the last instruction.
    uint32_t *successors;
    uint32_t nsuccessors; ///< Indices of blocks.
};

struct lull_fr_function {
    uint32_t id;
    const struct lull_fr_type *type;
    uint32_t *params; ///< Ids, type->count of them.
    struct lull_fr_block *blocks;
    uint32_t nblocks;
    uint32_t *order; ///< Blocks that are reached, in reverse post-order.
    uint32_t norder;
    uint32_t first, end; ///< Words: OpFunction; behind OpFunctionEnd.
};

/** What execution modes say of floats of one width. */
struct lull_fr_floats {
    bool keeps, flushes;   ///< Denormals.
    bool to_even, to_zero; ///< Rounding.
    bool keeps_signs;      ///< Of zeros.
};

enum { LULL_FR_FLOATS_16, LULL_FR_FLOATS_32, LULL_FR_FLOATS_64, LULL_FR_NFLOATS };

/** A value for a specialization constant. */
struct lull_fr_spec {
    uint32_t id;      ///< SpecId.
    const char *text; ///< "5", "-3", "2.5", "true", "0x10".
    bool used;        ///< Set by the reader.
};

/** How a patch is tessellated. */
enum lull_fr_domain { LULL_FR_NO_DOMAIN, LULL_FR_TRIANGLES, LULL_FR_QUADS, LULL_FR_ISOLINES };
enum lull_fr_spacing { LULL_FR_EQUAL, LULL_FR_FRACTIONAL_EVEN, LULL_FR_FRACTIONAL_ODD };

/** What execution modes say of vertices, primitives and patches. */
struct lull_fr_shapes {
    uint32_t vertices, primitives; ///< That come out, at most; 0: not said.
    uint32_t corners;              ///< Of a primitive that comes out: 1 to 3; 0: not said.
    uint32_t inputs;               ///< Vertices of a primitive that comes in; 0: not said.
    uint32_t invocations;          ///< Of a geometry shader.
    enum lull_fr_domain domain;
    enum lull_fr_spacing spacing;
    bool has_spacing, has_order; ///< It is said.
    bool clockwise, points;      ///< The tessellator makes triangles this way round, or points.
};

enum lull_fr_amd {
    LULL_FR_AMD_GCN,
    LULL_FR_AMD_BALLOT,
    LULL_FR_AMD_MINMAX,
};

struct lull_fr_module {
    struct lull_spv spv;
    struct lull_fr_id *ids; ///< spv.bound of them.
    struct lull_fr_function *functions;
    uint32_t nfunctions;
    uint32_t debug_info;        ///< Id of the import of NonSemantic.Shader.DebugInfo.100; 0: none.
    uint32_t glsl;              ///< Id of the import of GLSL.std.450; 0: none.
    uint32_t amd[3];            ///< Of the sets of enum lull_fr_amd.
    struct lull_fr_spec *specs; ///< Borrowed.
    size_t nspecs;
    uint32_t entry; ///< Index of the function; LULL_FR_NONE until chosen.
    uint32_t model; ///< Its execution model.
    const char *entry_name;
    size_t entry_word;                             ///< Where its OpEntryPoint is.
    bool early_tests;                              ///< Execution mode EarlyFragmentTests.
    struct lull_fr_floats floats[LULL_FR_NFLOATS]; ///< Of 16, 32, 64 bits.
    uint32_t local_size[3];
    struct lull_fr_shapes shapes;
    struct lull_arena arena;
};

/**
 * Read a module and choose the entry point @p entry (NULL: the only one).
 *
 * @param[out] ret Written also on failure; give it to lull_fr_done(). specs are set before.
 * @return LULL_ERR_BAD_DATA, LULL_ERR_UNSUPPORTED: the message names word and instruction.
 *         LULL_ERR_INVALID: a wrong entry or specialization constant.
 */
struct lull_error *lull_fr_read(const void *data, size_t size, const char *entry,
                                struct lull_fr_module *ret) LULL_MUST_USE;

void lull_fr_done(struct lull_fr_module *m);

/** Does the set compute? Else it is NonSemantic, and may stand where nothing else may. */
static inline bool lull_fr_is_semantic(const struct lull_fr_module *m, uint32_t set)
{
    return set == m->glsl || set == m->amd[LULL_FR_AMD_GCN] || set == m->amd[LULL_FR_AMD_BALLOT] ||
           set == m->amd[LULL_FR_AMD_MINMAX];
}

/** The type with @p id; NULL: the id is not a type. */
static inline const struct lull_fr_type *lull_fr_type_of(const struct lull_fr_module *m,
                                                         uint32_t id)
{
    return id < m->spv.bound ? m->ids[id].type : NULL;
}

/** The constant with @p id; NULL: it is not one. */
static inline const struct lull_fr_constant *lull_fr_constant_of(const struct lull_fr_module *m,
                                                                 uint32_t id)
{
    return id < m->spv.bound ? m->ids[id].constant : NULL;
}

/** Is @p t a number or truth value, or a vector of them? */
static inline bool lull_fr_is_plain(const struct lull_fr_type *t)
{
    return t->kind == LULL_FR_BOOL || t->kind == LULL_FR_INT || t->kind == LULL_FR_FLOAT ||
           t->kind == LULL_FR_VECTOR;
}

/** The scalar of a plain type, or of a cooperative matrix. */
static inline const struct lull_fr_type *lull_fr_scalar(const struct lull_fr_type *t)
{
    return t->kind == LULL_FR_VECTOR || t->kind == LULL_FR_COOPERATIVE ? t->element : t;
}

#endif
