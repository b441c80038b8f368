// SPDX-License-Identifier: MIT
// Memory that keeps marks: local and private.
#include <stdlib.h>
#include <string.h>

#include "arch/ir3.h"
#include "check/shadow/shadow_priv.h"

enum { HALF = 16, BYTE = 8, WORD = 4 };

bool lull_shadow_memory_new(struct lull_shadow_memory *m, size_t bytes, size_t lane, uint8_t fill)
{
    m->bits = malloc(bytes + 1);
    m->from = calloc(bytes / WORD + 1, sizeof *m->from);
    if (m->bits == NULL || m->from == NULL) {
        lull_shadow_memory_done(m);
        return false;
    }
    memset(m->bits, fill, bytes);
    m->bytes = bytes;
    m->lane = lane;
    return true;
}

bool lull_shadow_memory_private(struct lull_shadow_memory *m, const struct lull_observed *at,
                                uint8_t fill)
{
    const struct lull_ir3_seen *seen = (const struct lull_ir3_seen *)(const void *)at;
    const size_t lane = seen->env->priv.fiber_bytes;
    return m->bits != NULL || lull_shadow_memory_new(m, lane * at->lanes, lane, fill);
}

void lull_shadow_memory_done(struct lull_shadow_memory *m)
{
    free(m->bits);
    free(m->from);
    *m = (struct lull_shadow_memory){0};
}

/** The access of a lane. */
struct access {
    struct lull_shadow_memory *m;
    unsigned lane, unit; ///< unit: bytes of an element.
    size_t at, end;      ///< In m.
};

/** The first register, and elements. */
struct value {
    int32_t number;
    bool half;
    unsigned count;
};

static struct access access_of(struct lull_shadow_memory *m, const struct lull_ir3_insn *in,
                               const struct lull_touch *t, unsigned k)
{
    const size_t lane = t->from + k, own = m->lane * lane;
    return (struct access){.m = m,
                           .lane = (unsigned)lane,
                           .unit = lull_arch_ir3_type_bytes(in->m.type),
                           .at = own + t->address[k],
                           .end = m->lane != 0 ? own + m->lane : m->bytes};
}

/** Is element @p k of @p a there? */
static bool there(const struct access *a, unsigned k)
{
    const size_t at = a->at + (size_t)k * a->unit;
    return at < a->m->bytes && at + a->unit <= a->end && a->end <= a->m->bytes;
}

static uint32_t get(const struct access *a, unsigned k, uint32_t *from)
{
    const size_t at = a->at + (size_t)k * a->unit;
    uint32_t bits = 0;
    for (unsigned i = 0; i < a->unit; i++) {
        bits |= (uint32_t)a->m->bits[at + i] << BYTE * i;
    }
    *from = a->m->from[at / WORD];
    return bits;
}

static void set(const struct access *a, unsigned k, uint32_t bits, uint32_t from)
{
    const size_t at = a->at + (size_t)k * a->unit;
    for (unsigned i = 0; i < a->unit; i++) {
        a->m->bits[at + i] = (uint8_t)(bits >> BYTE * i);
    }
    a->m->from[at / WORD] = bits != 0 ? from : a->m->from[at / WORD];
}

/** Marks of element @p k of @p v in @p lane; none: it is not of registers. */
static uint32_t of_register(struct lull_shadow *s, const struct value *v, unsigned k, unsigned lane,
                            uint32_t *from)
{
    const int32_t number = v->number + (int32_t)k;
    const unsigned reg = lull_shadow_reg(number, v->half);
    if (reg == LULL_SHADOW_REGS) {
        return 0;
    }
    *from = s->from[reg];
    lull_shadow_hold(s, reg);
    return v->half ? s->r[reg][lane] >> (number & 1) * HALF & UINT16_MAX : s->r[reg][lane];
}

static void to_register(struct lull_shadow *s, const struct value *v, unsigned k, unsigned lane,
                        uint32_t bits, uint32_t from)
{
    const int32_t number = v->number + (int32_t)k;
    const unsigned reg = lull_shadow_reg(number, v->half);
    const unsigned shift = v->half ? (unsigned)(number & 1) * HALF : 0;
    const bool shared = reg >= LULL_ARCH_IR3_FIRST_SHARED;
    const uint64_t one[2] = {lane < 64 ? UINT64_C(1) << lane : 0,
                             lane >= 64 ? UINT64_C(1) << (lane - 64) : 0};
    const uint64_t all[2] = {UINT64_MAX, UINT64_MAX};
    if (reg < LULL_SHADOW_REGS && bits != 0) {
        lull_shadow_mark(s, reg, bits << shift, shared ? all : one, from);
    }
}

static void load(struct lull_shadow *s, const struct access *a, const struct value *v,
                 struct lull_shadow_never *never)
{
    for (unsigned k = 0; k < v->count && there(a, k); k++) {
        uint32_t from = 0;
        const uint32_t bits = get(a, k, &from);
        if (bits != 0 && from == 0) {
            if ((never->lanes[0] | never->lanes[1]) == 0) {
                never->lane = a->lane;
                never->address = a->at - a->lane * a->m->lane + (uint64_t)k * a->unit;
            }
            never->lanes[a->lane / 64] |= UINT64_C(1) << a->lane % 64;
        }
        to_register(s, v, k, a->lane, bits, from);
    }
}

static void store(struct lull_shadow *s, const struct access *a, const struct value *v)
{
    for (unsigned k = 0; k < v->count && there(a, k); k++) {
        uint32_t from = 0;
        const uint32_t bits = of_register(s, v, k, a->lane, &from);
        set(a, k, bits, from);
    }
}

/** What was there has a part in what will be; of an exchange it has not. */
static void atomic(struct lull_shadow *s, const struct access *a, const struct value *data,
                   const struct value *old, const struct lull_ir3_insn *in,
                   struct lull_shadow_never *never)
{
    const bool compares = in->op == LULL_IR3_OP_ATOMIC_CMPXCHG;
    uint32_t had_from = 0, from = 0, second = 0;
    if (!there(a, 0)) {
        return;
    }
    const uint32_t had = get(a, 0, &had_from);
    uint32_t bits = of_register(s, data, 0, a->lane, &from);
    bits |= compares ? of_register(s, data, 1, a->lane, bits != 0 ? &second : &from) : 0;
    load(s, a, old, never);
    if (in->op != LULL_IR3_OP_ATOMIC_XCHG && (bits | had) != 0) {
        from = bits != 0 ? from : had_from;
        bits = UINT32_MAX;
    }
    set(a, 0, bits, from);
}

static struct value value_of(const struct lull_ir3_insn *in, const struct lull_ir3_operand *o,
                             unsigned count)
{
    return (struct value){o->value, lull_arch_ir3_type_bytes(in->m.type) < WORD, count};
}

/** Has no byte of @p n bytes a mark? */
static bool is_clear(const uint8_t *bits, size_t n)
{
    uint64_t some = 0;
    size_t i = 0;
    for (; i + sizeof some <= n; i += sizeof some) {
        uint64_t word = 0;
        memcpy(&word, bits + i, sizeof word);
        some |= word;
    }
    for (; i < n; i++) {
        some |= bits[i];
    }
    return some == 0;
}

/** Is nothing marked that @p t touches of local memory, nor of what it stores? */
static bool moves_nothing(const struct lull_shadow *s, const struct lull_shadow_memory *m,
                          const struct lull_shadow_plan *p, const struct lull_touch *t)
{
    uint64_t read = 0;
    for (unsigned i = 0; p->stores && i < LULL_SHADOW_WORDS; i++) {
        read |= p->reads[i] & s->marked[i];
    }
    return read == 0 && m->lane == 0 && t->low <= t->high && t->high + t->bytes <= m->bytes &&
           is_clear(m->bits + t->low, t->high + t->bytes - t->low);
}

void lull_shadow_access(struct lull_shadow *s, struct lull_shadow_memory *m,
                        const struct lull_observed *at, const struct lull_shadow_plan *p,
                        const struct lull_touch *t, struct lull_shadow_never *ret)
{
    const struct lull_ir3_insn *in = &lull_arch_ir3_of(at->insn)->in;
    const unsigned size = in->m.size > 0 ? (unsigned)in->m.size : 1;
    if (moves_nothing(s, m, p, t)) {
        return;
    }
    for (uint64_t lanes = t->lanes; lanes != 0; lanes &= lanes - 1) {
        const struct access a = access_of(m, in, t, (unsigned)__builtin_ctzll(lanes));
        if (p->loads && p->stores) {
            const struct value data = value_of(in, &in->src[1], 1);
            const struct value old = value_of(in, &in->dst[0], 1);
            atomic(s, &a, &data, &old, in, ret);
        } else if (p->stores) {
            const struct value v = value_of(in, &in->src[1], size);
            store(s, &a, &v);
        } else {
            const struct value v = value_of(in, &in->dst[0], size);
            load(s, &a, &v, ret);
        }
    }
}
