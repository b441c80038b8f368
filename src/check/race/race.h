// SPDX-License-Identifier: MIT
/** @file
 * Accesses of one place by two waves of a dispatch, one of which writes, with nothing between that
 * orders them; and lanes of one instruction that store different values to one place.
 *
 * What orders: a wave's own instructions; barriers, in their workgroup; atomic operations. Code
 * does not show which loads and stores the source calls atomic, so what may be one counts as one,
 * and no correct program is accused:
 * - an atomic operation that returns a value, and a load that goes past the cache of its workgroup
 *   (glc, dlc), orders its wave behind all that the last writer of that place and its workgroup had
 *   done before, and what they were ordered behind; on gfx1100 without the stores in global memory
 *   that the writer had not waited for, as a release does;
 * - such a load is never one side of a race, nor is in global memory a store to a place that atomic
 *   operations work on, too, if the source may call it atomic (shaders that call none so have
 * none);
 * - a load of a place that compare-and-swap works on is not told: loops of it begin so;
 * - two stores of the same value, and dispatches among each other, are not told.
 *
 * Places are dwords with a mask of their bytes; of each the last store and two reads by different
 * waves are kept, so of more races at one place some may not be told. Texels of images are places,
 * too.
 */
#ifndef LULL_CHECK_RACE_RACE_H
#define LULL_CHECK_RACE_RACE_H

#include "check/checks.h"
#include "check/objects.h"

/** Its configuration is a struct lull_check_objects, for names; or none. */
extern const struct lull_check_module lull_check_race;

#endif
