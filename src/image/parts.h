// SPDX-License-Identifier: MIT
/** @file
 * Inside of struct lull_image, shared by the files of this folder only.
 */
#ifndef LULL_IMAGE_PARTS_H
#define LULL_IMAGE_PARTS_H

#include "base/arena.h"
#include "file/dwarf.h"
#include "file/elf.h"
#include "image/image.h"

struct lull_image {
    struct lull_arena arena;
    uint8_t *bytes; ///< Copy of the file, which elf and the names of symbols point into. Owned.
    size_t bytes_size;
    struct lull_elf elf;
    struct lull_elf_symbol *dynamic_symbols; ///< What relocations refer to. Owned.
    size_t ndynamic;
    uint64_t size; ///< Bytes of the loaded image.
    uint64_t code_start, code_end;
    size_t nkernels;
    struct lull_kernel_info *kernels; ///< In arena, as are all below.
    size_t nsymbols;
    struct lull_symbol *symbols; ///< By rising offset.
    struct lull_dwarf_lines lines;
};

/** @p count zeroed objects from the image's arena, or NULL. At least one object is allocated. */
void *lull_image_alloc(struct lull_image *im, size_t count, size_t size);

/** By rising offset, as im->symbols is to be. */
void lull_image_sort_symbols(struct lull_image *im);

/** File contents of @p size bytes at image offset @p offset; bad if they are not all in one
 * segment. */
struct lull_cur lull_image_contents(const struct lull_image *im, uint64_t offset, uint64_t size);

/** Fill im->kernels from NT_AMDGPU_METADATA; leaves it empty if there is none. */
struct lull_error *lull_image_read_metadata(struct lull_image *im) LULL_MUST_USE;

/** Complete im->kernels from the descriptors "<name>.kd"; makes them if metadata named none. */
struct lull_error *lull_image_read_descriptors(struct lull_image *im) LULL_MUST_USE;

#endif
