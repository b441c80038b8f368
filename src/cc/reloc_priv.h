// SPDX-License-Identifier: MIT
/** @file
 * The relocation pass (reloc_*.c): lull.* intrinsics of shaders, lowered in LLVM IR.
 *
 * A front end asks for descriptors, push constants and ids, and does not know the pipeline's
 * layout. Without a layout the calls become relocations, llvm.amdgcn.reloc.constant of names such
 * as doff_0_1_b, that `lull link` resolves; with one, numbers. Entry functions get their user SGPRs
 * as parameters, and the PAL metadata say what is to be in each. What the intrinsics are:
 * docs/formats/lull-intrinsics.md.
 *
 * Source: LLPC at b29aa1cd5, lgc/include/lgc/state/AbiUnlinked.h, lgc/builder/DescBuilder.cpp,
 * lgc/patch/PatchEntryPointMutate.cpp; PAL's user data, inc/core/palPipelineAbi.h.
 */
#ifndef LULL_CC_RELOC_PRIV_H
#define LULL_CC_RELOC_PRIV_H

#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "base/arena.h"
#include "base/str.h"
#include "cc/cc.h"
#include "link/layout.h"

/** Values of user data SGPRs. Source: PAL inc/core/palPipelineAbi.h, LLPC AbiUnlinked.h. */
enum {
    LULL_UD_GLOBAL_TABLE = 0x10000000,
    LULL_UD_SPILL = 0x10000002,
    LULL_UD_BASE_VERTEX = 0x10000003,
    LULL_UD_BASE_INSTANCE = 0x10000004,
    LULL_UD_WORKGROUPS = 0x10000006,      ///< Address of their number, two SGPRs.
    LULL_UD_VERTEX_BUFFERS = 0x1000000f,  ///< Table of their descriptors.
    LULL_UD_CULLING = 0x10000011,         ///< NGG culling data, two SGPRs.
    LULL_UD_MESH_DIMENSIONS = 0x10000012, ///< Mesh tasks, three SGPRs.
};
#define LULL_UD_SET UINT32_C(0x80000000)  ///< + set; for the linker.
#define LULL_UD_PUSH UINT32_C(0x80000100) ///< + dword; for the linker.
#define LULL_UD_NONE UINT32_C(0xffffffff)

enum { LULL_UD_MAX = 32, LULL_RL_NITEMS = 512, LULL_RL_NO_SPILL = 0xffff };

enum { LULL_RL_VERTEX_BUFFERS = 32, LULL_RL_ATTRIBUTES = 32, LULL_RL_GLOBAL_DESCS = 16 };

/** Key of gl_PointCoord among the parameters of pixel shaders. */
enum { LULL_RL_KEY_POINT = 36 };

enum lull_rl_op {
    LULL_RL_DESC,
    LULL_RL_TABLE,
    LULL_RL_PUSH,
    LULL_RL_PUSH_POINTER,
    LULL_RL_USER_DATA,
    LULL_RL_WORKGROUP_ID,
    LULL_RL_LOCAL_ID,
    LULL_RL_NUM_WORKGROUPS,
    LULL_RL_NUMBER, ///< A number that is the pipeline's.
    LULL_RL_VERTEX_BUFFER,
    LULL_RL_ATTRIBUTE_RING,
    LULL_RL_GLOBAL_DESC, ///< Of the driver's own table.
    LULL_RL_VERTEX_INPUT,
    LULL_RL_COLOR_EXPORT,
};

enum lull_rl_type {
    LULL_RL_I32,
    LULL_RL_V4I32,
    LULL_RL_V8I32,
    LULL_RL_POINTER,
    LULL_RL_ANY, ///< One that the name's suffix says; of colours, of the last operand.
};

/** What a function is for: a shader, or glue that the linker puts in front of one or behind it. */
enum lull_rl_glue { LULL_RL_SHADER, LULL_RL_FETCH, LULL_RL_EXPORT };

enum { LULL_RL_COLORS = 8, LULL_RL_COMPONENTS = 4, LULL_RL_WIDE = 8 };

/** One intrinsic. */
struct lull_rl_row {
    const char *name;
    enum lull_rl_op op;
    enum lull_rl_type type;
    unsigned nparams;   ///< All i32.
    unsigned nconstant; ///< The first of them must be constants.
    char letter;        ///< Of the relocation doff_; 0 if there is none.
    enum lull_layout_type wants;
    const char *symbol; ///< LULL_RL_NUMBER: the relocation.
};

/** One call of an intrinsic. */
struct lull_rl_call {
    LLVMValueRef inst;
    const struct lull_rl_row *row;
    bool divergent;    ///< The index may differ from lane to lane.
    uint32_t value[2]; ///< Constant operands.
    LLVMTypeRef type;  ///< Of an attribute or a colour, without a layout.
    bool again;        ///< ... that an earlier call asks for, too.
    unsigned vgpr;     ///< Without a layout: first parameter of an attribute, of those behind the
                       ///< shader's own.
};

/** One shader. */
struct lull_rl_entry {
    LLVMValueRef fn;
    const char *stage; ///< "cs"
    const char *name;  ///< In the source.
    bool compute;
    unsigned gfx;    ///< 11 for gfx1100.
    bool packed_ids; ///< All three local ids in one VGPR.
    unsigned wave_size;
    struct lull_rl_call *calls;
    size_t ncalls;

    uint32_t item[LULL_RL_NITEMS]; ///< User data wanted in SGPRs, rising.
    unsigned nitems;
    uint32_t special[LULL_UD_MAX]; ///< LULL_RL_USER_DATA and LULL_UD_WORKGROUPS.
    unsigned nspecial;
    bool spill, group[3], local[3];
    bool ttmp_group[3]; ///< The same of gfx12, where they are not SGPRs.
    uint32_t block[3];

    unsigned first; ///< SGPR of map[0]: 8 in merged stages.
    unsigned nmap;
    uint32_t map[LULL_UD_MAX]; ///< user_data_reg_map.
    uint32_t spill_threshold, user_data_limit;
    uint32_t attributes; ///< Slots of the attribute ring that a vertex has.
    enum lull_rl_glue glue;
    unsigned nattribute_vgprs; ///< Parameters that hold attributes, without a layout.
    unsigned attribute_param;  ///< The first of them.
    unsigned ncolor_vgprs;     ///< Values that hold colours, without a layout.
    bool has_colors;           ///< Colours are exported by lull.color.export.
    uint8_t color_format[LULL_RL_COLORS], color_mask[LULL_RL_COLORS];
    LLVMValueRef sgpr[LULL_UD_MAX], group_id[3], local_id[3];
};

struct lull_rl {
    struct lull_cc *cc;
    const struct lull_layout *layout; ///< NULL: relocations.
    struct lull_arena arena;
    struct lull_rl_entry *entries;
    size_t nentries;
    uint64_t hash; ///< Of the functions before anything was changed.
};

/** Registers of a shader that fetches attributes: VGPRs before them, and which of them are numbers
 * of the vertex and of the instance. */
struct lull_rl_vertex_vgprs {
    unsigned n, vertex, instance;
};
struct lull_rl_vertex_vgprs lull_rl_vertex_vgprs(const struct lull_rl_entry *e);

/** Does @p module call a lull.* intrinsic? */
bool lull_rl_wanted(LLVMModuleRef module);

/** Find shaders and calls, check every call. */
struct lull_error *lull_rl_scan(struct lull_rl *rl) LULL_MUST_USE;

/** Which user data are wanted, and where they are. */
struct lull_error *lull_rl_assign(struct lull_rl *rl, struct lull_rl_entry *e) LULL_MUST_USE;

/** SGPR that holds user data value @p value, an index of e->map, or -1. */
int lull_rl_slot(const struct lull_rl_entry *e, uint32_t value);

/** The node that a descriptor call of a shader means. */
struct lull_error *lull_rl_place(const struct lull_rl *rl, const struct lull_rl_entry *e,
                                 const struct lull_rl_call *c,
                                 struct lull_layout_place *ret) LULL_MUST_USE;

/** Is the descriptor one that the root table holds, and wanted in SGPRs? */
bool lull_rl_in_sgprs(const struct lull_rl_call *c, const struct lull_layout_place *p);

/** The node of the push constants, and the root node that it is in. */
struct lull_error *lull_rl_push_node(const struct lull_rl *rl, const struct lull_rl_entry *e,
                                     const struct lull_rl_call *c,
                                     struct lull_layout_place *ret) LULL_MUST_USE;

/** First instruction of @p fn that is not an alloca. */
LLVMValueRef lull_rl_top(LLVMValueRef fn);

/** Make the entry anew, with parameters for SGPRs and ids; fills sgpr, group_id and local_id. */
struct lull_error *lull_rl_parameters(struct lull_rl *rl, struct lull_rl_entry *e) LULL_MUST_USE;

/** Put code in place of the calls. */
struct lull_error *lull_rl_emit(struct lull_rl *rl, struct lull_rl_entry *e) LULL_MUST_USE;

/** The type of the values of an LULL_RL_ANY row's declaration @p fn: components of 32 or 16 bits.
 */
LLVMTypeRef lull_rl_value_type(LLVMValueRef fn, const struct lull_rl_row *row);

/** Components of @p type, and one of them. */
unsigned lull_rl_components(LLVMTypeRef type, LLVMTypeRef *ret_one);

/** The vertex attribute that @p c asks for, by the layout. */
struct lull_error *lull_rl_attribute(const struct lull_rl *rl, const struct lull_rl_call *c,
                                     const struct lull_layout_attribute **ret_attribute,
                                     const struct lull_layout_binding **ret_binding) LULL_MUST_USE;

/** Load it at @p b, out of the buffer with descriptor @p buffer. */
struct lull_error *lull_rl_fetch(const struct lull_rl *rl, const struct lull_rl_entry *e,
                                 const struct lull_rl_call *c, LLVMBuilderRef b,
                                 LLVMValueRef buffer, LLVMValueRef *ret) LULL_MUST_USE;

/** Are the calls of lull.color.export right? @p ret_block is the one that they are in. */
struct lull_error *lull_rl_check_colors(const struct lull_rl *rl, const struct lull_rl_entry *e,
                                        LLVMBasicBlockRef *ret_block) LULL_MUST_USE;

/** Export the colours of a pixel shader in the formats of the layout's targets. */
struct lull_error *lull_rl_colors(const struct lull_rl *rl, struct lull_rl_entry *e,
                                  LLVMBuilderRef b) LULL_MUST_USE;

/** The attribute of call @p c out of the parameters that a fetch part in front fills. */
LLVMValueRef lull_rl_passed(const struct lull_rl *rl, const struct lull_rl_entry *e,
                            const struct lull_rl_call *c, LLVMBuilderRef b);

/** Return the colours, which a part behind exports. */
struct lull_error *lull_rl_return_colors(const struct lull_rl *rl, struct lull_rl_entry *e,
                                         LLVMBuilderRef b) LULL_MUST_USE;

/** What the entry returns: the type of colours, or void. */
LLVMTypeRef lull_rl_return_type(const struct lull_rl *rl, struct lull_rl_entry *e);

/** Take the attribute's parameters; colours' values. */
struct lull_error *lull_rl_pass(const struct lull_rl *rl, struct lull_rl_entry *e) LULL_MUST_USE;

/** Append .vertexInputs and .colorExports, as far as there are any; how many keys that are. */
size_t lull_rl_put_unlinked(struct lull_str *s, const struct lull_rl *rl);

/** The name of a value's type as LLPC has it: "v4f32". */
void lull_rl_type_name(LLVMTypeRef type, char name[16]);

/** Write the PAL metadata. */
struct lull_error *lull_rl_metadata(struct lull_rl *rl) LULL_MUST_USE;

/** Append .graphics_registers and its value: what the code of the shaders says. */
void lull_rl_put_graphics(struct lull_str *s, const struct lull_rl *rl);

/** Append .preraster_output_semantic and .ps_input_semantic, where shaders say what they have.
 * @return How many of the two. */
size_t lull_rl_put_interface(struct lull_str *s, const struct lull_rl *rl);

/** Has @p module PAL metadata about pipelines? */
bool lull_rl_has_pipelines(LLVMModuleRef module);

#endif
