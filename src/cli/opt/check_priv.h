// SPDX-License-Identifier: MIT
/** @file
 * Between check_start.c (which checks) and check.c (what they found).
 */
#ifndef LULL_CLI_CHECK_PRIV_H
#define LULL_CLI_CHECK_PRIV_H

#include <string.h>

#include "cli/opt/check.h"

/** A name of --check. */
struct lull_check_row {
    const char *name;
    unsigned bits;
    const struct lull_check_module *module; ///< NULL: hazards, and all.
    const struct lull_check_module *ir3;    ///< Of an Adreno; NULL: the same.
};

enum { LULL_CHECK_NROWS = 12 };
extern const struct lull_check_row lull_check_rows[LULL_CHECK_NROWS];

/** Does @p path end so, with something in front of it? */
static inline bool lull_check_ends(const char *path, const char *end)
{
    const size_t n = strlen(path), k = strlen(end);
    return n > k && strcmp(path + n - k, end) == 0;
}

#endif
