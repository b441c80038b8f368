// SPDX-License-Identifier: MIT
/** @file
 * The descriptors of the dispatch that is looked at, by number and name.
 */
#ifndef LULL_DEBUG_SESSION_BINDINGS_H
#define LULL_DEBUG_SESSION_BINDINGS_H

#include "debug/rdna/descriptors.h"
#include "debug/session/debug.h"

/** Descriptor "3", "b3" (as info descriptors counts) or by its variable's name. */
bool lull_debug_descriptor(struct lull_debug *d, const char *name, struct lull_desc *ret);
/** Address of buffer "bN", N as info descriptors counts, or of the code that uses it first:
 * "bN.use". False: there is none. */
bool lull_debug_binding(struct lull_debug *d, const char *name, uint64_t *ret_va);
/** "<b1+0x20>" of an address in a buffer that the dispatch has. */
void lull_debug_show_binding(struct lull_debug *d, uint64_t va, struct lull_str *out);

#endif
