// SPDX-License-Identifier: MIT
// The code of a region: see encode.h for the registers.
#include "jit/a64/a64.h"
#include "jit/a64/encode.h"
#include "jit/machine.h"
#include "model/fp/fp.h"

enum { SCALE_Q = 4, SCALE_X = 3, SCALE_W = 2, SCALE_H = 1, STRIP = 4, IMM_SHIFT = 10 };

struct emit {
    struct lull_jit_window q;
    const struct lull_jit_region *r;
    unsigned lanes;
};

static const uint32_t msr_fpsr = 0xd51b4420, mrs_fpsr = 0xd53b4420, mrs_fpcr = 0xd53b4400,
                      fmov_w_s = 0x1e260000;

uint64_t lull_a64_fpcr(uint32_t mode)
{
    enum { RMODE = 22, FZ = 24 };
    // Both have: to nearest, up, down, towards 0.
    const uint64_t round = mode >> LULL_FP_ROUND_F32_SHIFT & 3;
    const uint64_t flush = (mode >> LULL_FP_DENORM_F32_SHIFT & 3) == 0 ? 1 : 0;
    return round << RMODE | flush << FZ;
}

/** Registers that are the caller's, to the stack or back. */
static void frame(struct lull_x86 *x, bool load)
{
    enum { SP = 31, FP = 29, PAIR_SHIFT = 15, FIRST_X = 19, FIRST_D = 8 };
    const uint32_t pair_x = load ? 0xa9400000 : 0xa9000000, pair_d = load ? 0x6d400000 : 0x6d000000;
    const uint32_t push = 0xa9b57bfd, pop = 0xa8cb7bfd; // x29 and x30; 176 bytes.
    if (!load) {
        lull_a64(x, push);
    }
    for (uint32_t i = 0; i < 5; i++) {
        const uint32_t first = FIRST_X + 2 * i;
        lull_a64_reg(x, pair_x | (2 + 2 * i) << PAIR_SHIFT | (first + 1) << IMM_SHIFT, first, SP,
                     0);
    }
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t first = FIRST_D + 2 * i;
        lull_a64_reg(x, pair_d | (12 + 2 * i) << PAIR_SHIFT | (first + 1) << IMM_SHIFT, first, SP,
                     0);
    }
    if (load) {
        lull_a64(x, pop);
        lull_a64(x, LULL_A64_RET);
    }
}

static void load_bits(struct emit *e)
{
    lull_a64_mem(e->q.x, LULL_A64_LDR_Q, SCALE_Q, LULL_A64_BITS,
                 lull_jit_at_const(&e->q, LULL_JIT_BITS));
}

void lull_a64_enter(struct lull_x86 *x)
{
    const uint32_t ubfx_24 = 0xd3586000, lsl_3 = 0xd37df000; // FZ, then at UFC.
    frame(x, false);
    lull_a64_reg(x, LULL_A64_MOV, LULL_A64_WAVE, 0, LULL_A64_X0);
    lull_a64_reg(x, LULL_A64_MOV, LULL_A64_AREA, 0, LULL_A64_X1);
    lull_a64_reg(x, LULL_A64_MOV, LULL_A64_CONSTS, 0, LULL_A64_X2);
    lull_a64_mem(x, LULL_A64_STR_X, SCALE_X, LULL_A64_X3, lull_a64_at_exit);
    lull_a64_reg(x, mrs_fpcr, LULL_A64_T0, 0, 0);
    lull_a64_reg(x, ubfx_24, LULL_A64_T0, LULL_A64_T0, 0);
    lull_a64_reg(x, lsl_3, LULL_A64_FLUSH, LULL_A64_T0, 0);
}

void lull_a64_leave(struct lull_x86 *x)
{
    frame(x, true);
}

/** Before the strips. */
static void begin(const struct emit *e)
{
    struct lull_x86 *x = e->q.x;
    const struct lull_x86_mem vgprs = {LULL_RDI, LULL_X86_NONE, offsetof(struct lull_wave, vgpr)};
    lull_a64_mem(x, LULL_A64_LDR_X, SCALE_X, LULL_A64_VGPRS, vgprs);
    lull_a64_imm(x, LULL_A64_LANE, 0);
    for (unsigned k = 0; k < e->r->nmasks; k++) {
        lull_a64_imm(x, LULL_A64_MASKS + k, 0);
    }
}

/** T0 has this strip's part of mask @p k in its lowest bits. */
static void insert(const struct emit *e, unsigned k)
{
    struct lull_x86 *x = e->q.x;
    lull_a64_reg(x, LULL_A64_LSL, LULL_A64_T0, LULL_A64_T0, LULL_A64_LANE);
    lull_a64_reg(x, LULL_A64_ORR, LULL_A64_MASKS + k, LULL_A64_MASKS + k, LULL_A64_T0);
}

static void write_mask(const struct emit *e, unsigned p, uint32_t sgpr)
{
    const uint32_t and_16b = 0x4e201c00, addv_4s = 0x4eb1b800;
    struct lull_x86 *x = e->q.x;
    unsigned k = 0;
    while (k + 1 < e->r->nmasks && e->r->masks[k] != sgpr) {
        k++;
    }
    lull_a64_reg(x, and_16b, LULL_A64_TEMP, p, LULL_A64_BITS);
    lull_a64_reg(x, addv_4s, LULL_A64_TEMP, LULL_A64_TEMP, 0);
    lull_a64_reg(x, fmov_w_s, LULL_A64_T0, LULL_A64_TEMP, 0);
    insert(e, k);
}

/** Lanes that are off keep what is in memory. */
static void store_on(const struct emit *e, unsigned p, struct lull_x86_mem to)
{
    lull_a64_mem(e->q.x, LULL_A64_LDR_Q, SCALE_Q, LULL_A64_TEMP, to);
    lull_a64_reg(e->q.x, LULL_A64_BIT, LULL_A64_TEMP, p, LULL_A64_EXEC);
    lull_a64_mem(e->q.x, LULL_A64_STR_Q, SCALE_Q, LULL_A64_TEMP, to);
}

/** All that was written goes to the register file. */
static void write_back(struct emit *e)
{
    struct lull_jit_window *q = &e->q;
    for (unsigned p = 0; p < lull_jit_end(q); p++) {
        const struct lull_jit_slot *s = &q->slot[p];
        if (s->dirty && s->kind == LULL_JIT_VGPR) {
            store_on(e, p, lull_jit_at_vgpr(q, s->key));
        } else if (s->dirty && s->kind == LULL_JIT_MASK) {
            write_mask(e, p, s->key);
        }
    }
    for (unsigned n = 0; n < LULL_JIT_SPILLS; n++) {
        if (q->spill[n].kind == LULL_JIT_FREE) {
            continue;
        }
        q->target->machine->load(q, 0, lull_jit_at_spill(n));
        if (q->spill[n].kind == LULL_JIT_VGPR) {
            store_on(e, 0, lull_jit_at_vgpr(q, q->spill[n].key));
        } else {
            write_mask(e, 0, q->spill[n].key);
        }
    }
}

/** @return the jump of a strip with a lane that is on and in doubt, or with a result that was
 * flushed. */
static size_t doubt_jump(const struct emit *e)
{
    const uint32_t and_16b = 0x4e201c00, umaxv_4s = 0x6eb0a800;
    struct lull_x86 *x = e->q.x;
    lull_a64_reg(x, and_16b, LULL_A64_TEMP, LULL_A64_DOUBT, LULL_A64_EXEC);
    lull_a64_reg(x, umaxv_4s, LULL_A64_TEMP, LULL_A64_TEMP, 0);
    lull_a64_reg(x, fmov_w_s, LULL_A64_T0, LULL_A64_TEMP, 0);
    lull_a64_reg(x, mrs_fpsr, LULL_A64_T1, 0, 0);
    lull_a64_reg(x, LULL_A64_AND, LULL_A64_T1, LULL_A64_T1, LULL_A64_FLUSH);
    lull_a64_reg(x, LULL_A64_ORR, LULL_A64_T0, LULL_A64_T0, LULL_A64_T1);
    return lull_a64_jump(x, LULL_A64_CBNZ | LULL_A64_T0);
}

/** A strip with a lane in doubt is done by the interpreter. */
static void doubtful_strip(struct emit *e, size_t next)
{
    struct lull_x86 *x = e->q.x;
    const struct lull_x86_mem redo = {LULL_R15, LULL_X86_NONE,
                                      offsetof(struct lull_jit_area, redo)};
    lull_a64_reg(x, LULL_A64_MOV, LULL_A64_X0, 0, LULL_A64_WAVE);
    lull_a64_imm(x, LULL_A64_X1, (uint64_t)(uintptr_t)e->r);
    lull_a64_reg(x, LULL_A64_MOV, LULL_A64_X2, 0, LULL_A64_LANE);
    lull_a64_mem(x, LULL_A64_LDR_X, SCALE_X, LULL_A64_T0, redo);
    lull_a64_reg(x, LULL_A64_BLR, 0, LULL_A64_T0, 0);
    lull_a64_reg(x, msr_fpsr, LULL_A64_ZERO, 0, 0);
    load_bits(e);
    for (unsigned k = 0; k < e->r->nmasks; k++) {
        const size_t at = offsetof(struct lull_jit_area, redone) + sizeof(uint16_t) * k;
        lull_a64_mem(x, LULL_A64_LDRH, SCALE_H, LULL_A64_T0,
                     (struct lull_x86_mem){LULL_R15, LULL_X86_NONE, (int32_t)at});
        insert(e, k);
    }
    lull_a64_land(x, lull_a64_jump(x, LULL_A64_B), next);
}

static void check_pending(struct lull_jit_window *q)
{
    for (unsigned p = 0; p < lull_jit_end(q); p++) {
        if (q->slot[p].pend) {
            lull_jit_check(q, p);
        }
    }
}

/** Vector instructions of the strip. @return those for which there were enough registers. */
static uint32_t body(struct emit *e, struct lull_jit_item *items)
{
    uint32_t good = 0;
    for (unsigned i = 0; i < e->r->ninsns; i++) {
        if (items[i].kind == LULL_JIT_ITEM_LDS) {
            lull_a64_emit_lds(&e->q, &items[i].lds);
        }
        for (unsigned k = 0; items[i].kind == LULL_JIT_ITEM_VECTOR && k < items[i].nvectors; k++) {
            items[i].v[k].choice = 0; // No different from other selections.
            lull_jit_emit_vector(&e->q, &items[i].v[k]);
        }
        good += !e->q.failed;
    }
    check_pending(&e->q);
    return e->q.failed && good == e->r->ninsns ? good - 1 : good;
}

/** All strips, one after the other. @return what body() does. */
static uint32_t loop(struct emit *e, struct lull_jit_item *items)
{
    struct lull_x86 *x = e->q.x;
    const uint32_t tst_15 = 0xf2400c1f, movi_0 = 0x4f000400, add_imm = 0x91000000,
                   cmp_imm = 0xf100001f;
    const size_t top = x->len;
    lull_a64_mask_bits(x, lull_jit_at_mask(LULL_RDNA_EXEC));
    lull_a64_reg(x, tst_15, 0, LULL_A64_T0, 0);
    const size_t dead = lull_a64_jump(x, LULL_A64_BEQ);
    lull_a64_mask_vector(x, LULL_A64_EXEC);
    lull_a64_reg(x, movi_0, LULL_A64_DOUBT, 0, 0);
    const uint32_t good = body(e, items);
    const size_t doubt = e->q.checked ? doubt_jump(e) : 0;
    write_back(e);
    const size_t next = x->len;
    lull_a64_land(x, dead, next);
    lull_a64_reg(x, add_imm | STRIP << IMM_SHIFT, LULL_A64_LANE, LULL_A64_LANE, 0);
    lull_a64_reg(x, add_imm | lull_jit_bytes(e->q.target) << IMM_SHIFT, LULL_A64_VGPRS,
                 LULL_A64_VGPRS, 0);
    lull_a64_reg(x, cmp_imm | e->lanes << IMM_SHIFT, 0, LULL_A64_LANE, 0);
    lull_a64_land(x, lull_a64_jump(x, LULL_A64_BNE), top);
    if (e->q.checked) {
        const size_t over = lull_a64_jump(x, LULL_A64_B);
        lull_a64_land(x, doubt, x->len);
        doubtful_strip(e, next);
        lull_a64_land(x, over, x->len);
    }
    return good;
}

/** Whether an item is no scalar instruction that has to be called. */
static bool can_be(const struct lull_jit_item *item)
{
    return item->kind != LULL_JIT_ITEM_SCALAR || lull_a64_has_scalar(item->u);
}

/** The source with DPP of @p item is made. */
static void shuffle(const struct emit *e, const struct lull_jit_item *item)
{
    struct lull_x86 *x = e->q.x;
    struct lull_x86_mem m = {LULL_R15, LULL_X86_NONE,
                             offsetof(struct lull_jit_area, make_shuffled)};
    lull_a64_reg(x, LULL_A64_MOV, LULL_A64_X0, 0, LULL_A64_WAVE);
    lull_a64_imm(x, LULL_A64_X1, (uint64_t)(uintptr_t)item->u);
    lull_a64_mem(x, LULL_A64_LDR_X, SCALE_X, LULL_A64_T0, m);
    m.disp = (int32_t)(offsetof(struct lull_jit_area, shuffled) +
                       sizeof(struct lull_jit_shuffled) * (size_t)item->v[0].shuffle);
    lull_a64_address(x, LULL_A64_X2, m);
    lull_a64_reg(x, LULL_A64_BLR, 0, LULL_A64_T0, 0);
}

/** Before the strips: scalar instructions, and what they overwrite is kept for who reads it;
 * sources with DPP. */
static void before(struct emit *e, const struct lull_jit_item *items)
{
    struct lull_x86 *x = e->q.x;
    bool lds = false;
    for (unsigned i = 0; i < e->r->ninsns; i++) {
        lds = lds || items[i].kind == LULL_JIT_ITEM_LDS;
        if (items[i].kind == LULL_JIT_ITEM_VECTOR && items[i].v[0].shuffled) {
            shuffle(e, &items[i]);
        }
        if (items[i].kind != LULL_JIT_ITEM_SCALAR) {
            continue;
        }
        for (unsigned k = 0; k < e->r->nsaves; k++) {
            if (e->r->saves[k].at == i) {
                lull_a64_mem(x, LULL_A64_LDR_X, SCALE_X, LULL_A64_T0,
                             lull_jit_at_mask(2u * e->r->saves[k].pair));
                lull_a64_mem(x, LULL_A64_STR_X, SCALE_X, LULL_A64_T0, lull_jit_at_saved(k));
            }
        }
        lull_a64_emit_scalar(x, items[i].u);
    }
    if (lds) {
        lull_a64_lds_begin(x);
    }
    lull_a64_reg(x, msr_fpsr, LULL_A64_ZERO, 0, 0);
    load_bits(e);
}

uint32_t lull_a64_emit_strips(struct lull_x86 *x, struct lull_jit_pool *pool,
                              struct lull_jit_item *items, const struct lull_jit_region *r,
                              unsigned lanes)
{
    struct emit e = {.q = {.x = x, .target = r->target, .pool = pool, .stride = 4 * lanes},
                     .r = r,
                     .lanes = lanes};
    for (unsigned i = 0; i < r->ninsns; i++) {
        if (!can_be(&items[i])) {
            return i;
        }
    }
    begin(&e);
    before(&e, items);
    const uint32_t good = loop(&e, items);
    for (unsigned k = 0; k < r->nmasks; k++) {
        lull_a64_mem(x, lanes == 64 ? LULL_A64_STR_X : LULL_A64_STR_W,
                     lanes == 64 ? SCALE_X : SCALE_W, LULL_A64_MASKS + k,
                     lull_jit_at_mask(r->masks[k]));
    }
    return x->full ? 0 : good;
}

uint32_t lull_a64_emit_region(struct lull_x86 *x, struct lull_jit_pool *pool,
                              struct lull_jit_item *items, const struct lull_jit_region *r,
                              unsigned lanes)
{
    lull_a64_enter(x);
    const uint32_t good = lull_a64_emit_strips(x, pool, items, r, lanes);
    lull_a64_leave(x);
    return x->full ? 0 : good;
}
