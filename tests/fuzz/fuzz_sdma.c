// SPDX-License-Identifier: MIT
// Any bytes as a command buffer of SDMA. No crash, no leak, no memory touched that is not mapped,
// and time that is bounded by the cycles given. Seeds: tests/fuzz/corpus/sdma/.
#include "fuzz.h"

#include "../model/gpu_fixture.h"

enum {
    CYCLES = 256,
    MAPPED = 0x10000, // bytes; all else but the command buffer is unmapped: big copies end early
    PTE_BYTES = 8,
};

static void unmap_most(struct fixture *f)
{
    uint8_t *tables = lull_gpu_phys(f->g)->vram + FIXTURE_TABLES + 0x3000;
    const uint32_t first = MAPPED / LULL_PAGE_SIZE, last = FIXTURE_IB / LULL_PAGE_SIZE;
    memset(tables + first * PTE_BYTES, 0, (last - first) * PTE_BYTES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    struct lull_gpu_done done = {0};
    unmap_most(&f);
    for (size_t i = 0; i + 4 <= size && i / 4 < FIXTURE_IB_DWORDS; i += 4) {
        uint32_t dword = 0;
        memcpy(&dword, data + i, sizeof dword);
        lull_pm4_emit(&f.b, dword);
    }
    fixture_submit(&f, LULL_RING_SDMA0, 1);
    if (fixture_run(&f, CYCLES, &done)) {
        if ((done.result == LULL_JOB_DONE) != (done.message[0] == '\0')) {
            abort();
        }
    } else {
        lull_gpu_reset_ring(f.g, LULL_RING_SDMA0);
        if (!lull_gpu_next_done(f.g, &done)) {
            abort();
        }
    }
    for (uint32_t at = MAPPED; at < FIXTURE_IB; at += LULL_PAGE_SIZE) {
        if (fixture_u64(&f, at) != 0) {
            abort();
        }
    }
    fixture_free(&f);
    return 0;
}
