// SPDX-License-Identifier: MIT
#include "cli/opt/gpu.h"

#include <stddef.h>
#include <string.h>

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

struct lull_error *lull_gpu_kernel(const char *name, uint64_t seed, uint32_t hang_ms,
                                   uint32_t longest_ms, const struct lull_ir3_assumptions *assume,
                                   struct lull_kernel **ret)
{
    if (name == NULL || strcmp(name, gfx1100) == 0) {
        const struct lull_vdrm_options amd = {
            .seed = seed, .lockup_ms = hang_ms, .threaded = true, .isolate = true};
        return lull_vdrm_new(&amd, ret);
    }
    const struct lull_ir3_assumptions none = {{0}};
    const struct lull_vdm_options adreno = {.chip = lull_vdm_chip(name),
                                            .assume = assume != NULL ? *assume : none,
                                            .seed = seed,
                                            .hang_ms = hang_ms,
                                            .longest_ms = longest_ms,
                                            .threaded = true,
                                            .isolate = true};
    if (adreno.chip == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "--gpu %s: there are gfx1100, a630, a660 and a740",
                              name);
    }
    return lull_vdm_new(&adreno, ret);
}
