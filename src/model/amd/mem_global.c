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

INLINE uint64_t lane_va(const struct global *g, unsigned l)
{
    const uint64_t v = g->lo == NULL ? 4 * (uint64_t)l : g->lo[l];
    return g->base + v + (g->hi == NULL ? 0 : (uint64_t)g->hi[l] << 32);
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

/** Load where all lanes are in pages of their own. False: nothing done. */
INLINE bool gather(struct lull_wave *w, const struct global *g, unsigned bytes, bool sign,
                   struct lull_rows *rows)
{
    const unsigned ndwords = bytes < 4 ? 1 : bytes / 4;
    const bool full = g->mask == lull_all_lanes(w);
    uint64_t m = g->mask;
    for (unsigned i = 0; full ? i < w->lanes : m != 0; i++, m &= m - 1) {
        const unsigned l = full ? i : lull_first_lane(m);
        const uint64_t va = lane_va(g, l);
        const uint8_t *p =
            inside_page(va, bytes) ? lull_vm_host(w->vm, va, LULL_ACCESS_READ) : NULL;
        if (__builtin_expect(p == NULL, 0)) {
            return false;
        }
        for (unsigned d = 0; d < ndwords; d++) {
            rows->v[d][l] = get(p + 4 * d, bytes, sign);
        }
    }
    return true;
}

INLINE bool load_fast(struct lull_wave *w, const struct global *g, const struct lull_mem_op *op,
                      unsigned bytes, bool sign)
{
    const unsigned dst = g->in->dst - LULL_RDNA_VGPR0;
    const unsigned ndwords = bytes < 4 ? 1 : bytes / 4;
    struct lull_rows rows;
    uint64_t va = 0;
    if (one_run(w, g, bytes, &va)) {
        const uint8_t *p = lull_vm_host(w->vm, va, LULL_ACCESS_READ);
        if (p == NULL) {
            return false;
        }
        if (bytes == 4) {
            memcpy(lull_vgpr(w, dst), p, w->lanes * 4);
            return true;
        }
        for (unsigned d = 0; d < ndwords; d++) {
            for (unsigned l = 0; l < w->lanes; l++) {
                rows.v[d][l] = get(p + l * bytes + 4 * d, bytes, sign);
            }
        }
    } else if (!gather(w, g, bytes, sign, &rows)) {
        return false;
    }
    lull_rows_put(w, op, dst, ndwords, g->mask, &rows);
    return true;
}

/** Store where all lanes are in one run of one page. False: nothing done. */
INLINE bool store_run(struct lull_wave *w, const struct global *g, unsigned bytes, unsigned shift)
{
    const uint32_t *row = lull_vgpr(w, g->in->vdata - LULL_RDNA_VGPR0);
    const unsigned ndwords = bytes < 4 ? 1 : bytes / 4;
    uint64_t va = 0;
    uint8_t *p = one_run(w, g, bytes, &va) ? lull_vm_host(w->vm, va, LULL_ACCESS_WRITE) : NULL;
    if (p == NULL) {
        return false;
    }
    if (bytes == 4) {
        memcpy(p, row, w->lanes * 4);
        return true;
    }
    for (unsigned d = 0; d < ndwords; d++) {
        for (unsigned l = 0; l < w->lanes; l++) {
            put(p + l * bytes + 4 * d, bytes, row[d * w->lanes + l] >> shift);
        }
    }
    return true;
}

/** Store lane by lane. @return The lanes left for the plain way: those from the first difficulty
 * on. */
INLINE uint64_t scatter(struct lull_wave *w, const struct global *g, unsigned bytes, unsigned shift)
{
    const uint32_t *row = lull_vgpr(w, g->in->vdata - LULL_RDNA_VGPR0);
    const unsigned ndwords = bytes < 4 ? 1 : bytes / 4;
    uint64_t m = g->mask;
    for (; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        const uint64_t va = lane_va(g, l);
        uint8_t *p = inside_page(va, bytes) ? lull_vm_host(w->vm, va, LULL_ACCESS_WRITE) : NULL;
        if (__builtin_expect(p == NULL, 0)) {
            break;
        }
        for (unsigned d = 0; d < ndwords; d++) {
            put(p + 4 * d, bytes, row[d * w->lanes + l] >> shift);
        }
    }
    return m;
}

/** Decode the operands. False: the wave does not have these registers. */
INLINE bool prepare(const struct lull_wave *w, const struct lull_rdna_insn *in, bool addtid,
                    struct global *g)
{
    const bool has_saddr = in->saddr != LULL_RDNA_NONE && in->saddr != LULL_RDNA_NULL;
    *g = (struct global){.in = in, .mask = lull_exec_mask(w), .base = (uint64_t)(int64_t)in->imm};
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

static void plain_lanes(const struct global *g, uint64_t mask, struct lull_places *p)
{
    p->mask = mask;
    memset(p->valid, ALL_DWORDS, sizeof(p->valid));
    memset(p->space, LULL_SPACE_MEMORY, sizeof(p->space));
    for (uint64_t m = mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        p->address[l] = lane_va(g, l);
    }
}

static enum lull_exec_result load_plain(struct lull_wave *w, const struct global *g,
                                        const struct lull_mem_op *op)
{
    struct lull_places p;
    plain_lanes(g, g->mask, &p);
    return lull_mem_load(w, op, &p, g->in->dst - LULL_RDNA_VGPR0);
}

static enum lull_exec_result store_plain(struct lull_wave *w, const struct global *g,
                                         const struct lull_mem_op *op, uint64_t mask)
{
    struct lull_places p;
    plain_lanes(g, mask, &p);
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
    if (w->observer != NULL) {
        return store_plain(w, &g, op, g.mask);
    }
    if (store_run(w, &g, bytes, shift)) {
        return LULL_EXEC_NEXT;
    }
    const uint64_t left = scatter(w, &g, bytes, shift);
    return left == 0 ? LULL_EXEC_NEXT : store_plain(w, &g, op, left);
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
    plain_lanes(&g, g.mask, &p);
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

lull_exec_fn *lull_mem_global_handler(const struct lull_rdna_insn *in)
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
