// SPDX-License-Identifier: MIT
/** @file
 * Reading large and slow files: says what lull waits for, and how far it is.
 */
#ifndef LULL_CLI_PROGRESS_H
#define LULL_CLI_PROGRESS_H

#include <stdbool.h>

#include "file/stream.h"

/** Of one stream, which it must outlive. Zero-initialise. */
struct lull_progress {
    const char *path;
    bool quiet; ///< The command prints as it reads: a terminal that shows that needs no more.
    bool told;
    unsigned next; ///< Second of the next line.
    struct lull_stream_watch watch;
};

/**
 * Open @p path ("-": standard input). When it takes long, and standard error is a terminal, lines
 * there tell how far it is; that a FIFO has no writer is always told.
 */
struct lull_error *lull_progress_open(struct lull_progress *p, const char *path,
                                      struct lull_stream **ret) LULL_MUST_USE;

#endif
