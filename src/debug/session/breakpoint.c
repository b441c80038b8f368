// SPDX-License-Identifier: MIT
/* Breakpoints: the list of all kinds, their conditions, whether a stop counts. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/agent_values.h"
#include "debug/session/engine.h"
#include "debug/session/watch_value.h"

void lull_debug_delete_breakpoint(struct lull_breakpoint *b)
{
    free(b->condition);
    free(b->commands);
    lull_expr_free(b->test);
    free(b->what);
    lull_dprintf_free(b->print);
    for (size_t i = 0; i < b->nmore; i++) {
        lull_expr_free(b->more[i].test);
        lull_dprintf_free(b->more[i].print);
    }
    free(b->more);
    lull_watched_free(b->value);
    *b = (struct lull_breakpoint){0};
}

/* The condition where the line's code was copied or inlined: other variables have its names there.
 * Where they are not known it does not stop. */
static void set_tests_of_places(struct lull_debug *d, struct lull_breakpoint *b, const char *text)
{
    for (size_t i = 0; i < b->nmore; i++) {
        struct lull_break_place *p = &b->more[i];
        lull_expr_free(p->test);
        p->test = NULL;
        d->place = &p->va;
        struct lull_error *err = text != NULL ? lull_debug_parse(d, text, &p->test) : NULL;
        d->place = NULL;
        p->off = p->off || err != NULL;
        lull_error_free(err);
    }
}

struct lull_error *lull_debug_set_condition(struct lull_debug *d, struct lull_breakpoint *b,
                                            const char *text)
{
    struct lull_expr *test = NULL;
    char *copy = text != NULL ? strdup(text) : NULL;
    struct lull_error *err = text != NULL && copy == NULL ? &lull_enomem : NULL;
    if (err == NULL && text != NULL && b->kind != LULL_BREAK_PENDING) {
        d->place = b->kind == LULL_BREAK_CODE ? &b->va : NULL; // its variables are meant
        err = lull_debug_parse(d, text, &test);
        d->place = NULL;
    }
    if (err != NULL) {
        free(copy);
        return err;
    }
    free(b->condition);
    lull_expr_free(b->test);
    b->condition = copy;
    b->test = test;
    set_tests_of_places(d, b, text);
    b->agent = b->agent && test == NULL;
    return NULL;
}

struct lull_error *lull_debug_free_breakpoint(struct lull_debug *d, struct lull_breakpoint **ret)
{
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        if (d->breakpoints[i]->number == 0) {
            *ret = d->breakpoints[i];
            return NULL;
        }
    }
    if (d->nbreakpoints == d->breakpoints_room) {
        const size_t room = d->breakpoints_room == 0 ? 16 : 2 * d->breakpoints_room;
        struct lull_breakpoint **all =
            reallocarray((void *)d->breakpoints, room, sizeof(struct lull_breakpoint *));
        if (all == NULL) {
            return &lull_enomem;
        }
        d->breakpoints = all;
        d->breakpoints_room = room;
    }
    *ret = calloc(1, sizeof **ret);
    if (*ret == NULL) {
        return &lull_enomem;
    }
    d->breakpoints[d->nbreakpoints++] = *ret;
    return NULL;
}

bool lull_debug_did_hit(const struct lull_debug_wave *w, const struct lull_breakpoint *b)
{
    bool hit = false;
    for (unsigned i = 0; i < w->nhits; i++) {
        hit = hit || w->hit[i] == b->number;
    }
    return hit;
}

struct lull_breakpoint *lull_debug_breakpoint_at(struct lull_debug *d, uint64_t va)
{
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        if (lull_debug_is_at(d->breakpoints[i], va)) {
            return d->breakpoints[i];
        }
    }
    return NULL;
}

const struct lull_breakpoint *lull_debug_stopped_at(struct lull_debug *d,
                                                    const struct lull_debug_wave *w)
{
    const struct lull_breakpoint *found = NULL;
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        const struct lull_breakpoint *b = d->breakpoints[i];
        const bool hit = lull_debug_did_hit(w, b); // It may be disabled since.
        const bool at = hit ? lull_debug_has_place(b, w->info.pc) : lull_debug_is_at(b, w->info.pc);
        if ((hit || !w->any_hit) && at && // Not any: none was counted yet.
            (found == NULL || b->number < found->number)) {
            found = b;
        }
    }
    return found;
}

/* Each place once. */
LULL_MUST_USE static struct lull_error *all_places(struct lull_debug *d, uint64_t **ret,
                                                   size_t *ret_n)
{
    size_t room = 1;
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        room += 1 + d->breakpoints[i]->nmore;
    }
    uint64_t *vas = calloc(room, sizeof *vas);
    size_t n = 0;
    for (size_t i = 0; vas != NULL && !d->packets.rewinding && i < d->nbreakpoints; i++) {
        const struct lull_breakpoint *b = d->breakpoints[i];
        uint64_t va = 0;
        bool on = false;
        for (size_t k = 0; lull_debug_break_place(b, k, &va, &on); k++) {
            if (on && lull_debug_breakpoint_at(d, va) == b) {
                vas[n++] = va;
            }
        }
    }
    *ret = vas;
    *ret_n = n;
    return vas == NULL ? &lull_enomem : NULL;
}

struct lull_error *lull_debug_sync_breakpoints(struct lull_debug *d)
{
    lull_cleanup(lull_freep) uint64_t *vas = NULL;
    size_t n = 0;
    struct lull_error *err = all_places(d, &vas, &n);
    err = err != NULL ? err : lull_debug_sync_watchpoints(d);
    err = err != NULL ? err : lull_debug_sync_exceptions(d);
    err = err != NULL ? err : lull_debug_sync_packets(d);
    if (err != NULL) {
        return err;
    }
    if (d->target->ops->set_breakpoints == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "a %s target has no breakpoints",
                              d->target->ops->kind);
    }
    err = d->target->ops->set_breakpoints(d->target, vas, n);
    return err != NULL ? err : lull_debug_sync_tests(d, vas, n);
}

struct lull_error *lull_debug_break_in_code(struct lull_debug *d, bool on)
{
    if (d->target->ops->break_in_code == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "a %s target has one mode of breakpoints",
                              d->target->ops->kind);
    }
    d->break_by_step = !on;
    return d->target->ops->break_in_code(d->target, on);
}

LULL_MUST_USE static struct lull_error *condition_holds(struct lull_debug *d,
                                                        struct lull_debug_wave *w,
                                                        const struct lull_breakpoint *b, bool *ret)
{
    unsigned focus = d->focus;
    unsigned frame = d->frame;
    bool had = d->has_focus;
    d->frame = 0;
    d->focus = w->number;
    d->has_focus = true;
    struct lull_value v = {0};
    const struct lull_expr *test =
        b->kind == LULL_BREAK_CODE ? lull_debug_test_at(b, w->info.pc) : b->test;
    struct lull_error *err = lull_debug_value(d, test, &v);
    d->frame = frame;
    d->focus = focus;
    d->has_focus = had;
    const uint64_t lanes = err == NULL ? lull_value_truth(&v) : 0;
    *ret = err != NULL || lanes != 0;
    w->lanes = v.lanes > 1 ? lanes : 0;
    return lull_error_in(err, "condition of breakpoint %u", b->number);
}

/* What a script says, with the wave in focus. */
LULL_MUST_USE static struct lull_error *decide(struct lull_debug *d,
                                               const struct lull_debug_wave *w,
                                               const struct lull_breakpoint *b, bool *ret)
{
    struct lull_debug_look was = {0};
    lull_debug_look_at(d, w, &was);
    if (w->lanes != 0) {
        d->lane = (unsigned)__builtin_ctzll(w->lanes);
    }
    struct lull_error *err = b->decide(b->decide_ctx, b->number, ret);
    lull_debug_look_back(d, &was);
    return err;
}

struct lull_error *lull_debug_hit(struct lull_debug *d, struct lull_debug_wave *w,
                                  struct lull_breakpoint *b, bool *ret)
{
    struct lull_error *err = NULL;
    *ret = true;
    if (b->test != NULL) {
        err = condition_holds(d, w, b, ret);
    }
    if (*ret) {
        b->hits++;
        *ret = b->ignore == 0;
        b->ignore -= b->ignore > 0;
    }
    if (err == NULL && *ret && b->decide != NULL) {
        err = decide(d, w, b, ret);
    }
    return err;
}

/* Breakpoint @p number has stopped it. */
LULL_MUST_USE static struct lull_error *note_hit(struct lull_debug_wave *w, unsigned number)
{
    if (w->nhits == w->hit_room) {
        const unsigned room = w->hit_room == 0 ? 4 : 2 * w->hit_room;
        unsigned *all = reallocarray(w->hit, room, sizeof *all);
        if (all == NULL) {
            return &lull_enomem;
        }
        w->hit = all;
        w->hit_room = room;
    }
    w->hit[w->nhits++] = number;
    return NULL;
}

/* Several breakpoints may be at one place: each counts for itself. */
LULL_MUST_USE static struct lull_error *code_counts(struct lull_debug *d, struct lull_debug_wave *w,
                                                    bool *ret)
{
    struct lull_error *err = NULL;
    uint64_t lanes = 0;
    lull_debug_forget_hits(w);
    for (size_t i = 0; err == NULL && i < d->nbreakpoints; i++) {
        struct lull_breakpoint *b = d->breakpoints[i];
        bool user = false;
        if (lull_debug_is_at(b, w->info.pc)) {
            w->lanes = 0;
            err = lull_debug_hit(d, w, b, &user);
            if (err == NULL && user && b->print != NULL) {
                err = lull_dprintf_print(d, b, w);
                user = false;
            }
            err = err == NULL && user ? note_hit(w, b->number) : err;
            w->any_hit |= user;
            lanes |= user ? w->lanes : 0;
        }
    }
    w->lanes = lanes;
    *ret = w->any_hit;
    return err;
}

/* A wave that raised exceptions: are there catchpoints for them, and does one stop for the user? */
LULL_MUST_USE static struct lull_error *exception_counts(struct lull_debug *d,
                                                         struct lull_debug_wave *w, bool *ret_any,
                                                         bool *ret)
{
    struct lull_error *err = NULL;
    *ret_any = false;
    for (size_t i = 0; err == NULL && i < d->nbreakpoints; i++) {
        bool user = false;
        if (lull_debug_wants_exception(d->breakpoints[i], w->info.excp)) {
            err = lull_debug_hit(d, w, d->breakpoints[i], &user);
            *ret = *ret_any ? *ret || user : user;
            *ret_any = true;
        }
    }
    return err;
}

/* A breakpoint with a condition that does not hold, with an ignore count, or deleted since, does
 * not stop for the user; nor does an access that was only near what is watched. */
struct lull_error *lull_debug_counts(struct lull_debug *d, struct lull_debug_wave *w, bool *ret)
{
    enum lull_stop stop = w->info.stop;
    bool code = stop == LULL_STOP_BREAKPOINT || stop == LULL_STOP_START || stop == LULL_STOP_STEP;
    lull_debug_forget_hits(w);
    *ret = !d->packets.rewinding;
    if (d->packets.rewinding) {
        return NULL;
    }
    if (stop == LULL_STOP_START && d->going) {
        struct lull_error *err = lull_debug_arrived(d, w, ret);
        if (err != NULL || *ret) {
            return err;
        }
    }
    if (stop == LULL_STOP_EXCEPTION && w->info.excp != 0) {
        bool any = false;
        struct lull_error *err = exception_counts(d, w, &any, ret);
        if (err != NULL || *ret) { // without a catchpoint it is the program's own: that stops
            return err;
        }
        code = true; // it came to a breakpoint at the same time
    }
    if (stop == LULL_STOP_EXCEPTION && w->info.watch != 0) {
        struct lull_breakpoint *b = NULL;
        struct lull_error *err = lull_debug_watch_hit(d, w, &b);
        if (err == NULL && b != NULL) {
            err = lull_debug_hit(d, w, b, ret);
            d->watch_hit = *ret ? b->number : d->watch_hit;
            d->watch_wave = *ret ? w->number : d->watch_wave;
        }
        if (err != NULL || b != NULL) {
            return err;
        }
        code = true; // it came to a breakpoint at the same time, or to nothing
        *ret = false;
    }
    if (code && lull_debug_breakpoint_at(d, w->info.pc) != NULL) {
        struct lull_error *err = code_counts(d, w, ret);
        if (err == NULL && stop == LULL_STOP_BREAKPOINT && d->checked != NULL &&
            d->checked(d->run_ctx, &w->info) != 0) { // a check stopped it in front of that
            *ret = true;
        }
        return err;
    }
    *ret = *ret && stop != LULL_STOP_BREAKPOINT;
    return NULL;
}

bool lull_debug_used(struct lull_breakpoint *b)
{
    const bool last = b->left == 1;
    b->left -= b->left != 0;
    b->enabled = b->enabled && !last;
    if (b->temporary) {
        lull_debug_delete_breakpoint(b);
        return true;
    }
    return last;
}

struct lull_error *lull_debug_drop_used(struct lull_debug *d, const struct lull_debug_wave *w)
{
    bool changed = false;
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        struct lull_breakpoint *b = d->breakpoints[i];
        const bool watched = b->number != 0 && b->kind == LULL_BREAK_WATCH &&
                             d->watch_hit == b->number && d->watch_wave == w->number &&
                             w->info.stop == LULL_STOP_EXCEPTION;
        if (watched || (lull_debug_did_hit(w, b) && lull_debug_is_at(b, w->info.pc))) {
            changed = lull_debug_used(b) || changed;
        }
    }
    return changed ? lull_debug_sync_breakpoints(d) : NULL;
}

struct lull_breakpoint *lull_debug_breakpoint(struct lull_debug *d, unsigned number)
{
    for (size_t i = 0; number != 0 && i < d->nbreakpoints; i++) {
        if (d->breakpoints[i]->number == number) {
            return d->breakpoints[i];
        }
    }
    return NULL;
}

/* Make @p b, which has its place, one of the list. It is deleted by an error. */
LULL_MUST_USE static struct lull_error *enter(struct lull_debug *d, struct lull_breakpoint *b,
                                              const char *what, const char *condition,
                                              unsigned *ret_number)
{
    b->what = strdup(what);
    struct lull_error *err = b->what == NULL ? &lull_enomem : NULL;
    err = err != NULL ? err : lull_debug_set_condition(d, b, condition);
    if (err == NULL) {
        b->number = d->next_breakpoint;
        err = b->kind == LULL_BREAK_CODE ? lull_debug_sync_breakpoints(d)
                                         : lull_debug_sync_watchpoints(d);
    }
    if (err != NULL) {
        lull_debug_delete_breakpoint(b);
        return err;
    }
    *ret_number = d->next_breakpoint++;
    return NULL;
}

struct lull_error *lull_debug_break_now(struct lull_debug *d, const char *place,
                                        const char *condition, bool temporary, unsigned *ret_number)
{
    struct lull_breakpoint *b = NULL;
    lull_cleanup(lull_freep) uint64_t *vas = NULL;
    size_t n = 0;
    struct lull_error *err = lull_debug_free_breakpoint(d, &b);
    err = err != NULL ? err : lull_debug_stop_places(d, place, &vas, &n);
    const uint64_t va = err == NULL ? vas[0] : 0;
    const unsigned align = d->target->ops->arch->align;
    if (err == NULL && va % align != 0) {
        err = lull_error_new(LULL_ERR_INVALID,
                             "0x%" PRIx64 " is inside an instruction: code is %u-byte aligned", va,
                             align);
    }
    if (err != NULL) {
        return err;
    }
    struct lull_break_place *more = n > 1 ? calloc(n - 1, sizeof *more) : NULL;
    if (n > 1 && more == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 1; i < n; i++) {
        more[i - 1].va = vas[i];
    }
    *b = (struct lull_breakpoint){
        .va = va, .enabled = true, .temporary = temporary, .more = more, .nmore = n - 1};
    return enter(d, b, place, condition, ret_number);
}

/* What a dprintf prints where its line's code was copied or inlined. */
static void set_prints_of_places(struct lull_debug *d, struct lull_breakpoint *b, const char *what)
{
    for (size_t i = 0; i < b->nmore; i++) {
        struct lull_break_place *p = &b->more[i];
        d->place = &p->va;
        struct lull_error *err = lull_dprintf_parse(d, what, &p->print);
        d->place = NULL;
        p->off = p->off || err != NULL;
        lull_error_free(err);
    }
}

struct lull_error *lull_debug_dprintf(struct lull_debug *d, const char *place, const char *what,
                                      unsigned *ret_number)
{
    struct lull_dprintf *print = NULL;
    lull_cleanup(lull_freep) uint64_t *vas = NULL;
    size_t n = 0;
    struct lull_error *err = lull_debug_stop_places(d, place, &vas, &n);
    if (err != NULL) {
        return err;
    }
    d->place = &vas[0]; // its variables are meant
    err = lull_dprintf_parse(d, what, &print);
    d->place = NULL;
    if (err == NULL && print->nstrings != 0) {
        err =
            lull_error_new(LULL_ERR_INVALID, "the format has %%s: dprintf does not print strings");
    }
    err = err != NULL ? err : lull_debug_break_now(d, place, NULL, false, ret_number);
    if (err != NULL) {
        lull_dprintf_free(print);
        return err;
    }
    struct lull_breakpoint *b = lull_debug_breakpoint(d, *ret_number);
    b->print = print;
    set_prints_of_places(d, b, what);
    b->agent = lull_agent_can(d, b);
    return b->agent ? lull_debug_sync_breakpoints(d) : NULL;
}

struct lull_error *lull_debug_watch(struct lull_debug *d, const char *place,
                                    enum lull_watch_kind kind, bool software, const char *condition,
                                    unsigned *ret_number)
{
    struct lull_breakpoint *b = NULL;
    struct lull_error *err = lull_debug_free_breakpoint(d, &b);
    if (err != NULL) {
        return err;
    }
    struct lull_breakpoint new = {
        .kind = LULL_BREAK_WATCH, .enabled = true, .watch = kind, .software = software};
    bool own = false;
    err = lull_debug_watched_expr(d, place, &new, &own);
    if (err == NULL && own && kind != LULL_WATCH_WRITE && !new.value->has_range) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED,
                             "'%s' is in no one place that instructions name: of it only changes "
                             "can be seen, by 'watch'",
                             place);
    }
    if (err == NULL && !own) {
        err = lull_debug_watched_place(d, place, &new);
        err = err != NULL ? err : lull_debug_watched_value(d, &new, &new.old_value);
        new.fell_back = !software && (lull_debug_watches_full(d) || !lull_debug_has_watchpoints(d));
        new.software = software || new.fell_back;
    }
    if (err != NULL) {
        lull_watched_free(new.value);
        return err;
    }
    *b = new;
    return enter(d, b, place, condition, ret_number);
}

struct lull_error *lull_debug_catch_exceptions(struct lull_debug *d, uint32_t exceptions,
                                               unsigned *ret_number)
{
    struct lull_breakpoint *b = NULL;
    lull_cleanup(lull_str_free) struct lull_str said = {0};
    if (exceptions == 0 || (exceptions & ~(uint32_t)LULL_EXCEPTION_ANY) != 0) {
        return lull_error_new(LULL_ERR_INVALID, "0x%" PRIx32 " is not a set of exceptions",
                              exceptions);
    }
    struct lull_error *err = lull_debug_free_breakpoint(d, &b);
    if (err != NULL) {
        return err;
    }
    for (uint32_t bit = 1; bit < LULL_EXCEPTION_ANY; bit <<= 1) {
        if ((exceptions & bit) != 0) {
            lull_str_addf(&said, "%s%s", said.size != 0 ? " " : "", lull_debug_exception_word(bit));
        }
    }
    *b = (struct lull_breakpoint){.kind = LULL_BREAK_EXCEPTION,
                                  .enabled = true,
                                  .by_value = exceptions,
                                  .what = strdup(lull_str_text(&said)),
                                  .number = d->next_breakpoint};
    err = b->what == NULL ? &lull_enomem : lull_debug_sync_exceptions(d);
    if (err != NULL) {
        lull_debug_delete_breakpoint(b);
        return err;
    }
    *ret_number = d->next_breakpoint++;
    return NULL;
}

LULL_MUST_USE static struct lull_error *numbered(struct lull_debug *d, unsigned number,
                                                 struct lull_breakpoint **ret)
{
    *ret = lull_debug_breakpoint(d, number);
    return *ret != NULL ? NULL : lull_error_new(LULL_ERR_NOT_FOUND, "no breakpoint %u", number);
}

struct lull_error *lull_debug_delete(struct lull_debug *d, unsigned number)
{
    struct lull_breakpoint *b = NULL;
    struct lull_error *err = numbered(d, number, &b);
    if (err != NULL) {
        return err;
    }
    lull_debug_delete_breakpoint(b);
    return lull_debug_sync_breakpoints(d);
}

struct lull_error *lull_debug_enable(struct lull_debug *d, unsigned number, bool on)
{
    struct lull_breakpoint *b = NULL;
    struct lull_error *err = numbered(d, number, &b);
    if (err != NULL) {
        return err;
    }
    b->enabled = on;
    return lull_debug_sync_breakpoints(d);
}

struct lull_error *lull_debug_condition(struct lull_debug *d, unsigned number,
                                        const char *condition)
{
    struct lull_breakpoint *b = NULL;
    struct lull_error *err = numbered(d, number, &b);
    if (err == NULL && (b->kind == LULL_BREAK_CATCH || b->kind == LULL_BREAK_PACKET)) {
        err = lull_error_new(LULL_ERR_INVALID, "a catchpoint has no condition: it stops before "
                                               "there are waves");
    }
    err = err != NULL ? err : lull_debug_set_condition(d, b, condition);
    return err != NULL ? err : lull_debug_sync_breakpoints(d); // A dprintf may have to stop now.
}

struct lull_error *lull_debug_ignore(struct lull_debug *d, unsigned number, unsigned count)
{
    struct lull_breakpoint *b = NULL;
    struct lull_error *err = numbered(d, number, &b);
    if (err == NULL) {
        b->ignore = count;
        b->agent = b->agent && count == 0;
        err = lull_debug_sync_breakpoints(d);
    }
    return err;
}
