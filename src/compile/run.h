// SPDX-License-Identifier: MIT
/** @file
 * Files, private directories and programs, for this folder.
 */
#ifndef LULL_COMPILE_RUN_H
#define LULL_COMPILE_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** Whole file, for free(), with a zero byte after it. Refuses more than 1 GiB. */
struct lull_error *lull_run_read(const char *path, uint8_t **ret, size_t *ret_size) LULL_MUST_USE;

/** Write a file that must not exist yet. */
struct lull_error *lull_run_write(const char *path, const void *bytes, size_t size) LULL_MUST_USE;

/** New directory under TMPDIR or /tmp, for this user only. @p ret is for free(). */
struct lull_error *lull_run_make_dir(char **ret) LULL_MUST_USE;

/** Remove a directory and the files in it; errors are ignored: there is nothing to be done. */
void lull_run_remove_dir(const char *dir);

/**
 * Run a program and wait: no input, both outputs to file @p log, temporary files into @p dir.
 *
 * @param argv Ended by NULL; argv[0] is looked up in PATH.
 * @param[out] ret_status Exit status, or 128 plus the signal that killed it.
 * @return LULL_ERR_NOT_FOUND if there is no such program; LULL_ERR_OS.
 */
struct lull_error *lull_run_program(const char *const *argv, const char *dir, const char *log,
                                    int *ret_status) LULL_MUST_USE;

#endif
