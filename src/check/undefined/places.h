// SPDX-License-Identifier: MIT
/** @file
 * Places of shaders with an index that code is marked with (docs/formats/marks.md).
 */
#ifndef LULL_CHECK_UNDEFINED_PLACES_H
#define LULL_CHECK_UNDEFINED_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "check/objects.h"

struct lull_check_marked {
    uint32_t process;
    struct lull_check_mark *all; ///< Owned; their text is in it.
    size_t n, room;
    char *text; ///< Owned.
};

/**
 * The places of a process.
 *
 * @param text Taken over: it is changed, and freed by lull_check_marked_done().
 * @param[out] ret Written only on success.
 * @return LULL_ERR_BAD_DATA: a line is not one of the format; the message has its number.
 *         LULL_ERR_NO_MEMORY. Then @p text is freed.
 */
struct lull_error *lull_check_marked_parse(char *text, size_t size,
                                           struct lull_check_marked *ret) LULL_MUST_USE;
void lull_check_marked_done(struct lull_check_marked *m);

#endif
