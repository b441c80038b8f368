// SPDX-License-Identifier: MIT
/** @file
 * Page tables by hand, for tests: what a driver would write, from the numbers in
 * Linux 6.12 amdgpu_vm.h and gmc_v11_0.c, not from data/reg.
 */
#ifndef LULL_TESTS_GPUVM_H
#define LULL_TESTS_GPUVM_H

#include <stdlib.h>
#include <string.h>

#include "model/amd/wave/vm.h"

#define PTE_VALID (1ull << 0)
#define PTE_SYSTEM (1ull << 1)
#define PTE_EXEC (1ull << 4)
#define PTE_READ (1ull << 5)
#define PTE_WRITE (1ull << 6)
#define PTE_PRT (1ull << 51)
#define PDE_PTE (1ull << 54)
#define PTE_RWX (PTE_VALID | PTE_EXEC | PTE_READ | PTE_WRITE)

enum {
    GPUVM_VRAM = 8 << 20,
    GPUVM_SYSTEM = 1 << 20,
    GPUVM_ROOT = 0x1000,
    GPUVM_DEPTH3 = 3 << 1 | 1, // CONTEXT_CNTL: enable, depth 3, block size 0.
};
#define GPUVM_SYSTEM_BASE 0x7f00000000ull

struct gpuvm {
    struct lull_phys phys;
    struct lull_vm vm;
    uint64_t next; // Next free page for a table.
};

/** Tables grow from the second page up; data belongs above 1 MiB. */
static inline struct gpuvm *gpuvm_new(void)
{
    struct gpuvm *g = calloc(1, sizeof(*g));
    if (g == NULL) {
        abort();
    }
    g->phys = (struct lull_phys){
        .vram = calloc(1, GPUVM_VRAM),
        .vram_size = GPUVM_VRAM,
        .system = calloc(1, GPUVM_SYSTEM),
        .system_base = GPUVM_SYSTEM_BASE,
        .system_size = GPUVM_SYSTEM,
    };
    if (g->phys.vram == NULL || g->phys.system == NULL) {
        abort();
    }
    g->next = GPUVM_ROOT + 0x1000;
    g->vm.phys = &g->phys;
    g->vm.page_table_base = GPUVM_ROOT | PTE_VALID;
    g->vm.context_cntl = GPUVM_DEPTH3;
    g->vm.shared_base = 0x2000ull << 48;
    g->vm.private_base = 0x1000ull << 48;
    return g;
}

static inline void gpuvm_free(struct gpuvm *g)
{
    free(g->phys.vram);
    free(g->phys.system);
    free(g);
}

static inline uint64_t gpuvm_get(const struct gpuvm *g, uint64_t at)
{
    uint64_t v = 0;
    memcpy(&v, g->phys.vram + at, 8);
    return v;
}

static inline void gpuvm_put(struct gpuvm *g, uint64_t at, uint64_t v)
{
    memcpy(g->phys.vram + at, &v, 8);
}

/** Where the entry for @p va at @p level (0: root, 3: page tables) stands; makes the tables above.
 */
static inline uint64_t gpuvm_entry(struct gpuvm *g, uint64_t va, unsigned level)
{
    uint64_t table = GPUVM_ROOT;
    for (unsigned l = 0;; l++) {
        const uint64_t at = table + (va >> (39 - 9 * l) & 511) * 8;
        if (l == level) {
            return at;
        }
        if (gpuvm_get(g, at) == 0) {
            gpuvm_put(g, at, g->next | PTE_VALID);
            g->next += 0x1000;
        }
        table = gpuvm_get(g, at) & 0xffffffffffc0ull;
    }
}

/** Map 4 KiB at @p va with entry @p pte (physical address and bits). */
static inline void gpuvm_map(struct gpuvm *g, uint64_t va, uint64_t pte)
{
    gpuvm_put(g, gpuvm_entry(g, va, 3), pte);
}

static inline void gpuvm_map_range(struct gpuvm *g, uint64_t va, uint64_t pte, uint64_t size)
{
    for (uint64_t at = 0; at < size; at += 4096) {
        gpuvm_map(g, va + at, pte + at);
    }
}

#endif
