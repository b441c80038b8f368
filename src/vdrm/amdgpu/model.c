// SPDX-License-Identifier: MIT
// The virtual driver on the model GPU.
#include "hw/chips.h"
#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/gpu_ops.h"

#define DEFAULT_VRAM (24ull << 30)
#define DEFAULT_GTT (32ull << 30)
#define GTT_BASE (1ull << 40) // bus address; beyond what a machine has as memory
#define ALIGNMENT (2ull << 20)

struct lull_error *lull_vdrm_new(const struct lull_vdrm_options *options, struct lull_kernel **ret)
{
    const struct lull_vdrm_options none = {0};
    const struct lull_vdrm_options *o = options != NULL ? options : &none;
    const struct lull_chip *chip = &lull_chip_navi31;
    const struct lull_gpu_config config = {
        .chip = chip,
        .vram_size = o->vram_size != 0 ? o->vram_size & ~(ALIGNMENT - 1) : DEFAULT_VRAM,
        .gtt_size = o->gtt_size != 0 ? o->gtt_size & ~(ALIGNMENT - 1) : DEFAULT_GTT,
        .gtt_base = GTT_BASE,
        .seed = o->seed,
        .order = o->order,
        .engine = o->engine,
        .threads = o->threads,
    };
    if (config.vram_size < 8 * ALIGNMENT || config.gtt_size == 0) {
        return lull_error_new(
            LULL_ERR_INVALID, "virtual GPU with %llu bytes of VRAM and %llu of GTT is too small",
            (unsigned long long)config.vram_size, (unsigned long long)config.gtt_size);
    }
    struct lull_gpu *g = NULL;
    struct lull_error *err = lull_gpu_new(&config, &g);
    if (err != NULL) {
        return lull_error_in(err, "virtual GPU");
    }
    const struct lull_vda_gpu gpu = {
        .ops = &lull_gpu_model_ops,
        .chip = chip,
        .gpu = g,
        .phys = lull_gpu_phys(g),
        .memfd = lull_gpu_memfd(g),
        .se = chip->se,
        .sa_per_se = chip->sa_per_se,
        .wgp_per_sa = chip->wgp_per_sa,
    };
    return lull_vda_new(o, gpu, ret);
}

struct lull_gpu *lull_vdrm_gpu(struct lull_kernel *k)
{
    return lull_vda(lull_vd_of(k))->gpu.gpu;
}
