// SPDX-License-Identifier: MIT
#ifndef LULL_SPIRV_MARKS_PRIV_H
#define LULL_SPIRV_MARKS_PRIV_H

#include "spirv/build.h"
#include "spirv/marks.h"
#include "spirv/module.h"
#include "spirv/mutate.h"

/** Who uses what is loaded. */
enum lull_spv_chosen { LULL_SPV_USED_BY_NONE, LULL_SPV_USED_BY_SELECT, LULL_SPV_USED_BY_OTHERS };

/** While a module is rewritten. */
struct lull_spv_marking {
    const struct lull_spv *m;
    const struct lull_spv_marks *options;
    struct lull_spv_add add;
    struct lull_spv_buf code;      ///< Of functions.
    struct lull_spv_line line;     ///< Of the instruction at hand.
    struct lull_spv_insn line_was; ///< The OpLine that says so; op 0: none does.
    size_t nmarks;
    uint32_t nsites;
    uint32_t *names;             ///< By id: word of its OpName; 0: none. Owned, as the next.
    uint32_t *checked, block;    ///< By id of a chain: the block that it was checked in last.
    uint8_t *chosen;             ///< By id of a load: enum lull_spv_chosen. Owned.
    struct lull_spv_insn select; ///< What is loaded is for it; op 0: for anything.
    bool second;                 ///< It is what that takes if its condition is false.
    uint32_t function;           ///< That marks; 0: not made yet.
    bool compute;                ///< All entry points are of compute shaders.
};

/** Which loads are for OpSelect alone. */
struct lull_error *lull_spv_mark_look(struct lull_spv_marking *k) LULL_MUST_USE;

/** In front of @p in: is an index of what it accesses outside? */
struct lull_error *lull_spv_mark_indices(struct lull_spv_marking *k,
                                         const struct lull_spv_insn *in) LULL_MUST_USE;

#endif
