// SPDX-License-Identifier: MIT
/** @file
 * Ranks of an MPI job, through liblull_mpi.so, so that lull itself runs where there is no MPI.
 */
#ifndef LULL_EXPLORE_MPI_H
#define LULL_EXPLORE_MPI_H

#include <stdbool.h>
#include <stddef.h>

/** What liblull_mpi.so gives. Functions return false if MPI failed. */
struct lull_mpi {
    int rank, size;
    bool (*send)(int to, const void *data, size_t size);
    /** Has a message come? @p from -1: nothing. */
    bool (*probe)(int *from, size_t *size);
    bool (*receive)(int from, void *to, size_t size);
    /** All ranks come to it. */
    void (*finish)(void);
};

/** The function lull_mpi_start() of liblull_mpi.so: it starts MPI. False: it could not. */
typedef bool lull_mpi_start_fn(struct lull_mpi *ret);

#endif
