// SPDX-License-Identifier: MIT
#include "check/uninit/twin.h"

#include <stdlib.h>
#include <string.h>

#include "hw/hwreg_regs.h"
#include "model/amd/wave/exec.h"

/** What place @p v differs by. It need not be random, only another for each place. */
static uint64_t by_place(uint64_t v)
{
    v *= UINT64_C(0x9e3779b97f4a7c15); // 2 to the 64 by the golden ratio.
    return (v ^ v >> 32) | UINT64_C(0x0101010101010101);
}

/** Two dwords whose bytes all differ from those of @p v. As floats they are around 1 (f64: 2^-31 to
 * 2^32): a sum hides tiny ones, and a division by huge ones is as good as 0. */
static uint64_t other(uint64_t v, uint64_t by)
{
    enum { LOW = 24, HIGH = LOW + 32 }; // The lowest bit of a dword's upper byte.
    const uint64_t tops = UINT64_C(0x7f0000007f000000);
    const uint64_t near = UINT64_C(0x3e0000003e000000) + (by >> 3 & UINT64_C(0x0300000003000000));
    const uint64_t ret = ((v ^ by) & ~tops) | near, same = ~(near ^ v) & tops;
    const uint64_t low = (same & 0x7f000000) == 0x7f000000;
    const uint64_t high = (same >> 32) == 0x7f000000;
    return ret ^ low << LOW ^ high << HIGH;
}

/** @p from with each byte changed, by what depends on the place alone. */
static void change(void *to, const void *from, size_t bytes, uint64_t place)
{
    const uint8_t *in = from;
    uint8_t *out = to;
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        const size_t n = bytes - i < sizeof(uint64_t) ? bytes - i : sizeof(uint64_t);
        uint64_t v = 0;
        memcpy(&v, in + i, n);
        v = other(v, by_place(place + i));
        memcpy(out + i, &v, n);
    }
}

enum { V0 = 40, S0 = 41 }; // Bits of places that tell registers apart.
enum { STRIP = 8 };        // Lanes that are compared at once.

struct lull_twin_group *lull_twin_group(const struct lull_workgroup *of)
{
    const size_t words = of->lds_size / 256 + 1, room = (of->lds_size + 7) / 8 * 8;
    struct lull_twin_group *g = calloc(1, sizeof *g + words * sizeof *g->dirty + room);
    if (g != NULL) {
        g->wg = *of;
        g->dirty = (uint64_t *)(g + 1);
        for (size_t d = 0; d < (of->lds_size + 3) / 4; d++) {
            g->dirty[d / 64] |= UINT64_C(1) << d % 64;
        }
        g->end = words;
        g->wg.lds = (uint8_t *)(g->dirty + words);
        change(g->wg.lds, of->lds, of->lds_size, 0);
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

static uint64_t scratch_pages(const struct lull_twin *t)
{
    return t->scratch_bytes / LULL_PAGE_SIZE;
}

/** Scratch memory: lanes' dwords lie one behind the other, as in the pages of the wave's. */
static bool give_scratch(struct lull_twin *t)
{
    const uint64_t from = t->of->flat_scratch & ~(uint64_t)(LULL_PAGE_SIZE - 1);
    const uint64_t bytes = (uint64_t)t->of->scratch_bytes * t->of->lanes;
    const uint64_t end = t->of->flat_scratch + bytes + LULL_PAGE_SIZE - 1;
    const uint64_t pages = (end - from) / LULL_PAGE_SIZE;
    if (t->of->scratch_bytes == 0 || pages > LULL_TLB_RUN) {
        return t->of->scratch_bytes == 0;
    }
    t->scratch = calloc(pages, LULL_PAGE_SIZE);
    if (t->scratch == NULL) {
        return false;
    }
    t->scratch_base = from;
    t->scratch_bytes = (uint32_t)(pages * LULL_PAGE_SIZE);
    for (uint64_t at = t->of->flat_scratch, n = 0; at < t->of->flat_scratch + bytes; at += n) {
        const uint64_t left = t->of->flat_scratch + bytes - at, in = at % LULL_PAGE_SIZE;
        uint8_t *mine = t->scratch + (at - from);
        const uint8_t *host =
            lull_vm_host(t->of->vm, at & ~(uint64_t)(LULL_PAGE_SIZE - 1), LULL_ACCESS_READ);
        n = left < LULL_PAGE_SIZE - in ? left : LULL_PAGE_SIZE - in;
        change(mine, host != NULL ? host + in : mine, n, UINT64_C(1) << 42 | (at - from));
    }
    return true;
}

/** The scratch memory of the twin is mapped where the wave's is. Most twins do without. NULL: no
 * memory. */
static struct lull_vm *map_scratch(struct lull_twin *t)
{
    t->vm = t->vm != NULL ? t->vm : calloc(1, sizeof *t->vm);
    if (t->vm == NULL) {
        return NULL;
    }
    t->vm->shared_base = t->of->vm->shared_base;
    t->vm->private_base = t->of->vm->private_base;
    for (uint64_t i = 0; i < scratch_pages(t); i++) {
        const uint64_t page = t->scratch_base / LULL_PAGE_SIZE + i;
        t->vm->tlb[lull_tlb_place(page)] = (struct lull_tlb_entry){
            .tag = page + 1,
            .host = t->scratch + i * LULL_PAGE_SIZE,
            .access = LULL_ACCESS_READ | LULL_ACCESS_WRITE | LULL_ACCESS_ATOMIC};
    }
    return t->vm;
}

/** Bits @p from to @p end - 1, of @p n words. */
static void set_range(uint64_t *words, unsigned n, unsigned from, unsigned end)
{
    for (unsigned i = 0; i < n; i++) {
        const unsigned low = from > 64 * i ? from - 64 * i : 0;
        const unsigned high = end > 64 * i ? end - 64 * i : 0;
        const uint64_t above = low < 64 ? UINT64_MAX << low : 0;
        words[i] |= above & (high < 64 ? (UINT64_C(1) << high) - 1 : UINT64_MAX);
    }
}

/** Registers that the launch did not write. */
static void change_registers(struct lull_twin *t, unsigned sgprs)
{
    set_range(t->vdirty, LULL_TWIN_VGPRS / 64, 0, t->of->nvgprs);
    set_range(t->sdirty, LULL_TWIN_SGPRS / 64, sgprs, LULL_RDNA_TTMP0);
    memcpy(t->vnever, t->vdirty, sizeof t->vnever);
    memcpy(t->snever, t->sdirty, sizeof t->snever);
    lull_twin_copy(t, LULL_RDNA_VGPR0, exec_of(t->of));
}

struct lull_twin *lull_twin_new(const struct lull_wave *of, struct lull_twin_group *group,
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
    t->w.wg = &group->wg;
    t->group = group;
    t->w.vgpr = malloc((size_t)of->nvgprs * of->lanes * sizeof *t->w.vgpr);
    if (t->w.vgpr == NULL || !give_scratch(t)) {
        lull_twin_free(t);
        return NULL;
    }
    change_registers(t, sgprs);
    return t;
}

void lull_twin_know(struct lull_twin *t, bool local)
{
    memset(t->vdirty, 0, sizeof t->vdirty);
    memset(t->vnever, 0, sizeof t->vnever);
    memset(t->sdirty, 0, sizeof t->sdirty);
    memset(t->snever, 0, sizeof t->snever);
    if (local) {
        memset(t->group->dirty, 0, (t->of->wg->lds_size / 256 + 1) * sizeof *t->group->dirty);
    }
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
    const bool scratch = t->scratch != NULL && in->enc != LULL_RDNA_DS;
    t->w.vm = !scratch ? t->of->vm : t->vm != NULL ? t->vm : map_scratch(t);
    if (access != NULL && exec != 0 && t->w.vm != NULL) {
        access(&t->w, in);
    }
    t->w.vm = t->of->vm;
    memcpy(&t->w.sgpr[LULL_RDNA_EXEC], &t->of->sgpr[LULL_RDNA_EXEC], 8);
}

/** The word and the bit of a register, as it may differ; @p never: as nothing has written it. NULL:
 * it has none. */
static uint64_t *word_of(struct lull_twin *t, unsigned reg, bool never, uint64_t *bit)
{
    const unsigned n = reg < LULL_TWIN_SGPRS ? reg : reg - LULL_RDNA_VGPR0;
    *bit = UINT64_C(1) << n % 64;
    return reg < LULL_TWIN_SGPRS ? (never ? &t->snever[n / 64] : &t->sdirty[n / 64])
           : reg >= LULL_RDNA_VGPR0 && n < LULL_TWIN_VGPRS
               ? (never ? &t->vnever[n / 64] : &t->vdirty[n / 64])
               : NULL;
}

static inline bool has(const struct lull_twin *t, unsigned reg, bool never)
{
    const unsigned n = reg - LULL_RDNA_VGPR0;
    if (reg < LULL_TWIN_SGPRS) {
        return ((never ? t->snever : t->sdirty)[reg / 64] >> reg % 64 & 1) != 0;
    }
    return reg >= LULL_RDNA_VGPR0 && n < LULL_TWIN_VGPRS &&
           ((never ? t->vnever : t->vdirty)[n / 64] >> n % 64 & 1) != 0;
}

static void set(struct lull_twin *t, unsigned reg, bool never, bool on)
{
    uint64_t bit = 0, *word = word_of(t, reg, never, &bit);
    if (word != NULL) {
        *word = on ? *word | bit : *word & ~bit;
    }
}

bool lull_twin_dirty(const struct lull_twin *t, unsigned reg)
{
    return reg == LULL_RDNA_SCC ? t->scc_dirty : has(t, reg, false);
}

/** Lanes of the wave, as a mask. */
static uint64_t all_lanes(const struct lull_twin *t)
{
    return t->w.lanes == 64 ? UINT64_MAX : UINT32_MAX;
}

/** Lanes in which the values of vector register @p n differ. */
static uint64_t compare(const struct lull_twin *t, unsigned n)
{
    const uint32_t *a = t->w.vgpr + (size_t)n * t->w.lanes;
    const uint32_t *b = t->of->vgpr + (size_t)n * t->w.lanes;
    uint64_t lanes = 0;
    for (unsigned from = 0; n < t->w.nvgprs && from < t->w.lanes; from += STRIP) {
        uint8_t differs[STRIP];
        uint64_t eight = 0;
        for (unsigned l = 0; l < STRIP; l++) {
            differs[l] = a[from + l] != b[from + l];
        }
        memcpy(&eight, differs, sizeof eight);
        lanes |= eight * UINT64_C(0x0102040810204080) >> 56 << from; // Bit 0 of each byte.
    }
    return lanes;
}

uint64_t lull_twin_differs(const struct lull_twin *t, unsigned reg)
{
    if (!lull_twin_dirty(t, reg)) {
        return 0;
    }
    if (reg == LULL_RDNA_SCC) {
        return t->w.scc != t->of->scc;
    }
    if (has(t, reg, true)) {
        return reg < LULL_TWIN_SGPRS ? 1 : all_lanes(t);
    }
    return reg < LULL_TWIN_SGPRS ? t->w.sgpr[reg] != t->of->sgpr[reg]
                                 : t->vlanes[reg - LULL_RDNA_VGPR0];
}

bool lull_twin_lane_differs(const struct lull_twin *t, unsigned vgpr, unsigned lane)
{
    return (lull_twin_differs(t, LULL_RDNA_VGPR0 + vgpr) >> lane & 1) != 0;
}

/** Of @p n dwords those of @p lanes; @p all: of all. */
static void copy_lanes(uint32_t *to, const uint32_t *from, unsigned n, uint64_t lanes, uint64_t all)
{
    if ((lanes & all) == all) {
        memcpy(to, from, n * sizeof *to);
        return;
    }
    for (uint64_t m = lanes & all; m != 0; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(m);
        to[l] = from[l];
    }
}

/** The dword at byte @p at of all lanes' scratch memory. */
static uint32_t *scratch_row(const struct lull_twin *t, uint32_t at)
{
    const uint64_t base = t->of->flat_scratch - t->scratch_base;
    return (uint32_t *)(void *)(t->scratch + base + (uint64_t)at * t->w.lanes);
}

void lull_twin_store_scratch(struct lull_twin *t, uint32_t at, unsigned reg, uint64_t lanes)
{
    const size_t row = (size_t)(reg - LULL_RDNA_VGPR0) * t->w.lanes;
    const bool differs = lull_twin_dirty(t, reg);
    if (differs) {
        lull_twin_fetch(t, reg);
    }
    copy_lanes(scratch_row(t, at), (differs ? t->w.vgpr : t->of->vgpr) + row, t->w.lanes, lanes,
               all_lanes(t));
}

void lull_twin_load_scratch(struct lull_twin *t, uint32_t at, unsigned reg, uint64_t lanes,
                            uint64_t differ)
{
    const unsigned n = reg - LULL_RDNA_VGPR0;
    const bool whole = (lanes & all_lanes(t)) == all_lanes(t);
    const uint64_t others = lull_twin_differs(t, reg) & ~lanes;
    if (!whole) {
        lull_twin_fetch(t, reg);
    }
    t->vlanes[n] = (whole ? 0 : others) | (differ & lanes & all_lanes(t));
    set(t, reg, false, t->vlanes[n] != 0);
    set(t, reg, true, false);
    copy_lanes(t->w.vgpr + (size_t)n * t->w.lanes, scratch_row(t, at), t->w.lanes, lanes,
               all_lanes(t));
}

static void look_vector(struct lull_twin *t, unsigned reg)
{
    const unsigned n = reg - LULL_RDNA_VGPR0;
    if (n < LULL_TWIN_VGPRS) {
        t->vlanes[n] = compare(t, n);
        set(t, reg, false, t->vlanes[n] != 0);
    }
}

void lull_twin_look(struct lull_twin *t, unsigned reg)
{
    if (reg == LULL_RDNA_SCC) {
        t->scc_dirty = t->w.scc != t->of->scc;
    } else if (reg < LULL_TWIN_SGPRS && !has(t, reg, true)) {
        set(t, reg, false, t->w.sgpr[reg] != t->of->sgpr[reg]);
    } else if (reg >= LULL_RDNA_VGPR0 && !has(t, reg, true)) {
        look_vector(t, reg);
    }
}

void lull_twin_fetch(struct lull_twin *t, unsigned reg)
{
    const unsigned n = reg - LULL_RDNA_VGPR0;
    const bool vgpr = reg >= LULL_RDNA_VGPR0 && n < t->w.nvgprs;
    const size_t at = (size_t)n * t->w.lanes, bytes = t->w.lanes * sizeof *t->w.vgpr;
    if (has(t, reg, true)) {
        set(t, reg, true, false);
        if (vgpr) {
            change(t->w.vgpr + at, t->of->vgpr + at, bytes, (UINT64_C(1) << V0) + n * bytes);
            t->vlanes[n] = all_lanes(t);
        } else if (reg < LULL_TWIN_SGPRS) {
            change(&t->w.sgpr[reg], &t->of->sgpr[reg], sizeof t->w.sgpr[reg],
                   (UINT64_C(1) << S0) + reg * sizeof t->w.sgpr[reg]);
        }
    } else if (vgpr && !lull_twin_dirty(t, reg)) {
        memcpy(t->w.vgpr + at, t->of->vgpr + at, bytes);
    } else if (reg < LULL_TWIN_SGPRS && !lull_twin_dirty(t, reg)) {
        t->w.sgpr[reg] = t->of->sgpr[reg];
    }
    t->w.scc = t->scc_dirty ? t->w.scc : t->of->scc;
}

void lull_twin_copy(struct lull_twin *t, unsigned reg, uint64_t lanes)
{
    const unsigned n = reg - LULL_RDNA_VGPR0;
    if (!lull_twin_dirty(t, reg)) {
        return;
    }
    if (reg == LULL_RDNA_SCC) {
        t->scc_dirty = false;
        return;
    }
    if (reg < LULL_TWIN_SGPRS || (lanes & all_lanes(t)) == all_lanes(t)) {
        set(t, reg, false, false);
        set(t, reg, true, false);
        return;
    }
    lull_twin_fetch(t, reg);
    if (n < t->w.nvgprs) {
        const size_t row = (size_t)n * t->w.lanes;
        copy_lanes(t->w.vgpr + row, t->of->vgpr + row, t->w.lanes, lanes, all_lanes(t));
        t->vlanes[n] &= ~lanes;
        set(t, reg, false, t->vlanes[n] != 0);
    }
}

void lull_twin_change(struct lull_twin *t, unsigned reg, uint64_t lanes, uint32_t bits)
{
    const unsigned n = reg - LULL_RDNA_VGPR0;
    lull_twin_fetch(t, reg);
    if (reg < LULL_TWIN_SGPRS) {
        const uint32_t was = t->of->sgpr[reg];
        t->w.sgpr[reg] = was ^ ((was ^ (uint32_t)other(was, by_place(reg))) & bits);
        set(t, reg, false, true);
        return;
    }
    for (uint64_t m = n < t->w.nvgprs ? lanes & all_lanes(t) : 0; m != 0; m &= m - 1) {
        const size_t at = (size_t)n * t->w.lanes + (unsigned)__builtin_ctzll(m);
        const uint32_t was = t->of->vgpr[at];
        t->w.vgpr[at] = was ^ ((was ^ (uint32_t)other(was, by_place(at))) & bits);
    }
    lull_twin_look(t, reg);
}

static bool is_dirty(const struct lull_twin *t, uint64_t dword)
{
    return (t->group->dirty[dword / 64] >> dword % 64 & 1) != 0;
}

bool lull_twin_local_dirty(const struct lull_twin *t, uint64_t from, uint64_t end)
{
    end = end < t->w.wg->lds_size ? end : t->w.wg->lds_size;
    for (uint64_t d = from / 4; 4 * d < end; d++) {
        const uint64_t word = t->group->dirty[d / 64] >> d % 64;
        if (word == 0) {
            d |= 63;
        } else if ((word & 1) != 0) {
            return true;
        }
    }
    return false;
}

bool lull_twin_local_any(const struct lull_twin *t)
{
    struct lull_twin_group *g = t->group;
    while (g->from < g->end && g->dirty[g->from] == 0) {
        g->from++;
    }
    while (g->from < g->end && g->dirty[g->end - 1] == 0) {
        g->end--;
    }
    return g->from < g->end;
}

void lull_twin_fetch_local(struct lull_twin *t, uint64_t from, uint64_t end)
{
    const uint64_t size = t->w.wg->lds_size;
    end = end < size ? end : size;
    for (uint64_t at = from & ~UINT64_C(3); at < end; at += 4) {
        if (!is_dirty(t, at / 4)) {
            memcpy(t->w.wg->lds + at, t->of->wg->lds + at, size - at < 4 ? size - at : 4);
        }
    }
}

void lull_twin_look_local(struct lull_twin *t, uint64_t at)
{
    const uint64_t size = t->w.wg->lds_size, bit = UINT64_C(1) << at / 4 % 64;
    uint64_t *word = &t->group->dirty[at / 256];
    at &= ~UINT64_C(3);
    if (at < size) {
        const bool same =
            memcmp(t->w.wg->lds + at, t->of->wg->lds + at, size - at < 4 ? size - at : 4) == 0;
        *word = same ? *word & ~bit : *word | bit;
        if (!same) {
            t->group->from = at / 256 < t->group->from ? at / 256 : t->group->from;
            t->group->end = at / 256 < t->group->end ? t->group->end : at / 256 + 1;
        }
    }
}

void lull_twin_copy_local(struct lull_twin *t, uint64_t at, unsigned bytes)
{
    for (uint64_t d = at & ~UINT64_C(3); d < at + bytes && d < t->w.wg->lds_size; d += 4) {
        if (!is_dirty(t, d / 4)) {
            continue;
        }
        const uint64_t from = d > at ? d : at, end = d + 4 < at + bytes ? d + 4 : at + bytes;
        if (end <= t->w.wg->lds_size) {
            memcpy(t->w.wg->lds + from, t->of->wg->lds + from, end - from);
        }
        lull_twin_look_local(t, d);
    }
}
