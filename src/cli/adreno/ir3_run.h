// SPDX-License-Identifier: MIT
/** @file
 * lull ir3 run: a kernel of ir3 on a virtual Adreno.
 */
#ifndef LULL_CLI_IR3_RUN_H
#define LULL_CLI_IR3_RUN_H

#include "cli/opt/opt.h"

extern const struct lull_form lull_ir3_run_form;

#endif
