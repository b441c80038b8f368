// SPDX-License-Identifier: MIT
/** @file
 * The printf buffer of a launch, and the descriptor by which kernels reach it.
 * docs/formats/printf-buffer.md.
 */
#ifndef LULL_TARGET_AMD_PRINTF_H
#define LULL_TARGET_AMD_PRINTF_H

#include "target/amd/device.h"

struct lull_amd_printf {
    struct lull_amd_bo *buffer;     ///< Header and entries, zeroed; in system memory.
    struct lull_amd_bo *descriptor; ///< Four dwords at its start: for lull_launch.printf_va.
};

/**
 * Make both; they die with the device.
 *
 * @param bytes Of the buffer with its header, 16 to 2^31 + 16.
 * @param dispatch Number that entries record if they were asked to.
 */
struct lull_error *lull_amd_printf_new(struct lull_amd_device *d, uint64_t bytes, uint32_t dispatch,
                                       struct lull_amd_printf *ret) LULL_MUST_USE;

#endif
