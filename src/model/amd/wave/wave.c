// SPDX-License-Identifier: MIT
// Hardware registers, traps, and what observers see.
#include "model/amd/wave/wave.h"

#include <string.h>

#include "arch/arch.h"
#include "hw/hwreg_regs.h"
#include "isa/rdna/rdna.h"
#include "model/observer.h"
#include "model/shape.h"

enum { PC_HI_MASK = 0xffff, TRAP_ID_SHIFT = 16, TRAP_ID_MASK = 0xff, HOST_TRAP_SHIFT = 24 };

/** STATUS bits that follow from other state. */
enum {
    STATUS_COMPUTED =
        LULL_HWREG_STATUS__SCC_MASK | LULL_HWREG_STATUS__EXECZ_MASK | LULL_HWREG_STATUS__VCCZ_MASK,
};

/** Bits that s_setreg changes: of everyone, and of the trap handler. */
static const struct {
    uint8_t id;
    uint32_t user, priv;
} writable[] = {
    {LULL_HWREG_MODE,
     LULL_HWREG_MODE__FP_ROUND_MASK | LULL_HWREG_MODE__FP_DENORM_MASK |
         LULL_HWREG_MODE__DX10_CLAMP_MASK | LULL_HWREG_MODE__IEEE_MASK |
         LULL_HWREG_MODE__EXCP_EN_MASK | LULL_HWREG_MODE__FP16_OVFL_MASK |
         LULL_HWREG_MODE__DISABLE_PERF_MASK,
     LULL_HWREG_MODE__TRAP_AFTER_INST_EN_MASK | LULL_HWREG_MODE__WAVE_END_MASK |
         LULL_HWREG_MODE__LOD_CLAMPED_MASK},
    {LULL_HWREG_STATUS, LULL_HWREG_STATUS__USER_PRIO_MASK | LULL_HWREG_STATUS__SKIP_EXPORT_MASK,
     LULL_HWREG_STATUS__SCC_MASK | LULL_HWREG_STATUS__SPI_PRIO_MASK | LULL_HWREG_STATUS__HALT_MASK |
         LULL_HWREG_STATUS__FATAL_HALT_MASK | LULL_HWREG_STATUS__TTRACE_EN_MASK |
         LULL_HWREG_STATUS__PERF_EN_MASK | LULL_HWREG_STATUS__TRAP_EN_MASK},
    {LULL_HWREG_TRAPSTS, LULL_HWREG_TRAPSTS__EXCP_MASK | LULL_HWREG_TRAPSTS__EXCP_HI_MASK,
     UINT32_MAX},
    {LULL_HWREG_FLAT_SCR_LO, 0, UINT32_MAX},
    {LULL_HWREG_FLAT_SCR_HI, 0, UINT32_MAX},
};

static bool privileged(const struct lull_wave *w)
{
    return (w->status & LULL_HWREG_STATUS__PRIV_MASK) != 0;
}

static bool zero_mask(const struct lull_wave *w, unsigned sgpr)
{
    return w->sgpr[sgpr] == 0 && (w->lanes == 32 || w->sgpr[sgpr + 1] == 0);
}

static uint32_t status(const struct lull_wave *w)
{
    uint32_t v = w->status & ~(uint32_t)STATUS_COMPUTED;
    v |= w->scc != 0 ? LULL_HWREG_STATUS__SCC_MASK : 0u;
    v |= zero_mask(w, LULL_RDNA_EXEC) ? LULL_HWREG_STATUS__EXECZ_MASK : 0u;
    v |= zero_mask(w, LULL_RDNA_VCC) ? LULL_HWREG_STATUS__VCCZ_MASK : 0u;
    return v;
}

static uint32_t shader_cycles(const struct lull_wave *w)
{
    if (w->host == NULL || w->host->clock == NULL) {
        return (uint32_t)w->ninsns & LULL_HWREG_SHADER_CYCLES__CYCLES_MASK;
    }
    // The clock looks at the wave only to find its GPU.
    return (uint32_t)w->host->clock((struct lull_wave *)(uintptr_t)w) &
           LULL_HWREG_SHADER_CYCLES__CYCLES_MASK;
}

static uint32_t mem_bases(const struct lull_wave *w)
{
    if (w->vm == NULL) {
        return 0;
    }
    const uint32_t private_base = (uint32_t)(w->vm->private_base >> 48);
    const uint32_t shared_base = (uint32_t)(w->vm->shared_base >> 48);
    return private_base << LULL_HWREG_SH_MEM_BASES__PRIVATE_BASE_SHIFT |
           shared_base << LULL_HWREG_SH_MEM_BASES__SHARED_BASE_SHIFT;
}

/* A host trap that came while the wave is in its handler waits as TRAPSTS.HOST_TRAP. */
static uint32_t host_trap(const struct lull_wave *w)
{
    return (w->pending & LULL_TRAP_HOST) != 0 ? (uint32_t)LULL_HWREG_TRAPSTS__HOST_TRAP_MASK : 0;
}

uint32_t lull_wave_hwreg(const struct lull_wave *w, unsigned id)
{
    // clang-format off
    switch (id) {
    case LULL_HWREG_MODE: return w->mode;
    case LULL_HWREG_STATUS: return status(w);
    case LULL_HWREG_TRAPSTS: return w->trapsts | host_trap(w);
    case LULL_HWREG_GPR_ALLOC: return w->gpr_alloc;
    case LULL_HWREG_LDS_ALLOC: return w->lds_alloc;
    case LULL_HWREG_IB_STS: return w->ib_sts;
    case LULL_HWREG_IB_STS2:
        return w->lanes == 64 ? LULL_HWREG_IB_STS2__WAVE64_MASK : 0;
    case LULL_HWREG_SH_MEM_BASES: return mem_bases(w);
    case LULL_HWREG_FLAT_SCR_LO: return (uint32_t)w->flat_scratch;
    case LULL_HWREG_FLAT_SCR_HI: return (uint32_t)(w->flat_scratch >> 32);
    case LULL_HWREG_HW_ID1: return w->hw_id1;
    case LULL_HWREG_HW_ID2: return w->hw_id2;
    case LULL_HWREG_SHADER_CYCLES: return shader_cycles(w);
    default: return 0;
    }
    // clang-format on
}

static uint32_t write_mask(const struct lull_wave *w, unsigned id)
{
    for (unsigned i = 0; i < sizeof(writable) / sizeof(writable[0]); i++) {
        if (writable[i].id == id) {
            return writable[i].user | (privileged(w) ? writable[i].priv : 0);
        }
    }
    return 0;
}

static void merge(uint32_t *reg, uint32_t mask, uint32_t value)
{
    *reg = (*reg & ~mask) | (value & mask);
}

void lull_wave_set_hwreg(struct lull_wave *w, unsigned id, uint32_t value)
{
    const uint32_t mask = write_mask(w, id);
    switch (id) {
    case LULL_HWREG_MODE:
        merge(&w->mode, mask, value);
        break;
    case LULL_HWREG_STATUS:
        merge(&w->status, mask & ~(uint32_t)STATUS_COMPUTED, value);
        if ((mask & LULL_HWREG_STATUS__SCC_MASK) != 0) {
            w->scc = (value & LULL_HWREG_STATUS__SCC_MASK) != 0;
        }
        break;
    case LULL_HWREG_TRAPSTS:
        if ((mask & ~value & LULL_HWREG_TRAPSTS__HOST_TRAP_MASK) != 0) {
            w->pending &=
                ~(uint32_t)LULL_TRAP_HOST; // a handler drops a request by clearing its bit
        }
        merge(&w->trapsts, mask, value);
        break;
    case LULL_HWREG_FLAT_SCR_LO:
        w->flat_scratch = (w->flat_scratch & ~(uint64_t)mask) | (value & mask);
        break;
    case LULL_HWREG_FLAT_SCR_HI:
        w->flat_scratch = (w->flat_scratch & ~((uint64_t)mask << 32)) | (uint64_t)(value & mask)
                                                                            << 32;
        break;
    default:
        break;
    }
}

bool lull_wave_trap(struct lull_wave *w, uint32_t trap_id, bool host_trap)
{
    if (!w->trap_en || w->tba == 0) {
        return false;
    }
    w->sgpr[LULL_RDNA_TTMP0] = (uint32_t)w->pc;
    w->sgpr[LULL_RDNA_TTMP0 + 1] = ((uint32_t)(w->pc >> 32) & PC_HI_MASK) |
                                   (trap_id & TRAP_ID_MASK) << TRAP_ID_SHIFT |
                                   (uint32_t)host_trap << HOST_TRAP_SHIFT;
    w->status |= LULL_HWREG_STATUS__PRIV_MASK;
    w->pc = w->tba;
    return true;
}

void lull_wave_observe(struct lull_wave *w, struct lull_observer *o)
{
    w->observer = o;
    w->table = o != NULL ? LULL_TABLE_OBSERVED : LULL_TABLE_PLAIN;
}

static bool read_register(const struct lull_observed *at, unsigned reg, unsigned lane,
                          uint32_t *ret)
{
    const struct lull_wave *w = at->wave;
    if (reg < LULL_RDNA_INT0) {
        *ret = w->sgpr[reg];
        return true;
    }
    if (reg == LULL_RDNA_SCC) {
        *ret = w->scc;
        return true;
    }
    const unsigned n = reg - LULL_RDNA_VGPR0;
    if (reg < LULL_RDNA_VGPR0 || n >= w->nvgprs || lane >= w->lanes) {
        return false;
    }
    *ret = w->vgpr[n * w->lanes + lane];
    return true;
}

void lull_wave_seen_next(const struct lull_wave *w, const struct lull_rdna_insn *in,
                         struct lull_observed *ret)
{
    const uint64_t high = w->lanes == 64 ? w->sgpr[LULL_RDNA_EXEC + 1] : 0;
    ret->insn = (const struct lull_insn *)in;
    ret->pc = w->pc;
    ret->active = w->sgpr[LULL_RDNA_EXEC] | high << 32;
    ret->handler = privileged(w);
}

void lull_wave_seen(const struct lull_wave *w, const struct lull_rdna_insn *in,
                    struct lull_observed *ret)
{
    *ret = (struct lull_observed){
        .arch = &lull_arch_rdna3,
        .insn_bytes = sizeof *in,
        .ninsns = w->ninsns,
        .wave = w,
        .group = w->wg,
        .lanes = w->lanes,
        .place = w->hw_id1,
        .read = read_register,
    };
    lull_wave_seen_next(w, in, ret);
    if (w->vm != NULL) {
        ret->space = w->vm->vmid;
        ret->local_base = w->vm->shared_base;
    }
    if (w->wg != NULL) {
        memcpy(ret->workgroup, w->wg->id, sizeof ret->workgroup);
        ret->local_bytes = w->wg->lds_size;
    }
}

void lull_wave_memory_at(const struct lull_wave *w, const struct lull_observed *at,
                         const struct lull_touch *t)
{
    for (struct lull_observer *o = w->observer; o != NULL; o = o->next) {
        if (o->memory != NULL) {
            o->memory(o, at, t);
        }
    }
}

void lull_wave_memory(const struct lull_wave *w, const struct lull_observed *at,
                      struct lull_touch *t)
{
    if (t->lanes != 0) {
        lull_touch_shape(t, w->lanes);
        lull_wave_memory_at(w, at, t);
    }
}

void lull_wave_touch(const struct lull_wave *w, const struct lull_observed *at, unsigned lane,
                     uint64_t address, size_t size, bool store)
{
    for (struct lull_observer *o = w->observer; o != NULL; o = o->next) {
        if (o->access != NULL) {
            o->access(o, at, lane, address, size, store);
        }
    }
}
