// SPDX-License-Identifier: MIT
/** @file
 * Pages of the GPU's memory that were read while nobody had ever written to them: the host had no
 * memory for them yet. What is not known for sure counts as written.
 */
#ifndef LULL_MODEL_FRESH_H
#define LULL_MODEL_FRESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LULL_FRESH_RECENT = 256 };

/** Zero-initialise; lull_fresh_done(). */
struct lull_fresh {
    uintptr_t *pages; ///< Open addressing; 0 is free, bit 0: it has been written since.
    size_t n, room;
    size_t unwritten;
    uintptr_t recent[LULL_FRESH_RECENT]; ///< Pages that are known to be written, by number.
};

/** The GPU is about to access @p page, the host's address of a page, through a new translation.
 * @return Is it one that nobody has written to? Only asked for of reads. */
bool lull_fresh_see(struct lull_fresh *f, const uint8_t *page, bool writes);

/** Is @p page one? */
bool lull_fresh_has(const struct lull_fresh *f, const uint8_t *page);

/** Forget all: from now on the host may have written, too. */
void lull_fresh_clear(struct lull_fresh *f);
void lull_fresh_done(struct lull_fresh *f);

#endif
