// SPDX-License-Identifier: MIT
/** @file
 * What Mesa's drivers need in a program's environment to show windows from the virtual GPU, which
 * shares no memory with a display.
 */
#ifndef LULL_CLI_OPT_WINDOWS_H
#define LULL_CLI_OPT_WINDOWS_H

#include "base/error.h"

/** A variable, set where it is unset: what the user has set stays. */
struct lull_windows_row {
    const char *name, *value;
    const char *why;
};

/** The rows; ends with a NULL name. */
extern const struct lull_windows_row lull_windows_rows[];

/** Change this process's environment, which programs get, by all rows. Before there are threads. */
struct lull_error *lull_windows_set(void) LULL_MUST_USE;

#endif
