// SPDX-License-Identifier: MIT
/** @file
 * From a kernel of an image and its arguments to a dispatch: code in a buffer, kernarg segment,
 * user SGPRs in the order of the amdhsa ABI, scratch.
 *
 * Source: LLVM AMDGPUUsage, "Initial Kernel Execution State", "Kernarg Segment".
 */
#ifndef LULL_TARGET_AMD_LAUNCH_H
#define LULL_TARGET_AMD_LAUNCH_H

#include "image/image.h"
#include "target/amd/device.h"

/** One explicit kernel argument, in the order of the kernel's parameters. */
struct lull_launch_arg {
    const struct lull_amd_bo *bo; ///< A buffer's address, or NULL: the bytes below.
    uint8_t bytes[64];
    uint32_t size; ///< Bytes given.
    bool local;    ///< Local memory: bytes[0..3] are the LDS bytes wanted.
};

struct lull_launch {
    const struct lull_image *image; ///< NULL: raw code, dispatch filled in by the caller.
    const struct lull_kernel_info *kernel;
    const struct lull_launch_arg *args;
    size_t nargs;
    uint32_t grid[3];   ///< Work-items.
    uint32_t block[3];  ///< Work-items in a workgroup, at most 1024 in all.
    uint32_t local_gap; ///< Bytes that nobody has in front of each argument of local memory.
    uint32_t *local_at; ///< Where the local memory of each argument goes; NULL: not asked for.
    uint64_t printf_va; ///< Of the printf buffer's descriptor; 0: none, and nothing is printed.
};

/** Where the image went, for symbols. */
struct lull_launched {
    struct lull_amd_bo *code, *kernarg; ///< Owned by the device.
    struct lull_amd_dispatch dispatch;
};

/**
 * Load the image into a new executable buffer of @p d and fill @p ret->dispatch; nothing is
 * submitted.
 *
 * @return LULL_ERR_INVALID naming the argument that does not fit the kernel's parameter.
 */
struct lull_error *lull_launch_prepare(struct lull_amd_device *d, const struct lull_launch *launch,
                                       struct lull_launched *ret) LULL_MUST_USE;

/**
 * Make code, its variables and the kernarg segment again as lull_launch_prepare() made them, for
 * another submission of @p at->dispatch. @p launch is the same.
 */
struct lull_error *lull_launch_again(const struct lull_launch *launch,
                                     const struct lull_launched *at) LULL_MUST_USE;

#endif
