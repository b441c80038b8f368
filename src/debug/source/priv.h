// SPDX-License-Identifier: MIT
/** @file
 * Shared by the files of this folder: one dispatch, and code made for it.
 */
#ifndef LULL_DEBUG_SOURCE_PRIV_H
#define LULL_DEBUG_SOURCE_PRIV_H

#include "debug/session/names.h"
#include "debug/source/source.h"
#include "front/texel/texel.h"
#include "image/pal.h"
#include "link/layout.h"
#include "target/amd/pal.h"

enum {
    LULL_SOURCE_SLOTS = 256,
    LULL_SOURCE_INLINE_BLOCK = 1000138000, ///< VkDescriptorType of inline uniform blocks.
};

/** A binding that the module uses. */
struct lull_source_slot {
    uint32_t set;
    struct lull_set_slot at;
    uint32_t dynamic; ///< Of dynamic buffers: which descriptor of the layout's its first is.
};

/** What is known of a held dispatch. */
struct lull_source_work {
    struct lull_debug *d;
    struct lull_dispatch_names names;
    const struct lull_names_pipeline *pipeline;
    unsigned lanes;
    struct lull_bindings bindings;
    struct lull_binding_name known[LULL_MAX_DESCRIPTORS]; ///< Of bindings.desc.
    struct lull_source_slot slots[LULL_SOURCE_SLOTS];     ///< By set and binding.
    unsigned nslots;
    uint32_t push_bytes;  ///< Of the layout's ranges: from 0 to the end of the last.
    struct lull_str json; ///< The layout for lull's linker.
};

/** Code that was made. */
struct lull_source_code {
    uint32_t pid, client;
    char *key; ///< What it was made of. Owned.
    struct lull_pal *pal;
    struct lull_layout layout;
    struct lull_image *image;
    char *text; ///< Owned: file with the module as text, whose lines the code has; NULL: its own.
    struct lull_own_memory at; ///< In the process, tables behind it.
    uint64_t tables;           ///< Bytes to there.
};

/** Descriptors of lull's code for a slot; an inline uniform block is one buffer. */
uint32_t lull_source_elements(const struct lull_names_slot *s);

/** A sampler's descriptor. */
void lull_source_sampler(const struct lull_names_sampler *s, uint32_t words[4]);

/** Code for the held dispatch, and what it is to start with. d->image is that code's from now on.
 */
struct lull_error *lull_source_make(struct lull_debug *d, const struct lull_source_options *o,
                                    struct lull_str *notes,
                                    struct lull_other_code *ret) LULL_MUST_USE;

/** What the names layer and the driver's code say; large: allocate it, lull_source_work_done(). */
struct lull_error *lull_source_look(struct lull_debug *d,
                                    struct lull_source_work *ret) LULL_MUST_USE;
/** The same of the dispatch that was held last, which runs. */
struct lull_error *lull_source_look_at(struct lull_debug *d,
                                       struct lull_source_work *ret) LULL_MUST_USE;

/** The memory behind element @p i of a buffer's slot; false: not a buffer, or the driver's code
 * does not say where its descriptor is. */
bool lull_source_buffer(const struct lull_source_work *w, const struct lull_source_slot *s,
                        uint32_t i, uint64_t *ret_va, uint64_t *ret_bytes);

/** The image, sampler or texel buffer in element @p i of a slot; false: it is none, or the driver's
 * code does not say where its descriptor is. */
bool lull_source_texel(const struct lull_source_work *w, const struct lull_source_slot *s,
                       uint32_t i, struct lull_texel *ret);

enum { LULL_SOURCE_SPEC_ROOM = 64 };

/** A specialization constant as --spec takes it, "5=0.25"; false: the module has none of that id.
 */
bool lull_source_spec(const struct lull_spirv *m, const struct lull_names_spec *s,
                      char text[LULL_SOURCE_SPEC_ROOM]);
void lull_source_work_done(struct lull_source_work *w);

/** Compile and read it; nothing is put into the process. */
struct lull_error *lull_source_compile(const struct lull_source_work *w, unsigned level,
                                       struct lull_source_code *ret) LULL_MUST_USE;
void lull_source_code_done(struct lull_source_code *c);

/** Fill its tables for the dispatch, and say what it is to start with. */
struct lull_error *lull_source_bind(const struct lull_source_work *w,
                                    const struct lull_source_code *c, struct lull_str *notes,
                                    struct lull_other_code *ret) LULL_MUST_USE;

#endif
