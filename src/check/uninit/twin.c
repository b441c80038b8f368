// SPDX-License-Identifier: MIT
#include "check/uninit/twin.h"

#include <stdlib.h>
#include <string.h>

#include "hw/hwreg_regs.h"
#include "model/amd/wave/exec.h"

static uint64_t next(uint64_t v)
{
    // Steele and Vigna's generator SplitMix64.
    v += UINT64_C(0x9e3779b97f4a7c15);
    v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    v = (v ^ v >> 27) * UINT64_C(0x94d049bb133111eb);
    return v ^ v >> 31;
}

/** @p from with each byte changed, by what depends on the place alone. */
static void change(void *to, const void *from, size_t bytes, uint64_t place)
{
    const uint8_t *in = from;
    uint8_t *out = to;
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t by = next(place + i) | UINT64_C(0x0101010101010101);
        for (size_t k = i; k < bytes && k < i + sizeof by; k++, by >>= 8) {
            out[k] = in[k] ^ (uint8_t)by;
        }
    }
}

struct lull_workgroup *lull_twin_group(const struct lull_workgroup *of)
{
    struct lull_workgroup *g = calloc(1, sizeof *g + of->lds_size);
    if (g != NULL) {
        *g = *of;
        g->lds = (uint8_t *)(g + 1);
        change(g->lds, of->lds, of->lds_size, 0);
    }
    return g;
}

static void no_fault(struct lull_wave *w)
{
    (void)w;
}

static uint64_t exec_of(const struct lull_wave *w)
{
    const uint64_t high = w->lanes == 64 ? w->sgpr[LULL_RDNA_EXEC + 1] : 0;
    return w->sgpr[LULL_RDNA_EXEC] | high << 32;
}

/** Scratch memory, mapped where the wave's is: lanes' dwords lie one behind the other. */
static bool give_scratch(struct lull_twin *t)
{
    const uint64_t from = t->of->flat_scratch & ~(uint64_t)(LULL_PAGE_SIZE - 1);
    const uint64_t end =
        t->of->flat_scratch + (uint64_t)t->of->scratch_bytes * t->of->lanes + LULL_PAGE_SIZE - 1;
    const uint64_t pages = (end - from) / LULL_PAGE_SIZE;
    if (t->of->scratch_bytes == 0 || pages > LULL_TLB_ENTRIES) {
        return t->of->scratch_bytes == 0;
    }
    t->vm = calloc(1, sizeof *t->vm);
    t->scratch = calloc(pages, LULL_PAGE_SIZE);
    if (t->vm == NULL || t->scratch == NULL) {
        return false;
    }
    t->scratch_base = from;
    t->scratch_bytes = (uint32_t)(pages * LULL_PAGE_SIZE);
    t->vm->shared_base = t->of->vm->shared_base;
    t->vm->private_base = t->of->vm->private_base;
    for (uint64_t i = 0; i < pages; i++) {
        const uint64_t page = from / LULL_PAGE_SIZE + i;
        uint8_t *mine = t->scratch + i * LULL_PAGE_SIZE;
        const uint8_t *host = lull_vm_host(t->of->vm, from + i * LULL_PAGE_SIZE, LULL_ACCESS_READ);
        change(mine, host != NULL ? host : mine, LULL_PAGE_SIZE,
               UINT64_C(1) << 42 | i * LULL_PAGE_SIZE);
        t->vm->tlb[page % LULL_TLB_ENTRIES] = (struct lull_tlb_entry){
            .tag = page + 1,
            .host = mine,
            .access = LULL_ACCESS_READ | LULL_ACCESS_WRITE | LULL_ACCESS_ATOMIC};
    }
    return true;
}

/** Registers that the launch did not write. */
static void change_registers(struct lull_twin *t, unsigned sgprs)
{
    const struct lull_wave *of = t->of;
    const size_t row = of->lanes * sizeof *of->vgpr;
    change(t->w.vgpr, of->vgpr, of->nvgprs * row, UINT64_C(1) << 40);
    change(&t->w.sgpr[sgprs], &of->sgpr[sgprs], (LULL_RDNA_TTMP0 - sgprs) * sizeof of->sgpr[0],
           UINT64_C(1) << 41);
    lull_twin_copy(t, LULL_RDNA_VGPR0, exec_of(of));
    for (unsigned r = 0; r < of->nvgprs; r++) {
        lull_twin_look(t, LULL_RDNA_VGPR0 + r);
    }
    for (unsigned r = 0; r < LULL_RDNA_TTMP0; r++) {
        lull_twin_look(t, r);
    }
}

struct lull_twin *lull_twin_new(const struct lull_wave *of, struct lull_workgroup *group,
                                unsigned sgprs)
{
    static const struct lull_wave_host host = {.vm_fault = no_fault};
    struct lull_twin *t = calloc(1, sizeof *t);
    if (t == NULL) {
        return NULL;
    }
    t->of = of;
    t->w = *of;
    t->w.host = &host;
    t->w.observer = NULL;
    t->w.owner = NULL;
    t->w.wg = group;
    t->w.vgpr = calloc((size_t)of->nvgprs * of->lanes, sizeof *t->w.vgpr);
    if (t->w.vgpr == NULL || !give_scratch(t)) {
        lull_twin_free(t);
        return NULL;
    }
    change_registers(t, sgprs);
    return t;
}

void lull_twin_free(struct lull_twin *t)
{
    if (t != NULL) {
        free(t->w.vgpr);
        free(t->vm);
        free(t->scratch);
        free(t);
    }
}

void lull_twin_follow(struct lull_twin *t)
{
    const struct lull_wave *of = t->of;
    t->w.pc = of->pc;
    t->w.status = of->status;
    t->w.mode =
        of->mode & ~LULL_HWREG_MODE__EXCP_EN_MASK & ~LULL_HWREG_MODE__TRAP_AFTER_INST_EN_MASK;
    t->w.trapsts = of->trapsts;
    t->w.flat_scratch = of->flat_scratch;
    t->w.pending = t->w.trap_en = 0;
    t->w.state = LULL_WAVE_RUNNING;
    memcpy(&t->w.sgpr[LULL_RDNA_EXEC], &of->sgpr[LULL_RDNA_EXEC], 8);
}

void lull_twin_step(struct lull_twin *t)
{
    lull_wave_run(&t->w, 1);
}

void lull_twin_access(struct lull_twin *t, const struct lull_rdna_insn *in, uint64_t lanes)
{
    lull_exec_fn *const access = lull_mem_handler(in, LULL_TABLE_PLAIN);
    const uint64_t exec = exec_of(&t->w) & lanes;
    t->w.sgpr[LULL_RDNA_EXEC] = (uint32_t)exec;
    t->w.sgpr[LULL_RDNA_EXEC + 1] = (uint32_t)(exec >> 32);
    t->w.vm = t->vm != NULL ? t->vm : t->of->vm;
    if (access != NULL && exec != 0) {
        access(&t->w, in);
    }
    t->w.vm = t->of->vm;
    memcpy(&t->w.sgpr[LULL_RDNA_EXEC], &t->of->sgpr[LULL_RDNA_EXEC], 8);
}

uint64_t lull_twin_differs(const struct lull_twin *t, unsigned reg)
{
    if (reg < LULL_TWIN_SGPRS) {
        return t->w.sgpr[reg] != t->of->sgpr[reg];
    }
    const unsigned n = reg - LULL_RDNA_VGPR0;
    uint64_t lanes = 0;
    if (reg < LULL_RDNA_VGPR0 || n >= t->w.nvgprs) {
        return reg == LULL_RDNA_SCC && t->w.scc != t->of->scc;
    }
    const uint32_t *a = t->w.vgpr + (size_t)n * t->w.lanes;
    const uint32_t *b = t->of->vgpr + (size_t)n * t->w.lanes;
    for (unsigned l = 0; l < t->w.lanes; l++) {
        lanes |= (uint64_t)(a[l] != b[l]) << l;
    }
    return lanes;
}

/** The word and the bit of a register; NULL: it has none. */
static uint64_t *dirty_word(struct lull_twin *t, unsigned reg, uint64_t *bit)
{
    const unsigned n = reg < LULL_TWIN_SGPRS ? reg : reg - LULL_RDNA_VGPR0;
    *bit = UINT64_C(1) << n % 64;
    return reg < LULL_TWIN_SGPRS                           ? &t->sdirty[n / 64]
           : reg >= LULL_RDNA_VGPR0 && n < LULL_TWIN_VGPRS ? &t->vdirty[n / 64]
                                                           : NULL;
}

bool lull_twin_dirty(const struct lull_twin *t, unsigned reg)
{
    uint64_t bit = 0;
    const uint64_t *word = dirty_word((struct lull_twin *)(uintptr_t)t, reg, &bit);
    return word != NULL ? (*word & bit) != 0 : lull_twin_differs(t, reg) != 0;
}

void lull_twin_look(struct lull_twin *t, unsigned reg)
{
    uint64_t bit = 0, *word = dirty_word(t, reg, &bit);
    if (word != NULL) {
        *word = lull_twin_differs(t, reg) != 0 ? *word | bit : *word & ~bit;
    }
}

void lull_twin_copy(struct lull_twin *t, unsigned reg, uint64_t lanes)
{
    const unsigned n = reg - LULL_RDNA_VGPR0;
    if (reg < LULL_TWIN_SGPRS) {
        t->w.sgpr[reg] = t->of->sgpr[reg];
    } else if (reg == LULL_RDNA_SCC) {
        t->w.scc = t->of->scc;
    } else if (reg >= LULL_RDNA_VGPR0 && n < t->w.nvgprs) {
        const size_t at = (size_t)n * t->w.lanes;
        for (unsigned l = 0; l < t->w.lanes; l++) {
            if ((lanes >> l & 1) != 0) {
                t->w.vgpr[at + l] = t->of->vgpr[at + l];
            }
        }
    }
    lull_twin_look(t, reg);
}
