// SPDX-License-Identifier: MIT
/** @file
 * Many crash dumps, grouped by their signature. For `lull crash triage`.
 *
 *   triage.c       files to facts, on several threads; facts to groups
 *   triage_look.c  one file
 *   triage_ranks.c files to facts, under mpirun
 *   triage_text.c  the report as text, JSON and HTML
 *   triage_sql.c   and as a database
 */
#ifndef LULL_CLI_TRIAGE_H
#define LULL_CLI_TRIAGE_H

#include <stddef.h>
#include <stdint.h>

#include "adreno/crash/crash.h"
#include "base/error.h"
#include "base/str.h"
#include "cli/opt/opt.h"
#include "explore/mpi.h"

/** A file that was looked at. */
struct lull_triage_file {
    char *path;
    char *facts[LULL_CRASH_NFACTS]; ///< NULL or "": not known.
    char *error;                    ///< NULL: it is whole.
};

/** Dumps with one signature. */
struct lull_triage_group {
    char id[17];         ///< A number of the signature, in hex.
    size_t first, count; ///< In files.
};

/** All files by group; those that are in none come last. */
struct lull_triage {
    struct lull_triage_file *files;
    size_t nfiles;
    struct lull_triage_group *groups; ///< The one with most dumps first.
    size_t ngroups;
    size_t first_damaged, first_other; ///< In files: dumps that are damaged; what is not a dump.
};

struct lull_triage_options {
    unsigned jobs;   ///< 0: as many as there are processors.
    uint64_t memory; ///< Bytes for all threads together; 0: 1 GiB. Under mpirun for each process.
    const struct lull_mpi *mpi; ///< NULL: this process is alone. Ranks but 0 have no groups.
};

/** Fill in what is known of @p f, whose path is set, with @p memory bytes. */
void lull_triage_look(struct lull_triage_file *f, uint64_t memory);
/** All files of @p t, on all ranks; on others than 0: help until it is done. */
struct lull_error *lull_triage_ranks(struct lull_triage *t, const struct lull_mpi *mpi,
                                     unsigned jobs, uint64_t memory) LULL_MUST_USE;

/** Look at all files in the folders @p paths, and at those among them that are files. */
struct lull_error *lull_triage_run(const char *const *paths, size_t n,
                                   const struct lull_triage_options *o,
                                   struct lull_triage *ret) LULL_MUST_USE;
void lull_triage_done(struct lull_triage *t);

void lull_triage_text(const struct lull_triage *t, struct lull_str *out);
void lull_triage_json(const struct lull_triage *t, struct lull_str *out);
void lull_triage_html(const struct lull_triage *t, struct lull_str *out);

/** Earliest and latest time of a group; false: none is known. */
bool lull_triage_times(const struct lull_triage *t, const struct lull_triage_group *g,
                       uint64_t *first, uint64_t *last);
/** "2020-07-04 18:23:42" in UTC. */
void lull_triage_date(uint64_t seconds, char *ret, size_t room);
/** "a (3), b": the values of a fact in a group and how many files have each, most first; at most
 * @p most of them. */
void lull_triage_values(const struct lull_triage *t, const struct lull_triage_group *g,
                        enum lull_crash_fact fact, size_t most, struct lull_str *out);

/** `lull crash triage`. */
extern const struct lull_form lull_cli_triage;
/** `lull crash explain-fault`. */
extern const struct lull_form lull_cli_explain_fault;

/** Write the database @p path; it is there when it is whole, or as it was. */
struct lull_error *lull_triage_sql(const struct lull_triage *t, const char *path) LULL_MUST_USE;

#endif
