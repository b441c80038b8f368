// SPDX-License-Identifier: MIT
// The loop of the command processor: headers, the stack of buffers, and what loops over buffers.
#include <string.h>

#include "adreno/stream/effects.h"
#include "hw/adreno_chip.h"
#include "hw/adreno_doms.h"

enum { FIRST_PKT7 = 5, LAST_PKT3 = 4 };

static struct lull_as_frame *top(struct lull_astream *s)
{
    return &s->frames[s->nframes - 1];
}

static bool is_loop(const struct lull_as_frame *f)
{
    return f->kind >= LULL_AS_LOOP_CALLS;
}

/** In a loop over buffers, in a packet's payload: nothing that is called. */
static bool is_inline(enum lull_as_frame_kind kind)
{
    return kind == LULL_AS_DATA || kind >= LULL_AS_LOOP_CALLS;
}

bool lull_as_busy(struct lull_astream *s)
{
    return !s->idle && !s->stop;
}

void lull_as_tell(struct lull_astream *s, struct lull_as_event e)
{
    e.packet = s->packet;
    if (lull_as_told(s, e.what)) {
        s->sink.did(s->sink.ctx, s, &e);
    }
}

void lull_as_wrong(struct lull_astream *s, enum lull_as_problem kind, uint64_t address,
                   uint32_t dwords, uint32_t n)
{
    struct lull_as_event e = {.what = LULL_AS_WRONG};
    e.u.problem.kind = kind;
    e.u.problem.address = address;
    e.u.problem.dwords = dwords;
    e.u.problem.n = n;
    lull_as_tell(s, e);
}

bool lull_astream_work(struct lull_astream *s, uint64_t n)
{
    if (!s->idle && n > s->work) {
        s->idle = true;
        lull_as_wrong(s, LULL_AS_TOO_MUCH, 0, 0, 0);
    }
    s->work -= n < s->work ? n : s->work;
    return !s->idle;
}

struct lull_apkt_args lull_as_args(unsigned gen, const struct lull_as_packet *p)
{
    const uint32_t n = p->n != 0 ? p->n - 1 : 0;
    return (struct lull_apkt_args){.words = p->words + 1, .n = n, .there = n, .gen = gen};
}

void lull_astream_set_gpu(struct lull_astream *s, unsigned gen)
{
    const struct lull_dom_state dom = {.chip = gen};
    s->gen = gen;
    s->sink.deaf |= s->sink.did == NULL ? UINT32_MAX : 0;
    s->scratch = gen <= 3   ? LULL_AXXX_CP_SCRATCH_REG0
                 : gen == 4 ? LULL_A4XX_CP_SCRATCH_REG
                 : gen == 5 ? LULL_A5XX_CP_SCRATCH_REG
                            : LULL_A6XX_CP_SCRATCH_REG;
    s->pipes = gen >= 7 ? LULL_AS_BR | LULL_AS_BV : LULL_AS_BR;
    for (unsigned op = 0; op < LULL_AS_OPCODES; op++) {
        const char *name = lull_dom_enum_name(&lull_dom_adreno, &dom,
                                              LULL_ADRENO_ENUM_adreno_pm4_type3_packets, op);
        s->op_names[op] = name;
        s->op_doms[op] = lull_adreno_packet(name);
        s->op_rows[op] = NULL;
        for (unsigned i = 0; name != NULL && i < lull_as_nrows; i++) {
            const struct lull_as_row *r = &lull_as_rows[i];
            const bool mesa = (r->flags & LULL_AS_ROW_MESA) != 0;
            if (strcmp(r->name, name) == 0 && (mesa ? s->policy.mesa : s->op_rows[op] == NULL)) {
                s->op_rows[op] = r;
            }
        }
    }
}

void lull_astream_reset(struct lull_astream *s)
{
    const struct lull_as_policy policy = s->policy;
    const struct lull_as_memory memory = s->memory;
    const struct lull_as_sink sink = s->sink;
    const unsigned gen = s->gen;
    memset(s, 0, sizeof *s);
    s->policy = policy;
    s->memory = memory;
    s->sink = sink;
    s->mode = LULL_AS_ANY_MODE;
    if (gen != 0) {
        lull_astream_set_gpu(s, gen);
    }
}

/* The stack */

static struct lull_as_frame *push(struct lull_astream *s, enum lull_as_frame_kind kind)
{
    struct lull_as_frame *f = &s->frames[s->nframes++];
    memset(f, 0, sizeof *f);
    f->kind = kind;
    s->level += !is_inline(kind);
    return f;
}

struct lull_as_frame *lull_as_push_loop(struct lull_astream *s, enum lull_as_frame_kind kind)
{
    if (s->nframes + 2 > LULL_AS_FRAMES) {
        lull_as_wrong(s, LULL_AS_TOO_DEEP, 0, 0, 0);
        return NULL;
    }
    return push(s, kind);
}

static void tell_frame(struct lull_astream *s, enum lull_as_what what,
                       const struct lull_as_frame *f)
{
    lull_as_tell(s, (struct lull_as_event){.what = what, .u.frame = f});
}

static void done(struct lull_astream *s)
{
    if (lull_as_told(s, LULL_AS_DONE)) {
        lull_as_tell(s, (struct lull_as_event){.what = LULL_AS_DONE});
    }
}

static bool calls_itself(const struct lull_astream *s, const struct lull_as_frame *f)
{
    for (unsigned i = 0; i < s->nframes; i++) {
        const struct lull_as_frame *g = &s->frames[i];
        if (!is_inline(g->kind) && g->kind != LULL_AS_BODY && !g->nowhere &&
            g->address == f->address && (f->n != 0 || !s->policy.mesa)) {
            return true;
        }
    }
    return false;
}

/** Run a buffer, if it is there. @p words: of BODY, DATA. */
static void enter(struct lull_astream *s, struct lull_as_call call, const uint32_t *words)
{
    struct lull_as_frame f = {.kind = call.kind,
                              .number = call.number,
                              .address = call.address,
                              .words = words,
                              .dwords = call.dwords,
                              .n = call.dwords,
                              .left_out = call.left_out,
                              .flags = call.flags,
                              .mask = call.mask};
    const bool in_place = call.kind == LULL_AS_BODY || call.kind == LULL_AS_DATA;
    const unsigned deepest = s->policy.deepest != 0 ? s->policy.deepest : LULL_AS_DEEPEST;
    if (!in_place) {
        const struct lull_as_words w = s->memory.read(s->memory.ctx, call.address, call.dwords);
        f.words = w.words;
        f.n = w.n;
    }
    s->refuse = false;
    tell_frame(s, LULL_AS_ASKS, &f);
    if (s->refuse || f.left_out) {
        return;
    }
    if (f.n < f.dwords && !s->policy.mesa) {
        lull_as_wrong(s, LULL_AS_NO_BUFFER, f.address, f.dwords, f.n);
    }
    const bool itself = !in_place && calls_itself(s, &f);
    if (itself || s->nframes + 2 > LULL_AS_FRAMES ||
        (!is_inline(f.kind) && s->level + 1 >= deepest)) {
        lull_as_wrong(s, itself ? LULL_AS_CALLS_ITSELF : LULL_AS_TOO_DEEP, f.address, f.dwords,
                      f.n);
        return;
    }
    *push(s, f.kind) = f;
    tell_frame(s, LULL_AS_CALL, top(s));
}

/* Loops. Each goes on with one buffer, or says that it is at its end. */

static bool next_call(struct lull_astream *s, struct lull_as_frame *f)
{
    if (f->i == f->end) {
        s->ncalls = f->number;
        return false;
    }
    enter(s, s->calls[f->i++], NULL);
    return true;
}

// A round of a loop is told of, even if what it runs is empty: the work of so many dwords.
enum { ROUND_WORK = 64 };

static bool next_bin(struct lull_astream *s, struct lull_as_frame *f)
{
    if (f->i / 2 >= f->end || (f->i % 2 == 0 && !lull_astream_work(s, ROUND_WORK))) {
        return false;
    }
    const unsigned bin = f->i / 2;
    if (f->i++ % 2 == 0) {
        enter(s,
              (struct lull_as_call){.kind = LULL_AS_PREFIX,
                                    .number = bin,
                                    .address = f->address + (uint64_t)bin * f->stride * 4,
                                    .dwords = f->stride},
              NULL);
    } else {
        enter(s,
              (struct lull_as_call){
                  .kind = LULL_AS_BODY, .number = bin, .address = f->body, .dwords = f->n},
              f->words);
    }
    return true;
}

static bool next_entry(struct lull_astream *s, struct lull_as_frame *f)
{
    const uint64_t at = f->address + (uint64_t)f->i * f->stride * 4;
    if (f->i >= f->end || !lull_astream_work(s, ROUND_WORK)) {
        return false;
    }
    if (s->policy.mesa) { // which stops at the first that is not there
        const uint32_t n = s->memory.read(s->memory.ctx, at, f->dwords).n;
        const bool first = f->i == 0 && s->memory.read(s->memory.ctx, at, 1).n == 0;
        if (first || n < f->dwords) {
            lull_as_wrong(s, LULL_AS_NO_BUFFER, first ? at : 0, first ? f->dwords : f->end, f->i);
            return false;
        }
    }
    enter(s,
          (struct lull_as_call){
              .kind = LULL_AS_TABLE, .number = f->i, .address = at, .dwords = f->dwords},
          NULL);
    f->i++;
    return true;
}

void lull_astream_drop_groups(struct lull_astream *s)
{
    memset(s->groups, 0, sizeof s->groups);
    s->has_group = 0;
}

static void tell_group(struct lull_astream *s, unsigned id, enum lull_as_group_what what)
{
    struct lull_as_event e = {.what = LULL_AS_GROUPS_TOLD};
    e.u.group.id = id;
    e.u.group.what = what;
    e.u.group.of = &s->groups[id];
    lull_as_tell(s, e);
}

static bool next_group(struct lull_astream *s, struct lull_as_frame *f)
{
    const bool kept = s->policy.groups == LULL_AS_GROUPS_KEPT;
    while (f->i < LULL_AS_GROUPS && lull_as_busy(s) && s->has_group >> f->i != 0) {
        const unsigned id = f->i + (unsigned)__builtin_ctz(s->has_group >> f->i);
        f->i = id + 1;
        struct lull_as_group *g = &s->groups[id];
        const bool counts = (g->mask & s->mode) != 0 || (!kept && s->gen < 6);
        if (g->count == 0 || (kept && g->pending == 0)) {
            continue;
        }
        if (kept && !counts) {
            tell_group(s, id, LULL_AS_GROUP_LEFT_OUT);
        }
        if (!kept || (counts && (g->pending & s->mode) != 0)) {
            g->pending &= (uint8_t)~s->mode;
            enter(s,
                  (struct lull_as_call){.kind = LULL_AS_GROUP,
                                        .number = id,
                                        .address = g->address,
                                        .dwords = g->count,
                                        .left_out = !counts,
                                        .flags = g->flags,
                                        .mask = g->mask},
                  NULL);
            return true;
        }
    }
    s->in_groups = false;
    if (!kept && !s->keep_groups) {
        lull_astream_drop_groups(s);
    }
    return false;
}

static bool go_on(struct lull_astream *s, struct lull_as_frame *f)
{
    switch ((unsigned)f->kind) {
    case LULL_AS_LOOP_CALLS:
        return next_call(s, f);
    case LULL_AS_LOOP_GROUPS:
        return next_group(s, f);
    case LULL_AS_LOOP_BINS:
        return next_bin(s, f);
    default:
        return next_entry(s, f);
    }
}

/** A loop or buffer is at its end. */
static void pop(struct lull_astream *s)
{
    struct lull_as_frame *f = top(s);
    s->in_groups &= f->kind != LULL_AS_LOOP_GROUPS;
    s->ncalls = f->kind == LULL_AS_LOOP_CALLS ? f->number : s->ncalls;
    if (!is_loop(f)) {
        tell_frame(s, LULL_AS_RETURN, f);
    }
    s->level -= !is_inline(f->kind);
    s->nframes--;
}

/** Until there is a packet on top of the stack. */
static void settle(struct lull_astream *s)
{
    while (s->nframes > 0) {
        struct lull_as_frame *f = top(s);
        const bool busy = lull_as_busy(s);
        s->packet = &f->packet;
        if (is_loop(f)) { // which is about the packet of the buffer below
            s->packet = &s->frames[f->next].packet;
            if (!busy || !go_on(s, f)) {
                pop(s);
            }
            continue;
        }
        if (f->open) {
            f->open = false;
            done(s);
        }
        if (busy && (f->waits || f->next < f->n)) {
            break;
        }
        pop(s);
    }
    s->packet = NULL;
}

/* Packets */

static struct lull_apkt any_header(uint32_t word)
{
    const struct lull_apkt p = lull_apkt_header(FIRST_PKT7, word);
    return p.type != LULL_APKT_BAD ? p : lull_apkt_header(LAST_PKT3, word);
}

/** No packet: on to the next that is one, from a5xx on; before there is no telling. */
static void skip(struct lull_astream *s, struct lull_as_frame *f)
{
    const uint32_t from = f->next;
    f->packet = (struct lull_as_packet){.address = f->address + from * 4ull,
                                        .words = f->words + from,
                                        .n = 1,
                                        .said = 1,
                                        .nowhere = f->nowhere};
    f->next = s->gen >= 5 ? from + 1 : f->n;
    for (; f->next < f->n; f->next++) {
        const enum lull_apkt_type t = lull_apkt_header(s->gen, f->words[f->next]).type;
        if (t != LULL_APKT_BAD && !(s->policy.mesa && t == LULL_APKT_NOP)) {
            break;
        }
    }
    s->packet = &f->packet;
    lull_as_wrong(s, LULL_AS_BAD_HEADER, f->packet.address, f->words[from], f->next - from);
    (void)lull_astream_work(s, s->policy.mesa ? 1 : f->next - from);
}

/** The packet at f->next; false: there is none. */
static bool fetch(struct lull_astream *s, struct lull_as_frame *f)
{
    const uint32_t at = f->next, left = f->n - at;
    const struct lull_apkt a =
        s->policy.any_header ? any_header(f->words[at]) : lull_apkt_header(s->gen, f->words[at]);
    if (a.type == LULL_APKT_BAD) {
        skip(s, f);
        return false;
    }
    f->packet = (struct lull_as_packet){
        .address = f->address + at * 4ull,
        .words = f->words + at,
        .n = a.count < left ? a.count + 1 : left,
        .said = a.count + 1,
        .type = a.type,
        .what = a.what,
        .name = a.type == LULL_APKT_OP ? s->op_names[a.what % LULL_AS_OPCODES] : NULL,
        .dead = at < f->dead_to,
        .nowhere = f->nowhere,
    };
    s->packet = &f->packet;
    if (f->packet.n <= s->work) {
        s->work -= f->packet.n;
    } else {
        (void)lull_astream_work(s, f->packet.n);
    }
    return true;
}

static void met(struct lull_astream *s, struct lull_as_packet *p)
{
    s->packet = p;
    if (p->n < p->said && s->policy.mesa && !p->nowhere) {
        // What comes next in memory is taken for the rest of it.
        const struct lull_as_words w = s->memory.read(s->memory.ctx, p->address, p->said);
        p->words = w.n > p->n ? w.words : p->words;
        p->n = w.n > p->n ? w.n : p->n;
    }
    if (lull_as_told(s, LULL_AS_MET)) {
        lull_as_tell(s, (struct lull_as_event){.what = LULL_AS_MET});
    }
    if (p->n < p->said && !s->policy.mesa) {
        lull_as_wrong(s, LULL_AS_CUT_PACKET, p->address, p->said, p->n);
    }
}

static void effect(struct lull_astream *s, const struct lull_as_row *row)
{
    const struct lull_as_packet *p = s->packet;
    struct lull_apkt_args args = lull_as_args(s->gen, p);
    const unsigned first = s->ncalls;
    if (s->policy.mesa && !p->nowhere) { // which reads beyond packets
        enum { BEYOND = 16 };
        const struct lull_as_words w = s->memory.read(s->memory.ctx, p->address, p->n + BEYOND);
        const bool more = w.n > p->n;
        args.words = more ? w.words + 1 : args.words;
        args.there = more ? w.n - 1 : args.n;
    }
    row->run(s, &args);
    lull_as_flush(s);
    if (s->ncalls != first) {
        struct lull_as_frame *f = lull_as_push_loop(s, LULL_AS_LOOP_CALLS);
        if (f == NULL) {
            s->ncalls = first;
            return;
        }
        f->number = f->i = first;
        f->end = s->ncalls;
        f->next = s->here;
    }
}

/** Do the packet of @p f, which is on top of the stack. */
static void perform(struct lull_astream *s, struct lull_as_frame *f, uint32_t n)
{
    const struct lull_as_packet *p = &f->packet;
    const struct lull_as_row *row =
        p->type == LULL_APKT_OP ? s->op_rows[p->what % LULL_AS_OPCODES] : NULL;
    s->packet = p;
    f->next += n;
    f->waits = true;
    if (p->dead) {
        // nothing
    } else if (p->type == LULL_APKT_WRITE) {
        lull_as_write(s, p->what, p->words + 1, p->n - 1, true);
    } else if (row != NULL) {
        effect(s, row);
    } else if (p->type == LULL_APKT_OP) {
        lull_as_tell(s, (struct lull_as_event){.what = LULL_AS_NO_ROW});
    }
    f->waits = false;
    f->open = true;
}

/** As nearly always: the next packet is in the same buffer. */
static bool next_here(struct lull_astream *s, struct lull_as_frame *f)
{
    if (s->nframes - 1 == s->here && f->next < f->n && lull_as_busy(s)) {
        f->open = false;
        done(s);
        return true;
    }
    settle(s);
    return s->nframes != 0;
}

/** Registers are written, and nothing else: most packets. */
static bool step_write(struct lull_astream *s, struct lull_as_frame *f)
{
    const struct lull_as_packet *p = &f->packet;
    if (lull_as_told(s, LULL_AS_MET)) {
        lull_as_tell(s, (struct lull_as_event){.what = LULL_AS_MET});
    }
    lull_as_write(s, p->what, p->words + 1, p->n - 1, true);
    f->next += p->n;
    f->open = true;
    return next_here(s, f);
}

/** Groups of draw state run before the packet. @return False: the packet is done later. */
static bool groups_first(struct lull_astream *s, struct lull_as_frame *f)
{
    if (s->in_groups) {
        lull_as_wrong(s, LULL_AS_DRAW_IN_GROUP, f->packet.address, 0, 0);
        return true;
    }
    const unsigned here = s->nframes;
    struct lull_as_frame *loop =
        s->has_group != 0 ? lull_as_push_loop(s, LULL_AS_LOOP_GROUPS) : NULL;
    if (loop == NULL) {
        return true;
    }
    loop->next = s->here;
    s->in_groups = true;
    f->waits = true;
    settle(s);
    return s->nframes == here && f->waits;
}

bool lull_astream_step(struct lull_astream *s)
{
    if (s->nframes == 0) {
        return false;
    }
    struct lull_as_frame *f = top(s);
    s->here = s->nframes - 1;
    const bool again = f->waits;
    if (!again && !fetch(s, f)) {
        settle(s);
        return s->nframes != 0;
    }
    const struct lull_as_packet *p = &f->packet;
    if (p->type == LULL_APKT_WRITE && p->n == p->said && !p->dead) {
        return step_write(s, f);
    }
    const struct lull_as_row *row =
        p->type == LULL_APKT_OP ? s->op_rows[p->what % LULL_AS_OPCODES] : NULL;
    const bool groups = row != NULL && (row->flags & LULL_AS_ROW_GROUPS) != 0 && !p->dead;
    const bool late = groups && s->policy.groups == LULL_AS_GROUPS_FORGOTTEN;
    if (!again && !late) {
        met(s, &f->packet);
    }
    const uint32_t n = p->said < f->n - f->next ? p->said : f->n - f->next;
    if (!again && groups && !groups_first(s, f)) {
        return s->nframes != 0;
    }
    if (late) {
        met(s, &f->packet);
    }
    perform(s, f, n);
    return next_here(s, f);
}

bool lull_astream_start(struct lull_astream *s, struct lull_as_words w, uint64_t work)
{
    s->nframes = 0;
    s->level = 0;
    s->ncalls = 0;
    s->unsure = 0;
    s->in_groups = s->idle = false;
    s->work = work;
    struct lull_as_frame *f = push(s, LULL_AS_STREAM);
    s->level = 0;
    f->address = w.address;
    f->words = w.words;
    f->dwords = f->n = w.n;
    f->nowhere = w.nowhere;
    if (w.n == 0) {
        s->nframes = 0;
    }
    return s->nframes != 0;
}

void lull_astream_run_groups(struct lull_astream *s)
{
    const unsigned frames = s->nframes, here = s->here;
    const struct lull_as_packet *packet = s->packet;
    struct lull_as_frame *loop = s->in_groups ? NULL : lull_as_push_loop(s, LULL_AS_LOOP_GROUPS);
    if (loop == NULL) {
        return;
    }
    loop->next = here;
    s->in_groups = true;
    settle(s);
    while (s->nframes > frames && lull_astream_step(s)) {
    }
    s->here = here;
    s->packet = packet;
}

uint64_t lull_astream_at(const struct lull_astream *s)
{
    const struct lull_as_frame *f = s->nframes != 0 ? &s->frames[s->nframes - 1] : NULL;
    return f != NULL && !f->nowhere ? f->address + f->next * 4ull : 0;
}

const struct lull_as_regs *lull_astream_regs(const struct lull_astream *s)
{
    return &s->regs[s->pipes == LULL_AS_BV];
}
