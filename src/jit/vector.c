// SPDX-License-Identifier: MIT
#include "jit/vector.h"

#include "jit/fold.h"
#include "jit/masks.h"

enum { NO_REG = 255 }; // A value that is known and in no register.

/** A template while it is put into registers. */
struct values {
    struct lull_jit_window *q;
    const struct lull_jit_template *t;
    uint8_t reg[LULL_JIT_MAX_VALUES];  ///< Of each value.
    uint8_t uses[LULL_JIT_MAX_VALUES]; ///< That are left.
    bool own[LULL_JIT_MAX_VALUES];     ///< Nobody else uses its register.
    bool known[LULL_JIT_MAX_VALUES];   ///< It is the same in all lanes:
    uint32_t constant[LULL_JIT_MAX_VALUES];
    int old; ///< Register of the destination's old value, which ends here; or -1.
};

static uint16_t index_of(const struct lull_jit_row *row, const struct lull_rdna_insn *in, int mode)
{
    if (mode < 0 && row->any == 0) {
        return 0;
    }
    return (in->clamp ? row->clamp : row->plain)[mode < 0 ? 0 : mode];
}

static bool is_16(uint8_t type)
{
    return type == LULL_T_B16 || type == LULL_T_F16 || type == LULL_T_BF16;
}

/** A result in the lower half of a register, and all sources in lower halves. */
static bool low_halves(const struct lull_uop *u)
{
    const struct lull_rdna_insn *in = u->in;
    const struct lull_sem *sem = &lull_sem[in->op];
    return u->fn == lull_valu_general && is_16(sem->d) && (sem->flags & LULL_SEM_DHI) == 0 &&
           in->enc != LULL_RDNA_VOP3P && in->op_sel == 0 && in->neg_hi == 0 &&
           in->dpp == LULL_RDNA_NO_DPP;
}

/** Operands of 32 or 16 bits without DPP, omod and the like. */
static bool known_form(const struct lull_uop *u)
{
    const struct lull_rdna_insn *in = u->in;
    const struct lull_sem *sem = &lull_sem[in->op];
    return sem->kind == LULL_SEM_LANES && !u->ttmp && u->pairs == 0 && in->omod == 0 &&
           (u->fn == lull_valu_plain || u->fn == lull_valu_masks || u->fn == lull_valu_modified ||
            low_halves(u)) &&
           (!in->clamp || (sem->flags & LULL_SEM_CLAMP) != 0);
}

/** Operands that are the same in a strip that is done again (EXEC is not), and have a value at all.
 */
static bool known_number(unsigned op)
{
    return op >= LULL_RDNA_VGPR0 || op < LULL_RDNA_EXEC ||
           (op >= LULL_RDNA_INT0 && op <= LULL_RDNA_INT_LAST) ||
           (op >= LULL_RDNA_FLOAT0 && op <= LULL_RDNA_INV_2PI) || op == LULL_RDNA_LITERAL;
}

static bool known_source(const struct lull_uop *u, unsigned n)
{
    const struct lull_rdna_insn *in = u->in;
    const unsigned op = in->src[n];
    const uint8_t type = lull_sem[in->op].src[n];
    if (type == LULL_T_NONE || type == LULL_T_MASK) {
        return true;
    }
    return known_number(op) && (type != LULL_T_BF16 || ((in->neg | in->abs) >> n & 1) == 0);
}

static bool single(const struct lull_jit_target *t, const struct lull_uop *u, int mode,
                   struct lull_jit_vector *ret)
{
    const struct lull_rdna_insn *in = u->in;
    const struct lull_sem *sem = &lull_sem[in->op];
    const uint16_t index = index_of(&t->rows[in->op], in, mode);
    if (index == 0 || !known_form(u)) {
        return false;
    }
    struct lull_jit_vector v = {.t = &t->templates[index - 1],
                                .neg = in->neg,
                                .abs = in->abs,
                                .literal = in->literal,
                                .mask_in = LULL_RDNA_NONE,
                                .mask_out = LULL_RDNA_NONE};
    bool ok = true;
    for (unsigned n = 0; n < 3; n++) {
        v.src[n] = in->src[n];
        v.type[n] = sem->src[n];
        ok = ok && known_source(u, n);
    }
    if (sem->src[2] == LULL_T_MASK || (sem->flags & LULL_SEM_VCC) != 0) {
        const bool named = sem->src[2] == LULL_T_MASK && in->src[2] != LULL_RDNA_NONE;
        v.mask_in = named ? in->src[2] : LULL_RDNA_VCC;
        ok = ok && v.mask_in < LULL_RDNA_TTMP0 && (v.mask_in & 1) <= (u->nlanes == 32 ? 1 : 0);
    }
    if (v.t->mask != 0 || v.t->e >= 0) {
        v.mask_out = (uint16_t)lull_valu_mask_dst(in);
        ok = ok && v.mask_out != LULL_RDNA_NONE &&
             (v.mask_out < LULL_RDNA_TTMP0 || v.mask_out == LULL_RDNA_EXEC) &&
             (v.mask_out & 1) <= (u->nlanes == 32 ? 1 : 0);
    }
    if (v.t->mask == 0) {
        ok = ok && in->dst >= LULL_RDNA_VGPR0 && in->dst != LULL_RDNA_NONE;
        v.dst = (uint16_t)(in->dst - LULL_RDNA_VGPR0);
    }
    if (ok) {
        *ret = v;
    }
    return ok;
}

/** One of the operations of VOPD. */
static bool half(const struct lull_jit_target *t, const struct lull_uop *u, int mode, unsigned op,
                 const uint16_t src[2], struct lull_jit_vector *ret)
{
    const struct lull_sem *sem = &lull_sem[op];
    const uint16_t index = index_of(&t->rows[op], u->in, mode);
    if (index == 0 || sem->kind != LULL_SEM_LANES) {
        return false;
    }
    *ret = (struct lull_jit_vector){.t = &t->templates[index - 1],
                                    .src = {src[0], src[1], LULL_RDNA_NONE},
                                    .literal = u->literal,
                                    .mask_in = LULL_RDNA_NONE,
                                    .mask_out = LULL_RDNA_NONE};
    bool ok = ret->t->mask == 0 && ret->t->e < 0;
    for (unsigned n = 0; n < 3; n++) {
        ret->type[n] = sem->src[n];
        ok = ok && (n == 2 || sem->src[n] == LULL_T_NONE || known_number(src[n]));
    }
    if (sem->src[2] == LULL_T_MASK || (sem->flags & LULL_SEM_VCC) != 0) {
        ret->mask_in = LULL_RDNA_VCC;
    }
    return ok;
}

static bool reads(const struct lull_jit_vector *v, unsigned vgpr)
{
    bool found = false;
    for (unsigned n = 0; n < 2; n++) {
        found = found || (v->type[n] != LULL_T_NONE && v->src[n] == LULL_RDNA_VGPR0 + vgpr);
    }
    return found;
}

static unsigned dual(const struct lull_jit_target *t, const struct lull_uop *u, int mode,
                     struct lull_jit_vector ret[2])
{
    const struct lull_rdna_insn *in = u->in;
    struct lull_jit_vector x, y;
    if (u->ttmp || u->nlanes != 32 || in->dst < LULL_RDNA_VGPR0 || in->y.dst < LULL_RDNA_VGPR0 ||
        in->dst == in->y.dst || !half(t, u, mode, in->op, in->src, &x) ||
        !half(t, u, mode, in->y.op, in->y.src, &y)) {
        return 0;
    }
    x.dst = (uint16_t)(in->dst - LULL_RDNA_VGPR0);
    y.dst = (uint16_t)(in->y.dst - LULL_RDNA_VGPR0);
    const bool y_first = reads(&y, x.dst);
    ret[0] = y_first ? y : x;
    ret[1] = y_first ? x : y;
    return y_first && reads(&x, y.dst) ? 0 : 2;
}

/** v_swap_b32, whose registers change their names. */
static bool swap(const struct lull_uop *u, struct lull_jit_vector *ret)
{
    const struct lull_rdna_insn *in = u->in;
    *ret = (struct lull_jit_vector){.src = {in->src[0], LULL_RDNA_NONE, LULL_RDNA_NONE},
                                    .dst = (uint16_t)(in->dst - LULL_RDNA_VGPR0),
                                    .mask_in = LULL_RDNA_NONE,
                                    .mask_out = LULL_RDNA_NONE};
    return u->cls == LULL_UOP_QUICK && !u->ttmp && in->dpp == LULL_RDNA_NO_DPP &&
           in->dst >= LULL_RDNA_VGPR0 && in->src[0] >= LULL_RDNA_VGPR0;
}

unsigned lull_jit_vectors(const struct lull_jit_target *t, const struct lull_uop *u, int mode,
                          struct lull_jit_vector ret[LULL_JIT_MAX_VECTORS])
{
    if (u->in->op == LULL_RDNA_OP_V_SWAP_B32) {
        return swap(u, ret);
    }
    return u->in->enc == LULL_RDNA_VOPD && u->fn == lull_valu_dual ? dual(t, u, mode, ret)
           : single(t, u, mode, ret)                               ? 1
                                                                   : 0;
}

/** Source @p n with its sign. @param[out] from Register that a NaN in it is waited for. */
static unsigned source(struct lull_jit_window *q, const struct lull_jit_vector *v, unsigned n,
                       unsigned *from)
{
    const unsigned op = v->src[n];
    unsigned p = 0;
    if (op >= LULL_RDNA_VGPR0) {
        p = lull_jit_named(q, LULL_JIT_VGPR, op - LULL_RDNA_VGPR0);
    } else if (lull_is_sgpr(op)) {
        p = lull_jit_named(q, LULL_JIT_SGPR, lull_jit_sgpr_key(op, v->saved[n]));
    } else {
        const uint64_t c = lull_scalar_const(op, (enum lull_sem_type)v->type[n], v->literal);
        p = lull_jit_named(q, LULL_JIT_CONST, lull_jit_const32(q, (uint32_t)c));
    }
    *from = p;
    const bool neg = (v->neg >> n & 1) != 0, abs = (v->abs >> n & 1) != 0;
    if (!neg && !abs) {
        return p;
    }
    const bool was = q->slot[p].lock;
    q->slot[p].lock = true;
    const unsigned t = lull_jit_grab(q);
    q->slot[p].lock = was;
    const bool half = is_16(v->type[n]);
    if (abs) {
        lull_jit_mem(q, lull_vex_and, t, p,
                     lull_jit_at_const(q, half ? LULL_JIT_ABS16 : LULL_JIT_ABS));
    }
    if (neg) {
        lull_jit_mem(q, lull_vex_xor, t, abs ? t : p,
                     lull_jit_at_const(q, half ? LULL_JIT_SIGN16 : LULL_JIT_SIGN));
    }
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
        return source(q, v, kind, from);
    } else if (kind == LULL_JIT_IN_D) {
        p = lull_jit_named(q, LULL_JIT_VGPR, v->dst);
    } else {
        p = lull_jit_named(q, LULL_JIT_CONST, lull_jit_const32(q, v->literal));
    }
    *from = p;
    return p;
}

static void count(struct values *x, int value)
{
    if (value >= 0) {
        x->uses[value]++;
    }
}

static void count_uses(struct values *x)
{
    const struct lull_jit_op *ops = &x->q->target->ops[x->t->first];
    for (unsigned i = 0; i < x->t->n; i++) {
        count(x, ops[i].s1);
        count(x, ops[i].s2);
        count(x, ops[i].s3);
        count(x, ops[i].k);
    }
    count(x, x->t->d);
    count(x, x->t->e);
    count(x, x->t->doubt);
}

/** Register @p p is not wanted any more for what came in: it may make room. That of the old
 * destination stays, since it may be overwritten; and one with a NaN to be looked for, since
 * looking destroys it before the operation that wants it last. */
static void unlock(const struct values *x, unsigned p)
{
    bool wanted = (int)p == x->old || x->q->slot[p].pend;
    for (unsigned i = 0; i < x->t->nvalues && !wanted; i++) {
        wanted = x->reg[i] == p && x->uses[i] != 0;
    }
    x->q->slot[p].lock = wanted;
}

static void use(struct values *x, int value)
{
    if (value < 0 || --x->uses[value] != 0) {
        return;
    }
    if (x->reg[value] == NO_REG) {
        return;
    }
    if (x->own[value]) {
        lull_jit_drop(x->q, x->reg[value]);
    } else if (value < x->t->ninputs || x->known[value]) {
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
        left += x->reg[i] == p ? x->uses[i] : 0;
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
    if (!dies(x, o, o->s3)) {
        const unsigned d = lull_jit_grab(q);
        lull_jit_copy(q, d, from);
        return d;
    }
    if ((int)from == x->old && !x->own[o->s3]) {
        if (q->slot[from].pend) {
            lull_jit_check(q, from);
        }
        q->slot[from].kind = LULL_JIT_TEMP; // What it was is dead.
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

/** An operation with its constant. */
static void with_constant(struct lull_jit_window *q, const struct lull_jit_op *o, unsigned k,
                          unsigned reg, unsigned v)
{
    const struct lull_vex op = {o->map, o->pp, o->w, o->l, o->opcode};
    const uint32_t c = lull_jit_const(q, lull_jit_const_of(q->target, o->konst));
    const struct lull_x86_mem m = lull_jit_at_const(q, c);
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
            with_constant(q, o, k, d, v);
        } else {
            with_registers(q, o, k, d, v, r[1]);
        }
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
    if (value >= 0 && x->known[value] && x->reg[value] == NO_REG) {
        const unsigned p =
            lull_jit_named(q, LULL_JIT_CONST, lull_jit_const32(q, x->constant[value]));
        x->reg[value] = (uint8_t)p;
        q->slot[p].lock = true;
    }
}

/** Whether the result of @p o is known, too: then there is nothing to be done. */
static bool folds(struct values *x, const struct lull_jit_op *o)
{
    uint32_t b = 0, result = 0;
    const bool a_known = o->s1 < 0 || x->known[o->s1];
    const bool b_known = o->s2 < 0 ? o->konst < 0 || lull_jit_fold_const(x->q->target, o->konst, &b)
                                   : x->known[o->s2];
    if (o->kd != 0 || o->k >= 0) {
        return false;
    }
    bool known = lull_jit_fold_load(x->q->target, o, &result);
    if (!known && a_known && b_known && o->s3 < 0) {
        b = o->s2 >= 0 ? x->constant[o->s2] : b;
        known = lull_jit_fold(o, o->s1 >= 0 ? x->constant[o->s1] : 0, b, &result);
    }
    if (!known) {
        return false;
    }
    use(x, o->s1);
    use(x, o->s2);
    x->known[o->d] = true;
    x->constant[o->d] = result;
    x->reg[o->d] = NO_REG;
    return true;
}

/** Whether @p o has a simpler form for its known operand: a shift by a constant, or an operand in
 * memory. */
static bool simpler(struct values *x, struct lull_jit_op o)
{
    enum { SHIFT_MOST = 255 };
    struct lull_jit_window *q = x->q;
    unsigned ext = 0;
    if (o.form != LULL_JIT_RVM || o.tied != 0 || o.konst >= 0 || o.s1 < 0 || o.s2 < 0 || o.k >= 0) {
        return false;
    }
    if (x->known[o.s1] && lull_jit_fold_commutes(&o)) {
        const int8_t s = o.s1;
        o.s1 = o.s2;
        o.s2 = s;
    }
    const bool shift = lull_jit_fold_shift(&o, &ext);
    if (!x->known[o.s2] || x->known[o.s1] || (!shift && !lull_jit_fold_commutes(&o))) {
        return false;
    }
    const uint32_t c = x->constant[o.s2];
    const unsigned a = x->reg[o.s1];
    use(x, o.s1);
    use(x, o.s2);
    const unsigned d = o.kd != 0 ? lull_jit_grab_mask(q) : lull_jit_grab(q);
    if (shift) {
        lull_jit_reg(q, (struct lull_vex){1, 1, 0, 1, 0x72}, ext, d, a);
        lull_x86_byte(q->x, c < SHIFT_MOST ? c : SHIFT_MOST);
    } else {
        const struct lull_vex op = {o.map, o.pp, o.w, o.l, o.opcode};
        lull_jit_mem(q, op, d % LULL_JIT_K, a, lull_jit_at_const(q, lull_jit_const32(q, c)));
    }
    x->reg[o.d] = (uint8_t)d;
    x->own[o.d] = true;
    return true;
}

static void operation(struct values *x, struct lull_jit_op o)
{
    struct lull_jit_window *q = x->q;
    unsigned d = 0;
    if (folds(x, &o) || simpler(x, o)) {
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
        x->uses[o.s3]--;
        q->slot[d].lock = false;
    } else {
        use(x, o.s3);
        d = o.kd != 0 ? lull_jit_grab_mask(q) : lull_jit_grab(q);
    }
    encode(x, &o, d % LULL_JIT_K, r, k);
    x->reg[o.d] = (uint8_t)d;
    x->own[o.d] = true;
}

/** Whether a parameter is a constant as it stands: then @p ret is that. */
static bool is_known(const struct lull_jit_vector *v, unsigned kind, uint32_t *ret)
{
    if (kind == LULL_JIT_IN_LITERAL) {
        *ret = v->literal;
        return true;
    }
    if (kind > LULL_JIT_IN_C || v->type[kind] == LULL_T_MASK ||
        ((v->neg | v->abs) >> kind & 1) != 0 || v->src[kind] >= LULL_RDNA_VGPR0 ||
        lull_is_sgpr(v->src[kind])) {
        return false;
    }
    *ret = (uint32_t)lull_scalar_const(v->src[kind], (enum lull_sem_type)v->type[kind], v->literal);
    return true;
}

/** Registers of the parameters, which stay until the results are there. */
static void inputs(struct values *x, const struct lull_jit_vector *v)
{
    struct lull_jit_window *q = x->q;
    for (unsigned i = 0; i < x->t->ninputs; i++) {
        unsigned from = 0;
        x->known[i] =
            x->t->check != LULL_JIT_CHECK_IN && is_known(v, x->t->inputs[i], &x->constant[i]);
        if (x->known[i]) {
            x->reg[i] = NO_REG;
            continue;
        }
        const unsigned p = input(q, v, x->t->inputs[i], &from);
        if (x->t->check == LULL_JIT_CHECK_OUT) {
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
    if (!q->full) {
        lull_jit_mask_on(q, p);
    }
    lull_jit_set(q, p, LULL_JIT_MASK, sgpr);
}

/** A register of its own for result @p n. */
static unsigned result(struct values *x, int n)
{
    struct lull_jit_window *q = x->q;
    materialize(x, n);
    const unsigned p = x->reg[n];
    if (x->own[n] && x->uses[n] == 1) {
        return p;
    }
    const bool was = q->slot[p].lock;
    q->slot[p].lock = true;
    const unsigned t = p >= LULL_JIT_K ? lull_jit_grab_mask(q) : lull_jit_grab(q);
    q->slot[p].lock = was;
    lull_jit_copy(q, t, p);
    x->uses[n]--;
    return t;
}

static void results(struct values *x, const struct lull_jit_vector *v)
{
    struct lull_jit_window *q = x->q;
    const struct lull_jit_template *t = x->t;
    if (t->doubt >= 0) {
        materialize(x, t->doubt);
        lull_jit_in_doubt(q, x->reg[t->doubt]);
        use(x, t->doubt);
    }
    const unsigned d = result(x, t->d);
    q->slot[d].lock = true;
    if (t->e >= 0) {
        set_mask(q, result(x, t->e), v->mask_out);
    }
    q->slot[d].lock = false;
    if (t->mask != 0) {
        set_mask(q, d, v->mask_out);
    } else {
        lull_jit_set(q, d, LULL_JIT_VGPR, v->dst);
        q->slot[d].pend = t->check == LULL_JIT_CHECK_OUT;
    }
}

static void emit_swap(struct lull_jit_window *q, uint32_t a, uint32_t b)
{
    const unsigned first = lull_jit_named(q, LULL_JIT_VGPR, a);
    q->slot[first].lock = true;
    const unsigned second = lull_jit_named(q, LULL_JIT_VGPR, b);
    q->slot[first].lock = false;
    q->slot[first].key = b;
    q->slot[second].key = a;
    q->slot[first].dirty = q->slot[second].dirty = true;
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
    struct values x = {.q = q, .t = v->t, .old = -1};
    inputs(&x, v);
    count_uses(&x);
    check_inputs(&x);
    x.old = v->t->mask != 0 ? -1 : lull_jit_find(q, LULL_JIT_VGPR, v->dst);
    for (unsigned i = 0; i < v->t->n && !q->failed; i++) {
        operation(&x, q->target->ops[v->t->first + i]);
    }
    if (!q->failed) {
        results(&x, v);
    }
    for (unsigned p = 0; p < lull_jit_end(q); p++) {
        q->slot[p].lock = false;
        if (q->slot[p].kind == LULL_JIT_TEMP) {
            lull_jit_drop(q, p);
        }
    }
}
