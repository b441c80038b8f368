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

/** Some of the things, in rising order. */
struct lull_ddmin_set {
    const size_t *which;
    size_t n;
};

/** The first of @p n sets with which it holds; @p n: with none of them. They may be tested at the
 * same time. */
typedef struct lull_error *(*lull_ddmin_tests)(void *ctx, const struct lull_ddmin_set *sets,
                                               size_t n, size_t *ret);

/** The same with up to @p many sets at a time. The result is the same, whatever @p many is. */
struct lull_error *lull_ddmin_many(size_t *which, size_t *n, size_t many, lull_ddmin_tests tests,
                                   void *ctx) LULL_MUST_USE;

#endif
