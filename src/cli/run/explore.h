// SPDX-License-Identifier: MIT
/** @file
 * `lull explore`: what one run in a given order is, and what makes it wrong.
 *
 *   explore.c      one run, in a process of its own
 *   explore_kernel.c, explore_shader.c  what runs: a kernel of this process; a Vulkan shader under
 *                  its driver, on gfx1100 or an Adreno
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
#include "cli/vulkan/vk_options.h"
#include "explore/search.h"
#include "explore/trial.h"
#include "explore/watch.h"

/** What a buffer shall hold. */
struct lull_expect {
    const char *name; ///< Of the argument, or resource; NULL: any.
    size_t arg;
    uint8_t *bytes; ///< Owned.
    size_t size;
};

enum { LULL_EXPLORE_PAIRS = 64 };

/** One run, asked for and answered. Zero-initialise, set what is asked. */
struct lull_explore_once {
    bool judge;               ///< Was it right? Else the check of races looks, and no other.
    struct lull_watch *watch; ///< Looks, too; NULL: nobody.
    size_t nholds;            ///< Places of so many holds of watch will be asked for.
    enum lull_outcome_how how;
    struct lull_str text;                       ///< What was wrong; owned.
    struct lull_pair pairs[LULL_EXPLORE_PAIRS]; ///< Of races.
    size_t npairs;
};

struct lull_explore;

/** What can run in orders. */
struct lull_explore_ops {
    /** As the GPU has it; what is right is kept if nothing else says it. */
    struct lull_error *(*first)(struct lull_explore *e, struct lull_explore_once *o);
    /** By e->order; what ran stays open for place(). */
    struct lull_error *(*once)(struct lull_explore *e, struct lull_explore_once *o);
    /** "race.cl:6 <rev+0x88>": an instruction of the last run. */
    void (*place)(const struct lull_explore *e, uint64_t pc, struct lull_str *out);
    void (*close)(struct lull_explore *e);
};
extern const struct lull_explore_ops lull_explore_kernel, lull_explore_shader;

/** An instruction of a shader that ran. */
struct lull_explore_place {
    uint64_t pc;
    char *text; ///< Owned.
};

/** A Vulkan shader. */
struct lull_explore_shaded {
    struct lull_vk_options o;
    const struct lull_form *form; ///< And the words that are passed on to the program.
    int argc;
    char **argv;
    const struct lull_opt *own;        ///< Those that are not.
    struct lull_explore_place *places; ///< Owned.
    size_t nplaces;
};

/** Zero-initialise, set ops; lull_explore_done() at the end. */
struct lull_explore {
    const struct lull_explore_ops *ops;
    struct lull_kernel_run run;        ///< Of a kernel.
    struct lull_explore_shaded shaded; ///< Of a shader.
    uint64_t seed;                     ///< Of the GPU's own scheduler.
    struct lull_order *order;          ///< Of the run at hand; NULL: none. Owned.
    struct lull_expect *expects;
    size_t nexpects;
    bool given; ///< expects are the user's, not what the first run left.
};

/** Run as the GPU has it and, if nothing else says what is right, keep what comes of it. */
struct lull_error *lull_explore_first(struct lull_explore *e,
                                      struct lull_outcome *ret) LULL_MUST_USE;

/** Of a pool (explore/pool.h): @p ctx is a struct lull_explore, behind lull_explore_first(). */
void lull_explore_work(void *ctx, const char *item, size_t size, struct lull_str *ret);

/** "out+0x1c (dword 7) is 0x0, want 0x7": the first byte of @p got that differs. False: none does.
 */
bool lull_explore_differs(const char *name, const uint8_t *got, const uint8_t *want, size_t size,
                          struct lull_str *out);
/** Pairs of what races, by the check of races. */
void lull_explore_racing(const struct lull_checks *c, struct lull_explore_once *ret);
/** What checks found, its first lines. @p ret: something. */
struct lull_error *lull_explore_findings(const struct lull_check *c,
                                         const struct lull_check_code *code, bool *ret,
                                         struct lull_str *out) LULL_MUST_USE;

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
