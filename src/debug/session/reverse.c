// SPDX-License-Identifier: MIT
// Steps backwards: what the wave executed is looked up from the latest instruction on, as far as it
// is needed, and then everything is made as it was in front of one of them.
#include "debug/session/reverse.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/code/code.h"
#include "debug/session/back.h"
#include "debug/session/engine.h"
#include "debug/session/events.h"
#include "debug/session/lines.h"
#include "debug/session/symbols.h"

/* The walk ends in front of what was executed at @p time; there was no more if @p first. */
LULL_MUST_USE static struct lull_error *arrive(struct lull_back *b, uint64_t time, bool first)
{
    struct lull_debug *d = b->d;
    struct lull_error *err = lull_travel_arrive(d, time, &b->who);
    struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    d->at_first = first;
    if (err == NULL && w != NULL) {
        w->info.stop = LULL_STOP_STEP;
        bool user = false;
        err =
            lull_debug_breakpoint_at(d, w->info.pc) != NULL ? lull_debug_counts(d, w, &user) : NULL;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *insns(struct lull_back *b, uint64_t n)
{
    const struct lull_found *f = NULL;
    uint64_t time = b->until;
    struct lull_error *err = NULL;
    uint64_t done = 0;
    for (bool more = true; err == NULL && more && done < n;) {
        err = lull_back_next(b, &f);
        more = f != NULL;
        time = more ? f->time : time;
        done += more;
        more = more && (done == n || lull_debug_breakpoint_at(b->d, f->pc) == NULL);
    }
    return err != NULL ? err : arrive(b, time, f == NULL);
}

static enum lull_flow_kind flow_at(struct lull_debug *d, uint64_t va)
{
    struct lull_insn_room in = {0};
    return lull_code_decode(d->target, va, &in)
               ? d->target->ops->arch->flow(lull_insn_in(&in), va).kind
               : LULL_FLOW_NEXT;
}

/* How much deeper in calls it is in front of the instruction at @p va than behind it. */
static int deeper(struct lull_debug *d, uint64_t va)
{
    const enum lull_flow_kind kind = flow_at(d, va);
    return kind == LULL_FLOW_RETURN ? 1 : kind == LULL_FLOW_CALL ? -1 : 0;
}

/* A line that is gone back over. */
struct line_back {
    struct lull_debug *d;
    bool over;
    const struct lull_symscope *function; // Calls inlined into it are not gone into.
    int calls;                            // How much deeper it is than where it began.
    bool known;                           // The line is.
    struct lull_line is;
    int depth;         // Of calls, where the line is.
    uint64_t time, pc; // Of what of it was gone back over last.
};

/* Is @p f of the line before? Else it is part of this. */
static bool is_before(struct line_back *l, const struct lull_found *f)
{
    struct lull_line now = {0};
    const int in = deeper(l->d, f->pc);
    l->calls += in;
    const bool skip = l->over && (l->calls > 0 || lull_debug_in_inlined(l->d, l->function, f->pc));
    const bool has = !skip && lull_debug_line_at(l->d, f->pc, &now);
    const bool other =
        has && l->known && (now.line != l->is.line || (!l->over && l->calls != l->depth));
    const bool starts = l->known && l->is.is_stmt && l->is.offset + l->d->image_va == l->pc;
    if (other && (in <= 0 || starts)) {
        return true;
    }
    if (has) { // The line's, or that of a call in the middle of it.
        l->is = now;
        l->depth = l->calls;
        l->known = true;
    }
    l->time = has || !l->known ? f->time : l->time;
    l->pc = f->pc;
    return false;
}

/* One line back: to the beginning of the line of what was executed before. */
LULL_MUST_USE static struct lull_error *line(struct lull_back *b, bool over, uint64_t *ret_time,
                                             bool *ret_first)
{
    struct lull_debug *d = b->d;
    const struct lull_debug_wave *w = lull_debug_wave_by_number(d, d->focus);
    struct line_back l = {.d = d, .over = over, .time = *ret_time};
    l.function = over && w != NULL ? lull_debug_function_at(d, w->info.pc) : NULL;
    struct lull_error *err = NULL;
    const struct lull_found *f = NULL;
    bool any = false;
    for (bool more = true; err == NULL && more;) {
        err = lull_back_next(b, &f);
        if (err == NULL && f != NULL && is_before(&l, f)) {
            b->n++;
            more = false;
        } else {
            more = err == NULL && f != NULL && lull_debug_breakpoint_at(d, f->pc) == NULL;
            l.time = f != NULL && !more ? f->time : l.time; // At a breakpoint.
            any = any || f != NULL;
        }
    }
    *ret_time = l.time;
    *ret_first = !any;
    return err;
}

LULL_MUST_USE static struct lull_error *lines(struct lull_back *b, bool over, uint64_t n)
{
    uint64_t time = b->until;
    bool first = false;
    struct lull_error *err = NULL;
    for (uint64_t i = 0; err == NULL && !first && i < n; i++) {
        err = line(b, over, &time, &first);
    }
    return err != NULL ? err : arrive(b, time, first);
}

/* Has the focused wave's code lines? Else a step is one instruction, as forwards. */
static bool has_lines(struct lull_debug *d)
{
    const struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    struct lull_line line = {0};
    uint64_t start = 0;
    return w == NULL || lull_debug_line_at(d, w->info.pc, &line) ||
           lull_debug_lines_of(d, w->info.pc, &start) != NULL;
}

struct lull_error *lull_debug_reverse_step(struct lull_debug *d, enum lull_debug_step how,
                                           uint64_t n)
{
    struct lull_back b = {0};
    const bool lined = how != LULL_STEP_INSN && how != LULL_STEP_INSN_OVER && has_lines(d);
    struct lull_error *err = lull_back_begin(&b, d, LULL_BACK_NOW);
    if (err == NULL) {
        err = lined ? lines(&b, how == LULL_STEP_LINE_OVER, n) : insns(&b, n);
    }
    lull_back_done(&b);
    return err != NULL ? err : lull_debug_tell_outcome(d);
}

struct lull_error *lull_debug_reverse_finish(struct lull_debug *d)
{
    struct lull_back b = {0};
    const struct lull_found *f = NULL;
    int calls = 0;
    struct lull_error *err = lull_back_begin(&b, d, LULL_BACK_NOW);
    uint64_t time = b.until;
    const uint64_t now = time;
    for (bool more = err == NULL; err == NULL && more;) {
        err = lull_back_next(&b, &f);
        if (err == NULL && f != NULL) {
            time = f->time;
            calls += deeper(d, f->pc);
        }
        more = f != NULL && calls >= 0 && lull_debug_breakpoint_at(d, f->pc) == NULL;
    }
    err = err != NULL ? err : arrive(&b, time, f == NULL && time == now);
    lull_back_done(&b);
    return err != NULL ? err : lull_debug_tell_outcome(d);
}

bool lull_debug_place_of_focus(struct lull_debug *d, struct lull_debug_place *ret)
{
    struct lull_travel_wave who = {0};
    struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    if (w == NULL || !lull_travel_focus(d, &who) || d->target->ops->executed == NULL) {
        return false;
    }
    *ret = (struct lull_debug_place){.hw_id1 = who.hw_id1};
    memcpy(ret->workgroup, who.workgroup, sizeof ret->workgroup);
    struct lull_error *err = d->target->ops->executed(d->target, w->info.key, &ret->executed);
    const bool good = err == NULL;
    lull_error_free(err);
    return good;
}

/* At that time. @p ret_is false: the wave is elsewhere then. */
LULL_MUST_USE static struct lull_error *to_time_of(struct lull_debug *d,
                                                   const struct lull_debug_place *p, bool *ret_is)
{
    struct lull_travel t = {0};
    struct lull_debug_place there = {0};
    struct lull_travel_wave who = {.hw_id1 = p->hw_id1};
    memcpy(who.workgroup, p->workgroup, sizeof who.workgroup);
    struct lull_error *err = lull_travel_state(d, &t);
    err = err != NULL ? err : lull_travel_arrive(d, t.start + p->time, &who);
    *ret_is = err == NULL && lull_debug_place_of_focus(d, &there) && there.hw_id1 == p->hw_id1 &&
              there.executed == p->executed &&
              memcmp(there.workgroup, p->workgroup, sizeof p->workgroup) == 0;
    if (err != NULL && lull_error_code(err) == LULL_ERR_NOT_FOUND) {
        lull_error_free(err);
        err = NULL;
    }
    return err;
}

/* Forwards as far as the dispatch goes, so that all that its waves do is remembered. */
LULL_MUST_USE static struct lull_error *to_the_end(struct lull_debug *d)
{
    struct lull_travel t = {0};
    struct lull_error *err = lull_travel_state(d, &t);
    for (uint64_t step = UINT64_C(1) << 18; err == NULL && step > 0;) {
        err = lull_travel_arrive(d, t.last + step, NULL);
        t.last += err == NULL ? step : 0;
        if (err != NULL && lull_error_code(err) == LULL_ERR_NOT_FOUND) { // It ends before.
            lull_error_free(err);
            err = NULL;
            step /= 2;
        }
    }
    return err;
}

struct lull_error *lull_debug_travel_to_place(struct lull_debug *d,
                                              const struct lull_debug_place *p)
{
    // Later than any dispatch ends: what is to come is gone through, too.
    const uint64_t far = UINT64_C(1) << 62;
    struct lull_back b = {0};
    const struct lull_found *f = NULL;
    bool there = false;
    struct lull_error *err = p->timed ? to_time_of(d, p, &there) : NULL;
    if (err != NULL || there) {
        return err != NULL ? err : lull_debug_tell_outcome(d);
    }
    err = p->timed ? to_the_end(d) : NULL; // Others stood then, while it went on.
    err = err != NULL ? err : lull_back_begin(&b, d, LULL_BACK_LATEST);
    b.who.hw_id1 = b.what.hw_id1 = p->hw_id1;
    memcpy(b.who.workgroup, p->workgroup, sizeof b.who.workgroup);
    memcpy(b.what.workgroup, p->workgroup, sizeof b.what.workgroup);
    b.until = far;
    for (bool more = err == NULL; err == NULL && more;) {
        err = lull_back_next(&b, &f);
        more = f != NULL && f->executed > p->executed;
    }
    if (err == NULL && (f == NULL || f->executed != p->executed)) {
        err = lull_error_new(LULL_ERR_NOT_FOUND, "the wave did not come there again");
    }
    err = err != NULL ? err : arrive(&b, f->time, false);
    lull_back_done(&b);
    return err != NULL ? err : lull_debug_tell_outcome(d);
}

struct lull_error *lull_debug_travel_to_insn(struct lull_debug *d, uint64_t n)
{
    struct lull_back b = {0};
    const struct lull_found *f = NULL;
    struct lull_travel now = {0};
    struct lull_error *err = lull_travel_state(d, &now);
    err = err != NULL ? err : lull_back_begin(&b, d, LULL_BACK_LATEST);
    for (bool more = err == NULL; err == NULL && more;) {
        err = lull_back_next(&b, &f);
        more = f != NULL && f->executed > n;
    }
    if (err == NULL && (f == NULL || f->executed != n)) {
        err = lull_travel_arrive(d, now.now, &b.who); // Back to where it was.
        err = err != NULL ? err
                          : lull_error_new(LULL_ERR_NOT_FOUND,
                                           "no instruction %llu of the wave is remembered",
                                           (unsigned long long)n);
    } else if (err == NULL) {
        err = arrive(&b, f->time, false);
    }
    lull_back_done(&b);
    return err != NULL ? err : lull_debug_tell_outcome(d);
}
