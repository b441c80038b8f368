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
                                           .memory = {b, back_end_at},
                                           .passed = &passed};
        const uint32_t words[] = {rows[i].event, BACK_END_BASE + AT, 0, 0};
        const struct lull_apkt_args args = {words, 4, 4, rows[i].seven ? 7 : 6};
        lull_agpu_count(&s, rows[i].seven, &args);
        memcpy(got, b->memory + AT, sizeof got);
        test_case(memcmp(got, rows[i].want, sizeof got) == 0, rows[i].name, "%llx %llx %llx",
                  (unsigned long long)got[0], (unsigned long long)got[1],
                  (unsigned long long)got[2]);
        free(b);
    }
    return test_end();
}
