// SPDX-License-Identifier: MIT
/** @file
 * What a machine lacks for debugging its GPU.
 */
#ifndef LULL_CLI_HANG_DOCTOR_H
#define LULL_CLI_HANG_DOCTOR_H

#include <stdbool.h>

#include "base/json.h"
#include "base/str.h"

enum lull_doctor_level {
    LULL_DOCTOR_GOOD,
    LULL_DOCTOR_NOTE, ///< May be of use; nothing is missing.
    LULL_DOCTOR_MEND, ///< Needed for debugging on this machine.
};

struct lull_doctor {
    const char *root;    ///< In front of all paths; "": the machine's own.
    struct lull_json *j; ///< NULL: text.
    struct lull_str *out;
    bool amdgpu, msm; ///< There is such a GPU, with its driver.
    unsigned mend;    ///< How many there are.
};

/** One thing that was looked at. @p command: what mends it, for a shell; NULL: nothing does. */
void lull_doctor_say(struct lull_doctor *d, enum lull_doctor_level level, const char *what,
                     const char *command, const char *fmt, ...) LULL_PRINTF(5, 6);

/* doctor_kernel.c: the GPUs and what their kernel drivers allow. */
void lull_doctor_gpus(struct lull_doctor *d);
void lull_doctor_debugfs(struct lull_doctor *d);
void lull_doctor_amdgpu(struct lull_doctor *d);
void lull_doctor_msm(struct lull_doctor *d);
void lull_doctor_dumps(struct lull_doctor *d);

#endif
