// SPDX-License-Identifier: MIT
// What the rows of data/adreno/pm4.sem say: registers, memory, calls, draws.
#include <string.h>

#include "adreno/stream/effects.h"

struct lull_as_frame *lull_as_buffer(struct lull_astream *s)
{
    return &s->frames[s->here];
}

/* What is known */

uint64_t lull_as_address(const struct lull_astream *s)
{
    return s->packet->address;
}

struct lull_av lull_as_modes(const struct lull_astream *s)
{
    return (struct lull_av){s->mode, s->mode_sure};
}

/** Where both pipes read, each has its own answer. */
struct lull_av lull_as_threads(const struct lull_astream *s)
{
    const bool one = s->pipes == LULL_AS_BR || s->pipes == LULL_AS_BV;
    return (struct lull_av){s->pipes, one && s->thread != 0};
}

/* Registers and memory, those that are written one after the other at once */

/** It has another state than before. */
static void set_state(struct lull_as_regs *r, uint32_t reg, bool known)
{
    const uint64_t bit = UINT64_C(1) << reg % 64;
    (known ? r->known : r->unknown)[reg / 64] |= bit;
    (known ? r->unknown : r->known)[reg / 64] &= ~bit;
    r->in_written[reg / 4096] |= UINT64_C(1) << reg / 64 % 64;
}

static void store(struct lull_as_regs *r, uint32_t reg, const uint32_t *values, uint32_t n,
                  bool known)
{
    const uint64_t *state = known ? r->known : r->unknown;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = (reg + i) % LULL_AS_REGS;
        const uint64_t bit = UINT64_C(1) << at % 64;
        r->v[at] = values[i];
        if ((r->fresh[at / 64] & bit) == 0) {
            r->fresh[at / 64] |= bit;
            r->in_fresh[at / 4096] |= UINT64_C(1) << at / 64 % 64;
            r->list[r->nlist++] = at;
        }
        if ((state[at / 64] & bit) == 0) {
            set_state(r, at, known);
        }
    }
}

void lull_astream_forget(struct lull_astream *s)
{
    for (unsigned pipe = 0; pipe < 2; pipe++) {
        struct lull_as_regs *r = &s->regs[pipe];
        for (uint32_t i = 0; (s->pipes >> pipe & 1) != 0 && i < r->nlist; i++) {
            r->fresh[r->list[i] / 64] = 0;
            r->in_fresh[r->list[i] / 4096] = 0;
        }
        r->nlist = (s->pipes >> pipe & 1) != 0 ? 0 : r->nlist;
    }
}

uint32_t lull_astream_next_reg(const struct lull_astream *s, bool all, uint32_t from)
{
    const struct lull_as_regs *r = lull_astream_regs(s);
    const uint64_t *words = all ? r->in_written : r->in_fresh;
    for (uint32_t word = from / 64; word < LULL_AS_REGS / 64; word++) {
        if (word % 64 == 0 && words[word / 64] == 0) {
            word += 63;
            continue;
        }
        const uint64_t bits = (all ? r->known[word] | r->unknown[word] : r->fresh[word]) &
                              (word == from / 64 ? UINT64_MAX << from % 64 : UINT64_MAX);
        if (bits != 0) {
            return word * 64 + (uint32_t)__builtin_ctzll(bits);
        }
    }
    return LULL_AS_REGS;
}

void lull_as_write(struct lull_astream *s, uint32_t reg, const uint32_t *values, uint32_t n,
                   bool known)
{
    known &= s->unsure == 0;
    if (lull_as_told(s, LULL_AS_WRITES)) {
        struct lull_as_event e;
        e.what = LULL_AS_WRITES;
        e.packet = s->packet;
        e.u.write.reg = reg % LULL_AS_REGS;
        e.u.write.n = n;
        e.u.write.values = values;
        e.u.write.known = known;
        s->sink.did(s->sink.ctx, s, &e);
    }
    if ((s->pipes & LULL_AS_BR) != 0) {
        store(&s->regs[0], reg, values, n, known);
    }
    if ((s->pipes & LULL_AS_BV) != 0) {
        store(&s->regs[1], reg, values, n, known);
    }
}

static uint32_t slot_of(uint64_t address)
{
    return (uint32_t)((address >> 2 ^ address >> 14 ^ address >> 32) % LULL_AS_STORES);
}

/** What the CP wrote at @p address, or the place for it. */
static struct lull_as_store *slot(struct lull_astream *s, uint64_t address)
{
    uint32_t at = slot_of(address);
    while (s->stores[at].address != 0 && s->stores[at].address != address) {
        at = (at + 1) % LULL_AS_STORES;
    }
    return &s->stores[at];
}

static void remember(struct lull_astream *s, uint64_t address, uint32_t value, bool known)
{
    if (s->memory.write != NULL) { // others write it, too: only memory itself knows
        if (known) {
            s->memory.write(s->memory.ctx, address, value);
        }
        return;
    }
    if (s->nstores > LULL_AS_STORES / 2) { // no capture needs so many
        memset(s->stores, 0, sizeof s->stores);
        s->nstores = 0;
        s->forgets = true;
    }
    struct lull_as_store *o = slot(s, address);
    s->nstores += o->address == 0;
    *o = (struct lull_as_store){address, value, known};
}

static void tell_memory(struct lull_astream *s, enum lull_as_what what, uint64_t address,
                        const uint32_t *values, uint32_t n, bool known, bool known_address)
{
    struct lull_as_event e = {.what = what};
    e.u.memory.address = address;
    e.u.memory.n = n;
    e.u.memory.values = values;
    e.u.memory.known = known;
    e.u.memory.known_address = known_address;
    lull_as_tell(s, e);
}

void lull_as_flush(struct lull_astream *s)
{
    const unsigned kind = s->run.kind;
    s->run.kind = LULL_AS_NO_RUN;
    if (kind == LULL_AS_RUN_REGS) {
        lull_as_write(s, (uint32_t)s->run.at, s->run.values, s->run.n, s->run.known);
    } else if (kind == LULL_AS_RUN_MEMORY) {
        tell_memory(s, LULL_AS_STORE, s->run.at, s->run.values, s->run.n, s->run.known, true);
    }
}

/** One more dword of what is being written. */
static void append(struct lull_astream *s, unsigned kind, uint64_t at, uint32_t step,
                   struct lull_av v)
{
    const bool fits = s->run.kind == kind && s->run.n < LULL_AS_RUN && s->run.known == v.known &&
                      at == s->run.at + s->run.n * (uint64_t)step;
    if (!fits) {
        lull_as_flush(s);
        s->run.kind = kind;
        s->run.at = at;
        s->run.n = 0;
        s->run.known = v.known;
    }
    s->run.values[s->run.n++] = v.known ? (uint32_t)v.v : 0;
}

struct lull_av lull_as_get_reg(struct lull_astream *s, struct lull_av at)
{
    const struct lull_as_regs *r = lull_astream_regs(s);
    const uint32_t reg = (uint32_t)at.v % LULL_AS_REGS;
    if (s->run.kind == LULL_AS_RUN_REGS && reg - s->run.at < s->run.n) {
        lull_as_flush(s);
    }
    const bool never = ((r->known[reg / 64] | r->unknown[reg / 64]) >> reg % 64 & 1) == 0;
    const bool known = (r->known[reg / 64] >> reg % 64 & 1) != 0 || (never && s->policy.mesa);
    return (struct lull_av){r->v[reg], known && at.known};
}

void lull_as_set_reg(struct lull_astream *s, struct lull_av at, struct lull_av v)
{
    (void)lull_astream_work(s, 1);
    if (at.known) {
        append(s, LULL_AS_RUN_REGS, at.v % LULL_AS_REGS, 1, v);
    }
}

struct lull_av lull_as_get_mem(struct lull_astream *s, struct lull_av at)
{
    (void)lull_astream_work(s, 1);
    struct lull_av v = lull_av_unknown();
    if (at.known) {
        const struct lull_as_store *o = slot(s, at.v);
        const struct lull_as_words w = o->address == 0 && !s->forgets
                                           ? s->memory.read(s->memory.ctx, at.v, 1)
                                           : (struct lull_as_words){0};
        v = o->address != 0 ? (struct lull_av){o->value, o->known}
            : w.n != 0      ? lull_av_of(w.words[0])
                            : v;
    }
    const uint32_t value = (uint32_t)v.v;
    tell_memory(s, LULL_AS_READ, at.v, &value, 1, v.known, at.known);
    return v;
}

void lull_as_set_mem(struct lull_astream *s, struct lull_av at, struct lull_av v)
{
    (void)lull_astream_work(s, 1);
    v.known &= s->unsure == 0;
    if (!at.known) {
        const uint32_t value = (uint32_t)v.v;
        lull_as_flush(s);
        tell_memory(s, LULL_AS_STORE, 0, &value, 1, v.known, false);
        return;
    }
    append(s, LULL_AS_RUN_MEMORY, at.v, 4, v);
    if (at.v != 0) {
        remember(s, at.v, (uint32_t)v.v, v.known);
    }
}

/** The scratch registers are registers. */
static struct lull_av scratch_reg(const struct lull_astream *s, struct lull_av at)
{
    return (struct lull_av){s->scratch + at.v % 8, at.known};
}

struct lull_av lull_as_get_scratch(struct lull_astream *s, struct lull_av at)
{
    return lull_as_get_reg(s, scratch_reg(s, at));
}

void lull_as_set_scratch(struct lull_astream *s, struct lull_av at, struct lull_av v)
{
    lull_as_set_reg(s, scratch_reg(s, at), v);
}

struct lull_av lull_as_get_chip(struct lull_astream *s, struct lull_av at)
{
    const unsigned i = (unsigned)(at.v % LULL_AS_CHIP);
    return (struct lull_av){s->chip[i], at.known && (s->chip_known >> i & 1) != 0};
}

void lull_as_set_chip(struct lull_astream *s, struct lull_av at, struct lull_av v)
{
    const unsigned i = (unsigned)(at.v % LULL_AS_CHIP);
    const bool known = v.known && at.known && s->unsure == 0;
    s->chip[i] = (uint32_t)v.v;
    s->chip_known = (s->chip_known & ~(UINT64_C(1) << i)) | (uint64_t)known << i;
}

struct lull_av lull_as_get_pred(struct lull_astream *s, struct lull_av at)
{
    const unsigned i = (unsigned)(at.v % LULL_AS_PREDICATES);
    return (struct lull_av){s->predicates >> i & 1,
                            at.known && (s->predicates_known >> i & 1) != 0};
}

void lull_as_set_pred(struct lull_astream *s, struct lull_av at, struct lull_av v)
{
    const uint32_t bit = 1u << at.v % LULL_AS_PREDICATES;
    const bool known = v.known && at.known && s->unsure == 0;
    s->predicates = v.v != 0 ? s->predicates | bit : s->predicates & ~bit;
    s->predicates_known = known ? s->predicates_known | bit : s->predicates_known & ~bit;
}

void lull_as_set_drawpred(struct lull_astream *s, struct lull_av at, struct lull_av v)
{
    v.known &= s->unsure == 0;
    s->draw_predicates[at.v % 3] = v;
}

/* Conditions */

static enum lull_as_outcome outcome(const struct lull_astream *s, struct lull_av c)
{
    return s->policy.conditions == LULL_AS_NONE ? LULL_AS_NOT_TAKEN
           : s->policy.conditions == LULL_AS_ALL || !c.known
               ? LULL_AS_UNKNOWN
               : (c.v != 0 ? LULL_AS_TAKEN : LULL_AS_NOT_TAKEN);
}

enum lull_as_outcome lull_as_branch(struct lull_astream *s, struct lull_av c)
{
    const enum lull_as_outcome o = outcome(s, c);
    struct lull_as_event e = {.what = LULL_AS_CONDITION};
    lull_as_flush(s);
    e.u.condition.outcome = o;
    lull_as_tell(s, e);
    return o;
}

void lull_as_begin(struct lull_astream *s, enum lull_as_outcome o)
{
    s->unsure += o == LULL_AS_UNKNOWN;
}

void lull_as_end(struct lull_astream *s, enum lull_as_outcome o)
{
    lull_as_flush(s); // while it is not sure
    s->unsure -= o == LULL_AS_UNKNOWN;
}

/** What is not known runs, and is told. */
void lull_as_do_exec(struct lull_astream *s, struct lull_av c, uint32_t dwords)
{
    struct lull_as_frame *f = lull_as_buffer(s);
    struct lull_as_event e = {.what = LULL_AS_CONDITION};
    e.u.condition.outcome = outcome(s, c);
    e.u.condition.dwords = dwords;
    lull_as_tell(s, e);
    if (e.u.condition.outcome == LULL_AS_NOT_TAKEN && dwords != 0) {
        f->dead_to = f->next + (dwords < f->n - f->next ? dwords : f->n - f->next);
    }
}

/* Buffers */

bool lull_as_do_need(struct lull_astream *s, uint32_t dwords)
{
    if (s->packet->n <= dwords && !s->policy.mesa) {
        lull_as_wrong(s, LULL_AS_SHORT_PACKET, s->packet->address, dwords + 1, s->packet->n);
        return false;
    }
    return true;
}

void lull_as_enqueue(struct lull_astream *s, struct lull_as_call call)
{
    if (s->ncalls == LULL_AS_CALLS) {
        lull_as_wrong(s, LULL_AS_TOO_DEEP, call.address, call.dwords, 0);
        return;
    }
    s->calls[s->ncalls++] = call;
}

void lull_as_do_call(struct lull_astream *s, uint64_t address, uint32_t dwords)
{
    lull_as_enqueue(
        s, (struct lull_as_call){.kind = LULL_AS_IB, .address = address, .dwords = dwords});
}

void lull_as_do_call_if(struct lull_astream *s, struct lull_av c, uint64_t address, uint32_t dwords)
{
    if (lull_as_branch(s, c) != LULL_AS_NOT_TAKEN) {
        lull_as_do_call(s, address, dwords);
    }
}

/** The rest of this buffer does not run. */
void lull_as_do_chain(struct lull_astream *s, uint64_t address, uint32_t dwords)
{
    struct lull_as_frame *f = lull_as_buffer(s);
    f->next = f->n;
    lull_as_do_call(s, address, dwords);
}

void lull_as_do_bins(struct lull_astream *s, uint32_t count, uint64_t prefix,
                     uint32_t prefix_dwords, uint32_t body_dwords)
{
    struct lull_as_frame *f = lull_as_buffer(s);
    const uint32_t left = f->n - f->next, n = body_dwords < left ? body_dwords : left;
    struct lull_as_frame *loop = lull_as_push_loop(s, LULL_AS_LOOP_BINS);
    if (loop != NULL) {
        loop->end = count;
        loop->address = prefix;
        loop->stride = prefix_dwords;
        loop->body = f->address + f->next * 4ull;
        loop->words = f->words + f->next;
        loop->n = n;
        loop->next = s->here;
    }
    f->next += n;
}

void lull_as_do_table(struct lull_astream *s, uint64_t address, uint32_t stride, uint32_t dwords,
                      uint32_t count)
{
    struct lull_as_frame *loop = lull_as_push_loop(s, LULL_AS_LOOP_TABLE);
    if (loop != NULL) {
        loop->end = count;
        loop->address = address;
        loop->stride = stride;
        loop->dwords = dwords;
        loop->next = s->here;
    }
}

/** Data that look like packets are packets to cffdump. */
void lull_as_do_commands(struct lull_astream *s, uint32_t from)
{
    const struct lull_as_packet *p = s->packet;
    const enum lull_apkt_type t =
        p->n > from + 1 ? lull_apkt_header(s->gen, p->words[from + 1]).type : LULL_APKT_BAD;
    struct lull_as_frame *f =
        t == LULL_APKT_WRITE || t == LULL_APKT_OP ? lull_as_push_loop(s, LULL_AS_DATA) : NULL;
    if (f != NULL) {
        f->address = p->address + (from + 1) * 4ull;
        f->words = p->words + from + 1;
        f->dwords = f->n = p->n - from - 1;
        f->nowhere = p->nowhere;
        lull_as_tell(s, (struct lull_as_event){.what = LULL_AS_CALL, .u.frame = f});
    }
}

/* Draw state, modes */

static void tell(struct lull_astream *s, enum lull_as_what what)
{
    lull_as_tell(s, (struct lull_as_event){.what = what});
}

void lull_as_do_group(struct lull_astream *s, const struct lull_as_group_of *of)
{
    const unsigned id = of->id % LULL_AS_GROUPS;
    struct lull_as_group *g = &s->groups[id];
    struct lull_as_event e = {.what = LULL_AS_GROUPS_TOLD};
    (void)lull_astream_work(s, 1);
    *g = (struct lull_as_group){
        .flags = (uint8_t)(of->dirty | of->off << 1 | of->all_off << 2 | of->at_once << 3),
        .mask = (uint8_t)of->modes};
    e.u.group.id = id;
    e.u.group.of = g;
    e.u.group.what = of->all_off ? LULL_AS_GROUP_ALL_OFF : LULL_AS_GROUP_OFF;
    if (of->all_off || of->off) {
        lull_as_tell(s, e);
        *g = (struct lull_as_group){0};
        s->has_group &= ~(1u << id);
        if (of->all_off) {
            lull_astream_drop_groups(s);
        }
        return;
    }
    g->address = of->address;
    g->count = of->count;
    g->pending = g->mask;
    s->has_group = (s->has_group & ~(1u << id)) | (uint32_t)(g->count != 0) << id;
    e.u.group.what = of->at_once ? LULL_AS_GROUP_AT_ONCE : LULL_AS_GROUP_SET;
    lull_as_tell(s, e);
    const bool counts = (g->mask & s->mode) != 0 || (s->policy.mesa && s->gen < 6);
    if (of->at_once && g->count != 0 && (!s->in_groups || s->policy.mesa)) {
        if (counts || s->policy.mesa) {
            lull_as_enqueue(s, (struct lull_as_call){.kind = LULL_AS_GROUP,
                                                     .number = id,
                                                     .address = g->address,
                                                     .dwords = g->count,
                                                     .left_out = !counts,
                                                     .flags = g->flags,
                                                     .mask = g->mask});
        }
        *g = (struct lull_as_group){0};
        s->has_group &= ~(1u << id);
    }
}

void lull_as_do_mode(struct lull_astream *s, uint32_t mask, bool sure)
{
    s->mode = mask != 0 ? mask : s->mode;
    s->mode_sure = mask != 0 ? sure : sure && s->mode_sure;
}

void lull_as_do_marker(struct lull_astream *s, uint32_t value)
{
    s->marker = value;
    tell(s, LULL_AS_MARKER);
}

void lull_as_do_render_mode(struct lull_astream *s, uint32_t value)
{
    s->render_mode = value;
    tell(s, LULL_AS_MARKER);
}

void lull_as_do_thread(struct lull_astream *s, uint32_t pipes)
{
    s->thread = pipes;
    s->pipes = pipes != 0 ? pipes : s->pipes;
    tell(s, LULL_AS_THREAD);
}

void lull_as_do_text(struct lull_astream *s)
{
    tell(s, LULL_AS_TEXT);
}

/* Loads, draws, events */

void lull_as_do_load(struct lull_astream *s, const struct lull_as_load *l)
{
    lull_as_tell(s, (struct lull_as_event){.what = LULL_AS_LOADS, .u.load = l});
}

static void draws(struct lull_astream *s, const struct lull_as_draw *of, enum lull_as_draw_kind k)
{
    const struct lull_av *p = s->draw_predicates;
    struct lull_as_draw d = *of;
    d.kind = k;
    d.predicate = LULL_AS_TAKEN;
    // Off, globally or locally, as far as is known: everything is drawn.
    if (k == LULL_AS_DRAW && p[0].known && p[0].v != 0 && p[1].known && p[1].v != 0) {
        d.predicate = !p[2].known   ? LULL_AS_UNKNOWN
                      : p[2].v != 0 ? LULL_AS_TAKEN
                                    : LULL_AS_NOT_TAKEN;
    }
    lull_as_tell(s, (struct lull_as_event){.what = LULL_AS_DRAWS, .u.draw = &d});
}

void lull_as_do_draw(struct lull_astream *s, const struct lull_as_draw *d)
{
    draws(s, d, LULL_AS_DRAW);
}

void lull_as_do_dispatch(struct lull_astream *s, const struct lull_as_draw *d)
{
    draws(s, d, LULL_AS_DISPATCH);
}

void lull_as_do_blit(struct lull_astream *s, const struct lull_as_draw *d)
{
    draws(s, d, LULL_AS_BLIT);
}

void lull_as_do_pixels(struct lull_astream *s, uint32_t event)
{
    draws(s, &(struct lull_as_draw){.op = event}, LULL_AS_PIXELS);
}

void lull_as_do_event(struct lull_astream *s, uint32_t event)
{
    lull_as_flush(s);
    lull_as_tell(s, (struct lull_as_event){.what = LULL_AS_EVENT, .u.event = event});
}

/* Waits: in a walk that is serial all is done */

static void waits(struct lull_astream *s, enum lull_as_wait kind)
{
    struct lull_as_event e = {.what = LULL_AS_WAITS};
    e.u.wait.kind = kind;
    lull_as_tell(s, e);
}

void lull_as_do_wait_idle(struct lull_astream *s)
{
    waits(s, LULL_AS_WAIT_IDLE);
}

void lull_as_do_wait_me(struct lull_astream *s)
{
    waits(s, LULL_AS_WAIT_ME);
}

void lull_as_do_wait_writes(struct lull_astream *s)
{
    waits(s, LULL_AS_WAIT_WRITES);
}

void lull_as_do_wait_other(struct lull_astream *s)
{
    waits(s, LULL_AS_WAIT_OTHER);
}

void lull_as_do_poll(struct lull_astream *s, uint32_t space, uint64_t address, uint32_t function,
                     uint32_t ref, uint32_t mask)
{
    struct lull_as_event e = {.what = LULL_AS_WAITS};
    e.u.wait.kind = LULL_AS_WAIT_POLL;
    e.u.wait.space = space;
    e.u.wait.address = address;
    e.u.wait.function = function;
    e.u.wait.ref = ref;
    e.u.wait.mask = mask;
    lull_as_tell(s, e);
}
