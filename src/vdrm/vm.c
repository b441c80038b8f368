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
#include "vdrm/vdrm_priv.h"

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

static bool grow(void **array, size_t *room, size_t n, size_t size)
{
    if (n <= *room) {
        return true;
    }
    const size_t more = n + n / 2 + 8;
    void *p = realloc(*array, more * size);
    if (p == NULL) {
        return false;
    }
    *array = p;
    *room = more;
    return true;
}

int lull_vd_vm_init(struct lull_vd *d, struct lull_vd_vm *vm)
{
    *vm = (struct lull_vd_vm){0};
    return lull_vd_pt_root(d, &vm->root);
}

static struct lull_vd_run run_of(const struct lull_vd_map *m)
{
    return (struct lull_vd_run){
        .start = m->start,
        .last = m->last,
        .phys = m->bo != NULL ? m->bo->phys + m->offset : 0,
        .flags = lull_vd_pte_flags(m->bo, m->flags),
    };
}

static void flush(struct lull_vd *d, const struct lull_vd_vm *vm)
{
    if (vm->vmid != 0) {
        d->gpu.ops->flush_tlb(d->gpu.gpu, vm->vmid);
    }
}

static void clear_gone(struct lull_vd *d, struct lull_vd_vm *vm)
{
    for (size_t i = 0; i < vm->ngone; i++) {
        lull_vd_pt_unmap(d, vm->root, &vm->gone[i].run);
    }
    flush(d, vm);
    for (size_t i = 0; i < vm->ngone; i++) {
        if (vm->gone[i].bo != NULL) {
            lull_vd_bo_put(d, vm->gone[i].bo);
        }
    }
    vm->ngone = 0;
}

int lull_vd_vm_update(struct lull_vd *d, struct lull_vd_vm *vm)
{
    if (vm->ngone > 0 && vm->running > 0) {
        return -EBUSY;
    }
    if (vm->ngone > 0) {
        clear_gone(d, vm);
    }
    int r = 0;
    bool changed = false;
    for (size_t i = 0; i < vm->nmaps && r == 0; i++) {
        if (!vm->maps[i].written) {
            const struct lull_vd_run run = run_of(&vm->maps[i]);
            r = lull_vd_pt_map(d, vm->root, &run);
            vm->maps[i].written = r == 0;
            changed = true;
        }
    }
    if (changed) {
        flush(d, vm);
    }
    return r;
}

// Index of the first mapping that ends at or behind @p page.
static size_t map_find(const struct lull_vd_vm *vm, uint64_t page)
{
    size_t lo = 0, hi = vm->nmaps;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (vm->maps[mid].last < page) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

static bool overlaps(const struct lull_vd_vm *vm, uint64_t start, uint64_t last)
{
    const size_t i = map_find(vm, start);
    return i < vm->nmaps && vm->maps[i].start <= last;
}

// Room must be there.
static void map_insert(struct lull_vd_vm *vm, struct lull_vd_map m)
{
    const size_t i = map_find(vm, m.start);
    memmove(&vm->maps[i + 1], &vm->maps[i], (vm->nmaps - i) * sizeof m);
    vm->maps[i] = m;
    vm->nmaps++;
}

// Take mapping @p i out; what was written goes at the next update. Room in gone must be there.
static void map_remove(struct lull_vd_vm *vm, size_t i)
{
    const struct lull_vd_map m = vm->maps[i];
    if (m.written) {
        vm->gone[vm->ngone++] = (struct lull_vd_gone){.run = run_of(&m), .bo = m.bo};
        if (m.bo != NULL) {
            m.bo->refs++;
        }
    }
    memmove(&vm->maps[i], &vm->maps[i + 1], (vm->nmaps - i - 1) * sizeof m);
    vm->nmaps--;
}

// Room for @p more new mappings, and for every mapping to go.
static bool reserve(struct lull_vd_vm *vm, size_t more)
{
    return grow((void **)&vm->maps, &vm->maps_room, vm->nmaps + more, sizeof *vm->maps) &&
           grow((void **)&vm->gone, &vm->gone_room, vm->ngone + vm->nmaps + more, sizeof *vm->gone);
}

void lull_vd_vm_forget(struct lull_vd *d, struct lull_vd_vm *vm, const struct lull_vd_bo *bo)
{
    for (size_t i = vm->nmaps; i-- > 0;) {
        if (vm->maps[i].bo == bo) {
            map_remove(vm, i);
        }
    }
    lull_vd_vm_update(d, vm);
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

// amdgpu_vm_bo_clear_mappings()
static int clear_range(struct lull_vd_vm *vm, uint64_t start, uint64_t last)
{
    if (!reserve(vm, 3)) {
        return -ENOMEM;
    }
    for (size_t i = map_find(vm, start); i < vm->nmaps && vm->maps[i].start <= last;) {
        const struct lull_vd_map m = vm->maps[i];
        map_remove(vm, i);
        if (m.start < start) {
            struct lull_vd_map before = m;
            before.last = start - 1;
            before.written = false;
            map_insert(vm, before);
            i++;
        }
        if (m.last > last) {
            struct lull_vd_map after = m;
            after.start = last + 1;
            after.offset += (after.start - m.start) << LULL_VD_PAGE_SHIFT;
            after.written = false;
            map_insert(vm, after);
        }
    }
    return 0;
}

static int va_map(struct lull_vd_vm *vm, struct lull_vd_bo *bo, const struct drm_amdgpu_gem_va *arg,
                  bool replace)
{
    int r = verify(bo, arg->va_address, arg->offset_in_bo, arg->map_size);
    if (r != 0) {
        return r;
    }
    const struct lull_vd_map m = {
        .start = arg->va_address >> LULL_VD_PAGE_SHIFT,
        .last = (arg->va_address + arg->map_size - 1) >> LULL_VD_PAGE_SHIFT,
        .offset = arg->offset_in_bo,
        .flags = arg->flags,
        .bo = bo,
    };
    if (replace) {
        r = clear_range(vm, m.start, m.last);
    } else if (overlaps(vm, m.start, m.last)) {
        r = -EINVAL; // amdgpu_vm_bo_map()
    } else if (!reserve(vm, 1)) {
        r = -ENOMEM;
    }
    if (r == 0) {
        map_insert(vm, m);
    }
    return r;
}

// amdgpu_vm_bo_unmap()
static int va_unmap(struct lull_vd_vm *vm, const struct lull_vd_bo *bo, uint64_t va)
{
    const uint64_t page = va >> LULL_VD_PAGE_SHIFT;
    const size_t i = map_find(vm, page);
    if (i == vm->nmaps || vm->maps[i].start != page || vm->maps[i].bo != bo) {
        return -ENOENT;
    }
    map_remove(vm, i);
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

int lull_vd_vm_va(struct lull_vd_file *f, struct drm_amdgpu_gem_va *arg)
{
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
        r = va_map(&f->vm, bo, arg, false);
        break;
    case AMDGPU_VA_OP_REPLACE:
        r = va_map(&f->vm, bo, arg, true);
        break;
    case AMDGPU_VA_OP_UNMAP:
        r = reserve(&f->vm, 0) ? va_unmap(&f->vm, bo, arg->va_address) : -ENOMEM;
        break;
    default:
        r = verify(NULL, arg->va_address, 0, arg->map_size);
        if (r == 0) {
            r = clear_range(&f->vm, arg->va_address >> LULL_VD_PAGE_SHIFT,
                            (arg->va_address + arg->map_size - 1) >> LULL_VD_PAGE_SHIFT);
        }
        break;
    }
    if (r == 0 && (arg->flags & AMDGPU_VM_DELAY_UPDATE) == 0) {
        // amdgpu_gem_va_update_vm(): what fails here is tried again, and reported, by the next
        // submission.
        lull_vd_vm_update(f->d, &f->vm);
    }
    return r;
}

// As emit_flush_gpu_tlb() does in front of a job.
static void load_vmid(struct lull_vd *d, uint32_t vmid, uint64_t base)
{
    const struct lull_bank none = {.grbm = lull_vd_grbm_all()};
    const uint32_t at = vmid * LULL_GC11_GCVM_CONTEXT_PAGE_TABLE_BASE_ADDR_LO32__STRIDE;
    lull_vd_write_reg(d, none, LULL_GC11_GCVM_CONTEXT_PAGE_TABLE_BASE_ADDR_LO32 + at,
                      (uint32_t)base);
    lull_vd_write_reg(d, none, LULL_GC11_GCVM_CONTEXT_PAGE_TABLE_BASE_ADDR_HI32 + at,
                      (uint32_t)(base >> 32));
    d->gpu.ops->flush_tlb(d->gpu.gpu, vmid);
}

// gfxhub_v3_0_setup_vmid_config(), gfx_v11_0_init_compute_vmid() and its like for graphics
void lull_vd_vm_setup(struct lull_vd *d)
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
    struct lull_bank bank = {.grbm = lull_vd_grbm_all()};
    // VRAM's address on the GPU's own bus; addresses in page tables count from its start.
    lull_vd_write_reg(d, bank, LULL_GC11_GCMC_VM_FB_LOCATION_BASE, FB_BASE);
    lull_vd_write_reg(d, bank, LULL_GC11_GCMC_VM_FB_LOCATION_TOP,
                      FB_BASE + (uint32_t)((d->gpu.phys->vram_size - 1) >> 24));
    lull_vd_write_reg(d, bank, LULL_GC11_GCMC_VM_FB_OFFSET, 0);
    for (uint32_t vmid = 1; vmid < LULL_GC11_GCVM_CONTEXT_CNTL__COUNT; vmid++) {
        lull_vd_write_reg(d, bank,
                          LULL_GC11_GCVM_CONTEXT_CNTL + vmid * LULL_GC11_GCVM_CONTEXT_CNTL__STRIDE,
                          cntl);
        bank.srbm = vmid << LULL_GC11_GRBM_GFX_CNTL__VMID_SHIFT;
        lull_vd_write_reg(d, bank, LULL_GC11_SH_MEM_BASES, bases);
        lull_vd_write_reg(d, bank, LULL_GC11_SH_MEM_CONFIG, config);
    }
}

bool lull_vd_vm_grab(struct lull_vd *d, struct lull_vd_vm *vm)
{
    if (vm->vmid == 0) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < LULL_VD_NVMID; i++) {
            const struct lull_vd_vm *had = d->vmids[i];
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
        load_vmid(d, best, lull_vd_pt_base(vm->root));
    }
    d->vmid_used[vm->vmid] = ++d->vmid_clock;
    return true;
}

void lull_vd_vm_release(struct lull_vd *d, struct lull_vd_vm *vm)
{
    if (vm->vmid != 0) {
        d->vmids[vm->vmid] = NULL;
        vm->vmid = 0;
    }
}

void lull_vd_vm_done(struct lull_vd *d, struct lull_vd_vm *vm)
{
    if (vm->root == NULL) {
        return;
    }
    vm->running = 0;
    clear_gone(d, vm);
    if (vm->vmid != 0) {
        load_vmid(d, vm->vmid, 0);
    }
    lull_vd_vm_release(d, vm);
    lull_vd_pt_free(d, vm->root);
    lull_vd_fence_set_done(&vm->fences);
    free(vm->maps);
    free(vm->gone);
    *vm = (struct lull_vd_vm){0};
}
