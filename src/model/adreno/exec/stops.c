// SPDX-License-Identifier: MIT
#include "model/adreno/exec/stops.h"

enum { INSN_BYTES = 8 };

static bool has_ended(const struct lull_ir3_wave *w)
{
    return w->status == LULL_IR3_ENDED;
}

bool lull_ir3_stops_all(struct lull_ir3_group *g)
{
    bool any = false;
    for (unsigned i = 0; i < g->n; i++) {
        struct lull_ir3_wave *w = &g->waves[i];
        if (w->hold.stop == LULL_IR3_STOP_NOT && !has_ended(w)) {
            w->hold.stop = LULL_IR3_STOP_HOST;
            any = true;
        }
    }
    return any;
}

void lull_ir3_stops_begin(struct lull_ir3_stops *s, struct lull_ir3_group *g)
{
    if (s == NULL) {
        return;
    }
    g->number = s->groups++;
    for (unsigned i = 0; s->on && s->starts && !s->again && i < g->n; i++) {
        g->waves[i].hold = (struct lull_ir3_hold){.stop = LULL_IR3_STOP_START, .passes = true};
    }
}

void lull_ir3_stops_go(struct lull_ir3_wave *w, bool step)
{
    w->hold = (struct lull_ir3_hold){.passes = w->hold.passes || step,
                                     .steps = step,
                                     .moved = step && w->status == LULL_IR3_BARRIER};
}

bool lull_ir3_stops_stands(const struct lull_ir3_stops *s, const struct lull_ir3_group *g)
{
    bool stands = false;
    if (s == NULL || !s->on || s->again || g == NULL) {
        return false;
    }
    for (unsigned i = 0; i < g->n; i++) {
        const struct lull_ir3_wave *w = &g->waves[i];
        stands = stands || (w->hold.stop != LULL_IR3_STOP_NOT && !has_ended(w));
        if (w->status == LULL_IR3_RUNS && w->hold.stop == LULL_IR3_STOP_NOT) {
            return false;
        }
        if (w->status == LULL_IR3_FAULT && w->hold.stop == LULL_IR3_STOP_NOT) {
            return false; // It was let go: the dispatch ends.
        }
    }
    return stands;
}

static void stop(struct lull_ir3_group *g, struct lull_ir3_wave *w, enum lull_ir3_stop why)
{
    w->hold.stop = why;
    w->hold.steps = w->hold.moved = false;
    w->hold.passes = true;
    (void)lull_ir3_stops_all(g);
}

static bool is_breakpoint(const struct lull_ir3_stops *s, uint64_t address)
{
    for (unsigned i = 0; i < s->n; i++) {
        if (s->at[i] == address) {
            return true;
        }
    }
    return false;
}

/** Who has stepped out of a barrier. */
static struct lull_ir3_wave *stepped(const struct lull_ir3_group *g)
{
    for (unsigned i = 0; i < g->n; i++) {
        struct lull_ir3_wave *w = &g->waves[i];
        if (w->hold.steps && w->hold.moved && w->status == LULL_IR3_RUNS) {
            return w;
        }
    }
    return NULL;
}

/** In front of an instruction. @return It is not executed now. */
static bool stops_before(struct lull_ir3_group *g, struct lull_ir3_wave *w,
                         const struct lull_ir3_env *env, const struct lull_ir3_stops *s)
{
    struct lull_ir3_wave *behind = stepped(g);
    if (behind != NULL) {
        stop(g, behind, LULL_IR3_STOP_STEP);
        return true;
    }
    if (!w->hold.passes && is_breakpoint(s, env->code + (uint64_t)INSN_BYTES * w->pc)) {
        stop(g, w, LULL_IR3_STOP_BREAKPOINT);
    }
    w->hold.passes = w->hold.stop != LULL_IR3_STOP_NOT;
    return w->hold.stop != LULL_IR3_STOP_NOT;
}

static void stops_behind(struct lull_ir3_group *g, struct lull_ir3_wave *w,
                         const struct lull_ir3_env *env)
{
    w->hold.moved = w->hold.steps;
    if (w->status == LULL_IR3_FAULT) {
        stop(g, w, LULL_IR3_STOP_ILLEGAL);
    } else if (env->nfaults != 0) {
        stop(g, w, LULL_IR3_STOP_MEMORY);
        w->hold.passes = false; // It has not come to where it is now.
        w->hold.fault = env->fault;
    } else if (w->hold.steps && w->status == LULL_IR3_RUNS) {
        stop(g, w, LULL_IR3_STOP_STEP);
    } else if (env->traps) {
        stop(g, w, LULL_IR3_STOP_HOST);
        w->hold.passes = false;
    }
}

uint64_t lull_ir3_stops_run(const struct lull_ir3_stops *s, struct lull_ir3_group *g,
                            struct lull_ir3_env *env, uint64_t seed, uint64_t most)
{
    uint64_t done = 0;
    if (s == NULL || !s->on) {
        return lull_ir3_group_run(g, env, seed, most);
    }
    while (done < most) {
        struct lull_ir3_wave *w = lull_ir3_group_turn(g, seed);
        if (w == NULL) {
            break;
        }
        if (!s->again && stops_before(g, w, env, s)) {
            g->left++; // Its turn goes on when it does.
            break;
        }
        env->nfaults = 0;
        const uint64_t before = w->ninsns;
        lull_ir3_wave_step(w, env);
        lull_ir3_group_ran(g, w, before);
        done++;
        if (!s->again) {
            stops_behind(g, w, env);
        }
    }
    return done;
}
