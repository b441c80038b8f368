// SPDX-License-Identifier: MIT
// Instructions that compute with registers alone are most of a program, and mostly there is nothing
// to be found in them. What modules have to know of several that stand one behind the other is put
// together once; each time that they are come to, modules say whether they need to see them one by
// one.
#include <stdlib.h>

#include "check/checks_priv.h"

struct lull_checks_stretch {
    struct lull_check_stretch s; // First.
    uint64_t decoded;            // Of the first: as in struct lull_observed.
    const struct lull_insn *insn;
    uint32_t modules; // Whose before() would be called for one of them.
    void *sum[LULL_CHECK_MODULES];
    struct lull_checks_stretch *next; // Of the same checks.
};

static void forget(struct lull_checks_stretch *s)
{
    for (unsigned i = 0; i < LULL_CHECK_MODULES; i++) {
        free(s->sum[i]);
        s->sum[i] = NULL;
    }
    s->s = (struct lull_check_stretch){.pc = {0}};
    s->modules = 0;
}

void lull_checks_stretches_done(struct lull_checks *c)
{
    while (c->stretches != NULL) {
        struct lull_checks_stretch *s = c->stretches;
        c->stretches = s->next;
        forget(s);
        free(s);
    }
}

/** May the instruction of @p p stand in a stretch? */
static bool stands(const struct lull_checks *c, const struct lull_checks_plan *p)
{
    bool good = (p->always & ~c->calm) == 0;
    for (uint32_t m = p->always; m != 0 && good; m &= m - 1) {
        const struct lull_checks_one *one = &c->modules[__builtin_ctz(m)];
        good = one->m->stands((const unsigned char *)p + one->plan);
    }
    return good;
}

/** What module @p i has to know of the first @p count of @p s; false: no memory. */
static bool sum_of(struct lull_checks *c, struct lull_checks_wave *w, struct lull_checks_stretch *s,
                   unsigned i, unsigned count, void **ret)
{
    const struct lull_check_module *m = c->modules[i].m;
    *ret = calloc(1, m->sum_bytes + 1);
    if (*ret == NULL) {
        c->lost++;
        return false;
    }
    m->sum(&w->now[i], &s->s, count, *ret);
    return true;
}

/** The instructions from the one at hand on. */
static void find(struct lull_checks *c, struct lull_checks_wave *w, struct lull_observed *at,
                 struct lull_ahead *ahead, struct lull_checks_stretch *s)
{
    bool more = true;
    while (more && s->s.s.n < LULL_STRETCH_MOST) {
        const struct lull_checks_plan *p = lull_checks_plan_of(c, w, at);
        if (p == NULL || !stands(c, p)) {
            return;
        }
        s->s.plan[s->s.s.n] = p;
        s->s.pc[s->s.s.n] = at->pc;
        s->modules |= p->always;
        s->s.s.n++;
        more = ahead->next(ahead, at);
    }
}

/** The stretch that begins at the instruction at hand, in @p s; n 0: there is none. */
static void make(struct lull_checks *c, struct lull_checks_wave *w, const struct lull_observed *at,
                 struct lull_ahead *ahead, struct lull_checks_stretch *s)
{
    struct lull_observed moves = *at;
    forget(s);
    s->decoded = at->decoded;
    s->insn = at->insn;
    find(c, w, &moves, ahead, s);
    bool good = s->s.s.n != 0;
    for (uint32_t m = s->modules; m != 0 && good; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        w->now[i].at = at;
        w->now[i].touch = NULL;
        good = sum_of(c, w, s, i, s->s.s.n, &s->sum[i]);
    }
    s->s.s.n = good ? s->s.s.n : 0;
}

/** The stretch at the instruction of @p p: where it was decoded once more, what is behind it may be
 * something else. NULL: there is none. */
static struct lull_checks_stretch *stretch_of(struct lull_checks *c, struct lull_checks_wave *w,
                                              struct lull_checks_plan *p,
                                              const struct lull_observed *at,
                                              struct lull_ahead *ahead)
{
    struct lull_checks_stretch *s = p->stretch;
    if (s == NULL) {
        s = calloc(1, sizeof *s);
        if (s == NULL) {
            return NULL;
        }
        s->next = c->stretches;
        p->stretch = c->stretches = s;
    }
    if (s->insn != at->insn || s->decoded != at->decoded) {
        make(c, w, at, ahead, s);
    }
    return s->s.s.n != 0 ? s : NULL;
}

const struct lull_stretch *lull_checks_stretch(struct lull_observer *o,
                                               const struct lull_observed *at, uint32_t most,
                                               struct lull_ahead *ahead)
{
    struct lull_checks *c = (struct lull_checks *)o;
    struct lull_check_wave *of = lull_checks_wave_of(c, at);
    struct lull_checks_wave *w = of != NULL ? lull_checks_whole(of) : NULL;
    struct lull_checks_plan *p = w != NULL ? lull_checks_plan_of(c, w, at) : NULL;
    if (p == NULL || at->decoded == 0 || (of->calls & of->modules & ~c->calm) != 0) {
        return NULL;
    }
    struct lull_checks_stretch *s = stretch_of(c, w, p, at, ahead);
    c->waits = 0;
    if (s == NULL || s->s.s.n > most) {
        return NULL;
    }
    for (uint32_t m = (s->modules | of->calls) & of->modules; m != 0; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        w->now[i].at = at;
        w->now[i].touch = NULL;
        if (!c->modules[i].m->calm(&w->now[i], &s->s, s->sum[i])) {
            return NULL;
        }
    }
    c->stretch = s;
    c->passes = w;
    return &s->s.s;
}

bool lull_checks_gave(struct lull_observer *o, const struct lull_stretch *s, unsigned k)
{
    const struct lull_checks *c = (struct lull_checks *)o;
    struct lull_checks_wave *w = c->passes;
    bool ends = false;
    (void)s;
    for (uint32_t m = c->stretch->modules & w->w.modules; m != 0; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        bool (*gave)(const struct lull_check_now *, const struct lull_check_stretch *, unsigned) =
            c->modules[i].m->gave;
        ends = (gave != NULL && gave(&w->now[i], &c->stretch->s, k)) || ends;
    }
    return ends;
}

/** Of a stretch that has ended before its end. */
static void passed_some(struct lull_checks *c, struct lull_checks_wave *w, unsigned i, unsigned n)
{
    struct lull_checks_stretch some = *c->stretch; // What sum() puts into it is not needed.
    void *sum = NULL;
    if (sum_of(c, w, &some, i, n, &sum)) {
        c->modules[i].m->passed(&w->now[i], sum);
    }
    free(sum);
}

void lull_checks_passed(struct lull_observer *o, const struct lull_stretch *s, unsigned n)
{
    struct lull_checks *c = (struct lull_checks *)o;
    struct lull_checks_wave *w = c->passes;
    for (uint32_t m = c->stretch->modules & w->w.modules; m != 0; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        if (n == s->n) {
            c->modules[i].m->passed(&w->now[i], c->stretch->sum[i]);
        } else {
            passed_some(c, w, i, n);
        }
    }
}
