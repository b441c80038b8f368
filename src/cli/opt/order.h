// SPDX-License-Identifier: MIT
/** @file
 * --schedule: an order of waves in a file, which `lull explore` made.
 */
#ifndef LULL_CLI_ORDER_H
#define LULL_CLI_ORDER_H

#include <stdint.h>

#include "base/error.h"

struct lull_order;

/** The order of waves that the file @p path gives, instead of the one at @p ret. @p seed becomes
 * its own where it is 0. */
struct lull_error *lull_schedule_read(const char *path, uint64_t *seed,
                                      struct lull_order **ret) LULL_MUST_USE;
void lull_schedule_free(struct lull_order *o);

#endif
