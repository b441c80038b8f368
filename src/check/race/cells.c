// SPDX-License-Identifier: MIT
#include "check/race/cells.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_PAGES = 256,
    MAX_PAGES = 32768, // 1.6 GiB of cells, 128 MiB of memory
    MAX_RECORDS = 1 << 24,
    PAGE_SHIFT = 12,
};

static size_t place_of(const struct lull_race_shadow *s, uint32_t space, uint64_t number)
{
    size_t at = (size_t)((number + space) * 0x9e3779b1u) & (s->room - 1);
    while (s->pages[at] != NULL &&
           (s->pages[at]->number != number || s->pages[at]->space != space)) {
        at = (at + 1) & (s->room - 1);
    }
    return at;
}

static bool grow(struct lull_race_shadow *s)
{
    struct lull_race_page **old = s->pages;
    const size_t old_room = s->room, room = old_room != 0 ? 2 * old_room : FIRST_PAGES;
    struct lull_race_page **pages = calloc(room, sizeof *pages);
    if (pages == NULL) {
        return false;
    }
    s->pages = pages;
    s->room = room;
    for (size_t i = 0; i < old_room; i++) {
        if (old[i] != NULL) {
            s->pages[place_of(s, old[i]->space, old[i]->number)] = old[i];
        }
    }
    free(old);
    return true;
}

static struct lull_race_page *page_new(struct lull_race_shadow *s, uint32_t space, uint64_t number)
{
    if (s->npages == MAX_PAGES || (2 * (s->npages + 1) > s->room && !grow(s))) {
        return NULL;
    }
    struct lull_race_page *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return NULL;
    }
    p->number = number;
    p->space = space;
    p->generation = s->generation;
    s->pages[place_of(s, space, number)] = p;
    s->npages++;
    return p;
}

struct lull_race_page *lull_race_page_at(struct lull_race_shadow *s, uint32_t space,
                                         uint64_t address)
{
    const uint64_t number = address >> PAGE_SHIFT;
    struct lull_race_page *p = s->last;
    if (p == NULL || p->number != number || p->space != space) {
        p = s->room != 0 ? s->pages[place_of(s, space, number)] : NULL;
        p = p != NULL ? p : page_new(s, space, number);
        if (p == NULL) {
            return NULL;
        }
        s->last = p;
    }
    if (p->generation != s->generation) {
        memset(p->lines, 0, sizeof p->lines);
        free(p->plain);
        p->plain = NULL;
        p->split = 0;
        p->generation = s->generation;
    }
    return p;
}

bool lull_race_split(struct lull_race_page *p, unsigned line)
{
    const struct lull_race_cell *all = &p->lines[line];
    if (p->cells == NULL) {
        p->cells = malloc(LULL_RACE_PAGE_DWORDS * sizeof *p->cells);
    }
    if (p->cells == NULL || (p->split >> line & 1) != 0) {
        return p->cells != NULL;
    }
    for (unsigned i = 0; i < LULL_RACE_LINE_DWORDS; i++) {
        const unsigned dword = line * LULL_RACE_LINE_DWORDS + i;
        struct lull_race_cell *c = &p->cells[dword];
        *c = *all;
        c->store.lane = (uint8_t)(all->store.lane + i);
        c->read[0].lane = (uint8_t)(all->read[0].lane + i);
        c->read[1].lane = (uint8_t)(all->read[1].lane + i);
        c->value = p->values != NULL ? p->values[dword] : 0;
    }
    p->split |= UINT64_C(1) << line;
    return true;
}

uint32_t *lull_race_values(struct lull_race_page *p, unsigned line)
{
    if (p->values == NULL) {
        p->values = malloc(LULL_RACE_PAGE_DWORDS * sizeof *p->values);
    }
    return p->values != NULL ? p->values + (size_t)line * LULL_RACE_LINE_DWORDS : NULL;
}

struct lull_race_record *lull_race_record_new(struct lull_race_shadow *s, uint32_t *ret)
{
    if (s->nrecords + 1 >= s->records_room) {
        const size_t room = s->records_room != 0 ? 2 * s->records_room : FIRST_PAGES;
        struct lull_race_record *more =
            room > MAX_RECORDS ? NULL : realloc(s->records, room * sizeof *more);
        if (more == NULL) {
            return NULL;
        }
        s->records = more;
        s->records_room = room;
    }
    *ret = (uint32_t)++s->nrecords;
    return &s->records[*ret];
}

void lull_race_shadow_clear(struct lull_race_shadow *s)
{
    s->generation++;
    s->nrecords = 0;
}

void lull_race_shadow_done(struct lull_race_shadow *s)
{
    for (size_t i = 0; i < s->room; i++) {
        if (s->pages[i] != NULL) {
            free(s->pages[i]->cells);
            free(s->pages[i]->values);
            free(s->pages[i]->plain);
            free(s->pages[i]);
        }
    }
    free(s->pages);
    free(s->records);
    *s = (struct lull_race_shadow){0};
}
