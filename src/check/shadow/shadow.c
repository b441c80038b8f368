// SPDX-License-Identifier: MIT
// Registers and their marks.
#include "check/shadow/shadow.h"

#include <string.h>

#include "check/shadow/shadow_priv.h"

enum { FIRST_SHARED = LULL_ARCH_IR3_FIRST_SHARED, HALF = 16 };

unsigned lull_shadow_reg(int32_t number, bool half)
{
    const int32_t shared = number - FIRST_SHARED;
    const int32_t full = !half ? number : shared >= 0 ? FIRST_SHARED + shared / 2 : number / 2;
    return number >= 0 && full < LULL_SHADOW_REGS ? (unsigned)full : LULL_SHADOW_REGS;
}

static bool is_marked(const struct lull_shadow *s, unsigned reg)
{
    return (s->marked[reg / 64] >> reg % 64 & 1) != 0;
}

static bool is_on(const uint64_t lanes[2], unsigned lane)
{
    return (lanes[lane / 64] >> lane % 64 & 1) != 0;
}

void lull_shadow_hold(struct lull_shadow *s, unsigned reg)
{
    const uint64_t bit = UINT64_C(1) << reg % 64;
    if ((s->whole[reg / 64] & bit) == 0) {
        return;
    }
    s->whole[reg / 64] &= ~bit;
    const bool shared = reg >= FIRST_SHARED;
    for (unsigned i = 0; i < LULL_SHADOW_FIBERS; i++) {
        s->r[reg][i] = shared || is_on(s->untouched, i) ? UINT32_MAX : 0;
    }
}

/** @p reg, all of which is written in lanes @p lanes, has no marks any more. False: it may have
 * some. */
static bool is_settled(struct lull_shadow *s, unsigned reg, uint32_t mask, const uint64_t lanes[2])
{
    const uint64_t bit = UINT64_C(1) << reg % 64;
    const uint64_t more = reg >= FIRST_SHARED ? UINT64_MAX : 0;
    const uint64_t left =
        ((s->untouched[0] | more) & ~lanes[0]) | ((s->untouched[1] | more) & ~lanes[1]);
    if (!is_marked(s, reg)) {
        return true;
    }
    if ((s->whole[reg / 64] & bit) == 0 || mask != UINT32_MAX || left != 0) {
        return false;
    }
    s->whole[reg / 64] &= ~bit;
    s->marked[reg / 64] &= ~bit;
    return true;
}

/** Find out anew whether @p reg has marks. */
static void look(struct lull_shadow *s, unsigned reg)
{
    uint32_t all = 0;
    for (unsigned i = 0; i < LULL_SHADOW_FIBERS; i++) {
        all |= s->r[reg][i];
    }
    const uint64_t bit = UINT64_C(1) << reg % 64;
    uint64_t *to = &s->marked[reg / 64];
    *to = all != 0 ? *to | bit : *to & ~bit;
}

void lull_shadow_mark(struct lull_shadow *s, unsigned reg, uint32_t bits, const uint64_t lanes[2],
                      uint32_t from)
{
    lull_shadow_hold(s, reg);
    for (unsigned i = 0; i < LULL_SHADOW_FIBERS; i++) {
        s->r[reg][i] |= is_on(lanes, i) ? bits : 0;
    }
    s->from[reg] = from;
    look(s, reg);
}

void lull_shadow_mark_whole(struct lull_shadow *s, const uint64_t regs[LULL_SHADOW_WORDS],
                            const uint64_t lanes[2])
{
    const uint64_t none = (lanes[0] | lanes[1]) == 0;
    for (unsigned i = 0; i < LULL_SHADOW_WORDS; i++) {
        const uint64_t keep = none && i < FIRST_SHARED / 64 ? 0 : UINT64_MAX;
        s->marked[i] = s->whole[i] = regs[i] & keep;
    }
    memcpy(s->untouched, lanes, sizeof s->untouched);
}

void lull_shadow_mark_operand(struct lull_shadow *s, int32_t number, bool half,
                              const uint64_t lanes[2], uint32_t from)
{
    const unsigned reg = lull_shadow_reg(number, half);
    const unsigned shift = (unsigned)(number & 1) * HALF;
    if (reg < LULL_SHADOW_REGS) {
        lull_shadow_mark(s, reg, half ? (uint32_t)UINT16_MAX << shift : UINT32_MAX, lanes, from);
    }
}

void lull_shadow_mark_constant(struct lull_shadow *s, uint32_t number, uint32_t from)
{
    if (s->consts != NULL && number < LULL_SHADOW_CONSTS) {
        s->consts->from[number] = from;
        s->consts->any = s->consts->any || from != 0;
    }
}

bool lull_shadow_lanes(const struct lull_shadow *s, unsigned reg, uint32_t mask,
                       const uint64_t lanes[2], uint64_t ret[2])
{
    const bool whole = (s->whole[reg / 64] >> reg % 64 & 1) != 0;
    const uint64_t more = reg >= FIRST_SHARED ? UINT64_MAX : 0;
    ret[0] = whole && mask != 0 ? s->untouched[0] | more : 0;
    ret[1] = whole && mask != 0 ? s->untouched[1] | more : 0;
    for (unsigned i = 0; !whole && is_marked(s, reg) && i < LULL_SHADOW_FIBERS; i++) {
        ret[i / 64] |= (uint64_t)((s->r[reg][i] & mask) != 0) << i % 64;
    }
    ret[0] &= lanes[0];
    ret[1] &= lanes[1];
    return (ret[0] | ret[1]) != 0;
}

void lull_shadow_keep(struct lull_shadow *s, unsigned reg, uint32_t mask, const uint64_t keep[2])
{
    const uint64_t gone[2] = {~keep[0], ~keep[1]};
    if (is_settled(s, reg, mask, gone)) {
        return;
    }
    lull_shadow_hold(s, reg);
    for (unsigned i = 0; i < LULL_SHADOW_FIBERS; i++) {
        s->r[reg][i] &= is_on(keep, i) ? UINT32_MAX : ~mask;
    }
    look(s, reg);
}

bool lull_shadow_left(const struct lull_shadow *s)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < LULL_SHADOW_WORDS; i++) {
        all |= s->marked[i];
    }
    for (unsigned i = 0; i < 4; i++) {
        all |= s->p[i].lanes[0] | s->p[i].lanes[1];
    }
    for (unsigned i = 0; i < 2; i++) {
        all |= s->a[i].lanes[0] | s->a[i].lanes[1];
    }
    return all != 0;
}

void lull_shadow_clear(struct lull_shadow *s)
{
    for (unsigned i = 0; i < LULL_SHADOW_WORDS; i++) {
        for (uint64_t m = s->marked[i] & ~s->whole[i]; m != 0; m &= m - 1) {
            const unsigned reg = 64 * i + (unsigned)__builtin_ctzll(m);
            memset(s->r[reg], 0, sizeof s->r[reg]);
        }
    }
    struct lull_shadow_consts *consts = s->consts;
    memset((char *)s + sizeof s->r, 0, sizeof *s - sizeof s->r);
    s->consts = consts;
}

void lull_shadow_value(const struct lull_observed *at, const struct lull_ir3_operand *o,
                       unsigned step, uint32_t ret[LULL_SHADOW_FIBERS])
{
    const struct lull_ir3_seen *seen = (const struct lull_ir3_seen *)(const void *)at;
    (void)lull_ir3_fetch(seen->wave, seen->env, o, step, ret);
}

const uint8_t *lull_shadow_host(const struct lull_observed *at, uint64_t address)
{
    const struct lull_ir3_seen *seen = (const struct lull_ir3_seen *)(const void *)at;
    return seen->env->memory.at(seen->env->memory.ctx, address, 1, false);
}

static void took(struct lull_shadow_now *n, uint32_t from)
{
    n->from = n->from == 0 ? from : n->from;
}

/** A register by a0.x of each lane. */
static bool relative(struct lull_shadow_now *n, const struct lull_ir3_operand *o, unsigned step,
                     uint32_t *ret)
{
    uint32_t all = 0;
    for (unsigned i = 0; i < LULL_SHADOW_FIBERS; i++) {
        const int32_t number = o->value + (int32_t)step + (i < n->w->fibers ? n->w->a0[i] : 0);
        const unsigned reg = lull_shadow_reg(number, o->half);
        if (reg < LULL_SHADOW_REGS) {
            lull_shadow_hold(n->s, reg);
        }
        const uint32_t bits = reg < LULL_SHADOW_REGS ? n->s->r[reg][i] : 0;
        ret[i] = !o->half ? bits : bits >> (number & 1) * HALF & UINT16_MAX;
        if (ret[i] != 0 && is_on(n->active, i)) {
            took(n, n->s->from[reg]);
        }
        all |= ret[i];
    }
    return all != 0;
}

static bool flag(struct lull_shadow_now *n, const struct lull_shadow_flag *f, uint32_t bits,
                 uint32_t *ret)
{
    for (unsigned i = 0; i < LULL_SHADOW_FIBERS; i++) {
        ret[i] = is_on(f->lanes, i) ? bits : 0;
    }
    const bool some = (f->lanes[0] | f->lanes[1]) != 0;
    took(n, some ? f->from : 0);
    return some;
}

/** A constant; half ones are the lower halves, or conversions, of full ones. */
static bool constant(struct lull_shadow_now *n, const struct lull_ir3_operand *o, int32_t number,
                     uint32_t *ret)
{
    const struct lull_shadow_consts *c = n->s->consts;
    const uint32_t from =
        c != NULL && c->any && number >= 0 && number < LULL_SHADOW_CONSTS ? c->from[number] : 0;
    for (unsigned i = 0; from != 0 && i < LULL_SHADOW_FIBERS; i++) {
        ret[i] = o->half ? UINT16_MAX : UINT32_MAX;
    }
    took(n, from);
    return from != 0;
}

bool lull_shadow_source(struct lull_shadow_now *n, const struct lull_ir3_operand *o, unsigned step,
                        uint32_t ret[LULL_SHADOW_FIBERS])
{
    const int32_t number = o->value + (int32_t)step;
    switch (o->kind) {
    case LULL_IR3_K_GPR:
        break;
    case LULL_IR3_K_RELGPR:
        return relative(n, o, step, ret);
    case LULL_IR3_K_CONST:
        return constant(n, o, number, ret);
    case LULL_IR3_K_RELCONST:
        return flag(n, &n->s->a[0], UINT32_MAX, ret);
    case LULL_IR3_K_PRED:
        return flag(n, &n->s->p[number & 3], 1, ret);
    case LULL_IR3_K_ADDR:
        return flag(n, &n->s->a[number & 1], UINT16_MAX, ret);
    default:
        return false;
    }
    const unsigned reg = lull_shadow_reg(number, o->half);
    uint32_t all = 0;
    if (reg == LULL_SHADOW_REGS || !is_marked(n->s, reg)) {
        return false;
    }
    lull_shadow_hold(n->s, reg);
    const unsigned shift = o->half ? (unsigned)(number & 1) * HALF : 0;
    for (unsigned i = 0; i < LULL_SHADOW_FIBERS; i++) {
        ret[i] = n->s->r[reg][i] >> shift & (o->half ? UINT16_MAX : UINT32_MAX);
        all |= ret[i];
    }
    took(n, all != 0 ? n->s->from[reg] : 0);
    return all != 0;
}

static void put(struct lull_shadow *s, unsigned reg, unsigned lane, uint32_t mask, uint32_t bits)
{
    s->r[reg][lane] = (s->r[reg][lane] & ~mask) | (bits & mask);
}

/** To component @p number of a register that @p o names. */
static void put_row(struct lull_shadow_now *n, const struct lull_ir3_operand *o, int32_t number,
                    const uint32_t *bits)
{
    const unsigned reg = lull_shadow_reg(number, o->half);
    const unsigned shift = o->half ? (unsigned)(number & 1) * HALF : 0;
    const uint32_t mask = o->half ? (uint32_t)UINT16_MAX << shift : UINT32_MAX;
    if (reg == LULL_SHADOW_REGS || (bits == NULL && !is_marked(n->s, reg))) {
        return;
    }
    const bool shared = reg >= FIRST_SHARED;
    if (bits == NULL && !shared && is_settled(n->s, reg, mask, n->active)) {
        return;
    }
    lull_shadow_hold(n->s, reg);
    const unsigned first = n->active[0] != 0   ? (unsigned)__builtin_ctzll(n->active[0])
                           : n->active[1] != 0 ? 64 + (unsigned)__builtin_ctzll(n->active[1])
                                               : LULL_SHADOW_FIBERS;
    for (unsigned i = 0; i < LULL_SHADOW_FIBERS; i++) {
        const unsigned lane = shared ? first : i;
        if (lane < LULL_SHADOW_FIBERS && is_on(n->active, lane)) {
            put(n->s, reg, i, mask, bits == NULL ? 0 : bits[lane] << shift);
        }
    }
    look(n->s, reg);
    n->s->from[reg] = bits != NULL && n->from != 0 ? n->from : n->s->from[reg];
}

static void put_flag(struct lull_shadow_now *n, struct lull_shadow_flag *f, const uint32_t *bits)
{
    for (unsigned i = 0; i < LULL_SHADOW_FIBERS; i++) {
        const uint64_t bit = UINT64_C(1) << i % 64;
        if (is_on(n->active, i)) {
            uint64_t *to = &f->lanes[i / 64];
            *to = bits != NULL && bits[i] != 0 ? *to | bit : *to & ~bit;
        }
    }
    f->from = bits != NULL && n->from != 0 ? n->from : f->from;
}

void lull_shadow_result(struct lull_shadow_now *n, const struct lull_ir3_operand *o, unsigned step,
                        const uint32_t *bits)
{
    const int32_t number = o->value + (int32_t)step;
    switch (o->kind) {
    case LULL_IR3_K_GPR:
        put_row(n, o, number, bits);
        return;
    case LULL_IR3_K_PRED:
        put_flag(n, &n->s->p[number & 3], bits);
        return;
    case LULL_IR3_K_ADDR:
        put_flag(n, &n->s->a[number & 1], bits);
        return;
    case LULL_IR3_K_RELGPR:
        break;
    default:
        return;
    }
    const uint64_t all[2] = {n->active[0], n->active[1]};
    for (unsigned i = 0; i < n->w->fibers; i++) {
        if (is_on(all, i)) {
            n->active[0] = i < 64 ? UINT64_C(1) << i : 0;
            n->active[1] = i >= 64 ? UINT64_C(1) << (i - 64) : 0;
            put_row(n, o, number + n->w->a0[i], bits);
        }
    }
    memcpy(n->active, all, sizeof all);
}
