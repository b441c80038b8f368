// SPDX-License-Identifier: MIT
#include "vdrm/core/heap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

struct lull_vd_extent {
    struct lull_tree_node at;
    struct lull_vd_extent *next; // In spare.
};

static struct lull_vd_extent *extent_of(struct lull_tree_node *n)
{
    return lull_container(n, struct lull_vd_extent, at);
}

static uint64_t end_of(const struct lull_tree_node *n)
{
    return n->key + n->weight;
}

static bool spare_more(struct lull_vd_heap *h)
{
    struct lull_vd_extent *e = calloc(1, sizeof *e);
    if (e != NULL) {
        e->next = h->spare;
        h->spare = e;
    }
    return e != NULL;
}

static void spare_less(struct lull_vd_heap *h)
{
    struct lull_vd_extent *e = h->spare;
    h->spare = e->next;
    free(e);
}

static void extent_add(struct lull_vd_heap *h, uint64_t start, uint64_t size)
{
    struct lull_vd_extent *e = h->spare;
    assert(e != NULL);
    h->spare = e->next;
    e->at.key = start;
    e->at.weight = size;
    lull_tree_add(&h->free, &e->at);
}

static void extent_remove(struct lull_vd_heap *h, struct lull_tree_node *n)
{
    lull_tree_remove(&h->free, n);
    extent_of(n)->next = h->spare;
    h->spare = extent_of(n);
}

bool lull_vd_heap_init(struct lull_vd_heap *h, uint64_t size)
{
    *h = (struct lull_vd_heap){.size = size};
    if (!spare_more(h)) {
        return false;
    }
    extent_add(h, 0, size);
    return true;
}

void lull_vd_heap_done(struct lull_vd_heap *h)
{
    while (h->free.root != NULL) {
        extent_remove(h, h->free.root);
    }
    while (h->spare != NULL) {
        spare_less(h);
    }
    *h = (struct lull_vd_heap){0};
}

struct want {
    uint64_t size, align, start;
    bool top;
};

static bool fits(const struct lull_tree_node *n, struct want *w)
{
    if (n->weight < w->size) {
        return false;
    }
    w->start = w->top ? (end_of(n) - w->size) & ~(w->align - 1)
                      : (n->key + w->align - 1) & ~(w->align - 1);
    return w->start >= n->key && w->start - n->key <= n->weight - w->size;
}

// The first range that fits, from below or from the top.
static struct lull_tree_node *search(struct lull_tree_node *n, struct want *w)
{
    if (n == NULL || n->most < w->size) {
        return NULL;
    }
    struct lull_tree_node *found = search(n->child[w->top], w);
    if (found != NULL) {
        return found;
    }
    return fits(n, w) ? n : search(n->child[!w->top], w);
}

bool lull_vd_heap_take(struct lull_vd_heap *h, uint64_t size, uint64_t align, bool top,
                       uint64_t *ret)
{
    struct want w = {.size = size, .align = align, .top = top};
    if (size == 0 || size > h->size || align > h->size) {
        return false;
    }
    struct lull_tree_node *n = search(h->free.root, &w);
    if (n == NULL || !spare_more(h)) {
        return false;
    }
    const uint64_t start = n->key, end = end_of(n), taken = w.start + size;
    extent_remove(h, n);
    if (w.start > start) {
        extent_add(h, start, w.start - start);
    }
    if (end > taken) {
        extent_add(h, taken, end - taken);
    }
    h->used += size;
    *ret = w.start;
    return true;
}

void lull_vd_heap_give(struct lull_vd_heap *h, uint64_t start, uint64_t size)
{
    struct lull_tree_node *before = lull_tree_floor(&h->free, start),
                          *behind = lull_tree_find(&h->free, start + size);
    uint64_t end = start + size;
    h->used -= size;
    if (behind != NULL) {
        end = end_of(behind);
        extent_remove(h, behind);
    }
    if (before != NULL && end_of(before) == start) {
        start = before->key;
        extent_remove(h, before);
    }
    extent_add(h, start, end - start);
    spare_less(h);
}

// Room for handles up to @p n.
static bool idr_grow(struct lull_vd_idr *idr, uint32_t n)
{
    void **slots = realloc(idr->slots, n * sizeof *slots);
    if (slots != NULL) {
        memset(slots + idr->n, 0, (n - idr->n) * sizeof *slots);
        idr->slots = slots;
        idr->n = n;
    }
    return slots != NULL;
}

uint32_t lull_vd_idr_add(struct lull_vd_idr *idr, void *object)
{
    enum { FIRST = 8, LAST = INT32_MAX };
    uint64_t i = 0;
    if (idr->numbers.size == 0 && !lull_vd_heap_init(&idr->numbers, LAST)) {
        return 0;
    }
    if (!lull_vd_heap_take(&idr->numbers, 1, 1, false, &i)) {
        return 0;
    }
    if (i >= idr->n && !idr_grow(idr, idr->n != 0 ? idr->n * 2 : FIRST)) {
        lull_vd_heap_give(&idr->numbers, i, 1);
        return 0;
    }
    idr->slots[i] = object;
    return (uint32_t)i + 1;
}

void *lull_vd_idr_find(const struct lull_vd_idr *idr, uint32_t handle)
{
    return handle >= 1 && handle <= idr->n ? idr->slots[handle - 1] : NULL;
}

void *lull_vd_idr_remove(struct lull_vd_idr *idr, uint32_t handle)
{
    void *object = lull_vd_idr_find(idr, handle);
    if (object != NULL) {
        idr->slots[handle - 1] = NULL;
        lull_vd_heap_give(&idr->numbers, handle - 1, 1);
    }
    return object;
}

void *lull_vd_idr_remove_any(struct lull_vd_idr *idr)
{
    while (idr->n > 0) {
        void *object = lull_vd_idr_remove(idr, idr->n);
        idr->n--; // never looked at again
        if (object != NULL) {
            return object;
        }
    }
    return NULL;
}

void lull_vd_idr_done(struct lull_vd_idr *idr)
{
    lull_vd_heap_done(&idr->numbers);
    free(idr->slots);
    *idr = (struct lull_vd_idr){0};
}
