// SPDX-License-Identifier: MIT
/** @file
 * A schedule in a file: who waits for whom (docs/formats/schedule.md).
 */
#ifndef LULL_EXPLORE_SCHEDULE_H
#define LULL_EXPLORE_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "model/order.h"

enum { LULL_SCHEDULE_HOLDS = 1 << 20 };

/** Zero-initialise; lull_schedule_done() at the end. */
struct lull_schedule {
    uint64_t seed; ///< Of the GPU's own scheduler, which decides the rest.
    struct lull_hold *holds;
    size_t n;
};

/** Read @p text. LULL_ERR_BAD_DATA with @p path, the line and what is wrong; then @p ret is zero.
 */
struct lull_error *lull_schedule_parse(const char *path, const char *text, size_t size,
                                       struct lull_schedule *ret) LULL_MUST_USE;
void lull_schedule_done(struct lull_schedule *s);

/** The file's text. Reading it again gives the same. */
void lull_schedule_text(const struct lull_schedule *s, struct lull_str *out);

/** One of its lines, without the newline. */
void lull_hold_text(const struct lull_hold *h, struct lull_str *out);

#endif
