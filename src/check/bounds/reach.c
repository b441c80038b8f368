// SPDX-License-Identifier: MIT
#include "check/bounds/reach.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_SHIFT = 12, FIRST_ROOM = 256, MAX_PAGES = 1 << 18, MAX_LOCALS = 1 << 12 };

static size_t place_of(const struct lull_reach *r, uint32_t space, uint64_t number)
{
    size_t at = (size_t)((number + space) * 0x9e3779b1u) & (r->room - 1);
    while (r->pages[at] != NULL &&
           (r->pages[at]->number != number || r->pages[at]->space != space)) {
        at = (at + 1) & (r->room - 1);
    }
    return at;
}

static bool grow(struct lull_reach *r)
{
    struct lull_reach_page **old = r->pages;
    const size_t old_room = r->room, room = old_room != 0 ? 2 * old_room : FIRST_ROOM;
    struct lull_reach_page **pages = calloc(room, sizeof(void *));
    if (pages == NULL) {
        return false;
    }
    r->pages = pages;
    r->room = room;
    for (size_t i = 0; i < old_room; i++) {
        if (old[i] != NULL) {
            r->pages[place_of(r, old[i]->space, old[i]->number)] = old[i];
        }
    }
    free(old);
    return true;
}

/** NULL: lost. */
static struct lull_reach_page *page_at(struct lull_reach *r, uint32_t space, uint64_t address,
                                       struct lull_reach_page **recent)
{
    const uint64_t number = address >> PAGE_SHIFT;
    struct lull_reach_page *p = *recent;
    if (p != NULL && p->number == number && p->space == space) {
        return p;
    }
    p = r->room != 0 ? r->pages[place_of(r, space, number)] : NULL;
    if (p == NULL) {
        const bool room = r->n < MAX_PAGES && (2 * (r->n + 1) <= r->room || grow(r));
        p = room ? calloc(1, sizeof *p) : NULL;
        if (p == NULL) {
            r->lost = true;
            return NULL;
        }
        p->number = number;
        p->space = space;
        p->lanes.low = p->scalar.low = UINT64_MAX;
        r->pages[place_of(r, space, number)] = p;
        r->n++;
    }
    *recent = p;
    return p;
}

static void note(struct lull_reach_end *to, const struct lull_check_now *n,
                 const struct lull_touch *t, unsigned lane)
{
    to->launch = n->group->launch;
    to->address = t->address[lane];
    to->bytes = t->bytes;
    to->kind = t->kind;
    to->site = (struct lull_check_site){.there = true, .pc = n->at->pc, .lane = t->from + lane};
    to->site.wave = n->wave->index;
    to->site.lanes = n->wave->lanes;
    memcpy(to->site.workgroup, n->group->workgroup, sizeof to->site.workgroup);
    memcpy(to->site.full, n->group->full, sizeof to->site.full);
    lull_check_keep_insn(n);
}

static void widen(struct lull_reach_side *s, const struct lull_check_now *n,
                  const struct lull_touch *t, unsigned lane, uint64_t end)
{
    const uint64_t from = t->address[lane];
    if (from < s->low) {
        s->low = from;
        note(&s->first, n, t, lane);
    }
    if (end > s->high) {
        s->high = end;
        note(&s->last, n, t, lane);
    }
}

static void scalar_touch(struct lull_reach *r, const struct lull_check_now *n,
                         const struct lull_touch *t)
{
    struct lull_reach_page *p = page_at(r, n->space, t->low, &r->recent_scalar);
    if (p != NULL && (t->low < p->scalar.low || t->low >= p->scalar.high)) {
        widen(&p->scalar, n, t, 0, t->low + 1);
        p->scalar.first.site.whole = p->scalar.last.site.whole = true;
    }
}

void lull_reach_touch(struct lull_reach *r, const struct lull_check_now *n,
                      const struct lull_touch *t)
{
    const struct lull_reach_page *recent = r->recent;
    if (t->scalar) {
        scalar_touch(r, n, t);
        return;
    }
    if (recent != NULL && recent->space == n->space && t->low >= recent->lanes.low &&
        t->high + t->bytes <= recent->lanes.high) {
        return;
    }
    for (uint64_t m = t->lanes; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(m);
        struct lull_reach_page *p =
            t->valid[lane] != 0 ? page_at(r, n->space, t->address[lane], &r->recent) : NULL;
        if (p != NULL) {
            widen(&p->lanes, n, t, lane, t->address[lane] + t->bytes);
        }
    }
}

/** NULL: lost. */
static struct lull_reach_local *local_at(struct lull_reach *r, uint32_t space, uint64_t pc)
{
    for (size_t i = 0; i < r->nlocals; i++) {
        const size_t at = (r->recent_local + i) % r->nlocals;
        if (r->locals[at].last.site.pc == pc && r->locals[at].space == space) {
            r->recent_local = at;
            return &r->locals[at];
        }
    }
    if (r->nlocals == r->locals_room) {
        const size_t room = r->locals_room != 0 ? 2 * r->locals_room : FIRST_ROOM;
        struct lull_reach_local *more =
            room <= MAX_LOCALS ? reallocarray(r->locals, room, sizeof *more) : NULL;
        if (more == NULL) {
            r->lost = true;
            return NULL;
        }
        r->locals = more;
        r->locals_room = room;
    }
    r->recent_local = r->nlocals;
    struct lull_reach_local *l = &r->locals[r->nlocals++];
    *l = (struct lull_reach_local){.space = space};
    return l;
}

void lull_reach_touch_local(struct lull_reach *r, const struct lull_check_now *n,
                            const struct lull_touch *t)
{
    struct lull_reach_local *l = local_at(r, n->space, n->at->pc);
    const bool fresh = l != NULL && l->last.bytes == 0;
    if (l == NULL || (!fresh && t->high <= l->last.address)) {
        return;
    }
    for (uint64_t m = t->lanes; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(m);
        if (t->valid[lane] != 0 && (l->last.bytes == 0 || t->address[lane] > l->last.address)) {
            note(&l->last, n, t, lane);
        }
    }
    l->last.site.pc = n->at->pc; // Also if nothing was in bounds.
}

void lull_reach_done(struct lull_reach *r)
{
    for (size_t i = 0; i < r->room; i++) {
        free(r->pages[i]);
    }
    free(r->pages);
    free(r->locals);
    *r = (struct lull_reach){0};
}
