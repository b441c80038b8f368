// SPDX-License-Identifier: MIT
/** @file
 * The pipeline layout: the tree of user data that a linked pipeline is given.
 *
 * The root table is an array of dwords that the driver keeps for a pipeline. Parts of it are
 * written to user SGPRs; shaders read the rest from the spill table, a copy in memory. Its nodes
 * are descriptors, push constants, and pointers to descriptor tables, which hold nodes of their
 * own. Format of the file: docs/formats/pipeline-layout.md.
 *
 * Source: LLPC's resource nodes (lgc/include/lgc/Pipeline.h, PipelineState.cpp).
 */
#ifndef LULL_LINK_LAYOUT_H
#define LULL_LINK_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

enum lull_layout_type {
    LULL_LAYOUT_ANY, ///< Only to search for; no node has it.
    LULL_LAYOUT_RESOURCE,
    LULL_LAYOUT_SAMPLER,
    LULL_LAYOUT_COMBINED_TEXTURE, ///< A resource, and a sampler behind it.
    LULL_LAYOUT_TEXEL_BUFFER,
    LULL_LAYOUT_FMASK,
    LULL_LAYOUT_BUFFER,
    LULL_LAYOUT_BUFFER_COMPACT, ///< A 64-bit address instead of a descriptor.
    LULL_LAYOUT_CONST_BUFFER,
    LULL_LAYOUT_CONST_BUFFER_COMPACT,
    LULL_LAYOUT_MUTABLE,            ///< A descriptor of any kind that fits into its stride.
    LULL_LAYOUT_INLINE_BUFFER,      ///< The data itself.
    LULL_LAYOUT_TABLE,              ///< Low half of the address of a descriptor table. Root only.
    LULL_LAYOUT_PUSH_CONSTANTS,     ///< Root, or in a table of the "indirect" scheme.
    LULL_LAYOUT_INDIRECT_USER_DATA, ///< Address of memory such as the vertex buffer table. Root
                                    ///< only.
    LULL_LAYOUT_STREAM_OUT_TABLE,   ///< Root only.
    LULL_LAYOUT_NTYPES,
};

enum lull_layout_scheme {
    LULL_LAYOUT_COMPACT,
    LULL_LAYOUT_INDIRECT, ///< descset_0 is the table of push constants, descset_N+1 is set N.
};

/** Numbers that LLPC's pipelines give for the primitive that a stage before the rasterizer makes.
 */
enum lull_layout_topology {
    LULL_LAYOUT_NO_TOPOLOGY,
    LULL_LAYOUT_POINTS,
    LULL_LAYOUT_LINES,
    LULL_LAYOUT_TRIANGLES,
    LULL_LAYOUT_RECTANGLES,
};

struct lull_layout_node {
    enum lull_layout_type type;
    uint32_t offset;  ///< Dwords from the start of the root table, or of its descriptor table.
    uint32_t size;    ///< Dwords.
    uint32_t set;     ///< Descriptors, and tables: the set of the first node.
    uint32_t binding; ///< Descriptors.
    uint32_t stride;  ///< Dwords from one element of an array to the next; descriptors.
    uint32_t indirect_size;  ///< Dwords behind LULL_LAYOUT_INDIRECT_USER_DATA.
    uint32_t sampler_offset; ///< Dwords from a combined texture's start to its sampler.
    uint32_t visibility;     ///< Root table: bits of LLPC's stages that have it; 0: all.
    bool ycbcr;              ///< The sampler converts colours.
    bool push_area;          ///< A table of push constants, and of buffers of sets behind them.
    const uint32_t
        *immutable;      ///< Values of samplers that are known, or NULL; 4 dwords each, 8 if ycbcr.
    uint32_t nimmutable; ///< Samplers in immutable.
    const struct lull_layout_node *inner; ///< Nodes of a table, in the order of the file.
    uint32_t ninner;
    const char *path; ///< Where it stands in the file: "nodes[1].nodes[0]".
    const char *name; ///< What the file calls it, or "".
};

enum { LULL_LAYOUT_COLORS = 8, LULL_LAYOUT_VERTEX_BUFFERS = 32, LULL_LAYOUT_PATCH_POINTS = 32 };

struct lull_vkformat;

/** A vertex buffer. */
struct lull_layout_binding {
    uint32_t binding; ///< 0 to 31.
    uint32_t stride;  ///< Bytes.
    bool instance;    ///< An element for each instance, not for each vertex.
    uint32_t divisor; ///< Of instances: so many have one element; 0: all of them.
};

/** A vertex attribute. */
struct lull_layout_attribute {
    uint32_t location, binding;
    uint32_t offset; ///< Bytes from the start of an element of the buffer.
    const struct lull_vkformat *format;
};

/** A colour target. */
struct lull_layout_color {
    const struct lull_vkformat *format; ///< NULL: there is no target.
    bool blend;
    bool source_alpha;  ///< Blending needs the colour's alpha where the target has none.
    uint8_t write_mask; ///< Bits 0 to 3: red to alpha.
};

struct lull_layout {
    const struct lull_layout_node *nodes; ///< The root table, in the order of the file.
    uint32_t nnodes;
    enum lull_layout_scheme scheme;
    enum lull_layout_topology topology;
    bool binding_ranges; ///< An array's node also answers for the bindings that its elements cover.
    bool overlap;        ///< Nodes of the root table may overlap, as in LLPC's files.
    bool has_shadow_table;
    uint32_t
        shadow_table; ///< High half of the address of the shadow table; all ones if there is none.
    uint32_t device_index, num_samples, sample_pattern_index;
    bool has_vertex_input, has_colors;
    const struct lull_layout_binding *bindings;
    uint32_t nbindings;
    const struct lull_layout_attribute *attributes;
    uint32_t nattributes;
    struct lull_layout_color colors[LULL_LAYOUT_COLORS]; ///< By location.
    bool alpha_to_coverage, dual_source;
    uint32_t patch_control_points; ///< Vertices of a patch that comes in; 0: not said.
    bool multiview;                ///< Each draw is one of views, each to its layer.
    uint32_t view_mask;            ///< A bit for each view; 0: not said.
    struct lull_arena arena;       ///< Owns all of it.
};

enum {
    LULL_LAYOUT_MAX_ROOT = 0xffff, ///< Dwords of the root table: as many mean "no spill threshold".
    LULL_LAYOUT_PRINTF_BINDING = 6, ///< Of the printf buffer, where nothing else is said.
};
/** ... and its set, LLPC's internal one. Source: LLPC, vkgcDefs.h. */
#define LULL_LAYOUT_PRINTF_SET UINT32_C(0xfffffff0)

/** A node, and the root node whose table it is in; the same for a node of the root table. */
struct lull_layout_place {
    const struct lull_layout_node *root, *node;
};

/**
 * Read a layout.
 *
 * @param text JSON, or LLPC's .pipe text, @p size bytes; not kept.
 * @param[out] ret Written only on success; give it to lull_layout_done().
 * @return LULL_ERR_BAD_DATA with the line, and the column or with the path of the value
 * ("nodes[1].size:
 * ..."); LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_layout_read(const char *text, size_t size,
                                    struct lull_layout *ret) LULL_MUST_USE;
void lull_layout_done(struct lull_layout *layout);

/** The layout as JSON that lull_layout_read() reads back as the same layout; all offsets are given.
 */
void lull_layout_write(const struct lull_layout *layout, struct lull_str *out);

/** "table", "buffer" ... as the file has it. */
const char *lull_layout_type_name(enum lull_layout_type type);

/** Dwords of one descriptor of @p type; 0 for what has no fixed size. */
uint32_t lull_layout_type_size(enum lull_layout_type type);

/**
 * The descriptor for (@p set, @p binding) that a shader which asks for @p want may use: the first
 * in the order of the file. LULL_LAYOUT_ANY takes all.
 *
 * @param stages Here and below: LULL_STAGE_* (link/stages.h) one of which sees the node; 0: any.
 * @return False if there is none.
 */
bool lull_layout_find(const struct lull_layout *layout, uint32_t stages, enum lull_layout_type want,
                      uint32_t set, uint32_t binding, struct lull_layout_place *ret);

/** The table of set @p set; NULL if there is none. */
const struct lull_layout_node *lull_layout_table(const struct lull_layout *layout, uint32_t stages,
                                                 uint32_t set);

/** First node of @p type, in the root table or behind it; false if there is none. */
bool lull_layout_first(const struct lull_layout *layout, uint32_t stages,
                       enum lull_layout_type type, struct lull_layout_place *ret);

/** Does a node of the root table belong to one of @p stages? */
bool lull_layout_visible(const struct lull_layout_node *root, uint32_t stages);

/** Has the layout nodes that only some stages see? */
bool lull_layout_by_stage(const struct lull_layout *layout);

/** @return LULL_ERR_BAD_DATA with the paths of two nodes of the root table that share dwords. */
struct lull_error *lull_layout_check_overlap(const struct lull_layout *layout) LULL_MUST_USE;

/**
 * A buffer at (@p set, @p binding) that the file need not name: if no buffer's node has that place,
 * one of 4 dwords is added behind the root table's nodes.
 *
 * @return LULL_ERR_UNSUPPORTED: the root table is full. LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_layout_add_buffer(struct lull_layout *layout, uint32_t set,
                                          uint32_t binding) LULL_MUST_USE;

/** The vertex attribute at @p location, and its buffer; NULL if there is none. */
const struct lull_layout_attribute *lull_layout_attribute_at(
    const struct lull_layout *layout, uint32_t location,
    const struct lull_layout_binding **ret_binding);

/** Dwords of the root table. */
uint32_t lull_layout_root_size(const struct lull_layout *layout);

/** Dwords of the table that @p table points to. */
uint32_t lull_layout_table_size(const struct lull_layout_node *table);

/**
 * May relocatable shaders be used with this layout?
 *
 * @return LULL_ERR_UNSUPPORTED with the path of the first node that they cannot use: converting
 *         (YCbCr) samplers, inline buffers, samplers, combined textures or texel buffers in the
 * root table, a set in two tables, two sets in one table.
 */
struct lull_error *lull_layout_check_relocatable(const struct lull_layout *layout) LULL_MUST_USE;

#endif
