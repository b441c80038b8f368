// SPDX-License-Identifier: MIT
// A dispatch saved and put back, and what happens in it without time.
#include <stdlib.h>
#include <string.h>

#include "model/adreno/compute/compute_impl.h"
#include "model/adreno/exec/stops.h"
#include "model/order.h"

struct lull_acompute_saved {
    uint64_t next, time, groups;                     ///< groups: of all dispatches.
    struct lull_ir3_group group[LULL_ACOMPUTE_OPEN]; ///< Own their waves.
    unsigned place[LULL_ACOMPUTE_OPEN];
    unsigned nopen, at;
    uint32_t left;
    bool preamble_done;
    uint32_t consts[LULL_IR3_CONSTS], shared[LULL_ASTAGE_SHARED];
    size_t local_bytes; ///< Of a group.
    uint8_t bytes[];    ///< Shared memory of the groups, state of the order.
};

uint64_t lull_acompute_time(const struct lull_acompute *c)
{
    return c->time;
}

/** @p to is as @p from; both have as many waves, or none yet. @return False: no memory. */
static bool copy_group(const struct lull_ir3_group *from, struct lull_ir3_group *to)
{
    const size_t bytes = from->n * sizeof *from->waves;
    struct lull_ir3_wave *waves = to->waves;
    waves = waves != NULL ? waves : malloc(bytes > 0 ? bytes : 1);
    if (waves == NULL) {
        return false;
    }
    *to = *from;
    to->waves = waves;
    memcpy(waves, from->waves, bytes);
    return true;
}

/** State of the order of waves. @p ret_bytes 0: there is none. */
static void *order_state(const struct lull_acompute *c, size_t *ret_bytes)
{
    *ret_bytes = 0;
    return c->source.order != NULL ? lull_order_state(c->source.order, ret_bytes) : NULL;
}

struct lull_acompute_saved *lull_acompute_save(const struct lull_acompute *c, uint64_t *ret_bytes)
{
    size_t order_bytes = 0;
    const void *order = order_state(c, &order_bytes);
    const size_t all =
        sizeof(struct lull_acompute_saved) + (size_t)c->nopen * c->env.local_bytes + order_bytes;
    struct lull_acompute_saved *s = malloc(all);
    if (s == NULL) {
        return NULL;
    }
    s->nopen = 0;
    *ret_bytes = all;
    for (unsigned i = 0; i < c->nopen; i++) {
        s->group[i] = (struct lull_ir3_group){.waves = NULL};
        s->nopen++;
        if (!copy_group(&c->open[i].group, &s->group[i])) {
            lull_acompute_saved_free(s);
            return NULL;
        }
        s->place[i] = c->open[i].place;
        memcpy(s->bytes + (size_t)i * c->env.local_bytes, c->open[i].local, c->env.local_bytes);
        *ret_bytes += s->group[i].n * sizeof *s->group[i].waves;
    }
    s->next = c->next;
    s->time = c->time;
    s->groups = c->source.stops != NULL ? c->source.stops->groups : 0;
    s->at = c->at;
    s->left = c->left;
    s->preamble_done = c->preamble_done;
    s->local_bytes = c->env.local_bytes;
    memcpy(s->consts, c->env.consts, sizeof s->consts);
    memcpy(s->shared, c->env.shared_consts, sizeof s->shared);
    if (order_bytes != 0) {
        memcpy(s->bytes + s->nopen * s->local_bytes, order, order_bytes);
    }
    return s;
}

void lull_acompute_saved_free(struct lull_acompute_saved *s)
{
    if (s != NULL) {
        for (unsigned i = 0; i < s->nopen; i++) {
            lull_ir3_group_done(&s->group[i]);
        }
        free(s);
    }
}

/** Groups and what is theirs. */
LULL_MUST_USE static struct lull_error *put_groups_back(struct lull_acompute *c,
                                                        const struct lull_acompute_saved *s)
{
    for (unsigned i = 0; i < s->nopen; i++) {
        struct lull_acompute_open *o = &c->open[i];
        o->local = o->local != NULL ? o->local : malloc(s->local_bytes);
        if (o->local == NULL || !copy_group(&s->group[i], &o->group)) {
            return lull_error_new(LULL_ERR_NO_MEMORY, "%u waves", s->group[i].n);
        }
        o->place = s->place[i];
        memcpy(o->local, s->bytes + i * s->local_bytes, s->local_bytes);
    }
    c->nopen = s->nopen;
    lull_acompute_focus(c, s->at);
    return NULL;
}

struct lull_error *lull_acompute_put_back(struct lull_acompute *c,
                                          const struct lull_acompute_saved *s)
{
    size_t order_bytes = 0;
    void *order = order_state(c, &order_bytes);
    struct lull_error *err = put_groups_back(c, s);
    if (err != NULL) {
        return err;
    }
    c->next = s->next;
    c->time = s->time;
    c->left = s->left;
    if (c->source.stops != NULL) {
        c->source.stops->groups = s->groups;
    }
    c->watched = true; // Registers and shared memory are not as the last group left them.
    c->preamble_done = s->preamble_done;
    c->env.nfaults = 0;
    c->fault[0] = '\0';
    memcpy(c->env.consts, s->consts, sizeof s->consts);
    memcpy(c->env.shared_consts, s->shared, sizeof s->shared);
    if (order_bytes != 0) {
        memcpy(order, s->bytes + s->nopen * s->local_bytes, order_bytes);
    }
    return NULL;
}

struct lull_error *lull_acompute_settle(struct lull_acompute *c)
{
    struct lull_error *err = lull_acompute_ready(c);
    for (unsigned i = 0; err == NULL && i < c->nopen; i++) {
        (void)lull_ir3_group_released(&c->open[i].group);
    }
    return err;
}

struct lull_ir3_wave *lull_acompute_next(struct lull_acompute *c)
{
    struct lull_acompute_open *now = lull_acompute_now(c);
    struct lull_ir3_wave *w =
        now != NULL ? lull_ir3_group_turn(&now->group, c->dispatch.seed) : NULL;
    if (w != NULL) {
        now->group.left++; // It is still its turn.
    }
    return w;
}
