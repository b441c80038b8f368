// SPDX-License-Identifier: MIT
// One invocation in two runs, compared: from what it stored back to where they part.
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "check/trace/part.h"

enum { DWORD = 4, VGPR0 = 256, EXEC = 126, FIRST_ROOM = 1024 };
enum { SHARED = 48 * 4, SHARED_END = 56 * 4 }; // Of ir3: one value for all lanes.

static bool same_text(const struct lull_tr_text *a, const struct lull_tr_text *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->text, b->text, a->size) == 0);
}

/** Do the runs have the same code? Addresses count from that of the first instruction. */
static bool same_code(const struct lull_tr_run *const runs[2])
{
    const struct lull_tr_run *a = runs[0], *b = runs[1];
    const struct lull_tr_step *const first[2] = {&a->steps[0], &b->steps[0]};
    if (lull_tr_code_at(b, first[1]->pc) == NULL) {
        return false;
    }
    for (size_t i = 0; i < a->ncodes; i++) {
        const uint64_t there = a->codes[i].pc - first[0]->pc + first[1]->pc;
        const struct lull_tr_code *other = lull_tr_code_at(b, there);
        if (other != NULL && !same_text(&a->codes[i].text, &other->text)) {
            return false;
        }
    }
    return lull_tr_code_at(a, first[0]->pc) != NULL;
}

static bool loads(const struct lull_tr_step *s)
{
    return s->bytes != 0 && (s->memory & LULL_TRACE_WRITES) == 0;
}

/** On an Adreno no register says which lanes are on. */
static bool has_exec(const struct lull_tr_run *r)
{
    return r->arch == &lull_arch_rdna3;
}

static bool is_exec(const struct lull_tr_run *r, uint32_t reg)
{
    return has_exec(r) && (reg == EXEC || reg == EXEC + 1);
}

/** Has each lane its own? */
static bool is_of_lane(const struct lull_tr_run *r, uint32_t reg)
{
    return r->arch == &lull_arch_rdna3 ? reg >= VGPR0 : reg < SHARED || reg >= SHARED_END;
}

/** A row of text begins so, behind "(jp)(sy)". */
static bool begins_with(const struct lull_tr_text *t, const char *word)
{
    uint32_t at = 0;
    while (at < t->size && t->text[at] == '(') {
        while (at < t->size && t->text[at++] != ')') {
        }
    }
    const size_t n = strlen(word);
    return t->size - at >= n && memcmp(t->text + at, word, n) == 0;
}

/** Values, open addressing; 0 is always there. */
struct values {
    uint32_t *all;
    size_t n, room;
};

static size_t value_at(const struct values *v, uint32_t x)
{
    size_t at = (size_t)(x * 0x9e3779b1u >> 7) & (v->room - 1);
    while (v->all[at] != 0 && v->all[at] != x) {
        at = (at + 1) & (v->room - 1);
    }
    return at;
}

static bool has_value(const struct values *v, uint32_t x)
{
    return x == 0 || (v->room != 0 && v->all[value_at(v, x)] == x);
}

static bool add_value(struct values *v, uint32_t x)
{
    if (2 * (v->n + 1) > v->room) {
        const struct values old = *v;
        v->room = old.room != 0 ? 2 * old.room : FIRST_ROOM;
        v->all = calloc(v->room, sizeof *v->all);
        if (v->all == NULL) {
            *v = old;
            return false;
        }
        for (size_t i = 0; i < old.room; i++) {
            if (old.all[i] != 0) {
                v->all[value_at(v, old.all[i])] = old.all[i];
            }
        }
        free(old.all);
    }
    if (x != 0) {
        uint32_t *slot = &v->all[value_at(v, x)];
        v->n += *slot == 0;
        *slot = x;
    }
    return true;
}

/** Back from the store: what of its making the other run does not have. */
struct walk {
    const struct lull_tr_run *run;
    const struct lull_tr_run *same; ///< Of same code: the other run,
    size_t aligned;                 ///< whose first steps are so many of the same instructions.
    const struct values *other;     ///< Of other code: its values. Neither: all is followed.
    bool *seen;                     ///< By step. Owned.
    size_t *todo;                   ///< Steps whose operands are to be looked at. Owned.
    size_t ntodo;
    uint32_t dword; ///< Of the store: only that is asked about.
    size_t best;    ///< The first of them that the other run could have made; nsteps: none.
};

LULL_MUST_USE static struct lull_error *walk_begin(struct walk *w)
{
    const size_t n = w->run->nsteps;
    w->seen = calloc(n + 1, sizeof *w->seen);
    w->todo = calloc(n + 1, sizeof *w->todo);
    w->best = n;
    return w->seen != NULL && w->todo != NULL ? NULL : &lull_enomem;
}

static void walk_end(struct walk *w)
{
    free(w->seen);
    free(w->todo);
}

/** Does the other run have read number @p k of step @p i? */
static bool both_have(const struct walk *w, size_t i, uint32_t k, uint32_t value)
{
    uint32_t reg = 0, there = 0;
    if (w->same != NULL) {
        lull_tr_reg(&w->same->steps[i], k, &reg, &there);
        return i < w->aligned && there == value;
    }
    return w->other != NULL && has_value(w->other, value);
}

/** Comparing sets masks of lanes, which compilers turn around. */
static bool compares(const struct walk *w, size_t i)
{
    const struct lull_tr_code *c = lull_tr_code_at(w->run, w->run->steps[i].pc);
    return w->same == NULL && c != NULL &&
           begins_with(&c->text, w->run->arch == &lull_arch_rdna3 ? "v_cmp" : "cmps");
}

static void visit(struct walk *w, size_t i)
{
    if (!w->seen[i]) {
        w->seen[i] = true;
        w->todo[w->ntodo++] = i;
    }
}

static bool writes(const struct lull_tr_run *run, const struct lull_tr_step *s, uint32_t reg)
{
    if (is_of_lane(run, reg) && (s->flags & LULL_TRACE_ACTIVE) == 0) {
        return false;
    }
    for (uint32_t k = s->nreads; k < s->nreads + s->nwrites; k++) {
        uint32_t r = 0, value = 0;
        lull_tr_reg(s, k, &r, &value);
        if (r == reg) {
            return true;
        }
    }
    return false;
}

/** Who made register @p reg before step @p i; nsteps: nobody. */
static size_t maker(const struct lull_tr_run *r, size_t i, uint32_t reg)
{
    while (i > 0) {
        if (writes(r, &r->steps[--i], reg)) {
            return i;
        }
    }
    return r->nsteps;
}

/** The invocation's own store to what step @p i loads; nsteps: there is none. */
static size_t own_store(const struct lull_tr_run *r, size_t i)
{
    const struct lull_tr_step *l = &r->steps[i];
    const uint32_t spaces = LULL_TRACE_LOCAL | LULL_TRACE_PRIVATE;
    while (i > 0) {
        const struct lull_tr_step *s = &r->steps[--i];
        if (s->bytes != 0 && (s->memory & LULL_TRACE_WRITES) != 0 &&
            (s->memory & spaces) == (l->memory & spaces) && s->address < l->address + l->bytes &&
            l->address < s->address + s->bytes) {
            return i;
        }
    }
    return r->nsteps;
}

/** What turned the lane on or off for step @p i. */
static void visit_exec(struct walk *w, size_t i)
{
    for (uint32_t reg = EXEC; has_exec(w->run) && reg <= EXEC + 1u; reg++) {
        const size_t from = maker(w->run, i, reg);
        if (from != w->run->nsteps) {
            visit(w, from);
        }
    }
}

/**
 * Of same code: step @p a of the run made it, and step @p b of the other run. If these are not one
 * step, the lane was on for the later in one run only, and that is followed.
 */
static bool made_elsewhere(struct walk *w, size_t i, size_t a, size_t b)
{
    if (w->same == NULL || i >= w->aligned || (a == b && a != w->run->nsteps) ||
        (a == w->run->nsteps && b == w->same->nsteps)) {
        return false;
    }
    const size_t x = a == w->run->nsteps ? 0 : a, y = b == w->same->nsteps ? 0 : b;
    visit_exec(w, x > y ? x : y);
    return true;
}

enum which { WHICH_ALL, WHICH_DATA, WHICH_DWORD, WHICH_EXEC };

static bool is_asked(const struct walk *w, const struct lull_tr_step *s, uint32_t reg,
                     enum which which)
{
    const uint32_t dwords = (s->bytes + 3) / 4;
    switch (which) {
    case WHICH_EXEC:
        return true;
    case WHICH_DWORD:
        return reg == s->data + w->dword;
    case WHICH_DATA:
        return reg >= s->data && reg < s->data + dwords;
    case WHICH_ALL:
    default:
        return !is_exec(w->run, reg);
    }
}

/** Operands of step @p i that the other run does not have are followed; @p always: all of them. */
static bool operands(struct walk *w, size_t i, enum which which, bool always)
{
    const struct lull_tr_step *s = &w->run->steps[i];
    bool followed = false;
    for (uint32_t k = 0; k < s->nreads; k++) {
        uint32_t reg = 0, value = 0;
        lull_tr_reg(s, k, &reg, &value);
        if (!is_asked(w, s, reg, which) || (!always && both_have(w, i, k, value))) {
            continue;
        }
        const size_t from = maker(w->run, i, reg);
        const size_t there = w->same != NULL && i < w->aligned ? maker(w->same, i, reg) : from;
        if (made_elsewhere(w, i, from, there)) {
            followed = true;
        } else if (from != w->run->nsteps && !compares(w, from)) {
            visit(w, from);
            followed = true;
        }
    }
    return followed;
}

/** Does the load at step @p i go somewhere else in the other run? */
static bool elsewhere(const struct walk *w, size_t i)
{
    return w->same != NULL && i < w->aligned &&
           w->same->steps[i].address != w->run->steps[i].address;
}

static void look(struct walk *w, size_t i)
{
    const struct lull_tr_step *s = &w->run->steps[i];
    bool followed = false;
    if (loads(s) && !elsewhere(w, i)) {
        const size_t from = own_store(w->run, i);
        const size_t there = w->same != NULL && i < w->aligned ? own_store(w->same, i) : from;
        followed = made_elsewhere(w, i, from, there) ||
                   (from != w->run->nsteps && operands(w, from, WHICH_DATA, w->same == NULL));
    } else {
        followed = operands(w, i, WHICH_ALL, false);
    }
    if (!followed && i < w->best) {
        w->best = i;
    }
}

static void look_at_all(struct walk *w)
{
    while (w->ntodo > 0) {
        look(w, w->todo[--w->ntodo]);
    }
}

/** The step that made store @p s; nsteps: it is not there. */
static size_t storing(const struct lull_tr_run *r, const struct lull_tr_store *s)
{
    for (size_t i = r->nsteps; i > 0; i--) {
        if (r->steps[i - 1].time == s->time) {
            return i - 1;
        }
    }
    return r->nsteps;
}

static void take_chain(const struct walk *w, size_t end, struct lull_part_chain *ret)
{
    ret->run = w->run;
    for (size_t i = w->best; i < end; i++) {
        if (w->seen[i]) {
            if (ret->n < LULL_PART_CHAIN) {
                ret->steps[ret->n] = w->run->steps[i];
            }
            ret->n++;
        }
    }
}

/** Values that lead to the store at step @p at. */
LULL_MUST_USE static struct lull_error *values_of(const struct lull_tr_run *r, size_t at,
                                                  uint32_t dword, struct values *ret)
{
    struct walk w = {.run = r, .dword = dword};
    struct lull_error *err = walk_begin(&w);
    bool good = true;
    if (err == NULL && at < r->nsteps) {
        (void)operands(&w, at, WHICH_DWORD, true);
        look_at_all(&w);
    }
    for (size_t i = 0; err == NULL && good && i < r->nsteps; i++) {
        const struct lull_tr_step *s = &r->steps[i];
        for (uint32_t k = loads(s) ? s->nreads : 0; w.seen[i] && good && k < s->nreads + s->nwrites;
             k++) {
            uint32_t reg = 0, value = 0;
            lull_tr_reg(s, k, &reg, &value);
            good = is_exec(r, reg) || add_value(ret, value);
        }
    }
    walk_end(&w);
    return err != NULL || good ? err : &lull_enomem;
}

/** One run of two with different code. */
LULL_MUST_USE static struct lull_error *part_one(const struct lull_tr_run *run,
                                                 const struct values *other, size_t at,
                                                 uint32_t dword, struct lull_part_chain *ret)
{
    struct walk w = {.run = run, .other = other, .dword = dword};
    struct lull_error *err = walk_begin(&w);
    if (err == NULL && at < run->nsteps) {
        if (!operands(&w, at, WHICH_DWORD, true)) {
            w.best = at;
            w.seen[at] = true;
        }
        look_at_all(&w);
        take_chain(&w, at + 1, ret);
    }
    walk_end(&w);
    return err;
}

LULL_MUST_USE static struct lull_error *part_values(const struct lull_tr_run *const runs[2],
                                                    const struct lull_part_place *p,
                                                    struct lull_part *ret)
{
    struct values v[2] = {0};
    struct lull_error *err = NULL;
    size_t at[2] = {0};
    for (unsigned i = 0; err == NULL && i < 2; i++) {
        at[i] = p->stored[i] ? storing(runs[i], &p->store[i]) : runs[i]->nsteps;
        err = values_of(runs[i], at[i], p->at[i] / DWORD, &v[i]);
    }
    for (unsigned i = 0; err == NULL && i < 2; i++) {
        err = part_one(runs[i], &v[1 - i], at[i], p->at[i] / DWORD, &ret->chain[i]);
    }
    ret->why = ret->chain[0].n != 0 || ret->chain[1].n != 0 ? LULL_PART_VALUE : LULL_PART_NOT_FOUND;
    free(v[0].all);
    free(v[1].all);
    return err;
}

/** Steps of the same instructions from the beginning on. */
static size_t aligned(const struct lull_tr_run *a, const struct lull_tr_run *b)
{
    size_t n = 0;
    while (n < a->nsteps && n < b->nsteps &&
           a->steps[n].pc - a->steps[0].pc == b->steps[n].pc - b->steps[0].pc &&
           a->steps[n].nreads == b->steps[n].nreads && a->steps[n].nwrites == b->steps[n].nwrites) {
        n++;
    }
    return n;
}

/** Where looking back begins: at the store, or at what decides whether there is one. */
static void begin_same(struct walk *w, size_t at)
{
    const size_t n = w->aligned;
    if (at >= n) {
        (void)(n != 0 && operands(w, n - 1, WHICH_EXEC, false));
    } else if (((w->run->steps[at].flags ^ w->same->steps[at].flags) & LULL_TRACE_ACTIVE) != 0) {
        visit_exec(w, at);
    } else if (!operands(w, at, WHICH_DWORD, false)) {
        (void)operands(w, at, WHICH_ALL, false);
    }
}

static enum lull_part_why why_same(const struct lull_tr_run *run, const struct lull_tr_step *a,
                                   const struct lull_tr_step *b)
{
    for (uint32_t k = 0; k < a->nreads; k++) {
        uint32_t reg = 0, value[2] = {0};
        lull_tr_reg(a, k, &reg, &value[0]);
        lull_tr_reg(b, k, &reg, &value[1]);
        if (value[0] != value[1] && !is_exec(run, reg)) {
            return LULL_PART_OPERANDS;
        }
    }
    return loads(a) ? LULL_PART_INPUT : LULL_PART_RESULT;
}

LULL_MUST_USE static struct lull_error *part_same(const struct lull_tr_run *const runs[2],
                                                  const struct lull_part_place *p,
                                                  struct lull_part *ret)
{
    const unsigned one = p->stored[0] ? 0 : 1;
    struct walk w = {.run = runs[one], .same = runs[1 - one], .dword = p->at[one] / DWORD};
    struct lull_error *err = walk_begin(&w);
    w.aligned = aligned(runs[0], runs[1]);
    const size_t at = storing(w.run, &p->store[one]), n = w.aligned;
    ret->branches = n != 0 && n < runs[0]->nsteps && n < runs[1]->nsteps;
    for (unsigned i = 0; ret->branches && i < 2; i++) {
        ret->branch[i] = runs[i]->steps[n - 1];
    }
    if (err == NULL) {
        begin_same(&w, at);
        look_at_all(&w);
    }
    if (err == NULL && w.best < n) {
        struct walk twin = w;
        take_chain(&w, n, &ret->chain[one]);
        twin.run = w.same;
        take_chain(&twin, n, &ret->chain[1 - one]);
        ret->why = why_same(w.run, &ret->chain[0].steps[0], &ret->chain[1].steps[0]);
    }
    walk_end(&w);
    return err;
}

struct lull_error *lull_part_steps(const struct lull_tr_run *const runs[2],
                                   const struct lull_part_place *place, struct lull_part *ret)
{
    *ret = (struct lull_part){0};
    if (runs[0]->nsteps == 0 || runs[1]->nsteps == 0) {
        return NULL;
    }
    ret->same_code = same_code(runs);
    return ret->same_code ? part_same(runs, place, ret) : part_values(runs, place, ret);
}

enum { HALF_MASK = 0xffff };

/** Does the chain make the value, or the half of a register that it is? */
static bool makes(const struct lull_part_chain *c, const struct lull_part_place *p, unsigned run,
                  uint32_t v)
{
    const bool half = v <= HALF_MASK;
    bool made =
        p->stored[run] && (p->value[run] == v || (half && (p->value[run] & HALF_MASK) == v));
    for (size_t i = 0; i < c->n && i < LULL_PART_CHAIN; i++) {
        const struct lull_tr_step *s = &c->steps[i];
        for (uint32_t k = s->nreads; k < s->nreads + s->nwrites; k++) {
            uint32_t reg = 0, value = 0;
            lull_tr_reg(s, k, &reg, &value);
            made = made ||
                   (!is_exec(c->run, reg) && (value == v || (half && (value & HALF_MASK) == v)));
        }
    }
    return made;
}

/** Does a line of the source have the value? */
static bool lines_have(const struct lull_tr_run *lines, uint32_t v)
{
    for (size_t i = 0; i < lines->nsteps; i++) {
        const struct lull_tr_step *s = &lines->steps[i];
        for (uint32_t k = s->nreads; k < s->nreads + s->nwrites; k++) {
            uint32_t reg = 0, value = 0;
            lull_tr_reg(s, k, &reg, &value);
            if (value == v) {
                return true;
            }
        }
    }
    return false;
}

struct lull_part_line lull_part_source(const struct lull_tr_run *lines,
                                       const struct lull_part *part,
                                       const struct lull_part_place *place)
{
    struct lull_part_line ret = {0};
    const bool first = place->stored[0] && lines_have(lines, place->value[0]);
    const bool second = place->stored[1] && lines_have(lines, place->value[1]);
    if (first == second) {
        return ret;
    }
    ret.run = first ? 0 : 1;
    for (size_t i = 0; i < lines->nsteps && ret.at == NULL; i++) {
        const struct lull_tr_step *s = &lines->steps[i];
        for (uint32_t k = s->nreads; k < s->nreads + s->nwrites && ret.at == NULL; k++) {
            uint32_t reg = 0;
            lull_tr_reg(s, k, &reg, &ret.value);
            if (ret.value > 1 && makes(&part->chain[ret.run], place, ret.run, ret.value) &&
                !makes(&part->chain[1 - ret.run], place, 1 - ret.run, ret.value)) {
                ret.at = lull_tr_code_at(lines, s->pc); // 0 and 1 are everywhere.
            }
        }
    }
    return ret;
}
