// SPDX-License-Identifier: MIT
/** @file
 * Page tables in VRAM, in the hardware's format.
 */
#ifndef LULL_VDRM_AMDGPU_PT_H
#define LULL_VDRM_AMDGPU_PT_H

#include <stdbool.h>
#include <stdint.h>

struct lull_vda;
struct lull_vd_bo;

/** A table of 512 entries. Level 3 is the root (PDB2), 0 the last (PTB). */
struct lull_vda_pt {
    uint64_t phys;              ///< In VRAM.
    unsigned live;              ///< Entries in use.
    struct lull_vda_pt **child; ///< 512, at levels above 0.
};

/** Pages of 4 KiB [start, last] of an address space, contiguous in memory. */
struct lull_vda_run {
    uint64_t start, last; ///< Page numbers in 48-bit addresses.
    uint64_t phys;        ///< Of the first, in bytes.
    uint64_t flags;       ///< Of the entries, in hardware's format, without FRAGMENT.
};

int lull_vda_pt_root(struct lull_vda *d, struct lull_vda_pt **ret);
/** Free all tables, as many as @p budget still allows. @return All are gone. */
bool lull_vda_pt_free(struct lull_vda *d, struct lull_vda_pt *root, unsigned *budget);
/** Write entries for pages that have none. @return 0 or -ENOMEM, and then nothing is written. */
int lull_vda_pt_map(struct lull_vda *d, struct lull_vda_pt *root, const struct lull_vda_run *run);
/** Clear what lull_vda_pt_map wrote for the same run. */
void lull_vda_pt_unmap(struct lull_vda *d, struct lull_vda_pt *root,
                       const struct lull_vda_run *run);
/** Entry flags for a mapping with AMDGPU_VM_PAGE_* @p flags of @p bo (NULL: PRT). */
uint64_t lull_vda_pte_flags(const struct lull_vd_bo *bo, uint32_t flags);
/** Value of CONTEXTn_PAGE_TABLE_BASE_ADDR for a root. */
uint64_t lull_vda_pt_base(const struct lull_vda_pt *root);

#endif
