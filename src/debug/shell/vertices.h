// SPDX-License-Identifier: MIT
/** @file
 * What a draw reads of its vertex buffers, for the commands that show it.
 */
#ifndef LULL_DEBUG_SHELL_VERTICES_H
#define LULL_DEBUG_SHELL_VERTICES_H

#include "debug/rdna/vertex.h"
#include "debug/shell/shell.h"
#include "tex/dump.h"

struct lull_vertices {
    unsigned n;
    struct lull_vertex_element element[LULL_MAX_ELEMENTS];
    int location[LULL_MAX_ELEMENTS]; ///< Of the attribute; -1: not known.
    bool integer[LULL_MAX_ELEMENTS];
};

/** Elements that the first stage of draw @p i fetches; a mesh draw has none. */
struct lull_error *lull_debug_vertices(struct lull_debug *d, const struct lull_draw_info *i,
                                       const struct lull_draw_regs *r,
                                       struct lull_vertices *ret) LULL_MUST_USE;
/** Rows and members of the digest: indices, elements, textures. */
struct lull_error *lull_debug_show_vertices(struct lull_cmd *c, const struct lull_draw_info *i,
                                            const struct lull_draw_regs *r) LULL_MUST_USE;
/** The draw that is held, or was last, with its registers. */
struct lull_error *lull_debug_the_draw(struct lull_debug *d, struct lull_draw_info *ret,
                                       struct lull_draw_regs *ret_regs) LULL_MUST_USE;
/** "dump mesh": the vertices of that draw as they go in. */
struct lull_error *lull_debug_dump_mesh(struct lull_cmd *c, const char *file) LULL_MUST_USE;
/** A Wavefront OBJ under way. */
struct lull_mesh;
/** NULL: no memory. */
struct lull_mesh *lull_mesh_new(void);
void lull_mesh_free(struct lull_mesh **m);
/** A primitive with positions of its own. */
void lull_mesh_own(struct lull_mesh *m, unsigned corners, float p[][3]);
/** Write it and say so. @p head: comments and names, whole lines. */
struct lull_error *lull_mesh_write(struct lull_cmd *c, const char *file, const char *head,
                                   struct lull_mesh *m) LULL_MUST_USE;
/** "mesh after", "overdraw [frame]", "primitives [frame]": what the held draw draws, or the frame.
 * It runs to its end. */
struct lull_error *lull_debug_dump_drawn(struct lull_cmd *c, const char *what,
                                         const char *file) LULL_MUST_USE;
bool lull_debug_is_png(const char *file);
/** Pixels to a file, and a line that says so: RGBA to .png, else four dwords each. */
struct lull_error *lull_debug_write_pixels(struct lull_cmd *c, const char *file,
                                           const struct lull_pixels *p) LULL_MUST_USE;
/** The stage @p k of draw @p i as lull_debug_bindings() takes it; code_va is 0 if it is off. */
void lull_debug_stage_of(const struct lull_draw_info *i, const struct lull_draw_regs *r, unsigned k,
                         struct lull_dispatch_info *ret);

#endif
