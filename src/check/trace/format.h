// SPDX-License-Identifier: MIT
/** @file
 * Numbers of docs/formats/run-trace.md.
 */
#ifndef LULL_CHECK_TRACE_FORMAT_H
#define LULL_CHECK_TRACE_FORMAT_H

#define LULL_TRACE_MAGIC "lulltrc1"

enum lull_trace_kind {
    LULL_TRACE_OBJECT = 1,
    LULL_TRACE_CODE = 2,
    LULL_TRACE_STORE = 3,
    LULL_TRACE_STEP = 4,
    LULL_TRACE_END = 5,
    LULL_TRACE_ARCH = 6,
};

enum lull_trace_flag {
    LULL_TRACE_LOCAL = 1,
    LULL_TRACE_ATOMIC = 2,
    LULL_TRACE_DESCRIBED = 4,
    LULL_TRACE_PRIVATE = 8,
    LULL_TRACE_WRITES = 16, ///< Of a step's memory: it stores.
    LULL_TRACE_ACTIVE = 32, ///< Of a step: the lane is on.
    LULL_TRACE_BRANCH = 64, ///< Of a step: control may go elsewhere.
};

enum {
    LULL_TRACE_MAX_REGS = 64,  ///< Read, or written, by one step.
    LULL_TRACE_MAX_BYTES = 64, ///< Of one lane's store.
    LULL_TRACE_MAX_LANES = 64,
    LULL_TRACE_MAX_TEXT = 4096, ///< Of a name.
};

#endif
