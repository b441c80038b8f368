// SPDX-License-Identifier: MIT
/* What the debugger reads without the trap handler's help: buffers, page tables, running waves. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "hw/field.h"
#include "hw/gc11_regs.h"
#include "hw/hwreg_regs.h"
#include "hw/pte11_regs.h"
#include "target/amd/debug_priv.h"

extern const uint8_t lull_probe_gfx11[], lull_probe_gfx11_end[];

enum { PAGE = 4096, LEVELS = 4, PROBE_MS = 1000, SIMDS = 4, WAVES = 16, SAS = 2 };

static struct lull_amd_target *amd(struct lull_target *t)
{
    return (struct lull_amd_target *)t;
}

struct lull_error *lull_amd_probe_vmid(struct lull_amd_device *d, unsigned *ret)
{
    struct lull_amd_bo *code = NULL;
    struct lull_amd_bo *out = NULL;
    size_t size = (size_t)(lull_probe_gfx11_end - lull_probe_gfx11);
    struct lull_error *err = lull_amd_bo_new(d, "probe", size, LULL_AMD_BO_EXEC, &code);
    if (err == NULL) {
        err = lull_amd_bo_new(d, "probe result", PAGE, LULL_AMD_BO_GTT, &out);
    }
    if (err != NULL) {
        return err;
    }
    memcpy(code->map, lull_probe_gfx11, size);
    memset(out->map, 0xff, 4);
    struct lull_amd_dispatch p = {
        .code_va = code->va,
        .rsrc2 = lull_set(0, LULL_GC11_COMPUTE_PGM_RSRC2__USER_SGPR_MASK, 2),
        .user_data = {(uint32_t)out->va, (uint32_t)(out->va >> 32)},
        .nuser_data = 2,
        .grid = {1, 1, 1},
        .block = {1, 1, 1},
        .wave32 = true,
    };
    err = lull_amd_submit(d, &p);
    enum lull_amd_wait state = LULL_AMD_WAIT_BUSY;
    if (err == NULL) {
        err = lull_amd_wait(d, UINT64_C(1000000) * PROBE_MS, &state);
    }
    if (err != NULL) {
        return err;
    }
    uint32_t id2 = *(const volatile uint32_t *)out->map;
    if (state != LULL_AMD_WAIT_DONE || id2 == UINT32_MAX) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "the probe that asks for our VMID did not come back");
    }
    *ret = lull_get(id2, LULL_HWREG_HW_ID2__VM_ID_MASK);
    return NULL;
}

static struct lull_amd_bo *bo_at(const struct lull_amd_target *t, uint64_t va)
{
    for (size_t i = 0; t->d != NULL && i < t->d->nbos; i++) {
        struct lull_amd_bo *bo = t->d->bos[i];
        if (va >= bo->va && va - bo->va < (bo->size + PAGE - 1) / PAGE * PAGE) {
            return bo;
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *copy_dwords(struct lull_amd_target *t,
                                                    const struct lull_walk *walk, uint64_t skip,
                                                    void *to, const void *from, size_t size)
{
    uint64_t address = walk->address - skip;
    if (walk->system) {
        return from == NULL ? lull_debugfs_read_iomem(&t->debugfs, address, to, size)
                            : lull_debugfs_write_iomem(&t->debugfs, address, from, size);
    }
    return from == NULL ? lull_debugfs_read_vram(&t->debugfs, address, to, size)
                        : lull_debugfs_write_vram(&t->debugfs, address, from, size);
}

/* One page or less, by the page tables: memory that is not ours to map. debugfs takes whole
 * dwords. */
LULL_MUST_USE static struct lull_error *copy_page(struct lull_amd_target *t, uint64_t va, void *to,
                                                  const void *from, size_t size)
{
    struct lull_walk walk = {0};
    struct lull_error *err = lull_amd_walk(&t->base, va, &walk);
    if (err != NULL) {
        return err;
    }
    if (!walk.mapped) {
        return lull_error_fault(va, "0x%012" PRIx64 " is not mapped in VMID %u", va, t->vmid);
    }
    size_t skip = va % 4;
    size_t whole = (skip + size + 3) / 4 * 4;
    if (whole == size) {
        return copy_dwords(t, &walk, 0, to, from, size);
    }
    uint8_t dwords[PAGE] = {0};
    err = copy_dwords(t, &walk, skip, dwords, NULL, whole);
    if (err == NULL && from == NULL) {
        memcpy(to, dwords + skip, size);
    } else if (err == NULL) {
        memcpy(dwords + skip, from, size);
        err = copy_dwords(t, &walk, skip, dwords, dwords, whole);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *copy(struct lull_amd_target *t, uint64_t va, void *to,
                                             const void *from, size_t size)
{
    for (size_t done = 0; done < size;) {
        uint64_t at = va + done;
        size_t part = PAGE - at % PAGE < size - done ? PAGE - at % PAGE : size - done;
        struct lull_amd_bo *bo = bo_at(t, at);
        struct lull_error *err = NULL;
        if (bo == NULL) {
            err = copy_page(t, at, (uint8_t *)to + done,
                            from != NULL ? (const uint8_t *)from + done : NULL, part);
        } else if (from == NULL) {
            memcpy((uint8_t *)to + done, (uint8_t *)bo->map + (at - bo->va), part);
        } else {
            memcpy((uint8_t *)bo->map + (at - bo->va), (const uint8_t *)from + done, part);
        }
        if (err != NULL) {
            return err;
        }
        done += part;
    }
    return NULL;
}

struct lull_error *lull_amd_read_as_is(struct lull_amd_target *t, uint64_t va, void *buf,
                                       size_t size)
{
    return copy(t, va, buf, NULL, size);
}

struct lull_error *lull_amd_write_as_is(struct lull_amd_target *t, uint64_t va, const void *buf,
                                        size_t size)
{
    uint8_t none = 0;
    return copy(t, va, &none, buf, size);
}

struct lull_error *lull_amd_bos(struct lull_target *base, struct lull_bo_info *infos, size_t room,
                                size_t *ret)
{
    const struct lull_amd_target *t = amd(base);
    for (size_t i = 0; i < t->d->nbos && i < room; i++) {
        const struct lull_amd_bo *bo = t->d->bos[i];
        infos[i] = (struct lull_bo_info){.name = bo->name,
                                         .va = bo->va,
                                         .size = bo->size,
                                         .handle = bo->handle,
                                         .vram = bo->vram,
                                         .writable = bo->writable,
                                         .executable = bo->executable};
    }
    *ret = t->d->nbos;
    return NULL;
}

struct lull_error *lull_amd_root(struct lull_amd_target *t, uint64_t *ret_root, uint64_t *ret_vram)
{
    uint32_t base[2] = {0};
    uint32_t offset = 0;
    struct lull_reg_bank bank = {0};
    struct lull_error *err = lull_debugfs_read_regs(
        &t->debugfs, &bank, LULL_GC11_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32 + 8 * t->vmid, base,
        2);
    if (err == NULL) {
        err = lull_debugfs_read_regs(&t->debugfs, &bank, LULL_GC11_GCMC_VM_FB_OFFSET, &offset, 1);
    }
    *ret_root = base[0] | (uint64_t)base[1] << 32;
    *ret_vram = (uint64_t)offset << 24;
    return err;
}

static void leaf(struct lull_walk *w, uint64_t entry, unsigned level, uint64_t vram)
{
    w->mapped = true;
    w->page_size = UINT64_C(1) << (12 + 9 * level);
    w->system = (entry & LULL_PTE11_PTE__SYSTEM_MASK) != 0;
    w->address =
        (entry & LULL_PTE11_PTE__ADDRESS_MASK & ~(w->page_size - 1)) + (w->va & (w->page_size - 1));
    w->address -= w->system ? 0 : vram;
}

struct lull_error *lull_amd_walk(struct lull_target *base, uint64_t va, struct lull_walk *ret)
{
    struct lull_amd_target *t = amd(base);
    struct lull_walk w = {.va = va, .vmid = t->vmid};
    uint64_t vram = 0;
    struct lull_error *err = lull_amd_root(t, &w.root, &vram);
    uint64_t table = w.root & LULL_PTE11_BASE__ADDRESS_MASK;
    for (unsigned level = LEVELS; err == NULL && level-- > 0;) {
        uint64_t index = va >> (12 + 9 * level) & 511;
        struct lull_walk_step *step = &w.steps[w.nsteps++];
        step->level = level;
        step->entry_address = table - vram + 8 * index;
        err = lull_debugfs_read_vram(&t->debugfs, step->entry_address, &step->entry, 8);
        step->valid = (step->entry & LULL_PTE11_PDE__VALID_MASK) != 0;
        step->leaf = level == 0 || (step->entry & LULL_PTE11_PDE__PDE_PTE_MASK) != 0;
        if (err != NULL || !step->valid) {
            break;
        }
        if (step->leaf) {
            leaf(&w, step->entry, level, vram);
            break;
        }
        table = step->entry & LULL_PTE11_PDE__ADDRESS_MASK;
    }
    if (err == NULL) {
        *ret = w;
    }
    return err;
}

static bool stands(const struct lull_amd_target *t, uint32_t slot)
{
    for (size_t i = 0; i < t->nstopped; i++) {
        if (t->stopped[i] == slot) {
            return true;
        }
    }
    return false;
}

static void describe(const struct lull_amd_target *t, const struct lull_wave_status *s,
                     struct lull_wave_slot at, uint32_t slot, struct lull_wave_info *info)
{
    *info = (struct lull_wave_info){
        .key = slot,
        .se = at.se,
        .sa = at.sa,
        .wgp = at.wgp,
        .simd = at.simd,
        .slot = at.wave,
        .vmid = (uint8_t)lull_get(s->hw_id2, LULL_HWREG_HW_ID2__VM_ID_MASK),
        .lanes = lull_get(s->ib_sts2, LULL_HWREG_IB_STS2__WAVE64_MASK) != 0 ? 64 : 32,
        .pc = lull_amd_breaks_origin(t, s->pc),
        .exec = s->exec,
        .status = s->status,
        .mode = s->mode,
        .trapsts = s->trapsts,
        .hw_id1 = s->hw_id1,
        .hw_id2 = s->hw_id2,
    };
}

static struct lull_wave_slot place_of(const struct lull_amd_target *t, uint32_t slot)
{
    const uint32_t array = slot / (WAVES * SIMDS * t->wgps);
    return (struct lull_wave_slot){.wave = (uint8_t)(slot % WAVES),
                                   .simd = (uint8_t)(slot / WAVES % SIMDS),
                                   .wgp = (uint8_t)(slot / (WAVES * SIMDS) % t->wgps),
                                   .sa = (uint8_t)(array % SAS),
                                   .se = (uint8_t)(array / SAS)};
}

/** @p ret_ours: a wave is in the slot, and it is the target's. */
LULL_MUST_USE static struct lull_error *look_into(struct lull_amd_target *t,
                                                  struct lull_wave_slot at,
                                                  struct lull_wave_status *ret, bool *ret_ours)
{
    struct lull_error *err = lull_debugfs_read_wave(&t->debugfs, at, ret);
    *ret_ours = err == NULL && (ret->status & LULL_HWREG_STATUS__VALID_MASK) != 0 &&
                (t->live || lull_get(ret->hw_id2, LULL_HWREG_HW_ID2__VM_ID_MASK) == t->vmid);
    return err;
}

static bool within(uint64_t pc, const struct lull_amd_bo *bo)
{
    return bo != NULL && (pc - bo->va) << 16 >> 16 < bo->size; // of addresses, 48 bits count
}

struct lull_error *lull_amd_inside(struct lull_amd_target *t, bool *ret)
{
    const struct lull_reg_bank none = {0};
    uint32_t grbm = 0;
    struct lull_error *err =
        lull_debugfs_read_regs(&t->debugfs, &none, LULL_GC11_GRBM_STATUS, &grbm, 1);
    const bool idle = (grbm & LULL_GC11_GRBM_STATUS__GUI_ACTIVE_MASK) == 0;
    *ret = false;
    for (uint32_t slot = 0; err == NULL && !idle && slot < t->nslots && !*ret; slot++) {
        struct lull_wave_status s = {0};
        bool ours = false;
        err = look_into(t, place_of(t, slot), &s, &ours);
        *ret = ours && (within(s.pc, t->handler) || within(s.pc, t->breaks.blocks) ||
                        within(s.pc, t->breaks.tests));
    }
    return err;
}

struct lull_error *lull_amd_running(struct lull_target *base, struct lull_wave_info *infos,
                                    size_t room, size_t *ret)
{
    struct lull_amd_target *t = amd(base);
    size_t n = 0;
    for (uint32_t slot = 0; slot < t->nslots; slot++) {
        const struct lull_wave_slot at = place_of(t, slot);
        struct lull_wave_status s = {0};
        bool ours = false;
        if (stands(t, slot)) {
            continue;
        }
        struct lull_error *err = look_into(t, at, &s, &ours);
        if (err != NULL) {
            return err;
        }
        if (!ours) {
            continue;
        }
        if (n < room) {
            describe(t, &s, at, slot, &infos[n]);
        }
        n++;
    }
    *ret = n;
    return NULL;
}
