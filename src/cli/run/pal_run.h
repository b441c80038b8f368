// SPDX-License-Identifier: MIT
/** @file
 * `lull run` of PAL pipelines, what `lull link` and `lull cc --layout` write.
 */
#ifndef LULL_CLI_PAL_RUN_H
#define LULL_CLI_PAL_RUN_H

#include <stdbool.h>

#include "cli/opt/check.h"
#include "cli/opt/opt.h"
#include "cli/opt/printf_host.h"
#include "cli/run/pal_bind.h"
#include "cli/run/pal_draw.h"
#include "cli/vulkan/vk_options.h"

/** A pipeline, and what it works on. Zero-initialise to start, but for the place of printf. */
struct lull_pal_run {
    struct lull_vk_options o;
    const char *layout_path, *device_name;
    uint32_t block[3];
    struct lull_check check;
    struct lull_engine_option engine;
    struct lull_printf_host printf;
    uint32_t printf_set, printf_binding;
    struct lull_layout layout;
    struct lull_pal *pipeline;
    uint8_t *bytes; ///< Of the pipeline's file, if it prints.
    size_t size;
    struct lull_kernel *kernel;
    struct lull_amd_device *device;
    unsigned dri;
    struct lull_pal_placed placed;
    struct lull_pal_bound bound;
    struct lull_amd_dispatch dispatch;
    struct lull_pal_draw_options draw;
    struct lull_amd_draw drawn;
};

/** Does the command line say --layout or something of a draw, or name an ELF file for amdpal? @p
 * form knows all options.
 */
bool lull_pal_cli_is(const struct lull_form *form, int argc, char **argv);

/** Rows that only pipelines have: the file and its layout; what `lull run` does besides. */
extern const struct lull_opt lull_pal_file_opts[], lull_pal_cli_opts[];
/** `lull run` of a pipeline. */
extern const struct lull_form lull_pal_form;

/** Options of the command line that belong together, when all were read. */
struct lull_error *lull_pal_run_check(struct lull_pal_run *r,
                                      const struct lull_opts *given) LULL_MUST_USE;
/** Read the files, open the device. */
struct lull_error *lull_pal_run_open(struct lull_pal_run *r) LULL_MUST_USE;
/** Place the pipeline and what it works on: dispatch or drawn is then complete. */
struct lull_error *lull_pal_run_prepare(struct lull_pal_run *r) LULL_MUST_USE;
/** Read the results, and write the files of --out. */
struct lull_error *lull_pal_run_outs(struct lull_pal_run *r) LULL_MUST_USE;
void lull_pal_run_done(struct lull_pal_run *r);

#endif
