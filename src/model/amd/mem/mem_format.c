// SPDX-License-Identifier: MIT
// MUBUF and MTBUF instructions that convert by a format.
//
// Source: RDNA3 ISA guide 9.3 ("Buffer Data"): BUFFER_*_FORMAT takes format and DST_SEL from the
// descriptor, TBUFFER_* the format from the instruction; its DST_SEL is X000, XY00, XYZ0 or XYZW.
// 9.4.1: a texel is in bounds as a whole; outside, loads give 0, and 1 for DST_SEL 1, stores do
// nothing. Where it is silent:
// - A format that does not exist loads zeros and stores nothing.
// - Components that a store does not bring are stored as 0 (Mesa: so do gfx6 to gfx11.5).
// - D16 puts two components into a register; the half of it that has none stays.
// - TFE's dword is 0: all pages are there.
#include "model/amd/mem/buffer.h"
#include "tex/descriptor.h"

enum { MAX_COMPONENTS = 4 };

/** One instruction at work. */
struct access {
    const struct lull_mem_op *op;
    const struct lull_format_info *format; // NULL: does not exist.
    uint8_t dst_sel[4];
    unsigned bytes;      // Of a texel.
    unsigned components; // Of the instruction.
    unsigned reg, ndata; // First data VGPR, and how many.
    bool d16, high;
};

/** X, XY, XYZ or XYZW: the components that the format has. */
static void select_all(const struct lull_format_info *f, uint8_t dst_sel[MAX_COMPONENTS])
{
    for (unsigned i = 0; i < MAX_COMPONENTS; i++) {
        dst_sel[i] = f != NULL && i < f->components ? (uint8_t)(LULL_DST_SEL_X + i) : 0;
    }
}

static bool open_access(const struct lull_wave *w, const struct lull_rdna_insn *in,
                        const struct lull_buffer *b, struct access *a)
{
    a->op = &lull_mem_ops[in->op];
    const bool typed = (unsigned)in->enc == LULL_RDNA_MTBUF;
    const struct lull_format_info *f = lull_format_by_code(typed ? in->format : b->format);
    a->format = f != NULL && lull_format_writable(f) ? f : NULL;
    a->bytes = a->format == NULL ? 4 : a->format->bytes;
    a->components = a->op->bytes / 4u;
    a->high = (a->op->flags & LULL_MEM_F_D16HI) != 0;
    a->d16 = a->high || (a->op->flags & LULL_MEM_F_D16) != 0;
    a->ndata = a->d16 ? (a->components + 1) / 2 : a->components;
    memcpy(a->dst_sel, b->dst_sel, sizeof(a->dst_sel));
    if (typed) {
        select_all(a->format, a->dst_sel);
    }
    const unsigned naddr = (unsigned)in->idxen + in->offen;
    if (naddr != 0 && !lull_vgprs_exist(w, in->vaddr, naddr)) {
        return false;
    }
    if ((a->op->flags & LULL_MEM_F_LDS) != 0) {
        return !in->tfe;
    }
    const unsigned reg = in->vdata != LULL_RDNA_NONE ? in->vdata : in->dst;
    if (!lull_vgprs_exist(w, reg, a->ndata + in->tfe)) {
        return false;
    }
    a->reg = reg - LULL_RDNA_VGPR0;
    return true;
}

static void find_lanes(const struct lull_wave *w, const struct lull_rdna_insn *in,
                       const struct lull_buffer *b, const struct access *a, struct lull_places *p)
{
    lull_buffer_places(w, in, b, a->bytes, true, p);
    for (uint64_t m = a->format == NULL ? p->mask : 0; m != 0; m &= m - 1) {
        p->valid[lull_first_lane(m)] = 0;
    }
}

/** Four values of a texel, as registers get them; NULL: of one that is out of bounds. */
static void convert(const struct access *a, const uint32_t texel[LULL_MEM_DWORDS],
                    uint32_t ret[MAX_COMPONENTS])
{
    uint32_t rgba[MAX_COMPONENTS] = {0};
    memset(ret, 0, sizeof(ret[0]) * MAX_COMPONENTS);
    if (a->format == NULL) {
        return;
    }
    if (texel != NULL) {
        lull_format_unpack(a->format, (const uint8_t *)texel, rgba);
    }
    lull_dst_select(a->format, a->dst_sel, rgba, ret);
    for (unsigned i = 0; a->d16 && i < MAX_COMPONENTS; i++) {
        ret[i] = lull_format_to_d16(a->format, ret[i]);
    }
}

static void put_value(struct lull_wave *w, const struct access *a, unsigned lane, unsigned i,
                      uint32_t value)
{
    if (!a->d16) {
        lull_vgpr(w, a->reg + i)[lane] = value;
        return;
    }
    const unsigned shift = a->high || i % 2 != 0 ? 16 : 0;
    uint32_t *reg = &lull_vgpr(w, a->reg + i / 2)[lane];
    *reg = (*reg & ~((uint32_t)UINT16_MAX << shift)) | value << shift;
}

static uint32_t get_value(const struct lull_wave *w, const struct access *a, unsigned lane,
                          unsigned i)
{
    if (!a->d16) {
        return lull_vgpr(w, a->reg + i)[lane];
    }
    const unsigned shift = a->high || i % 2 != 0 ? 16 : 0;
    const uint16_t half = (uint16_t)(lull_vgpr(w, a->reg + i / 2)[lane] >> shift);
    return lull_format_from_d16(a->format, half);
}

static enum lull_exec_result load(struct lull_wave *w, const struct access *a,
                                  const struct lull_places *p, bool tfe)
{
    struct lull_refused refused = {0};
    struct lull_rows rows = {0};
    for (uint64_t m = p->mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        uint32_t texel[LULL_MEM_DWORDS] = {0};
        uint32_t value[MAX_COMPONENTS] = {0};
        if (p->valid[l] != 0 && !lull_lane_read(w, p, l, a->bytes, texel)) {
            lull_refused_note(&refused, w);
        }
        convert(a, p->valid[l] != 0 ? texel : NULL, value);
        for (unsigned i = 0; i < MAX_COMPONENTS; i++) {
            rows.v[i][l] = value[i];
        }
    }
    for (uint64_t m = refused.any ? 0 : p->mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        for (unsigned i = 0; i < a->components; i++) {
            put_value(w, a, l, i, rows.v[i][l]);
        }
        if (tfe) {
            lull_vgpr(w, a->reg + a->ndata)[l] = 0;
        }
    }
    return lull_refused_end(&refused, w);
}

/** Into LDS at @p lds plus 4 bytes a lane. */
static enum lull_exec_result load_lds(struct lull_wave *w, const struct access *a,
                                      const struct lull_places *p, uint32_t lds)
{
    struct lull_refused refused = {0};
    for (uint64_t m = p->mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        uint32_t texel[LULL_MEM_DWORDS] = {0};
        uint32_t value[MAX_COMPONENTS] = {0};
        if (p->valid[l] != 0 && !lull_lane_read(w, p, l, a->bytes, texel)) {
            lull_refused_note(&refused, w);
            continue;
        }
        convert(a, p->valid[l] != 0 ? texel : NULL, value);
        const uint64_t at = (uint64_t)lds + sizeof(value[0]) * l;
        if (at + sizeof(value[0]) <= w->wg->lds_size) {
            memcpy(w->wg->lds + at, value, sizeof(value[0]));
        }
    }
    return lull_refused_end(&refused, w);
}

static enum lull_exec_result store(struct lull_wave *w, const struct access *a,
                                   const struct lull_places *p)
{
    struct lull_refused refused = {0};
    for (uint64_t m = a->format == NULL ? 0 : p->mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        uint32_t value[MAX_COMPONENTS] = {0};
        uint32_t rgba[MAX_COMPONENTS] = {0};
        uint32_t texel[LULL_MEM_DWORDS] = {0};
        for (unsigned i = 0; i < a->components; i++) {
            value[i] = get_value(w, a, l, i);
        }
        lull_dst_unselect(a->dst_sel, value, rgba);
        lull_format_pack(a->format, rgba, (uint8_t *)texel);
        if (p->valid[l] != 0 && !lull_lane_write(w, p, l, a->bytes, texel)) {
            lull_refused_note(&refused, w);
        }
    }
    return lull_refused_end(&refused, w);
}

bool lull_format_places(const struct lull_wave *w, const struct lull_rdna_insn *in,
                        struct lull_places *p, unsigned *bytes)
{
    const struct lull_buffer b = lull_buffer_of(w, in);
    struct access a = {0};
    if (!open_access(w, in, &b, &a)) {
        return false;
    }
    find_lanes(w, in, &b, &a, p);
    *bytes = a.bytes;
    return true;
}

enum lull_exec_result lull_mem_format(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const struct lull_buffer b = lull_buffer_of(w, in);
    struct access a = {0};
    struct lull_places p;
    if (!open_access(w, in, &b, &a)) {
        return LULL_EXEC_ILLEGAL;
    }
    find_lanes(w, in, &b, &a, &p);
    if (a.op->kind == LULL_MEM_STORE) {
        return store(w, &a, &p);
    }
    if ((a.op->flags & LULL_MEM_F_LDS) != 0) {
        const uint32_t m0 = w->sgpr[LULL_RDNA_M0] & UINT16_MAX;
        return load_lds(w, &a, &p, m0 + (uint32_t)in->imm);
    }
    return load(w, &a, &p, in->tfe);
}
