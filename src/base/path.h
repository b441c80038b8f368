// SPDX-License-Identifier: MIT
/** @file
 * Paths as people read them.
 */
#ifndef LULL_BASE_PATH_H
#define LULL_BASE_PATH_H

#include "base/error.h"

/** @p path without the working directory in front, if it lies there; points into @p path. */
const char *lull_path_from_here(const char *path);

/**
 * Where the symbolic links at the end of @p path lead; the file there need not exist.
 *
 * @param[out] ret free(). @return LULL_ERR_OS: too many links.
 */
struct lull_error *lull_path_target(const char *path, char **ret) LULL_MUST_USE;

#endif
