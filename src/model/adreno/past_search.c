// SPDX-License-Identifier: MIT
// Instructions that are looked for while a dispatch is executed again: those of one half of a wave,
// those at some addresses, those that touch memory or change registers.
#include <stdlib.h>
#include <string.h>

#include "model/adreno/gpu_impl.h"
#include "model/observer.h"

enum { HALF = 64, HALVES = LULL_IR3_FIBERS / HALF };

struct lull_agpu_trace {
    struct lull_observer o; // First.
    struct lull_agpu_search want;
    // The instruction at hand; of halves.
    bool any, registers; ///< registers: before has what they were.
    struct lull_agpu_found now[HALVES];
    const struct lull_ir3_wave *wave;
    uint32_t before[LULL_AGPU_RANGES][HALF];
    size_t n;
    struct lull_agpu_found found[LULL_AGPU_FOUND]; ///< The last of n.
};

static bool same_group(const uint32_t a[3], const uint32_t b[3])
{
    return memcmp(a, b, 3 * sizeof *a) == 0;
}

static bool meets(const struct lull_agpu_search *want, unsigned i, uint64_t address, uint64_t size)
{
    return address < want->ranges[i].address + want->ranges[i].size &&
           want->ranges[i].address < address + size;
}

static void hit(struct lull_agpu_trace *t, unsigned range, unsigned fiber)
{
    t->now[fiber / HALF].hits |= (uint32_t)LULL_AGPU_HIT_RANGE << range;
    t->now[fiber / HALF].lanes |= UINT64_C(1) << fiber % HALF;
}

static void accessed(struct lull_observer *o, const struct lull_observed *at, unsigned fiber,
                     uint64_t address, size_t size, int store)
{
    struct lull_agpu_trace *t = (struct lull_agpu_trace *)o;
    (void)at;
    for (unsigned i = 0; i < t->want.nranges; i++) {
        if (t->want.ranges[i].memory == LULL_AGPU_GLOBAL &&
            (store != 0 || t->want.ranges[i].loads) &&
            meets(&t->want, i, address & LULL_AGPU_ADDRESS_MASK, size)) {
            hit(t, i, fiber);
        }
    }
}

/** Is it `who`? */
static bool is_who(const struct lull_agpu_trace *t, const struct lull_agpu_half *h)
{
    const struct lull_agpu_half *who = &t->want.who;
    return who->wave == UINT32_MAX || (who->wave == h->wave && who->half == h->half &&
                                       same_group(who->workgroup, h->workgroup));
}

/** Is range @p i of memory that @p touch is on: the group's, or the fiber's own? */
static bool is_there(const struct lull_agpu_trace *t, unsigned i, const struct lull_touch *touch)
{
    const struct lull_agpu_half *half = &t->now[touch->from / HALF].who;
    return touch->local ? t->want.ranges[i].memory == LULL_AGPU_LOCAL &&
                              same_group(t->want.ranges[i].workgroup, half->workgroup)
           : touch->priv ? t->want.ranges[i].memory == LULL_AGPU_PRIVATE && is_who(t, half)
                         : false;
}

static void touched(struct lull_observer *o, const struct lull_observed *at,
                    const struct lull_touch *touch)
{
    struct lull_agpu_trace *t = (struct lull_agpu_trace *)o;
    (void)at;
    for (unsigned i = 0; i < t->want.nranges; i++) {
        const bool wanted =
            (touch->kind != LULL_TOUCH_LOAD || t->want.ranges[i].loads) && is_there(t, i, touch);
        for (unsigned k = 0; wanted && k < HALF; k++) {
            if ((touch->lanes >> k & 1) != 0 &&
                meets(&t->want, i, touch->address[k], touch->bytes)) {
                hit(t, i, touch->from + k);
            }
        }
    }
}

/** What range @p i has in @p lane; 0: there is no such register. */
static uint32_t value(struct lull_agpu *g, const struct lull_agpu_trace *t, unsigned i,
                      unsigned lane)
{
    const struct lull_agpu_waves waves = {.compute = g->compute, .draw = g->draws.now};
    const struct lull_agpu_reg r = {.wave = t->want.who.wave,
                                    .bank = t->want.ranges[i].bank,
                                    .number = (uint32_t)t->want.ranges[i].address,
                                    .fiber = lane + HALF * t->want.who.half};
    uint32_t v = 0;
    return lull_agpu_watch_reg(&waves, &r, false, &v) ? v : 0;
}

static void keep_registers(struct lull_agpu *g, struct lull_agpu_trace *t)
{
    for (unsigned i = 0; i < t->want.nranges; i++) {
        for (unsigned k = 0; t->want.ranges[i].memory == LULL_AGPU_REGISTERS && k < HALF; k++) {
            t->before[i][k] = value(g, t, i, k);
        }
    }
    t->registers = true;
}

static void compare_registers(struct lull_agpu *g, struct lull_agpu_trace *t)
{
    // A group that has ended has none, and its waves are another's now.
    const struct lull_ir3_group *group = lull_agpu_now_group(g);
    const bool there = group != NULL && same_group(group->id, t->want.who.workgroup);
    for (unsigned i = 0; there && i < t->want.nranges; i++) {
        for (unsigned k = 0; t->want.ranges[i].memory == LULL_AGPU_REGISTERS && k < HALF; k++) {
            if (value(g, t, i, k) != t->before[i][k]) {
                hit(t, i, k + HALF * t->want.who.half);
            }
        }
    }
    t->registers = false;
}

/** The instruction at hand is done. */
static void flush(struct lull_agpu *g, struct lull_agpu_trace *t)
{
    if (t->any && t->registers) {
        compare_registers(g, t);
    }
    for (unsigned h = 0; t->any && h < HALVES; h++) {
        if (t->now[h].hits != 0) {
            t->found[t->n++ % LULL_AGPU_FOUND] = t->now[h];
        }
    }
    t->any = false;
}

static int by_address(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void each(struct lull_agpu *g)
{
    struct lull_agpu_trace *t = g->past.trace;
    const struct lull_agpu_search *want = &t->want;
    flush(g, t);
    const struct lull_ir3_wave *w = lull_agpu_now_next(g);
    if (w == NULL) {
        return;
    }
    const struct lull_ir3_group *group = lull_agpu_now_group(g);
    const struct lull_ir3_mask on = lull_ir3_active(w);
    const uint64_t pc = lull_agpu_now_env(g)->code + 8 * (uint64_t)w->pc;
    const bool code =
        want->ncodes != 0 && bsearch(&pc, want->codes, want->ncodes, sizeof pc, by_address) != NULL;
    t->any = true;
    for (unsigned h = 0; h < HALVES; h++) {
        struct lull_agpu_found *f = &t->now[h];
        *f = (struct lull_agpu_found){
            .time = lull_agpu_now_time(g),
            .pc = pc,
            .exec = on.w[h],
            .executed = w->ninsns,
            .who = {w->number, h, {group->id[0], group->id[1], group->id[2]}},
            .fibers = w->fibers};
        if (h * HALF >= w->fibers) {
            continue;
        }
        const bool mine = is_who(t, &f->who);
        // Of both halves one, that has lanes.
        const bool lead = h == (on.w[0] == 0 && on.w[1] != 0);
        f->hits =
            (want->all && mine && (want->who.wave != UINT32_MAX || lead) ? LULL_AGPU_HIT_ALL : 0) |
            (code && lead ? LULL_AGPU_HIT_CODE : 0);
        if (mine && want->who.wave != UINT32_MAX && want->nranges != 0) {
            keep_registers(g, t);
        }
    }
}

struct lull_error *lull_agpu_past_search(struct lull_agpu *g, const struct lull_agpu_search *what,
                                         uint64_t until, uint64_t *ret_from, size_t *ret_n)
{
    struct lull_agpu_past *p = &g->past;
    *ret_from = until;
    *ret_n = 0;
    p->trace = p->trace != NULL ? p->trace : calloc(1, sizeof *p->trace);
    struct lull_agpu_trace *t = p->trace;
    if (t == NULL) {
        return lull_error_new(LULL_ERR_NO_MEMORY, "what is found");
    }
    t->o = (struct lull_observer){.access = accessed};
    t->want = *what;
    t->any = t->registers = false;
    t->n = 0;
    qsort(t->want.codes, what->ncodes, sizeof what->codes[0], by_address);
    bool memory = false;
    for (unsigned i = 0; i < what->nranges; i++) {
        memory = memory || what->ranges[i].memory != LULL_AGPU_REGISTERS;
        const bool own = what->ranges[i].memory == LULL_AGPU_LOCAL ||
                         what->ranges[i].memory == LULL_AGPU_PRIVATE;
        t->o.memory = own ? touched : t->o.memory;
    }
    struct lull_agpu_travel now;
    lull_agpu_past_travelled(g, &now);
    until = until < now.last ? until : now.last;
    if (!now.on || until <= now.first) {
        return NULL;
    }
    const struct lull_agpu_look look = {.each = each, .observer = memory ? &t->o : NULL};
    struct lull_error *err = lull_agpu_past_again(g, until - 1, until, &look, ret_from);
    flush(g, t);
    *ret_n = t->n < LULL_AGPU_FOUND ? t->n : LULL_AGPU_FOUND;
    *ret_from = t->n > LULL_AGPU_FOUND ? lull_agpu_past_found(g, 0)->time : *ret_from;
    return err;
}

const struct lull_agpu_found *lull_agpu_past_found(const struct lull_agpu *g, size_t n)
{
    const struct lull_agpu_trace *t = g->past.trace;
    const size_t all = t == NULL ? 0 : t->n < LULL_AGPU_FOUND ? t->n : LULL_AGPU_FOUND;
    return n < all ? &t->found[(t->n - all + n) % LULL_AGPU_FOUND] : NULL;
}
