// SPDX-License-Identifier: MIT
// Clusters and shader blocks of a dump, as the kernel writes those of an a6xx.
//
// Source: a6xx_gpu_state.c (a6xx_show_cluster(), a6xx_show_shader(), a6xx_gpu_state_get()).
#include "vdrm/msm/dumped.h"

#include <inttypes.h>
#include <string.h>

#include "adreno/file/devcore.h"
#include "hw/adreno_doms.h"
#include "model/adreno/place.h"
#include "vdrm/msm/msm.h"

enum {
    CONTEXTS = 2,
    BANKS = 3,
    UNIT = 32, ///< Dwords of one of INSTRLEN: 16 instructions.
};

// What the buffers of @p job have at @p iova: up to @p most bytes. NULL: nothing.
static const void *content(struct lull_vdm *d, const struct lull_vdm_job *job, uint64_t iova,
                           uint64_t *most)
{
    for (uint32_t i = 0; i < job->nbos; i++) {
        struct lull_vdm_bo *bo = lull_vdm_bo(job->bos[i]);
        const uint64_t at = lull_vdm_iova(lull_vdm_file(job->file), job->bos[i]);
        if (at != 0 && iova >= at && iova - at < bo->bo.size) {
            const uint64_t left = bo->bo.size - (iova - at);
            *most = left < *most ? left : *most;
            return (const char *)lull_vd_bo_mem(&d->vd, &bo->bo) + (iova - at);
        }
    }
    return NULL;
}

// Instructions of the dispatch whose waves run, as many as @p room dwords hold. NULL: none runs.
static const uint32_t *running(struct lull_vdm *d, const struct lull_vdm_job *job, uint32_t room,
                               uint64_t *dwords)
{
    const uint32_t status = d->ops->read_reg(d->gpu, LULL_A6XX_RBBM_STATUS);
    const uint64_t lo = d->ops->read_reg(d->gpu, LULL_A6XX_SP_CS_OBJ_START);
    const uint64_t hi = d->ops->read_reg(d->gpu, LULL_A6XX_SP_CS_OBJ_START + 1);
    const uint64_t all = (uint64_t)d->ops->read_reg(d->gpu, LULL_A6XX_SP_CS_INSTRLEN) * UNIT;
    uint64_t bytes = (all < room ? all : room) * sizeof(uint32_t);
    const uint32_t waves = lull_agpu_place_status(true, false);
    const bool runs = job != NULL && (status & waves) == waves;
    const void *words = runs ? content(d, job, hi << 32 | lo, &bytes) : NULL;
    *dwords = words != NULL ? bytes / sizeof(uint32_t) : 0;
    return words;
}

// One shader processor runs it all: the first bank has it.
void lull_vdm_show_blocks(struct lull_vdm *d, const struct lull_vdm_job *job, struct lull_str *out)
{
    for (const struct lull_vdm_block *b = lull_vdm_blocks; b->name != NULL; b++) {
        uint64_t n = 0;
        const uint32_t *words = running(d, job, b->dwords, &n);
        lull_str_addf(out, "  - type: %s\n", b->name);
        for (unsigned bank = 0; bank < BANKS; bank++) {
            lull_str_addf(out, "    - bank: %u\n      size: %" PRIu32 "\n", bank, b->dwords);
            if (bank == 0 && n != 0) {
                lull_devcore_put_data(out, 4, 6, words, n);
            }
        }
    }
}

void lull_vdm_show_clusters(struct lull_vdm *d, struct lull_str *out)
{
    for (const struct lull_vdm_cluster *c = lull_vdm_clusters; c->name != NULL; c++) {
        if (c->chip != NULL && strcmp(c->chip, d->chip->name) != 0) {
            continue;
        }
        lull_str_addf(out, "  - cluster-name: %s\n", c->name);
        for (unsigned context = 0; context < CONTEXTS; context++) {
            lull_str_addf(out, "    - context: %u\n", context);
            for (const struct lull_vdm_range *r = c->ranges; context == 0 && r->first != 0; r++) {
                for (uint32_t reg = r->first; reg <= r->last; reg++) {
                    lull_devcore_put_register(out, 6, reg * (uint32_t)sizeof reg,
                                              d->ops->read_reg(d->gpu, reg));
                }
            }
        }
    }
}
