// SPDX-License-Identifier: MIT
/** @file
 * A wave without a GPU, for tests: registers, two pages of code, one page of data, nothing else.
 *
 * bare_new(lanes), fill registers through b->w, bare_run(b, words, nwords), look, bare_free(b).
 */
#ifndef LULL_TESTS_BARE_H
#define LULL_TESTS_BARE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/rdna/rdna.h"
#include "model/amd/wave/wave.h"

#define BARE_CODE 0x10000u ///< GPU address of the code.
#define BARE_DATA 0x40000u ///< GPU address of the data.
#define BARE_CODE_BYTES (4 * LULL_PAGE_SIZE)
#define BARE_VGPRS 256u

struct bare {
    struct lull_wave w;
    struct lull_vm vm;
    struct lull_workgroup wg;
    uint32_t vgpr[BARE_VGPRS * 64];
    uint8_t code[BARE_CODE_BYTES];
    uint8_t data[LULL_PAGE_SIZE];
};

/** Let the page at @p va be @p host, by a TLB entry: there are no page tables. */
static inline void bare_map(struct bare *b, uint64_t va, uint8_t *host)
{
    const uint64_t page = va >> LULL_PAGE_SHIFT;
    b->vm.tlb[lull_tlb_place(page)] = (struct lull_tlb_entry){
        .tag = page + 1,
        .host = host,
        .access = LULL_ACCESS_READ | LULL_ACCESS_WRITE | LULL_ACCESS_EXEC | LULL_ACCESS_ATOMIC,
    };
}

/** All lanes on; IEEE and DX10_CLAMP clear; f32 denormals flushed, f16 and f64 kept; round to
 * nearest. */
static inline struct bare *bare_new(uint32_t lanes)
{
    struct bare *b = calloc(1, sizeof *b);
    if (b == NULL) {
        abort();
    }
    b->w.vgpr = b->vgpr;
    b->w.nvgprs = BARE_VGPRS;
    b->w.lanes = lanes;
    b->w.vm = &b->vm;
    b->w.wg = &b->wg;
    b->w.code = lull_code_cache_new();
    b->w.sgpr[LULL_RDNA_EXEC] = UINT32_MAX;
    b->w.sgpr[LULL_RDNA_EXEC + 1] = lanes == 64 ? UINT32_MAX : 0;
    b->w.mode = 0xc0;
    b->vm.shared_base = (uint64_t)1 << 48;
    b->vm.private_base = (uint64_t)2 << 48;
    for (unsigned i = 0; i < BARE_CODE_BYTES; i += LULL_PAGE_SIZE) {
        bare_map(b, BARE_CODE + i, b->code + i);
    }
    bare_map(b, BARE_DATA, b->data);
    return b;
}

static inline void bare_free(struct bare *b)
{
    if (b != NULL) {
        lull_code_cache_free(b->w.code);
    }
    free(b);
}

/** Run @p n words as code, as long as they go on one after the other. @return instructions
 * executed. */
static inline uint32_t bare_run(struct bare *b, const uint32_t *words, size_t n)
{
    memset(b->code, 0, sizeof b->code);
    memcpy(b->code, words, 4 * n);
    lull_code_cache_epoch(b->w.code);
    b->w.pc = BARE_CODE;
    b->w.state = LULL_WAVE_RUNNING;
    uint32_t done = 0;
    while (b->w.state == LULL_WAVE_RUNNING && b->w.pc < BARE_CODE + 4 * n) {
        const uint32_t k = lull_wave_run(&b->w, 1);
        if (k == 0) {
            break;
        }
        done += k;
    }
    return done;
}

/** VGPR @p r of lane @p lane. */
static inline uint32_t *bare_vgpr(struct bare *b, unsigned r, unsigned lane)
{
    return &b->vgpr[r * b->w.lanes + lane];
}

#endif
