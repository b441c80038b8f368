// SPDX-License-Identifier: MIT
/** @file
 * What the language leaves open, in OpenCL C that was compiled to say where it does so: struct
 * lull_compile's marks. Code alone does not show it: the same instructions add signed and unsigned
 * numbers, and what lies behind an array is another variable. Modules without a configuration.
 */
#ifndef LULL_CHECK_UNDEFINED_UNDEFINED_H
#define LULL_CHECK_UNDEFINED_UNDEFINED_H

#include "check/checks.h"

/** Signed integers that overflow. */
extern const struct lull_check_module lull_check_overflow;

/** Indices outside of arrays whose length the program names. */
extern const struct lull_check_module lull_check_index;

#endif
