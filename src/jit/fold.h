// SPDX-License-Identifier: MIT
/** @file
 * Operations of templates whose operands are known when code is made: constants of an instruction,
 * the same in all lanes.
 */
#ifndef LULL_JIT_FOLD_H
#define LULL_JIT_FOLD_H

#include <stdbool.h>

#include "jit/template.h"

/** The dword that constant @p n of @p t has in all lanes. False: it has several. */
bool lull_jit_fold_const(const struct lull_jit_target *t, int n, uint32_t *ret);

/**
 * Result of @p o, whose operands are @p a (s1), @p b (s2 or its constant) in all lanes. Integers
 * and bits only. False: it is not known.
 */
bool lull_jit_fold(const struct lull_jit_op *o, uint32_t a, uint32_t b, uint32_t *ret);

/** What the result of an operation is if one operand is known. */
enum lull_jit_part {
    LULL_JIT_PART_NONE, ///< It has to be computed.
    LULL_JIT_PART_ZERO,
    LULL_JIT_PART_FIRST,  ///< s1, unchanged.
    LULL_JIT_PART_SECOND, ///< s2, or its constant.
};

/** What is known of an operand: @c v in all lanes, or nothing. */
struct lull_jit_fact {
    bool known;
    uint32_t v;
};

/** The result of @p o, by what is known of s1, s2 or its constant, and s3. */
enum lull_jit_part lull_jit_fold_part(const struct lull_jit_op *o, struct lull_jit_fact a,
                                      struct lull_jit_fact b, struct lull_jit_fact mask);

/** Whether @p o puts bytes of s1, which is @p a in all lanes, in places that its constant says, so
 * that all lanes are @p ret. */
bool lull_jit_fold_shuffle(const struct lull_jit_target *t, const struct lull_jit_op *o, uint32_t a,
                           uint32_t *ret);

/** Whether @p o is its constant, loaded or broadcast: then @p ret is that. */
bool lull_jit_fold_load(const struct lull_jit_target *t, const struct lull_jit_op *o,
                        uint32_t *ret);

/** Whether @p o shifts or rotates (ext 0 and 1) by as many bits as s2 says. @param[out] ext Of the
 * same by a constant, 66 0F 72 /ext. */
bool lull_jit_fold_shift(const struct lull_jit_op *o, unsigned *ext);

/** Whether s1 and s2 of @p o can change places. */
bool lull_jit_fold_commutes(const struct lull_jit_op *o);

#endif
