// SPDX-License-Identifier: MIT
// Addresses of buffers: one space for each file.
//
// Source: msm_gem.c, msm_gem_vma.c.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vdrm/msm/msm.h"
#include "vdrm/msm/vdrm.h"

static struct lull_vdm_map *map_of(struct lull_tree_node *n)
{
    return n != NULL ? lull_container(n, struct lull_vdm_map, at) : NULL;
}

static struct lull_vdm_map *find(const struct lull_vdm_file *f, struct lull_vd_bo *bo)
{
    struct lull_list *maps = &lull_vdm_bo(bo)->maps;
    for (struct lull_list *l = maps->next; l != maps; l = l->next) {
        struct lull_vdm_map *m = lull_container(l, struct lull_vdm_map, of_bo);
        if (m->file == f) {
            return m;
        }
    }
    return NULL;
}

uint64_t lull_vdm_iova(const struct lull_vdm_file *f, struct lull_vd_bo *bo)
{
    const struct lull_vdm_map *m = find(f, bo);
    return m != NULL ? m->at.key : 0;
}

static void unmap(struct lull_vdm_map *m)
{
    struct lull_vdm *d = lull_vdm(m->file->f.d);
    d->ops->unmap(d->gpu, m->file->space, m->at.key, m->size);
    lull_tree_remove(&m->file->maps, &m->at);
    lull_list_remove(&m->of_bo);
    free(m);
}

static bool is_free(const struct lull_vdm_file *f, uint64_t iova, uint64_t size)
{
    const struct lull_vdm_map *below = map_of(lull_tree_floor(&f->maps, iova + size - 1));
    return below == NULL || below->at.key + below->size <= iova;
}

// drm_mm_insert_node_in_range()
static bool in_space(const struct lull_vdm_file *f, uint64_t iova, uint64_t size)
{
    const struct lull_vdm *d = lull_vdm_const(f->f.d);
    return iova >= d->va_start && size <= d->va_size && iova - d->va_start <= d->va_size - size &&
           iova % LULL_VD_PAGE == 0;
}

static int map_at(struct lull_vdm_file *f, struct lull_vd_bo *bo, uint64_t iova)
{
    struct lull_vdm *d = lull_vdm(f->f.d);
    const struct lull_agpu_page page = {
        .mem = lull_vd_bo_mem(&d->vd, bo),
        .access = LULL_AGPU_READ |
                  ((lull_vdm_bo(bo)->flags & MSM_BO_GPU_READONLY) != 0 ? 0u : LULL_AGPU_WRITE)};
    struct lull_vdm_map *m = calloc(1, sizeof *m);
    if (m == NULL || !d->ops->map(d->gpu, f->space, iova, bo->size, &page)) {
        free(m);
        return -ENOMEM;
    }
    m->at.key = iova;
    m->file = f;
    m->bo = lull_vdm_bo(bo);
    m->size = bo->size;
    lull_tree_add(&f->maps, &m->at);
    lull_list_add(&lull_vdm_bo(bo)->maps, &m->of_bo);
    return 0;
}

bool lull_vdm_map_number(const struct lull_vdm_file *f, uint64_t n, uint64_t *iova, uint64_t *size,
                         char name[LULL_VDM_NAME])
{
    const struct lull_vdm_map *m = map_of(lull_tree_ceil(&f->maps, 0));
    while (m != NULL && n-- != 0) {
        m = map_of(lull_tree_ceil(&f->maps, m->at.key + 1));
    }
    if (m != NULL) {
        *iova = m->at.key;
        *size = m->size;
        memcpy(name, m->bo->name, LULL_VDM_NAME);
    }
    return m != NULL;
}

// The first hole that is large enough.
static int choose(const struct lull_vdm_file *f, uint64_t size, uint64_t *ret)
{
    uint64_t at = lull_vdm_const(f->f.d)->va_start;
    while (in_space(f, at, size)) {
        const struct lull_vdm_map *m = map_of(lull_tree_floor(&f->maps, at + size - 1));
        if (m == NULL || m->at.key + m->size <= at) {
            *ret = at;
            return 0;
        }
        at = m->at.key + m->size;
    }
    return -ENOSPC;
}

int lull_vdm_iova_get(struct lull_vdm_file *f, struct lull_vd_bo *bo, uint64_t *ret)
{
    uint64_t iova = lull_vdm_iova(f, bo);
    int r = iova == 0 ? choose(f, bo->size, &iova) : 0;
    if (r == 0 && find(f, bo) == NULL) {
        r = map_at(f, bo, iova);
    }
    if (r == 0) {
        *ret = iova;
    }
    return r;
}

int lull_vdm_iova_set(struct lull_vdm_file *f, struct lull_vd_bo *bo, uint64_t iova)
{
    struct lull_vdm_map *m = find(f, bo);
    if (m != NULL && m->at.key == iova) {
        return 0;
    }
    if (m != NULL) { // what it had is gone in any case
        unmap(m);
        return iova == 0 ? 0 : -EBUSY;
    }
    if (iova == 0) {
        return 0;
    }
    return in_space(f, iova, bo->size) && is_free(f, iova, bo->size) ? map_at(f, bo, iova)
                                                                     : -ENOSPC;
}

void lull_vdm_bo_done(struct lull_vd *d, struct lull_vd_bo *bo)
{
    struct lull_vdm_bo *b = lull_vdm_bo(bo);
    (void)d;
    while (!lull_list_empty(&b->maps)) {
        unmap(lull_container(b->maps.next, struct lull_vdm_map, of_bo));
    }
    lull_vd_fence_set_done(&b->writers);
}

bool lull_vdm_maps_drop(struct lull_vdm_file *f, unsigned *budget)
{
    for (; f->maps.root != NULL && *budget > 0; --*budget) {
        unmap(map_of(f->maps.root));
    }
    return f->maps.root == NULL;
}

static bool meet(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

struct lull_error *lull_vdm_reserve(struct lull_kernel *k, uint64_t iova, uint64_t size,
                                    uint8_t *memory)
{
    struct lull_vdm *d = lull_vdm(lull_vd_of(k));
    bool taken = meet(iova, size, d->va_start, d->va_size);
    for (size_t i = 0; i < d->nreserved; i++) {
        taken = taken || meet(iova, size, d->reserved[i].iova, d->reserved[i].size);
    }
    if (taken || iova % LULL_VD_PAGE != 0 || size % LULL_VD_PAGE != 0 || size == 0 ||
        iova + size < iova) {
        return lull_error_new(LULL_ERR_INVALID,
                              "0x%llx, 0x%llx bytes: no room for whole pages there%s",
                              (unsigned long long)iova, (unsigned long long)size,
                              taken ? ": programs have buffers there, or lull has" : "");
    }
    struct lull_vdm_reserved *all =
        reallocarray(d->reserved, d->nreserved + 1, sizeof *d->reserved);
    if (all == NULL) {
        return &lull_enomem;
    }
    d->reserved = all;
    d->reserved[d->nreserved++] = (struct lull_vdm_reserved){iova, size, memory};
    return NULL;
}

int lull_vdm_reserved_map(struct lull_vdm_file *f)
{
    const struct lull_vdm *d = lull_vdm_const(f->f.d);
    for (size_t i = 0; i < d->nreserved; i++) {
        const struct lull_vdm_reserved *r = &d->reserved[i];
        const struct lull_agpu_page page = {
            .mem = r->memory, .size = r->size, .access = LULL_AGPU_READ | LULL_AGPU_WRITE};
        if (!d->ops->map(d->gpu, f->space, r->iova, r->size, &page)) {
            return -ENOMEM;
        }
    }
    return 0;
}
