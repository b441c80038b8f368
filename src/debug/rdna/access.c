// SPDX-License-Identifier: MIT
#include "debug/rdna/access.h"

#include "arch/arch.h"
#include "base/error.h"
#include "debug/code/code.h"
#include "hw/desc11_regs.h"
#include "hw/hwreg_regs.h"
#include "isa/rdna/ops.h"
#include "tex/format.h"

enum { VA_BITS = 48 };

LULL_MUST_USE static struct lull_error *read_reg(const struct lull_access *a,
                                                 enum lull_reg_class cls, unsigned index,
                                                 unsigned lane, uint64_t *ret)
{
    const struct lull_wave_reg reg = {.cls = cls, .index = (uint16_t)index, .lane = (uint8_t)lane};
    return a->target->ops->read_reg(a->target, a->wave->key, reg, ret);
}

LULL_MUST_USE static struct lull_error *scalar(const struct lull_access *a, unsigned index,
                                               unsigned count, uint64_t *ret)
{
    *ret = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t v = 0;
        unsigned r = index + i;
        struct lull_error *err = NULL;
        if (r >= LULL_RDNA_INT0 && r <= LULL_RDNA_INT64) {
            v = r - LULL_RDNA_INT0;
        } else if (r != LULL_RDNA_NULL && r < LULL_RDNA_INT0) {
            err = read_reg(a, LULL_REG_SGPR, r, 0, &v);
        }
        if (err != NULL) {
            return err;
        }
        *ret |= (uint64_t)(uint32_t)v << (32 * i);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *vector(const struct lull_access *a, unsigned operand,
                                               unsigned count, unsigned lane, uint64_t *ret)
{
    *ret = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t v = 0;
        struct lull_error *err =
            read_reg(a, LULL_REG_VGPR, operand - LULL_RDNA_VGPR0 + i, lane, &v);
        if (err != NULL) {
            return err;
        }
        *ret |= (uint64_t)(uint32_t)v << (32 * i);
    }
    return NULL;
}

static bool has_sgpr(unsigned operand)
{
    return operand != LULL_RDNA_NONE && operand != LULL_RDNA_NULL;
}

LULL_MUST_USE static struct lull_error *global_lanes(struct lull_access *a)
{
    const struct lull_rdna_insn *in = &a->in;
    bool saddr = has_sgpr(in->saddr);
    uint64_t base = 0;
    struct lull_error *err = saddr ? scalar(a, in->saddr, 2, &base) : NULL;
    for (unsigned i = 0; err == NULL && i < a->lanes; i++) {
        uint64_t v = 0;
        if (in->vaddr != LULL_RDNA_NONE) {
            err = vector(a, in->vaddr, saddr ? 1 : 2, i, &v);
        }
        a->va[i] = base + v + (uint64_t)(int64_t)in->imm;
    }
    return err;
}

/* Scratch is interleaved by dwords over the lanes of the wave. */
static uint64_t scratch_va(const struct lull_access *a, uint64_t flat_scratch, unsigned lane,
                           uint32_t offset)
{
    return flat_scratch + 4 * ((uint64_t)(offset / 4) * a->lanes + lane) + offset % 4;
}

LULL_MUST_USE static struct lull_error *scratch_lanes(struct lull_access *a)
{
    const struct lull_rdna_insn *in = &a->in;
    uint64_t base = 0;
    uint64_t saddr = 0;
    struct lull_error *err = read_reg(a, LULL_REG_FLAT_SCRATCH, 0, 0, &base);
    if (err == NULL && has_sgpr(in->saddr)) {
        err = scalar(a, in->saddr, 1, &saddr);
    }
    for (unsigned i = 0; err == NULL && i < a->lanes; i++) {
        uint64_t v = 0;
        if (in->vaddr != LULL_RDNA_NONE && in->svs) {
            err = vector(a, in->vaddr, 1, i, &v);
        }
        a->va[i] = scratch_va(a, base, i, (uint32_t)(saddr + v + (uint64_t)(int64_t)in->imm));
    }
    return err;
}

/* Flat addresses may be LDS or scratch: the apertures of SH_MEM_BASES. */
LULL_MUST_USE static struct lull_error *flat_lanes(struct lull_access *a)
{
    uint64_t bases = 0;
    uint64_t flat_scratch = 0;
    struct lull_error *err = global_lanes(a);
    if (err == NULL) {
        err = read_reg(a, LULL_REG_HW, LULL_HWREG_SH_MEM_BASES, 0, &bases);
    }
    if (err != NULL && lull_error_code(err) == LULL_ERR_NOT_FOUND) { // then all are taken as global
        lull_error_free(err);
        return NULL;
    }
    if (err == NULL) {
        err = read_reg(a, LULL_REG_FLAT_SCRATCH, 0, 0, &flat_scratch);
    }
    for (unsigned i = 0; err == NULL && i < a->lanes; i++) {
        uint64_t top = a->va[i] >> VA_BITS;
        if (top != 0 && top == lull_get64(bases, LULL_HWREG_SH_MEM_BASES__SHARED_BASE_MASK)) {
            a->mask &= ~(UINT64_C(1) << i);
        } else if (top != 0 &&
                   top == lull_get64(bases, LULL_HWREG_SH_MEM_BASES__PRIVATE_BASE_MASK)) {
            a->va[i] = scratch_va(a, flat_scratch, i, (uint32_t)a->va[i]);
        }
    }
    return err;
}

/** A buffer's descriptor, as far as addresses go. */
struct buffer {
    uint64_t base;
    uint32_t stride, records;
    unsigned oob, format; ///< OOB_SELECT, FORMAT.
    bool swizzled, add_tid;
};

LULL_MUST_USE static struct lull_error *read_buffer(const struct lull_access *a, struct buffer *ret)
{
    uint64_t low = 0;
    uint64_t high = 0;
    struct lull_error *err = scalar(a, a->in.sbase, 2, &low);
    err = err != NULL ? err : scalar(a, a->in.sbase + 2u, 2, &high);
    uint32_t word1 = (uint32_t)(low >> 32);
    uint32_t word3 = (uint32_t)(high >> 32);
    *ret = (struct buffer){
        .base = (uint64_t)lull_get(word1, LULL_DESC11_BUF_WORD1__BASE_ADDRESS_HI_MASK) << 32 |
                (uint32_t)low,
        .stride = lull_get(word1, LULL_DESC11_BUF_WORD1__STRIDE_MASK),
        .records = (uint32_t)high,
        .oob = lull_get(word3, LULL_DESC11_BUF_WORD3__OOB_SELECT_MASK),
        .format = lull_get(word3, LULL_DESC11_BUF_WORD3__FORMAT_MASK),
        .swizzled = lull_get(word1, LULL_DESC11_BUF_WORD1__SWIZZLE_ENABLE_MASK) != 0,
        .add_tid = lull_get(word3, LULL_DESC11_BUF_WORD3__ADD_TID_ENABLE_MASK) != 0,
    };
    ret->base = (uint64_t)((int64_t)(ret->base << (64 - VA_BITS)) >> (64 - VA_BITS));
    return err;
}

/* Where one lane of a buffer instruction goes. */
struct element {
    uint64_t index, offset, soffset;
};

/* Linear buffers. Source: RDNA3 ISA guide 9.4.1, range checking. */
static bool outside(const struct buffer *b, const struct element *e, unsigned bytes)
{
    switch (b->oob) {
    case LULL_DESC11_BUF_WORD3__OOB_SELECT__RAW:
        return e->index * b->stride + e->offset + e->soffset + bytes > b->records;
    case LULL_DESC11_BUF_WORD3__OOB_SELECT__DISABLED:
        return b->records == 0;
    case LULL_DESC11_BUF_WORD3__OOB_SELECT__STRUCTURED_WITH_OFFSET:
        return e->index >= b->records || e->offset + bytes > b->stride;
    default:
        return e->index >= b->records;
    }
}

/*
 * A descriptor without a format is no buffer, unless the instruction brings one; a format that does
 * not exist has no texels. Sets the bytes of those that have.
 */
static bool has_texels(struct lull_access *a, const struct buffer *b)
{
    const bool converts = (lull_rdna_info(&a->in)->flags & LULL_RDNA_F_FORMAT) != 0;
    const bool typed = a->in.enc == LULL_RDNA_MTBUF;
    const struct lull_format_info *f = lull_format_by_code(typed ? a->in.format : b->format);
    if (converts) {
        a->bytes = f != NULL ? f->bytes : 4;
        return f != NULL && lull_format_writable(f);
    }
    return b->format != 0 || b->add_tid;
}

LULL_MUST_USE static struct lull_error *element_of(const struct lull_access *a,
                                                   const struct buffer *b, unsigned lane,
                                                   struct element *e)
{
    const struct lull_rdna_insn *in = &a->in;
    struct lull_error *err = in->idxen ? vector(a, in->vaddr, 1, lane, &e->index) : NULL;
    if (err == NULL && in->offen) {
        err = vector(a, in->vaddr + (in->idxen ? 1u : 0u), 1, lane, &e->offset);
    }
    e->index += b->add_tid ? lane : 0;
    e->offset += (uint32_t)in->imm;
    return err;
}

/* Linear buffers; swizzled ones are left out. Without an index there is nothing to swizzle. */
LULL_MUST_USE static struct lull_error *buffer_lanes(struct lull_access *a, bool *ret_known)
{
    const struct lull_rdna_insn *in = &a->in;
    struct buffer b = {0};
    uint64_t soffset = 0;
    struct lull_error *err = read_buffer(a, &b);
    if (err == NULL && in->soffset != LULL_RDNA_NONE) {
        err = scalar(a, in->soffset, 1, &soffset);
    }
    *ret_known = !b.swizzled || !(in->idxen || b.add_tid);
    const bool texels = has_texels(a, &b);
    for (unsigned i = 0; err == NULL && i < a->lanes; i++) {
        struct element e = {.soffset = soffset};
        err = element_of(a, &b, i, &e);
        a->outside |= (uint64_t)(!texels || outside(&b, &e, a->bytes)) << i;
        a->va[i] = b.base + soffset + e.index * b.stride + e.offset;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *scalar_buffer_load(struct lull_access *a)
{
    struct buffer b = {0};
    uint64_t soffset = 0;
    struct lull_error *err = read_buffer(a, &b);
    if (err == NULL && a->in.soffset != LULL_RDNA_NONE) {
        err = scalar(a, a->in.soffset, 1, &soffset);
    }
    uint64_t offset = ((uint64_t)(int64_t)a->in.imm + (uint32_t)soffset) & ~UINT64_C(3);
    uint64_t size = b.stride == 0 ? b.records : (uint64_t)b.stride * b.records;
    a->lanes = 1;
    a->mask = 1;
    a->va[0] = (b.base & ~UINT64_C(3)) + offset;
    a->outside = offset + a->bytes > size;
    return err;
}

LULL_MUST_USE static struct lull_error *scalar_load(struct lull_access *a)
{
    uint64_t base = 0;
    uint64_t soffset = 0;
    struct lull_error *err = scalar(a, a->in.sbase, 2, &base);
    if (err == NULL && a->in.soffset != LULL_RDNA_NONE) {
        err = scalar(a, a->in.soffset, 1, &soffset);
    }
    a->lanes = 1;
    a->mask = 1;
    a->va[0] = (base & ~UINT64_C(3)) + ((uint64_t)(int64_t)a->in.imm & ~UINT64_C(3)) +
               (soffset & ~UINT64_C(3));
    return err;
}

static unsigned access_bytes(const struct lull_rdna_op_info *info)
{
    unsigned type = info->type[LULL_RDNA_SLOT_VDATA];
    type = type != LULL_RDNA_T_NONE ? type : info->type[LULL_RDNA_SLOT_DST];
    bool byte = type == LULL_RDNA_T_B8 || type == LULL_RDNA_T_U8 || type == LULL_RDNA_T_I8;
    unsigned dwords = lull_rdna_type_dwords[type];
    return byte ? 1 : lull_rdna_type_is_16(type) ? 2 : dwords != 0 ? 4 * dwords : 4;
}

/* By encoding. @p ret_known: it has addresses that can be told. */
LULL_MUST_USE static struct lull_error *find_lanes(struct lull_access *a, bool *ret_known)
{
    const struct lull_rdna_op_info *info = lull_rdna_info(&a->in);
    *ret_known = a->reads || a->writes;
    if (!*ret_known) {
        return NULL;
    }
    if (a->in.enc == LULL_RDNA_GLOBAL) {
        return global_lanes(a);
    }
    if (a->in.enc == LULL_RDNA_FLAT) {
        return flat_lanes(a);
    }
    if (a->in.enc == LULL_RDNA_SCRATCH) {
        return scratch_lanes(a);
    }
    if (a->scalar) {
        return info->type[LULL_RDNA_SLOT_SBASE] == LULL_RDNA_T_B64 ? scalar_load(a)
                                                                   : scalar_buffer_load(a);
    }
    if (a->in.enc == LULL_RDNA_MUBUF || a->in.enc == LULL_RDNA_MTBUF) {
        return buffer_lanes(a, ret_known);
    }
    *ret_known = false;
    return NULL;
}

bool lull_access_insn(struct lull_target *t, uint64_t va, struct lull_rdna_insn *ret)
{
    struct lull_insn_room room;
    const bool good = t->ops->arch == &lull_arch_rdna3 && lull_code_decode(t, va, &room);
    if (good) {
        *ret = *(const struct lull_rdna_insn *)lull_insn_in(&room);
    }
    return good;
}

struct lull_error *lull_access_find(struct lull_target *t, const struct lull_wave_info *wave,
                                    uint64_t va, struct lull_access *ret, bool *ret_known)
{
    *ret = (struct lull_access){.target = t, .wave = wave, .data = -1};
    *ret_known = false;
    if (!lull_access_insn(t, va, &ret->in)) {
        return NULL;
    }
    const struct lull_rdna_op_info *info = lull_rdna_info(&ret->in);
    ret->name = info->name;
    ret->scalar = ret->in.enc == LULL_RDNA_SMEM;
    ret->lanes = wave->lanes;
    ret->mask = wave->exec;
    ret->writes = (info->flags & (LULL_RDNA_F_STORE | LULL_RDNA_F_ATOMIC)) != 0;
    ret->reads = (info->flags & (LULL_RDNA_F_LOAD | LULL_RDNA_F_ATOMIC)) != 0;
    ret->bytes = access_bytes(info);
    ret->ndata = (ret->bytes + 3) / 4;
    if (ret->writes && ret->in.vdata != LULL_RDNA_NONE && ret->in.vdata >= LULL_RDNA_VGPR0) {
        ret->data = ret->in.vdata - LULL_RDNA_VGPR0;
        ret->data_class = LULL_REG_VGPR;
    }
    return find_lanes(ret, ret_known);
}

unsigned lull_access_size(const struct lull_rdna_insn *in)
{
    return access_bytes(lull_rdna_info(in));
}

bool lull_access_hides(struct lull_target *t, uint64_t va)
{
    struct lull_rdna_insn in = {0};
    return lull_access_insn(t, va, &in) && in.dst != LULL_RDNA_NONE && in.vaddr != LULL_RDNA_NONE &&
           in.dst <= in.vaddr + 1u && in.vaddr < in.dst + 4u;
}
