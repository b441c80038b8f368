// SPDX-License-Identifier: MIT
/** @file
 * dprintf: a breakpoint that prints and lets the wave go on.
 */
#ifndef LULL_DEBUG_SESSION_DPRINTF_H
#define LULL_DEBUG_SESSION_DPRINTF_H

#include "debug/session/debug.h"
#include "printf/format.h"

enum { LULL_DPRINTF_ARGS = 16 };

/** What one prints: format and values. */
struct lull_dprintf {
    char *format; ///< Owned; without quotes and escapes.
    size_t size;  ///< Of it, in bytes.
    struct lull_expr *args[LULL_DPRINTF_ARGS];
    char *texts[LULL_DPRINTF_ARGS]; ///< The same as they were written. Owned.
    unsigned nargs;
    unsigned nstrings; ///< Values that are addresses of strings: `printf` reads them.
};

/** @p text: "FORMAT",EXPR,... LULL_ERR_INVALID: what is wrong with it. */
struct lull_error *lull_dprintf_parse(struct lull_debug *d, const char *text,
                                      struct lull_dprintf **ret) LULL_MUST_USE;
void lull_dprintf_free(struct lull_dprintf *p);

/** A line for each lane of @p lanes, or one if no value has lanes, of wave @p w: d->printed. */
struct lull_error *lull_dprintf_print(struct lull_debug *d, const struct lull_breakpoint *b,
                                      const struct lull_debug_wave *w) LULL_MUST_USE;

/** The text of one lane: @p values are those of p->args. */
void lull_dprintf_text(const struct lull_dprintf *p, const struct lull_value *values, unsigned lane,
                       struct lull_str *out);

#endif
