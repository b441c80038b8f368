// SPDX-License-Identifier: MIT
/** @file
 * Accesses that leave what they were meant for: a buffer whose size is known, to the byte; the
 * range of a descriptor, also where hardware drops the access; local memory.
 *
 * Stores and atomics are told at once if a byte of them is outside. Of loads, compilers make wider
 * ones than the program has, so they are told if they are outside as a whole: LLVM loads no memory
 * that the program might not. Loads through descriptors give 0 outside, and Mesa's compiler may
 * move them out of the condition that guards them: those are not told.
 *
 * Who owns the objects keeps them far from each other (lull_amd_device_apart()), so that the
 * nearest one is the one that was meant.
 *
 * Bounds: the objects of lull_checks_add()'s configuration, struct lull_check_objects. Where it
 * does not know local memory, the bound is the hardware's, in steps of 512 bytes.
 */
#ifndef LULL_CHECK_BOUNDS_BOUNDS_H
#define LULL_CHECK_BOUNDS_BOUNDS_H

#include "check/checks.h"
#include "check/objects.h"

extern const struct lull_check_module lull_check_bounds;

/** The same of ir3. */
extern const struct lull_check_module lull_check_bounds_ir3;

#endif
