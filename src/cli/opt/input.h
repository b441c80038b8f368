// SPDX-License-Identifier: MIT
/** @file
 * Small files in one piece, for commands.
 */
#ifndef LULL_CLI_INPUT_H
#define LULL_CLI_INPUT_H

#include <stddef.h>

#include "base/error.h"

/**
 * All of @p path ("-": standard input), unpacked if it is gzip or zstd, and a NUL.
 *
 * @param[out] ret free(). @return LULL_ERR_OS, LULL_ERR_BAD_DATA (also: more than 64 MiB), with the
 * path.
 */
struct lull_error *lull_input_read(const char *path, char **ret, size_t *ret_size) LULL_MUST_USE;

#endif
