// SPDX-License-Identifier: MIT
/** @file
 * Values that depend on what nothing wrote: registers at the start of a wave, local memory at the
 * start of a workgroup, scratch memory.
 *
 * Each wave has a twin (twin.h) that executes the same instructions, in which all that nothing
 * wrote has other values. Whatever differs between the two depends on it, bit for bit, so there are
 * no rules for instructions: copies, packed bytes, masks and choices are right by themselves. Told
 * is where it matters: branches and lanes that are switched, addresses, and stores to memory that
 * others see. A store is told where byte 0 of a dword differs, and of a wide store where all its
 * dwords do: the padding of structures is copied by right programs.
 *
 * Loads of memory that others see are taken as defined, and so are the results of images. A value
 * that happens to be the same in both, as of a comparison, is missed.
 */
#ifndef LULL_CHECK_UNINIT_UNINIT_H
#define LULL_CHECK_UNINIT_UNINIT_H

#include "check/checks.h"

extern const struct lull_check_module lull_check_uninit;

#endif
