// SPDX-License-Identifier: MIT
#include "check/checks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "check/checks_priv.h"

enum { MAX_FOUND = 4096, FIRST_ROOM = 256, ALIGN = 16 };

static bool table_grow(struct lull_checks_table *t)
{
    const size_t room = t->room != 0 ? 2 * t->room : FIRST_ROOM;
    const struct lull_checks_table old = *t;
    void **at = calloc(room, sizeof *at);
    if (at == NULL) {
        return false;
    }
    t->at = at;
    t->room = room;
    for (size_t i = 0; i < old.room; i++) {
        if (old.at[i] != NULL) {
            t->at[lull_checks_place_of(t, lull_checks_key_of(old.at[i]))] = old.at[i];
        }
    }
    free(old.at);
    return true;
}

/* There is none with its key. */
static bool table_add(struct lull_checks_table *t, void *entry)
{
    if (2 * (t->n + 1) > t->room && !table_grow(t)) {
        return false;
    }
    t->at[lull_checks_place_of(t, lull_checks_key_of(entry))] = entry;
    t->n++;
    return true;
}

static void table_remove(struct lull_checks_table *t, const void *key)
{
    size_t hole = lull_checks_place_of(t, key);
    t->at[hole] = NULL;
    t->n--;
    for (size_t i = (hole + 1) & (t->room - 1); t->at[i] != NULL; i = (i + 1) & (t->room - 1)) {
        void *entry = t->at[i];
        t->at[i] = NULL;
        t->at[lull_checks_place_of(t, lull_checks_key_of(entry))] = entry;
    }
}

struct lull_error *lull_checks_new(struct lull_checks **ret)
{
    struct lull_checks *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return &lull_enomem;
    }
    *ret = c;
    return NULL;
}

static void drop(void (*how)(void *), void *what)
{
    if (how != NULL && what != NULL) {
        how(what);
    } else {
        free(what);
    }
}

static void free_wave(const struct lull_checks *c, struct lull_check_wave *w)
{
    for (size_t i = 0; i < c->nmodules; i++) {
        drop(c->modules[i].m->drop_wave, w->of[i]);
    }
    free(w->at);
    free(lull_checks_whole(w));
}

static void free_group(const struct lull_checks *c, struct lull_check_group *g)
{
    for (size_t i = 0; i < c->nmodules; i++) {
        drop(c->modules[i].m->drop_group, g->of[i]);
    }
    free(g);
}

static void free_finding(struct lull_finding *f)
{
    for (unsigned k = 0; k < 2; k++) {
        free(f->sites[k].insn);
        free(f->sites[k].does);
        free(f->sites[k].file);
    }
    free(f->note);
}

static void free_found(struct lull_checks *c)
{
    for (size_t i = 0; i < c->nfound; i++) {
        free_finding(&c->found[i]);
    }
    c->nfound = 0;
}

static void forget_waves(struct lull_checks *c)
{
    c->last = NULL;
    for (size_t i = 0; i < c->waves.room; i++) {
        if (c->waves.at[i] != NULL) {
            free_wave(c, c->waves.at[i]);
            c->waves.at[i] = NULL;
        }
    }
    for (size_t i = 0; i < c->groups.room; i++) {
        if (c->groups.at[i] != NULL) {
            free_group(c, c->groups.at[i]);
            c->groups.at[i] = NULL;
        }
    }
    c->waves.n = c->groups.n = 0;
}

void lull_checks_free(struct lull_checks *c)
{
    if (c == NULL) {
        return;
    }
    forget_waves(c);
    for (size_t i = 0; i < c->nmodules; i++) {
        drop(c->modules[i].m->done, c->modules[i].own);
    }
    for (size_t i = 0; i < c->insns_room; i++) {
        free(c->insns[i].text);
    }
    free_found(c);
    lull_checks_stretches_done(c);
    lull_plans_done(&c->plans);
    lull_codes_done(&c->codes);
    free(c->waves.at);
    free(c->groups.at);
    free(c->insns);
    free(c->found);
    free(c);
}

struct lull_error *lull_checks_add(struct lull_checks *c, const struct lull_check_module *m,
                                   const void *config)
{
    struct lull_checks_one *to = &c->modules[c->nmodules];
    to->own = calloc(1, m->own_bytes + 1);
    if (to->own == NULL) {
        return &lull_enomem;
    }
    to->m = m;
    to->config = config;
    to->plan = c->plans.bytes == 0 ? sizeof(struct lull_checks_plan) : c->plans.bytes;
    c->plans.bytes = to->plan + (m->plan_bytes + ALIGN - 1) / ALIGN * ALIGN;
    c->nmodules++;
    return NULL;
}

static struct lull_check_now now_of(struct lull_checks *c, size_t module, struct lull_check_wave *w,
                                    const struct lull_observed *at, uint32_t space)
{
    return (struct lull_check_now){.all = c,
                                   .at = at,
                                   .wave = w,
                                   .group = w->group,
                                   .config = c->modules[module].config,
                                   .own = c->modules[module].own,
                                   .of_wave = &w->of[module],
                                   .of_group = &w->group->of[module],
                                   .space = space,
                                   .bit = UINT32_C(1) << module,
                                   .plan_at = c->modules[module].plan};
}

/** A workgroup that starts; one in its place has ended. NULL: no memory. */
static struct lull_check_group *new_group(struct lull_checks *c, const struct lull_observed_wave *o)
{
    struct lull_check_group *g = calloc(1, sizeof *g);
    if (g == NULL) {
        return NULL;
    }
    g->key = o->group;
    g->dispatch = o->dispatch;
    g->launch = o->launch;
    g->draw = o->draw;
    g->number = ++c->groups_started;
    g->nwaves = o->nwaves;
    memcpy(g->workgroup, o->workgroup, sizeof g->workgroup);
    memcpy(g->items, o->items, sizeof g->items);
    memcpy(g->full, o->full, sizeof g->full);
    if (!table_add(&c->groups, g)) {
        free(g);
        return NULL;
    }
    return g;
}

static void forget(struct lull_checks *c, struct lull_check_wave *w)
{
    struct lull_check_group *g = w->group;
    c->last = NULL;
    table_remove(&c->waves, w->key);
    free_wave(c, w);
    if (--g->live == 0) {
        table_remove(&c->groups, g->key);
        free_group(c, g);
    }
}

/** NULL: no memory. */
static struct lull_check_wave *new_wave(struct lull_checks *c, const struct lull_observed_wave *o,
                                        struct lull_check_group *g)
{
    struct lull_checks_wave *all = calloc(1, sizeof *all);
    if (all == NULL) {
        return NULL;
    }
    struct lull_check_wave *w = &all->w;
    w->key = o->wave;
    w->group = g;
    w->index = o->index;
    w->lanes = o->lanes;
    w->launched = o->launched;
    w->launched_high = o->launched_high;
    w->place = o->place;
    w->sgprs = o->sgprs;
    w->stage = o->stage;
    for (size_t i = 0; i < c->nmodules; i++) {
        w->modules |= o->stage == NULL || c->modules[i].m->draws ? UINT32_C(1) << i : 0;
    }
    if (o->at != NULL) {
        w->at = calloc(o->lanes, sizeof *w->at);
        if (w->at != NULL) {
            memcpy(w->at, o->at, o->lanes * sizeof *w->at);
        }
    }
    if (!table_add(&c->waves, w)) {
        free(w->at);
        free(all);
        return NULL;
    }
    g->live++;
    for (size_t i = 0; i < c->nmodules; i++) {
        all->now[i] = now_of(c, i, w, NULL, o->space);
    }
    return w;
}

/** Launches from @p launch on come again: what was found in them will be found again. */
static void renew(struct lull_checks *c, uint64_t launch)
{
    size_t n = 0;
    c->renews = false;
    for (size_t i = 0; i < c->nfound; i++) {
        struct lull_finding *f = &c->found[i];
        const struct lull_check_site *last = &f->sites[f->sites[1].there ? 1 : 0];
        if (last->launch < launch) {
            c->found[n++] = *f;
        } else {
            free_finding(f);
        }
    }
    c->nfound = n;
    for (size_t i = 0; i < c->nmodules; i++) {
        if (c->modules[i].m->again != NULL) {
            c->modules[i].m->again(c->modules[i].config, launch);
        }
    }
}

static void starts(struct lull_observer *observer, const struct lull_observed_wave *o)
{
    struct lull_checks *c = (struct lull_checks *)observer;
    if (c->past || o->launch < c->seen) {
        return;
    }
    if (c->renews) {
        renew(c, o->launch);
    }
    c->drew = c->drew || o->stage != NULL;
    c->next = o->launch < c->next ? c->next : o->launch + 1;
    struct lull_check_wave *old = lull_checks_look_up(&c->waves, o->wave);
    if (old != NULL) {
        forget(c, old); // Its end was not told.
    }
    struct lull_check_group *g = lull_checks_look_up(&c->groups, o->group);
    g = g != NULL ? g : new_group(c, o);
    struct lull_check_wave *w = g == NULL ? NULL : new_wave(c, o, g);
    if (w == NULL || !lull_codes_add(&c->codes, o->code)) {
        c->lost++;
        return;
    }
    for (size_t i = 0; i < c->nmodules; i++) {
        if (c->modules[i].m->starts != NULL && (w->modules >> i & 1) != 0) {
            c->modules[i].m->starts(&lull_checks_whole(w)->now[i]);
        }
    }
}

static void ends(struct lull_observer *observer, const struct lull_observed_wave *o)
{
    struct lull_checks *c = (struct lull_checks *)observer;
    struct lull_check_wave *w = c->past ? NULL : lull_checks_look_up(&c->waves, o->wave);
    for (size_t i = 0; w != NULL && !o->killed && i < c->nmodules; i++) {
        lull_checks_whole(w)->now[i].at = NULL;
        lull_checks_whole(w)->now[i].touch = NULL;
        if (c->modules[i].m->ends != NULL && (w->modules >> i & 1) != 0) {
            c->modules[i].m->ends(&lull_checks_whole(w)->now[i]);
        }
    }
    if (w != NULL) {
        forget(c, w);
    }
}

/** Module @p i of @p w at the instruction at hand. */
static struct lull_check_now *now_at(const struct lull_checks *c, struct lull_checks_wave *w,
                                     size_t i, const struct lull_observed *at)
{
    struct lull_check_now *n = &w->now[i];
    n->at = at;
    n->barrier = w->plan->barrier;
    n->touch = NULL;
    n->plan = (const unsigned char *)w->plan + c->modules[i].plan;
    return n;
}

static void before(struct lull_observer *observer, const struct lull_observed *at)
{
    struct lull_checks *c = (struct lull_checks *)observer;
    struct lull_check_wave *of = lull_checks_wave_of(c, at);
    c->waits = 0;
    c->taken = false;
    if (of == NULL) {
        return;
    }
    struct lull_checks_wave *w = lull_checks_whole(of);
    w->plan = lull_checks_plan_of(c, w, at);
    if (w->plan == NULL) {
        return;
    }
    for (uint32_t m = w->plan->takes & of->modules; m != 0 && !c->taken; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        c->taken = c->modules[i].m->takes(now_at(c, w, i, at));
    }
    if (c->taken) {
        return;
    }
    for (uint32_t m = (w->plan->always | of->calls) & of->modules; m != 0; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        c->modules[i].m->before(now_at(c, w, i, at));
    }
    c->observer.no_local_loads =
        (c->always[LULL_CHECKS_LOCAL] | (c->called[LULL_CHECKS_LOCAL] & of->calls)) == 0;
    c->observer.no_scratch =
        (c->always[LULL_CHECKS_PRIV] | (c->called[LULL_CHECKS_PRIV] & of->calls)) == 0;
}

static enum lull_checks_touched what_of(const struct lull_observed *at, const struct lull_touch *t)
{
    const bool loads = t->local && t->kind == LULL_TOUCH_LOAD;
    return t->lanes == 0                                    ? LULL_CHECKS_NOTHING
           : t->priv                                        ? LULL_CHECKS_PRIV
           : t->image                                       ? LULL_CHECKS_IMAGE
           : loads && t->high + t->bytes <= at->local_bytes ? LULL_CHECKS_LOCAL
                                                            : LULL_CHECKS_MEMORY;
}

/** What was found in front of an access to memory is of that. */
static void reach_late(struct lull_checks *c, const struct lull_observed *at,
                       const struct lull_touch *t)
{
    struct lull_finding *f = &c->found[c->waits - 1];
    for (unsigned i = 0; i < 2; i++) {
        struct lull_check_site *s = &f->sites[i];
        if (s->there && s->pc == at->pc && !s->touched.there) {
            s->touched = lull_check_touched(t, s->lane);
        }
    }
}

static void memory(struct lull_observer *observer, const struct lull_observed *at,
                   const struct lull_touch *t)
{
    struct lull_checks *c = (struct lull_checks *)observer;
    struct lull_check_wave *of = lull_checks_wave_of(c, at);
    struct lull_checks_wave *w = of != NULL ? lull_checks_whole(of) : NULL;
    const enum lull_checks_touched what = what_of(at, t);
    if (w == NULL || w->plan == NULL || c->taken) {
        return;
    }
    if (c->waits != 0) {
        reach_late(c, at, t);
    }
    const uint32_t wanted = c->always[what] | (c->called[what] & of->calls);
    for (uint32_t m = wanted & of->modules; m != 0; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        struct lull_check_now *n = now_at(c, w, i, at);
        n->touch = t;
        c->modules[i].m->memory(n, t);
    }
}

/** For what is memory() of module @p i called? */
static void plan_memory(struct lull_checks *c, size_t i)
{
    const struct lull_check_module *m = c->modules[i].m;
    const bool wants[LULL_CHECKS_TOUCHED] = {true, m->images, m->priv, m->dropped, true};
    for (unsigned k = 0; k < LULL_CHECKS_TOUCHED; k++) {
        const bool called = m->called || (k == LULL_CHECKS_PRIV && m->priv_called) ||
                            (k == LULL_CHECKS_LOCAL && m->local_called);
        uint32_t *to = called ? &c->called[k] : &c->always[k];
        *to |= m->memory != NULL && wants[k] ? UINT32_C(1) << i : 0;
    }
}

static void transfer(struct lull_observer *observer, const struct lull_transfer *t)
{
    const struct lull_checks *c = (const struct lull_checks *)observer;
    const bool looks = !c->past && t->launches >= c->seen;
    for (size_t i = 0; looks && i < c->nmodules; i++) {
        if (c->modules[i].m->transfer != NULL) {
            c->modules[i].m->transfer(c->modules[i].config, t);
        }
    }
}

static void cut(const struct lull_checks *c, uint64_t launch)
{
    for (size_t i = 0; i < c->nmodules; i++) {
        if (c->modules[i].m->cut != NULL) {
            c->modules[i].m->cut(c->modules[i].config, launch);
        }
    }
}

/** What had begun is not looked at any more: of a part of a dispatch nothing can be said. */
static void cut_all(struct lull_checks *c)
{
    for (size_t i = 0; i < c->groups.room; i++) {
        if (c->groups.at[i] != NULL) {
            cut(c, ((const struct lull_check_group *)c->groups.at[i])->launch);
        }
    }
    if (c->next != 0) {
        cut(c, c->next - 1); // Its next workgroup may not have started yet.
    }
    forget_waves(c);
    c->seen = c->next;
}

static void restored(struct lull_observer *observer)
{
    struct lull_checks *c = (struct lull_checks *)observer;
    if (!c->again) {
        cut_all(c);
    }
}

void lull_checks_again(struct lull_checks *c, bool begins, bool launches)
{
    c->again = begins;
    c->past = !begins && c->past;
    if (!begins) {
        return;
    }
    forget_waves(c);
    c->renews = launches;
    if (!launches) {
        free_found(c);
    }
    lull_checks_stretches_done(c);
    lull_plans_done(&c->plans); // They may know what is forgotten now.
    c->groups_started = c->seen = c->next = 0;
    c->waits = 0;
    for (size_t i = 0; i < c->nmodules; i++) {
        struct lull_checks_one *m = &c->modules[i];
        void *own = calloc(1, m->m->own_bytes + 1);
        if (own == NULL) {
            c->lost++;
            c->again = false;
            c->past = true; // Nothing can be looked at any more.
            return;
        }
        drop(m->m->done, m->own);
        m->own = own;
    }
}

struct lull_observer *lull_checks_observer(struct lull_checks *c)
{
    bool told = false; // Somebody wants to be told of memory.
    for (size_t i = 0; i < c->nmodules; i++) {
        told = told || c->modules[i].m->memory != NULL;
        plan_memory(c, i);
        c->calm |= c->modules[i].m->calm != NULL ? UINT32_C(1) << i : 0;
    }
    c->observer = (struct lull_observer){.before = before,
                                         .loud = lull_checks_loud,
                                         .quiet = lull_checks_quiet,
                                         .stretch = lull_checks_stretch,
                                         .gave = lull_checks_gave,
                                         .passed = lull_checks_passed,
                                         .memory = told ? memory : NULL,
                                         .starts = starts,
                                         .ends = ends,
                                         .transfer = transfer,
                                         .restored = restored};
    return &c->observer;
}

void lull_checks_stop(struct lull_checks *c)
{
    c->stops = true;
}

size_t lull_checks_count(const struct lull_checks *c)
{
    return c->nfound;
}

const struct lull_finding *lull_checks_at(const struct lull_checks *c, size_t i)
{
    return &c->found[i];
}

uint64_t lull_checks_lost(const struct lull_checks *c)
{
    return c->lost;
}

bool lull_checks_drew(const struct lull_checks *c)
{
    return c->drew;
}

uint64_t lull_checks_begin(const struct lull_checks *c, uint64_t pc)
{
    return lull_codes_of(&c->codes, pc);
}

bool lull_checks_ran(const struct lull_checks *c, uint64_t begin,
                     const struct lull_plans_code *code)
{
    return lull_plans_ran(&c->plans, begin, code);
}

void lull_checks_lose(struct lull_checks *c)
{
    c->lost++;
}

void lull_check_keep_wave(const struct lull_check_now *n, size_t bytes)
{
    *n->of_wave = calloc(1, bytes);
    if (*n->of_wave == NULL) {
        lull_checks_lose(n->all);
    }
}

/** NULL: lost. New if its count is 1. */
static struct lull_finding *found(struct lull_checks *c, uint32_t space, const char *name,
                                  const char *what, uint64_t pc, uint64_t other)
{
    for (size_t i = 0; i < c->nfound; i++) {
        struct lull_finding *f = &c->found[i];
        const bool there = (f->sites[0].pc == pc && f->sites[1].pc == other) ||
                           (f->sites[0].pc == other && f->sites[1].pc == pc);
        if (there && f->space == space && strcmp(f->check, name) == 0 &&
            strcmp(f->what, what) == 0) {
            f->count++;
            return f;
        }
    }
    if (c->nfound == c->found_room && c->nfound < MAX_FOUND) {
        const size_t room = 2 * c->found_room + 16;
        struct lull_finding *more = realloc(c->found, room * sizeof *more);
        if (more != NULL) {
            c->found = more;
            c->found_room = room;
        }
    }
    if (c->nfound == c->found_room) {
        c->lost++;
        return NULL;
    }
    struct lull_finding *f = &c->found[c->nfound++];
    *f = (struct lull_finding){.check = name, .what = what, .count = 1, .space = space};
    f->sites[0].pc = pc;
    f->sites[1].pc = other;
    return f;
}

struct lull_finding *lull_check_found(const struct lull_check_now *n, const char *name,
                                      const char *what, uint64_t pc, uint64_t other)
{
    struct lull_finding *f = found(n->all, n->space, name, what, pc, other);
    if (f != NULL && f->count == 1) {
        f->place = n->wave->place;
        n->all->observer.traps = n->all->stops && !n->all->again;
        n->all->waits = n->touch == NULL ? (size_t)(f - n->all->found) + 1 : 0;
    }
    return f;
}

struct lull_finding *lull_checks_late(struct lull_checks *c, const char *name, const char *what,
                                      uint32_t space, struct lull_check_site sites[2],
                                      uint64_t count)
{
    struct lull_finding *f = found(c, space, name, what, sites[0].pc, sites[1].pc);
    const bool first = f != NULL && f->count == 1;
    for (unsigned i = 0; i < 2; i++) {
        if (first) {
            f->sites[i] = sites[i];
        } else {
            free(sites[i].insn);
            free(sites[i].does);
        }
        sites[i].insn = sites[i].does = NULL;
    }
    if (f != NULL) {
        f->count += count - 1;
    }
    return f;
}

void lull_checks_warn(struct lull_checks *c, const char *name, const char *part, const char *why)
{
    for (size_t i = 0; i < c->nfound; i++) {
        struct lull_finding *f = &c->found[i];
        if (strcmp(f->check, name) == 0 && strstr(f->what, part) != NULL) {
            char *note = lull_check_text("%s", why);
            free(note != NULL ? f->note : NULL);
            f->note = note != NULL ? note : f->note;
            f->warning = true;
        }
    }
}

static struct lull_checks_insn *insn_at(const struct lull_checks *c, uint32_t space, uint64_t pc)
{
    size_t at = (size_t)(pc / 4 * 0x9e3779b1u) & (c->insns_room - 1);
    while (c->insns[at].text != NULL && (c->insns[at].pc != pc || c->insns[at].space != space)) {
        at = (at + 1) & (c->insns_room - 1);
    }
    return &c->insns[at];
}

const char *lull_check_insn(const struct lull_checks *c, uint32_t space, uint64_t pc)
{
    return c->insns_room == 0 ? NULL : insn_at(c, space, pc)->text;
}

static bool insns_grow(struct lull_checks *c)
{
    struct lull_checks_insn *old = c->insns;
    const size_t old_room = c->insns_room, room = old_room != 0 ? 2 * old_room : FIRST_ROOM;
    struct lull_checks_insn *more = calloc(room, sizeof *more);
    if (more == NULL) {
        return false;
    }
    c->insns = more;
    c->insns_room = room;
    for (size_t i = 0; i < old_room; i++) {
        if (old[i].text != NULL) {
            *insn_at(c, old[i].space, old[i].pc) = old[i];
        }
    }
    free(old);
    return true;
}

char *lull_check_insn_text(const struct lull_observed *at)
{
    const struct lull_insn_print how = {.pc = at->pc, .lanes = at->lanes};
    struct lull_str s = {0};
    at->arch->print(at->insn, &how, &s);
    char *text = s.err == NULL ? strdup(lull_str_text(&s)) : NULL;
    lull_error_free(s.err);
    s.err = NULL;
    lull_str_free(&s);
    return text;
}

void lull_check_keep_insn(const struct lull_check_now *n)
{
    struct lull_checks *c = n->all;
    if (2 * (c->ninsns + 1) > c->insns_room && !insns_grow(c)) {
        c->lost++;
        return;
    }
    struct lull_checks_insn *i = insn_at(c, n->space, n->at->pc);
    const char *mnemonic = n->at->arch->mnemonic(n->at->insn);
    if (i->text != NULL && i->mnemonic == mnemonic) {
        return;
    }
    char *text = lull_check_insn_text(n->at);
    if (text == NULL) {
        c->lost++;
        return;
    }
    c->ninsns += i->text == NULL;
    free(i->text);
    *i = (struct lull_checks_insn){
        .pc = n->at->pc, .space = n->space, .mnemonic = mnemonic, .text = text};
}

struct lull_check_touched lull_check_touched(const struct lull_touch *t, unsigned lane)
{
    const unsigned l = t->scalar ? 0 : lane - t->from;
    if (t->local || t->priv || l >= 64 || (t->lanes >> l & 1) == 0) {
        return (struct lull_check_touched){.there = false};
    }
    struct lull_check_touched to = {.there = true,
                                    .described = t->described || t->image,
                                    .null = t->null,
                                    .first = t->described && !t->image,
                                    .stores = t->kind != LULL_TOUCH_LOAD,
                                    .image = t->image,
                                    .bytes = t->bytes,
                                    .address = t->address[l],
                                    .base = t->base,
                                    .available = t->available};
    if (t->image && t->texel != NULL) {
        to.dims = t->dims;
        memcpy(to.texel, t->texel + (size_t)4 * l, sizeof to.texel);
    }
    return to;
}

struct lull_check_site lull_check_site(const struct lull_check_now *n, uint64_t pc, unsigned lane)
{
    struct lull_check_site s = {.there = true, .pc = pc, .lane = lane};
    const char *text = lull_check_insn(n->all, n->space, pc);
    s.insn = n->at != NULL && n->at->pc == pc ? lull_check_insn_text(n->at)
             : text != NULL                   ? strdup(text)
                                              : NULL;
    s.wave = n->wave->index;
    s.lanes = n->wave->lanes;
    memcpy(s.workgroup, n->group->workgroup, sizeof s.workgroup);
    memcpy(s.full, n->group->full, sizeof s.full);
    s.stage = n->wave->stage;
    s.launch = n->group->launch;
    s.draw = n->group->draw;
    if (n->touch != NULL && n->at != NULL && n->at->pc == pc) {
        s.touched = lull_check_touched(n->touch, lane);
    }
    s.placed = n->wave->at != NULL && lane < n->wave->lanes;
    if (s.placed) {
        memcpy(s.at, n->wave->at[lane], sizeof s.at);
    }
    return s;
}

char *lull_check_text(const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return strdup(text);
}
