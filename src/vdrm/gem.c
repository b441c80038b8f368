// SPDX-License-Identifier: MIT
// Buffers.
//
// Source: amdgpu_gem.c, amdgpu_object.c, drm_gem.c.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "vdrm/vdrm_priv.h"

#define HUGE_PAGE (2ull << 20)

struct lull_vd_bo *lull_vd_bo_lookup(const struct lull_vd_file *f, uint32_t handle)
{
    return lull_vd_idr_find(&f->bos, handle);
}

// Give the memory back to the host; it reads as zero again.
static void wipe(struct lull_vd *d, const struct lull_vd_bo *bo)
{
    const int fd = bo->own != NULL ? bo->own->fd : d->gpu.memfd;
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

static bool place(struct lull_vd *d, struct lull_vd_bo *bo, bool vram)
{
    struct lull_vd_heap *heap = vram ? &d->vram : &d->gtt;
    uint64_t align = power_of_two(bo->alignment);
    if (bo->size >= HUGE_PAGE && align < HUGE_PAGE) {
        align = HUGE_PAGE;
    }
    uint64_t at = 0;
    if (!lull_vd_heap_take(heap, bo->size, align, false, &at)) {
        return false;
    }
    bo->vram = vram;
    bo->offset = vram ? at : d->gpu.phys->vram_size + at;
    bo->phys = vram ? at : d->gpu.phys->system_base + at;
    return true;
}

// The memory goes back to where it came from.
static void unplace(struct lull_vd *d, struct lull_vd_bo *bo)
{
    const bool back = bo->own == NULL || lull_vd_own_unmap(d, bo) == 0;
    lull_vd_own_put(bo->own);
    if (!back) {
        return; // the host lets nothing be mapped any more: these addresses stay a client's
    }
    lull_vd_heap_give(bo->vram ? &d->vram : &d->gtt,
                      bo->vram ? bo->phys : bo->phys - d->gpu.phys->system_base, bo->size);
}

int lull_vd_bo_new(struct lull_vd_file *f, const struct drm_amdgpu_gem_create_in *in,
                   struct lull_vd_bo **ret)
{
    struct lull_vd *d = f->d;
    const uint64_t size = (in->bo_size + LULL_VD_PAGE - 1) & ~(uint64_t)(LULL_VD_PAGE - 1);
    const uint32_t domains = (uint32_t)in->domains;
    if (size == 0) {
        return -ENOSPC; // drm_vma_offset_add()
    }
    struct lull_vd_bo *bo = calloc(1, sizeof *bo);
    if (bo == NULL) {
        return -ENOMEM;
    }
    bo->refs = 1;
    bo->size = size;
    // The kernel keeps the low 32 bits of the alignment.
    bo->alignment = ((uint32_t)in->alignment + LULL_VD_PAGE - 1ull) & ~(uint64_t)(LULL_VD_PAGE - 1);
    bo->domains = domains;
    bo->flags = (in->domain_flags & ~(uint64_t)AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED) |
                AMDGPU_GEM_CREATE_VRAM_CLEARED | AMDGPU_GEM_CREATE_VRAM_WIPE_ON_RELEASE;
    // A buffer for VRAM goes to GTT if VRAM is full; nothing is ever moved.
    if (!((domains & AMDGPU_GEM_DOMAIN_VRAM) != 0 && place(d, bo, true)) && !place(d, bo, false)) {
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
    lull_list_init(&bo->maps);
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
    lull_tree_remove(&d->bos, &bo->at);
    assert(lull_list_empty(&bo->handles) && lull_list_empty(&bo->maps));
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

// amdgpu_gem_are_domains_valid() and the checks before it
static int create_check(const struct drm_amdgpu_gem_create_in *in)
{
    const uint64_t flags = AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED | AMDGPU_GEM_CREATE_NO_CPU_ACCESS |
                           AMDGPU_GEM_CREATE_CPU_GTT_USWC | AMDGPU_GEM_CREATE_VRAM_CLEARED |
                           AMDGPU_GEM_CREATE_VM_ALWAYS_VALID | AMDGPU_GEM_CREATE_EXPLICIT_SYNC |
                           AMDGPU_GEM_CREATE_GFX12_DCC | AMDGPU_GEM_CREATE_DISCARDABLE;
    const uint64_t normal = AMDGPU_GEM_DOMAIN_CPU | AMDGPU_GEM_DOMAIN_GTT | AMDGPU_GEM_DOMAIN_VRAM;
    const uint64_t special = AMDGPU_GEM_DOMAIN_GDS | AMDGPU_GEM_DOMAIN_GWS | AMDGPU_GEM_DOMAIN_OA;
    const uint64_t s = in->domains & special;
    if ((in->domain_flags & ~flags) != 0 || (in->domains & ~(normal | special)) != 0) {
        return -EINVAL;
    }
    if (s != 0 && ((in->domains & normal) != 0 || (s & (s - 1)) != 0 ||
                   (in->domain_flags & AMDGPU_GEM_CREATE_VM_ALWAYS_VALID) != 0)) {
        return -EINVAL;
    }
    return s != 0 ? -ENOMEM : 0; // this GPU has none of those
}

// amdgpu_gem_create_ioctl()
int lull_vd_gem_create(struct lull_vd_file *f, union drm_amdgpu_gem_create *arg)
{
    int r = create_check(&arg->in);
    struct lull_vd_bo *bo = NULL;
    if (r == 0) {
        r = lull_vd_bo_new(f, &arg->in, &bo);
    }
    if (r != 0) {
        return r;
    }
    const uint32_t handle = lull_vd_bo_handle(f, bo);
    lull_vd_bo_put(f->d, bo); // the handle has its own reference
    if (handle == 0) {
        return -ENOMEM;
    }
    *arg = (union drm_amdgpu_gem_create){.out = {.handle = handle}};
    return 0;
}

// amdgpu_mode_dumb_mmap()
int lull_vd_gem_mmap(struct lull_vd_file *f, union drm_amdgpu_gem_mmap *arg)
{
    const struct lull_vd_bo *bo = lull_vd_bo_lookup(f, arg->in.handle);
    *arg = (union drm_amdgpu_gem_mmap){0};
    if (bo == NULL) {
        return -ENOENT;
    }
    if (bo->userptr != 0 || (bo->flags & AMDGPU_GEM_CREATE_NO_CPU_ACCESS) != 0) {
        return -EPERM;
    }
    arg->out.addr_ptr = bo->offset;
    return 0;
}

// amdgpu_gem_op_ioctl()
int lull_vd_gem_op(struct lull_vd_file *f, struct drm_amdgpu_gem_op *arg)
{
    struct lull_vd_bo *bo = lull_vd_bo_lookup(f, arg->handle);
    if (bo == NULL) {
        return -ENOENT;
    }
    if (arg->op == AMDGPU_GEM_OP_GET_GEM_CREATE_INFO) {
        const struct drm_amdgpu_gem_create_in in = {.bo_size = bo->size,
                                                    .alignment = bo->alignment,
                                                    .domains = bo->domains,
                                                    .domain_flags = bo->flags};
        return lull_vd_to_user(arg->value, &in, sizeof in);
    }
    if (arg->op == AMDGPU_GEM_OP_SET_PLACEMENT) {
        if (bo->userptr != 0) {
            return -EPERM;
        }
        bo->domains =
            arg->value & (AMDGPU_GEM_DOMAIN_VRAM | AMDGPU_GEM_DOMAIN_GTT | AMDGPU_GEM_DOMAIN_CPU);
        return 0;
    }
    return -EINVAL;
}

// amdgpu_gem_metadata_ioctl(): an unknown operation does nothing
int lull_vd_gem_metadata(struct lull_vd_file *f, struct drm_amdgpu_gem_metadata *arg)
{
    struct lull_vd_bo *bo = lull_vd_bo_lookup(f, arg->handle);
    if (bo == NULL) {
        return -ENOENT;
    }
    if (arg->op == AMDGPU_GEM_METADATA_OP_GET_METADATA) {
        arg->data.tiling_info = bo->tiling;
        arg->data.flags = bo->meta_flags;
        arg->data.data_size_bytes = bo->meta_size;
        memcpy(arg->data.data, bo->meta, bo->meta_size);
    } else if (arg->op == AMDGPU_GEM_METADATA_OP_SET_METADATA) {
        if (arg->data.data_size_bytes > sizeof bo->meta) {
            return -EINVAL;
        }
        bo->tiling = arg->data.tiling_info;
        bo->meta_flags = arg->data.flags;
        bo->meta_size = arg->data.data_size_bytes;
        memcpy(bo->meta, arg->data.data, bo->meta_size);
    }
    return 0;
}
