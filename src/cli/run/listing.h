// SPDX-License-Identifier: MIT
/** @file
 * Listings of code: what lull disasm prints.
 */
#ifndef LULL_CLI_LISTING_H
#define LULL_CLI_LISTING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "image/image.h"

/** What to list and how. Zero-initialise; all pointers are borrowed. */
struct lull_listing {
    const uint8_t *code;            ///< Bytes by image offset: code[0] is offset 0.
    uint64_t start, end;            ///< Part to list, image offsets.
    const struct lull_image *image; ///< Symbols, lines and wave sizes; NULL for raw code.
    bool source, json;
    unsigned wave_size; ///< For code of no kernel; 0 is 32.
    size_t unknown;     ///< Result: words that are not instructions.
    struct lull_str *out;
    /** Takes the text so far out of long listings, and empties it; NULL: all of it stays. */
    void (*write)(struct lull_str *out);
};

/** Append the listing to out. LULL_ERR_NO_MEMORY. */
struct lull_error *lull_listing_print(struct lull_listing *listing) LULL_MUST_USE;

/** Append kernels, arguments and resources of @p im. LULL_ERR_NO_MEMORY. */
struct lull_error *lull_listing_info(const struct lull_image *im, bool json,
                                     struct lull_str *out) LULL_MUST_USE;

#endif
