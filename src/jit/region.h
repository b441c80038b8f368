// SPDX-License-Identifier: MIT
/** @file
 * Regions: vector instructions and loads from LDS that are executed a strip of lanes at a time, one
 * strip through all of them before the next.
 */
#ifndef LULL_JIT_REGION_H
#define LULL_JIT_REGION_H

#include "jit/lds.h"
#include "jit/vector.h"
#include "model/amd/exec/code.h"

enum { LULL_JIT_MAX_REGION = 200 }; ///< Instructions.

/** One instruction of a region. */
struct lull_jit_item {
    const struct lull_uop *u;
    enum {
        LULL_JIT_ITEM_VECTOR,
        LULL_JIT_ITEM_LDS,
        LULL_JIT_ITEM_SCALAR, ///< Done before the strips.
        LULL_JIT_ITEM_NOTHING,
    } kind;
    unsigned nvectors;
    struct lull_jit_vector v[LULL_JIT_MAX_VECTORS];
    struct lull_jit_lds lds;
};

/** What a region is; lives as long as its code. */
struct lull_jit_region {
    struct lull_jit_region *next; ///< Of the same owner.
    struct lull_jit_area *area;   ///< Borrowed.
    const struct lull_jit_target *target;
    const struct lull_uop *first;
    uint32_t ninsns; ///< From there on.
    uint32_t ndwords;
    uint32_t nvgprs; ///< That a wave must have.
    uint32_t nmasks;
    uint16_t masks[LULL_JIT_MASKS]; ///< SGPRs that get masks.
    uint32_t nchoices;              ///< Of area->choice.
    uint32_t nshuffles;             ///< Of area->shuffled.
    uint32_t nsaves;
    struct {
        uint16_t at;   ///< Number of the scalar instruction before which a pair of SGPRs is saved,
        uint16_t pair; ///< and its number.
    } saves[LULL_JIT_SAVES];
};

/**
 * Find the region at dword @p i of @p p, in the order of execution, into @p items, which has room
 * for @p most instructions, LULL_JIT_MAX_REGION at most. @p r says the area and the target.
 *
 * @return vector instructions and loads from LDS in it; 0: there is none.
 */
unsigned lull_jit_find_region(struct lull_wave *w, struct lull_code_page *p, unsigned i, int mode,
                              unsigned most, struct lull_jit_item *items,
                              struct lull_jit_region *r);

/** Whether @p u is a scalar instruction that does what its row says with registers and SCC, and no
 * more. */
bool lull_jit_is_scalar(const struct lull_uop *u);

/** The instruction at dword @p i, predecoded; NULL: it goes over the end of the page, or is none.
 */
const struct lull_uop *lull_jit_uop_at(struct lull_wave *w, struct lull_code_page *p, unsigned i);

/** Code that copies the VGPR at eax to that at edx, in bytes from VGPR 0, where they are two. It
 * stands once: copies of registers are many, and so are the places that they come from. */
void lull_jit_emit_copy(struct lull_x86 *x, unsigned lanes, const struct lull_jit_target *t);

/**
 * Emit the strips of a region, inside of code that lull_jit_enter() begins.
 *
 * @return instructions for which there was room and were enough registers; all, or the code is of
 * no use.
 */
uint32_t lull_jit_emit_region(struct lull_x86 *x, struct lull_jit_pool *pool,
                              const struct lull_jit_item *items, const struct lull_jit_region *r,
                              unsigned lanes);

#endif
