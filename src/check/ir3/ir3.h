// SPDX-License-Identifier: MIT
/** @file
 * What ir3 (Adreno a6xx, a7xx) leaves to the compiler.
 *
 * Results: of the ALU after so many slots, of the special function unit, shared memory and shared
 * registers after (ss), of textures, buffers and global memory after (sy). Sources: textures and
 * memory instructions read theirs late, so whoever overwrites one needs (ss), or (sy) once the
 * result has been waited for. Where fibers meet stands (jp). Shared memory out of range.
 *
 * A write and a read in other fibers do not meet, and only what is executed is seen.
 *
 * Sources: data/isa/ir3.haz, which has the numbers; Mesa 25.0.7 src/freedreno/ir3/ir3_legalize.c
 * and ir3_delay.c (the rules). What Mesa's compiler takes care of is told where it is missing; how
 * much of it a chip needs, nobody says. Not seen: outputs of a shader that ends, and that local
 * memory or constants that one wave writes reach another without a barrier.
 */
#ifndef LULL_CHECK_IR3_IR3_H
#define LULL_CHECK_IR3_IR3_H

#include "check/hazards.h"

extern const struct lull_hazard_rules lull_hazard_rules_ir3;

#endif
