// SPDX-License-Identifier: MIT
// GLOBAL: fast paths for consecutive lanes and for gathers, then the plain way.
#include "model/amd/mem.h"

#define INLINE static inline __attribute__((always_inline))

enum {
    HALF = 32, // Lanes in the unit of the vectorised loops.
    ALL_DWORDS = 0xff,
};

/** What the fast paths know of an instruction. */
struct global {
    const struct lull_rdna_insn *in;
    uint64_t mask;
    uint64_t base;      // saddr + offset, or the offset alone.
    const uint32_t *lo; // Address VGPR, or NULL.
    const uint32_t *hi; // Its upper half, or NULL with saddr.
};

/** Whether v[0..31] is @p first, @p first + @p step, ... */
INLINE bool counts_up(const uint32_t *v, uint32_t first, uint32_t step)
{
    uint32_t diff = 0;
    for (uint32_t l = 0; l < HALF; l++) {
        diff |= (v[l] - first) ^ l * step;
    }
    return diff == 0;
}

INLINE bool all_equal(const uint32_t *v, uint32_t first)
{
    uint32_t diff = 0;
    for (uint32_t l = 0; l < HALF; l++) {
        diff |= v[l] ^ first;
    }
    return diff == 0;
}

/** VA of lane 0 if all lanes are active and stand one after the other in one page; else false. */
INLINE bool one_run(const struct lull_wave *w, const struct global *g, uint32_t bytes, uint64_t *va)
{
    const uint32_t total = bytes * w->lanes;
    if (g->mask != lull_all_lanes(w) || g->lo == NULL || g->lo[0] > UINT32_MAX - total) {
        return false;
    }
    for (unsigned l = 0; l < w->lanes; l += HALF) {
        if (!counts_up(g->lo + l, g->lo[0] + l * bytes, bytes) ||
            (g->hi != NULL && !all_equal(g->hi + l, g->hi[0]))) {
            return false;
        }
    }
    *va = g->base + g->lo[0] + (g->hi == NULL ? 0 : (uint64_t)g->hi[0] << 32);
    return (*va & (LULL_PAGE_SIZE - 1)) + total <= LULL_PAGE_SIZE;
}

/** Addresses of all lanes, active or not. */
INLINE void lane_vas(const struct lull_wave *w, const struct global *g, uint64_t *va)
{
    unsigned h = 0;
    do {
        for (uint64_t l = h; l < h + HALF; l++) {
            va[l] = g->base + (g->lo == NULL ? 4 * l : g->lo[l]);
        }
        for (unsigned l = h; g->hi != NULL && l < h + HALF; l++) {
            va[l] += (uint64_t)g->hi[l] << 32;
        }
        h += HALF;
    } while (h < w->lanes);
}

INLINE bool inside_page(uint64_t va, unsigned bytes)
{
    return (va & (LULL_PAGE_SIZE - 1)) <= LULL_PAGE_SIZE - bytes;
}

/** Bytes of one lane from memory; sub-dwords get zeros or their sign. */
INLINE uint32_t get(const uint8_t *p, unsigned bytes, bool sign)
{
    if (bytes == 1) {
        return sign ? (uint32_t)(int32_t)(int8_t)*p : *p;
    }
    if (bytes == 2) {
        uint16_t v = 0;
        memcpy(&v, p, sizeof(v));
        return sign ? (uint32_t)(int32_t)(int16_t)v : v;
    }
    uint32_t v = 0;
    memcpy(&v, p, sizeof(v));
    return v;
}

INLINE void put(uint8_t *p, unsigned bytes, uint32_t v)
{
    if (bytes == 1) {
        *p = (uint8_t)v;
    } else if (bytes == 2) {
        memcpy(p, &v, 2);
    } else {
        memcpy(p, &v, 4);
    }
}

/** Whether all lanes, all active, stand in the page of the first. */
INLINE bool same_page(const struct lull_wave *w, const uint64_t *va, unsigned bytes)
{
    uint64_t pages = 0, over = 0;
    for (unsigned h = 0; h < w->lanes; h += HALF) {
        for (unsigned l = h; l < h + HALF; l++) {
            pages |= va[l] ^ va[0];
            over |= (va[l] + bytes - 1) ^ va[0];
        }
    }
    return (pages | over) < LULL_PAGE_SIZE;
}

/** Host addresses of the active lanes. False: one is refused, or its bytes are in two pages. */
INLINE bool locate(struct lull_wave *w, const uint64_t *va, uint64_t mask, unsigned bytes,
                   uint32_t access, uint8_t **p)
{
    const bool full = mask == lull_all_lanes(w);
    if (full && same_page(w, va, bytes)) {
        uint8_t *first = lull_vm_host(w->vm, va[0], access);
        for (unsigned l = 0; first != NULL && l < w->lanes; l++) {
            p[l] = first + (va[l] - va[0]);
        }
        return first != NULL;
    }
    for (unsigned l = 0; full && l < w->lanes; l++) {
        p[l] = inside_page(va[l], bytes) ? lull_vm_host(w->vm, va[l], access) : NULL;
        if (__builtin_expect(p[l] == NULL, 0)) {
            return false;
        }
    }
    for (uint64_t m = full ? 0 : mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        p[l] = inside_page(va[l], bytes) ? lull_vm_host(w->vm, va[l], access) : NULL;
        if (p[l] == NULL) {
            return false;
        }
    }
    return true;
}

/** Load from the places found. */
INLINE void load_from(struct lull_wave *w, const struct lull_mem_op *op, uint8_t *const *p,
                      uint64_t mask, unsigned dst, unsigned bytes, bool sign)
{
    const unsigned ndwords = bytes < 4 ? 1 : bytes / 4;
    if (mask == lull_all_lanes(w) && op->flags == 0) {
        uint32_t *row = lull_vgpr(w, dst);
        for (unsigned l = 0; l < w->lanes; l++) {
            for (unsigned d = 0; d < ndwords; d++) {
                row[d * w->lanes + l] = get(p[l] + 4 * d, bytes, sign);
            }
        }
        return;
    }
    struct lull_rows rows;
    for (uint64_t m = mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        for (unsigned d = 0; d < ndwords; d++) {
            rows.v[d][l] = get(p[l] + 4 * d, bytes, sign);
        }
    }
    lull_rows_put(w, op, dst, ndwords, mask, &rows);
}

/** Store to the places found, in the order of the lanes. */
INLINE void store_to(const struct lull_wave *w, uint8_t *const *p, uint64_t mask, unsigned reg,
                     unsigned bytes, unsigned shift)
{
    const uint32_t *row = lull_vgpr(w, reg);
    const unsigned ndwords = bytes < 4 ? 1 : bytes / 4;
    for (uint64_t m = mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        for (unsigned d = 0; d < ndwords; d++) {
            put(p[l] + 4 * d, bytes, row[d * w->lanes + l] >> shift);
        }
    }
}

/** Host address of one run of all lanes' elements, or NULL. */
INLINE uint8_t *find_run(struct lull_wave *w, const struct global *g, unsigned bytes,
                         uint32_t access)
{
    uint64_t va = 0;
    return one_run(w, g, bytes, &va) ? lull_vm_host(w->vm, va, access) : NULL;
}

/** Aligned dwords of all lanes, wherever they are, as long as the TLB has their pages. */
INLINE bool gather_dwords(struct lull_wave *w, const uint64_t *va, unsigned dst)
{
    const struct lull_tlb_entry *tlb = w->vm->tlb;
    uint32_t row[LULL_LANES];
    uint64_t low = 0;
    for (unsigned h = 0; h < w->lanes; h += HALF) {
        for (unsigned l = h; l < h + HALF; l++) {
            low |= va[l];
        }
    }
    if (low % 4 != 0) {
        return false;
    }
    if (same_page(w, va, 4)) {
        const uint8_t *first =
            lull_vm_host(w->vm, va[0] & ~(uint64_t)(LULL_PAGE_SIZE - 1), LULL_ACCESS_READ);
        for (unsigned l = 0; first != NULL && l < w->lanes; l++) {
            memcpy(&row[l], first + va[l] % LULL_PAGE_SIZE, 4);
        }
        if (first != NULL) {
            memcpy(lull_vgpr(w, dst), row, w->lanes * 4);
        }
        return first != NULL;
    }
    for (unsigned l = 0; l < w->lanes; l++) {
        const uint64_t page = va[l] >> LULL_PAGE_SHIFT;
        const struct lull_tlb_entry *e = &tlb[page % LULL_TLB_ENTRIES];
        if (__builtin_expect(e->tag != page + 1 || (e->access & LULL_ACCESS_READ) == 0, 0)) {
            return false;
        }
        memcpy(&row[l], e->host + va[l] % LULL_PAGE_SIZE, 4);
    }
    memcpy(lull_vgpr(w, dst), row, w->lanes * 4);
    return true;
}

INLINE bool load_fast(struct lull_wave *w, const struct global *g, const struct lull_mem_op *op,
                      unsigned bytes, bool sign)
{
    const unsigned dst = g->in->dst - LULL_RDNA_VGPR0;
    uint8_t *p[LULL_LANES];
    uint64_t va[LULL_LANES];
    uint8_t *run = find_run(w, g, bytes, LULL_ACCESS_READ);
    if (run != NULL && bytes == 4) {
        memcpy(lull_vgpr(w, dst), run, w->lanes * 4);
        return true;
    }
    if (run != NULL) {
        for (unsigned l = 0; l < w->lanes; l++) {
            p[l] = run + l * bytes;
        }
    } else {
        lane_vas(w, g, va);
        if (bytes == 4 && op->flags == 0 && g->mask == lull_all_lanes(w) &&
            gather_dwords(w, va, dst)) {
            return true;
        }
        if (!locate(w, va, g->mask, bytes, LULL_ACCESS_READ, p)) {
            return false;
        }
    }
    load_from(w, op, p, g->mask, dst, bytes, sign);
    return true;
}

INLINE bool store_fast(struct lull_wave *w, const struct global *g, unsigned bytes, unsigned shift)
{
    const unsigned reg = g->in->vdata - LULL_RDNA_VGPR0;
    uint8_t *p[LULL_LANES];
    uint64_t va[LULL_LANES];
    uint8_t *run = find_run(w, g, bytes, LULL_ACCESS_WRITE);
    if (run != NULL && bytes == 4) {
        memcpy(run, lull_vgpr(w, reg), w->lanes * 4);
        return true;
    }
    if (run != NULL) {
        for (unsigned l = 0; l < w->lanes; l++) {
            p[l] = run + l * bytes;
        }
    } else {
        lane_vas(w, g, va);
        if (!locate(w, va, g->mask, bytes, LULL_ACCESS_WRITE, p)) {
            return false;
        }
    }
    store_to(w, p, g->mask, reg, bytes, shift);
    return true;
}

bool LULL_MEM_NAME(_quick)(struct lull_wave *w, const struct lull_mem_op *op, const uint64_t *va,
                           uint64_t mask, unsigned reg)
{
    const bool is_store = op->kind == LULL_MEM_STORE;
    const bool sign = op->element == LULL_MEM_E_I8 || op->element == LULL_MEM_E_I16;
    uint8_t *p[LULL_LANES];
    if (!locate(w, va, mask, op->bytes, is_store ? LULL_ACCESS_WRITE : LULL_ACCESS_READ, p)) {
        return false;
    }
    if (is_store) {
        store_to(w, p, mask, reg, op->bytes, (op->flags & LULL_MEM_F_D16HI) != 0 ? 16 : 0);
    } else if (op->bytes == 4) {
        load_from(w, op, p, mask, reg, 4, sign);
    } else {
        load_from(w, op, p, mask, reg, op->bytes, sign);
    }
    return true;
}

/** Decode the operands. False: the wave does not have these registers. */
INLINE bool prepare(const struct lull_wave *w, const struct lull_rdna_insn *in, bool addtid,
                    struct global *g)
{
    const bool has_saddr = in->saddr != LULL_RDNA_NONE && in->saddr != LULL_RDNA_NULL;
    *g = (struct global){.in = in, .mask = lull_exec_mask(w), .base = (uint64_t)(int64_t)in->imm};
    if (in->enc == LULL_RDNA_FLAT) {
        g->base &= LULL_MEM_FLAT_OFFSET;
    }
    if (has_saddr) {
        g->base += lull_mem_scalar(w, in->saddr);
        g->base += (uint64_t)lull_mem_scalar(w, (in->saddr + 1u) & 127) << 32;
    }
    if (!addtid) {
        if (!lull_vgprs_exist(w, in->vaddr, has_saddr ? 1 : 2)) {
            return false;
        }
        g->lo = lull_vgpr(w, in->vaddr - LULL_RDNA_VGPR0);
        g->hi = has_saddr ? NULL : g->lo + w->lanes;
    }
    return true;
}

static void plain_lanes(const struct lull_wave *w, const struct global *g, struct lull_places *p)
{
    p->mask = g->mask;
    memset(p->valid, ALL_DWORDS, sizeof(p->valid));
    memset(p->space, LULL_SPACE_MEMORY, sizeof(p->space));
    lane_vas(w, g, p->address);
}

static enum lull_exec_result load_plain(struct lull_wave *w, const struct global *g,
                                        const struct lull_mem_op *op)
{
    struct lull_places p;
    plain_lanes(w, g, &p);
    return lull_mem_load(w, op, &p, g->in->dst - LULL_RDNA_VGPR0);
}

static enum lull_exec_result store_plain(struct lull_wave *w, const struct global *g,
                                         const struct lull_mem_op *op)
{
    struct lull_places p;
    plain_lanes(w, g, &p);
    return lull_mem_store(w, op, &p, g->in->vdata - LULL_RDNA_VGPR0);
}

INLINE enum lull_exec_result load(struct lull_wave *w, const struct lull_rdna_insn *in,
                                  unsigned bytes, bool sign)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    struct global g;
    if (!prepare(w, in, (op->flags & LULL_MEM_F_ADDTID) != 0, &g) ||
        !lull_vgprs_exist(w, in->dst, lull_mem_dwords(op))) {
        return LULL_EXEC_ILLEGAL;
    }
    if (w->observer == NULL && load_fast(w, &g, op, bytes, sign)) {
        return LULL_EXEC_NEXT;
    }
    return load_plain(w, &g, op);
}

INLINE enum lull_exec_result store(struct lull_wave *w, const struct lull_rdna_insn *in,
                                   unsigned bytes)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    const unsigned shift = (op->flags & LULL_MEM_F_D16HI) != 0 ? 16 : 0;
    struct global g;
    if (!prepare(w, in, (op->flags & LULL_MEM_F_ADDTID) != 0, &g) ||
        !lull_vgprs_exist(w, in->vdata, lull_mem_dwords(op))) {
        return LULL_EXEC_ILLEGAL;
    }
    if (w->observer == NULL && store_fast(w, &g, bytes, shift)) {
        return LULL_EXEC_NEXT;
    }
    return store_plain(w, &g, op);
}

static enum lull_exec_result atomic(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    const unsigned n = op->bytes / 4u;
    const unsigned ndata = (op->flags & LULL_MEM_F_PAIR) != 0 ? 2 * n : n;
    struct global g;
    struct lull_places p;
    if (!prepare(w, in, false, &g) || !lull_vgprs_exist(w, in->vdata, ndata) ||
        (in->glc && !lull_vgprs_exist(w, in->dst, n))) {
        return LULL_EXEC_ILLEGAL;
    }
    plain_lanes(w, &g, &p);
    const unsigned a = in->vdata - LULL_RDNA_VGPR0;
    const struct lull_mem_regs r = {
        .dst = in->glc ? in->dst - LULL_RDNA_VGPR0 : 0,
        .a = a,
        .b = a + ndata - n,
        .returns = in->glc,
    };
    return lull_mem_rmw(w, op, &p, &r);
}

static enum lull_exec_result load_u8(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return load(w, in, 1, false);
}

static enum lull_exec_result load_i8(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return load(w, in, 1, true);
}

static enum lull_exec_result load_u16(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return load(w, in, 2, false);
}

static enum lull_exec_result load_i16(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return load(w, in, 2, true);
}

static enum lull_exec_result load_b32(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return load(w, in, 4, false);
}

static enum lull_exec_result load_b64(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return load(w, in, 8, false);
}

static enum lull_exec_result load_b96(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return load(w, in, 12, false);
}

static enum lull_exec_result load_b128(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return load(w, in, 16, false);
}

static enum lull_exec_result store_b8(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return store(w, in, 1);
}

static enum lull_exec_result store_b16(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return store(w, in, 2);
}

static enum lull_exec_result store_b32(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return store(w, in, 4);
}

static enum lull_exec_result store_b64(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return store(w, in, 8);
}

static enum lull_exec_result store_b96(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return store(w, in, 12);
}

static enum lull_exec_result store_b128(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return store(w, in, 16);
}

/** By enum lull_mem_element. */
static const struct {
    lull_exec_fn *load, *store;
} handlers[] = {
    [LULL_MEM_E_U8] = {load_u8, NULL},        [LULL_MEM_E_I8] = {load_i8, NULL},
    [LULL_MEM_E_B8] = {NULL, store_b8},       [LULL_MEM_E_U16] = {load_u16, NULL},
    [LULL_MEM_E_I16] = {load_i16, NULL},      [LULL_MEM_E_B16] = {load_u16, store_b16},
    [LULL_MEM_E_B32] = {load_b32, store_b32}, [LULL_MEM_E_B64] = {load_b64, store_b64},
    [LULL_MEM_E_B96] = {load_b96, store_b96}, [LULL_MEM_E_B128] = {load_b128, store_b128},
};

lull_exec_fn *LULL_MEM_NAME(_global)(const struct lull_rdna_insn *in)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    if (op->group == LULL_MEM_CLASS_ATOMIC) {
        return atomic;
    }
    if (op->group != LULL_MEM_CLASS_MOVE || op->element >= sizeof(handlers) / sizeof(handlers[0])) {
        return NULL;
    }
    return op->kind == LULL_MEM_LOAD ? handlers[op->element].load : handlers[op->element].store;
}
