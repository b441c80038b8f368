// SPDX-License-Identifier: MIT
/** @file
 * Signed integers that overflow, in OpenCL C that was compiled to say so: struct lull_compile's
 * overflow. Code alone does not show it, as the same instructions add signed and unsigned numbers.
 */
#ifndef LULL_CHECK_OVERFLOW_OVERFLOW_H
#define LULL_CHECK_OVERFLOW_OVERFLOW_H

#include "check/checks.h"

/** It has no configuration. */
extern const struct lull_check_module lull_check_overflow;

#endif
