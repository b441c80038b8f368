// SPDX-License-Identifier: MIT
/** @file
 * Findings that are known and not to be told: a text with a pattern on each line, for keys as
 * --check gives them in JSON ("race:hist.cl:9:hist.cl:9"). * is any text, ? any character, [abc]
 * one of them (fnmatch). A line that begins with # is a comment.
 */
#ifndef LULL_CHECK_KNOWN_H
#define LULL_CHECK_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/** Zero: nothing is known. */
struct lull_known {
    char **patterns;
    size_t n;
};

/** @p path is for errors, which name the line. */
struct lull_error *lull_known_parse(const char *path, const char *text, size_t size,
                                    struct lull_known *ret) LULL_MUST_USE;
bool lull_known_has(const struct lull_known *k, const char *key);
void lull_known_done(struct lull_known *k);

#endif
