// SPDX-License-Identifier: MIT
/** @file
 * What went wrong with a job, in words: page fault, bad instruction, hang.
 */
#ifndef LULL_CLI_REPORT_H
#define LULL_CLI_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/str.h"
#include "image/image.h"
#include "target/amd/device.h"

struct lull_report {
    struct lull_amd_device *device;
    unsigned dri;                   ///< Of debugfs.
    const struct lull_image *image; ///< NULL: raw code, without symbols.
    const struct lull_amd_bo *code;
    bool lost; ///< The kernel has killed the job: no wave is left to look at.
    bool json;
    uint64_t timeout_ms;
    struct lull_str *out;
};

/** Report on a job that did not end well. @p ret_status: enum lull_exit. */
struct lull_error *lull_report_failure(const struct lull_report *r, int *ret_status) LULL_MUST_USE;

#endif
