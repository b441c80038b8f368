// SPDX-License-Identifier: MIT
/** @file
 * What checks must know of a kernel before it runs.
 */
#ifndef LULL_CLI_RUN_CHECK_KERNEL_H
#define LULL_CLI_RUN_CHECK_KERNEL_H

#include <stdint.h>

#include "check/objects.h"
#include "cli/opt/args.h"
#include "image/image.h"
#include "target/amd/device.h"

/** Bytes between blocks of local memory that nobody has: lull_launch.local_gap. */
enum { LULL_CHECK_LOCAL_GAP = 64 };

/** The buffers of @p device and local memory, by the names of the kernel's arguments. @p local_at:
 * as of lull_launch.local_at. Of debug information in @p image, variables in local memory. */
void lull_check_kernel(struct lull_check_objects *o, struct lull_amd_device *device,
                       const struct lull_image *image, const struct lull_kernel_info *k,
                       const struct lull_args *args, const uint32_t *local_at);

#endif
