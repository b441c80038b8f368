// SPDX-License-Identifier: MIT
#include "gpuvm.h"
#include "test.h"

enum { R = LULL_ACCESS_READ, W = LULL_ACCESS_WRITE, X = LULL_ACCESS_EXEC, A = LULL_ACCESS_ATOMIC };
enum { DATA = 1 << 20 };

// One leaf per row at VA, looked up with one access.
static const struct {
    const char *name;
    uint64_t va;
    unsigned level; // Of the leaf.
    uint64_t entry;
    uint64_t offset; // Looked up: va + offset.
    uint32_t access;
    int64_t vram; // Where in VRAM that is; -1: refused; -2: in system memory at 0x3008.
    unsigned walker, permission;
} leaves[] = {
    {"4 KiB page", 0x123456789000, 3, DATA | PTE_RWX, 0x10, R | W | X, DATA + 0x10, 0, 0},
    {"upper half", 0xffff800100002000, 3, DATA | PTE_RWX, 0xfff, R, DATA + 0xfff, 0, 0},
    {"last page", 0xfffffffffffff000, 3, DATA | PTE_RWX, 8, R, DATA + 8, 0, 0},
    {"page 0", 0, 3, DATA | PTE_RWX, 8, R, DATA + 8, 0, 0},
    {"2 MiB page", 0x40000000, 2, 2 << 20 | PTE_RWX | PDE_PTE, 0x123456, R, (2 << 20) + 0x123456, 0,
     0},
    {"1 GiB page", 0x80000000, 1, PTE_RWX | PDE_PTE, 0x654321, R, 0x654321, 0, 0},
    {"512 GiB page", 0x8000000000, 0, PTE_RWX | PDE_PTE, 0x7fffff, R, 0x7fffff, 0, 0},
    {"1 GiB page, beyond VRAM", 0x80000000, 1, PTE_RWX | PDE_PTE, 8 << 20, R, -1, 2, 0},
    {"system page", 0x5000, 3, (GPUVM_SYSTEM_BASE + 0x3000) | PTE_RWX | PTE_SYSTEM, 8, R, -2, 0, 0},
    {"system page below window", 0x5000, 3, (GPUVM_SYSTEM_BASE - 0x1000) | PTE_RWX | PTE_SYSTEM, 8,
     R, -1, 4, 0},
    {"system page above window", 0x5000, 3,
     (GPUVM_SYSTEM_BASE + GPUVM_SYSTEM) | PTE_RWX | PTE_SYSTEM, 8, R, -1, 4, 0},
    {"page beyond VRAM", 0x5000, 3, GPUVM_VRAM | PTE_RWX, 8, R, -1, 4, 0},
    {"last page of VRAM", 0x5000, 3, (GPUVM_VRAM - 0x1000) | PTE_RWX, 8, R, GPUVM_VRAM - 0x1000 + 8,
     0, 0},
    {"not valid", 0x5000, 3, DATA | (PTE_RWX & ~PTE_VALID), 8, R, -1, 4, 1},
    {"huge page not valid", 0x40000000, 2, 2 << 20 | PTE_READ | PDE_PTE, 8, R, -1, 3, 1},
    {"no read", 0x5000, 3, DATA | PTE_VALID | PTE_WRITE, 8, R, -1, 0, 2},
    {"no write", 0x5000, 3, DATA | PTE_VALID | PTE_READ, 8, W, -1, 0, 4},
    {"no exec", 0x5000, 3, DATA | PTE_VALID | PTE_READ, 8, X, -1, 0, 8},
    {"atomic on read-only", 0x5000, 3, DATA | PTE_VALID | PTE_READ, 8, R | W | A, -1, 0, 4},
    {"atomic", 0x5000, 3, DATA | PTE_VALID | PTE_READ | PTE_WRITE, 8, R | W | A, DATA + 8, 0, 0},
};

static void test_leaves(void)
{
    for (size_t i = 0; i < TEST_ROWS(leaves); i++) {
        struct gpuvm *g = gpuvm_new();
        const uint64_t at = gpuvm_entry(g, leaves[i].va, leaves[i].level);
        gpuvm_put(g, at, leaves[i].entry);
        const uint64_t va = leaves[i].va + leaves[i].offset;
        const uint8_t *want = leaves[i].vram == -1   ? NULL
                              : leaves[i].vram == -2 ? g->phys.system + 0x3008
                                                     : g->phys.vram + leaves[i].vram;
        const uint8_t *got = lull_vm_host(&g->vm, va, leaves[i].access);
        const uint8_t *again = lull_vm_host(&g->vm, va, leaves[i].access);
        const struct lull_vm_fault *f = &g->vm.fault;
        bool ok = got == want && again == want;
        ok = ok && g->vm.walks == (want == NULL ? 2 : 1);
        ok = ok && (want != NULL ||
                    (f->va == va && f->access == leaves[i].access && !f->mapping_error &&
                     f->walker_error == leaves[i].walker && f->permission == leaves[i].permission &&
                     f->entry == leaves[i].entry && f->entry_address == at));
        test_case(ok, leaves[i].name,
                  "got %p, want %p, walks %lu, walker %u permission %u entry %lx",
                  (const void *)got, (const void *)want, (unsigned long)g->vm.walks,
                  f->walker_error, f->permission, (unsigned long)f->entry);
        gpuvm_free(g);
    }
}

// Something above the leaf is wrong: entry at level is replaced (or the base).
static const struct {
    const char *name;
    int level; // -1: the base.
    uint64_t entry;
    unsigned walker;
} broken[] = {
    {"base not valid", -1, GPUVM_ROOT, 1},
    {"base in system memory", -1, GPUVM_ROOT | PTE_VALID | PTE_SYSTEM, 1},
    {"base at the end of VRAM", -1, GPUVM_VRAM | PTE_VALID, 1},
    {"base far away", -1, 0xfffffffff000 | PTE_VALID, 1},
    {"empty root entry", 0, 0, 1},
    {"root entry beyond VRAM", 0, GPUVM_VRAM | PTE_VALID, 2},
    {"empty PDB1 entry", 1, 0, 2},
    {"empty PDB0 entry", 2, 0, 3},
    {"PDB0 entry in system memory", 2, 0x4000 | PTE_VALID | PTE_SYSTEM, 4},
    {"empty page table entry", 3, 0, 4},
};

static void test_broken(void)
{
    const uint64_t va = 0x123456789000;
    for (size_t i = 0; i < TEST_ROWS(broken); i++) {
        struct gpuvm *g = gpuvm_new();
        gpuvm_map(g, va, DATA | PTE_RWX);
        if (broken[i].level < 0) {
            g->vm.page_table_base = broken[i].entry;
        } else {
            gpuvm_put(g, gpuvm_entry(g, va, (unsigned)broken[i].level), broken[i].entry);
        }
        const bool refused = lull_vm_host(&g->vm, va, R) == NULL;
        test_case(refused && g->vm.fault.walker_error == broken[i].walker &&
                      g->vm.fault.permission == 1,
                  broken[i].name, "refused %d walker %u permission %u", refused,
                  g->vm.fault.walker_error, g->vm.fault.permission);
        gpuvm_free(g);
    }
}

static void test_space(void)
{
    struct gpuvm *g = gpuvm_new();
    gpuvm_map(g, 0x800000000000, DATA | PTE_RWX);
    test_case(lull_vm_host(&g->vm, 0xffff800000000010, R) == g->phys.vram + DATA + 0x10,
              "sign-extended", "refused");
    test_case(lull_vm_host(&g->vm, 0x800000000010, R) == NULL && g->vm.fault.mapping_error,
              "not sign-extended", "mapping_error %d", g->vm.fault.mapping_error);
    test_case(lull_vm_host(&g->vm, 0x7fff800000000010, R) == NULL && g->vm.fault.mapping_error,
              "wrong upper bits", "mapping_error %d", g->vm.fault.mapping_error);
    g->vm.context_cntl &= ~1u;
    lull_vm_flush(&g->vm);
    test_case(lull_vm_host(&g->vm, 0xffff800000000010, R) == NULL && g->vm.fault.mapping_error,
              "context disabled", "mapping_error %d", g->vm.fault.mapping_error);
    gpuvm_free(g);
}

/** Depth 1 with block size 2: root entries of 8 MiB, page tables of 2048 entries. */
static void test_depth(void)
{
    struct gpuvm *g = gpuvm_new();
    g->vm.context_cntl = 2u << 3 | 1u << 1 | 1;
    gpuvm_put(g, GPUVM_ROOT + 5 * 8, 0x10000 | PTE_VALID);
    gpuvm_put(g, 0x10000 + 2047 * 8, DATA | PTE_RWX);
    const uint64_t va = 5ull * (8 << 20) + 2047ull * 4096 + 0x20;
    test_case(lull_vm_host(&g->vm, va, R) == g->phys.vram + DATA + 0x20, "depth 1, block size 2",
              "walker %u", g->vm.fault.walker_error);
    g->vm.context_cntl = 1; // Depth 0: the root is the page table.
    lull_vm_flush(&g->vm);
    gpuvm_put(g, GPUVM_ROOT + 7 * 8, DATA | PTE_RWX);
    test_case(lull_vm_host(&g->vm, 7 * 4096, R) == g->phys.vram + DATA, "depth 0", "walker %u",
              g->vm.fault.walker_error);
    gpuvm_free(g);
}

static void test_prt(void)
{
    struct gpuvm *g = gpuvm_new();
    const uint64_t va = 0x600000;
    uint32_t v = 1;
    gpuvm_map(g, va, PTE_PRT | PTE_SYSTEM);
    bool ok = lull_vm_read(&g->vm, va + 8, &v, 4) && v == 0;
    test_case(ok, "PRT reads 0", "%x", v);
    v = 0x12345678;
    ok = lull_vm_write(&g->vm, va + 8, &v, 4) && lull_vm_read(&g->vm, va + 8, &v, 4) && v == 0;
    test_case(ok, "PRT drops writes", "%x", v);
    v = 0x12345678;
    ok = lull_vm_write(&g->vm, va + 8, &v, 4);
    uint8_t *p = lull_vm_host(&g->vm, va + 8, R | W | A);
    test_case(ok && p != NULL && *p == 0, "PRT atomics read 0", "%d", p != NULL ? *p : -1);
    test_case(lull_vm_host(&g->vm, va, X) == NULL && g->vm.fault.permission == 8, "PRT has no code",
              "%u", g->vm.fault.permission);
    gpuvm_free(g);
}

static void test_copy(void)
{
    struct gpuvm *g = gpuvm_new();
    uint8_t out[6000] = {0}, back[6000] = {0};
    for (size_t i = 0; i < sizeof(out); i++) {
        out[i] = (uint8_t)(i * 7 + i / 256);
    }
    gpuvm_map(g, 0x10000, (DATA + 0x5000) | PTE_RWX); // Neighbours in VA, apart in VRAM.
    gpuvm_map(g, 0x11000, (DATA + 0x2000) | PTE_RWX);
    bool ok = lull_vm_write(&g->vm, 0x10400, out, sizeof(out)) &&
              lull_vm_read(&g->vm, 0x10400, back, sizeof(back));
    ok = ok && memcmp(out, back, sizeof(out)) == 0 &&
         memcmp(g->phys.vram + DATA + 0x5400, out, 0xc00) == 0 &&
         memcmp(g->phys.vram + DATA + 0x2000, out + 0xc00, sizeof(out) - 0xc00) == 0;
    test_case(ok, "copy across pages", "differs");
    memset(g->phys.vram + DATA + 0x2000, 0, 4096);
    ok = !lull_vm_write(&g->vm, 0x11fff, out, 2) && g->vm.fault.va == 0x12000 &&
         g->vm.fault.walker_error == 4;
    test_case(ok, "copy into a hole", "fault at %lx", (unsigned long)g->vm.fault.va);
    test_case(g->phys.vram[DATA + 0x2fff] == out[0], "the part before the hole is done",
              "not written");
    gpuvm_free(g);
}

static void test_flush(void)
{
    struct gpuvm *g = gpuvm_new();
    gpuvm_map(g, 0x10000, DATA | PTE_RWX);
    const uint8_t *first = lull_vm_host(&g->vm, 0x10000, R);
    gpuvm_map(g, 0x10000, (DATA + 0x1000) | PTE_RWX);
    const uint8_t *stale = lull_vm_host(&g->vm, 0x10000, R);
    lull_vm_flush(&g->vm);
    const uint8_t *fresh = lull_vm_host(&g->vm, 0x10000, R);
    test_case(first == g->phys.vram + DATA && stale == first && fresh == first + 0x1000, "flush",
              "stale translation");
    // Two pages that share a TLB entry.
    const uint64_t other = 0x10000 + LULL_TLB_MIX * LULL_TLB_ENTRIES * 4096ull;
    gpuvm_map(g, other, (DATA + 0x3000) | PTE_RWX);
    bool ok = true;
    for (unsigned i = 0; i < 4; i++) {
        ok = ok && lull_vm_host(&g->vm, 0x10000, R) == g->phys.vram + DATA + 0x1000 &&
             lull_vm_host(&g->vm, other, R) == g->phys.vram + DATA + 0x3000;
    }
    test_case(ok, "TLB conflict", "wrong page");
    gpuvm_free(g);
}

/** Pages at the same place of arrays that follow each other stay in the TLB together, and so do
 * those one after the other. */
static void test_places(void)
{
    enum { ARRAYS = 8, TIMES = 4 };
    unsigned shared = 0;
    for (unsigned log = 0; log <= 10; log++) {
        struct gpuvm *g = gpuvm_new();
        for (uint64_t i = 0; i < ARRAYS; i++) {
            gpuvm_map(g, (UINT64_C(0x7f5000) << 12) + (i << log << 12), DATA | PTE_RWX);
        }
        for (unsigned n = 0; n < TIMES * ARRAYS; n++) {
            lull_vm_host(&g->vm, (UINT64_C(0x7f5000) << 12) + ((uint64_t)(n % ARRAYS) << log << 12),
                         R);
        }
        shared += g->vm.walks != ARRAYS;
        gpuvm_free(g);
    }
    test_case(shared == 0, "arrays stay in the TLB together", "%u distances do not", shared);
    unsigned twice = 0;
    for (uint64_t first = 0; first < 2 * LULL_TLB_ENTRIES; first += 37) {
        bool used[LULL_TLB_ENTRIES] = {0};
        for (uint64_t i = 0; i < LULL_TLB_RUN; i++) {
            const unsigned at = lull_tlb_place(first + i);
            twice += at >= LULL_TLB_ENTRIES || used[at % LULL_TLB_ENTRIES];
            used[at % LULL_TLB_ENTRIES] = true;
        }
    }
    test_case(twice == 0, "and pages one after the other", "%u share a place", twice);
}

int main(void)
{
    test_leaves();
    test_broken();
    test_space();
    test_depth();
    test_prt();
    test_copy();
    test_flush();
    test_places();
    return test_end();
}
