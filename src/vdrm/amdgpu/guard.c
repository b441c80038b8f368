// SPDX-License-Identifier: MIT
// Guards: what is to be done when a debugger goes, even without a word (kill -9), so that it leaves
// no wave standing and no trap behind. What amdkfd does in kfd_dbg_trap_disable() when the process
// of a debugger ends; this driver does not know what debuggers put into memory, so they say so.
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "hw/gc11_regs.h"
#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/debugfs.h"

enum { WATCHES = 4 };

int lull_vda_guard_set(struct lull_vda_control *f, const struct lull_control *c)
{
    if (c->slot >= LULL_NGUARDS || c->address % sizeof c->value != 0) {
        return -EINVAL;
    }
    if (f->guards == NULL) {
        f->guards = calloc(LULL_NGUARDS, sizeof *f->guards);
    }
    if (f->guards == NULL) {
        return -ENOMEM;
    }
    f->guards[c->slot] = c->address != 0 ? *c : (struct lull_control){0};
    return 0;
}

// No wave of @p vmid that begins from now on traps, none hits a watchpoint.
static void reset_registers(struct lull_vda *d, uint32_t vmid)
{
    const struct lull_bank bank = {.grbm = lull_vda_grbm_all(),
                                   .srbm = vmid << LULL_GC11_GRBM_GFX_CNTL__VMID_SHIFT};
    const uint32_t banked[] = {LULL_GC11_SPI_GDBG_PER_VMID_CNTL, LULL_GC11_SQ_SHADER_TBA_LO,
                               LULL_GC11_SQ_SHADER_TBA_HI, LULL_GC11_SQ_SHADER_TMA_LO,
                               LULL_GC11_SQ_SHADER_TMA_HI};
    for (size_t i = 0; i < sizeof banked / sizeof banked[0]; i++) {
        lull_vda_write_reg(d, bank, banked[i], 0);
    }
    for (uint32_t i = 0; i < WATCHES; i++) {
        const uint32_t at = LULL_GC11_TCP_WATCH_CNTL + i * LULL_GC11_TCP_WATCH_CNTL__STRIDE;
        const uint32_t cntl = lull_vda_read_reg(d, bank, at);
        const uint32_t of =
            (cntl & LULL_GC11_TCP_WATCH_CNTL__VMID_MASK) >> LULL_GC11_TCP_WATCH_CNTL__VMID_SHIFT;
        if (of == vmid) {
            lull_vda_write_reg(d, bank, at, 0);
        }
    }
}

// Words of code become what they were, as struct lull_guard_words at @p va says.
static void restore_words(struct lull_vda *d, const struct lull_vda_vm *vm, uint64_t va)
{
    uint32_t n = 0;
    if (va == 0 || !lull_vda_vm_load(d, vm, va, &n) || n > LULL_GUARD_WORDS) {
        return;
    }
    va += offsetof(struct lull_guard_words, all);
    for (uint32_t i = 0; i < n; i++, va += 16) {
        uint32_t row[4] = {0}, now = 0;
        bool good = true;
        for (uint32_t k = 0; k < 4; k++) {
            good = good && lull_vda_vm_load(d, vm, va + 4 * k, &row[k]);
        }
        const uint64_t at = row[0] | (uint64_t)row[1] << 32;
        if (good && lull_vda_vm_load(d, vm, at, &now) && now == row[2]) {
            (void)lull_vda_vm_store(d, vm, at, row[3]);
        }
    }
}

void lull_vda_guards_done(struct lull_vda_control *f)
{
    struct lull_vda *d = lull_vda(f->f.d);
    for (unsigned i = 0; f->guards != NULL && i < LULL_NGUARDS; i++) {
        const struct lull_control *g = &f->guards[i];
        struct lull_vd_file *of = d->vd.files;
        while (of != NULL && (of->kind != LULL_VD_DRM || of->fds == 0 || of->id != g->file)) {
            of = of->next;
        }
        if (g->op == 0 || of == NULL) {
            continue;
        }
        if (lull_vda_vm_of(of)->vmid != 0) {
            reset_registers(d, lull_vda_vm_of(of)->vmid);
        }
        restore_words(d, lull_vda_vm_of(of), g->number);
        (void)lull_vda_vm_store(d, lull_vda_vm_of(of), g->address,
                                g->value); // or it is unmapped: no wave is
    }
    free(f->guards);
    f->guards = NULL;
}
