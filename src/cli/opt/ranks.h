// SPDX-License-Identifier: MIT
/** @file
 * Is this one of the processes that mpirun started?
 */
#ifndef LULL_CLI_RANKS_H
#define LULL_CLI_RANKS_H

#include <stdbool.h>

#include "base/error.h"
#include "explore/mpi.h"

/** Zero-initialise; lull_ranks_close() at the end. */
struct lull_ranks {
    bool there; ///< There are several, and `mpi` is theirs.
    struct lull_mpi mpi;
    void *library;
};

/** LULL_ERR_NOT_FOUND: it is, but liblull_mpi.so is not next to lull. */
struct lull_error *lull_ranks_open(struct lull_ranks *r) LULL_MUST_USE;

/** NULL: this process is alone. */
const struct lull_mpi *lull_ranks_mpi(const struct lull_ranks *r);

/** Rank 0 reports, and whoever is alone. */
bool lull_ranks_first(const struct lull_ranks *r);

/** All ranks come to it. */
void lull_ranks_close(struct lull_ranks *r);

#endif
