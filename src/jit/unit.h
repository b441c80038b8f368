// SPDX-License-Identifier: MIT
/** @file
 * Units: blocks of a page that jump to each other, with regions, calls of the interpreter's
 * functions, and jumps.
 */
#ifndef LULL_JIT_UNIT_H
#define LULL_JIT_UNIT_H

#include "jit/region.h"

enum { LULL_JIT_MAX_BLOCKS = 256, LULL_JIT_MAX_BLOCK = 160 };

/** Instructions one after the other. The last may be a jump. */
struct lull_jit_block {
    uint32_t at, end; ///< Dwords of the page.
    uint32_t ninsns;
    bool jumps;   ///< The last instruction does, at end - 1.
    bool again;   ///< Some jump goes back to it.
    size_t entry; ///< Offset of the code that enters here; of the block behind it.
    size_t code;
};

struct lull_jit_unit {
    unsigned n;
    unsigned ninsns, nvectors; ///< In all.
    uint32_t nvgprs;
    struct lull_jit_region *regions;   ///< Owned by whoever has it made.
    uint16_t number[LULL_CODE_DWORDS]; ///< By dword: 1 + the number of its block, or 0.
    struct lull_jit_block block[LULL_JIT_MAX_BLOCKS]; ///< Those from n on are not set.
};

/** What makes a unit. */
struct lull_jit_maker {
    struct lull_x86 *x;
    struct lull_jit_pool *pool;
    struct lull_jit_area *area;
    const struct lull_jit_target *target;
    struct lull_wave *w;
    struct lull_code_page *p;
    int mode;                    ///< Number of MODE, or -1.
    struct lull_jit_item *items; ///< Room for LULL_JIT_MAX_REGION.
    void *room;                  ///< Of lull_jit_unit_room() bytes.
};

/** Blocks that are reached from dword @p i on. */
void lull_jit_find_unit(const struct lull_jit_maker *m, unsigned i, struct lull_jit_unit *ret);
size_t lull_jit_unit_room(void);
/** Emit them. False: no room, or no memory. The regions are the caller's in any case. */
bool lull_jit_emit_unit(const struct lull_jit_maker *m, struct lull_jit_unit *unit);
void lull_jit_free_regions(struct lull_jit_region *regions);

#endif
