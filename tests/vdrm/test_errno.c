// SPDX-License-Identifier: MIT
// Bad arguments and the errno Linux 6.12 gives for each. The kernel function that decides stands in
// the row.
#include <stdint.h>

#include "drm/amdgpu/debugfs_abi.h"
#include "test.h"
#include "vdrm/fake.h"

enum fd_kind { RENDER, SECOND, CARD, CARD2, REGS2, GPRWAVE, VRAM, NFDS, CLOSED };

struct row {
    const char *name, *function;
    enum fd_kind fd;
    unsigned long request;
    const void *arg; ///< NULL: a NULL pointer.
    int want;        ///< 0 or an errno.
};

// What setup() makes: buffer 1 (64 KiB VRAM, mapped at 2 MiB), 2 (no CPU access), 3 (one page),
// context 1, list 1, sync objects 1 (no fence) and 2 (signalled).
static const uint32_t handle1 = 1, handle2 = 2, handle9 = 9;
static const struct drm_amdgpu_bo_list_entry entry9 = {.bo_handle = 9};

#define PTR(p) ((uint64_t)(uintptr_t)(p))
#define ARG(type, ...) (&(const type){__VA_ARGS__})
#define VA(...) DRM_IOCTL_AMDGPU_GEM_VA, ARG(struct drm_amdgpu_gem_va, __VA_ARGS__)
#define CREATE(...)                                                                                \
    DRM_IOCTL_AMDGPU_GEM_CREATE, ARG(union drm_amdgpu_gem_create, .in = {__VA_ARGS__})
#define CTX(...) DRM_IOCTL_AMDGPU_CTX, ARG(union drm_amdgpu_ctx, .in = {__VA_ARGS__})
#define WAITCS(...) DRM_IOCTL_AMDGPU_WAIT_CS, ARG(union drm_amdgpu_wait_cs, .in = {__VA_ARGS__})
#define INFO(...) DRM_IOCTL_AMDGPU_INFO, ARG(struct drm_amdgpu_info, __VA_ARGS__)
#define LIST(...) DRM_IOCTL_AMDGPU_BO_LIST, ARG(union drm_amdgpu_bo_list, .in = {__VA_ARGS__})
#define RW (AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE)
#define MAP AMDGPU_VA_OP_MAP

static uint8_t out[1024];

static int errno_of(struct lull_kernel *k, int fd, unsigned long request, const void *arg)
{
    uint8_t copy[2048] = {0};
    if (arg == NULL) {
        return -k->ioctl(k, fd, request, NULL);
    }
    memcpy(copy, arg, _IOC_SIZE(request) < 256 ? _IOC_SIZE(request) : 256);
    return -k->ioctl(k, fd, request, copy);
}

static void make(struct lull_kernel *k, int fd)
{
    const struct {
        unsigned long request;
        const void *arg;
    } calls[] = {
        {CREATE(.bo_size = 0x10000, .domains = AMDGPU_GEM_DOMAIN_VRAM)},
        {CREATE(.bo_size = 0x2000, .domains = AMDGPU_GEM_DOMAIN_GTT,
                .domain_flags = AMDGPU_GEM_CREATE_NO_CPU_ACCESS)},
        {CREATE(.bo_size = 0x1000, .domains = AMDGPU_GEM_DOMAIN_GTT)},
        {VA(.handle = 1, .operation = MAP, .flags = RW, .va_address = 0x200000,
            .map_size = 0x10000)},
        {CTX(.op = AMDGPU_CTX_OP_ALLOC_CTX)},
        {LIST(.operation = AMDGPU_BO_LIST_OP_CREATE, .bo_info_size = 8)},
        {DRM_IOCTL_SYNCOBJ_CREATE, ARG(struct drm_syncobj_create, .flags = 0)},
        {DRM_IOCTL_SYNCOBJ_CREATE,
         ARG(struct drm_syncobj_create, .flags = DRM_SYNCOBJ_CREATE_SIGNALED)},
    };
    for (size_t i = 0; i < TEST_ROWS(calls); i++) {
        const int e = errno_of(k, fd, calls[i].request, calls[i].arg);
        test_case(e == 0, "setup", "call %zu: errno %d", i, e);
    }
}

static void run(const struct row *rows, size_t n)
{
    struct fake *f = NULL;
    struct lull_kernel *k = fake_kernel(&(const struct lull_vdrm_options){0}, &f);
    static const char *const paths[NFDS] = {
        "/dev/dri/renderD128",
        "/dev/dri/renderD128",
        "/dev/dri/card0",
        "/dev/dri/card0",
        "/sys/kernel/debug/dri/0/amdgpu_regs2",
        "/sys/kernel/debug/dri/128/amdgpu_gprwave",
        "/sys/kernel/debug/dri/0/amdgpu_vram",
    };
    int fds[NFDS + 2] = {0};
    for (unsigned i = 0; i < NFDS; i++) {
        fds[i] = k->open(k, paths[i], O_RDWR);
        test_case(fds[i] >= 0, paths[i], "errno %d", -fds[i]);
    }
    fds[CLOSED] = 900;
    make(k, fds[RENDER]);
    for (size_t i = 0; i < n; i++) {
        const int got = errno_of(k, fds[rows[i].fd], rows[i].request, rows[i].arg);
        test_case(got == rows[i].want, rows[i].name, "%s: errno %d (%s), want %d (%s)",
                  rows[i].function, got, strerror(got), rows[i].want, strerror(rows[i].want));
    }
    k->destroy(k);
}

// clang-format off
static void test_core(void)
{
    const struct row rows[] = {
        {"closed file", "do_vfs_ioctl", CLOSED, DRM_IOCTL_VERSION, out, EBADF},
        {"foreign type", "drm_ioctl", RENDER, _IO('T', 1), out, ENOTTY},
        {"unknown core number", "drm_ioctl", RENDER, DRM_IO(0x0e), out, EINVAL},
        {"number beyond the core's", "drm_ioctl", RENDER, DRM_IO(0xf0), out, EINVAL},
        {"number beyond amdgpu's", "drm_ioctl", RENDER, DRM_IO(DRM_COMMAND_BASE + 0x40), out, EINVAL},
        {"NULL argument", "drm_ioctl", RENDER, DRM_IOCTL_VERSION, NULL, EFAULT},
        {"cap", "drm_getcap", RENDER, DRM_IOCTL_GET_CAP, ARG(struct drm_get_cap, .capability = DRM_CAP_SYNCOBJ), 0},
        {"unknown cap", "drm_getcap", RENDER, DRM_IOCTL_GET_CAP, ARG(struct drm_get_cap, .capability = 99), EINVAL},
        {"mode setting on a render node", "drm_ioctl_permit", RENDER, DRM_IOCTL_MODE_GETRESOURCES, out, EACCES},
        {"get magic on a render node", "drm_ioctl_permit", RENDER, DRM_IOCTL_GET_MAGIC, out, EACCES},
        {"mode setting without display", "drm_core_check_feature", CARD, DRM_IOCTL_MODE_GETRESOURCES, out, EOPNOTSUPP},
        {"amdgpu through the first card file", "drm_ioctl_permit", CARD, CTX(.op = AMDGPU_CTX_OP_ALLOC_CTX), 0},
        {"amdgpu, not authenticated", "drm_ioctl_permit", CARD2, CTX(.op = AMDGPU_CTX_OP_ALLOC_CTX), EACCES},
        {"authenticate, not master", "drm_ioctl_permit", CARD2, DRM_IOCTL_AUTH_MAGIC, ARG(struct drm_auth, .magic = 1), EACCES},
        {"authenticate a wrong magic", "drm_authmagic", CARD, DRM_IOCTL_AUTH_MAGIC, ARG(struct drm_auth, .magic = 77), EINVAL},
        {"get magic", "drm_getmagic", CARD2, DRM_IOCTL_GET_MAGIC, out, 0},
        {"authenticate", "drm_authmagic", CARD, DRM_IOCTL_AUTH_MAGIC, ARG(struct drm_auth, .magic = 1), 0},
        {"amdgpu, authenticated", "drm_ioctl_permit", CARD2, CTX(.op = AMDGPU_CTX_OP_ALLOC_CTX), 0},
        {"second client", "drm_getclient", CARD, DRM_IOCTL_GET_CLIENT, ARG(struct drm_client, .idx = 1), EINVAL},
        {"root only", "drm_ioctl_permit", CARD, DRM_IOCTL_BLOCK, out, EACCES},
        {"sched on a render node", "drm_ioctl_permit", RENDER, DRM_IOCTL_AMDGPU_SCHED, out, EACCES},
        {"sched, bad operation", "amdgpu_sched_ioctl", CARD, DRM_IOCTL_AMDGPU_SCHED, ARG(union drm_amdgpu_sched, .in = {.op = 9}), EINVAL},
        {"close of nothing", "drm_gem_handle_delete", RENDER, DRM_IOCTL_GEM_CLOSE, ARG(struct drm_gem_close, .handle = 9), EINVAL},
        {"export, bad flags", "drm_prime_handle_to_fd_ioctl", RENDER, DRM_IOCTL_PRIME_HANDLE_TO_FD, ARG(struct drm_prime_handle, .handle = 1, .flags = 1), EINVAL},
        {"export of nothing", "drm_gem_prime_handle_to_dmabuf", RENDER, DRM_IOCTL_PRIME_HANDLE_TO_FD, ARG(struct drm_prime_handle, .handle = 9), ENOENT},
        {"import of nothing", "dma_buf_get", RENDER, DRM_IOCTL_PRIME_FD_TO_HANDLE, ARG(struct drm_prime_handle, .fd = 900), EBADF},
    };
    run(rows, TEST_ROWS(rows));
}

static void test_gem(void)
{
    const struct row rows[] = {
        {"size 0", "drm_vma_offset_add", RENDER, CREATE(.domains = 4), ENOSPC},
        {"larger than VRAM", "amdgpu_bo_validate_size", RENDER, CREATE(.bo_size = 1ull << 40, .domains = 4), ENOMEM},
        {"larger than GTT", "amdgpu_bo_validate_size", RENDER, CREATE(.bo_size = 1ull << 40, .domains = 2), ENOMEM},
        {"unknown domain", "amdgpu_gem_create_ioctl", RENDER, CREATE(.bo_size = 4096, .domains = 0x80), EINVAL},
        {"doorbell", "amdgpu_gem_create_ioctl", RENDER, CREATE(.bo_size = 4096, .domains = AMDGPU_GEM_DOMAIN_DOORBELL), EINVAL},
        {"GDS with VRAM", "amdgpu_gem_are_domains_valid", RENDER, CREATE(.bo_size = 4096, .domains = 4 | AMDGPU_GEM_DOMAIN_GDS), EINVAL},
        {"GDS and GWS", "amdgpu_gem_are_domains_valid", RENDER, CREATE(.bo_size = 4096, .domains = AMDGPU_GEM_DOMAIN_GDS | AMDGPU_GEM_DOMAIN_GWS), EINVAL},
        {"GDS of a VM", "amdgpu_gem_create_ioctl", RENDER, CREATE(.bo_size = 256, .domains = AMDGPU_GEM_DOMAIN_GDS, .domain_flags = AMDGPU_GEM_CREATE_VM_ALWAYS_VALID), EINVAL},
        {"more GDS than there is", "amdgpu_bo_create", RENDER, CREATE(.bo_size = 4097, .domains = AMDGPU_GEM_DOMAIN_GDS), ENOMEM},
        {"all of GDS", "amdgpu_bo_create", RENDER, CREATE(.bo_size = 4096, .alignment = 4, .domains = AMDGPU_GEM_DOMAIN_GDS), 0},
        {"mmap of GDS", "amdgpu_mode_dumb_mmap", RENDER, DRM_IOCTL_AMDGPU_GEM_MMAP, ARG(union drm_amdgpu_gem_mmap, .in = {.handle = 4}), EPERM},
        {"GDS, when all is taken", "amdgpu_bo_create", RENDER, CREATE(.bo_size = 4, .domains = AMDGPU_GEM_DOMAIN_GDS), ENOMEM},
        {"close of GDS", "drm_gem_handle_delete", RENDER, DRM_IOCTL_GEM_CLOSE, ARG(struct drm_gem_close, .handle = 4), 0},
        {"GDS, when it is free again", "amdgpu_bo_create", RENDER, CREATE(.bo_size = 4, .domains = AMDGPU_GEM_DOMAIN_GDS), 0},
        {"no GDS", "drm_vma_offset_add", RENDER, CREATE(.domains = AMDGPU_GEM_DOMAIN_GDS), ENOSPC},
        {"ordered append", "amdgpu_bo_create", RENDER, CREATE(.bo_size = 16, .alignment = 1, .domains = AMDGPU_GEM_DOMAIN_OA), 0},
        {"ordered append, when all is taken", "amdgpu_bo_create", RENDER, CREATE(.bo_size = 1, .domains = AMDGPU_GEM_DOMAIN_OA), ENOMEM},
        {"GWS, which the model has not", "amdgpu_bo_create", RENDER, CREATE(.bo_size = 1, .domains = AMDGPU_GEM_DOMAIN_GWS), ENOMEM},
        {"unknown flag", "amdgpu_gem_create_ioctl", RENDER, CREATE(.bo_size = 4096, .domains = 4, .domain_flags = 1ull << 40), EINVAL},
        {"kernel's own flag", "amdgpu_gem_create_ioctl", RENDER, CREATE(.bo_size = 4096, .domains = 4, .domain_flags = AMDGPU_GEM_CREATE_VRAM_CONTIGUOUS), EINVAL},
        {"encrypted without TMZ", "amdgpu_gem_create_ioctl", RENDER, CREATE(.bo_size = 4096, .domains = 4, .domain_flags = AMDGPU_GEM_CREATE_ENCRYPTED), EINVAL},
        {"mmap of nothing", "amdgpu_mode_dumb_mmap", RENDER, DRM_IOCTL_AMDGPU_GEM_MMAP, ARG(union drm_amdgpu_gem_mmap, .in = {.handle = 9}), ENOENT},
        {"mmap without CPU access", "amdgpu_mode_dumb_mmap", RENDER, DRM_IOCTL_AMDGPU_GEM_MMAP, ARG(union drm_amdgpu_gem_mmap, .in = {.handle = 2}), EPERM},
        {"handle of another client", "drm_gem_object_lookup", SECOND, DRM_IOCTL_AMDGPU_GEM_MMAP, ARG(union drm_amdgpu_gem_mmap, .in = {.handle = 1}), ENOENT},
        {"wait for nothing", "amdgpu_gem_wait_idle_ioctl", RENDER, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, ARG(union drm_amdgpu_gem_wait_idle, .in = {.handle = 9}), ENOENT},
        {"wait for idle", "amdgpu_gem_wait_idle_ioctl", RENDER, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, ARG(union drm_amdgpu_gem_wait_idle, .in = {.handle = 1}), 0},
        {"op on nothing", "amdgpu_gem_op_ioctl", RENDER, DRM_IOCTL_AMDGPU_GEM_OP, ARG(struct drm_amdgpu_gem_op, .handle = 9), ENOENT},
        {"unknown op", "amdgpu_gem_op_ioctl", RENDER, DRM_IOCTL_AMDGPU_GEM_OP, ARG(struct drm_amdgpu_gem_op, .handle = 1, .op = 9), EINVAL},
        {"op, bad pointer", "amdgpu_gem_op_ioctl", RENDER, DRM_IOCTL_AMDGPU_GEM_OP, ARG(struct drm_amdgpu_gem_op, .handle = 1, .value = 16), EFAULT},
        {"metadata of nothing", "amdgpu_gem_metadata_ioctl", RENDER, DRM_IOCTL_AMDGPU_GEM_METADATA, ARG(struct drm_amdgpu_gem_metadata, .handle = 9), ENOENT},
        {"too much metadata", "amdgpu_gem_metadata_ioctl", RENDER, DRM_IOCTL_AMDGPU_GEM_METADATA, ARG(struct drm_amdgpu_gem_metadata, .handle = 1, .op = AMDGPU_GEM_METADATA_OP_SET_METADATA, .data = {.data_size_bytes = 300}), EINVAL},
        {"userptr, odd address", "amdgpu_gem_userptr_ioctl", RENDER, DRM_IOCTL_AMDGPU_GEM_USERPTR, ARG(struct drm_amdgpu_gem_userptr, .addr = 1, .size = 4096), EINVAL},
        {"userptr, unregistered", "amdgpu_gem_userptr_ioctl", RENDER, DRM_IOCTL_AMDGPU_GEM_USERPTR, ARG(struct drm_amdgpu_gem_userptr, .addr = 4096, .size = 4096), EACCES},
        {"userptr", "amdgpu_hmm_register", RENDER, DRM_IOCTL_AMDGPU_GEM_USERPTR, ARG(struct drm_amdgpu_gem_userptr, .addr = 4096, .size = 4096, .flags = AMDGPU_GEM_USERPTR_REGISTER), ENODEV},
    };
    run(rows, TEST_ROWS(rows));
}

static void test_va(void)
{
    const struct row rows[] = {
        {"in the reserved bottom", "amdgpu_gem_va_ioctl", RENDER, VA(.handle = 1, .operation = MAP, .flags = RW, .va_address = 0x1000, .map_size = 0x1000), EINVAL},
        {"in the hole", "amdgpu_gem_va_ioctl", RENDER, VA(.handle = 1, .operation = MAP, .flags = RW, .va_address = 0x800000000000, .map_size = 0x1000), EINVAL},
        {"in the reserved top", "amdgpu_gem_va_ioctl", RENDER, VA(.handle = 1, .operation = MAP, .flags = RW, .va_address = 0xffffffffffff0000, .map_size = 0x1000), EINVAL},
        {"size 0", "amdgpu_vm_verify_parameters", RENDER, VA(.handle = 1, .operation = MAP, .flags = RW, .va_address = 0x300000), EINVAL},
        {"odd address", "amdgpu_vm_verify_parameters", RENDER, VA(.handle = 1, .operation = MAP, .flags = RW, .va_address = 0x300800, .map_size = 0x1000), EINVAL},
        {"odd size", "amdgpu_vm_verify_parameters", RENDER, VA(.handle = 1, .operation = MAP, .flags = RW, .va_address = 0x300000, .map_size = 0x1001), EINVAL},
        {"odd offset", "amdgpu_vm_verify_parameters", RENDER, VA(.handle = 1, .operation = MAP, .flags = RW, .va_address = 0x300000, .map_size = 0x1000, .offset_in_bo = 8), EINVAL},
        {"beyond the buffer", "amdgpu_vm_verify_parameters", RENDER, VA(.handle = 1, .operation = MAP, .flags = RW, .va_address = 0x300000, .map_size = 0x11000), EINVAL},
        {"offset beyond the buffer", "amdgpu_vm_verify_parameters", RENDER, VA(.handle = 1, .operation = MAP, .flags = RW, .va_address = 0x300000, .map_size = 0x1000, .offset_in_bo = 0x10000), EINVAL},
        {"offset wraps", "amdgpu_vm_verify_parameters", RENDER, VA(.handle = 1, .operation = MAP, .flags = RW, .va_address = 0x300000, .map_size = 0x1000, .offset_in_bo = 0xfffffffffffff000), EINVAL},
        {"unknown flag", "amdgpu_gem_va_ioctl", RENDER, VA(.handle = 1, .operation = MAP, .flags = 1u << 20, .va_address = 0x300000, .map_size = 0x1000), EINVAL},
        {"PRT with rights", "amdgpu_gem_va_ioctl", RENDER, VA(.operation = MAP, .flags = AMDGPU_VM_PAGE_PRT | RW, .va_address = 0x300000, .map_size = 0x1000), EINVAL},
        {"unknown operation", "amdgpu_gem_va_ioctl", RENDER, VA(.handle = 1, .operation = 5, .flags = RW, .va_address = 0x300000, .map_size = 0x1000), EINVAL},
        {"unknown handle", "amdgpu_gem_va_ioctl", RENDER, VA(.handle = 9, .operation = MAP, .flags = RW, .va_address = 0x300000, .map_size = 0x1000), ENOENT},
        {"overlap", "amdgpu_vm_bo_map", RENDER, VA(.handle = 2, .operation = MAP, .flags = RW, .va_address = 0x20f000, .map_size = 0x1000), EINVAL},
        {"overlap at the start", "amdgpu_vm_bo_map", RENDER, VA(.handle = 2, .operation = MAP, .flags = RW, .va_address = 0x200000, .map_size = 0x2000), EINVAL},
        {"unmap at the wrong place", "amdgpu_vm_bo_unmap", RENDER, VA(.handle = 1, .operation = AMDGPU_VA_OP_UNMAP, .va_address = 0x201000, .map_size = 0x1000), ENOENT},
        {"unmap of another buffer", "amdgpu_vm_bo_unmap", RENDER, VA(.handle = 2, .operation = AMDGPU_VA_OP_UNMAP, .va_address = 0x200000, .map_size = 0x1000), ENOENT},
        {"clear, odd", "amdgpu_vm_verify_parameters", RENDER, VA(.operation = AMDGPU_VA_OP_CLEAR, .va_address = 0x200800, .map_size = 0x1000), EINVAL},
        {"clear of nothing", "amdgpu_vm_bo_clear_mappings", RENDER, VA(.operation = AMDGPU_VA_OP_CLEAR, .va_address = 0x900000, .map_size = 0x1000), 0},
        {"replace", "amdgpu_vm_bo_replace_map", RENDER, VA(.handle = 2, .operation = AMDGPU_VA_OP_REPLACE, .flags = RW, .va_address = 0x201000, .map_size = 0x2000), 0},
        {"unmap what replace left", "amdgpu_vm_bo_unmap", RENDER, VA(.handle = 1, .operation = AMDGPU_VA_OP_UNMAP, .va_address = 0x203000, .map_size = 0x1000), 0},
        {"reserve VMID, flags", "amdgpu_vm_ioctl", RENDER, DRM_IOCTL_AMDGPU_VM, ARG(union drm_amdgpu_vm, .in = {.op = 1, .flags = 1}), EINVAL},
        {"unknown VM operation", "amdgpu_vm_ioctl", RENDER, DRM_IOCTL_AMDGPU_VM, ARG(union drm_amdgpu_vm, .in = {.op = 9}), EINVAL},
    };
    run(rows, TEST_ROWS(rows));
}

static void test_ctx(void)
{
    const struct row rows[] = {
        {"unknown operation", "amdgpu_ctx_ioctl", RENDER, CTX(.op = 99), EINVAL},
        {"flags", "amdgpu_ctx_ioctl", RENDER, CTX(.op = AMDGPU_CTX_OP_ALLOC_CTX, .flags = 1), EINVAL},
        {"high priority", "amdgpu_ctx_priority_permit", RENDER, CTX(.op = AMDGPU_CTX_OP_ALLOC_CTX, .priority = AMDGPU_CTX_PRIORITY_HIGH), EACCES},
        {"high priority, master", "amdgpu_ctx_priority_permit", CARD, CTX(.op = AMDGPU_CTX_OP_ALLOC_CTX, .priority = AMDGPU_CTX_PRIORITY_HIGH), 0},
        {"garbage priority is normal", "amdgpu_ctx_ioctl", RENDER, CTX(.op = AMDGPU_CTX_OP_ALLOC_CTX, .priority = 12345), 0},
        {"free nothing", "amdgpu_ctx_free", RENDER, CTX(.op = AMDGPU_CTX_OP_FREE_CTX, .ctx_id = 9), EINVAL},
        {"query nothing", "amdgpu_ctx_query2", RENDER, CTX(.op = AMDGPU_CTX_OP_QUERY_STATE2, .ctx_id = 9), EINVAL},
        {"query", "amdgpu_ctx_query2", RENDER, CTX(.op = AMDGPU_CTX_OP_QUERY_STATE2, .ctx_id = 1), 0},
        {"pstate too high", "amdgpu_ctx_ioctl", RENDER, CTX(.op = AMDGPU_CTX_OP_SET_STABLE_PSTATE, .ctx_id = 1, .flags = 5), EINVAL},
        {"wait: no context", "amdgpu_cs_wait_ioctl", RENDER, WAITCS(.ctx_id = 9), EINVAL},
        {"wait: no engine", "amdgpu_ctx_get_entity", RENDER, WAITCS(.ctx_id = 1, .ip_type = 10), EINVAL},
        {"wait: no instance", "amdgpu_ctx_get_entity", RENDER, WAITCS(.ctx_id = 1, .ip_instance = 1), EINVAL},
        {"wait: no ring", "amdgpu_ctx_get_entity", RENDER, WAITCS(.ctx_id = 1, .ip_type = 1, .ring = 4), EINVAL},
        {"wait: not submitted", "amdgpu_ctx_get_fence", RENDER, WAITCS(.ctx_id = 1, .handle = 1), EINVAL},
        {"wait: sequence number 0", "amdgpu_ctx_get_fence", RENDER, WAITCS(.ctx_id = 1), 0},
        {"wait for fences: bad pointer", "memdup_array_user", RENDER, DRM_IOCTL_AMDGPU_WAIT_FENCES, ARG(union drm_amdgpu_wait_fences, .in = {.fences = 16, .fence_count = 1}), EFAULT},
        {"wait for any of none", "dma_fence_wait_any_timeout", RENDER, DRM_IOCTL_AMDGPU_WAIT_FENCES, ARG(union drm_amdgpu_wait_fences, .in = {.fence_count = 0}), EINVAL},
        {"fence to what?", "amdgpu_cs_fence_to_handle_ioctl", RENDER, DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, ARG(union drm_amdgpu_fence_to_handle, .in = {.fence = {.ctx_id = 1}, .what = 9}), EINVAL},
        {"list: unknown operation", "amdgpu_bo_list_ioctl", RENDER, LIST(.operation = 9, .bo_info_size = 8), EINVAL},
        {"list: too long", "amdgpu_bo_create_list_entry_array", RENDER, LIST(.bo_number = 1 << 20, .bo_info_size = 8), EINVAL},
        {"list: bad pointer", "amdgpu_bo_create_list_entry_array", RENDER, LIST(.bo_number = 1, .bo_info_size = 8, .bo_info_ptr = 16), EFAULT},
        {"list: unknown handle", "amdgpu_bo_list_create", RENDER, LIST(.bo_number = 1, .bo_info_size = 8, .bo_info_ptr = PTR(&entry9)), ENOENT},
        {"list: update nothing", "idr_replace", RENDER, LIST(.operation = AMDGPU_BO_LIST_OP_UPDATE, .list_handle = 9, .bo_info_size = 8), ENOENT},
        {"list: free nothing", "amdgpu_bo_list_destroy", RENDER, LIST(.operation = AMDGPU_BO_LIST_OP_DESTROY, .list_handle = 9, .bo_info_size = 8), 0},
    };
    run(rows, TEST_ROWS(rows));
}

static void test_info(void)
{
    const struct row rows[] = {
        {"no room", "amdgpu_info_ioctl", RENDER, INFO(.return_pointer = PTR(out), .query = AMDGPU_INFO_DEV_INFO), EINVAL},
        {"no pointer", "amdgpu_info_ioctl", RENDER, INFO(.return_size = 4, .query = AMDGPU_INFO_DEV_INFO), EINVAL},
        {"bad pointer", "amdgpu_info_ioctl", RENDER, INFO(.return_pointer = 16, .return_size = 4, .query = AMDGPU_INFO_DEV_INFO), EFAULT},
        {"unknown query", "amdgpu_info_ioctl", RENDER, INFO(.return_pointer = PTR(out), .return_size = 4, .query = 0x77), EINVAL},
        {"short answer", "amdgpu_info_ioctl", RENDER, INFO(.return_pointer = PTR(out), .return_size = 4, .query = AMDGPU_INFO_DEV_INFO), 0},
        {"no such engine", "amdgpu_hw_ip_info", RENDER, INFO(.return_pointer = PTR(out), .return_size = 32, .query = AMDGPU_INFO_HW_IP_INFO, .query_hw_ip = {.type = 10}), EINVAL},
        {"no such instance", "amdgpu_hw_ip_info", RENDER, INFO(.return_pointer = PTR(out), .return_size = 32, .query = AMDGPU_INFO_HW_IP_INFO, .query_hw_ip = {.ip_instance = 1}), EINVAL},
        {"an engine that is not there", "amdgpu_hw_ip_info", RENDER, INFO(.return_pointer = PTR(out), .return_size = 32, .query = AMDGPU_INFO_HW_IP_INFO, .query_hw_ip = {.type = 3}), 0},
        {"count of engines not there", "amdgpu_info_ioctl", RENDER, INFO(.return_pointer = PTR(out), .return_size = 4, .query = AMDGPU_INFO_HW_IP_COUNT, .query_hw_ip = {.type = 3}), EINVAL},
        {"firmware of nothing", "amdgpu_firmware_info", RENDER, INFO(.return_pointer = PTR(out), .return_size = 8, .query = AMDGPU_INFO_FW_VERSION, .query_fw = {.fw_type = 0x40}), EINVAL},
        {"firmware of SDMA 1", "amdgpu_firmware_info", RENDER, INFO(.return_pointer = PTR(out), .return_size = 8, .query = AMDGPU_INFO_FW_VERSION, .query_fw = {.fw_type = AMDGPU_INFO_FW_SDMA, .index = 1}), 0},
        {"firmware of SDMA 2", "amdgpu_firmware_info", RENDER, INFO(.return_pointer = PTR(out), .return_size = 8, .query = AMDGPU_INFO_FW_VERSION, .query_fw = {.fw_type = AMDGPU_INFO_FW_SDMA, .index = 2}), EINVAL},
        {"a register that clients may read", "soc21_read_register", RENDER, INFO(.return_pointer = PTR(out), .return_size = 4, .query = AMDGPU_INFO_READ_MMR_REG, .read_mmr_reg = {.dword_offset = 0x263e, .count = 1, .instance = UINT32_MAX}), 0},
        {"a register that they may not", "soc21_read_register", RENDER, INFO(.return_pointer = PTR(out), .return_size = 4, .query = AMDGPU_INFO_READ_MMR_REG, .read_mmr_reg = {.dword_offset = 0x10, .count = 1, .instance = UINT32_MAX}), EFAULT},
        {"too many registers", "amdgpu_info_ioctl", RENDER, INFO(.return_pointer = PTR(out), .return_size = 4, .query = AMDGPU_INFO_READ_MMR_REG, .read_mmr_reg = {.count = 129, .instance = UINT32_MAX}), EINVAL},
        {"shader engine 4 of a register", "amdgpu_info_ioctl", RENDER, INFO(.return_pointer = PTR(out), .return_size = 4, .query = AMDGPU_INFO_READ_MMR_REG, .read_mmr_reg = {.count = 1, .instance = 4}), EINVAL},
        {"sensors without power management", "amdgpu_info_ioctl", RENDER, INFO(.return_pointer = PTR(out), .return_size = 4, .query = AMDGPU_INFO_SENSOR), ENOENT},
        {"video handles", "amdgpu_info_ioctl", RENDER, INFO(.return_pointer = PTR(out), .return_size = 8, .query = AMDGPU_INFO_NUM_HANDLES, .query_hw_ip = {.type = AMDGPU_HW_IP_UVD}), ENODATA},
        {"regs2: unknown call", "amdgpu_debugfs_regs2_ioctl", REGS2, _IO(0x20, 9), out, EINVAL},
        {"regs2: bad pointer", "amdgpu_debugfs_regs2_ioctl", REGS2, LULL_REGS2_SET_V2, NULL, EINVAL},
        {"gprwave: bad pointer", "amdgpu_debugfs_gprwave_ioctl", GPRWAVE, LULL_GPRWAVE_SET, NULL, EFAULT},
        {"gprwave: unknown call", "amdgpu_debugfs_gprwave_ioctl", GPRWAVE, LULL_REGS2_SET_V2, out, EINVAL},
        {"ioctl on a plain file", "vfs_ioctl", VRAM, DRM_IOCTL_VERSION, out, ENOTTY},
    };
    run(rows, TEST_ROWS(rows));
}

static void test_syncobj(void)
{
    const struct row rows[] = {
        {"create, bad flags", "drm_syncobj_create_ioctl", RENDER, DRM_IOCTL_SYNCOBJ_CREATE, ARG(struct drm_syncobj_create, .flags = 2), EINVAL},
        {"destroy nothing", "drm_syncobj_destroy", RENDER, DRM_IOCTL_SYNCOBJ_DESTROY, ARG(struct drm_syncobj_destroy, .handle = 9), EINVAL},
        {"destroy, padding", "drm_syncobj_destroy_ioctl", RENDER, DRM_IOCTL_SYNCOBJ_DESTROY, ARG(struct drm_syncobj_destroy, .handle = 1, .pad = 1), EINVAL},
        {"wait, bad flags", "drm_syncobj_wait_ioctl", RENDER, DRM_IOCTL_SYNCOBJ_WAIT, ARG(struct drm_syncobj_wait, .flags = 4), EINVAL},
        {"wait for none", "drm_syncobj_wait_ioctl", RENDER, DRM_IOCTL_SYNCOBJ_WAIT, ARG(struct drm_syncobj_wait, .flags = 0), 0},
        {"wait, unknown handle", "drm_syncobj_array_find", RENDER, DRM_IOCTL_SYNCOBJ_WAIT, ARG(struct drm_syncobj_wait, .handles = PTR(&handle9), .count_handles = 1), ENOENT},
        {"wait, bad pointer", "drm_syncobj_array_find", RENDER, DRM_IOCTL_SYNCOBJ_WAIT, ARG(struct drm_syncobj_wait, .handles = 16, .count_handles = 1), EFAULT},
        {"wait, absurd count", "drm_syncobj_array_find", RENDER, DRM_IOCTL_SYNCOBJ_WAIT, ARG(struct drm_syncobj_wait, .handles = PTR(&handle1), .count_handles = UINT32_MAX), ENOMEM},
        {"wait, no fence", "drm_syncobj_array_wait_timeout", RENDER, DRM_IOCTL_SYNCOBJ_WAIT, ARG(struct drm_syncobj_wait, .handles = PTR(&handle1), .count_handles = 1), EINVAL},
        {"wait for a fence to come", "drm_syncobj_array_wait_timeout", RENDER, DRM_IOCTL_SYNCOBJ_WAIT, ARG(struct drm_syncobj_wait, .handles = PTR(&handle1), .count_handles = 1, .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT), ETIME},
        {"wait, signalled", "drm_syncobj_array_wait_timeout", RENDER, DRM_IOCTL_SYNCOBJ_WAIT, ARG(struct drm_syncobj_wait, .handles = PTR(&handle2), .count_handles = 1), 0},
        {"timeline wait, point to come", "drm_syncobj_array_wait_timeout", RENDER, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, ARG(struct drm_syncobj_timeline_wait, .handles = PTR(&handle2), .points = PTR(&(const uint64_t){5}), .count_handles = 1), EINVAL},
        {"timeline wait, bad points", "drm_syncobj_array_wait_timeout", RENDER, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, ARG(struct drm_syncobj_timeline_wait, .handles = PTR(&handle2), .points = 16, .count_handles = 1), EFAULT},
        {"reset none", "drm_syncobj_reset_ioctl", RENDER, DRM_IOCTL_SYNCOBJ_RESET, ARG(struct drm_syncobj_array, .count_handles = 0), EINVAL},
        {"signal, padding", "drm_syncobj_signal_ioctl", RENDER, DRM_IOCTL_SYNCOBJ_SIGNAL, ARG(struct drm_syncobj_array, .handles = PTR(&handle1), .count_handles = 1, .pad = 1), EINVAL},
        {"timeline signal, flags", "drm_syncobj_timeline_signal_ioctl", RENDER, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, ARG(struct drm_syncobj_timeline_array, .handles = PTR(&handle1), .count_handles = 1, .flags = 1), EINVAL},
        {"query, bad pointer", "drm_syncobj_query_ioctl", RENDER, DRM_IOCTL_SYNCOBJ_QUERY, ARG(struct drm_syncobj_timeline_array, .handles = PTR(&handle1), .count_handles = 1, .points = 16), EFAULT},
        {"transfer from nothing", "drm_syncobj_find_fence", RENDER, DRM_IOCTL_SYNCOBJ_TRANSFER, ARG(struct drm_syncobj_transfer, .src_handle = 9, .dst_handle = 1), ENOENT},
        {"transfer to nothing", "drm_syncobj_transfer_to_binary", RENDER, DRM_IOCTL_SYNCOBJ_TRANSFER, ARG(struct drm_syncobj_transfer, .src_handle = 2, .dst_handle = 9), ENOENT},
        {"transfer of no fence", "drm_syncobj_find_fence", RENDER, DRM_IOCTL_SYNCOBJ_TRANSFER, ARG(struct drm_syncobj_transfer, .src_handle = 1, .dst_handle = 2), EINVAL},
        {"export, no such", "drm_syncobj_handle_to_fd", RENDER, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, ARG(struct drm_syncobj_handle, .handle = 9), EINVAL},
        {"export a sync file of no fence", "drm_syncobj_export_sync_file", RENDER, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, ARG(struct drm_syncobj_handle, .handle = 1, .flags = 1), EINVAL},
        {"import of another kind of file", "drm_syncobj_fd_to_handle", RENDER, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, ARG(struct drm_syncobj_handle, .fd = 0), EINVAL},
        {"reset", "drm_syncobj_reset_ioctl", RENDER, DRM_IOCTL_SYNCOBJ_RESET, ARG(struct drm_syncobj_array, .handles = PTR(&handle2), .count_handles = 1), 0},
        {"wait after reset", "drm_syncobj_array_wait_timeout", RENDER, DRM_IOCTL_SYNCOBJ_WAIT, ARG(struct drm_syncobj_wait, .handles = PTR(&handle2), .count_handles = 1), EINVAL},
    };
    run(rows, TEST_ROWS(rows));
}

enum { CHUNKS = 5 };

struct submission {
    const char *name, *function;
    uint32_t ctx, list;
    struct { uint32_t id; uint32_t ndwords; const void *data; } chunks[CHUNKS];
    int want;
};

static void submit(const struct submission *rows, size_t nrows)
{
    struct fake *f = NULL;
    struct lull_kernel *k = fake_kernel(&(const struct lull_vdrm_options){0}, &f);
    const int fd = k->open(k, "/dev/dri/renderD128", O_RDWR);
    make(k, fd);
    for (size_t i = 0; i < nrows; i++) {
        struct drm_amdgpu_cs_chunk chunks[CHUNKS] = {{0}};
        uint64_t pointers[CHUNKS] = {0};
        uint32_t n = 0;
        for (; n < CHUNKS && rows[i].chunks[n].id != 0; n++) {
            chunks[n] = (struct drm_amdgpu_cs_chunk){rows[i].chunks[n].id, rows[i].chunks[n].ndwords, PTR(rows[i].chunks[n].data)};
            pointers[n] = PTR(&chunks[n]);
        }
        union drm_amdgpu_cs cs = {.in = {.ctx_id = rows[i].ctx, .bo_list_handle = rows[i].list, .num_chunks = n, .chunks = PTR(pointers)}};
        const int got = -k->ioctl(k, fd, DRM_IOCTL_AMDGPU_CS, &cs);
        test_case(got == rows[i].want, rows[i].name, "%s: errno %d (%s), want %d (%s)", rows[i].function, got,
                  strerror(got), rows[i].want, strerror(rows[i].want));
    }
    union drm_amdgpu_cs cs = {.in = {.ctx_id = 1, .num_chunks = 1, .chunks = 16}};
    test_case(k->ioctl(k, fd, DRM_IOCTL_AMDGPU_CS, &cs) == -EFAULT, "chunk list nowhere", "amdgpu_cs_pass1");
    k->destroy(k);
}

// Submissions: a good one, and each way to spoil it.
static void test_cs(void)
{
    static const struct drm_amdgpu_cs_chunk_ib ib = {.va_start = 0x200000, .ib_bytes = 64, .ip_type = 1};
    static const struct drm_amdgpu_cs_chunk_ib ib_gfx = {.va_start = 0x200000, .ib_bytes = 64};
    static const struct drm_amdgpu_cs_chunk_ib ib1 = {.va_start = 0x200000, .ib_bytes = 64, .ip_type = 1, .ring = 1};
    static const struct drm_amdgpu_cs_chunk_ib ib2 = {.va_start = 0x200000, .ib_bytes = 64, .ip_type = 1, .ring = 2};
    static const struct drm_amdgpu_cs_chunk_ib ib_ring = {.va_start = 0x200000, .ib_bytes = 64, .ip_type = 1, .ring = 4};
    static const struct drm_amdgpu_cs_chunk_ib ib_dma = {.va_start = 0x200000, .ib_bytes = 64, .ip_type = 2, .ring = 1};
    static const struct drm_amdgpu_cs_chunk_ib ib_dma2 = {.va_start = 0x200000, .ib_bytes = 64, .ip_type = 2, .ring = 2};
    static const struct drm_amdgpu_cs_chunk_ib ib_uvd = {.va_start = 0x200000, .ib_bytes = 64, .ip_type = 3};
    static const struct drm_amdgpu_cs_chunk_ib ib_long = {.va_start = 0x200000, .ib_bytes = 0x400000, .ip_type = 1};
    static const struct drm_amdgpu_cs_chunk_fence fence = {.handle = 3, .offset = 8}, fence_large = {.handle = 1},
        fence_off = {.handle = 3, .offset = 4092}, fence_none = {.handle = 9};
    static const struct drm_amdgpu_bo_list_in bos = {.bo_info_size = 8};
    const struct drm_amdgpu_bo_list_in bos9 = {.bo_number = 1, .bo_info_size = 8, .bo_info_ptr = PTR(&entry9)};
    static const struct drm_amdgpu_cs_chunk_sem sem1 = {1}, sem9 = {9};
    static const struct drm_amdgpu_cs_chunk_syncobj time_flags = {.handle = 2, .flags = 1}, time_none = {.handle = 2, .point = 7};
    static const struct drm_amdgpu_cs_chunk_dep dep_ctx = {.ctx_id = 9}, dep_seq = {.ctx_id = 1, .handle = 5};
    static const struct drm_amdgpu_cs_chunk_cp_gfx_shadow shadow = {.flags = 2};
    const struct submission rows[] = {
        {"good", "amdgpu_cs_ioctl", 1, 0, {{1, 8, &ib}}, 0},
        {"with all that is allowed", "amdgpu_cs_ioctl", 1, 0, {{1, 8, &ib}, {2, 2, &fence}, {6, 6, &bos}}, 0},
        {"by list", "amdgpu_bo_list_get", 1, 1, {{1, 8, &ib}}, 0},
        {"no context", "amdgpu_cs_parser_init", 9, 0, {{1, 8, &ib}}, EINVAL},
        {"no chunk", "amdgpu_cs_parser_init", 1, 0, {{0}}, EINVAL},
        {"no command buffer", "amdgpu_cs_pass1", 1, 0, {{2, 2, &fence}}, EINVAL},
        {"unknown chunk", "amdgpu_cs_pass1", 1, 0, {{1, 8, &ib}, {77, 8, &ib}}, EINVAL},
        {"short chunk", "amdgpu_cs_pass1", 1, 0, {{1, 7, &ib}}, EINVAL},
        {"chunk data nowhere", "amdgpu_cs_pass1", 1, 0, {{1, 8, (const void *)16}}, EFAULT},
        {"no ring", "amdgpu_ctx_get_entity", 1, 0, {{1, 8, &ib_ring}}, EINVAL},
        {"to SDMA 1", "amdgpu_cs_ioctl", 1, 0, {{1, 8, &ib_dma}}, 0},
        {"to SDMA 2", "amdgpu_ctx_get_entity", 1, 0, {{1, 8, &ib_dma2}}, EINVAL},
        {"engine not there", "amdgpu_cs_job_idx", 1, 0, {{1, 8, &ib_uvd}}, EINVAL},
        {"command buffer too long", "amdgpu_cs_p2_ib", 1, 0, {{1, 8, &ib_long}}, EINVAL},
        {"to two rings", "amdgpu_cs_job_idx", 1, 0, {{1, 8, &ib}, {1, 8, &ib_gfx}}, 0},
        {"to four rings", "amdgpu_cs_job_idx", 1, 0, {{1, 8, &ib}, {1, 8, &ib1}, {1, 8, &ib2}, {1, 8, &ib_gfx}, {1, 8, &ib}}, 0},
        {"to five rings", "amdgpu_cs_job_idx", 1, 0, {{1, 8, &ib}, {1, 8, &ib1}, {1, 8, &ib2}, {1, 8, &ib_gfx}, {1, 8, &ib_dma}}, EINVAL},
        {"two user fences", "amdgpu_cs_pass1", 1, 0, {{1, 8, &ib}, {2, 2, &fence}, {2, 2, &fence}}, EINVAL},
        {"user fence not one page", "amdgpu_cs_p1_user_fence", 1, 0, {{1, 8, &ib}, {2, 2, &fence_large}}, EINVAL},
        {"user fence over the end", "amdgpu_cs_p1_user_fence", 1, 0, {{1, 8, &ib}, {2, 2, &fence_off}}, EINVAL},
        {"user fence nowhere", "amdgpu_cs_p1_user_fence", 1, 0, {{1, 8, &ib}, {2, 2, &fence_none}}, EINVAL},
        {"unknown buffer", "amdgpu_bo_list_create", 1, 0, {{1, 8, &ib}, {6, 6, &bos9}}, ENOENT},
        {"two lists", "amdgpu_cs_pass1", 1, 0, {{1, 8, &ib}, {6, 6, &bos}, {6, 6, &bos}}, EINVAL},
        {"list and handles", "amdgpu_cs_parser_bos", 1, 1, {{1, 8, &ib}, {6, 6, &bos}}, EINVAL},
        {"unknown list", "amdgpu_bo_list_get", 1, 9, {{1, 8, &ib}}, ENOENT},
        {"wait for a sync object without fence", "drm_syncobj_find_fence", 1, 0, {{1, 8, &ib}, {4, 1, &sem1}}, EINVAL},
        {"wait for an unknown sync object", "drm_syncobj_find_fence", 1, 0, {{1, 8, &ib}, {4, 1, &sem9}}, ENOENT},
        {"wait with bad flags", "drm_syncobj_find_fence", 1, 0, {{1, 8, &ib}, {8, 4, &time_flags}}, EINVAL},
        {"wait for a point to come", "drm_syncobj_find_fence", 1, 0, {{1, 8, &ib}, {8, 4, &time_none}}, EINVAL},
        {"signal an unknown sync object", "amdgpu_cs_p2_syncobj_out", 1, 0, {{1, 8, &ib}, {5, 1, &sem9}}, EINVAL},
        {"signal twice", "amdgpu_cs_p2_syncobj_out", 1, 0, {{1, 8, &ib}, {5, 1, &sem1}, {5, 1, &sem1}}, EINVAL},
        {"depend on no context", "amdgpu_cs_p2_dependencies", 1, 0, {{1, 8, &ib}, {3, 6, &dep_ctx}}, EINVAL},
        {"depend on what was not submitted", "amdgpu_ctx_get_fence", 1, 0, {{1, 8, &ib}, {3, 6, &dep_seq}}, EINVAL},
        {"shadow, bad flags", "amdgpu_cs_p2_shadow", 1, 0, {{1, 8, &ib}, {10, 8, &shadow}}, EINVAL},
    };
    submit(rows, TEST_ROWS(rows));
}
// clang-format on

int main(void)
{
    test_core();
    test_gem();
    test_va();
    test_ctx();
    test_info();
    test_syncobj();
    test_cs();
    return test_end();
}
