// SPDX-License-Identifier: MIT
/** @file
 * `lull explore`: what one run in a given order is, and what makes it wrong.
 *
 *   explore.c      one run, in a process of its own
 *   cmd_explore.c  the command line, the search, the report
 *   explore_report.c  the report as a database and as a page, explore_picture.c the picture in it
 *   explore_web.c  that page, served
 */
#ifndef LULL_CLI_RUN_EXPLORE_H
#define LULL_CLI_RUN_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/run/kernel.h"
#include "explore/search.h"
#include "explore/trial.h"

/** What a buffer shall hold. */
struct lull_expect {
    const char *name; ///< Of the argument; NULL: any.
    size_t arg;
    uint8_t *bytes; ///< Owned.
    size_t size;
};

/** Zero-initialise; lull_explore_done() at the end. */
struct lull_explore {
    struct lull_kernel_run run;
    struct lull_expect *expects;
    size_t nexpects;
    bool given; ///< expects are the user's, not what the first run left.
};

/** Run as the GPU has it and, if nothing else says what is right, keep what comes of it. */
struct lull_error *lull_explore_first(struct lull_explore *e,
                                      struct lull_outcome *ret) LULL_MUST_USE;

/** Of a pool (explore/pool.h): @p ctx is a struct lull_explore, behind lull_explore_first(). */
void lull_explore_work(void *ctx, const char *item, size_t size, struct lull_str *ret);

/** Number of the argument called @p name: its :name=, its name in the kernel, or its number. */
bool lull_explore_find(const struct lull_explore *e, const char *name, size_t *ret);

void lull_explore_done(struct lull_explore *e);

/** An order that was tried. */
struct lull_explore_row {
    enum lull_search_part part;
    uint64_t number; ///< From 0, in its part.
    int rank;        ///< Who ran it.
    enum lull_outcome_how how;
    char *text; ///< Owned.
};

/** All that were; zero-initialise. */
struct lull_explore_log {
    struct lull_explore_row *rows;
    size_t n, room;
};

struct lull_error *lull_explore_tried(struct lull_explore_log *l, enum lull_search_part part,
                                      uint64_t number, int rank,
                                      const struct lull_outcome *o) LULL_MUST_USE;
/** By part and number: they may have come in any order. What other processes tried behind the order
 * that @p f names is dropped: any number of processes gives the same. */
void lull_explore_log_sort(struct lull_explore_log *l, const struct lull_order_found *f);
void lull_explore_log_done(struct lull_explore_log *l);

/** What there is to report. */
struct lull_explore_report {
    const char *program;
    uint64_t first; ///< Seed of the first order that was drawn.
    const struct lull_outcome *own;
    const struct lull_order_found *found;
    const struct lull_explore_log *log; ///< Sorted.
    bool running;                       ///< The search is not over: a page looks again in a second.
};

/** Write the database @p path; it is there when it is whole, or as it was. */
struct lull_error *lull_explore_sql(const struct lull_explore_report *r,
                                    const char *path) LULL_MUST_USE;
/** A row for each wave of @p s, an arrow for each wait: SVG. */
void lull_explore_picture(const struct lull_schedule *s, struct lull_str *out);
/** A page, complete in itself. */
void lull_explore_html(const struct lull_explore_report *r, struct lull_str *out);

#endif
