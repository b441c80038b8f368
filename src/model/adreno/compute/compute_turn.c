// SPDX-License-Identifier: MIT
// Which of the groups under way goes on, and when the next begins.
#include <stdlib.h>
#include <string.h>

#include "model/adreno/compute/compute_impl.h"
#include "model/adreno/exec/observed.h"
#include "model/adreno/exec/stops.h"
#include "model/order.h"

enum { TURN = 64, UNWRITTEN = 0xa5 };

bool lull_acompute_stands(const struct lull_acompute *c)
{
    return c->nopen != 0 && lull_ir3_stops_stands(c->source.stops, &c->open[c->at].group);
}

void lull_acompute_tell(struct lull_acompute *c, const struct lull_acompute_open *g, bool starts)
{
    c->env.local = g->local;
    for (unsigned i = 0; c->env.observers != NULL && i < g->group.n; i++) {
        if (g->group.waves[i].status != LULL_IR3_ENDED) {
            lull_ir3_tell_wave(&g->group.waves[i], &c->env, starts);
        }
    }
}

void lull_acompute_note_watched(struct lull_acompute *c)
{
    c->watched = c->watched || (c->source.stops != NULL && c->source.stops->on);
}

void lull_acompute_focus(struct lull_acompute *c, unsigned i)
{
    c->at = i;
    c->env.local = c->open[i].local;
}

/** A place that no group under way has. */
static unsigned free_place(const struct lull_acompute *c)
{
    uint32_t used = 0;
    unsigned place = 0;
    for (unsigned i = 0; i < c->nopen; i++) {
        used |= UINT32_C(1) << c->open[i].place;
    }
    while ((used >> place & 1) != 0) {
        place++;
    }
    return place;
}

/** Shared memory for a group: nobody may count on what was there. */
LULL_MUST_USE static struct lull_error *local_memory(struct lull_acompute *c,
                                                     struct lull_acompute_open *o)
{
    if (o->local == NULL) {
        o->local = malloc(c->env.local_bytes);
        o->clean = false;
    }
    if (o->local == NULL) {
        return lull_error_new(LULL_ERR_NO_MEMORY, "shared memory");
    }
    if (!o->clean || c->watched) {
        memset(
            o->local,
            lull_ir3_assumes(&c->source.assume, LULL_IR3_ASSUME_LOCAL, LULL_IR3_ASSUME_LOCAL_ZERO)
                ? 0
                : UNWRITTEN,
            c->env.local_bytes);
    }
    o->clean = !c->stores;
    return NULL;
}

/** The next group begins. */
LULL_MUST_USE static struct lull_error *begin(struct lull_acompute *c)
{
    struct lull_acompute_open *o = &c->open[c->nopen];
    const uint64_t n = c->next;
    const uint32_t x = c->groups[0], y = c->groups[1];
    const uint32_t id[3] = {(uint32_t)(n % x), (uint32_t)(n / x % y), (uint32_t)(n / x / y)};
    lull_acompute_note_watched(c);
    struct lull_error *err = local_memory(c, o);
    o->place = free_place(c);
    c->dispatch.place = o->place;
    c->dispatch.written = c->watched ? LULL_IR3_GPRS : c->written;
    err = err != NULL ? err : lull_ir3_group_new(&c->dispatch, id, &o->group);
    if (err != NULL) {
        return err;
    }
    o->group.order = c->source.order;
    o->group.dispatch = c->number;
    c->next++;
    lull_acompute_focus(c, c->nopen++);
    c->left = 0;
    lull_ir3_stops_begin(c->source.stops, &o->group);
    lull_acompute_tell(c, o, true);
    return NULL;
}

/** The group that has its turn has ended: the next takes its memory. */
static void end_group(struct lull_acompute *c)
{
    const struct lull_acompute_open ended = c->open[c->at];
    c->nopen--;
    memmove(&c->open[c->at], &c->open[c->at + 1], (c->nopen - c->at) * sizeof ended);
    c->open[c->nopen] = ended;
    c->at = 0;
    c->left = 0;
    lull_acompute_note_watched(c);
}

/** Of an order that is drawn: the greatest of the waves that can run. @return False: none can. */
static bool pick_drawn(struct lull_acompute *c)
{
    uint64_t greatest = 0;
    struct lull_ir3_group *best = NULL;
    c->left = lull_order_length(c->source.order);
    for (unsigned i = 0; i < c->nopen; i++) {
        struct lull_ir3_group *g = &c->open[i].group;
        (void)lull_ir3_group_released(g);
        for (unsigned k = 0; k < g->n; k++) {
            const struct lull_order_wave w = {
                .dispatch = c->number, .workgroup = {g->id[0], g->id[1], g->id[2]}, .index = k};
            const uint64_t rank = lull_order_rank(c->source.order, &w);
            if (g->waves[k].status == LULL_IR3_RUNS && (best == NULL || rank > greatest)) {
                best = g;
                greatest = rank;
                g->wave = k;
                g->left = c->left;
                lull_acompute_focus(c, i);
            }
        }
    }
    return best != NULL;
}

/** A group of which a wave can go on has its turn, the first of them, or still its turn. @return
 * False: none can. */
static bool pick(struct lull_acompute *c)
{
    if (c->nopen != 0 && c->left != 0 && lull_ir3_group_can(&c->open[c->at].group)) {
        return true;
    }
    if (lull_order_drawn(c->source.order)) {
        return pick_drawn(c);
    }
    for (unsigned i = 0; i < c->nopen; i++) {
        if (lull_ir3_group_can(&c->open[i].group)) {
            lull_acompute_focus(c, i);
            c->left = TURN;
            return true;
        }
    }
    return false;
}

/** What makes the first wave wait that does is dropped. @return False: none does. */
static bool drop(struct lull_acompute *c)
{
    for (unsigned i = 0; i < c->nopen; i++) {
        const struct lull_ir3_wave *w = lull_ir3_group_waits(&c->open[i].group);
        if (w != NULL) {
            lull_ir3_group_drop(&c->open[i].group, w);
            return true;
        }
    }
    return false;
}

struct lull_error *lull_acompute_ready(struct lull_acompute *c)
{
    struct lull_error *err = NULL;
    const bool ordered = c->source.order != NULL;
    const bool all = ordered && lull_order_drawn(c->source.order);
    while (err == NULL && c->next < c->total && (c->nopen == 0 || (all && c->nopen < c->most))) {
        err = begin(c);
    }
    while (err == NULL && ordered && c->nopen != 0 && !lull_acompute_stands(c) && !pick(c)) {
        if (c->next < c->total && c->nopen < c->most) {
            err = begin(c);
        } else if (!drop(c)) {
            break;
        }
    }
    return err;
}

void lull_acompute_let_others_go(struct lull_acompute *c)
{
    for (unsigned i = 0; i < c->nopen; i++) {
        for (unsigned k = 0; i != c->at && k < c->open[i].group.n; k++) {
            c->open[i].group.waves[k].hold = (struct lull_ir3_hold){.stop = LULL_IR3_STOP_NOT};
        }
    }
}

void lull_acompute_ran(struct lull_acompute *c, uint64_t n)
{
    c->time += n;
    c->left -= n < c->left ? (uint32_t)n : c->left;
    if (lull_acompute_stands(c)) {
        lull_acompute_let_others_go(c); // Of those a debugger sees only this group.
    } else if (lull_ir3_group_ended(&c->open[c->at].group)) {
        end_group(c);
    }
}
