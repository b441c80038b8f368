// SPDX-License-Identifier: MIT
/** @file
 * A small model GPU with page tables, written here by hand, for tests.
 *
 * VMID 1 sees VRAM from FIXTURE_DATA on at FIXTURE_VA: 4 MiB, readable, writable, executable.
 */
#ifndef LULL_TEST_GPU_FIXTURE_H
#define LULL_TEST_GPU_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "cmd/pm4.h"
#include "hw/gc11_regs.h"
#include "model/amd/gpu/gpu.h"
#include "model/amd/gpu/gpu_impl.h"

enum {
    FIXTURE_VMID = 1,
    FIXTURE_TABLES = 0x100000, // of VRAM: the directory and tables
    FIXTURE_DATA = 0x200000,
    FIXTURE_BYTES = 0x400000,
    FIXTURE_IB = 0x3f0000, // in the mapping: where the command buffer is put
    FIXTURE_IB_DWORDS = 0x4000,
};

#define FIXTURE_VA UINT64_C(0x7f0012200000)

struct fixture {
    struct lull_gpu *g;
    struct lull_pm4_builder b; ///< Writes the command buffer in place.
};

static inline uint8_t *fixture_mem(const struct fixture *f, uint32_t offset)
{
    return lull_gpu_phys(f->g)->vram + FIXTURE_DATA + offset;
}

static inline uint32_t fixture_u32(const struct fixture *f, uint32_t offset)
{
    uint32_t v = 0;
    memcpy(&v, fixture_mem(f, offset), sizeof v);
    return v;
}

static inline uint64_t fixture_u64(const struct fixture *f, uint32_t offset)
{
    uint64_t v = 0;
    memcpy(&v, fixture_mem(f, offset), sizeof v);
    return v;
}

static inline void fixture_put32(const struct fixture *f, uint32_t offset, uint32_t v)
{
    memcpy(fixture_mem(f, offset), &v, sizeof v);
}

/** Page tables: three directories of one entry, then a table of 4 KiB pages per 2 MiB. */
static inline void fixture_tables(struct lull_gpu *g)
{
    uint64_t *t = (uint64_t *)(void *)(lull_gpu_phys(g)->vram + FIXTURE_TABLES);
    const uint64_t valid = 1, rwx = 1 << 4 | 1 << 5 | 1 << 6;
    t[FIXTURE_VA >> 39 & 511] = (FIXTURE_TABLES + 0x1000) | valid;
    t[512 + (FIXTURE_VA >> 30 & 511)] = (FIXTURE_TABLES + 0x2000) | valid;
    for (uint64_t i = 0; i < FIXTURE_BYTES / 0x200000; i++) {
        t[1024 + (FIXTURE_VA >> 21 & 511) + i] = (FIXTURE_TABLES + 0x3000 + 0x1000 * i) | valid;
    }
    for (uint64_t i = 0; i < FIXTURE_BYTES / 0x1000; i++) {
        t[1536 + i] = (FIXTURE_DATA + 0x1000 * i) | valid | rwx;
    }
    const struct lull_bank bank = {0};
    lull_gpu_write_reg(g, bank,
                       LULL_GC11_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32 + 8 * FIXTURE_VMID,
                       FIXTURE_TABLES | 1);
    lull_gpu_write_reg(g, bank,
                       LULL_GC11_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32 + 8 * FIXTURE_VMID, 0);
    lull_gpu_write_reg(g, bank, LULL_GC11_GCVM_CONTEXT0_CNTL + 4 * FIXTURE_VMID,
                       1 | 3 << 1); // enable, depth 3
}

/** With the memory that it needs added to @p config. */
static inline struct fixture fixture_of(struct lull_gpu_config config)
{
    config.vram_size = 8 << 20;
    config.gtt_size = 2 << 20;
    config.gtt_base = 0x10000000;
    struct fixture f = {0};
    struct lull_error *err = lull_gpu_new(&config, &f.g);
    if (err != NULL) {
        abort();
    }
    fixture_tables(f.g);
    f.b = lull_pm4_builder_of((uint32_t *)(void *)fixture_mem(&f, FIXTURE_IB), FIXTURE_IB_DWORDS);
    return f;
}

static inline struct fixture fixture_new(uint64_t seed, unsigned se, unsigned sa, unsigned wgp)
{
    return fixture_of(
        (struct lull_gpu_config){.seed = seed, .se = se, .sa_per_se = sa, .wgp_per_sa = wgp});
}

static inline void fixture_free(struct fixture *f)
{
    lull_gpu_free(f->g);
    f->g = NULL;
}

/** Submit what the builder holds and empty it. */
static inline void fixture_submit(struct fixture *f, enum lull_ring ring, uint64_t cookie)
{
    const struct lull_gpu_job job = {
        .vmid = FIXTURE_VMID,
        .cookie = cookie,
        .nibs = 1,
        .ib = {{.va = FIXTURE_VA + FIXTURE_IB, .ndwords = (uint32_t)f->b.ndwords}},
    };
    struct lull_error *err = lull_gpu_submit(f->g, ring, &job);
    if (err != NULL || f->b.overflow) {
        abort();
    }
    f->b.ndwords = 0;
}

/** Run until a job ends or nothing moves; false: none ended in @p cycles. */
static inline bool fixture_run(struct fixture *f, uint64_t cycles, struct lull_gpu_done *done)
{
    while (cycles > 0) {
        const uint64_t n = lull_gpu_run(f->g, cycles);
        if (lull_gpu_next_done(f->g, done)) {
            return true;
        }
        if (n == 0) {
            break;
        }
        cycles -= n < cycles ? n : cycles;
    }
    return false;
}

#endif
