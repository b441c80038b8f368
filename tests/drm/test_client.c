// SPDX-License-Identifier: MIT
// The client's ioctls: what reaches the kernel, what comes back, how errors read.
#include <errno.h>

#include "drm/amdgpu/amdgpu.h"
#include "drm/script.h"
#include "test.h"
#include "uapi/amdgpu.h"

static void check(bool ok, const char *name, struct lull_error *err)
{
    test_case(ok, name, "error: %s", err != NULL ? lull_error_message(err) : "none");
    lull_error_free(err);
}

static void test_gem(void)
{
    const union drm_amdgpu_gem_create made = {.out = {.handle = 7}};
    const union drm_amdgpu_gem_mmap where = {.out = {.addr_ptr = 0x123000}};
    const struct script_call calls[] = {{0, 0, &made, sizeof made}, {0, 0, &where, sizeof where}};
    struct script s = script_new(calls, TEST_ROWS(calls));
    uint32_t handle = 0;
    struct lull_error *err =
        lull_amdgpu_gem_create(&s.k, 3, 0x5000, LULL_AMDGPU_VRAM, 0x41, &handle);
    const union drm_amdgpu_gem_create *c = (const void *)s.args[0];
    check(err == NULL && s.requests[0] == DRM_IOCTL_AMDGPU_GEM_CREATE && c->in.bo_size == 0x5000 &&
              c->in.domains == AMDGPU_GEM_DOMAIN_VRAM && c->in.domain_flags == 0x41 && handle == 7,
          "gem create", err);
    void *map = NULL;
    err = lull_amdgpu_gem_mmap(&s.k, 3, 7, 64, &map);
    check(err == NULL && s.map_offset == 0x123000 && map == s.map, "gem mmap", err);
    err = lull_amdgpu_gem_mmap(&s.k, 3, 7, 65, &map);
    check(err != NULL && lull_error_errno(err) == EINVAL &&
              strstr(lull_error_message(err), "more than") != NULL,
          "gem mmap too large", err);
}

static void test_va(void)
{
    static const struct {
        const char *name;
        uint32_t op;
        struct lull_error *(*call)(struct lull_kernel *, int, const struct lull_amdgpu_va *);
    } rows[] = {
        {"va map", AMDGPU_VA_OP_MAP, lull_amdgpu_va_map},
        {"va unmap", AMDGPU_VA_OP_UNMAP, lull_amdgpu_va_unmap},
        {"va replace", AMDGPU_VA_OP_REPLACE, lull_amdgpu_va_replace},
    };
    const struct lull_amdgpu_va va = {.va = 0xffff800000201000,
                                      .size = 0x3000,
                                      .handle = 9,
                                      .offset = 0x1000,
                                      .flags = LULL_AMDGPU_PAGE_READ};
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct script s = script_new(NULL, 0);
        struct lull_error *err = rows[i].call(&s.k, 3, &va);
        const struct drm_amdgpu_gem_va *a = (const void *)s.args[0];
        check(err == NULL && s.requests[0] == DRM_IOCTL_AMDGPU_GEM_VA &&
                  a->operation == rows[i].op && a->va_address == va.va && a->map_size == va.size &&
                  a->offset_in_bo == va.offset && a->flags == AMDGPU_VM_PAGE_READABLE &&
                  a->handle == 9,
              rows[i].name, err);
    }
}

// Chunks are read where the call's pointers point, while it runs.
struct cs_seen {
    struct script s;
    uint32_t ids[8], ndwords[8], n;
    struct drm_amdgpu_cs_chunk_ib ib;
    struct drm_amdgpu_bo_list_entry bo1;
    struct drm_amdgpu_cs_chunk_syncobj out1;
    struct drm_amdgpu_cs_chunk_fence fence;
    struct drm_amdgpu_cs_chunk_dep dep;
};

static void cs_copy(struct cs_seen *seen, const struct drm_amdgpu_cs_chunk *c)
{
    const void *data = (const void *)(uintptr_t)c->chunk_data;
    if (c->chunk_id == AMDGPU_CHUNK_ID_IB && seen->ib.va_start == 0) {
        memcpy(&seen->ib, data, sizeof seen->ib);
    } else if (c->chunk_id == AMDGPU_CHUNK_ID_BO_HANDLES) {
        const struct drm_amdgpu_bo_list_in *l = data;
        const struct drm_amdgpu_bo_list_entry *e = (const void *)(uintptr_t)l->bo_info_ptr;
        seen->bo1 = e[l->bo_number - 1];
    } else if (c->chunk_id == AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL) {
        memcpy(&seen->out1, (const struct drm_amdgpu_cs_chunk_syncobj *)data + 1,
               sizeof seen->out1);
    } else if (c->chunk_id == AMDGPU_CHUNK_ID_FENCE) {
        memcpy(&seen->fence, data, sizeof seen->fence);
    } else if (c->chunk_id == AMDGPU_CHUNK_ID_DEPENDENCIES) {
        memcpy(&seen->dep, data, sizeof seen->dep);
    }
}

static int cs_ioctl(struct lull_kernel *k, int fd, unsigned long request, void *arg)
{
    struct cs_seen *seen = (struct cs_seen *)k;
    union drm_amdgpu_cs *cs = arg;
    (void)fd;
    if (request != DRM_IOCTL_AMDGPU_CS || cs->in.num_chunks > 8) {
        return -EINVAL;
    }
    const uint64_t *pointers = (const uint64_t *)(uintptr_t)cs->in.chunks;
    for (uint32_t i = 0; i < cs->in.num_chunks; i++) {
        const struct drm_amdgpu_cs_chunk *c = (const void *)(uintptr_t)pointers[i];
        seen->ids[seen->n] = c->chunk_id;
        seen->ndwords[seen->n++] = c->length_dw;
        cs_copy(seen, c);
    }
    cs->out.handle = 42;
    return 0;
}

static void test_submit(void)
{
    struct cs_seen seen = {.s = script_new(NULL, 0)};
    seen.s.k.ioctl = cs_ioctl;
    const struct lull_amdgpu_submit s = {
        .ctx = 1,
        .ip = LULL_AMDGPU_COMPUTE,
        .ring = 2,
        .ibs = (const struct lull_amdgpu_ib[]){{.va = 0x200000, .bytes = 64},
                                               {.va = 0x300000, .bytes = 32}},
        .nibs = 2,
        .bos = (const uint32_t[]){5, 6},
        .nbos = 2,
        .fence_bo = 8,
        .fence_offset = 16,
        .deps = &(
            const struct lull_amdgpu_fence){.ctx = 3, .ip = LULL_AMDGPU_GFX, .ring = 0, .seq = 77},
        .ndeps = 1,
        .in = &(const struct lull_syncobj_point){.handle = 11, .point = 0},
        .nin = 1,
        .out = (const struct lull_syncobj_point[]){{12, 0}, {13, 99}},
        .nout = 2,
    };
    uint64_t seq = 0;
    struct lull_error *err = lull_amdgpu_submit(&seen.s.k, 3, &s, &seq);
    check(err == NULL && seq == 42, "submit", err);
    static const uint32_t ids[] = {AMDGPU_CHUNK_ID_IB,
                                   AMDGPU_CHUNK_ID_IB,
                                   AMDGPU_CHUNK_ID_BO_HANDLES,
                                   AMDGPU_CHUNK_ID_FENCE,
                                   AMDGPU_CHUNK_ID_DEPENDENCIES,
                                   AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT,
                                   AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL};
    static const uint32_t ndwords[] = {8, 8, 6, 2, 6, 4, 8};
    test_case(seen.n == 7 && memcmp(seen.ids, ids, sizeof ids) == 0 &&
                  memcmp(seen.ndwords, ndwords, sizeof ndwords) == 0,
              "submit: chunks", "%u chunks", seen.n);
    test_case(seen.ib.va_start == 0x200000 && seen.ib.ib_bytes == 64 &&
                  seen.ib.ip_type == AMDGPU_HW_IP_COMPUTE && seen.ib.ring == 2 &&
                  seen.bo1.bo_handle == 6 && seen.out1.handle == 13 && seen.out1.point == 99 &&
                  seen.fence.handle == 8 && seen.fence.offset == 16 && seen.dep.handle == 77 &&
                  seen.dep.ctx_id == 3,
              "submit: chunk data", "ib at 0x%llx", (unsigned long long)seen.ib.va_start);
    err = lull_amdgpu_submit(&seen.s.k, 3, &(const struct lull_amdgpu_submit){.ctx = 1}, &seq);
    check(err != NULL && lull_error_code(err) == LULL_ERR_INVALID, "submit nothing", err);
}

static void test_wait(void)
{
    static const struct {
        const char *name;
        uint64_t timeout, deadline;
    } rows[] = {
        {"wait: look once", 0, 0},
        {"wait: from now", 500, 1500},
        {"wait: forever", LULL_AMDGPU_FOREVER, UINT64_MAX},
        {"wait: beyond the clock", UINT64_MAX - 1, INT64_MAX},
    };
    const struct lull_amdgpu_fence f = {.ctx = 1, .ip = LULL_AMDGPU_COMPUTE, .seq = 5};
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        const union drm_amdgpu_wait_cs busy = {.out = {.status = 1}};
        const struct script_call call = {0, 0, &busy, sizeof busy};
        struct script s = script_new(&call, 1);
        bool done = true;
        struct lull_error *err = lull_amdgpu_wait(&s.k, 3, &f, rows[i].timeout, &done);
        const union drm_amdgpu_wait_cs *w = (const void *)s.args[0];
        check(err == NULL && !done && w->in.timeout == rows[i].deadline && w->in.handle == 5,
              rows[i].name, err);
    }
    const struct script_call late = {0, -ETIME, NULL, 0};
    struct script s = script_new(&late, 1);
    bool done = true;
    const uint32_t handle = 1;
    struct lull_error *err = lull_syncobj_wait(
        &s.k, 3, &(const struct lull_syncobj_wait){.handles = &handle, .n = 1, .all = true}, &done,
        NULL);
    const struct drm_syncobj_wait *w = (const void *)s.args[0];
    check(err == NULL && !done && w->flags == DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL,
          "syncobj wait: time is up", err);
}

// Every error names the call, its argument and what the errno means there.
static void test_errors(void)
{
    static const struct {
        const char *name;
        int errnum;
        const char *words[3];
        bool lost;
    } rows[] = {
        {"error: va overlap",
         EINVAL,
         {"AMDGPU_GEM_VA", "0x1000 bytes at 0x200000", "overlaps"},
         false},
        {"error: va no handle", ENOENT, {"AMDGPU_GEM_VA", "handle 4", "no such buffer"}, false},
        {"error: va unknown errno",
         EIO,
         {"AMDGPU_GEM_VA", "handle 4", "Input/output error"},
         false},
        {"error: va access", EACCES, {"AMDGPU_GEM_VA", "handle 4", "use a render node"}, false},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        const struct script_call call = {0, -rows[i].errnum, NULL, 0};
        struct script s = script_new(&call, 1);
        struct lull_error *err = lull_amdgpu_va_map(
            &s.k, 3, &(const struct lull_amdgpu_va){.va = 0x200000, .size = 0x1000, .handle = 4});
        bool ok =
            err != NULL && lull_error_errno(err) == rows[i].errnum && !lull_amdgpu_is_lost(err);
        for (size_t w = 0; ok && w < 3; w++) {
            ok = strstr(lull_error_message(err), rows[i].words[w]) != NULL;
        }
        check(ok, rows[i].name, err);
    }
    static const int lost[] = {ENODATA, ETIME, ECANCELED};
    for (size_t i = 0; i < TEST_ROWS(lost); i++) {
        const struct script_call call = {0, -lost[i], NULL, 0};
        struct script s = script_new(&call, 1);
        bool done = false;
        struct lull_error *err = lull_amdgpu_wait(
            &s.k, 3, &(const struct lull_amdgpu_fence){.ctx = 1, .seq = 1}, 0, &done);
        check(err != NULL && lull_amdgpu_is_lost(err), "error: lost job", err);
    }
}

static int nouveau_ioctl(struct lull_kernel *k, int fd, unsigned long request, void *arg)
{
    (void)k;
    (void)fd;
    (void)request;
    struct drm_version *v = arg;
    memcpy(v->name, "nouveau", 7);
    v->name_len = 7;
    return 0;
}

static void test_open(void)
{
    struct script s = script_new(NULL, 0);
    s.k.ioctl = nouveau_ioctl;
    int fd = -1;
    struct lull_error *err = lull_amdgpu_open(&s.k, "/dev/dri/renderD128", &fd);
    check(err != NULL && s.nclose == 1 && strstr(lull_error_message(err), "nouveau") != NULL,
          "open: another driver", err);
    s = script_new(NULL, 0);
    s.open_result = -EACCES;
    err = lull_amdgpu_open(&s.k, "/dev/dri/renderD128", &fd);
    check(err != NULL && lull_error_errno(err) == EACCES &&
              strstr(lull_error_message(err), "group render") != NULL,
          "open: not allowed", err);
}

// The real kernel, on a file every machine has.
static void test_real(void)
{
    struct lull_kernel *k = NULL;
    struct lull_error *err = lull_kernel_real(&k);
    if (err != NULL) {
        check(false, "real kernel", err);
        return;
    }
    const int fd = k->open(k, "/dev/zero", 2);
    uint32_t word = 1;
    int query = 0;
    test_case(fd >= 0 && k->pread(k, fd, &word, 4, 0) == 4 && word == 0, "real pread", "fd %d", fd);
    test_case(k->ioctl(k, fd, DRM_IOCTL_VERSION, &query) == -ENOTTY, "real ioctl", "not ENOTTY");
    test_case(k->open(k, "/nonexistent/file", 0) == -ENOENT, "real open", "not ENOENT");
    void *map = NULL;
    test_case(k->mmap(k, fd, 4096, 0, &map) == 0 && k->munmap(k, map, 4096) == 0, "real mmap",
              "failed");
    test_case(k->close(k, fd) == 0 && k->close(k, fd) == -EBADF, "real close", "failed");
    test_case(k->now_ns(k) > 0, "real clock", "0");
    k->destroy(k);
}

int main(void)
{
    test_gem();
    test_va();
    test_submit();
    test_wait();
    test_errors();
    test_open();
    test_real();
    return test_end();
}
