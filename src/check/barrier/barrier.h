// SPDX-License-Identifier: MIT
/** @file
 * Barriers that not all work-items of a workgroup come to, though all must or none.
 *
 * Three things tell: lanes that are off at s_barrier although the wave was launched with them; the
 * address of each wave's k-th barrier; how many barriers a wave has come to when it ends. The
 * hardware counts waves, and those that have ended as arrived, so such code runs through.
 *
 * s_barrier does not look at EXEC, so a compiler may leave there the lanes of a condition that has
 * ended in front of it. Mesa's of 25.0.7 does (22.3.6 does not, nor does LLVM): of a driver's code
 * lanes count as missing only if others access memory behind the barrier before EXEC is written.
 *
 * Work-items that do nothing more have returned early. The languages forbid that, too, but it is
 * common and harmless here: a warning. "Nothing more" is no access to global or local memory, as
 * compilers put whole waves' scratch accesses behind.
 *
 * Sources: OpenCL C 3.0 6.15.8, barrier(); SPIR-V OpControlBarrier.
 */
#ifndef LULL_CHECK_BARRIER_BARRIER_H
#define LULL_CHECK_BARRIER_BARRIER_H

#include "check/checks.h"

extern const struct lull_check_module lull_check_barrier;

#endif
