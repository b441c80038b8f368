// SPDX-License-Identifier: MIT
/** @file
 * Fewer things that still do it: delta debugging.
 *
 * Source: A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE
 * Transactions on Software Engineering 28(2), 2002: ddmin.
 */
#ifndef LULL_BASE_DDMIN_H
#define LULL_BASE_DDMIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/** Does it hold with these @p n things, in rising order? */
typedef struct lull_error *(*lull_ddmin_test)(void *ctx, const size_t *which, size_t n,
                                              bool *holds);

/**
 * Make @p which, @p n things with which @p test holds, smaller until taking away any one of them
 * (not any few) would end that. Nothing is tested without things.
 *
 * About 2 log2(n) tests if one thing does it, at most n * n.
 *
 * @return The error of a test; then @p which is the smallest so far.
 */
struct lull_error *lull_ddmin(size_t *which, size_t *n, lull_ddmin_test test,
                              void *ctx) LULL_MUST_USE;

#endif
