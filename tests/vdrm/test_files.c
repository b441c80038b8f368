// SPDX-License-Identifier: MIT
// Memory and files: what a buffer holds from birth to death, mmap, debugfs, sysfs, the kernel's
// log.
#include <stdio.h>

#include "drm/amdgpu/amdgpu.h"
#include "drm/amdgpu/debugfs.h"
#include "drm/amdgpu/debugfs_abi.h"
#include "test.h"
#include "vdrm/fake.h"

static void must(struct lull_error *err)
{
    if (err != NULL) {
        printf("# %s\n", lull_error_message(err));
        abort();
    }
}

static void check(bool ok, const char *name, struct lull_error *err)
{
    test_case(ok, name, "error: %s", err != NULL ? lull_error_message(err) : "none");
    lull_error_free(err);
}

static uint64_t offset_of(struct lull_kernel *k, int fd, uint32_t bo)
{
    union drm_amdgpu_gem_mmap m = {.in = {.handle = bo}};
    return k->ioctl(k, fd, DRM_IOCTL_AMDGPU_GEM_MMAP, &m) == 0 ? m.out.addr_ptr : UINT64_MAX;
}

static void test_memory(struct lull_kernel *k, struct fake *f)
{
    const int fd = k->open(k, "/dev/dri/renderD128", O_RDWR),
              other = k->open(k, "/dev/dri/renderD128", O_RDWR);
    uint32_t bo = 0, again = 0;
    void *map = NULL, *map2 = NULL;
    must(lull_amdgpu_gem_create(k, fd, 0x3000, LULL_AMDGPU_VRAM, 0, &bo));
    must(lull_amdgpu_gem_mmap(k, fd, bo, 0x3000, &map));
    const uint64_t at = offset_of(k, fd, bo);
    memset(map, 0x5a, 0x3000);
    test_case(f->phys.vram[at] == 0x5a && f->phys.vram[at + 0x2fff] == 0x5a,
              "one memory for both sides", "%x", f->phys.vram[at]);
    test_case(k->mmap(k, fd, 0x4000, at, &map2) == -EINVAL, "mmap: beyond the buffer",
              "not EINVAL");
    test_case(k->mmap(k, fd, 0x1000, at + 0x1000, &map2) == -EINVAL, "mmap: not at the start",
              "not EINVAL");
    test_case(k->mmap(k, other, 0x1000, at, &map2) == -EACCES, "mmap: of another client",
              "not EACCES");
    test_case(k->mmap(k, 900, 0x1000, at, &map2) == -EBADF, "mmap: closed file", "not EBADF");
    must(lull_drm_gem_close(k, fd, bo));
    test_case(((char *)map)[0x1000] == 0x5a, "a mapping outlives the handle", "%x",
              ((char *)map)[0x1000]);
    test_case(k->mmap(k, fd, 0x1000, at, &map2) == -EACCES, "but gives no new ones", "not EACCES");
    test_case(k->munmap(k, map, 0x3000) == 0 && k->munmap(k, map, 0x3000) == -EINVAL, "munmap",
              "failed");
    must(lull_amdgpu_gem_create(k, fd, 0x3000, LULL_AMDGPU_VRAM, 0, &again));
    test_case(again == bo && offset_of(k, fd, again) == at && f->phys.vram[at] == 0 &&
                  f->phys.vram[at + 0x2fff] == 0,
              "handle and memory are used again, zeroed", "handle %u at %llx: %x", again,
              (unsigned long long)offset_of(k, fd, again), f->phys.vram[at]);
    // Both sorts of memory, to the last page.
    uint32_t big = 0, gtt = 0;
    must(lull_amdgpu_gem_create(k, fd, 0x300000, LULL_AMDGPU_VRAM, 0, &big));
    must(lull_amdgpu_gem_create(k, fd, 0x1000, LULL_AMDGPU_GTT, 0, &gtt));
    test_case(offset_of(k, fd, big) % 0x200000 == 0 && offset_of(k, fd, gtt) >= f->phys.vram_size,
              "large buffers are aligned to 2 MiB, GTT follows VRAM", "%llx",
              (unsigned long long)offset_of(k, fd, big));
    uint32_t spill = 0;
    must(lull_amdgpu_gem_create(k, fd, f->phys.vram_size - 0x800000, LULL_AMDGPU_VRAM, 0, &spill));
    must(lull_amdgpu_gem_create(k, fd, 0x800000, LULL_AMDGPU_VRAM, 0, &again));
    test_case(offset_of(k, fd, spill) < f->phys.vram_size &&
                  offset_of(k, fd, again) >= f->phys.vram_size,
              "VRAM is full: into GTT", "%llx", (unsigned long long)offset_of(k, fd, again));
    struct lull_error *err =
        lull_amdgpu_gem_create(k, fd, f->phys.system_size - 0x1000, LULL_AMDGPU_VRAM, 0, &again);
    check(err != NULL && lull_error_errno(err) == ENOMEM, "both are full", err);
    k->close(k, fd);
    k->close(k, other);
    const int last = k->open(k, "/dev/dri/renderD128", O_RDWR);
    struct lull_amdgpu_memory m = {0};
    must(lull_amdgpu_memory(k, last, &m));
    test_case(m.vram.used == 0x1000 && m.gtt.used == 0, "closing the file frees all",
              "%llu bytes of VRAM, %llu GTT", (unsigned long long)m.vram.used,
              (unsigned long long)m.gtt.used);
    k->close(k, last);
}

static void test_info(struct lull_kernel *k)
{
    int fd = -1;
    must(lull_amdgpu_open(k, "/dev/dri/renderD128", &fd));
    struct lull_amdgpu_device_info d = {0};
    struct lull_amdgpu_ip_info ip = {0};
    uint32_t reg = 0;
    must(lull_amdgpu_device_info(k, fd, &d));
    must(lull_amdgpu_ip_info(k, fd, LULL_AMDGPU_COMPUTE, &ip));
    must(lull_amdgpu_read_register(k, fd, 0x263e, &reg));
    // Values of a real Navi 31: fact sheet 2.3.
    test_case(d.device_id == 0x744c && d.family == 145 && d.external_rev == 1 &&
                  d.shader_engines == 6 && d.arrays_per_engine == 2 && d.active_cus == 96 &&
                  d.counter_khz == 100000 && d.wave_size == 32 && d.vgprs == 1536 &&
                  d.va_alignment == 4096 && d.pte_fragment_size == 2 << 20,
              "device", "%x", d.device_id);
    test_case(d.high_va_start == 0xffff800000000000 && d.va_end == 0x800000000000, "address ranges",
              "%llx", (unsigned long long)d.high_va_start);
    unsigned cus = 0;
    for (unsigned i = 0; i < 16; i++) {
        cus += (unsigned)__builtin_popcount(d.cu_bitmap[i / 4][i % 4]);
    }
    test_case(cus == 96, "bitmap of compute units", "%u", cus);
    test_case(ip.major == 11 && ip.ip_version == 0xb0000 && ip.rings == 0xf &&
                  ip.ib_start_alignment == 32,
              "compute engine", "%x", ip.ip_version);
    test_case(reg == 0x545, "GB_ADDR_CONFIG", "0x%x", reg);
    k->close(k, fd);
}

static void test_regs(struct lull_kernel *k, struct fake *f)
{
    struct lull_debugfs d;
    lull_debugfs_init(&d, k, 0);
    uint32_t v = 0x1234, w = 0;
    const struct lull_reg_bank vmid3 = {.srbm = true, .vmid = 3}, none = {0};
    must(lull_debugfs_write_regs(&d, &vmid3, FAKE_TBA_LO, &v, 1));
    must(lull_debugfs_read_regs(&d, &vmid3, FAKE_TBA_LO, &w, 1));
    test_case(f->tba[3] == 0x1234 && f->tba[0] == 0 && w == 0x1234, "a register of VMID 3", "%x %x",
              f->tba[3], w);
    must(lull_debugfs_read_regs(&d, &none, FAKE_TBA_LO, &w, 1));
    test_case(w == 0, "the same of VMID 0", "%x", w);
    // Linux 6.12 forgets the VMID of the old call.
    const int fd = k->open(k, "/sys/kernel/debug/dri/0/amdgpu_regs2", O_RDWR);
    struct lull_regs2_v1 v1 = {.use_srbm = 1, .srbm = {.vmid = 3}};
    test_case(k->ioctl(k, fd, LULL_REGS2_SET_V1, &v1) == 0 &&
                  k->pread(k, fd, &w, 4, FAKE_TBA_LO) == 4 && w == 0,
              "regs2 v1 means VMID 0", "%x", w);
    test_case(k->pread(k, fd, &w, 3, FAKE_TBA_LO) == -EINVAL &&
                  k->pread(k, fd, &w, 4, 2) == -EINVAL && k->pread(k, fd, NULL, 4, 0) == -EFAULT,
              "regs2: odd sizes and pointers", "accepted");
    v1 = (struct lull_regs2_v1){.use_grbm = 1, .grbm = {.se = 6}};
    test_case(k->ioctl(k, fd, LULL_REGS2_SET_V1, &v1) == 0 && k->pread(k, fd, &w, 4, 0) == -EINVAL,
              "regs2: no such shader engine", "accepted");
    v1.grbm.se = 5;
    v1.grbm.sh = UINT32_MAX;
    v1.grbm.instance = 7;
    k->ioctl(k, fd, LULL_REGS2_SET_V1, &v1);
    k->pread(k, fd, &w, 4, 0);
    // GRBM_GFX_INDEX from the fact sheet: INSTANCE 7:0, SA 15:8, SE 23:16, SA broadcast 29
    test_case(f->last.grbm == (7u | 5u << 16 | 1u << 29), "regs2: GRBM_GFX_INDEX", "%08x",
              f->last.grbm);
    k->close(k, fd);
    const int ro = k->open(k, "/sys/kernel/debug/dri/0/amdgpu_regs2", O_RDONLY);
    test_case(k->pwrite(k, ro, &w, 4, 0) == -EBADF, "write through a file opened to read",
              "not EBADF");
    k->close(k, ro);
    // SH_MEM_BASES as the driver sets it for clients: fact sheet 4.2
    const struct lull_reg_bank vmid1 = {.srbm = true, .vmid = 1};
    must(lull_debugfs_read_regs(&d, &vmid1, FAKE_SH_MEM_BASES, &w, 1));
    test_case(w == 0x20001000, "SH_MEM_BASES", "%08x", w);
    lull_debugfs_done(&d);
}

static void test_waves(struct lull_kernel *k, struct fake *f)
{
    struct lull_debugfs d;
    lull_debugfs_init(&d, k, 128);
    struct lull_wave_status w = {0};
    const struct lull_wave_slot slot = {.se = 2, .sa = 1, .wgp = 3, .simd = 1, .wave = 9};
    must(lull_debugfs_read_wave(&d, slot, &w));
    // The fake answers with SQ_IND_INDEX: index in the upper half, wave in bits 4:0.
    test_case(w.status == (0x102u << 16 | 9) &&
                  w.pc == ((0x109ull << 16 | 9) << 32 | (0x108u << 16 | 9)) &&
                  w.hw_id2 == (0x118u << 16 | 9) && w.mode == (0x101u << 16 | 9) &&
                  w.m0 == (0x27du << 16 | 9) && f->last.grbm == (2u << 16 | 1u << 8 | 13),
              "amdgpu_wave", "status %x grbm %x", w.status, f->last.grbm);
    uint32_t r[4] = {0};
    must(lull_debugfs_read_vgprs(&d, slot, 17, r, 4));
    test_case(r[0] == (0x400u << 16 | 1u << 11 | 17u << 5 | 9) &&
                  r[3] == (0x403u << 16 | 1u << 11 | 17u << 5 | 9),
              "VGPRs by amdgpu_gprwave", "%x %x", r[0], r[3]);
    must(lull_debugfs_read_sgprs(&d, slot, r, 2));
    test_case(r[1] == (0x201u << 16 | 1u << 11 | 9), "SGPRs by amdgpu_gprwave", "%x", r[1]);
    const int fd = k->open(k, "/sys/kernel/debug/dri/0/amdgpu_gpr", O_RDONLY);
    const uint64_t pos = 8ull | 2ull << 12 | 1ull << 20 | 13ull << 28 | 9ull << 36 | 17ull << 52;
    test_case(k->pread(k, fd, r, 8, pos) == 8 && r[0] == (0x402u << 16 | 1u << 11 | 17u << 5 | 9),
              "amdgpu_gpr", "%x", r[0]);
    k->close(k, fd);
    lull_debugfs_done(&d);
}

static void test_mem_files(struct lull_kernel *k, struct fake *f)
{
    struct lull_debugfs d;
    lull_debugfs_init(&d, k, 0);
    const int fd = k->open(k, "/dev/dri/renderD128", O_RDWR);
    uint32_t bo = 0, word = 0xfeedface, got = 0;
    must(lull_amdgpu_gem_create(k, fd, 0x2000, LULL_AMDGPU_GTT, LULL_AMDGPU_GEM_ALWAYS_VALID, &bo));
    const uint64_t bus = offset_of(k, fd, bo) - f->phys.vram_size + f->phys.system_base;
    must(lull_debugfs_write_iomem(&d, bus + 0xffe, &word, 4));
    must(lull_debugfs_read_iomem(&d, bus + 0xffe, &got, 4));
    test_case(got == word, "iomem over a page's end", "%x", got);
    struct lull_error *err = lull_debugfs_read_iomem(&d, bus + 0x2000, &got, 4);
    check(err != NULL && lull_error_errno(err) == EPERM, "iomem of nobody", err);
    must(lull_debugfs_write_vram(&d, 0x100000, &word, 4));
    must(lull_debugfs_read_vram(&d, 0x100000, &got, 4));
    test_case(got == word && memcmp(f->phys.vram + 0x100000, &word, 4) == 0, "vram", "%x", got);
    err = lull_debugfs_read_vram(&d, f->phys.vram_size, &got, 4);
    check(err != NULL && lull_error_errno(err) == ENXIO, "vram: beyond", err);
    struct lull_str s = {0};
    must(lull_debugfs_vm_info(&d, &s));
    test_case(strstr(lull_str_text(&s), "0x00000000:         8192 byte GTT") != NULL &&
                  strstr(lull_str_text(&s), "Total idle size:                8192\tobjs:\t1") !=
                      NULL,
              "vm_info", "%s", lull_str_text(&s));
    lull_str_free(&s);
    lull_debugfs_done(&d);
    k->close(k, fd);
}

static void test_text(struct lull_kernel *k)
{
    // amdgpu_debugfs_fence_info_show()
    static const char fences[] = "--- ring 0 (gfx_0.0.0) ---\n"
                                 "Last signaled fence          0x00000000\n"
                                 "Last emitted                 0x00000000\n"
                                 "Last signaled trailing fence 0x00000000\n"
                                 "Last emitted                 0x00000000\n"
                                 "Last preempted               0x00000000\n"
                                 "Last reset                   0x00000000\n"
                                 "Last both                    0x00000000\n"
                                 "--- ring 1 (comp_1.0.0) ---\n"
                                 "Last signaled fence          0x00000000\n"
                                 "Last emitted                 0x00000000\n"
                                 "--- ring 2 (comp_1.1.0) ---\n"
                                 "Last signaled fence          0x00000000\n"
                                 "Last emitted                 0x00000000\n"
                                 "--- ring 3 (comp_1.2.0) ---\n"
                                 "Last signaled fence          0x00000000\n"
                                 "Last emitted                 0x00000000\n"
                                 "--- ring 4 (comp_1.3.0) ---\n"
                                 "Last signaled fence          0x00000000\n"
                                 "Last emitted                 0x00000000\n"
                                 "--- ring 5 (sdma0) ---\n"
                                 "Last signaled fence          0x00000000\n"
                                 "Last emitted                 0x00000000\n"
                                 "Last signaled trailing fence 0x00000000\n"
                                 "Last emitted                 0x00000000\n"
                                 "--- ring 6 (sdma1) ---\n"
                                 "Last signaled fence          0x00000000\n"
                                 "Last emitted                 0x00000000\n"
                                 "Last signaled trailing fence 0x00000000\n"
                                 "Last emitted                 0x00000000\n";
    static const struct {
        const char *path, *want;
    } rows[] = {
        {"/sys/dev/char/226:128/device/vendor", "0x1002\n"},
        {"/sys/dev/char/226:0/device/device", "0x744c\n"},
        {"/sys/class/drm/renderD128/device/revision", "0xc8\n"},
        {"/sys/bus/pci/devices/0000:03:00.0/uevent", "DRIVER=amdgpu\n"},
        {"/sys/kernel/debug/dri/0/amdgpu_fence_info", fences},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        char text[2048] = "";
        const int fd = k->open(k, rows[i].path, O_RDONLY);
        const ssize_t n = k->pread(k, fd, text, strlen(rows[i].want), 0);
        test_case(n == (ssize_t)strlen(rows[i].want) && strcmp(text, rows[i].want) == 0,
                  rows[i].path, "%zd %s", n, text);
        test_case(k->pread(k, fd, text, 8, sizeof text) == 0, rows[i].path, "no end of file");
        k->close(k, fd);
    }
    test_case(k->open(k, "/sys/nothing", O_RDONLY) == -ENOENT &&
                  k->open(k, "/dev/dri/card1", O_RDWR) == -ENOENT &&
                  k->open(k, "/sys/kernel/debug/dri/1/amdgpu_regs2", O_RDWR) == -ENOENT,
              "files that are not there", "open");
    test_case(k->open(k, rows[0].path, O_RDWR) == -EACCES, "sysfs is read only", "open");
}

static void test_log(struct lull_kernel *k)
{
    const int fd = k->open(k, "/dev/kmsg", O_RDONLY);
    char line[256] = "";
    test_case(k->pread(k, fd, line, 8, 0) == -EINVAL, "kmsg: too small a buffer", "read");
    const ssize_t n = k->pread(k, fd, line, sizeof line - 1, 0);
    test_case(n > 0 && strncmp(line, "6,0,", 4) == 0 &&
                  strstr(line, ",-;amdgpu 0000:03:00.0: amdgpu: ") != NULL,
              "kmsg: a record", "%s", line);
    test_case(k->pread(k, fd, line, sizeof line, 0) == -EAGAIN, "kmsg: no more", "read");
    k->close(k, fd);
    const int gca = k->open(k, "/sys/kernel/debug/dri/0/amdgpu_gca_config", O_RDONLY);
    uint32_t c[64] = {0};
    test_case(k->pread(k, gca, c, sizeof c, 0) == 36 * 4 && c[0] == 5 && c[1] == 6 && c[4] == 2 &&
                  c[22] == 0x545 && c[29] == 0x744c,
              "gca_config", "version %u, %u engines", c[0], c[1]);
    k->close(k, gca);
}

int main(void)
{
    struct fake *f = NULL;
    struct lull_kernel *k = fake_kernel(&(const struct lull_vdrm_options){0}, &f);
    test_memory(k, f);
    test_info(k);
    test_regs(k, f);
    test_waves(k, f);
    test_mem_files(k, f);
    test_text(k);
    test_log(k);
    k->destroy(k);
    return test_end();
}
