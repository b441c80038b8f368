// SPDX-License-Identifier: MIT
/** @file
 * Which flags of a driver's debug variables change how a program ends.
 */
#ifndef LULL_CLI_BISECT_H
#define LULL_CLI_BISECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

/** A flag that may be set. */
struct lull_bisect_flag {
    const char *variable, *flag; ///< Pointed to, not copied. variable NULL: see `place`.
};

/** How a run ended; of several the worst. */
enum lull_bisect_end {
    LULL_BISECT_PASSES,
    LULL_BISECT_FAILS, ///< Another exit status than 0, a signal, or out of time.
    LULL_BISECT_SKIPS, ///< Exit status 125: it cannot be told.
};

struct lull_bisect {
    struct lull_bisect_flag *flags;
    size_t nflags;
    char **argv;
    uint64_t runs;      ///< How often each set of flags is run, at most: it passes if all pass.
    uint64_t timeout_s; ///< Of one run; 0: none.
    bool output;        ///< What the program prints goes to standard error, else nowhere.
    bool first;         ///< The first set that does it, by halves; else each flag alone, first.
    bool json;
    /** Not 0: flags do not go into the environment, but, joined by commas, into argv[place]; "none"
     * if there are none. */
    size_t place;
    const char *things; ///< What flags are, for what is printed, if they have no variable.
    /** Not NULL: runs in a process of its own in place of argv, with the flags joined by commas or
     * "none". Returns what would be its exit status. */
    int (*child)(void *ctx, const char *list);
    void *ctx;
    const char *subject;       ///< What fails or passes, for errors; NULL: argv[0].
    bool must_pass;            ///< With no flag added; else it is an error.
    bool interrupted;          ///< Out: by a signal.
    uint64_t nruns;            ///< Out: of the program.
    enum lull_bisect_end base; ///< Out: how it ends with no flag added.
    bool *alone;               ///< Out, of nflags: this flag alone changes that.
    size_t *set;               ///< Out: the smallest set that was found.
    size_t nset;               ///< 0: none.
};

/**
 * Run the program with sets of flags, and say on standard output (not if json) how each ended.
 *
 * Flags come behind what the environment's own value has.
 *
 * @return LULL_ERR_NOT_FOUND: there is no such program. LULL_ERR_UNSUPPORTED: it does not pass, and
 * must. After SIGINT, SIGTERM or SIGHUP the search
 * ends, with what is known by then.
 */
struct lull_error *lull_bisect(struct lull_bisect *b) LULL_MUST_USE;
/** Run the program as the environment is now; @p text says so where it is printed how it ended. */
struct lull_error *lull_bisect_try(struct lull_bisect *b, const char *text,
                                   enum lull_bisect_end *ret) LULL_MUST_USE;
void lull_bisect_done(struct lull_bisect *b);

/**
 * A line of JSON to standard output; frees @p out.
 * @return The error of @p out, if it has one: nothing is printed then.
 */
struct lull_error *lull_bisect_print(struct lull_str *out) LULL_MUST_USE;

#endif
