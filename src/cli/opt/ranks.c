// SPDX-License-Identifier: MIT
#include "cli/opt/ranks.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "vdrm/core/launch.h"

/** What mpirun tells its processes: Open MPI; MPICH and those that start processes by PMI. */
static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};

static bool started_by_mpirun(void)
{
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const char *size = getenv(sizes[i]);
        if (size != NULL && strtol(size, NULL, 10) > 1) {
            return true;
        }
    }
    return false;
}

struct lull_error *lull_ranks_open(struct lull_ranks *r)
{
    static const char *const places[] = {"liblull_mpi.so", "src/mpi/liblull_mpi.so",
                                         "../lib/lull/liblull_mpi.so",
                                         "../lib/x86_64-linux-gnu/lull/liblull_mpi.so"};
    if (!started_by_mpirun()) {
        return NULL;
    }
    lull_cleanup(lull_freep) char *path =
        lull_launch_beside(places, sizeof places / sizeof places[0]);
    if (path == NULL) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "mpirun: liblull_mpi.so is not next to lull: it is built where "
                              "libopenmpi-dev is installed");
    }
    r->library = dlopen(path, RTLD_NOW | RTLD_GLOBAL); // Open MPI opens parts that look for it
    void *found = r->library != NULL ? dlsym(r->library, "lull_mpi_start") : NULL;
    if (found == NULL) {
        return lull_error_new(LULL_ERR_OS, "%s: %s", path, dlerror());
    }
    lull_mpi_start_fn *start = NULL;
    *(void **)&start = found; // As POSIX has it.
    r->there = start(&r->mpi);
    return r->there ? NULL : lull_error_new(LULL_ERR_OS, "MPI does not start");
}

const struct lull_mpi *lull_ranks_mpi(const struct lull_ranks *r)
{
    return r->there ? &r->mpi : NULL;
}

bool lull_ranks_first(const struct lull_ranks *r)
{
    return !r->there || r->mpi.rank == 0;
}

void lull_ranks_close(struct lull_ranks *r)
{
    if (r->there) {
        r->mpi.finish();
    }
    r->there = false; // The library stays: MPI does not like to be unloaded.
}
