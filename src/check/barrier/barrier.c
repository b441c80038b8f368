// SPDX-License-Identifier: MIT
#include "check/barrier/barrier.h"

#include <inttypes.h>
#include <stdlib.h>

#include "arch/arch.h"
#include "check/objects.h"
#include "isa/rdna/ops.h"
#include "isa/rdna/regs.h"

static const char name[] = "barrier";

/** A bit for each lane of a wave. */
struct mask {
    uint64_t w[2];
};

static bool any(const struct mask *m)
{
    return (m->w[0] | m->w[1]) != 0;
}

static bool meets(const struct mask *m, uint64_t low, uint64_t high)
{
    return ((m->w[0] & low) | (m->w[1] & high)) != 0;
}

struct wave {
    uint32_t count;      // Barriers that it came to.
    uint64_t pc;         // Of the last.
    struct mask missing; // Lanes that were off at a barrier, and may have returned; 0: none.
    uint64_t missed;     // Its address.
    bool wrote;          // To memory since its last barrier.
    bool open; // Since the barrier of missed no lane has done anything: EXEC may be stale.
    bool idle; // Since then no lane has accessed memory: if it ends so, EXEC may have been, too.
};

/** What is known of an instruction. */
struct plan {
    bool exec; // It writes EXEC.
};

/** The first wave that came to barrier number k. */
struct come {
    uint32_t k, wave;
    uint64_t pc;
};

struct group {
    struct come come[2]; // By k modulo 2: no wave can be two ahead of another.
    uint32_t most;       // Barriers that a wave has come to.
    bool ended;          // A wave has, after the fewest barriers:
    uint32_t least, least_wave;
    bool least_wrote;
};

static struct group *group_of(const struct lull_check_now *n)
{
    if (*n->of_group == NULL) {
        *n->of_group = calloc(1, sizeof(struct group));
    }
    return *n->of_group;
}

static void starts(const struct lull_check_now *n)
{
    *n->of_wave = calloc(1, sizeof(struct wave));
    if (*n->of_wave == NULL || group_of(n) == NULL) {
        lull_checks_lose(n->all);
    }
}

/** "16-31": the work-items of the lanes @p mask of a wave, from first to last. */
static void items(uint32_t wave, uint32_t lanes, const struct mask *mask, struct lull_str *out)
{
    const char *comma = "";
    for (unsigned l = 0; l < lanes && out->size < 100;) {
        unsigned end = l;
        while (end < lanes && (mask->w[end / 64] >> (end & 63) & 1) != 0) {
            end++;
        }
        if (end == l) {
            l++;
            continue;
        }
        const uint32_t first = wave * lanes + l;
        if (end - l == 1) {
            lull_str_addf(out, "%s%" PRIu32, comma, first);
        } else {
            lull_str_addf(out, "%s%" PRIu32 "-%" PRIu32, comma, first, first + end - l - 1);
        }
        comma = ",";
        l = end;
    }
}

static uint32_t total(const struct lull_check_group *g)
{
    return g->items[0] * g->items[1] * g->items[2];
}

/** Lanes @p missing were off at the barrier at @p pc. */
static void tell_missing(const struct lull_check_now *n, uint64_t pc, const struct mask *missing,
                         bool gone)
{
    if (n->group->over) {
        return;
    }
    struct lull_finding *f =
        lull_check_found(n, name,
                         gone ? "work-items returned before a barrier"
                              : "work-items of a workgroup go past a barrier that others wait at",
                         pc, 0);
    if (f == NULL || f->count != 1) {
        return;
    }
    struct lull_str s = {0};
    const uint64_t low = n->wave->launched & ~missing->w[0];
    const uint64_t high = n->wave->launched_high & ~missing->w[1];
    items(n->wave->index, n->wave->lanes, missing, &s);
    f->warning = gone;
    f->sites[0] = lull_check_site(n, pc,
                                  low != 0    ? (unsigned)__builtin_ctzll(low)
                                  : high != 0 ? 64 + (unsigned)__builtin_ctzll(high)
                                              : n->wave->lanes);
    f->sites[0].whole = (low | high) == 0;
    f->sites[0].does = lull_check_text("waits at the barrier");
    f->note = lull_check_text("work-items %s of the workgroup's %" PRIu32
                              " do not come to it: all must, or none",
                              lull_str_text(&s), total(n->group));
    lull_error_free(s.err);
    s.err = NULL;
    lull_str_free(&s);
}

/** The wave at hand is at barrier number @p k at @p pc, another has ended before it. */
static void tell_count(const struct lull_check_now *n, const struct group *g, uint32_t k,
                       uint64_t pc, uint32_t wave)
{
    const bool gone = !g->least_wrote;
    if (n->group->over) {
        return;
    }
    struct lull_finding *f =
        lull_check_found(n, name,
                         gone ? "work-items returned before a barrier"
                              : "waves of a workgroup come to different numbers of barriers",
                         pc, 0);
    if (f == NULL || f->count != 1) {
        return;
    }
    const uint32_t lanes = n->wave->lanes, first = g->least_wave * lanes;
    const uint32_t all = total(n->group);
    f->warning = gone;
    f->sites[0] = lull_check_site(n, pc, 0);
    f->sites[0].wave = wave;
    f->sites[0].whole = true;
    f->sites[0].does = lull_check_text("comes to barrier number %" PRIu32, k);
    f->note = lull_check_text("work-items %" PRIu32 "-%" PRIu32 " of the workgroup's %" PRIu32
                              " (wave %" PRIu32 ") end after %" PRIu32 ": all must come, or none",
                              first, (first + lanes < all ? first + lanes : all) - 1, all,
                              g->least_wave, g->least);
}

static void tell_place(const struct lull_check_now *n, const struct come *other, uint64_t pc)
{
    if (n->group->over) {
        return;
    }
    struct lull_finding *f =
        lull_check_found(n, name, "waves of a workgroup meet at different barriers", pc, other->pc);
    if (f == NULL || f->count != 1) {
        return;
    }
    f->by_line = true;
    f->sites[0] = lull_check_site(n, pc, 0);
    f->sites[1] = lull_check_site(n, other->pc, 0);
    f->sites[1].wave = other->wave;
    for (unsigned i = 0; i < 2; i++) {
        f->sites[i].whole = true;
        f->sites[i].does = lull_check_text("waits at its barrier number %" PRIu32, other->k);
    }
    f->note = lull_check_text("all work-items must come to the same barrier");
}

/** While lanes are missing all is looked at, and loads of local memory. */
static void follow(const struct lull_check_now *n, const struct wave *w)
{
    lull_check_call(n, w->open || any(&w->missing));
}

static void comes(const struct lull_check_now *n, struct wave *w, struct group *g)
{
    const uint64_t pc = n->at->pc;
    const struct mask missing = {
        {n->wave->launched & ~n->at->active, n->wave->launched_high & ~n->at->active_high}};
    const uint32_t k = ++w->count;
    struct come *first = &g->come[k & 1];
    lull_check_keep_insn(n);
    if (meets(&w->missing, n->at->active, n->at->active_high)) { // They are here again.
        tell_missing(n, w->missed, &w->missing, false);
        w->missing = (struct mask){{0}};
    }
    if (any(&missing) && !any(&w->missing)) {
        const struct lull_check_objects *o = n->config;
        w->missed = pc;
        w->idle = true;
        w->open = o != NULL && o->exec_late;
    }
    w->missing.w[0] |= missing.w[0];
    w->missing.w[1] |= missing.w[1];
    follow(n, w);
    if (first->k != k) {
        *first = (struct come){.k = k, .wave = n->wave->index, .pc = pc};
    } else if (first->pc != pc) {
        tell_place(n, first, pc);
    }
    if (g->ended && g->least < k) {
        tell_count(n, g, k, pc, n->wave->index);
    }
    g->most = k > g->most ? k : g->most;
    w->pc = pc;
    w->wrote = false;
}

static void before(const struct lull_check_now *n)
{
    const struct plan *p = n->plan;
    struct wave *w = *n->of_wave;
    if (w != NULL && w->open && p->exec) {
        w->missing = (struct mask){
            {0}}; // EXEC was that of the code in front of the barrier, which needs none.
        w->open = false;
        follow(n, w);
    }
    if (n->barrier && *n->of_wave != NULL && *n->of_group != NULL) {
        comes(n, *n->of_wave, *n->of_group);
    }
}

static void memory(const struct lull_check_now *n, const struct lull_touch *t)
{
    struct wave *w = *n->of_wave;
    if (w == NULL || t->scalar) {
        return;
    }
    w->open = w->idle = false;
    w->wrote = w->wrote || t->kind != LULL_TOUCH_LOAD;
    if (meets(&w->missing, t->from == 0 ? t->lanes : 0, t->from != 0 ? t->lanes : 0)) {
        tell_missing(n, w->missed, &w->missing, false);
        w->missing = (struct mask){{0}};
    }
    follow(n, w);
}

static void ends(const struct lull_check_now *n)
{
    const struct wave *w = *n->of_wave;
    struct group *g = *n->of_group;
    if (w == NULL || g == NULL) {
        return;
    }
    if (any(&w->missing) && !w->idle) {
        tell_missing(n, w->missed, &w->missing, true);
    }
    if (!g->ended || w->count < g->least) {
        g->ended = true;
        g->least = w->count;
        g->least_wave = n->wave->index;
        g->least_wrote = w->wrote;
    }
    const struct come *c = &g->come[(w->count + 1) & 1];
    if (c->k == w->count + 1) { // Others are there already.
        tell_count(n, g, c->k, c->pc, c->wave);
    }
}

static bool writes_exec(const struct lull_insn *insn)
{
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)insn;
    return in->dst == LULL_RDNA_EXEC || in->dst == LULL_RDNA_EXEC + 1 ||
           (lull_rdna_info(in)->writes & LULL_RDNA_S_EXEC) != 0;
}

static bool plan(const struct lull_check_now *n, void *to)
{
    struct plan *p = to;
    p->exec = n->at->arch == &lull_arch_rdna3 && writes_exec(n->at->insn);
    return n->barrier;
}

const struct lull_check_module lull_check_barrier = {.name = name,
                                                     .local_called = true,
                                                     .plan_bytes = sizeof(struct plan),
                                                     .plan = plan,
                                                     .starts = starts,
                                                     .before = before,
                                                     .memory = memory,
                                                     .ends = ends};
