// SPDX-License-Identifier: MIT
/** @file
 * What the registers at a draw say, in the words of people who draw: targets, depth, viewport,
 * blending, rasterisation. The registers are data/reg/draw11.reg.
 */
#ifndef LULL_DEBUG_RDNA_DRAW_H
#define LULL_DEBUG_RDNA_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "target/target.h"
#include "tex/descriptor.h"

enum { LULL_DRAW_TARGETS = 8 };

/** A colour target that is bound. */
struct lull_draw_target {
    bool bound;
    struct lull_image_desc image; ///< Level and slices are those of the view.
    unsigned level, slice, slice_max;
    unsigned mask;    ///< Bits R G B A: what is written.
    char format[48];  ///< "8_8_8_8_UNORM".
    uint8_t order[4]; ///< Which of R G B A components X Y Z W are.
    bool blend;
};

/** Depth or stencil plane. */
struct lull_draw_plane {
    bool bound;
    struct lull_image_desc image;
    unsigned level, slice, slice_max;
    bool read_only;
};

/** "0x28000" registers by byte offset; 0 for those that are not kept. */
uint32_t lull_draw_reg(const struct lull_draw_regs *r, uint32_t offset);
/** Colour target @p n; false: nothing is bound there. */
bool lull_draw_target(const struct lull_draw_regs *r, unsigned n, struct lull_draw_target *ret);
/** The plane of depth (or @p stencil); false: none. */
bool lull_draw_plane(const struct lull_draw_regs *r, bool stencil, struct lull_draw_plane *ret);
/** Whose draw it is. Programs cannot draw rectangles: that is how RADV clears, copies, resolves. */
enum lull_draw_owner {
    LULL_DRAW_PROGRAM,
    LULL_DRAW_DRIVER,
    LULL_DRAW_EXPANDS, ///< The driver's, too: it writes what metadata says of colours, and no
                       ///< other.
};
enum lull_draw_owner lull_draw_owner(const struct lull_draw_regs *r);
/** "triangle list". */
const char *lull_draw_topology(const struct lull_draw_regs *r);
/** "SRC_ALPHA * source + ONE_MINUS_SRC_ALPHA * target", with ", alpha ..." if that is another. */
void lull_draw_show_blend(const struct lull_draw_regs *r, unsigned target, struct lull_str *out);
/** "less, writes", "off". */
void lull_draw_show_depth(const struct lull_draw_regs *r, struct lull_str *out);
/** "front: equal 1, keep keep replace; back: ..." */
void lull_draw_show_stencil(const struct lull_draw_regs *r, struct lull_str *out);
/** "0,0 500x500, depth 0 to 1, scissor 0,0 500x500" */
void lull_draw_show_viewport(const struct lull_draw_regs *r, struct lull_str *out);
/** "cull back, front is counter-clockwise, 4 samples" */
void lull_draw_show_raster(const struct lull_draw_regs *r, struct lull_str *out);
/** All registers that are not 0, a line each, with their fields. */
void lull_draw_show_state(const struct lull_draw_regs *r, struct lull_str *out);

#endif
