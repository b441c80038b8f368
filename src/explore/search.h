// SPDX-License-Identifier: MIT
/** @file
 * An order in which a program goes wrong, and the fewest waits that give it.
 */
#ifndef LULL_EXPLORE_SEARCH_H
#define LULL_EXPLORE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "explore/pool.h"
#include "explore/trial.h"

/** Which search an order is of. */
enum lull_search_part { LULL_SEARCH_DIRECTED, LULL_SEARCH_DRAWN };

struct lull_order_search {
    struct lull_pool *pool; ///< Its work is to answer a struct lull_trial with an outcome.
    uint64_t seed;          ///< Of the GPU's own scheduler.
    uint64_t first, count;  ///< Orders that are drawn: by the seeds from first on, not 0.
    bool directed;          ///< Try the racing pairs first.
    /** An order was tried; NULL: nobody is told. @p number: from 0, in its part. */
    void (*tried)(void *ctx, enum lull_search_part part, uint64_t number, int rank,
                  const struct lull_outcome *o);
    void *ctx;
};

/** Zero-initialise; lull_order_found_done() at the end. */
struct lull_order_found {
    bool found;
    enum lull_search_part part;
    uint64_t number;               ///< Of the order that went wrong, from 0.
    uint64_t tried;                ///< Orders, until it was found or in all.
    uint64_t shrink;               ///< Runs that it took to make it smaller.
    size_t npairs;                 ///< Orders that the racing pairs gave.
    size_t before;                 ///< Waits of it at first.
    struct lull_schedule schedule; ///< The fewest.
    char *text, *places;           ///< What is wrong with it; where its waits are.
};

/** LULL_ERR_BAD_DATA: a run failed otherwise than the program can. */
struct lull_error *lull_order_search_run(const struct lull_order_search *s,
                                         struct lull_order_found *ret) LULL_MUST_USE;
void lull_order_found_done(struct lull_order_found *f);

#endif
