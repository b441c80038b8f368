// SPDX-License-Identifier: MIT
// Atomic operations on global and shared memory and on what descriptors lead to.
//
// cmpxchg has its new value before the one it compares with: Mesa ir3_compiler_nir.c collects
// (data, compare) for shared memory and ir3_a6xx.c (-, data, compare) for descriptors.
#include "model/adreno/exec/image.h"

enum where { GLOBAL, LOCAL, DESCRIPTOR };

enum operation { ADD, SUB, XCHG, INC, DEC, CMPXCHG, MIN, MAX, AND, OR, XOR, NONE };

/** By enum lull_ir3_op, from the first of a family on. */
static enum operation shared_or_global(enum lull_ir3_op op, enum lull_ir3_op first)
{
    return op >= first && op <= first + (enum lull_ir3_op)XOR ? (enum operation)(op - first) : NONE;
}

static enum operation of_descriptor(enum lull_ir3_op op)
{
    switch ((unsigned)op) {
    case LULL_IR3_OP_ATOMIC_B_ADD:
        return ADD;
    case LULL_IR3_OP_ATOMIC_B_SUB:
        return SUB;
    case LULL_IR3_OP_ATOMIC_B_XCHG:
        return XCHG;
    case LULL_IR3_OP_ATOMIC_B_CMPXCHG:
        return CMPXCHG;
    case LULL_IR3_OP_ATOMIC_B_MIN:
        return MIN;
    case LULL_IR3_OP_ATOMIC_B_MAX:
        return MAX;
    case LULL_IR3_OP_ATOMIC_B_AND:
        return AND;
    case LULL_IR3_OP_ATOMIC_B_OR:
        return OR;
    case LULL_IR3_OP_ATOMIC_B_XOR:
        return XOR;
    default:
        return NONE;
    }
}

/** How a value and another to compare with make one of what was there. */
struct way {
    enum operation o;
    bool is_signed, limited; ///< limited: inc and dec have a limit.
};

static uint64_t result(const struct way *way, uint64_t old, uint64_t a, uint64_t compare)
{
    const bool less = way->is_signed ? (int32_t)a < (int32_t)old : a < old;
    const enum operation o = way->o;
    switch (o) {
    case ADD:
        return old + a;
    case SUB:
        return old - a;
    case INC:
        return way->limited && old >= a ? 0 : old + 1;
    case DEC:
        return way->limited && (old == 0 || old > a) ? a : old - 1;
    case CMPXCHG:
        return old == compare ? a : old;
    case MIN:
        return less ? a : old;
    case MAX:
        return less ? old : a;
    case AND:
        return old & a;
    case OR:
        return old | a;
    case XOR:
        return old ^ a;
    case XCHG:
    case NONE:
        break;
    }
    return a;
}

static uint64_t swap(uint8_t *at, unsigned bytes, const struct way *way, const uint64_t *a)
{
    uint64_t old = 0;
    for (unsigned i = 0; i < bytes; i++) {
        old |= (uint64_t)at[i] << 8 * i;
    }
    const uint64_t now = result(way, old, a[0], a[1]);
    for (unsigned i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(now >> 8 * i);
    }
    return old;
}

struct operands {
    uint32_t at[LULL_IR3_FIBERS], high[LULL_IR3_FIBERS], deep[LULL_IR3_FIBERS];
    /** The value and the one to compare with; of 64 bits each two, low first. */
    uint32_t a[4][LULL_IR3_FIBERS], which[LULL_IR3_FIBERS];
    unsigned bytes;
};

/** Put down one on global or shared memory, where it is known to be. */
static void put_down(const struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                     const struct lull_ir3_insn *in, unsigned fiber, uint64_t at, enum where where)
{
    if (!lull_ir3_touches_wanted(env)) {
        return;
    }
    const unsigned bytes = lull_ir3_atomic_bytes(in);
    const bool inside = where != LOCAL || at + bytes <= env->local_bytes;
    struct lull_touch t = {.local = where == LOCAL};
    if (where == LOCAL || !lull_ir3_on(&w->helpers, fiber)) {
        lull_ir3_atomically(in, lull_ir3_number((unsigned)in->src[1].value, false), &t);
        (void)lull_ir3_put_down(env, &t, fiber, at, inside ? UINT8_MAX : 0);
    }
}

static uint8_t *place(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                      const struct lull_ir3_insn *in, const struct operands *p, unsigned i,
                      enum where where, struct lull_ir3_last *l)
{
    if (where == GLOBAL) {
        const uint64_t at = (uint64_t)p->high[i] << 32 | p->at[i];
        put_down(w, env, in, i, at, where);
        return lull_ir3_place(w, env, i, at, p->bytes, true);
    }
    if (where == LOCAL) {
        put_down(w, env, in, i, p->at[i], where);
        return (uint64_t)p->at[i] + p->bytes <= env->local_bytes ? env->local + p->at[i] : NULL;
    }
    const uint32_t coord[3] = {p->at[i], p->high[i], p->deep[i]};
    return in->m.typed ? lull_ir3_image_place(w, env, in, i, p->which[i], coord)
                       : lull_ir3_atomic_place(w, env, in, i, p->which[i], p->at[i], l);
}

static void run(struct lull_ir3_wave *w, struct lull_ir3_env *env, const struct lull_ir3_insn *in,
                enum operation o, const struct operands *p, enum where where)
{
    const struct lull_ir3_mask on = lull_ir3_active(w);
    const struct way way = {
        o, in->m.type == LULL_IR3_TYPE_S32,
        lull_ir3_assumes(&env->assume, LULL_IR3_ASSUME_INC_DEC, LULL_IR3_ASSUME_INC_DEC_WRAP)};
    const bool turned = o == CMPXCHG && lull_ir3_assumes(&env->assume, LULL_IR3_ASSUME_CMPXCHG,
                                                         LULL_IR3_ASSUME_CMPXCHG_COMPARE_FIRST);
    if (o == INC || o == DEC) {
        lull_ir3_rests(env, LULL_IR3_ASSUME_INC_DEC);
    } else if (o == CMPXCHG) {
        lull_ir3_rests(env, LULL_IR3_ASSUME_CMPXCHG);
    }
    const unsigned dst = (unsigned)in->dst[0].value;
    struct lull_ir3_last last = {.valid = false};
    for (unsigned i = 0; i < w->fibers && w->status != LULL_IR3_FAULT; i++) {
        if (lull_ir3_on(&on, i)) {
            uint8_t *at = place(w, env, in, p, i, where, &last);
            const bool wide = p->bytes == 8;
            const uint64_t given[2] = {
                wide ? (uint64_t)p->a[1][i] << 32 | p->a[0][i] : p->a[0][i],
                wide ? (uint64_t)p->a[3][i] << 32 | p->a[2][i] : p->a[1][i],
            };
            const uint64_t a[2] = {given[turned], given[!turned]};
            const uint64_t old = at != NULL ? swap(at, p->bytes, &way, a) : 0;
            lull_ir3_set(w, dst, false, i, (uint32_t)old);
            if (wide) {
                lull_ir3_set(w, dst + 1, false, i, (uint32_t)(old >> 32));
            }
        }
    }
}

bool lull_ir3_do_atomic(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                        const struct lull_ir3_insn *in)
{
    struct operands p;
    const enum operation local = shared_or_global(in->op, LULL_IR3_OP_ATOMIC_ADD),
                         global = shared_or_global(in->op, LULL_IR3_OP_ATOMIC_G_ADD),
                         b = of_descriptor(in->op);
    if (local == NONE && global == NONE && b == NONE) {
        return false;
    }
    p.bytes = lull_ir3_atomic_bytes(in);
    if (p.bytes == 0 || (p.bytes == 8 && (local != NONE || in->m.typed))) {
        lull_ir3_wrong(w, "lull does not do %s of this type", lull_ir3_op_names[in->op]);
        return true;
    }
    if (b != NONE) {
        // The first source is the vector that takes the old value: data from y on.
        for (unsigned k = 0; k < p.bytes / 2; k++) {
            (void)lull_ir3_fetch(w, env, &in->src[0], p.bytes / 4 + k, p.a[k]);
        }
        (void)lull_ir3_fetch(w, env, &in->src[1], 0, p.at);
        (void)lull_ir3_fetch(w, env, &in->src[1], 1, p.high);
        (void)lull_ir3_fetch(w, env, &in->src[1], 2, p.deep);
        lull_ir3_indices(w, env, in, &in->src[2], p.which);
        run(w, env, in, b, &p, DESCRIPTOR);
        return true;
    }
    (void)lull_ir3_fetch(w, env, &in->src[0], 0, p.at);
    (void)lull_ir3_fetch(w, env, &in->src[0], 1, p.high);
    for (unsigned k = 0; k < p.bytes / 2; k++) {
        (void)lull_ir3_fetch(w, env, &in->src[1], k, p.a[k]);
    }
    run(w, env, in, local != NONE ? local : global, &p, local != NONE ? LOCAL : GLOBAL);
    return true;
}
