// SPDX-License-Identifier: MIT
/** @file
 * What compiled code calls.
 */
#ifndef LULL_JIT_REDO_H
#define LULL_JIT_REDO_H

#include "jit/region.h"

/** Strip @p strip of region @p r by the interpreter; bytes of its masks into r->area. */
void lull_jit_redo(struct lull_wave *w, const struct lull_jit_region *r, unsigned strip);

#endif
