// SPDX-License-Identifier: MIT
// Packets on a model Adreno whose registers already hold a dispatch: loads of state, dispatches,
// blits and draws by any registers, on an address space of a few pages, with the checks for hazards
// as an observer. No crash, no access outside of the pages, an end within its cycles.
//
// The input: a byte for the chip, then packets; the pages hold a shader and what follows the
// packets. Seeds: tests/fuzz/corpus/agpu/.
#include <stdlib.h>
#include <string.h>

#include "check/ir3/ir3.h"
#include "fuzz.h"
#include "hw/adreno_doms.h"
#include "model/adreno/gpu.h"

#define BASE 0x100000000ull
#define RING (1ull << LULL_AGPU_KERNEL_BIT)

enum {
    PAGES = 8,
    SIZE = PAGES * LULL_AGPU_PAGE,
    DWORDS = 1024,
    CYCLES = 250,
    RUNS = 4,
    SHADER = 4096
};

/** mov.u32u32 r1.x, 7; rcp r1.y, r1.x; ldg.u32 r2.x, g[r1.x], 1; (sy)(ss)nop; end */
static const uint64_t shader[] = {0x204cc00400000007, 0x8010000500000004, 0xc006000801810001,
                                  0x1000100000000000, 0x0300000000000000};

struct state {
    const struct lull_agpu_ops *ops;
    struct lull_agpu *gpu;
    struct lull_agpu_space *space;
    struct lull_hazards *checks;
    uint8_t *pages, *ring;
};

static uint8_t *pages_of(size_t size)
{
    uint8_t *p = aligned_alloc(LULL_AGPU_PAGE, size);
    if (p == NULL) {
        abort();
    }
    memset(p, 0, size);
    return p;
}

static struct state set_up(unsigned seed)
{
    static const struct lull_achip *const chips[] = {&lull_achip_a630, &lull_achip_a660,
                                                     &lull_achip_a740};
    struct state s = {
        .ops = &lull_agpu_model_ops, .pages = pages_of(SIZE), .ring = pages_of(LULL_AGPU_PAGE)};
    const struct lull_agpu_config config = {.chip = chips[seed % 3], .seed = seed / 3};
    struct lull_error *err = lull_agpu_new(&config, &s.gpu);
    if (err == NULL) {
        err = lull_hazards_new(&lull_hazard_rules_ir3, &s.checks);
    }
    if (err != NULL) {
        abort();
    }
    lull_agpu_observe(s.gpu, lull_hazards_observer(s.checks));
    s.space = s.ops->space_new(s.gpu);
    const unsigned all = LULL_AGPU_READ | LULL_AGPU_WRITE;
    const struct lull_agpu_page there = {s.pages, SIZE, all}, ring = {s.ring, LULL_AGPU_PAGE, all};
    if (s.space == NULL || !s.ops->map(s.gpu, s.space, BASE, SIZE, &there) ||
        !s.ops->map(s.gpu, NULL, RING, LULL_AGPU_PAGE, &ring)) {
        abort();
    }
    s.ops->ring_set(s.gpu, 0, &(const struct lull_agpu_ring){.base = RING, .dwords = DWORDS});
    return s;
}

/** A group of 8 x 4, whose shader is in the second page. */
static void a_dispatch(const struct state *s)
{
    const uint32_t regs[][2] = {
        {LULL_A6XX_SP_CS_OBJ_START, (uint32_t)BASE + SHADER},
        {LULL_A6XX_SP_CS_OBJ_START + 1, (uint32_t)(BASE >> 32)},
        {LULL_A6XX_SP_CS_INSTRLEN, 1},
        {LULL_A6XX_SP_CS_CTRL_REG0, 1u << 31 | 4 << 7},
        {LULL_A6XX_HLSQ_CS_NDRANGE_0, 3 | 7 << 2 | 3 << 12},
        {LULL_A6XX_HLSQ_CS_NDRANGE_0__A7XX, 3 | 7 << 2 | 3 << 12},
    };
    for (size_t i = 0; i < sizeof regs / sizeof regs[0]; i++) {
        s->ops->write_reg(s->gpu, regs[i][0], regs[i][1]);
    }
    memcpy(s->pages + SHADER, shader, sizeof shader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = (DWORDS - 8) * 4, HEAD = 5 };
    if (size < 1) {
        return 0;
    }
    struct state s = set_up(data[0]);
    const uint64_t ttbr0 = s.ops->ttbr0(s.space);
    // CP_SMMU_TABLE_UPDATE: the address space, then what the input has.
    const uint32_t head[HEAD] = {0x70d30004, (uint32_t)ttbr0, (uint32_t)(ttbr0 >> 32), 0, 0};
    const size_t n = (size - 1 < MOST ? size - 1 : MOST) / 4 * 4;
    a_dispatch(&s);
    memcpy(s.ring, head, sizeof head);
    memcpy(s.ring + sizeof head, data + 1, n);
    for (size_t i = 0; i < size - 1 && i < SIZE - SHADER - sizeof shader; i++) {
        s.pages[SHADER + sizeof shader + i] ^= data[size - 1 - i];
    }
    s.ops->kick(s.gpu, 0, HEAD + (uint32_t)(n / 4));
    for (unsigned i = 0; i < RUNS && s.ops->run(s.gpu, CYCLES) > 0; i++) {
        struct lull_agpu_event e = {.what = LULL_AGPU_IRQ};
        while (s.ops->next_event(s.gpu, &e)) {
            if (e.what == LULL_AGPU_FAULT) {
                s.ops->fault_resume(s.gpu);
            }
        }
    }
    s.ops->destroy(s.gpu);
    lull_hazards_free(s.checks);
    free(s.pages);
    free(s.ring);
    return 0;
}
