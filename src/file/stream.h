// SPDX-License-Identifier: MIT
/** @file
 * The bytes of a file in order, unpacked if it is gzip or zstd.
 *
 * What a file is packed with is told by its first bytes, not by its name. Several gzip members or
 * zstd frames in a row are one stream. Memory does not grow with the file.
 */
#ifndef LULL_FILE_STREAM_H
#define LULL_FILE_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct lull_stream;

/** Open @p path; "-" is standard input. LULL_ERR_OS names the path. */
struct lull_error *lull_stream_open(const char *path, struct lull_stream **ret) LULL_MUST_USE;

/** The @p size bytes at @p data as the file; borrowed until lull_stream_free(). */
struct lull_error *lull_stream_of(const void *data, size_t size,
                                  struct lull_stream **ret) LULL_MUST_USE;

/**
 * Unpacked bytes to @p buf.
 *
 * @return Bytes written. Fewer than @p size: the end of the stream, or of its good part;
 *         lull_stream_error() tells which.
 */
size_t lull_stream_read(struct lull_stream *s, void *buf, size_t size);

/**
 * Why the stream ended, NULL if it is complete (or still has bytes).
 *
 * LULL_ERR_OS: reading failed. LULL_ERR_NO_MEMORY. LULL_ERR_BAD_DATA: the packing is damaged; the
 * message names the byte of the packed file. A new error on each call.
 */
struct lull_error *lull_stream_error(const struct lull_stream *s) LULL_MUST_USE;

void lull_stream_free(struct lull_stream *s);

#endif
