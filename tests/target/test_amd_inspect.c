// SPDX-License-Identifier: MIT
// What is found by looking at a whole GPU: the mappings of an address space, on page tables made by
// hand, and the waves in its slots. Expected bits: Linux amdgpu_vm.h (AMDGPU_PTE_*), the offsets of
// amdgpu_debugfs_wave_read() and the dwords of gfx_v11_0_read_wave_data(); gc_11_0_0_sh_mask.h.
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "target/amd/debug_priv.h"
#include "target/amd/inspect.h"
#include "test.h"
#include "uapi/amdgpu.h"

#define VALID (UINT64_C(1) << 0)
#define SYSTEM (UINT64_C(1) << 1)
#define EXEC (UINT64_C(1) << 4)
#define READ (UINT64_C(1) << 5)
#define WRITE (UINT64_C(1) << 6)
#define PRT (UINT64_C(1) << 51)
#define PDE_PTE (UINT64_C(1) << 54)

#define IN_VRAM UINT64_C(0x8000000000)  // what FB_OFFSET 0x8000 puts in front of VRAM
#define BUS_0 UINT64_C(0x1000000000000) // the virtual driver's mmap offset of bus address 0
#define TABLE(n) (IN_VRAM + TABLES + (n)*0x1000 + VALID)

enum { VMID = 3, SEGMENT = 0x1260, BASE = (SEGMENT + 0x16f3) * 4, FB = (SEGMENT + 0x15a7) * 4 };
enum { REGS_FD = 10, VRAM_FD, WAVE_FD, TABLES = 0x10000, NTABLES = 7, CONTROL = 1, MAX = 16 };

/** A wave in its slot. */
struct wave {
    uint8_t se, sa, wgp, simd, slot, vmid;
    bool valid, wave64;
    uint64_t pc;
};

struct fake {
    struct lull_kernel k;
    const struct wave *waves;
    size_t nwaves;
    unsigned nlooks;
};

/** An entry of a page table. */
static const struct {
    unsigned table, index;
    uint64_t entry;
} entries[] = {
    {0, 0, TABLE(1)},
    {1, 0, TABLE(2)},
    {2, 1, TABLE(3)},
    {2, 2, IN_VRAM + 0x40200000 + VALID + READ + WRITE + PDE_PTE},
    {3, 0, IN_VRAM + 0x50000 + VALID + READ + WRITE},
    {3, 1, IN_VRAM + 0x51000 + VALID + READ + WRITE},
    {3, 2, IN_VRAM + 0x52000 + VALID + READ},
    {3, 3, 0x9000 + VALID + SYSTEM + READ + WRITE},
    {3, 4, IN_VRAM + 0x53000 + READ + WRITE},
    {3, 5, IN_VRAM + 0x60000 + VALID + READ + WRITE + EXEC},
    {3, 6, PRT + SYSTEM},
    {3, 8, IN_VRAM + 0x70000 + VALID + READ + WRITE},
    {3, 9, IN_VRAM + 0x71000 + VALID + READ + WRITE},
    {3, 511, IN_VRAM + 0x401ff000 + VALID + READ + WRITE},
    {0, 256, TABLE(4)},
    {4, 0, TABLE(5)},
    {5, 0, TABLE(6)},
    {6, 0, 0x20000 + VALID + SYSTEM + READ + WRITE},
    {6, 1, 0x21000 + VALID + SYSTEM + READ + WRITE},
};

/** Buffers of the file, by handle. */
static const struct {
    uint32_t handle;
    uint64_t offset, size, domain;
} buffers[] = {
    {CONTROL, BUS_0 + 0x9000, 0x1000, AMDGPU_GEM_DOMAIN_GTT},
    {2, 0x50000, 0x1000, AMDGPU_GEM_DOMAIN_VRAM},
    {3, 0x51000, 0x1000, AMDGPU_GEM_DOMAIN_VRAM},
    {4, 0x40200000, 0x200000, AMDGPU_GEM_DOMAIN_VRAM},
    {6, BUS_0 + 0x20000, 0x2000, AMDGPU_GEM_DOMAIN_GTT}, // 5 is closed
    {7, 0x70000, 0x1000, AMDGPU_GEM_DOMAIN_VRAM},
};

static const struct lull_bo_info mappings[] = {
    {"", 0x200000, 0x1000, 2, true, true, false}, // two buffers side by side are two
    {"", 0x201000, 0x1000, 3, true, true, false},
    {"", 0x202000, 0x1000, 0, true, false, false},
    {"control", 0x203000, 0x1000, CONTROL, false, true, false},
    {"", 0x205000, 0x1000, 0, true, true, true},
    {"", 0x208000, 0x1000, 7, true, true, false},
    {"", 0x209000, 0x1000, 0, true, true, false}, // behind a buffer, of no handle
    {"", 0x3ff000, 0x1000, 0, true, true, false}, // of no handle, up to the buffer behind it
    {"", 0x400000, 0x200000, 4, true, true, false},
    {"", UINT64_C(0xffff800000000000), 0x2000, 6, false, true, false},
};

static int fake_open(struct lull_kernel *k, const char *path, int flags)
{
    const char *name = strrchr(path, '/') + 1;
    (void)k;
    (void)flags;
    return strcmp(name, "amdgpu_regs2") == 0  ? REGS_FD
           : strcmp(name, "amdgpu_vram") == 0 ? VRAM_FD
           : strcmp(name, "amdgpu_wave") == 0 ? WAVE_FD
                                              : -ENOENT;
}

static int fake_close(struct lull_kernel *k, int fd)
{
    (void)k;
    (void)fd;
    return 0;
}

static int fake_ioctl(struct lull_kernel *k, int fd, unsigned long request, void *arg)
{
    (void)k;
    if (fd == REGS_FD) {
        return 0; // the bank
    }
    union drm_amdgpu_gem_mmap *map = arg;
    const struct drm_amdgpu_gem_op *op = arg;
    const bool query = request == DRM_IOCTL_AMDGPU_GEM_OP;
    const uint32_t handle = query ? op->handle : map->in.handle;
    for (size_t i = 0; i < TEST_ROWS(buffers); i++) {
        if (buffers[i].handle == handle && query) {
            struct drm_amdgpu_gem_create_in *in = (void *)(uintptr_t)op->value;
            in->bo_size = buffers[i].size;
            in->domains = buffers[i].domain;
            return 0;
        }
        if (buffers[i].handle == handle) {
            map->out.addr_ptr = buffers[i].offset;
            return 0;
        }
    }
    return -ENOENT;
}

static uint64_t entry_of(uint64_t address)
{
    for (size_t i = 0; i < TEST_ROWS(entries); i++) {
        if (address == TABLES + entries[i].table * 0x1000 + 8 * entries[i].index) {
            return entries[i].entry;
        }
    }
    return 0;
}

/* 16 dwords of "type 3". Bits of the place: 7 SE, 15 SA, 23 WGP times 4 and SIMD, 31 wave. */
static ssize_t read_wave(struct fake *f, uint32_t *w, uint64_t at)
{
    memset(w, 0, 64);
    w[0] = 3;
    f->nlooks++;
    if ((at >> 23 & 0xff) >> 2 == 1) {
        return -EINVAL; // the second WGP is broken: nobody may look
    }
    for (size_t i = 0; i < f->nwaves; i++) {
        const struct wave *v = &f->waves[i];
        if (at == ((uint64_t)v->se << 7 | (uint64_t)v->sa << 15 | (uint64_t)v->wgp << 25 |
                   (uint64_t)v->simd << 23 | (uint64_t)v->slot << 31)) {
            w[1] = (uint32_t)v->valid << 16;
            w[2] = (uint32_t)v->pc;
            w[3] = (uint32_t)(v->pc >> 32);
            w[4] = 0xff;
            w[7] = (uint32_t)v->vmid << 24;
            w[12] = (uint32_t)v->wave64 << 11;
        }
    }
    return 64;
}

static ssize_t fake_pread(struct lull_kernel *k, int fd, void *buf, size_t size, uint64_t offset)
{
    const uint64_t root = TABLE(0);
    const uint32_t fb = 0x8000;
    if (fd == WAVE_FD) {
        return size == 64 ? read_wave((struct fake *)k, buf, offset) : -EINVAL;
    }
    if (fd == REGS_FD && offset == BASE + 8 * VMID && size == 8) {
        memcpy(buf, &root, size);
    } else if (fd == REGS_FD && offset == FB && size == 4) {
        memcpy(buf, &fb, size);
    } else if (fd == VRAM_FD && offset >= TABLES && offset + size <= TABLES + NTABLES * 0x1000) {
        for (size_t i = 0; i < size; i += 8) {
            const uint64_t entry = entry_of(offset + i);
            memcpy((char *)buf + i, &entry, 8);
        }
    } else {
        return -ENXIO;
    }
    return (ssize_t)size;
}

static const struct lull_kernel fake_calls = {
    .open = fake_open, .ioctl = fake_ioctl, .pread = fake_pread, .close = fake_close};

static void test_mappings(void)
{
    struct fake f = {.k = fake_calls};
    struct lull_amd_bo control = {.name = "control", .va = 0x203000, .handle = CONTROL};
    struct lull_amd_bo *bos[] = {&control};
    struct lull_amd_device d = {.k = &f.k, .nbos = 1, .bos = bos};
    struct lull_amd_target t = {.d = &d, .vmid = VMID, .control = &control};
    struct lull_bo_info got[MAX] = {{0}};
    size_t n = 0;
    lull_debugfs_init(&t.debugfs, &f.k, 0);
    struct lull_error *err = lull_amd_mappings(&t, got, MAX, &n);
    test_case(err == NULL && n == TEST_ROWS(mappings), "number of mappings", "%zu: %s", n,
              err != NULL ? lull_error_message(err) : "");
    for (size_t i = 0; i < TEST_ROWS(mappings) && i < n; i++) {
        const struct lull_bo_info *g = &got[i], *w = &mappings[i];
        test_case(strcmp(g->name, w->name) == 0 && g->va == w->va && g->size == w->size &&
                      g->handle == w->handle && g->vram == w->vram && g->writable == w->writable &&
                      g->executable == w->executable,
                  "mapping", "%zu: '%s' 0x%" PRIx64 " 0x%" PRIx64 " %u, %d %d %d", i, g->name,
                  g->va, g->size, g->handle, g->vram, g->writable, g->executable);
    }
    lull_error_free(err);
    struct lull_bo_info few[3] = {{0}, {0}, {.va = 77}};
    err = lull_amd_mappings(&t, few, 2, &n);
    test_case(err == NULL && n == TEST_ROWS(mappings) && few[1].va == 0x201000 && few[2].va == 77,
              "no more than there is room for", "%zu", n);
    lull_error_free(err);
    lull_debugfs_done(&t.debugfs);
}

// Of two shader engines with two arrays of three WGPs, the second of which is not there.
static const struct wave waves[] = {
    {.wgp = 0, .vmid = VMID, .valid = true, .pc = 0x1000},
    {.se = 1,
     .wgp = 2,
     .simd = 3,
     .slot = 5,
     .vmid = VMID,
     .valid = true,
     .wave64 = true,
     .pc = UINT64_C(0xffff800000002000)},
    {.sa = 1, .simd = 1, .slot = 15, .vmid = VMID + 1, .valid = true, .pc = 0x1004},
    {.sa = 1, .simd = 2, .slot = 1, .vmid = VMID, .valid = false, .pc = 0x1008},
    {.se = 1, .sa = 1, .wgp = 2, .vmid = VMID, .valid = true, .pc = 0x2000},
};

/* Waves whose PC is in a range, in WGPs that are there. */
static void test_scan(void)
{
    static const struct {
        const char *name;
        uint64_t start, end;
        size_t room, n;
        uint8_t se[2], sa[2], wgp[2], simd[2], slot[2];
    } rows[] = {
        {"a range", 0x1000, 0x2000, MAX, 2, {0, 0}, {0, 1}, {0, 0}, {0, 1}, {0, 15}},
        {"its end is not in it", 0x1001, 0x1004, MAX, 0, {0}, {0}, {0}, {0}, {0}},
        {"its start is", 0x2000, 0x2001, MAX, 1, {1}, {1}, {2}, {0}, {0}},
        {"high addresses",
         UINT64_C(0xffff800000000000),
         UINT64_MAX,
         MAX,
         1,
         {1},
         {0},
         {2},
         {3},
         {5}},
        {"room for one", 0x1000, 0x3000, 1, 1, {0}, {0}, {0}, {0}, {0}},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct fake f = {.k = fake_calls, .waves = waves, .nwaves = TEST_ROWS(waves)};
        struct lull_amd_device d = {.k = &f.k};
        struct lull_amd_wave got[MAX] = {{{0}, {0}}};
        size_t n = 0;
        d.info.shader_engines = 2;
        for (unsigned k = 0; k < 4; k++) {
            d.info.cu_bitmap[k / 2][k % 2] = 0x33; // two bits for each WGP
        }
        struct lull_error *err =
            lull_amd_scan(&d, 0, rows[i].start, rows[i].end, got, rows[i].room, &n);
        unsigned bad = err != NULL || n != rows[i].n;
        for (size_t k = 0; bad == 0 && k < n; k++) {
            const struct lull_wave_slot s = got[k].slot;
            bad += s.se != rows[i].se[k] || s.sa != rows[i].sa[k] || s.wgp != rows[i].wgp[k] ||
                   s.simd != rows[i].simd[k] || s.wave != rows[i].slot[k];
        }
        test_case(bad == 0, rows[i].name, "%zu waves: %s", n,
                  err != NULL ? lull_error_message(err) : "");
        lull_error_free(err);
    }
}

/* Every slot of a WGP that is there is looked at: 4 SIMDs of 16 waves. */
static void test_looks(void)
{
    struct fake f = {.k = fake_calls};
    struct lull_amd_device d = {.k = &f.k};
    struct lull_amd_wave got[1] = {{{0}, {0}}};
    size_t n = 1;
    d.info.shader_engines = 5; // the fifth is in the columns behind the first's
    d.info.cu_bitmap[0][0] = 0x3;
    d.info.cu_bitmap[0][3] = 0x330;
    struct lull_error *err = lull_amd_scan(&d, 0, 0, UINT64_MAX, got, 1, &n);
    test_case(err == NULL && n == 0 && f.nlooks == 3 * 4 * 16, "three WGPs of five engines",
              "%u looks, %s", f.nlooks, err != NULL ? lull_error_message(err) : "");
    lull_error_free(err);
}

/* Waves of one address space that run: those that stand are known by their slot, wave + 16 * (simd
 * + 4 * (wgp + WGPS * (sa + 2 * se))); docs/formats/trap-handler.md. */
static void test_running(void)
{
    static const struct wave some[] = {
        {.vmid = VMID, .valid = true, .pc = 0x1000},
        {.se = 1, .simd = 3, .slot = 5, .vmid = VMID, .valid = true, .wave64 = true, .pc = 0x2000},
        {.sa = 1, .simd = 1, .slot = 15, .vmid = VMID + 1, .valid = true},
        {.sa = 1, .simd = 2, .slot = 1, .vmid = VMID},
        {.se = 1, .sa = 1, .slot = 2, .vmid = VMID, .valid = true},
    };
    struct fake f = {.k = fake_calls, .waves = some, .nwaves = TEST_ROWS(some)};
    uint32_t standing[] = {2 + 16 * 4 * 3}; // the last one
    struct lull_amd_device d = {.k = &f.k};
    struct lull_amd_target t = {.d = &d, .vmid = VMID, .wgps = 1, .nslots = 4 * 16 * 4};
    struct lull_wave_info got[3] = {{0}, {0}, {.key = 77}};
    size_t n = 0;
    t.stopped = standing;
    t.nstopped = 1;
    lull_debugfs_init(&t.debugfs, &f.k, 0);
    struct lull_error *err = lull_amd_running(&t.base, got, 2, &n);
    const struct lull_wave_info *w = &got[1];
    test_case(err == NULL && n == 2 && got[0].key == 0 && got[0].pc == 0x1000 && got[0].lanes == 32,
              "a wave of 32 lanes runs", "%zu", n);
    test_case(w->key == 5 + 16 * (3 + 4 * 2) && w->se == 1 && w->sa == 0 && w->simd == 3 &&
                  w->slot == 5 && w->pc == 0x2000 && w->lanes == 64 && w->vmid == VMID &&
                  w->exec == 0xff,
              "and one of 64 in another engine", "key %" PRIu64, (uint64_t)w->key);
    test_case(f.nlooks == 4 * 16 * 4 - 1, "what stands is not looked at", "%u", f.nlooks);
    lull_error_free(err);
    t.nstopped = 0;
    err = lull_amd_running(&t.base, got, 2, &n);
    test_case(err == NULL && n == 3 && got[2].key == 77, "all are counted, if there is room or not",
              "%zu", n);
    lull_error_free(err);
    lull_debugfs_done(&t.debugfs);
}

int main(void)
{
    test_mappings();
    test_scan();
    test_looks();
    test_running();
    return test_end();
}
