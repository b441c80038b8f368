// SPDX-License-Identifier: MIT
// Strips of loops with AVX-512: VGPRs of the loop have registers of their own, their homes, and so
// have masks. A part of the loop is what is between changes of EXEC, jumps and the end: in it
// values go where there is room, at its end to their homes in the lanes that are on.
#include <string.h>

#include "jit/loop_impl.h"
#include "jit/masks.h"

enum {
    FIRST_HOME = 31,             // Downwards.
    FIRST_MASK = LULL_JIT_K + 5, // The same.
    ON = 7,                      // k7.
};

// Of k registers, 16 bits: kandw, kandnw, korw, kxorw, kortestw.
static const struct lull_vex k_and = {1, 0, 0, 1, 0x41}, k_and_not = {1, 0, 0, 1, 0x42},
                             k_or = {1, 0, 0, 1, 0x45}, k_xor = {1, 0, 0, 1, 0x47},
                             k_or_test = {1, 0, 0, 0, 0x98};

static unsigned mask_slot(unsigned n)
{
    return n == 0 ? LULL_JIT_ON : FIRST_MASK + 1 - n;
}

static unsigned k_of(unsigned n)
{
    return mask_slot(n) - LULL_JIT_K;
}

static void at_head(struct lull_jit_loop_emit *e, uint32_t pend)
{
    struct lull_jit_window *q = &e->q;
    for (unsigned p = 0; p < lull_jit_end(q); p++) {
        lull_jit_drop(q, p);
    }
    for (unsigned i = 0; i < e->l->nvgprs; i++) {
        q->slot[FIRST_HOME - i] = (struct lull_jit_slot){.kind = LULL_JIT_VGPR,
                                                         .key = e->l->vgpr[i],
                                                         .home = true,
                                                         .pend = (pend >> i & 1) != 0};
        lull_jit_renamed(q, FIRST_HOME - i);
    }
    for (unsigned i = 1; i < e->l->nmasks; i++) {
        q->slot[mask_slot(i)] =
            (struct lull_jit_slot){.kind = LULL_JIT_MASK, .key = e->l->mask[i], .home = true};
        lull_jit_renamed(q, mask_slot(i));
    }
}

static void load_strip(struct lull_jit_loop_emit *e)
{
    struct lull_jit_window *q = &e->q;
    lull_jit_loop_kept_base(q->x);
    for (unsigned i = 0; i < e->l->nvgprs; i++) {
        lull_jit_load(q, FIRST_HOME - i, lull_jit_loop_vgpr_at(e, i, 0));
        if (e->l->written[i]) {
            lull_jit_store(q, FIRST_HOME - i, lull_jit_loop_kept_at(i, 0));
        }
    }
    for (unsigned i = 0; i < e->l->nmasks; i++) {
        lull_jit_load(q, mask_slot(i), lull_jit_loop_mask_at(e, i));
    }
}

static void store_strip(struct lull_jit_loop_emit *e)
{
    struct lull_jit_window *q = &e->q;
    for (unsigned i = 0; i < e->l->nvgprs; i++) {
        if (e->l->written[i]) {
            lull_jit_store(q, FIRST_HOME - i, lull_jit_loop_vgpr_at(e, i, 0));
        }
    }
    for (unsigned i = 0; i < e->l->nmasks; i++) {
        lull_jit_store(q, mask_slot(i), lull_jit_loop_mask_at(e, i));
    }
}

static size_t none(struct lull_jit_loop_emit *e)
{
    return lull_jit_none_jump(&e->q, LULL_JIT_ON);
}

static void test(struct lull_jit_loop_emit *e, unsigned k)
{
    lull_vex_reg(e->q.x, k_or_test, k_of(k), 0, k_of(k));
}

/** Strips with lanes that are known to be in doubt leave. */
static void leave_in_doubt(struct lull_jit_loop_emit *e)
{
    if (e->q.checked && e->njumps < LULL_JIT_LOOP_DOUBTS) {
        e->doubt[e->njumps++] = lull_jit_doubt_jump(&e->q);
    }
    e->q.failed = e->q.failed || e->njumps == LULL_JIT_LOOP_DOUBTS;
    e->q.checked = false;
}

static void look(struct lull_jit_loop_emit *e)
{
    lull_jit_check_pending(&e->q);
    leave_in_doubt(e);
}

/** A part ends: lanes that are on go home. Whoever reads a value later may look for NaNs in it. */
static void settle(struct lull_jit_loop_emit *e)
{
    const struct lull_evex merge = {.op = {1, 0, 0, 2, 0x28}, .k = ON};
    struct lull_jit_window *q = &e->q;
    leave_in_doubt(e);
    for (unsigned i = 0; i < e->l->nvgprs; i++) {
        const unsigned home = FIRST_HOME - i;
        const int p = lull_jit_find(q, LULL_JIT_VGPR, e->l->vgpr[i]);
        if (p >= 0 && (unsigned)p != home) {
            const bool pend = q->slot[p].pend;
            lull_evex_reg(q->x, merge, home, 0, (unsigned)p);
            lull_jit_drop(q, (unsigned)p);
            q->slot[home] = (struct lull_jit_slot){
                .kind = LULL_JIT_VGPR, .key = e->l->vgpr[i], .home = true, .pend = pend};
            lull_jit_renamed(q, home);
        }
        q->failed = q->failed || p < 0;
    }
}

/** The same where EXEC changes, so NaNs are looked for before. */
static void end_part(struct lull_jit_loop_emit *e)
{
    look(e);
    settle(e);
}

static uint32_t pending(const struct lull_jit_loop_emit *e)
{
    uint32_t ret = 0;
    for (unsigned i = 0; i < e->l->nvgprs; i++) {
        ret |= (uint32_t)e->q.slot[FIRST_HOME - i].pend << i;
    }
    return ret;
}

/** The comparison that may be jumped away from, whose result is in @p p. */
static void note_quick(struct lull_jit_loop_emit *e, unsigned p)
{
    struct lull_jit_window *q = &e->q;
    e->quick.at = lull_jit_none_jump(q, p);
    e->quick.due = e->due;
    e->quick.q = *q; // EXEC will be what it was: the part has not ended.
    lull_jit_drop(&e->quick.q, p);
    memcpy(e->quick.is, e->is, sizeof e->is);
    memcpy(e->quick.held, e->is, sizeof e->is);
}

static void vector(struct lull_jit_loop_emit *e, const struct lull_jit_vector *v, bool quick)
{
    struct lull_jit_window *q = &e->q;
    if (v->t == NULL) {
        lull_jit_loop_leave_home(q, v->dst);
        lull_jit_loop_leave_home(q, v->src[0] - (unsigned)LULL_RDNA_VGPR0);
    }
    lull_jit_emit_vector(q, v);
    for (unsigned i = 0; i < e->l->nmasks && v->mask_out != LULL_RDNA_NONE; i++) {
        const int p =
            e->l->mask[i] == v->mask_out ? lull_jit_find(q, LULL_JIT_MASK, v->mask_out) : -1;
        if (p < 0) {
            continue;
        }
        if (i == 0 && quick) {
            note_quick(e, (unsigned)p);
        }
        if (i == 0) {
            end_part(e);
        }
        lull_jit_copy(q, mask_slot(i), (unsigned)p);
        lull_jit_drop(q, (unsigned)p);
        if (i != 0) {
            q->slot[mask_slot(i)] =
                (struct lull_jit_slot){.kind = LULL_JIT_MASK, .key = v->mask_out, .home = true};
            lull_jit_renamed(q, mask_slot(i));
        }
    }
}

static void mask(struct lull_jit_loop_emit *e, const struct lull_jit_loop_item *item)
{
    struct lull_jit_window *q = &e->q;
    const unsigned d = k_of(item->d), a = k_of(item->a), b = k_of(item->b), op = item->u->in->op;
    if (item->d == 0) {
        end_part(e);
    }
    if (op == LULL_RDNA_OP_S_AND_NOT1_B64) {
        lull_vex_reg(q->x, k_and_not, d, b, a);
    } else if (op == LULL_RDNA_OP_S_MOV_B64) {
        lull_jit_copy(q, mask_slot(item->d), mask_slot(item->a));
    } else {
        const struct lull_vex how = op == LULL_RDNA_OP_S_AND_B64  ? k_and
                                    : op == LULL_RDNA_OP_S_OR_B64 ? k_or
                                                                  : k_xor;
        lull_vex_reg(q->x, how, d, a, b);
    }
}

static void sync(struct lull_jit_loop_emit *e)
{
    for (unsigned i = 1; i < e->l->nmasks; i++) {
        const unsigned k = k_of(i);
        if (e->is[i] == e->held[i]) {
            continue;
        }
        if (e->is[i] == LULL_JIT_LOOP_ZERO) {
            lull_vex_reg(e->q.x, k_xor, k, k, k);
        } else {
            lull_jit_copy(&e->q, mask_slot(i), LULL_JIT_ON);
        }
        e->held[i] = e->is[i];
    }
}

static bool choose(struct lull_jit_loop_emit *e, unsigned n)
{
    (void)e;
    return n < 2; // The first finds out what is to be looked at.
}

const struct lull_jit_loop_host lull_jit_loop_zmm = {
    .at_head = at_head,
    .load_strip = load_strip,
    .store_strip = store_strip,
    .none = none,
    .test = test,
    .settle = settle,
    .pending = pending,
    .look = look,
    .vector = vector,
    .mask = mask,
    .sync = sync,
    .eager = true,
    .choose = choose,
};
