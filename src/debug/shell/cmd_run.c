// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "debug/session/frame.h"
#include "debug/session/kept.h"
#include "debug/session/lines.h"
#include "debug/shell/packet.h"
#include "expr/value.h"

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
    c->d->status = 1;
    const struct lull_debug_wave *w =
        c->d->has_focus ? lull_debug_wave_by_number(c->d, c->d->focus) : NULL;
    const bool barrier = w != NULL && w->stopped && lull_debug_in_barrier(w);
    if (barrier && c->d->locking == LULL_LOCK_ON) {
        lull_str_addf(c->out, "The wave waits at a barrier for others, which stand ('set "
                              "scheduler-locking off' lets all run).\n");
        return lull_debug_show_stop(c);
    }
    lull_str_addf(c->out, "Nothing stopped in %u ms", c->d->timeout_ms);
    if (w == NULL || !w->stopped) {
        lull_str_addf(c->out, ", and no wave can be stopped.\n");
        return NULL;
    }
    lull_str_addf(c->out, barrier ? ": the wave waits at a barrier for others ('set "
                                    "scheduler-locking off' lets all run).\n"
                                  : ": it may hang. Waves that run were stopped where they are:\n");
    return lull_debug_show_stop(c);
}

struct lull_error *lull_debug_report(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    struct lull_error *err = NULL;
    unsigned status = 0;
    static const char *const names[] = {"nothing", "stopped", "done",  "lost",
                                        "timeout", "held",    "ended", "packet"};
    if (c->json != NULL) {
        lull_json_put_str(c->json, "outcome", names[d->outcome]);
    }
    if (c->json == NULL && lull_debug_stops_silently(d)) {
        return NULL;
    }
    switch (d->outcome) {
    case LULL_OUT_STOPPED:
        return lull_debug_show_stop(c);
    case LULL_OUT_DONE:
        if (d->end_note[0] == '\0' || sscanf(d->end_note, "exited with status %u", &status) == 1) {
            err = lull_debug_set_convenience(d, "_exitcode", status);
        }
        if (d->end_note[0] != '\0') {
            lull_str_addf(c->out, "[The %s %s]\n", d->packets.again ? "replay" : "program",
                          d->end_note);
        } else {
            lull_str_addf(c->out, "[The dispatch is complete]\n");
        }
        return err;
    case LULL_OUT_HELD:
        lull_debug_show_held(c);
        return NULL;
    case LULL_OUT_PACKET:
        return lull_debug_show_packet(c);
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

LULL_MUST_USE static struct lull_error *launch(struct lull_cmd *c, bool stop_at_start)
{
    struct lull_debug *d = c->d;
    struct lull_error *err = lull_debug_start(d, stop_at_start || d->launch != LULL_LAUNCH_GO);
    d->launch = err == NULL && d->launch == LULL_LAUNCH_ONCE ? LULL_LAUNCH_GO : d->launch;
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

struct lull_error *lull_cmd_continue(struct lull_cmd *c)
{
    uint64_t n = 1;
    struct lull_error *err = lull_debug_need_started(c->d);
    err = err != NULL ? err : count_of(c->args, &n);
    struct lull_debug_wave *w =
        c->d->has_focus ? lull_debug_wave_by_number(c->d, c->d->focus) : NULL;
    struct lull_breakpoint *b = w != NULL ? lull_debug_breakpoint_at(c->d, w->info.pc) : NULL;
    if (err == NULL && n > 1 && b != NULL) {
        b->ignore = (unsigned)n - 1;
    }
    err = err != NULL ? err : lull_debug_continue(c->d);
    return err != NULL ? err : lull_debug_report(c);
}

LULL_MUST_USE static struct lull_error *step(struct lull_cmd *c, enum lull_debug_step how)
{
    uint64_t n = 1;
    struct lull_error *err = lull_debug_need_started(c->d);
    err = err != NULL ? err : count_of(c->args, &n);
    err = err != NULL ? err : lull_debug_step(c->d, how, n);
    return err != NULL ? err : lull_debug_report(c);
}

struct lull_error *lull_cmd_stepi(struct lull_cmd *c)
{
    return step(c, LULL_STEP_INSN);
}

struct lull_error *lull_cmd_nexti(struct lull_cmd *c)
{
    return step(c, LULL_STEP_INSN_OVER);
}

struct lull_error *lull_cmd_step(struct lull_cmd *c)
{
    return step(c, LULL_STEP_LINE);
}

struct lull_error *lull_cmd_next(struct lull_cmd *c)
{
    return step(c, LULL_STEP_LINE_OVER);
}

struct lull_error *lull_cmd_until(struct lull_cmd *c)
{
    const char *at = c->args;
    struct lull_packet_where where = {.by = LULL_PACKET_AT};
    struct lull_error *err = NULL;
    if (lull_cmd_names_packet(&at)) {
        err = lull_cmd_packet(c->d, at, &where);
        err = err != NULL ? err : lull_debug_until_packet(c->d, &where);
    } else {
        err = lull_debug_until(c->d, c->args);
    }
    return err != NULL ? err : lull_debug_report(c);
}

/** What `finish` is to leave. */
struct leaving {
    unsigned wave;
    uint64_t to;            ///< Where it is called.
    struct lull_ctype type; ///< Of what it returns; no bits: nothing, or what has parts.
};

LULL_MUST_USE static struct lull_error *look_what_is_left(struct lull_debug *d,
                                                          const struct lull_debug_wave *w,
                                                          struct leaving *ret)
{
    bool good = false;
    const struct lull_symscope *f = lull_debug_function_at(d, w->info.pc);
    while (f != NULL && f->kind != LULL_SYMSCOPE_FUNCTION) {
        f = f->parent;
    }
    if (f == NULL || f->gives == NULL || lull_debug_in_kernel(d, w->info.pc)) {
        return NULL;
    }
    struct lull_error *err = lull_debug_return_address(d, w, &ret->to, &good);
    ret->wave = w->number;
    ret->type = err == NULL && good ? lull_ctype_of(f->gives) : ret->type;
    return err;
}

LULL_MUST_USE static struct lull_error *show_returned(struct lull_cmd *c, const struct leaving *l)
{
    struct lull_debug *d = c->d;
    struct lull_value v = {.type = l->type};
    const struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    if (d->outcome != LULL_OUT_STOPPED || w == NULL || w->number != l->wave || !w->stopped ||
        w->info.pc != l->to || w->info.exec == 0 || lull_ctype_bits(v.type) == 0) {
        return NULL;
    }
    struct lull_error *err = lull_debug_returned(d, w, &v);
    err = err != NULL ? err : lull_debug_printed(d, &v);
    if (err != NULL) {
        return err;
    }
    lull_str_addf(c->out, "Value returned is $%" PRIu64 " = ", d->kept->nprinted);
    lull_value_show_active(&v, 0, c->out);
    lull_str_addf(c->out, "\n");
    if (c->json != NULL) {
        lull_json_key(c->json, "returned");
        lull_json_open(c->json, '{');
        lull_cmd_json_value(c->json, &v);
        lull_json_close(c->json, '}');
    }
    return NULL;
}

struct lull_error *lull_cmd_finish(struct lull_cmd *c)
{
    struct lull_debug_wave *w = NULL;
    struct leaving left = {0};
    struct lull_error *err = lull_debug_focused(c->d, &w);
    if (err == NULL && *c->args != '\0') {
        err = lull_error_new(LULL_ERR_INVALID, "'%s' is left over", c->args);
    }
    err = err != NULL ? err : look_what_is_left(c->d, w, &left);
    err = err != NULL ? err : lull_debug_finish(c->d);
    err = err != NULL ? err : lull_debug_report(c);
    return err != NULL ? err : show_returned(c, &left);
}

struct lull_error *lull_cmd_interrupt(struct lull_cmd *c)
{
    struct lull_error *err = lull_debug_stop(c->d);
    return err != NULL ? err : lull_debug_report(c);
}

struct lull_error *lull_cmd_kill(struct lull_cmd *c)
{
    struct lull_error *err = lull_debug_kill(c->d);
    if (err == NULL) {
        lull_str_addf(c->out, "[Killed]\n");
    }
    return err;
}
