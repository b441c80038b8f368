// SPDX-License-Identifier: MIT
/** @file
 * `lull run` of PAL pipelines, what `lull link` and `lull cc --layout` write.
 */
#ifndef LULL_CLI_PAL_RUN_H
#define LULL_CLI_PAL_RUN_H

#include <stdbool.h>

#include "cli/opt/opt.h"

/** Does the command line say --layout or something of a draw, or name an ELF file for amdpal? @p
 * form knows all options.
 */
bool lull_pal_cli_is(const struct lull_form *form, int argc, char **argv);

/** Rows that only pipelines have; `lull run` of one. */
extern const struct lull_opt lull_pal_cli_opts[];
extern const struct lull_form lull_pal_form;

#endif
