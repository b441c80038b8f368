// SPDX-License-Identifier: MIT
/** @file
 * LLPC's pipeline files (.pipe), as the JSON form of a layout. Format: docs/formats/pipe-layout.md.
 */
#ifndef LULL_LINK_LAYOUT_PIPE_H
#define LULL_LINK_LAYOUT_PIPE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

/** Where a value stands. */
struct lull_layout_line {
    const char *path; ///< As messages of the JSON form's reader begin: "userDataNode[0].size".
    unsigned line;    ///< From 1.
};

/** Owns its lines: lull_layout_lines_done(). */
struct lull_layout_lines {
    struct lull_layout_line *at;
    size_t n, room;
    struct lull_arena arena;
};

/** Does @p text begin as a .pipe file does: with a section's name, or with a comment? */
bool lull_layout_is_pipe(const char *text, size_t size);

/**
 * @param text @p size bytes; not kept.
 * @param[out] ret JSON that layout_read.c reads; free with json_decref(). Only on success.
 * @param[in,out] lines Lines of the values; also after an error.
 * @return LULL_ERR_BAD_DATA with the line; LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_layout_pipe_read(const char *text, size_t size, json_t **ret,
                                         struct lull_layout_lines *lines) LULL_MUST_USE;
void lull_layout_lines_done(struct lull_layout_lines *l);

/** Line of the value whose path @p message begins with, or of what it is in; 0: not known. */
unsigned lull_layout_line_of(const struct lull_layout_lines *l, const char *message);

#endif
