// SPDX-License-Identifier: MIT
/** @file
 * Places of shaders with an index that code is marked with: what VK_LAYER_LULL_lines has written
 * (docs/formats/marks.md).
 */
#ifndef LULL_CLI_CHECK_MARKS_H
#define LULL_CLI_CHECK_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "check/undefined/places.h"

/** Zero-initialise. */
struct lull_check_marks {
    const char *const *dir;              ///< Where the layer writes; NULL: nowhere.
    struct lull_check_marked *processes; ///< Owned.
    size_t n;
};

/** For struct lull_check_objects.mark; @p marks is a struct lull_check_marks. */
const struct lull_check_mark *lull_check_marks_at(void *marks, uint32_t process, uint32_t place);

void lull_check_marks_done(struct lull_check_marks *m);

#endif
