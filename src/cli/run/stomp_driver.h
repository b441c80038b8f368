// SPDX-License-Identifier: MIT
/** @file
 * lull stomp --via-driver: Turnip itself fills registers with garbage, by TU_DEBUG_STALE_REGS_RANGE
 * and TU_DEBUG_STALE_REGS_FLAGS. It takes one range, or all that is outside of one.
 */
#ifndef LULL_CLI_STOMP_DRIVER_H
#define LULL_CLI_STOMP_DRIVER_H

#include "cli/opt/stomp_find.h"

/** As lull_stomp_find(), with f->b.argv as the program. */
struct lull_error *lull_stomp_driver(struct lull_stomp_find *f, int *status) LULL_MUST_USE;

#endif
