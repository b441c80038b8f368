// SPDX-License-Identifier: MIT
// MUBUF: buffers by descriptor.
#include "model/amd/mem/buffer.h"

#include "hw/desc11_regs.h"

enum { ALL_DWORDS = 0xff };

#define FIELD(word, NAME) (((word)&LULL_DESC11_BUF_##NAME##_MASK) >> LULL_DESC11_BUF_##NAME##_SHIFT)

/** Raw buffers end where they end, wherever soffset begins; a descriptor without a format is none.
 */
static void find_end(struct lull_buffer *b, uint32_t soffset)
{
    const bool raw = b->oob == LULL_DESC11_BUF_WORD3__OOB_SELECT__RAW;
    if (b->format == 0 && !b->add_tid) {
        b->oob = LULL_DESC11_BUF_WORD3__OOB_SELECT__DISABLED;
        b->records = 0;
    } else if (raw && (b->element == 0 || b->stride == 0)) {
        b->records = b->records > soffset ? b->records - soffset : 0;
    }
}

struct lull_buffer lull_buffer_of(const struct lull_wave *w, const struct lull_rdna_insn *in)
{
    uint32_t d[4] = {0};
    for (unsigned i = 0; i < 4; i++) {
        d[i] = lull_mem_scalar(w, (in->sbase + i) & 127);
    }
    const bool add_tid = FIELD(d[3], WORD3__ADD_TID_ENABLE) != 0;
    const uint32_t swizzle = in->idxen || add_tid ? FIELD(d[1], WORD1__SWIZZLE_ENABLE) : 0;
    const uint32_t soffset = in->soffset == LULL_RDNA_NONE ? 0 : lull_mem_scalar(w, in->soffset);
    struct lull_buffer b = {
        .base = ((uint64_t)FIELD(d[1], WORD1__BASE_ADDRESS_HI) << 32 | d[0]) + soffset,
        .stride = FIELD(d[1], WORD1__STRIDE),
        .records = d[2],
        .element = swizzle == 0 ? 0 : 2u << swizzle,
        .index_stride = 8u << FIELD(d[3], WORD3__INDEX_STRIDE),
        .oob = FIELD(d[3], WORD3__OOB_SELECT),
        .add_tid = add_tid,
        .format = (uint8_t)FIELD(d[3], WORD3__FORMAT),
        .dst_sel = {(uint8_t)FIELD(d[3], WORD3__DST_SEL_X), (uint8_t)FIELD(d[3], WORD3__DST_SEL_Y),
                    (uint8_t)FIELD(d[3], WORD3__DST_SEL_Z), (uint8_t)FIELD(d[3], WORD3__DST_SEL_W)},
    };
    find_end(&b, soffset);
    return b;
}

bool lull_buffer_in_range(const struct lull_buffer *b, uint64_t index, uint64_t offset,
                          unsigned bytes)
{
    const bool in_record = offset + bytes <= b->stride;
    switch (b->oob) {
    case LULL_DESC11_BUF_WORD3__OOB_SELECT__STRUCTURED_WITH_OFFSET:
        return index < b->records && in_record;
    case LULL_DESC11_BUF_WORD3__OOB_SELECT__STRUCTURED:
        return index < b->records;
    case LULL_DESC11_BUF_WORD3__OOB_SELECT__DISABLED:
        return b->records != 0;
    default:
        break;
    }
    if (b->element != 0 && b->stride != 0) {
        return index < b->records && in_record;
    }
    return index * b->stride + offset + bytes <= b->records;
}

static void place(const struct lull_buffer *b, struct lull_places *p, unsigned lane, uint64_t index,
                  uint64_t offset)
{
    if (b->element == 0) {
        p->space[lane] = LULL_SPACE_MEMORY;
        p->address[lane] = lull_buffer_va(b->base + index * b->stride + offset);
        return;
    }
    const uint64_t msb = index / b->index_stride;
    const uint64_t lsb = index % b->index_stride;
    p->space[lane] = LULL_SPACE_SWIZZLED;
    p->address[lane] =
        lull_buffer_va(b->base + msb * b->stride * b->index_stride + lsb * b->element);
    p->offset[lane] = offset > UINT32_MAX ? UINT32_MAX : (uint32_t)offset;
}

/** Bits of struct lull_places.valid. */
static unsigned valid_dwords(const struct lull_buffer *b, unsigned bytes, bool whole,
                             uint64_t index, uint64_t offset)
{
    if (lull_buffer_in_range(b, index, offset, bytes)) {
        return ALL_DWORDS;
    }
    unsigned valid = 0;
    for (unsigned d = 0; !whole && bytes > 4 && 4 * d < bytes; d++) {
        valid |= (unsigned)lull_buffer_in_range(b, index, offset + 4 * d, 4) << d;
    }
    return valid;
}

void lull_buffer_places(const struct lull_wave *w, const struct lull_rdna_insn *in,
                        const struct lull_buffer *b, unsigned bytes, bool whole,
                        struct lull_places *p)
{
    const unsigned v = in->vaddr - LULL_RDNA_VGPR0;
    const uint32_t *index = in->idxen ? lull_vgpr(w, v) : NULL;
    const uint32_t *offset = in->offen ? lull_vgpr(w, v + in->idxen) : NULL;
    p->mask = lull_exec_mask(w);
    p->element = b->element;
    p->stride = b->index_stride;
    p->limit = UINT32_MAX;
    for (uint64_t m = p->mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        const uint64_t i = (index == NULL ? 0 : index[l]) + (uint64_t)(b->add_tid ? l : 0);
        // In 32 bits: LLVM and Mesa's ACO move numbers into imm that make the sum wrap.
        const uint32_t o = (offset == NULL ? 0 : offset[l]) + (uint32_t)in->imm;
        p->valid[l] = (uint8_t)valid_dwords(b, bytes, whole, i, o);
        place(b, p, l, i, o);
    }
}

bool lull_buffer_regs(const struct lull_wave *w, const struct lull_rdna_insn *in,
                      const struct lull_mem_op *op, struct lull_mem_regs *r)
{
    const unsigned n = lull_mem_dwords(op);
    const unsigned ndata = (op->flags & LULL_MEM_F_PAIR) != 0 ? 2 * n : n;
    const unsigned naddr = (unsigned)in->idxen + in->offen;
    if (naddr != 0 && !lull_vgprs_exist(w, in->vaddr, naddr)) {
        return false;
    }
    if ((op->flags & LULL_MEM_F_LDS) != 0) {
        return true;
    }
    const unsigned reg = in->vdata != LULL_RDNA_NONE ? in->vdata : in->dst;
    if (!lull_vgprs_exist(w, reg, ndata + in->tfe)) {
        return false;
    }
    r->a = r->dst = reg - LULL_RDNA_VGPR0;
    r->b = r->a + ndata - n;
    r->returns = in->glc;
    return true;
}

/** The dword behind the data that TFE adds: 0, everything was resident. */
static void put_residency(const struct lull_wave *w, unsigned reg)
{
    uint32_t *row = lull_vgpr(w, reg);
    for (uint64_t m = lull_exec_mask(w); m != 0; m &= m - 1) {
        row[lull_first_lane(m)] = 0;
    }
}

static enum lull_exec_result buffer(struct lull_wave *w, const struct lull_rdna_insn *in, bool last)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    struct lull_mem_regs r = {0};
    struct lull_places p;
    if (!lull_buffer_regs(w, in, op, &r)) {
        return LULL_EXEC_ILLEGAL;
    }
    r.last = last && !r.returns;
    const struct lull_buffer b = lull_buffer_of(w, in);
    lull_buffer_places(w, in, &b, op->bytes, op->group == LULL_MEM_CLASS_ATOMIC, &p);
    if ((op->flags & LULL_MEM_F_LDS) != 0) {
        const uint32_t m0 = w->sgpr[LULL_RDNA_M0] & UINT16_MAX;
        return lull_mem_load_lds(w, op, &p, m0 + (uint32_t)in->imm);
    }
    const enum lull_exec_result res = lull_mem_run(w, op, &p, &r);
    if (in->tfe && res == LULL_EXEC_NEXT && op->kind == LULL_MEM_LOAD) {
        put_residency(w, r.dst + lull_mem_dwords(op));
    }
    return res;
}

enum lull_exec_result lull_mem_buffer(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return buffer(w, in, false);
}

enum lull_exec_result lull_mem_buffer_last(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return buffer(w, in, true);
}
