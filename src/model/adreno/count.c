// SPDX-License-Identifier: MIT
#include "model/adreno/count.h"

#include <string.h>

#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"
#include "hw/adreno_regs.h"

enum {
    RESULT = 8, ///< Bytes from the begin of a query to its result on a7xx.
    END = 16,   ///< The same of its end.
};

/** 64 bits of memory, in two halves. @p v: what is written, or read. */
static void access(const struct lull_arop_source *s, uint64_t address, uint64_t *v, bool write)
{
    uint32_t half[2] = {(uint32_t)*v, (uint32_t)(*v >> 32)};
    for (unsigned i = 0; i < 2; i++) {
        uint8_t *at = s->memory.at(s->memory.ctx, address + i * sizeof *half, sizeof *half, write);
        if (at == NULL) {
            half[i] = 0;
        } else {
            memcpy(write ? at : (uint8_t *)&half[i], write ? (uint8_t *)&half[i] : at,
                   sizeof *half);
        }
    }
    *v = half[0] | (uint64_t)half[1] << 32;
}

static void of_packet(const struct lull_arop_source *s, const struct lull_apkt_args *args)
{
    const uint64_t address = lull_cp_event_write7_ram__addr(args);
    const bool end = lull_cp_event_write7__sample_count_end_offset(args) != 0;
    uint64_t now = *s->passed, begin = 0, result = 0;
    access(s, address + (end ? END : 0), &now, true);
    if (lull_cp_event_write7__write_accum_sample_count_diff(args) != 0) {
        access(s, address, &begin, false);
        access(s, address + RESULT, &result, false);
        result += *s->passed - begin;
        access(s, address + RESULT, &result, true);
    }
}

static void start_or_stop(struct lull_agpu_statistics *s, uint32_t event)
{
    switch (event) {
    case LULL_START_PRIMITIVE_CTRS:
    case LULL_STOP_PRIMITIVE_CTRS:
        s->primitives = event == LULL_START_PRIMITIVE_CTRS;
        break;
    case LULL_START_FRAGMENT_CTRS:
    case LULL_STOP_FRAGMENT_CTRS:
        s->fragments = event == LULL_START_FRAGMENT_CTRS;
        break;
    case LULL_START_COMPUTE_CTRS:
    case LULL_STOP_COMPUTE_CTRS:
        s->compute = event == LULL_START_COMPUTE_CTRS;
        break;
    default:
        break;
    }
}

void lull_agpu_count(const struct lull_arop_source *s, struct lull_agpu_statistics *statistics,
                     bool seven, const struct lull_apkt_args *args)
{
    const uint32_t event =
        seven ? lull_cp_event_write7__event(args) : lull_cp_event_write__event(args);
    const uint32_t control = s->reg(s->ctx, LULL_A6XX_RB_SAMPLE_COUNT_CONTROL);
    const uint64_t address = s->reg(s->ctx, LULL_A6XX_RB_SAMPLE_COUNT_ADDR) |
                             (uint64_t)s->reg(s->ctx, LULL_A6XX_RB_SAMPLE_COUNT_ADDR + 1) << 32;
    if (event != LULL_ZPASS_DONE) {
        start_or_stop(statistics, event);
        return;
    }
    uint64_t now = *s->passed;
    if (seven && lull_cp_event_write7__write_sample_count(args) != 0) {
        of_packet(s, args);
    } else if (lull_a6xx_rb_sample_count_control__copy(control) != 0) {
        access(s, address, &now, true);
    }
}

uint64_t *lull_agpu_statistics_of_draw(struct lull_agpu_statistics *s)
{
    // Turnip starts both kinds where a query has both, and reads only what it started.
    return s->primitives || s->fragments ? s->n : NULL;
}

void lull_agpu_statistics_of_dispatch(struct lull_agpu_statistics *s, const struct lull_acompute *c)
{
    const struct lull_acompute_shape shape = lull_acompute_shape(c);
    uint64_t n = s->compute ? 1 : 0;
    for (unsigned i = 0; i < 3; i++) {
        n *= (uint64_t)shape.groups[i] * shape.local[i];
    }
    s->n[LULL_ADRAW_COUNTERS] += n;
}

void lull_agpu_statistics_put(const struct lull_agpu_statistics *s, uint64_t clock, void *ctx,
                              void (*set_reg)(void *ctx, uint32_t number, uint32_t value))
{
    for (uint32_t i = 0; i < 2u * LULL_AGPU_PRIMCTRS; i++) {
        set_reg(ctx, LULL_A6XX_RBBM_PRIMCTR_0_LO + i, (uint32_t)(s->n[i / 2] >> (i % 2 * 32)));
    }
    set_reg(ctx, LULL_A6XX_CP_ALWAYS_ON_COUNTER, (uint32_t)clock);
    set_reg(ctx, LULL_A6XX_CP_ALWAYS_ON_COUNTER + 1, (uint32_t)(clock >> 32));
}
