// SPDX-License-Identifier: MIT
// Lines for the debugger's prompt, on a session of the scripted target: no crash, no leak, no
// command that takes for ever. Commands that read or write files are left out.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "../debug/script_target.h"
#include "debug/session/debug.h"
#include "debug/shell/debugger.h"
#include "debug/shell/script.h"

enum { MAX_LINES = 64, MAX_COMMANDS = 512 };

struct made {
    struct script_target target;
    struct lull_debug *d;
    unsigned commands;
};

static struct lull_error *command(void *ctx, const char *line)
{
    struct made *m = ctx;
    struct lull_str out = {0};
    m->commands++;
    struct lull_error *err = lull_debug_command(m->d, line, &out);
    lull_str_free(&out);
    return err;
}

static void show(void *ctx, const char *text)
{
    (void)ctx;
    (void)text;
}

static bool ends(void *ctx)
{
    const struct made *m = ctx;
    return m->commands > MAX_COMMANDS;
}

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct made m = {.d = NULL};
    struct lull_script *script = NULL;
    const struct lull_script_host host = {
        .command = command, .show = show, .ends = ends, .ctx = &m};
    char *text = calloc(1, size + 1);
    if (text == NULL) {
        abort();
    }
    memcpy(text, data, size);
    script_init(&m.target);
    struct lull_error *err = lull_debug_new(&m.target.target, NULL, 0, &m.d);
    err = err != NULL ? err : lull_script_new(m.d, &host, &script);
    if (err != NULL) {
        abort();
    }
    m.d->run = script_run;
    m.d->run_ctx = &m.target;
    m.d->json = size % 2 != 0;
    char *at = text;
    for (unsigned i = 0; i < MAX_LINES && at != NULL && !ends(&m); i++) {
        char *line = strsep(&at, "\n");
        if (!left_out(line)) {
            lull_error_free(lull_script_line(script, line));
        }
    }
    lull_script_free(script);
    lull_debug_free(m.d);
    free(text);
    return 0;
}
