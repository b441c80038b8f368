// SPDX-License-Identifier: MIT
// Breakpoints of all kinds. The client sends all of one kind, or of one source, each time.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "debug/dap/dap_priv.h"
#include "debug/session/engine.h"

/** Those that stop at a dispatch or a draw, and exceptions of floats. */
static const struct {
    const char *name, *label, *text;
    uint32_t exception; ///< 0: dispatches or draws.
    bool draw;
} filters[] = {
    {"dispatch", "Each dispatch",
     "Stop in front of dispatches; the condition is a name's regular expression", 0, false},
    {"draw", "Each draw", "Stop in front of draws; the condition is a name's regular expression", 0,
     true},
    {"invalid", "Float: invalid", "0/0, the square root of -1: a NaN is made",
     LULL_EXCEPTION_INVALID, false},
    {"divzero", "Float: division by zero", "1/0: an infinity is made", LULL_EXCEPTION_DIVZERO,
     false},
    {"overflow", "Float: overflow", "A result is too large", LULL_EXCEPTION_OVERFLOW, false},
    {"underflow", "Float: underflow", "A result is too small", LULL_EXCEPTION_UNDERFLOW, false},
    {"intdiv", "Integer: division by zero", "As the hardware tells it", LULL_EXCEPTION_INT_DIVZERO,
     false},
};

enum { NFILTERS = sizeof filters / sizeof filters[0] };

json_t *lull_dap_filters(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < NFILTERS; i++) {
        json_array_append_new(list,
                              json_pack("{s:s,s:s,s:s,s:b,s:b}", "filter", filters[i].name, "label",
                                        filters[i].label, "description", filters[i].text, "default",
                                        0, "supportsCondition", filters[i].exception == 0));
    }
    lull_dap_check_filters(list);
    return list;
}

bool lull_dap_knows(const struct lull_dap *p, unsigned number)
{
    for (size_t i = 0; i < p->nbreaks; i++) {
        if (p->breaks[i].number == number) {
            return true;
        }
    }
    return false;
}

/** Delete those of a kind, and of a source if @p source is not NULL. */
static void drop(struct lull_dap *p, const char *kind, const char *source)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->nbreaks; i++) {
        const struct lull_dap_break b = p->breaks[i];
        if (strcmp(b.kind, kind) == 0 &&
            (source == NULL || (b.source != NULL && strcmp(b.source, source) == 0))) {
            lull_error_free(lull_debug_delete(p->d, b.number)); // A temporary one is gone already.
            free(b.source);
        } else {
            p->breaks[kept++] = b;
        }
    }
    p->nbreaks = kept;
}

void lull_dap_drop_all(struct lull_dap *p)
{
    for (size_t i = 0; i < p->nbreaks; i++) {
        free(p->breaks[i].source);
    }
    p->nbreaks = 0;
}

LULL_MUST_USE static struct lull_error *keep(struct lull_dap *p, unsigned number, const char *kind,
                                             const char *source)
{
    char *copy = source != NULL ? strdup(source) : NULL;
    if (p->nbreaks == p->breaks_room) {
        const size_t room = p->breaks_room == 0 ? 16 : 2 * p->breaks_room;
        struct lull_dap_break *all = reallocarray(p->breaks, room, sizeof *all);
        p->breaks = all != NULL ? all : p->breaks;
        p->breaks_room = all != NULL ? room : p->breaks_room;
    }
    if ((source != NULL && copy == NULL) || p->nbreaks == p->breaks_room) {
        lull_error_free(lull_debug_delete(p->d, number));
        free(copy);
        return &lull_enomem;
    }
    const struct lull_breakpoint *b = lull_debug_breakpoint(p->d, number);
    const bool waits = b != NULL && b->kind == LULL_BREAK_PENDING;
    p->breaks[p->nbreaks++] = (struct lull_dap_break){number, kind, copy, waits};
    return NULL;
}

/** "n": pass it n - 1 times; also ">= n" and "> n". */
LULL_MUST_USE static struct lull_error *set_hits(struct lull_dap *p, unsigned number,
                                                 const char *hits)
{
    const char *at = hits + strspn(hits, "=> ");
    char *end = NULL;
    const unsigned long n = strtoul(at, &end, 10);
    const bool more = strcspn(hits, ">") < strcspn(hits, "=0123456789");
    if (end == at || *end != '\0' || n == 0 || n > UINT32_MAX ||
        (more && hits[1] != '=' && n == UINT32_MAX)) {
        return lull_error_new(LULL_ERR_INVALID, "hitCondition '%s': not a number from 1 on", hits);
    }
    return lull_debug_ignore(p->d, number,
                             (unsigned)(more && strchr(hits, '=') == NULL ? n : n - 1));
}

/** What stands between braces: EXPRESSION, printed as %d, or EXPRESSION:g, with that letter. */
static void log_value(const char *text, size_t n, struct lull_str *format, struct lull_str *values)
{
    const bool letter = n > 2 && text[n - 2] == ':' && strchr("duxXofeEgGac", text[n - 1]) != NULL;
    lull_str_addf(format, "%%%c", letter ? text[n - 1] : 'd');
    lull_str_addf(values, ",%.*s", (int)(letter ? n - 2 : n), text);
}

/** A log message, "x is {x}", as dprintf takes it: "x is %d",x. */
static void log_format(const char *message, struct lull_str *out)
{
    lull_cleanup(lull_str_free) struct lull_str values = {0};
    lull_str_addf(out, "\"");
    for (const char *at = message; *at != '\0'; at++) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        if (end != NULL) {
            log_value(at + 1, (size_t)(end - at - 1), out, &values);
            at = end;
        } else if (*at == '"' || *at == '\\') {
            lull_str_addf(out, "\\%c", *at);
        } else {
            lull_str_addf(out, "%s%c", *at == '%' ? "%" : "", *at);
        }
    }
    lull_str_addf(out, "\\n\"%s", lull_str_text(&values));
}

/** One in code at @p place, with the condition, hit count and log message that @p asked has. */
LULL_MUST_USE static struct lull_error *set_code(struct lull_dap *p, const char *place,
                                                 const json_t *asked, unsigned *ret)
{
    const char *condition = lull_dap_text(asked, "condition");
    const char *hits = lull_dap_text(asked, "hitCondition");
    const char *message = lull_dap_text(asked, "logMessage");
    struct lull_error *err = NULL;
    condition = condition != NULL && *condition != '\0' ? condition : NULL;
    if (message != NULL && *message != '\0') {
        lull_cleanup(lull_str_free) struct lull_str format = {0};
        log_format(message, &format);
        err = lull_debug_dprintf(p->d, place, lull_str_text(&format), ret);
        err = err != NULL || condition == NULL ? err : lull_debug_condition(p->d, *ret, condition);
    } else {
        err = lull_debug_break(p->d, place, condition, false, ret);
    }
    if (err == NULL && hits != NULL && *hits != '\0') {
        err = set_hits(p, *ret, hits);
    }
    if (err != NULL && *ret != 0) {
        lull_error_free(lull_debug_delete(p->d, *ret));
        *ret = 0;
    }
    return err;
}

/** What the client is told of a breakpoint. Frees @p err. */
static json_t *told(struct lull_dap *p, unsigned number, struct lull_error *err)
{
    const struct lull_breakpoint *have = lull_debug_breakpoint(p->d, number);
    const bool waits = have != NULL && have->kind == LULL_BREAK_PENDING;
    json_t *b = json_pack("{s:b}", "verified", err == NULL && !waits);
    struct lull_debug_source line;
    if (err != NULL) {
        json_object_set_new(b, "message", json_string(lull_error_message(err)));
        lull_error_free(err);
        return b;
    }
    json_object_set_new(b, "id", json_integer(number));
    if (waits) {
        json_object_set_new(b, "message", json_string("no code yet has this line"));
    }
    if (have != NULL && have->kind == LULL_BREAK_CODE) {
        struct lull_error *no = lull_debug_source(p->d, have->va, &line);
        if (no == NULL) {
            json_object_set_new(b, "line", json_integer(line.line - p->lines_from_0));
            json_object_set_new(b, "source", lull_dap_file(p, line.file));
        }
        lull_error_free(no);
        json_object_set_new(b, "instructionReference", json_sprintf("0x%" PRIx64, have->va));
    }
    return b;
}

void lull_dap_tell_breaks(struct lull_dap *p)
{
    for (size_t i = 0; i < p->nbreaks; i++) {
        struct lull_dap_break *b = &p->breaks[i];
        const struct lull_breakpoint *have = lull_debug_breakpoint(p->d, b->number);
        if (b->waits && have != NULL && have->kind != LULL_BREAK_PENDING) {
            lull_dap_event(p, "breakpoint",
                           json_pack("{s:s,s:o}", "reason", "changed", "breakpoint",
                                     told(p, b->number, NULL)));
            b->waits = false;
        }
    }
}

/** At a line: the client has a path, the compiler may have written another for the same file. */
LULL_MUST_USE static struct lull_error *set_line(struct lull_dap *p, const char *path,
                                                 json_int_t line, const json_t *asked,
                                                 unsigned *ret)
{
    lull_cleanup(lull_str_free) struct lull_str place = {0}, name = {0};
    const char *base = strrchr(path, '/');
    lull_str_addf(&place, "%s:%" JSON_INTEGER_FORMAT, path, line);
    lull_str_addf(&name, "%s:%" JSON_INTEGER_FORMAT, base != NULL ? base + 1 : path, line);
    const enum lull_debug_pending pending = p->d->pending;
    p->d->pending = LULL_PENDING_OFF;
    struct lull_error *err = set_code(p, lull_str_text(&place), asked, ret);
    p->d->pending = LULL_PENDING_ON; // For code that comes; its compiler names the file as it will.
    if (err != NULL && base != NULL) {
        struct lull_error *again = set_code(p, lull_str_text(&name), asked, ret);
        lull_error_free(err);
        err = again;
    }
    p->d->pending = pending;
    return err;
}

struct lull_error *lull_dap_set_breakpoints(struct lull_dap *p, const json_t *args, json_t *body)
{
    const json_t *source = json_object_get(args, "source");
    const json_t *list = json_object_get(args, "breakpoints"), *v = NULL;
    const char *path = lull_dap_text(source, "path");
    json_t *answers = json_array();
    size_t i = 0;
    path = path != NULL ? path : lull_dap_text(source, "name");
    json_object_set_new(body, "breakpoints", answers);
    if (path == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "setBreakpoints: no source");
    }
    drop(p, "source", path);
    json_array_foreach(list, i, v)
    {
        unsigned number = 0;
        json_int_t line = 0;
        struct lull_error *err = lull_dap_number(v, "line", 0, INT32_MAX, 0, &line);
        err = err != NULL ? err : set_line(p, path, line + p->lines_from_0, v, &number);
        err = err != NULL ? err : keep(p, number, "source", path);
        json_array_append_new(answers, told(p, number, err));
    }
    return NULL;
}

/** Makes one breakpoint as @p asked says. */
typedef struct lull_error *set_one(struct lull_dap *p, const json_t *asked, unsigned *ret);

/** All breakpoints of a kind anew. */
LULL_MUST_USE static struct lull_error *set_all(struct lull_dap *p, const json_t *args,
                                                json_t *body, const char *kind, set_one *set)
{
    const json_t *list = json_object_get(args, "breakpoints"), *v = NULL;
    json_t *answers = json_array();
    size_t i = 0;
    json_object_set_new(body, "breakpoints", answers);
    drop(p, kind, NULL);
    json_array_foreach(list, i, v)
    {
        unsigned number = 0;
        struct lull_error *err = set(p, v, &number);
        err = err != NULL ? err : keep(p, number, kind, NULL);
        json_array_append_new(answers, told(p, number, err));
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *set_function(struct lull_dap *p, const json_t *asked,
                                                     unsigned *ret)
{
    const char *name = lull_dap_text(asked, "name");
    return name != NULL ? set_code(p, name, asked, ret)
                        : lull_error_new(LULL_ERR_INVALID, "no name of a function");
}

struct lull_error *lull_dap_set_functions(struct lull_dap *p, const json_t *args, json_t *body)
{
    return set_all(p, args, body, "function", set_function);
}

LULL_MUST_USE static struct lull_error *set_instruction(struct lull_dap *p, const json_t *asked,
                                                        unsigned *ret)
{
    lull_cleanup(lull_str_free) struct lull_str place = {0};
    uint64_t va = 0;
    struct lull_error *err = lull_dap_address(asked, "instructionReference", &va);
    lull_str_addf(&place, "*0x%" PRIx64, va);
    return err != NULL ? err : set_code(p, lull_str_text(&place), asked, ret);
}

struct lull_error *lull_dap_set_instructions(struct lull_dap *p, const json_t *args, json_t *body)
{
    return set_all(p, args, body, "instruction", set_instruction);
}

struct lull_error *lull_dap_data_info(struct lull_dap *p, const json_t *args, json_t *body)
{
    const char *name = lull_dap_text(args, "name");
    struct lull_typed_value v = {.place.kind = LULL_PLACE_NONE};
    struct lull_error *err = name != NULL ? lull_debug_evaluate(p->d, name, &v)
                                          : lull_error_new(LULL_ERR_INVALID, "no name");
    const unsigned n = p->d->lane < v.place.lanes ? p->d->lane : 0;
    if (err == NULL && v.place.kind == LULL_PLACE_MEMORY) {
        json_object_set_new(body, "dataId",
                            json_sprintf("{u%u}0x%" PRIx64, v.value.type.bits, v.place.address[n]));
        json_object_set_new(
            body, "description",
            json_sprintf("%u bits at 0x%" PRIx64, v.value.type.bits, v.place.address[n]));
        json_object_set_new(body, "accessTypes",
                            json_pack("[s,s,s]", "read", "write", "readWrite"));
        return NULL;
    }
    if (err == NULL) { // In registers, LDS, scratch memory: of the wave in focus, when it changes.
        json_object_set_new(body, "dataId", json_sprintf("wave %u:%s", p->d->focus, name));
        json_object_set_new(body, "description", json_sprintf("%s of wave %u", name, p->d->focus));
        json_object_set_new(body, "accessTypes", json_pack("[s]", "write"));
        return NULL;
    }
    json_object_set_new(body, "dataId", json_null());
    json_object_set_new(body, "description", json_string(lull_error_message(err)));
    lull_error_free(err);
    return NULL;
}

/** "wave N:EXPR": that wave is looked at. *@p id: behind it. */
LULL_MUST_USE static struct lull_error *focus_of(struct lull_dap *p, const char **id)
{
    char *end = NULL;
    if (strncmp(*id, "wave ", 5) != 0) {
        return NULL;
    }
    const unsigned long wave = strtoul(*id + 5, &end, 10);
    if (*end != ':' || wave > INT32_MAX) {
        return lull_error_new(LULL_ERR_INVALID, "dataId: '%s'", *id);
    }
    *id = end + 1;
    return p->d->has_focus && p->d->focus == wave
               ? NULL
               : lull_dap_focus(p, (json_int_t)wave + LULL_DAP_FIRST_WAVE);
}

LULL_MUST_USE static struct lull_error *set_watch(struct lull_dap *p, const json_t *asked,
                                                  unsigned *ret)
{
    const char *id = lull_dap_text(asked, "dataId"), *access = lull_dap_text(asked, "accessType");
    const char *hits = lull_dap_text(asked, "hitCondition");
    const enum lull_watch_kind kind = access == NULL || strcmp(access, "write") == 0
                                          ? LULL_WATCH_WRITE
                                      : strcmp(access, "read") == 0 ? LULL_WATCH_READ
                                                                    : LULL_WATCH_ACCESS;
    if (id == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "no dataId");
    }
    struct lull_error *err = focus_of(p, &id);
    err = err != NULL
              ? err
              : lull_debug_watch(p->d, id, kind, false, lull_dap_text(asked, "condition"), ret);
    err = err != NULL || hits == NULL ? err : set_hits(p, *ret, hits);
    if (err != NULL && *ret != 0) {
        lull_error_free(lull_debug_delete(p->d, *ret));
    }
    return err;
}

struct lull_error *lull_dap_set_data(struct lull_dap *p, const json_t *args, json_t *body)
{
    return set_all(p, args, body, "data", set_watch);
}

LULL_MUST_USE static struct lull_error *set_filter(struct lull_dap *p, const char *name,
                                                   const char *condition, unsigned *ret)
{
    size_t i = 0;
    while (i < NFILTERS && (name == NULL || strcmp(filters[i].name, name) != 0)) {
        i++;
    }
    if (i == NFILTERS) {
        return lull_error_new(LULL_ERR_INVALID, "no filter '%s'", name != NULL ? name : "");
    }
    if (filters[i].exception != 0) {
        return lull_debug_catch_exceptions(p->d, filters[i].exception, ret);
    }
    const bool all = condition == NULL || *condition == '\0';
    const enum lull_catchpoint by = all ? LULL_CATCHPOINT_ALL : LULL_CATCHPOINT_NAME;
    return filters[i].draw ? lull_debug_catch_draw(p->d, by, all ? "" : condition, false, ret)
                           : lull_debug_catch(p->d, by, all ? "" : condition, false, ret);
}

/** A check has no number. */
static json_t *check_told(const struct lull_dap *p, const char *name)
{
    if (lull_dap_is_checked(p, name)) {
        return json_pack("{s:b}", "verified", 1);
    }
    return json_pack("{s:b,s:s}", "verified", 0, "message",
                     p->no_checks != NULL
                         ? p->no_checks
                         : "a check watches from the beginning: from the next start on");
}

struct lull_error *lull_dap_set_exceptions(struct lull_dap *p, const json_t *args, json_t *body)
{
    const char *const keys[] = {"filters", "filterOptions"};
    json_t *answers = json_array();
    json_object_set_new(body, "breakpoints", answers);
    drop(p, "exception", NULL);
    lull_dap_stop_for_checks(p);
    for (size_t k = 0; k < 2; k++) {
        const json_t *list = json_object_get(args, keys[k]), *v = NULL;
        size_t i = 0;
        json_array_foreach(list, i, v)
        {
            unsigned number = 0;
            const char *name = k == 0 ? json_string_value(v) : lull_dap_text(v, "filterId");
            if (lull_dap_check_of(name) != NULL) {
                json_array_append_new(answers, check_told(p, lull_dap_check_of(name)));
                continue;
            }
            struct lull_error *err =
                set_filter(p, name, k == 0 ? NULL : lull_dap_text(v, "condition"), &number);
            err = err != NULL ? err : keep(p, number, "exception", NULL);
            json_array_append_new(answers, told(p, number, err));
        }
    }
    return NULL;
}
