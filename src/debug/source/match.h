// SPDX-License-Identifier: MIT
/** @file
 * Which registers of a wave hold a value.
 */
#ifndef LULL_DEBUG_SOURCE_MATCH_H
#define LULL_DEBUG_SOURCE_MATCH_H

#include "debug/session/engine.h"

enum { LULL_MATCH_SGPRS = 108 }; ///< 0 to 105, VCC.

/** A wave's registers at a stop. */
struct lull_match {
    unsigned lanes, nvgprs;
    uint32_t *v; ///< nvgprs rows of lanes. Owned.
    uint32_t s[LULL_MATCH_SGPRS];
};

struct lull_error *lull_match_read(struct lull_debug *d, const struct lull_debug_wave *w,
                                   struct lull_match *ret) LULL_MUST_USE;
void lull_match_done(struct lull_match *m);

bool lull_match_equal(const struct lull_match *a, const struct lull_match *b);

/**
 * Look for @p v in the lanes @p lanes, not none.
 *
 * @param truth It is a truth value: a bit for each lane, in SGPRs.
 * @param alike It is the same in all lanes: SGPRs are looked at, too.
 * @param[out] names Of the first @p room registers that hold it: "v3", "v[4:5]", "s7".
 * @return How many hold it.
 */
unsigned lull_match_find(const struct lull_match *m, const struct lull_value *v, uint64_t lanes,
                         bool truth, bool alike, char (*names)[16], unsigned room);

/**
 * The VGPR that is nearest to @p v, a float, in all of @p lanes, within 4 units in the last place;
 * it must be a number there that is not near 0. @p v gets what the register holds.
 *
 * @return 1 and *@p ret_ulp, the greatest distance, or 0.
 */
unsigned lull_match_near(const struct lull_match *m, struct lull_value *v, uint64_t lanes,
                         unsigned *ret_ulp, char name[16]);

#endif
