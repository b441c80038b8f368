// SPDX-License-Identifier: MIT
/** @file
 * What an invocation's values are, line by line, while SPIR-V is interpreted: for `lull diff-run`,
 * as a run trace (docs/formats/run-trace.md) whose steps are lines.
 */
#ifndef LULL_CLI_VK_TRACE_H
#define LULL_CLI_VK_TRACE_H

#include "cli/opt/trace.h"
#include "front/eval/eval.h"
#include "front/module.h"

/** Zero-initialise. */
struct lull_vk_trace {
    struct lull_trace_wanted wanted;
    const struct lull_fr_module *m;
    const uint32_t *group; ///< The workgroup that runs; borrowed.
    uint64_t *sums;        ///< Of each id: what it had. Owned.
    struct lull_spv_line line;
    uint64_t step;
    bool began;
};

/** Does the environment ask for it? */
struct lull_error *lull_vk_trace_begin(struct lull_vk_trace *t,
                                       const struct lull_fr_module *m) LULL_MUST_USE;
/** For the host's line(). */
void lull_vk_trace_line(struct lull_vk_trace *t, struct lull_ev *ev,
                        const struct lull_ev_place *at);
/** A workgroup has ended. */
void lull_vk_trace_group(struct lull_vk_trace *t, struct lull_ev *ev);
struct lull_error *lull_vk_trace_write(struct lull_vk_trace *t) LULL_MUST_USE;
void lull_vk_trace_done(struct lull_vk_trace *t);

#endif
