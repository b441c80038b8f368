// SPDX-License-Identifier: MIT
// A vector instruction put into registers: sources, the operations of its template, results.
#include "jit/vector.h"

#include "jit/fold.h"
#include "jit/machine.h"
#include "jit/plan.h"
#include "jit/shuffle.h"

enum { NO_REG = 255 }; // A value that is known and in no register.

/** A template while it is put into registers. Values are those that their names in the plan are. */
struct values {
    struct lull_jit_window *q;
    const struct lull_jit_template *t;
    int old;    ///< Register of the destination's old value, which ends here; or -1.
    int home;   ///< Where the last operation may write: the home of the destination; or -1.
    int8_t far; ///< A value that is read where it is in memory, or -1,
    struct lull_x86_mem at;           ///< and where.
    uint8_t reg[LULL_JIT_MAX_VALUES]; ///< Of each value.
    bool own[LULL_JIT_MAX_VALUES];    ///< Nobody else uses its register.
    struct lull_jit_plan plan;        ///< Uses in it are those that are left.
};

/** Bits of source @p n that are kept, and those that are turned. */
static uint32_t keeps(const struct lull_jit_vector *v, unsigned n)
{
    if (v->sign != LULL_JIT_SIGN_BIT || (v->abs >> n & 1) == 0) {
        return UINT32_MAX;
    }
    const uint32_t sign =
        lull_jit_is_16(v->type[n]) && v->view[n] < LULL_JIT_WIDE_LOW ? 0x8000 : 0x80000000;
    return ~sign;
}

static uint32_t flips(const struct lull_jit_vector *v, unsigned n)
{
    if (((v->neg | v->neg_hi) >> n & 1) == 0) {
        return 0;
    }
    if (v->sign != LULL_JIT_SIGN_BIT) {
        return v->sign == LULL_JIT_ALL_BITS && (v->neg >> n & 1) != 0 ? UINT32_MAX : 0;
    }
    if (lull_jit_is_64(v->type[n])) { // Of the upper half.
        return (v->neg >> n & 1) != 0 ? 0x80000000 : 0;
    }
    const bool low = (lull_jit_is_16(v->type[n]) && v->view[n] < LULL_JIT_WIDE_LOW) ||
                     lull_jit_is_v2(v->type[n]);
    return ((v->neg >> n & 1) != 0 ? low ? 0x8000 : 0x80000000 : 0) |
           ((v->neg_hi >> n & 1) != 0 ? 0x80000000 : 0);
}

/** Whether source @p n is a number whose magnitude or opposite is taken. */
static bool is_signed(const struct lull_jit_vector *v, unsigned n)
{
    return v->sign == LULL_JIT_TWOS_COMPLEMENT && ((v->neg | v->abs) >> n & 1) != 0;
}

/** Dword @p part of source @p n as it is taken. @param[out] from Register that a NaN in it is
 * waited for. */
static unsigned source(struct lull_jit_window *q, const struct lull_jit_vector *v, unsigned n,
                       unsigned part, unsigned *from)
{
    const bool last = part + 1 == lull_jit_source_dwords(v, n);
    const struct lull_jit_operand o = q->target->vendor->operand(v, n, part);
    unsigned view = v->view[n];
    const uint32_t keep = last ? keeps(v, n) : UINT32_MAX, flip = last ? flips(v, n) : 0;
    unsigned p = 0;
    if (n == 0 && v->shuffled) {
        p = lull_jit_load_shuffled(q, v->shuffle);
    } else if (v->wide && o.kind == LULL_JIT_VGPR && view == LULL_JIT_WIDE_LOW) {
        p = lull_jit_named(q, LULL_JIT_WIDE, o.key);
        view = LULL_JIT_WHOLE;
    } else {
        const uint32_t key = o.kind == LULL_JIT_CONST ? lull_jit_const32(q, o.key) : o.key;
        p = lull_jit_named(q, (enum lull_jit_kind)o.kind, key);
    }
    *from = p;
    if (view == LULL_JIT_WHOLE && keep == UINT32_MAX && flip == 0 && !is_signed(v, n)) {
        return p;
    }
    const bool was = q->slot[p].lock;
    q->slot[p].lock = true;
    const unsigned t = lull_jit_grab(q);
    q->slot[p].lock = was;
    if (view >= LULL_JIT_WIDE_LOW) {
        q->target->machine->widen(q, t, p, view == LULL_JIT_WIDE_HIGH);
    } else if (view != LULL_JIT_WHOLE) {
        q->target->machine->halves(q, t, p, view - LULL_JIT_HALVES);
    }
    unsigned r = view != LULL_JIT_WHOLE ? t : p;
    if (keep != UINT32_MAX) {
        q->target->machine->and_with(q, t, r, lull_jit_const32(q, keep));
        r = t;
    }
    if (flip != 0) {
        q->target->machine->xor_with(q, t, r, lull_jit_const32(q, flip));
    }
    if (is_signed(v, n)) {
        q->target->machine->with_sign(q, t, r, lull_jit_is_16(v->type[n]),
                                      (struct lull_jit_sign){v->abs >> n & 1, v->neg >> n & 1});
    }
    return t;
}

/** The old value of the destination; of its upper half, with that in the place of the lower. */
static unsigned old_value(struct lull_jit_window *q, const struct lull_jit_vector *v,
                          unsigned *from)
{
    const unsigned p = lull_jit_named(q, v->wide ? LULL_JIT_WIDE : LULL_JIT_VGPR, v->dst);
    *from = p;
    if (!v->high) {
        return p;
    }
    const bool was = q->slot[p].lock;
    q->slot[p].lock = true;
    const unsigned t = lull_jit_grab(q);
    q->slot[p].lock = was;
    q->target->machine->halves(q, t, p, 1);
    return t;
}

static unsigned input(struct lull_jit_window *q, const struct lull_jit_vector *v, unsigned kind,
                      unsigned *from)
{
    unsigned p = 0;
    if (kind == LULL_JIT_IN_VCC || (kind == LULL_JIT_IN_C && v->type[2] == LULL_T_MASK)) {
        const uint32_t uniform = v->mask_uniform ? LULL_JIT_UNIFORM : 0;
        p = lull_jit_named(q, LULL_JIT_MASK,
                           lull_jit_sgpr_key(v->mask_in, v->mask_saved) | uniform);
    } else if (kind <= LULL_JIT_IN_C) {
        return source(q, v, kind, 0, from);
    } else if (kind >= LULL_JIT_IN_AH) {
        return source(q, v, kind - LULL_JIT_IN_AH, 1, from);
    } else if (kind == LULL_JIT_IN_D) {
        return old_value(q, v, from);
    } else {
        const uint32_t c = kind == LULL_JIT_IN_NEG ? v->signs : v->literal;
        p = lull_jit_named(q, LULL_JIT_CONST, lull_jit_const32(q, c));
    }
    *from = p;
    return p;
}

/** Register @p p is not wanted any more for what came in: it may make room. That of the old
 * destination stays, since it may be overwritten; and one with a NaN to be looked for, since
 * looking destroys it before the operation that wants it last. */
static void unlock(const struct values *x, unsigned p)
{
    bool wanted = (int)p == x->old || x->q->slot[p].pend;
    for (unsigned i = 0; i < x->t->nvalues && !wanted; i++) {
        wanted = x->reg[i] == p && x->plan.v[i].uses != 0;
    }
    x->q->slot[p].lock = wanted;
}

static void use(struct values *x, int value)
{
    if (value < 0 || --x->plan.v[value].uses != 0) {
        return;
    }
    if (x->reg[value] == NO_REG) {
        return;
    }
    if (x->own[value]) {
        lull_jit_drop(x->q, x->reg[value]);
    } else if (value < x->t->ninputs || x->plan.v[value].known) {
        unlock(x, x->reg[value]);
    }
}

/** Whether the register of value @p n of @p o is not wanted after @p o, by any value in it. */
static bool dies(const struct values *x, const struct lull_jit_op *o, int n)
{
    const unsigned p = x->reg[n];
    if (!x->own[n] && (int)p != x->old) {
        return false;
    }
    unsigned left = 0;
    for (unsigned i = 0; i < x->t->nvalues; i++) {
        left += x->reg[i] == p ? x->plan.v[i].uses : 0;
    }
    const int here[] = {o->s1, o->s2, o->s3};
    for (unsigned i = 0; i < 3; i++) {
        left -= here[i] >= 0 && x->reg[here[i]] == p;
    }
    return left == 0;
}

/** x * y + z by the form in which the operand that dies is overwritten: 132, 213 or 231 in the
 * upper half of the opcode, 9, 10 and 11. */
static struct lull_jit_op choose_fma(const struct values *x, struct lull_jit_op o)
{
    enum { FORM_132 = 9, FORM_213, FORM_231 };
    const unsigned form = o.opcode >> 4, kind = o.opcode & 15;
    if (o.s2 < 0 || o.map != 2 || o.k >= 0 || form < FORM_132 || form > FORM_231) {
        return o;
    }
    const int a = form == FORM_231 ? o.s1 : o.s3;
    const int b = form == FORM_213 ? o.s1 : o.s2;
    const int c = form == FORM_132 ? o.s1 : form == FORM_213 ? o.s2 : o.s3;
    const int tied = dies(x, &o, c) ? c : dies(x, &o, a) ? a : b;
    if (!dies(x, &o, tied)) {
        return o;
    }
    o.s3 = (int8_t)tied;
    o.s1 = (int8_t)(tied == a ? b : a);
    o.s2 = (int8_t)(tied == c ? b : c);
    o.opcode = (uint8_t)((tied == c ? FORM_231 : FORM_213) << 4 | kind);
    return o;
}

/** The register that a fused multiply-add overwrites. */
static unsigned tied_register(struct values *x, const struct lull_jit_op *o)
{
    struct lull_jit_window *q = x->q;
    const unsigned from = x->reg[o->s3];
    if ((int)from == x->home && !x->own[o->s3] && !q->slot[from].pend) {
        q->slot[from] = (struct lull_jit_slot){.kind = LULL_JIT_TEMP};
        q->temp |= UINT64_C(1) << from;
        return from;
    }
    if (!dies(x, o, o->s3)) {
        const unsigned d = lull_jit_grab(q);
        q->target->machine->copy(q, d, from);
        return d;
    }
    if ((int)from == x->old && !x->own[o->s3]) {
        if (q->slot[from].pend) {
            lull_jit_check(q, from);
        }
        q->slot[from].kind = LULL_JIT_TEMP; // What it was is dead.
        q->temp |= UINT64_C(1) << from;
        q->slot[from].dirty = false;
        x->old = -1;
    }
    x->own[o->s3] = false;
    return from;
}

static unsigned reg_of(const struct values *x, int value)
{
    return value >= 0 ? x->reg[value] : 0;
}

/** An operation with registers alone. */
static void with_registers(struct lull_jit_window *q, const struct lull_jit_op *o, unsigned k,
                           unsigned reg, unsigned v, unsigned rm)
{
    const struct lull_vex op = {o->map, o->pp, o->w, o->l, o->opcode};
    if (o->evex != 0) {
        lull_evex_reg(q->x, (struct lull_evex){op, (uint8_t)k, o->z, 0}, reg, v, rm);
    } else {
        lull_vex_reg(q->x, op, reg, v, rm);
    }
}

/** An operation with what is in memory at @p m. */
static void with_memory(struct lull_jit_window *q, const struct lull_jit_op *o, unsigned k,
                        unsigned reg, unsigned v, struct lull_x86_mem m)
{
    const struct lull_vex op = {o->map, o->pp, o->w, o->l, o->opcode};
    if (o->evex != 0) {
        lull_evex_mem(q->x, (struct lull_evex){op, (uint8_t)k, o->z, 0}, reg, v, m);
    } else {
        lull_vex_mem(q->x, op, reg, v, m);
    }
}

/** @p r and @p d are numbers of registers, @p k that of the mask of lanes, or 0. */
static void encode(const struct values *x, const struct lull_jit_op *o, unsigned d,
                   const unsigned r[3], unsigned k)
{
    struct lull_jit_window *q = x->q;
    const unsigned v = o->form == LULL_JIT_RM ? 0 : r[0];
    switch ((enum lull_jit_form)o->form) {
    case LULL_JIT_MR:
        with_registers(q, o, k, r[0], 0, d);
        break;
    case LULL_JIT_VM:
        with_registers(q, o, k, o->ext, d, r[1]);
        break;
    case LULL_JIT_ZERO:
        with_registers(q, o, k, d, d, d);
        break;
    case LULL_JIT_RVM:
    case LULL_JIT_RM:
    case LULL_JIT_RVMR:
        if (o->konst >= 0) {
            const uint32_t c = lull_jit_const(q, lull_jit_const_of(q->target, o->konst));
            with_memory(q, o, k, d, v, lull_jit_at_const(q, c));
        } else if (o->s2 >= 0 && o->s2 == x->far) {
            with_memory(q, o, k, d, v, x->at);
        } else {
            with_registers(q, o, k, d, v, r[1]);
        }
        break;
    case LULL_JIT_A64:
        q->target->machine->operation(q, o, d, r);
        break;
    }
    if (o->has_imm != 0) {
        lull_x86_byte(q->x, o->form == LULL_JIT_RVMR ? r[2] << 4 : o->imm);
    }
}

/** A known value gets a register. */
static void materialize(struct values *x, int value)
{
    struct lull_jit_window *q = x->q;
    if (value >= 0 && x->plan.v[value].known && x->reg[value] == NO_REG) {
        const unsigned p =
            lull_jit_named(q, LULL_JIT_CONST, lull_jit_const32(q, x->plan.v[value].constant));
        x->reg[value] = (uint8_t)p;
        q->slot[p].lock = true;
    }
}

/** A register for the result of @p o. */
static unsigned target(struct values *x, const struct lull_jit_op *o)
{
    if (o->kd != 0) {
        return lull_jit_grab_mask(x->q);
    }
    if (x->home < 0 || x->q->slot[x->home].pend) {
        return lull_jit_grab(x->q);
    }
    x->q->slot[x->home] = (struct lull_jit_slot){.kind = LULL_JIT_TEMP};
    x->q->temp |= UINT64_C(1) << x->home;
    return (unsigned)x->home;
}

/** Whether @p o has a simpler form for its known operand: a shift by a constant, or an operand in
 * memory. */
static bool simpler(struct values *x, struct lull_jit_op o)
{
    enum { SHIFT_MOST = 255 };
    struct lull_jit_window *q = x->q;
    unsigned ext = 0;
    if (o.form != LULL_JIT_RVM || o.tied != 0 || o.konst >= 0 || o.s1 < 0 || o.s2 < 0 || o.k >= 0 ||
        x->plan.v[o.s1].known == x->plan.v[o.s2].known) {
        return false;
    }
    if (x->plan.v[o.s1].known && lull_jit_fold_commutes(&o)) {
        const int8_t s = o.s1;
        o.s1 = o.s2;
        o.s2 = s;
    }
    const bool shift = lull_jit_fold_shift(&o, &ext), rotation = ext < 2;
    if (!x->plan.v[o.s2].known || x->plan.v[o.s1].known ||
        (!shift && !lull_jit_fold_commutes(&o))) {
        return false;
    }
    const uint32_t c = x->plan.v[o.s2].constant;
    const unsigned a = x->reg[o.s1];
    use(x, o.s1);
    use(x, o.s2);
    const unsigned d = target(x, &o);
    if (shift) {
        lull_jit_reg(q, (struct lull_vex){1, 1, 0, 1, 0x72}, ext, d, a);
        lull_x86_byte(q->x, rotation ? c & 31 : c < SHIFT_MOST ? c : SHIFT_MOST);
    } else {
        const struct lull_vex op = {o.map, o.pp, o.w, o.l, o.opcode};
        lull_jit_mem(q, op, d % LULL_JIT_K, a, lull_jit_at_const(q, lull_jit_const32(q, c)));
    }
    x->reg[o.d] = (uint8_t)d;
    x->own[o.d] = true;
    return true;
}

/** What value @p n of the template is; -1 for none. */
static int8_t same(const struct values *x, int n)
{
    return n >= 0 ? (int8_t)x->plan.v[n].same : -1;
}

static void operation(struct values *x, struct lull_jit_op o)
{
    struct lull_jit_window *q = x->q;
    unsigned d = 0;
    o.s1 = same(x, o.s1);
    o.s2 = same(x, o.s2);
    o.s3 = same(x, o.s3);
    o.k = same(x, o.k);
    if (o.s1 >= 0 && o.s1 == x->far) { // It commutes.
        o.s1 = o.s2;
        o.s2 = x->far;
    }
    o.imm ^= q->pair.nans && lull_jit_is_compare(&o) ? LULL_JIT_OR_NAN : 0;
    if (simpler(x, o)) {
        return;
    }
    materialize(x, o.s1);
    materialize(x, o.s2);
    materialize(x, o.s3);
    if (o.tied != 0) {
        o = choose_fma(x, o);
        d = tied_register(x, &o);
        q->slot[d].lock = true;
    }
    const unsigned r[] = {reg_of(x, o.s1) % LULL_JIT_K, reg_of(x, o.s2) % LULL_JIT_K,
                          reg_of(x, o.s3) % LULL_JIT_K};
    const unsigned k = reg_of(x, o.k) % LULL_JIT_K;
    use(x, o.s1);
    use(x, o.s2);
    use(x, o.k);
    if (o.tied != 0) {
        x->plan.v[o.s3].uses--;
        q->slot[d].lock = false;
    } else {
        use(x, o.s3);
        d = target(x, &o);
    }
    encode(x, &o, d % LULL_JIT_K, r, k);
    x->reg[o.d] = (uint8_t)d;
    x->own[o.d] = true;
}

/** Whether a parameter is a constant as it stands: then @p ret is that. */
static bool is_known(const struct lull_jit_target *t, const struct lull_jit_vector *v,
                     unsigned kind, uint32_t *ret)
{
    if (kind == LULL_JIT_IN_LITERAL) {
        *ret = v->literal;
        return true;
    }
    if (kind == LULL_JIT_IN_NEG) {
        *ret = v->signs;
        return true;
    }
    const unsigned part = kind >= LULL_JIT_IN_AH ? 1 : 0;
    kind -= part != 0 ? LULL_JIT_IN_AH : 0;
    if (kind > LULL_JIT_IN_C || v->type[kind] == LULL_T_MASK ||
        v->view[kind] >= LULL_JIT_WIDE_LOW || is_signed(v, kind)) {
        return false;
    }
    const struct lull_jit_operand o = t->vendor->operand(v, kind, part);
    if (o.kind != LULL_JIT_CONST) {
        return false;
    }
    uint32_t c = o.key;
    if (part + 1 != lull_jit_source_dwords(v, kind)) {
        *ret = c;
        return true;
    }
    if (v->view[kind] != LULL_JIT_WHOLE) {
        const unsigned view = v->view[kind] - LULL_JIT_HALVES;
        c = (c >> 16 * (view & 1) & 0xffff) | c >> 16 * (view >> 1) << 16;
    }
    *ret = (c & keeps(v, kind)) ^ flips(v, kind);
    return true;
}

/** What is known before there are registers. */
static void plan(struct values *x, const struct lull_jit_vector *v)
{
    for (unsigned i = 0; i < x->t->nvalues; i++) {
        x->reg[i] = NO_REG;
        x->own[i] = false;
    }
    for (unsigned i = 0; i < x->t->ninputs; i++) {
        struct lull_jit_value *value = &x->plan.v[i];
        *value = (struct lull_jit_value){.same = (uint8_t)i};
        value->known = x->t->check != LULL_JIT_CHECK_IN &&
                       is_known(x->q->target, v, x->t->inputs[i], &value->constant);
    }
    lull_jit_plan(&x->plan, x->q->target, x->t);
}

/** Whether @p o reads value @p n, and where an operand in memory may be. */
static bool may_be_memory(const struct values *x, const struct lull_jit_op *o, int n)
{
    const int s1 = same(x, o->s1), s2 = same(x, o->s2);
    if (!lull_jit_is_left(&x->plan, o) || (s1 != n && s2 != n)) {
        return false;
    }
    const int other = s1 == n ? s2 : s1;
    const bool binary = o->form == LULL_JIT_RVM && other >= 0 && !x->plan.v[other].known;
    return (binary || (o->form == LULL_JIT_RM && s2 == n)) && o->tied == 0 && o->konst < 0 &&
           o->z != 2 && (s2 == n || lull_jit_fold_commutes(o));
}

/** Whether parameter @p n is a VGPR that is in no register, and is wanted once. */
static bool stays(struct values *x, const struct lull_jit_vector *v, unsigned n)
{
    enum { FEW = 8 }; // Operations.
    struct lull_jit_window *q = x->q;
    const unsigned kind = x->t->inputs[n];
    if (kind > LULL_JIT_IN_C || x->t->n > FEW || x->t->check == LULL_JIT_CHECK_IN ||
        x->plan.v[n].uses != 1 || v->shuffled || v->wide || v->merges ||
        v->view[kind] != LULL_JIT_WHOLE || v->type[kind] == LULL_T_MASK ||
        lull_jit_source_dwords(v, kind) != 1 || keeps(v, kind) != UINT32_MAX ||
        flips(v, kind) != 0 || is_signed(v, kind)) {
        return false;
    }
    const struct lull_jit_operand o = q->target->vendor->operand(v, kind, 0);
    if (o.kind != LULL_JIT_VGPR || !lull_jit_is_far(q, o.key, &x->at)) {
        return false;
    }
    for (unsigned i = 0; i < x->t->ninputs; i++) {
        const unsigned other = x->t->inputs[i];
        if (i != n && (other == LULL_JIT_IN_D || other >= LULL_JIT_IN_AH ||
                       (other <= LULL_JIT_IN_C && v->src[other] == v->src[kind]))) {
            return false;
        }
    }
    bool found = false; // It may be a result, too.
    for (unsigned i = 0; i < x->t->n && !found; i++) {
        found = may_be_memory(x, &q->target->ops[x->t->first + i], (int)n);
    }
    return found;
}

/** Registers of the parameters, which stay until the results are there. */
static void inputs(struct values *x, const struct lull_jit_vector *v)
{
    struct lull_jit_window *q = x->q;
    x->far = -1;
    for (unsigned i = 0; i < x->t->ninputs; i++) {
        unsigned from = 0;
        const unsigned kind = x->t->inputs[i];
        const bool unused = x->plan.v[i].uses == 0 && x->t->check != LULL_JIT_CHECK_IN;
        if (x->plan.v[i].known || unused) {
            continue;
        }
        if (x->far < 0 && stays(x, v, i)) {
            x->far = (int8_t)i;
            continue;
        }
        const unsigned p = input(q, v, kind, &from);
        if (x->t->check == LULL_JIT_CHECK_OUT && !v->merges &&
            (kind > LULL_JIT_IN_C || v->view[kind] == 0 || q->slot[from].kind == LULL_JIT_WIDE)) {
            q->slot[from].pend = false; // A NaN here is one in the result.
        }
        x->reg[i] = (uint8_t)p;
        x->own[i] = q->slot[p].kind == LULL_JIT_TEMP;
        q->slot[p].lock = true;
    }
}

static void check_inputs(struct values *x)
{
    for (unsigned i = 0; i < x->t->ninputs && x->t->check == LULL_JIT_CHECK_IN; i++) {
        if (x->t->inputs[i] <= LULL_JIT_IN_B) {
            lull_jit_check(x->q, x->reg[i]);
        }
    }
}

static void set_mask(struct lull_jit_window *q, unsigned p, uint16_t sgpr)
{
    if (q->full && q->nmarks < LULL_JIT_MARKS) {
        q->mark[q->nmarks].at = (uint32_t)q->x->len;
        q->mark[q->nmarks].reg = (uint8_t)p;
    }
    if (q->full) {
        q->nmarks++;
    } else {
        q->target->machine->mask_on(q, p);
    }
    lull_jit_set(q, p, LULL_JIT_MASK, sgpr);
}

/** A register of its own for result @p value. */
static unsigned result(struct values *x, int value)
{
    struct lull_jit_window *q = x->q;
    const int n = same(x, value);
    materialize(x, n);
    const unsigned p = x->reg[n];
    if (x->own[n] && x->plan.v[n].uses == 1) {
        return p;
    }
    const bool was = q->slot[p].lock;
    q->slot[p].lock = true;
    const unsigned t = p >= LULL_JIT_K ? lull_jit_grab_mask(q) : lull_jit_grab(q);
    q->slot[p].lock = was;
    q->target->machine->copy(q, t, p);
    x->plan.v[n].uses--;
    return t;
}

static void results(struct values *x, const struct lull_jit_vector *v)
{
    struct lull_jit_window *q = x->q;
    const struct lull_jit_template *t = x->t;
    const int doubt = same(x, t->doubt);
    if (doubt >= 0 && (!x->plan.v[doubt].known || x->plan.v[doubt].constant != 0)) {
        materialize(x, doubt);
        q->target->machine->in_doubt(q, x->reg[doubt]);
        use(x, doubt);
    }
    unsigned d = result(x, t->d);
    if (v->merges) {
        d = lull_jit_merge_shuffled(q, v->shuffle, d, v->dst);
    }
    if (t->dh >= 0) {
        q->slot[d].lock = true;
        lull_jit_set(q, result(x, t->dh), LULL_JIT_VGPR, v->dst + 1u);
        q->slot[d].lock = false;
    }
    if (v->high) {
        q->target->machine->halves(q, d, d, 1);
    }
    q->slot[d].lock = true;
    if (t->e >= 0 && v->mask_out != LULL_RDNA_NONE) {
        set_mask(q, result(x, t->e), v->mask_out);
    }
    q->slot[d].lock = false;
    if (t->mask != 0) {
        set_mask(q, d, v->mask_out);
    } else {
        lull_jit_set(q, d, v->wide ? LULL_JIT_WIDE : LULL_JIT_VGPR, v->dst);
        q->slot[d].pend = t->check == LULL_JIT_CHECK_OUT;
    }
}

static void emit_swap(struct lull_jit_window *q, uint32_t a, uint32_t b)
{
    const unsigned first = lull_jit_named(q, LULL_JIT_VGPR, a);
    q->slot[first].lock = true;
    const unsigned second = lull_jit_named(q, LULL_JIT_VGPR, b);
    q->slot[first].lock = false;
    lull_jit_forget_wide(q, a);
    lull_jit_forget_wide(q, b);
    q->slot[first].key = b;
    q->slot[second].key = a;
    q->slot[first].dirty = q->slot[second].dirty = true;
}

/** Put template @p t into registers: parameters and operations. @p over: the old value of the
 * destination may be overwritten. */
static void apply(struct values *x, struct lull_jit_window *q, const struct lull_jit_vector *v,
                  const struct lull_jit_template *t, bool over)
{
    x->q = q;
    x->t = t;
    x->old = -1;
    plan(x, v);
    inputs(x, v);
    check_inputs(x);
    if (over) {
        x->old = lull_jit_find(q, v->wide ? LULL_JIT_WIDE : LULL_JIT_VGPR, v->dst);
        x->old = x->old >= 0 && q->slot[x->old].home ? -1 : x->old;
    }
    const bool alone = over && t->dh < 0 && t->e < 0 && t->doubt < 0;
    const int home = alone && q->pair.there ? lull_jit_home(q, v->dst) : -1;
    for (unsigned i = 0; i < t->n && !q->failed; i++) {
        const struct lull_jit_op *o = &q->target->ops[t->first + i];
        x->home = i + 1u == t->n ? home : -1;
        if (lull_jit_is_left(&x->plan, o)) {
            operation(x, *o);
        }
    }
}

static void emit_plain(struct lull_jit_window *q, const struct lull_jit_vector *v)
{
    struct values x;
    apply(&x, q, v, v->t, v->t->mask == 0 && !v->high && !v->merges);
    if (!q->failed) {
        results(&x, v);
    }
}

/** Registers that are free, by use of which nothing has to leave its own: as many as it takes for
 * most templates. */
static void make_room(struct lull_jit_window *q)
{
    enum { ROOM = 6 };
    unsigned p[ROOM];
    for (unsigned i = 0; i < ROOM; i++) {
        p[i] = lull_jit_grab(q);
    }
    for (unsigned i = 0; i < ROOM; i++) {
        lull_jit_drop(q, p[i]);
    }
}

/** Whether what stood in registers at @p was still does, or can be loaded again; but for the old
 * destination of @p v. What stands there now and did not is dropped. */
static bool as_before(struct lull_jit_window *q, const struct lull_jit_window *was,
                      const struct lull_jit_vector *v)
{
    bool good = q->nspills == was->nspills && q->checked == was->checked;
    for (unsigned p = 0; p < lull_jit_end(q); p++) {
        const struct lull_jit_slot *old = &was->slot[p], *now = &q->slot[p];
        const bool named = old->kind != LULL_JIT_FREE && old->kind != LULL_JIT_TEMP;
        const bool same = now->kind == old->kind && now->key == old->key;
        const bool dst = old->kind == LULL_JIT_WIDE && old->key == v->dst;
        good = good && (!named || same || dst || (!old->dirty && !old->pend));
        if (!same && now->kind != LULL_JIT_FREE && now->kind != LULL_JIT_TEMP) {
            lull_jit_drop(q, p);
        }
    }
    return good;
}

/** By the quick template of @p v, and by the other one where a lane needs that, to the same
 * register. False: what stands where would depend on which it was. */
static bool emit_quick(struct lull_jit_window *q, const struct lull_jit_vector *v)
{
    struct values x;
    make_room(q);
    apply(&x, q, v, v->quick, false);
    const int doubt = same(&x, v->quick->doubt);
    if (q->failed || x.plan.v[doubt].known) {
        return false;
    }
    const unsigned d = result(&x, v->quick->d);
    q->slot[d].lock = true;
    const size_t jump = q->target->machine->if_none(q, x.reg[doubt]);
    use(&x, doubt);
    const struct lull_jit_window was = *q;
    apply(&x, q, v, v->t, true);
    if (q->failed) {
        return false;
    }
    q->target->machine->copy(q, d, result(&x, v->t->d));
    lull_x86_land(q->x, jump, q->x->len);
    const bool good = as_before(q, &was, v);
    lull_jit_set(q, d, LULL_JIT_WIDE, v->dst);
    q->slot[d].pend = v->t->check == LULL_JIT_CHECK_OUT;
    return good;
}

void lull_jit_emit_vector(struct lull_jit_window *q, const struct lull_jit_vector *v)
{
    if (v->t == NULL) {
        if (v->dst != v->src[0] - LULL_RDNA_VGPR0) {
            emit_swap(q, v->dst, v->src[0] - LULL_RDNA_VGPR0);
        }
        return;
    }
    if (v->choice != 0) {
        lull_jit_choose(q, v->dst, v->choice - 1u);
        return;
    }
    if (v->quick != NULL) {
        const struct lull_jit_window was = *q;
        const size_t len = q->x->len;
        if (!emit_quick(q, v)) {
            *q = was;
            q->x->len = len;
            emit_plain(q, v);
        }
    } else {
        emit_plain(q, v);
    }
    const unsigned end = lull_jit_end(q);
    for (unsigned p = 0; p < end; p++) {
        q->slot[p].lock = false;
    }
    for (; q->temp != 0; q->temp &= q->temp - 1) {
        const unsigned p = (unsigned)__builtin_ctzll(q->temp);
        if (q->slot[p].kind == LULL_JIT_TEMP) {
            lull_jit_drop(q, p);
        }
    }
}
