// SPDX-License-Identifier: MIT
/** @file
 * lull exec --records: buffers for instrumented shaders (lull ir3 instrument --into), which are in
 * each address space of the virtual Adreno, and files of what was written into them.
 */
#ifndef LULL_CLI_RUN_RECORDS_H
#define LULL_CLI_RUN_RECORDS_H

#include "base/error.h"
#include "drm/core/kernel.h"

struct lull_records;

/** A buffer for each manifest in @p dir, NAME.records. @p k is the virtual msm; nobody uses it yet.
 */
struct lull_error *lull_records_open(struct lull_kernel *k, const char *dir,
                                     struct lull_records **ret) LULL_MUST_USE;
/** Write NAME.bin for those into which something was written. */
struct lull_error *lull_records_write(const struct lull_records *r) LULL_MUST_USE;
/** After the kernel is gone. */
void lull_records_free(struct lull_records *r);

#endif
