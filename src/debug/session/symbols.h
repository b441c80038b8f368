// SPDX-License-Identifier: MIT
/** @file
 * Debug information of the image that a session debugs.
 */
#ifndef LULL_DEBUG_SYMBOLS_H
#define LULL_DEBUG_SYMBOLS_H

#include "debug/session/debug.h"
#include "symbols/symbols.h"

/** Of the image, read when they are first asked for; NULL: there are none. */
const struct lull_symbols *lull_debug_symbols(struct lull_debug *d);
/** Image offset of code at @p va; false: it is not of the image. */
bool lull_debug_image_offset(const struct lull_debug *d, uint64_t va, uint64_t *ret);
#endif
