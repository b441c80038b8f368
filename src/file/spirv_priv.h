// SPDX-License-Identifier: MIT
/** @file
 * Between spirv.c (instructions, names, source text) and spirv_type.c (types, constants,
 * interface).
 */
#ifndef LULL_FILE_SPIRV_PRIV_H
#define LULL_FILE_SPIRV_PRIV_H

#include "base/cur.h"
#include "file/spirv.h"

#define LULL_SPIRV_NONE UINT32_MAX

/** What decorations say of an id, a member or a group. */
struct lull_spirv_decor {
    bool block, buffer_block, non_writable, non_readable, row_major, placed;
    uint32_t set, binding, spec_id, offset, array_stride, matrix_stride;
};

/** Name or decorations of one member; a list, because members are described before the struct. */
struct lull_spirv_member_info {
    uint32_t index;
    const char *name; ///< NULL: none told.
    struct lull_spirv_decor decor;
    struct lull_spirv_member_info *next;
};

/** What is known of an id. */
struct lull_spirv_id {
    const char *name;   ///< OpName, NULL: none.
    const char *string; ///< OpString, NULL: is none.
    struct lull_spirv_decor decor;
    struct lull_spirv_member_info *members; ///< Newest first.
    struct lull_spirv_type *type;           ///< Of a type's id.
    unsigned depth;                         ///< Nesting of that type.
    uint32_t target;                        ///< Of a pointer type: id of what it points to.
    bool defined;
    bool has_value; ///< Of a constant: value holds.
    bool computed;  ///< Of a constant: an operation on specialization constants.
    uint64_t value;
    size_t composite; ///< Word of an Op(Spec)ConstantComposite; 0: is none.
};

/** One instruction. */
struct lull_spirv_insn {
    uint32_t op;
    size_t word;       ///< Index in the module.
    struct lull_cur c; ///< Operands.
};

struct lull_spirv_reader {
    struct lull_cur all;
    size_t nwords;
    struct lull_spirv *m;
    struct lull_spirv_id **ids; ///< bound of them, NULL: never mentioned.
    uint32_t debug_set;         ///< Id of the imported debug instructions; 0: none.
    uint32_t workgroup_size;    ///< Id decorated as the built-in WorkgroupSize; 0: none.
    size_t nentries, nconstants, nvariables, nlines, nsources; ///< At most so many.
    struct lull_spirv_entry *entries;
    struct lull_spirv_binding *bindings;
    struct lull_spirv_shared *shared;
    struct lull_spirv_constant *constants;
};

/** The instruction at *@p pos, which moves on. False at the end, and if its length is wrong. */
bool lull_spirv_next(const struct lull_spirv_reader *r, size_t *pos, struct lull_spirv_insn *ret);

/** Operands were missing, or of a wrong kind. */
struct lull_error *lull_spirv_bad(const struct lull_spirv_insn *in,
                                  const char *what) LULL_NEW_ERROR;

/** The entry of @p id, made if new. An error if @p id is 0 or not under the bound. */
struct lull_error *lull_spirv_id(struct lull_spirv_reader *r, const struct lull_spirv_insn *in,
                                 uint32_t id, struct lull_spirv_id **ret) LULL_MUST_USE;

/** The entry of @p id, NULL if there is none. */
const struct lull_spirv_id *lull_spirv_peek(const struct lull_spirv_reader *r, uint32_t id);

/** Types, constants and variables; fills in m's bindings, constants, push. */
struct lull_error *lull_spirv_read_globals(struct lull_spirv_reader *r) LULL_MUST_USE;

/** Local sizes of the entry points, by the instructions @p in of OpExecutionMode(Id). */
struct lull_error *lull_spirv_local_size(struct lull_spirv_reader *r,
                                         struct lull_spirv_insn *in) LULL_MUST_USE;

/** A built-in WorkgroupSize, which goes before all execution modes. */
void lull_spirv_workgroup_size(struct lull_spirv_reader *r);

#endif
