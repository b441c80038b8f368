// SPDX-License-Identifier: MIT
// Any bytes as a command buffer: the walker, then the model GPU's command processor, dispatcher and
// waves. No crash, no leak, and time that is bounded by the cycles given. Seeds:
// tests/fuzz/corpus/pm4/.
#include "fuzz.h"

#include "../model/gpu_fixture.h"

enum {
    CYCLES = 4096,
    MAPPED = 0x10000, // bytes; all else but the command buffer is unmapped: big copies end early
    PTE_BYTES = 8,
};

static struct lull_error *count(void *ctx, const struct lull_pm4_packet *p)
{
    size_t *sum = ctx;
    *sum += 1 + p->nbody;
    for (unsigned i = 0; i < p->nbody; i++) {
        *sum += p->body[i] & 1; // reads all of the body
    }
    return NULL;
}

static void unmap_most(struct fixture *f)
{
    uint8_t *tables = lull_gpu_phys(f->g)->vram + FIXTURE_TABLES + 0x3000;
    const uint32_t first = MAPPED / LULL_PAGE_SIZE, last = FIXTURE_IB / LULL_PAGE_SIZE;
    memset(tables + first * PTE_BYTES, 0, (last - first) * PTE_BYTES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint32_t dwords[FIXTURE_IB_DWORDS];
    const size_t room = sizeof dwords;
    const size_t ndwords = (size < room ? size : room) / sizeof dwords[0];
    if (ndwords == 0) {
        return 0;
    }
    memcpy(dwords, data, ndwords * sizeof dwords[0]);
    size_t sum = 0;
    struct lull_error *err = lull_pm4_walk(dwords, ndwords, count, &sum);
    if (err == NULL && sum < ndwords) {
        abort(); // a dword was not part of any packet
    }
    lull_error_free(err);

    struct fixture f = fixture_new(dwords[0] >> 2 & 1, 1, 1, 1);
    unmap_most(&f);
    for (size_t i = 0; i < ndwords; i++) {
        lull_pm4_emit(&f.b, dwords[i]);
    }
    fixture_submit(&f, ndwords % 2 != 0 ? LULL_RING_GFX : LULL_RING_COMPUTE0, 1);
    struct lull_gpu_done done = {0};
    if (fixture_run(&f, CYCLES, &done)) {
        if ((done.result == LULL_JOB_DONE) != (done.message[0] == '\0')) {
            abort();
        }
    } else {
        lull_gpu_reset_ring(f.g, LULL_RING_GFX);
        lull_gpu_reset_ring(f.g, LULL_RING_COMPUTE0);
        if (f.g->nwaves != 0 || !lull_gpu_next_done(f.g, &done)) {
            abort();
        }
    }
    fixture_free(&f);
    return 0;
}
