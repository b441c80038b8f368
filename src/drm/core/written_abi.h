// SPDX-License-Identifier: MIT
/** @file
 * What virtual drivers tell of who wrote memory last: the file lull_written of debugfs, which no
 * real kernel has. While it is not open, or its limit is 0, nothing is noted.
 */
#ifndef LULL_DRM_CORE_WRITTEN_ABI_H
#define LULL_DRM_CORE_WRITTEN_ABI_H

#include <stdint.h>

enum {
    LULL_WRITTEN_LIMIT = 1, ///< From now on, in at most `value` bytes; 0: no more.
    /** Who wrote one of `bytes` bytes at `address` of `client` last, of writes with a number below
     * `value`: the next read says. */
    LULL_WRITTEN_ASK = 2,
    LULL_WRITTEN_BEFORE = 3, ///< The same, without what was written since lull_time has a mark.
};

/** Written to lull_written at offset 0. */
struct lull_written_op {
    uint32_t op, client; ///< client: the DRM file, as struct lull_dispatch_record has it.
    uint64_t address, bytes, value;
};

enum {
    LULL_WROTE_NOBODY, ///< That is remembered.
    LULL_WROTE_WAVE,   ///< An instruction of a wave of a dispatch,
    LULL_WROTE_DRAW,   ///< or of a draw.
    LULL_WROTE_COLOR,  ///< The back end of a draw: a colour target,
    LULL_WROTE_DEPTH,
    LULL_WROTE_STENCIL,
    LULL_WROTE_PACKET, ///< A packet, with a value of its own,
    LULL_WROTE_FILL,   ///< or a pattern,
    LULL_WROTE_COPY,   ///< or what stood elsewhere.
};

enum { LULL_WROTE_BLENDED = 1 << 30, LULL_WRITTEN_NVALUES = 16 };

/** Read from lull_written at offset 0. */
struct lull_written_record {
    uint32_t kind;    ///< LULL_WROTE_*.
    uint32_t lane;    ///< Of the wave.
    uint64_t number;  ///< Of the write: lower ones came before.
    uint64_t address; ///< The byte that was written last.
    uint64_t launch;  ///< Number of the dispatch or the draw; of packets: dispatches before.
    uint64_t job;     ///< Of packets: sequence number of the submission.
    uint64_t pc;      ///< Of waves: the instruction; of pixels the export, or 0. COPY: the source
                      ///< of that byte.
    uint64_t time;    ///< Of pixels and packets, as lull_time has it; of waves 0.
    uint32_t workgroup[3]; ///< Of pixels: x, y, slice.
    uint32_t index;        ///< Wave of the workgroup; of pixels: of the batch.
    uint32_t place;        ///< HW_ID1.
    uint32_t target;       ///< COLOR: number of the target; LULL_WROTE_BLENDED.
    uint32_t ring;         ///< Of packets.
    uint32_t known;        ///< Of the first 16 bytes that were asked for: bit n: values[n] is
    uint8_t values[LULL_WRITTEN_NVALUES]; ///< what their last writer wrote.
};

#endif
