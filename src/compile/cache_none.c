// SPDX-License-Identifier: MIT
// In place of cache.c in programs that are built without libmd, also for arm64: compilers always
// run.
#include "compile/cache.h"
#include "compile/run.h"

struct lull_error *lull_cache_run(const struct lull_cache_run *run, int *ret_status)
{
    return lull_run_program(run->argv, run->dir, run->log, ret_status);
}
