// SPDX-License-Identifier: MIT
/** @file
 * Between the files that make debug information.
 *
 * Names come from DebugInfo.100, or else from OpName and OpMemberName. Where a thing lies comes
 * from the types of SPIR-V alone: glslang writes 0 for sizes and offsets.
 *
 * Source: Khronos, SPIR-V 1.6; NonSemantic.Shader.DebugInfo.100; DWARF 5.
 */
#ifndef LULL_FRONT_LLVM_DEBUG_PRIV_H
#define LULL_FRONT_LLVM_DEBUG_PRIV_H

#include <llvm-c/Target.h>
#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/spirv.h>

#include "front/llvm/lower_priv.h"

/** A type that was made: of a type of SPIR-V with a type of DebugInfo.100, or with none (0). */
struct lull_fl_debug_type {
    uint32_t with;
    bool natural;
    LLVMMetadataRef made; ///< NULL: it is being made.
    struct lull_fl_debug_type *next;
};

/** What is known of an id. */
struct lull_fl_debug_id {
    struct lull_fl_debug_type *types; ///< Of a type of SPIR-V.
    LLVMMetadataRef scope;            ///< Of a DebugFunction, a DebugLexicalBlock.
    LLVMMetadataRef variable;         ///< Of a variable of a function.
    uint32_t global;                  ///< Of an OpVariable: its DebugGlobalVariable; 0: none.
    uint32_t line;                    ///< Of an OpVariable: where it is used first; 0: not known.
    LLVMValueRef copy;                ///< Of a DebugLocalVariable: where its values go.
    LLVMMetadataRef copied_in;        ///< ... in that call.
};

/** What is made of a function. */
struct lull_fl_debug_function {
    LLVMMetadataRef scope;
    uint32_t id; ///< Its DebugFunction; 0: none.
};

struct lull_fl_debug {
    LLVMDIBuilderRef di;
    LLVMMetadataRef file;
    LLVMTargetDataRef target;
    const char *dir;              ///< What relative paths begin at.
    bool keep;                    ///< Copy what has no memory of its own, so that it can be read.
    uint32_t shared_bytes;        ///< Of LDS given out.
    bool has_shared_blocks;       ///< The memory of all blocks in LDS has its place:
    uint32_t shared_blocks;       ///< ... at this offset.
    unsigned ncalls;              ///< Calls that were lowered so far.
    struct lull_fl_debug_id *ids; ///< spv.bound of them.
    struct lull_fl_debug_function *functions; ///< As the module has them.
    struct lull_fl_scope now;
};

// debug_read.c

/** Is @p in the instruction @p op of DebugInfo.100? */
bool lull_fl_debug_is(const struct lull_fl *f, const struct lull_spv_insn *in, uint32_t op);

/** The instruction of DebugInfo.100 that defines @p id; DebugInfoNone in @p ret_op: none does. */
struct lull_spv_insn lull_fl_debug_def(const struct lull_fl *f, uint32_t id, uint32_t *ret_op);

/** The id that is the operand with @p name; 0: there is none. */
uint32_t lull_fl_debug_operand(const struct lull_spv_insn *in, const char *name);
/** The text that it is; "": there is none. */
const char *lull_fl_debug_text(const struct lull_fl *f, const struct lull_spv_insn *in,
                               const char *name);
/** The number that it is; 0: there is none. */
uint32_t lull_fl_debug_number(const struct lull_fl *f, const struct lull_spv_insn *in,
                              const char *name);
/** The file that its Source is; the module's if it has none. */
LLVMMetadataRef lull_fl_debug_file(const struct lull_fl *f, const struct lull_spv_insn *in);
LLVMMetadataRef lull_fl_debug_path(const struct lull_fl *f, const char *path);

/** The instruction that says a line: path, line, column; false: it says none. */
bool lull_fl_debug_line_at(const struct lull_fl *f, const struct lull_spv_insn *in,
                           const char **ret_path, uint32_t *ret_line, uint32_t *ret_column);

// debug_type.c

/**
 * A type of SPIR-V, with the names that DebugInfo.100 gives it.
 *
 * @param with    Id of its type there; 0, or one of another shape: names are OpName's.
 * @param natural Laid out by LLVM, not by decorations.
 * @return NULL: there is none.
 */
LLVMMetadataRef lull_fl_debug_type(struct lull_fl *f, const struct lull_fr_type *t, uint32_t with,
                                   bool natural);
/** The DebugTypeMember of each member of a struct; NULL: @p with does not have as many. */
const uint32_t *lull_fl_debug_members(struct lull_fl *f, const struct lull_fr_type *t,
                                      uint32_t with);
/** The name of a member; "": it has none. @p members: lull_fl_debug_members(). */
const char *lull_fl_debug_member_name(const struct lull_fl *f, const struct lull_fr_type *t,
                                      const uint32_t *members, uint32_t i);
/** The type of a member of a struct that decorations lay out. */
LLVMMetadataRef lull_fl_debug_member_type(struct lull_fl *f, const struct lull_fr_type *t,
                                          const uint32_t *members, uint32_t i);
/** The array @p t, of pointers to its elements, which decorations lay out. */
LLVMMetadataRef lull_fl_debug_pointers(struct lull_fl *f, const struct lull_fr_type *t,
                                       uint32_t with);

// debug_scope.c

/** A function's subprogram. */
LLVMMetadataRef lull_fl_debug_function(struct lull_fl *f, const struct lull_fr_function *fn);
/** DebugScope, DebugNoScope. */
void lull_fl_debug_scope(struct lull_fl *f);
/** The scope that a variable's Parent is, if it is in the function that is lowered, or NULL. */
LLVMMetadataRef lull_fl_debug_parent(struct lull_fl *f, const struct lull_spv_insn *in);

// debug_var.c

/** DebugDeclare, DebugValue. */
void lull_fl_debug_declare(struct lull_fl *f);

#endif
