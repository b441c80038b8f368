// SPDX-License-Identifier: MIT
#include "model/slabs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    PAGE = 4096,
    SLAB = 2 << 20, // A large page of x86-64, and of arm64 with small ones of 4 KiB.
    PAGES = SLAB / PAGE,
};

/** Stands in the first page of itself: PAGES - 1 are left. */
struct slab {
    struct lull_slabs *of;
    struct slab *next, *before; // Of those with a page that is free.
    uint32_t used, from;        // from: no page in front of it is free.
    uint32_t refs[PAGES];       // 0: free.
};

_Static_assert(sizeof(struct slab) <= PAGE, "a slab is described by its first page");

struct lull_slabs {
    struct slab *open; // One of its pages is free.
    size_t n;
    bool gone; // Nobody asks for pages.
};

struct lull_slabs *lull_slabs_new(void)
{
    return calloc(1, sizeof(struct lull_slabs));
}

static void link_slab(struct slab *s)
{
    s->before = NULL;
    s->next = s->of->open;
    if (s->next != NULL) {
        s->next->before = s;
    }
    s->of->open = s;
}

static void unlink_slab(struct slab *s)
{
    *(s->before != NULL ? &s->before->next : &s->of->open) = s->next;
    if (s->next != NULL) {
        s->next->before = s->before;
    }
}

static void free_slab(struct slab *s)
{
    struct lull_slabs *all = s->of;
    unlink_slab(s);
    free(s);
    if (--all->n == 0 && all->gone) {
        free(all);
    }
}

void lull_slabs_done(struct lull_slabs *s)
{
    if (s == NULL) {
        return;
    }
    struct slab *next = s->open;
    for (struct slab *at = next; at != NULL; at = next) {
        next = at->next;
        if (at->used == 0) {
            free_slab(at);
        }
    }
    s->gone = true;
    if (s->n == 0) {
        free(s);
    }
}

static struct slab *new_slab(struct lull_slabs *all)
{
    struct slab *s = aligned_alloc(SLAB, SLAB);
    if (s == NULL) {
        return NULL;
    }
    if (all->n != 0) { // Who needs few pages is not given large ones.
        madvise(s, SLAB, MADV_HUGEPAGE);
    }
    *s = (struct slab){.of = all, .from = 1};
    all->n++;
    link_slab(s);
    return s;
}

uint8_t *lull_slab_page(struct lull_slabs *all)
{
    struct slab *s = all->open != NULL ? all->open : new_slab(all);
    if (s == NULL) {
        return NULL;
    }
    uint32_t i = s->from;
    while (s->refs[i] != 0) {
        i++;
    }
    s->refs[i] = 1;
    s->from = i + 1;
    if (++s->used == PAGES - 1) {
        unlink_slab(s);
    }
    return (uint8_t *)s + (size_t)i * PAGE;
}

static struct slab *slab_of(uint8_t *page, uint32_t *i)
{
    const uintptr_t in = (uintptr_t)page % SLAB;
    *i = (uint32_t)(in / PAGE);
    return (struct slab *)(void *)(page - in);
}

void lull_slab_share(uint8_t *page)
{
    uint32_t i = 0;
    if (page != NULL) {
        slab_of(page, &i)->refs[i]++;
    }
}

void lull_slab_drop(uint8_t *page)
{
    uint32_t i = 0;
    struct slab *s = page != NULL ? slab_of(page, &i) : NULL;
    if (s == NULL || --s->refs[i] != 0) {
        return;
    }
    s->from = i < s->from ? i : s->from;
    if (s->used-- == PAGES - 1) {
        link_slab(s);
    }
    const bool only = s->of->open == s && s->next == NULL;
    if (s->used == 0 && (!only || s->of->gone)) { // The only one is soon needed again.
        free_slab(s);
    }
}
