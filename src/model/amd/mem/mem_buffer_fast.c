// SPDX-License-Identifier: MIT
// MUBUF without formats: linear buffers quickly, all others the plain way.
#include "hw/desc11_regs.h"
#include "model/amd/mem/buffer.h"
#include "model/amd/mem/mem_add.h"

enum { LAST_SGPR = 105 };

static const uint32_t no_offset[LULL_LANES];

/** Lanes of @p mask whose offset is at most @p last. */
LULL_INLINE uint64_t lanes_within(const struct lull_wave *w, uint64_t mask, const uint32_t *offset,
                                  uint32_t last)
{
    if (lull_run_greatest(w, offset, 0) <= last) {
        return mask;
    }
    uint64_t in = 0;
    for (unsigned l = 0; l < w->lanes; l++) {
        in |= (uint64_t)(offset[l] <= last) << l;
    }
    return in & mask;
}

/** A descriptor in SGPRs that can be done quickly: linear, without lane numbers. */
LULL_INLINE bool linear(const struct lull_wave *w, const struct lull_rdna_insn *in,
                        struct lull_buffer *b)
{
    if (in->sbase + 3 > LAST_SGPR) {
        return false;
    }
    const uint32_t *d = &w->sgpr[in->sbase];
    if ((in->idxen && (d[1] & LULL_DESC11_BUF_WORD1__SWIZZLE_ENABLE_MASK) != 0) ||
        (d[3] & LULL_DESC11_BUF_WORD3__ADD_TID_ENABLE_MASK) != 0 ||
        (d[3] & LULL_DESC11_BUF_WORD3__FORMAT_MASK) == 0) {
        return false;
    }
    const uint64_t hi = d[1] & LULL_DESC11_BUF_WORD1__BASE_ADDRESS_HI_MASK;
    const uint32_t soffset =
        in->soffset <= LAST_SGPR ? w->sgpr[in->soffset] : lull_mem_scalar(w, in->soffset);
    b->base = lull_buffer_va(hi << 32 | d[0]) + soffset;
    b->stride = (d[1] & LULL_DESC11_BUF_WORD1__STRIDE_MASK) >> LULL_DESC11_BUF_WORD1__STRIDE_SHIFT;
    b->oob =
        (d[3] & LULL_DESC11_BUF_WORD3__OOB_SELECT_MASK) >> LULL_DESC11_BUF_WORD3__OOB_SELECT_SHIFT;
    b->records = d[2];
    if (b->oob == LULL_DESC11_BUF_WORD3__OOB_SELECT__RAW) {
        b->records = d[2] > soffset ? d[2] - soffset : 0;
    }
    return true;
}

/** Records by their number: @p room gets their offsets. @return false: take the plain way. */
LULL_INLINE bool find_records(const struct lull_wave *w, const struct lull_buffer *b, uint64_t end,
                              const uint32_t *index, uint32_t *room, uint32_t *last)
{
    const bool raw = b->oob == LULL_DESC11_BUF_WORD3__OOB_SELECT__RAW;
    if (end > b->stride || (uint64_t)b->stride * b->records > UINT32_MAX || b->records == 0 ||
        b->oob == LULL_DESC11_BUF_WORD3__OOB_SELECT__DISABLED || (raw && b->records < end)) {
        return false;
    }
    const uint32_t n = raw ? (uint32_t)((b->records - end) / b->stride) : b->records - 1;
    for (unsigned h = 0; h < w->lanes; h += LULL_HALF) {
        for (unsigned l = h; l < h + LULL_HALF; l++) {
            room[l] = index[l] <= n ? index[l] * b->stride : UINT32_MAX;
        }
    }
    *last = n * b->stride;
    return true;
}

/**
 * Offsets of all lanes from the buffer's base without imm, and the greatest that is in bounds.
 *
 * @param room For offsets that are made. @return false: take the plain way.
 */
LULL_INLINE bool find_offsets(const struct lull_wave *w, const struct lull_rdna_insn *in,
                              const struct lull_buffer *b, unsigned bytes, uint32_t *room,
                              const uint32_t **ret, uint32_t *last)
{
    const bool none = in->vaddr == LULL_RDNA_NONE;
    const uint32_t *v = none ? no_offset : lull_vgpr(w, in->vaddr - LULL_RDNA_VGPR0);
    const uint64_t end = (uint64_t)(uint32_t)in->imm + bytes;
    if (!in->idxen && b->oob == LULL_DESC11_BUF_WORD3__OOB_SELECT__RAW) {
        *ret = v;
        *last = (uint32_t)(b->records - end);
        return end <= b->records;
    }
    *ret = room;
    return in->idxen && !in->offen && find_records(w, b, end, v, room, last);
}

/** Zeros for the lanes that are out of bounds. */
static void put_zeros(struct lull_wave *w, const struct lull_mem_op *op, unsigned dst,
                      uint64_t mask)
{
    static const struct lull_rows zeros;
    lull_rows_put(w, op, dst, lull_mem_dwords(op), mask, &zeros);
}

LULL_INLINE bool regs_exist(const struct lull_wave *w, const struct lull_rdna_insn *in,
                            unsigned bytes)
{
    const bool none = in->vaddr == LULL_RDNA_NONE;
    return lull_vgprs_exist(w, in->vdata, bytes < 4 ? 1 : bytes / 4) &&
           (none || lull_vgprs_exist(w, in->vaddr, (unsigned)in->idxen + in->offen));
}

/** A dword of each lane, all of them on, one after the other in a page and none behind @p last.
 * False: they are not like that, and nothing is done. */
LULL_INLINE bool move_run(struct lull_wave *w, const struct lull_run *g, uint32_t last,
                          bool is_store)
{
    const uint32_t from_first = 4 * (w->lanes - 1);
    uint8_t *run = g->lo[0] <= last && last - g->lo[0] >= from_first
                       ? lull_run_find_run(w, g, 4, is_store ? LULL_ACCESS_WRITE : LULL_ACCESS_READ)
                       : NULL;
    if (run != NULL && is_store) {
        lull_run_copy(w, run, lull_vgpr(w, g->in->vdata - LULL_RDNA_VGPR0));
    } else if (run != NULL) {
        lull_run_copy(w, lull_vgpr(w, g->in->dst - LULL_RDNA_VGPR0), run);
    }
    return run != NULL;
}

LULL_INLINE bool quick(struct lull_wave *w, const struct lull_rdna_insn *in,
                       const struct lull_mem_op *op, unsigned bytes, bool sign)
{
    const bool is_store = op->kind == LULL_MEM_STORE;
    uint32_t room[LULL_LANES], last = 0;
    struct lull_buffer b = {0};
    struct lull_run g = {.in = in};
    if (in->tfe || !regs_exist(w, in, bytes) || !linear(w, in, &b) ||
        !find_offsets(w, in, &b, bytes, room, &g.lo, &last)) {
        return false;
    }
    g.base = b.base + (uint32_t)in->imm;
    const uint64_t exec = g.mask = lull_exec_mask(w);
    if (bytes == 4 && move_run(w, &g, last, is_store)) {
        return true;
    }
    g.mask = lanes_within(w, exec, g.lo, last);
    if (g.mask != exec &&
        (bytes > 4 || lull_run_greatest(w, g.lo, 0) > UINT32_MAX - (uint32_t)in->imm)) {
        return false; // Some dwords may be inside, or a sum that wraps.
    }
    const bool done =
        g.mask == 0 ||
        (is_store ? lull_run_store(w, &g, bytes, (op->flags & LULL_MEM_F_D16HI) != 0 ? 16 : 0)
                  : lull_run_load(w, &g, op, bytes, sign));
    if (done && !is_store && g.mask != exec) {
        put_zeros(w, op, in->dst - LULL_RDNA_VGPR0, exec & ~g.mask);
    }
    return done;
}

LULL_INLINE enum lull_exec_result move(struct lull_wave *w, const struct lull_rdna_insn *in,
                                       unsigned bytes, bool sign)
{
    return quick(w, in, &lull_mem_ops[in->op], bytes, sign) ? LULL_EXEC_NEXT
                                                            : lull_mem_buffer(w, in);
}

/** All lanes add to dwords that stand one after the other in a page, and want no results. False:
 * they are not like that, and nothing is done. @param kept Who may keep them; NULL: nobody. */
LULL_INLINE bool add_run(struct lull_wave *w, const struct lull_rdna_insn *in,
                         struct lull_kept *kept)
{
    uint32_t room[LULL_LANES], last = 0;
    struct lull_buffer b = {0};
    struct lull_run g = {.in = in, .mask = lull_exec_mask(w)};
    if (in->glc || in->tfe || !regs_exist(w, in, 4) || !linear(w, in, &b) ||
        !find_offsets(w, in, &b, 4, room, &g.lo, &last) || g.mask != lull_all_lanes(w) ||
        lull_run_greatest(w, g.lo, 0) > last) {
        return false;
    }
    g.base = b.base + (uint32_t)in->imm;
    uint8_t *run = g.base % 4 != 0 || g.lo[0] % 4 != 0
                       ? NULL
                       : lull_run_find_run(
                             w, &g, 4, LULL_ACCESS_READ | LULL_ACCESS_WRITE | LULL_ACCESS_ATOMIC);
    if (run == NULL) {
        return false;
    }
    lull_run_add(w, (uint32_t *)(void *)run, lull_vgpr(w, in->vdata - LULL_RDNA_VGPR0), kept);
    return true;
}

static enum lull_exec_result add_4(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return add_run(w, in, NULL) ? LULL_EXEC_NEXT : lull_mem_buffer(w, in);
}

/** The last that the wave does. */
static enum lull_exec_result add_4_last(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return add_run(w, in, w->kept) ? LULL_EXEC_NEXT : lull_mem_buffer_last(w, in);
}

static enum lull_exec_result move_1(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return move(w, in, 1, lull_mem_ops[in->op].element == LULL_MEM_E_I8);
}

static enum lull_exec_result move_2(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return move(w, in, 2, lull_mem_ops[in->op].element == LULL_MEM_E_I16);
}

static enum lull_exec_result move_4(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return move(w, in, 4, false);
}

/** Whether @p in may be done by move_plainly(). */
static bool is_plain(const struct lull_rdna_insn *in)
{
    return !in->tfe && in->offen && !in->idxen && in->vaddr != LULL_RDNA_NONE &&
           in->sbase + 3 <= LAST_SGPR &&
           (in->soffset <= LAST_SGPR || in->soffset == LULL_RDNA_NULL ||
            in->soffset == LULL_RDNA_INT0);
}

/** What is most common: of a raw buffer a dword of each lane, all of them on, one after the other
 * in a page and in bounds. @p n: lanes. False: it is something else, and nothing is done. */
LULL_INLINE bool move_plainly(struct lull_wave *w, const struct lull_rdna_insn *in, unsigned n,
                              bool is_store)
{
    const uint32_t *d = &w->sgpr[in->sbase], bytes = 4 * n;
    const uint32_t kind =
        LULL_DESC11_BUF_WORD3__OOB_SELECT_MASK | LULL_DESC11_BUF_WORD3__ADD_TID_ENABLE_MASK;
    const uint32_t raw = (uint32_t)LULL_DESC11_BUF_WORD3__OOB_SELECT__RAW
                         << LULL_DESC11_BUF_WORD3__OOB_SELECT_SHIFT;
    const uint32_t *v = lull_vgpr(w, in->vaddr - LULL_RDNA_VGPR0);
    const uint32_t soffset = in->soffset <= LAST_SGPR ? w->sgpr[in->soffset] : 0;
    const uint64_t end = (uint64_t)v[0] + (uint32_t)in->imm + soffset + bytes;
    if ((d[3] & kind) != raw || (d[3] & LULL_DESC11_BUF_WORD3__FORMAT_MASK) == 0 || end > d[2] ||
        !lull_run_counts_up(v, n, 4)) {
        return false;
    }
    const uint64_t hi = d[1] & LULL_DESC11_BUF_WORD1__BASE_ADDRESS_HI_MASK;
    const uint64_t va = lull_buffer_va(hi << 32 | d[0]) + soffset + (uint32_t)in->imm + v[0];
    uint8_t *run = va % LULL_PAGE_SIZE + bytes <= LULL_PAGE_SIZE
                       ? lull_vm_host(w->vm, va, is_store ? LULL_ACCESS_WRITE : LULL_ACCESS_READ)
                       : NULL;
    if (run != NULL && is_store) {
        lull_run_copy_lanes(run, lull_vgpr(w, in->vdata - LULL_RDNA_VGPR0), n);
    } else if (run != NULL) {
        lull_run_copy_lanes(lull_vgpr(w, in->dst - LULL_RDNA_VGPR0), run, n);
    }
    return run != NULL;
}

LULL_INLINE enum lull_exec_result move_plain_4(struct lull_wave *w, const struct lull_rdna_insn *in,
                                               bool is_store)
{
    const bool all = lull_exec_mask(w) == lull_all_lanes(w) && regs_exist(w, in, 4);
    const bool done = all && (w->lanes == LULL_LANES ? move_plainly(w, in, LULL_LANES, is_store)
                                                     : move_plainly(w, in, LULL_HALF, is_store));
    return done ? LULL_EXEC_NEXT : move_4(w, in);
}

static enum lull_exec_result load_4(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return move_plain_4(w, in, false);
}

static enum lull_exec_result store_4(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return move_plain_4(w, in, true);
}

static enum lull_exec_result move_8(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return move(w, in, 8, false);
}

static enum lull_exec_result move_12(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return move(w, in, 12, false);
}

static enum lull_exec_result move_16(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return move(w, in, 16, false);
}

lull_exec_fn *LULL_MEM_NAME(_last)(const struct lull_rdna_insn *in)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    const bool adds = in->enc == LULL_RDNA_MUBUF && op->group == LULL_MEM_CLASS_ATOMIC &&
                      op->kind == LULL_MEM_ADD && op->bytes == 4;
    return adds ? add_4_last : NULL;
}

lull_exec_fn *LULL_MEM_NAME(_buffer)(const struct lull_rdna_insn *in)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    if (op->group == LULL_MEM_CLASS_ATOMIC && op->kind == LULL_MEM_ADD && op->bytes == 4) {
        return add_4;
    }
    if (op->group != LULL_MEM_CLASS_MOVE || (op->flags & LULL_MEM_F_LDS) != 0) {
        return lull_mem_buffer;
    }
    switch (op->bytes) {
    case 1:
        return move_1;
    case 2:
        return move_2;
    case 4:
        return !is_plain(in) ? move_4 : op->kind == LULL_MEM_STORE ? store_4 : load_4;
    case 8:
        return move_8;
    case 12:
        return move_12;
    case 16:
        return move_16;
    default:
        return lull_mem_buffer;
    }
}
