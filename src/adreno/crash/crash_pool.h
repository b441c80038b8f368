// SPDX-License-Identifier: MIT
/** @file
 * CP_MEMPOOL of a crash dump: register writes on their way from the SQE to the parts of the GPU, a
 * queue for each part. Layout: docs/formats/devcore.md.
 */
#ifndef LULL_ADRENO_CRASH_CRASH_POOL_H
#define LULL_ADRENO_CRASH_CRASH_POOL_H

#include <stdbool.h>
#include <stdint.h>

struct lull_pool_write {
    uint32_t reg, value;
    uint32_t context;
    bool pipe; ///< A register of the pipe.
};

/** Going through a queue, oldest chunk first. */
struct lull_pool_place {
    const uint32_t *words; ///< Of the pool.
    uint32_t block, chunk, last_block, last_chunk;
    uint32_t n; ///< Chunks so far.
    bool bad;   ///< It leads to a block that there is not.
};

/** Are @p n dwords enough for a pool? */
bool lull_pool_fits(uint64_t n);
unsigned lull_pool_queues(unsigned gen); ///< Of a6xx and a7xx.
const char *lull_pool_name(unsigned gen, unsigned q);
/** Chunks that queue @p q should have. */
uint32_t lull_pool_length(const uint32_t *words, unsigned q);

void lull_pool_start(const uint32_t *words, unsigned q, struct lull_pool_place *ret);
/** Four dwords; NULL: that was the last. */
const uint32_t *lull_pool_next(struct lull_pool_place *p);
/** Write @p i (0, 1) of a chunk; false: there is none. */
bool lull_pool_write(const uint32_t *chunk, unsigned i, struct lull_pool_write *ret);

#endif
