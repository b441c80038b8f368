// SPDX-License-Identifier: MIT
/** @file
 * lull replay --override: a stream that a program makes in place of a captured one, as the public
 * replay has it.
 */
#ifndef LULL_CLI_REPLAY_OVERRIDE_H
#define LULL_CLI_REPLAY_OVERRIDE_H

#include "cli/replay/session.h"

/**
 * Run @p generator as `generator --vastart=N --vasize=N FILE`, with the largest hole between the
 * buffers of @p s, and put the buffers and the stream of the capture FILE that it writes into @p s
 * in place of stream @p number, if @p s has it.
 *
 * Source: shared facts on freedreno, section 14.
 */
struct lull_error *lull_replay_override(struct lull_replay *r, struct lull_rp_submit *s,
                                        uint64_t number, const char *generator) LULL_MUST_USE;

#endif
