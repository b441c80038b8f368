// SPDX-License-Identifier: MIT
/** @file
 * What a Vulkan program says of its dispatches (VK_LAYER_LULL_names), for --check: which orders
 * them, what they are called, what is pushed to them.
 */
#ifndef LULL_CLI_CHECK_API_H
#define LULL_CLI_CHECK_API_H

#include "base/error.h"
#include "base/str.h"
#include "check/checks.h"
#include "check/objects.h"
#include "drm/core/kernel.h"

struct lull_check_api;

/**
 * Behind the run, while the kernel is still there: findings of what @p what has (its across, lint
 * and reach; NULL: not wanted) go to @p c.
 *
 * @param dir Where the layer wrote.
 * @param adreno It is an Adreno's kernel.
 * @param ret For lull_check_api_free(); NULL if memory is short.
 */
void lull_check_api_judge(struct lull_checks *c, struct lull_kernel *k, const char *dir,
                          bool adreno, const struct lull_check_objects *what,
                          struct lull_check_api **ret);

/** `main of "blur"+0x44` of code at @p pc; nothing if it is not known. */
void lull_check_api_place(const struct lull_check_api *a, uint64_t pc, struct lull_str *to);

void lull_check_api_free(struct lull_check_api *a);

#endif
