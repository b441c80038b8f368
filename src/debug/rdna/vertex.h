// SPDX-License-Identifier: MIT
/** @file
 * What a draw reads of its vertex buffers: elements as the shader's loads fetch them, and indices.
 *
 * The element of a vertex is what loads by the vertex's index read next to each other. Which VGPRs
 * hold the numbers of vertex and instance: RDNA3's merged stages (Mesa 22.3.6
 * radv_shader_args.c). What the buffer's user calls it (locations) only names tell.
 */
#ifndef LULL_DEBUG_RDNA_VERTEX_H
#define LULL_DEBUG_RDNA_VERTEX_H

#include "debug/rdna/descriptors.h"
#include "debug/rdna/draw.h"
#include "tex/format.h"

enum lull_vertex_rate { LULL_RATE_VERTEX, LULL_RATE_INSTANCE, LULL_RATE_OTHER };

enum { LULL_MAX_ELEMENTS = 32 };

struct lull_vertex_element {
    uint64_t base, size; ///< Of the buffer, bytes.
    uint32_t stride, offset;
    uint32_t table; ///< Where its descriptor stands among those of vertex buffers, bytes.
    uint32_t first; ///< Added to the number of vertex or instance.
    enum lull_vertex_rate rate;
    const struct lull_format_info *format; ///< Of one of `loads`; NULL: dwords.
    unsigned loads;                        ///< 1 to 4.
};

/**
 * Elements that the code behind @p b fetches, by descriptor and offset.
 *
 * @param hull The code is the hull stage's.
 * @return How many, at most LULL_MAX_ELEMENTS.
 */
unsigned lull_vertex_elements(const struct lull_bindings *b, bool hull,
                              struct lull_vertex_element ret[LULL_MAX_ELEMENTS]);
/** Bytes of an element's part of a structure. */
uint32_t lull_vertex_bytes(const struct lull_vertex_element *e);
/** "32_32_32_FLOAT", "32 x3". @p integer: dwords are no floats. */
void lull_vertex_format(const struct lull_vertex_element *e, bool integer, struct lull_str *out);
/**
 * The element of vertex or instance @p index, as a shader would have it.
 *
 * @return LULL_ERR_NOT_FOUND: it lies behind the end of the buffer, where shaders read 0.
 */
struct lull_error *lull_vertex_read(struct lull_target *t, const struct lull_vertex_element *e,
                                    uint32_t index, uint32_t ret[4]) LULL_MUST_USE;
/** Are its values integers? Of dwords it is not known: false. */
bool lull_vertex_is_integer(const struct lull_vertex_element *e);

/** Index number @p i of the draw: of its index buffer, or @p i. */
struct lull_error *lull_draw_index(struct lull_target *t, const struct lull_draw_info *draw,
                                   uint32_t i, uint32_t *ret) LULL_MUST_USE;

#endif
