// SPDX-License-Identifier: MIT
#include "check/bounds/reach.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_SHIFT = 12, FIRST_ROOM = 256, MAX_PAGES = 1 << 18 };

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
static struct lull_reach_page *page_at(struct lull_reach *r, uint32_t space, uint64_t address)
{
    const uint64_t number = address >> PAGE_SHIFT;
    struct lull_reach_page *p = r->recent;
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
        p->low = UINT64_MAX;
        r->pages[place_of(r, space, number)] = p;
        r->n++;
    }
    r->recent = p;
    return p;
}

static void note(struct lull_reach_end *to, const struct lull_check_now *n,
                 const struct lull_touch *t, unsigned lane)
{
    to->launch = n->group->launch;
    to->address = t->address[lane];
    to->bytes = t->bytes;
    to->kind = t->kind;
    to->site = (struct lull_check_site){.there = true, .pc = n->at->pc, .lane = lane};
    to->site.wave = n->wave->index;
    to->site.lanes = n->wave->lanes;
    memcpy(to->site.workgroup, n->group->workgroup, sizeof to->site.workgroup);
    memcpy(to->site.full, n->group->full, sizeof to->site.full);
    lull_check_keep_insn(n);
}

static void lane_touch(struct lull_reach *r, const struct lull_check_now *n,
                       const struct lull_touch *t, unsigned lane)
{
    const uint64_t from = t->address[lane], end = from + t->bytes;
    struct lull_reach_page *p = page_at(r, n->space, from);
    if (p == NULL) {
        return;
    }
    if (from < p->low) {
        p->low = from;
        note(&p->first, n, t, lane);
    }
    if (end > p->high) {
        p->high = end;
        note(&p->last, n, t, lane);
    }
}

void lull_reach_touch(struct lull_reach *r, const struct lull_check_now *n,
                      const struct lull_touch *t)
{
    const struct lull_reach_page *p = r->recent;
    if (p != NULL && p->space == n->space && t->low >= p->low && t->high + t->bytes <= p->high) {
        return;
    }
    for (uint64_t m = t->lanes; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(m);
        if (t->valid[lane] != 0) {
            lane_touch(r, n, t, lane);
        }
    }
}

void lull_reach_done(struct lull_reach *r)
{
    for (size_t i = 0; i < r->room; i++) {
        free(r->pages[i]);
    }
    free(r->pages);
    *r = (struct lull_reach){0};
}
