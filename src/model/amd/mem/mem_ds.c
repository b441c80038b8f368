// SPDX-License-Identifier: MIT
// LDS. GDS: mem_gds.c.
#include "model/amd/mem/ds.h"

#include "isa/rdna/lanes.h"
#include "model/amd/mem/mem_fast.h"

enum { GROUP = 32 };

/** LDS bytes at the lane's address, or NULL if not all of them belong to the workgroup. */
LULL_INLINE uint8_t *lds_at(const struct lull_workgroup *g, uint64_t address, unsigned bytes)
{
    return address + bytes <= g->lds_size ? g->lds + address : NULL;
}

/** Whether the bytes of all lanes belong to the workgroup. */
LULL_INLINE bool all_inside(const struct lull_wave *w, const uint32_t *va, uint64_t offset,
                            unsigned bytes)
{
    const uint32_t size = w->wg->lds_size;
    const lull_strip by = (lull_strip){0} + (uint32_t)offset,
                     last = (lull_strip){0} + (size - bytes);
    lull_strip over = {0};
    for (unsigned s = 0; s < w->lanes; s += LULL_STRIP) {
        lull_strip v;
        memcpy(&v, va + s, sizeof v);
        over |= (lull_strip)(v + by > last);
    }
    return size >= bytes && lull_strip_is_zero(&over);
}

/** A dword for each lane, @p by bytes behind its address, all inside, into @p row. */
LULL_INLINE void gather(const struct lull_wave *w, const uint32_t *va, uint32_t by,
                        enum lull_strips how, uint32_t *row)
{
    const uint8_t *lds = w->wg->lds;
    for (unsigned s = 0; how == LULL_STRIPS_EQUAL && s < w->lanes; s += LULL_STRIP) {
        uint32_t v = 0;
        memcpy(&v, lds + (uint32_t)(va[s] + by), 4);
        for (unsigned i = 0; i < LULL_STRIP; i++) {
            row[s + i] = v;
        }
    }
    for (unsigned s = 0; how == LULL_STRIPS_RUN && s < w->lanes; s += LULL_STRIP) {
        memcpy(row + s, lds + (uint32_t)(va[s] + by), sizeof row[0] * LULL_STRIP);
    }
    for (unsigned l = 0; how == LULL_STRIPS_APART && l < w->lanes; l++) {
        memcpy(&row[l], lds + (uint32_t)(va[l] + by), 4);
    }
}

/** read_rows() of all lanes, which are all inside. */
LULL_INLINE void read_inside(const struct lull_wave *w, const uint32_t *va, uint64_t offset,
                             unsigned bytes, unsigned first, struct lull_rows *rows)
{
    const uint32_t by = (uint32_t)offset;
    const uint8_t *lds = w->wg->lds;
    if (bytes % 4 == 0) {
        const enum lull_strips how = lull_run_strips(w, va, 4);
        for (unsigned d = 0; d < bytes / 4; d++) {
            gather(w, va, by + 4 * d, how, rows->v[first + d]);
        }
        return;
    }
    for (unsigned l = 0; l < w->lanes; l++) {
        uint32_t v = 0;
        memcpy(&v, lds + (uint32_t)(va[l] + by), bytes % 4);
        rows->v[first][l] = v;
    }
}

/** Rows @p first on: @p bytes of each active lane at its address plus @p offset. */
LULL_INLINE void read_rows(const struct lull_wave *w, const uint32_t *va, uint64_t mask,
                           uint64_t offset, unsigned bytes, unsigned first, struct lull_rows *rows)
{
    const struct lull_workgroup *g = w->wg;
    const unsigned ndwords = bytes < 4 ? 1 : bytes / 4;
    const bool full = mask == lull_all_lanes(w);
    uint64_t m = mask;
    if (full && all_inside(w, va, offset, bytes)) {
        read_inside(w, va, offset, bytes, first, rows);
        return;
    }
    for (unsigned i = 0; full ? i < w->lanes : m != 0; i++, m &= m - 1) {
        const unsigned l = full ? i : lull_first_lane(m);
        const uint8_t *p = lds_at(g, (uint32_t)(va[l] + offset), bytes);
        for (unsigned d = 0; d < ndwords; d++) {
            uint32_t v = 0;
            if (p != NULL) {
                memcpy(&v, p + 4 * d, bytes < 4 ? bytes : 4);
            }
            rows->v[first + d][l] = v;
        }
    }
}

/** Whether the elements of a strip, of @p bytes, stand one after the other. */
LULL_INLINE bool is_run(const uint32_t *va, uint32_t bytes)
{
    const lull_strip steps = (lull_strip){0, 1, 2, 3, 4, 5, 6, 7} * bytes;
    lull_strip v;
    memcpy(&v, va, sizeof v);
    v = (v - va[0]) ^ steps;
    return lull_strip_is_zero(&v);
}

/** A dword of each lane of @p mask, in the order of lanes: a strip at once, if its lanes are all on
 * and stand one after the other. */
LULL_INLINE void write_strips(const struct lull_wave *w, const uint32_t *va, uint64_t mask,
                              uint32_t offset, const uint32_t *row)
{
    const struct lull_workgroup *g = w->wg;
    for (unsigned s = 0; s < w->lanes; s += LULL_STRIP) {
        const uint32_t on = mask >> s & 0xff;
        uint8_t *run = on == 0xff && is_run(va + s, 4)
                           ? lds_at(g, (uint32_t)(va[s] + offset), sizeof row[0] * LULL_STRIP)
                           : NULL;
        if (run != NULL) {
            memcpy(run, row + s, sizeof row[0] * LULL_STRIP);
            continue;
        }
        for (uint32_t m = on; m != 0; m &= m - 1) {
            const unsigned l = s + lull_first_lane(m);
            uint8_t *p = lds_at(g, (uint32_t)(va[l] + offset), sizeof row[0]);
            if (p != NULL) {
                memcpy(p, &row[l], sizeof row[0]);
            }
        }
    }
}

/** The same of elements of 1 or 2 bytes, from bit @p shift of each lane on. */
LULL_INLINE void write_small(const struct lull_wave *w, const uint32_t *va, uint64_t mask,
                             uint32_t offset, unsigned bytes, const uint32_t *row, unsigned shift)
{
    const struct lull_workgroup *g = w->wg;
    for (unsigned s = 0; s < w->lanes; s += LULL_STRIP) {
        const uint32_t on = mask >> s & 0xff;
        uint8_t *run = on == 0xff && is_run(va + s, bytes)
                           ? lds_at(g, (uint32_t)(va[s] + offset), bytes * LULL_STRIP)
                           : NULL;
        if (run != NULL) {
            lull_run_narrow_strip(run, row + s, bytes, shift);
            continue;
        }
        for (uint32_t m = on; m != 0; m &= m - 1) {
            const unsigned l = s + lull_first_lane(m);
            uint8_t *p = lds_at(g, (uint32_t)(va[l] + offset), bytes);
            if (p != NULL) {
                lull_run_put(p, bytes, row[l] >> shift);
            }
        }
    }
}

/** Dwords of a strip, each to its own place, which are all inside: two lanes are read at once. */
LULL_INLINE void scatter_strip(uint8_t *lds, const uint32_t *va, uint32_t offset,
                               const uint32_t *row)
{
    for (unsigned l = 0; l < LULL_STRIP; l += 2) {
        uint64_t at = 0, v = 0;
        memcpy(&at, va + l, sizeof at);
        memcpy(&v, row + l, sizeof v);
        const uint32_t one = (uint32_t)v, next = (uint32_t)(v >> 32);
        memcpy(lds + (uint32_t)((uint32_t)at + offset), &one, sizeof one);
        memcpy(lds + (uint32_t)((uint32_t)(at >> 32) + offset), &next, sizeof next);
    }
}

/** Dwords of all lanes, which are all inside. */
LULL_INLINE void write_inside(const struct lull_wave *w, const uint32_t *va, uint32_t offset,
                              unsigned bytes, const uint32_t *row)
{
    uint8_t *lds = w->wg->lds; // Here: as far as C knows, what is stored could be these.
    const unsigned lanes = w->lanes;
    if (bytes == 4 && lull_run_strips(w, va, 4) == LULL_STRIPS_RUN) {
        for (unsigned l = 0; l < lanes; l += LULL_STRIP) {
            memcpy(lds + (va[l] + offset), row + l, sizeof row[0] * LULL_STRIP);
        }
        return;
    }
    if (bytes == 8 && lull_run_strips(w, va, 8) == LULL_STRIPS_RUN) {
        for (unsigned l = 0; l < lanes; l += LULL_STRIP) {
            lull_run_join_strip(lds + (va[l] + offset), row + l, row + lanes + l);
        }
        return;
    }
    for (unsigned l = 0; bytes == 4 && l < lanes; l += LULL_STRIP) {
        scatter_strip(lds, va + l, offset, row + l);
    }
    for (unsigned l = 0; bytes != 4 && l < lanes; l++) {
        uint8_t *p = lds + (va[l] + offset);
        for (unsigned d = 0; d < bytes / 4; d++) {
            memcpy(p + 4 * d, &row[d * lanes + l], sizeof row[0]);
        }
    }
}

/** @p bytes of each active lane from register @p reg on; of 1 or 2 bytes from bit @p shift on. */
LULL_INLINE void write_lanes(const struct lull_wave *w, const uint32_t *va, uint64_t mask,
                             uint64_t offset, unsigned bytes, unsigned reg, unsigned shift)
{
    const uint32_t *row = lull_vgpr(w, reg);
    if (bytes < 4) {
        write_small(w, va, mask, (uint32_t)offset, bytes, row, shift);
    } else if (mask == lull_all_lanes(w) && all_inside(w, va, offset, bytes)) {
        write_inside(w, va, (uint32_t)offset, bytes, row);
    } else if (bytes == 4) {
        write_strips(w, va, mask, (uint32_t)offset, row);
    } else {
        for (uint64_t m = mask; m != 0; m &= m - 1) {
            const unsigned l = lull_first_lane(m);
            uint8_t *p = lds_at(w->wg, (uint32_t)(va[l] + offset), bytes);
            for (unsigned d = 0; p != NULL && d < bytes / 4; d++) {
                memcpy(p + 4 * d, &row[d * w->lanes + l], sizeof row[0]);
            }
        }
    }
}

static void read_any(const struct lull_wave *w, const uint32_t *va, uint64_t mask, uint64_t offset,
                     unsigned bytes, unsigned first, struct lull_rows *rows)
{
    switch (bytes) {
    case 1:
        read_rows(w, va, mask, offset, 1, first, rows);
        break;
    case 2:
        read_rows(w, va, mask, offset, 2, first, rows);
        break;
    case 4:
        read_rows(w, va, mask, offset, 4, first, rows);
        break;
    case 8:
        read_rows(w, va, mask, offset, 8, first, rows);
        break;
    case 16:
        read_rows(w, va, mask, offset, 16, first, rows);
        break;
    default:
        read_rows(w, va, mask, offset, bytes, first, rows);
        break;
    }
}

static void write_any(const struct lull_wave *w, const uint32_t *va, uint64_t mask, uint64_t offset,
                      unsigned bytes, unsigned reg, unsigned shift)
{
    switch (bytes) {
    case 1:
        write_lanes(w, va, mask, offset, 1, reg, shift);
        break;
    case 2:
        write_lanes(w, va, mask, offset, 2, reg, shift);
        break;
    case 4:
        write_lanes(w, va, mask, offset, 4, reg, shift);
        break;
    case 8:
        write_lanes(w, va, mask, offset, 8, reg, shift);
        break;
    case 16:
        write_lanes(w, va, mask, offset, 16, reg, shift);
        break;
    default:
        write_lanes(w, va, mask, offset, bytes, reg, shift);
        break;
    }
}

static enum lull_exec_result load_b32(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const uint64_t mask = lull_exec_mask(w);
    struct lull_rows rows;
    if (!lull_vgprs_exist(w, in->vaddr, 1) || !lull_vgprs_exist(w, in->dst, 1)) {
        return LULL_EXEC_ILLEGAL;
    }
    const uint32_t *va = lull_vgpr(w, in->vaddr - LULL_RDNA_VGPR0);
    if (mask == lull_all_lanes(w) && all_inside(w, va, (uint32_t)in->imm, 4)) {
        uint32_t from[LULL_LANES]; // The result may be in their place.
        memcpy(from, va, sizeof va[0] * w->lanes);
        gather(w, from, (uint32_t)in->imm, lull_run_strips(w, from, 4),
               lull_vgpr(w, in->dst - LULL_RDNA_VGPR0));
        return LULL_EXEC_NEXT;
    }
    read_rows(w, va, mask, (uint32_t)in->imm, 4, 0, &rows);
    lull_rows_put(w, &lull_mem_ops[in->op], in->dst - LULL_RDNA_VGPR0, 1, mask, &rows);
    return LULL_EXEC_NEXT;
}

/** Dwords of all lanes, at one or two offsets, straight to their registers. False: not all are
 * inside. */
static bool load_whole(struct lull_wave *w, const struct lull_rdna_insn *in, const uint32_t *va,
                       const uint64_t offset[2], unsigned bytes, bool two)
{
    uint32_t from[LULL_LANES]; // Results may be in their place.
    if (!all_inside(w, va, offset[0], bytes) || (two && !all_inside(w, va, offset[1], bytes))) {
        return false;
    }
    memcpy(from, va, sizeof va[0] * w->lanes);
    const enum lull_strips how = lull_run_strips(w, from, 4);
    unsigned dst = in->dst - LULL_RDNA_VGPR0;
    for (unsigned i = 0; i <= two; i++) {
        for (unsigned d = 0; d < bytes; d += 4) {
            gather(w, from, (uint32_t)offset[i] + d, how, lull_vgpr(w, dst++));
        }
    }
    return true;
}

/** Elements of 1 or 2 bytes of all lanes, straight to their register. False: not all are inside. */
LULL_INLINE bool load_small(struct lull_wave *w, const struct lull_rdna_insn *in,
                            const uint32_t *va, unsigned bytes)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    const bool sign = op->element == LULL_MEM_E_I8 || op->element == LULL_MEM_E_I16;
    const uint32_t by = (uint32_t)in->imm, keep = lull_run_keeps(op);
    const uint8_t *lds = w->wg->lds;
    uint32_t from[LULL_LANES]; // The result may be in their place.
    if (!all_inside(w, va, by, bytes)) {
        return false;
    }
    memcpy(from, va, sizeof va[0] * w->lanes);
    const enum lull_strips how = lull_run_strips(w, from, bytes);
    uint32_t *row = lull_vgpr(w, in->dst - LULL_RDNA_VGPR0);
    for (unsigned s = 0; how != LULL_STRIPS_APART && s < w->lanes; s += LULL_STRIP) {
        lull_run_small_strip(row + s, lds + (uint32_t)(from[s] + by), how, bytes, sign, keep);
    }
    for (unsigned l = 0; how == LULL_STRIPS_APART && l < w->lanes; l++) {
        const uint32_t v = lull_run_get(lds + (uint32_t)(from[l] + by), bytes, sign);
        row[l] = lull_run_merge(row[l], v, keep);
    }
    return true;
}

static enum lull_exec_result load(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    const bool two = (op->flags & LULL_MEM_F_TWO) != 0;
    const unsigned n = lull_mem_dwords(op);
    const uint64_t mask = lull_exec_mask(w);
    uint64_t offset[2] = {(uint32_t)in->imm, 0};
    uint32_t made[LULL_LANES]; // Only if they are made.
    struct lull_rows rows;
    const uint32_t *va = lull_ds_addresses(w, in, (op->flags & LULL_MEM_F_ADDTID) != 0, made);
    if (va == NULL || !lull_vgprs_exist(w, in->dst, two ? 2 * n : n)) {
        return LULL_EXEC_ILLEGAL;
    }
    if (two) {
        lull_ds_two_offsets(in, op, offset);
    }
    if (mask == lull_all_lanes(w) &&
        (op->flags & ~(unsigned)(LULL_MEM_F_TWO | LULL_MEM_F_STRIDE64)) == 0 &&
        op->bytes % 4 == 0 && load_whole(w, in, va, offset, op->bytes, two)) {
        return LULL_EXEC_NEXT;
    }
    const bool half = (op->flags & ~(unsigned)(LULL_MEM_F_D16 | LULL_MEM_F_D16HI)) == 0;
    if (mask == lull_all_lanes(w) && half &&
        ((op->bytes == 2 && load_small(w, in, va, 2)) ||
         (op->bytes == 1 && load_small(w, in, va, 1)))) {
        return LULL_EXEC_NEXT;
    }
    for (unsigned i = 0; i <= two; i++) {
        read_any(w, va, mask, offset[i], op->bytes, i * n, &rows);
    }
    for (uint64_t m = op->bytes < 4 ? mask : 0; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        rows.v[0][l] = lull_mem_extend(op, rows.v[0][l]);
    }
    lull_rows_put(w, op, in->dst - LULL_RDNA_VGPR0, two ? 2 * n : n, mask, &rows);
    return LULL_EXEC_NEXT;
}

static enum lull_exec_result store_b32(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    if (!lull_vgprs_exist(w, in->vaddr, 1) || !lull_vgprs_exist(w, in->vdata, 1)) {
        return LULL_EXEC_ILLEGAL;
    }
    write_lanes(w, lull_vgpr(w, in->vaddr - LULL_RDNA_VGPR0), lull_exec_mask(w), (uint32_t)in->imm,
                4, in->vdata - LULL_RDNA_VGPR0, 0);
    return LULL_EXEC_NEXT;
}

static enum lull_exec_result store(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    const bool two = (op->flags & LULL_MEM_F_TWO) != 0;
    const unsigned n = lull_mem_dwords(op);
    const unsigned shift = (op->flags & LULL_MEM_F_D16HI) != 0 ? 16 : 0;
    const uint64_t mask = lull_exec_mask(w);
    uint64_t offset[2] = {(uint32_t)in->imm, 0};
    uint32_t made[LULL_LANES]; // Only if they are made.
    const uint32_t *va = lull_ds_addresses(w, in, (op->flags & LULL_MEM_F_ADDTID) != 0, made);
    if (va == NULL || !lull_vgprs_exist(w, in->vdata, n) ||
        (two && !lull_vgprs_exist(w, in->vdata2, n))) {
        return LULL_EXEC_ILLEGAL;
    }
    if (two) {
        lull_ds_two_offsets(in, op, offset);
    }
    for (unsigned i = 0; i <= two; i++) {
        write_any(w, va, mask, offset[i], op->bytes,
                  (i == 0 ? in->vdata : in->vdata2) - LULL_RDNA_VGPR0, shift);
    }
    return LULL_EXEC_NEXT;
}

/** Exchange at two addresses; the results are written when both are done. */
static void exchange_two(struct lull_wave *w, const struct lull_mem_op *op, const uint32_t *va,
                         const uint64_t offset[2], const struct lull_mem_regs *r)
{
    const uint64_t mask = lull_exec_mask(w);
    const unsigned reg[2] = {r->a, r->b};
    const unsigned n = op->bytes / 4u;
    struct lull_rows rows;
    for (unsigned i = 0; i < 2; i++) {
        for (uint64_t m = mask; m != 0; m &= m - 1) { // Lane by lane: addresses may be equal.
            const uint64_t one = m & (~m + 1);
            read_any(w, va, one, offset[i], op->bytes, i * n, &rows);
            write_any(w, va, one, offset[i], op->bytes, reg[i], 0);
        }
    }
    lull_rows_put(w, op, r->dst, 2 * n, mask, &rows);
}

/** Whether dwords of all lanes at their addresses plus @p offset are aligned, inside, and no sum
 * wraps. */
LULL_INLINE bool all_dwords(const struct lull_wave *w, const uint32_t *va, uint32_t offset)
{
    const uint32_t size = w->wg->lds_size;
    const lull_strip last = (lull_strip){0} + (size - 4 - offset), low = (lull_strip){0} + 3;
    lull_strip bad = {0};
    for (unsigned s = 0; s < w->lanes; s += LULL_STRIP) {
        lull_strip v;
        memcpy(&v, va + s, sizeof v);
        bad |= (lull_strip)(v > last) | (v & low);
    }
    return size >= 4 && offset <= size - 4 && offset % 4 == 0 && lull_strip_is_zero(&bad);
}

/** Each lane of a strip adds to its dword of @p lds, in the order of lanes. */
LULL_INLINE void add_strip(uint8_t *lds, const uint32_t *va, const uint32_t *a)
{
    for (unsigned i = 0; i < LULL_STRIP; i++) {
        uint32_t v = 0;
        memcpy(&v, lds + va[i], sizeof v);
        v += a[i];
        memcpy(lds + va[i], &v, sizeof v);
    }
}

/** The same; @p row gets what was in them. */
LULL_INLINE void add_strip_before(uint8_t *lds, const uint32_t *va, const uint32_t *a,
                                  uint32_t *row)
{
    for (unsigned i = 0; i < LULL_STRIP; i++) {
        uint32_t v = 0;
        memcpy(&v, lds + va[i], sizeof v);
        const uint32_t sum = v + a[i];
        memcpy(lds + va[i], &sum, sizeof sum);
        row[i] = v;
    }
}

/** Dwords are added to, all lanes being on, inside and aligned, one after the other. @p row, if it
 * is there, gets what was in them. False: they are not like that, and nothing is done. */
static bool add_dwords(const struct lull_wave *w, const uint32_t *va, uint32_t offset,
                       const uint32_t *a, uint32_t *row)
{
    if (lull_exec_mask(w) != lull_all_lanes(w) || !all_dwords(w, va, offset)) {
        return false;
    }
    uint8_t *lds = w->wg->lds + offset;
    for (unsigned s = 0; row == NULL && s < w->lanes; s += LULL_STRIP) {
        add_strip(lds, va + s, a + s);
    }
    for (unsigned s = 0; row != NULL && s < w->lanes; s += LULL_STRIP) {
        add_strip_before(lds, va + s, a + s, row + s);
    }
    return true;
}

static enum lull_exec_result atomic(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    const bool two = (op->flags & LULL_MEM_F_TWO) != 0;
    const unsigned n = op->bytes / 4u;
    const uint64_t mask = lull_exec_mask(w);
    uint64_t offset[2] = {(uint32_t)in->imm, 0};
    struct lull_places p;
    struct lull_mem_regs r = {.returns = (op->flags & LULL_MEM_F_RTN) != 0};
    const bool has_b = in->vdata2 != LULL_RDNA_NONE;
    if (!lull_vgprs_exist(w, in->vaddr, 1) || !lull_vgprs_exist(w, in->vdata, n) ||
        (has_b && !lull_vgprs_exist(w, in->vdata2, n)) ||
        (r.returns && !lull_vgprs_exist(w, in->dst, two ? 2 * n : n))) {
        return LULL_EXEC_ILLEGAL;
    }
    const uint32_t *va = lull_vgpr(w, in->vaddr - LULL_RDNA_VGPR0);
    r.dst = r.returns ? in->dst - LULL_RDNA_VGPR0 : 0;
    r.a = in->vdata - LULL_RDNA_VGPR0;
    r.b = has_b ? (unsigned)in->vdata2 - LULL_RDNA_VGPR0 : r.a;
    if (!two && op->kind == LULL_MEM_ADD && op->bytes == 4) {
        uint32_t was[LULL_LANES]; // The result may be in the place of operands.
        if (add_dwords(w, va, (uint32_t)offset[0], lull_vgpr(w, r.a), r.returns ? was : NULL)) {
            if (r.returns) {
                memcpy(lull_vgpr(w, r.dst), was, sizeof was[0] * w->lanes);
            }
            return LULL_EXEC_NEXT;
        }
    }
    if (!two) {
        lull_ds_places(va, mask, offset[0], op->kind == LULL_MEM_CONDXCHG, &p);
        return lull_mem_rmw(w, op, &p, &r);
    }
    lull_ds_two_offsets(in, op, offset);
    exchange_two(w, op, va, offset, &r);
    return LULL_EXEC_NEXT;
}

/** ds_add_u32. */
static enum lull_exec_result add_b32(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const bool exist = lull_vgprs_exist(w, in->vaddr, 1) && lull_vgprs_exist(w, in->vdata, 1);
    return exist && add_dwords(w, lull_vgpr(w, in->vaddr - LULL_RDNA_VGPR0), (uint32_t)in->imm,
                               lull_vgpr(w, in->vdata - LULL_RDNA_VGPR0), NULL)
               ? LULL_EXEC_NEXT
               : atomic(w, in);
}

/** ds_append, ds_consume: one counter for the wave, at M0[15:0] + offset (what LLVM's code relies
 * on). */
static enum lull_exec_result count(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    const uint64_t mask = lull_exec_mask(w);
    const uint64_t at = (w->sgpr[LULL_RDNA_M0] & LULL_DS_M0_BASE) + (uint64_t)(uint32_t)in->imm;
    const uint32_t n = (uint32_t)__builtin_popcountll(mask);
    uint8_t *p = lds_at(w->wg, at, 4);
    uint32_t old = 0;
    if (!lull_vgprs_exist(w, in->dst, 1)) {
        return LULL_EXEC_ILLEGAL;
    }
    if (p != NULL) {
        memcpy(&old, p, 4);
        const uint32_t value = op->kind == LULL_MEM_APPEND ? old + n : old - n;
        memcpy(p, &value, 4);
    }
    uint32_t *row = lull_vgpr(w, in->dst - LULL_RDNA_VGPR0);
    for (uint64_t m = mask; m != 0; m &= m - 1) {
        row[lull_first_lane(m)] = old;
    }
    return LULL_EXEC_NEXT;
}

static enum lull_exec_result swizzle(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const uint64_t mask = lull_exec_mask(w);
    struct lull_rows rows;
    if (!lull_vgprs_exist(w, in->vaddr, 1) || !lull_vgprs_exist(w, in->dst, 1)) {
        return LULL_EXEC_ILLEGAL;
    }
    const uint32_t *v = lull_vgpr(w, in->vaddr - LULL_RDNA_VGPR0);
    for (unsigned l = 0; l < w->lanes; l++) {
        const unsigned from = (l & GROUP) | lull_rdna_swizzle_lane(l % GROUP, (uint16_t)in->imm);
        rows.v[0][l] = (mask >> from & 1) != 0 ? v[from] : 0;
    }
    lull_rows_put(w, &lull_mem_ops[in->op], in->dst - LULL_RDNA_VGPR0, 1, mask, &rows);
    return LULL_EXEC_NEXT;
}

/** ds_permute and ds_bpermute: within each 32 lanes, also of wave64. */
static enum lull_exec_result permute(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const bool push = lull_mem_ops[in->op].kind == LULL_MEM_PERMUTE;
    const uint64_t mask = lull_exec_mask(w);
    struct lull_rows rows;
    if (!lull_vgprs_exist(w, in->vaddr, 1) || !lull_vgprs_exist(w, in->vdata, 1) ||
        !lull_vgprs_exist(w, in->dst, 1)) {
        return LULL_EXEC_ILLEGAL;
    }
    const uint32_t *va = lull_vgpr(w, in->vaddr - LULL_RDNA_VGPR0);
    const uint32_t *data = lull_vgpr(w, in->vdata - LULL_RDNA_VGPR0);
    memset(rows.v[0], 0, sizeof(rows.v[0]));
    for (uint64_t m = mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        const unsigned other = (l & GROUP) | ((va[l] + (uint32_t)in->imm) / 4 % GROUP);
        if (push) {
            rows.v[0][other] = data[l];
        } else {
            rows.v[0][l] = (mask >> other & 1) != 0 ? data[other] : 0;
        }
    }
    lull_rows_put(w, &lull_mem_ops[in->op], in->dst - LULL_RDNA_VGPR0, 1, mask, &rows);
    return LULL_EXEC_NEXT;
}

lull_exec_fn *LULL_MEM_NAME(_ds)(const struct lull_rdna_insn *in)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    switch ((enum lull_mem_class)op->group) {
    case LULL_MEM_CLASS_MOVE:
        if (op->kind == LULL_MEM_STORE) {
            return op->element == LULL_MEM_E_B32 && op->flags == 0 ? store_b32 : store;
        }
        return op->element == LULL_MEM_E_B32 && op->flags == 0 ? load_b32 : load;
    case LULL_MEM_CLASS_ATOMIC:
        return op->kind == LULL_MEM_ADD && op->bytes == 4 && op->flags == 0 ? add_b32 : atomic;
    case LULL_MEM_CLASS_COUNT:
        return count;
    case LULL_MEM_CLASS_LANES:
        return op->kind == LULL_MEM_SWIZZLE ? swizzle : permute;
    case LULL_MEM_CLASS_IMAGE:
    case LULL_MEM_CLASS_GDS:
    case LULL_MEM_CLASS_NONE:
        break;
    }
    return op->kind == LULL_MEM_NOP ? lull_mem_nothing : NULL;
}
