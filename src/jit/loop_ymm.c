// SPDX-License-Identifier: MIT
// Strips of loops with AVX2: two of eight lanes at once, so that the host has two chains to follow.
// Each instruction is emitted for one half of them and then for the other.
//
// Sixteen registers are few. VGPRs that a round needs of the one before have homes in registers, as
// far as there is room; all others, and masks, stand in struct lull_jit_paired. Lanes that are off
// at the head of the loop are in the wave alone: what stands here may be anything there. So nothing
// is merged while EXEC stays as it is. Before it changes, lanes that are on go to the wave, and
// what stands here is made the same in all lanes.
#include "jit/loop_impl.h"
#include "jit/masks.h"
#include "jit/vendor.h"

#include <string.h>

enum {
    HALVES = 2,
    LANES = 8,
    LAST_HOME = 13,             // The registers before it, too.
    SPARE = LULL_JIT_EXEC,      // A register without a slot.
    NEXT = LULL_JIT_LOOP_MASKS, // The mask that EXEC becomes.
    RCX = 1,
};

static const struct lull_vex blend = {3, 1, 0, 1, 0x4a}, and_not = {1, 0, 0, 1, 0x55},
                             test_signs = {2, 1, 0, 1, 0x0e}, signs = {1, 0, 0, 1, 0x50};

static uint32_t vgpr_key(unsigned i, unsigned half)
{
    return i + LULL_JIT_HALF * half;
}

static uint32_t mask_key(unsigned k, unsigned half)
{
    return LULL_JIT_PAIR_MASK | (HALVES * k + half);
}

/** The register that is the home of a VGPR, or -1. */
static int home_of(const struct lull_jit_loop_emit *e, unsigned i, unsigned half)
{
    return e->use[i].home != 0 ? LAST_HOME + 1 - (int)(HALVES * e->use[i].home - half) : -1;
}

static void become_home(struct lull_jit_window *q, unsigned home, uint32_t key, bool pend)
{
    q->slot[home] =
        (struct lull_jit_slot){.kind = LULL_JIT_VGPR, .key = key, .home = true, .pend = pend};
    lull_jit_renamed(q, home);
}

static void at_head(struct lull_jit_loop_emit *e, uint32_t pend)
{
    struct lull_jit_window *q = &e->q;
    for (unsigned p = 0; p < lull_jit_end(q); p++) {
        lull_jit_drop(q, p);
    }
    q->pair.there = true;
    q->pair.pend = 0;
    q->checked = true; // From the beginning of the strip on.
    for (unsigned i = 0; i < e->l->nvgprs; i++) {
        const bool looked_for = (pend >> i & 1) != 0;
        for (unsigned h = 0; h < HALVES; h++) {
            const int home = home_of(e, i, h);
            if (home >= 0) {
                become_home(q, (unsigned)home, vgpr_key(i, h), looked_for);
            } else if (looked_for) {
                q->pair.pend |= UINT32_C(1) << vgpr_key(i, h);
            }
        }
        e->touched |= e->l->written[i] ? UINT32_C(1) << i : 0;
    }
}

/** Number @p k of the masks, of this half, in the wave. */
static struct lull_x86_mem bits_at(const struct lull_jit_loop_emit *e, unsigned k, unsigned half)
{
    struct lull_x86_mem m = lull_jit_loop_mask_at(e, k);
    m.disp += (int32_t)half;
    return m;
}

static void load_strip(struct lull_jit_loop_emit *e)
{
    struct lull_jit_window *q = &e->q;
    lull_jit_loop_kept_base(q->x);
    for (unsigned i = 0; i < e->l->nvgprs; i++) {
        for (unsigned h = 0; h < HALVES; h++) {
            const int home = home_of(e, i, h);
            const unsigned p = home >= 0 ? (unsigned)home : SPARE;
            lull_jit_load(q, p, lull_jit_loop_vgpr_at(e, i, LANES * h));
            lull_jit_store(q, p, lull_jit_at_pair(LULL_JIT_VGPR, vgpr_key(i, h)));
            if (e->l->written[i]) {
                lull_jit_store(q, p, lull_jit_loop_kept_at(i, LANES * h));
            }
        }
    }
    for (unsigned k = 0; k < e->l->nmasks; k++) {
        for (unsigned h = 0; h < HALVES; h++) {
            lull_jit_mask_load(q, SPARE, bits_at(e, k, h));
            lull_jit_store(q, SPARE, lull_jit_at_pair(LULL_JIT_MASK, mask_key(k, h)));
        }
    }
    lull_vex_reg(q->x, lull_vex_zero, LULL_JIT_DOUBT, LULL_JIT_DOUBT, LULL_JIT_DOUBT);
}

static size_t none(struct lull_jit_loop_emit *e)
{
    lull_jit_load(&e->q, SPARE, lull_jit_at_pair_exec(0));
    lull_vex_mem(e->q.x, lull_vex_or, SPARE, SPARE, lull_jit_at_pair_exec(1));
    return lull_jit_none_jump(&e->q, SPARE);
}

/** SPARE is mask @p k of both halves, a lane of it being set where one of either is. */
static void both(struct lull_jit_loop_emit *e, unsigned k)
{
    struct lull_jit_window *q = &e->q;
    const unsigned a = lull_jit_named(q, LULL_JIT_MASK, mask_key(k, 0));
    q->slot[a].lock = true;
    const unsigned b = lull_jit_named(q, LULL_JIT_MASK, mask_key(k, 1));
    q->slot[a].lock = false;
    lull_vex_reg(q->x, lull_vex_or, SPARE, a, b);
}

static void test(struct lull_jit_loop_emit *e, unsigned k)
{
    both(e, k);
    lull_vex_reg(e->q.x, test_signs, SPARE, 0, SPARE);
}

static void look(struct lull_jit_loop_emit *e)
{
    struct lull_jit_window *q = &e->q;
    for (unsigned p = 0; p < lull_jit_end(q); p++) {
        unsigned other = p;
        for (unsigned k = p + 1; k < lull_jit_end(q) && other == p; k++) {
            const bool same = q->slot[k].key / LULL_JIT_HALF == q->slot[p].key / LULL_JIT_HALF;
            other = q->slot[k].pend && same ? k : other;
        }
        if (q->slot[p].pend) {
            lull_jit_check_two(q, p, other);
        }
    }
    // What had to make room meanwhile, too.
    for (unsigned key = 0; key < HALVES * LULL_JIT_HALF; key++) {
        if ((q->pair.pend >> key & 1) != 0) {
            lull_jit_check(q, lull_jit_named(q, LULL_JIT_VGPR, key));
        }
    }
}

static void sync(struct lull_jit_loop_emit *e)
{
    struct lull_jit_window *q = &e->q;
    for (unsigned k = 1; k < e->l->nmasks; k++) {
        for (unsigned h = 0; h < HALVES && e->is[k] != e->held[k]; h++) {
            const unsigned d = lull_jit_grab_mask(q);
            if (e->is[k] == LULL_JIT_LOOP_ZERO) {
                lull_vex_reg(q->x, lull_vex_zero, d, d, d);
            } else {
                lull_jit_load(q, d, lull_jit_at_pair_exec(h));
            }
            lull_jit_set(q, d, LULL_JIT_MASK, mask_key(k, h));
        }
        e->held[k] = e->is[k];
    }
}

/** The home of a VGPR holds it. */
static void go_home(struct lull_jit_window *q, unsigned home, uint32_t key)
{
    const int p = lull_jit_find(q, LULL_JIT_VGPR, key);
    if (p < 0) {
        lull_jit_load(q, home, lull_jit_at_pair(LULL_JIT_VGPR, key));
        become_home(q, home, key, (q->pair.pend >> key & 1) != 0);
        q->pair.pend &= ~(UINT32_C(1) << key);
    } else if ((unsigned)p != home) {
        const bool pend = q->slot[p].pend;
        lull_jit_copy(q, home, (unsigned)p);
        lull_jit_drop(q, (unsigned)p);
        become_home(q, home, key, pend);
    }
}

static void settle(struct lull_jit_loop_emit *e)
{
    struct lull_jit_window *q = &e->q;
    sync(e);
    for (unsigned i = 0; i < e->l->nvgprs; i++) {
        for (unsigned h = 0; h < HALVES && e->use[i].home != 0; h++) {
            go_home(q, (unsigned)home_of(e, i, h), vgpr_key(i, h));
        }
    }
    for (unsigned p = 0; p < lull_jit_end(q); p++) {
        struct lull_jit_slot *s = &q->slot[p];
        if (s->dirty && !s->home) {
            lull_jit_store(q, p, lull_jit_at_pair((enum lull_jit_kind)s->kind, s->key));
            s->dirty = false;
        }
    }
}

static uint32_t pending(const struct lull_jit_loop_emit *e)
{
    uint32_t all = e->q.pair.pend;
    for (unsigned p = 0; p < lull_jit_end(&e->q); p++) {
        all |= e->q.slot[p].pend ? UINT32_C(1) << e->q.slot[p].key : 0;
    }
    return (all | all >> LULL_JIT_HALF) & ((UINT32_C(1) << LULL_JIT_HALF) - 1);
}

/** Lanes that are on go to the wave, the others come from there. */
static void commit(struct lull_jit_loop_emit *e)
{
    struct lull_jit_window *q = &e->q;
    for (unsigned h = 0; h < HALVES; h++) {
        lull_vex_reg(q->x, lull_vex_equal32, SPARE, SPARE, SPARE);
        lull_vex_mem(q->x, lull_vex_xor, SPARE, SPARE, lull_jit_at_pair_exec(h));
        for (unsigned i = 0; i < e->l->nvgprs; i++) {
            if ((e->touched >> i & 1) == 0) {
                continue;
            }
            const struct lull_x86_mem wave = lull_jit_loop_vgpr_at(e, i, LANES * h);
            const unsigned p = lull_jit_named(q, LULL_JIT_VGPR, vgpr_key(i, h));
            const int home = home_of(e, i, h);
            const unsigned d = home >= 0 ? (unsigned)home : p;
            lull_vex_mem(q->x, blend, d, p, wave);
            lull_x86_byte(q->x, SPARE << 4);
            lull_jit_store(q, d, wave);
            if (d != p) {
                lull_jit_drop(q, p);
            }
            if (home >= 0) {
                become_home(q, d, vgpr_key(i, h), false);
            } else {
                q->slot[d].dirty = true;
            }
        }
    }
    e->touched = 0;
}

/** EXEC becomes mask NEXT. */
static void change_exec(struct lull_jit_loop_emit *e)
{
    struct lull_jit_window *q = &e->q;
    sync(e); // What is BEFORE is EXEC now.
    look(e);
    commit(e);
    for (unsigned h = 0; h < HALVES; h++) {
        const unsigned p = lull_jit_named(q, LULL_JIT_MASK, mask_key(NEXT, h));
        lull_jit_store(q, p, lull_jit_at_pair_exec(h));
        lull_jit_drop(q, p);
        const int old = lull_jit_find(q, LULL_JIT_MASK, mask_key(0, h));
        if (old >= 0) {
            lull_jit_drop(q, (unsigned)old);
        }
    }
}

static void store_strip(struct lull_jit_loop_emit *e)
{
    struct lull_jit_window *q = &e->q;
    at_head(e, 0);
    lull_vex_reg(q->x, test_signs, LULL_JIT_DOUBT, 0, LULL_JIT_DOUBT);
    e->doubt[e->njumps++] = lull_x86_jump(q->x, LULL_JNE);
    commit(e);
    for (unsigned k = 0; k < e->l->nmasks; k++) {
        for (unsigned h = 0; h < HALVES; h++) {
            lull_jit_load(q, SPARE, lull_jit_at_pair(LULL_JIT_MASK, mask_key(k, h)));
            lull_vex_reg(q->x, signs, RCX, 0, SPARE);
            lull_x86_bytes(q->x, "\x88\x8c\x1f", 3); // mov [rdi+rbx+disp],cl
            lull_x86_u32(q->x, (uint32_t)bits_at(e, k, h).disp);
        }
    }
}

static unsigned number_of(const struct lull_jit_loop_emit *e, unsigned vgpr)
{
    unsigned i = 0;
    while (i + 1 < e->l->nvgprs && e->l->vgpr[i] != vgpr) {
        i++;
    }
    return i;
}

static unsigned mask_of(const struct lull_jit_loop_emit *e, unsigned sgpr)
{
    unsigned k = 0;
    while (k < e->l->nmasks && e->l->mask[k] != sgpr) {
        k++;
    }
    return k;
}

static bool writes_vgpr(const struct lull_jit_vector *v)
{
    return v->t == NULL || v->t->mask == 0;
}

static bool is_vgpr(const struct lull_jit_vector *v, unsigned n)
{
    const bool number = v->t == NULL ? n == 0 : v->type[n] != LULL_T_NONE;
    return number && v->type[n] != LULL_T_MASK && v->src[n] >= LULL_RDNA_VGPR0;
}

/** @p v with the names of things of this half. */
static struct lull_jit_vector rename_half(const struct lull_jit_loop_emit *e,
                                          const struct lull_jit_vector *v, unsigned half)
{
    struct lull_jit_vector ret = *v;
    for (unsigned n = 0; n < 3; n++) {
        if (is_vgpr(v, n)) {
            const unsigned i = number_of(e, v->src[n] - (unsigned)LULL_RDNA_VGPR0);
            ret.src[n] = (uint16_t)(LULL_RDNA_VGPR0 + vgpr_key(i, half));
        }
    }
    if (writes_vgpr(v)) {
        ret.dst = (uint16_t)vgpr_key(number_of(e, v->dst), half);
    }
    if (v->mask_out != LULL_RDNA_NONE) {
        const unsigned k = mask_of(e, v->mask_out);
        ret.mask_out = (uint16_t)mask_key(k == 0 ? NEXT : k, half);
    }
    if (v->mask_in != LULL_RDNA_NONE) {
        const unsigned k = mask_of(e, v->mask_in);
        ret.mask_in = (uint16_t)(k < e->l->nmasks ? mask_key(k, half) : v->mask_in | half << 8);
    }
    return ret;
}

static void note_read(struct lull_jit_loop_emit *e, unsigned i)
{
    e->use[i].carried = e->use[i].carried || e->use[i].writes == 0;
    e->use[i].reads++;
}

static void note_write(struct lull_jit_loop_emit *e, unsigned i)
{
    e->use[i].writes++;
}

/** What @p v, which is done in most rounds, reads and writes. */
static void note_uses(struct lull_jit_loop_emit *e, const struct lull_jit_vector *v)
{
    const unsigned d = number_of(e, v->dst);
    for (unsigned n = 0; n < 3; n++) {
        if (is_vgpr(v, n)) {
            note_read(e, number_of(e, v->src[n] - (unsigned)LULL_RDNA_VGPR0));
        }
    }
    for (unsigned n = 0; v->t != NULL && n < v->t->ninputs; n++) {
        if (v->t->inputs[n] == LULL_JIT_IN_D) {
            note_read(e, d);
        }
    }
    if (v->t == NULL) { // v_swap_b32
        note_read(e, d);
        note_write(e, number_of(e, v->src[0] - (unsigned)LULL_RDNA_VGPR0));
    }
    if (writes_vgpr(v)) {
        note_write(e, d);
    }
}

/** Exchange two VGPRs. False: not both are at home. */
static bool swap_homes(struct lull_jit_window *q, uint32_t a, uint32_t b)
{
    const int first = lull_jit_home(q, a), second = lull_jit_home(q, b);
    if (first < 0 || second < 0 || q->slot[first].kind != LULL_JIT_VGPR ||
        q->slot[second].kind != LULL_JIT_VGPR) {
        return false;
    }
    const unsigned t = lull_jit_grab(q);
    const bool pend = q->slot[first].pend;
    lull_jit_copy(q, t, (unsigned)first);
    lull_jit_copy(q, (unsigned)first, (unsigned)second);
    lull_jit_copy(q, (unsigned)second, t);
    q->slot[first].pend = q->slot[second].pend;
    q->slot[second].pend = pend;
    lull_jit_drop(q, t);
    return true;
}

/** @p v in one half. */
static void vector_half(struct lull_jit_loop_emit *e, const struct lull_jit_vector *v,
                        unsigned half)
{
    struct lull_jit_window *q = &e->q;
    const struct lull_jit_vector mine = rename_half(e, v, half);
    q->pair.half = (uint8_t)half;
    if (v->t == NULL && mine.dst != mine.src[0] - (unsigned)LULL_RDNA_VGPR0) {
        if (swap_homes(q, mine.dst, mine.src[0] - (unsigned)LULL_RDNA_VGPR0)) {
            return;
        }
        lull_jit_loop_leave_home(q, mine.dst);
        lull_jit_loop_leave_home(q, mine.src[0] - (unsigned)LULL_RDNA_VGPR0);
    }
    lull_jit_emit_vector(q, &mine);
    const int home = writes_vgpr(v) ? home_of(e, number_of(e, v->dst), half) : -1;
    if (home >= 0 && q->slot[home].kind == LULL_JIT_VGPR && !q->slot[home].home) {
        become_home(q, (unsigned)home, mine.dst, q->slot[home].pend); // It was written there.
    }
}

/** Whether NaNs in VGPR @p key are to be looked for. */
static bool is_pending(struct lull_jit_window *q, uint32_t key)
{
    const int p = lull_jit_find(q, LULL_JIT_VGPR, key);
    return (q->pair.pend >> key & 1) != 0 || (p >= 0 && q->slot[p].pend);
}

/** Whether comparison @p v of one operation may be true of NaNs, too: all would be looked for. */
static bool may_find_nans(struct lull_jit_loop_emit *e, const struct lull_jit_vector *v)
{
    const struct lull_jit_target *t = e->q.target;
    bool good = v->t->n == 1 && lull_jit_is_compare(&t->ops[v->t->first]);
    for (unsigned n = 0; n < 2 && good; n++) {
        const struct lull_jit_operand o = t->vendor->operand(v, n, 0);
        const uint32_t infinity = 0x7f800000;
        if (is_vgpr(v, n)) {
            const unsigned i = number_of(e, v->src[n] - (unsigned)LULL_RDNA_VGPR0);
            good = is_pending(&e->q, vgpr_key(i, 0)) && is_pending(&e->q, vgpr_key(i, 1));
        } else {
            good = o.kind == LULL_JIT_CONST && (o.key & 0x7fffffff) <= infinity;
        }
    }
    return good;
}

/** What comparison @p v, which is true of NaNs, was false of has none. */
static void forget_nans(struct lull_jit_loop_emit *e, const struct lull_jit_vector *v,
                        struct lull_jit_window *q)
{
    for (unsigned k = 0; k < 2 * HALVES; k++) {
        if (is_vgpr(v, k / HALVES)) {
            const unsigned i = number_of(e, v->src[k / HALVES] - (unsigned)LULL_RDNA_VGPR0);
            const uint32_t key = vgpr_key(i, k % HALVES);
            const int p = lull_jit_find(q, LULL_JIT_VGPR, key);
            q->pair.pend &= ~(UINT32_C(1) << key);
            if (p >= 0) {
                q->slot[p].pend = false;
            }
        }
    }
}

static void vector(struct lull_jit_loop_emit *e, const struct lull_jit_vector *v, bool quick)
{
    struct lull_jit_window *q = &e->q;
    const bool nans = quick && may_find_nans(e, v);
    if (e->trial && (e->quick.now || !e->quick.there)) {
        note_uses(e, v);
    }
    if (v->mask_in != LULL_RDNA_NONE) {
        sync(e);
    }
    q->pair.nans = nans;
    vector_half(e, v, 0);
    vector_half(e, v, 1);
    q->pair.nans = false;
    if (writes_vgpr(v)) {
        e->touched |= UINT32_C(1) << number_of(e, v->dst);
    }
    if (v->t == NULL) {
        e->touched |= UINT32_C(1) << number_of(e, v->src[0] - (unsigned)LULL_RDNA_VGPR0);
    }
    if (v->mask_out != LULL_RDNA_EXEC) {
        return;
    }
    if (quick) {
        both(e, NEXT);
        e->quick.at = lull_jit_none_jump(q, SPARE);
        e->quick.due = e->due;
        e->quick.q = *q;
        for (unsigned h = 0; h < HALVES; h++) {
            const int p = lull_jit_find(q, LULL_JIT_MASK, mask_key(NEXT, h));
            lull_jit_drop(&e->quick.q, (unsigned)p);
        }
        if (nans) {
            forget_nans(e, v, &e->quick.q);
        }
        memcpy(e->quick.is, e->is, sizeof e->is);
        memcpy(e->quick.held, e->held, sizeof e->held);
    }
    change_exec(e);
}

static void mask_half(struct lull_jit_loop_emit *e, const struct lull_jit_loop_item *item,
                      unsigned half)
{
    struct lull_jit_window *q = &e->q;
    const unsigned op = item->u->in->op;
    const bool two = op != LULL_RDNA_OP_S_MOV_B64;
    const unsigned a = lull_jit_named(q, LULL_JIT_MASK, mask_key(item->a, half));
    q->slot[a].lock = true;
    const unsigned b = two ? lull_jit_named(q, LULL_JIT_MASK, mask_key(item->b, half)) : a;
    q->slot[b].lock = true;
    const unsigned d = lull_jit_grab_mask(q);
    q->slot[a].lock = q->slot[b].lock = false;
    if (op == LULL_RDNA_OP_S_AND_NOT1_B64) {
        lull_vex_reg(q->x, and_not, d, b, a);
    } else if (!two) {
        lull_jit_copy(q, d, a);
    } else {
        const struct lull_vex how = op == LULL_RDNA_OP_S_AND_B64  ? lull_vex_and
                                    : op == LULL_RDNA_OP_S_OR_B64 ? lull_vex_or
                                                                  : lull_vex_xor;
        lull_vex_reg(q->x, how, d, a, b);
    }
    lull_jit_set(q, d, LULL_JIT_MASK, mask_key(item->d == 0 ? NEXT : item->d, half));
}

static void mask(struct lull_jit_loop_emit *e, const struct lull_jit_loop_item *item)
{
    const bool moves = item->u->in->op == LULL_RDNA_OP_S_MOV_B64;
    if (moves && item->d != 0 && e->is[item->a] == LULL_JIT_LOOP_BEFORE &&
        e->is[0] == LULL_JIT_LOOP_BEFORE) {
        e->held[item->d] = LULL_JIT_LOOP_OTHER;
        return; // See sync().
    }
    sync(e);
    mask_half(e, item, 0);
    mask_half(e, item, 1);
    e->held[item->d] = moves ? e->is[item->a] : LULL_JIT_LOOP_OTHER;
    if (item->d == 0) {
        change_exec(e);
    }
}

/** The VGPR without a home that wants one most, of those that are @p carried; -1: there is none. */
static int best(const struct lull_jit_loop_emit *e, bool carried)
{
    int ret = -1;
    unsigned most = 0;
    for (unsigned i = 0; i < e->l->nvgprs; i++) {
        const unsigned uses = e->use[i].reads + e->use[i].writes;
        const bool wants =
            e->use[i].home == 0 && e->use[i].writes != 0 && e->use[i].carried == carried;
        if (wants && uses > most) {
            ret = (int)i;
            most = uses;
        }
    }
    return ret;
}

static bool choose(struct lull_jit_loop_emit *e, unsigned n)
{
    // The first finds out uses, the next what is to be looked at. Long templates leave less room.
    static const uint8_t homes[] = {0, 4, 4, 4, 4, 2, 0};
    const bool others = n <= 2; // Those that are written anew in each round, too.
    e->trial = n == 0;
    if (n == sizeof homes) {
        return false;
    }
    for (unsigned i = 0; i < e->l->nvgprs; i++) {
        e->use[i].home = 0;
    }
    for (unsigned k = 1; k <= homes[n]; k++) {
        int i = best(e, true);
        i = i < 0 && others ? best(e, false) : i;
        if (i >= 0) {
            e->use[i].home = (uint8_t)k;
        }
    }
    return true;
}

const struct lull_jit_loop_host lull_jit_loop_ymm = {
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
    .flags = true,
    .choose = choose,
};
