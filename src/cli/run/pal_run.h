// SPDX-License-Identifier: MIT
/** @file
 * `lull run` of PAL compute pipelines, what `lull link` and `lull cc --layout` write.
 */
#ifndef LULL_CLI_PAL_RUN_H
#define LULL_CLI_PAL_RUN_H

#include <stdbool.h>

#include "base/error.h"

/** Does the command line say --layout, or name an ELF file for amdpal? */
bool lull_pal_cli_is(int argc, char **argv);

struct lull_error *lull_pal_cli_run(int argc, char **argv, int *status) LULL_MUST_USE;

#endif
