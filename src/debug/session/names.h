// SPDX-License-Identifier: MIT
/** @file
 * Names of a program's dispatches, shaders and bindings, if VK_LAYER_LULL_names tells them.
 *
 * Format: docs/formats/names.md. Nothing depends on names: without the layer numbers are shown.
 */
#ifndef LULL_DEBUG_NAMES_H
#define LULL_DEBUG_NAMES_H

#include "debug/rdna/descriptors.h"
#include "debug/session/debug.h"
#include "file/hostcode.h"
#include "image/names.h"

/** What is known of one dispatch or draw. Pointers live as long as the engine. */
struct lull_dispatch_names {
    struct lull_names *names;                 ///< Of its process; NULL: none.
    const struct lull_names_dispatch *record; ///< NULL: the driver's own, or not known.
    const struct lull_spirv *spirv;           ///< NULL: not saved.
    const struct lull_spirv_entry *entry;     ///< NULL: not known.
    bool sure;                                ///< The record is certainly this dispatch's.
    struct lull_hostcode *host;               ///< For the record's stacks; NULL: memory is short.
};

/** Never fails: what cannot be found is NULL. */
void lull_debug_names_of(struct lull_debug *d, const struct lull_dispatch_info *i,
                         struct lull_dispatch_names *ret);
/** The same of a draw. */
void lull_debug_names_of_draw(struct lull_debug *d, const struct lull_draw_info *i,
                              struct lull_dispatch_names *ret);
/** Find the file of a process while the process is there to be asked. */
void lull_debug_names_meet(struct lull_debug *d, uint32_t pid);
void lull_debug_names_free(struct lull_debug_names *n);

/** `main of "blur" [pass 2 > horizontal]`: entry, pipeline's name, labels. Nothing if not known. */
void lull_dispatch_title(const struct lull_dispatch_names *n, struct lull_str *out);
/** Does any name of it match? */
typedef bool lull_name_test(void *ctx, const char *name);
bool lull_dispatch_named(const struct lull_dispatch_names *n, lull_name_test *test, void *ctx);

/** Where in the API a descriptor is. */
struct lull_binding_name {
    bool known;
    uint32_t set, binding, element;
    const char *name; ///< Variable, or its block; "" if the shader has none.
    const char *type; ///< "storage buffer"
};

/**
 * Names for all of @p b: sets by the order of their user SGPRs, bindings by the layouts that RADV
 * gives descriptor sets, tried until one explains all that the shader loads.
 *
 * @param ret One for each of b->desc.
 */
void lull_dispatch_bindings(const struct lull_dispatch_names *n, const struct lull_bindings *b,
                            struct lull_binding_name *ret);

/** A binding of a set, and where the driver has put it. */
struct lull_set_slot {
    struct lull_names_slot slot;
    uint64_t offset; ///< Bytes in the set, and from one element to the next; of dynamic buffers,
    uint32_t stride; ///< which are not in it, 0.
};

/**
 * The slots of set @p set by binding, where RADV has put them as far as @p b tells; at most @p
 * room.
 *
 * @param names As lull_dispatch_bindings() gives them; @p n has a record with pipeline and layout.
 * @return How many there are; 0 also if the set is not known.
 */
size_t lull_dispatch_set(const struct lull_dispatch_names *n, const struct lull_bindings *b,
                         const struct lull_binding_name *names, uint32_t set,
                         struct lull_set_slot *ret, size_t room);

/** Text of the shader, if its module has it; NULL. */
const struct lull_spirv_source *lull_dispatch_source(const struct lull_dispatch_names *n);

#endif
