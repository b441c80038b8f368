// SPDX-License-Identifier: MIT
/** @file
 * Address spaces of an Adreno: where addresses lead.
 */
#ifndef LULL_MODEL_ADRENO_SPACE_H
#define LULL_MODEL_ADRENO_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/tree.h"
#include "model/adreno/gpu.h"

/** An address space. All zero: empty. */
struct lull_agpu_space {
    struct lull_tree extents; ///< Pieces that were mapped at once, by address.
    uint64_t ttbr0;
    struct lull_agpu_space *next; ///< Of those of one GPU.
};

/** As lull_agpu_ops.map. */
bool lull_agpu_space_map(struct lull_agpu_space *s, uint64_t address, uint64_t size,
                         const struct lull_agpu_page *page);
/** As lull_agpu_ops.unmap: all that was mapped at once from @p address on. */
void lull_agpu_space_unmap(struct lull_agpu_space *s, uint64_t address);
/** The piece that @p address is in, from its beginning, @p first. @return Nothing: no memory. */
struct lull_agpu_page lull_agpu_space_piece(const struct lull_agpu_space *s, uint64_t address,
                                            uint64_t *first);
struct lull_agpu_page lull_agpu_space_look(const struct lull_agpu_space *s, uint64_t address);
void lull_agpu_space_done(struct lull_agpu_space *s);

#endif
