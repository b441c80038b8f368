// SPDX-License-Identifier: MIT
// Opening, letting waves run, and telling what came of it.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "debug/dap/dap_priv.h"
#include "debug/session/events.h"
#include "debug/session/reverse.h"
#include "debug/shell/debugger.h"
#include "debug/source/beside.h"

enum { MAX_ARGS = 512, PATIENCE_MS = 1000 };

/** A command line that is made. */
struct line {
    char **argv; ///< Owned, with its strings, ended by NULL.
    int n;
    struct lull_error *err;
};

static void add(struct line *l, const char *text)
{
    if (l->err == NULL && l->n == MAX_ARGS) {
        l->err =
            lull_error_new(LULL_ERR_INVALID, "more than %d words on the command line", MAX_ARGS);
    } else if (l->err == NULL) {
        l->argv[l->n] = strdup(text);
        l->err = l->argv[l->n] == NULL ? &lull_enomem : NULL;
        l->n += l->err == NULL;
    }
}

/** Strings of the list @p key, each behind @p option (NULL: alone). */
static void add_list(struct line *l, const json_t *args, const char *key, const char *option)
{
    const json_t *list = json_object_get(args, key), *v = NULL;
    size_t i = 0;
    if (list != NULL && !json_is_array(list) && l->err == NULL) {
        l->err = lull_error_new(LULL_ERR_INVALID, "%s: not a list of strings", key);
    }
    json_array_foreach(list, i, v)
    {
        if (!json_is_string(v) && l->err == NULL) {
            l->err = lull_error_new(LULL_ERR_INVALID, "%s: not a list of strings", key);
        } else if (l->err == NULL) {
            if (option != NULL) {
                add(l, option);
            }
            add(l, json_string_value(v));
        }
    }
}

/** "--grid 64,2" of a number or a list of up to three. */
static void add_size(struct line *l, const json_t *args, const char *key, const char *option)
{
    const json_t *v = json_object_get(args, key);
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    const size_t n = json_is_array(v) ? json_array_size(v) : v != NULL;
    for (size_t i = 0; i < n && l->err == NULL; i++) {
        const json_t *part = json_is_array(v) ? json_array_get(v, i) : v;
        if (!json_is_integer(part) || json_integer_value(part) < 0 || n > 3) {
            l->err =
                lull_error_new(LULL_ERR_INVALID, "%s: not a number, or a list of up to three", key);
        }
        lull_str_addf(&text, "%s%" JSON_INTEGER_FORMAT, i != 0 ? "," : "",
                      json_integer_value(part));
    }
    if (n != 0 && l->err == NULL) {
        add(l, option);
        add(l, lull_str_text(&text));
    }
}

LULL_MUST_USE static struct lull_error *make_line(const json_t *args, const char *checks,
                                                  struct line *l)
{
    const char *kernel = lull_dap_text(args, "kernel"), *program = lull_dap_text(args, "program");
    const char *capture = lull_dap_text(args, "capture"), *socket = lull_dap_text(args, "socket");
    if ((kernel != NULL) + (program != NULL) + (capture != NULL) + (socket != NULL) != 1) {
        return lull_error_new(
            LULL_ERR_INVALID,
            "one of 'kernel', 'program', 'capture' or (attach) 'socket' is needed");
    }
    l->argv = calloc(MAX_ARGS + 1, sizeof *l->argv);
    if (l->argv == NULL) {
        return &lull_enomem;
    }
    add_list(l, args, "options", NULL);
    if (checks != NULL) {
        add(l, "--check");
        add(l, checks);
    }
    add_size(l, args, "grid", "--grid");
    add_size(l, args, "block", "--block");
    if (kernel != NULL) {
        add_list(l, args, "args", "--arg");
        add(l, kernel);
    } else if (capture != NULL) {
        add(l, capture);
    } else if (socket != NULL) {
        add(l, "--attach");
        add(l, socket);
    } else {
        add(l, "--");
        add(l, program);
        add_list(l, args, "args", NULL);
    }
    return l->err;
}

static int64_t now_ms(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void lull_dap_progress(struct lull_dap *p, bool begins)
{
    const bool tell = p->tells_progress && (begins ? !p->in_progress : p->in_progress);
    p->run_since = now_ms();
    if (tell && !begins) {
        lull_dap_event(p, "progressEnd",
                       json_pack("{s:o}", "progressId", json_sprintf("run %u", p->nprogress)));
    }
    p->in_progress = begins && p->in_progress;
}

/** They have run for long: it is told, once. */
static void tell_progress(struct lull_dap *p)
{
    if (p->tells_progress && p->running && !p->in_progress &&
        now_ms() - p->run_since >= p->patience) {
        p->in_progress = true;
        lull_dap_event(p, "progressStart",
                       json_pack("{s:o,s:s,s:b}", "progressId",
                                 json_sprintf("run %u", ++p->nprogress), "title", "waves run",
                                 "cancellable", 1));
    }
}

/** Asked while waves run: a client may want them to stop; what else it asks has to wait. */
static bool while_running(void *ctx)
{
    struct lull_dap *p = ctx;
    bool stop = p->interrupted != NULL && p->interrupted(p->interrupt_ctx);
    struct lull_error *err = p->broken == NULL ? lull_dap_listen(p, 0) : NULL;
    json_t *m = NULL;
    while (err == NULL && p->broken == NULL && (err = lull_dap_take(&p->wire, &m)) == NULL &&
           m != NULL) {
        const char *command = lull_dap_text(m, "command");
        command = command != NULL ? command : "";
        const bool cancels = strcmp(command, "cancel") == 0 &&
                             lull_dap_text(json_object_get(m, "arguments"), "progressId") != NULL;
        if (strcmp(command, "pause") == 0 || cancels) {
            lull_dap_answer(p, m, NULL, NULL);
            json_decref(m);
            p->pause = true;
        } else {
            stop = stop || strcmp(command, "disconnect") == 0 ||
                   strcmp(command, "terminate") == 0 || strcmp(command, "restart") == 0;
            json_array_append_new(p->later, m);
        }
    }
    p->broken = p->broken != NULL ? p->broken : err;
    tell_progress(p);
    stop = stop || p->pause || p->wire.ended || p->broken != NULL;
    p->pause = false;
    return stop;
}

LULL_MUST_USE static struct lull_error *first_commands(struct lull_dap *p, const json_t *args)
{
    const json_t *list = json_object_get(args, "commands"), *v = NULL;
    struct lull_error *err = NULL;
    size_t i = 0;
    json_array_foreach(list, i, v)
    {
        lull_cleanup(lull_str_free) struct lull_str out = {0};
        const char *text = json_string_value(v);
        err = err != NULL ? err
              : text == NULL
                  ? lull_error_new(LULL_ERR_INVALID, "commands: not a list of strings")
                  : lull_error_in(lull_debug_command(p->d, text, &out), "commands: '%s'", text);
        lull_dap_output(p, "console", lull_str_text(&out), out.size);
    }
    return err;
}

struct lull_error *lull_dap_open(struct lull_dap *p)
{
    const json_t *args = p->launched;
    struct line l = {.n = 0};
    struct lull_error *err = make_line(args, p->checks, &l);
    if (err != NULL) {
        for (int i = 0; i < l.n; i++) {
            free(l.argv[i]);
        }
        free(l.argv);
        return err;
    }
    err = p->host->open(p->host->ctx, l.n, l.argv, &p->d);
    if (err != NULL) {
        p->d = NULL;
        return err;
    }
    lull_beside_enable(p->d); // Conditions name variables before the first command.
    lull_error_free(
        lull_dap_number(args, "progressAfter", 0, INT32_MAX, PATIENCE_MS, &p->patience));
    p->on_entry = json_is_true(json_object_get(args, "stopOnEntry"));
    p->interrupted = p->d->interrupted;
    p->interrupt_ctx = p->d->interrupt_ctx;
    lull_debug_set_interrupt(p->d, while_running, p);
    lull_debug_keep_events(p->d);
    lull_dap_stop_for_checks(p);
    return first_commands(p, args);
}

struct lull_error *lull_dap_launch(struct lull_dap *p, const json_t *args, json_t *body)
{
    const char *token = lull_dap_text(args, "token"), *cwd = lull_dap_text(args, "cwd");
    (void)body;
    if (p->d != NULL) {
        return lull_error_new(LULL_ERR_INVALID, "something was launched already");
    }
    if (!p->trusted && (token == NULL || strcmp(token, p->host->token) != 0)) {
        return lull_error_new(LULL_ERR_INVALID, "'token' is not the one that lull dap has printed");
    }
    if (cwd != NULL && chdir(cwd) != 0) {
        return lull_error_new(LULL_ERR_INVALID, "cwd: no directory '%s'", cwd);
    }
    json_decref(p->launched);
    p->launched = json_deep_copy(args);
    return p->launched != NULL ? lull_dap_open(p) : &lull_enomem;
}

struct lull_error *lull_dap_attach(struct lull_dap *p, const json_t *args, json_t *body)
{
    p->attached = true;
    return lull_dap_launch(p, args, body);
}

struct lull_error *lull_dap_configured(struct lull_dap *p, const json_t *args, json_t *body)
{
    (void)args;
    (void)body;
    if (p->d->started && !p->attached) {
        return NULL; // A command of 'commands' has started it.
    }
    return p->attached ? lull_debug_continue(p->d) : lull_debug_start(p->d, p->on_entry);
}

struct lull_error *lull_dap_restart(struct lull_dap *p, const json_t *args, json_t *body)
{
    (void)args;
    (void)body;
    lull_dap_forget(p);
    p->told_end = false;
    struct lull_error *err = p->d->started ? lull_debug_kill(p->d) : NULL;
    return err != NULL ? err : lull_debug_start(p->d, p->on_entry);
}

struct lull_error *lull_dap_continue(struct lull_dap *p, const json_t *args, json_t *body)
{
    (void)args;
    (void)body;
    lull_dap_forget(p);
    return lull_debug_continue(p->d);
}

LULL_MUST_USE static struct lull_error *step(struct lull_dap *p, const json_t *args, bool over)
{
    const char *grain = lull_dap_text(args, "granularity");
    const bool insn = grain != NULL && strcmp(grain, "instruction") == 0;
    json_int_t id = 0;
    lull_dap_forget(p);
    struct lull_error *err = lull_dap_number(args, "threadId", 0, INT32_MAX, 0, &id);
    if (id == LULL_DAP_NO_WAVE) { // A held dispatch goes on; a step goes into its first wave.
        return over ? lull_debug_continue(p->d) : lull_debug_step(p->d, LULL_STEP_INSN, 1);
    }
    json_int_t target = 0;
    err = err != NULL ? err : lull_dap_number(args, "targetId", 0, INT32_MAX, 0, &target);
    err = err != NULL ? err : lull_dap_focus(p, id);
    if (err == NULL && target != 0) {
        return lull_dap_step_into(p, target);
    }
    return err != NULL ? err
                       : lull_debug_step(p->d,
                                         insn ? (over ? LULL_STEP_INSN_OVER : LULL_STEP_INSN)
                                              : (over ? LULL_STEP_LINE_OVER : LULL_STEP_LINE),
                                         1);
}

struct lull_error *lull_dap_next(struct lull_dap *p, const json_t *args, json_t *body)
{
    (void)body;
    return step(p, args, true);
}

struct lull_error *lull_dap_step_in(struct lull_dap *p, const json_t *args, json_t *body)
{
    (void)body;
    return step(p, args, false);
}

struct lull_error *lull_dap_step_out(struct lull_dap *p, const json_t *args, json_t *body)
{
    json_int_t id = 0;
    (void)body;
    lull_dap_forget(p);
    struct lull_error *err = lull_dap_number(args, "threadId", 0, INT32_MAX, 0, &id);
    err = err != NULL ? err : lull_dap_focus(p, id);
    return err != NULL ? err : lull_debug_finish(p->d);
}

struct lull_error *lull_dap_step_back(struct lull_dap *p, const json_t *args, json_t *body)
{
    const char *grain = lull_dap_text(args, "granularity");
    const bool insn = grain != NULL && strcmp(grain, "instruction") == 0;
    json_int_t id = 0;
    (void)body;
    lull_dap_forget(p);
    struct lull_error *err = lull_dap_number(args, "threadId", 0, INT32_MAX, 0, &id);
    err = err != NULL ? err : lull_dap_focus(p, id);
    return err != NULL
               ? err
               : lull_debug_reverse_step(p->d, insn ? LULL_STEP_INSN_OVER : LULL_STEP_LINE_OVER, 1);
}

struct lull_error *lull_dap_reverse_continue(struct lull_dap *p, const json_t *args, json_t *body)
{
    (void)args;
    (void)body;
    lull_dap_forget(p);
    return lull_debug_reverse_continue(p->d);
}

/** The protocol's word for why a wave stands. */
static const char *reason(const struct lull_dap *p, const struct lull_debug_event *e)
{
    const struct lull_breakpoint *b = lull_debug_breakpoint(p->d, e->breakpoint);
    if (p->d->at_first && e->breakpoint == 0) { // Back at the beginning.
        return "entry";
    }
    switch (e->stop) {
    case LULL_STOP_START:
        return "entry";
    case LULL_STOP_STEP:
        return b == NULL                     ? "step"
               : b->kind == LULL_BREAK_WATCH ? "data breakpoint"
                                             : "breakpoint"; // on the steps of a watchpoint
    case LULL_STOP_BREAKPOINT:
        return e->breakpoint == 0 ? "step" : "breakpoint";
    case LULL_STOP_TRAP:
    case LULL_STOP_MEMORY:
    case LULL_STOP_ILLEGAL:
        return "exception";
    case LULL_STOP_EXCEPTION:
        return b != NULL && b->kind == LULL_BREAK_WATCH ? "data breakpoint" : "exception";
    case LULL_STOP_NOT:
    case LULL_STOP_HOST:
    default:
        return b != NULL && b->kind == LULL_BREAK_WATCH ? "data breakpoint" : "pause";
    }
}

static void stopped(struct lull_dap *p, const char *why, const char *description,
                    const struct lull_debug_event *e, bool wave)
{
    json_t *body = json_pack("{s:s,s:i,s:b}", "reason", why, "threadId",
                             (int)(wave ? e->wave + LULL_DAP_FIRST_WAVE : LULL_DAP_NO_WAVE),
                             "allThreadsStopped", 1);
    if (description != NULL) {
        json_object_set_new(body, "description", json_string(description));
        json_object_set_new(body, "text", json_string(description));
    }
    lull_dap_note_why(p, wave ? e->wave + LULL_DAP_FIRST_WAVE : LULL_DAP_NO_WAVE,
                      strcmp(why, "exception") == 0 ? description : NULL);
    if (e->breakpoint != 0 && lull_dap_knows(p, e->breakpoint)) {
        json_object_set_new(body, "hitBreakpointIds", json_pack("[i]", (int)e->breakpoint));
    }
    lull_dap_event(p, "stopped", body);
}

static void tell_stop(struct lull_dap *p, const struct lull_debug_event *e)
{
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    const char *description = NULL;
    const struct lull_debug_wave *w = lull_debug_wave_by_number(p->d, e->wave);
    if (e->kind == LULL_DEBUG_FAULT && e->stop == LULL_STOP_MEMORY) {
        lull_str_addf(&text, "page fault in wave %u, lane %u, at 0x%" PRIx64, e->wave, e->lane,
                      e->address);
        description = lull_str_text(&text);
    } else if (e->kind == LULL_DEBUG_FAULT) {
        lull_str_addf(&text, "illegal instruction in wave %u%s%s", e->wave,
                      w != NULL && w->info.note[0] != '\0' ? ": " : "",
                      w != NULL ? w->info.note : "");
        description = lull_str_text(&text);
    } else if (e->stop == LULL_STOP_EXCEPTION && e->exceptions != 0) {
        lull_str_addf(&text, "float exception: %s",
                      lull_debug_exception_word(e->exceptions & -e->exceptions));
        description = lull_str_text(&text);
    }
    const bool found = w != NULL && lull_debug_is_checked(p->d, w);
    if (found) {
        p->d->findings(p->d->run_ctx, &w->info, &text, NULL);
        description = lull_str_text(&text);
    }
    stopped(p, found ? "exception" : reason(p, e), description, e, e->stop != LULL_STOP_NOT);
}

static void tell_end(struct lull_dap *p)
{
    if (!p->told_end) {
        p->told_end = true;
        lull_dap_event(p, "exited", json_pack("{s:i}", "exitCode", p->d->status));
        lull_dap_event(p, "terminated", NULL);
    }
}

static void tell_one(struct lull_dap *p, const struct lull_debug_event *e)
{
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    p->d->status |= e->kind == LULL_DEBUG_FAULT || e->kind == LULL_DEBUG_TIMED_OUT ||
                    e->kind == LULL_DEBUG_LOST;
    switch (e->kind) {
    case LULL_DEBUG_DISPATCH_BEGAN:
        break;
    case LULL_DEBUG_OUTPUT:
        lull_dap_output(p, "stdout", e->text, e->text_size);
        break;
    case LULL_DEBUG_DISPATCH_HELD:
    case LULL_DEBUG_DRAW_HELD:
        lull_str_addf(&text, "%s %" PRIu64 " is held in front of its first wave",
                      e->kind == LULL_DEBUG_DRAW_HELD ? "draw" : "dispatch",
                      e->kind == LULL_DEBUG_DRAW_HELD ? e->draw : e->dispatch);
        stopped(p, "breakpoint", lull_str_text(&text), e, false);
        break;
    case LULL_DEBUG_PACKET:
        lull_str_addf(&text, "the command processor stands at the packet at 0x%" PRIx64,
                      e->address);
        stopped(p, "breakpoint", lull_str_text(&text), e, false);
        break;
    case LULL_DEBUG_STOPPED:
    case LULL_DEBUG_FAULT:
        tell_stop(p, e);
        break;
    case LULL_DEBUG_WAVE_ENDED:
        stopped(p, "step", "the wave has ended; others stand", e,
                lull_debug_wave_by_number(p->d, e->wave) != NULL);
        break;
    case LULL_DEBUG_TIMED_OUT:
        stopped(p, "pause", "nothing stopped in time: a hang?", e, p->d->has_focus);
        break;
    case LULL_DEBUG_DISPATCH_ENDED:
        break;
    case LULL_DEBUG_LOST:
        lull_str_addf(&text, "the kernel driver has reset the context\n");
        lull_dap_output(p, "important", lull_str_text(&text), text.size);
        tell_end(p);
        break;
    case LULL_DEBUG_ENDED:
        tell_end(p);
        break;
    default:
        break;
    }
}

void lull_dap_tell(struct lull_dap *p)
{
    struct lull_debug_event e;
    lull_dap_printed(p);
    lull_dap_tell_breaks(p);
    while (lull_debug_next_event(p->d, &e)) {
        tell_one(p, &e);
    }
}
