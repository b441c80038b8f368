// SPDX-License-Identifier: MIT
/** @file
 * A file that a command writes: whole or not at all.
 *
 * What is written goes into a new file beside it, which takes its name at the end; if anything
 * fails before, the old file stays as it was, and nothing is left beside it. A symbolic link is
 * followed: the file that it leads to is replaced, and the link stays. The mode of the old file
 * stays, and its owner if that is allowed; other hard links keep the old contents. A file that may
 * not be written is not replaced. What is not a file (a device, a pipe, standard output, also as
 * /dev/stdout) is written directly.
 *
 * For several files that belong together: open all, write all, then keep all.
 */
#ifndef LULL_BASE_OUTPUT_H
#define LULL_BASE_OUTPUT_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

/** Zero-initialise; lull_output_done() at the end. */
struct lull_output {
    char *path;   ///< As it was given; in errors.
    char *target; ///< Where its links lead.
    char *temp;   ///< The file beside it, until it is kept; NULL: written directly.
    int fd;       ///< Of temp or of the device.
    pid_t guard;  ///< A process that removes temp if this one is killed; 0: none.
    int leash;    ///< To it.
};

/** Open @p path ("-": standard output). LULL_ERR_OS with the path. */
struct lull_error *lull_output_open(struct lull_output *o, const char *path) LULL_MUST_USE;

/** The same for one that others write, by the name o->temp, which may take long: it must be a file.
 * Nothing of it is left even if this process is killed. */
struct lull_error *lull_output_open_named(struct lull_output *o, const char *path) LULL_MUST_USE;

/** LULL_ERR_OS with the path. */
struct lull_error *lull_output_put(struct lull_output *o, const void *data,
                                   size_t size) LULL_MUST_USE;

/** It is complete: the new file takes its name. LULL_ERR_OS with the path. */
struct lull_error *lull_output_keep(struct lull_output *o) LULL_MUST_USE;

/** Forget it; what was not kept is gone. */
void lull_output_done(struct lull_output *o);

/** All of these with one piece of data. */
struct lull_error *lull_output_write(const char *path, const void *data, size_t size) LULL_MUST_USE;

#endif
