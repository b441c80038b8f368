// SPDX-License-Identifier: MIT
/** @file
 * --assume: what nobody says of ir3, chosen by the user.
 */
#ifndef LULL_CLI_ASSUME_H
#define LULL_CLI_ASSUME_H

#include <stdbool.h>

#include "cli/opt/opt.h"
#include "isa/ir3/assume.h"

/** Zero-initialise. */
struct lull_assume {
    struct lull_ir3_assumptions a;
    bool given;
};

/** Rows of a struct lull_assume. */
extern const struct lull_opt lull_assume_opts[];

/** LULL_ERR_INVALID: something is assumed, and the GPU @p gpu (NULL: gfx1100) is not an Adreno. */
struct lull_error *lull_assume_check(const struct lull_assume *a, const char *gpu) LULL_MUST_USE;

/** Is --assume list among the arguments in front of the program? Then the table is printed. */
bool lull_assume_list(int argc, char **argv);

#endif
