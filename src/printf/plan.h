// SPDX-License-Identifier: MIT
/** @file
 * A format and the shape of its values as a list of pieces, made once: the fast way of
 * lull_printf_text() for formats of bare %d, %i, %u, %x and %f (also "%08x", "%.3f") with scalars
 * of 32 or 64 bits, which nearly all are.
 */
#ifndef LULL_PRINTF_PLAN_H
#define LULL_PRINTF_PLAN_H

#include "base/arena.h"
#include "printf/format.h"

struct lull_printf_plan;

/** @return In @p arena; NULL: another format or another shape (or no memory): lull_printf_text()
 * does it. @p shape has types or a mask; its dwords are not looked at. @p format lives longer. */
const struct lull_printf_plan *lull_printf_plan_new(struct lull_arena *arena, const char *format,
                                                    size_t size,
                                                    const struct lull_printf_payload *shape);

/** Append what lull_printf_text() would, from @p n dwords. @return false, with nothing added: fewer
 * dwords than the plan takes, or a value that only printf() can print. */
bool lull_printf_plan_text(const struct lull_printf_plan *plan, const uint32_t *dwords, size_t n,
                           struct lull_str *to);

#endif
