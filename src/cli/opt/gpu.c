// SPDX-License-Identifier: MIT
#include "cli/opt/gpu.h"

#include <stddef.h>
#include <string.h>

#include "model/adreno/gpu.h"
#include "model/amd/gpu/gpu.h"
#include "model/observer.h"
#include "vdrm/amdgpu/vdrm.h"
#include "vdrm/msm/vdrm.h"

static const char gfx1100[] = "gfx1100";

const struct lull_achip *lull_gpu_chip(const char *name)
{
    return lull_vdm_chip(name);
}

bool lull_gpu_is_adreno(const char *name)
{
    return name != NULL && lull_vdm_chip(name) != NULL;
}

bool lull_gpu_is_own(const char *name)
{
    return strcmp(name, gfx1100) == 0 || lull_gpu_is_adreno(name);
}

struct lull_error *lull_gpu_kernel(const struct lull_gpu_how *how, struct lull_kernel **ret)
{
    const char *name = how->name;
    const struct lull_engine_option interpreter = {0};
    const struct lull_engine_option *option = how->engine != NULL ? how->engine : &interpreter;
    const struct lull_engine *engine = NULL;
    const struct lull_ir3_engine *ir3 = NULL;
    struct lull_error *err = lull_gpu_is_adreno(name) ? lull_engine_choose_ir3(option, name, &ir3)
                                                      : lull_engine_choose(option, &engine);
    if (err != NULL) {
        return err;
    }
    if (name == NULL || strcmp(name, gfx1100) == 0) {
        const struct lull_vdrm_options amd = {.seed = how->seed,
                                              .order = how->order,
                                              .lockup_ms = how->hang_ms,
                                              .threaded = true,
                                              .isolate = true,
                                              .threads =
                                                  how->engine != NULL ? how->engine->chosen : 0,
                                              .engine = engine};
        return lull_vdrm_new(&amd, ret);
    }
    const struct lull_ir3_assumptions none = {{0}};
    const struct lull_vdm_options adreno = {.chip = lull_vdm_chip(name),
                                            .assume = how->assume != NULL ? *how->assume : none,
                                            .seed = how->seed,
                                            .order = how->order,
                                            .engine = ir3,
                                            .hang_ms = how->hang_ms,
                                            .longest_ms = how->longest_ms,
                                            .threaded = true,
                                            .isolate = true};
    if (adreno.chip == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "--gpu %s: there are gfx1100, a630, a660 and a740",
                              name);
    }
    return lull_vdm_new(&adreno, ret);
}

void lull_gpu_kernel_observe(struct lull_kernel *k, const char *name, struct lull_observer *o,
                             struct lull_observer *before)
{
    if (lull_gpu_is_adreno(name)) {
        lull_agpu_observe(lull_vdm_gpu(k), o);
    } else {
        o->next = before;
        lull_gpu_observe(lull_vdrm_gpu(k), o);
    }
}
