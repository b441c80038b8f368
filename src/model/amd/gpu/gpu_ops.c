// SPDX-License-Identifier: MIT
#include "model/amd/gpu/gpu.h"

const struct lull_gpu_ops lull_gpu_model_ops = {
    .destroy = lull_gpu_free,
    .submit = lull_gpu_submit,
    .run = lull_gpu_run,
    .next_done = lull_gpu_next_done,
    .job_cycles = lull_gpu_job_cycles,
    .reset_ring = lull_gpu_reset_ring,
    .read_reg = lull_gpu_read_reg,
    .write_reg = lull_gpu_write_reg,
    .flush_tlb = lull_gpu_flush_tlb,
    .clock = lull_gpu_clock,
    .progress = lull_gpu_progress,
    .dispatching = lull_gpu_dispatching,
    .unqueue = lull_gpu_unqueue,
    .slept = lull_gpu_slept,
    .idle = lull_gpu_idle,
    .watch = lull_gpu_watch,
    .pause = lull_gpu_pause,
    .watch_pixel = lull_gpu_watch_pixel,
    .watch_drawn = lull_gpu_watch_drawn,
    .aim = lull_gpu_aim,
    .crumbs = lull_gpu_crumbs,
    .save = lull_gpu_save,
    .restore = lull_gpu_restore,
};
