// SPDX-License-Identifier: MIT
/** @file
 * What instructions do with numbers: of constants that are folded, and of a module that is run.
 *
 * Numbers are bits, zero-extended from the width of their type; results may have more bits than
 * that. What SPIR-V leaves undefined (a division by 0) is 0.
 */
#ifndef LULL_FRONT_ARITH_H
#define LULL_FRONT_ARITH_H

#include "front/module.h"

/** The number with the sign that its highest bit is. */
int64_t lull_fr_extend(const struct lull_fr_type *t, uint64_t bits);

/** OpIAdd and the like, of two integers of type @p t. False: not such an instruction. */
bool lull_fr_integers(uint32_t op, const struct lull_fr_type *t, const uint64_t v[], uint64_t *ret);

/** OpIEqual and the like, and those of truth values. */
bool lull_fr_compare(uint32_t op, const struct lull_fr_type *t, const uint64_t v[], uint64_t *ret);

/** OpSNegate and the like, OpSConvert, OpLogicalNot: of one number. */
bool lull_fr_integer(uint32_t op, const struct lull_fr_type *t, uint64_t v, uint64_t *ret);

/** A float of type @p t as a number, and a number as the nearest float, to even if two are. */
double lull_fr_float_value(const struct lull_fr_type *t, uint64_t bits);
uint64_t lull_fr_float_bits(const struct lull_fr_type *t, double v);

#endif
