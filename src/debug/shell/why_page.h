// SPDX-License-Identifier: MIT
/** @file
 * What `why` found, as a graph or a page of its own.
 */
#ifndef LULL_DEBUG_SHELL_WHY_PAGE_H
#define LULL_DEBUG_SHELL_WHY_PAGE_H

#include "base/str.h"
#include "debug/session/why.h"

/** What is said of each node: its place and value, and, behind a newline, how it came there. */
struct lull_why_labels {
    const char *question;
    struct lull_str of[LULL_WHY_NODES];
};

/** Graphviz: from operands to what was made of them. */
void lull_why_dot(const struct lull_why *y, const struct lull_why_labels *l, struct lull_str *out);
/** HTML that needs nothing else: branches open and close. */
void lull_why_html(const struct lull_why *y, const struct lull_why_labels *l, struct lull_str *out);

#endif
