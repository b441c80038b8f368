// SPDX-License-Identifier: MIT
/** @file
 * A queue of work for many processes: children of this one, and under mpirun those of other ranks.
 *
 * What is done is bytes, and what comes of it, too. The same items give the same results whoever
 * does them, and results are used as if they had come in order.
 */
#ifndef LULL_EXPLORE_POOL_H
#define LULL_EXPLORE_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/str.h"
#include "explore/mpi.h"

struct lull_pool;

/** Do @p item, in a process of its own, which ends then. */
typedef void lull_pool_work_fn(void *ctx, const char *item, size_t size, struct lull_str *ret);

struct lull_pool_options {
    unsigned jobs; ///< Children at a time; 0: as many as there are processors, under mpirun 1.
    const struct lull_mpi *mpi; ///< NULL: none.
    lull_pool_work_fn *work;
    void *ctx; ///< Of work.
};

struct lull_error *lull_pool_new(const struct lull_pool_options *o,
                                 struct lull_pool **ret) LULL_MUST_USE;

/** On rank 0 the other ranks end, too. */
void lull_pool_free(struct lull_pool *p);

/** How many items are done at a time, on all ranks. */
unsigned lull_pool_width(const struct lull_pool *p);

/** What came of an item. Valid during the call. */
struct lull_pool_result {
    const char *bytes; ///< Ended by a 0 that does not count.
    size_t size;
    bool died; ///< Its process ended otherwise than it should: there is nothing.
    int rank;  ///< Who did it.
};

/** A list of work. */
struct lull_pool_list {
    size_t n;
    void (*item)(void *ctx, size_t i, struct lull_str *ret);
    /** In any order. False: those behind @p i are not needed any more. */
    bool (*done)(void *ctx, size_t i, const struct lull_pool_result *r);
    void *ctx;
};

/**
 * Do all of @p list. An item whose done() said false is the last one that is done; items before it
 * are all done, and done() is called for no item behind the first that said so, or for some.
 */
struct lull_error *lull_pool_run(struct lull_pool *p,
                                 const struct lull_pool_list *list) LULL_MUST_USE;

/** Of a rank other than 0: do what rank 0 sends, until it ends. */
struct lull_error *lull_pool_serve(struct lull_pool *p) LULL_MUST_USE;

#endif
