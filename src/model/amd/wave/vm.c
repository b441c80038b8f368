// SPDX-License-Identifier: MIT
#include "model/amd/wave/vm.h"

#include <string.h>

#include "hw/gc11_regs.h"
#include "hw/pte11_regs.h"
#include "model/fresh.h"
#include "model/pages.h"

enum {
    LEVEL_BITS = 9, // Of each level above the last.
    LEAF_BITS = 9,  // Of the last level, before PAGE_TABLE_BLOCK_SIZE is added.
    VA_BITS = 48,
    PERMISSION_VALID = 1,
    PERMISSION_READ = 2,
    PERMISSION_WRITE = 4,
    PERMISSION_EXEC = 8,
};

/** What a PRT page without memory reads as. */
static const uint8_t zero_page[LULL_PAGE_SIZE];

/** One walk on its way down. */
struct walk {
    struct lull_vm *vm;
    uint64_t va;    // Low 48 bits.
    unsigned depth; // Levels above the last: PAGE_TABLE_DEPTH.
    unsigned block; // PAGE_TABLE_BLOCK_SIZE: extra bits of the last level.
    unsigned level; // 0 is the root.
    uint64_t entry;
};

/** Lowest bit of the VA that an entry of @p level does not translate. */
static unsigned level_shift(const struct walk *k, unsigned level)
{
    if (level == k->depth) {
        return LULL_PAGE_SHIFT;
    }
    return LULL_PAGE_SHIFT + LEAF_BITS + k->block + LEVEL_BITS * (k->depth - level - 1);
}

static uint64_t level_index(const struct walk *k, unsigned level)
{
    const uint64_t index = k->va >> level_shift(k, level);
    if (level == 0) {
        return index;
    }
    const unsigned bits = level == k->depth ? LEAF_BITS + k->block : LEVEL_BITS;
    return index & ((UINT64_C(1) << bits) - 1);
}

/** Read the entry of this level from the table that @p parent (an entry, or the base) names. */
static bool read_entry(struct walk *k, uint64_t parent)
{
    const struct lull_phys *p = k->vm->phys;
    const uint64_t table = parent & LULL_PTE11_PDE__ADDRESS_MASK;
    const uint64_t address = table + level_index(k, k->level) * sizeof(k->entry);
    const bool in_vram = (parent & LULL_PTE11_PDE__SYSTEM_MASK) == 0 &&
                         p->vram_size >= sizeof(k->entry) &&
                         address <= p->vram_size - sizeof(k->entry);
    k->vm->fault.entry_address = address;
    k->vm->fault.entry = 0;
    if ((parent & LULL_PTE11_PDE__VALID_MASK) == 0 || !in_vram) {
        return false;
    }
    memcpy(&k->entry, p->vram + address, sizeof(k->entry));
    k->vm->fault.entry = k->entry;
    return true;
}

/** Host address of the page at physical @p address, or NULL if there is no such memory. */
static uint8_t *host_page(const struct lull_phys *p, uint64_t address, bool system)
{
    const uint64_t base = system ? p->system_base : 0;
    const uint64_t size = system ? p->system_size : p->vram_size;
    if (address < base || size < LULL_PAGE_SIZE || address - base > size - LULL_PAGE_SIZE) {
        return NULL;
    }
    return (system ? p->system : p->vram) + (address - base);
}

/** Go down to the entry that maps the page. False: it is not there, and walker_error says where. */
static bool descend(struct walk *k)
{
    uint64_t parent = k->vm->page_table_base;
    for (k->level = 0; k->level <= k->depth; k->level++) {
        if (!read_entry(k, parent)) {
            break;
        }
        if (k->level == k->depth || (k->entry & LULL_PTE11_PTE__PDE_PTE_MASK) != 0) {
            return true;
        }
        if ((k->entry & LULL_PTE11_PDE__VALID_MASK) == 0) {
            break;
        }
        parent = k->entry;
    }
    k->vm->fault.walker_error = (uint8_t)(k->level + 1);
    k->vm->fault.permission = PERMISSION_VALID;
    return false;
}

static uint8_t *refuse(struct lull_vm *vm, unsigned walker_error, unsigned permission)
{
    vm->fault.walker_error = (uint8_t)walker_error;
    vm->fault.permission = (uint8_t)permission;
    return NULL;
}

static uint32_t entry_access(uint64_t entry)
{
    uint32_t access = 0;
    access |= (entry & LULL_PTE11_PTE__READABLE_MASK) != 0 ? LULL_ACCESS_READ : 0u;
    access |= (entry & LULL_PTE11_PTE__WRITEABLE_MASK) != 0 ? LULL_ACCESS_WRITE : 0u;
    access |= (entry & LULL_PTE11_PTE__EXECUTABLE_MASK) != 0 ? LULL_ACCESS_EXEC : 0u;
    return access | LULL_ACCESS_ATOMIC;
}

static unsigned missing(uint32_t wanted, uint32_t allowed)
{
    const uint32_t lack = wanted & ~allowed;
    return ((lack & LULL_ACCESS_READ) != 0 ? PERMISSION_READ : 0u) |
           ((lack & LULL_ACCESS_WRITE) != 0 ? PERMISSION_WRITE : 0u) |
           ((lack & LULL_ACCESS_EXEC) != 0 ? PERMISSION_EXEC : 0u);
}

static void fill(struct lull_vm *vm, uint64_t va, uint8_t *host, uint32_t access)
{
    const uint64_t page = va >> LULL_PAGE_SHIFT;
    struct lull_tlb_entry *e = &vm->tlb[lull_tlb_place(page)];
    e->tag = page + 1;
    e->host = host;
    e->access = access;
}

/** A page without memory: reads give 0, writes are lost; code is not there. */
static uint8_t *prt_page(struct lull_vm *vm, uint64_t va, uint32_t access)
{
    if ((access & LULL_ACCESS_EXEC) != 0) {
        return refuse(vm, 0, PERMISSION_EXEC);
    }
    if ((access & LULL_ACCESS_WRITE) == 0) {
        fill(vm, va, (uint8_t *)(uintptr_t)zero_page, LULL_ACCESS_READ);
        return (uint8_t *)(uintptr_t)zero_page;
    }
    memset(vm->prt_sink, 0, sizeof(vm->prt_sink)); // Not in the TLB: each write starts from 0.
    return vm->prt_sink;
}

/**
 * What of @p allowed an entry of the TLB may allow for the page at @p host: while changes are
 * watched, a page that has only been read must come here again before it is written.
 */
static uint32_t watched(const struct lull_phys *phys, const uint8_t *host, uint32_t access,
                        uint32_t allowed)
{
    struct lull_pages *pages = phys->pages;
    if (pages == NULL || pages->dirty == NULL) {
        return allowed;
    }
    if ((access & LULL_ACCESS_WRITE) == 0) {
        return allowed & ~(uint32_t)LULL_ACCESS_WRITE;
    }
    lull_pages_mark(pages, (uint64_t)(host - pages->map));
    return allowed;
}

/** The same of pages that nobody has written to: the first write must come here. */
static uint32_t unwritten(const struct lull_phys *phys, const uint8_t *host, uint32_t access,
                          uint32_t allowed)
{
    if (phys->fresh == NULL || (access & LULL_ACCESS_EXEC) != 0 ||
        !lull_fresh_see(phys->fresh, host, (access & LULL_ACCESS_WRITE) != 0)) {
        return allowed;
    }
    return allowed & ~(uint32_t)LULL_ACCESS_WRITE;
}

/** Translate by the last entry of the walk. @return The page, or NULL. */
static uint8_t *leaf_page(const struct walk *k, uint64_t va, uint32_t access)
{
    struct lull_vm *vm = k->vm;
    if ((k->entry & LULL_PTE11_PTE__VALID_MASK) == 0) {
        if ((k->entry & LULL_PTE11_PTE__PRT_MASK) != 0) {
            return prt_page(vm, va, access);
        }
        return refuse(vm, k->level + 1, PERMISSION_VALID);
    }
    const uint32_t allowed = entry_access(k->entry);
    if ((access & ~allowed) != 0) {
        return refuse(vm, 0, missing(access, allowed));
    }
    const uint64_t size = UINT64_C(1) << level_shift(k, k->level);
    const uint64_t base = k->entry & LULL_PTE11_PTE__ADDRESS_MASK & ~(size - 1);
    const uint64_t offset = k->va & (size - 1) & ~(uint64_t)(LULL_PAGE_SIZE - 1);
    const bool system = (k->entry & LULL_PTE11_PTE__SYSTEM_MASK) != 0;
    uint8_t *host = host_page(vm->phys, base + offset, system);
    if (host == NULL) {
        return refuse(vm, k->level + 1, 0);
    }
    const uint32_t may = watched(vm->phys, host, access, allowed);
    fill(vm, va, host, unwritten(vm->phys, host, access, may));
    return host;
}

static bool canonical(uint64_t va)
{
    const uint64_t high = va >> (VA_BITS - 1);
    return high == 0 || high == UINT64_MAX >> (VA_BITS - 1);
}

uint8_t *lull_vm_walk(struct lull_vm *vm, uint64_t va, uint32_t access)
{
    const uint32_t cntl = vm->context_cntl;
    struct walk k = {
        .vm = vm,
        .va = va & ((UINT64_C(1) << VA_BITS) - 1),
        .depth = (cntl & LULL_GC11_GCVM_CONTEXT_CNTL__PAGE_TABLE_DEPTH_MASK) >>
                 LULL_GC11_GCVM_CONTEXT_CNTL__PAGE_TABLE_DEPTH_SHIFT,
        .block = (cntl & LULL_GC11_GCVM_CONTEXT_CNTL__PAGE_TABLE_BLOCK_SIZE_MASK) >>
                 LULL_GC11_GCVM_CONTEXT_CNTL__PAGE_TABLE_BLOCK_SIZE_SHIFT,
    };
    vm->walks++;
    vm->fault = (struct lull_vm_fault){.va = va, .access = access};
    if (!canonical(va) || (cntl & LULL_GC11_GCVM_CONTEXT_CNTL__ENABLE_CONTEXT_MASK) == 0) {
        vm->fault.mapping_error = true;
        return NULL;
    }
    if (!descend(&k)) {
        return NULL;
    }
    uint8_t *page = leaf_page(&k, va, access);
    return page == NULL ? NULL : page + (va & (LULL_PAGE_SIZE - 1));
}

void lull_vm_flush(struct lull_vm *vm)
{
    if (vm->walks != vm->flushed) { // else it holds nothing, and most never do
        memset(vm->tlb, 0, sizeof(vm->tlb));
        vm->flushed = vm->walks;
    }
    vm->flushes++;
}

/** Bytes from @p va to the end of its page, at most @p size. */
static size_t in_page(uint64_t va, size_t size)
{
    const size_t left = LULL_PAGE_SIZE - (size_t)(va & (LULL_PAGE_SIZE - 1));
    return size < left ? size : left;
}

bool lull_vm_read(struct lull_vm *vm, uint64_t va, void *buf, size_t size)
{
    uint8_t *out = buf;
    for (size_t done = 0; done < size;) {
        const size_t n = in_page(va + done, size - done);
        const uint8_t *host = lull_vm_host(vm, va + done, LULL_ACCESS_READ);
        if (host == NULL) {
            return false;
        }
        memcpy(out + done, host, n);
        done += n;
    }
    return true;
}

bool lull_vm_write(struct lull_vm *vm, uint64_t va, const void *buf, size_t size)
{
    const uint8_t *in = buf;
    for (size_t done = 0; done < size;) {
        const size_t n = in_page(va + done, size - done);
        uint8_t *host = lull_vm_host(vm, va + done, LULL_ACCESS_WRITE);
        if (host == NULL) {
            return false;
        }
        memcpy(host, in + done, n);
        done += n;
    }
    return true;
}
