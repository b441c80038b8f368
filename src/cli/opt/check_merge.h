// SPDX-License-Identifier: MIT
/** @file
 * Findings of --check that are one in the source: compilers make several instructions of a line,
 * where they unroll loops and inline functions.
 */
#ifndef LULL_CLI_CHECK_MERGE_H
#define LULL_CLI_CHECK_MERGE_H

#include "cli/opt/check.h"
#include "image/image.h"

/** Of a finding. */
struct lull_check_merged {
    size_t first;    ///< Which of them is told: the first that is the same in the source.
    uint64_t places; ///< Of what is told: places in the code, 1 without others,
    uint64_t count;  ///< and times, of all of them.
};

/** Line of a place; false: it is not known. */
struct lull_check_lines_fn {
    bool (*of)(const struct lull_check_code *code, const struct lull_check_site *s,
               struct lull_line *ret);
};

/**
 * Findings of a kind are the same, if they are warnings or not alike, and all their places have the
 * same lines, which @p line tells, load, store or what they do alike, and are of the same
 * descriptors and buffers.
 *
 * @return One for each finding, for free(); NULL: there is none, or memory is short.
 */
struct lull_check_merged *lull_check_merge(const struct lull_check *c,
                                           const struct lull_check_code *code,
                                           const struct lull_check_lines_fn *line);

#endif
