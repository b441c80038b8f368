// SPDX-License-Identifier: MIT
#include "drm/amdgpu/amdgpu.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "drm/amdgpu/call.h"
#include "uapi/amdgpu.h"

static_assert((int)LULL_AMDGPU_GTT == AMDGPU_GEM_DOMAIN_GTT &&
                  (int)LULL_AMDGPU_VRAM == AMDGPU_GEM_DOMAIN_VRAM,
              "domains");
static_assert((int)LULL_AMDGPU_GEM_CPU_ACCESS == AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED &&
                  (int)LULL_AMDGPU_GEM_USWC == AMDGPU_GEM_CREATE_CPU_GTT_USWC &&
                  (int)LULL_AMDGPU_GEM_ALWAYS_VALID == AMDGPU_GEM_CREATE_VM_ALWAYS_VALID,
              "creation flags");
static_assert((int)LULL_AMDGPU_PAGE_READ == AMDGPU_VM_PAGE_READABLE &&
                  (int)LULL_AMDGPU_PAGE_WRITE == AMDGPU_VM_PAGE_WRITEABLE &&
                  (int)LULL_AMDGPU_PAGE_EXEC == AMDGPU_VM_PAGE_EXECUTABLE &&
                  (int)LULL_AMDGPU_PAGE_PRT == AMDGPU_VM_PAGE_PRT &&
                  (int)LULL_AMDGPU_PAGE_UNCACHED == AMDGPU_VM_MTYPE_UC &&
                  (int)LULL_AMDGPU_PAGE_NOALLOC == AMDGPU_VM_PAGE_NOALLOC,
              "page flags");
static_assert((int)LULL_AMDGPU_CTX_RESET == AMDGPU_CTX_QUERY2_FLAGS_RESET &&
                  (int)LULL_AMDGPU_CTX_VRAM_LOST == AMDGPU_CTX_QUERY2_FLAGS_VRAMLOST &&
                  (int)LULL_AMDGPU_CTX_GUILTY == AMDGPU_CTX_QUERY2_FLAGS_GUILTY,
              "context state");

struct lull_error *lull_amdgpu_open(struct lull_kernel *k, const char *path, int *ret)
{
    return lull_drm_open(k, path, "amdgpu", ret);
}

LULL_MUST_USE static struct lull_error *ask(struct lull_kernel *k, int fd,
                                            struct drm_amdgpu_info *q, void *ret, uint32_t size)
{
    q->return_pointer = lull_drm_ptr(ret);
    q->return_size = size;
    return lull_drm_call(k, fd, &lull_amdgpu_words, DRM_IOCTL_AMDGPU_INFO, q,
                         "query 0x%x, %u bytes", q->query, size);
}

struct lull_error *lull_amdgpu_device_info(struct lull_kernel *k, int fd,
                                           struct lull_amdgpu_device_info *ret)
{
    struct drm_amdgpu_info_device d = {0};
    struct drm_amdgpu_info q = {.query = AMDGPU_INFO_DEV_INFO};
    struct lull_error *err = ask(k, fd, &q, &d, sizeof d);
    if (err != NULL) {
        return err;
    }
    *ret = (struct lull_amdgpu_device_info){
        .device_id = d.device_id,
        .chip_rev = d.chip_rev,
        .external_rev = d.external_rev,
        .pci_rev = d.pci_rev,
        .family = d.family,
        .shader_engines = d.num_shader_engines,
        .arrays_per_engine = d.num_shader_arrays_per_engine,
        .active_cus = d.cu_active_number,
        .counter_khz = d.gpu_counter_freq,
        .wave_size = d.wave_front_size,
        .vgprs = d.num_shader_visible_vgprs,
        .va_start = d.virtual_address_offset,
        .va_end = d.virtual_address_max,
        .high_va_start = d.high_va_offset,
        .high_va_end = d.high_va_max,
        .va_alignment = d.virtual_address_alignment,
        .pte_fragment_size = d.pte_fragment_size,
    };
    memcpy(ret->cu_bitmap, d.cu_bitmap, sizeof ret->cu_bitmap);
    return NULL;
}

struct lull_error *lull_amdgpu_ip_info(struct lull_kernel *k, int fd, enum lull_amdgpu_ip ip,
                                       struct lull_amdgpu_ip_info *ret)
{
    struct drm_amdgpu_info_hw_ip h = {0};
    struct drm_amdgpu_info q = {.query = AMDGPU_INFO_HW_IP_INFO, .query_hw_ip = {.type = ip}};
    struct lull_error *err = ask(k, fd, &q, &h, sizeof h);
    if (err == NULL) {
        *ret = (struct lull_amdgpu_ip_info){
            .major = h.hw_ip_version_major,
            .minor = h.hw_ip_version_minor,
            .ip_version = h.ip_discovery_version,
            .ib_start_alignment = h.ib_start_alignment,
            .ib_size_alignment = h.ib_size_alignment,
            .rings = h.available_rings,
        };
    }
    return err;
}

static struct lull_amdgpu_heap heap_of(const struct drm_amdgpu_heap_info *h)
{
    return (struct lull_amdgpu_heap){
        .total = h->total_heap_size,
        .usable = h->usable_heap_size,
        .used = h->heap_usage,
        .max_allocation = h->max_allocation,
    };
}

struct lull_error *lull_amdgpu_memory(struct lull_kernel *k, int fd, struct lull_amdgpu_memory *ret)
{
    struct drm_amdgpu_memory_info m = {0};
    struct drm_amdgpu_info q = {.query = AMDGPU_INFO_MEMORY};
    struct lull_error *err = ask(k, fd, &q, &m, sizeof m);
    if (err == NULL) {
        ret->vram = heap_of(&m.vram);
        ret->visible_vram = heap_of(&m.cpu_accessible_vram);
        ret->gtt = heap_of(&m.gtt);
    }
    return err;
}

struct lull_error *lull_amdgpu_timestamp(struct lull_kernel *k, int fd, uint64_t *ret)
{
    struct drm_amdgpu_info q = {.query = AMDGPU_INFO_TIMESTAMP};
    return ask(k, fd, &q, ret, sizeof *ret);
}

struct lull_error *lull_amdgpu_read_register(struct lull_kernel *k, int fd, uint32_t dword,
                                             uint32_t *ret)
{
    struct drm_amdgpu_info q = {
        .query = AMDGPU_INFO_READ_MMR_REG,
        .read_mmr_reg = {.dword_offset = dword, .count = 1, .instance = UINT32_MAX}};
    return lull_error_in(ask(k, fd, &q, ret, sizeof *ret), "register 0x%x", dword * 4);
}

struct lull_error *lull_amdgpu_vm_fault(struct lull_kernel *k, int fd,
                                        struct lull_amdgpu_vm_fault *ret)
{
    struct drm_amdgpu_info_gpuvm_fault f = {0};
    struct drm_amdgpu_info q = {.query = AMDGPU_INFO_GPUVM_FAULT};
    struct lull_error *err = ask(k, fd, &q, &f, sizeof f);
    if (err == NULL) {
        // The kernel gives 48 bits.
        const uint64_t sign = 1ull << 47;
        *ret = (struct lull_amdgpu_vm_fault){
            .va = ((f.addr & (2 * sign - 1)) ^ sign) - sign, .status = f.status, .vmhub = f.vmhub};
    }
    return err;
}

struct lull_error *lull_amdgpu_gem_create(struct lull_kernel *k, int fd, uint64_t size,
                                          uint32_t domains, uint64_t flags, uint32_t *ret)
{
    union drm_amdgpu_gem_create arg = {
        .in = {.bo_size = size, .alignment = 4096, .domains = domains, .domain_flags = flags}};
    struct lull_error *err =
        lull_drm_call(k, fd, &lull_amdgpu_words, DRM_IOCTL_AMDGPU_GEM_CREATE, &arg,
                      "%llu bytes, domains 0x%x, flags 0x%llx", (unsigned long long)size, domains,
                      (unsigned long long)flags);
    if (err == NULL) {
        *ret = arg.out.handle;
    }
    return err;
}

struct lull_error *lull_amdgpu_gem_mmap(struct lull_kernel *k, int fd, uint32_t handle, size_t size,
                                        void **ret)
{
    union drm_amdgpu_gem_mmap arg = {.in = {.handle = handle}};
    struct lull_error *err = lull_drm_call(k, fd, &lull_amdgpu_words, DRM_IOCTL_AMDGPU_GEM_MMAP,
                                           &arg, "handle %u", handle);
    if (err != NULL) {
        return err;
    }
    const int r = k->mmap(k, fd, size, arg.out.addr_ptr, ret);
    return r == 0 ? NULL
                  : lull_error_os(-r, "mmap of handle %u, %zu bytes%s", handle, size,
                                  r == -EINVAL ? ": more than the buffer has" : "");
}

struct lull_error *lull_amdgpu_gem_query(struct lull_kernel *k, int fd, uint32_t handle,
                                         struct lull_amdgpu_gem_info *ret)
{
    struct drm_amdgpu_gem_create_in in = {0};
    struct drm_amdgpu_gem_op op = {
        .handle = handle, .op = AMDGPU_GEM_OP_GET_GEM_CREATE_INFO, .value = lull_drm_ptr(&in)};
    struct lull_error *err =
        lull_drm_call(k, fd, &lull_amdgpu_words, DRM_IOCTL_AMDGPU_GEM_OP, &op, "handle %u", handle);
    if (err != NULL) {
        return err;
    }
    union drm_amdgpu_gem_mmap map = {.in = {.handle = handle}};
    const bool has_offset = k->ioctl(k, fd, DRM_IOCTL_AMDGPU_GEM_MMAP, &map) == 0;
    *ret = (struct lull_amdgpu_gem_info){.size = in.bo_size,
                                         .offset = has_offset ? map.out.addr_ptr : 0,
                                         .domains = (uint32_t)in.domains,
                                         .has_offset = has_offset};
    return NULL;
}

struct lull_error *lull_amdgpu_gem_wait(struct lull_kernel *k, int fd, uint32_t handle,
                                        uint64_t timeout_ns, bool *ret_idle)
{
    union drm_amdgpu_gem_wait_idle arg = {
        .in = {.handle = handle, .timeout = lull_drm_deadline(k, timeout_ns)}};
    struct lull_error *err = lull_drm_call(
        k, fd, &lull_amdgpu_words, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, &arg, "handle %u", handle);
    if (err == NULL) {
        *ret_idle = arg.out.status == 0;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *va_op(struct lull_kernel *k, int fd, uint32_t op,
                                              const char *what, const struct lull_amdgpu_va *va)
{
    struct drm_amdgpu_gem_va arg = {
        .handle = va->handle,
        .operation = op,
        .flags = va->flags,
        .va_address = va->va,
        .offset_in_bo = va->offset,
        .map_size = va->size,
    };
    return lull_drm_call(k, fd, &lull_amdgpu_words, DRM_IOCTL_AMDGPU_GEM_VA, &arg,
                         "%s handle %u + 0x%llx, 0x%llx bytes at 0x%llx, flags 0x%x", what,
                         va->handle, (unsigned long long)va->offset, (unsigned long long)va->size,
                         (unsigned long long)va->va, va->flags);
}

struct lull_error *lull_amdgpu_va_map(struct lull_kernel *k, int fd,
                                      const struct lull_amdgpu_va *va)
{
    return va_op(k, fd, AMDGPU_VA_OP_MAP, "map", va);
}

struct lull_error *lull_amdgpu_va_unmap(struct lull_kernel *k, int fd,
                                        const struct lull_amdgpu_va *va)
{
    // The kernel looks at the size only to see that the range is in the address space.
    return va_op(k, fd, AMDGPU_VA_OP_UNMAP, "unmap", va);
}

struct lull_error *lull_amdgpu_va_replace(struct lull_kernel *k, int fd,
                                          const struct lull_amdgpu_va *va)
{
    return va_op(k, fd, AMDGPU_VA_OP_REPLACE, "replace", va);
}

struct lull_error *lull_amdgpu_va_clear(struct lull_kernel *k, int fd, uint64_t va, uint64_t size)
{
    return va_op(k, fd, AMDGPU_VA_OP_CLEAR, "clear",
                 &(struct lull_amdgpu_va){.va = va, .size = size});
}

LULL_MUST_USE static struct lull_error *vmid_op(struct lull_kernel *k, int fd, uint32_t op,
                                                const char *what)
{
    union drm_amdgpu_vm arg = {.in = {.op = op}};
    return lull_drm_call(k, fd, &lull_amdgpu_words, DRM_IOCTL_AMDGPU_VM, &arg, "%s", what);
}

struct lull_error *lull_amdgpu_reserve_vmid(struct lull_kernel *k, int fd)
{
    return vmid_op(k, fd, AMDGPU_VM_OP_RESERVE_VMID, "reserve VMID");
}

struct lull_error *lull_amdgpu_unreserve_vmid(struct lull_kernel *k, int fd)
{
    return vmid_op(k, fd, AMDGPU_VM_OP_UNRESERVE_VMID, "unreserve VMID");
}

struct lull_error *lull_amdgpu_ctx_create(struct lull_kernel *k, int fd, uint32_t *ret)
{
    union drm_amdgpu_ctx arg = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX}};
    struct lull_error *err =
        lull_drm_call(k, fd, &lull_amdgpu_words, DRM_IOCTL_AMDGPU_CTX, &arg, "a new context");
    if (err == NULL) {
        *ret = arg.out.alloc.ctx_id;
    }
    return err;
}

struct lull_error *lull_amdgpu_ctx_free(struct lull_kernel *k, int fd, uint32_t ctx)
{
    union drm_amdgpu_ctx arg = {.in = {.op = AMDGPU_CTX_OP_FREE_CTX, .ctx_id = ctx}};
    return lull_drm_call(k, fd, &lull_amdgpu_words, DRM_IOCTL_AMDGPU_CTX, &arg, "free context %u",
                         ctx);
}

struct lull_error *lull_amdgpu_ctx_state(struct lull_kernel *k, int fd, uint32_t ctx, uint32_t *ret)
{
    union drm_amdgpu_ctx arg = {.in = {.op = AMDGPU_CTX_OP_QUERY_STATE2, .ctx_id = ctx}};
    struct lull_error *err = lull_drm_call(k, fd, &lull_amdgpu_words, DRM_IOCTL_AMDGPU_CTX, &arg,
                                           "state of context %u", ctx);
    if (err == NULL) {
        *ret = (uint32_t)arg.out.state.flags;
    }
    return err;
}
