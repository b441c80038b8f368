// SPDX-License-Identifier: MIT
/** @file
 * `lull run PIPELINE --draw N`: what a draw is given on the command line besides what is bound.
 */
#ifndef LULL_CLI_PAL_DRAW_H
#define LULL_CLI_PAL_DRAW_H

#include "cli/opt/opt.h"
#include "cli/run/pal_target.h"

/** Zero-initialise. Texts lie in argv. */
struct lull_pal_draw_options {
    uint64_t count;     ///< Of vertices or indices; of a mesh 1; 0: it does not draw.
    uint32_t groups[3]; ///< Of a mesh; else 0.
    uint64_t instances, first_vertex, first_instance, topology;
    bool adjacency;
    struct lull_pal_targets to;
    const char *indices, *vertices[LULL_PAL_VERTEX_BUFFERS];
    unsigned nvertices;
    uint32_t strides[LULL_PAL_VERTEX_BUFFERS]; ///< Bytes; 0: no buffer.
    unsigned index_bytes;                      ///< 0: not indexed.
};

/** What is given to a draw, and what it becomes. */
struct lull_pal_draw_parts {
    const struct lull_vk_args *args;
    const struct lull_pal_bound *bound;
    struct lull_pal_drawing *drawing;
    struct lull_amd_draw *draw;
};

/** Rows for struct lull_pal_draw_options; those of its targets are lull_pal_target_opts. */
extern const struct lull_opt lull_pal_draw_opts[];

/** Resources of their own: "indices", "vertices0" and so on, and those of the targets. */
struct lull_error *lull_pal_draw_resources(struct lull_pal_draw_options *d,
                                           struct lull_vk_args *args) LULL_MUST_USE;

/** All of the draw but the pipeline's part. */
struct lull_error *lull_pal_draw_make(struct lull_pal_draw_options *d,
                                      struct lull_amd_device *device,
                                      const struct lull_pal_draw_parts *p) LULL_MUST_USE;

/** When the pipeline's registers are in @p draw, too: put together what both say. */
struct lull_error *lull_pal_draw_finish(const struct lull_pal_draw_options *d,
                                        struct lull_amd_draw *draw) LULL_MUST_USE;

#endif
