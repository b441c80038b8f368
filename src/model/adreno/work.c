// SPDX-License-Identifier: MIT
// Dispatches, draws and blits of an Adreno, from their packets to their end.
#include <stdio.h>
#include <string.h>

#include "hw/adreno_pkts.h"
#include "model/adreno/gpu_impl.h"
#include "model/observer.h"

enum { ASID_SHIFT = 48 }; // Of ttbr0.

static unsigned gpu_id(const struct lull_agpu *g)
{
    return g->chip->gpu_id != 0 ? g->chip->gpu_id : 100 * g->chip->gen;
}

struct lull_arop_source lull_agpu_back_end(struct lull_agpu *g)
{
    return (struct lull_arop_source){.gpu_id = gpu_id(g),
                                     .ctx = g,
                                     .reg = lull_agpu_reg,
                                     .memory = {g, lull_agpu_at, lull_agpu_piece},
                                     .gmem = &g->gmem,
                                     .passed = &g->passed};
}

static uint32_t space_of(const struct lull_agpu *g)
{
    return g->current != NULL ? (uint32_t)(g->current->ttbr0 >> ASID_SHIFT) : 0;
}

/** Do waves run in the engine? It knows what is assumed by default, and tells nobody what it does.
 */
static bool compiles(const struct lull_agpu *g)
{
    static const struct lull_ir3_assumptions usual;
    return g->observers == NULL && memcmp(&g->assume, &usual, sizeof usual) == 0;
}

static struct lull_acompute_source source(struct lull_agpu *g)
{
    return (struct lull_acompute_source){.gpu_id = gpu_id(g),
                                         .sp_fibers = g->chip->fibers_per_sp,
                                         .ctx = g,
                                         .reg = lull_agpu_reg,
                                         .memory = {g, lull_agpu_at, lull_agpu_piece},
                                         .state = &g->state,
                                         .seed = g->seed,
                                         .order = g->order,
                                         .stops = &g->watch.stops,
                                         .assume = g->assume,
                                         .engine = compiles(g) ? g->engine : NULL,
                                         .engine_state = g->engine_state,
                                         .observers = g->observers,
                                         .launches = &g->launches,
                                         .dispatches = g->watch.n,
                                         .draws = &g->watch.ndraws,
                                         .space = space_of(g)};
}

void lull_agpu_work_over(struct lull_agpu *g, bool killed)
{
    lull_agpu_past_end(g);
    lull_agpu_draws_done(&g->draws);
    lull_agpu_watch_ended(&g->watch, killed, g->clock);
    lull_acompute_free(g->compute);
    g->compute = NULL;
}

/** A dispatch has come to its end. */
static void over(struct lull_agpu *g)
{
    if (g->past.on && lull_agpu_past_ended(g)) {
        lull_agpu_watch_ended(&g->watch, false, g->clock);
        g->compute = NULL;
    } else {
        lull_agpu_work_over(g, false);
    }
}

LULL_MUST_USE static struct lull_error *dispatch(struct lull_agpu *g, const struct lull_as_draw *d)
{
    uint32_t groups[3] = {d->x, d->y, d->z};
    for (unsigned i = 0; d->indirect != 0 && i < 3; i++) {
        groups[i] = lull_agpu_word(g, d->indirect + 4 * (uint64_t)i);
    }
    const struct lull_acompute_source from = source(g);
    struct lull_error *err = lull_acompute_new(&from, groups, &g->compute);
    if (err == NULL) {
        lull_agpu_statistics_of_dispatch(&g->statistics, g->compute);
        lull_agpu_watch_began(&g->watch, g->compute, g->current != NULL ? g->current->ttbr0 : 0,
                              g->clock);
    }
    return err;
}

// What binning passes draw is not looked at: all that is drawn later counts as visible.
LULL_MUST_USE static struct lull_error *pixels(struct lull_agpu *g, const struct lull_as_packet *p,
                                               const struct lull_as_draw *d)
{
    const struct lull_agpu_drawer by = {
        .source = {.shaders = source(g),
                   .output = lull_agpu_back_end(g),
                   .counters = lull_agpu_statistics_of_draw(&g->statistics)},
        .ctx = g,
        .set_reg = lull_agpu_set_reg,
        .word = lull_agpu_word};
    return d->predicate == LULL_AS_NOT_TAKEN || g->s.mode == LULL_AS_BINNING
               ? NULL
               : lull_agpu_draws_begin(&g->draws, &by, g->chip->gen, p, d);
}

struct lull_error *lull_agpu_work_begin(struct lull_agpu *g, const struct lull_as_packet *p,
                                        const struct lull_as_draw *d)
{
    const struct lull_arop_source from = lull_agpu_back_end(g);
    if (d->kind == LULL_AS_DISPATCH) {
        return dispatch(g, d);
    }
    if (d->kind == LULL_AS_BLIT || d->kind == LULL_AS_DRAW ||
        (d->kind == LULL_AS_PIXELS && d->op == LULL_BLIT)) {
        lull_agpu_past_end(g); // What that does is not remembered.
    }
    if (d->kind == LULL_AS_BLIT) {
        return lull_ablit_start(&from, &g->blit);
    }
    if (d->kind == LULL_AS_PIXELS && d->op == LULL_BLIT && g->s.mode != LULL_AS_BINNING) {
        return lull_ablit_event(&from, &g->blit);
    }
    return d->kind == LULL_AS_DRAW ? pixels(g, p, d) : NULL;
}

// What the newest fault's event lacks: which invocation it was, as @p who says.
static void name_fault(struct lull_agpu *g, const char *who)
{
    for (unsigned i = g->nevents; who != NULL && i > 0; i--) {
        struct lull_agpu_event *e = &g->events[(g->first + i - 1) % LULL_AGPU_EVENTS];
        if (e->what == LULL_AGPU_FAULT && strcmp(e->block, LULL_AGPU_SHADERS) == 0 &&
            e->message[0] == '\0') {
            snprintf(e->message, sizeof e->message, "%s", who);
            return;
        }
    }
}

// The draws of a packet.
LULL_MUST_USE static struct lull_error *draws(struct lull_agpu *g, uint64_t cycles, uint64_t *done)
{
    const bool was = g->draws.now != NULL;
    struct lull_error *err =
        lull_agpu_draws_run(&g->draws, was ? lull_agpu_past_runs(g, cycles) : cycles, done);
    if (g->draws.fault[0] != '\0') {
        char text[LULL_AGPU_WHO] = "";
        snprintf(text, sizeof text, "draw %llu, %s", (unsigned long long)g->watch.ndraws - 1,
                 g->draws.fault);
        name_fault(g, text);
        g->draws.fault[0] = '\0';
    }
    if (err != NULL) {
        return was ? lull_error_in(err, "draw %llu", (unsigned long long)g->watch.ndraws - 1) : err;
    }
    if (!was && g->draws.now != NULL) {
        lull_agpu_watch_drew(&g->watch, g->draws.now, g->s.mode == LULL_AS_GMEM,
                             g->current != NULL ? g->current->ttbr0 : 0, g->clock);
    } else if (was && g->draws.now != NULL) {
        lull_agpu_past_ran(g);
    } else if (was) {
        lull_agpu_past_end(g); // With its last wave what it did is forgotten.
        lull_agpu_watch_ended(&g->watch, false, g->clock);
    }
    return NULL;
}

/** Observers are told of a blit that is done. */
static void tell_blit(const struct lull_agpu *g)
{
    struct lull_transfer t = {.space = space_of(g), .launches = g->watch.n};
    for (uint32_t y = g->blit.part.y0; y < g->blit.part.y1; y++) {
        if (!lull_ablit_row(&g->blit, y, &t)) {
            return;
        }
        for (struct lull_observer *o = g->observers; o != NULL; o = o->next) {
            if (o->transfer != NULL) {
                o->transfer(o, &t);
            }
        }
    }
}

struct lull_error *lull_agpu_work_run(struct lull_agpu *g, uint64_t cycles, uint64_t *done)
{
    struct lull_error *err = NULL;
    *done = 0;
    if (g->compute != NULL) {
        err = lull_acompute_run(g->compute, lull_agpu_past_runs(g, cycles), done);
        name_fault(g, lull_acompute_fault(g->compute));
        if (err == NULL && lull_acompute_ended(g->compute)) {
            over(g);
        } else if (err == NULL) {
            lull_agpu_past_ran(g);
        }
        if (err == NULL && g->compute != NULL && lull_acompute_stands(g->compute)) {
            return NULL;
        }
    } else if (g->blit.under_way) {
        *done = lull_ablit_run(&g->blit, cycles);
        if (g->observers != NULL && !g->blit.under_way) {
            tell_blit(g);
        }
        return NULL;
    } else {
        err = draws(g, cycles, done);
        if (err == NULL && g->draws.now != NULL && lull_adraw_stands(g->draws.now)) {
            return NULL;
        }
    }
    *done += *done == 0;
    return err;
}

bool lull_agpu_work_on(const struct lull_agpu *g)
{
    return g->compute != NULL || g->blit.under_way || lull_agpu_draws_on(&g->draws);
}
