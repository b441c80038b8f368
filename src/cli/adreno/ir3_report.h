// SPDX-License-Identifier: MIT
/** @file
 * What went wrong while a kernel of ir3 ran, as the driver's log tells it: page faults, what the
 * GPU could not do.
 */
#ifndef LULL_CLI_IR3_REPORT_H
#define LULL_CLI_IR3_REPORT_H

#include "base/json.h"
#include "cli/adreno/ir3_place.h"
#include "cli/opt/driver_log.h"
#include "model/adreno/gpu.h"

struct lull_ir3_report {
    const struct lull_ir3_places *places;
    const uint64_t *words; ///< Of the kernel.
    size_t nwords;
    size_t before; ///< Instructions that run before the kernel's first.
    unsigned gen;
    uint64_t code;      ///< Address of the first instruction that runs.
    const char *result; ///< After lull_ir3_report(): "done", "page fault", "illegal instruction".
};

/** All that @p log has to say, in @p out: lines, or with @p j members of an array that is open. */
void lull_ir3_report(struct lull_ir3_report *r, struct lull_driver_log *log, struct lull_str *out,
                     struct lull_json *j);

/** Where the waves of the group under way are, in the same way. */
void lull_ir3_report_waves(const struct lull_ir3_report *r, const struct lull_agpu *gpu,
                           struct lull_str *out, struct lull_json *j);

#endif
