// SPDX-License-Identifier: MIT
/** @file
 * Modules that say of themselves what their code does not show, for --check.
 *
 * Divisions of integers of 64 bits: drivers make long sequences of them, in which nobody sees the
 * divisor. To what one gives the result of a division of 32 bits is added, that of half of d by d,
 * where d has the bits of both halves of the divisor: it is 0, but where the divisor is 0, too. So
 * who sees divisions of 32 bits by 0, and what becomes of them, sees these.
 *
 * Source: Khronos, "SPIR-V Specification" 1.6, sections 3.52.13 and 3.52.14 (what of OpUDiv and the
 * like is not defined, and of which types they are).
 */
#ifndef LULL_SPIRV_MARKS_H
#define LULL_SPIRV_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** What is put in. */
enum { LULL_SPV_MARK_DIVISIONS = 1 };

/**
 * A module with marks.
 *
 * @param what LULL_SPV_MARK_*.
 * @param[out] ret Words, for free(); NULL: there is nothing to be marked.
 * @return LULL_ERR_UNSUPPORTED: no SPIR-V. LULL_ERR_BAD_DATA: a broken module; the message names
 *         the word. LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_spv_mark(const void *data, size_t size, unsigned what, uint32_t **ret,
                                 size_t *ret_words) LULL_MUST_USE;

#endif
