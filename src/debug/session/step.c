// SPDX-License-Identifier: MIT
/* Steps of one wave: instructions, lines, to a place, to the end of its function. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/code/code.h"
#include "debug/rdna/regs.h"
#include "debug/session/engine.h"
#include "debug/session/events.h"
#include "debug/session/frame.h"
#include "debug/session/lines.h"
#include "debug/session/stretch.h"
#include "debug/session/symbols.h"

enum { MAX_STEPS_IN_LINE = 10000000, MAX_ENDS = 16 };

/* A breakpoint for the time of one resume; another's condition there does not matter. */
LULL_MUST_USE static struct lull_error *place_here(struct lull_debug *d, const uint64_t *vas,
                                                   size_t n, struct lull_breakpoint **ret)
{
    struct lull_break_place *more = calloc(n, sizeof *more);
    struct lull_error *err = more != NULL ? lull_debug_free_breakpoint(d, ret) : &lull_enomem;
    if (err != NULL) {
        free(more);
        return err;
    }
    for (size_t i = 1; i < n; i++) {
        more[i - 1].va = vas[i];
    }
    **ret = (struct lull_breakpoint){.number = LULL_PASSING_BREAKPOINT,
                                     .va = vas[0],
                                     .enabled = true,
                                     .more = more,
                                     .nmore = n - 1};
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

/* Run the focused wave, and with @p others all, until it comes to one of @p vas, of which there is
 * one, or something else stops. */
LULL_MUST_USE static struct lull_error *run_to(struct lull_debug *d, const uint64_t *vas, size_t n,
                                               bool others)
{
    struct lull_breakpoint *used = NULL;
    struct lull_error *err = place_here(d, vas, n, &used);
    if (err == NULL) {
        err = go_there(d, others);
    }
    if (used != NULL) {
        lull_debug_delete_breakpoint(used);
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
    struct lull_code_insn in = {0};
    bool known = lull_code_at(d->target, w->info.pc, &in);
    if (known && in.kind == LULL_CODE_END) {
        return lull_debug_step_out(d, w);
    }
    if (over && known && in.kind == LULL_CODE_CALL) {
        uint64_t behind = w->info.pc + in.size;
        return run_to(d, &behind, 1, false);
    }
    bool barrier = lull_reg_in_barrier(&w->info) || (known && in.kind == LULL_CODE_BARRIER);
    return barrier && d->locking != LULL_LOCK_ON ? lull_debug_step_over_barrier(d)
                                                 : lull_debug_resume(d, LULL_RESUME_STEP);
}

/* At most @p n instructions of the focused wave; @p ret: how many it did. */
LULL_MUST_USE static struct lull_error *step_some(struct lull_debug *d, struct lull_stretches *s,
                                                  uint64_t n, uint64_t *ret)
{
    struct lull_debug_wave *w = NULL;
    struct lull_error *err = lull_debug_focused(d, &w);
    const struct lull_step_range *known = err == NULL && n > 1 && !lull_reg_in_barrier(&w->info)
                                              ? lull_debug_stretch(d, s, w->info.pc, n)
                                              : NULL;
    *ret = 1;
    if (known == NULL) {
        return err != NULL ? err : step_once(d, s->over);
    }
    struct lull_step_range range = *known;
    range.steps = n;
    d->within = &range;
    err = lull_debug_resume(d, LULL_RESUME_STEP);
    d->within = NULL;
    w = lull_debug_wave_by_number(d, d->focus);
    *ret = w != NULL && w->info.steps > 1 ? w->info.steps : 1;
    return err;
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

const struct lull_symscope *lull_debug_function_at(struct lull_debug *d, uint64_t va)
{
    const struct lull_symbols *s = lull_debug_symbols(d);
    uint64_t offset = 0;
    const bool in = s != NULL && lull_debug_image_offset(d, va, &offset);
    const struct lull_symscope *at = in ? lull_symbols_scope_at(s, offset) : NULL;
    while (at != NULL && at->kind == LULL_SYMSCOPE_BLOCK) {
        at = at->parent;
    }
    return at;
}

bool lull_debug_in_inlined(struct lull_debug *d, const struct lull_symscope *from, uint64_t va)
{
    const struct lull_symscope *at = from != NULL ? lull_debug_function_at(d, va) : NULL;
    if (at == from) {
        return false;
    }
    while (at != NULL && at != from) {
        at = at->parent;
    }
    return at != NULL;
}

/* A step of a line: it ends where another line begins that is not in a call inlined into
 * @p function. */
struct line_step {
    struct lull_debug *d;
    struct lull_line from;
    const struct lull_symscope *function;
    const struct lull_symbol *symbol; ///< What the step began in; NULL: not known.
    bool over;
};

/** The code symbol of the image that @p va is in; NULL. *@p ret: its offset. */
static const struct lull_symbol *symbol_at(const struct lull_debug *d, uint64_t va, uint64_t *ret)
{
    return lull_debug_image_offset(d, va, ret) ? lull_image_symbol_at(d->image, *ret) : NULL;
}

/* Does @p va set up the frame of a function that the step has come into? */
static bool in_prologue(const struct line_step *l, uint64_t va)
{
    uint64_t offset = 0;
    const struct lull_symbol *s = l->over ? NULL : symbol_at(l->d, va, &offset);
    return s != NULL && s != l->symbol &&
           offset < lull_debug_behind_prologue(l->d, s->offset, s->offset + s->size);
}

/* Is the line at @p va, of the driver's own code, in a function that is called, and stepped over?
 */
static bool in_called(const struct line_step *l, uint64_t va, uint32_t line)
{
    uint64_t start = 0;
    return l->over && l->from.line != 0 && l->d->beside_ops != NULL &&
           lull_debug_lines_of(l->d, va, &start) != NULL &&
           l->d->beside_ops->is_called(l->d, l->from.line, line);
}

static bool line_ends_at(void *ctx, uint64_t va)
{
    const struct line_step *l = ctx;
    struct lull_line now = {0};
    const bool known = lull_debug_line_at(l->d, va, &now);
    return known && now.is_stmt && now.offset + l->d->image_va == va && now.line != l->from.line &&
           !lull_debug_in_inlined(l->d, l->function, va) && !in_called(l, va, now.line) &&
           !in_prologue(l, va);
}

LULL_MUST_USE static struct lull_error *step_line(struct lull_debug *d, bool over)
{
    struct lull_debug_wave *w = NULL;
    struct lull_error *err = lull_debug_focused(d, &w);
    struct line_step line = {.d = d, .over = over};
    uint64_t start = 0;
    // In code whose lines are known in part: on to the next that is.
    if (err == NULL && !lull_debug_line_at(d, w->info.pc, &line.from) &&
        lull_debug_lines_of(d, w->info.pc, &start) == NULL) {
        return step_once(d, over);
    }
    if (err != NULL) {
        return err;
    }
    const unsigned focus = d->focus;
    line.function = over ? lull_debug_function_at(d, w->info.pc) : NULL;
    line.symbol = symbol_at(d, w->info.pc, &start);
    struct lull_stretches stretches = {.over = over, .ends_at = line_ends_at, .ctx = &line};
    uint64_t done = 0;
    for (uint64_t i = 0; err == NULL && i < MAX_STEPS_IN_LINE; i += done) {
        err = step_some(d, &stretches, MAX_STEPS_IN_LINE - i, &done);
        if (err != NULL || !stepped(d) || d->focus != focus) {
            return err;
        }
        w = lull_debug_wave_by_number(d, focus);
        if (line_ends_at(&line, w != NULL ? w->info.pc : 0)) {
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

LULL_MUST_USE static struct lull_error *step_insns(struct lull_debug *d, bool over, uint64_t n)
{
    unsigned focus = d->focus;
    if (d->held && !d->has_focus) {
        return lull_debug_enter(d);
    }
    bool stop = false;
    struct lull_error *err = NULL;
    struct lull_stretches stretches = {.over = over};
    uint64_t done = 0;
    for (uint64_t i = 0; err == NULL && !stop && i < n; i += done) {
        err = step_some(d, &stretches, n - i, &done);
        stop = !stepped(d) || d->focus != focus;
        if (err == NULL && !stop && i + done < n) {
            err = stepped_on(d, &stop);
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *step_lines(struct lull_debug *d, bool over, uint64_t n)
{
    struct lull_error *err = NULL;
    for (uint64_t i = 0; err == NULL && i < n; i++) {
        err = step_line(d, over);
        if (!stepped(d)) {
            break;
        }
    }
    return err;
}

struct lull_error *lull_debug_step(struct lull_debug *d, enum lull_debug_step how, uint64_t n)
{
    const bool over = how == LULL_STEP_INSN_OVER || how == LULL_STEP_LINE_OVER;
    const bool insns = how == LULL_STEP_INSN || how == LULL_STEP_INSN_OVER;
    struct lull_error *err = lull_debug_need_started(d);
    if (err == NULL) {
        err = insns ? step_insns(d, over, n) : step_lines(d, over, n);
    }
    return err != NULL ? err : lull_debug_tell_outcome(d);
}

/* Lines on, over calls, until one that stands behind this one in the code: out of a loop. */
LULL_MUST_USE static struct lull_error *until_behind(struct lull_debug *d)
{
    struct lull_debug_wave *w = NULL;
    struct lull_error *err = lull_debug_focused(d, &w);
    if (err != NULL) {
        return err;
    }
    const uint64_t from = w->info.pc;
    const unsigned focus = d->focus;
    const struct lull_symscope *function = lull_debug_function_at(d, from);
    for (bool again = true; err == NULL && again;) {
        err = step_line(d, true);
        w = err == NULL && stepped(d) && d->focus == focus ? lull_debug_wave_by_number(d, focus)
                                                           : NULL;
        again = w != NULL && !w->any_hit && w->info.pc <= from &&
                lull_debug_function_at(d, w->info.pc) == function;
    }
    return err;
}

struct lull_error *lull_debug_until(struct lull_debug *d, const char *place)
{
    lull_cleanup(lull_freep) uint64_t *vas = NULL;
    size_t n = 0;
    struct lull_error *err = lull_debug_need_started(d);
    if (err == NULL && *place == '\0') {
        err = until_behind(d);
        return err != NULL ? err : lull_debug_tell_outcome(d);
    }
    err = err != NULL ? err : lull_debug_stop_places(d, place, &vas, &n);
    err = err != NULL ? err : run_to(d, vas, n, false);
    return err != NULL ? err : lull_debug_tell_outcome(d);
}

struct lull_error *lull_debug_finish(struct lull_debug *d)
{
    struct lull_debug_wave *w = NULL;
    uint64_t to[MAX_ENDS] = {0};
    size_t n = 1;
    bool good = false;
    struct lull_error *err = lull_debug_focused(d, &w);
    if (err == NULL && !lull_debug_in_kernel(d, w->info.pc)) {
        err = lull_debug_return_address(d, w, &to[0], &good);
        if (err == NULL && !good) {
            err = lull_error_new(LULL_ERR_NOT_FOUND,
                                 "s[30:31] holds no return address here: the function saved it "
                                 "elsewhere; 'until PLACE' goes to a place");
        }
    } else if (err == NULL) {
        n = lull_code_ends(d->target, w->info.pc, to, MAX_ENDS);
        if (n == 0) {
            err = lull_error_new(LULL_ERR_NOT_FOUND, "no end of the program behind 0x%" PRIx64,
                                 w->info.pc);
        }
    }
    err = err != NULL ? err : run_to(d, to, n, !good);
    return err != NULL ? err : lull_debug_tell_outcome(d);
}

struct lull_error *lull_debug_continue(struct lull_debug *d)
{
    struct lull_error *err = lull_debug_need_started(d);
    err = err != NULL ? err : lull_debug_resume(d, LULL_RESUME_CONTINUE);
    return err != NULL ? err : lull_debug_tell_outcome(d);
}

struct lull_error *lull_debug_stop(struct lull_debug *d)
{
    struct lull_error *err = lull_debug_need_started(d);
    err = err != NULL ? err : lull_debug_interrupt(d);
    return err != NULL ? err : lull_debug_tell_outcome(d);
}
