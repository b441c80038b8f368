// SPDX-License-Identifier: MIT
/** @file
 * A GPU program: the kernels of a gfx1100 code object, its symbols, lines, and memory image.
 *
 * Reads what clang-19/lld-19 make for amdgcn-amd-amdhsa (code object v4 and v5): kernel
 * descriptors and the NT_AMDGPU_METADATA note. Source: LLVM AMDGPUUsage.
 */
#ifndef LULL_IMAGE_IMAGE_H
#define LULL_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum lull_arg_kind {
    LULL_ARG_VALUE,                ///< by_value
    LULL_ARG_GLOBAL_BUFFER,        ///< A 64-bit address.
    LULL_ARG_LOCAL,                ///< dynamic_shared_pointer: LDS offset.
    LULL_ARG_HIDDEN_BLOCK_COUNT,   ///< axis
    LULL_ARG_HIDDEN_GROUP_SIZE,    ///< axis
    LULL_ARG_HIDDEN_REMAINDER,     ///< axis
    LULL_ARG_HIDDEN_GLOBAL_OFFSET, ///< axis
    LULL_ARG_HIDDEN_GRID_DIMS,
    LULL_ARG_HIDDEN_PRINTF, ///< Address of the printf buffer's descriptor
                            ///< (docs/formats/printf-buffer.md).
    LULL_ARG_HIDDEN_OTHER,  ///< Written as 0.
};

struct lull_arg {
    const char *name;      ///< May be "".
    const char *type_name; ///< May be "".
    enum lull_arg_kind kind;
    uint32_t offset, size; ///< Bytes in the kernarg segment.
    uint8_t axis;          ///< 0 x, 1 y, 2 z, for the HIDDEN kinds with one.
    bool is_const;
};

struct lull_kernel_info {
    const char *name;
    uint64_t entry;               ///< Image offset of the first instruction.
    uint64_t descriptor;          ///< Image offset of the 64-byte kernel descriptor.
    uint32_t rsrc1, rsrc2, rsrc3; ///< COMPUTE_PGM_RSRC* from the descriptor.
    uint16_t properties; ///< kernel_code_properties: which user SGPRs, wave32, dynamic stack.
    uint16_t kernarg_preload;
    uint32_t lds_bytes, scratch_bytes, kernarg_bytes;
    bool wave32;
    uint32_t nsgprs, nvgprs; ///< From metadata; 0 if it does not say.
    uint32_t reqd_block[3];  ///< 0: any.
    uint32_t max_items;      ///< Work-items of a workgroup that it was compiled for; 0: any.
    size_t nargs;
    const struct lull_arg *args;
};

struct lull_symbol {
    const char *name;
    uint64_t offset, size; ///< Image bytes.
    bool is_code;
};

struct lull_image;

/**
 * Read a code object (ET_DYN, EM_AMDGPU). Copies what it keeps.
 *
 * @return LULL_ERR_BAD_DATA, LULL_ERR_UNSUPPORTED (another GPU, unlinked object),
 * LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_image_parse(const void *bytes, size_t size,
                                    struct lull_image **ret) LULL_MUST_USE;
/**
 * Symbols and lines of a PAL pipeline, whose code lull_pal_load() places first. It has no kernels
 * and is not loaded as an image.
 *
 * @return LULL_ERR_BAD_DATA, LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_image_of_pal(const void *bytes, size_t size,
                                     struct lull_image **ret) LULL_MUST_USE;
void lull_image_free(struct lull_image *im);

size_t lull_image_nkernels(const struct lull_image *im);
const struct lull_kernel_info *lull_image_kernel(const struct lull_image *im, size_t i);
/** By name, or NULL. */
const struct lull_kernel_info *lull_image_find_kernel(const struct lull_image *im,
                                                      const char *name);

/** All symbols, by rising offset. */
size_t lull_image_nsymbols(const struct lull_image *im);
const struct lull_symbol *lull_image_symbol(const struct lull_image *im, size_t i);
/** The symbol that holds @p offset (the nearest code symbol at or below it), or NULL. */
const struct lull_symbol *lull_image_symbol_at(const struct lull_image *im, uint64_t offset);

/** The file that it was read from; borrowed. */
const void *lull_image_bytes(const struct lull_image *im, size_t *ret_size);

/** Bytes to allocate for the loaded image. */
uint64_t lull_image_size(const struct lull_image *im);
/** Segments copied, zeros elsewhere, relocations applied for load address @p va. @p dst:
 * lull_image_size() bytes. */
struct lull_error *lull_image_load(const struct lull_image *im, uint64_t va,
                                   void *dst) LULL_MUST_USE;

/** First and one-past-last image offset of executable code. */
void lull_image_code_range(const struct lull_image *im, uint64_t *ret_start, uint64_t *ret_end);

struct lull_line {
    uint64_t offset;  ///< Image bytes.
    const char *file; ///< Path as the compiler wrote it.
    uint32_t line, column;
    bool is_stmt;
};

/** Line of code at @p offset; false if there is no line table or no row. */
bool lull_image_line_at(const struct lull_image *im, uint64_t offset, struct lull_line *ret);
/** Where the frame of the function from @p low to @p high - 1 is set up: its first prologue_end.
 * False: not known. */
bool lull_image_prologue_end(const struct lull_image *im, uint64_t low, uint64_t high,
                             uint64_t *ret_offset);
/** Lowest is_stmt offset of @p file (suffix match; NULL any): line @p line, or the next line with
 * code. */
bool lull_image_line_find(const struct lull_image *im, const char *file, uint32_t line,
                          uint64_t *ret_offset);
/** Code of one line without that of another between. */
struct lull_line_run {
    uint64_t offset;  ///< Its first is_stmt offset.
    uint64_t columns; ///< Bit n: column n is in it; bit 63: 63 or above.
};
/** All code of the line that lull_image_line_find() finds, by rising offset, at most @p room runs.
 * @return How many there are. */
size_t lull_image_line_runs(const struct lull_image *im, const char *file, uint32_t line,
                            struct lull_line_run *ret, size_t room);

/** Name of the processor in e_flags, "gfx1100", or NULL if the number is new. */
const char *lull_image_machine(uint32_t flags);
/** Is @p flags a processor whose code this project can run? */
bool lull_image_machine_ok(uint32_t flags);

#endif
