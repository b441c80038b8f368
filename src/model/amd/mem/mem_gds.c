// SPDX-License-Identifier: MIT
// GDS: memory that all waves of a VMID share, and registers in it for streamout.
//
// gfx11 does it for the first active lane alone (Mesa 24.1 ac_nir_to_llvm.c on
// ordered_xfb_counter). M0 says what of the VMID's part is meant: base in 31:16, size in 15:0, both
// in bytes (as Mesa and LLVM set it). Beyond it reads are 0 and writes go nowhere, as with LDS;
// what is not aligned counts as beyond. Chosen here: ds_ordered_count does not wait, for those who
// start waves of one draw start them in the order of their ids. Refused: two addresses, counters of
// several dwords, ds_append, ds_consume and all GWS.
#include "model/amd/mem/mem.h"

enum {
    M0_BASE_SHIFT = 16,
    M0_SIZE = 0xffff,
    REG_SHIFT = 2, // OFFSET0 5:2 is the number of a register
    REG_MASK = 15,
    FIRST_WIDE_REG = 8, // from here on two dwords each
    ORDERED_INDEX = 0xfc,
    ORDERED_DWORDS = 0xc000, // less one
};

/** What @p w may use. False: nothing. */
static bool open_gds(struct lull_wave *w, struct lull_gds *ret)
{
    const bool any = w->host != NULL && w->host->gds != NULL;
    if (any) {
        w->host->gds(w, ret);
    }
    return any;
}

/** Nobody else may use it until unlock(). */
static void lock(const struct lull_gds *g)
{
    if (g->lock != NULL) {
        pthread_mutex_lock(g->lock);
    }
}

static void unlock(const struct lull_gds *g)
{
    if (g->lock != NULL) {
        pthread_mutex_unlock(g->lock);
    }
}

/** Where @p bytes at @p at are; NULL: beyond. */
static uint8_t *place(const struct lull_gds *g, uint64_t at, unsigned bytes)
{
    const unsigned align = bytes < 8 ? bytes : 4;
    return at % align == 0 && at + bytes <= g->size ? g->mem + at : NULL;
}

/** One lane's value from VGPR @p reg on. */
static uint64_t value_of(const struct lull_wave *w, unsigned reg, unsigned lane, unsigned bytes)
{
    const uint64_t hi = bytes >= 8 ? lull_vgpr(w, reg + 1)[lane] : 0;
    return hi << 32 | lull_vgpr(w, reg)[lane];
}

/** A load, a store or an atomic of @p lane at @p p, which may be NULL. */
static void access(struct lull_wave *w, const struct lull_rdna_insn *in, unsigned lane, uint8_t *p)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    const unsigned n = lull_mem_dwords(op);
    const unsigned shift = (op->flags & LULL_MEM_F_D16HI) != 0 ? 16 : 0;
    struct lull_rows rows;
    uint32_t mem[LULL_MEM_DWORDS] = {0};
    uint64_t old = 0;
    if (p != NULL) {
        memcpy(mem, p, op->bytes);
    }
    memcpy(&old, mem, sizeof(old));
    mem[0] = lull_mem_extend(op, mem[0]);
    for (unsigned d = 0; d < n; d++) {
        rows.v[d][lane] = mem[d];
    }
    if (op->group == LULL_MEM_CLASS_ATOMIC) {
        const unsigned a = in->vdata - LULL_RDNA_VGPR0;
        const unsigned b =
            in->vdata2 != LULL_RDNA_NONE ? (unsigned)in->vdata2 - LULL_RDNA_VGPR0 : a;
        const uint64_t value = lull_mem_atomic((enum lull_mem_kind)op->kind, op->bytes, old,
                                               value_of(w, a, lane, op->bytes),
                                               value_of(w, b, lane, op->bytes), w->mode);
        memcpy(mem, &value, sizeof(value));
    }
    for (unsigned d = 0; op->kind == LULL_MEM_STORE && d < n; d++) {
        mem[d] = lull_vgpr(w, in->vdata - LULL_RDNA_VGPR0 + d)[lane] >> shift;
    }
    if (p != NULL && op->kind != LULL_MEM_LOAD) {
        memcpy(p, mem, op->bytes);
    }
    if (op->kind == LULL_MEM_LOAD || (op->flags & LULL_MEM_F_RTN) != 0) {
        lull_rows_put(w, op, in->dst - LULL_RDNA_VGPR0, n, UINT64_C(1) << lane, &rows);
    }
}

static enum lull_exec_result memory(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    const unsigned n = lull_mem_dwords(op);
    const uint64_t mask = lull_exec_mask(w);
    const bool load = op->kind == LULL_MEM_LOAD;
    const bool has_b = op->group == LULL_MEM_CLASS_ATOMIC && in->vdata2 != LULL_RDNA_NONE;
    struct lull_gds g;
    if (!open_gds(w, &g) || !lull_vgprs_exist(w, in->vaddr, 1) ||
        (!load && !lull_vgprs_exist(w, in->vdata, n)) ||
        (has_b && !lull_vgprs_exist(w, in->vdata2, n)) ||
        ((load || (op->flags & LULL_MEM_F_RTN) != 0) && !lull_vgprs_exist(w, in->dst, n))) {
        return LULL_EXEC_ILLEGAL;
    }
    if (mask != 0) {
        const unsigned lane = lull_first_lane(mask);
        const uint32_t m0 = w->sgpr[LULL_RDNA_M0];
        const uint64_t at =
            (uint64_t)lull_vgpr(w, in->vaddr - LULL_RDNA_VGPR0)[lane] + (uint32_t)in->imm;
        const bool inside = at + op->bytes <= (m0 & M0_SIZE);
        lock(&g);
        access(w, in, lane, inside ? place(&g, (m0 >> M0_BASE_SHIFT) + at, op->bytes) : NULL);
        unlock(&g);
    }
    return LULL_EXEC_NEXT;
}

/** The value to add comes where others have their address. Source: LLVM 19, DS_ORDERED_COUNT. */
static enum lull_exec_result ordered(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const uint64_t mask = lull_exec_mask(w);
    struct lull_gds g;
    if (!open_gds(w, &g) || ((uint32_t)in->imm & ORDERED_DWORDS) != 0 ||
        !lull_vgprs_exist(w, in->vaddr, 1) || !lull_vgprs_exist(w, in->dst, 1)) {
        return LULL_EXEC_ILLEGAL;
    }
    if (mask != 0) {
        const unsigned lane = lull_first_lane(mask);
        const uint64_t base = w->sgpr[LULL_RDNA_M0] >> M0_BASE_SHIFT;
        uint8_t *p = place(&g, base + ((uint32_t)in->imm & ORDERED_INDEX), sizeof(uint32_t));
        uint32_t old = 0;
        lock(&g);
        if (p != NULL) {
            memcpy(&old, p, sizeof(old));
            const uint32_t sum = old + lull_vgpr(w, in->vaddr - LULL_RDNA_VGPR0)[lane];
            memcpy(p, &sum, sizeof(sum));
        }
        unlock(&g);
        lull_vgpr(w, in->dst - LULL_RDNA_VGPR0)[lane] = old;
    }
    return LULL_EXEC_NEXT;
}

/** ds_add_gs_reg_rtn, ds_sub_gs_reg_rtn. */
static enum lull_exec_result gs_register(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const uint64_t mask = lull_exec_mask(w);
    const unsigned number = (uint32_t)in->imm >> REG_SHIFT & REG_MASK;
    const bool wide = number >= FIRST_WIDE_REG;
    struct lull_gds g;
    if (!open_gds(w, &g) || !lull_vgprs_exist(w, in->vdata, 1) ||
        !lull_vgprs_exist(w, in->dst, wide ? 2 : 1)) {
        return LULL_EXEC_ILLEGAL;
    }
    if (mask != 0) {
        const unsigned lane = lull_first_lane(mask);
        const uint32_t by = lull_vgpr(w, in->vdata - LULL_RDNA_VGPR0)[lane];
        uint32_t *reg = &g.regs[wide ? FIRST_WIDE_REG + 2 * (number - FIRST_WIDE_REG) : number];
        lock(&g);
        const uint64_t old = (wide ? (uint64_t)reg[1] << 32 : 0) | reg[0];
        const uint64_t now = lull_mem_ops[in->op].kind == LULL_MEM_GS_ADD ? old + by : old - by;
        for (unsigned d = 0; d <= wide; d++) {
            lull_vgpr(w, in->dst - LULL_RDNA_VGPR0 + d)[lane] = reg[d];
            reg[d] = (uint32_t)(now >> 32 * d);
        }
        unlock(&g);
    }
    return LULL_EXEC_NEXT;
}

lull_exec_fn *lull_mem_gds_handler(const struct lull_rdna_insn *in)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    switch ((enum lull_mem_class)op->group) {
    case LULL_MEM_CLASS_GDS:
        return op->kind == LULL_MEM_ORDERED ? ordered : gs_register;
    case LULL_MEM_CLASS_MOVE:
    case LULL_MEM_CLASS_ATOMIC:
        return (op->flags & (LULL_MEM_F_TWO | LULL_MEM_F_ADDTID)) == 0 ? memory : NULL;
    case LULL_MEM_CLASS_COUNT:
    case LULL_MEM_CLASS_LANES:
    case LULL_MEM_CLASS_IMAGE:
    case LULL_MEM_CLASS_NONE:
        break;
    }
    return op->kind == LULL_MEM_NOP ? lull_mem_nothing : NULL;
}
