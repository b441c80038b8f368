// SPDX-License-Identifier: MIT
// Buffers, and what files call them.
//
// Source: drm_gem.c.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "vdrm/core/vd.h"

#define HUGE_PAGE (2ull << 20)

struct lull_vd_bo *lull_vd_bo_lookup(const struct lull_vd_file *f, uint32_t handle)
{
    return lull_vd_idr_find(&f->bos, handle);
}

// Give the memory back to the host; it reads as zero again.
static void wipe(struct lull_vd *d, const struct lull_vd_bo *bo)
{
    const int fd = bo->own != NULL ? bo->own->fd : d->memfd;
    const int r =
        fd >= 0 ? fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                            (off_t)(bo->own != NULL ? bo->own_offset : bo->offset), (off_t)bo->size)
                : -1;
    if (r != 0) {
        memset(lull_vd_bo_mem(d, bo), 0, bo->size);
    }
}

static uint64_t power_of_two(uint64_t v)
{
    uint64_t p = LULL_VD_PAGE;
    while (p < v && p < 1ull << 40) {
        p <<= 1;
    }
    return p;
}

static bool place(struct lull_vd *d, struct lull_vd_bo *bo, uint64_t alignment, unsigned region)
{
    struct lull_vd_region *r = &d->regions[region];
    uint64_t align = power_of_two(alignment), at = 0;
    if (bo->size >= HUGE_PAGE && align < HUGE_PAGE) {
        align = HUGE_PAGE;
    }
    if (!lull_vd_heap_take(&r->heap, bo->size, align, false, &at)) {
        return false;
    }
    bo->region = region;
    bo->offset = r->offset + at;
    bo->phys = r->base + at;
    return true;
}

// In the first region of @p regions that has room; nothing is ever moved.
static bool place_any(struct lull_vd *d, struct lull_vd_bo *bo, uint64_t alignment,
                      uint32_t regions)
{
    for (unsigned i = 0; i < d->nregions; i++) {
        if ((regions & 1u << i) != 0 && place(d, bo, alignment, i)) {
            return true;
        }
    }
    return false;
}

// The memory goes back to where it came from.
static void unplace(struct lull_vd *d, struct lull_vd_bo *bo)
{
    struct lull_vd_region *r = &d->regions[bo->region];
    const bool back = bo->own == NULL || lull_vd_own_unmap(d, bo) == 0;
    lull_vd_own_put(bo->own);
    if (!back) {
        return; // the host lets nothing be mapped any more: these addresses stay a client's
    }
    lull_vd_heap_give(&r->heap, bo->phys - r->base, bo->size);
}

int lull_vd_bo_new(struct lull_vd_file *f, uint64_t size, uint64_t alignment, uint32_t regions,
                   struct lull_vd_bo **ret)
{
    struct lull_vd *d = f->d;
    size = (size + LULL_VD_PAGE - 1) & ~(uint64_t)(LULL_VD_PAGE - 1);
    if (size == 0) {
        return -ENOSPC; // drm_vma_offset_add()
    }
    struct lull_vd_bo *bo = calloc(1, d->driver->bo_size);
    if (bo == NULL) {
        return -ENOMEM;
    }
    bo->refs = 1;
    bo->size = size;
    if (!place_any(d, bo, alignment, regions)) {
        free(bo);
        return -ENOMEM;
    }
    bo->own = f->own;
    bo->own_offset = bo->offset;
    if (bo->own != NULL) {
        bo->own->refs++;
        if (lull_vd_own_map(d, bo) != 0) {
            unplace(d, bo);
            free(bo);
            return -ENOMEM;
        }
    }
    lull_list_init(&bo->handles);
    bo->at.key = bo->offset;
    lull_tree_add(&d->bos, &bo->at);
    *ret = bo;
    return 0;
}

void lull_vd_bo_put(struct lull_vd *d, struct lull_vd_bo *bo)
{
    if (--bo->refs > 0) {
        return;
    }
    if (d->driver->bo_done != NULL) {
        d->driver->bo_done(d, bo);
    }
    lull_tree_remove(&d->bos, &bo->at);
    assert(lull_list_empty(&bo->handles));
    lull_list_remove(&bo->userptr_link);
    wipe(d, bo);
    unplace(d, bo);
    lull_vd_fence_set_done(&bo->fences);
    for (size_t i = 0; i < bo->nnewer; i++) {
        lull_vd_bo_put(d, bo->newer[i]); // those know nothing of older ones: this ends
    }
    free(bo->newer);
    free(bo);
}

struct lull_vd_bo *lull_vd_bo_at(const struct lull_vd *d, uint64_t offset, bool start)
{
    struct lull_tree_node *n = lull_tree_floor(&d->bos, offset);
    struct lull_vd_bo *bo = n != NULL ? lull_container(n, struct lull_vd_bo, at) : NULL;
    const bool found =
        bo != NULL && (start ? offset == bo->offset : offset - bo->offset < bo->size);
    return found ? bo : NULL;
}

static struct lull_vd_handle *handle_find(const struct lull_vd_file *f, const struct lull_vd_bo *bo)
{
    for (struct lull_list *l = bo->handles.next; l != &bo->handles; l = l->next) {
        struct lull_vd_handle *h = lull_container(l, struct lull_vd_handle, link);
        if (h->file == f) {
            return h;
        }
    }
    return NULL;
}

uint32_t lull_vd_bo_handle(struct lull_vd_file *f, struct lull_vd_bo *bo)
{
    struct lull_vd_handle *h = calloc(1, sizeof *h);
    const uint32_t number = h != NULL ? lull_vd_idr_add(&f->bos, bo) : 0;
    if (number == 0) {
        free(h);
        return 0;
    }
    h->file = f;
    h->number = number;
    lull_list_add(&bo->handles, &h->link);
    bo->refs++;
    return number;
}

int lull_vd_bo_publish(struct lull_vd_file *f, struct lull_vd_bo *bo, uint32_t *ret)
{
    *ret = lull_vd_bo_handle(f, bo);
    lull_vd_bo_put(f->d, bo); // the handle has its own reference
    return *ret != 0 ? 0 : -ENOMEM;
}

static struct lull_vd_bo *unhandle(const struct lull_vd_file *f, struct lull_vd_bo *bo)
{
    struct lull_vd_handle *h = bo != NULL ? handle_find(f, bo) : NULL;
    if (h != NULL) {
        lull_list_remove(&h->link);
        free(h);
    }
    return bo;
}

struct lull_vd_bo *lull_vd_bo_unhandle(struct lull_vd_file *f, uint32_t handle)
{
    return unhandle(f, lull_vd_idr_remove(&f->bos, handle));
}

struct lull_vd_bo *lull_vd_bo_unhandle_any(struct lull_vd_file *f)
{
    return unhandle(f, lull_vd_idr_remove_any(&f->bos));
}

uint32_t lull_vd_bo_handle_of(const struct lull_vd_file *f, const struct lull_vd_bo *bo)
{
    const struct lull_vd_handle *h = handle_find(f, bo);
    return h != NULL ? h->number : 0;
}
