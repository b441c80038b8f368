// SPDX-License-Identifier: MIT
// How many samples have passed, where drivers want it: in the forms of a6xx and a7xx.
#include <stdlib.h>

#include "back_end.h"
#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"
#include "model/adreno/count.h"
#include "test.h"

enum {
    AT = 0x100,
    COPY = 2,
    WRITE = 1 << 12, // Of CP_EVENT_WRITE7.
    END = 1 << 13,
    DIFFERENCE = 1 << 14,
};

static const struct {
    const char *name;
    bool seven;
    uint32_t event, control; ///< First dword; RB_SAMPLE_COUNT_CONTROL.
    uint64_t want[3];        ///< At the address; it was 7, 100, 9.
} rows[] = {
    {"a6xx", false, LULL_ZPASS_DONE, COPY, {0x100000005, 100, 9}},
    {"a6xx, not copied", false, LULL_ZPASS_DONE, 0, {7, 100, 9}},
    {"a6xx, another event", false, LULL_BLIT, COPY, {7, 100, 9}},
    {"a730", true, LULL_ZPASS_DONE, COPY, {0x100000005, 100, 9}},
    {"a7xx, begin", true, LULL_ZPASS_DONE | WRITE, COPY, {0x100000005, 100, 9}},
    {"a7xx, end", true, LULL_ZPASS_DONE | WRITE | END, 0, {7, 100, 0x100000005}},
    {"a7xx, end and difference",
     true,
     LULL_ZPASS_DONE | WRITE | END | DIFFERENCE,
     0,
     {7, 100 + 0x100000005 - 7, 0x100000005}},
    {"a7xx, another event", true, LULL_BLIT | WRITE, COPY, {7, 100, 9}},
};

// An event, and what counts after it: draws, dispatches.
static const struct {
    const char *name;
    uint32_t event;
    bool draws, dispatches;
} statistics[] = {
    {"at first nothing counts", LULL_BLIT, false, false},
    {"fragments", LULL_START_FRAGMENT_CTRS, true, false},
    {"and primitives", LULL_START_PRIMITIVE_CTRS, true, false},
    {"primitives still", LULL_STOP_FRAGMENT_CTRS, true, false},
    {"and dispatches", LULL_START_COMPUTE_CTRS, true, true},
    {"only dispatches", LULL_STOP_PRIMITIVE_CTRS, false, true},
    {"nothing any more", LULL_STOP_COMPUTE_CTRS, false, false},
};

static void set_word(void *ctx, uint32_t number, uint32_t value)
{
    ((uint32_t *)ctx)[number] = value;
}

// Registers by Mesa's a6xx.xml: RBBM_PRIMCTR_0 is 0x540, each of two dwords, PRIMCTR_10 of compute;
// CP_ALWAYS_ON_COUNTER 0x980.
static void test_statistics(struct back_end *b)
{
    static uint32_t regs[0x1000];
    const struct lull_arop_source s = {.gpu_id = 630, .ctx = b, .reg = back_end_reg};
    struct lull_agpu_statistics now = {.n = {[7] = 0x500000004, [10] = 3}};
    for (unsigned i = 0; i < TEST_ROWS(statistics); i++) {
        const uint32_t words[] = {statistics[i].event, 0, 0, 0};
        const struct lull_apkt_args args = {words, 4, 4, 6};
        lull_agpu_count(&s, &now, false, &args);
        test_case((lull_agpu_statistics_of_draw(&now) != NULL) == statistics[i].draws &&
                      now.compute == statistics[i].dispatches,
                  statistics[i].name, "primitives %d, fragments %d, compute %d", now.primitives,
                  now.fragments, now.compute);
    }
    lull_agpu_statistics_put(&now, 0x700000006, regs, set_word);
    test_case(regs[0x54e] == 4 && regs[0x54f] == 5 && regs[0x554] == 3 && regs[0x555] == 0 &&
                  regs[0x980] == 6 && regs[0x981] == 7,
              "registers", "%x %x %x %x %x %x", regs[0x54e], regs[0x54f], regs[0x554], regs[0x555],
              regs[0x980], regs[0x981]);
}

int main(void)
{
    for (unsigned i = 0; i < TEST_ROWS(rows); i++) {
        struct back_end *b = calloc(1, sizeof *b);
        uint64_t passed = 0x100000005, got[3] = {7, 100, 9};
        if (b == NULL) {
            return 1;
        }
        memcpy(b->memory + AT, got, sizeof got);
        b->regs[LULL_A6XX_RB_SAMPLE_COUNT_CONTROL] = rows[i].control;
        b->regs[LULL_A6XX_RB_SAMPLE_COUNT_ADDR] = BACK_END_BASE + AT;
        const struct lull_arop_source s = {.gpu_id = rows[i].seven ? 740 : 630,
                                           .ctx = b,
                                           .reg = back_end_reg,
                                           .memory = {.ctx = b, .at = back_end_at},
                                           .passed = &passed};
        const uint32_t words[] = {rows[i].event, BACK_END_BASE + AT, 0, 0};
        const struct lull_apkt_args args = {words, 4, 4, rows[i].seven ? 7 : 6};
        struct lull_agpu_statistics none = {0};
        lull_agpu_count(&s, &none, rows[i].seven, &args);
        memcpy(got, b->memory + AT, sizeof got);
        test_case(memcmp(got, rows[i].want, sizeof got) == 0, rows[i].name, "%llx %llx %llx",
                  (unsigned long long)got[0], (unsigned long long)got[1],
                  (unsigned long long)got[2]);
        free(b);
    }
    struct back_end *b = calloc(1, sizeof *b);
    if (b == NULL) {
        return 1;
    }
    test_statistics(b);
    free(b);
    return test_end();
}
