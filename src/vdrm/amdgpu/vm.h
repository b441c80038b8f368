// SPDX-License-Identifier: MIT
/** @file
 * Address spaces: what is mapped where, and who has which VMID.
 */
#ifndef LULL_VDRM_AMDGPU_VM_H
#define LULL_VDRM_AMDGPU_VM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/tree.h"
#include "uapi/amdgpu.h"
#include "vdrm/core/bo.h"
#include "vdrm/core/fence.h"

struct lull_vda;
struct lull_vda_pt;

struct lull_vda_map {
    struct lull_tree_node at;    ///< In lull_vda_vm.maps, by start.
    struct lull_tree_node dirty; ///< In lull_vda_vm.dirty, by start, until written.
    struct lull_list link;       ///< In lull_vda_bo.maps; later in lull_vda_vm.gone.
    struct lull_vda_vm *vm;
    uint64_t start, last;  ///< Page numbers in 48-bit addresses.
    uint64_t offset;       ///< Into bo, in bytes.
    uint32_t flags;        ///< AMDGPU_VM_PAGE_*.
    bool written;          ///< In the page tables.
    struct lull_vd_bo *bo; ///< NULL: PRT. Borrowed while mapped, for the handle goes last; once
                           ///< gone a reference: its memory stays until then.
};

struct lull_vda_vm {
    struct lull_vda_pt *root;
    struct lull_tree maps, dirty; ///< Of struct lull_vda_map; disjoint. Those not yet written.
    struct lull_list gone; ///< Mappings that are gone, but still in the page tables until the
                           ///< address space is idle.
    uint32_t vmid;         ///< 0: none now.
    bool reserved;
    unsigned running; ///< Jobs on rings.
    struct drm_amdgpu_info_gpuvm_fault fault;
    struct lull_vd_fence_set fences; ///< Of all submissions: of always-valid buffers.
};

/** Registers of all VMIDs, once. */
void lull_vda_vm_setup(struct lull_vda *d);
int lull_vda_vm_init(struct lull_vda *d, struct lull_vda_vm *vm);
/** Take @p vm down, as far as @p budget (mappings and tables) still allows. @return It is gone. */
bool lull_vda_vm_done(struct lull_vda *d, struct lull_vda_vm *vm, unsigned *budget);
/** Bring the page tables up to date, unless something must go while jobs run. @return 0, -ENOMEM or
 * -EBUSY. */
int lull_vda_vm_update(struct lull_vda *d, struct lull_vda_vm *vm);
/** Store 32 bits, as a client could. @return False: nothing is mapped there. */
bool lull_vda_vm_store(struct lull_vda *d, const struct lull_vda_vm *vm, uint64_t va,
                       uint32_t value);
/** The dword there. @return As of lull_vda_vm_store(). */
bool lull_vda_vm_load(struct lull_vda *d, const struct lull_vda_vm *vm, uint64_t va, uint32_t *ret);
/** Remove all mappings of @p bo. */
void lull_vda_vm_forget(struct lull_vda *d, struct lull_vda_vm *vm, struct lull_vd_bo *bo);
/** Give @p vm a VMID and load it. False: all are in use now. */
bool lull_vda_vm_grab(struct lull_vda *d, struct lull_vda_vm *vm);
void lull_vda_vm_release(struct lull_vda *d, struct lull_vda_vm *vm);

#endif
