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
struct lull_names;
struct lull_names_dispatch;

/**
 * The dispatches that have started, and what the layer says of them, while the kernel is there.
 *
 * @param dir Where the layer wrote.
 * @param adreno It is an Adreno's kernel.
 * @param ret For lull_check_api_free(), also with an error, where it is what could be read.
 */
struct lull_error *lull_check_api_read(struct lull_kernel *k, const char *dir, bool adreno,
                                       struct lull_check_api **ret) LULL_MUST_USE;

/** Behind the run: findings of what @p what has (its across, lint and reach; NULL: not wanted) go
 * to
 * @p c. */
void lull_check_api_judge(struct lull_checks *c, const struct lull_check_api *a,
                          const struct lull_check_objects *what);

/** What the program calls launch @p launch. *ret_names NULL: its process has none; *ret NULL: it is
 * not known which of its dispatches it is. */
void lull_check_api_dispatch(const struct lull_check_api *a, uint64_t launch,
                             struct lull_names **ret_names, const struct lull_names_dispatch **ret);

/** The same of draw @p draw. */
void lull_check_api_draw(const struct lull_check_api *a, uint64_t draw,
                         struct lull_names **ret_names, const struct lull_names_dispatch **ret);

/** `main of "blur"+0x44` of code at @p pc; nothing if it is not known. */
void lull_check_api_place(const struct lull_check_api *a, uint64_t pc, struct lull_str *to);

void lull_check_api_free(struct lull_check_api *a);

#endif
