// SPDX-License-Identifier: MIT
// Page tables that the driver writes, read by a walker that knows only the hardware's format, and
// compared with a plain list of what was mapped. Usage: test_vm [SEED [ROUNDS]].
#include "drm/amdgpu/amdgpu.h"
#include "test.h"
#include "vdrm/fake.h"

// The format, from the fact sheet's 4.1; nothing of src/.
#define E_VALID 1ull
#define E_SYSTEM 2ull
#define E_EXEC (1ull << 4)
#define E_READ (1ull << 5)
#define E_WRITE (1ull << 6)
#define E_PRT (1ull << 51)
#define E_LEAF (1ull << 54)
#define E_NOALLOC (1ull << 58)
#define E_ADDRESS 0x0000fffffffff000ull
#define E_PDE_ADDRESS 0x0000ffffffffffc0ull

struct walked {
    bool mapped, prt;
    uint64_t phys, entry;
    unsigned level, fragment;
};

static struct walked walk(const struct fake *f, uint32_t vmid, uint64_t va)
{
    const uint32_t *base = &f->regs[(FAKE_PT_BASE + 8 * vmid) / 4];
    uint64_t entry = base[0] | (uint64_t)base[1] << 32;
    struct walked w = {.level = 3};
    for (;; w.level--) {
        if ((entry & E_VALID) == 0 || (entry & E_PDE_ADDRESS) >= f->phys.vram_size) {
            return w;
        }
        const unsigned shift = 12 + 9 * w.level;
        memcpy(&entry, f->phys.vram + (entry & E_PDE_ADDRESS) + (va >> shift & 511) * 8, 8);
        if (w.level == 0 || (entry & E_LEAF) != 0) {
            w.entry = entry;
            w.mapped = (entry & E_VALID) != 0;
            w.prt = !w.mapped && (entry & E_PRT) != 0;
            w.fragment = entry >> 7 & 31;
            w.phys = (entry & E_ADDRESS) + (va & ((1ull << shift) - 1));
            return w;
        }
    }
}

struct setup {
    struct fake *f;
    struct lull_kernel *k;
    int fd;
    uint32_t vmid;
};

static struct setup setup(void)
{
    struct setup s = {0};
    s.k = fake_kernel(&(const struct lull_vdrm_options){0}, &s.f);
    s.fd = s.k->open(s.k, "/dev/dri/renderD128", O_RDWR);
    lull_error_free(lull_amdgpu_reserve_vmid(s.k, s.fd));
    for (uint32_t v = 1; v < 16; v++) {
        s.vmid = s.f->regs[(FAKE_PT_BASE + 8 * v) / 4] != 0 ? v : s.vmid;
    }
    return s;
}

static uint64_t vram_used(struct setup *s)
{
    struct lull_amdgpu_memory m = {0};
    lull_error_free(lull_amdgpu_memory(s->k, s->fd, &m));
    return m.vram.used;
}

static uint32_t bo_new(struct setup *s, uint64_t size, uint32_t domain, uint64_t *offset)
{
    uint32_t handle = 0;
    struct lull_error *err = lull_amdgpu_gem_create(s->k, s->fd, size, domain, 0, &handle);
    if (err != NULL) {
        printf("# %s\n", lull_error_message(err));
        abort();
    }
    union drm_amdgpu_gem_mmap m = {.in = {.handle = handle}};
    s->k->ioctl(s->k, s->fd, DRM_IOCTL_AMDGPU_GEM_MMAP, &m);
    *offset = m.out.addr_ptr;
    return handle;
}

#define MIB (1ull << 20)
#define GIB (1ull << 30)
#define HIGH 0xffff800000000000ull

struct leaves {
    const char *name;
    uint64_t va, size, offset;
    uint32_t domain, flags;
    unsigned level, fragment; ///< Of the entry of the first page.
    uint64_t bits;            ///< Set in it.
};

static void map_leaves(const struct leaves *r)
{
    struct setup s = setup();
    const uint64_t before = vram_used(&s);
    uint64_t offset = 0;
    // Start 1 GiB up, so that nothing but the row decides the alignment.
    const uint32_t handle =
        bo_new(&s, r->size + r->offset + GIB * (r->size >= GIB), r->domain, &offset);
    const uint64_t skip = r->size >= GIB ? -offset & (GIB - 1) : 0;
    const struct lull_amdgpu_va va = {.va = r->va,
                                      .size = r->size,
                                      .handle = handle,
                                      .offset = r->offset + skip,
                                      .flags = r->flags};
    struct lull_error *err = lull_amdgpu_va_map(s.k, s.fd, &va);
    const uint64_t phys =
        offset + va.offset + (r->domain == 2 ? s.f->phys.system_base - s.f->phys.vram_size : 0);
    const struct walked w = walk(s.f, s.vmid, r->va);
    const struct walked last = walk(s.f, s.vmid, r->va + r->size - 1);
    const uint64_t rights = E_READ | E_WRITE | E_EXEC | E_SYSTEM | E_NOALLOC;
    test_case(err == NULL && w.mapped && w.phys == phys && w.level == r->level &&
                  w.fragment == r->fragment && (w.entry & r->bits) == r->bits &&
                  (w.entry & rights) == ((r->bits | ((r->flags & 2) != 0 ? E_READ : 0)) & rights) &&
                  last.mapped && last.phys == phys + r->size - 1,
              r->name, "level %u fragment %u entry %llx, phys %llx want %llx: %s", w.level,
              w.fragment, (unsigned long long)w.entry, (unsigned long long)w.phys,
              (unsigned long long)phys, err != NULL ? lull_error_message(err) : "");
    lull_error_free(err);
    test_case(!walk(s.f, s.vmid, r->va - 1).mapped && !walk(s.f, s.vmid, r->va + r->size).mapped,
              r->name, "neighbours are mapped");
    lull_error_free(lull_drm_gem_close(s.k, s.fd, handle));
    test_case(!walk(s.f, s.vmid, r->va).mapped && vram_used(&s) == before, r->name,
              "after close: %llu bytes of VRAM used, %llu before",
              (unsigned long long)vram_used(&s), (unsigned long long)before);
    s.k->destroy(s.k);
}

// One mapping each: where its leaves must stand.
static void test_leaves(void)
{
    static const struct leaves rows[] = {
        {"one page", 0x200000, 0x1000, 0, 4, 2, 0, 0, E_READ},
        {"one page, all rights", 0x201000, 0x1000, 0, 4, 2 | 4 | 8, 0, 0,
         E_READ | E_WRITE | E_EXEC},
        {"64 KiB", 0x210000, 0x10000, 0, 4, 2 | 4, 0, 4, E_READ | E_WRITE},
        {"64 KiB, odd address", 0x211000, 0x10000, 0, 4, 2, 0, 0, E_READ},
        {"2 MiB", 0x400000, 2 * MIB, 0, 4, 2, 1, 9, E_READ | E_LEAF},
        {"2 MiB at an odd address", 0x401000, 2 * MIB, 0, 4, 2, 0, 0, E_READ},
        {"2 MiB of a buffer at 4 KiB", 0x400000, 2 * MIB, 0x1000, 4, 2, 0, 0, E_READ},
        {"8 MiB", 0x800000, 8 * MIB, 0, 4, 2, 1, 11, E_READ | E_LEAF},
        {"1 GiB", GIB, GIB, 0, 4, 2, 2, 18, E_READ | E_LEAF},
        {"1 GiB at 2 MiB", GIB + 2 * MIB, GIB, 0, 4, 2, 1, 9, E_READ | E_LEAF},
        {"high half", HIGH + 0x200000, 0x1000, 0, 4, 2, 0, 0, E_READ},
        {"system memory", 0x200000, 0x1000, 0, 2, 2, 0, 0, E_READ | E_SYSTEM},
        {"system memory, 2 MiB", 0x200000, 2 * MIB, 0, 2, 2, 1, 9, E_READ | E_SYSTEM | E_LEAF},
        {"no allocation in the last cache", 0x200000, 0x1000, 0, 4, 2 | 1 << 9, 0, 0, E_NOALLOC},
        {"uncached", 0x200000, 0x1000, 0, 4, 2 | 4 << 5, 0, 0, 3ull << 48},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        map_leaves(&rows[i]);
    }
}

static void test_prt(void)
{
    struct setup s = setup();
    const struct lull_amdgpu_va va = {
        .va = 0x400000, .size = 4 * MIB, .flags = LULL_AMDGPU_PAGE_PRT};
    struct lull_error *err = lull_amdgpu_va_map(s.k, s.fd, &va);
    const struct walked w = walk(s.f, s.vmid, 0x400000 + 3 * MIB);
    // PRT, SNOOPED, LOG, SYSTEM and not VALID: fact sheet
    test_case(err == NULL && w.prt &&
                  (w.entry & (E_PRT | 4 | 1ull << 55 | E_SYSTEM)) ==
                      (E_PRT | 4 | 1ull << 55 | E_SYSTEM),
              "PRT", "entry %llx", (unsigned long long)w.entry);
    lull_error_free(err);
    err = lull_amdgpu_va_clear(s.k, s.fd, 0x400000 + MIB, MIB);
    test_case(err == NULL && walk(s.f, s.vmid, 0x400000).prt &&
                  !walk(s.f, s.vmid, 0x400000 + MIB).prt &&
                  walk(s.f, s.vmid, 0x400000 + 2 * MIB).prt,
              "PRT: clear the middle", "%s", err != NULL ? lull_error_message(err) : "");
    lull_error_free(err);
    s.k->destroy(s.k);
}

// Random operations.

enum { BOS = 6, SPACE_PAGES = 4096 };

struct page {
    int bo; ///< -1: not mapped; BOS: PRT.
    uint64_t phys;
    uint32_t flags;
};

struct model {
    struct setup s;
    uint32_t handles[BOS];
    uint64_t phys[BOS], sizes[BOS];
    bool system[BOS];
    struct page pages[SPACE_PAGES];
    uint64_t base;
    uint64_t rng;
};

static uint64_t rnd(struct model *m, uint64_t n)
{
    m->rng = m->rng * 6364136223846793005ull + 1442695040888963407ull;
    return (m->rng >> 33) % n;
}

static uint64_t span(struct model *m, uint64_t max)
{
    static const uint64_t sizes[] = {1, 2, 16, 32, 512, 1024};
    const uint64_t n = rnd(m, 2) == 0 ? sizes[rnd(m, 6)] : 1 + rnd(m, 700);
    return n < max ? n : max;
}

// A start that is aligned more often than chance has it.
static uint64_t place(struct model *m, uint64_t pages, uint64_t room)
{
    const uint64_t at = rnd(m, room - pages + 1);
    const uint64_t aligned = at & ~(rnd(m, 2) == 0 ? 511ull : 15ull);
    return rnd(m, 3) == 0 ? at : aligned;
}

static void step_map(struct model *m, bool replace, const char **what)
{
    const unsigned b = (unsigned)rnd(m, BOS + 1);
    const bool prt = b == BOS;
    const uint64_t bo_pages = prt ? SPACE_PAGES : m->sizes[b] / 4096;
    const uint64_t n = span(m, bo_pages < SPACE_PAGES ? bo_pages : SPACE_PAGES),
                   at = place(m, n, SPACE_PAGES);
    const uint64_t from = prt ? 0 : place(m, n, bo_pages);
    const struct lull_amdgpu_va va = {
        .va = m->base + at * 4096,
        .size = n * 4096,
        .handle = prt ? 0 : m->handles[b],
        .offset = from * 4096,
        .flags =
            prt ? (uint32_t)LULL_AMDGPU_PAGE_PRT : (uint32_t)(2 | rnd(m, 2) << 2 | rnd(m, 2) << 3),
    };
    bool clash = false;
    for (uint64_t i = at; i < at + n; i++) {
        clash = clash || m->pages[i].bo >= 0;
    }
    struct lull_error *err = replace ? lull_amdgpu_va_replace(m->s.k, m->s.fd, &va)
                                     : lull_amdgpu_va_map(m->s.k, m->s.fd, &va);
    const bool refused = err != NULL && lull_error_errno(err) == EINVAL;
    if (refused != (clash && !replace) || (err != NULL && !refused)) {
        *what = err != NULL ? "map refused" : "map over another accepted";
    }
    for (uint64_t i = at; err == NULL && i < at + n; i++) {
        m->pages[i] = (struct page){
            .bo = (int)b, .phys = prt ? 0 : m->phys[b] + (from + i - at) * 4096, .flags = va.flags};
    }
    lull_error_free(err);
}

static void step_clear(struct model *m, const char **what)
{
    const uint64_t n = span(m, SPACE_PAGES), at = place(m, n, SPACE_PAGES);
    struct lull_error *err = lull_amdgpu_va_clear(m->s.k, m->s.fd, m->base + at * 4096, n * 4096);
    if (err != NULL) {
        *what = "clear refused";
    }
    for (uint64_t i = at; i < at + n; i++) {
        m->pages[i].bo = -1;
    }
    lull_error_free(err);
}

static bool page_right(const struct model *m, uint64_t i)
{
    const struct page *p = &m->pages[i];
    const struct walked w = walk(m->s.f, m->s.vmid, m->base + i * 4096);
    if (p->bo < 0 || p->bo == BOS) {
        return !w.mapped && w.prt == (p->bo == BOS);
    }
    const uint64_t rights = E_READ | ((p->flags & 4) != 0 ? E_WRITE : 0) |
                            ((p->flags & 8) != 0 ? E_EXEC : 0) | (m->system[p->bo] ? E_SYSTEM : 0);
    if (!w.mapped || w.phys != p->phys ||
        (w.entry & (E_READ | E_WRITE | E_EXEC | E_SYSTEM)) != rights) {
        return false;
    }
    // What FRAGMENT promises: the whole aligned run is contiguous and alike.
    const uint64_t run = 1ull << w.fragment, first = (m->base / 4096 + i) & ~(run - 1);
    for (unsigned end = 0; end < 2; end++) {
        const uint64_t page = end == 0 ? first : first + run - 1;
        const struct walked o = walk(m->s.f, m->s.vmid, page * 4096);
        if (!o.mapped || o.phys - page * 4096 != w.phys - (m->base + i * 4096) ||
            o.fragment != w.fragment) {
            return false;
        }
    }
    return true;
}

static void test_random(uint64_t seed, unsigned rounds)
{
    struct model m = {.s = setup(), .base = HIGH + 64 * MIB, .rng = seed};
    const uint64_t before = vram_used(&m.s);
    static const uint64_t sizes[BOS] = {0x1000, 0x8000, 0x200000, 0x401000, 0x1000000, 0x300000};
    for (unsigned b = 0; b < BOS; b++) {
        uint64_t offset = 0;
        m.sizes[b] = sizes[b];
        m.system[b] = b == 1 || b == 5;
        m.handles[b] =
            bo_new(&m.s, sizes[b], m.system[b] ? LULL_AMDGPU_GTT : LULL_AMDGPU_VRAM, &offset);
        m.phys[b] = m.system[b] ? offset - m.s.f->phys.vram_size + m.s.f->phys.system_base : offset;
    }
    for (unsigned i = 0; i < SPACE_PAGES; i++) {
        m.pages[i].bo = -1;
    }
    const char *what = NULL;
    unsigned round = 0;
    uint64_t bad = UINT64_MAX;
    for (; round < rounds && what == NULL && bad == UINT64_MAX; round++) {
        const uint64_t op = rnd(&m, 10);
        if (op < 8) {
            step_map(&m, op >= 5, &what);
        } else {
            step_clear(&m, &what);
        }
        for (uint64_t i = 0; i < SPACE_PAGES && bad == UINT64_MAX;
             i += round % 16 == 0 ? 1 : 1 + rnd(&m, 40)) {
            bad = page_right(&m, i) ? bad : i;
        }
    }
    test_case(what == NULL && bad == UINT64_MAX, "random maps", "seed %llu round %u: %s, page %lld",
              (unsigned long long)seed, round, what != NULL ? what : "wrong entry", (long long)bad);
    for (unsigned b = 0; b < BOS; b++) {
        lull_error_free(lull_drm_gem_close(m.s.k, m.s.fd, m.handles[b]));
    }
    lull_error_free(lull_amdgpu_va_clear(m.s.k, m.s.fd, m.base, SPACE_PAGES * 4096ull));
    bool empty = true;
    for (uint64_t i = 0; i < SPACE_PAGES; i++) {
        const struct walked w = walk(m.s.f, m.s.vmid, m.base + i * 4096);
        empty = empty && !w.mapped && !w.prt;
    }
    test_case(empty && vram_used(&m.s) == before, "random maps: nothing is left",
              "seed %llu: %llu bytes", (unsigned long long)seed,
              (unsigned long long)(vram_used(&m.s) - before));
    m.s.k->destroy(m.s.k);
}

// Page tables that do not fit: the mapping is taken, its submission is refused, nothing is lost.
static void test_full(void)
{
    struct setup s = setup();
    uint64_t offset = 0, at = 0;
    const uint32_t small = bo_new(&s, 0x1000, LULL_AMDGPU_VRAM, &at);
    uint64_t left = ((uint64_t)FAKE_VRAM_MIB << 20) - vram_used(&s);
    while (left > 0) { // fill VRAM
        uint64_t part = left > 2 * MIB ? left / 2 & ~(2 * MIB - 1) : 0x1000;
        part = part == 0 ? 0x1000 : part;
        bo_new(&s, part, LULL_AMDGPU_VRAM, &offset);
        const uint64_t now = ((uint64_t)FAKE_VRAM_MIB << 20) - vram_used(&s);
        if (now == left) {
            break; // went to system memory
        }
        left = now;
    }
    const struct lull_amdgpu_va va = {.va = 0x200000, .size = 0x1000, .handle = small, .flags = 2};
    struct lull_error *err = lull_amdgpu_va_map(s.k, s.fd, &va);
    test_case(err == NULL && !walk(s.f, s.vmid, va.va).mapped, "VRAM full: map is put off", "%s",
              err != NULL ? lull_error_message(err) : "");
    lull_error_free(err);
    uint32_t ctx = 0;
    uint64_t seq = 0;
    err = lull_amdgpu_ctx_create(s.k, s.fd, &ctx);
    lull_error_free(err);
    const struct lull_amdgpu_submit submit = {
        .ctx = ctx,
        .ip = LULL_AMDGPU_COMPUTE,
        .ibs = &(const struct lull_amdgpu_ib){.va = 0x200000, .bytes = 32},
        .nibs = 1,
    };
    err = lull_amdgpu_submit(s.k, s.fd, &submit, &seq);
    test_case(err != NULL && lull_error_errno(err) == ENOMEM, "VRAM full: submission", "%s",
              err != NULL ? lull_error_message(err) : "accepted");
    lull_error_free(err);
    s.k->destroy(s.k);
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    const unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 300;
    test_leaves();
    test_prt();
    for (uint64_t i = 0; i < 4; i++) {
        test_random(seed + i, rounds);
    }
    test_full();
    return test_end();
}
