// SPDX-License-Identifier: MIT
/* What fingers used to gdb type: its other words for commands, and those of which lull has
 * something else. Source of the words: gdb's manual, command index. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/lines.h"
#include "debug/shell/shell.h"

/** gdb's word, and what it is here. */
struct word {
    const char *gdb, *here;
};

static const struct word same[] = {{"delete display", "undisplay"},
                                   {"disable display", "undisplay"},
                                   {"faas", "frame apply all -s"},
                                   {"hbreak", "break"},
                                   {"inspect", "print"},
                                   {"select-frame", "frame"},
                                   {"taas", "thread apply all -s"},
                                   {"tfaas", "thread apply all -s frame apply all -s"},
                                   {"thbreak", "tbreak"}};

static const struct word instead[] = {
    {"alias", "'define NAME', lines, 'end' makes a command"},
    {"attach", "'lull debug --attach SOCKET' debugs programs of a running 'lull exec --socket'"},
    {"checkpoint", "'info when' tells the time, 'goto TIME' goes back to it"},
    {"compare-sections", "'x/i' and 'disassemble' read the GPU's own copy of the code"},
    {"detach", "'quit' leaves, 'kill' ends what runs"},
    {"explore", "'print' shows all members, 'ptype' their types"},
    {"find", "'dump memory FILE START SIZE' writes memory for other tools"},
    {"forward-search", "'shell grep -n WORD FILE' finds, 'list N' shows"},
    {"gcore", "'record save FILE' keeps a dispatch, 'lull debug --replay FILE' takes it up"},
    {"generate-core-file",
     "'record save FILE' keeps a dispatch, 'lull debug --replay FILE' takes it up"},
    {"jump", "'set $pc = ADDRESS', and 'continue'; 'info line N' tells the address of a line"},
    {"layout", "'list' and 'disassemble' show the place, 'lull debug --web' a page of waves"},
    {"macro", "macros are not in the debug information of shaders"},
    {"maintenance", "'show' and 'info' tell what there is"},
    {"monitor", "'show' tells the target"},
    {"pipe", "'lull debug --json' is for other programs, and Lua: 'lua TEXT'"},
    {"python", "'lua TEXT', or 'source FILE.lua'"},
    {"rbreak", "'info functions REGEX' lists them, 'break NAME' stops at one"},
    {"restart", "'run' starts anew, 'goto TIME' goes back"},
    {"return", "'finish' runs to the caller; 'set $pc = ADDRESS' leaves the rest out"},
    {"reverse-search", "'shell grep -n WORD FILE' finds, 'list N' shows"},
    {"search", "'shell grep -n WORD FILE' finds, 'list N' shows"},
    {"signal", "waves get no signals; 'continue' goes on"},
    {"skip", "'next' steps over calls, inlined ones too; 'finish' leaves one"},
    {"strace", "'dprintf' prints without a stop"},
    {"target", "'lull debug --attach SOCKET', or a program behind '--'"},
    {"trace", "'dprintf' prints without a stop"},
    {"tui", "'lull debug --web' is a page of waves"},
    {"with", "'set' the setting, and set it back"}};

/** The entry of @p list whose word @p line begins with; NULL: none. @p ret_rest: behind it. */
static const struct word *begins(const char *line, const struct word *list, size_t n,
                                 const char **ret_rest)
{
    for (size_t i = 0; i < n; i++) {
        *ret_rest = line;
        const size_t size = strlen(list[i].gdb);
        const bool slash = strncmp(line, list[i].gdb, size) == 0 && line[size] == '/';
        if (slash || lull_cmd_word(ret_rest, list[i].gdb)) {
            *ret_rest = slash ? line + size : *ret_rest;
            return &list[i];
        }
    }
    return NULL;
}

bool lull_cmd_said_here(const char *line, struct lull_str *ret)
{
    const char *rest = NULL;
    const struct word *w = begins(line, same, sizeof same / sizeof same[0], &rest);
    if (w != NULL) {
        lull_str_addf(ret, "%s%s%s", w->here, *rest == '/' ? "" : " ", rest);
    }
    return w != NULL;
}

bool lull_cmd_explicit(const char *args, struct lull_str *ret)
{
    static const char *const words[] = {"-source", "-function", "-line", "-qualified"};
    enum { SOURCE, FUNCTION, LINE, QUALIFIED, N };
    const char *said[N] = {NULL};
    size_t size[N] = {0};
    for (bool any = true; any;) {
        any = false;
        for (unsigned i = 0; i < N && !any; i++) {
            any = lull_cmd_word(&args, words[i]);
            size[i] = any && i != QUALIFIED ? strcspn(args, " \t") : size[i];
            said[i] = any ? args : said[i];
            args += any ? size[i] : 0;
            args += strspn(args, " \t");
        }
    }
    const unsigned last = said[LINE] != NULL ? LINE : FUNCTION;
    if (said[last] == NULL) {
        return false;
    }
    if (said[SOURCE] != NULL) {
        lull_str_addf(ret, "%.*s:", (int)size[SOURCE], said[SOURCE]);
    }
    lull_str_addf(ret, "%.*s%s%s", (int)size[last], said[last], *args != '\0' ? " " : "", args);
    return true;
}

struct lull_error *lull_cmd_not_here(const char *line)
{
    const char *rest = NULL;
    const struct word *w = begins(line, instead, sizeof instead / sizeof instead[0], &rest);
    return w == NULL
               ? NULL
               : lull_error_new(LULL_ERR_UNSUPPORTED, "no command '%s' here: %s", w->gdb, w->here);
}

/* Does @p b stop at the code of @p va, or the line of it? */
static bool stops_there(struct lull_debug *d, const struct lull_breakpoint *b, uint64_t va)
{
    struct lull_line there = {0}, line = {0};
    uint64_t at = 0;
    bool on = false;
    const bool has = lull_debug_line_at(d, va, &there);
    for (size_t i = 0; b->kind == LULL_BREAK_CODE && i <= b->nmore; i++) {
        if (lull_debug_break_place(b, i, &at, &on) &&
            (at == va || (has && lull_debug_line_at(d, at, &line) && line.line == there.line &&
                          strcmp(line.file, there.file) == 0))) {
            return true;
        }
    }
    return false;
}

struct lull_error *lull_cmd_clear(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    struct lull_debug_wave *w = NULL;
    uint64_t pc = 0, *places = &pc;
    size_t n = 1;
    unsigned gone = 0;
    struct lull_error *err = NULL;
    if (*c->args == '\0') {
        err = lull_debug_focused(d, &w);
        pc = err == NULL ? w->info.pc : 0;
    } else {
        err = lull_debug_stop_places(d, c->args, &places, &n);
    }
    if (c->json != NULL) {
        lull_json_key(c->json, "deleted");
        lull_json_open(c->json, '[');
    }
    for (size_t i = 0; err == NULL && i < d->nbreakpoints; i++) {
        struct lull_breakpoint *b = d->breakpoints[i];
        bool there = false;
        for (size_t k = 0; b->number != 0 && k < n; k++) {
            there = there || stops_there(d, b, places[k]);
        }
        if (there) {
            lull_str_addf(c->out, "%s%u", gone++ == 0 ? "Deleted breakpoint " : " ", b->number);
            if (c->json != NULL) {
                lull_json_u64(c->json, b->number);
            }
            lull_debug_delete_breakpoint(b);
        }
    }
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    if (places != &pc) {
        free(places);
    }
    if (err == NULL && gone == 0) {
        err = lull_error_new(LULL_ERR_NOT_FOUND, "no breakpoint at %s",
                             *c->args != '\0' ? c->args : "this line");
    }
    if (err == NULL) {
        lull_str_addf(c->out, "\n");
        err = lull_debug_sync_breakpoints(d);
    }
    return err;
}
