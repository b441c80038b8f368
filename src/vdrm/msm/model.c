// SPDX-License-Identifier: MIT
// The virtual driver on the model GPU.
#include <string.h>

#include "vdrm/msm/msm.h"
#include "vdrm/msm/vdrm.h"

enum { PATCH_BITS = 8, CHIPS = 3 };
static const struct lull_achip *const chips[CHIPS] = {&lull_achip_a630, &lull_achip_a660,
                                                      &lull_achip_a740};

const struct lull_achip *lull_vdm_chip(const char *name)
{
    for (size_t i = 0; i < CHIPS; i++) {
        if (strcmp(chips[i]->name, name) == 0) {
            return chips[i];
        }
    }
    return NULL;
}

const struct lull_achip *lull_vdm_chip_of(uint64_t chip_id, uint64_t gpu_id)
{
    for (size_t i = 0; i < CHIPS; i++) {
        const struct lull_achip *c = chips[i];
        if (chip_id != 0 ? c->chip_id >> PATCH_BITS == chip_id >> PATCH_BITS
                         : gpu_id != 0 && c->gpu_id == gpu_id) {
            return c;
        }
    }
    return NULL;
}

struct lull_error *lull_vdm_new(const struct lull_vdm_options *options, struct lull_kernel **ret)
{
    struct lull_vdm_options o = *options;
    struct lull_agpu *gpu = NULL;
    o.chip = o.chip != NULL ? o.chip : &lull_achip_a660;
    const struct lull_agpu_config config = {
        .chip = o.chip, .seed = o.seed, .order = o.order, .assume = o.assume, .engine = o.engine};
    struct lull_error *err = lull_agpu_new(&config, &gpu);
    return err != NULL ? lull_error_in(err, "virtual GPU")
                       : lull_vdm_new_on(&o, &lull_agpu_model_ops, gpu, ret);
}

struct lull_error *lull_vdm_stomp(struct lull_kernel *k, const struct lull_vdm_stomp *stomp)
{
    struct lull_vdm *d = lull_vdm(lull_vd_of(k));
    d->stomp = *stomp;
    if (d->ops->stomp != NULL) {
        d->ops->stomp(d->gpu, stomp->pass, stomp->npass, UINT32_MAX);
    }
    return lull_vdm_ring_stomp(d, stomp->submit, stomp->nsubmit, stomp->packets) == 0
               ? NULL
               : &lull_enomem;
}

struct lull_agpu *lull_vdm_gpu(struct lull_kernel *k)
{
    return lull_vdm(lull_vd_of(k))->gpu;
}
