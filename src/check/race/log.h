// SPDX-License-Identifier: MIT
/** @file
 * Loads of local memory that were not compared yet with anything. Between two barriers most
 * workgroups only load, and what they loaded is of no interest behind the next one: so loads are
 * written down here, and only a store makes them go into cells.
 */
#ifndef LULL_CHECK_RACE_LOG_H
#define LULL_CHECK_RACE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check/race/cells.h"
#include "model/observer.h"

/** Zero-initialise; lull_race_log_done(). */
struct lull_race_log {
    struct lull_race_logged *at;
    size_t n, room;
};

/** Put down a load by @p record at @p time, which goes to none but whole dwords of the @p ndwords
 * that there are. False: it is no such load, or there is no room. */
bool lull_race_log_add(struct lull_race_log *l, const struct lull_touch *t, size_t ndwords,
                       uint32_t record, uint32_t time);

/** What came behind @p floor goes into @p cells; @p records: of the waves. Nothing is left. */
void lull_race_log_flush(struct lull_race_log *l, struct lull_race_cell *cells,
                         const struct lull_race_record *records, uint32_t floor);

void lull_race_log_done(struct lull_race_log *l);

#endif
