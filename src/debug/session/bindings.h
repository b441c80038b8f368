// SPDX-License-Identifier: MIT
/** @file
 * The descriptors of the dispatch that is looked at, by number and name.
 */
#ifndef LULL_DEBUG_SESSION_BINDINGS_H
#define LULL_DEBUG_SESSION_BINDINGS_H

#include "debug/ir3/descriptors.h"
#include "debug/rdna/descriptors.h"
#include "debug/session/debug.h"
#include "debug/session/names.h"

/** Descriptor "3", "b3" (as info descriptors counts) or by its variable's name. */
bool lull_debug_descriptor(struct lull_debug *d, const char *name, struct lull_desc *ret);
/** Where in the API the buffer of an Adreno's descriptor is: the one that was written with its
 * address. Not known if several were. */
void lull_debug_ir3_binding(struct lull_debug *d, const struct lull_ir3_desc *desc,
                            struct lull_binding_name *ret);
/** Address of buffer "bN", N as info descriptors counts, or by its variable's name, or of the code
 * that uses it first: "bN.use", "NAME.use". False: there is none. */
bool lull_debug_binding(struct lull_debug *d, const char *name, uint64_t *ret_va);
/** The buffer of a binding's element, and its size, as the dispatch's code reaches it. False: it
 * does not, or nobody knows. */
bool lull_debug_binding_at(struct lull_debug *d, uint32_t set, uint32_t binding, uint32_t element,
                           uint64_t *ret_va, uint64_t *ret_bytes);
/** "<b1+0x20>" of an address in a buffer that the dispatch has. */
void lull_debug_show_binding(struct lull_debug *d, uint64_t va, struct lull_str *out);

#endif
