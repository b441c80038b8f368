// SPDX-License-Identifier: MIT
/** @file
 * Memory for code.
 */
#ifndef LULL_JIT_MEMORY_H
#define LULL_JIT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Memory that is written through one view and executed through the other: no page is both. */
struct lull_jit_views {
    uint8_t *write;
    const uint8_t *run;
};

/** Both views of @p size bytes. False: the system refuses one; lull_jit_unmap() takes the other
 * back. */
bool lull_jit_map(struct lull_jit_views *v, size_t size);
void lull_jit_unmap(struct lull_jit_views *v, size_t size);

/**
 * What was written through one view may have been fetched through the other: between the two comes
 * a serializing instruction. Source: Intel SDM volume 3, 9.1.3 (aliases).
 */
void lull_jit_serialize(void);

#endif
