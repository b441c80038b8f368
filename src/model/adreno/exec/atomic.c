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

static uint32_t result(enum operation o, uint32_t old, uint32_t a, uint32_t compare, bool is_signed)
{
    const bool less = is_signed ? (int32_t)a < (int32_t)old : a < old;
    switch (o) {
    case ADD:
        return old + a;
    case SUB:
        return old - a;
    case INC:
        return old + 1;
    case DEC:
        return old - 1;
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

static uint32_t swap(uint8_t *at, enum operation o, uint32_t a, uint32_t compare, bool is_signed)
{
    const uint32_t old =
        (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    const uint32_t now = result(o, old, a, compare, is_signed);
    for (unsigned i = 0; i < 4; i++) {
        at[i] = (uint8_t)(now >> 8 * i);
    }
    return old;
}

struct operands {
    uint32_t at[LULL_IR3_FIBERS], high[LULL_IR3_FIBERS], deep[LULL_IR3_FIBERS];
    uint32_t a[LULL_IR3_FIBERS], compare[LULL_IR3_FIBERS], which[LULL_IR3_FIBERS];
};

static uint8_t *place(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                      const struct lull_ir3_insn *in, const struct operands *p, unsigned i,
                      enum where where)
{
    if (where == GLOBAL) {
        return lull_ir3_place(w, env, i, (uint64_t)p->high[i] << 32 | p->at[i], 4, true);
    }
    if (where == LOCAL) {
        return (uint64_t)p->at[i] + 4 <= env->local_bytes ? env->local + p->at[i] : NULL;
    }
    const uint32_t coord[3] = {p->at[i], p->high[i], p->deep[i]};
    return in->m.typed ? lull_ir3_image_place(w, env, in, i, p->which[i], coord)
                       : lull_ir3_atomic_place(w, env, in, i, p->which[i], p->at[i]);
}

static void run(struct lull_ir3_wave *w, struct lull_ir3_env *env, const struct lull_ir3_insn *in,
                enum operation o, const struct operands *p, enum where where)
{
    const struct lull_ir3_mask on = lull_ir3_active(w);
    const bool is_signed = in->m.type == LULL_IR3_TYPE_S32;
    const unsigned dst = (unsigned)in->dst[0].value;
    for (unsigned i = 0; i < w->fibers && w->status != LULL_IR3_FAULT; i++) {
        if (lull_ir3_on(&on, i)) {
            uint8_t *at = place(w, env, in, p, i, where);
            const uint32_t old = at != NULL ? swap(at, o, p->a[i], p->compare[i], is_signed) : 0;
            lull_ir3_set(w, dst, false, i, old);
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
    if (in->m.type != LULL_IR3_TYPE_U32 && in->m.type != LULL_IR3_TYPE_S32) {
        lull_ir3_wrong(w, "lull does %s of 32-bit integers only", lull_ir3_op_names[in->op]);
        return true;
    }
    if (b != NONE) {
        // The first source is the vector that takes the old value: data from y on.
        (void)lull_ir3_fetch(w, env, &in->src[0], 1, p.a);
        (void)lull_ir3_fetch(w, env, &in->src[0], 2, p.compare);
        (void)lull_ir3_fetch(w, env, &in->src[1], 0, p.at);
        (void)lull_ir3_fetch(w, env, &in->src[1], 1, p.high);
        (void)lull_ir3_fetch(w, env, &in->src[1], 2, p.deep);
        lull_ir3_indices(w, env, in, &in->src[2], p.which);
        run(w, env, in, b, &p, DESCRIPTOR);
        return true;
    }
    (void)lull_ir3_fetch(w, env, &in->src[0], 0, p.at);
    (void)lull_ir3_fetch(w, env, &in->src[0], 1, p.high);
    (void)lull_ir3_fetch(w, env, &in->src[1], 0, p.a);
    (void)lull_ir3_fetch(w, env, &in->src[1], 1, p.compare);
    run(w, env, in, local != NONE ? local : global, &p, local != NONE ? LOCAL : GLOBAL);
    return true;
}
