// SPDX-License-Identifier: MIT
#include "cli/opt/engine.h"

#include "jit/jit.h"
#include "vdrm/msm/vdrm.h"

const struct lull_opt lull_engine_opts[] = {
    {"--engine", NULL, "interp|jit",
     "what executes waves of gfx1100: an interpreter, as if not given, or machine code that is "
     "compiled of what runs often, with the same results; needs a CPU with AVX2",
     LULL_OPT_CHOICE, LULL_OPT_AT(struct lull_engine_option, kind)},
    {0},
};

struct lull_error *lull_engine_choose(const struct lull_engine_option *o, const char *gpu,
                                      const struct lull_engine **ret)
{
    *ret = NULL;
    if (o->kind == 0) {
        return NULL;
    }
    if (gpu != NULL && lull_vdm_chip(gpu) != NULL) {
        return lull_error_new(LULL_ERR_INVALID, "--engine jit is for gfx1100, not for %s", gpu);
    }
    return lull_error_in(lull_jit_engine(ret), "--engine jit");
}
