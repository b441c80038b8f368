// SPDX-License-Identifier: MIT
/** @file
 * What virtual drivers tell of instructions that were looked for in the past of a dispatch: the
 * file lull_time of debugfs, which no real kernel has.
 */
#ifndef LULL_DRM_CORE_TIME_ABI_H
#define LULL_DRM_CORE_TIME_ABI_H

#include <stdint.h>

/** Bits of struct lull_time_record.hits; of range n: LULL_HIT_RANGE << n. */
enum { LULL_HIT_WAVE = 1, LULL_HIT_CODE = 2, LULL_HIT_RANGE = 4 };

/** Record n, from 0, of the last that was looked for stands at byte LULL_TIME_TRACE_AT + n *
 * sizeof(struct lull_time_record); those that are not kept give no bytes. */
struct lull_time_record {
    uint64_t time, pc, exec; ///< In front of it.
    uint64_t lanes;          ///< That touched a range.
    uint64_t executed;       ///< By its wave before.
    /** place: of the wave, as the driver counts them; index: of the wave in its workgroup. */
    uint32_t place, hits, workgroup[3], index;
};

#define LULL_TIME_TRACE_AT (UINT64_C(1) << 40)

#endif
