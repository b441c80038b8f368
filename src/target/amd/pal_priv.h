// SPDX-License-Identifier: MIT
/** @file
 * Shared by pal.c and pal_tables.c.
 */
#ifndef LULL_TARGET_AMD_PAL_PRIV_H
#define LULL_TARGET_AMD_PAL_PRIV_H

#include "target/amd/pal.h"

/** Where things lie in the buffer of tables, in bytes. */
struct lull_pal_map {
    uint64_t spill, groups;
    uint64_t internal; ///< The global table: 16 descriptors of the driver's own.
    uint64_t vertices; ///< The vertex buffers' descriptors.
    uint64_t table;    ///< The first; each begins at a multiple of LULL_PAL_TABLE_ALIGN.
    uint64_t size;
};

enum { LULL_PAL_TABLE_ALIGN = 64 };

struct lull_pal_map lull_pal_map_of(const struct lull_layout *layout);

/** Byte of the descriptor table of root node @p node, in the buffer of tables. */
uint64_t lull_pal_table_at(const struct lull_layout *layout, const struct lull_layout_node *node);

/** Write the descriptor tables and the root table; @p root has lull_layout_root_size() dwords. */
struct lull_error *lull_pal_tables(const struct lull_pal_launch *launch,
                                   const struct lull_pal_placed *placed,
                                   uint32_t *root) LULL_MUST_USE;

/** User SGPRs that are to be filled. */
struct lull_pal_user {
    const struct lull_pal_launch *launch;
    const struct lull_pal_placed *placed;
    const struct lull_pal_drawing *drawing; ///< NULL: of a compute shader.
    const uint32_t *root;
    uint32_t limit;      ///< The pipeline's.
    const uint32_t *map; ///< What each is given.
    unsigned n;
    uint32_t *to;
    unsigned *view_at; ///< Of a draw: struct lull_amd_draw_stage's.
};

struct lull_error *lull_pal_fill_user(const struct lull_pal_user *u) LULL_MUST_USE;

/** The dwords that the pipeline says it reads, into @p spill; poison elsewhere. */
void lull_pal_write_spill(uint32_t threshold, uint32_t limit, const uint32_t *root, uint32_t size,
                          uint32_t *spill);

#endif
