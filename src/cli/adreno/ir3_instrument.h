// SPDX-License-Identifier: MIT
/** @file
 * `lull ir3 instrument` and `lull ir3 records`.
 */
#ifndef LULL_CLI_IR3_INSTRUMENT_H
#define LULL_CLI_IR3_INSTRUMENT_H

#include "cli/opt/opt.h"

extern const struct lull_form lull_ir3_instrument_form, lull_ir3_records_form;

#endif
