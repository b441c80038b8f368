// SPDX-License-Identifier: MIT
/** @file
 * What a draw of `lull run PIPELINE --draw N` draws to: up to eight colour targets of one size, and
 * a depth buffer; with samples, what they resolve to.
 */
#ifndef LULL_CLI_PAL_TARGET_H
#define LULL_CLI_PAL_TARGET_H

#include "cli/opt/opt.h"
#include "cli/run/pal_bind.h"
#include "target/amd/draw.h"

enum { LULL_PAL_TARGETS = 8 };

/** A target of the command line. Texts lie in argv; NULL: not given. */
struct lull_pal_target {
    const char *text, *clear, *blend;
    struct lull_amd_bo *samples; ///< Its texels on the device, if it has several samples.
};

/** Zero-initialise. */
struct lull_pal_targets {
    struct lull_pal_target color[LULL_PAL_TARGETS];
    uint64_t depth;         ///< 0: none; else a comparison (enum COMPARE of draw11.reg) and 1.
    uint64_t nsamples;      ///< 1, 2, 4, 8; 0: 1.
    bool alpha_to_coverage; ///< As the layout has it.
    struct lull_amd_bo *depth_image;
};

/** --target, --clear, --blend, --samples, --depth: rows for struct lull_pal_targets. */
extern const struct lull_opt lull_pal_target_opts[];

/** Was a colour target given? */
bool lull_pal_target_any(const struct lull_pal_targets *t);

/**
 * Resources of their own: "target", "target1" to "target7"; with samples also "samples",
 * "samples1" and so on, which have one picture of each sample; "depth".
 *
 * @return LULL_ERR_INVALID if there is no target, or one of another size.
 */
struct lull_error *lull_pal_target_resources(const struct lull_pal_targets *t,
                                             struct lull_vk_args *args) LULL_MUST_USE;

/** Has each target a layer for each view? */
struct lull_error *lull_pal_target_check_views(const struct lull_pal_targets *t,
                                               const struct lull_vk_args *args,
                                               uint32_t views) LULL_MUST_USE;

/** Registers of targets, depth and samples, and the viewport, which is all of the targets. */
struct lull_error *lull_pal_target_make(struct lull_pal_targets *t, struct lull_amd_device *device,
                                        const struct lull_vk_args *args,
                                        const struct lull_pal_bound *bound,
                                        struct lull_amd_draw *draw) LULL_MUST_USE;

/**
 * After the run: depth and samples back into @p args. A target is the average of its samples; of
 * whole numbers, and of depth, the first sample.
 */
void lull_pal_target_back(const struct lull_pal_targets *t, const struct lull_vk_args *args);

#endif
