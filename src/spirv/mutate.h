// SPDX-License-Identifier: MIT
/** @file
 * Lines of a module's instructions, and the module with one instruction changed: who compiles both
 * sees which machine instructions come of that line.
 *
 * A changed module is as valid as the module: another operation takes the same operands, another
 * constant has the same type, an index stays in its array.
 */
#ifndef LULL_SPIRV_MUTATE_H
#define LULL_SPIRV_MUTATE_H

#include "spirv/build.h"
#include "spirv/module.h"

/** A line, as OpLine or DebugLine says it. */
struct lull_spv_line {
    const char *file; ///< Borrowed from the module; NULL: not known.
    uint32_t line;    ///< 0: none.
};

/** Go on to @p in, the next instruction of @p m: @p l is its line from now on. */
void lull_spv_line_step(const struct lull_spv *m, const struct lull_spv_insn *in,
                        struct lull_spv_line *l);

/** What was changed. */
enum lull_spv_change {
    LULL_SPV_NO_CHANGE,
    LULL_SPV_OTHER_OPERATION,
    LULL_SPV_OTHER_CONSTANT,
    LULL_SPV_OTHER_ORDER,  ///< Two operands, or labels, in each other's place.
    LULL_SPV_OTHER_ACCESS, ///< A load is volatile, or no longer.
    LULL_SPV_LEFT_OUT,     ///< A barrier, a store, a load whose value is then undefined.
};

/**
 * The module with change @p which (from 0) of instruction @p in, of a function.
 *
 * @param[out] ret Words of the new module, for lull_spv_buf_free(). Nothing if there is no such
 *                 change: then *ret_change is LULL_SPV_NO_CHANGE.
 * @return LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_spv_mutate(const struct lull_spv *m, const struct lull_spv_insn *in,
                                   unsigned which, struct lull_spv_buf *ret,
                                   enum lull_spv_change *ret_change) LULL_MUST_USE;

#endif
