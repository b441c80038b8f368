// SPDX-License-Identifier: MIT
#include "model/adreno/past.h"

#include <stdlib.h>
#include <string.h>

#include "model/adreno/gpu_impl.h"
#include "model/observer.h"

#define INTERVAL (UINT64_C(1) << 18) // Instructions from one mark to the next.

/** Memory as shaders of a dispatch see it that is remembered. */
static uint8_t *at(void *ctx, uint64_t address, unsigned bytes, bool write)
{
    struct lull_agpu *g = ctx;
    if (write && g->past.on) {
        lull_agpu_log_keep(g, &g->past.open, address, bytes);
    }
    return lull_agpu_at(g, address, bytes, write);
}

/** The same of a piece: only what is kept of it may be written. */
static uint8_t *piece(void *ctx, uint64_t address, bool write, uint64_t *bytes)
{
    struct lull_agpu *g = ctx;
    uint8_t *mem = lull_agpu_piece(g, address, write, bytes);
    const uint64_t page = 2 * LULL_AGPU_PAGE - address % LULL_AGPU_PAGE;
    if (mem != NULL && write && g->past.on) {
        *bytes = *bytes < page ? *bytes : page;
        lull_agpu_log_keep(g, &g->past.open, address, *bytes);
    }
    return mem;
}

static void mark_done(struct lull_agpu_mark *m)
{
    lull_agpu_saved_free(m->state);
    lull_agpu_log_done(&m->log);
}

static uint64_t bytes_of(const struct lull_agpu_past *p)
{
    uint64_t n = p->open.bytes + p->tail.bytes + p->nstretches * sizeof *p->stretches;
    for (size_t i = 0; i < p->nmarks; i++) {
        n += p->marks[i].bytes + p->marks[i].log.bytes;
    }
    return n;
}

static void take_out(struct lull_agpu_past *p, size_t i)
{
    mark_done(&p->marks[i]);
    memmove(&p->marks[i], &p->marks[i + 1], (p->nmarks - i - 1) * sizeof *p->marks);
    p->nmarks--;
    p->at -= p->at > i;
}

/** Mark @p i, not the first and not the last, goes; what was written since is the one before's. */
static void merge(struct lull_agpu_past *p, size_t i)
{
    struct lull_agpu_log *to = &p->marks[i - 1].log, *from = &p->marks[i].log;
    for (size_t k = 0; k < from->n; k++) {
        p->on = p->on && lull_agpu_log_grow(to);
        if (lull_agpu_log_add(to, from->all[k])) {
            from->all[k] = NULL;
        }
    }
    take_out(p, i);
}

/** The oldest mark goes, and what only it needed. */
static void take_first(struct lull_agpu_past *p)
{
    size_t n = 0;
    take_out(p, 0);
    while (n < p->nstretches && p->stretches[n].time < p->marks[0].time) {
        n++;
    }
    if (n > 0) {
        p->nstretches -= n;
        memmove(p->stretches, p->stretches + n, p->nstretches * sizeof *p->stretches);
    }
}

/** The newest of two marks goes, if that makes room enough: the first stays then. */
static bool take_newest(struct lull_agpu_past *p)
{
    const uint64_t without =
        p->marks[0].bytes + p->marks[0].log.bytes + p->nstretches * sizeof *p->stretches;
    if (p->nmarks != 2 || p->marks[1].kept || p->open.n != 0 || without > p->most) {
        return false;
    }
    p->open = p->marks[0].log;
    p->marks[0].log = (struct lull_agpu_log){.all = NULL};
    take_out(p, 1);
    p->at = 0;
    return true;
}

/** Make room: the mark goes that leaves the smallest gap, else the oldest. */
static void thin(struct lull_agpu_past *p)
{
    while ((p->bytes = bytes_of(p)) > p->most && p->nmarks > 1) {
        size_t best = 0;
        uint64_t gap = UINT64_MAX;
        for (size_t i = 1; i + 1 < p->nmarks; i++) {
            const uint64_t here = p->marks[i + 1].time - p->marks[i - 1].time;
            if (!p->marks[i].kept && here < gap) {
                best = i;
                gap = here;
            }
        }
        if (best != 0) {
            merge(p, best);
        } else if (!take_newest(p)) {
            take_first(p);
        }
    }
}

/** A mark of now; there is none behind. */
static void mark(struct lull_agpu *g)
{
    struct lull_agpu_past *p = &g->past;
    if (p->nmarks == p->room) {
        const size_t room = p->room == 0 ? 16 : 2 * p->room;
        struct lull_agpu_mark *all = reallocarray(p->marks, room, sizeof *all);
        if (all == NULL) {
            lull_agpu_past_end(g);
            return;
        }
        p->marks = all;
        p->room = room;
    }
    struct lull_agpu_mark m = {.kept = p->touched,
                               .time = lull_agpu_now_time(g),
                               .clock = g->clock,
                               .progress = g->progress};
    m.state = lull_agpu_now_save(g, &m.bytes);
    if (m.state == NULL || !p->on) {
        lull_agpu_saved_free(m.state);
        lull_agpu_past_end(g);
        return;
    }
    if (p->nmarks != 0) {
        p->marks[p->nmarks - 1].log = p->open;
    }
    p->open = (struct lull_agpu_log){.all = NULL};
    lull_agpu_log_forget(p);
    p->at = p->nmarks;
    p->marks[p->nmarks++] = m;
    p->touched = false;
    thin(p);
    if (p->bytes > p->most) { // Not even one has room.
        lull_agpu_past_end(g);
    }
}

/** It goes on from the past, and otherwise than it did: what came is forgotten. */
static void cut(struct lull_agpu_past *p, uint64_t now)
{
    while (p->nmarks > p->at + 1) {
        take_out(p, p->nmarks - 1);
    }
    lull_agpu_log_done(&p->marks[p->at].log); // What is open takes its place.
    lull_agpu_behind_done(p);
    while (p->nstretches > 0 && p->stretches[p->nstretches - 1].time >= now) {
        p->nstretches--;
    }
    p->last = now;
}

/** Who stands now, from now on. */
static void note(struct lull_agpu *g, uint64_t now)
{
    struct lull_agpu_past *p = &g->past;
    const struct lull_ir3_group *group = lull_agpu_now_group(g);
    if (p->nstretches == p->stretches_room) {
        const size_t room = p->stretches_room == 0 ? 64 : 2 * p->stretches_room;
        struct lull_agpu_stretch *all = reallocarray(p->stretches, room, sizeof *all);
        if (all == NULL) {
            lull_agpu_past_end(g);
            return;
        }
        p->stretches = all;
        p->stretches_room = room;
    }
    struct lull_agpu_stretch s = {.time = now,
                                  .group = group->number,
                                  .turns = group->turns,
                                  .wave = group->wave,
                                  .left = group->left};
    for (unsigned i = 0; i < group->n; i++) {
        s.standing |= (uint64_t)(group->waves[i].hold.stop != LULL_IR3_STOP_NOT) << i;
    }
    p->nstretches -= p->nstretches > 0 && p->stretches[p->nstretches - 1].time == now;
    p->stretches[p->nstretches++] = s;
}

/** Of the dispatch or draw that is about to run, instead of another. */
static void begin(struct lull_agpu *g)
{
    struct lull_agpu_past *p = &g->past;
    lull_agpu_past_end(g);
    p->number = g->watch.n;
    p->ndraws = g->watch.ndraws;
    if (p->most == 0 || !g->watch.stops.on || lull_agpu_now_time(g) != 0) {
        return;
    }
    p->compute = g->compute;
    p->draw = g->compute == NULL;
    lull_agpu_now_memory(g, &(const struct lull_ir3_memory){.ctx = g, .at = at, .piece = piece});
    p->on = true;
    mark(g);
}

void lull_agpu_past_end(struct lull_agpu *g)
{
    struct lull_agpu_past *p = &g->past;
    while (p->nmarks > 0) {
        take_out(p, p->nmarks - 1);
    }
    lull_agpu_log_done(&p->open);
    if (p->compute != NULL && g->compute != p->compute) {
        lull_acompute_free(p->compute); // It has ended.
    }
    lull_agpu_behind_done(p);
    p->compute = NULL;
    g->writes = NULL;
    p->on = p->draw = p->behind = p->went = p->touched = false;
    p->last = p->bytes = p->at = p->nstretches = 0;
}

void lull_agpu_past_done(struct lull_agpu *g)
{
    lull_agpu_past_end(g);
    free(g->past.marks);
    free(g->past.stretches);
    free(g->past.trace);
}

void lull_agpu_past_unmapped(struct lull_agpu *g, const struct lull_agpu_space *s, uint64_t address,
                             uint64_t size)
{
    struct lull_agpu_past *p = &g->past;
    bool any = false;
    for (size_t i = 0; p->on && i <= p->nmarks + 1; i++) {
        const struct lull_agpu_log *l = i < p->nmarks    ? &p->marks[i].log
                                        : i == p->nmarks ? &p->open
                                                         : &p->tail;
        any = any || lull_agpu_log_has(l, s, address, size);
    }
    if (any) {
        lull_agpu_past_end(g);
    }
}

/** What the debugger did since it ran last: in the past, it is instead of what came. */
static void take_in(struct lull_agpu *g)
{
    struct lull_agpu_past *p = &g->past;
    const uint64_t now = p->on ? lull_agpu_now_time(g) : 0;
    if (p->on && (p->went || p->touched) && (now < p->last || p->at + 1 < p->nmarks)) {
        cut(p, now);
    }
    if (p->on && p->went && lull_agpu_now_group(g) != NULL) {
        note(g, now);
    }
    p->went = false;
    if (p->on && p->touched) {
        mark(g);
    }
}

uint64_t lull_agpu_past_runs(struct lull_agpu *g, uint64_t cycles)
{
    if (g->compute != NULL ? g->past.number != g->watch.n : g->past.ndraws != g->watch.ndraws) {
        begin(g);
    }
    if (!g->past.on) {
        if (g->past.nmarks != 0) {
            lull_agpu_past_end(g); // Memory was short.
        }
        return cycles;
    }
    take_in(g);
    return cycles < INTERVAL ? cycles : INTERVAL;
}

void lull_agpu_past_ran(struct lull_agpu *g)
{
    struct lull_agpu_past *p = &g->past;
    if (!p->on) {
        return;
    }
    const uint64_t now = lull_agpu_now_time(g);
    p->last = now > p->last ? now : p->last;
    p->bytes = bytes_of(p);
    if (p->nmarks == p->at + 1 && (now - p->marks[p->at].time >= INTERVAL || p->bytes > p->most)) {
        mark(g);
    }
}

void lull_agpu_past_remember(struct lull_agpu *g, uint64_t bytes)
{
    g->past.most = bytes;
    if (bytes == 0) {
        lull_agpu_past_end(g);
    }
}

void lull_agpu_past_travelled(const struct lull_agpu *g, struct lull_agpu_travel *ret)
{
    const struct lull_agpu_past *p = &g->past;
    *ret = (struct lull_agpu_travel){.on = p->on};
    if (p->on) {
        ret->first = p->marks[0].time;
        ret->now = p->draw ? lull_agpu_now_time(g) : lull_acompute_time(p->compute);
        ret->last = p->last > ret->now ? p->last : ret->now;
        ret->held = p->behind && g->watch.held;
        ret->ended = !p->draw && lull_acompute_ended(p->compute) && !ret->held;
        ret->marks = p->nmarks;
        ret->bytes = bytes_of(p);
    }
}

void lull_agpu_past_touches(struct lull_agpu *g, uint64_t address, uint64_t bytes)
{
    struct lull_agpu_past *p = &g->past;
    if (p->on) {
        p->touched = !p->behind;
        if (bytes != 0) {
            lull_agpu_log_keep(g, p->behind ? &p->tail : &p->open, address, bytes);
        }
    }
}

/** All is as it was at mark @p to. */
LULL_MUST_USE static struct lull_error *put_back(struct lull_agpu *g, size_t to)
{
    struct lull_agpu_past *p = &g->past;
    lull_agpu_log_swap(&p->open, true);
    lull_agpu_log_done(&p->open);
    lull_agpu_log_forget(p);
    while (p->at > to) {
        lull_agpu_log_swap(&p->marks[--p->at].log, true);
    }
    while (p->at < to) {
        lull_agpu_log_swap(&p->marks[p->at++].log, false);
    }
    g->clock = p->marks[to].clock;
    g->progress = p->marks[to].progress;
    return lull_agpu_now_put_back(g, p->marks[to].state);
}

/** Up to @p time, with nobody looking but @p each. */
LULL_MUST_USE static struct lull_error *run(struct lull_agpu *g, uint64_t time,
                                            void (*each)(struct lull_agpu *g))
{
    struct lull_error *err = NULL;
    uint64_t now = lull_agpu_now_time(g);
    while (err == NULL && now < time && !lull_agpu_now_ended(g)) {
        const uint64_t before = now;
        uint64_t done = 0;
        err = each != NULL ? lull_agpu_now_settle(g) : NULL;
        if (err == NULL && each != NULL) {
            each(g);
        }
        err = err != NULL ? err : lull_agpu_now_run(g, each != NULL ? 1 : time - now, &done);
        now = lull_agpu_now_time(g);
        if (err == NULL && now == before && done == 0) {
            break;
        }
        if (err != NULL && now == time) { // It stood there, too.
            lull_error_free(err);
            err = NULL;
        }
    }
    return err != NULL || now == time
               ? err
               : lull_error_new(LULL_ERR_INVALID, "it did not come to time %llu again, but to %llu",
                                (unsigned long long)time, (unsigned long long)now);
}

/** Those stand that stood then, and it is whose turn it was. */
static void stand(struct lull_agpu *g, const struct lull_agpu_stretch *s)
{
    struct lull_ir3_group *group = lull_agpu_now_group(g);
    lull_agpu_now_let_others_go(g);
    for (unsigned i = 0; group != NULL && i < group->n; i++) {
        group->waves[i].hold = (struct lull_ir3_hold){
            .stop = (s->standing >> i & 1) != 0 ? LULL_IR3_STOP_HOST : LULL_IR3_STOP_NOT};
    }
    if (group != NULL) {
        group->turns = s->turns;
        group->wave = s->wave;
        group->left = s->left;
    }
}

LULL_MUST_USE static struct lull_error *go_through(struct lull_agpu *g, uint64_t from,
                                                   uint64_t time, void (*each)(struct lull_agpu *g))
{
    const struct lull_agpu_past *p = &g->past;
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < p->nstretches && p->stretches[i].time <= time; i++) {
        if (p->stretches[i].time >= from) {
            err = run(g, p->stretches[i].time, each);
            err = err != NULL ? err : lull_agpu_now_settle(g);
            stand(g, &p->stretches[i]);
        }
    }
    err = err != NULL ? err : run(g, time, each);
    return err != NULL ? err : lull_agpu_now_settle(g);
}

/** Time has been gone through: all stand, and observers know. */
static void arrived(struct lull_agpu *g, const struct lull_agpu_mark *m)
{
    struct lull_ir3_group *group = lull_agpu_now_group(g);
    const uint64_t more = lull_agpu_now_time(g) - m->time;
    g->clock += more;
    g->progress += more;
    for (unsigned i = 0; group != NULL && i < group->n; i++) {
        group->waves[i].hold = (struct lull_ir3_hold){.stop = LULL_IR3_STOP_HOST, .passes = true};
    }
    lull_agpu_now_told(g); // It was told when it happened.
    for (struct lull_observer *o = g->observers; o != NULL; o = o->next) {
        if (o->restored != NULL) {
            o->restored(o);
        }
    }
}

struct lull_error *lull_agpu_past_again(struct lull_agpu *g, uint64_t before, uint64_t time,
                                        const struct lull_agpu_look *look, uint64_t *ret_from)
{
    struct lull_agpu_past *p = &g->past;
    if (p->behind && !lull_agpu_behind_leave(g)) {
        return lull_error_new(LULL_ERR_NO_MEMORY, "what came behind the dispatch");
    }
    take_in(g);
    size_t to = p->nmarks;
    while (to > 0 && p->marks[to - 1].time > before) {
        to--;
    }
    if (!p->on || to-- == 0) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "nothing is remembered of that time");
    }
    struct lull_observer *const observers = lull_agpu_now_env(g)->observers;
    const bool faulted = g->faulted, stalled = g->stalled;
    g->watch.stops.again = true; // By the interpreter: compiled code takes turns otherwise.
    g->faulted = true;           // The driver was told.
    lull_agpu_now_observe(g, look != NULL ? look->observer : NULL);
    *ret_from = p->marks[to].time;
    struct lull_error *err = put_back(g, to);
    err = err != NULL ? err : go_through(g, *ret_from, time, look != NULL ? look->each : NULL);
    g->watch.stops.again = false;
    lull_agpu_now_observe(g, observers);
    g->faulted = faulted;
    g->stalled = stalled;
    arrived(g, &p->marks[to]);
    return err;
}

/** On to @p time, which has not come yet: as if nobody stood from now on. */
LULL_MUST_USE static struct lull_error *ahead(struct lull_agpu *g, uint64_t time)
{
    struct lull_agpu_past *p = &g->past;
    struct lull_error *err = NULL;
    const uint64_t last = p->last;
    uint64_t from = 0;
    bool ends = false;
    while (err == NULL && !ends && p->on && p->last < time) {
        const uint64_t next = time - p->last < INTERVAL ? time : p->last + INTERVAL;
        err = lull_agpu_past_again(g, next, next, NULL, &from);
        if (err == NULL && !lull_agpu_now_ended(g)) {
            lull_agpu_past_ran(g);
        }
        ends = lull_agpu_now_ended(g);
    }
    if (err != NULL || ends) { // Waves would not stand there.
        lull_error_free(err);
        lull_error_free(lull_agpu_past_again(g, last, last, NULL, &from));
        err = lull_error_new(LULL_ERR_NOT_FOUND, "the dispatch does not come to that time");
    }
    return err;
}

struct lull_error *lull_agpu_past_travel(struct lull_agpu *g, uint64_t time, bool again)
{
    struct lull_agpu_past *p = &g->past;
    const struct lull_agpu_look look = {.observer = again && p->on ? lull_agpu_now_env(g)->observers
                                                                   : NULL};
    uint64_t from = 0;
    if (p->on && time > p->last) {
        return p->end != NULL
                   ? lull_error_new(LULL_ERR_NOT_FOUND, "nothing is remembered of that time")
                   : ahead(g, time);
    }
    if (p->behind && time == p->last && !again) {
        return NULL; // There it is.
    }
    const uint64_t before = again && p->nmarks != 0 ? p->marks[0].time : time;
    struct lull_error *err = lull_agpu_past_again(g, before, time, again ? &look : NULL, &from);
    if (err == NULL && time == p->last && p->later != NULL) {
        lull_agpu_behind_return(g);
    }
    return err;
}
