// SPDX-License-Identifier: MIT
/** @file
 * Shared by pal.c and pal_metadata.c.
 */
#ifndef LULL_IMAGE_PAL_PRIV_H
#define LULL_IMAGE_PAL_PRIV_H

#include "base/cur.h"
#include "image/pal.h"

enum { LULL_PAL_NAME_MAX = 911 /**< Bytes of an entry point's name, PAL's limit. */ };

/**
 * Read the document at @p c: all of @p ret but its entry, whose symbol's name goes to @p name.
 *
 * @return LULL_ERR_BAD_DATA; LULL_ERR_UNSUPPORTED if there is no compute shader.
 */
struct lull_error *lull_pal_metadata(struct lull_cur c, struct lull_pal_compute *ret,
                                     char name[LULL_PAL_NAME_MAX + 1]) LULL_MUST_USE;

#endif
