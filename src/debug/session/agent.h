// SPDX-License-Identifier: MIT
/** @file
 * dprintf without stopping: the shader is patched while its dispatch is held, writes down the
 * registers that are asked for, and lines are made of that later (debug/patch).
 *
 * Only where nothing else needs waves to stop: code that stands elsewhere is met by no breakpoint.
 */
#ifndef LULL_DEBUG_SESSION_AGENT_H
#define LULL_DEBUG_SESSION_AGENT_H

#include "debug/session/dprintf.h"

struct lull_agent;

/** Before the held dispatch is let go: patch it, or stop at its dprintfs, or neither. */
struct lull_error *lull_agent_meet(struct lull_debug *d,
                                   const struct lull_dispatch_info *i) LULL_MUST_USE;
/** Draws are not patched: dprintfs in their shaders stop. */
struct lull_error *lull_agent_meet_draw(struct lull_debug *d,
                                        const struct lull_draw_info *i) LULL_MUST_USE;
/** Print what was written since the last time. */
struct lull_error *lull_agent_print(struct lull_debug *d) LULL_MUST_USE;
/** As struct lull_program_watch has it: the last chance to. */
void lull_agent_leaves(struct lull_debug *d, uint32_t pid, uint32_t client);
void lull_agent_free(struct lull_agent *a);

#endif
