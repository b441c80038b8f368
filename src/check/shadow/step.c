// SPDX-License-Identifier: MIT
// What instructions do with marks, but for what is computed.
#include <string.h>

#include "arch/ir3.h"
#include "check/shadow/shadow_priv.h"
#include "isa/ir3/lanes.h"
#include "model/adreno/exec/wave.h"

enum { TEXTURES = 5, HALF = 16, BYTE = 8, NO_REG = 63 * 4 };

static bool is_lanes(enum lull_ir3_op op)
{
    return op == LULL_IR3_OP_BRCST_ACTIVE || op == LULL_IR3_OP_SHFL ||
           (op >= LULL_IR3_OP_QUAD_SHUFFLE_BRCST && op <= LULL_IR3_OP_QUAD_SHUFFLE_DIAG);
}

static bool is_derivative(enum lull_ir3_op op)
{
    return op == LULL_IR3_OP_DSX || op == LULL_IR3_OP_DSY || op == LULL_IR3_OP_DSXPP_1 ||
           op == LULL_IR3_OP_DSYPP_1;
}

/** A load to no register, of which only the descriptor counts, which it prefetches: Mesa
 * ir3_prefetch_descriptors(). */
static bool is_prefetch(const struct lull_ir3_insn *in, const struct lull_insn_memory *m)
{
    return m->reads && !m->writes && in->ndst > 0 && in->dst[0].kind == LULL_IR3_K_GPR &&
           in->dst[0].value >= NO_REG;
}

static enum lull_shadow_kind kind_of(const struct lull_ir3_insn *in,
                                     const struct lull_insn_memory *m)
{
    const bool computes = in->category >= 1 && in->category <= 4;
    return is_lanes(in->op) || is_derivative(in->op)                 ? LULL_SHADOW_LANES
           : in->op == LULL_IR3_OP_MOVMSK || is_prefetch(in, m)      ? LULL_SHADOW_NONE
           : computes                                                ? LULL_SHADOW_ALU
           : m->kind == LULL_MEMORY_LOCAL                            ? LULL_SHADOW_LOCAL
           : m->kind == LULL_MEMORY_PRIVATE                          ? LULL_SHADOW_PRIVATE
           : in->category == TEXTURES || m->kind != LULL_MEMORY_NONE ? LULL_SHADOW_MEMORY
                                                                     : LULL_SHADOW_NONE;
}

/** The full component of component @p k of @p span, and its bits. LULL_SHADOW_REGS: none. */
static unsigned reg_of(const struct lull_arch_ir3_span *span, unsigned k, uint32_t *mask)
{
    const unsigned place = lull_arch_ir3_place(span, k);
    *mask = !span->half ? UINT32_MAX : (uint32_t)UINT16_MAX << (place & 1) * HALF;
    return (k < 32 && (span->mask >> k & 1) == 0) || place >= LULL_ARCH_IR3_SPECIAL
               ? LULL_SHADOW_REGS
               : place / 2;
}

/** Registers of @p spans as bits. */
static void add(struct lull_shadow_plan *p, const struct lull_arch_ir3_span *spans, unsigned n,
                uint64_t *to)
{
    for (unsigned i = 0; i < n; i++) {
        p->relative = p->relative || spans[i].relative;
        for (unsigned k = 0; k < spans[i].count; k++) {
            uint32_t mask = 0;
            const unsigned reg = reg_of(&spans[i], k, &mask);
            if (reg < LULL_SHADOW_REGS) {
                to[reg / 64] |= UINT64_C(1) << reg % 64;
            } else {
                p->flags = true;
            }
        }
    }
}

static bool is_constant(const struct lull_ir3_operand *o)
{
    return o->kind == LULL_IR3_K_CONST || o->kind == LULL_IR3_K_CONSTA1;
}

static bool has_constants(const struct lull_ir3_insn *in)
{
    bool some = in->op == LULL_IR3_OP_LDC_K;
    for (unsigned i = 0; i < in->ndst; i++) {
        some = some || is_constant(&in->dst[i]);
    }
    for (unsigned i = 0; i < in->nsrc; i++) {
        some = some || is_constant(&in->src[i]);
    }
    return some;
}

void lull_shadow_plan(const struct lull_observed *at, struct lull_shadow_plan *ret)
{
    const struct lull_arch_ir3_insn *insn = lull_arch_ir3_of(at->insn);
    const struct lull_insn_memory m = at->arch->memory(at->insn);
    *ret = (struct lull_shadow_plan){.kind = kind_of(&insn->in, &m),
                                     .stores = m.writes,
                                     .loads = m.reads,
                                     .textures = insn->in.category == TEXTURES,
                                     .constants = has_constants(&insn->in)};
    lull_arch_ir3_uses(&insn->in, insn->gen, at->lanes, NULL, &ret->uses);
    add(ret, ret->uses.read, ret->uses.nread, ret->reads);
    add(ret, ret->uses.written, ret->uses.nwritten, ret->writes);
}

static const struct lull_ir3_wave *wave_of(const struct lull_observed *at)
{
    return ((const struct lull_ir3_seen *)(const void *)at)->wave;
}

/** May a register be marked that does not stand in @p p's bits? */
static bool meets_others(const struct lull_shadow *s, const struct lull_observed *at,
                         const struct lull_shadow_plan *p)
{
    uint64_t flags = 0;
    for (unsigned i = 0; p->flags && i < 4; i++) {
        flags |= s->p[i].lanes[0] | s->p[i].lanes[1];
    }
    for (unsigned i = 0; p->flags && i < 2; i++) {
        flags |= s->a[i].lanes[0] | s->a[i].lanes[1];
    }
    const bool constants = p->constants && s->consts != NULL && s->consts->any;
    return flags != 0 || constants || p->relative || (p->textures && wave_of(at)->naliases != 0);
}

bool lull_shadow_meets(const struct lull_shadow *s, const struct lull_observed *at,
                       const struct lull_shadow_plan *p)
{
    uint64_t met = 0;
    for (unsigned i = 0; i < LULL_SHADOW_WORDS; i++) {
        met |= s->marked[i] & (p->reads[i] | p->writes[i]);
    }
    return met != 0 || meets_others(s, at, p);
}

bool lull_shadow_reads(const struct lull_shadow *s, const struct lull_observed *at,
                       const struct lull_shadow_plan *p)
{
    uint64_t met = 0;
    for (unsigned i = 0; i < LULL_SHADOW_WORDS; i++) {
        met |= s->marked[i] & p->reads[i];
    }
    return met != 0 || meets_others(s, at, p);
}

static struct lull_shadow_now now_of(struct lull_shadow *s, const struct lull_observed *at)
{
    const struct lull_ir3_seen *seen = (const struct lull_ir3_seen *)(const void *)at;
    return (struct lull_shadow_now){.s = s,
                                    .at = at,
                                    .w = seen->wave,
                                    .env = seen->env,
                                    .in = &lull_arch_ir3_of(at->insn)->in,
                                    .active = {at->active, at->active_high}};
}

/** What it reads; where alias.tex says so @p room is that. */
static const struct lull_arch_ir3_uses *uses_of(const struct lull_observed *at,
                                                const struct lull_shadow_plan *p,
                                                struct lull_arch_ir3_uses *room)
{
    const struct lull_ir3_wave *w = wave_of(at);
    const struct lull_arch_ir3_insn *insn = lull_arch_ir3_of(at->insn);
    struct lull_arch_ir3_aliases aliases = {.n = p->textures ? w->naliases : 0};
    if (aliases.n == 0) {
        return &p->uses;
    }
    for (unsigned i = 0; i < aliases.n && i < LULL_ARCH_IR3_ALIASES; i++) {
        aliases.of[i] = w->aliases[i].of;
        aliases.by[i] = w->aliases[i].is;
    }
    lull_arch_ir3_uses(&insn->in, insn->gen, at->lanes, &aliases, room);
    return room;
}

static void add_lanes(struct lull_shadow_found *f, const uint64_t lanes[2], uint32_t from)
{
    f->from = (lanes[0] | lanes[1]) != 0 && f->from == 0 ? from : f->from;
    f->lanes[0] |= lanes[0];
    f->lanes[1] |= lanes[1];
}

/** Lanes of @p f that are marked in any of @p span. */
static void any_of(const struct lull_shadow *s, const struct lull_arch_ir3_span *span,
                   const uint64_t active[2], struct lull_shadow_found *f)
{
    for (unsigned k = 0; k < span->count; k++) {
        uint32_t mask = 0;
        uint64_t lanes[2];
        const unsigned reg = reg_of(span, k, &mask);
        if (reg < LULL_SHADOW_REGS && lull_shadow_lanes(s, reg, mask, active, lanes)) {
            add_lanes(f, lanes, s->from[reg]);
        }
    }
}

/** Lanes in which the lowest byte of all of @p span is. */
static void all_of(const struct lull_shadow *s, const struct lull_arch_ir3_span *span,
                   const uint64_t active[2], struct lull_shadow_found *f)
{
    uint64_t all[2] = {active[0], active[1]};
    uint32_t from = 0;
    for (unsigned k = 0; k < span->count; k++) {
        uint64_t lanes[2] = {0};
        uint32_t mask = 0;
        const unsigned reg = reg_of(span, k, &mask);
        if (reg < LULL_SHADOW_REGS &&
            lull_shadow_lanes(s, reg, mask & ~(mask << BYTE), active, lanes)) {
            from = from == 0 ? s->from[reg] : from;
        }
        all[0] &= lanes[0];
        all[1] &= lanes[1];
    }
    add_lanes(f, all, from);
}

/** Category 0: what decides where lanes go. */
static struct lull_shadow_found branches(const struct lull_shadow *s,
                                         const struct lull_observed *at,
                                         const struct lull_shadow_plan *p)
{
    struct lull_shadow_found f = {.use = LULL_SHADOW_BRANCH};
    for (unsigned i = 0; i < p->uses.nread; i++) {
        const struct lull_arch_ir3_span *span = &p->uses.read[i];
        for (unsigned k = 0; k < span->count; k++) {
            const unsigned place = lull_arch_ir3_place(span, k);
            if (place >= LULL_ARCH_IR3_SPECIAL + 2 && place < LULL_ARCH_IR3_PLACES) {
                const struct lull_shadow_flag *flag = &s->p[place - LULL_ARCH_IR3_SPECIAL - 2];
                const uint64_t lanes[2] = {flag->lanes[0] & at->active,
                                           flag->lanes[1] & at->active_high};
                add_lanes(&f, lanes, flag->from);
            }
        }
    }
    return f;
}

/** Is operand @p k data? Of atomics and stores. */
static bool is_data(const struct lull_shadow_plan *p, unsigned k)
{
    const enum lull_ir3_count count = k < 4 ? p->uses.row->read[k].count : LULL_IR3_COUNT_NONE;
    return p->stores && (count == LULL_IR3_COUNT_SIZE || count == LULL_IR3_COUNT_DATA ||
                         count == LULL_IR3_COUNT_AFTER);
}

struct lull_shadow_found lull_shadow_used(const struct lull_shadow *s,
                                          const struct lull_observed *at,
                                          const struct lull_shadow_plan *p, bool strict)
{
    const struct lull_arch_ir3_insn *insn = lull_arch_ir3_of(at->insn);
    const uint64_t active[2] = {at->active, at->active_high};
    struct lull_shadow_found address = {.use = LULL_SHADOW_ADDRESS},
                             data = {.use = LULL_SHADOW_DATA};
    if (insn->in.category == 0) {
        const struct lull_shadow_found f = branches(s, at, p);
        return (f.lanes[0] | f.lanes[1]) != 0 ? f : (struct lull_shadow_found){0};
    }
    if (p->kind != LULL_SHADOW_LOCAL && p->kind != LULL_SHADOW_PRIVATE &&
        (p->kind != LULL_SHADOW_MEMORY ||
         (insn->in.op == LULL_IR3_OP_STC && s->consts != NULL))) { // It moves marks.
        return (struct lull_shadow_found){0};
    }
    struct lull_arch_ir3_uses room;
    const struct lull_arch_ir3_uses *uses = uses_of(at, p, &room);
    for (unsigned i = 0; i < uses->nread; i++) {
        const bool is = is_data(p, uses->read[i].operand);
        if (is && strict) {
            all_of(s, &uses->read[i], active, &data);
        } else {
            any_of(s, &uses->read[i], active, is ? &data : &address);
        }
    }
    return (address.lanes[0] | address.lanes[1]) != 0 ? address
           : (data.lanes[0] | data.lanes[1]) != 0     ? data
                                                      : (struct lull_shadow_found){0};
}

struct lull_shadow_found lull_shadow_given(const struct lull_shadow *s,
                                           const struct lull_observed *at)
{
    const struct lull_ir3_seen *seen = (const struct lull_ir3_seen *)(const void *)at;
    const struct lull_ir3_launch *l = &seen->env->launch;
    const uint64_t active[2] = {at->active & ~seen->wave->helpers.w[0],
                                at->active_high & ~seen->wave->helpers.w[1]};
    struct lull_shadow_found f = {.use = LULL_SHADOW_DATA};
    const bool ends = lull_arch_ir3_of(at->insn)->in.op == LULL_IR3_OP_END;
    for (unsigned i = 0; ends && i < l->ngives; i++) {
        const struct lull_ir3_operand *o = &l->gives[i];
        const unsigned reg = lull_shadow_reg(o->value, o->half);
        const unsigned shift = o->half ? (unsigned)(o->value & 1) * HALF : 0;
        const uint32_t mask = o->half ? (uint32_t)UINT16_MAX << shift : UINT32_MAX;
        uint64_t lanes[2];
        if (reg < LULL_SHADOW_REGS && lull_shadow_lanes(s, reg, mask, active, lanes)) {
            add_lanes(&f, lanes, s->from[reg]);
        }
    }
    return (f.lanes[0] | f.lanes[1]) != 0 ? f : (struct lull_shadow_found){0};
}

unsigned lull_shadow_unnumbered(const struct lull_shadow *s, const struct lull_observed *at,
                                const struct lull_shadow_plan *p, unsigned *lane)
{
    const uint64_t active[2] = {at->active, at->active_high};
    struct lull_arch_ir3_uses room;
    const struct lull_arch_ir3_uses *uses = uses_of(at, p, &room);
    for (unsigned i = 0; i < uses->nread; i++) {
        const struct lull_arch_ir3_span *span = &uses->read[i];
        const unsigned each = span->relative ? at->lanes : 1; // Lanes with registers of their own.
        for (unsigned k = 0; k < span->count * each; k++) {
            struct lull_arch_ir3_span there = *span;
            uint64_t lanes[2];
            uint32_t mask = 0;
            there.number += span->relative ? (unsigned)wave_of(at)->a0[k % each] : 0;
            const unsigned reg = reg_of(&there, k / each, &mask);
            if (reg == LULL_SHADOW_REGS || s->from[reg] != 0 ||
                !lull_shadow_lanes(s, reg, mask, active, lanes)) {
                continue;
            }
            *lane = span->relative  ? k % each
                    : lanes[0] != 0 ? (unsigned)__builtin_ctzll(lanes[0])
                                    : 64 + (unsigned)__builtin_ctzll(lanes[1]);
            if ((lanes[*lane / 64] >> *lane % 64 & 1) != 0) {
                return reg;
            }
        }
    }
    return LULL_SHADOW_REGS;
}

void lull_shadow_settle(struct lull_shadow *s, const struct lull_observed *at,
                        const struct lull_shadow_plan *p)
{
    const uint64_t off[2] = {~at->active, ~at->active_high};
    struct lull_arch_ir3_uses room;
    const struct lull_arch_ir3_uses *uses = uses_of(at, p, &room);
    for (unsigned i = 0; i < uses->nread; i++) {
        const struct lull_arch_ir3_span *span = &uses->read[i];
        for (unsigned k = 0; !is_data(p, span->operand) && k < span->count; k++) {
            const unsigned place = lull_arch_ir3_place(span, k);
            uint32_t mask = 0;
            const unsigned reg = reg_of(span, k, &mask);
            if (reg < LULL_SHADOW_REGS) {
                lull_shadow_keep(s, reg, mask, off);
            } else if (place >= LULL_ARCH_IR3_SPECIAL + 2 && place < LULL_ARCH_IR3_PLACES) {
                struct lull_shadow_flag *f = &s->p[place - LULL_ARCH_IR3_SPECIAL - 2];
                f->lanes[0] &= off[0];
                f->lanes[1] &= off[1];
            }
        }
    }
}

/** The lane whose value lane @p i gets. */
static unsigned partner(const struct lull_shadow_now *n, unsigned i, uint32_t by)
{
    if (n->in->op != LULL_IR3_OP_BRCST_ACTIVE) {
        return lull_ir3_partner(n->in, i, by, n->w->fibers) % LULL_SHADOW_FIBERS;
    }
    const unsigned size = n->in->m.cluster > 0 ? n->in->m.cluster : 2, first = i / size * size;
    unsigned from = LULL_SHADOW_FIBERS;
    for (unsigned k = first; i % size >= size / 2 && k < first + size / 2; k++) {
        from = (n->active[k / 64] >> k % 64 & 1) != 0 ? k : from;
    }
    return from;
}

/** Lanes that read others'. */
static void lanes(struct lull_shadow_now *n)
{
    const struct lull_ir3_insn *in = n->in;
    uint32_t marks[LULL_SHADOW_FIBERS], ret[LULL_SHADOW_FIBERS], by[LULL_IR3_FIBERS] = {0};
    struct lull_ir3_operand dst = in->dst[0];
    dst.half = lull_arch_ir3_type_bytes(in->m.type) < 4;
    uint32_t old[LULL_SHADOW_FIBERS] = {0};
    const bool had = lull_shadow_source(n, &dst, 0, old);
    n->from = 0;
    const bool some = lull_shadow_source(n, &in->src[0], 0, marks);
    if (in->nsrc > 1) {
        (void)lull_ir3_fetch(n->w, n->env, &in->src[1], 0, by);
    }
    for (unsigned i = 0; i < LULL_SHADOW_FIBERS; i++) {
        const unsigned from = is_derivative(in->op) ? i : partner(n, i, by[i]);
        ret[i] = from == LULL_SHADOW_FIBERS ? (had ? old[i] : 0) : some ? marks[from] : 0;
        if (is_derivative(in->op) && some) {
            const unsigned quad = i & ~3u;
            ret[i] = (marks[quad] | marks[quad + 1] | marks[quad + 2] | marks[quad + 3]) != 0
                         ? UINT32_MAX
                         : 0;
        }
    }
    lull_shadow_result(n, &dst, 0, some || had ? ret : NULL);
}

/** What the instruction writes has no marks, in lanes that are on. */
static void clear(struct lull_shadow_now *n, const struct lull_shadow_plan *p)
{
    for (unsigned i = 0; i < p->uses.nwritten; i++) {
        const struct lull_arch_ir3_span *span = &p->uses.written[i];
        for (unsigned k = 0; k < span->count; k++) {
            uint32_t mask = 0;
            const unsigned reg = reg_of(span, k, &mask);
            const uint64_t off[2] = {~n->active[0], ~n->active[1]}, none[2] = {0};
            if (reg < LULL_SHADOW_REGS) {
                const bool shared = reg >= LULL_ARCH_IR3_FIRST_SHARED;
                lull_shadow_keep(n->s, reg, mask, shared ? none : off);
            }
        }
    }
}

/** It writes constants, which have the marks of what the first lane that is on gives; loads give
 * none. */
static void constants(struct lull_shadow_now *n)
{
    enum { VEC4 = 4 };
    const struct lull_ir3_insn *in = n->in;
    const bool loads = in->op == LULL_IR3_OP_LDC_K, stores = in->op == LULL_IR3_OP_STC;
    const bool others = in->op == LULL_IR3_OP_STSC || in->op == LULL_IR3_OP_LDG_K;
    const bool by_a1 = loads || (in->ndst > 0 && in->dst[0].kind == LULL_IR3_K_CONSTA1);
    const uint32_t first = (loads ? 0 : (uint32_t)in->dst[0].value) + (by_a1 ? n->w->a1 : 0);
    const uint32_t count = (uint32_t)in->m.size * (loads ? VEC4 : 1);
    for (uint32_t k = 0; (loads || stores || others) && k < count; k++) {
        const unsigned reg =
            stores ? lull_shadow_reg(in->src[0].value + (int32_t)k, false) : LULL_SHADOW_REGS;
        uint64_t lanes[2] = {0};
        const bool some =
            reg < LULL_SHADOW_REGS && lull_shadow_lanes(n->s, reg, UINT32_MAX, n->active, lanes);
        lull_shadow_mark_constant(n->s, first + k, some ? n->s->from[reg] : 0);
    }
}

void lull_shadow_move(struct lull_shadow *s, const struct lull_observed *at,
                      const struct lull_shadow_plan *p)
{
    struct lull_shadow_now n = now_of(s, at);
    if (p->constants && s->consts != NULL) {
        constants(&n);
    }
    const bool none = (at->active | at->active_high) == 0;
    if (p->kind == LULL_SHADOW_ALU && (none || lull_shadow_reads(s, at, p))) {
        lull_shadow_alu(&n);
    } else if (p->kind == LULL_SHADOW_LANES) {
        lanes(&n);
    } else {
        clear(&n, p);
    }
}
