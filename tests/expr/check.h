// SPDX-License-Identifier: MIT
/** @file
 * Between the files of the test of expressions.
 */
#ifndef LULL_TESTS_EXPR_CHECK_H
#define LULL_TESTS_EXPR_CHECK_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

// What is odd here is odd on purpose.
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wdiv-by-zero"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wunused-variable"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wconstant-logical-operand"
#pragma GCC diagnostic ignored "-Wlogical-not-parentheses"
#else
#pragma GCC diagnostic ignored "-Wbool-compare"
#endif

/** The expression has that type, and @p size bytes of value. */
void check_value(const char *text, const char *type, const void *want, size_t size);

/** as_c.c: expressions that are C. */
void check_as_c(void);

#endif
