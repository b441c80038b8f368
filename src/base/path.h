// SPDX-License-Identifier: MIT
/** @file
 * Paths as people read them.
 */
#ifndef LULL_BASE_PATH_H
#define LULL_BASE_PATH_H

#include <stdbool.h>

/** @p path without the working directory in front, if it lies there; points into @p path. */
const char *lull_path_from_here(const char *path);

/** Do both paths lead to one regular file? Writing @p out would lose @p in. */
bool lull_path_same_file(const char *in, const char *out);

#endif
