// SPDX-License-Identifier: MIT
// Where the GPU was: the ring is gone through by the engine, with conditions as far as they are
// known, up to the packet that the registers point to. The SQE's $01 is the header of the packet
// that it is in: the newest one with that header is it, and the other is only next.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/crash/crash_walk.h"
#include "adreno/stream/stream.h"
#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"

enum { INSTRLEN_BYTES = 128, WORK = 1 << 24 }; ///< SP_xS_INSTRLEN counts 16 instructions.

struct place {
    struct lull_crash *k;
    struct lull_crash_place *p;
    struct lull_astream s;
    struct lull_cff_mark marks[3];
    struct lull_crash_step current[LULL_AS_DEEPEST + 1]; ///< The packet of each level.
    uint64_t inner; ///< The buffer whose end is awaited: the GPU has read it all; 0: none.
    bool ended;     ///< It has ended: the GPU had not read the packet that is next.
};

/** Is it a packet that one wants to read of? Others only set state for those. */
static bool matters(const char *name)
{
    static const char *const names[] = {"CP_NOP", "CP_INDIRECT_BUFFER", "CP_LOAD_STATE",
                                        "CP_SET_DRAW_STATE", "CP_CONTEXT_REG"};
    for (size_t i = 0; name != NULL && i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(name, names[i], strlen(names[i])) == 0) {
            return false;
        }
    }
    return true;
}

static enum lull_crash_work work_of(const char *name)
{
    static const struct {
        const char *name;
        enum lull_crash_work work;
    } rows[] = {
        {"CP_DRAW_PRED", LULL_CRASH_NO_WORK},     {"CP_DRAW", LULL_CRASH_WORK_DRAW},
        {"CP_EXEC_CS", LULL_CRASH_WORK_DISPATCH}, {"CP_RUN_OPENCL", LULL_CRASH_WORK_DISPATCH},
        {"CP_BLIT", LULL_CRASH_WORK_BLIT},        {"CP_EVENT_WRITE", LULL_CRASH_WORK_EVENT}};
    for (size_t i = 0; name != NULL && i < sizeof rows / sizeof rows[0]; i++) {
        if (strncmp(name, rows[i].name, strlen(rows[i].name)) == 0) {
            return rows[i].work;
        }
    }
    return LULL_CRASH_NO_WORK;
}

/** A packet begins; those that are not executed are only where the GPU may be. */
static void step(struct place *l, const struct lull_as_packet *p)
{
    struct lull_crash_moment *m = &l->p->now;
    struct lull_crash_step one = {.address = p->nowhere ? 0 : p->address,
                                  .header = p->words[0],
                                  .ib = l->s.level,
                                  .n = p->n - 1 < LULL_CRASH_PAYLOAD ? p->n - 1
                                                                     : LULL_CRASH_PAYLOAD};
    memcpy(one.payload, p->words + 1, one.n * sizeof one.payload[0]);
    one.matters = p->type == LULL_APKT_BAD || (p->type == LULL_APKT_OP && matters(p->name));
    one.work = p->type == LULL_APKT_OP ? work_of(p->name) : LULL_CRASH_NO_WORK;
    if (one.work == LULL_CRASH_WORK_EVENT) {
        const struct lull_apkt_args a = lull_as_args(l->s.gen, p);
        one.event = lull_cp_event_write__event(&a);
    }
    l->current[l->s.level % (LULL_AS_DEEPEST + 1)] = one;
    if (p->dead) {
        return;
    }
    m->steps[m->nsteps++ % LULL_CRASH_STEPS] = one;
    if (one.work != LULL_CRASH_NO_WORK && one.work != LULL_CRASH_WORK_EVENT) {
        m->draw = one;
    }
}

/** The value of the first of two registers that this generation has; 0: neither. */
static uint64_t either(const struct place *l, const char *form, const char *other,
                       const char *stage)
{
    const struct lull_as_regs *r = lull_astream_regs(&l->s);
    char name[32];
    uint32_t at = 0;
    (void)snprintf(name, sizeof name, "SP_%s_%s", stage, form);
    bool found = lull_dom_find(l->k->cff->index, name, &at);
    if (!found) {
        (void)snprintf(name, sizeof name, "SP_%s_%s", stage, other);
        found = lull_dom_find(l->k->cff->index, name, &at);
    }
    return !found ? 0
                  : r->v[at] | (l->s.gen >= 5 ? (uint64_t)r->v[(at + 1) % LULL_AS_REGS] << 32 : 0);
}

static void programs(const struct place *l, struct lull_crash_program *ret)
{
    static const char *const stages[LULL_CRASH_PROGRAMS] = {"VS", "HS", "DS", "GS", "FS", "CS"};
    for (size_t i = 0; i < LULL_CRASH_PROGRAMS; i++) {
        const char *other = l->s.gen == 3 ? "OBJ_START_REG" : "OBJ_START_LO";
        const uint32_t units = (uint32_t)either(l, "INSTRLEN", "LENGTH_REG", stages[i]);
        ret[i].address = either(l, "OBJ_START", other, stages[i]);
        ret[i].bytes =
            l->s.gen >= 6 && units < UINT32_MAX / INSTRLEN_BYTES ? units * INSTRLEN_BYTES : 0;
    }
}

static bool field(const struct place *l, const char *reg, const char *name, uint32_t *ret)
{
    const struct lull_as_regs *r = lull_astream_regs(&l->s);
    uint32_t at = 0;
    uint64_t value = 0;
    if (!lull_dom_find(l->k->cff->index, reg, &at) || (r->known[at / 64] >> at % 64 & 1) == 0) {
        return false;
    }
    const struct lull_dom_hit hit = lull_dom_lookup(l->k->cff->index, at);
    const bool has =
        lull_dom_field(&lull_dom_adreno, &l->k->cff->dom, hit.reg, name, r->v[at], &value);
    *ret = (uint32_t)value;
    return has;
}

/** What the stream had set when this packet was met. */
static void state(struct place *l, struct lull_crash_moment *m)
{
    const struct lull_dom_state dom = {.chip = l->s.gen};
    const bool marks = l->s.gen >= 6;
    m->mode = l->s.marker == 0 && l->s.render_mode == 0
                  ? NULL
                  : lull_dom_enum_name(&lull_dom_adreno, &dom,
                                       marks ? LULL_ADRENO_ENUM_a6xx_marker
                                             : LULL_ADRENO_ENUM_render_mode_cmd,
                                       marks ? l->s.marker : l->s.render_mode);
    m->has_tile = field(l, "GRAS_SC_WINDOW_SCISSOR_TL", "X", &m->tile[0]) &&
                  field(l, "GRAS_SC_WINDOW_SCISSOR_TL", "Y", &m->tile[1]) &&
                  field(l, "GRAS_SC_WINDOW_SCISSOR_BR", "X", &m->tile[2]) &&
                  field(l, "GRAS_SC_WINDOW_SCISSOR_BR", "Y", &m->tile[3]);
    programs(l, m->programs);
}

/** The GPU was at the newest packet of level @p ib. @p read: it had read it. */
static void mark(struct place *l, unsigned ib, bool read)
{
    l->p->now.at = l->current[ib];
    l->p->now.at_read = read;
    l->p->mark = l->p->now;
    l->p->marked = true;
    state(l, &l->p->mark);
}

/** Does @p f lie where the registers say that level 1 or 2 is? NULL: no. */
static struct lull_cff_mark *mark_of(struct place *l, const struct lull_as_frame *f)
{
    const unsigned ib = l->s.level;
    struct lull_cff_mark *m = ib == 1 || ib == 2 ? &l->marks[ib] : NULL;
    return m == NULL || m->base == 0 || m->seen || f->address != m->base ||
                   (ib == 2 && l->marks[1].base != 0 && !l->marks[1].seen)
               ? NULL // maybe another call of the same buffer
               : m;
}

/** The GPU was here, if the byte at @p address of @p f is the first that it had not read.
 * @p asks: the buffer that the packet before it calls; NULL: none. */
static void reached(struct place *l, const struct lull_as_frame *f, uint64_t address,
                    const struct lull_as_frame *asks)
{
    struct lull_cff_mark *m = mark_of(l, f);
    if (m == NULL) {
        return;
    }
    m->size = f->n;
    const uint64_t end = m->base + f->n * 4ull;
    const uint64_t from = m->base + (uint32_t)(4 * (f->n - m->rem));
    if (address < from || address > end) {
        return;
    }
    m->seen = true;
    if (l->s.level == 1 && l->marks[2].found) {
        return; // what it calls has the mark
    }
    // It has read the call. If the buffer that was fetched last is that one, it has read that, too,
    // as nothing is left of it.
    const bool inside = asks != NULL && l->s.level == 1 && l->marks[2].rem == 0 &&
                        asks->address == l->k->seen.levels[2].base && asks->n != 0;
    l->inner = inside ? asks->address : 0;
    if (!inside) {
        mark(l, l->s.level, asks != NULL);
    }
}

/** A buffer of which nothing is left: the GPU was in its last packet, or is done with it. */
static void returned(struct place *l, const struct lull_as_frame *f)
{
    struct lull_cff_mark *m = mark_of(l, f);
    if (l->s.level == 2 && l->inner != 0 && f->address == l->inner) {
        l->ended = true;
    } else if (m != NULL && m->rem == 0 && f->n != 0 &&
               (l->s.level == 2 ? m->found : !l->marks[2].found)) {
        m->size = f->n;
        m->seen = true;
        l->ended = true;
    }
}

static void met(struct place *l, const struct lull_as_packet *p)
{
    step(l, p);
    if (l->ended && !l->p->marked) {
        mark(l, l->s.level % (LULL_AS_DEEPEST + 1), false);
    }
}

bool lull_crash_is_step(const struct lull_as_event *e)
{
    return (e->what == LULL_AS_MET ||
            (e->what == LULL_AS_WRONG && e->u.problem.kind == LULL_AS_BAD_HEADER)) &&
           !e->packet->dead;
}

static void did(void *ctx, struct lull_astream *s, const struct lull_as_event *e)
{
    struct place *l = ctx;
    const struct lull_as_packet *p = e->packet;
    switch ((unsigned)e->what) {
    case LULL_AS_MET:
        met(l, p);
        break;
    case LULL_AS_WRONG:
        if (e->u.problem.kind == LULL_AS_BAD_HEADER) {
            met(l, p);
        }
        break;
    case LULL_AS_DONE:
        reached(l, &s->frames[s->nframes - 1], p->address + p->n * 4ull - 1, NULL);
        break;
    case LULL_AS_ASKS: // what hangs in a buffer does not hang in its call
        reached(l, &s->frames[s->here], p->address + p->n * 4ull, e->u.frame);
        break;
    case LULL_AS_RETURN:
        returned(l, e->u.frame);
        break;
    default:
        break;
    }
}

static struct lull_as_words reads(void *ctx, uint64_t address, uint32_t n)
{
    const struct place *l = ctx;
    const struct lull_cff_words w = lull_cff_memory(l->k->cff, address, n);
    return (struct lull_as_words){w.words, w.address, w.n, w.nowhere};
}

const struct lull_crash_step *lull_crash_step_back(const struct lull_crash_moment *m, uint64_t back)
{
    return back < m->nsteps && back < LULL_CRASH_STEPS
               ? &m->steps[(m->nsteps - 1 - back) % LULL_CRASH_STEPS]
               : NULL;
}

void lull_crash_find_in(struct lull_crash *k)
{
    struct lull_crash_moment *m = &k->seen.place.mark;
    if (!k->seen.place.marked || !k->seen.has_sqe || k->seen.word == 0) {
        return;
    }
    const bool unread = !m->at_read;
    const struct lull_crash_step *s = NULL, *found = NULL;
    for (uint64_t i = 0; (s = lull_crash_step_back(m, i)) != NULL && found == NULL; i++) {
        const bool next = unread && s->address == m->at.address && s->ib == m->at.ib;
        found = !next && s->header == k->seen.word ? s : NULL;
        m->in_back = i;
    }
    if (found == NULL && m->at.header == k->seen.word) {
        found = &m->at;
        m->in_back = 0;
    }
    m->has_in = found != NULL;
    m->in = found != NULL ? *found : (struct lull_crash_step){0};
}

void lull_crash_find_place(struct lull_crash *k, const uint32_t *words, uint32_t n)
{
    struct place *l = calloc(1, sizeof *l);
    if (l == NULL) {
        lull_crash_damage(k, "no memory to go through a ring of %u dwords", n);
        return;
    }
    l->k = k;
    l->p = &k->seen.place;
    memcpy(l->marks, k->cff->marks, sizeof l->marks);
    l->marks[1].seen = l->marks[2].seen = false;
    l->s.mode = LULL_AS_ANY_MODE;
    l->s.memory = (struct lull_as_memory){.ctx = l, .read = reads};
    l->s.sink = (struct lull_as_sink){.ctx = l, .did = did};
    lull_astream_set_gpu(&l->s, k->cff->gen);
    const struct lull_as_words w = {.words = words, .n = n, .nowhere = true};
    bool more = lull_astream_start(&l->s, w, WORK);
    while (more && !l->p->marked) {
        more = lull_astream_step(&l->s);
    }
    if (!l->p->marked) {
        state(l, &l->p->now);
    }
    for (unsigned i = 1; i <= 2; i++) {
        k->cff->marks[i].size = l->marks[i].size;
        k->cff->marks[i].seen = l->marks[i].seen;
    }
    free(l);
}
