// SPDX-License-Identifier: MIT
// Categories 1 to 4: sources, the function of the row, the result.
#include "model/adreno/exec/alu.h"

#include "model/adreno/exec/rows.h"
#include "model/adreno/exec/wave.h"
#include "model/fp/fp.h"

static bool is_float(unsigned type)
{
    return type == LULL_IR3_TYPE_F32 || type == LULL_IR3_TYPE_F16;
}

static bool moves(enum lull_ir3_op op)
{
    return op == LULL_IR3_OP_MOV || op == LULL_IR3_OP_SWZ || op == LULL_IR3_OP_GAT ||
           op == LULL_IR3_OP_SCT;
}

bool lull_ir3_alu_to_int(const struct lull_ir3_insn *in, const struct lull_ir3_alu_row *row)
{
    return moves(in->op) && is_float(row->source) && !is_float(row->result);
}

const struct lull_ir3_alu_row *lull_ir3_alu_find(const struct lull_ir3_insn *in)
{
    const bool move = moves(in->op);
    const unsigned op = move ? LULL_IR3_OP_MOV : in->op;
    // The second source of category 3 is always a register.
    const unsigned bits = in->src[in->category == 3 ? 1 : 0].half ? 16 : 32;
    for (unsigned i = 0; i < lull_ir3_nalu_rows; i++) {
        const struct lull_ir3_alu_row *r = &lull_ir3_alu_rows[i];
        if (r->op == op && (move ? r->source == in->m.src_type && r->result == in->m.type
                                 : lull_ir3_type_bits(r->source) == bits)) {
            return r;
        }
    }
    return NULL;
}

/** A conversion to a type that cannot hold all numbers of the other. */
static bool may_round(const struct lull_ir3_insn *in)
{
    return in->m.src_type != in->m.type &&
           (in->m.type == LULL_IR3_TYPE_F16 ||
            (in->m.type == LULL_IR3_TYPE_F32 && lull_ir3_type_bits(in->m.src_type) == 32));
}

/** MODE: denormals are flushed. */
static uint32_t mode_of(const struct lull_ir3_env *env, const struct lull_ir3_insn *in)
{
    static const uint8_t rounds[] = {0, 0, 1, 2}; // By ROUND: to nearest even, up, down.
    enum { TO_ZERO = 3 };
    const bool open = in->category == 1 && in->m.round == 0;
    if (open && may_round(in)) {
        lull_ir3_rests(env, LULL_IR3_ASSUME_ROUND);
    }
    const uint32_t r =
        open && lull_ir3_assumes(&env->assume, LULL_IR3_ASSUME_ROUND, LULL_IR3_ASSUME_ROUND_ZERO)
            ? TO_ZERO
        : in->category == 1 ? rounds[in->m.round & 3]
                            : 0;
    return r << LULL_FP_ROUND_F32_SHIFT | r << LULL_FP_ROUND_F64_SHIFT | LULL_FP_DX10_CLAMP;
}

/** (neg) and (abs) of integers. */
static uint32_t modified(uint32_t v, const struct lull_ir3_operand *o, unsigned bits)
{
    const uint32_t top = 1u << (bits - 1), all = top | (top - 1);
    v = o->abs && (v & top) != 0 ? 0 - v : v;
    return (o->neg ? 0 - v : v) & all;
}

/** (neg) and (abs) of @p n values of @p bits bits. */
static void modify(uint32_t *v, const struct lull_ir3_operand *o, unsigned kind, unsigned bits,
                   unsigned n)
{
    const uint32_t top = 1u << (bits - 1), all = top | (top - 1);
    if (!o->neg && !o->abs) {
        return;
    }
    if (kind == LULL_IR3_MOD_F) {
        lull_ir3_host()->bits(v, o->abs ? ~top : UINT32_MAX, o->neg ? top : 0, n);
    } else if (kind == LULL_IR3_MOD_B) {
        lull_ir3_host()->bits(v, all, o->neg ? all : 0, n);
    } else {
        for (unsigned i = 0; i < n; i++) {
            v[i] = modified(v[i], o, bits);
        }
    }
}

static bool is_nan(uint32_t v, bool half)
{
    return half ? (v & 0x7fff) > 0x7c00 : (v & 0x7fffffff) > 0x7f800000;
}

/** The largest number in place of each NaN: it becomes the largest integer. */
static void large_nans(uint32_t *v, unsigned n, bool half)
{
    for (unsigned i = 0; i < n; i++) {
        v[i] = is_nan(v[i], half) ? (half ? 0x7c00 : 0x7f800000) : v[i];
    }
}

/** The register that is source @p k of repetition @p step as it stands; NULL: there is more to do.
 */
static const uint32_t *plain(const struct lull_ir3_wave *w, const struct lull_ir3_op_step *s,
                             unsigned k, unsigned step)
{
    const struct lull_ir3_operand *o = &s->in.src[k];
    const uint32_t n = (uint32_t)o->value + (o->r ? step : 0);
    return o->kind == LULL_IR3_K_GPR && !o->half && !o->neg && !o->abs && n < LULL_IR3_GPRS &&
                   lull_ir3_type_bits(s->alu->source) == 32 && !s->to_int
               ? w->r[n]
               : NULL;
}

/** @p n values of source @p k, as they were fetched, as the row takes them. */
static void take(const struct lull_ir3_env *env, const struct lull_ir3_op_step *s, unsigned k,
                 unsigned n, uint32_t *v)
{
    const struct lull_ir3_operand *o = &s->in.src[k];
    const unsigned bits = lull_ir3_type_bits(s->alu->source);
    const bool is_const = o->kind == LULL_IR3_K_CONST || o->kind == LULL_IR3_K_RELCONST;
    if (bits == 16 && is_const && env->demote && is_float(s->alu->source)) {
        for (unsigned i = 0; i < n; i++) {
            v[i] = lull_f16_from_f32(v[i], 0);
        }
    }
    if (bits == 16) {
        lull_ir3_host()->bits(v, 0xffff, 0, n);
    }
    modify(v, o, s->alu->modifier, bits, n);
}

/** A float that becomes an integer. */
static void take_to_int(const struct lull_ir3_env *env, const struct lull_ir3_op_step *s,
                        unsigned n, uint32_t *v)
{
    if (s->to_int && lull_ir3_assumes(&env->assume, LULL_IR3_ASSUME_NAN_TO_INT,
                                      LULL_IR3_ASSUME_NAN_TO_INT_MAX)) {
        large_nans(v, n, lull_ir3_type_bits(s->alu->source) == 16);
    }
}

bool lull_ir3_alu_source(const struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                         const struct lull_ir3_op_step *s, unsigned k, unsigned step, uint32_t *ret)
{
    const struct lull_ir3_operand *o = &s->in.src[k];
    const bool half = lull_ir3_type_bits(s->alu->source) == 16;
    if (!lull_ir3_fetch(w, env, o, o->r ? step : 0, ret)) {
        return false;
    }
    take(env, s, k, w->fibers, ret);
    const struct lull_ir3_mask on =
        env->rests != NULL ? lull_ir3_active(w) : (struct lull_ir3_mask){0};
    for (unsigned i = 0; env->rests != NULL && s->to_int && i < w->fibers; i++) {
        if (is_nan(ret[i], half) && lull_ir3_on(&on, i)) {
            lull_ir3_rests(env, LULL_IR3_ASSUME_NAN_TO_INT);
        }
    }
    take_to_int(env, s, w->fibers, ret);
    return true;
}

/** Has the destination the width of a result of the row's type? */
static bool fits(unsigned type, const struct lull_ir3_operand *dst)
{
    return dst->kind == LULL_IR3_K_PRED || (lull_ir3_type_bits(type) == 32) == !dst->half;
}

/** @p n results of the row's type as a destination of the other width holds them. */
static void fit(uint32_t *v, unsigned n, unsigned type, uint32_t mode)
{
    for (unsigned i = 0; type == LULL_IR3_TYPE_F32 && i < n; i++) {
        v[i] = lull_f16_from_f32(v[i], mode);
    }
    for (unsigned i = 0; type == LULL_IR3_TYPE_F16 && i < n; i++) {
        v[i] = lull_f32_from_f16((uint16_t)v[i], mode);
    }
    for (unsigned i = 0; type == LULL_IR3_TYPE_S16 && i < n; i++) {
        v[i] = (uint32_t)(int32_t)(int16_t)v[i];
    }
}

static uint32_t saturated(uint32_t v, unsigned type, uint32_t mode)
{
    return type == LULL_IR3_TYPE_F32   ? lull_f32_clamp(v, mode)
           : type == LULL_IR3_TYPE_F16 ? lull_f16_clamp((uint16_t)v, mode)
                                       : v;
}

static struct lull_ir3_alu_in prepared(const struct lull_ir3_wave *w,
                                       const struct lull_ir3_env *env,
                                       const struct lull_ir3_insn *in)
{
    return (struct lull_ir3_alu_in){.n = w->fibers,
                                    .mode = mode_of(env, in),
                                    .cond = in->m.cond,
                                    .round = in->m.round,
                                    .sat = in->m.sat,
                                    .ei = in->m.ei,
                                    .mixed = in->m.mixed,
                                    .high = in->m.high,
                                    .fused = env->assume.choice[LULL_IR3_ASSUME_MAD]};
}

/** What of a float that comes out in fiber @p i is assumed, before (sat). */
static void rests(const struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                  const struct lull_ir3_op_step *s, const uint32_t *d)
{
    const bool half = s->alu->result == LULL_IR3_TYPE_F16;
    const bool moved = moves(s->in.op) || s->in.op == LULL_IR3_OP_ABSNEG_F;
    const uint32_t top = half ? 0x8000 : 0x80000000, least = half ? 0x400 : 0x800000;
    const struct lull_ir3_mask on = lull_ir3_active(w);
    if (s->in.op == LULL_IR3_OP_MAD_F32 || s->in.op == LULL_IR3_OP_MAD_F16) {
        lull_ir3_rests(env, LULL_IR3_ASSUME_MAD);
    }
    for (unsigned i = 0; i < w->fibers; i++) {
        const uint32_t size = d[i] & ~top;
        if (!lull_ir3_on(&on, i)) {
            continue;
        }
        if (is_nan(d[i], half)) {
            lull_ir3_rests(env, s->in.m.sat ? LULL_IR3_ASSUME_SAT_NAN : LULL_IR3_ASSUME_NAN);
        } else if (moved && size != 0 && size < least) {
            lull_ir3_rests(env, LULL_IR3_ASSUME_DENORMALS_MOVED);
        }
    }
}

/** A float as it is assumed to come out. */
static uint32_t assumed(const struct lull_ir3_env *env, const struct lull_ir3_insn *in,
                        unsigned type, uint32_t v)
{
    const bool half = type == LULL_IR3_TYPE_F16;
    const bool moved = moves(in->op) || in->op == LULL_IR3_OP_ABSNEG_F;
    const uint32_t top = half ? 0x8000 : 0x80000000, least = half ? 0x400 : 0x800000;
    if (!moved && is_nan(v, half) &&
        lull_ir3_assumes(&env->assume, LULL_IR3_ASSUME_NAN, LULL_IR3_ASSUME_NAN_CANONICAL)) {
        return half ? 0x7e00 : 0x7fc00000;
    }
    if (moved && (v & ~top) < least &&
        lull_ir3_assumes(&env->assume, LULL_IR3_ASSUME_DENORMALS_MOVED,
                         LULL_IR3_ASSUME_DENORMALS_MOVED_FLUSH)) {
        return v & top;
    }
    return v;
}

/** @p n values that come out of the row, as @p dst holds them. */
static void give(const struct lull_ir3_env *env, const struct lull_ir3_op_step *s,
                 const struct lull_ir3_operand *dst, unsigned n, uint32_t *d)
{
    const uint32_t mode = mode_of(env, &s->in);
    const unsigned type = s->alu->result;
    const bool half = type == LULL_IR3_TYPE_F16;
    const bool keeps = is_float(type) && lull_ir3_assumes(&env->assume, LULL_IR3_ASSUME_SAT_NAN,
                                                          LULL_IR3_ASSUME_SAT_NAN_NAN);
    const bool floats =
        is_float(type) && (env->assume.choice[LULL_IR3_ASSUME_NAN] != 0 ||
                           env->assume.choice[LULL_IR3_ASSUME_DENORMALS_MOVED] != 0);
    for (unsigned i = 0; s->in.m.sat && is_float(type) && i < n; i++) {
        d[i] = keeps && is_nan(d[i], half) ? d[i] : saturated(d[i], type, mode);
    }
    for (unsigned i = 0; floats && i < n; i++) {
        d[i] = assumed(env, &s->in, type, d[i]);
    }
    if (!fits(type, dst)) {
        fit(d, n, type, mode);
    }
}

/** What comes out of the row to @p dst. */
static bool finish(struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                   const struct lull_ir3_op_step *s, const struct lull_ir3_operand *dst,
                   unsigned step, uint32_t *d)
{
    if (env->rests != NULL && is_float(s->alu->result)) {
        rests(w, env, s, d);
    }
    give(env, s, dst, w->fibers, d);
    return lull_ir3_store(w, dst, step, d);
}

/** swz, gat, sct: all is read before anything is written. */
static bool several(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                    const struct lull_ir3_op_step *s)
{
    static const unsigned counts[] = {2, 4, 4};
    const enum lull_ir3_op op = s->in.op;
    const unsigned n = counts[op - LULL_IR3_OP_SWZ];
    uint32_t d[4][LULL_IR3_FIBERS], a[LULL_IR3_FIBERS];
    struct lull_ir3_alu_in x = prepared(w, env, &s->in);
    x.a = x.b = x.c = a;
    for (unsigned k = 0; k < n; k++) {
        struct lull_ir3_op_step one = *s;
        one.in.src[0].r = true;
        const bool spread = op == LULL_IR3_OP_SCT;
        if (!lull_ir3_alu_source(w, env, &one, spread ? 0 : k, spread ? k : 0, a)) {
            return false;
        }
        s->alu->fn(&x, d[k]);
    }
    for (unsigned k = 0; k < n; k++) {
        const bool gather = op == LULL_IR3_OP_GAT;
        if (!finish(w, env, s, &s->in.dst[gather ? 0 : k], gather ? k : 0, d[k])) {
            return false;
        }
    }
    return true;
}

/** The register that all of what comes out of the row goes to as it is; NULL: there is more to do.
 */
static uint32_t *whole(struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                       const struct lull_ir3_op_step *s, unsigned step)
{
    const struct lull_ir3_operand *o = &s->in.dst[0];
    const struct lull_ir3_mask on = lull_ir3_active(w);
    const uint32_t n = (uint32_t)o->value + step;
    const bool all = on.w[0] == UINT64_MAX && (on.w[1] == UINT64_MAX || w->fibers <= 64);
    const bool assumes =
        is_float(s->alu->result) &&
        (env->rests != NULL || s->in.m.sat || env->assume.choice[LULL_IR3_ASSUME_NAN] != 0 ||
         env->assume.choice[LULL_IR3_ASSUME_DENORMALS_MOVED] != 0);
    return all && !assumes && o->kind == LULL_IR3_K_GPR && !o->half && n < LULL_IR3_GPRS &&
                   fits(s->alu->result, o)
               ? w->r[n]
               : NULL;
}

/** Repetition @p step. */
static bool once(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                 const struct lull_ir3_op_step *s, unsigned step, struct lull_ir3_alu_in *x)
{
    uint32_t v[3][LULL_IR3_FIBERS], d[LULL_IR3_FIBERS];
    const uint32_t *from[3] = {v[0], v[1], v[2]};
    for (unsigned k = 0; k < s->in.nsrc && k < 3; k++) {
        const uint32_t *is = plain(w, s, k, step);
        from[k] = is != NULL ? is : v[k];
        if (is == NULL && !lull_ir3_alu_source(w, env, s, k, step, v[k])) {
            return false;
        }
    }
    x->a = from[0], x->b = from[1], x->c = from[2];
    uint32_t *to = whole(w, env, s, step);
    if (!lull_ir3_alu_quick(s->alu, x, to != NULL ? to : d)) {
        s->alu->fn(x, to != NULL ? to : d);
    }
    return to != NULL || finish(w, env, s, &s->in.dst[0], step, d);
}

bool lull_ir3_alu_is_scalar(const struct lull_ir3_op_step *s)
{
    const struct lull_ir3_operand *dst = &s->in.dst[0];
    const bool shared = dst->kind == LULL_IR3_K_GPR && dst->value >= LULL_IR3_GPRS;
    bool uniform = dst->kind == LULL_IR3_K_PRED;
    for (unsigned k = 0; k < s->in.nsrc; k++) {
        const struct lull_ir3_operand *o = &s->in.src[k];
        uniform = uniform && (o->kind == LULL_IR3_K_CONST || o->kind == LULL_IR3_K_IMM ||
                              o->kind == LULL_IR3_K_FLUT ||
                              (o->kind == LULL_IR3_K_GPR && o->value >= LULL_IR3_GPRS));
    }
    return shared || uniform;
}

/** Repetition @p step, of the first fiber that is on alone. */
static void once_for_all(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                         const struct lull_ir3_op_step *s, unsigned step, struct lull_ir3_alu_in *x)
{
    const struct lull_ir3_operand *dst = &s->in.dst[0];
    const struct lull_ir3_mask on = lull_ir3_active(w);
    const unsigned first = lull_ir3_first(&on);
    uint32_t v[3] = {0}, d = 0;
    if (first == LULL_IR3_FIBERS) {
        return;
    }
    for (unsigned k = 0; k < s->in.nsrc && k < 3; k++) {
        const struct lull_ir3_operand *o = &s->in.src[k];
        v[k] = lull_ir3_fetch_one(w, env, o, o->r ? step : 0, first);
        take(env, s, k, 1, &v[k]);
        take_to_int(env, s, 1, &v[k]);
    }
    x->a = &v[0], x->b = &v[1], x->c = &v[2], x->n = 1;
    s->alu->fn(x, &d);
    give(env, s, dst, 1, &d);
    if (dst->kind == LULL_IR3_K_GPR) {
        lull_ir3_set(w, (unsigned)dst->value + step, dst->half, first, d);
        return;
    }
    struct lull_ir3_mask *p = &w->p[((unsigned)dst->value + step) & 3];
    for (unsigned i = 0; i < 2; i++) {
        p->w[i] = d != 0 ? p->w[i] | on.w[i] : p->w[i] & ~on.w[i];
    }
}

bool lull_ir3_do_alu(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                     const struct lull_ir3_op_step *s)
{
    if (s->alu == NULL) {
        return false;
    }
    if (moves(s->in.op) && s->in.op != LULL_IR3_OP_MOV) {
        (void)several(w, env, s);
        return true;
    }
    struct lull_ir3_alu_in x = prepared(w, env, &s->in);
    const bool scalar = s->scalar && env->rests == NULL;
    bool good = true;
    for (unsigned step = 0; good && step <= s->in.m.repeat; step++) {
        if (scalar) {
            once_for_all(w, env, s, step, &x);
        } else {
            good = once(w, env, s, step, &x);
        }
    }
    return true;
}
