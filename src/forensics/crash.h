// SPDX-License-Identifier: MIT
/** @file
 * What a crash dump of an Adreno GPU (devcoredump of the msm driver) says, in words.
 *
 * The text is that of Mesa's crashdec without colour. Source: shared facts on freedreno, sections 6
 * to 8.
 */
#ifndef LULL_FORENSICS_CRASH_H
#define LULL_FORENSICS_CRASH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "file/stream.h"

struct lull_crash_options {
    bool summary;         ///< Registers of command streams only at draws.
    bool all_registers;   ///< At draws all that were ever written.
    bool verbose;         ///< All data, the whole ring.
    uint64_t most_memory; ///< Bytes of memory to hold; 0: 1 GiB.
};

/**
 * Decode all of @p s. Text goes to @p out, what is wrong with command streams to @p log.
 *
 * @return LULL_ERR_BAD_DATA: the dump is damaged, with the first line that is; the rest was
 * decoded.
 */
struct lull_error *lull_crash_decode(struct lull_stream *s, const struct lull_crash_options *o,
                                     FILE *out, FILE *log) LULL_MUST_USE;

#endif
