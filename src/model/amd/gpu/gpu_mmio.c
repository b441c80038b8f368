// SPDX-License-Identifier: MIT
// Registers by byte offset: banks, the ones that are computed, the ones that act.
#include <string.h>

#include "model/amd/gpu/gpu_impl.h"
#include "model/amd/gpu/gpu_spi.h"

enum {
    DWORD = 4,
    VM_CONTEXT_STRIDE = 4, // bytes from CONTEXTn_CNTL to that of the next VMID
    VM_BASE_STRIDE = 8,    // the same for PAGE_TABLE_BASE_ADDR
    PAGE_SHIFT = 12,
    APERTURE_SHIFT = 48,
};

/** Where the register at @p offset is kept, in the copy that @p srbm selects; NULL: nowhere. */
static uint32_t *storage(struct lull_gpu *g, uint32_t srbm, uint32_t offset)
{
    const unsigned vmid = lull_field(srbm, LULL_GC11_GRBM_GFX_CNTL__VMID_MASK) % LULL_NVMID;
    const unsigned me = lull_field(srbm, LULL_GC11_GRBM_GFX_CNTL__MEID_MASK);
    const unsigned pipe = lull_field(srbm, LULL_GC11_GRBM_GFX_CNTL__PIPEID_MASK);
    const unsigned ring = me == 0 ? LULL_RING_GFX : LULL_RING_COMPUTE0 + pipe;
    switch (offset) {
    case LULL_GC11_SQ_SHADER_TBA_LO:
        return &g->per_vmid[vmid].tba_lo;
    case LULL_GC11_SQ_SHADER_TBA_HI:
        return &g->per_vmid[vmid].tba_hi;
    case LULL_GC11_SQ_SHADER_TMA_LO:
        return &g->per_vmid[vmid].tma_lo;
    case LULL_GC11_SQ_SHADER_TMA_HI:
        return &g->per_vmid[vmid].tma_hi;
    case LULL_GC11_SH_MEM_BASES:
        return &g->per_vmid[vmid].sh_mem_bases;
    case LULL_GC11_SH_MEM_CONFIG:
        return &g->per_vmid[vmid].sh_mem_config;
    case LULL_GC11_SPI_GDBG_PER_VMID_CNTL:
        return &g->per_vmid[vmid].gdbg;
    default:
        break;
    }
    if (offset >= LULL_SH_BASE && offset < LULL_SH_BASE + LULL_SH_BYTES) {
        return &g->rings[ring].sh[(offset - LULL_SH_BASE) / DWORD];
    }
    return offset < LULL_MMIO_BYTES ? &g->mmio[offset / DWORD] : NULL;
}

static uint32_t grbm_status(const struct lull_gpu *g)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
        if (g->rings[i].head != NULL) {
            v |= LULL_GC11_GRBM_STATUS__CP_BUSY_MASK;
        }
    }
    if (g->nwaves != 0) {
        v |= LULL_GC11_GRBM_STATUS__SPI_BUSY_MASK;
    }
    return v != 0 ? v | LULL_GC11_GRBM_STATUS__GUI_ACTIVE_MASK : 0;
}

uint32_t lull_gpu_read_reg(struct lull_gpu *g, struct lull_bank bank, uint32_t byte_offset)
{
    const uint32_t offset = byte_offset & ~(uint32_t)(DWORD - 1);
    const uint32_t *word = NULL;
    switch (offset) {
    case LULL_GC11_GRBM_STATUS:
        return grbm_status(g);
    case LULL_GC11_SQ_IND_DATA:
        lull_spi_start_all(g);
        return lull_gpu_sq_read(g, bank.grbm);
    case LULL_GC11_RLC_GPU_CLOCK_COUNT_LSB:
        return (uint32_t)lull_gpu_clock(g);
    case LULL_GC11_RLC_GPU_CLOCK_COUNT_MSB:
        return (uint32_t)(lull_gpu_clock(g) >> 32);
    default:
        word = storage(g, bank.srbm, offset);
        return word != NULL ? *word : 0;
    }
}

void lull_gpu_sync_vm(struct lull_gpu *g, unsigned vmid)
{
    struct lull_vm *vm = &g->vm[vmid];
    const uint32_t *cntl =
        &g->mmio[(LULL_GC11_GCVM_CONTEXT0_CNTL + VM_CONTEXT_STRIDE * vmid) / DWORD];
    const uint32_t *base =
        &g->mmio[(LULL_GC11_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32 + VM_BASE_STRIDE * vmid) /
                 DWORD];
    const uint32_t bases = g->per_vmid[vmid].sh_mem_bases;
    vm->context_cntl = *cntl;
    vm->page_table_base = base[0] | (uint64_t)base[1] << 32;
    vm->shared_base = (uint64_t)lull_field(bases, LULL_GC11_SH_MEM_BASES__SHARED_BASE_MASK)
                      << APERTURE_SHIFT;
    vm->private_base = (uint64_t)lull_field(bases, LULL_GC11_SH_MEM_BASES__PRIVATE_BASE_MASK)
                       << APERTURE_SHIFT;
    lull_gpu_flush_tlb(g, vmid);
}

/** A register of VMIDs' contexts was written: bring the address space up to date. */
static void context_written(struct lull_gpu *g, uint32_t offset)
{
    const uint32_t cntl = LULL_GC11_GCVM_CONTEXT0_CNTL;
    const uint32_t base = LULL_GC11_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32;
    if (offset >= cntl && offset < cntl + VM_CONTEXT_STRIDE * LULL_NVMID) {
        lull_gpu_sync_vm(g, (offset - cntl) / VM_CONTEXT_STRIDE);
    }
    if (offset >= base && offset < base + VM_BASE_STRIDE * LULL_NVMID) {
        lull_gpu_sync_vm(g, (offset - base) / VM_BASE_STRIDE);
    }
}

/** GCVM_INVALIDATE_ENGn_REQ: forget translations of the VMIDs named, and acknowledge. */
static void invalidate(struct lull_gpu *g, uint32_t offset, uint32_t value)
{
    const uint32_t first = LULL_GC11_GCVM_INVALIDATE_ENG0_REQ;
    const uint32_t vmids =
        lull_field(value, LULL_GC11_GCVM_INVALIDATE_ENG0_REQ__PER_VMID_INVALIDATE_REQ_MASK);
    if (offset < first || offset > LULL_GC11_GCVM_INVALIDATE_ENG17_REQ) {
        return;
    }
    for (unsigned i = 0; i < LULL_NVMID; i++) {
        if ((vmids >> i & 1) != 0) {
            lull_gpu_flush_tlb(g, i);
        }
    }
    g->mmio[(LULL_GC11_GCVM_INVALIDATE_ENG0_ACK + offset - first) / DWORD] |= vmids;
}

static void clear_fault(struct lull_gpu *g)
{
    g->fault_latched = false;
    g->mmio[LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS / DWORD] = 0;
    g->mmio[LULL_GC11_GCVM_L2_PROTECTION_FAULT_ADDR_LO32 / DWORD] = 0;
    g->mmio[LULL_GC11_GCVM_L2_PROTECTION_FAULT_ADDR_HI32 / DWORD] = 0;
}

/** Registers that act when written. True: nothing is to be stored. */
static bool write_acts(struct lull_gpu *g, struct lull_bank bank, uint32_t offset, uint32_t value)
{
    switch (offset) {
    case LULL_GC11_SQ_IND_DATA:
        lull_gpu_sq_write(g, bank.grbm, value);
        return true;
    case LULL_GC11_SQ_CMD:
        lull_gpu_sq_cmd(g, bank.grbm, value);
        return false;
    case LULL_GC11_GCVM_L2_PROTECTION_FAULT_CNTL:
        if ((value &
             LULL_GC11_GCVM_L2_PROTECTION_FAULT_CNTL__CLEAR_PROTECTION_FAULT_STATUS_ADDR_MASK) !=
            0) {
            clear_fault(g);
        }
        return false;
    case LULL_GC11_GRBM_STATUS: // read only
    case LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS:
        return true;
    default:
        return false;
    }
}

void lull_gpu_write_reg(struct lull_gpu *g, struct lull_bank bank, uint32_t byte_offset,
                        uint32_t value)
{
    const uint32_t offset = byte_offset & ~(uint32_t)(DWORD - 1);
    if (offset < LULL_SH_BASE || offset >= LULL_SH_BASE + LULL_SH_BYTES) {
        lull_spi_start_all(g); // What waves start with, but for what their work has of it.
    }
    uint32_t *word = storage(g, bank.srbm, offset);
    if (word == NULL || write_acts(g, bank, offset, value)) {
        return;
    }
    *word = value;
    if (offset == LULL_GC11_SH_MEM_BASES) {
        lull_gpu_sync_vm(g, lull_field(bank.srbm, LULL_GC11_GRBM_GFX_CNTL__VMID_MASK) % LULL_NVMID);
    }
    if (offset >= LULL_GC11_TCP_WATCH0_ADDR_H && offset <= LULL_GC11_TCP_WATCH3_CNTL) {
        lull_gpu_tcp_written(g);
    }
    context_written(g, offset);
    invalidate(g, offset, value);
}

void lull_gpu_set_sh(struct lull_gpu_ring *r, uint32_t offset, const uint32_t *values, unsigned n)
{
    memcpy(&r->sh[offset / DWORD], values, (size_t)n * DWORD);
}

void lull_gpu_set_context(struct lull_gpu *g, uint32_t offset, const uint32_t *values, unsigned n)
{
    lull_spi_start_all(g); // What waves start with.
    memcpy(&g->mmio[(LULL_CONTEXT_BASE + offset) / DWORD], values, (size_t)n * DWORD);
}

void lull_gpu_latch_fault(struct lull_gpu *g, const struct lull_vm *vm, uint32_t client)
{
    uint32_t *status = &g->mmio[LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS / DWORD];
    if (g->fault_latched) {
        *status |= LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__MORE_FAULTS_MASK;
        return;
    }
    const struct lull_vm_fault *f = &vm->fault;
    const uint64_t page = f->va >> PAGE_SHIFT & 0xfffffffff;
    g->fault_latched = true;
    *status = lull_field_put(f->walker_error,
                             LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__WALKER_ERROR_MASK) |
              lull_field_put(f->permission,
                             LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__PERMISSION_FAULTS_MASK) |
              lull_field_put(f->mapping_error,
                             LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__MAPPING_ERROR_MASK) |
              lull_field_put(client, LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__CID_MASK) |
              lull_field_put((f->access & LULL_ACCESS_WRITE) != 0,
                             LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__RW_MASK) |
              lull_field_put((f->access & LULL_ACCESS_ATOMIC) != 0,
                             LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__ATOMIC_MASK) |
              lull_field_put(vm->vmid, LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__VMID_MASK);
    g->mmio[LULL_GC11_GCVM_L2_PROTECTION_FAULT_ADDR_LO32 / DWORD] = (uint32_t)page;
    g->mmio[LULL_GC11_GCVM_L2_PROTECTION_FAULT_ADDR_HI32 / DWORD] = (uint32_t)(page >> 32);
}
