// SPDX-License-Identifier: MIT
/** @file
 * --stomp: garbage in registers and buffers of a virtual Adreno, where programs may count on what
 * was there before.
 */
#ifndef LULL_CLI_STOMP_H
#define LULL_CLI_STOMP_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/opt/opt.h"
#include "drm/core/kernel.h"

enum { LULL_STOMP_MOST = 2048 };

/** When registers are filled. */
enum lull_stomp_at { LULL_STOMP_CMDBUF, LULL_STOMP_PASS, LULL_STOMP_BOTH };

/** Zero-initialise. It outlives the kernel. */
struct lull_stomp {
    const char *registers; ///< As of --stomp; NULL: none.
    enum lull_stomp_at at;
    unsigned packets;    ///< In front of each submit, whatever registers are: for the clock.
    const char *buffers; ///< As of --stomp-memory; NULL: none. The log names those that are filled.
    uint32_t submit[LULL_STOMP_MOST], pass[LULL_STOMP_MOST], numbers[LULL_STOMP_MOST];
};

/** Rows of a struct lull_stomp. */
extern const struct lull_opt lull_stomp_opts[];

/** A list "0x8090,0x80a0-0x80a6", "all" or "none". */
struct lull_error *lull_stomp_in(const char *option, const char *list, uint32_t number,
                                 bool *ret) LULL_MUST_USE;

/** Do as @p s says, for the GPU @p gpu behind @p k, before it has work. @return LULL_ERR_INVALID: a
 * list is wrong, or the GPU is not an Adreno. */
struct lull_error *lull_stomp_apply(struct lull_stomp *s, const char *gpu,
                                    struct lull_kernel *k) LULL_MUST_USE;

#endif
