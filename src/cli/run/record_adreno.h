// SPDX-License-Identifier: MIT
/** @file
 * `record save FILE` in a dispatch on an Adreno: an rd capture with one submit, which puts its
 * state back and dispatches (docs/formats/record.md).
 */
#ifndef LULL_CLI_RUN_RECORD_ADRENO_H
#define LULL_CLI_RUN_RECORD_ADRENO_H

#include <stdbool.h>

#include "debug/session/reverse.h"
#include "drm/core/kernel.h"

/** As lull_record_program_save(), of a dispatch on the GPU behind @p k. */
struct lull_error *lull_record_adreno_save(struct lull_debug *d, struct lull_kernel *k,
                                           uint64_t seed, const uint64_t *time,
                                           const char *path) LULL_MUST_USE;

/** Of a capture: did that write it? Else @p ret_is is false. The rest is as of
 * lull_record_program_look(). */
struct lull_error *lull_record_adreno_look(const char *path, bool *ret_is, uint64_t *ret_seed,
                                           bool *ret_stood,
                                           struct lull_debug_place *ret_place) LULL_MUST_USE;

#endif
