// SPDX-License-Identifier: MIT
/** @file
 * Forms in which `lull ir3 records` writes records, besides text.
 */
#ifndef LULL_CLI_IR3_RECORDS_H
#define LULL_CLI_IR3_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "instrument/records.h"

/** A record as an object of JSON. */
void lull_records_put(const struct lull_dump *d, const struct lull_dump_record *r,
                      struct lull_json *j);

/** A database at @p path: tables instructions, records, vals. docs/formats/ir3-records.md. */
struct lull_error *lull_ir3_records_sql(const struct lull_dump *d, const char *path) LULL_MUST_USE;

enum { LULL_RECORDS_PAGE = 200000 }; ///< The most records that a page has.

/** What a page has of a dump. */
struct lull_records_page {
    uint32_t first, last; ///< Invocations.
    bool nan;             ///< Has a float instruction written what is not a number?
    uint32_t nan_at;      ///< Of the first record with such: its byte in the buffer,
    uint32_t nan_value;   ///< and which of its values.
};

/** A page at @p path that needs no other file: instructions, and the values of each. */
struct lull_error *lull_ir3_records_html(const struct lull_dump *d,
                                         const struct lull_records_page *s,
                                         const char *path) LULL_MUST_USE;

#endif
