// SPDX-License-Identifier: MIT
/** @file
 * What a search in the past found, as virtual drivers tell it.
 */
#ifndef LULL_TARGET_FOUND_H
#define LULL_TARGET_FOUND_H

#include "drm/core/time_abi.h"
#include "target/target.h"

/**
 * The last of @p met records, of which the driver keeps @p kept, as many as @p ret has room for.
 *
 * @param read @p n records from @p first on, or fewer; ret_n: how many, 0: there are no more.
 */
struct lull_error *lull_found_last(struct lull_error *(*read)(void *ctx, uint64_t first,
                                                              struct lull_time_record *ret,
                                                              size_t n, size_t *ret_n),
                                   void *ctx, uint64_t met, uint64_t kept,
                                   struct lull_found_list *ret) LULL_MUST_USE;

#endif
