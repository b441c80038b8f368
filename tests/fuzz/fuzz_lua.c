// SPDX-License-Identifier: MIT
// Lua scripts over a session of the scripted target: no crash, no leak, nothing that goes on for
// ever. What reads files, waits, or runs where no hook counts is taken away first.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "../debug/script_target.h"
#include "debug/lua/lua_session.h"
#include "debug/session/debug.h"
#include "debug/shell/debugger.h"

enum { MAX_HOOKS = 20, MAX_COMMANDS = 256, MAX_CHUNKS = 8, MAX_TEXT = 4096 };

static const char without[] =
    "os, io, debug, package, coroutine, utf8 = nil, nil, nil, nil, nil, nil "
    "require, dofile, loadfile, collectgarbage, pcall, xpcall = nil, nil, nil, nil, nil, nil "
    "string.rep, string.find, string.gsub = nil, nil, nil "
    "string.match, string.gmatch, table.concat = nil, nil, nil";

struct made {
    struct script_target target;
    struct lull_debug *d;
    unsigned commands, hooks;
};

/* Files, and counts of steps and rounds that are long. */
static bool left_out(const char *line)
{
    static const char *const words[] = {"sou", "du", "sa", "while", "timeout"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(line, words[i]) != NULL) {
            return true;
        }
    }
    return strspn(line + strcspn(line, "0123456789"), "0123456789abcdefx") > 4;
}

static struct lull_error *command(void *ctx, const char *line, struct lull_str *out)
{
    struct made *m = ctx;
    return ++m->commands > MAX_COMMANDS || left_out(line) ? NULL
                                                          : lull_debug_command(m->d, line, out);
}

static void show(void *ctx, const char *text, size_t size)
{
    (void)ctx, (void)text, (void)size;
}

static bool ends(void *ctx)
{
    struct made *m = ctx;
    return ++m->hooks > MAX_HOOKS || m->commands > MAX_COMMANDS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct made m = {.d = NULL};
    struct lull_lua *lua = NULL;
    const struct lull_lua_host host = {.command = command, .show = show, .ends = ends, .ctx = &m};
    if (size > MAX_TEXT) {
        return 0;
    }
    char *text = calloc(1, size + 1);
    if (text == NULL) {
        abort();
    }
    memcpy(text, data, size);
    script_init(&m.target);
    struct lull_error *err = lull_debug_new(&m.target.target, NULL, 0, &m.d);
    err = err != NULL ? err : lull_lua_new(m.d, &host, &lua);
    err = err != NULL ? err : lull_lua_text(lua, without);
    if (err != NULL) {
        abort();
    }
    m.d->run = script_run;
    m.d->run_ctx = &m.target;
    // Chunks, one after the other, are divided by lines of dashes.
    char *at = text;
    for (unsigned i = 0; i < MAX_CHUNKS && at != NULL; i++) {
        char *next = strstr(at, "\n--\n");
        if (next != NULL) {
            *next = '\0';
            next += 4;
        }
        m.hooks = 0;
        lull_error_free(lull_lua_text(lua, at));
        at = next;
    }
    lull_lua_free(lua);
    lull_debug_free(m.d);
    free(text);
    return 0;
}
