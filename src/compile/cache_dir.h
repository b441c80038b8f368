// SPDX-License-Identifier: MIT
/** @file
 * The folder of the cache: which one it is, its files, and that they do not grow without end.
 */
#ifndef LULL_COMPILE_CACHE_DIR_H
#define LULL_COMPILE_CACHE_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
    LULL_CACHE_MAX_FILES = 1024,
    LULL_CACHE_MAX_BYTES = 256 << 20,
};

/** Is there a cache? False for LULL_CACHE=off, without a home, and where the folder cannot be made
 * or is not ours. */
bool lull_cache_dir_there(void);

/** A file of it, for free(); it counts as used now. LULL_ERR_OS: there is none. */
struct lull_error *lull_cache_dir_read(const char *name, uint8_t **ret,
                                       size_t *ret_size) LULL_MUST_USE;

/**
 * Write a file, as a whole or not at all. Now and then, and always where @p name begins with 0,
 * those that were not used for longest go, until the limits above hold.
 */
void lull_cache_dir_write(const char *name, const void *bytes, size_t size);

#endif
