// SPDX-License-Identifier: MIT
#include <string.h>

#include "isa/rdna/ops.h"

#include "base/cur.h"

/** Entry of an opcode table: 0, or enum lull_rdna_op + 1; and the encoding. */
struct lull_rdna_code {
    uint16_t op;
    uint8_t enc;
};

/** How the first dword of an encoding looks. */
struct lull_rdna_format {
    uint32_t mask, match;
    uint8_t op_lo;
    uint16_t op_mask;
    uint8_t words;
    uint8_t next; ///< Index + 1 of the encoding to try if this does not match.
    const struct lull_rdna_code *codes;
};

#include "isa/rdna_names.h"
#include "isa/rdna_tables.h"

enum {
    SRC_DPP8 = 233,
    SRC_DPP8_FI = 234,
    SRC_DPP16 = 250,
    NOPERANDS = 3,
    LAST_SGPR = 105,
    NTTMPS = 16,
    HALF = 128, // In a 16-bit operand of VOP1, VOP2, VOPC: the VGPR's high half.
    NVGPRS = 256,
};

/** One decode under way. */
struct work {
    struct lull_cur cur;
    const struct lull_rdna_op_info *info;
    struct lull_rdna_insn *in;
    bool has_literal;
    bool lax; // Fields that the instruction does not use may hold anything.
};

static bool has(const struct work *w, uint64_t flag)
{
    return (w->info->flags & flag) != 0;
}

static unsigned type_of(const struct work *w, unsigned slot)
{
    return w->info->type[slot];
}

static unsigned dwords_of(unsigned type)
{
    return type == LULL_RDNA_T_MASK ? 1 : lull_rdna_type_dwords[type];
}

bool lull_rdna_type_is_16(unsigned type)
{
    return type == LULL_RDNA_T_B16 || type == LULL_RDNA_T_U16 || type == LULL_RDNA_T_I16 ||
           type == LULL_RDNA_T_F16 || type == LULL_RDNA_T_BF16;
}

/** Check that @p dwords scalar registers start at *reg; the hardware ignores low bits of ranges. */
static bool fit_scalar(uint16_t *reg, unsigned dwords)
{
    const unsigned align = dwords > 2 ? 4 : dwords;
    if (*reg == LULL_RDNA_NULL || dwords == 1) {
        return *reg < LULL_RDNA_INT0;
    }
    if (*reg <= LAST_SGPR) {
        *reg = (uint16_t)(*reg & ~(align - 1));
        return *reg + dwords <= LAST_SGPR + 1;
    }
    if (*reg >= LULL_RDNA_TTMP0 && *reg < LULL_RDNA_TTMP0 + NTTMPS) {
        *reg = (uint16_t)(LULL_RDNA_TTMP0 + ((*reg - LULL_RDNA_TTMP0) & ~(align - 1)));
        return *reg + dwords <= LULL_RDNA_TTMP0 + NTTMPS;
    }
    return dwords == 2 && (*reg == LULL_RDNA_VCC || *reg == LULL_RDNA_EXEC);
}

static bool fit_vector(uint16_t reg, unsigned dwords)
{
    return reg >= LULL_RDNA_VGPR0 && reg + dwords <= LULL_RDNA_VGPR0 + NVGPRS;
}

static bool take_literal(struct work *w)
{
    if (!w->has_literal) {
        w->in->literal = lull_cur_u32(&w->cur);
        w->has_literal = true;
    }
    return true;
}

/** Check a source that may be a constant. @p valu: LDS direct is possible. */
static bool fit_source(struct work *w, uint16_t *reg, unsigned dwords, bool valu)
{
    if (*reg >= LULL_RDNA_VGPR0) {
        return valu && fit_vector(*reg, dwords);
    }
    if (*reg < LULL_RDNA_INT0) {
        return fit_scalar(reg, dwords);
    }
    if (*reg == LULL_RDNA_LITERAL) {
        return take_literal(w);
    }
    if (*reg == LULL_RDNA_LDS_DIRECT) {
        return valu && dwords == 1;
    }
    return *reg <= LULL_RDNA_INT_LAST ||
           (*reg >= LULL_RDNA_SHARED_BASE && *reg <= LULL_RDNA_INV_2PI) ||
           (*reg >= LULL_RDNA_VCCZ && *reg <= LULL_RDNA_SCC);
}

static bool is_in(uint16_t slots, unsigned slot)
{
    return (slots >> slot & 1) != 0;
}

static bool finish_scalar(struct work *w)
{
    struct lull_rdna_insn *in = w->in;
    const unsigned dst = type_of(w, LULL_RDNA_SLOT_DST);
    if (dst == LULL_RDNA_T_NONE) {
        in->dst = LULL_RDNA_NONE;
    } else if (!fit_scalar(&in->dst, dwords_of(dst))) {
        return false;
    }
    for (unsigned i = 0; i < 2; i++) {
        const unsigned type = type_of(w, LULL_RDNA_SLOT_SRC0 + i);
        if (type == LULL_RDNA_T_NONE) {
            in->src[i] = LULL_RDNA_NONE;
        } else if (is_in(w->info->scalar, LULL_RDNA_SLOT_SRC0 + i) &&
                   in->src[i] >= LULL_RDNA_INT0) {
            return false;
        } else if (type != LULL_RDNA_T_MSG && !fit_source(w, &in->src[i], dwords_of(type), false)) {
            return false;
        }
    }
    if (in->enc == LULL_RDNA_SOPP && type_of(w, LULL_RDNA_SLOT_IMM) == LULL_RDNA_T_NONE &&
        in->imm != 0 && !w->lax) {
        return false;
    }
    if (type_of(w, LULL_RDNA_SLOT_LITERAL) != LULL_RDNA_T_NONE) {
        return take_literal(w);
    }
    return true;
}

/** Read the dword that src0 calls for, if it is one of DPP. */
static bool take_dpp(struct work *w, bool vop3)
{
    struct lull_rdna_insn *in = w->in;
    if (in->src[0] != SRC_DPP8 && in->src[0] != SRC_DPP8_FI && in->src[0] != SRC_DPP16) {
        return true;
    }
    if (type_of(w, LULL_RDNA_SLOT_SRC0) == LULL_RDNA_T_NONE) {
        return true; // Just a number in a field that is not used.
    }
    if (!has(w, LULL_RDNA_F_DPP)) {
        return false;
    }
    const bool fi = in->src[0] == SRC_DPP8_FI;
    const struct lull_rdna_insn before = *in;
    const uint32_t dword = lull_cur_u32(&w->cur);
    if (in->src[0] == SRC_DPP16) {
        in->dpp = LULL_RDNA_DPP16;
        fields_DPP16(&dword, in);
    } else {
        in->dpp = LULL_RDNA_DPP8;
        fields_DPP8(&dword, in);
        in->fi = fi;
    }
    if (vop3) { // The modifiers of VOP3 hold, those of the DPP dword are ignored.
        in->neg = before.neg;
        in->abs = before.abs;
    }
    return true;
}

/** Move the high-half bit of a 16-bit VGPR operand into op_sel, as VOP3 has it. */
static void split_half(struct work *w, uint16_t *reg, unsigned slot, unsigned bit)
{
    if (lull_rdna_type_is_16(type_of(w, slot)) && *reg >= LULL_RDNA_VGPR0 + HALF &&
        *reg != LULL_RDNA_NONE) {
        *reg = (uint16_t)(*reg - HALF);
        w->in->op_sel = (uint8_t)(w->in->op_sel | 1U << bit);
    }
}

/** Sources of the row, as bits. */
static unsigned sources_of(const struct work *w)
{
    unsigned set = 0;
    for (unsigned i = 0; i < NOPERANDS; i++) {
        set |= (type_of(w, LULL_RDNA_SLOT_SRC0 + i) != LULL_RDNA_T_NONE ? 1U : 0U) << i;
    }
    return set;
}

/** Clear modifiers that the instruction does not have: hardware does not look at them. */
static void drop_modifiers(struct work *w)
{
    struct lull_rdna_insn *in = w->in;
    const struct lull_rdna_op_info *info = w->info;
    const unsigned known = info->mod | info->neg_only | info->mod_ignored, sources = sources_of(w);
    const bool packed = in->enc == LULL_RDNA_VOP3P || in->enc == LULL_RDNA_VINTERP;
    in->neg = (uint8_t)(in->neg & (packed ? sources : known));
    in->neg_hi = (uint8_t)(in->neg_hi & sources);
    in->abs = (uint8_t)(in->abs & known);
    in->op_sel = (uint8_t)(in->op_sel & (packed && info->op_sel == 0 ? 0 : sources | 8));
    in->clamp = in->clamp && has(w, LULL_RDNA_F_CLAMP);
    in->omod = has(w, LULL_RDNA_F_OMOD) ? in->omod : 0;
}

/** Fields that the instruction does not use must be 0, as LLVM has it. */
static bool fit_modifiers(struct work *w)
{
    if (w->lax) {
        drop_modifiers(w);
        return true;
    }
    const struct lull_rdna_insn *in = w->in;
    const struct lull_rdna_op_info *info = w->info;
    const unsigned known = info->mod | info->neg_only | info->mod_ignored;
    const bool vop3 = in->enc == LULL_RDNA_VOP3 || in->enc == LULL_RDNA_VOP3SD;
    if (in->enc == LULL_RDNA_VOP3P || in->enc == LULL_RDNA_VINTERP) {
        const unsigned none = ~sources_of(w) & 7;
        if (((in->neg | in->neg_hi | (info->op_sel != 0 ? in->op_sel : 0)) & none) != 0 ||
            (info->op_sel == 0 && in->op_sel != 0)) {
            return false;
        }
    } else if (((in->neg | in->abs) & ~known & 7) != 0) {
        return false;
    } else if (vop3 && info->op_sel != 0 && (in->op_sel & ~sources_of(w) & 7) != 0) {
        return false;
    }
    return (!in->clamp || has(w, LULL_RDNA_F_CLAMP)) && (in->omod == 0 || has(w, LULL_RDNA_F_OMOD));
}

/** Registers of an operand; of the rows of a matrix as few as any wave needs, if lax. */
static unsigned matrix_dwords(const struct work *w, unsigned type)
{
    return w->lax && type == LULL_RDNA_T_ACC ? dwords_of(type) / 2 : dwords_of(type);
}

static bool fit_valu_dst(struct work *w, bool field)
{
    struct lull_rdna_insn *in = w->in;
    const unsigned type = type_of(w, LULL_RDNA_SLOT_DST);
    if (type == LULL_RDNA_T_NONE) {
        const bool zero = !field || in->dst == 0 || in->dst == LULL_RDNA_VGPR0 || w->lax;
        in->dst = LULL_RDNA_NONE;
        return zero;
    }
    if (type == LULL_RDNA_T_MASK) {
        if ((w->info->writes & LULL_RDNA_S_EXEC) != 0) {
            in->dst = LULL_RDNA_EXEC;
        } else if (!field) {
            in->dst = LULL_RDNA_VCC;
        }
        return fit_scalar(&in->dst, 1);
    }
    in->dst = (uint16_t)(in->dst & (NVGPRS - 1));
    if (is_in(w->info->scalar, LULL_RDNA_SLOT_DST)) {
        return fit_scalar(&in->dst, dwords_of(type));
    }
    in->dst = (uint16_t)(in->dst + LULL_RDNA_VGPR0);
    return fit_vector(in->dst, matrix_dwords(w, type));
}

static bool fit_valu_source(struct work *w, unsigned i)
{
    const unsigned slot = LULL_RDNA_SLOT_SRC0 + i, type = type_of(w, slot);
    uint16_t *reg = &w->in->src[i];
    const bool vector = *reg >= LULL_RDNA_VGPR0, mask = type == LULL_RDNA_T_MASK;
    if (vector && (mask || is_in(w->info->scalar, slot))) {
        return false;
    }
    if (*reg < LULL_RDNA_INT0 && is_in(w->info->no_scalar, slot)) {
        return false;
    }
    const bool only = is_in(w->info->vector, slot) && !(w->lax && w->in->enc == LULL_RDNA_VINTERP);
    if (!vector && (only || (mask && *reg >= LULL_RDNA_INT0))) {
        return false;
    }
    if (i == 1 && !vector && type == LULL_RDNA_T_MIX && w->in->dpp != LULL_RDNA_NO_DPP) {
        return false;
    }
    return fit_source(w, reg, matrix_dwords(w, type), true);
}

/** @p nfields: how many source fields the encoding has. @p zero: what unused ones must hold. */
static bool fit_valu_sources(struct work *w, unsigned nfields, uint16_t zero)
{
    struct lull_rdna_insn *in = w->in;
    const bool ignored = w->lax || (in->enc == LULL_RDNA_VOP1 && w->info->order[0] == 0);
    for (unsigned i = 0; i < NOPERANDS; i++) {
        const bool none = type_of(w, LULL_RDNA_SLOT_SRC0 + i) == LULL_RDNA_T_NONE;
        if (none && i < nfields && in->src[i] != 0 && in->src[i] != zero && !ignored) {
            return false;
        }
        if (none || i >= nfields) { // A mask without a field is VCC.
            in->src[i] = none ? LULL_RDNA_NONE : LULL_RDNA_VCC;
        } else if (!fit_valu_source(w, i)) {
            return false;
        }
    }
    return true;
}

/** VOP1, VOP2, VOPC: one dword, with the fields @p nfields sources and perhaps a destination. */
static bool finish_e32(struct work *w, unsigned nfields, bool dst)
{
    struct lull_rdna_insn *in = w->in;
    if (!take_dpp(w, false) || !fit_modifiers(w) || !fit_valu_dst(w, dst)) {
        return false;
    }
    if (type_of(w, LULL_RDNA_SLOT_SDST) == LULL_RDNA_T_MASK) {
        in->sdst = LULL_RDNA_VCC;
    }
    split_half(w, &in->dst, LULL_RDNA_SLOT_DST, 3);
    split_half(w, &in->src[0], LULL_RDNA_SLOT_SRC0, 0);
    split_half(w, &in->src[1], LULL_RDNA_SLOT_SRC1, 1);
    if (!fit_valu_sources(w, nfields, LULL_RDNA_VGPR0)) {
        return false;
    }
    return type_of(w, LULL_RDNA_SLOT_LITERAL) == LULL_RDNA_T_NONE || take_literal(w);
}

static bool finish_e64(struct work *w)
{
    struct lull_rdna_insn *in = w->in;
    if (!take_dpp(w, true) || !fit_modifiers(w) || !fit_valu_dst(w, true)) {
        return false;
    }
    if (in->enc == LULL_RDNA_VOP3SD && !fit_scalar(&in->sdst, 1)) {
        return false;
    }
    return fit_valu_sources(w, NOPERANDS, 0);
}

/** Sources and destination of the Y half, whose row is @p y. */
static bool fit_dual_y(struct work *w, const struct lull_rdna_op_info *y)
{
    struct lull_rdna_insn *in = w->in;
    in->y.dst = (uint16_t)(LULL_RDNA_VGPR0 + in->y.dst * 2 + (1 - (in->dst & 1)));
    if (!fit_source(w, &in->y.src[0], 1, true)) {
        return false;
    }
    if (y->type[LULL_RDNA_SLOT_SRC1] == LULL_RDNA_T_NONE) {
        const bool zero = in->y.src[1] == LULL_RDNA_VGPR0 || w->lax;
        in->y.src[1] = LULL_RDNA_NONE;
        return zero;
    }
    return y->type[LULL_RDNA_SLOT_LITERAL] == LULL_RDNA_T_NONE || take_literal(w);
}

static bool finish_dual(struct work *w)
{
    struct lull_rdna_insn *in = w->in;
    const struct lull_rdna_code *code = &codes_VOPDY[in->y.op];
    if (code->op == 0) {
        return false;
    }
    in->y.op = (uint16_t)(code->op - 1);
    if (!fit_valu_dst(w, true) || !fit_valu_sources(w, 2, LULL_RDNA_VGPR0)) {
        return false;
    }
    if (type_of(w, LULL_RDNA_SLOT_LITERAL) != LULL_RDNA_T_NONE) {
        (void)take_literal(w);
    }
    return fit_dual_y(w, &lull_rdna_ops[in->y.op]);
}

/** Check a VGPR field: unused ones must be 0 if @p strict, and become NONE. */
static bool fit_data(const struct work *w, uint16_t *reg, unsigned slot, bool strict)
{
    const unsigned type = type_of(w, slot);
    if (type == LULL_RDNA_T_NONE) {
        const bool zero = !strict || *reg == LULL_RDNA_VGPR0 || w->lax;
        *reg = LULL_RDNA_NONE;
        return zero;
    }
    return fit_vector(*reg, dwords_of(type));
}

static bool finish_smem(struct work *w)
{
    struct lull_rdna_insn *in = w->in;
    const unsigned dst = type_of(w, LULL_RDNA_SLOT_DST), base = type_of(w, LULL_RDNA_SLOT_SBASE);
    if (base == LULL_RDNA_T_NONE) { // Cache invalidation: only the opcode counts.
        const bool zero = (!in->glc && !in->dlc) || w->lax;
        in->dst = in->sbase = in->soffset = LULL_RDNA_NONE;
        in->imm = 0;
        return zero;
    }
    if (dst == LULL_RDNA_T_PERM) {
        if ((in->glc || in->dlc) && !w->lax) {
            return false;
        }
    } else if (in->dst > LULL_RDNA_NULL || !fit_scalar(&in->dst, dwords_of(dst))) {
        return false; // No load writes M0 or EXEC.
    }
    return fit_scalar(&in->sbase, dwords_of(base));
}

static bool finish_ds(struct work *w)
{
    struct lull_rdna_insn *in = w->in;
    if ((in->gds && has(w, LULL_RDNA_F_NOGDS)) || (!in->gds && has(w, LULL_RDNA_F_GDSONLY))) {
        return false;
    }
    if (!has(w, LULL_RDNA_F_TWO)) {
        in->imm = in->offset0 | in->offset1 << 8;
    }
    if (w->info->order[0] == 0 && !has(w, LULL_RDNA_F_GDSONLY) &&
        (in->gds || (in->imm != 0 && !w->lax))) { // ds_nop
        return false;
    }
    return fit_data(w, &in->dst, LULL_RDNA_SLOT_DST, true) &&
           fit_data(w, &in->vaddr, LULL_RDNA_SLOT_VADDR, true) &&
           fit_data(w, &in->vdata, LULL_RDNA_SLOT_VDATA, true) &&
           fit_data(w, &in->vdata2, LULL_RDNA_SLOT_VDATA2, true);
}

static bool finish_flat(struct work *w)
{
    struct lull_rdna_insn *in = w->in;
    const bool atomic = has(w, LULL_RDNA_F_ATOMIC);
    if (!fit_data(w, &in->vdata, LULL_RDNA_SLOT_VDATA, false)) {
        return false;
    }
    if (atomic && !in->glc) {
        in->dst = LULL_RDNA_NONE;
    } else if (!fit_data(w, &in->dst, LULL_RDNA_SLOT_DST, false)) {
        return false;
    }
    if (w->lax && in->enc == LULL_RDNA_FLAT) {
        in->saddr = LULL_RDNA_NULL;
    }
    const bool off = in->saddr == LULL_RDNA_NULL;
    if (in->enc == LULL_RDNA_SCRATCH) {
        in->vaddr = in->svs ? in->vaddr : LULL_RDNA_NONE;
        return in->saddr <= LULL_RDNA_EXEC;
    }
    if ((in->svs || (in->enc == LULL_RDNA_FLAT && !off)) && !w->lax) {
        return false;
    }
    if (has(w, LULL_RDNA_F_ADDTID)) {
        in->vaddr = LULL_RDNA_NONE;
    } else if (off && !fit_vector(in->vaddr, 2)) {
        return false;
    }
    return off || fit_scalar(&in->saddr, 2);
}

static bool finish_buffer(struct work *w)
{
    struct lull_rdna_insn *in = w->in;
    const unsigned load = type_of(w, LULL_RDNA_SLOT_DST), store = type_of(w, LULL_RDNA_SLOT_VDATA);
    if (type_of(w, LULL_RDNA_SLOT_SBASE) == LULL_RDNA_T_NONE) { // Cache invalidation.
        const bool zero = (!in->glc && !in->dlc && !in->offen && !in->idxen && !in->tfe) || w->lax;
        in->vaddr = in->vdata = in->sbase = in->soffset = LULL_RDNA_NONE;
        in->imm = 0;
        in->slc = false;
        return zero;
    }
    if (!fit_scalar(&in->sbase, 4) || !fit_source(w, &in->soffset, 1, false)) {
        return false;
    }
    if (in->enc == LULL_RDNA_MTBUF && in->tfe) {
        return false;
    }
    const unsigned naddrs = in->offen + in->idxen;
    if (naddrs == 0) {
        in->vaddr = LULL_RDNA_NONE;
    } else if (!fit_vector(in->vaddr, naddrs)) {
        return false;
    }
    const unsigned type = store != LULL_RDNA_T_NONE ? store : load;
    if (type == LULL_RDNA_T_NONE) {
        in->vdata = LULL_RDNA_NONE;
        return !in->tfe;
    }
    if ((in->tfe && has(w, LULL_RDNA_F_ATOMIC)) ||
        !fit_vector(in->vdata, dwords_of(type) + in->tfe)) {
        return false;
    }
    if (load != LULL_RDNA_T_NONE && (store == LULL_RDNA_T_NONE || in->glc)) {
        in->dst = in->vdata;
    }
    return true;
}

unsigned lull_rdna_image_data_dwords(const struct lull_rdna_insn *in)
{
    const uint64_t flags = lull_rdna_info(in)->flags;
    if ((flags & LULL_RDNA_F_BVH) != 0) {
        return 4;
    }
    unsigned n = 0;
    for (unsigned bits = in->dmask; bits != 0; bits &= bits - 1) {
        n++;
    }
    n = (flags & LULL_RDNA_F_GATHER4) != 0 ? 4 : n == 0 ? 1 : n;
    if (in->d16) {
        n = (n + 1) / 2;
    }
    return n + in->tfe;
}

unsigned lull_rdna_image_coords(const struct lull_rdna_insn *in)
{
    const bool coords = (lull_rdna_info(in)->flags & LULL_RDNA_F_COORDS) != 0;
    return coords ? parts_dim[in->dim].lo : 0;
}

unsigned lull_rdna_image_grads(const struct lull_rdna_insn *in)
{
    return parts_dim[in->dim].bits;
}

unsigned lull_rdna_image_addr_dwords(const struct lull_rdna_insn *in)
{
    const uint64_t flags = lull_rdna_info(in)->flags;
    const unsigned components = lull_rdna_image_coords(in) + ((flags & LULL_RDNA_F_LOD) != 0);
    const unsigned grads = lull_rdna_image_grads(in);
    if ((flags & LULL_RDNA_F_BVH) != 0) { // Node, extent, origin, direction, inverse direction.
        return lull_rdna_type_dwords[lull_rdna_info(in)->type[LULL_RDNA_SLOT_VADDR]] +
               (in->a16 ? 7 : 10);
    }
    unsigned n = ((flags & LULL_RDNA_F_OFFSET) != 0) + ((flags & LULL_RDNA_F_BIAS) != 0) +
                 ((flags & LULL_RDNA_F_COMPARE) != 0);
    n += in->a16 ? (components + 1) / 2 : components;
    if ((flags & LULL_RDNA_F_GRAD) != 0) {
        n += (flags & LULL_RDNA_F_G16) != 0 ? (grads / 2 + 1) / 2 * 2 : grads;
    }
    return n;
}

/** Image addresses: a range from vaddr, or with NSA up to five registers, the last one a range. */
static bool fit_image_addr(struct work *w, unsigned naddrs)
{
    struct lull_rdna_insn *in = w->in;
    if (in->naddr == 0) {
        return fit_vector(in->vaddr, naddrs);
    }
    uint32_t more = lull_cur_u32(&w->cur);
    in->nsa[0] = in->vaddr;
    for (unsigned i = 1; i < 5; i++, more >>= 8) {
        in->nsa[i] = (uint16_t)(LULL_RDNA_VGPR0 + (more & 0xff));
    }
    if (has(w, LULL_RDNA_F_BVH)) {
        in->naddr = in->a16 ? 4 : 5;
        return fit_vector(in->nsa[2], 3) && fit_vector(in->nsa[3], 3) &&
               fit_vector(in->nsa[4], in->a16 ? 0 : 3) &&
               fit_vector(in->nsa[0], lull_rdna_type_dwords[type_of(w, LULL_RDNA_SLOT_VADDR)]);
    }
    in->naddr = (uint8_t)(naddrs < 5 ? naddrs : 5);
    return naddrs <= 5 || fit_vector(in->nsa[4], naddrs - 4);
}

/** Bits that image instructions other than samples must leave alone. Source: rdna3 10.9, llvm19. */
static bool fit_image_bits(const struct work *w)
{
    const struct lull_rdna_insn *in = w->in;
    if (has(w, LULL_RDNA_F_BVH)) {
        return in->dmask == 0xf && in->unorm && in->r128 && in->dim == 0 && !in->d16 && !in->glc &&
               !in->slc && !in->dlc && !in->tfe && !in->lwe && in->ssamp == 0;
    }
    if (has(w, LULL_RDNA_F_NOD16) && in->d16) {
        return false;
    }
    return type_of(w, LULL_RDNA_SLOT_SSAMP) != LULL_RDNA_T_NONE || in->ssamp == 0 || w->lax;
}

static bool finish_image(struct work *w)
{
    struct lull_rdna_insn *in = w->in;
    const unsigned base = type_of(w, LULL_RDNA_SLOT_SBASE);
    if (!fit_image_bits(w) || !fit_scalar(&in->sbase, dwords_of(base))) {
        return false;
    }
    if (type_of(w, LULL_RDNA_SLOT_SSAMP) == LULL_RDNA_T_NONE) {
        in->ssamp = LULL_RDNA_NONE;
    } else if (!fit_scalar(&in->ssamp, 4)) {
        return false;
    }
    if (!fit_vector(in->vdata, lull_rdna_image_data_dwords(in))) {
        return false;
    }
    const bool load = type_of(w, LULL_RDNA_SLOT_DST) != LULL_RDNA_T_NONE;
    if (load && (!has(w, LULL_RDNA_F_ATOMIC) || in->glc)) {
        in->dst = in->vdata;
    }
    return fit_image_addr(w, lull_rdna_image_addr_dwords(in));
}

static bool finish_exp(struct work *w)
{
    w->in->naddr = 4;
    return true;
}

static bool finish(struct work *w)
{
    switch ((enum lull_rdna_enc)w->in->enc) {
    case LULL_RDNA_SOP1:
    case LULL_RDNA_SOP2:
    case LULL_RDNA_SOPK:
    case LULL_RDNA_SOPC:
    case LULL_RDNA_SOPP:
        return finish_scalar(w);
    case LULL_RDNA_SMEM:
        return finish_smem(w);
    case LULL_RDNA_VOP1:
        return finish_e32(w, 1, true);
    case LULL_RDNA_VOP2:
        return finish_e32(w, 2, true);
    case LULL_RDNA_VOPC:
        return finish_e32(w, 2, false);
    case LULL_RDNA_VOP3:
    case LULL_RDNA_VOP3SD:
    case LULL_RDNA_VOP3P:
    case LULL_RDNA_VINTERP:
        return finish_e64(w);
    case LULL_RDNA_VOPD:
        return finish_dual(w);
    case LULL_RDNA_LDSDIR:
        return true;
    case LULL_RDNA_DS:
        return finish_ds(w);
    case LULL_RDNA_FLAT:
    case LULL_RDNA_GLOBAL:
    case LULL_RDNA_SCRATCH:
        return finish_flat(w);
    case LULL_RDNA_MUBUF:
    case LULL_RDNA_MTBUF:
        return finish_buffer(w);
    case LULL_RDNA_MIMG:
        return finish_image(w);
    case LULL_RDNA_EXP:
        return finish_exp(w);
    }
    return false;
}

static const struct lull_rdna_format *format_of(uint32_t dword)
{
    unsigned index = first_format[dword >> FIRST_SHIFT];
    while (index != 0 && (dword & formats[index - 1].mask) != formats[index - 1].match) {
        index = formats[index - 1].next;
    }
    return index != 0 ? &formats[index - 1] : NULL;
}

static const struct lull_rdna_insn no_operands = {
    .dst = LULL_RDNA_NONE,
    .sdst = LULL_RDNA_NONE,
    .src = {LULL_RDNA_NONE, LULL_RDNA_NONE, LULL_RDNA_NONE},
    .y = {0, LULL_RDNA_NONE, {LULL_RDNA_NONE, LULL_RDNA_NONE}},
    .vaddr = LULL_RDNA_NONE,
    .vdata = LULL_RDNA_NONE,
    .vdata2 = LULL_RDNA_NONE,
    .saddr = LULL_RDNA_NONE,
    .sbase = LULL_RDNA_NONE,
    .soffset = LULL_RDNA_NONE,
    .ssamp = LULL_RDNA_NONE,
    .nsa = {LULL_RDNA_NONE, LULL_RDNA_NONE, LULL_RDNA_NONE, LULL_RDNA_NONE, LULL_RDNA_NONE},
};

static int decode(const void *code, size_t size, bool lax, struct lull_rdna_insn *out)
{
    struct lull_rdna_insn in = no_operands;
    struct work w = {.cur = lull_cur_of(code, size), .in = &in, .lax = lax};
    uint32_t dwords[2] = {lull_cur_u32(&w.cur), 0};
    if (w.cur.bad) {
        return LULL_RDNA_TRUNCATED;
    }
    const struct lull_rdna_format *format = format_of(dwords[0]);
    if (format == NULL) {
        return LULL_RDNA_UNKNOWN;
    }
    const struct lull_rdna_code *row = &format->codes[dwords[0] >> format->op_lo & format->op_mask];
    if (row->op == 0) {
        return LULL_RDNA_UNKNOWN;
    }
    if (format->words == 2) {
        dwords[1] = lull_cur_u32(&w.cur);
    }
    w.info = &lull_rdna_ops[row->op - 1];
    in.op = (uint16_t)(row->op - 1);
    in.enc = row->enc;
    field_readers[row->enc](dwords, &in);
    const bool known = finish(&w);
    if (w.cur.bad) {
        return LULL_RDNA_TRUNCATED;
    }
    if (!known) {
        return LULL_RDNA_UNKNOWN;
    }
    in.size = (uint8_t)(size - lull_cur_left(&w.cur));
    *out = in;
    return in.size;
}

int lull_rdna_decode(const void *code, size_t size, struct lull_rdna_insn *out)
{
    return decode(code, size, false, out);
}

int lull_rdna_decode_lax(const void *code, size_t size, struct lull_rdna_insn *out)
{
    return decode(code, size, true, out);
}
