// SPDX-License-Identifier: MIT
#include "explore/watch.h"

#include <stdlib.h>
#include <string.h>

enum { TIMES = 4, MOST_SEEN = 1 << 16, FIRST_ROOM = 64 };

/** A wave on the GPU. */
struct wave {
    const void *key; // NULL: nobody.
    struct lull_order_wave who;
    uint64_t count; // Instructions that have begun.
};

/** An instruction of a pair that a wave has begun. */
struct seen {
    struct lull_order_wave who;
    uint64_t pc, count;
};

/** Where a hold is. */
struct place {
    uint64_t at, until;
};

struct lull_watch {
    struct lull_observer observer; // First.
    const struct lull_pair *pairs;
    size_t npairs;
    const struct lull_schedule *holds;
    struct place *places;
    struct wave *waves;
    size_t nwaves, room;
    struct seen *seen;
    size_t nseen, seen_room;
    bool short_of_memory;
};

static struct wave *find(struct lull_watch *w, const void *key)
{
    for (size_t i = 0; i < w->nwaves; i++) {
        if (w->waves[i].key == key) {
            return &w->waves[i];
        }
    }
    return NULL;
}

static void starts(struct lull_observer *o, const struct lull_observed_wave *at)
{
    struct lull_watch *w = (struct lull_watch *)o;
    struct wave *to = find(w, at->wave);
    to = to != NULL ? to : find(w, NULL);
    if (to == NULL && w->nwaves == w->room) {
        const size_t room = w->room != 0 ? 2 * w->room : FIRST_ROOM;
        struct wave *more = realloc(w->waves, room * sizeof *more);
        w->short_of_memory |= more == NULL;
        if (more == NULL) {
            return;
        }
        w->waves = more;
        w->room = room;
    }
    to = to != NULL ? to : &w->waves[w->nwaves++];
    *to = (struct wave){.key = at->wave, .who = {at->dispatch, {0}, at->index}};
    memcpy(to->who.workgroup, at->workgroup, sizeof to->who.workgroup);
}

static void ends(struct lull_observer *o, const struct lull_observed_wave *at)
{
    struct wave *gone = find((struct lull_watch *)o, at->wave);
    if (gone != NULL) {
        gone->key = NULL;
    }
}

/** Keep an instruction of a pair; of each wave the first few times. */
static void keep(struct lull_watch *w, const struct wave *who, uint64_t pc)
{
    unsigned times = 0;
    for (size_t i = 0; i < w->nseen && times < TIMES; i++) {
        times += w->seen[i].pc == pc && lull_order_compare(&w->seen[i].who, &who->who) == 0;
    }
    if (times == TIMES || w->nseen == MOST_SEEN) {
        return;
    }
    if (w->nseen == w->seen_room) {
        const size_t room = w->seen_room != 0 ? 2 * w->seen_room : FIRST_ROOM;
        struct seen *more = realloc(w->seen, room * sizeof *more);
        w->short_of_memory |= more == NULL;
        if (more == NULL) {
            return;
        }
        w->seen = more;
        w->seen_room = room;
    }
    w->seen[w->nseen++] = (struct seen){who->who, pc, who->count};
}

static void before(struct lull_observer *o, const struct lull_observed *at)
{
    struct lull_watch *w = (struct lull_watch *)o;
    struct wave *who = at->handler ? NULL : find(w, at->wave);
    if (who == NULL) {
        return;
    }
    for (size_t i = 0; i < w->holds->n; i++) {
        const struct lull_hold *h = &w->holds->holds[i];
        if (who->count == h->at && lull_order_compare(&who->who, &h->wave) == 0) {
            w->places[i].at = at->pc;
        }
        if (who->count + 1 == h->until && lull_order_compare(&who->who, &h->after) == 0) {
            w->places[i].until = at->pc;
        }
    }
    for (size_t i = 0; i < w->npairs; i++) {
        if (w->pairs[i].pc[0] == at->pc || w->pairs[i].pc[1] == at->pc) {
            keep(w, who, at->pc);
            break;
        }
    }
    who->count++;
}

struct lull_error *lull_watch_new(const struct lull_pair *pairs, size_t npairs,
                                  const struct lull_schedule *holds, struct lull_watch **ret)
{
    struct lull_watch *w = calloc(1, sizeof *w);
    struct place *places = calloc(holds->n + 1, sizeof *places);
    if (w == NULL || places == NULL) {
        free(w);
        free(places);
        return &lull_enomem;
    }
    w->observer = (struct lull_observer){.before = before, .starts = starts, .ends = ends};
    w->pairs = pairs;
    w->npairs = npairs;
    w->holds = holds;
    w->places = places;
    *ret = w;
    return NULL;
}

void lull_watch_free(struct lull_watch *w)
{
    if (w != NULL) {
        free(w->places);
        free(w->waves);
        free(w->seen);
        free(w);
    }
}

struct lull_observer *lull_watch_observer(struct lull_watch *w)
{
    return &w->observer;
}

/** Is @p s what wave @p side of @p p did? */
static bool is_of(const struct seen *s, const struct lull_pair *p, unsigned side)
{
    return s->pc == p->pc[side] && s->who.index == p->wave[side] &&
           memcmp(s->who.workgroup, p->workgroup[side], sizeof s->who.workgroup) == 0;
}

/** That @p first waits until @p second is done, as far as there is room. */
static void add(struct lull_schedule *to, const struct seen *first, const struct seen *second)
{
    const struct lull_hold h = {
        .wave = first->who, .after = second->who, .at = first->count, .until = second->count + 1};
    if (to->n < LULL_WATCH_ORDERS && lull_order_compare(&h.wave, &h.after) != 0) {
        to->holds[to->n++] = h;
    }
}

/** Orders of pair @p p: of its own waves, or of all others. */
static void add_pair(const struct lull_watch *w, const struct lull_pair *p, bool own,
                     struct lull_schedule *to)
{
    for (size_t i = 0; i < w->nseen; i++) {
        const struct seen *a = &w->seen[i];
        for (size_t k = 0; a->pc == p->pc[0] && k < w->nseen; k++) {
            const struct seen *b = &w->seen[k];
            if (b->pc == p->pc[1] && (is_of(a, p, 0) && is_of(b, p, 1)) == own) {
                add(to, a, b);
                if (own) {
                    add(to, b, a);
                }
            }
        }
    }
}

struct lull_error *lull_watch_orders(const struct lull_watch *w, struct lull_schedule *ret)
{
    struct lull_schedule s = {.holds = calloc(LULL_WATCH_ORDERS, sizeof *s.holds)};
    if (s.holds == NULL || w->short_of_memory) {
        free(s.holds);
        return &lull_enomem;
    }
    for (unsigned own = 2; own-- > 0;) {
        for (size_t i = 0; i < w->npairs; i++) {
            add_pair(w, &w->pairs[i], own != 0, &s);
        }
    }
    *ret = s;
    return NULL;
}

uint64_t lull_watch_at(const struct lull_watch *w, size_t i)
{
    return w->places[i].at;
}

uint64_t lull_watch_until(const struct lull_watch *w, size_t i)
{
    return w->places[i].until;
}
