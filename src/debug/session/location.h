// SPDX-License-Identifier: MIT
/** @file
 * Places in code as a user writes them.
 */
#ifndef LULL_DEBUG_LOCATION_H
#define LULL_DEBUG_LOCATION_H

#include "debug/session/debug.h"

/** Address of "symbol", "symbol+0x10", "FILE:LINE", "LINE", "*ADDRESS", "0x...", "$pc+8". */
struct lull_error *lull_debug_location(struct lull_debug *d, const char *text,
                                       uint64_t *ret) LULL_MUST_USE;

#endif
