// SPDX-License-Identifier: MIT
/** @file
 * What waves executed, gone through backwards. For src/debug/session only.
 *
 * Meanwhile the target stands at other times; lull_travel_arrive() brings all together again.
 */
#ifndef LULL_DEBUG_SESSION_BACK_H
#define LULL_DEBUG_SESSION_BACK_H

#include "debug/session/travel_priv.h"

struct lull_back {
    struct lull_debug *d;
    struct lull_search what;
    struct lull_travel_wave who; ///< The wave in focus; hw_id1 UINT32_MAX: none is.
    struct lull_found *found;    ///< Owned.
    size_t n;                    ///< Not gone through yet.
    uint64_t until, first;       ///< Times: what is before until was not looked up yet.
};

enum lull_back_from { LULL_BACK_NOW, LULL_BACK_LATEST };

/** Instructions of the focused wave, or, if there is none, of the one that ended last. The caller
 * may look for something else: b->what. */
struct lull_error *lull_back_begin(struct lull_back *b, struct lull_debug *d,
                                   enum lull_back_from from) LULL_MUST_USE;
void lull_back_done(struct lull_back *b);
/** The instruction before; NULL: there is none that is remembered. It is valid until the next. */
struct lull_error *lull_back_next(struct lull_back *b, const struct lull_found **ret) LULL_MUST_USE;

#endif
