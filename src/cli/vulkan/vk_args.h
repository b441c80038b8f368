// SPDX-License-Identifier: MIT
/** @file
 * Resources of a Vulkan case on the command line: --bind, --buffer, --push, --spec.
 *
 *   --bind SET.BINDING[INDEX]=CONTENT[:offset=N][:range=N][:dynamic=N]     buffer
 *   --bind ...=texels:FORMAT:CONTENT[:offset=N][:range=N]                  texel buffer
 *   --bind ...=image:WxH[xD]:FORMAT[:CONTENT][:mips=N][:layers=N][:linear][:SAMPLER...]
 *   --bind ...=sampler[:filter=linear][:mip=linear][:wrap=clamp]...
 *   --buffer NAME=CONTENT                                                  only an address
 *   --push FILE | TYPE:V[,V...] | [hex:]BYTES | addr:NAME, several separated by
 *       commas; BYTES in hexadecimal, without hex: if there is no such file
 *
 * CONTENT: zeros:BYTES, iota:N:TYPE, rand:SEED:N:TYPE, fill:VALUE:N:TYPE, values:TYPE:V,V...,
 * addr:NAME,NAME..., file:NAME, or the name of a file. In an image N is left out.
 * same:NAME, of a buffer: the memory of another, as in --bind 0.1=same:0.0:offset=256 and
 * --bind 0.2=texels:r32f:same:0.0.
 */
#ifndef LULL_CLI_VK_ARGS_H
#define LULL_CLI_VK_ARGS_H

#include "base/arena.h"
#include "base/files.h"
#include "vk/vk.h"

/** Zero-initialise; lull_vk_args_done() at the end. */
struct lull_vk_args {
    struct lull_vk_resource *resources;
    size_t n, room;
    struct lull_vk_address *addresses;
    const char **address_names; ///< Of whom: looked up by lull_vk_args_resolve().
    size_t naddresses, address_room;
    struct lull_vk_same { ///< "same:": looked up by lull_vk_args_resolve().
        size_t i;         ///< Resource.
        const char *name; ///< Whose memory it has.
    } * sames;
    size_t nsames, same_room;
    struct lull_vk_spec *specs;
    const char **spec_texts; ///< Parsed when the shader's types are known.
    size_t nspecs, spec_room;
    uint8_t *push; ///< Owned.
    size_t push_bytes;
    struct lull_arena arena;
    struct lull_files files; ///< That are read.
};

struct lull_error *lull_vk_args_bind(struct lull_vk_args *a, const char *text) LULL_MUST_USE;
struct lull_error *lull_vk_args_buffer(struct lull_vk_args *a, const char *text) LULL_MUST_USE;
struct lull_error *lull_vk_args_push(struct lull_vk_args *a, const char *text) LULL_MUST_USE;

/** NAME=CONTENT of an option of its own: a resource that is not bound, of kind @p kind. */
struct lull_error *lull_vk_args_own(struct lull_vk_args *a, const char *text,
                                    enum lull_vk_kind kind) LULL_MUST_USE;

/** ID=VALUE. */
struct lull_error *lull_vk_args_spec(struct lull_vk_args *a, const char *text) LULL_MUST_USE;

/** Give those of "same:" their memory. LULL_ERR_INVALID: what they name has no buffer of its own.
 */
struct lull_error *lull_vk_args_share(const struct lull_vk_args *a) LULL_MUST_USE;
/** When all options are read: names of addresses, and the constants' types from the shader. */
struct lull_error *lull_vk_args_resolve(struct lull_vk_args *a,
                                        const struct lull_vk_module *module) LULL_MUST_USE;

/** The resource that @p name ("0.1", "0.1[2]", a buffer's name) is; NULL: none. */
struct lull_vk_resource *lull_vk_args_find(const struct lull_vk_args *a, const char *name);

/** Bytes of CONTENT; @p want: as many (0: CONTENT says it). @p ret is for free(). */
struct lull_error *lull_vk_content(const char *text, const char *default_type, size_t want,
                                   uint8_t **ret, size_t *ret_size) LULL_MUST_USE;

/** The file that CONTENT is; NULL: it is none. */
const char *lull_vk_content_file(const char *text);

void lull_vk_args_done(struct lull_vk_args *a);

#endif
