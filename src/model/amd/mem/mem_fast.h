// SPDX-License-Identifier: MIT
/** @file
 * Loads and stores of whole waves at once: for the files that are compiled once per kind of host.
 *
 * A function that cannot do it quickly has done nothing.
 */
#ifndef LULL_MODEL_AMD_MEM_FAST_H
#define LULL_MODEL_AMD_MEM_FAST_H

#include "model/amd/mem/mem.h"

#define LULL_INLINE static inline __attribute__((always_inline))

enum {
    LULL_HALF = 32, // Lanes in the unit of the vectorised loops.
    LULL_STRIP = 8,
};

/** What the fast paths know of an instruction. */
struct lull_run {
    const struct lull_rdna_insn *in;
    uint64_t mask;
    uint64_t base;      // saddr + offset, or the offset alone.
    const uint32_t *lo; // Address VGPR, or NULL.
    const uint32_t *hi; // Its upper half, or NULL with saddr.
};

LULL_INLINE bool lull_run_all_equal(const uint32_t *v, uint32_t first)
{
    uint32_t diff = 0;
    for (uint32_t l = 0; l < LULL_HALF; l++) {
        diff |= v[l] ^ first;
    }
    return diff == 0;
}

/** The greatest of v[0..31] + @p by, of 32 bits. A maximum, since that is what vector units have of
 * unsigned comparisons; by places in a strip, since compilers see that. */
LULL_INLINE uint32_t lull_run_greatest_half(const uint32_t *v, uint32_t by)
{
    uint32_t each[LULL_STRIP] = {0}, top = 0;
    for (unsigned s = 0; s < LULL_HALF; s += LULL_STRIP) {
        for (unsigned i = 0; i < LULL_STRIP; i++) {
            const uint32_t x = v[s + i] + by;
            each[i] = x > each[i] ? x : each[i];
        }
    }
    for (unsigned i = 0; i < LULL_STRIP; i++) {
        top = each[i] > top ? each[i] : top;
    }
    return top;
}

/** The same of all lanes, active or not. */
LULL_INLINE uint32_t lull_run_greatest(const struct lull_wave *w, const uint32_t *v, uint32_t by)
{
    const uint32_t top = lull_run_greatest_half(v, by);
    const uint32_t high = w->lanes == LULL_HALF ? 0 : lull_run_greatest_half(v + LULL_HALF, by);
    return top > high ? top : high;
}

/** A dword of each lane of a strip. */
typedef uint32_t lull_strip __attribute__((vector_size(32)));

LULL_INLINE bool lull_strip_is_zero(const lull_strip *v)
{
#ifdef __AVX__
    typedef long long words __attribute__((vector_size(32)));
    return __builtin_ia32_ptestz256((words)*v, (words)*v) != 0;
#else
    uint64_t words[4];
    memcpy(words, v, sizeof words);
    return (words[0] | words[1] | words[2] | words[3]) == 0;
#endif
}

/** Where lanes stand, eight by eight. */
enum lull_strips {
    LULL_STRIPS_APART,
    LULL_STRIPS_EQUAL, ///< The lanes of a strip at the same place.
    LULL_STRIPS_RUN,   ///< One after the other.
};

/** By addresses of elements of @p bytes, 4 at most. */
LULL_INLINE enum lull_strips lull_run_strips(const struct lull_wave *w, const uint32_t *va,
                                             uint32_t bytes)
{
    const lull_strip steps = (lull_strip){0, 1, 2, 3, 4, 5, 6, 7} * bytes;
    lull_strip apart = {0}, broken = {0};
    for (unsigned s = 0; s < w->lanes; s += LULL_STRIP) {
        lull_strip v;
        memcpy(&v, va + s, sizeof v);
        v -= (lull_strip){0} + va[s];
        apart |= v;
        broken |= v ^ steps;
    }
    return lull_strip_is_zero(&apart)    ? LULL_STRIPS_EQUAL
           : lull_strip_is_zero(&broken) ? LULL_STRIPS_RUN
                                         : LULL_STRIPS_APART;
}

/** Whether v[] of @p n lanes is its first, that and @p step, ..., of 32 bits. */
LULL_INLINE bool lull_run_counts_up(const uint32_t *v, unsigned n, uint32_t step)
{
    const lull_strip steps = (lull_strip){0, 1, 2, 3, 4, 5, 6, 7} * step;
    lull_strip want = steps + v[0], diff = {0};
    for (unsigned s = 0; s < n; s += LULL_STRIP) {
        lull_strip x;
        memcpy(&x, v + s, sizeof x);
        diff |= x ^ want;
        want += LULL_STRIP * step;
    }
    return lull_strip_is_zero(&diff);
}

/** VA of lane 0 if all lanes are active and stand one after the other in one page; else false. */
LULL_INLINE bool lull_run_one_run(const struct lull_wave *w, const struct lull_run *g,
                                  uint32_t bytes, uint64_t *va)
{
    const uint32_t total = bytes * w->lanes;
    if (g->mask != lull_all_lanes(w) || g->lo == NULL || g->lo[0] > UINT32_MAX - total) {
        return false;
    }
    if (!lull_run_counts_up(g->lo, w->lanes, bytes)) {
        return false;
    }
    for (unsigned l = 0; g->hi != NULL && l < w->lanes; l += LULL_HALF) {
        if (!lull_run_all_equal(g->hi + l, g->hi[0])) {
            return false;
        }
    }
    *va = g->base + g->lo[0] + (g->hi == NULL ? 0 : (uint64_t)g->hi[0] << 32);
    return (*va & (LULL_PAGE_SIZE - 1)) + total <= LULL_PAGE_SIZE;
}

/** Addresses of all lanes, active or not. */
LULL_INLINE void lull_run_lane_vas(const struct lull_wave *w, const struct lull_run *g,
                                   uint64_t *va)
{
    unsigned h = 0;
    do {
        for (uint64_t l = h; l < h + LULL_HALF; l++) {
            va[l] = g->base + (g->lo == NULL ? 4 * l : g->lo[l]);
        }
        for (unsigned l = h; g->hi != NULL && l < h + LULL_HALF; l++) {
            va[l] += (uint64_t)g->hi[l] << 32;
        }
        h += LULL_HALF;
    } while (h < w->lanes);
}

/** Decode the operands. False: the wave does not have these registers. */
LULL_INLINE bool lull_run_prepare(const struct lull_wave *w, const struct lull_rdna_insn *in,
                                  bool addtid, struct lull_run *g)
{
    const bool has_saddr = in->saddr != LULL_RDNA_NONE && in->saddr != LULL_RDNA_NULL;
    *g = (struct lull_run){.in = in, .mask = lull_exec_mask(w), .base = (uint64_t)(int64_t)in->imm};
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

/** Where the active lanes go. */
LULL_INLINE void lull_run_places(const struct lull_wave *w, const struct lull_run *g,
                                 struct lull_places *p)
{
    p->mask = g->mask;
    memset(p->valid, UINT8_MAX, sizeof(p->valid));
    memset(p->space, LULL_SPACE_MEMORY, sizeof(p->space));
    lull_run_lane_vas(w, g, p->address);
}

LULL_INLINE bool lull_run_inside_page(uint64_t va, unsigned bytes)
{
    return (va & (LULL_PAGE_SIZE - 1)) <= LULL_PAGE_SIZE - bytes;
}

/** Bytes of one lane from memory; sub-dwords get zeros or their sign. */
LULL_INLINE uint32_t lull_run_get(const uint8_t *p, unsigned bytes, bool sign)
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

LULL_INLINE void lull_run_put(uint8_t *p, unsigned bytes, uint32_t v)
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
LULL_INLINE bool lull_run_same_page(const struct lull_wave *w, const uint64_t *va, unsigned bytes)
{
    uint64_t pages = 0, over = 0;
    for (unsigned h = 0; h < w->lanes; h += LULL_HALF) {
        for (unsigned l = h; l < h + LULL_HALF; l++) {
            pages |= va[l] ^ va[0];
            over |= (va[l] + bytes - 1) ^ va[0];
        }
    }
    return (pages | over) < LULL_PAGE_SIZE;
}

/** Host addresses of the active lanes. False: one is refused, or its bytes are in two pages. */
LULL_INLINE bool lull_run_locate(struct lull_wave *w, const uint64_t *va, uint64_t mask,
                                 unsigned bytes, uint32_t access, uint8_t **p)
{
    const bool full = mask == lull_all_lanes(w);
    if (full && lull_run_same_page(w, va, bytes)) {
        uint8_t *first = lull_vm_host(w->vm, va[0], access);
        const uint64_t from = va[0];
        for (unsigned h = 0; first != NULL && h < w->lanes; h += LULL_HALF) {
            for (unsigned l = h; l < h + LULL_HALF; l++) {
                p[l] = first + (va[l] - from);
            }
        }
        return first != NULL;
    }
    for (unsigned l = 0; full && l < w->lanes; l++) {
        p[l] = lull_run_inside_page(va[l], bytes) ? lull_vm_host(w->vm, va[l], access) : NULL;
        if (__builtin_expect(p[l] == NULL, 0)) {
            return false;
        }
    }
    for (uint64_t m = full ? 0 : mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        p[l] = lull_run_inside_page(va[l], bytes) ? lull_vm_host(w->vm, va[l], access) : NULL;
        if (p[l] == NULL) {
            return false;
        }
    }
    return true;
}

/** Four dwords, of four lanes or of one. */
typedef uint32_t lull_four __attribute__((vector_size(16)));

/** Rows become columns. */
LULL_INLINE void lull_four_turn(lull_four v[4])
{
    const lull_four a = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
    const lull_four b = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
    const lull_four c = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
    const lull_four d = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
    v[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    v[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    v[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/** 16 bytes of each lane, all of them, from @p p to four rows. */
LULL_INLINE void lull_run_load_fours(const struct lull_wave *w, uint8_t *const *p, uint32_t *row)
{
    lull_four v[4];
    for (unsigned l = 0; l < w->lanes; l += 4) {
        for (unsigned i = 0; i < 4; i++) {
            memcpy(&v[i], p[l + i], sizeof v[i]);
        }
        lull_four_turn(v);
        for (unsigned d = 0; d < 4; d++) {
            memcpy(&row[d * w->lanes + l], &v[d], sizeof v[d]);
        }
    }
}

/** 16 bytes of each lane, all of them, from four rows to @p p, in the order of the lanes. */
LULL_INLINE void lull_run_store_fours(const struct lull_wave *w, uint8_t *const *p,
                                      const uint32_t *row)
{
    lull_four v[4];
    for (unsigned l = 0; l < w->lanes; l += 4) {
        for (unsigned d = 0; d < 4; d++) {
            memcpy(&v[d], &row[d * w->lanes + l], sizeof v[d]);
        }
        lull_four_turn(v);
        for (unsigned i = 0; i < 4; i++) {
            memcpy(p[l + i], &v[i], sizeof v[i]);
        }
    }
}

/** Of 16 bytes of each lane, all of them on and in one page, by addresses with one upper half:
 * where those of offset @p low are, which is the first in that page. NULL: they are not, or it is
 * refused. */
LULL_INLINE uint8_t *lull_run_find_fours(struct lull_wave *w, const struct lull_run *g,
                                         uint32_t access, uint32_t *low)
{
    if (g->lo == NULL || g->hi != NULL || g->mask != lull_all_lanes(w)) {
        return NULL;
    }
    const uint32_t in_page = (g->base + g->lo[0]) & (LULL_PAGE_SIZE - 1);
    *low = g->lo[0] > in_page ? g->lo[0] - in_page : 0;
    const uint64_t va = g->base + *low;
    const uint32_t room = LULL_PAGE_SIZE - (uint32_t)(va & (LULL_PAGE_SIZE - 1));
    const bool together = room >= sizeof(lull_four) && *low <= UINT32_MAX - LULL_PAGE_SIZE &&
                          lull_run_greatest(w, g->lo, 0 - *low) <= room - sizeof(lull_four);
    return together ? lull_vm_host(w->vm, va, access) : NULL;
}

LULL_INLINE lull_four lull_four_at(const void *p)
{
    lull_four v;
    memcpy(&v, p, sizeof v);
    return v;
}

/** 16 bytes of each lane, at @p first and as much behind it as its offset of @p at is above @p low,
 * to four rows. Line by line: compilers leave loops here, with what they move in memory. */
LULL_INLINE void lull_run_load_near_fours(const uint8_t *first, uint32_t low, const uint32_t *at,
                                          uint32_t *row, unsigned lanes)
{
    lull_four v[4];
    for (unsigned l = 0; l < lanes; l += 4) {
        v[0] = lull_four_at(first + (at[l] - low));
        v[1] = lull_four_at(first + (at[l + 1] - low));
        v[2] = lull_four_at(first + (at[l + 2] - low));
        v[3] = lull_four_at(first + (at[l + 3] - low));
        lull_four_turn(v);
        memcpy(&row[l], &v[0], sizeof v[0]);
        memcpy(&row[lanes + l], &v[1], sizeof v[1]);
        memcpy(&row[2 * lanes + l], &v[2], sizeof v[2]);
        memcpy(&row[3 * lanes + l], &v[3], sizeof v[3]);
    }
}

/** 16 bytes of each lane from four rows to there, in the order of the lanes. */
LULL_INLINE void lull_run_store_near_fours(uint8_t *first, uint32_t low, const uint32_t *at,
                                           const uint32_t *row, unsigned lanes)
{
    lull_four v[4];
    for (unsigned l = 0; l < lanes; l += 4) {
        v[0] = lull_four_at(&row[l]);
        v[1] = lull_four_at(&row[lanes + l]);
        v[2] = lull_four_at(&row[2 * lanes + l]);
        v[3] = lull_four_at(&row[3 * lanes + l]);
        lull_four_turn(v);
        memcpy(first + (at[l] - low), &v[0], sizeof v[0]);
        memcpy(first + (at[l + 1] - low), &v[1], sizeof v[1]);
        memcpy(first + (at[l + 2] - low), &v[2], sizeof v[2]);
        memcpy(first + (at[l + 3] - low), &v[3], sizeof v[3]);
    }
}

/** Load from the places found. */
LULL_INLINE void lull_run_load_from(struct lull_wave *w, const struct lull_mem_op *op,
                                    uint8_t *const *p, uint64_t mask, unsigned dst, unsigned bytes,
                                    bool sign)
{
    const unsigned ndwords = bytes < 4 ? 1 : bytes / 4;
    if (mask == lull_all_lanes(w) && op->flags == 0) {
        uint32_t *row = lull_vgpr(w, dst);
        if (bytes == sizeof(lull_four)) {
            lull_run_load_fours(w, p, row);
            return;
        }
        for (unsigned l = 0; l < w->lanes; l++) {
            for (unsigned d = 0; d < ndwords; d++) {
                row[d * w->lanes + l] = lull_run_get(p[l] + 4 * d, bytes, sign);
            }
        }
        return;
    }
    struct lull_rows rows;
    for (uint64_t m = mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        for (unsigned d = 0; d < ndwords; d++) {
            rows.v[d][l] = lull_run_get(p[l] + 4 * d, bytes, sign);
        }
    }
    lull_rows_put(w, op, dst, ndwords, mask, &rows);
}

/** Store to the places found, in the order of the lanes. */
LULL_INLINE void lull_run_store_to(const struct lull_wave *w, uint8_t *const *p, uint64_t mask,
                                   unsigned reg, unsigned bytes, unsigned shift)
{
    const uint32_t *row = lull_vgpr(w, reg);
    const unsigned ndwords = bytes < 4 ? 1 : bytes / 4;
    if (mask == lull_all_lanes(w) && bytes == sizeof(lull_four) && shift == 0) {
        lull_run_store_fours(w, p, row);
        return;
    }
    for (uint64_t m = mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        for (unsigned d = 0; d < ndwords; d++) {
            lull_run_put(p[l] + 4 * d, bytes, row[d * w->lanes + l] >> shift);
        }
    }
}

/** Host address of one run of all lanes' elements, or NULL. */
LULL_INLINE uint8_t *lull_run_find_run(struct lull_wave *w, const struct lull_run *g,
                                       unsigned bytes, uint32_t access)
{
    uint64_t va = 0;
    return lull_run_one_run(w, g, bytes, &va) ? lull_vm_host(w->vm, va, access) : NULL;
}

/** Aligned dwords of all lanes, wherever they are, as long as the TLB has their pages. */
LULL_INLINE bool lull_run_gather_dwords(struct lull_wave *w, const uint64_t *va, unsigned dst)
{
    const struct lull_tlb_entry *tlb = w->vm->tlb;
    uint32_t row[LULL_LANES];
    uint64_t low = 0;
    for (unsigned h = 0; h < w->lanes; h += LULL_HALF) {
        for (unsigned l = h; l < h + LULL_HALF; l++) {
            low |= va[l];
        }
    }
    if (low % 4 != 0) {
        return false;
    }
    if (lull_run_same_page(w, va, 4)) {
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
        const struct lull_tlb_entry *e = &tlb[lull_tlb_place(page)];
        if (__builtin_expect(e->tag != page + 1 || (e->access & LULL_ACCESS_READ) == 0, 0)) {
            return false;
        }
        memcpy(&row[l], e->host + va[l] % LULL_PAGE_SIZE, 4);
    }
    memcpy(lull_vgpr(w, dst), row, w->lanes * 4);
    return true;
}

/** Host addresses of the first lanes of strips, all lanes being on, for elements of @p size bytes,
 * 4 at most, that each strip has together. False: they are not like that, or some are refused. */
LULL_INLINE bool lull_run_find_strips(struct lull_wave *w, const struct lull_run *g, unsigned size,
                                      uint32_t access, enum lull_strips *how, uint8_t **p)
{
    if (g->lo == NULL || g->mask != lull_all_lanes(w) ||
        (g->hi != NULL && lull_run_strips(w, g->hi, size) != LULL_STRIPS_EQUAL)) {
        return false;
    }
    *how = lull_run_strips(w, g->lo, size);
    const unsigned bytes = *how == LULL_STRIPS_RUN ? size * LULL_STRIP : size;
    bool all = *how != LULL_STRIPS_APART;
    for (unsigned l = 0; all && l < w->lanes; l += LULL_STRIP) {
        const uint64_t high = g->hi == NULL ? 0 : (uint64_t)g->hi[l] << 32;
        const uint64_t va = g->base + g->lo[l] + high;
        const bool inside = lull_run_inside_page(va, bytes) && g->lo[l] <= UINT32_MAX - bytes;
        p[l / LULL_STRIP] = inside ? lull_vm_host(w->vm, va, access) : NULL;
        all = p[l / LULL_STRIP] != NULL;
    }
    return all;
}

/** Dwords that each strip of eight lanes reads together. */
LULL_INLINE bool lull_run_load_strips(struct lull_wave *w, const struct lull_run *g, unsigned dst)
{
    uint8_t *p[LULL_LANES / LULL_STRIP];
    enum lull_strips how = LULL_STRIPS_APART;
    if (!lull_run_find_strips(w, g, 4, LULL_ACCESS_READ, &how, p)) {
        return false;
    }
    uint32_t *row = lull_vgpr(w, dst);
    for (unsigned l = 0; l < w->lanes; l += LULL_STRIP) {
        uint32_t v = 0;
        if (how == LULL_STRIPS_RUN) {
            memcpy(row + l, p[l / LULL_STRIP], sizeof row[0] * LULL_STRIP);
            continue;
        }
        memcpy(&v, p[l / LULL_STRIP], sizeof v);
        for (unsigned i = 0; i < LULL_STRIP; i++) {
            row[l + i] = v;
        }
    }
    return true;
}

/** Dwords that each strip of eight lanes writes in a run. */
LULL_INLINE bool lull_run_store_strips(struct lull_wave *w, const struct lull_run *g, unsigned reg)
{
    uint8_t *p[LULL_LANES / LULL_STRIP];
    enum lull_strips how = LULL_STRIPS_APART;
    if (!lull_run_find_strips(w, g, 4, LULL_ACCESS_WRITE, &how, p) || how != LULL_STRIPS_RUN) {
        return false;
    }
    const uint32_t *row = lull_vgpr(w, reg);
    for (unsigned l = 0; l < w->lanes; l += LULL_STRIP) {
        memcpy(p[l / LULL_STRIP], row + l, sizeof row[0] * LULL_STRIP);
    }
    return true;
}

/** Bits of a VGPR that a load of less than a dword leaves as they are. */
LULL_INLINE uint32_t lull_run_keeps(const struct lull_mem_op *op)
{
    return (op->flags & LULL_MEM_F_D16HI) != 0 ? 0x0000ffff
           : (op->flags & LULL_MEM_F_D16) != 0 ? 0xffff0000
                                               : 0;
}

/** What such a load makes of @p row, where it has got @p v. */
LULL_INLINE uint32_t lull_run_merge(uint32_t row, uint32_t v, uint32_t keep)
{
    return (keep != 0 ? row & keep : 0) | (keep == 0x0000ffff ? v << 16 : v & ~keep);
}

/** 16 and 8 bits of each lane of a strip. */
typedef uint16_t lull_strip_words __attribute__((vector_size(16)));
typedef uint8_t lull_strip_bytes __attribute__((vector_size(8)));

/** A strip of elements of 1 or 2 bytes at @p from, one after the other or all of them the same. */
LULL_INLINE void lull_run_small_strip(uint32_t *row, const uint8_t *from, enum lull_strips how,
                                      unsigned bytes, bool sign, uint32_t keep)
{
    const uint32_t top = sign ? 1u << (8 * bytes - 1) : 0;
    lull_strip v = {0}, was;
    if (how != LULL_STRIPS_RUN) {
        v += lull_run_get(from, bytes, false);
    } else if (bytes == 1) {
        lull_strip_bytes all;
        memcpy(&all, from, sizeof all);
        v = __builtin_convertvector(all, lull_strip);
    } else {
        lull_strip_words all;
        memcpy(&all, from, sizeof all);
        v = __builtin_convertvector(all, lull_strip);
    }
    v = (v ^ top) - top;
    memcpy(&was, row, sizeof was);
    v = (was & keep) | (keep == 0x0000ffff ? v << 16 : v & ~keep);
    memcpy(row, &v, sizeof v);
}

/** Elements of 1 or 2 bytes that each strip of eight lanes reads together. */
LULL_INLINE bool lull_run_load_small_strips(struct lull_wave *w, const struct lull_run *g,
                                            const struct lull_mem_op *op, unsigned dst,
                                            unsigned bytes, bool sign)
{
    uint8_t *p[LULL_LANES / LULL_STRIP];
    enum lull_strips how = LULL_STRIPS_APART;
    if ((op->flags & ~(unsigned)(LULL_MEM_F_D16 | LULL_MEM_F_D16HI)) != 0 ||
        !lull_run_find_strips(w, g, bytes, LULL_ACCESS_READ, &how, p)) {
        return false;
    }
    const uint32_t keep = lull_run_keeps(op);
    uint32_t *row = lull_vgpr(w, dst);
    for (unsigned l = 0; l < w->lanes; l += LULL_STRIP) {
        lull_run_small_strip(row + l, p[l / LULL_STRIP], how, bytes, sign, keep);
    }
    return true;
}

/** A strip's lower bytes, from bit @p shift on, one after the other. */
LULL_INLINE void lull_run_narrow_strip(uint8_t *to, const uint32_t *row, unsigned bytes,
                                       unsigned shift)
{
    lull_strip v;
    memcpy(&v, row, sizeof v);
    v >>= shift;
    if (bytes == 1) {
        const lull_strip_bytes all = __builtin_convertvector(v, lull_strip_bytes);
        memcpy(to, &all, sizeof all);
    } else {
        const lull_strip_words all = __builtin_convertvector(v, lull_strip_words);
        memcpy(to, &all, sizeof all);
    }
}

/** Elements of 1 or 2 bytes that each strip of eight lanes writes in a run. */
LULL_INLINE bool lull_run_store_small_strips(struct lull_wave *w, const struct lull_run *g,
                                             unsigned reg, unsigned bytes, unsigned shift)
{
    uint8_t *p[LULL_LANES / LULL_STRIP];
    enum lull_strips how = LULL_STRIPS_APART;
    if (!lull_run_find_strips(w, g, bytes, LULL_ACCESS_WRITE, &how, p) || how != LULL_STRIPS_RUN) {
        return false;
    }
    const uint32_t *row = lull_vgpr(w, reg);
    for (unsigned l = 0; l < w->lanes; l += LULL_STRIP) {
        lull_run_narrow_strip(p[l / LULL_STRIP], row + l, bytes, shift);
    }
    return true;
}

/** Dwords of @p n lanes, strip by strip. */
LULL_INLINE void lull_run_copy_lanes(void *to, const void *from, unsigned n)
{
    for (unsigned s = 0; s < n; s += LULL_STRIP) {
        lull_strip v;
        memcpy(&v, (const uint8_t *)from + s * sizeof v[0], sizeof v);
        memcpy((uint8_t *)to + s * sizeof v[0], &v, sizeof v);
    }
}

/** Dwords of all lanes. */
LULL_INLINE void lull_run_copy(const struct lull_wave *w, void *to, const void *from)
{
    if (w->lanes == LULL_LANES) {
        lull_run_copy_lanes(to, from, LULL_LANES);
    } else {
        lull_run_copy_lanes(to, from, LULL_HALF);
    }
}

/** Elements of two dwords of a strip, one after the other from @p from on, to two rows. */
LULL_INLINE void lull_run_split_strip(uint32_t *low, uint32_t *high, const uint8_t *from)
{
    lull_strip a, b;
    memcpy(&a, from, sizeof a);
    memcpy(&b, from + sizeof a, sizeof b);
    const lull_strip l = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
    const lull_strip h = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
    memcpy(low, &l, sizeof l);
    memcpy(high, &h, sizeof h);
}

/** The other way round. */
LULL_INLINE void lull_run_join_strip(uint8_t *to, const uint32_t *low, const uint32_t *high)
{
    lull_strip l, h;
    memcpy(&l, low, sizeof l);
    memcpy(&h, high, sizeof h);
    const lull_strip a = __builtin_shufflevector(l, h, 0, 8, 1, 9, 2, 10, 3, 11);
    const lull_strip b = __builtin_shufflevector(l, h, 4, 12, 5, 13, 6, 14, 7, 15);
    memcpy(to, &a, sizeof a);
    memcpy(to + sizeof a, &b, sizeof b);
}

/** Elements of less than a dword of all lanes, one after the other from @p run on, as @p op has it.
 * False: there is something else to do with them. */
LULL_INLINE bool lull_run_load_small(const struct lull_wave *w, const struct lull_mem_op *op,
                                     unsigned dst, const uint8_t *run, unsigned bytes, bool sign)
{
    uint32_t *row = lull_vgpr(w, dst);
    const uint32_t keep = lull_run_keeps(op);
    if ((op->flags & ~(unsigned)(LULL_MEM_F_D16 | LULL_MEM_F_D16HI)) != 0) {
        return false;
    }
    for (unsigned l = 0; keep == 0 && l < w->lanes; l += LULL_STRIP) {
        lull_run_small_strip(row + l, run + (size_t)l * bytes, LULL_STRIPS_RUN, bytes, sign, 0);
    }
    for (unsigned l = 0; keep != 0 && l < w->lanes; l += LULL_STRIP) {
        lull_run_small_strip(row + l, run + (size_t)l * bytes, LULL_STRIPS_RUN, bytes, sign, keep);
    }
    return true;
}

/** The other way round: bytes of a VGPR from bit @p shift on. */
LULL_INLINE void lull_run_narrow(const struct lull_wave *w, uint8_t *run, unsigned reg,
                                 unsigned bytes, unsigned shift)
{
    const uint32_t *row = lull_vgpr(w, reg);
    for (unsigned l = 0; l < w->lanes; l += LULL_STRIP) {
        lull_run_narrow_strip(run + (size_t)l * bytes, row + l, bytes, shift);
    }
}

LULL_INLINE bool lull_run_load(struct lull_wave *w, const struct lull_run *g,
                               const struct lull_mem_op *op, unsigned bytes, bool sign)
{
    const unsigned dst = g->in->dst - LULL_RDNA_VGPR0;
    uint8_t *p[LULL_LANES];
    uint64_t va[LULL_LANES];
    if (bytes == sizeof(lull_four) && op->flags == 0) {
        uint32_t low = 0;
        const uint8_t *first = lull_run_find_fours(w, g, LULL_ACCESS_READ, &low);
        if (first != NULL) {
            if (w->lanes == LULL_LANES) {
                lull_run_load_near_fours(first, low, g->lo, lull_vgpr(w, dst), LULL_LANES);
            } else {
                lull_run_load_near_fours(first, low, g->lo, lull_vgpr(w, dst), LULL_HALF);
            }
            return true;
        }
    }
    uint8_t *run = lull_run_find_run(w, g, bytes, LULL_ACCESS_READ);
    if (run != NULL && bytes == 4) {
        lull_run_copy(w, lull_vgpr(w, dst), run);
        return true;
    }
    if (run != NULL && bytes < 4 && lull_run_load_small(w, op, dst, run, bytes, sign)) {
        return true;
    }
    if (run != NULL && bytes == 8 && op->flags == 0) {
        uint32_t *row = lull_vgpr(w, dst);
        for (unsigned l = 0; l < w->lanes; l += LULL_STRIP) {
            lull_run_split_strip(row + l, row + w->lanes + l, run + (size_t)l * 8);
        }
        return true;
    }
    if (run != NULL) {
        for (unsigned l = 0; l < w->lanes; l++) {
            p[l] = run + l * bytes;
        }
    } else if (bytes == 4 && op->flags == 0 && lull_run_load_strips(w, g, dst)) {
        return true;
    } else if (bytes < 4 && lull_run_load_small_strips(w, g, op, dst, bytes, sign)) {
        return true;
    } else {
        lull_run_lane_vas(w, g, va);
        if (bytes == 4 && op->flags == 0 && g->mask == lull_all_lanes(w) &&
            lull_run_gather_dwords(w, va, dst)) {
            return true;
        }
        if (!lull_run_locate(w, va, g->mask, bytes, LULL_ACCESS_READ, p)) {
            return false;
        }
    }
    lull_run_load_from(w, op, p, g->mask, dst, bytes, sign);
    return true;
}

LULL_INLINE bool lull_run_store(struct lull_wave *w, const struct lull_run *g, unsigned bytes,
                                unsigned shift)
{
    const unsigned reg = g->in->vdata - LULL_RDNA_VGPR0;
    uint8_t *p[LULL_LANES];
    uint64_t va[LULL_LANES];
    if (bytes == sizeof(lull_four) && shift == 0) {
        uint32_t low = 0;
        uint8_t *first = lull_run_find_fours(w, g, LULL_ACCESS_WRITE, &low);
        if (first != NULL) {
            if (w->lanes == LULL_LANES) {
                lull_run_store_near_fours(first, low, g->lo, lull_vgpr(w, reg), LULL_LANES);
            } else {
                lull_run_store_near_fours(first, low, g->lo, lull_vgpr(w, reg), LULL_HALF);
            }
            return true;
        }
    }
    uint8_t *run = lull_run_find_run(w, g, bytes, LULL_ACCESS_WRITE);
    if (run != NULL && bytes == 4) {
        lull_run_copy(w, run, lull_vgpr(w, reg));
        return true;
    }
    if (run != NULL && bytes < 4) {
        lull_run_narrow(w, run, reg, bytes, shift);
        return true;
    }
    if (run != NULL && bytes == 8) {
        const uint32_t *row = lull_vgpr(w, reg);
        for (unsigned l = 0; l < w->lanes; l += LULL_STRIP) {
            lull_run_join_strip(run + (size_t)l * 8, row + l, row + w->lanes + l);
        }
        return true;
    }
    if (run != NULL) {
        for (unsigned l = 0; l < w->lanes; l++) {
            p[l] = run + l * bytes;
        }
    } else if (bytes == 4 && shift == 0 && lull_run_store_strips(w, g, reg)) {
        return true;
    } else if (bytes < 4 && lull_run_store_small_strips(w, g, reg, bytes, shift)) {
        return true;
    } else {
        lull_run_lane_vas(w, g, va);
        if (!lull_run_locate(w, va, g->mask, bytes, LULL_ACCESS_WRITE, p)) {
            return false;
        }
    }
    lull_run_store_to(w, p, g->mask, reg, bytes, shift);
    return true;
}

#endif
