// SPDX-License-Identifier: MIT
#include "model/fresh.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

enum { PAGE = 4096, FIRST_ROOM = 256, MAX_PAGES = 1 << 18, WRITTEN = 1 };

static size_t place_of(const struct lull_fresh *f, uintptr_t page)
{
    size_t at = (size_t)(page / PAGE * 0x9e3779b1u) & (f->room - 1);
    while (f->pages[at] != 0 && (f->pages[at] & ~(uintptr_t)WRITTEN) != page) {
        at = (at + 1) & (f->room - 1);
    }
    return at;
}

static bool grow(struct lull_fresh *f)
{
    const struct lull_fresh old = *f;
    const size_t room = old.room != 0 ? 2 * old.room : FIRST_ROOM;
    uintptr_t *pages = room > MAX_PAGES ? NULL : calloc(room, sizeof *pages);
    if (pages == NULL) {
        return false;
    }
    f->pages = pages;
    f->room = room;
    for (size_t i = 0; i < old.room; i++) {
        if (old.pages[i] != 0) {
            f->pages[place_of(f, old.pages[i] & ~(uintptr_t)WRITTEN)] = old.pages[i];
        }
    }
    free(old.pages);
    return true;
}

/** Has the host no memory for it? A page that was swapped out looks the same. */
static bool is_hole(const uint8_t *page)
{
    unsigned char in = 1;
    struct sysinfo s;
    return mincore((void *)(uintptr_t)page, PAGE, &in) == 0 && (in & 1) == 0 && sysinfo(&s) == 0 &&
           s.totalswap == s.freeswap;
}

static uintptr_t *recent_of(struct lull_fresh *f, uintptr_t page)
{
    return &f->recent[page / PAGE % LULL_FRESH_RECENT];
}

bool lull_fresh_see(struct lull_fresh *f, const uint8_t *page, bool writes)
{
    const uintptr_t number = (uintptr_t)page;
    if (*recent_of(f, number) == number) {
        return false;
    }
    size_t at = f->room != 0 ? place_of(f, number) : 0;
    if (f->room != 0 && f->pages[at] != 0) {
        if (writes && (f->pages[at] & WRITTEN) == 0) {
            f->pages[at] |= WRITTEN;
            f->unwritten--;
        }
        return (f->pages[at] & WRITTEN) == 0;
    }
    if (writes || !is_hole(page) || (2 * (f->n + 1) > f->room && !grow(f))) {
        *recent_of(f, number) = number;
        return false;
    }
    f->pages[place_of(f, number)] = number;
    f->n++;
    f->unwritten++;
    return true;
}

bool lull_fresh_has(const struct lull_fresh *f, const uint8_t *page)
{
    return f->unwritten != 0 && f->pages[place_of(f, (uintptr_t)page)] == (uintptr_t)page;
}

void lull_fresh_clear(struct lull_fresh *f)
{
    if (f->n != 0) {
        memset(f->pages, 0, f->room * sizeof *f->pages);
    }
    memset(f->recent, 0, sizeof f->recent);
    f->n = f->unwritten = 0;
}

void lull_fresh_done(struct lull_fresh *f)
{
    free(f->pages);
    *f = (struct lull_fresh){0};
}
