// SPDX-License-Identifier: MIT
/** @file
 * A GPU that a capture is replayed on, and what came of each submit.
 */
#ifndef LULL_CLI_REPLAY_SESSION_H
#define LULL_CLI_REPLAY_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "adreno/crumbs/add.h"
#include "adreno/replay/device.h"
#include "adreno/replay/submit.h"
#include "adreno/replay/walk.h"
#include "base/error.h"
#include "base/str.h"
#include "cli/opt/check.h"
#include "cli/opt/driver_log.h"
#include "cli/opt/stomp.h"
#include "cli/replay/until.h"
#include "hw/achips.h"

/** What to replay on. */
struct lull_replay_how {
    const char *gpu;    ///< Name of a model; NULL: by the capture's chip id.
    const char *device; ///< Of the machine's kernel; NULL: the model.
    uint64_t seed, timeout_ms;
    struct lull_stomp *stomp; ///< Garbage in registers of the model; NULL: none. Borrowed.
    uint32_t poll_cycles;     ///< Of the model, as of struct lull_vdm_options.
};

/** Zero-initialise; lull_replay_close() at the end. */
struct lull_replay {
    struct lull_replay_how how;
    const struct lull_achip *chip; ///< NULL on a real device.
    struct lull_kernel *k;
    struct lull_rp_device *device;
    struct lull_rp_walk *walk;
    struct lull_check check; ///< Set `wanted` before the first submit.
    struct lull_driver_log log;
    bool log_open;
    unsigned dumps;                  ///< Number of the last devcoredump that was read.
    struct lull_replay_until *until; ///< Where it is to stop; NULL: nowhere. Borrowed.
};

enum lull_replay_result {
    LULL_REPLAY_DONE,
    LULL_REPLAY_FAULT,
    LULL_REPLAY_HANG,
    LULL_REPLAY_STOPPED, ///< In front of the packet of --until: it did not end.
    LULL_REPLAY_RESULTS
};
extern const char *const lull_replay_results[]; ///< "done", "fault", "hang", "stopped"

/** What came of a submit. Zero-initialise; lull_replay_outcome_done(). */
struct lull_replay_outcome {
    enum lull_replay_result result; ///< A hang with a fault is a hang.
    bool over;                      ///< The time was over, and the kernel knew of no hang.
    unsigned faults;                ///< Pages that were not there, as the log has them.
    struct lull_str log;            ///< Errors of the kernel's log, a line each.
    char *place, *waits, *faulted;  ///< Of the crash dump; NULL: not known.
    bool has_crumbs;                ///< `lull crumbs add` has put some in.
    struct lull_crumb_left crumb;   ///< The last one.
};

void lull_replay_outcome_done(struct lull_replay_outcome *o);

/** The generation of the GPU that @p first would be replayed on. */
struct lull_error *lull_replay_gen(const struct lull_replay_how *how,
                                   const struct lull_rp_submit *first, unsigned *ret) LULL_MUST_USE;

/** Open the GPU for @p first, the first submit of a capture. LULL_ERR_UNSUPPORTED: no model is this
 * chip, with the names of those that there are. */
struct lull_error *lull_replay_open(struct lull_replay *r,
                                    const struct lull_rp_submit *first) LULL_MUST_USE;
/** Put @p s there and run it. LULL_ERR_BAD_DATA: what it needs is not in the capture. */
struct lull_error *lull_replay_submit(struct lull_replay *r, const struct lull_rp_submit *s,
                                      struct lull_replay_outcome *ret) LULL_MUST_USE;
void lull_replay_close(struct lull_replay *r);

/** A folder of its own for a capture, and the capture's name in it. */
struct lull_replay_temp {
    char dir[4096], file[4200];
};
struct lull_error *lull_replay_temp_new(struct lull_replay_temp *t) LULL_MUST_USE;
void lull_replay_temp_done(struct lull_replay_temp *t);

#endif
