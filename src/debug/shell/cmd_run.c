// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/location.h"
#include "debug/session/names.h"
#include "hw/hwreg_regs.h"
#include "isa/rdna/ops.h"

enum { MAX_STEPS_IN_LINE = 100000, MAX_PLACES = 16, KILL_ROUNDS = 200, KILL_MS = 10 };

LULL_MUST_USE static struct lull_error *report_running(struct lull_cmd *c)
{
    if (c->d->was_interrupted) {
        lull_str_addf(c->out, "Interrupted.\n");
        struct lull_debug_wave *w = NULL;
        struct lull_error *err = lull_debug_focused(c->d, &w);
        bool stands = err == NULL;
        lull_error_free(err);
        if (!stands) {
            lull_str_addf(c->out, "No wave is on the GPU; the program may compute or wait.\n");
        }
        return stands ? lull_debug_show_stop(c) : NULL;
    }
    lull_str_addf(c->out, "Nothing stopped in %u ms", c->d->timeout_ms);
    c->d->status = 1;
    const struct lull_debug_wave *w =
        c->d->has_focus ? lull_debug_wave_by_number(c->d, c->d->focus) : NULL;
    if (w == NULL || !w->stopped) {
        lull_str_addf(c->out, ", and no wave can be stopped.\n");
        return NULL;
    }
    bool barrier = (w->info.status & LULL_HWREG_STATUS__IN_BARRIER_MASK) != 0;
    lull_str_addf(c->out, barrier ? ": the wave waits at a barrier for others ('set "
                                    "scheduler-locking off' lets all run).\n"
                                  : ": it may hang. Waves that run were stopped where they are:\n");
    return lull_debug_show_stop(c);
}

struct lull_error *lull_debug_report(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    static const char *const names[] = {"nothing", "stopped", "done", "lost",
                                        "timeout", "held",    "ended"};
    if (c->json != NULL) {
        lull_json_put_str(c->json, "outcome", names[d->outcome]);
    }
    switch (d->outcome) {
    case LULL_OUT_STOPPED:
        return lull_debug_show_stop(c);
    case LULL_OUT_DONE:
        if (d->end_note[0] != '\0') {
            lull_str_addf(c->out, "[The program %s]\n", d->end_note);
        } else {
            lull_str_addf(c->out, "[The dispatch is complete]\n");
        }
        return NULL;
    case LULL_OUT_HELD:
        lull_debug_show_held(c);
        return NULL;
    case LULL_OUT_LOST:
        d->status = 1;
        lull_str_addf(c->out,
                      "[The kernel reset the context: the job hung or faulted and was killed]\n");
        return NULL;
    case LULL_OUT_ENDED:
        lull_str_addf(c->out, "[The wave has ended]\n");
        return d->has_focus ? lull_debug_show_stop(c) : NULL;
    case LULL_OUT_TIMEOUT:
        return report_running(c);
    case LULL_OUT_NOTHING:
    default:
        return NULL;
    }
}

/* How often: 1 if @p args is empty. */
LULL_MUST_USE static struct lull_error *count_of(const char *args, uint64_t *ret)
{
    *ret = 1;
    return *args == '\0' ? NULL : lull_cmd_count(args, 1, UINT32_MAX, ret);
}

/* Nothing of an earlier run counts: waves, dispatches and hits are numbered afresh. */
LULL_MUST_USE static struct lull_error *begin(struct lull_debug *d)
{
    d->nwaves = 0;
    d->next_wave = 0;
    d->has_focus = false;
    d->has_dispatch = false;
    d->held = d->hold_pending = false;
    lull_debug_names_free(d->names);
    d->names = NULL;
    for (size_t i = 0; i < LULL_MAX_BREAKPOINTS; i++) {
        d->breakpoints[i].hits = 0;
    }
    return d->target->ops->begin != NULL ? d->target->ops->begin(d->target) : NULL;
}

LULL_MUST_USE static struct lull_error *launch(struct lull_cmd *c, bool stop_at_start)
{
    struct lull_debug *d = c->d;
    if (d->started) {
        return lull_error_new(LULL_ERR_INVALID, "it runs already: 'kill' first");
    }
    if (d->run == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "there is nothing to run");
    }
    // Who looks at every step sees the first one, too.
    bool stop = stop_at_start || lull_debug_watches_in_software(d);
    bool can = d->target->ops->stop_new_waves != NULL;
    struct lull_error *err = can ? d->target->ops->stop_new_waves(d->target, stop) : NULL;
    if (err == NULL) {
        err = lull_debug_sync_breakpoints(d);
    }
    if (err == NULL) {
        err = begin(d);
    }
    if (err == NULL) {
        err = d->run(d->run_ctx);
    }
    if (err != NULL) {
        return err;
    }
    d->started = true;
    err = stop_at_start && can ? lull_debug_resume_to_start(d)
                               : lull_debug_resume(d, LULL_RESUME_CONTINUE);
    return err != NULL ? err : lull_debug_report(c);
}

struct lull_error *lull_cmd_run(struct lull_cmd *c)
{
    return launch(c, false);
}

struct lull_error *lull_cmd_start(struct lull_cmd *c)
{
    return launch(c, true);
}

LULL_MUST_USE static struct lull_error *need_started(struct lull_debug *d)
{
    return d->started ? NULL : lull_error_new(LULL_ERR_INVALID, "not started: 'run'");
}

struct lull_error *lull_cmd_continue(struct lull_cmd *c)
{
    uint64_t n = 1;
    struct lull_error *err = need_started(c->d);
    if (err == NULL) {
        err = count_of(c->args, &n);
    }
    struct lull_debug_wave *w =
        c->d->has_focus ? lull_debug_wave_by_number(c->d, c->d->focus) : NULL;
    struct lull_breakpoint *b = w != NULL ? lull_debug_breakpoint_at(c->d, w->info.pc) : NULL;
    if (err == NULL && n > 1 && b != NULL) {
        b->ignore = (unsigned)n - 1;
    }
    if (err == NULL) {
        err = lull_debug_resume(c->d, LULL_RESUME_CONTINUE);
    }
    return err != NULL ? err : lull_debug_report(c);
}

static bool is_call(const struct lull_rdna_insn *in)
{
    return in->op == LULL_RDNA_OP_S_SWAPPC_B64 || in->op == LULL_RDNA_OP_S_CALL_B64;
}

/* Breakpoints for the time of one resume; another's condition there does not matter. @p ret:
 * entries used. */
LULL_MUST_USE static struct lull_error *place_here(struct lull_debug *d, const uint64_t *vas,
                                                   size_t n, struct lull_breakpoint **used,
                                                   size_t *ret)
{
    *ret = 0;
    for (size_t i = 0; i < n; i++) {
        struct lull_error *err = lull_debug_free_breakpoint(d, &used[*ret]);
        if (err != NULL) {
            return err;
        }
        *used[*ret] = (struct lull_breakpoint){
            .number = LULL_PASSING_BREAKPOINT, .va = vas[i], .enabled = true};
        ++*ret;
    }
    return lull_debug_sync_breakpoints(d);
}

/* Let waves go on until the focused one comes to a breakpoint or stops for another reason. */
LULL_MUST_USE static struct lull_error *go_there(struct lull_debug *d, bool others)
{
    enum lull_locking locking = d->locking;
    unsigned focus = d->focus;
    d->locking = others || locking == LULL_LOCK_OFF ? LULL_LOCK_OFF : LULL_LOCK_ON;
    struct lull_error *err = NULL;
    for (bool again = true; err == NULL && again;) {
        err = lull_debug_resume(d, LULL_RESUME_CONTINUE);
        const struct lull_debug_wave *w =
            d->outcome == LULL_OUT_STOPPED ? lull_debug_wave_by_number(d, d->focus) : NULL;
        const struct lull_breakpoint *b = w != NULL ? lull_debug_stopped_at(d, w) : NULL;
        // Another wave at one of ours: it waits there; the focused one goes on.
        again = err == NULL && b != NULL && b->number == LULL_PASSING_BREAKPOINT &&
                d->focus != focus && lull_debug_wave_by_number(d, focus) != NULL;
        if (again) {
            struct lull_debug_wave *mine = lull_debug_wave_by_number(d, focus);
            if (mine->stopped) {
                lull_debug_set_focus(d, mine);
                again = mine->info.stop == LULL_STOP_HOST;
            }
        }
    }
    d->locking = locking;
    return err;
}

struct lull_error *lull_debug_run_to(struct lull_debug *d, const uint64_t *vas, size_t n,
                                     bool others)
{
    struct lull_breakpoint *used[MAX_PLACES] = {NULL};
    size_t nused = 0;
    n = n < MAX_PLACES ? n : MAX_PLACES;
    struct lull_error *err = place_here(d, vas, n, used, &nused);
    if (err == NULL) {
        err = go_there(d, others);
    }
    for (size_t i = 0; i < nused; i++) {
        lull_debug_delete_breakpoint(used[i]);
    }
    if (nused != 0) {
        struct lull_error *again = lull_debug_sync_breakpoints(d);
        if (err == NULL) {
            err = again;
        } else {
            lull_error_free(again);
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *step_once(struct lull_debug *d, bool over)
{
    struct lull_debug_wave *w = NULL;
    struct lull_error *err = lull_debug_focused(d, &w);
    if (err != NULL) {
        return err;
    }
    struct lull_rdna_insn in = {0};
    bool known = lull_debug_decode(d, w->info.pc, &in);
    if (known && in.op == LULL_RDNA_OP_S_ENDPGM) {
        return lull_debug_step_out(d, w);
    }
    if (over && known && is_call(&in)) {
        uint64_t behind = w->info.pc + in.size;
        return lull_debug_run_to(d, &behind, 1, false);
    }
    bool barrier = (w->info.status & LULL_HWREG_STATUS__IN_BARRIER_MASK) != 0 ||
                   (known && in.op == LULL_RDNA_OP_S_BARRIER);
    return barrier && d->locking != LULL_LOCK_ON ? lull_debug_step_over_barrier(d)
                                                 : lull_debug_resume(d, LULL_RESUME_STEP);
}

/* A breakpoint where the focused wave stepped to stops it. */
LULL_MUST_USE static struct lull_error *stepped_on(struct lull_debug *d, bool *ret)
{
    struct lull_debug_wave *w = lull_debug_wave_by_number(d, d->focus);
    *ret = w == NULL;
    return w != NULL && lull_debug_breakpoint_at(d, w->info.pc) != NULL
               ? lull_debug_counts(d, w, ret)
               : NULL;
}

/* Stop stepping early when something else than the step ended it. */
static bool stepped(const struct lull_debug *d)
{
    if (d->outcome != LULL_OUT_STOPPED || d->was_interrupted) {
        return false;
    }
    for (size_t i = 0; i < d->nwaves; i++) {
        if (d->waves[i].number == d->focus) {
            return d->waves[i].info.stop == LULL_STOP_STEP ||
                   d->waves[i].info.stop == LULL_STOP_BREAKPOINT;
        }
    }
    return false;
}

LULL_MUST_USE static struct lull_error *step_insns(struct lull_cmd *c, bool over)
{
    uint64_t n = 1;
    struct lull_error *err = need_started(c->d);
    if (err == NULL) {
        err = count_of(c->args, &n);
    }
    unsigned focus = c->d->focus;
    if (err == NULL && c->d->held && !c->d->has_focus) {
        err = lull_debug_enter(c->d);
        return err != NULL ? err : lull_debug_report(c);
    }
    bool stop = false;
    for (uint64_t i = 0; err == NULL && !stop && i < n; i++) {
        err = step_once(c->d, over);
        stop = !stepped(c->d) || c->d->focus != focus;
        if (err == NULL && !stop && i + 1 < n) {
            err = stepped_on(c->d, &stop);
        }
    }
    return err != NULL ? err : lull_debug_report(c);
}

struct lull_error *lull_cmd_stepi(struct lull_cmd *c)
{
    return step_insns(c, false);
}

struct lull_error *lull_cmd_nexti(struct lull_cmd *c)
{
    return step_insns(c, true);
}

LULL_MUST_USE static struct lull_error *step_line(struct lull_debug *d, bool over)
{
    struct lull_debug_wave *w = NULL;
    struct lull_error *err = lull_debug_focused(d, &w);
    struct lull_line from = {0};
    if (err != NULL || !lull_debug_line_at(d, w->info.pc, &from)) {
        return err != NULL ? err : step_once(d, over);
    }
    unsigned focus = d->focus;
    for (unsigned i = 0; err == NULL && i < MAX_STEPS_IN_LINE; i++) {
        err = step_once(d, over);
        if (err != NULL || !stepped(d) || d->focus != focus) {
            return err;
        }
        w = lull_debug_wave_by_number(d, focus);
        struct lull_line now = {0};
        uint64_t pc = w != NULL ? w->info.pc : 0;
        bool known = lull_debug_line_at(d, pc, &now);
        if (known && now.is_stmt && now.offset + d->image_va == pc && now.line != from.line) {
            return NULL;
        }
        bool stop = false;
        err = stepped_on(d, &stop);
        if (stop) {
            return err;
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *step_lines(struct lull_cmd *c, bool over)
{
    uint64_t n = 1;
    struct lull_error *err = need_started(c->d);
    if (err == NULL) {
        err = count_of(c->args, &n);
    }
    for (uint64_t i = 0; err == NULL && i < n; i++) {
        err = step_line(c->d, over);
        if (!stepped(c->d)) {
            break;
        }
    }
    return err != NULL ? err : lull_debug_report(c);
}

struct lull_error *lull_cmd_step(struct lull_cmd *c)
{
    return step_lines(c, false);
}

struct lull_error *lull_cmd_next(struct lull_cmd *c)
{
    return step_lines(c, true);
}

struct lull_error *lull_cmd_until(struct lull_cmd *c)
{
    uint64_t va = 0;
    struct lull_error *err = need_started(c->d);
    if (err == NULL) {
        err = lull_debug_location(c->d, c->args, &va);
    }
    if (err == NULL) {
        err = lull_debug_run_to(c->d, &va, 1, false);
    }
    return err != NULL ? err : lull_debug_report(c);
}

struct lull_error *lull_cmd_interrupt(struct lull_cmd *c)
{
    struct lull_error *err = need_started(c->d);
    if (err == NULL) {
        err = lull_debug_interrupt(c->d);
    }
    return err != NULL ? err : lull_debug_report(c);
}

/* The program's end comes as it would by itself; what it left on the GPU goes with it. */
LULL_MUST_USE static struct lull_error *kill_program(struct lull_debug *d)
{
    enum lull_event event = LULL_EVENT_TIMEOUT;
    struct lull_error *err = NULL;
    d->kill(d->run_ctx);
    for (unsigned i = 0; err == NULL && event != LULL_EVENT_DONE && i < KILL_ROUNDS; i++) {
        err = d->target->ops->wait(d->target, KILL_MS, &event);
    }
    return err;
}

struct lull_error *lull_cmd_kill(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    struct lull_error *err = need_started(d);
    if (err == NULL && d->kill == NULL && d->target->ops->kill == NULL) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "a %s target cannot be killed",
                             d->target->ops->kind);
    }
    if (err == NULL && d->kill != NULL) {
        err = kill_program(d);
    } else if (err == NULL && d->target->ops->kill != NULL) {
        err = d->target->ops->kill(d->target);
    }
    if (err == NULL) {
        lull_debug_ended(d, LULL_OUT_NOTHING);
        lull_str_addf(c->out, "[Killed]\n");
    }
    return err;
}
