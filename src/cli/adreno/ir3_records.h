// SPDX-License-Identifier: MIT
/** @file
 * Forms in which `lull ir3 records` writes records, besides text.
 */
#ifndef LULL_CLI_IR3_RECORDS_H
#define LULL_CLI_IR3_RECORDS_H

#include "base/json.h"
#include "instrument/records.h"

/** A record as an object of JSON. */
void lull_records_put(const struct lull_dump *d, const struct lull_dump_record *r,
                      struct lull_json *j);

/** A database at @p path: tables instructions, records, vals. docs/formats/ir3-records.md. */
struct lull_error *lull_ir3_records_sql(const struct lull_dump *d, const char *path) LULL_MUST_USE;

#endif
