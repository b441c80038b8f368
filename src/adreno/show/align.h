// SPDX-License-Identifier: MIT
/** @file
 * Which elements of two lists belong together. For src/adreno/show/ only.
 */
#ifndef LULL_ADRENO_SHOW_ALIGN_H
#define LULL_ADRENO_SHOW_ALIGN_H

#include <stddef.h>
#include <stdint.h>

#include "adreno/show/record.h"

/**
 * For each of the @p n elements of @p a the element of @p b that belongs to it, or SIZE_MAX; in
 * order. First those that are the same in detail, then between them those of the same kind.
 *
 * @param[out] ret free(). @return LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_align(const struct lull_rec_entry *a, size_t n,
                              const struct lull_rec_entry *b, size_t m, size_t **ret) LULL_MUST_USE;

#endif
