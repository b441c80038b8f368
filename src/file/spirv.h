// SPDX-License-Identifier: MIT
/** @file
 * SPIR-V modules: what a shader says of itself.
 *
 * Entry points, bindings, push constants, specialization constants, types, names, source text and
 * lines. Function bodies are stepped over. The bytes may be anything: each read is checked, each
 * error names the word. Nothing here points into the module's bytes after reading.
 *
 * Source: Khronos, "SPIR-V Specification" 1.6 (numbers: its header spirv.h, package spirv-headers);
 * "SPIR-V NonSemantic.Shader.DebugInfo.100"; Vulkan 1.3, "Interfaces with SPIR-V".
 */
#ifndef LULL_FILE_SPIRV_H
#define LULL_FILE_SPIRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum lull_spirv_kind {
    LULL_SPIRV_VOID,
    LULL_SPIRV_BOOL,
    LULL_SPIRV_INT,   ///< bits, is_signed.
    LULL_SPIRV_FLOAT, ///< bits.
    LULL_SPIRV_VECTOR,
    LULL_SPIRV_MATRIX, ///< element is a column; a struct member has the matrix's layout.
    LULL_SPIRV_ARRAY,  ///< count elements.
    LULL_SPIRV_RUNTIME_ARRAY,
    LULL_SPIRV_STRUCT,
    LULL_SPIRV_POINTER,
    LULL_SPIRV_IMAGE,
    LULL_SPIRV_SAMPLER,
    LULL_SPIRV_SAMPLED_IMAGE, ///< element is the image.
    LULL_SPIRV_ACCELERATION_STRUCTURE,
    LULL_SPIRV_OTHER, ///< A type that no resource can have.
};

struct lull_spirv_type;

struct lull_spirv_member {
    const char *name; ///< "" if the module has none.
    const struct lull_spirv_type *type;
    uint32_t offset;        ///< Bytes from the struct's start; UINT32_MAX: no layout.
    uint32_t matrix_stride; ///< Bytes between columns (rows if row_major); 0: no matrix.
    bool row_major, non_writable, non_readable;
};

struct lull_spirv_type {
    uint32_t id;
    enum lull_spirv_kind kind;
    const char *name; ///< OpName, "" if the module has none.
    uint32_t bits;    ///< Of INT and FLOAT.
    bool is_signed;   ///< Of INT.
    /** Of a vector, matrix, array, sampled image; a pointer's target (NULL if never defined).
     * Through a pointer a type may contain itself; otherwise nesting ends within 255 levels. */
    const struct lull_spirv_type *element;
    uint32_t count;      ///< Components, columns, or array elements by default values; 0: unknown.
    uint32_t count_spec; ///< SpecId that the count of an array is; UINT32_MAX: none.
    bool count_computed; ///< The count of an array is a specialization constant's operation.
    uint32_t stride;     ///< Bytes from element to element of an array; 0: no layout.
    uint32_t storage;    ///< Of a pointer: storage class.
    bool block, buffer_block; ///< Decorations of a struct.
    size_t nmembers;          ///< Of a struct.
    const struct lull_spirv_member *members;
    /** Bytes as laid out, a runtime array counted as 0; 0: unknown. */
    uint64_t size;
    struct {
        const struct lull_spirv_type *sampled_type; ///< What a texel's component is.
        uint32_t dim;                               ///< SPIR-V Dim: lull_spirv_dim_name().
        uint32_t depth; ///< 0 no depth image, 1 depth image, 2 not said.
        bool arrayed, ms;
        uint32_t sampled; ///< 0 not said, 1 with a sampler, 2 without (storage).
        uint32_t format;  ///< SPIR-V ImageFormat, 0 unknown: lull_spirv_format_name().
    } image;              ///< Of IMAGE.
};

/** Values are VkDescriptorType's. */
enum lull_spirv_descriptor {
    LULL_SPIRV_DESC_SAMPLER = 0,
    LULL_SPIRV_DESC_COMBINED_IMAGE_SAMPLER = 1,
    LULL_SPIRV_DESC_SAMPLED_IMAGE = 2,
    LULL_SPIRV_DESC_STORAGE_IMAGE = 3,
    LULL_SPIRV_DESC_UNIFORM_TEXEL_BUFFER = 4,
    LULL_SPIRV_DESC_STORAGE_TEXEL_BUFFER = 5,
    LULL_SPIRV_DESC_UNIFORM_BUFFER = 6,
    LULL_SPIRV_DESC_STORAGE_BUFFER = 7,
    LULL_SPIRV_DESC_INPUT_ATTACHMENT = 10,
    LULL_SPIRV_DESC_ACCELERATION_STRUCTURE = 1000150000,
};

/** A variable that a descriptor set gives. Several may share a set and binding. */
struct lull_spirv_binding {
    uint32_t id; ///< The variable; in an entry point's interface from SPIR-V 1.4 on if it uses it.
    uint32_t set, binding;
    enum lull_spirv_descriptor descriptor;
    uint32_t count;      ///< Descriptors by default values: 1 if no array; 0: a runtime array.
    uint32_t count_spec; ///< SpecId that the count is; UINT32_MAX: none.
    const char *name;  ///< The variable's, "" if it has none (GLSL: a block without instance name).
    const char *block; ///< The struct type's name, "" if it has none or there is no struct.
    const struct lull_spirv_type
        *type;                       ///< Without the arrays around it: a struct or an opaque type.
    bool non_writable, non_readable; ///< The variable's, or all members'.
};

/** A variable that the invocations of a workgroup share. */
struct lull_spirv_shared {
    uint32_t id;
    const struct lull_spirv_type *type;
};

struct lull_spirv_constant {
    uint32_t id;
    uint32_t spec_id;
    const char *name;                   ///< "" if the module has none.
    const struct lull_spirv_type *type; ///< BOOL, INT or FLOAT.
    uint64_t value; ///< Default, as the type's bits from bit 0; a bool is 0 or 1.
};

struct lull_spirv_entry {
    const char *name;
    uint32_t id;
    uint32_t model;              ///< Execution model: lull_spirv_model_name().
    bool compute;                ///< GLCompute.
    uint32_t local_size[3];      ///< By default values; 0: the module does not say.
    uint32_t local_size_spec[3]; ///< SpecId that gives the size; UINT32_MAX: none.
    size_t ninterface;
    const uint32_t *interface; ///< Ids of variables.
};

struct lull_spirv_source {
    const char *file;  ///< "" if not said.
    const char *text;  ///< As in the file, without lines of glslang's; NULL: not in the module.
    uint32_t language; ///< SPIR-V SourceLanguage; 2 is GLSL, 5 HLSL; 0 not said.
    uint32_t version;
};

/** Instructions from this word on come from this line, until the next row's. */
struct lull_spirv_line {
    size_t word;      ///< Index in the module.
    const char *file; ///< "" if not known.
    uint32_t line;    ///< 0: of no line from here on.
    uint32_t column;  ///< 0: not known.
};

struct lull_spirv {
    uint32_t version;   ///< 0x00010500 is 1.5.
    uint32_t generator; ///< Tool number in the upper half.
    uint32_t bound;     ///< Ids are smaller.
    size_t nentries;
    const struct lull_spirv_entry *entries;
    size_t nbindings;
    const struct lull_spirv_binding *bindings; ///< By set, binding, id.
    size_t nshared;
    const struct lull_spirv_shared *shared; ///< As they stand in the module.
    size_t nconstants;
    const struct lull_spirv_constant *constants; ///< By spec_id.
    size_t nsources;
    const struct lull_spirv_source *sources;
    size_t nlines;
    const struct lull_spirv_line *lines; ///< By word.
    /** Push constants: the struct of the first variable in that storage class; NULL: none. */
    const struct lull_spirv_type *push;
    const char *push_name;   ///< The variable's name, "" if it has none.
    const char **names;      ///< OpName of each id, bound of them; NULL: none.
    struct lull_arena arena; ///< Owns all of it.
};

/** Do the first 4 bytes say SPIR-V (of either byte order)? */
bool lull_spirv_is(const void *data, size_t size);

/**
 * Read a module.
 *
 * @param data Not needed afterwards; need not be aligned.
 * @param[out] ret Written only on success; give it to lull_spirv_done().
 * @return LULL_ERR_UNSUPPORTED: no SPIR-V, or of the other byte order. LULL_ERR_BAD_DATA: the
 *         message names the word. LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_spirv_read(const void *data, size_t size,
                                   struct lull_spirv *ret) LULL_MUST_USE;

/** Free what lull_spirv_read() made. A zeroed struct is allowed. */
void lull_spirv_done(struct lull_spirv *m);

/** The entry point called @p name, of execution model GLCompute if there are several; NULL: none.
 */
const struct lull_spirv_entry *lull_spirv_find_entry(const struct lull_spirv *m, const char *name);

/** The first variable at @p set, @p binding; NULL: none. */
const struct lull_spirv_binding *lull_spirv_find_binding(const struct lull_spirv *m, uint32_t set,
                                                         uint32_t binding);

/** Values of specialization constants. */
struct lull_spirv_specs {
    /** False: the constant has its default. */
    bool (*value)(const void *ctx, uint32_t id, uint64_t *ret);
    const void *ctx;
    size_t n; ///< How many are given.
};

/** Bytes that a variable without a layout of its own needs, as those that a workgroup shares. */
struct lull_spirv_room {
    uint64_t least; ///< Without gaps; what cannot be told counts as 0; UINT32_MAX: so many or more.
    /** As Mesa lays it out: numbers one behind the other, each at a multiple of its size
     * (shared_var_info of RADV and Turnip). 0: not known, or a MiB and more. */
    uint64_t most, align;
};

struct lull_spirv_room lull_spirv_room(const struct lull_spirv_type *t,
                                       const struct lull_spirv_specs *s);

/** "storage buffer" and so on; never NULL. */
const char *lull_spirv_descriptor_name(enum lull_spirv_descriptor d);

/** Names as the SPIR-V specification writes them ("Rgba8", "2D", "GLCompute"); NULL: no
 * such value. */
const char *lull_spirv_format_name(uint32_t format);
const char *lull_spirv_dim_name(uint32_t dim);
const char *lull_spirv_model_name(uint32_t model);

#endif
