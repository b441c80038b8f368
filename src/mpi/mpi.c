// SPDX-License-Identifier: MIT
// liblull_mpi.so: the few calls of MPI that lull needs (explore/mpi.h). It alone is linked with it.
#include <limits.h>
#include <mpi.h>
#include <stddef.h>

#include "explore/mpi.h"

static bool send_to(int to, const void *data, size_t size)
{
    return size <= INT_MAX &&
           MPI_Send(data, (int)size, MPI_BYTE, to, 0, MPI_COMM_WORLD) == MPI_SUCCESS;
}

static bool probe(int *from, size_t *size)
{
    int there = 0, n = 0;
    MPI_Status status;
    *from = -1;
    if (MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS) {
        return false;
    }
    if (there == 0) {
        return true;
    }
    if (MPI_Get_count(&status, MPI_BYTE, &n) != MPI_SUCCESS) {
        return false;
    }
    *from = status.MPI_SOURCE;
    *size = (size_t)n;
    return true;
}

static bool receive(int from, void *to, size_t size)
{
    return size <= INT_MAX && MPI_Recv(to, (int)size, MPI_BYTE, from, 0, MPI_COMM_WORLD,
                                       MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

static void finish(void)
{
    (void)MPI_Finalize();
}

__attribute__((visibility("default"))) bool lull_mpi_start(struct lull_mpi *ret);

bool lull_mpi_start(struct lull_mpi *ret)
{
    *ret = (struct lull_mpi){.send = send_to, .probe = probe, .receive = receive, .finish = finish};
    return MPI_Init(NULL, NULL) == MPI_SUCCESS &&
           MPI_Comm_rank(MPI_COMM_WORLD, &ret->rank) == MPI_SUCCESS &&
           MPI_Comm_size(MPI_COMM_WORLD, &ret->size) == MPI_SUCCESS;
}
