// SPDX-License-Identifier: MIT
#include "model/adreno/draw/draw.h"

#include <stdlib.h>
#include <string.h>

#include "hw/adreno_doms.h"
#include "hw/adreno_regs.h"
#include "model/adreno/draw/front.h"
#include "model/adreno/exec/observed.h"

/** What the pixels of a pass that renders to tiles can read of what it has drawn. */
static struct lull_ir3_tile tile_of(const struct lull_adraw *d)
{
    const struct lull_acompute_source *s = &d->source.shaders;
    const struct lull_agmem *memory = d->source.output.gmem;
    const uint32_t window = s->reg(s->ctx, LULL_A6XX_SP_TP_WINDOW_OFFSET);
    return memory == NULL ? (struct lull_ir3_tile){.bytes = NULL}
                          : (struct lull_ir3_tile){.bytes = memory->bytes,
                                                   .size = memory->size,
                                                   .x = lull_a6xx_reg_xy__x(window),
                                                   .y = lull_a6xx_reg_xy__y(window)};
}

LULL_MUST_USE static struct lull_error *open(struct lull_adraw *d)
{
    const struct lull_acompute_source *s = &d->source.shaders;
    const char *shape = lull_adraw_shape(d->call.prim, &d->shape);
    const char *refused = shape != NULL ? shape : lull_adraw_refuses(d);
    if (refused != NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "a draw with %s", refused);
    }
    for (unsigned i = LULL_ASTAGE_VS; i <= LULL_ASTAGE_FS; i++) {
        lull_astage_env(s, (enum lull_astage)i, &d->env[i]);
        struct lull_error *err = lull_astage_code(s, (enum lull_astage)i, &d->program[i]);
        if (err != NULL) {
            return err;
        }
        d->env[i].launch.number = d->launch;
        d->env[i].launch.draw = s->draws != NULL ? *s->draws : UINT64_MAX;
        d->env[i].launch.nwaves = 1;
        d->env[i].launch.stage = i == LULL_ASTAGE_VS ? "vertex shader" : "fragment shader";
        d->env[i].program = &d->program[i];
        d->insns[i] = s->observers != NULL ? lull_ir3_insns_new(&d->program[i]) : NULL;
        d->env[i].insns = d->insns[i];
        d->env[i].preamble_done = &d->preamble_done[i];
    }
    if (s->observers != NULL) {
        lull_adraw_note_gives(d, &d->env[LULL_ASTAGE_FS].launch);
    }
    d->env[LULL_ASTAGE_FS].fragments = &d->fragments;
    d->env[LULL_ASTAGE_FS].tile = tile_of(d);
    lull_adraw_read_raster(d);
    lull_adraw_read_outputs(d);
    lull_adraw_read_inputs(d);
    return lull_arop_read(&d->source.output, &d->rop);
}

struct lull_error *lull_adraw_new(const struct lull_adraw_source *source,
                                  const struct lull_adraw_call *call, struct lull_adraw **ret)
{
    struct lull_adraw *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return lull_error_new(LULL_ERR_NO_MEMORY, "a draw");
    }
    d->source = *source;
    d->call = *call;
    d->cut = d->begin = true;
    d->launch = source->shaders.launches != NULL ? (*source->shaders.launches)++ : 0;
    struct lull_error *err = open(d);
    if (err != NULL) {
        lull_adraw_free(d);
        return err;
    }
    *ret = d;
    return NULL;
}

void lull_adraw_free(struct lull_adraw *d)
{
    if (d != NULL) {
        if (lull_adraw_group(d) != NULL && d->wave.status != LULL_IR3_ENDED) {
            lull_adraw_tell_wave(d, false);
        }
        lull_ir3_program_done(&d->program[LULL_ASTAGE_VS]);
        lull_ir3_program_done(&d->program[LULL_ASTAGE_FS]);
        free(d->insns[LULL_ASTAGE_VS]);
        free(d->insns[LULL_ASTAGE_FS]);
        free(d);
    }
}

/** A wave is about to begin. */
static void begin(struct lull_adraw *d)
{
    d->group = (struct lull_ir3_group){.waves = &d->wave, .n = 1, .id = {d->nwaves++, 0, 0}};
    lull_ir3_stops_begin(d->source.shaders.stops, &d->group);
    if (lull_adraw_group(d) != NULL) {
        lull_adraw_tell_wave(d, true);
    }
}

/** What comes between waves. */
static void between(struct lull_adraw *d)
{
    switch (d->step) {
    case LULL_ADRAW_FETCHES:
        lull_adraw_carry(d);
        d->step = lull_adraw_fetch(d) ? LULL_ADRAW_SHADES_VERTICES : LULL_ADRAW_ENDED;
        begin(d);
        break;
    case LULL_ADRAW_SHADES_VERTICES:
        lull_adraw_keep(d);
        d->lane = d->nprims = d->prim = 0;
        d->step = LULL_ADRAW_RASTERS;
        break;
    case LULL_ADRAW_RASTERS:
        d->step = lull_adraw_fill(d) ? LULL_ADRAW_SHADES_PIXELS : LULL_ADRAW_FETCHES;
        if (d->step == LULL_ADRAW_SHADES_PIXELS) {
            lull_adraw_start_pixels(d);
            begin(d);
        }
        break;
    case LULL_ADRAW_SHADES_PIXELS:
        lull_adraw_output(d);
        d->step = LULL_ADRAW_RASTERS;
        break;
    case LULL_ADRAW_ENDED:
        break;
    }
}

bool lull_adraw_stands(struct lull_adraw *d)
{
    return lull_ir3_stops_stands(d->source.shaders.stops, lull_adraw_group(d));
}

struct lull_error *lull_adraw_run(struct lull_adraw *d, uint64_t most, uint64_t *done)
{
    *done = 0;
    while (*done < most && d->step != LULL_ADRAW_ENDED) {
        const bool pixels = d->step == LULL_ADRAW_SHADES_PIXELS;
        struct lull_ir3_env *env = &d->env[pixels ? LULL_ASTAGE_FS : LULL_ASTAGE_VS];
        if (pixels || d->step == LULL_ADRAW_SHADES_VERTICES) {
            const uint64_t n =
                lull_ir3_stops_run(d->source.shaders.stops, &d->group, env, 0, most - *done);
            *done += n;
            d->time += n;
            lull_adraw_note_fault(d, env);
            if (d->wave.status == LULL_IR3_RUNS || lull_adraw_stands(d)) {
                return NULL;
            }
            if (d->wave.status != LULL_IR3_ENDED) {
                return lull_error_new(LULL_ERR_UNSUPPORTED, "a wave of %s at instruction %u: %s",
                                      pixels ? "fragments" : "vertices", d->wave.pc, d->wave.wrong);
            }
        }
        between(d);
        (*done)++;
    }
    return NULL;
}

bool lull_adraw_ended(const struct lull_adraw *d)
{
    return d->step == LULL_ADRAW_ENDED;
}

struct lull_adraw_saved {
    struct lull_adraw draw;
    struct lull_acompute_state state;
    uint64_t groups, passed, counters[LULL_ADRAW_COUNTERS];
    uint8_t tile[]; ///< The memory of tiles, if it draws there.
};

static uint32_t tile_bytes(const struct lull_adraw *d)
{
    return d->rop.tile[0] != 0 && d->source.output.gmem != NULL ? d->source.output.gmem->size : 0;
}

uint64_t lull_adraw_time(const struct lull_adraw *d)
{
    return d->time;
}

struct lull_adraw_saved *lull_adraw_save(const struct lull_adraw *d, uint64_t *ret_bytes)
{
    const uint32_t tile = tile_bytes(d);
    struct lull_adraw_saved *s = calloc(1, sizeof *s + tile);
    if (s == NULL) {
        return NULL;
    }
    s->draw = *d;
    s->state = *d->source.shaders.state;
    s->groups = d->source.shaders.stops != NULL ? d->source.shaders.stops->groups : 0;
    s->passed = d->source.output.passed != NULL ? *d->source.output.passed : 0;
    if (d->source.counters != NULL) {
        memcpy(s->counters, d->source.counters, sizeof s->counters);
    }
    if (tile != 0) {
        memcpy(s->tile, d->source.output.gmem->bytes, tile);
    }
    *ret_bytes = sizeof *s + tile;
    return s;
}

void lull_adraw_set_observers(struct lull_adraw *d, struct lull_observer *observers)
{
    d->env[LULL_ASTAGE_VS].observers = d->env[LULL_ASTAGE_FS].observers = observers;
}

void lull_adraw_put_back(struct lull_adraw *d, const struct lull_adraw_saved *s)
{
    const uint32_t tile = tile_bytes(d);
    struct lull_observer *const observers = d->env[LULL_ASTAGE_VS].observers;
    *d = s->draw; // What points into it points to the same place again.
    lull_adraw_set_observers(d, observers);
    *d->source.shaders.state = s->state;
    if (d->source.shaders.stops != NULL) {
        d->source.shaders.stops->groups = s->groups;
    }
    if (d->source.output.passed != NULL) {
        *d->source.output.passed = s->passed;
    }
    if (d->source.counters != NULL) {
        memcpy(d->source.counters, s->counters, sizeof s->counters);
    }
    if (tile != 0) {
        memcpy(d->source.output.gmem->bytes, s->tile, tile);
    }
    d->fault[0] = '\0';
    d->env[LULL_ASTAGE_VS].nfaults = d->env[LULL_ASTAGE_FS].nfaults = 0;
}

void lull_adraw_settle(struct lull_adraw *d)
{
    while (d->step != LULL_ADRAW_ENDED &&
           (lull_adraw_group(d) == NULL || d->wave.status == LULL_IR3_ENDED)) {
        between(d);
    }
}

void lull_adraw_set_memory(struct lull_adraw *d, const struct lull_ir3_memory *m)
{
    d->source.shaders.memory = d->source.output.memory = d->rop.source.memory = *m;
    d->env[LULL_ASTAGE_VS].memory = d->env[LULL_ASTAGE_FS].memory = *m;
}
