// SPDX-License-Identifier: MIT
#include "explore/search.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/ddmin.h"

/** Waits whose places are made narrow; instructions that one is moved by. */
enum { MOST_TIGHTENED = 8, FARTHEST = 1 << 28 };

/** A list of trials under way. */
struct list {
    const struct lull_order_search *s;
    void (*make)(const struct list *l, size_t i, struct lull_trial *ret);
    const void *of; // Of make().
    enum lull_search_part part;
    bool told;                   // Tell the one who asked.
    size_t first;                // The first that went wrong; the list's length: none did.
    struct lull_outcome outcome; // Of that one.
    struct lull_error *err;
};

static void item(void *ctx, size_t i, struct lull_str *ret)
{
    const struct list *l = ctx;
    struct lull_trial t = {0};
    l->make(l, i, &t);
    lull_trial_text(&t, ret);
}

static bool done(void *ctx, size_t i, const struct lull_pool_result *r)
{
    struct list *l = ctx;
    struct lull_outcome o = {0};
    struct lull_error *err = NULL;
    if (r->died) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "a process that ran the program has died");
    } else {
        err = lull_outcome_parse(r->bytes, r->size, &o);
    }
    if (err == NULL && o.how == LULL_OUTCOME_ERROR) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "%s", o.text);
    }
    if (err != NULL) {
        lull_error_free(l->err);
        l->err = err;
        lull_outcome_done(&o);
        return false;
    }
    if (l->told && l->s->tried != NULL) {
        l->s->tried(l->s->ctx, l->part, i, r->rank, &o);
    }
    const bool wrong = o.how == LULL_OUTCOME_WRONG;
    if (wrong && i < l->first) {
        lull_outcome_done(&l->outcome);
        l->outcome = o;
        l->first = i;
    } else {
        lull_outcome_done(&o);
    }
    return !wrong;
}

/** Run @p n trials, until one goes wrong. */
LULL_MUST_USE static struct lull_error *run(struct list *l, size_t n)
{
    const struct lull_pool_list work = {.n = n, .item = item, .done = done, .ctx = l};
    l->first = n;
    struct lull_error *err = lull_pool_run(l->s->pool, &work);
    if (err != NULL) {
        lull_error_free(l->err);
        return err;
    }
    return l->err;
}

/** One trial, whose answer is wanted. */
struct one {
    const struct lull_trial *t;
    struct lull_outcome *ret;
    struct lull_error *err;
};

static void one_item(void *ctx, size_t i, struct lull_str *ret)
{
    const struct one *o = ctx;
    (void)i;
    lull_trial_text(o->t, ret);
}

static bool one_done(void *ctx, size_t i, const struct lull_pool_result *r)
{
    struct one *o = ctx;
    (void)i;
    o->err = r->died ? lull_error_new(LULL_ERR_BAD_DATA, "a process that ran the program has died")
                     : lull_outcome_parse(r->bytes, r->size, o->ret);
    if (o->err == NULL && o->ret->how == LULL_OUTCOME_ERROR) {
        o->err = lull_error_new(LULL_ERR_BAD_DATA, "%s", o->ret->text);
        lull_outcome_done(o->ret);
    }
    return true;
}

LULL_MUST_USE static struct lull_error *answer(const struct lull_order_search *s,
                                               const struct lull_trial *t, struct lull_outcome *ret)
{
    struct one o = {.t = t, .ret = ret};
    const struct lull_pool_list work = {.n = 1, .item = one_item, .done = one_done, .ctx = &o};
    struct lull_error *err = lull_pool_run(s->pool, &work);
    if (err != NULL) {
        lull_error_free(o.err);
        return err;
    }
    return o.err;
}

/** Trial @p i: one of the holds alone. */
static void one_hold(const struct list *l, size_t i, struct lull_trial *ret)
{
    const struct lull_schedule *all = l->of;
    *ret = (struct lull_trial){.kind = LULL_TRIAL_HOLDS,
                               .schedule = {.seed = l->s->seed, .holds = &all->holds[i], .n = 1}};
}

static void drawn(const struct list *l, size_t i, struct lull_trial *ret)
{
    *ret = (struct lull_trial){
        .kind = LULL_TRIAL_DRAW, .seed = l->s->first + i, .schedule = {.seed = l->s->seed}};
}

/** Copy @p n holds. */
LULL_MUST_USE static struct lull_error *keep(struct lull_schedule *to, uint64_t seed,
                                             const struct lull_hold *holds, size_t n)
{
    struct lull_hold *copy = calloc(n + 1, sizeof *copy);
    if (copy == NULL) {
        return &lull_enomem;
    }
    if (n != 0) {
        memcpy(copy, holds, n * sizeof *holds);
    }
    lull_schedule_done(to);
    *to = (struct lull_schedule){.seed = seed, .holds = copy, .n = n};
    return NULL;
}

/** @p l went wrong at @p l->first. */
static void take(struct list *l, enum lull_search_part part, struct lull_order_found *f)
{
    f->found = true;
    f->part = part;
    f->number = l->first;
    free(f->text);
    f->text = l->outcome.text;
    l->outcome.text = NULL;
}

LULL_MUST_USE static struct lull_error *directed(const struct lull_order_search *s,
                                                 struct lull_order_found *f)
{
    struct lull_outcome pairs = {0};
    const struct lull_trial ask = {.kind = LULL_TRIAL_PAIRS, .schedule = {.seed = s->seed}};
    struct lull_error *err = answer(s, &ask, &pairs);
    f->npairs = err == NULL ? pairs.schedule.n : 0;
    struct list l = {.s = s, .make = one_hold, .of = &pairs.schedule, .told = true};
    if (err == NULL && f->npairs != 0) {
        err = run(&l, f->npairs);
        f->tried += l.first < f->npairs ? l.first + 1 : f->npairs;
    }
    if (err == NULL && l.first < f->npairs) {
        take(&l, LULL_SEARCH_DIRECTED, f);
        err = keep(&f->schedule, s->seed, &pairs.schedule.holds[l.first], 1);
    }
    lull_outcome_done(&l.outcome);
    lull_outcome_done(&pairs);
    return err;
}

LULL_MUST_USE static struct lull_error *by_drawing(const struct lull_order_search *s,
                                                   struct lull_order_found *f)
{
    struct list l = {.s = s, .make = drawn, .part = LULL_SEARCH_DRAWN, .told = true};
    struct lull_error *err = run(&l, (size_t)s->count);
    f->tried += l.first < s->count ? l.first + 1 : s->count;
    if (err == NULL && l.first < s->count) {
        struct lull_outcome whole = {0};
        const struct lull_trial again = {
            .kind = LULL_TRIAL_RECORD, .seed = s->first + l.first, .schedule = {.seed = s->seed}};
        take(&l, LULL_SEARCH_DRAWN, f);
        err = answer(s, &again, &whole);
        err =
            err != NULL ? err : keep(&f->schedule, s->seed, whole.schedule.holds, whole.schedule.n);
        lull_outcome_done(&whole);
    }
    lull_outcome_done(&l.outcome);
    return err;
}

/** What lull_ddmin_many() asks about. */
struct smaller {
    const struct lull_order_search *s;
    struct lull_order_found *f;
    const struct lull_ddmin_set *sets;
    struct lull_hold *holds; // Of the set at hand.
};

static void subset(const struct list *l, size_t i, struct lull_trial *ret)
{
    const struct smaller *m = l->of;
    const struct lull_ddmin_set *set = &m->sets[i];
    for (size_t k = 0; k < set->n; k++) {
        m->holds[k] = m->f->schedule.holds[set->which[k]];
    }
    *ret = (struct lull_trial){.kind = LULL_TRIAL_HOLDS,
                               .schedule = {.seed = l->s->seed, .holds = m->holds, .n = set->n}};
}

LULL_MUST_USE static struct lull_error *try_sets(void *ctx, const struct lull_ddmin_set *sets,
                                                 size_t n, size_t *ret)
{
    struct smaller *m = ctx;
    struct list l = {.s = m->s, .make = subset, .of = m};
    m->sets = sets;
    struct lull_error *err = run(&l, n);
    m->f->shrink += l.first < n ? l.first + 1 : n; // as if one after the other
    *ret = l.first;
    lull_outcome_done(&l.outcome);
    return err;
}

/** Does @p schedule go wrong? Then @p f->text is what it says. */
LULL_MUST_USE static struct lull_error *is_wrong(const struct lull_order_search *s,
                                                 const struct lull_schedule *schedule,
                                                 struct lull_order_found *f, bool *ret)
{
    struct lull_outcome o = {0};
    const struct lull_trial t = {.kind = LULL_TRIAL_HOLDS, .schedule = *schedule};
    struct lull_error *err = answer(s, &t, &o);
    f->shrink++;
    *ret = err == NULL && o.how == LULL_OUTCOME_WRONG;
    if (*ret) {
        free(f->text);
        f->text = o.text;
        o.text = NULL;
    }
    lull_outcome_done(&o);
    return err;
}

LULL_MUST_USE static struct lull_error *fewest(const struct lull_order_search *s,
                                               struct lull_order_found *f)
{
    const size_t n = f->schedule.n;
    size_t left = n;
    size_t *which = calloc(n + 1, sizeof *which);
    struct lull_hold *holds = calloc(n + 1, sizeof *holds);
    struct smaller m = {.s = s, .f = f, .holds = holds};
    struct lull_error *err = which == NULL || holds == NULL ? &lull_enomem : NULL;
    for (size_t i = 0; err == NULL && i < n; i++) {
        which[i] = i;
    }
    err = err != NULL ? err : lull_ddmin_many(which, &left, lull_pool_width(s->pool), try_sets, &m);
    for (size_t i = 0; err == NULL && i < left; i++) {
        f->schedule.holds[i] = f->schedule.holds[which[i]]; // which rises
    }
    f->schedule.n = err == NULL ? left : n;
    free(which);
    free(holds);
    return err;
}

/**
 * The latest place where the wave of hold @p i may wait: farther and farther, as how long it runs
 * is not known, then back. @p ret_needed: it has to wait at all, now that others wait later.
 */
LULL_MUST_USE static struct lull_error *latest(const struct lull_order_search *s,
                                               struct lull_order_found *f, size_t i,
                                               bool *ret_needed)
{
    struct lull_hold *h = &f->schedule.holds[i];
    uint64_t good = h->at, bad = 0;
    bool never = false;
    h->at = good + FARTHEST;
    struct lull_error *err = is_wrong(s, &f->schedule, f, &never);
    *ret_needed = !never;
    for (uint64_t step = 1; err == NULL && !never && bad == 0 && step < FARTHEST; step *= 2) {
        bool wrong = false;
        h->at = good + step;
        err = is_wrong(s, &f->schedule, f, &wrong);
        good = wrong ? h->at : good;
        bad = wrong ? 0 : h->at;
    }
    while (err == NULL && bad > good + 1) {
        bool wrong = false;
        h->at = good + (bad - good) / 2;
        err = is_wrong(s, &f->schedule, f, &wrong);
        good = wrong ? h->at : good;
        bad = wrong ? bad : h->at;
    }
    h->at = good;
    return err;
}

/**
 * The first instruction of the other wave that hold @p i has to wait for. The other one runs on
 * behind it, so that it alone does not show: here it waits, too, until the first has gone on.
 */
LULL_MUST_USE static struct lull_error *soonest(const struct lull_order_search *s,
                                                struct lull_order_found *f, size_t i)
{
    struct lull_hold *h = &f->schedule.holds[i];
    const uint64_t before = h->until;
    struct lull_schedule both = {0};
    struct lull_error *err = keep(&both, s->seed, f->schedule.holds, f->schedule.n);
    struct lull_hold *more = err == NULL ? realloc(both.holds, (both.n + 1) * sizeof *more) : NULL;
    if (err != NULL || more == NULL) {
        lull_schedule_done(&both);
        return err != NULL ? err : &lull_enomem;
    }
    both.holds = more;
    both.n++;
    uint64_t good = before, low = 1;
    while (err == NULL && low < good) {
        const uint64_t mid = low + (good - low) / 2;
        bool wrong = false;
        both.holds[i].until = mid;
        both.holds[both.n - 1] =
            (struct lull_hold){.wave = h->after, .after = h->wave, .at = mid, .until = h->at + 1};
        err = is_wrong(s, &both, f, &wrong);
        good = wrong ? mid : good;
        low = wrong ? low : mid + 1;
    }
    lull_schedule_done(&both);
    bool wrong = false;
    h->until = good;
    err = err != NULL ? err : is_wrong(s, &f->schedule, f, &wrong);
    h->until = wrong ? good : before;
    return err;
}

/** A wave waits as late as it may, for as little as it may. */
LULL_MUST_USE static struct lull_error *narrow(const struct lull_order_search *s,
                                               struct lull_order_found *f)
{
    struct lull_schedule *all = &f->schedule;
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < all->n && all->n <= MOST_TIGHTENED;) {
        bool needed = true;
        err = latest(s, f, i, &needed);
        if (err == NULL && needed) {
            err = soonest(s, f, i++);
        } else if (err == NULL) {
            all->n--;
            memmove(&all->holds[i], &all->holds[i + 1], (all->n - i) * sizeof *all->holds);
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *places(const struct lull_order_search *s,
                                               struct lull_order_found *f)
{
    struct lull_outcome o = {0};
    const struct lull_trial t = {.kind = LULL_TRIAL_PLACES, .schedule = f->schedule};
    struct lull_error *err = answer(s, &t, &o);
    f->places = o.text;
    o.text = NULL;
    lull_outcome_done(&o);
    return err;
}

struct lull_error *lull_order_search_run(const struct lull_order_search *s,
                                         struct lull_order_found *ret)
{
    struct lull_order_found f = {0};
    bool wrong = true;
    struct lull_error *err = s->directed ? directed(s, &f) : NULL;
    if (err == NULL && !f.found) {
        err = by_drawing(s, &f);
    }
    f.before = f.schedule.n;
    if (err == NULL && f.found && f.part == LULL_SEARCH_DRAWN) {
        err = is_wrong(s, &f.schedule, &f, &wrong);
    }
    if (err == NULL && !wrong) {
        err = lull_error_new(LULL_ERR_BAD_DATA,
                             "the order drawn by seed %" PRIu64 " goes wrong, but not when its %zu "
                             "waits are followed",
                             s->first + f.number, f.before);
    }
    if (err == NULL && f.found && f.schedule.n > 1) {
        err = fewest(s, &f);
    }
    if (err == NULL && f.found && f.part == LULL_SEARCH_DRAWN) {
        err = narrow(s, &f);
    }
    if (err == NULL && f.found) {
        err = is_wrong(s, &f.schedule, &f, &wrong); // its text is that of the last one
    }
    if (err == NULL && f.found) {
        err = places(s, &f);
    }
    if (err != NULL) {
        lull_order_found_done(&f);
        return err;
    }
    *ret = f;
    return NULL;
}

void lull_order_found_done(struct lull_order_found *f)
{
    lull_schedule_done(&f->schedule);
    free(f->text);
    free(f->places);
    *f = (struct lull_order_found){0};
}
