// SPDX-License-Identifier: MIT
#include "cli/opt/engine.h"

#include <stdio.h>

#include "jit/jit.h"
#include "vdrm/msm/vdrm.h"

enum { MOST_THREADS = 256 };

const struct lull_opt lull_engine_opts[] = {
    {"--engine", NULL, "interp|jit",
     "what executes waves of gfx1100: an interpreter, as if not given, or machine code that is "
     "compiled of what runs often, with the same results; needs a CPU with AVX2",
     LULL_OPT_CHOICE, LULL_OPT_AT(struct lull_engine_option, kind)},
    {"--threads", NULL, "N",
     "on how many threads workgroups of gfx1100 run, each on one; 1 if not given. With 1, and "
     "whenever order matters (--seed, --check, printf, a debugger), it is the same order in each "
     "run",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct lull_engine_option, threads), .min = 1,
     .max = MOST_THREADS},
    {0},
};

struct lull_error *lull_engine_choose(const struct lull_engine_option *o, const char *gpu,
                                      const struct lull_engine **ret)
{
    const bool adreno = gpu != NULL && lull_vdm_chip(gpu) != NULL;
    *ret = NULL;
    if (adreno && o->threads > 1) {
        return lull_error_new(LULL_ERR_INVALID, "--threads is for gfx1100, not for %s", gpu);
    }
    if (o->kind == 0) {
        return NULL;
    }
    if (adreno) {
        return lull_error_new(LULL_ERR_INVALID, "--engine jit is for gfx1100, not for %s", gpu);
    }
    return lull_error_in(lull_jit_engine(ret), "--engine jit");
}

void lull_engine_threads(struct lull_engine_option *o, const char *command, const char *order)
{
    if (order != NULL && o->threads > 1) {
        fprintf(stderr, "lull %s: --threads %u: one thread runs all, in the order that %s needs\n",
                command, o->threads, order);
    }
    o->chosen = order != NULL ? 1 : o->threads != 0 ? o->threads : 1;
}
