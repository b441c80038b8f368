// SPDX-License-Identifier: MIT
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "vdrm/vdrm_priv.h"

bool lull_vd_heap_init(struct lull_vd_heap *h, uint64_t size)
{
    *h = (struct lull_vd_heap){.size = size, .room = 16};
    h->free = calloc(h->room, sizeof *h->free);
    if (h->free == NULL) {
        return false;
    }
    h->free[0] = (struct lull_vd_extent){.start = 0, .size = size};
    h->n = 1;
    return true;
}

void lull_vd_heap_done(struct lull_vd_heap *h)
{
    free(h->free);
    *h = (struct lull_vd_heap){0};
}

// Room for the free ranges that there can be once every allocation is given back on its own.
static bool heap_reserve(struct lull_vd_heap *h)
{
    if (h->room >= h->live + 3) {
        return true;
    }
    struct lull_vd_extent *free_ = realloc(h->free, 2 * h->room * sizeof *free_);
    if (free_ == NULL) {
        return false;
    }
    h->free = free_;
    h->room *= 2;
    return true;
}

static void heap_cut(struct lull_vd_heap *h, size_t i, uint64_t start, uint64_t size)
{
    struct lull_vd_extent *e = &h->free[i];
    const uint64_t end = start + size, e_end = e->start + e->size;
    const uint64_t before = start - e->start, after = e_end - end;
    if (before > 0 && after > 0) {
        memmove(e + 1, e, (h->n - i) * sizeof *e);
        h->n++;
        e[0].size = before;
        e[1] = (struct lull_vd_extent){.start = end, .size = after};
    } else if (before > 0) {
        e->size = before;
    } else if (after > 0) {
        *e = (struct lull_vd_extent){.start = end, .size = after};
    } else {
        memmove(e, e + 1, (h->n - i - 1) * sizeof *e);
        h->n--;
    }
    h->used += size;
    h->live++;
}

bool lull_vd_heap_take(struct lull_vd_heap *h, uint64_t size, uint64_t align, bool top,
                       uint64_t *ret)
{
    if (size == 0 || size > h->size || align > h->size || !heap_reserve(h)) {
        return false;
    }
    for (size_t n = 0; n < h->n; n++) {
        const size_t i = top ? h->n - 1 - n : n;
        const struct lull_vd_extent e = h->free[i];
        if (e.size < size) {
            continue;
        }
        const uint64_t start =
            top ? (e.start + e.size - size) & ~(align - 1) : (e.start + align - 1) & ~(align - 1);
        if (start >= e.start && start - e.start <= e.size - size) {
            heap_cut(h, i, start, size);
            *ret = start;
            return true;
        }
    }
    return false;
}

void lull_vd_heap_give(struct lull_vd_heap *h, uint64_t start, uint64_t size)
{
    size_t i = 0, end = h->n; // first free range behind start
    while (i < end) {
        const size_t mid = i + (end - i) / 2;
        if (h->free[mid].start < start) {
            i = mid + 1;
        } else {
            end = mid;
        }
    }
    const bool left = i > 0 && h->free[i - 1].start + h->free[i - 1].size == start;
    const bool right = i < h->n && start + size == h->free[i].start;
    if (left && right) {
        h->free[i - 1].size += size + h->free[i].size;
        memmove(&h->free[i], &h->free[i + 1], (h->n - i - 1) * sizeof *h->free);
        h->n--;
    } else if (left) {
        h->free[i - 1].size += size;
    } else if (right) {
        h->free[i].start = start;
        h->free[i].size += size;
    } else {
        assert(h->n < h->room);
        memmove(&h->free[i + 1], &h->free[i], (h->n - i) * sizeof *h->free);
        h->free[i] = (struct lull_vd_extent){.start = start, .size = size};
        h->n++;
    }
    h->used -= size;
    h->live--;
}

uint32_t lull_vd_idr_add(struct lull_vd_idr *idr, void *object)
{
    uint32_t i = 0;
    while (i < idr->n && idr->slots[i] != NULL) {
        i++;
    }
    if (i == idr->n) {
        const uint32_t n = idr->n != 0 ? idr->n * 2 : 8;
        void **slots = realloc(idr->slots, n * sizeof *slots);
        if (slots == NULL) {
            return 0;
        }
        memset(slots + idr->n, 0, (n - idr->n) * sizeof *slots);
        idr->slots = slots;
        idr->n = n;
    }
    idr->slots[i] = object;
    return i + 1;
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
    }
    return object;
}
