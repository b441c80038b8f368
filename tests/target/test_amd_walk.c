// SPDX-License-Identifier: MIT
// The walk through page tables and memory read by it, on tables made by hand. Expected bits: Linux
// amdgpu_vm.h (AMDGPU_PTE_*, AMDGPU_PDE_PTE); what entries of sparse memory look like:
// gmc_v11_0_get_vm_pte(); where VRAM begins in entries: amdgpu_vm_manager.vram_base_offset.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "target/amd/debug_priv.h"
#include "test.h"

#define VALID (UINT64_C(1) << 0)
#define SYSTEM (UINT64_C(1) << 1)
#define SNOOPED (UINT64_C(1) << 2)
#define EXEC (UINT64_C(1) << 4)
#define READ (UINT64_C(1) << 5)
#define WRITE (UINT64_C(1) << 6)
#define FRAG(n) ((uint64_t)(n) << 7)
#define MTYPE(n) ((uint64_t)(n) << 48)
#define PRT (UINT64_C(1) << 51)
#define PDE_PTE (UINT64_C(1) << 54)
#define LOG (UINT64_C(1) << 55)
#define NOALLOC (UINT64_C(1) << 58)
#define BLOCK(n) ((uint64_t)(n) << 59) // block fragment of a PDE

// regGCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32 and regGCMC_VM_FB_OFFSET of gc_11_0_0_offset.h, dwords
// behind segment 0 of GC.
enum { VMID = 3, SEGMENT = 0x1260, BASE = (SEGMENT + 0x16f3) * 4, FB = (SEGMENT + 0x15a7) * 4 };
enum { REGS_FD = 10, VRAM_FD, IOMEM_FD, MAX_CELLS = 16 };

/** Eight bytes of memory. */
struct cell {
    uint64_t address, value;
};

/** Registers, VRAM and system memory; all other places are an error. */
struct fake {
    struct lull_kernel k;
    uint64_t root;
    uint32_t fb_offset; // of the register: in 16 MiB
    struct cell vram[MAX_CELLS], system[MAX_CELLS];
    size_t nvram, nsystem;
};

static int fake_open(struct lull_kernel *k, const char *path, int flags)
{
    const char *name = strrchr(path, '/') + 1;
    (void)k;
    (void)flags;
    return strcmp(name, "amdgpu_regs2") == 0   ? REGS_FD
           : strcmp(name, "amdgpu_vram") == 0  ? VRAM_FD
           : strcmp(name, "amdgpu_iomem") == 0 ? IOMEM_FD
                                               : -ENOENT;
}

static int fake_ioctl(struct lull_kernel *k, int fd, unsigned long request, void *arg)
{
    (void)k;
    (void)fd;
    (void)request;
    (void)arg;
    return 0;
}

static int fake_close(struct lull_kernel *k, int fd)
{
    (void)k;
    (void)fd;
    return 0;
}

/* The four bytes at @p offset, or NULL. */
static void *dword(struct fake *f, int fd, uint64_t offset)
{
    struct cell *cells = fd == VRAM_FD ? f->vram : f->system;
    const size_t n = fd == VRAM_FD ? f->nvram : f->nsystem;
    if (fd == REGS_FD) {
        return offset == FB                    ? &f->fb_offset
               : offset == BASE + 8 * VMID     ? (char *)&f->root
               : offset == BASE + 8 * VMID + 4 ? (char *)&f->root + 4
                                               : (void *)NULL;
    }
    for (size_t i = 0; i < n; i++) {
        if (offset - cells[i].address < 8 && offset % 4 == 0) {
            return (char *)&cells[i].value + (offset - cells[i].address);
        }
    }
    return NULL;
}

static ssize_t fake_pread(struct lull_kernel *k, int fd, void *buf, size_t size, uint64_t offset)
{
    for (size_t i = 0; i < size; i += 4) {
        const void *at = dword((struct fake *)k, fd, offset + i);
        if (at == NULL || size % 4 != 0) {
            return -ENXIO;
        }
        memcpy((char *)buf + i, at, 4);
    }
    return (ssize_t)size;
}

static ssize_t fake_pwrite(struct lull_kernel *k, int fd, const void *buf, size_t size,
                           uint64_t offset)
{
    for (size_t i = 0; i < size; i += 4) {
        void *at = dword((struct fake *)k, fd, offset + i);
        if (at == NULL || size % 4 != 0) {
            return -ENXIO;
        }
        memcpy(at, (const char *)buf + i, 4);
    }
    return (ssize_t)size;
}

static const struct lull_kernel fake_calls = {
    .open = fake_open,
    .ioctl = fake_ioctl,
    .pread = fake_pread,
    .pwrite = fake_pwrite,
    .close = fake_close,
};

// The address that is walked. Its bits 47:39 are 0xfc, 38:30 0x48, 29:21 0x1a2, 20:12 0x167.
#define VA UINT64_C(0x7e1234567abc)

// Where the four entries of VA lie in VRAM, if tables begin at 0x10000, 0x11000, 0x12000, 0x13000.
static const uint64_t entry_at[4] = {0x107e0, 0x11240, 0x12d10, 0x13b38};

#define IN_VRAM UINT64_C(0x8000000000) // what fb_offset 0x8000 puts in front of VRAM
#define PDE(table) (IN_VRAM + (table) + VALID)

struct row {
    const char *name;
    uint64_t entries[4]; // PDB2, PDB1, PDB0, PTB
    unsigned nsteps;
    bool mapped, system;
    uint64_t address, page;
};

static const struct row rows[] = {
    {"4 KiB in VRAM",
     {PDE(0x11000), PDE(0x12000), PDE(0x13000), IN_VRAM + 0x203000 + VALID + READ + WRITE + EXEC},
     4,
     true,
     false,
     0x203abc,
     4096},
    {"4 KiB of the host",
     {PDE(0x11000), PDE(0x12000), PDE(0x13000),
      0x123456000 + VALID + SYSTEM + SNOOPED + READ + WRITE},
     4,
     true,
     true,
     0x123456abc,
     4096},
    {"the fragment is no part of the address",
     {PDE(0x11000), PDE(0x12000), PDE(0x13000), IN_VRAM + 0x203000 + VALID + READ + FRAG(31)},
     4,
     true,
     false,
     0x203abc,
     4096},
    {"nor are the bits above it",
     {PDE(0x11000), PDE(0x12000), PDE(0x13000),
      IN_VRAM + 0x203000 + VALID + READ + MTYPE(3) + LOG + NOALLOC},
     4,
     true,
     false,
     0x203abc,
     4096},
    {"nor are a directory's",
     {PDE(0x11000) + MTYPE(3), PDE(0x12000) + NOALLOC, PDE(0x13000) + BLOCK(9),
      IN_VRAM + 0x203000 + VALID},
     4,
     true,
     false,
     0x203abc,
     4096},
    {"the highest address of the host",
     {PDE(0x11000), PDE(0x12000), PDE(0x13000), 0xfffffffff000 + VALID + SYSTEM},
     4,
     true,
     true,
     0xfffffffffabc,
     4096},
    {"2 MiB by PDB0",
     {PDE(0x11000), PDE(0x12000), IN_VRAM + 0x40200000 + VALID + READ + FRAG(9) + PDE_PTE},
     3,
     true,
     false,
     0x40367abc,
     2 << 20},
    {"2 MiB of the host",
     {PDE(0x11000), PDE(0x12000), 0x40200000 + VALID + SYSTEM + SNOOPED + PDE_PTE},
     3,
     true,
     true,
     0x40367abc,
     2 << 20},
    {"1 GiB by PDB1",
     {PDE(0x11000), IN_VRAM + 0xc0000000 + VALID + FRAG(18) + PDE_PTE},
     2,
     true,
     false,
     0xf4567abc,
     1 << 30},
    {"no PDB1", {0}, 1, false, false, 0, 0},
    {"no PDB0", {PDE(0x11000)}, 2, false, false, 0, 0},
    {"no PTB", {PDE(0x11000), PDE(0x12000)}, 3, false, false, 0, 0},
    {"no page", {PDE(0x11000), PDE(0x12000), PDE(0x13000)}, 4, false, false, 0, 0},
    {"an address without VALID is no page",
     {PDE(0x11000), PDE(0x12000), PDE(0x13000), IN_VRAM + 0x203000 + READ + WRITE},
     4,
     false,
     false,
     0,
     0},
    {"a huge page without VALID is no page",
     {PDE(0x11000), PDE(0x12000), IN_VRAM + 0x40200000 + READ + PDE_PTE},
     3,
     false,
     false,
     0,
     0},
    {"sparse memory without a page",
     {PDE(0x11000), PDE(0x12000), PDE(0x13000), PRT + SNOOPED + LOG + SYSTEM},
     4,
     false,
     false,
     0,
     0},
};

static void set_up(struct fake *f, struct lull_amd_device *d, struct lull_amd_target *t,
                   const uint64_t *entries)
{
    *f = (struct fake){.k = fake_calls, .root = PDE(0x10000), .fb_offset = 0x8000, .nvram = 4};
    for (unsigned i = 0; i < 4; i++) {
        f->vram[i] = (struct cell){entry_at[i], entries[i]};
    }
    *d = (struct lull_amd_device){.k = &f->k};
    *t = (struct lull_amd_target){.d = d, .vmid = VMID};
    lull_debugfs_init(&t->debugfs, &f->k, 0);
}

static unsigned wrong_steps(const struct lull_walk *w, const struct row *r)
{
    unsigned bad = w->nsteps != r->nsteps;
    for (unsigned i = 0; bad == 0 && i < r->nsteps; i++) {
        const struct lull_walk_step *s = &w->steps[i];
        const bool last = i + 1 == r->nsteps;
        bad += s->level != 3 - i || s->entry != r->entries[i] || s->entry_address != entry_at[i] ||
               s->valid != (!last || r->mapped) || (s->leaf != last && s->valid);
    }
    return bad;
}

static void test_walk(const struct row *r)
{
    struct fake f = {0};
    struct lull_amd_device d = {0};
    struct lull_amd_target t = {0};
    struct lull_walk w = {0};
    set_up(&f, &d, &t, r->entries);
    struct lull_error *err = lull_amd_walk(&t.base, VA, &w);
    test_case(
        err == NULL && w.mapped == r->mapped && w.system == r->system && w.address == r->address &&
            w.page_size == r->page && w.va == VA && w.vmid == VMID && w.root == PDE(0x10000),
        r->name, "%s mapped %d, system %d, 0x%" PRIx64 " of 0x%" PRIx64 " bytes",
        err != NULL ? lull_error_message(err) : "", w.mapped, w.system, w.address, w.page_size);
    test_case(wrong_steps(&w, r) == 0, "and its steps", "%s: %u of %u", r->name, w.nsteps,
              r->nsteps);
    lull_error_free(err);
    lull_debugfs_done(&t.debugfs);
}

/* Other places of VRAM, another root, the highest addresses. */
static void test_places(void)
{
    static const struct {
        const char *name;
        uint32_t fb;
        uint64_t vram; // what entries add
        uint64_t va;
        uint64_t at[4]; // index times 8 behind the tables at 0x10000 ...
    } places[] = {
        {"VRAM at 0", 0, 0, 0x1000, {0x10000, 0x11000, 0x12000, 0x13008}},
        {"VRAM at 16 MiB", 1, 1 << 24, 0x1fffff, {0x10000, 0x11000, 0x12000, 0x13ff8}},
        {"the last page of all", 0x8000, IN_VRAM, UINT64_MAX, {0x10ff8, 0x11ff8, 0x12ff8, 0x13ff8}},
        {"the first address above the hole",
         0x8000,
         IN_VRAM,
         UINT64_C(0xffff800000000000),
         {0x10800, 0x11000, 0x12000, 0x13000}},
    };
    for (size_t i = 0; i < TEST_ROWS(places); i++) {
        struct fake f = {.k = fake_calls, .nvram = 4, .fb_offset = places[i].fb};
        struct lull_amd_device d = {.k = &f.k};
        struct lull_amd_target t = {.d = &d, .vmid = VMID};
        struct lull_walk w = {0};
        f.root = places[i].vram + 0x10000 + VALID;
        for (unsigned k = 0; k < 4; k++) {
            const uint64_t next = k < 3 ? 0x11000 + 0x1000 * k : 0x777000;
            f.vram[k] = (struct cell){places[i].at[k], places[i].vram + next + VALID};
        }
        lull_debugfs_init(&t.debugfs, &f.k, 0);
        struct lull_error *err = lull_amd_walk(&t.base, places[i].va, &w);
        test_case(err == NULL && w.mapped && w.address == 0x777000 + (places[i].va & 0xfff),
                  places[i].name, "%s 0x%" PRIx64 ", %u steps",
                  err != NULL ? lull_error_message(err) : "", w.address, w.nsteps);
        lull_error_free(err);
        lull_debugfs_done(&t.debugfs);
    }
}

/* A table where there is no memory: an error, not an unmapped page. */
static void test_lost_table(void)
{
    static const uint64_t entries[4] = {PDE(0x11000), PDE(0x99000)};
    struct fake f = {0};
    struct lull_amd_device d = {0};
    struct lull_amd_target t = {0};
    struct lull_walk w = {.nsteps = 77};
    set_up(&f, &d, &t, entries);
    struct lull_error *err = lull_amd_walk(&t.base, VA, &w);
    const char *said = err != NULL ? lull_error_message(err) : "nothing";
    // 0x99000 + 8 * 0x1a2
    test_case(err != NULL && strstr(said, "at 0x99d10: beyond the end of video memory") != NULL &&
                  w.nsteps == 77,
              "a table outside of memory", "%s, %u", said, w.nsteps);
    lull_error_free(err);
    lull_debugfs_done(&t.debugfs);
}

// Two pages side by side: 0x200000 in VRAM at 0x50000, 0x201000 of the host at 0x9000; nothing
// behind them.
static void set_up_pages(struct fake *f, struct lull_amd_device *d, struct lull_amd_target *t)
{
    static const uint64_t none[4] = {0};
    static const struct cell vram[] = {
        {0x10000, PDE(0x11000)},
        {0x11000, PDE(0x12000)},
        {0x12008, PDE(0x13000)},
        {0x13000, IN_VRAM + 0x50000 + VALID + READ + WRITE},
        {0x13008, 0x9000 + VALID + SYSTEM + READ + WRITE},
        {0x13010, 0},
        {0x50000, UINT64_C(0x0706050403020100)},
        {0x50ff8, UINT64_C(0xfffefdfcfbfaf9f8)},
    };
    set_up(f, d, t, none);
    memcpy(f->vram, vram, sizeof vram);
    f->nvram = TEST_ROWS(vram);
    f->system[0] = (struct cell){0x9000, UINT64_C(0x1716151413121110)};
    f->system[1] = (struct cell){0x9ff8, UINT64_C(0x2726252423222120)};
    f->nsystem = 2;
}

static void test_read(void)
{
    static const struct {
        const char *name;
        uint64_t va;
        size_t size;
        const char *bytes; // NULL: a fault
        uint64_t fault;
    } reads[] = {
        {"whole dwords", 0x200000, 8, "\0\1\2\3\4\5\6\7", 0},
        {"a byte", 0x200003, 1, "\3", 0},
        {"across a dword", 0x200002, 4, "\2\3\4\5", 0},
        {"VRAM, then the host", 0x200ffd, 6, "\xfd\xfe\xff\x10\x11\x12", 0},
        {"the last bytes of the host's page", 0x201ffe, 2, "\x26\x27", 0},
        {"into no page", 0x201ffe, 4, NULL, 0x202000},
        {"no page", 0x202004, 4, NULL, 0x202004},
    };
    for (size_t i = 0; i < TEST_ROWS(reads); i++) {
        struct fake f = {0};
        struct lull_amd_device d = {0};
        struct lull_amd_target t = {0};
        uint8_t got[8] = {0};
        char want[64] = "";
        set_up_pages(&f, &d, &t);
        snprintf(want, sizeof want, "0x%012" PRIx64 " is not mapped in VMID 3", reads[i].fault);
        struct lull_error *err = lull_amd_read(&t.base, reads[i].va, got, reads[i].size);
        const bool ok = reads[i].bytes != NULL
                            ? err == NULL && memcmp(got, reads[i].bytes, reads[i].size) == 0
                            : err != NULL && lull_error_code(err) == LULL_ERR_FAULT &&
                                  strcmp(lull_error_message(err), want) == 0;
        test_case(ok, reads[i].name, "%s %02x %02x %02x %02x",
                  err != NULL ? lull_error_message(err) : "read", got[0], got[1], got[2], got[3]);
        lull_error_free(err);
        lull_debugfs_done(&t.debugfs);
    }
}

/* Only the bytes that are written change, though debugfs takes whole dwords. */
static void test_write(void)
{
    struct fake f = {0};
    struct lull_amd_device d = {0};
    struct lull_amd_target t = {0};
    set_up_pages(&f, &d, &t);
    struct lull_error *err = lull_amd_write(&t.base, 0x200ffe, "\xaa\xbb\xcc", 3);
    test_case(err == NULL && f.vram[7].value == UINT64_C(0xbbaafdfcfbfaf9f8) &&
                  f.system[0].value == UINT64_C(0x17161514131211cc),
              "three bytes over the end of a page", "0x%" PRIx64 " 0x%" PRIx64, f.vram[7].value,
              f.system[0].value);
    lull_error_free(err);
    lull_debugfs_done(&t.debugfs);
}

/* Buffers of ours are read by their mapping: bytes behind the size, up to the page's end, too. */
static void test_own(void)
{
    static uint8_t memory[4096] = {[99] = 7, [4095] = 9};
    struct fake f = {0};
    struct lull_amd_device d = {0};
    struct lull_amd_target t = {0};
    struct lull_amd_bo bo = {.name = "own", .va = 0x200000, .size = 100, .map = memory};
    struct lull_amd_bo *bos[] = {&bo};
    uint8_t got[2] = {0};
    set_up_pages(&f, &d, &t);
    d.bos = bos;
    d.nbos = 1;
    struct lull_error *err = lull_amd_read(&t.base, 0x200063, got, 1);
    test_case(err == NULL && got[0] == 7, "the last byte of an own buffer", "%u", got[0]);
    lull_error_free(err);
    err = lull_amd_read(&t.base, 0x200fff, got, 2);
    test_case(err == NULL && got[0] == 9 && got[1] == 0x10, "from an own buffer into another's",
              "%u %u", got[0], got[1]);
    lull_error_free(err);
    lull_debugfs_done(&t.debugfs);
}

int main(void)
{
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        test_walk(&rows[i]);
    }
    test_places();
    test_lost_table();
    test_read();
    test_write();
    test_own();
    return test_end();
}
