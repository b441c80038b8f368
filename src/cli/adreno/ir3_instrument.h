// SPDX-License-Identifier: MIT
/** @file
 * `lull ir3 instrument` and `lull ir3 records`.
 */
#ifndef LULL_CLI_IR3_INSTRUMENT_H
#define LULL_CLI_IR3_INSTRUMENT_H

#include "cli/opt/opt.h"

extern const struct lull_form lull_ir3_instrument_form, lull_ir3_records_form;

/** Print all records of a buffer, as `lull ir3 records` does. What is missing is said on standard
 * error. */
struct lull_error *lull_ir3_records_show(const char *manifest, const char *buffer) LULL_MUST_USE;

#endif
