// SPDX-License-Identifier: MIT
/** @file
 * Lines about waves, of which equal ones become one: "[0-45]  46 waves  breakpoint  v.cl:20".
 * For src/debug/shell/ only.
 */
#ifndef LULL_DEBUG_SHELL_ROWS_H
#define LULL_DEBUG_SHELL_ROWS_H

#include <stddef.h>

#include "base/error.h"
#include "base/json.h"
#include "base/str.h"

struct lull_row {
    unsigned wave;
    char *text; ///< Owned.
};

/** All zeros: none. */
struct lull_rows {
    size_t n, room;
    struct lull_row *rows;
};

/** Add a copy of @p text, of wave @p wave. */
struct lull_error *lull_rows_add(struct lull_rows *r, unsigned wave,
                                 const char *text) LULL_MUST_USE;
/**
 * Show them, each text once with the waves that have it; the first wave decides the order, which
 * becomes that of @p r, too.
 *
 * @param current Its group has a '*' in front; NULL: none.
 * @param json NULL, or open as a list: gets {"waves": [[FIRST, LAST], ...], "count": N, "text"}.
 */
void lull_rows_show(struct lull_rows *r, const unsigned *current, struct lull_str *out,
                    struct lull_json *json);
/** "[0-45,47]" of @p n waves, rising. */
void lull_rows_waves(const struct lull_row *rows, size_t n, struct lull_str *out);
void lull_rows_free(struct lull_rows *r);

#endif
