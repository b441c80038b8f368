// SPDX-License-Identifier: MIT
// Address spaces: what is mapped where, when the page tables follow, and who has which VMID.
//
// As on hardware a mapping that goes stays in the page tables while jobs of its client run, and
// until it has gone nothing of the client's that was asked for later takes effect: see
// amdgpu_vm_clear_freed(), whose update waits for the client's submissions.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hw/gc11_regs.h"
#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/calls.h"
#include "vdrm/amdgpu/debugfs.h"
#include "vdrm/amdgpu/pt.h"
#include "vdrm/amdgpu/vm.h"

#define VA_RESERVED_BOTTOM (1ull << 16)
#define VA_RESERVED_TOP ((1ull << 16) + (2ull << 20) + (2ull << 20))
#define VA_HOLE_START 0x0000800000000000ull
#define VA_HOLE_END 0xffff800000000000ull
#define VA_MASK 0x0000ffffffffffffull
#define VM_SIZE ((1ull << 48) - VA_RESERVED_TOP)
#define PAGE_MASK (LULL_VD_PAGE - 1ull)

// Upper 16 bits of addresses. Source: gmc_v11_0_sw_init().
#define SHARED_BASE 0x2000u
#define PRIVATE_BASE 0x1000u
#define FB_BASE 0x8000u // in 16 MiB, as Navi 31's firmware leaves it

int lull_vda_vm_init(struct lull_vda *d, struct lull_vda_vm *vm)
{
    *vm = (struct lull_vda_vm){0};
    lull_list_init(&vm->gone);
    return lull_vda_pt_root(d, &vm->root);
}

static struct lull_vda_run run_of(const struct lull_vda_map *m)
{
    return (struct lull_vda_run){
        .start = m->start,
        .last = m->last,
        .phys = m->bo != NULL ? m->bo->phys + m->offset : 0,
        .flags = lull_vda_pte_flags(m->bo, m->flags),
    };
}

static void flush(struct lull_vda *d, const struct lull_vda_vm *vm)
{
    if (vm->vmid != 0) {
        d->gpu.ops->flush_tlb(d->gpu.gpu, vm->vmid);
    }
}

static struct lull_vda_map *map_of(struct lull_tree_node *n)
{
    return n != NULL ? lull_container(n, struct lull_vda_map, at) : NULL;
}

// A mapping that is gone.
static void gone_free(struct lull_vda *d, struct lull_vda_map *m)
{
    lull_list_remove(&m->link);
    if (m->bo != NULL) {
        lull_vd_bo_put(&d->vd, m->bo);
    }
    free(m);
}

static void clear_gone(struct lull_vda *d, struct lull_vda_vm *vm)
{
    for (struct lull_list *l = vm->gone.next; l != &vm->gone; l = l->next) {
        const struct lull_vda_run run = run_of(lull_container(l, struct lull_vda_map, link));
        lull_vda_pt_unmap(d, vm->root, &run);
    }
    flush(d, vm);
    while (!lull_list_empty(&vm->gone)) {
        gone_free(d, lull_container(vm->gone.next, struct lull_vda_map, link));
    }
}

int lull_vda_vm_update(struct lull_vda *d, struct lull_vda_vm *vm)
{
    const bool gone = !lull_list_empty(&vm->gone);
    if (gone && vm->running > 0) {
        return -EBUSY;
    }
    if (gone) {
        clear_gone(d, vm);
    }
    int r = 0;
    const bool changed = vm->dirty.root != NULL;
    while (vm->dirty.root != NULL && r == 0) {
        struct lull_vda_map *m =
            lull_container(lull_tree_ceil(&vm->dirty, 0), struct lull_vda_map, dirty);
        const struct lull_vda_run run = run_of(m);
        r = lull_vda_pt_map(d, vm->root, &run);
        if (r == 0) {
            m->written = true;
            lull_tree_remove(&vm->dirty, &m->dirty);
        }
    }
    if (changed) {
        flush(d, vm);
    }
    return r;
}

// The first mapping that ends at or behind @p page.
static struct lull_vda_map *map_find(const struct lull_vda_vm *vm, uint64_t page)
{
    struct lull_vda_map *m = map_of(lull_tree_floor(&vm->maps, page));
    return m != NULL && m->last >= page ? m : map_of(lull_tree_ceil(&vm->maps, page));
}

static bool overlaps(const struct lull_vda_vm *vm, uint64_t start, uint64_t last)
{
    const struct lull_vda_map *m = map_find(vm, start);
    return m != NULL && m->start <= last;
}

// @p m becomes the mapping that @p like describes. Nothing else may be there.
static void map_insert(struct lull_vda_vm *vm, struct lull_vda_map *m,
                       const struct lull_vda_map *like)
{
    *m = (struct lull_vda_map){.vm = vm,
                               .start = like->start,
                               .last = like->last,
                               .offset = like->offset,
                               .flags = like->flags,
                               .bo = like->bo};
    m->at.key = m->dirty.key = m->start;
    lull_tree_add(&vm->maps, &m->at);
    lull_tree_add(&vm->dirty, &m->dirty);
    if (m->bo != NULL) {
        lull_list_add(&lull_vda_bo(m->bo)->maps, &m->link);
    }
}

// Take a mapping out; what was written goes at the next update.
static void map_remove(struct lull_vda_vm *vm, struct lull_vda_map *m)
{
    lull_tree_remove(&vm->maps, &m->at);
    lull_list_remove(&m->link);
    if (!m->written) {
        lull_tree_remove(&vm->dirty, &m->dirty);
        free(m);
        return;
    }
    lull_list_add(&vm->gone, &m->link);
    if (m->bo != NULL) {
        m->bo->refs++;
    }
}

// The dword at @p va; NULL: nothing is mapped there.
static uint8_t *dword_at(struct lull_vda *d, const struct lull_vda_vm *vm, uint64_t va)
{
    const uint64_t page = (va & VA_MASK) >> LULL_VD_PAGE_SHIFT;
    const struct lull_vda_map *m = map_find(vm, page);
    if (m == NULL || m->start > page || m->bo == NULL || (va & 3) != 0) {
        return NULL;
    }
    const uint64_t at = m->offset + ((page - m->start) << LULL_VD_PAGE_SHIFT) + (va & PAGE_MASK);
    return (uint8_t *)lull_vd_bo_mem(&d->vd, m->bo) + at;
}

bool lull_vda_vm_store(struct lull_vda *d, const struct lull_vda_vm *vm, uint64_t va,
                       uint32_t value)
{
    uint8_t *at = dword_at(d, vm, va);
    if (at != NULL) {
        memcpy(at, &value, sizeof value);
    }
    return at != NULL;
}

bool lull_vda_vm_load(struct lull_vda *d, const struct lull_vda_vm *vm, uint64_t va, uint32_t *ret)
{
    const uint8_t *at = dword_at(d, vm, va);
    if (at != NULL) {
        memcpy(ret, at, sizeof *ret);
    }
    return at != NULL;
}

void lull_vda_vm_forget(struct lull_vda *d, struct lull_vda_vm *vm, struct lull_vd_bo *bo)
{
    struct lull_list *maps = &lull_vda_bo(bo)->maps;
    for (struct lull_list *l = maps->next, *next = NULL; l != maps; l = next) {
        struct lull_vda_map *m = lull_container(l, struct lull_vda_map, link);
        next = l->next;
        if (m->vm == vm) {
            map_remove(vm, m);
        }
    }
    lull_vda_vm_update(d, vm);
}

// amdgpu_vm_verify_parameters()
static int verify(const struct lull_vd_bo *bo, uint64_t va, uint64_t offset, uint64_t size)
{
    if (((va | offset | size) & PAGE_MASK) != 0 || size == 0 || va + size < va ||
        offset + size < offset) {
        return -EINVAL;
    }
    if (bo != NULL && offset + size > bo->size) {
        return -EINVAL;
    }
    return va + size - 1 > VA_MASK ? -EINVAL : 0;
}

// amdgpu_vm_bo_clear_mappings(). @p parts: room for what is left of the first and the last; NULL:
// not needed.
static void clear_with(struct lull_vda_vm *vm, uint64_t start, uint64_t last,
                       struct lull_vda_map *parts[2])
{
    struct lull_vda_map *m = map_find(vm, start);
    while (m != NULL && m->start <= last) {
        const struct lull_vda_map was = *m;
        map_remove(vm, m);
        if (was.start < start) {
            struct lull_vda_map before = was;
            before.last = start - 1;
            map_insert(vm, parts[0], &before);
            parts[0] = NULL;
        }
        if (was.last > last) {
            struct lull_vda_map after = was;
            after.start = last + 1;
            after.offset += (after.start - was.start) << LULL_VD_PAGE_SHIFT;
            map_insert(vm, parts[1], &after);
            parts[1] = NULL;
        }
        m = was.last < last ? map_find(vm, was.last + 1) : NULL;
    }
}

static int clear_range(struct lull_vda_vm *vm, uint64_t start, uint64_t last)
{
    struct lull_vda_map *parts[2] = {calloc(1, sizeof *parts[0]), calloc(1, sizeof *parts[1])};
    const bool ok = parts[0] != NULL && parts[1] != NULL;
    if (ok) {
        clear_with(vm, start, last, parts);
    }
    free(parts[0]);
    free(parts[1]);
    return ok ? 0 : -ENOMEM;
}

static int va_map(struct lull_vda_vm *vm, struct lull_vd_bo *bo,
                  const struct drm_amdgpu_gem_va *arg, bool replace)
{
    int r = verify(bo, arg->va_address, arg->offset_in_bo, arg->map_size);
    if (r != 0) {
        return r;
    }
    const struct lull_vda_map like = {
        .start = arg->va_address >> LULL_VD_PAGE_SHIFT,
        .last = (arg->va_address + arg->map_size - 1) >> LULL_VD_PAGE_SHIFT,
        .offset = arg->offset_in_bo,
        .flags = arg->flags,
        .bo = bo,
    };
    if (!replace && overlaps(vm, like.start, like.last)) {
        return -EINVAL; // amdgpu_vm_bo_map()
    }
    struct lull_vda_map *m = calloc(1, sizeof *m);
    if (m == NULL) {
        return -ENOMEM;
    }
    r = replace ? clear_range(vm, like.start, like.last) : 0;
    if (r != 0) {
        free(m);
        return r;
    }
    map_insert(vm, m, &like);
    return 0;
}

// amdgpu_vm_bo_unmap()
static int va_unmap(struct lull_vda_vm *vm, const struct lull_vd_bo *bo, uint64_t va)
{
    struct lull_vda_map *m = map_of(lull_tree_find(&vm->maps, va >> LULL_VD_PAGE_SHIFT));
    if (m == NULL || m->bo != bo) {
        return -ENOENT;
    }
    map_remove(vm, m);
    return 0;
}

// amdgpu_gem_va_ioctl(), up to where it looks for the buffer
static int va_check(const struct drm_amdgpu_gem_va *arg)
{
    const uint32_t valid = AMDGPU_VM_DELAY_UPDATE | AMDGPU_VM_PAGE_READABLE |
                           AMDGPU_VM_PAGE_WRITEABLE | AMDGPU_VM_PAGE_EXECUTABLE |
                           AMDGPU_VM_MTYPE_MASK | AMDGPU_VM_PAGE_NOALLOC;
    const uint32_t prt = AMDGPU_VM_DELAY_UPDATE | AMDGPU_VM_PAGE_PRT;
    if (arg->va_address < VA_RESERVED_BOTTOM ||
        (arg->va_address >= VA_HOLE_START && arg->va_address < VA_HOLE_END)) {
        return -EINVAL;
    }
    if ((arg->va_address & VA_MASK) + arg->map_size > VM_SIZE) {
        return -EINVAL;
    }
    if ((arg->flags & ~valid) != 0 && (arg->flags & ~prt) != 0) {
        return -EINVAL;
    }
    return arg->operation >= AMDGPU_VA_OP_MAP && arg->operation <= AMDGPU_VA_OP_REPLACE ? 0
                                                                                        : -EINVAL;
}

int lull_vda_gem_va(struct lull_vd_file *f, void *p)
{
    struct drm_amdgpu_gem_va *arg = p;
    struct lull_vda_vm *vm = lull_vda_vm_of(f);
    int r = va_check(arg);
    if (r != 0) {
        return r;
    }
    arg->va_address &= VA_MASK;
    struct lull_vd_bo *bo = NULL;
    if (arg->operation != AMDGPU_VA_OP_CLEAR && (arg->flags & AMDGPU_VM_PAGE_PRT) == 0) {
        bo = lull_vd_bo_lookup(f, arg->handle);
        if (bo == NULL) {
            return -ENOENT;
        }
    }
    switch (arg->operation) {
    case AMDGPU_VA_OP_MAP:
        r = va_map(vm, bo, arg, false);
        break;
    case AMDGPU_VA_OP_REPLACE:
        r = va_map(vm, bo, arg, true);
        break;
    case AMDGPU_VA_OP_UNMAP:
        r = va_unmap(vm, bo, arg->va_address);
        break;
    default:
        r = verify(NULL, arg->va_address, 0, arg->map_size);
        if (r == 0) {
            r = clear_range(vm, arg->va_address >> LULL_VD_PAGE_SHIFT,
                            (arg->va_address + arg->map_size - 1) >> LULL_VD_PAGE_SHIFT);
        }
        break;
    }
    if (r == 0) {
        lull_vda_written_forget(lull_vda(f->d), f, arg->va_address, arg->map_size);
    }
    if (r == 0 && (arg->flags & AMDGPU_VM_DELAY_UPDATE) == 0) {
        // amdgpu_gem_va_update_vm(): what fails here is tried again, and reported, by the next
        // submission.
        lull_vda_vm_update(lull_vda(f->d), vm);
    }
    return r;
}

// As emit_flush_gpu_tlb() does in front of a job.
static void load_vmid(struct lull_vda *d, uint32_t vmid, uint64_t base)
{
    const struct lull_bank none = {.grbm = lull_vda_grbm_all()};
    const uint32_t at = vmid * LULL_GC11_GCVM_CONTEXT_PAGE_TABLE_BASE_ADDR_LO32__STRIDE;
    lull_vda_write_reg(d, none, LULL_GC11_GCVM_CONTEXT_PAGE_TABLE_BASE_ADDR_LO32 + at,
                       (uint32_t)base);
    lull_vda_write_reg(d, none, LULL_GC11_GCVM_CONTEXT_PAGE_TABLE_BASE_ADDR_HI32 + at,
                       (uint32_t)(base >> 32));
    // what GDS the client before had is not this one's
    lull_vda_write_reg(d, none, LULL_GC11_GDS_VMID_SIZE + vmid * LULL_GC11_GDS_VMID_SIZE__STRIDE,
                       0);
    d->gpu.ops->flush_tlb(d->gpu.gpu, vmid);
}

// gfxhub_v3_0_setup_vmid_config(), gfx_v11_0_init_compute_vmid() and its like for graphics
void lull_vda_vm_setup(struct lull_vda *d)
{
    const uint32_t cntl =
        LULL_GC11_GCVM_CONTEXT_CNTL__ENABLE_CONTEXT_MASK |
        3u << LULL_GC11_GCVM_CONTEXT_CNTL__PAGE_TABLE_DEPTH_SHIFT |
        LULL_GC11_GCVM_CONTEXT_CNTL__RANGE_PROTECTION_FAULT_ENABLE_DEFAULT_MASK |
        LULL_GC11_GCVM_CONTEXT_CNTL__DUMMY_PAGE_PROTECTION_FAULT_ENABLE_DEFAULT_MASK |
        LULL_GC11_GCVM_CONTEXT_CNTL__PDE0_PROTECTION_FAULT_ENABLE_DEFAULT_MASK |
        LULL_GC11_GCVM_CONTEXT_CNTL__VALID_PROTECTION_FAULT_ENABLE_DEFAULT_MASK |
        LULL_GC11_GCVM_CONTEXT_CNTL__READ_PROTECTION_FAULT_ENABLE_DEFAULT_MASK |
        LULL_GC11_GCVM_CONTEXT_CNTL__WRITE_PROTECTION_FAULT_ENABLE_DEFAULT_MASK |
        LULL_GC11_GCVM_CONTEXT_CNTL__EXECUTE_PROTECTION_FAULT_ENABLE_DEFAULT_MASK;
    const uint32_t bases = SHARED_BASE << LULL_GC11_SH_MEM_BASES__SHARED_BASE_SHIFT |
                           PRIVATE_BASE << LULL_GC11_SH_MEM_BASES__PRIVATE_BASE_SHIFT;
    const uint32_t config = LULL_GC11_SH_MEM_CONFIG__ALIGNMENT_MODE__UNALIGNED
                                << LULL_GC11_SH_MEM_CONFIG__ALIGNMENT_MODE_SHIFT |
                            3u << LULL_GC11_SH_MEM_CONFIG__INITIAL_INST_PREFETCH_SHIFT;
    struct lull_bank bank = {.grbm = lull_vda_grbm_all()};
    // VRAM's address on the GPU's own bus; addresses in page tables count from its start.
    lull_vda_write_reg(d, bank, LULL_GC11_GCMC_VM_FB_LOCATION_BASE, FB_BASE);
    lull_vda_write_reg(d, bank, LULL_GC11_GCMC_VM_FB_LOCATION_TOP,
                       FB_BASE + (uint32_t)((d->gpu.phys->vram_size - 1) >> 24));
    lull_vda_write_reg(d, bank, LULL_GC11_GCMC_VM_FB_OFFSET, 0);
    for (uint32_t vmid = 1; vmid < LULL_GC11_GCVM_CONTEXT_CNTL__COUNT; vmid++) {
        lull_vda_write_reg(d, bank,
                           LULL_GC11_GCVM_CONTEXT_CNTL + vmid * LULL_GC11_GCVM_CONTEXT_CNTL__STRIDE,
                           cntl);
        bank.srbm = vmid << LULL_GC11_GRBM_GFX_CNTL__VMID_SHIFT;
        lull_vda_write_reg(d, bank, LULL_GC11_SH_MEM_BASES, bases);
        lull_vda_write_reg(d, bank, LULL_GC11_SH_MEM_CONFIG, config);
    }
}

bool lull_vda_vm_grab(struct lull_vda *d, struct lull_vda_vm *vm)
{
    if (vm->vmid == 0) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < LULL_VDA_NVMID; i++) {
            const struct lull_vda_vm *had = d->vmids[i];
            if (had != NULL && (had->running > 0 || had->reserved)) {
                continue;
            }
            if (best == 0 ||
                (d->vmids[best] != NULL && (had == NULL || d->vmid_used[i] < d->vmid_used[best]))) {
                best = i;
            }
        }
        if (best == 0) {
            return false;
        }
        if (d->vmids[best] != NULL) {
            d->vmids[best]->vmid = 0;
        }
        d->vmids[best] = vm;
        vm->vmid = best;
        load_vmid(d, best, lull_vda_pt_base(vm->root));
    }
    d->vmid_used[vm->vmid] = ++d->vmid_clock;
    return true;
}

void lull_vda_vm_release(struct lull_vda *d, struct lull_vda_vm *vm)
{
    if (vm->vmid != 0) {
        d->vmids[vm->vmid] = NULL;
        vm->vmid = 0;
    }
}

bool lull_vda_vm_done(struct lull_vda *d, struct lull_vda_vm *vm, unsigned *budget)
{
    if (vm->root == NULL) {
        return true;
    }
    vm->running = 0;
    if (vm->vmid != 0) {
        load_vmid(d, vm->vmid, 0);
    }
    lull_vda_vm_release(d, vm);
    // Nothing looks into the tables any more: what is gone stays in them.
    for (; *budget > 0 && !lull_list_empty(&vm->gone); --*budget) {
        gone_free(d, lull_container(vm->gone.next, struct lull_vda_map, link));
    }
    for (; *budget > 0 && vm->maps.root != NULL; --*budget) {
        struct lull_vda_map *m = map_of(vm->maps.root);
        lull_tree_remove(&vm->maps, &m->at);
        lull_list_remove(&m->link);
        free(m);
    }
    if (*budget == 0 || !lull_vda_pt_free(d, vm->root, budget)) {
        return false;
    }
    lull_vd_fence_set_done(&vm->fences);
    *vm = (struct lull_vda_vm){0};
    return true;
}
