// SPDX-License-Identifier: MIT
/** @file
 * Compressed images: nothing in the model compresses, but drivers clear images by filling their
 * metadata. Whoever comes to a block that metadata says is cleared writes the clear value there
 * and marks the block as plain: texture units, the draw's targets and SDMA, each before it reads
 * or writes. What an image shows never changes by that, so it may be done early, too.
 */
#ifndef LULL_MODEL_AMD_MEM_META_H
#define LULL_MODEL_AMD_MEM_META_H

#include "model/amd/wave/vm.h"
#include "tex/meta.h"

enum lull_meta_result {
    LULL_META_OPEN,    ///< The block is as its memory is.
    LULL_META_REFUSED, ///< The page tables refuse: vm->fault.
    LULL_META_UNKNOWN, ///< A key that the model does not know, or a depth that is not 0 or 1.
};

/** An image's level with its metadata, and what its tiles are cleared to. */
struct lull_meta_image {
    struct lull_tiling tiling;
    struct lull_meta meta;
    struct lull_depth_clear clear;
};

/** Open the tile of one element. @p i->meta.kind is not NONE. */
enum lull_meta_result lull_meta_open(struct lull_vm *vm, const struct lull_meta_image *i,
                                     const uint32_t xyz[3], uint32_t sample);

/** Open all tiles of slices @p first to @p last. Nothing to do if i->meta.kind is NONE. */
enum lull_meta_result lull_meta_open_level(struct lull_vm *vm, const struct lull_meta_image *i,
                                           uint32_t first, uint32_t last);

#endif
