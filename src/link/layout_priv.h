// SPDX-License-Identifier: MIT
/** @file
 * What the reader of a layout shares with the rest: words of the file.
 */
#ifndef LULL_LINK_LAYOUT_PRIV_H
#define LULL_LINK_LAYOUT_PRIV_H

#include "link/layout.h"

extern const char *const lull_layout_schemes[2];    ///< By enum lull_layout_scheme.
extern const char *const lull_layout_topologies[5]; ///< By enum lull_layout_topology.

/** Has nodes of @p type a set and a binding? */
bool lull_layout_is_descriptor(enum lull_layout_type type);

/** Is there something that a shader asks for and that both types fit? */
bool lull_layout_both_fit(enum lull_layout_type a, enum lull_layout_type b);

/** Bindings that @p n answers for, from its own on. */
uint64_t lull_layout_bindings(const struct lull_layout *l, const struct lull_layout_node *n);

/** The type of @p node by our word or by LLPC's, and what else the word says. False: no such word.
 */
bool lull_layout_type_named(const char *text, struct lull_layout_node *node);

#endif
