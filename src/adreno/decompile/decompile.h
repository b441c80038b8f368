// SPDX-License-Identifier: MIT
/** @file
 * An rd capture as C: a program on <lull/rdgen.h> that writes the capture again.
 *
 * What it knows is found by a walk (adreno/show/capture.h): which ranges of the buffers are command
 * streams, groups of draw state and shaders. They become functions and texts; everything else that
 * buffers have becomes arrays. Whatever would not come out again as it was is kept as plain words.
 *
 *   decompile.c  the program as a whole
 *   find.c       what the capture has
 *   code.c       command streams and shaders to functions and texts
 *   loops.c      statements that repeat
 *   data.c       contents of buffers to arrays
 *   names.c      names of registers, fields and packets in C
 */
#ifndef LULL_ADRENO_DECOMPILE_DECOMPILE_H
#define LULL_ADRENO_DECOMPILE_DECOMPILE_H

#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "file/stream.h"

/**
 * Decompile @p s.
 *
 * @param name   Of the file, for a comment.
 * @param stream Only this command stream, by number from 0, with the buffers of its submit; -1:
 * all.
 * @return LULL_ERR_BAD_DATA: the capture is damaged, or ends early; LULL_ERR_NOT_FOUND: it has no
 * such stream.
 */
struct lull_error *lull_decompile(struct lull_stream *s, const char *name, int64_t stream,
                                  struct lull_str *out) LULL_MUST_USE;

/** The names of generation @p gen (2 to 7), as a header. */
struct lull_error *lull_decompile_names(unsigned gen, struct lull_str *out) LULL_MUST_USE;

#endif
