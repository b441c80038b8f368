// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/frame.h"
#include "debug/session/lines.h"
#include "debug/shell/shell.h"

/* The user's line has no code: the next one that has some is meant. */
static void show_moved(struct lull_debug *d, const char *place, uint32_t line, struct lull_str *out)
{
    uint64_t va = 0;
    struct lull_line first = {0};
    struct lull_error *err = lull_debug_location(d, place, &va);
    const bool known = err == NULL && lull_debug_line_at(d, va, &first);
    line = known ? first.line : line; // Behind a prologue it is another.
    lull_error_free(err);
    const char *colon = strrchr(place, ':');
    const char *digits = colon != NULL ? colon + 1 : place;
    char *end = NULL;
    const unsigned long asked = strtoul(digits, &end, 10);
    if (isdigit((unsigned char)*digits) && *end == '\0' && asked != line) {
        lull_str_addf(out, "; line %lu has no code", asked);
    }
}

/* " (3 places)", and how many of them do not count. */
static void show_places(const struct lull_breakpoint *b, struct lull_str *out)
{
    size_t off = b->first_off;
    for (size_t i = 0; i < b->nmore; i++) {
        off += b->more[i].off;
    }
    if (b->nmore != 0) {
        lull_str_addf(out, " (%zu places", b->nmore + 1);
        if (off != 0) {
            lull_str_addf(out, ", %zu of them off", off);
        }
        lull_str_addf(out, ")");
    }
}

static void json_places(struct lull_debug *d, struct lull_json *json,
                        const struct lull_breakpoint *b)
{
    uint64_t va = 0;
    bool on = false;
    struct lull_line line = {0};
    lull_json_key(json, "places");
    lull_json_open(json, '[');
    for (size_t i = 0; lull_debug_break_place(b, i, &va, &on); i++) {
        lull_json_open(json, '{');
        lull_json_put_hex(json, "address", va);
        lull_json_put_bool(json, "enabled", on);
        if (lull_debug_line_at(d, va, &line)) {
            lull_json_put_str(json, "file", line.file);
            lull_json_put_u64(json, "line", line.line);
        }
        lull_json_close(json, '}');
    }
    lull_json_close(json, ']');
}

LULL_MUST_USE static struct lull_error *new_breakpoint(struct lull_cmd *c, const char *place,
                                                       const char *condition, bool temporary)
{
    unsigned number = 0;
    struct lull_error *err = lull_debug_break(c->d, place, condition, temporary, &number);
    if (err != NULL) {
        return err;
    }
    const struct lull_breakpoint *b = lull_debug_breakpoint(c->d, number);
    const uint64_t va = b->va;
    if (b->kind == LULL_BREAK_PENDING) {
        lull_str_addf(c->out, "%s %u (%s%s%s) pending.\n",
                      temporary ? "Temporary breakpoint" : "Breakpoint", number, place,
                      condition != NULL ? " if " : "", condition != NULL ? condition : "");
        if (c->json != NULL) {
            lull_json_put_u64(c->json, "number", number);
            lull_json_put_bool(c->json, "pending", true);
        }
        return NULL;
    }
    lull_str_addf(c->out, "%s %u at 0x%012" PRIx64 " ",
                  temporary ? "Temporary breakpoint" : "Breakpoint", number, va);
    lull_debug_show_symbol(c->d, va, c->out);
    struct lull_line line = {0};
    if (lull_debug_line_at(c->d, va, &line)) {
        lull_str_addf(c->out, " at %s:%" PRIu32, line.file, line.line);
        lull_debug_show_sure(c->d, va, c->out);
        show_moved(c->d, place, line.line, c->out);
    }
    show_places(b, c->out);
    lull_str_addf(c->out, "\n");
    if (c->json != NULL) {
        lull_json_put_u64(c->json, "number", number);
        lull_json_put_hex(c->json, "address", va);
        json_places(c->d, c->json, b);
    }
    return NULL;
}

/* "PLACE at gid X[,Y[,Z]]" is a condition, which goes with another: into @p ret. */
LULL_MUST_USE static struct lull_error *at_gid(char *place, const char *condition,
                                               struct lull_str *ret)
{
    static const char axes[] = "xyz";
    static const char words[] = " at gid ";
    char *found = strstr(place, words);
    const char *at = found != NULL ? found + strlen(words) : "";
    uint64_t number = 0;
    bool good = found != NULL;
    for (unsigned i = 0; good && i < 3; i++) {
        good = lull_cmd_number(&at, &number);
        lull_str_addf(ret, "%s$gid_%c == %" PRIu64, i == 0 ? "" : " && ", axes[i], number);
        if (*at != ',') {
            break;
        }
        at++;
    }
    if (found != NULL && (!good || *at != '\0')) {
        return lull_error_new(LULL_ERR_INVALID,
                              "'%s': a work-item is X[,Y[,Z]], counted over the "
                              "whole grid",
                              found + 1);
    }
    if (found != NULL) {
        *found = '\0';
    }
    if (found != NULL && condition != NULL) {
        lull_str_addf(ret, " && (%s)", condition);
    }
    return NULL;
}

/* Of a kernel, which has one dispatch: `run` is `start` then. */
LULL_MUST_USE static struct lull_error *at_launch(struct lull_cmd *c, bool temporary)
{
    struct lull_debug *d = c->d;
    if (d->started) {
        return lull_error_new(LULL_ERR_INVALID, "it runs already: 'kill' first");
    }
    d->launch = temporary ? LULL_LAUNCH_ONCE : LULL_LAUNCH_STOP;
    lull_str_addf(c->out, "%s stops every wave at its first instruction\n",
                  temporary ? "The next run" : "Each run");
    return NULL;
}

/* "+2" or "-1": so many lines from where the focused wave is, as a place. */
LULL_MUST_USE static struct lull_error *from_here(struct lull_debug *d, long by,
                                                  struct lull_str *ret)
{
    struct lull_debug_wave *w = NULL;
    struct lull_frame f;
    struct lull_error *err = lull_debug_focused(d, &w);
    err = err != NULL || by == 0 ? err : lull_debug_frame(d, w, &f);
    if (err != NULL || by == 0) {
        return err;
    }
    const int64_t line = (int64_t)f.line.line + by;
    if (f.line.line == 0 || line < 1) {
        return lull_error_new(LULL_ERR_INVALID, "no line is %+ld from here", by);
    }
    lull_str_addf(ret, "%s:%" PRId64, f.line.file, line);
    return NULL;
}

LULL_MUST_USE static struct lull_error *any_break(struct lull_cmd *c, bool temporary)
{
    const char *at = c->args;
    if (lull_cmd_word(&at, "-launch")) {
        if (!lull_debug_is_program(c->d) && *at == '\0') {
            return at_launch(c, temporary);
        }
        return lull_cmd_catch_dispatch(c, at, temporary);
    }
    if (lull_cmd_word(&at, "packet")) {
        return lull_cmd_break_packet(c, at, temporary);
    }
    lull_cleanup(lull_freep) char *place = strdup(c->args);
    if (place == NULL) {
        return &lull_enomem;
    }
    char *condition = strncmp(place, "if ", 3) == 0 ? place : strstr(place, " if ");
    if (condition != NULL) {
        bool first = condition == place;
        *condition = '\0';
        condition += first ? 3 : 4;
    }
    lull_cleanup(lull_str_free) struct lull_str whole = {0};
    struct lull_error *err = at_gid(place, condition, &whole);
    if (err != NULL) {
        return err;
    }
    const char *test = whole.size != 0 ? lull_str_text(&whole) : condition;
    size_t n = strlen(place);
    while (n > 0 && isspace((unsigned char)place[n - 1])) {
        place[--n] = '\0';
    }
    const bool further =
        n > 1 && (*place == '+' || *place == '-') && strspn(place + 1, "0123456789") == n - 1;
    if (n != 0 && !further) {
        return new_breakpoint(c, place, test, temporary);
    }
    lull_cleanup(lull_str_free) struct lull_str from = {0};
    err = from_here(c->d, further ? strtol(place, NULL, 10) : 0, &from);
    return err != NULL ? err
                       : new_breakpoint(c, further ? lull_str_text(&from) : "$pc", test, temporary);
}

struct lull_error *lull_cmd_break(struct lull_cmd *c)
{
    return any_break(c, false);
}

struct lull_error *lull_cmd_tbreak(struct lull_cmd *c)
{
    return any_break(c, true);
}

struct lull_error *lull_cmd_dprintf(struct lull_cmd *c)
{
    lull_cleanup(lull_freep) char *place = strdup(c->args);
    char *comma = place != NULL ? strchr(place, ',') : NULL;
    unsigned number = 0;
    if (place == NULL) {
        return &lull_enomem;
    }
    if (comma == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "dprintf needs a place, a comma, and a format");
    }
    *comma++ = '\0';
    comma += strspn(comma, " ");
    struct lull_error *err = lull_debug_dprintf(c->d, place, comma, &number);
    if (err != NULL) {
        return err;
    }
    const uint64_t va = lull_debug_breakpoint(c->d, number)->va;
    lull_str_addf(c->out, "Dprintf %u at 0x%012" PRIx64 " ", number, va);
    lull_debug_show_symbol(c->d, va, c->out);
    lull_str_addf(c->out, "\n");
    if (c->json != NULL) {
        lull_json_put_u64(c->json, "number", number);
        lull_json_put_hex(c->json, "address", va);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *by_number(struct lull_debug *d, const char **at,
                                                  struct lull_breakpoint **ret)
{
    const char *text = *at;
    uint64_t n = 0;
    const bool newest = lull_cmd_word(at, "$bpnum");
    n = newest ? d->next_breakpoint - 1 : 0;
    bool number = (newest || lull_cmd_number(at, &n)) && n != 0 && n < LULL_PASSING_BREAKPOINT;
    struct lull_breakpoint *b = number ? lull_debug_breakpoint(d, (unsigned)n) : NULL;
    if (b == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "no breakpoint '%s'", text);
    }
    *ret = b;
    return NULL;
}

enum change { DELETE, ENABLE, DISABLE, ENABLE_DELETE };

/* "2-5": those that there are of these numbers. @p ret_is: it is a range. */
LULL_MUST_USE static struct lull_error *range(const struct lull_debug *d, const char **at,
                                              bool *named, bool *ret_is)
{
    const size_t digits = strspn(*at, "0123456789");
    const char *last_at = *at + digits + 1;
    uint64_t last = 0;
    bool any = false;
    *ret_is = digits != 0 && (*at)[digits] == '-' && isdigit((unsigned char)*last_at);
    if (!*ret_is) {
        return NULL;
    }
    const uint64_t first = strtoull(*at, NULL, 10);
    const bool good = lull_cmd_number(&last_at, &last);
    for (size_t i = 0; good && i < d->nbreakpoints; i++) {
        const unsigned number = d->breakpoints[i]->number;
        const bool in = number != 0 && number >= first && number <= last;
        named[i] = named[i] || in;
        any = any || in;
    }
    if (!any) {
        return lull_error_new(LULL_ERR_INVALID, "no breakpoint '%s'", *at);
    }
    *at = last_at;
    return NULL;
}

/* "2.1": a place of a breakpoint. @p ret_is: it is one, and was changed. */
LULL_MUST_USE static struct lull_error *change_place(struct lull_debug *d, const char **at,
                                                     enum change what, bool *ret_is)
{
    const size_t n = strspn(*at, "0123456789");
    char *end = NULL;
    *ret_is = n != 0 && (*at)[n] == '.' && isdigit((unsigned char)(*at)[n + 1]);
    if (!*ret_is) {
        return NULL;
    }
    const unsigned long number = strtoul(*at, NULL, 10);
    const unsigned long place = strtoul(*at + n + 1, &end, 10);
    struct lull_breakpoint *b =
        number != 0 && number < UINT32_MAX ? lull_debug_breakpoint(d, (unsigned)number) : NULL;
    if (b == NULL || place == 0 || place > b->nmore + 1 || (*end != '\0' && *end != ' ')) {
        return lull_error_new(LULL_ERR_INVALID, "no place '%s' of a breakpoint", *at);
    }
    if (what == DELETE) {
        return lull_error_new(LULL_ERR_INVALID,
                              "a place of a breakpoint cannot be deleted: "
                              "'disable %lu.%lu' turns it off",
                              number, place);
    }
    bool *off = place == 1 ? &b->first_off : &b->more[place - 2].off;
    *off = what == DISABLE;
    *at = end + strspn(end, " ");
    return NULL;
}

static void change_one(struct lull_breakpoint *b, enum change what, unsigned times)
{
    if (what == DELETE) {
        lull_debug_delete_breakpoint(b);
    } else {
        b->enabled = what != DISABLE;
        b->temporary = b->temporary || what == ENABLE_DELETE;
        b->left = what == ENABLE ? times : 0;
    }
}

/* What stands behind "enable": delete, once, or count N. */
LULL_MUST_USE static struct lull_error *how_enabled(const char **at, enum change *what,
                                                    unsigned *times)
{
    uint64_t n = 0;
    if (lull_cmd_word(at, "delete")) {
        *what = ENABLE_DELETE;
    } else if (lull_cmd_word(at, "once")) {
        *times = 1;
    } else if (lull_cmd_word(at, "count")) {
        if (!lull_cmd_number(at, &n) || n == 0 || n > UINT32_MAX) {
            return lull_error_new(LULL_ERR_INVALID, "'%s': enable count needs a number", *at);
        }
        *times = (unsigned)n;
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *change(struct lull_cmd *c, enum change what)
{
    const size_t n = c->d->nbreakpoints;
    lull_cleanup(lull_freep) bool *named = calloc(n + 1, sizeof *named);
    if (named == NULL) {
        return &lull_enomem;
    }
    (void)lull_cmd_word(&c->args, "breakpoints"); // "delete breakpoints 1"
    unsigned times = 0;
    struct lull_error *wrong = what == ENABLE ? how_enabled(&c->args, &what, &times) : NULL;
    if (wrong != NULL) {
        return wrong;
    }
    for (const char *at = c->args; *at != '\0';) {
        struct lull_breakpoint *b = NULL;
        bool place = false;
        bool several = false;
        struct lull_error *err = change_place(c->d, &at, what, &place);
        err = err != NULL ? err : range(c->d, &at, named, &several);
        if (err == NULL && !place && !several) {
            err = by_number(c->d, &at, &b);
        }
        if (err != NULL) {
            return err;
        }
        if (b != NULL) {
            for (size_t i = 0; i < n; i++) {
                named[i] = named[i] || c->d->breakpoints[i] == b;
            }
        }
    }
    for (size_t i = 0; i < c->d->nbreakpoints; i++) {
        if (*c->args == '\0' || named[i]) {
            change_one(c->d->breakpoints[i], what, times);
        }
    }
    return lull_debug_sync_breakpoints(c->d);
}

struct lull_error *lull_cmd_delete(struct lull_cmd *c)
{
    return change(c, DELETE);
}

struct lull_error *lull_cmd_enable(struct lull_cmd *c)
{
    return change(c, ENABLE);
}

struct lull_error *lull_cmd_disable(struct lull_cmd *c)
{
    return change(c, DISABLE);
}

struct lull_error *lull_cmd_condition(struct lull_cmd *c)
{
    const char *at = c->args;
    struct lull_breakpoint *b = NULL;
    struct lull_error *err = by_number(c->d, &at, &b);
    if (err != NULL) {
        return err;
    }
    return lull_debug_condition(c->d, b->number, *at != '\0' ? at : NULL);
}

struct lull_error *lull_cmd_ignore(struct lull_cmd *c)
{
    const char *at = c->args;
    struct lull_breakpoint *b = NULL;
    struct lull_error *err = by_number(c->d, &at, &b);
    if (err != NULL) {
        return err;
    }
    uint64_t n = 0;
    err = lull_cmd_count(at, 0, UINT32_MAX, &n);
    b->ignore = err == NULL ? (unsigned)n : b->ignore;
    return err;
}

/* "2.1  enabled  0x... <v+0x68> at u.cl:10", of a breakpoint with several. */
static void rows_of_places(struct lull_cmd *c, const struct lull_breakpoint *b)
{
    uint64_t va = 0;
    bool on = false;
    for (size_t i = 0; b->nmore != 0 && lull_debug_break_place(b, i, &va, &on); i++) {
        struct lull_line line = {0};
        lull_str_addf(c->out, "%u.%zu      %-8s 0x%012" PRIx64 " ", b->number, i + 1,
                      on ? "enabled" : "disabled", va);
        lull_debug_show_symbol(c->d, va, c->out);
        if (lull_debug_line_at(c->d, va, &line)) {
            lull_str_addf(c->out, " at %s:%" PRIu32, line.file, line.line);
        }
        lull_str_addf(c->out, "\n");
    }
}

static void show_one(struct lull_cmd *c, const struct lull_breakpoint *b)
{
    static const char *const watches[] = {
        [LULL_WATCH_WRITE] = "watch", [LULL_WATCH_READ] = "rwatch", [LULL_WATCH_ACCESS] = "awatch"};
    lull_str_addf(c->out, "%-3u %s %-8s ", b->number, b->temporary ? "once" : "keep",
                  b->enabled ? "enabled" : "disabled");
    if (b->kind == LULL_BREAK_EXCEPTION) {
        lull_str_addf(c->out, "catch fp %s", b->what);
    } else if (b->kind == LULL_BREAK_PACKET) {
        lull_str_addf(c->out, "packet %s", b->what);
    } else if (b->kind == LULL_BREAK_PENDING) {
        lull_str_addf(c->out, "<PENDING> %s", b->what);
    } else if (b->kind == LULL_BREAK_CATCH) {
        lull_str_addf(c->out, "catch %s %s%s",
                      b->by == LULL_CATCHPOINT_FRAME ? "frame"
                      : b->draw                      ? "draw"
                                                     : "dispatch",
                      b->by == LULL_CATCHPOINT_NAME ? "name " : "", b->what);
    } else {
        if (b->value == NULL) {
            lull_str_addf(c->out, "0x%012" PRIx64 " ", b->va);
        }
    }
    if (b->kind == LULL_BREAK_WATCH) {
        lull_str_addf(c->out, "%s%s %s", watches[b->watch], b->software ? " --software" : "",
                      b->what);
    } else if (b->kind == LULL_BREAK_CODE) {
        struct lull_line line = {0};
        lull_debug_show_symbol(c->d, b->va, c->out);
        if (b->nmore == 0 && lull_debug_line_at(c->d, b->va, &line)) {
            lull_str_addf(c->out, " at %s:%" PRIu32, line.file, line.line);
        }
        show_places(b, c->out);
        lull_str_addf(c->out, "%s", b->print != NULL ? " dprintf" : "");
    }
    lull_str_addf(c->out, " hit %u time%s%s%s\n", b->hits, b->hits == 1 ? "" : "s",
                  b->condition != NULL ? ", if " : "", b->condition != NULL ? b->condition : "");
    rows_of_places(c, b);
    for (const char *line = b->commands; line != NULL && *line != '\0';) {
        const int n = (int)strcspn(line, "\n");
        lull_str_addf(c->out, "        %.*s\n", n, line);
        line += n + (line[n] != '\0');
    }
}

LULL_MUST_USE static struct lull_error *list(struct lull_cmd *c, bool watchpoints)
{
    unsigned n = 0;
    const char *at = c->args;
    struct lull_breakpoint *only = NULL;
    struct lull_error *err = *at != '\0' ? by_number(c->d, &at, &only) : NULL;
    if (err != NULL) {
        return err;
    }
    if (c->json != NULL) {
        lull_json_key(c->json, "breakpoints");
        lull_json_open(c->json, '[');
    }
    for (size_t i = 0; i < c->d->nbreakpoints; i++) {
        const struct lull_breakpoint *b = c->d->breakpoints[i];
        if (b->number == 0 || (only != NULL && b != only) ||
            (watchpoints && b->kind != LULL_BREAK_WATCH)) {
            continue;
        }
        n++;
        show_one(c, b);
        if (c->json != NULL) {
            lull_json_open(c->json, '{');
            static const char *const kinds[] = {"code",      "watch",  "catch",
                                                "exception", "packet", "pending"};
            lull_json_put_u64(c->json, "number", b->number);
            lull_json_put_str(c->json, "kind", b->print != NULL ? "dprintf" : kinds[b->kind]);
            lull_json_put_str(c->json, "what", b->what != NULL ? b->what : "");
            lull_json_put_hex(c->json, "address", b->va);
            lull_json_put_bool(c->json, "enabled", b->enabled);
            if (b->kind == LULL_BREAK_CODE) {
                json_places(c->d, c->json, b);
            }
            lull_json_put_u64(c->json, "hits", b->hits);
            lull_json_close(c->json, '}');
        }
    }
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    if (n == 0) {
        lull_str_addf(c->out, "No %s.\n", watchpoints ? "watchpoints" : "breakpoints");
    }
    return NULL;
}

struct lull_error *lull_cmd_info_breakpoints(struct lull_cmd *c)
{
    return list(c, false);
}

struct lull_error *lull_cmd_info_watchpoints(struct lull_cmd *c)
{
    return list(c, true);
}
