// SPDX-License-Identifier: MIT
// What is kept of registers, and what is wrong with using them now. Which instruction needs what:
// data/isa/ir3.haz.
#include <string.h>

#include "check/ir3/state.h"

static bool meet(const uint64_t a[2], const uint64_t b[2])
{
    return ((a[0] & b[0]) | (a[1] & b[1])) != 0;
}

static bool is_special(unsigned place)
{
    return place >= LULL_ARCH_IR3_SPECIAL;
}

static bool is_shared(unsigned place)
{
    return place >= 2 * LULL_ARCH_IR3_FIRST_SHARED && !is_special(place);
}

/** A component at hand. */
struct use {
    unsigned number, place, halves; ///< number: for people.
    bool half;
    uint64_t cycle; ///< When it is read or written.
    uint64_t lanes[2];
};

static bool pending(const struct lull_ir3h_now *n, const struct lull_ir3h_place *p,
                    const struct use *u)
{
    const bool quick = p->scalar && n->u.scalar && p->half == u->half;
    const uint32_t since = p->wait == LULL_IR3_WAIT_SY ? n->s->sy_at : n->s->ss_at;
    return p->result.seq > since && !quick && meet(p->result.lanes, u->lanes);
}

static const char *wait_name(enum lull_ir3_wait wait)
{
    return wait == LULL_IR3_WAIT_SY ? "(sy)" : wait == LULL_IR3_WAIT_SS ? "(ss)" : "(ss) or (sy)";
}

static unsigned slots(const struct lull_ir3h_now *n, const struct lull_ir3h_place *p,
                      const struct use *u)
{
    const enum lull_ir3_writer by = is_special(u->place) ? LULL_IR3_BY_ADDRESS : LULL_IR3_BY_ALU;
    const bool direct = n->u.alu && p->half == u->half && by == LULL_IR3_BY_ALU;
    const bool memory = n->in->category == 6 && by == LULL_IR3_BY_ALU;
    const enum lull_ir3_reader to = direct   ? LULL_IR3_TO_ALU
                                    : memory ? LULL_IR3_TO_MEMORY
                                             : LULL_IR3_TO_OTHER;
    for (unsigned i = 0; i < lull_ir3_nslot_rows; i++) {
        const struct lull_ir3_slots *r = &lull_ir3_slot_rows[i];
        if (r->writer == by && r->reader == to && n->insn->gen >= r->first_gen &&
            n->insn->gen <= r->last_gen && n->at->lanes >= r->first_lanes &&
            n->at->lanes <= r->last_lanes) {
            return r->slots;
        }
    }
    return 0;
}

/** @return It was told: the other half of the component need not be. */
static bool check_read(const struct lull_ir3h_now *n, const struct use *u)
{
    for (unsigned h = 0; h < u->halves; h++) {
        const struct lull_ir3h_place *p = &n->s->places[u->place + h];
        if (pending(n, p, u)) {
            lull_ir3h_tell(n, LULL_HAZARD_WAIT_READ, u->number, &p->result, wait_name(p->wait), 0);
            return true;
        }
        const uint64_t ready = p->cycle + 1 + slots(n, p, u);
        if (p->alu.seq != 0 && meet(p->alu.lanes, u->lanes) && u->cycle < ready) {
            lull_ir3h_tell(n, LULL_HAZARD_EARLY, u->number, &p->alu, NULL,
                           (unsigned)(ready - u->cycle));
            return true;
        }
    }
    return false;
}

static bool check_write(const struct lull_ir3h_now *n, const struct use *u)
{
    const struct lull_ir3h_wave *s = n->s;
    const uint32_t either = s->ss_at > s->sy_at ? s->ss_at : s->sy_at;
    for (unsigned h = 0; h < u->halves; h++) {
        const struct lull_ir3h_place *p = &s->places[u->place + h];
        if (pending(n, p, u)) {
            lull_ir3h_tell(n, LULL_HAZARD_WAIT_WRITE, u->number, &p->result, wait_name(p->wait), 0);
            return true;
        }
        const bool ordered = p->late_scalar && n->u.scalar;
        if (p->late_ss.seq > s->ss_at && !ordered && meet(p->late_ss.lanes, u->lanes)) {
            lull_ir3h_tell(n, LULL_HAZARD_LATE_READ, u->number, &p->late_ss, "(ss)", 0);
            return true;
        }
        if (p->late_any.seq > either && meet(p->late_any.lanes, u->lanes)) {
            lull_ir3h_tell(n, LULL_HAZARD_LATE_READ, u->number, &p->late_any, "(ss) or (sy)", 0);
            return true;
        }
    }
    return false;
}

static struct lull_ir3h_mark mark(const struct lull_ir3h_now *n, const struct use *u)
{
    return (struct lull_ir3h_mark){.lanes = {u->lanes[0], u->lanes[1]},
                                   .pc = n->at->pc,
                                   .word = n->insn->word,
                                   .seq = n->s->seq};
}

static bool done_read(const struct lull_ir3h_now *n, const struct use *u)
{
    const enum lull_ir3_wait wait = n->u.row->known ? n->u.row->sources
                                    : n->u.scalar   ? LULL_IR3_WAIT_SS
                                                    : LULL_IR3_WAIT_NONE;
    const bool stays = n->u.scalar && !is_shared(u->place);
    for (unsigned h = 0; h < u->halves && !stays && wait != LULL_IR3_WAIT_NONE; h++) {
        struct lull_ir3h_place *p = &n->s->places[u->place + h];
        if (wait == LULL_IR3_WAIT_SS) {
            p->late_ss = mark(n, u);
            p->late_scalar = n->u.scalar;
        } else {
            p->late_any = mark(n, u);
        }
    }
    return false;
}

static bool done_write(const struct lull_ir3h_now *n, const struct use *u)
{
    const enum lull_ir3_wait wait = n->u.row->known && n->u.row->result != LULL_IR3_WAIT_NONE
                                        ? n->u.row->result
                                    : is_shared(u->place) ? LULL_IR3_WAIT_SS
                                                          : LULL_IR3_WAIT_NONE;
    for (unsigned h = 0; h < u->halves; h++) {
        struct lull_ir3h_place *p = &n->s->places[u->place + h];
        p->half = u->half;
        p->scalar = n->u.scalar;
        p->wait = wait;
        // What is waited for comes behind what the ALU wrote before: legalize, delay_update().
        p->alu = wait == LULL_IR3_WAIT_NONE ? mark(n, u) : (struct lull_ir3h_mark){.seq = 0};
        p->result = wait != LULL_IR3_WAIT_NONE ? mark(n, u) : (struct lull_ir3h_mark){.seq = 0};
        p->cycle = u->cycle;
    }
    return false;
}

typedef bool use_fn(const struct lull_ir3h_now *n, const struct use *u);

/** Component @p k of @p span, in the lanes @p lanes, whose a0.x is @p a0. */
static void one(const struct lull_ir3h_now *n, const struct lull_arch_ir3_span *span, unsigned k,
                int a0, const uint64_t lanes[2], use_fn *fn)
{
    struct lull_arch_ir3_span there = *span;
    there.number += (unsigned)a0;
    struct use u = {.number = there.number + k,
                    .place = lull_arch_ir3_place(&there, k),
                    .half = span->half,
                    .cycle = n->s->cycle + span->at + (uint64_t)span->step * k,
                    .lanes = {lanes[0], lanes[1]}};
    u.halves = u.half || is_special(u.place) ? 1 : 2;
    if (is_shared(u.place)) {
        u.lanes[0] = u.lanes[1] = UINT64_MAX;
    }
    if (u.place + u.halves <= LULL_ARCH_IR3_PLACES) {
        (void)fn(n, &u);
    }
}

/** All that @p span means, each register once. */
static void each(const struct lull_ir3h_now *n, const struct lull_arch_ir3_span *span, use_fn *fn)
{
    const uint64_t active[2] = {n->at->active, n->at->active_high};
    for (unsigned k = 0; k < span->count; k++) {
        if (k < 32 && (span->mask >> k & 1) == 0) {
            continue;
        }
        if (!span->relative) {
            one(n, span, k, 0, active, fn);
            continue;
        }
        for (unsigned lane = 0; lane < n->at->lanes; lane++) {
            const uint64_t lanes[2] = {lane < 64 ? active[0] & UINT64_C(1) << lane : 0,
                                       lane >= 64 ? active[1] & UINT64_C(1) << (lane - 64) : 0};
            uint32_t a0 = 0;
            if (meet(lanes, active) && n->at->read(n->at, LULL_ARCH_IR3_ADDRESS, lane, &a0)) {
                one(n, span, k, (int16_t)a0, lanes, fn);
            }
        }
    }
}

static void waits(struct lull_ir3h_now *n)
{
    struct lull_ir3h_wave *s = n->s;
    if (n->in->m.ss) {
        s->ss_at = s->seq;
        // In a preamble that starts early a1.x has no slots, but (ss): legalize.
        if (s->preamble) {
            s->places[LULL_ARCH_IR3_SPECIAL + 1].alu.seq = 0;
        }
    }
    if (n->in->m.sy) {
        s->sy_at = s->seq;
    }
    s->seq++;
}

/** The constant that @p o names first, if that is known. */
static bool constant_of(const struct lull_ir3h_now *n, const struct lull_ir3_operand *o,
                        unsigned *ret)
{
    const unsigned lane = n->at->active != 0 ? (unsigned)__builtin_ctzll(n->at->active) : 64;
    uint32_t a1 = 0;
    const bool known =
        o->kind == LULL_IR3_K_CONST || (o->kind == LULL_IR3_K_CONSTA1 && lane < n->at->lanes &&
                                        n->at->read(n->at, LULL_ARCH_IR3_ADDRESS + 1, lane, &a1));
    *ret = (unsigned)o->value + a1;
    return known && *ret < LULL_IR3H_CONSTS;
}

static void read_constant(const struct lull_ir3h_now *n, unsigned c)
{
    const struct lull_ir3h_wave *s = n->s;
    const unsigned number = LULL_ARCH_IR3_CONSTANTS + c;
    if (s->const_ss.seq > s->ss_at && (s->const_ss_set[c / 64] >> c % 64 & 1) != 0) {
        lull_ir3h_tell(n, LULL_HAZARD_WAIT_READ, number, &s->const_ss, "(ss)", 0);
    } else if (s->const_sy.seq > s->sy_at && (s->const_sy_set[c / 64] >> c % 64 & 1) != 0) {
        lull_ir3h_tell(n, LULL_HAZARD_WAIT_READ, number, &s->const_sy, "(sy)", 0);
    }
}

static void written_constants(const struct lull_ir3h_now *n, bool ss, unsigned first)
{
    struct lull_ir3h_wave *s = n->s;
    const struct use none = {.place = LULL_ARCH_IR3_PLACES};
    uint64_t *set = ss ? s->const_ss_set : s->const_sy_set;
    struct lull_ir3h_mark *by = ss ? &s->const_ss : &s->const_sy;
    const unsigned unit = n->in->op == LULL_IR3_OP_LDC_K ? 4 : 1;
    if (by->seq <= (ss ? s->ss_at : s->sy_at)) {
        memset(set, 0, sizeof s->const_ss_set);
    }
    *by = mark(n, &none);
    for (unsigned c = first; c < first + unit * (unsigned)n->in->m.size && c < LULL_IR3H_CONSTS;
         c++) {
        set[c / 64] |= UINT64_C(1) << c % 64;
    }
}

static void constants(const struct lull_ir3h_now *n)
{
    unsigned c = 0;
    for (unsigned i = 0; i < n->in->nsrc; i++) {
        const struct lull_ir3_operand *o = &n->in->src[i];
        const unsigned more = n->u.alu && o->r ? n->in->m.repeat : 0;
        for (unsigned k = 0; constant_of(n, o, &c) && k <= more && c + k < LULL_IR3H_CONSTS; k++) {
            read_constant(n, c + k);
        }
    }
    if (n->u.writes_const && n->in->ndst > 0 && constant_of(n, &n->in->dst[0], &c)) {
        written_constants(n, n->u.row->result == LULL_IR3_WAIT_SS, c);
    }
}

/** Slots that an instruction takes: legalize, count_instruction(). Those of the scalar ALU and of
 * categories 4 to 7 take none; what (nop) adds counts. */
static unsigned takes(const struct lull_ir3h_now *n)
{
    const enum lull_ir3_op op = n->in->op;
    const unsigned more = op == LULL_IR3_OP_SWZ                            ? 1
                          : op == LULL_IR3_OP_GAT || op == LULL_IR3_OP_SCT ? 3
                                                                           : n->in->m.repeat;
    const bool counts = (n->u.alu && !n->u.scalar) || n->in->category == 0;
    return (counts ? 1 + more : 0) + n->in->m.nop;
}

void lull_ir3h_rules(struct lull_ir3h_now *n)
{
    struct lull_ir3h_wave *s = n->s;
    const bool any = (n->at->active | n->at->active_high) != 0;
    waits(n);
    s->preamble = (s->preamble || n->in->op == LULL_IR3_OP_SHPS) && n->in->op != LULL_IR3_OP_SHPE;
    constants(n);
    for (unsigned i = 0; any && i < n->u.nread; i++) {
        each(n, &n->u.read[i], check_read);
    }
    for (unsigned i = 0; any && i < n->u.nwritten; i++) {
        each(n, &n->u.written[i], check_write);
    }
    for (unsigned i = 0; any && i < n->u.nread; i++) {
        each(n, &n->u.read[i], done_read);
    }
    for (unsigned i = 0; any && i < n->u.nwritten; i++) {
        each(n, &n->u.written[i], done_write);
    }
    lull_arch_ir3_alias(&s->aliases, n->in);
    s->cycle += takes(n);
}
