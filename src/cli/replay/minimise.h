// SPDX-License-Identifier: MIT
/** @file
 * lull replay --minimise: a capture with fewer streams, packets, register writes and buffers, of
 * which the same holds.
 */
#ifndef LULL_CLI_REPLAY_MINIMISE_H
#define LULL_CLI_REPLAY_MINIMISE_H

#include "cli/replay/predicate.h"

struct lull_replay_minimise {
    struct lull_replay_predicate holds;
    struct lull_replay_how how;
    const char *out;
    uint64_t jobs; ///< Processes; 0: one for each processor.
    bool json;
};

/** Make @p c smaller, write it and say what is left. LULL_ERR_UNSUPPORTED: it does not hold of all
 * of it. */
struct lull_error *lull_replay_minimise(struct lull_replay_minimise *m,
                                        struct lull_rp_capture *c) LULL_MUST_USE;

#endif
