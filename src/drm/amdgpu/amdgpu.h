// SPDX-License-Identifier: MIT
/** @file
 * amdgpu's ioctls as typed C calls.
 *
 * One function per thing a client asks of the kernel; nothing is cached and nothing is kept.
 * All take the kernel and a file descriptor of /dev/dri/renderD* on it. A failed call is a
 * LULL_ERR_OS error that names the ioctl, its arguments and what the errno means there;
 * lull_error_errno() gives it back.
 *
 * Not yet run on hardware.
 *
 * Source: Linux 6.12, include/uapi/drm/{drm,amdgpu_drm}.h and drivers/gpu/drm/amd/amdgpu.
 */
#ifndef LULL_DRM_AMDGPU_H
#define LULL_DRM_AMDGPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "drm/core/file.h"
#include "drm/core/kernel.h"
#include "drm/core/syncobj.h"

/** Wait without end. */
#define LULL_AMDGPU_FOREVER UINT64_MAX

/** Open @p path and check that its driver is amdgpu; @p ret is the file descriptor. */
struct lull_error *lull_amdgpu_open(struct lull_kernel *k, const char *path,
                                    int *ret) LULL_MUST_USE;

/* Questions. */

struct lull_amdgpu_device_info {
    uint32_t device_id, chip_rev, external_rev, pci_rev, family;
    uint32_t shader_engines, arrays_per_engine, active_cus;
    uint32_t cu_bitmap[4][4];  ///< [SE & 3][SA + 2 * (SE >> 2)], one bit per compute unit.
    uint32_t counter_khz;      ///< Of GPU time stamps.
    uint32_t wave_size, vgprs; ///< Default lanes of a wave; VGPRs per SIMD lane.
    uint64_t va_start, va_end; ///< Addresses a client may map, low half; end is exclusive.
    uint64_t high_va_start, high_va_end;
    uint32_t va_alignment;      ///< Bytes.
    uint32_t pte_fragment_size; ///< Bytes.
};

struct lull_error *lull_amdgpu_device_info(struct lull_kernel *k, int fd,
                                           struct lull_amdgpu_device_info *ret) LULL_MUST_USE;

/** Engines that take command buffers. */
enum lull_amdgpu_ip {
    LULL_AMDGPU_GFX = 0,
    LULL_AMDGPU_COMPUTE = 1,
    LULL_AMDGPU_SDMA = 2,
};

struct lull_amdgpu_ip_info {
    uint32_t major, minor;
    uint32_t ip_version;         ///< major << 16 | minor << 8 | revision; 0 before Linux 6.
    uint32_t ib_start_alignment; ///< Bytes.
    uint32_t ib_size_alignment;  ///< Bytes.
    uint32_t rings;              ///< One bit each; 0: the engine is not there.
};

struct lull_error *lull_amdgpu_ip_info(struct lull_kernel *k, int fd, enum lull_amdgpu_ip ip,
                                       struct lull_amdgpu_ip_info *ret) LULL_MUST_USE;

struct lull_amdgpu_heap {
    uint64_t total, usable, used, max_allocation; ///< Bytes.
};

struct lull_amdgpu_memory {
    struct lull_amdgpu_heap vram, visible_vram, gtt;
};

struct lull_error *lull_amdgpu_memory(struct lull_kernel *k, int fd,
                                      struct lull_amdgpu_memory *ret) LULL_MUST_USE;

/** GPU clock, in ticks of device_info's counter_khz. */
struct lull_error *lull_amdgpu_timestamp(struct lull_kernel *k, int fd,
                                         uint64_t *ret) LULL_MUST_USE;

/** The few registers that every client may read. @p dword: byte offset / 4. Broadcast bank. */
struct lull_error *lull_amdgpu_read_register(struct lull_kernel *k, int fd, uint32_t dword,
                                             uint32_t *ret) LULL_MUST_USE;

/** Last GPU page fault in this client's address space; status 0: none. Linux >= 6.8. */
struct lull_amdgpu_vm_fault {
    uint64_t va;     ///< Of the page, in bytes.
    uint32_t status; ///< GCVM_L2_PROTECTION_FAULT_STATUS.
    uint32_t vmhub;
};

struct lull_error *lull_amdgpu_vm_fault(struct lull_kernel *k, int fd,
                                        struct lull_amdgpu_vm_fault *ret) LULL_MUST_USE;

/* Buffers. */

enum lull_amdgpu_domain {
    LULL_AMDGPU_GTT = 2,
    LULL_AMDGPU_VRAM = 4,
};

/** A subset of AMDGPU_GEM_CREATE_*. */
enum lull_amdgpu_gem_flags {
    LULL_AMDGPU_GEM_CPU_ACCESS = 1 << 0,
    LULL_AMDGPU_GEM_USWC = 1 << 2,         ///< Write-combined for the CPU.
    LULL_AMDGPU_GEM_ALWAYS_VALID = 1 << 6, ///< Resident in every submission of this client.
};

/** New buffer of at least @p size bytes, zeroed. @p domains: bits of enum lull_amdgpu_domain. */
struct lull_error *lull_amdgpu_gem_create(struct lull_kernel *k, int fd, uint64_t size,
                                          uint32_t domains, uint64_t flags,
                                          uint32_t *ret) LULL_MUST_USE;

/** Map @p size bytes of a buffer from its start; undo by k->munmap. */
struct lull_error *lull_amdgpu_gem_mmap(struct lull_kernel *k, int fd, uint32_t handle, size_t size,
                                        void **ret) LULL_MUST_USE;

struct lull_amdgpu_gem_info {
    uint64_t size;   ///< Bytes.
    uint64_t offset; ///< For mmap, if has_offset.
    uint32_t domains;
    bool has_offset; ///< False: the CPU may not map it.
};

/** Size and placement of a buffer of this file. LULL_ERR_OS ENOENT: no such handle. */
struct lull_error *lull_amdgpu_gem_query(struct lull_kernel *k, int fd, uint32_t handle,
                                         struct lull_amdgpu_gem_info *ret) LULL_MUST_USE;

/** Wait until no submission uses the buffer. */
struct lull_error *lull_amdgpu_gem_wait(struct lull_kernel *k, int fd, uint32_t handle,
                                        uint64_t timeout_ns, bool *ret_idle) LULL_MUST_USE;

/* Address space. */

/** AMDGPU_VM_PAGE_*. */
enum lull_amdgpu_page {
    LULL_AMDGPU_PAGE_READ = 1 << 1,
    LULL_AMDGPU_PAGE_WRITE = 1 << 2,
    LULL_AMDGPU_PAGE_EXEC = 1 << 3,
    LULL_AMDGPU_PAGE_PRT = 1 << 4, ///< Reads give 0, writes vanish; no buffer behind it.
    LULL_AMDGPU_PAGE_UNCACHED = 4 << 5,
    LULL_AMDGPU_PAGE_NOALLOC = 1 << 9,
};

/** A range of a client's GPU address space. Addresses and sizes in bytes, multiples of 4096. */
struct lull_amdgpu_va {
    uint64_t va, size;
    uint32_t handle; ///< 0 with LULL_AMDGPU_PAGE_PRT.
    uint64_t offset; ///< Into the buffer.
    uint32_t flags;  ///< enum lull_amdgpu_page.
};

/** Map; the range must be free. */
struct lull_error *lull_amdgpu_va_map(struct lull_kernel *k, int fd,
                                      const struct lull_amdgpu_va *va) LULL_MUST_USE;
/** Undo one lull_amdgpu_va_map: same va, handle and PRT flag. */
struct lull_error *lull_amdgpu_va_unmap(struct lull_kernel *k, int fd,
                                        const struct lull_amdgpu_va *va) LULL_MUST_USE;
/** Map over whatever is there. */
struct lull_error *lull_amdgpu_va_replace(struct lull_kernel *k, int fd,
                                          const struct lull_amdgpu_va *va) LULL_MUST_USE;
/** Unmap whatever lies in the range. */
struct lull_error *lull_amdgpu_va_clear(struct lull_kernel *k, int fd, uint64_t va,
                                        uint64_t size) LULL_MUST_USE;

/** Keep this client on one VMID, or let it go. */
struct lull_error *lull_amdgpu_reserve_vmid(struct lull_kernel *k, int fd) LULL_MUST_USE;
struct lull_error *lull_amdgpu_unreserve_vmid(struct lull_kernel *k, int fd) LULL_MUST_USE;

/* Contexts. */

struct lull_error *lull_amdgpu_ctx_create(struct lull_kernel *k, int fd,
                                          uint32_t *ret) LULL_MUST_USE;
struct lull_error *lull_amdgpu_ctx_free(struct lull_kernel *k, int fd, uint32_t ctx) LULL_MUST_USE;

/** AMDGPU_CTX_QUERY2_FLAGS_*. */
enum lull_amdgpu_ctx_state {
    LULL_AMDGPU_CTX_RESET = 1, ///< The GPU was reset since the context was made.
    LULL_AMDGPU_CTX_VRAM_LOST = 2,
    LULL_AMDGPU_CTX_GUILTY = 4, ///< A job of this context hung or was refused.
};

struct lull_error *lull_amdgpu_ctx_state(struct lull_kernel *k, int fd, uint32_t ctx,
                                         uint32_t *ret) LULL_MUST_USE;

/** Buffers used by a submission, kept as a list in the kernel. */
struct lull_error *lull_amdgpu_bo_list_create(struct lull_kernel *k, int fd,
                                              const uint32_t *handles, size_t n,
                                              uint32_t *ret) LULL_MUST_USE;
struct lull_error *lull_amdgpu_bo_list_free(struct lull_kernel *k, int fd,
                                            uint32_t list) LULL_MUST_USE;

/* Submissions. */

struct lull_amdgpu_ib {
    uint64_t va;
    uint32_t bytes;
    uint32_t flags; ///< AMDGPU_IB_FLAG_*; 0.
};

/** A submission: sequence numbers count per context, engine and ring, from 1. */
struct lull_amdgpu_fence {
    uint32_t ctx;
    enum lull_amdgpu_ip ip;
    uint32_t ring;
    uint64_t seq; ///< 0: done long ago; UINT64_MAX: the newest.
};

struct lull_amdgpu_submit {
    uint32_t ctx;
    enum lull_amdgpu_ip ip;
    uint32_t ring;
    const struct lull_amdgpu_ib *ibs;
    size_t nibs;
    const uint32_t *bos; ///< Handles of all buffers used that are not ALWAYS_VALID.
    size_t nbos;
    uint32_t bo_list;  ///< Instead of bos; 0: none.
    uint32_t fence_bo; ///< Where the GPU writes the sequence number: a buffer of one page; 0: none.
    uint32_t fence_offset;                ///< Bytes.
    const struct lull_amdgpu_fence *deps; ///< Submissions to wait for.
    size_t ndeps;
    const struct lull_syncobj_point *in, *out; ///< Wait for; signal.
    size_t nin, nout;
};

/** Put command buffers on a ring. @p ret: the sequence number. */
struct lull_error *lull_amdgpu_submit(struct lull_kernel *k, int fd,
                                      const struct lull_amdgpu_submit *s,
                                      uint64_t *ret) LULL_MUST_USE;

/**
 * Wait for a submission.
 *
 * @param timeout_ns From now; 0 looks once; LULL_AMDGPU_FOREVER.
 * @return An error for which lull_amdgpu_is_lost() holds if the job was killed.
 */
struct lull_error *lull_amdgpu_wait(struct lull_kernel *k, int fd,
                                    const struct lull_amdgpu_fence *fence, uint64_t timeout_ns,
                                    bool *ret_done) LULL_MUST_USE;

struct lull_amdgpu_wait_many {
    const struct lull_amdgpu_fence *fences;
    size_t n;
    bool all; ///< Else any.
    uint64_t timeout_ns;
};

/** @param ret_first Index of a fence that is done, if not @p w->all. May be NULL. */
struct lull_error *lull_amdgpu_wait_fences(struct lull_kernel *k, int fd,
                                           const struct lull_amdgpu_wait_many *w, bool *ret_done,
                                           uint32_t *ret_first) LULL_MUST_USE;

/** Does the error say that the kernel killed the job or refuses more from its context? */
bool lull_amdgpu_is_lost(const struct lull_error *err);

/** Sync object that stands for a submission. */
struct lull_error *lull_amdgpu_fence_to_syncobj(struct lull_kernel *k, int fd,
                                                const struct lull_amdgpu_fence *fence,
                                                uint32_t *ret) LULL_MUST_USE;

#endif
