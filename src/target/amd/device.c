// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cmd/pm4.h"
#include "drm/amdgpu/amdgpu.h"
#include "hw/field.h"
#include "hw/gc11_regs.h"
#include "target/amd/again.h"
#include "target/amd/device.h"
#include "target/amd/device_priv.h"

enum {
    PAGE = 4096,
    BIG_PAGE = 2 << 20,
    GUARD = 64 << 10, // unmapped bytes behind every buffer, so that overruns fault
    IB_BYTES = 16 << 10,
    LDS_GRANULE = 512, // of COMPUTE_PGM_RSRC2.LDS_SIZE, bytes
    FIRST_VA_SHIFT = 32,
};

/* Of lull_amd_device_apart(): where, and how far from each other. An index of 32 bits into elements
 * of 16 bytes comes nowhere near the next buffer. */
#define APART_VA UINT64_C(0x10000000000)
#define APART_STEP UINT64_C(0x1000000000)
enum { APART_MOST = 1024 };

/* Mesa's and libdrm's allocators give low addresses from the bottom, and high ones. */
#define ADOPTED_VA UINT64_C(0x7e0000000000)
/* Of a device whose memory lies where a driver had it: in front of those. */
#define BESIDE_VA UINT64_C(0x7d0000000000)

LULL_MUST_USE static struct lull_error *start(struct lull_amd_device *d, uint64_t first_va)
{
    struct lull_error *err = lull_amdgpu_device_info(d->k, d->fd, &d->info);
    if (err == NULL) {
        err = lull_amdgpu_ctx_create(d->k, d->fd, &d->ctx);
    }
    d->has_ctx = err == NULL;
    d->next_va = first_va;
    if (err == NULL) {
        err = lull_amd_bo_new(d, "ib", IB_BYTES, LULL_AMD_BO_GTT, &d->ib);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *open_from(struct lull_kernel *k, const char *path,
                                                  uint64_t first_va, struct lull_amd_device **ret)
{
    struct lull_amd_device *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return &lull_enomem;
    }
    d->k = k;
    d->fd = -1;
    d->ip = LULL_AMDGPU_COMPUTE;
    path = path != NULL ? path : "/dev/dri/renderD128";
    struct lull_error *err = lull_amdgpu_open(k, path, &d->fd);
    if (err == NULL) {
        err = start(d, first_va);
    }
    if (err != NULL) {
        lull_amd_device_close(d);
        return lull_error_in(err, "%s", path);
    }
    *ret = d;
    return NULL;
}

struct lull_error *lull_amd_device_open(struct lull_kernel *k, const char *path,
                                        struct lull_amd_device **ret)
{
    return open_from(k, path, UINT64_C(1) << FIRST_VA_SHIFT, ret);
}

struct lull_error *lull_amd_device_open_beside(struct lull_kernel *k, const char *path,
                                               struct lull_amd_device **ret)
{
    return open_from(k, path, BESIDE_VA, ret);
}

struct lull_error *lull_amd_device_adopt(struct lull_kernel *k, int fd,
                                         struct lull_amd_device **ret)
{
    struct lull_amd_device *d = calloc(1, sizeof *d);
    if (d == NULL) {
        k->close(k, fd);
        return &lull_enomem;
    }
    d->k = k;
    d->fd = fd;
    d->ip = LULL_AMDGPU_COMPUTE;
    d->next_va = ADOPTED_VA;
    struct lull_error *err = lull_amdgpu_device_info(k, fd, &d->info);
    if (err != NULL) {
        lull_amd_device_close(d);
        return err;
    }
    *ret = d;
    return NULL;
}

static uint64_t round_up(uint64_t v, uint64_t to)
{
    return (v + to - 1) / to * to;
}

/* The kernel frees what an open file holds when the file is closed; errors here change nothing. */
static void release(struct lull_amd_device *d, struct lull_amd_bo *bo, bool close)
{
    if (bo->map != NULL) {
        d->k->munmap(d->k, bo->map, round_up(bo->size, PAGE));
    }
    if (bo->handle != 0 && close) {
        lull_error_free(lull_drm_gem_close(d->k, d->fd, bo->handle));
    }
    free((char *)(uintptr_t)bo->name);
    free(bo);
}

static void done(struct lull_amd_device *d, bool close)
{
    if (d == NULL) {
        return;
    }
    for (size_t i = 0; i < d->nbos; i++) {
        release(d, d->bos[i], close);
    }
    free(d->bos);
    if (d->has_ctx) {
        lull_error_free(lull_amdgpu_ctx_free(d->k, d->fd, d->ctx));
    }
    if (d->fd >= 0) {
        d->k->close(d->k, d->fd);
    }
    free(d);
}

void lull_amd_device_close(struct lull_amd_device *d)
{
    done(d, true);
}

void lull_amd_device_leave(struct lull_amd_device *d)
{
    done(d, false);
}

LULL_MUST_USE static struct lull_error *map_bo(struct lull_amd_device *d, struct lull_amd_bo *bo,
                                               unsigned flags)
{
    uint64_t size = round_up(bo->size, PAGE);
    uint32_t domain = bo->vram ? LULL_AMDGPU_VRAM : LULL_AMDGPU_GTT;
    struct lull_error *err =
        lull_amdgpu_gem_create(d->k, d->fd, size, domain, LULL_AMDGPU_GEM_CPU_ACCESS, &bo->handle);
    if (err == NULL) {
        err = lull_amdgpu_gem_mmap(d->k, d->fd, bo->handle, size, &bo->map);
    }
    uint64_t align = size >= BIG_PAGE ? BIG_PAGE : GUARD;
    const bool placed = bo->va != 0;
    bo->va = placed ? bo->va : round_up(d->next_va, align);
    const uint64_t next = placed ? d->next_va : bo->va + size + GUARD;
    if (!placed && d->apart && d->napart < APART_MOST && size < APART_STEP / 2) {
        bo->va = APART_VA + d->napart++ * APART_STEP;
    }
    struct lull_amdgpu_va va = {.va = bo->va, .size = size, .handle = bo->handle};
    va.flags = LULL_AMDGPU_PAGE_READ |
               ((flags & LULL_AMD_BO_READONLY) != 0 ? 0 : LULL_AMDGPU_PAGE_WRITE) |
               (bo->executable ? LULL_AMDGPU_PAGE_EXEC : 0) |
               ((flags & LULL_AMD_BO_UNCACHED) != 0 ? LULL_AMDGPU_PAGE_UNCACHED : 0);
    if (err == NULL) {
        err = lull_amdgpu_va_map(d->k, d->fd, &va);
    }
    if (err == NULL) {
        d->next_va = next;
    }
    return err;
}

void lull_amd_device_apart(struct lull_amd_device *d, bool apart)
{
    d->apart = apart;
}

/* At @p va, if it is not 0. */
LULL_MUST_USE static struct lull_error *new_bo(struct lull_amd_device *d, const char *name,
                                               uint64_t va, uint64_t size, unsigned flags,
                                               struct lull_amd_bo **ret)
{
    if (size == 0 || size > UINT64_C(1) << 40) {
        return lull_error_new(LULL_ERR_INVALID, "buffer '%s' of %llu bytes", name,
                              (unsigned long long)size);
    }
    struct lull_amd_bo **bos = realloc(d->bos, (d->nbos + 1) * sizeof(struct lull_amd_bo *));
    if (bos == NULL) {
        return &lull_enomem;
    }
    d->bos = bos;
    struct lull_amd_bo *bo = calloc(1, sizeof *bo);
    char *copy = strdup(name);
    if (bo == NULL || copy == NULL) {
        free(bo);
        free(copy);
        return &lull_enomem;
    }
    *bo = (struct lull_amd_bo){.name = copy,
                               .va = va,
                               .size = size,
                               .vram = (flags & LULL_AMD_BO_GTT) == 0,
                               .writable = (flags & LULL_AMD_BO_READONLY) == 0,
                               .executable = (flags & LULL_AMD_BO_EXEC) != 0};
    struct lull_error *err = map_bo(d, bo, flags);
    if (err != NULL) {
        release(d, bo, true);
        return lull_error_in(err, "buffer '%s'", name);
    }
    d->bos[d->nbos++] = bo;
    *ret = bo;
    return NULL;
}

struct lull_error *lull_amd_bo_new(struct lull_amd_device *d, const char *name, uint64_t size,
                                   unsigned flags, struct lull_amd_bo **ret)
{
    return new_bo(d, name, 0, size, flags, ret);
}

struct lull_error *lull_amd_bo_new_at(struct lull_amd_device *d, uint64_t va, uint64_t size,
                                      unsigned flags, struct lull_amd_bo **ret)
{
    return va != 0 ? new_bo(d, "", va, size, flags, ret)
                   : lull_error_new(LULL_ERR_INVALID, "a buffer at address 0");
}

const struct lull_amd_bo *lull_amd_bo_nth(const struct lull_amd_device *d, size_t i)
{
    return i < d->nbos ? d->bos[i] : NULL;
}

void lull_amd_bo_clear(const struct lull_amd_bo *bo)
{
    memset(bo->map, 0, (size_t)round_up(bo->size, PAGE));
}

struct lull_error *lull_amd_need_scratch(struct lull_amd_device *d, uint64_t wave_bytes)
{
    uint64_t total = wave_bytes * LULL_AMD_SCRATCH_WAVES * d->info.shader_engines;
    if (total == 0 || (d->scratch != NULL && d->scratch->size >= total)) {
        return NULL;
    }
    return lull_amd_bo_new(d, "scratch", total, 0, &d->scratch);
}

static void emit_program(struct lull_pm4_builder *b, const struct lull_amd_device *d,
                         const struct lull_amd_dispatch *p, uint64_t wave_bytes)
{
    uint32_t lds = (p->lds_bytes + LDS_GRANULE - 1) / LDS_GRANULE;
    uint32_t rsrc2 = lull_set(p->rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__LDS_SIZE_MASK, lds);
    rsrc2 = lull_set(rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__SCRATCH_EN_MASK, wave_bytes != 0);
    uint32_t pgm[2] = {(uint32_t)(p->code_va >> 8), (uint32_t)(p->code_va >> 40) & 0xff};
    uint32_t rsrc[2] = {p->rsrc1, rsrc2};
    lull_pm4_set_sh(b, LULL_GC11_COMPUTE_PGM_LO, pgm, 2);
    lull_pm4_set_sh(b, LULL_GC11_COMPUTE_PGM_RSRC1, rsrc, 2);
    lull_pm4_set_sh1(b, LULL_GC11_COMPUTE_PGM_RSRC3, p->rsrc3);
    lull_pm4_set_sh1(b, LULL_GC11_COMPUTE_RESOURCE_LIMITS, 0);
    uint32_t ring = 0;
    if (wave_bytes != 0) {
        uint32_t base[2] = {(uint32_t)(d->scratch->va >> 8), (uint32_t)(d->scratch->va >> 40)};
        lull_pm4_set_sh(b, LULL_GC11_COMPUTE_DISPATCH_SCRATCH_BASE_LO, base, 2);
        ring = lull_set(0, LULL_GC11_COMPUTE_TMPRING_SIZE__WAVES_MASK, LULL_AMD_SCRATCH_WAVES);
        ring = lull_set(ring, LULL_GC11_COMPUTE_TMPRING_SIZE__WAVESIZE_MASK,
                        (uint32_t)(wave_bytes / LULL_AMD_SCRATCH_GRANULE));
    }
    lull_pm4_set_sh1(b, LULL_GC11_COMPUTE_TMPRING_SIZE, ring);
    if (p->nuser_data != 0) {
        lull_pm4_set_sh(b, LULL_GC11_COMPUTE_USER_DATA_0, p->user_data, p->nuser_data);
    }
}

static void emit_dispatch(struct lull_pm4_builder *b, const struct lull_amd_dispatch *p)
{
    uint32_t threads[3] = {0};
    uint32_t groups[3] = {0};
    bool partial = false;
    for (int i = 0; i < 3; i++) {
        uint32_t rest = p->grid[i] % p->block[i];
        groups[i] = p->grid[i] / p->block[i] + (rest != 0);
        threads[i] =
            lull_set(p->block[i], LULL_GC11_COMPUTE_NUM_THREAD_X__NUM_THREAD_PARTIAL_MASK, rest);
        partial = partial || rest != 0;
    }
    uint32_t zero[3] = {0};
    lull_pm4_set_sh(b, LULL_GC11_COMPUTE_START_X, zero, 3);
    lull_pm4_set_sh(b, LULL_GC11_COMPUTE_NUM_THREAD_X, threads, 3);
    uint32_t initiator = LULL_GC11_COMPUTE_DISPATCH_INITIATOR__COMPUTE_SHADER_EN_MASK |
                         LULL_GC11_COMPUTE_DISPATCH_INITIATOR__FORCE_START_AT_000_MASK |
                         (partial ? LULL_GC11_COMPUTE_DISPATCH_INITIATOR__PARTIAL_TG_EN_MASK : 0) |
                         (p->wave32 ? LULL_GC11_COMPUTE_DISPATCH_INITIATOR__CS_W32_EN_MASK : 0);
    lull_pm4_dispatch(b, groups[0], groups[1], groups[2], initiator);
}

LULL_MUST_USE static struct lull_error *check(const struct lull_amd_dispatch *p)
{
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        if (p->grid[i] == 0 || p->block[i] == 0) {
            return lull_error_new(LULL_ERR_INVALID, "grid and block must not be 0");
        }
        threads *= p->block[i];
    }
    if (threads > 1024) {
        return lull_error_new(LULL_ERR_INVALID,
                              "a workgroup of %llu work-items; hardware has 1024 at most",
                              (unsigned long long)threads);
    }
    if (p->lds_bytes > 64 << 10) {
        return lull_error_new(LULL_ERR_INVALID, "%u bytes of LDS; a workgroup has 65536 at most",
                              p->lds_bytes);
    }
    if (p->nuser_data > 16 || p->code_va % 256 != 0) {
        return lull_error_new(LULL_ERR_INVALID,
                              "code must be 256-byte aligned, user data 16 SGPRs at most");
    }
    return NULL;
}

struct lull_error *lull_amd_submit_ib(struct lull_amd_device *d, enum lull_amdgpu_ip ip,
                                      uint32_t bytes)
{
    uint32_t *handles = calloc(d->nbos, sizeof *handles);
    if (handles == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < d->nbos; i++) {
        handles[i] = d->bos[i]->handle;
    }
    struct lull_amdgpu_ib ib = {.va = d->ib->va, .bytes = bytes};
    struct lull_amdgpu_submit s = {
        .ctx = d->ctx, .ip = ip, .ibs = &ib, .nibs = 1, .bos = handles, .nbos = d->nbos};
    struct lull_error *err = lull_amdgpu_submit(d->k, d->fd, &s, &d->seq);
    d->ip = ip;
    free(handles);
    return err;
}

struct lull_error *lull_amd_submit(struct lull_amd_device *d, const struct lull_amd_dispatch *p)
{
    struct lull_error *err = check(p);
    unsigned lanes = p->wave32 ? 32 : 64;
    uint64_t wave_bytes = round_up((uint64_t)p->scratch_bytes * lanes, LULL_AMD_SCRATCH_GRANULE);
    if (err == NULL) {
        err = lull_amd_need_scratch(d, wave_bytes);
    }
    if (err != NULL) {
        return err;
    }
    struct lull_pm4_builder b = lull_pm4_builder_of(d->ib->map, IB_BYTES / 4);
    lull_pm4_invalidate(&b);
    emit_program(&b, d, p, wave_bytes);
    emit_dispatch(&b, p);
    lull_pm4_wait_waves(&b);
    lull_pm4_pad(&b, 8);
    return lull_amd_submit_ib(d, LULL_AMDGPU_COMPUTE, (uint32_t)b.ndwords * 4);
}

struct lull_error *lull_amd_new_context(struct lull_amd_device *d)
{
    struct lull_error *err =
        d->has_ctx ? lull_amdgpu_ctx_free(d->k, d->fd, d->ctx) : NULL; // a lost one takes no jobs
    lull_error_free(err);
    d->has_ctx = false;
    err = lull_amdgpu_ctx_create(d->k, d->fd, &d->ctx);
    d->has_ctx = err == NULL;
    return err;
}

struct lull_error *lull_amd_wait(struct lull_amd_device *d, uint64_t timeout_ns,
                                 enum lull_amd_wait *ret)
{
    struct lull_amdgpu_fence fence = {.ctx = d->ctx, .ip = d->ip, .seq = d->seq};
    bool done = false;
    struct lull_error *err = lull_amdgpu_wait(d->k, d->fd, &fence, timeout_ns, &done);
    if (err != NULL && lull_amdgpu_is_lost(err)) {
        lull_error_free(err);
        *ret = LULL_AMD_WAIT_LOST;
        return lull_amd_new_context(d);
    }
    if (err == NULL) {
        *ret = done ? LULL_AMD_WAIT_DONE : LULL_AMD_WAIT_BUSY;
    }
    return err;
}
