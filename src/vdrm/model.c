// SPDX-License-Identifier: MIT
// The virtual driver on the model GPU.
#include "hw/chips.h"
#include "vdrm/gpu_ops.h"
#include "vdrm/vdrm_priv.h"

#define DEFAULT_VRAM (24ull << 30)
#define DEFAULT_GTT (32ull << 30)
#define GTT_BASE (1ull << 40) // bus address; beyond what a machine has as memory
#define ALIGNMENT (2ull << 20)

static void model_destroy(void *gpu)
{
    lull_gpu_free(gpu);
}

LULL_MUST_USE static struct lull_error *model_submit(void *gpu, enum lull_ring ring,
                                                     const struct lull_gpu_job *job)
{
    return lull_gpu_submit(gpu, ring, job);
}

static uint64_t model_run(void *gpu, uint64_t cycles)
{
    return lull_gpu_run(gpu, cycles);
}

static bool model_next_done(void *gpu, struct lull_gpu_done *ret)
{
    return lull_gpu_next_done(gpu, ret);
}

static uint64_t model_job_cycles(void *gpu, enum lull_ring ring)
{
    return lull_gpu_job_cycles(gpu, ring);
}

static void model_reset_ring(void *gpu, enum lull_ring ring)
{
    lull_gpu_reset_ring(gpu, ring);
}

static uint32_t model_read_reg(void *gpu, struct lull_bank bank, uint32_t byte_offset)
{
    return lull_gpu_read_reg(gpu, bank, byte_offset);
}

static void model_write_reg(void *gpu, struct lull_bank bank, uint32_t byte_offset, uint32_t value)
{
    lull_gpu_write_reg(gpu, bank, byte_offset, value);
}

static void model_flush_tlb(void *gpu, uint32_t vmid)
{
    lull_gpu_flush_tlb(gpu, vmid);
}

static uint64_t model_clock(void *gpu)
{
    return lull_gpu_clock(gpu);
}

static uint64_t model_progress(void *gpu, enum lull_ring ring)
{
    return lull_gpu_progress(gpu, ring);
}

static bool model_dispatching(void *gpu, enum lull_ring ring)
{
    return lull_gpu_dispatching(gpu, ring);
}

static unsigned model_unqueue(void *gpu, enum lull_ring ring, uint64_t cookie)
{
    return lull_gpu_unqueue(gpu, ring, cookie);
}

static uint64_t model_slept(void *gpu)
{
    return lull_gpu_slept(gpu);
}

static void model_idle(void *gpu, uint64_t ticks)
{
    lull_gpu_idle(gpu, ticks);
}

static void model_watch(void *gpu, const struct lull_gpu_watcher *watcher)
{
    lull_gpu_watch(gpu, watcher);
}

static void model_pause(void *gpu, bool on)
{
    lull_gpu_pause(gpu, on);
}

static const struct lull_vd_gpu_ops model_ops = {
    .destroy = model_destroy,
    .submit = model_submit,
    .run = model_run,
    .next_done = model_next_done,
    .job_cycles = model_job_cycles,
    .reset_ring = model_reset_ring,
    .read_reg = model_read_reg,
    .write_reg = model_write_reg,
    .flush_tlb = model_flush_tlb,
    .clock = model_clock,
    .progress = model_progress,
    .dispatching = model_dispatching,
    .unqueue = model_unqueue,
    .slept = model_slept,
    .idle = model_idle,
    .watch = model_watch,
    .pause = model_pause,
};

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
    const struct lull_vd_gpu gpu = {
        .ops = &model_ops,
        .chip = chip,
        .gpu = g,
        .phys = lull_gpu_phys(g),
        .memfd = lull_gpu_memfd(g),
        .se = chip->se,
        .sa_per_se = chip->sa_per_se,
        .wgp_per_sa = chip->wgp_per_sa,
    };
    return lull_vd_new(o, gpu, ret);
}

struct lull_gpu *lull_vdrm_gpu(struct lull_kernel *k)
{
    return lull_vd_of(k)->gpu.gpu;
}
