// SPDX-License-Identifier: MIT
/** @file
 * Shared by pal.c and pal_tables.c.
 */
#ifndef LULL_TARGET_AMD_PAL_PRIV_H
#define LULL_TARGET_AMD_PAL_PRIV_H

#include "target/amd/pal.h"

/** Where things lie in the buffer of tables, in bytes. */
struct lull_pal_map {
    uint64_t spill, groups, internal;
    uint64_t table; ///< The first; each begins at a multiple of LULL_PAL_TABLE_ALIGN.
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

#endif
