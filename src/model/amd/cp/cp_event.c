// SPDX-License-Identifier: MIT
// Events, the counters they write, and draws.
//
// Draws run to their end inside their packet, so their flushes have nothing to wait for. Counters
// come after all work before them. The streamout counters of older chips stand at 0: gfx11's
// shaders count in GDS.
#include <stddef.h>
#include <string.h>

#include "hw/chips.h"
#include "model/amd/cp/cp.h"
#include "model/amd/gpu/gpu_spi.h"

enum {
    RB_BYTES = 16, // between the counters of two render backends
};

_Static_assert(offsetof(struct lull_gfx_counters, samples_passed) ==
                   LULL_GFX_STATS * sizeof(uint64_t),
               "the statistics come first");

#define VALID_COUNT (UINT64_C(1) << 63) // that a counter of the render backends is there

static uint64_t address(const uint32_t *lo)
{
    return (lo[0] & ~UINT32_C(7)) | (uint64_t)lo[1] << 32;
}

/** Samples that passed, of each render backend: the first counts for all. */
static enum lull_cp_result zpass(struct lull_cp *cp, uint64_t va)
{
    for (unsigned i = 0; i < cp->g->config.chip->rbs; i++) {
        const uint64_t value = VALID_COUNT | (i == 0 ? cp->g->counters.samples_passed : 0);
        if (!lull_cp_put(cp, va + RB_BYTES * i, &value, sizeof value)) {
            return lull_cp_fault(cp);
        }
    }
    return LULL_CP_NEXT;
}

/** The statistics of the gfx ring as they would be had nothing ever stopped them. */
static void count_all(const struct lull_cp *cp, uint64_t ret[LULL_GFX_STATS])
{
    struct lull_gfx_counters now = cp->g->counters;
    now.cs_invocations = cp->r->invocations;
    memcpy(ret, &now, LULL_GFX_STATS * sizeof *ret);
}

/** PIPELINESTAT_STOP, or _START. */
static void gate_stats(const struct lull_cp *cp, bool stop)
{
    struct lull_gfx_stats *s = &cp->g->stats;
    uint64_t now[LULL_GFX_STATS] = {0};
    count_all(cp, now);
    for (unsigned i = 0; i < LULL_GFX_STATS; i++) {
        if (s->stopped != 0) {
            s->omitted[i] += now[i] - s->at_stop[i];
        }
        s->at_stop[i] = now[i];
    }
    s->stopped = stop ? 1 : 0;
}

/** The gfx ring writes all counters, compute rings the one of compute shaders. */
static enum lull_cp_result pipeline_stats(struct lull_cp *cp, uint64_t va)
{
    const struct lull_gfx_stats *s = &cp->g->stats;
    uint64_t counts[LULL_GFX_STATS] = {cp->r->invocations};
    const bool gfx = cp->r->id == LULL_RING_GFX;
    if (gfx) {
        count_all(cp, counts);
        for (unsigned i = 0; i < LULL_GFX_STATS; i++) {
            counts[i] = (s->stopped != 0 ? s->at_stop[i] : counts[i]) - s->omitted[i];
        }
    }
    return lull_cp_put(cp, va, counts, gfx ? sizeof counts : sizeof counts[0]) ? LULL_CP_NEXT
                                                                               : lull_cp_fault(cp);
}

/** Primitives written and needed: none. */
static enum lull_cp_result streamout_stats(struct lull_cp *cp, uint64_t va)
{
    const uint64_t counts[2] = {VALID_COUNT, VALID_COUNT};
    return lull_cp_put(cp, va, counts, sizeof counts) ? LULL_CP_NEXT : lull_cp_fault(cp);
}

static enum lull_cp_result event_write(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t event = lull_field(body[LULL_PM4_EVENT_WRITE_CONTROL],
                                      LULL_PM4_EVENT_WRITE_CONTROL__EVENT_TYPE_MASK);
    const bool gate = event == LULL_PM4_EVENT_WRITE_CONTROL__EVENT_TYPE__PIPELINESTAT_START ||
                      event == LULL_PM4_EVENT_WRITE_CONTROL__EVENT_TYPE__PIPELINESTAT_STOP;
    const bool waits = gate || event == LULL_PM4_EVENT_WRITE_CONTROL__EVENT_TYPE__CS_PARTIAL_FLUSH;
    const bool writes = cp->p.nbody >= 3;
    if ((waits || writes) && !lull_spi_idle(cp->r)) {
        return LULL_CP_AGAIN;
    }
    if (gate && cp->r->id == LULL_RING_GFX) {
        gate_stats(cp, event == LULL_PM4_EVENT_WRITE_CONTROL__EVENT_TYPE__PIPELINESTAT_STOP);
    }
    if (!writes) {
        return LULL_CP_NEXT;
    }
    const uint64_t va = address(&body[LULL_PM4_EVENT_WRITE_ADDR_LO]);
    switch (event) {
    case LULL_PM4_EVENT_WRITE_CONTROL__EVENT_TYPE__WAIT_SYNC: // ZPASS_DONE before gfx11
    case LULL_PM4_EVENT_WRITE_CONTROL__EVENT_TYPE__PIXEL_PIPE_STAT_DUMP:
        return zpass(cp, va);
    case LULL_PM4_EVENT_WRITE_CONTROL__EVENT_TYPE__SAMPLE_PIPELINESTAT:
        return pipeline_stats(cp, va);
    case LULL_PM4_EVENT_WRITE_CONTROL__EVENT_TYPE__SAMPLE_STREAMOUTSTATS:
    case LULL_PM4_EVENT_WRITE_CONTROL__EVENT_TYPE__SAMPLE_STREAMOUTSTATS1:
    case LULL_PM4_EVENT_WRITE_CONTROL__EVENT_TYPE__SAMPLE_STREAMOUTSTATS2:
    case LULL_PM4_EVENT_WRITE_CONTROL__EVENT_TYPE__SAMPLE_STREAMOUTSTATS3:
        return streamout_stats(cp, va);
    default: // PIXEL_PIPE_STAT_CONTROL: which counters; the others have nothing to write
        return LULL_CP_NEXT;
    }
}

static enum lull_cp_result event_write_zpass(struct lull_cp *cp)
{
    if (!lull_spi_idle(cp->r)) {
        return LULL_CP_AGAIN;
    }
    return zpass(cp, address(&cp->p.body[LULL_PM4_EVENT_WRITE_ZPASS_ADDR_LO]));
}

/** Streamout of nothing: buffers stay as they are, and 0 bytes are filled. */
static enum lull_cp_result strmout_buffer_update(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t zero = 0;
    const uint32_t control = body[LULL_PM4_STRMOUT_BUFFER_UPDATE_CONTROL];
    if ((control & LULL_PM4_STRMOUT_BUFFER_UPDATE_CONTROL__UPDATE_MEMORY_MASK) == 0) {
        return LULL_CP_NEXT;
    }
    const uint64_t va = (body[LULL_PM4_STRMOUT_BUFFER_UPDATE_DST_LO] & ~UINT32_C(3)) |
                        (uint64_t)body[LULL_PM4_STRMOUT_BUFFER_UPDATE_DST_HI] << 32;
    return lull_cp_put(cp, va, &zero, sizeof zero) ? LULL_CP_NEXT : lull_cp_fault(cp);
}

static enum lull_cp_result draw(struct lull_cp *cp)
{
    return lull_cp_bad(cp, "this way of drawing is not modelled");
}

const struct lull_cp_handler lull_cp_event_handlers[256] = {
    [LULL_PM4_EVENT_WRITE] = {event_write, 1},
    [LULL_PM4_EVENT_WRITE_ZPASS] = {event_write_zpass, 2},
    [LULL_PM4_STRMOUT_BUFFER_UPDATE] = {strmout_buffer_update, 5},
    [LULL_PM4_DRAW_INDIRECT] = {lull_gfx_draw_packet, 4},
    [LULL_PM4_DRAW_INDEX_INDIRECT] = {lull_gfx_draw_packet, 4},
    [LULL_PM4_DRAW_INDEX_2] = {lull_gfx_draw_packet, 5},
    [LULL_PM4_DRAW_INDIRECT_MULTI] = {lull_gfx_draw_packet, 9},
    [LULL_PM4_DRAW_INDEX_AUTO] = {lull_gfx_draw_packet, 2},
    [LULL_PM4_DRAW_INDEX_MULTI_AUTO] = {draw, 0},
    [LULL_PM4_DRAW_INDEX_OFFSET_2] = {lull_gfx_draw_packet, 4},
    [LULL_PM4_DRAW_INDEX_INDIRECT_MULTI] = {lull_gfx_draw_packet, 9},
    [LULL_PM4_DRAW_INDEX_MULTI_INST] = {draw, 0},
    [LULL_PM4_DISPATCH_MESH_INDIRECT_MULTI] = {lull_gfx_draw_packet, 8},
    [LULL_PM4_DISPATCH_TASKMESH_GFX] = {lull_gfx_draw_packet, 3},
    [LULL_PM4_DISPATCH_MESH_DIRECT] = {lull_gfx_draw_packet, 4},
};
