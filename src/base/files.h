// SPDX-License-Identifier: MIT
/** @file
 * The files of one command: none is waited for without a word, none that is read is written, and
 * none is written twice.
 *
 * Files are the same by device and inode, whatever their names and links are. One that is not yet
 * there is the same by its folder and its name. Devices and pipes are never the same.
 */
#ifndef LULL_BASE_FILES_H
#define LULL_BASE_FILES_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

/**
 * Open @p path to read it. A FIFO that nobody has open to write is refused, and not waited for.
 *
 * Who lets others read a file opens it first, and keeps it open while they do.
 *
 * @return LULL_ERR_OS, LULL_ERR_UNSUPPORTED; they name the path.
 */
struct lull_error *lull_files_open(const char *path, int *ret) LULL_MUST_USE;
struct lull_error *lull_files_fopen(const char *path, FILE **ret) LULL_MUST_USE;

struct lull_files_item;

/** Zero-initialise; lull_files_done() at the end. Errors are kept for lull_files_check(). */
struct lull_files {
    struct lull_files_item *items;
    size_t n, room;
    struct lull_error *err;
};

/** @p path is read. NULL and "-" are not files. */
void lull_files_in(struct lull_files *f, const char *path);

/** @p path will be written. NULL and "-" are not files. */
void lull_files_out(struct lull_files *f, const char *path);

/** Call before anything is written. LULL_ERR_INVALID names two that are the same. */
struct lull_error *lull_files_check(struct lull_files *f) LULL_MUST_USE;

/** The whole of it for a command that reads one file and writes one. */
struct lull_error *lull_files_check_two(const char *in, const char *out) LULL_MUST_USE;

/** May @p path be written, too? LULL_ERR_INVALID: it is one of them. */
struct lull_error *lull_files_may_write(const struct lull_files *f, const char *path) LULL_MUST_USE;

void lull_files_done(struct lull_files *f);

#endif
