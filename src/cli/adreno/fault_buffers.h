// SPDX-License-Identifier: MIT
/** @file
 * The buffers that captures and crash dumps name, and which is where a fault was.
 */
#ifndef LULL_CLI_ADRENO_FAULT_BUFFERS_H
#define LULL_CLI_ADRENO_FAULT_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct lull_fault_buffer {
    uint64_t address, size; ///< Bytes.
    uint64_t first, last;   ///< Of a capture: the submits that name it, from 0; else 0.
    char name[40];          ///< "": it has none.
    const char *file;       ///< Borrowed.
};

struct lull_fault_buffers {
    struct lull_fault_buffer *at;
    size_t n;
    uint64_t submits; ///< Of the capture.
};

/** Add those of an rd capture. @p file is borrowed. */
struct lull_error *lull_fault_from_rd(struct lull_fault_buffers *b, const char *file) LULL_MUST_USE;
/** Add those of a crash dump. @p file is borrowed. */
struct lull_error *lull_fault_from_devcore(struct lull_fault_buffers *b,
                                           const char *file) LULL_MUST_USE;
void lull_fault_buffers_free(struct lull_fault_buffers *b);

/** What is at an address: the newest buffer that holds it; else the nearest on each side. */
struct lull_fault_near {
    const struct lull_fault_buffer *in, *below, *above; ///< NULL: none.
};
void lull_fault_find(struct lull_fault_buffers *b, uint64_t address, struct lull_fault_near *ret);
/** One past its last byte. */
uint64_t lull_fault_end(const struct lull_fault_buffer *b);

#endif
