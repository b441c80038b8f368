// SPDX-License-Identifier: MIT
// Requests in, answers out, one after the other.
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "debug/dap/dap_priv.h"

#define SET_FILTERS "setExceptionBreakpoints"

enum { MOST_ASKED = 4096 };

LULL_MUST_USE static struct lull_error *initialize(struct lull_dap *p, const json_t *args,
                                                   json_t *body)
{
    static const char *const can[] = {"supportsConfigurationDoneRequest",
                                      "supportsFunctionBreakpoints",
                                      "supportsConditionalBreakpoints",
                                      "supportsHitConditionalBreakpoints",
                                      "supportsEvaluateForHovers",
                                      "supportsSetVariable",
                                      "supportsRestartRequest",
                                      "supportTerminateDebuggee",
                                      "supportsTerminateRequest",
                                      "supportsLogPoints",
                                      "supportsDataBreakpoints",
                                      "supportsReadMemoryRequest",
                                      "supportsWriteMemoryRequest",
                                      "supportsDisassembleRequest",
                                      "supportsInstructionBreakpoints",
                                      "supportsSteppingGranularity",
                                      "supportsExceptionFilterOptions",
                                      "supportsStepBack",
                                      "supportsSetExpression",
                                      "supportsBreakpointLocationsRequest",
                                      "supportsCompletionsRequest",
                                      "supportsExceptionInfoRequest",
                                      "supportsClipboardContext",
                                      "supportsCancelRequest",
                                      "supportsModulesRequest",
                                      "supportsLoadedSourcesRequest",
                                      "supportsGotoTargetsRequest",
                                      "supportsStepInTargetsRequest",
                                      "supportsDelayedStackTraceLoading"};
    const json_t *lines = json_object_get(args, "linesStartAt1");
    const json_t *columns = json_object_get(args, "columnsStartAt1");
    p->lines_from_0 = json_is_false(lines);
    p->columns_from_0 = json_is_false(columns);
    p->tells_progress = json_is_true(json_object_get(args, "supportsProgressReporting"));
    for (size_t i = 0; i < sizeof can / sizeof can[0]; i++) {
        json_object_set_new(body, can[i], json_true());
    }
    json_object_set_new(body, "exceptionBreakpointFilters", lull_dap_filters());
    return NULL;
}

LULL_MUST_USE static struct lull_error *end(struct lull_dap *p, const json_t *args, json_t *body)
{
    (void)args;
    (void)body;
    p->over = true;
    return NULL;
}

LULL_MUST_USE static struct lull_error *nothing(struct lull_dap *p, const json_t *args,
                                                json_t *body)
{
    (void)p;
    (void)args;
    (void)body;
    return NULL;
}

/** The program is killed; the client still talks. */
LULL_MUST_USE static struct lull_error *terminate(struct lull_dap *p, const json_t *args,
                                                  json_t *body)
{
    (void)args;
    (void)body;
    if (!p->told_end) {
        p->told_end = true;
        lull_dap_event(p, "terminated", NULL);
    }
    return NULL;
}

static const struct {
    const char *name;
    lull_dap_request *run;
    bool session; ///< Something must have been launched.
    bool goes;    ///< Waves run: it is answered before.
} requests[] = {
    {"initialize", initialize, false, false},
    {"launch", lull_dap_launch, false, false},
    {"attach", lull_dap_attach, false, false},
    {"configurationDone", lull_dap_configured, true, true},
    {"disconnect", end, false, false},
    {"terminate", terminate, false, false},
    {"restart", lull_dap_restart, true, true},
    {"setBreakpoints", lull_dap_set_breakpoints, true, false},
    {"setFunctionBreakpoints", lull_dap_set_functions, true, false},
    {"setInstructionBreakpoints", lull_dap_set_instructions, true, false},
    {"setDataBreakpoints", lull_dap_set_data, true, false},
    {"dataBreakpointInfo", lull_dap_data_info, true, false},
    {"setExceptionBreakpoints", lull_dap_set_exceptions, true, false},
    {"continue", lull_dap_continue, true, true},
    {"next", lull_dap_next, true, true},
    {"stepIn", lull_dap_step_in, true, true},
    {"stepOut", lull_dap_step_out, true, true},
    {"stepBack", lull_dap_step_back, true, true},
    {"reverseContinue", lull_dap_reverse_continue, true, true},
    {"pause", nothing, true, false},
    {"threads", lull_dap_threads, true, false},
    {"stackTrace", lull_dap_stack, true, false},
    {"scopes", lull_dap_scopes, true, false},
    {"variables", lull_dap_variables, true, false},
    {"setVariable", lull_dap_set_variable, true, false},
    {"setExpression", lull_dap_set_expression, true, false},
    {"evaluate", lull_dap_evaluate, true, false},
    {"breakpointLocations", lull_dap_locations, true, false},
    {"completions", lull_dap_completions, true, false},
    {"exceptionInfo", lull_dap_exception_info, true, false},
    {"modules", lull_dap_modules, true, false},
    {"loadedSources", lull_dap_sources, true, false},
    {"gotoTargets", lull_dap_goto_targets, true, false},
    {"goto", lull_dap_goto, true, false},
    {"stepInTargets", lull_dap_step_in_targets, true, false},
    {"cancel", nothing, false, false}, // each request is answered before the next is looked at
    {"disassemble", lull_dap_disassemble, true, false},
    {"readMemory", lull_dap_read, true, false},
    {"writeMemory", lull_dap_write, true, false},
};

enum { NREQUESTS = sizeof requests / sizeof requests[0] };

static size_t find(const char *name)
{
    size_t i = 0;
    while (i < NREQUESTS && (name == NULL || strcmp(requests[i].name, name) != 0)) {
        i++;
    }
    return i;
}

/** Ask the session, which is new, for all that the client has set. */
static void ask_again(struct lull_dap *p)
{
    const json_t *v = NULL;
    size_t i = 0;
    p->replaying = true;
    json_array_foreach(p->asked, i, v)
    {
        json_t *body = json_object();
        const size_t n = find(lull_dap_text(v, "command"));
        lull_error_free(requests[n].run(p, json_object_get(v, "arguments"), body));
        json_decref(body);
    }
    p->replaying = false;
}

/** Open what was launched anew, with the checks @p names, a list with commas. */
LULL_MUST_USE static struct lull_error *open_with(struct lull_dap *p, const char *names)
{
    char *copy = names != NULL && *names != '\0' ? strdup(names) : NULL;
    free(p->checks);
    p->checks = copy;
    lull_dap_forget(p);
    lull_dap_drop_all(p);
    p->d = NULL;
    p->host->close(p->host->ctx);
    struct lull_error *err = lull_dap_open(p);
    if (err == NULL) {
        ask_again(p);
    }
    return err;
}

/** The filters that the client has chosen last; NULL: it has not. */
static const json_t *last_filters(const struct lull_dap *p)
{
    const json_t *last = NULL, *v = NULL;
    size_t i = 0;
    json_array_foreach(p->asked, i, v)
    {
        const char *name = lull_dap_text(v, "command");
        last = name != NULL && strcmp(name, SET_FILTERS) == 0 ? v : last;
    }
    return json_object_get(last, "arguments");
}

/** A check watches from the beginning, so the client's choice comes too late by one request: what
 * was launched is opened anew, with the checks. It has not run yet, or is to begin again, so
 * nothing of it is lost. */
static void have_checks(struct lull_dap *p, const char *name, const json_t *args)
{
    const bool set = strcmp(name, SET_FILTERS) == 0;
    const json_t *filters = set ? args : strcmp(name, "restart") == 0 ? last_filters(p) : NULL;
    free(p->no_checks);
    p->no_checks = NULL;
    if (filters == NULL || !lull_dap_more_checks(p, filters) || p->host->close == NULL ||
        p->attached || (set && p->d->started)) {
        return;
    }
    lull_cleanup(lull_str_free) struct lull_str before = {0};
    lull_str_addf(&before, "%s", p->checks != NULL ? p->checks : "");
    struct lull_error *err = open_with(p, p->stops);
    if (err != NULL) { // Of an Adreno, of a capture: as it was.
        p->no_checks = strdup(lull_error_message(err));
        lull_error_free(err);
        err = open_with(p, lull_str_text(&before));
        p->over = err != NULL;
        lull_error_free(err);
    }
}

/** Remember what sets breakpoints. */
static void remember(struct lull_dap *p, const char *name, const json_t *args)
{
    const size_t size = strlen(name), end = sizeof "Breakpoints" - 1;
    if (size > end && strcmp(name + size - end, "Breakpoints") == 0 &&
        json_array_size(p->asked) < MOST_ASKED) {
        json_array_append_new(p->asked, json_pack("{s:s,s:O}", "command", name, "arguments", args));
    }
}

/** What stops it is told, and that the client may go on. */
static void failed(struct lull_dap *p, struct lull_error *err)
{
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    lull_str_addf(&text, "%s\n", lull_error_message(err));
    lull_dap_output(p, "important", lull_str_text(&text), text.size);
    lull_error_free(err);
    if (!p->told_end) {
        lull_dap_event(
            p, "stopped",
            json_pack("{s:s,s:i,s:b}", "reason", "pause", "threadId",
                      (int)(p->d->has_focus ? p->d->focus + LULL_DAP_FIRST_WAVE : LULL_DAP_NO_WAVE),
                      "allThreadsStopped", 1));
    }
}

static void handle(struct lull_dap *p, const json_t *m)
{
    const char *type = lull_dap_text(m, "type"), *name = lull_dap_text(m, "command");
    const size_t i = find(name);
    struct lull_error *err = NULL;
    if (type == NULL || strcmp(type, "request") != 0) {
        return; // Answers to what was not asked.
    }
    if (i == NREQUESTS) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "request '%s' is not known here",
                             name != NULL ? name : "");
    } else if (requests[i].session && p->d == NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "%s: nothing was launched", name);
    }
    json_t *empty = json_object(), *given = json_object_get(m, "arguments"), *body = json_object();
    const json_t *args = json_is_object(given) ? given : empty;
    const bool goes = err == NULL && requests[i].goes;
    if (goes) {
        lull_dap_answer(p, m, body, NULL);
        body = json_object();
        p->running = true;
        lull_dap_progress(p, true);
    }
    if (err == NULL && p->d != NULL) {
        have_checks(p, name, args);
        err = p->d == NULL ? lull_error_new(LULL_ERR_INVALID, "%s: nothing is open any more", name)
                           : NULL;
    }
    if (err == NULL) {
        err = requests[i].run(p, args, body);
        remember(p, name, args);
    }
    p->running = false;
    if (goes) {
        lull_dap_progress(p, false);
    }
    if (p->d != NULL) {
        p->host->after(p->host->ctx);
        lull_dap_tell(p);
    }
    if (!goes) {
        lull_dap_answer(p, m, body, err);
        lull_error_free(err);
    } else {
        json_decref(body);
        if (err != NULL) {
            failed(p, err);
        }
    }
    json_decref(empty);
    if (!goes && i < NREQUESTS && p->d != NULL &&
        (requests[i].run == lull_dap_launch || requests[i].run == lull_dap_attach)) {
        lull_dap_event(p, "initialized", NULL);
    }
}

LULL_MUST_USE static struct lull_error *serve(struct lull_dap *p)
{
    struct lull_error *err = NULL;
    while (err == NULL && !p->over) {
        json_t *m =
            json_array_size(p->later) != 0 ? json_incref(json_array_get(p->later, 0)) : NULL;
        if (m != NULL) {
            json_array_remove(p->later, 0);
        } else {
            err = lull_dap_take(&p->wire, &m);
        }
        if (m != NULL) {
            handle(p, m);
            json_decref(m);
            err = p->broken;
            p->broken = NULL;
        } else if (err == NULL && p->wire.ended) {
            p->over = true;
        } else if (err == NULL) {
            err = lull_dap_listen(p, -1);
        }
    }
    return err;
}

struct lull_error *lull_dap_serve(const struct lull_dap_host *host, int *ret_status)
{
    struct lull_dap p = {.host = host,
                         .wire = {.in = host->in, .out = host->out},
                         .later = json_array(),
                         .asked = json_array(),
                         .trusted = host->token == NULL};
    struct lull_error *err = serve(&p);
    if (err != NULL) {
        lull_dap_output(&p, "important", lull_error_message(err), strlen(lull_error_message(err)));
    }
    if (p.d != NULL) {
        lull_debug_set_interrupt(p.d, p.interrupted, p.interrupt_ctx);
    }
    *ret_status = p.d != NULL ? p.d->status : 0;
    lull_dap_forget(&p);
    for (size_t i = 0; i < p.nbreaks; i++) {
        free(p.breaks[i].source);
    }
    free(p.breaks);
    json_decref(p.later);
    json_decref(p.asked);
    json_decref(p.launched);
    json_decref(p.functions);
    free(p.checks);
    free(p.stops);
    free(p.why);
    free(p.no_checks);
    free(p.refs);
    free(p.wire.bytes);
    return err;
}
