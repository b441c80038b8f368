// SPDX-License-Identifier: MIT
/** @file
 * What compiled code calls.
 */
#ifndef LULL_JIT_REDO_H
#define LULL_JIT_REDO_H

#include "jit/region.h"

/** The strip of region @p r that begins with lane @p first, by the interpreter; its part of masks
 * into r->area. */
void lull_jit_redo(struct lull_wave *w, const struct lull_jit_region *r, unsigned first);

#endif
