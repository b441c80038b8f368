// SPDX-License-Identifier: MIT
// GLOBAL: fast paths for consecutive lanes and for gathers, then the plain way.
#include "model/amd/mem/mem_add.h"

bool LULL_MEM_NAME(_quick)(struct lull_wave *w, const struct lull_mem_op *op, const uint64_t *va,
                           uint64_t mask, unsigned reg)
{
    const bool is_store = op->kind == LULL_MEM_STORE;
    const bool sign = op->element == LULL_MEM_E_I8 || op->element == LULL_MEM_E_I16;
    uint8_t *p[LULL_LANES];
    if (!lull_run_locate(w, va, mask, op->bytes, is_store ? LULL_ACCESS_WRITE : LULL_ACCESS_READ,
                         p)) {
        return false;
    }
    if (is_store) {
        lull_run_store_to(w, p, mask, reg, op->bytes, (op->flags & LULL_MEM_F_D16HI) != 0 ? 16 : 0);
    } else if (op->bytes == 4) {
        lull_run_load_from(w, op, p, mask, reg, 4, sign);
    } else {
        lull_run_load_from(w, op, p, mask, reg, op->bytes, sign);
    }
    return true;
}

static enum lull_exec_result load_plain(struct lull_wave *w, const struct lull_run *g,
                                        const struct lull_mem_op *op)
{
    struct lull_places p;
    lull_run_places(w, g, &p);
    return lull_mem_load(w, op, &p, g->in->dst - LULL_RDNA_VGPR0);
}

static enum lull_exec_result store_plain(struct lull_wave *w, const struct lull_run *g,
                                         const struct lull_mem_op *op)
{
    struct lull_places p;
    lull_run_places(w, g, &p);
    return lull_mem_store(w, op, &p, g->in->vdata - LULL_RDNA_VGPR0);
}

LULL_INLINE enum lull_exec_result load(struct lull_wave *w, const struct lull_rdna_insn *in,
                                       unsigned bytes, bool sign)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    struct lull_run g;
    if (!lull_run_prepare(w, in, (op->flags & LULL_MEM_F_ADDTID) != 0, &g) ||
        !lull_vgprs_exist(w, in->dst, lull_mem_dwords(op))) {
        return LULL_EXEC_ILLEGAL;
    }
    if (lull_run_load(w, &g, op, bytes, sign)) {
        return LULL_EXEC_NEXT;
    }
    return load_plain(w, &g, op);
}

LULL_INLINE enum lull_exec_result store(struct lull_wave *w, const struct lull_rdna_insn *in,
                                        unsigned bytes)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    const unsigned shift = (op->flags & LULL_MEM_F_D16HI) != 0 ? 16 : 0;
    struct lull_run g;
    if (!lull_run_prepare(w, in, (op->flags & LULL_MEM_F_ADDTID) != 0, &g) ||
        !lull_vgprs_exist(w, in->vdata, lull_mem_dwords(op))) {
        return LULL_EXEC_ILLEGAL;
    }
    if (lull_run_store(w, &g, bytes, shift)) {
        return LULL_EXEC_NEXT;
    }
    return store_plain(w, &g, op);
}

/** Dwords of all lanes, one after the other in a page, are added to, and no results wanted. False:
 * it is something else, and nothing is done. */
LULL_INLINE bool add_run(struct lull_wave *w, const struct lull_run *g, struct lull_kept *kept)
{
    uint8_t *run =
        g->lo == NULL || g->in->glc || (g->base + g->lo[0]) % 4 != 0
            ? NULL
            : lull_run_find_run(w, g, 4, LULL_ACCESS_READ | LULL_ACCESS_WRITE | LULL_ACCESS_ATOMIC);
    if (run != NULL) {
        lull_run_add(w, (uint32_t *)(void *)run, lull_vgpr(w, g->in->vdata - LULL_RDNA_VGPR0),
                     kept);
    }
    return run != NULL;
}

static bool adds_dwords(const struct lull_mem_op *op)
{
    return op->group == LULL_MEM_CLASS_ATOMIC && op->kind == LULL_MEM_ADD && op->bytes == 4;
}

/** @param last The wave only ends behind it. */
LULL_INLINE enum lull_exec_result atomic_of(struct lull_wave *w, const struct lull_rdna_insn *in,
                                            bool last)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    const unsigned n = op->bytes / 4u;
    const unsigned ndata = (op->flags & LULL_MEM_F_PAIR) != 0 ? 2 * n : n;
    struct lull_run g;
    struct lull_places p;
    if (!lull_run_prepare(w, in, false, &g) || !lull_vgprs_exist(w, in->vdata, ndata) ||
        (in->glc && !lull_vgprs_exist(w, in->dst, n))) {
        return LULL_EXEC_ILLEGAL;
    }
    if (adds_dwords(op) && add_run(w, &g, last ? w->kept : NULL)) {
        return LULL_EXEC_NEXT;
    }
    lull_run_places(w, &g, &p);
    const unsigned a = in->vdata - LULL_RDNA_VGPR0;
    const struct lull_mem_regs r = {
        .dst = in->glc ? in->dst - LULL_RDNA_VGPR0 : 0,
        .a = a,
        .b = a + ndata - n,
        .returns = in->glc,
        .last = last && !in->glc,
    };
    return lull_mem_rmw(w, op, &p, &r);
}

static enum lull_exec_result atomic(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return atomic_of(w, in, false);
}

static enum lull_exec_result atomic_last(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return atomic_of(w, in, true);
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

lull_exec_fn *LULL_MEM_NAME(_global_last)(const struct lull_rdna_insn *in)
{
    return adds_dwords(&lull_mem_ops[in->op]) ? atomic_last : NULL;
}

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
