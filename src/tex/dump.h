// SPDX-License-Identifier: MIT
/** @file
 * A level of an image as rows of pixels, for files and pictures.
 */
#ifndef LULL_TEX_DUMP_H
#define LULL_TEX_DUMP_H

#include "base/error.h"
#include "tex/tiling.h"

/** How GPU memory is read. */
struct lull_tex_memory {
    void *ctx;
    /** @p bytes at GPU virtual address @p va into @p buf. False: not mapped. */
    bool (*read)(void *ctx, uint64_t va, void *buf, size_t bytes);
};

/** Pixels of lull_tex_read_level(). */
struct lull_pixels {
    uint32_t width, height;
    uint8_t *data; ///< Owned: lull_pixels_done(). Row after row, no padding.
};

enum lull_pixel_form {
    LULL_PIXELS_RGBA8,  ///< 4 bytes, for pictures: floats clamped to 0..1 (sRGB stays sRGB),
                        ///< integers to 0..255.
    LULL_PIXELS_RGBA32, ///< 4 dwords as a shader's load returns them, DST_SEL applied.
};

/**
 * Slice @p slice (3D: z; arrays and cubes: counted from the view's first) of level @p level
 * (counted from the view's base level), sample 0.
 * Texels that memory refuses are 0, unless all are: LULL_ERR_FAULT. What metadata says is cleared
 * is the clear value; where metadata cannot be read, what memory has.
 * Errors: LULL_ERR_UNSUPPORTED or LULL_ERR_INVALID with the reason of enum lull_tex_status.
 */
LULL_MUST_USE struct lull_error *lull_tex_read_level(const struct lull_tex_memory *m,
                                                     const struct lull_image_desc *d,
                                                     unsigned level, unsigned slice,
                                                     enum lull_pixel_form form,
                                                     struct lull_pixels *ret);
void lull_pixels_done(struct lull_pixels *p);

#endif
