// SPDX-License-Identifier: MIT
// Page tables in VRAM, in the hardware's format, as amdgpu writes them: the largest leaf that
// address and memory allow, FRAGMENT saying how far the run goes, and in empty entries what
// amdgpu_vm_pt_clear() leaves there: EXECUTABLE in the last level, PDE_PTE above, never VALID.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hw/pte11_regs.h"
#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/pt.h"

enum {
    LEVELS = 4,
    ROOT = LEVELS - 1,
    BITS = 9,
    ENTRIES = 1 << BITS,
    // A run of 2^FRAG_MAX pages still lies in one table of its level; the field could say 31.
    FRAG_MAX = BITS * LEVELS - BITS,
};

static uint64_t *table_of(const struct lull_vda *d, const struct lull_vda_pt *pt)
{
    return (uint64_t *)(void *)(d->gpu.phys->vram + pt->phys);
}

static uint64_t empty_entry(unsigned level)
{
    return level == 0 ? LULL_PTE11_PTE__EXECUTABLE_MASK : LULL_PTE11_PTE__PDE_PTE_MASK;
}

static struct lull_vda_pt *table_new(struct lull_vda *d, unsigned level)
{
    struct lull_vda_pt *pt = calloc(1, sizeof *pt);
    if (pt == NULL) {
        return NULL;
    }
    pt->child = level > 0 ? calloc(ENTRIES, sizeof(struct lull_vda_pt *)) : NULL;
    if ((level > 0 && pt->child == NULL) ||
        !lull_vd_heap_take(&d->vd.regions[LULL_VDA_VRAM].heap, LULL_VD_PAGE, LULL_VD_PAGE, true,
                           &pt->phys)) {
        free(pt->child);
        free(pt);
        return NULL;
    }
    uint64_t *entries = table_of(d, pt);
    for (unsigned i = 0; i < ENTRIES; i++) {
        entries[i] = empty_entry(level);
    }
    return pt;
}

static void table_free(struct lull_vda *d, struct lull_vda_pt *pt)
{
    memset(table_of(d, pt), 0, LULL_VD_PAGE);
    lull_vd_heap_give(&d->vd.regions[LULL_VDA_VRAM].heap, pt->phys, LULL_VD_PAGE);
    free(pt->child);
    free(pt);
}

int lull_vda_pt_root(struct lull_vda *d, struct lull_vda_pt **ret)
{
    *ret = table_new(d, ROOT);
    return *ret != NULL ? 0 : -ENOMEM;
}

static bool free_below(struct lull_vda *d, struct lull_vda_pt *pt, unsigned level, unsigned *budget)
{
    for (unsigned i = 0; level > 0 && i < ENTRIES; i++) {
        if (pt->child[i] != NULL && !free_below(d, pt->child[i], level - 1, budget)) {
            return false;
        }
        pt->child[i] = NULL;
    }
    if (*budget == 0) {
        return false;
    }
    --*budget;
    table_free(d, pt);
    return true;
}

bool lull_vda_pt_free(struct lull_vda *d, struct lull_vda_pt *root, unsigned *budget)
{
    return root == NULL || free_below(d, root, ROOT, budget);
}

// Tables from the root down to where a page's entry stands.
struct path {
    struct lull_vda_pt *pt[LEVELS];
    unsigned level; // Of the entry.
};

static unsigned index_at(uint64_t page, unsigned level)
{
    return page >> (BITS * level) & (ENTRIES - 1);
}

// Free tables that became empty, from the bottom of @p path up.
static void prune(struct lull_vda *d, const struct path *path, uint64_t page)
{
    for (unsigned l = path->level; l < ROOT; l++) {
        if (path->pt[l] == NULL || path->pt[l]->live > 0) {
            return;
        }
        struct lull_vda_pt *above = path->pt[l + 1];
        const unsigned i = index_at(page, l + 1);
        above->child[i] = NULL;
        table_of(d, above)[i] = empty_entry(l + 1);
        above->live--;
        table_free(d, path->pt[l]);
    }
}

// Go down to @p level, making the tables that are missing. False: memory is short.
static bool descend(struct lull_vda *d, struct lull_vda_pt *root, uint64_t page, unsigned level,
                    struct path *path)
{
    *path = (struct path){.level = level};
    path->pt[ROOT] = root;
    for (unsigned l = ROOT; l > level; l--) {
        struct lull_vda_pt *pt = path->pt[l];
        const unsigned i = index_at(page, l);
        if (pt->child[i] == NULL) {
            struct lull_vda_pt *child = table_new(d, l - 1);
            if (child == NULL) {
                path->level = l;
                prune(d, path, page);
                return false;
            }
            pt->child[i] = child;
            pt->live++;
            table_of(d, pt)[i] = child->phys | LULL_PTE11_PTE__VALID_MASK;
        }
        path->pt[l - 1] = pt->child[i];
    }
    return true;
}

// The next part of a run: 2^frag pages, aligned to as many in both spaces.
static unsigned fragment(uint64_t page, uint64_t last, uint64_t phys)
{
    unsigned frag = 63 - (unsigned)__builtin_clzll(last - page + 1);
    if (page != 0 && (unsigned)__builtin_ctzll(page) < frag) {
        frag = (unsigned)__builtin_ctzll(page);
    }
    const uint64_t frame = phys >> LULL_VD_PAGE_SHIFT;
    if (frame != 0 && (unsigned)__builtin_ctzll(frame) < frag) {
        frag = (unsigned)__builtin_ctzll(frame);
    }
    return frag < FRAG_MAX ? frag : FRAG_MAX;
}

// Leaves stand no higher than PDB1 (1 GiB).
static unsigned leaf_level(unsigned frag)
{
    return frag / BITS < 2 ? frag / BITS : 2;
}

// Physical address at @p page of the run; PRT has none.
static uint64_t phys_at(const struct lull_vda_run *run, uint64_t page)
{
    return (run->flags & LULL_PTE11_PTE__PRT_MASK) != 0
               ? 0
               : run->phys + ((page - run->start) << LULL_VD_PAGE_SHIFT);
}

static void write_leaves(struct lull_vda *d, const struct lull_vda_run *run,
                         const struct path *path, uint64_t page, unsigned frag)
{
    const unsigned level = path->level, n = 1u << (frag - BITS * level);
    uint64_t *entry = table_of(d, path->pt[level]) + index_at(page, level);
    const uint64_t flags = run->flags | (uint64_t)frag << LULL_PTE11_PTE__FRAGMENT_SHIFT |
                           (level > 0 ? LULL_PTE11_PTE__PDE_PTE_MASK : 0);
    for (unsigned i = 0; i < n; i++) {
        entry[i] = phys_at(run, page + ((uint64_t)i << (BITS * level))) | flags;
    }
    path->pt[level]->live += n;
}

// Undo lull_vda_pt_map of the run's pages before @p end.
static void unmap_before(struct lull_vda *d, struct lull_vda_pt *root,
                         const struct lull_vda_run *run, uint64_t end)
{
    for (uint64_t page = run->start; page < end;) {
        const unsigned frag = fragment(page, run->last, phys_at(run, page));
        struct path path = {.level = leaf_level(frag)};
        path.pt[ROOT] = root;
        for (unsigned l = ROOT; l > path.level; l--) {
            path.pt[l - 1] = path.pt[l]->child[index_at(page, l)];
            assert(path.pt[l - 1] != NULL);
        }
        const unsigned n = 1u << (frag - BITS * path.level);
        uint64_t *entry = table_of(d, path.pt[path.level]) + index_at(page, path.level);
        for (unsigned i = 0; i < n; i++) {
            entry[i] = empty_entry(path.level);
        }
        path.pt[path.level]->live -= n;
        prune(d, &path, page);
        page += 1ull << frag;
    }
}

int lull_vda_pt_map(struct lull_vda *d, struct lull_vda_pt *root, const struct lull_vda_run *run)
{
    for (uint64_t page = run->start; page <= run->last;) {
        const unsigned frag = fragment(page, run->last, phys_at(run, page));
        struct path path = {0};
        if (!descend(d, root, page, leaf_level(frag), &path)) {
            unmap_before(d, root, run, page);
            return -ENOMEM;
        }
        write_leaves(d, run, &path, page, frag);
        page += 1ull << frag;
    }
    return 0;
}

void lull_vda_pt_unmap(struct lull_vda *d, struct lull_vda_pt *root, const struct lull_vda_run *run)
{
    unmap_before(d, root, run, run->last + 1);
}

// Source: gmc_v11_0_map_mtype(); encodings of MTYPE in the fact sheet's 4.1 and amdgpu_vm.h.
static uint64_t mtype_of(uint32_t flags)
{
    switch (flags & AMDGPU_VM_MTYPE_MASK) {
    case AMDGPU_VM_MTYPE_WC:
        return 1;
    case AMDGPU_VM_MTYPE_CC:
        return 2;
    case AMDGPU_VM_MTYPE_UC:
        return 3;
    default:
        return 0;
    }
}

// Source: amdgpu_ttm_tt_pte_flags(), amdgpu_vm_bo_update(), gmc_v11_0_get_vm_pte().
uint64_t lull_vda_pte_flags(const struct lull_vd_bo *bo, uint32_t flags)
{
    if (bo == NULL) {
        return LULL_PTE11_PTE__PRT_MASK | LULL_PTE11_PTE__SNOOPED_MASK | LULL_PTE11_PTE__LOG_MASK |
               LULL_PTE11_PTE__SYSTEM_MASK;
    }
    uint64_t pte = LULL_PTE11_PTE__VALID_MASK | mtype_of(flags) << LULL_PTE11_PTE__MTYPE_SHIFT;
    if (bo->region != LULL_VDA_VRAM) {
        pte |= LULL_PTE11_PTE__SYSTEM_MASK;
        pte |= (((const struct lull_vda_bo *)bo)->flags & AMDGPU_GEM_CREATE_CPU_GTT_USWC) == 0
                   ? LULL_PTE11_PTE__SNOOPED_MASK
                   : 0;
    }
    pte |= (flags & AMDGPU_VM_PAGE_READABLE) != 0 ? LULL_PTE11_PTE__READABLE_MASK : 0;
    pte |= (flags & AMDGPU_VM_PAGE_WRITEABLE) != 0 ? LULL_PTE11_PTE__WRITEABLE_MASK : 0;
    pte |= (flags & AMDGPU_VM_PAGE_EXECUTABLE) != 0 ? LULL_PTE11_PTE__EXECUTABLE_MASK : 0;
    pte |= (flags & AMDGPU_VM_PAGE_NOALLOC) != 0 ? LULL_PTE11_PTE__NOALLOC_MASK : 0;
    return pte;
}

uint64_t lull_vda_pt_base(const struct lull_vda_pt *root)
{
    return root->phys | LULL_PTE11_PTE__VALID_MASK;
}
