// SPDX-License-Identifier: MIT
/** @file
 * A PAL pipeline, of one compute shader or of shaders that draw: an ELF object for amdpal, its
 * metadata, its memory image.
 *
 * Such objects are what LLVM makes for amdgcn-amd-amdpal and what `lull link` makes of several: not
 * linked in ELF's sense, with relocations that only who knows addresses can resolve. Metadata of
 * version 2 (numbers of registers) and 3 (fields) are read. Source: LLVM AMDGPUUsage, "Code Object
 * Metadata" of amdpal; PAL inc/core/palPipelineAbi.h.
 */
#ifndef LULL_IMAGE_PAL_H
#define LULL_IMAGE_PAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "image/image.h"
#include "image/pal_graphics.h"

enum { LULL_PAL_USER_SGPRS = 16 /**< Of a compute shader. */ };

struct lull_pal_compute {
    uint64_t entry;               ///< Image offset of the first instruction.
    uint32_t rsrc1, rsrc2, rsrc3; ///< COMPUTE_PGM_RSRC*, without scratch and LDS.
    bool wave32;
    uint32_t scratch_bytes, lds_bytes; ///< Of a lane; of a workgroup.
    uint32_t block[3];                 ///< Work-items of a workgroup; 0: the metadata do not say.
    unsigned nuser_data;
    uint32_t
        user_data[LULL_PAL_USER_SGPRS]; ///< What each user SGPR is given: data/reg/userdata.reg.
    uint32_t spill_threshold; ///< First dword of the root table that is read from the spill table.
    uint32_t user_data_limit; ///< Dwords of the root table that are used.
};

struct lull_pal;

/** Is this an ELF file for amdpal? */
bool lull_pal_is(const void *bytes, size_t size);

/**
 * Read an object. Copies what it keeps.
 *
 * @return LULL_ERR_BAD_DATA; LULL_ERR_UNSUPPORTED for another GPU than gfx1100, or shaders that it
 * does not have; LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_pal_parse(const void *bytes, size_t size,
                                  struct lull_pal **ret) LULL_MUST_USE;
void lull_pal_free(struct lull_pal *p);

/** NULL for a pipeline that draws. */
const struct lull_pal_compute *lull_pal_compute(const struct lull_pal *p);
/** NULL for a pipeline that computes. */
const struct lull_pal_graphics *lull_pal_graphics(const struct lull_pal *p);

/** Bytes to allocate for the sections that are loaded. */
uint64_t lull_pal_size(const struct lull_pal *p);

/**
 * Copy the sections, zeros elsewhere, and apply the relocations for load address @p va, a multiple
 * of 256. @p dst: lull_pal_size() bytes.
 *
 * @return LULL_ERR_BAD_DATA naming section and relocation: outside of its section, a type that
 *         loaders do not know, or a symbol that is not defined (the object was never linked).
 */
struct lull_error *lull_pal_load(const struct lull_pal *p, uint64_t va, uint8_t *dst) LULL_MUST_USE;

/**
 * Symbols and lines of a compute pipeline, for lull_image_symbol_at(), lull_image_line_at() and the
 * like; offsets are those of lull_pal_load(). It has one kernel, @p name, which is the whole code;
 * lull_image_load() is not for it.
 */
struct lull_error *lull_pal_image(const struct lull_pal *p, const char *name,
                                  struct lull_image **ret) LULL_MUST_USE;

#endif
