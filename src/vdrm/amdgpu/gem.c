// SPDX-License-Identifier: MIT
// Calls on buffers.
//
// Source: amdgpu_gem.c, amdgpu_object.c.
#include <errno.h>
#include <string.h>

#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/calls.h"
#include "vdrm/core/user.h"

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
    return s == AMDGPU_GEM_DOMAIN_GWS ? -ENOMEM : 0; // the model has none
}

// amdgpu_bo_create(): a page stands for each byte of GDS, and for each unit of ordered append. The
// pages here are memory that nobody looks at, so that the buffer is one like others.
static int chip_new(struct lull_vd_file *f, const struct drm_amdgpu_gem_create_in *in,
                    struct lull_vda_bo **ret)
{
    struct lull_vda *d = lull_vda(f->d);
    const bool gds = in->domains == AMDGPU_GEM_DOMAIN_GDS;
    struct lull_vd_heap *heap = gds ? &d->gds : &d->oa;
    const uint64_t unit = gds ? 4 : 1; // bytes of GDS go by fours
    struct lull_vd_bo *bo = NULL;
    uint64_t align = unit, at = 0;
    if (in->bo_size > heap->size || in->alignment > heap->size) {
        return -ENOMEM;
    }
    while (align < in->alignment) {
        align *= 2;
    }
    const uint64_t n = (in->bo_size + unit - 1) & ~(unit - 1);
    int r = lull_vd_bo_new(f, n << LULL_VD_PAGE_SHIFT, LULL_VD_PAGE, 1u << LULL_VDA_GTT, &bo);
    if (r == 0 && !lull_vd_heap_take(heap, n, align, false, &at)) {
        lull_vd_bo_put(f->d, bo);
        r = -ENOMEM;
    }
    if (r == 0) {
        *ret = lull_vda_bo(bo);
        (*ret)->chip = heap;
        (*ret)->chip_at = at;
        (*ret)->chip_size = n;
    }
    return r;
}

void lull_vda_bo_done(struct lull_vd *d, struct lull_vd_bo *bo)
{
    const struct lull_vda_bo *a = lull_vda_bo(bo);
    (void)d;
    if (a->chip != NULL) {
        lull_vd_heap_give(a->chip, a->chip_at, a->chip_size);
    }
}

// A buffer for VRAM goes to GTT if VRAM is full.
static int bo_new(struct lull_vd_file *f, const struct drm_amdgpu_gem_create_in *in,
                  struct lull_vda_bo **ret)
{
    const bool vram = (in->domains & AMDGPU_GEM_DOMAIN_VRAM) != 0;
    struct lull_vd_bo *bo = NULL;
    // The kernel keeps the low 32 bits of the alignment.
    const uint64_t alignment =
        ((uint32_t)in->alignment + LULL_VD_PAGE - 1ull) & ~(uint64_t)(LULL_VD_PAGE - 1);
    const bool chip = (in->domains & (AMDGPU_GEM_DOMAIN_GDS | AMDGPU_GEM_DOMAIN_OA)) != 0;
    struct lull_vda_bo *a = NULL;
    const int r = chip ? chip_new(f, in, &a)
                       : lull_vd_bo_new(f, in->bo_size, alignment,
                                        (vram ? 1u << LULL_VDA_VRAM : 0) | 1u << LULL_VDA_GTT, &bo);
    if (r != 0) {
        return r;
    }
    a = chip ? a : lull_vda_bo(bo);
    bo = &a->bo;
    a->alignment = alignment;
    a->domains = (uint32_t)in->domains;
    a->flags = (in->domain_flags & ~(uint64_t)AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED) |
               AMDGPU_GEM_CREATE_VRAM_CLEARED | AMDGPU_GEM_CREATE_VRAM_WIPE_ON_RELEASE |
               (chip ? AMDGPU_GEM_CREATE_NO_CPU_ACCESS : 0);
    bo->no_map = (a->flags & AMDGPU_GEM_CREATE_NO_CPU_ACCESS) != 0;
    bo->no_export = (a->flags & AMDGPU_GEM_CREATE_VM_ALWAYS_VALID) != 0;
    lull_list_init(&a->maps);
    *ret = a;
    return 0;
}

// amdgpu_gem_create_ioctl()
int lull_vda_gem_create(struct lull_vd_file *f, void *p)
{
    union drm_amdgpu_gem_create *arg = p;
    int r = create_check(&arg->in);
    struct lull_vda_bo *bo = NULL;
    uint32_t handle = 0;
    if (r == 0) {
        r = bo_new(f, &arg->in, &bo);
    }
    if (r == 0) {
        r = lull_vd_bo_publish(f, &bo->bo, &handle);
    }
    if (r == 0) {
        *arg = (union drm_amdgpu_gem_create){.out = {.handle = handle}};
    }
    return r;
}

// amdgpu_gem_userptr_ioctl()
int lull_vda_gem_userptr(struct lull_vd_file *f, void *p)
{
    struct drm_amdgpu_gem_userptr *arg = p;
    const uint32_t known = AMDGPU_GEM_USERPTR_READONLY | AMDGPU_GEM_USERPTR_ANONONLY |
                           AMDGPU_GEM_USERPTR_VALIDATE | AMDGPU_GEM_USERPTR_REGISTER;
    if (((arg->addr | arg->size) & (LULL_VD_PAGE - 1)) != 0 || (arg->flags & ~known) != 0) {
        return -EINVAL;
    }
    if ((arg->flags & (AMDGPU_GEM_USERPTR_READONLY | AMDGPU_GEM_USERPTR_REGISTER)) == 0) {
        return -EACCES;
    }
    // What lies in a file is refused with AMDGPU_GEM_USERPTR_ANONONLY, and here without too.
    const struct lull_vd_pages pages = {.address = arg->addr,
                                        .size = arg->size,
                                        .readonly =
                                            (arg->flags & AMDGPU_GEM_USERPTR_READONLY) != 0};
    const struct drm_amdgpu_gem_create_in in = {.bo_size = arg->size,
                                                .domains = AMDGPU_GEM_DOMAIN_GTT};
    struct lull_vda_bo *bo = NULL;
    int r = lull_vd_userptr_check(f, &pages);
    if (r == 0) {
        r = bo_new(f, &in, &bo);
    }
    if (r == 0) {
        bo->domains = AMDGPU_GEM_DOMAIN_CPU;
        r = lull_vd_userptr_publish(f, &bo->bo, arg->addr, &arg->handle);
    }
    return r;
}

// amdgpu_mode_dumb_mmap()
int lull_vda_gem_mmap(struct lull_vd_file *f, void *p)
{
    union drm_amdgpu_gem_mmap *arg = p;
    const struct lull_vd_bo *bo = lull_vd_bo_lookup(f, arg->in.handle);
    *arg = (union drm_amdgpu_gem_mmap){0};
    if (bo == NULL) {
        return -ENOENT;
    }
    if (bo->userptr != 0 || bo->no_map) {
        return -EPERM;
    }
    arg->out.addr_ptr = bo->offset;
    return 0;
}

// amdgpu_gem_op_ioctl()
int lull_vda_gem_op(struct lull_vd_file *f, void *p)
{
    const struct drm_amdgpu_gem_op *arg = p;
    struct lull_vd_bo *bo = lull_vd_bo_lookup(f, arg->handle);
    if (bo == NULL) {
        return -ENOENT;
    }
    struct lull_vda_bo *a = lull_vda_bo(bo);
    if (arg->op == AMDGPU_GEM_OP_GET_GEM_CREATE_INFO) {
        const struct drm_amdgpu_gem_create_in in = {.bo_size = bo->size,
                                                    .alignment = a->alignment,
                                                    .domains = a->domains,
                                                    .domain_flags = a->flags};
        return lull_vd_to_user(arg->value, &in, sizeof in);
    }
    if (arg->op == AMDGPU_GEM_OP_SET_PLACEMENT) {
        if (bo->userptr != 0) {
            return -EPERM;
        }
        a->domains =
            arg->value & (AMDGPU_GEM_DOMAIN_VRAM | AMDGPU_GEM_DOMAIN_GTT | AMDGPU_GEM_DOMAIN_CPU);
        return 0;
    }
    return -EINVAL;
}

// amdgpu_gem_metadata_ioctl(): an unknown operation does nothing
int lull_vda_gem_metadata(struct lull_vd_file *f, void *p)
{
    struct drm_amdgpu_gem_metadata *arg = p;
    struct lull_vd_bo *bo = lull_vd_bo_lookup(f, arg->handle);
    if (bo == NULL) {
        return -ENOENT;
    }
    struct lull_vda_bo *a = lull_vda_bo(bo);
    if (arg->op == AMDGPU_GEM_METADATA_OP_GET_METADATA) {
        arg->data.tiling_info = a->tiling;
        arg->data.flags = a->meta_flags;
        arg->data.data_size_bytes = a->meta_size;
        memcpy(arg->data.data, a->meta, a->meta_size);
    } else if (arg->op == AMDGPU_GEM_METADATA_OP_SET_METADATA) {
        if (arg->data.data_size_bytes > sizeof a->meta) {
            return -EINVAL;
        }
        a->tiling = arg->data.tiling_info;
        a->meta_flags = arg->data.flags;
        a->meta_size = arg->data.data_size_bytes;
        memcpy(a->meta, arg->data.data, a->meta_size);
    }
    return 0;
}
