// SPDX-License-Identifier: MIT
/** @file
 * The bytes of a file in order, unpacked if it is gzip or zstd.
 *
 * The first bytes of a file say what it is packed with, not its name. Several gzip members or
 * zstd frames in a row are one stream. Memory does not grow with the file. What unpacks to more
 * than 1 GiB and 1024 times its packed size is damaged: gzip cannot, and nobody makes zstd that
 * does so but to harm.
 */
#ifndef LULL_FILE_STREAM_H
#define LULL_FILE_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct lull_stream;

enum { LULL_STREAM_PEEK = 4096 };

enum lull_stream_wait {
    LULL_STREAM_READS,
    LULL_STREAM_WAITS_DATA,   ///< A pipe or a terminal has nothing.
    LULL_STREAM_WAITS_WRITER, ///< A FIFO that nobody has opened to write.
};

/** Called about once a second, with how far a stream is. */
struct lull_stream_watch {
    void (*fn)(void *ctx, enum lull_stream_wait wait, uint64_t unpacked, unsigned seconds);
    void *ctx;
};

/** As lull_stream_open(); @p watch is borrowed. Without one, a FIFO that nobody
 * writes to is refused. */
struct lull_error *lull_stream_open_watched(const char *path, const struct lull_stream_watch *watch,
                                            struct lull_stream **ret) LULL_MUST_USE;

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
 * Unpacked bytes that the next lull_stream_read() gives again.
 *
 * @param[out] ret Valid until the next call with @p s. @return How many: LULL_STREAM_PEEK, or fewer
 * at the end.
 */
size_t lull_stream_peek(struct lull_stream *s, const uint8_t **ret);

/** Packed bytes that were read. */
uint64_t lull_stream_packed(const struct lull_stream *s);

/**
 * Why the stream ended, NULL if it is complete (or still has bytes).
 *
 * LULL_ERR_OS: reading failed. LULL_ERR_NO_MEMORY. LULL_ERR_BAD_DATA: the packing is damaged; the
 * message names the byte of the packed file. A new error on each call.
 */
struct lull_error *lull_stream_error(const struct lull_stream *s) LULL_MUST_USE;

void lull_stream_free(struct lull_stream *s);

#endif
