// SPDX-License-Identifier: MIT
/** @file
 * A kernel or bare code about to run, for `lull run` and `lull explore`.
 */
#ifndef LULL_CLI_RUN_KERNEL_H
#define LULL_CLI_RUN_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cli/opt/check.h"
#include "cli/opt/options.h"
#include "target/amd/device.h"
#include "target/amd/launch.h"

/** Zero-initialise; lull_kernel_run_done() at the end. */
struct lull_kernel_run {
    struct lull_options o;
    bool raw;
    uint64_t rsrc1, rsrc2, lds, scratch;
    struct lull_program program; ///< Without an image: not loaded yet.
    struct lull_kernel *kernel;
    struct lull_amd_device *device;
    unsigned dri;
    struct lull_launched launched;
    struct lull_check check;
};

/** Load the kernel if it is not yet; open a GPU, put all into its memory. */
struct lull_error *lull_kernel_run_prepare(struct lull_kernel_run *r) LULL_MUST_USE;

/** The GPU goes; program and options stay, and it can be prepared again. */
void lull_kernel_run_close(struct lull_kernel_run *r);

void lull_kernel_run_done(struct lull_kernel_run *r);

#endif
