// SPDX-License-Identifier: MIT
/** @file
 * Shared by pal.c and pal_metadata.c.
 */
#ifndef LULL_IMAGE_PAL_PRIV_H
#define LULL_IMAGE_PAL_PRIV_H

#include "base/cur.h"
#include "image/pal.h"
#include "image/pal_graphics.h"

enum { LULL_PAL_NAME_MAX = 911 /**< Bytes of an entry point's name, PAL's limit. */ };

/**
 * Read the document at @p c: all of @p ret but its entry, whose symbol's name goes to @p name.
 *
 * @return LULL_ERR_BAD_DATA; LULL_ERR_UNSUPPORTED if there is no compute shader.
 */
struct lull_error *lull_pal_metadata(struct lull_cur c, struct lull_pal_compute *ret,
                                     char name[LULL_PAL_NAME_MAX + 1]) LULL_MUST_USE;

/** Where a value of .graphics_registers goes. */
struct lull_pal_field {
    uint32_t reg, mask; ///< Byte offset; mask 0: nowhere, it does not change what is drawn.
};

/** Find @p field of map @p key, or (@p field NULL) the number @p key; false if it is not known. */
bool lull_pal_field(const char *key, const char *field, struct lull_pal_field *ret);

/** Names of the entry points of a graphics pipeline. */
struct lull_pal_entries {
    char gs[LULL_PAL_NAME_MAX + 1], ps[LULL_PAL_NAME_MAX + 1], hs[LULL_PAL_NAME_MAX + 1];
};

/**
 * Read the document at @p c, of a pipeline that draws: all of @p ret but its entries.
 *
 * @return LULL_ERR_BAD_DATA; LULL_ERR_UNSUPPORTED for stages, or fields of registers, that are not
 *         known.
 */
struct lull_error *lull_pal_graphics_metadata(struct lull_cur c, struct lull_pal_graphics *ret,
                                              struct lull_pal_entries *entries) LULL_MUST_USE;

/** Has the document at @p c a stage that is not a compute shader? */
bool lull_pal_draws(struct lull_cur c);

#endif
