// SPDX-License-Identifier: MIT
/** @file
 * Memory of the model GPU as a wave or the command processor sees it: physical
 * memory, GPUVM page tables in VRAM in hardware's format, a TLB.
 *
 * One struct lull_vm is one VMID's address space. Page tables are only ever
 * read here, from VRAM, at the base address in the VMID's context register;
 * the (virtual) kernel driver writes them.
 *
 * Source: Linux gmc_v11_0.c, amdgpu_vm.h; shared fact: "GPUVM page tables, gfx11".
 */
#ifndef LULL_MODEL_AMD_VM_H
#define LULL_MODEL_AMD_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lull_fresh;
struct lull_pages;

enum lull_access {
    LULL_ACCESS_READ = 1,
    LULL_ACCESS_WRITE = 2,
    LULL_ACCESS_EXEC = 4,
    LULL_ACCESS_ATOMIC = 8, ///< With READ and WRITE.
};

enum {
    LULL_PAGE_SHIFT = 12,
    LULL_PAGE_SIZE = 1 << LULL_PAGE_SHIFT,
    LULL_TLB_ENTRIES = 1024,
    LULL_TLB_MIX = 64, ///< Within so many entries places are mixed.
    LULL_TLB_RUN = LULL_TLB_ENTRIES - 2 * LULL_TLB_MIX,
};

/** Physical memory of one GPU: VRAM, and system memory by bus address. */
struct lull_phys {
    uint8_t *vram; ///< Host mapping of all VRAM; physical address 0 is vram[0].
    uint64_t vram_size;
    uint8_t *system; ///< Host mapping of the GTT window; bus address system_base is system[0].
    uint64_t system_base, system_size;
    struct lull_pages *pages; ///< Told of pages that are going to be written; NULL: nobody is.
    struct lull_fresh *fresh; ///< Told of pages that are translated; NULL: nobody is.
};

struct lull_tlb_entry {
    uint64_t tag;    ///< Page number (va >> 12) + 1; 0 is empty.
    uint8_t *host;   ///< First byte of the page.
    uint32_t access; ///< enum lull_access bits allowed.
    uint32_t pad[3]; ///< To 32 bytes: an entry is found by a shift.
};

/** Why an access was refused: the fields of GCVM_L2_PROTECTION_FAULT_STATUS. */
struct lull_vm_fault {
    uint64_t va;            ///< GPU virtual address of the first byte refused.
    uint32_t access;        ///< enum lull_access bits asked for.
    uint8_t walker_error;   ///< 0, or the level (1-based from the root) whose entry was unusable.
    uint8_t permission;     ///< Bits that lacked: 1 valid, 2 read, 4 write, 8 execute.
    bool mapping_error;     ///< The address is outside the space: not canonical, context disabled.
    uint64_t entry_address; ///< Physical VRAM address of the entry that refused.
    uint64_t entry;         ///< Its value.
};

struct lull_vm {
    struct lull_phys *phys;
    uint32_t vmid;
    uint64_t page_table_base; ///< CONTEXTn_PAGE_TABLE_BASE_ADDR as written (with flag bits).
    uint32_t context_cntl;    ///< CONTEXTn_CNTL: enable, depth, block size.
    uint64_t shared_base, private_base; ///< FLAT apertures, from SH_MEM_BASES: top 16 bits.
    struct lull_vm_fault fault;         ///< Of the last call that returned NULL.
    uint64_t walks;                     ///< TLB misses so far.
    uint64_t flushes;                   ///< Calls of lull_vm_flush() so far.
    uint64_t flushed;                   ///< Walks before the last of them.
    struct lull_tlb_entry tlb[LULL_TLB_ENTRIES];
    uint8_t prt_sink[LULL_PAGE_SIZE]; ///< Where writes to PRT pages without memory end.
};

/**
 * Where the TLB has page number @p page. Arrays are often a power of two apart, and what a wave
 * reads and writes of them is at the same place in each: so what is above the number of entries
 * counts, too. Any LULL_TLB_RUN pages one after the other have places of their own.
 */
static inline unsigned lull_tlb_place(uint64_t page)
{
    return (page ^ (page / LULL_TLB_ENTRIES) % LULL_TLB_MIX) % LULL_TLB_ENTRIES;
}

/** Slow path of lull_vm_host(): walk the tables and fill the TLB. */
uint8_t *lull_vm_walk(struct lull_vm *vm, uint64_t va, uint32_t access);

/** Forget all translations: after the page tables or the base changed. */
void lull_vm_flush(struct lull_vm *vm);

/**
 * Host address of GPU virtual address @p va, good to the end of its 4 KiB page.
 *
 * @param access All the bits of enum lull_access that are wanted.
 * @return NULL if the page tables refuse; vm->fault then says why.
 */
static inline uint8_t *lull_vm_host(struct lull_vm *vm, uint64_t va, uint32_t access)
{
    const uint64_t page = va >> LULL_PAGE_SHIFT;
    const struct lull_tlb_entry *e = &vm->tlb[lull_tlb_place(page)];
    if (__builtin_expect(e->tag == page + 1 && (e->access & access) == access, 1)) {
        return e->host + (va & (LULL_PAGE_SIZE - 1));
    }
    return lull_vm_walk(vm, va, access);
}

/** Copy across pages. False at the first page refused; earlier bytes are then done. */
bool lull_vm_read(struct lull_vm *vm, uint64_t va, void *buf, size_t size);
bool lull_vm_write(struct lull_vm *vm, uint64_t va, const void *buf, size_t size);

#endif
