// SPDX-License-Identifier: MIT
// From the end of a dispatch that is remembered to where the next one is held, and back: what the
// command processor does there is not done again, but kept as it was.
#include <stdlib.h>
#include <string.h>

#include "model/adreno/gpu_impl.h"

/** The GPU but for waves and memory. */
struct lull_agpu_cp {
    bool active, held, open;
    unsigned ring;
    uint32_t end;
    struct lull_agpu_poll poll;
    struct lull_agpu_place place;
    uint64_t clock, progress, passed, dispatches, ttbr0, groups;
    struct lull_agpu_statistics statistics;
    struct lull_acompute_state state;
    struct lull_agpu_packets packets;
    struct lull_agpu_stomp stomp;
    struct lull_agpu_crumbs crumbs;
    struct lull_astream s;
    struct lull_acompute *compute;
    struct lull_agpu_dispatch record; ///< Of the dispatch that is remembered.
};

static struct lull_agpu_dispatch *record(struct lull_agpu *g)
{
    return &g->watch.records[(g->past.number - 1) % LULL_AGPU_DISPATCHES];
}

static struct lull_agpu_cp *take(struct lull_agpu *g)
{
    struct lull_agpu_cp *c = malloc(sizeof *c);
    if (c == NULL) {
        return NULL;
    }
    c->active = g->active; // One by one: it is too large for the stack.
    c->held = g->watch.held;
    c->open = g->watch.open;
    c->ring = g->ring;
    c->end = g->end;
    c->poll = g->poll;
    c->place = g->place;
    c->clock = g->clock;
    c->progress = g->progress;
    c->passed = g->passed;
    c->dispatches = g->watch.n;
    c->ttbr0 = g->watch.ttbr0;
    c->groups = g->watch.stops.groups;
    c->statistics = g->statistics;
    c->state = g->state;
    c->packets = g->packets;
    c->stomp = g->stomp;
    c->crumbs = g->crumbs;
    c->s = g->s;
    c->compute = g->compute;
    c->record = *record(g);
    return c;
}

static void put(struct lull_agpu *g, const struct lull_agpu_cp *c)
{
    const struct lull_agpu_packets now = g->packets;
    g->active = c->active;
    g->watch.held = c->held;
    g->watch.open = c->open;
    g->ring = c->ring;
    g->end = c->end;
    g->poll = c->poll;
    g->place = c->place;
    g->clock = c->clock;
    g->progress = c->progress;
    g->passed = c->passed;
    g->watch.n = c->dispatches;
    g->watch.ttbr0 = c->ttbr0;
    g->watch.stops.groups = c->groups;
    g->statistics = c->statistics;
    g->state = c->state;
    g->packets = c->packets;
    g->packets.on = now.on; // The debugger's.
    g->packets.stops = now.stops;
    g->stomp = c->stomp;
    g->crumbs = c->crumbs;
    g->s = c->s;
    g->compute = c->compute;
    *record(g) = c->record;
}

static void writes(struct lull_agpu *g, uint64_t address, uint64_t bytes)
{
    lull_agpu_log_keep(g, &g->past.tail, address, bytes);
}

bool lull_agpu_past_ended(struct lull_agpu *g)
{
    struct lull_agpu_past *p = &g->past;
    lull_agpu_behind_done(p);
    const uint64_t now = lull_acompute_time(p->compute);
    p->last = now > p->last ? now : p->last;
    p->end = take(g);
    p->behind = p->end != NULL;
    g->writes = p->behind ? writes : NULL;
    lull_agpu_log_forget(p);
    return p->behind;
}

bool lull_agpu_behind_leave(struct lull_agpu *g)
{
    struct lull_agpu_past *p = &g->past;
    p->later = take(g);
    if (p->later == NULL) {
        return false;
    }
    lull_agpu_log_swap(&p->tail, true);
    put(g, p->end);
    p->behind = false;
    g->writes = NULL;
    lull_agpu_log_forget(p);
    return true;
}

void lull_agpu_behind_return(struct lull_agpu *g)
{
    struct lull_agpu_past *p = &g->past;
    lull_agpu_log_swap(&p->tail, false);
    put(g, p->later);
    free(p->later);
    p->later = NULL;
    p->behind = true;
    g->writes = writes;
    lull_agpu_log_forget(p);
}

void lull_agpu_behind_done(struct lull_agpu_past *p)
{
    if (p->later != NULL) {
        lull_acompute_free(p->later->compute);
    }
    free(p->later);
    free(p->end);
    p->later = p->end = NULL;
    lull_agpu_log_done(&p->tail);
}
