// SPDX-License-Identifier: MIT
/** @file
 * A wave with memory, LDS and scratch, and instructions from their text. Include after asm rows.
 */
#ifndef LULL_TESTS_WAVE_FIXTURE_H
#define LULL_TESTS_WAVE_FIXTURE_H

#include <stdio.h>

#include "gpuvm.h"
#include "isa/rdna/rdna.h"
#include "model/amd/wave/exec.h"
#include "model/observer.h"
#include "test.h"

/** Marks a text for asm.py. */
#define ASM(text) text

enum {
    FIX_NVGPRS = 24,
    FIX_AREA = 1 << 16, // Bytes of global memory, in pages that are shuffled in VRAM.
    FIX_LANE = 1 << 9,  // Bytes of scratch per lane.
    FIX_LDS = 4096,
    FIX_FORMAT = 20 << 12, // Of a buffer's descriptor: 32_UINT; 0 would be an unbound resource.
};
#define FIX_VA 0xffff800012340000ull
#define FIX_SCRATCH 0x7f0000200000ull

struct fixture {
    struct gpuvm *g;
    struct lull_wave w;
    struct lull_workgroup wg;
    struct lull_wave_host host;
    uint32_t vgpr[FIX_NVGPRS * 64];
    uint8_t lds[FIX_LDS];
    unsigned nfaults;
    uint64_t state; // Of the random numbers.
};

static inline uint64_t fix_random(struct fixture *f)
{
    f->state ^= f->state << 13;
    f->state ^= f->state >> 7;
    f->state ^= f->state << 17;
    return f->state * 0x2545f4914f6cdd1dull >> 8;
}

static inline void fix_fault(struct lull_wave *w)
{
    ((struct fixture *)w->owner)->nfaults++;
}

/** Physical address of page @p n of the area: 5 is prime to their number. */
static inline uint64_t fix_page(unsigned n)
{
    return (2u << 20) + n * 5 % (FIX_AREA / 4096) * 4096ull;
}

static inline struct fixture *fix_new(unsigned lanes, uint64_t seed)
{
    struct fixture *f = calloc(1, sizeof(*f));
    if (f == NULL) {
        abort();
    }
    f->g = gpuvm_new();
    f->state = seed;
    for (unsigned i = 0; i < FIX_AREA / 4096; i++) {
        gpuvm_map(f->g, FIX_VA + i * 4096ull, fix_page(i) | PTE_RWX);
    }
    gpuvm_map_range(f->g, FIX_SCRATCH, (4 << 20) | PTE_RWX, 64 * FIX_LANE);
    f->wg = (struct lull_workgroup){.lds = f->lds, .lds_size = FIX_LDS, .nwaves = 2};
    f->host = (struct lull_wave_host){.vm_fault = fix_fault};
    f->w = (struct lull_wave){
        .vgpr = f->vgpr,
        .lanes = lanes,
        .nvgprs = FIX_NVGPRS,
        .flat_scratch = FIX_SCRATCH,
        .scratch_bytes = FIX_LANE,
        .mode = 0xf0,
        .wg = &f->wg,
        .vm = &f->g->vm,
        .host = &f->host,
        .owner = f,
    };
    f->w.sgpr[LULL_RDNA_EXEC] = f->w.sgpr[LULL_RDNA_EXEC + 1] = UINT32_MAX;
    return f;
}

static inline void fix_free(struct fixture *f)
{
    gpuvm_free(f->g);
    free(f);
}

static inline uint8_t *fix_at(const struct fixture *f, uint64_t offset)
{
    return f->g->phys.vram + fix_page((unsigned)(offset / 4096)) + offset % 4096;
}

/** Byte @p b of lane @p l of scratch: dwords of the lanes side by side. */
static inline uint8_t *fix_scratch(const struct fixture *f, unsigned l, uint64_t b)
{
    return f->g->phys.vram + (4 << 20) + b / 4 * 4 * f->w.lanes + l * 4ull + b % 4;
}

static inline struct lull_rdna_insn fix_decode(const char *text)
{
    struct lull_rdna_insn in = {0};
    for (size_t i = 0; i < TEST_ROWS(asm_rows); i++) {
        if (strcmp(asm_rows[i].text, text) == 0) {
            if (lull_rdna_decode(asm_rows[i].dwords, asm_rows[i].ndwords * 4, &in) <= 0) {
                break;
            }
            return in;
        }
    }
    fprintf(stderr, "cannot decode: %s\n", text);
    abort();
}

static inline enum lull_exec_result fix_run(struct fixture *f, const char *text)
{
    const struct lull_rdna_insn in = fix_decode(text);
    lull_exec_fn *fn = lull_mem_handler(&in, f->w.table);
    if (fn == NULL) {
        fn = lull_sys_handler(&in);
    }
    if (fn == NULL) {
        fprintf(stderr, "no handler: %s\n", text);
        abort();
    }
    return fn(&f->w, &in);
}

static inline uint32_t *fix_v(struct fixture *f, unsigned reg)
{
    return f->vgpr + reg * f->w.lanes;
}

static inline bool fix_active(const struct fixture *f, unsigned l)
{
    return (f->w.sgpr[LULL_RDNA_EXEC + l / 32] >> l % 32 & 1) != 0;
}

#endif
