// SPDX-License-Identifier: MIT
/** @file
 * A client that speaks the kernel's ioctls itself, by system headers' types and no code of lull's.
 */
#ifndef LULL_TEST_RAW_H
#define LULL_TEST_RAW_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "uapi/amdgpu.h"

enum { RAW_PAGE = 4096, RAW_IB_DWORDS = 32 };

// PM4, from the fact sheet of gfx11.
enum {
    RAW_DISPATCH_DIRECT = 0x15,
    RAW_SET_SH_REG = 0x76,
    RAW_WRITE_DATA = 0x37,
    RAW_WAIT_REG_MEM = 0x3c,
    RAW_TO_MEMORY = 5 << 8 | 1 << 20, ///< dst_sel, wr_confirm
    RAW_EQUAL_MEMORY = 3 | 1 << 4,    ///< function, mem_space
};
#define RAW_NOP 0xffff1000u
#define RAW_HEADER(op, body) (3u << 30 | ((uint32_t)(body)-1) << 16 | (uint32_t)(op) << 8)

static inline _Noreturn void raw_fail(const char *what)
{
    printf("%s: %s\n", what, strerror(errno));
    fflush(stdout);
    _exit(1);
}

static inline void raw_want(bool ok, const char *what)
{
    if (!ok) {
        raw_fail(what);
    }
}

static inline int raw_ioctl(int fd, unsigned long request, void *arg)
{
    int r = 0;
    do {
        r = ioctl(fd, request, arg);
    } while (r < 0 && (errno == EINTR || errno == EAGAIN));
    return r;
}

static inline int raw_open(void)
{
    const int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    raw_want(fd >= 0, "/dev/dri/renderD128");
    return fd;
}

/** A buffer, mapped at @p va for the GPU and here. */
struct raw_bo {
    uint32_t handle;
    uint64_t va, offset;
    uint32_t *map;
};

static inline void raw_map_va(int fd, uint32_t handle, uint64_t va)
{
    struct drm_amdgpu_gem_va map = {.handle = handle,
                                    .operation = AMDGPU_VA_OP_MAP,
                                    .flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE |
                                             AMDGPU_VM_PAGE_EXECUTABLE,
                                    .va_address = va,
                                    .map_size = RAW_PAGE};
    raw_want(raw_ioctl(fd, DRM_IOCTL_AMDGPU_GEM_VA, &map) == 0, "GEM_VA");
}

/** A buffer of a page that is mapped nowhere yet. */
static inline struct raw_bo raw_bo_unmapped(int fd, uint64_t domain)
{
    union drm_amdgpu_gem_create create = {
        .in = {.bo_size = RAW_PAGE, .alignment = RAW_PAGE, .domains = domain}};
    raw_want(raw_ioctl(fd, DRM_IOCTL_AMDGPU_GEM_CREATE, &create) == 0, "GEM_CREATE");
    union drm_amdgpu_gem_mmap offset = {.in = {.handle = create.out.handle}};
    const uint32_t handle = create.out.handle;
    raw_want(raw_ioctl(fd, DRM_IOCTL_AMDGPU_GEM_MMAP, &offset) == 0, "GEM_MMAP");
    return (struct raw_bo){.handle = handle, .offset = offset.out.addr_ptr};
}

static inline struct raw_bo raw_bo(int fd, uint64_t domain, uint64_t va)
{
    struct raw_bo bo = raw_bo_unmapped(fd, domain);
    bo.va = va;
    void *map = mmap(NULL, RAW_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)bo.offset);
    raw_want(map != MAP_FAILED, "mmap");
    bo.map = map;
    raw_map_va(fd, bo.handle, va);
    return bo;
}

static inline uint32_t raw_ctx(int fd)
{
    union drm_amdgpu_ctx ctx = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX}};
    raw_want(raw_ioctl(fd, DRM_IOCTL_AMDGPU_CTX, &ctx) == 0, "CTX");
    return ctx.out.alloc.ctx_id;
}

/** Submit what is in @p ib; @p syncobj is signalled then, unless 0. @return Sequence number. */
static inline uint64_t raw_submit(int fd, uint32_t ctx, const struct raw_bo *ib, uint32_t syncobj)
{
    struct drm_amdgpu_cs_chunk_ib chunk_ib = {
        .va_start = ib->va, .ib_bytes = RAW_IB_DWORDS * 4, .ip_type = AMDGPU_HW_IP_COMPUTE};
    struct drm_amdgpu_cs_chunk_sem sem = {.handle = syncobj};
    struct drm_amdgpu_cs_chunk chunks[2] = {
        {AMDGPU_CHUNK_ID_IB, sizeof chunk_ib / 4, (uint64_t)(uintptr_t)&chunk_ib},
        {AMDGPU_CHUNK_ID_SYNCOBJ_OUT, sizeof sem / 4, (uint64_t)(uintptr_t)&sem}};
    uint64_t pointers[2] = {(uint64_t)(uintptr_t)&chunks[0], (uint64_t)(uintptr_t)&chunks[1]};
    union drm_amdgpu_cs cs = {.in = {.ctx_id = ctx,
                                     .num_chunks = syncobj != 0 ? 2 : 1,
                                     .chunks = (uint64_t)(uintptr_t)pointers}};
    raw_want(raw_ioctl(fd, DRM_IOCTL_AMDGPU_CS, &cs) == 0, "CS");
    return cs.out.handle;
}

static inline void raw_ib_end(uint32_t *ib, uint32_t at)
{
    while (at < RAW_IB_DWORDS) {
        ib[at++] = RAW_NOP;
    }
}

/** WRITE_DATA of @p value to @p va. */
static inline void raw_ib_write(uint32_t *ib, uint64_t va, uint32_t value)
{
    ib[0] = RAW_HEADER(RAW_WRITE_DATA, 4);
    ib[1] = RAW_TO_MEMORY;
    ib[2] = (uint32_t)va;
    ib[3] = (uint32_t)(va >> 32);
    ib[4] = value;
    raw_ib_end(ib, 5);
}

/** WAIT_REG_MEM until the dword at @p va is @p value; then WRITE_DATA of it + 1 behind it. */
static inline void raw_ib_wait(uint32_t *ib, uint64_t va, uint32_t value)
{
    ib[0] = RAW_HEADER(RAW_WAIT_REG_MEM, 6);
    ib[1] = RAW_EQUAL_MEMORY;
    ib[2] = (uint32_t)va;
    ib[3] = (uint32_t)(va >> 32);
    ib[4] = value;
    ib[5] = UINT32_MAX;
    ib[6] = 4;
    raw_ib_write(ib + 7, va + 4, value + 1);
    raw_ib_end(ib, 12);
}

static inline uint32_t raw_sh(uint32_t *ib, uint32_t at, uint32_t byte, uint32_t n,
                              const uint32_t *values)
{
    ib[at] = RAW_HEADER(RAW_SET_SH_REG, n + 1);
    ib[at + 1] = (byte - 0xb000) / 4;
    memcpy(&ib[at + 2], values, n * sizeof *values);
    return at + 2 + n;
}

/** One wave of one lane, of the code at @p code, with @p arg in s[0:1]. */
static inline void raw_ib_dispatch(uint32_t *ib, uint64_t code, uint64_t arg)
{
    uint32_t at =
        raw_sh(ib, 0, 0xb830, 2, (uint32_t[]){(uint32_t)(code >> 8), (uint32_t)(code >> 40)});
    at = raw_sh(ib, at, 0xb848, 2, (uint32_t[]){0x602c0000, 2 << 1}); // RSRC1, 2: two user SGPRs
    at = raw_sh(ib, at, 0xb81c, 3, (uint32_t[]){1, 1, 1});            // threads
    at = raw_sh(ib, at, 0xb810, 3, (uint32_t[]){0, 0, 0});            // start
    at = raw_sh(ib, at, 0xb900, 2, (uint32_t[]){(uint32_t)arg, (uint32_t)(arg >> 32)});
    ib[at++] = RAW_HEADER(RAW_DISPATCH_DIRECT, 4);
    for (int i = 0; i < 3; i++) {
        ib[at++] = 1;
    }
    ib[at++] = 0x8005; // CS_W32_EN, FORCE_START_AT_000, COMPUTE_SHADER_EN
    raw_ib_end(ib, at);
}

/** Wait at most @p ms. @return It is done. */
static inline bool raw_wait(int fd, uint32_t ctx, uint64_t seq, unsigned ms)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    union drm_amdgpu_wait_cs wait = {.in = {.handle = seq,
                                            .timeout = (uint64_t)now.tv_sec * 1000000000 +
                                                       (uint64_t)now.tv_nsec + ms * 1000000ull,
                                            .ip_type = AMDGPU_HW_IP_COMPUTE,
                                            .ctx_id = ctx}};
    raw_want(raw_ioctl(fd, DRM_IOCTL_AMDGPU_WAIT_CS, &wait) == 0, "WAIT_CS");
    return wait.out.status == 0;
}

#endif
