// SPDX-License-Identifier: MIT
/** @file
 * Where LDS instructions go: shared by those who do it and those who tell.
 */
#ifndef LULL_MODEL_AMD_DS_H
#define LULL_MODEL_AMD_DS_H

#include "model/amd/mem/mem.h"

enum { LULL_DS_STRIDE64 = 64, LULL_DS_M0_BASE = 0xffff };

/** The two offsets of a two-address form, in bytes. */
static inline void lull_ds_two_offsets(const struct lull_rdna_insn *in,
                                       const struct lull_mem_op *op, uint64_t ret[2])
{
    const unsigned unit =
        op->bytes * ((op->flags & LULL_MEM_F_STRIDE64) != 0 ? LULL_DS_STRIDE64 : 1u);
    ret[0] = (uint64_t)in->offset0 * unit;
    ret[1] = (uint64_t)in->offset1 * unit;
}

/** Addresses of addtid forms are made, not read. */
static inline const uint32_t *lull_ds_addresses(const struct lull_wave *w,
                                                const struct lull_rdna_insn *in, bool addtid,
                                                uint32_t made[LULL_LANES])
{
    if (!addtid) {
        return lull_vgprs_exist(w, in->vaddr, 1) ? lull_vgpr(w, in->vaddr - LULL_RDNA_VGPR0) : NULL;
    }
    for (uint32_t l = 0; l < LULL_LANES; l++) {
        made[l] = (w->sgpr[LULL_RDNA_M0] & LULL_DS_M0_BASE) + 4 * l;
    }
    return made;
}

/** Where the lanes of @p mask go; @p align: down to 8 bytes. */
static inline void lull_ds_places(const uint32_t *va, uint64_t mask, uint64_t offset, bool align,
                                  struct lull_places *p)
{
    p->mask = mask;
    memset(p->valid, UINT8_MAX, sizeof(p->valid));
    memset(p->space, LULL_SPACE_LDS, sizeof(p->space));
    for (uint64_t m = mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        p->address[l] = (uint32_t)(va[l] + offset) & (align ? ~UINT64_C(7) : UINT64_MAX);
    }
}

#endif
