// SPDX-License-Identifier: MIT
/** @file
 * Between the files that read a module.
 */
#ifndef LULL_FRONT_MODULE_PRIV_H
#define LULL_FRONT_MODULE_PRIV_H

#include "front/module.h"

/** Limits of what is compiled: a module may not take all memory. */
enum { LULL_FR_MAX_DEPTH = 64, LULL_FR_MAX_SCALARS = 1 << 16 };

/** Decorations without any. */
extern const struct lull_fr_decor lull_fr_no_decor;

/** OpDecorate, OpMemberDecorate, OpDecorateId. */
struct lull_error *lull_fr_decorate(struct lull_fr_module *m,
                                    const struct lull_spv_insn *in) LULL_MUST_USE;

/** An OpType... */
struct lull_error *lull_fr_add_type(struct lull_fr_module *m,
                                    const struct lull_spv_insn *in) LULL_MUST_USE;

/** An OpConstant..., OpSpecConstant..., OpUndef. */
struct lull_error *lull_fr_add_constant(struct lull_fr_module *m,
                                        const struct lull_spv_insn *in) LULL_MUST_USE;

/** The value of an OpSpecConstantOp. */
struct lull_error *lull_fr_fold(struct lull_fr_module *m, const struct lull_spv_insn *in,
                                const struct lull_fr_constant **ret) LULL_MUST_USE;

/** @p bits cut to the width of a scalar type. */
static inline uint64_t lull_fr_cut(const struct lull_fr_type *type, uint64_t bits)
{
    const uint32_t n = type->kind == LULL_FR_BOOL ? 1 : type->bits;
    return n == 0 || n >= 64 ? bits : bits & ((UINT64_C(1) << n) - 1);
}

/** The functions, from word @p at on. */
struct lull_error *lull_fr_add_functions(struct lull_fr_module *m) LULL_MUST_USE;

/** Which variables, and members of them, the functions use (interface.c). */
void lull_fr_find_uses(struct lull_fr_module *m);

#endif
