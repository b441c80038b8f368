// SPDX-License-Identifier: MIT
// What is known of the wave at hand, and of its instruction.
#include "arch/arch.h"
#include "check/checks_priv.h"

size_t lull_checks_place_of(const struct lull_checks_table *t, const void *key)
{
    size_t at = ((uintptr_t)key / 64 * 0x9e3779b1u) & (t->room - 1);
    while (t->at[at] != NULL && lull_checks_key_of(t->at[at]) != key) {
        at = (at + 1) & (t->room - 1);
    }
    return at;
}

void *lull_checks_look_up(const struct lull_checks_table *t, const void *key)
{
    return t->room == 0 ? NULL : t->at[lull_checks_place_of(t, key)];
}

struct lull_check_wave *lull_checks_wave_of(struct lull_checks *c, const struct lull_observed *at)
{
    if (at->handler || c->past) {
        return NULL;
    }
    if (c->last == NULL || c->last->key != at->wave) {
        c->last = lull_checks_look_up(&c->waves, at->wave);
    }
    return c->last;
}

struct lull_checks_plan *lull_checks_plan_of(struct lull_checks *c, struct lull_checks_wave *w,
                                             const struct lull_observed *at)
{
    bool fresh = false;
    struct lull_checks_plan *p = lull_plans_of(&c->plans, at, &fresh);
    if (p == NULL || !fresh) {
        c->lost += p == NULL;
        return p;
    }
    unsigned char *const kept = (unsigned char *)p;
    p->barrier = at->arch->flow(at->insn, at->pc).barrier;
    for (size_t i = 0; i < c->nmodules; i++) {
        const struct lull_check_module *m = c->modules[i].m;
        w->now[i].at = at;
        w->now[i].touch = NULL;
        w->now[i].barrier = p->barrier;
        const bool always = m->plan == NULL || m->plan(&w->now[i], kept + c->modules[i].plan);
        p->always |= m->before != NULL && always ? UINT32_C(1) << i : 0;
        p->takes |= m->takes != NULL && always ? UINT32_C(1) << i : 0;
    }
    return p;
}

bool lull_checks_loud(struct lull_observer *o, const struct lull_observed *at)
{
    struct lull_checks *c = (struct lull_checks *)o;
    struct lull_check_wave *of = lull_checks_wave_of(c, at);
    const struct lull_checks_plan *p =
        of != NULL ? lull_checks_plan_of(c, lull_checks_whole(of), at) : NULL;
    return p == NULL || (p->always | p->takes) != 0;
}

bool lull_checks_quiet(struct lull_observer *o, const struct lull_observed *at)
{
    struct lull_checks *c = (struct lull_checks *)o;
    const struct lull_check_wave *of = lull_checks_wave_of(c, at);
    c->waits = 0;
    return of != NULL && (of->calls & of->modules) == 0;
}
