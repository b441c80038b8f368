// SPDX-License-Identifier: MIT
/** @file
 * Where the fibers of a memory instruction of ir3 go, worked out from the wave's registers.
 */
#ifndef LULL_DEBUG_IR3_ACCESS_H
#define LULL_DEBUG_IR3_ACCESS_H

#include "debug/rdna/access.h"

/**
 * As lull_access_find(), of an Adreno: by address (ldg, stg, atomic.g), and through descriptors of
 * buffers (ldc, untyped ldib, stib and atomic.b). Images and the fiber's and the group's own memory
 * have no addresses here.
 *
 * @param of What the wave is of, for tables of descriptors.
 */
struct lull_error *lull_ir3_access_find(struct lull_target *t, const struct lull_wave_info *wave,
                                        const struct lull_adreno_dispatch *of, uint64_t va,
                                        struct lull_access *ret, bool *ret_known) LULL_MUST_USE;

#endif
