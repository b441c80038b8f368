// SPDX-License-Identifier: MIT
// lull cffdump: command streams of an rd capture, with the options and the text of Mesa's cffdump.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "forensics/cff.h"

struct args {
    struct lull_cff_options o;
    const char *file;
    const char *queries[LULL_CFF_QUERIES];
    bool has_mode;
};

LULL_MUST_USE static struct lull_error *number(const char *option, const char *text, int64_t *ret)
{
    char *end = NULL;
    *ret = text != NULL ? strtoll(text, &end, 0) : 0;
    return text != NULL && end != text && *end == '\0' && *ret >= 0
               ? NULL
               : lull_error_new(LULL_ERR_INVALID, "%s: '%s' is no number", option,
                                text != NULL ? text : "");
}

static bool is(const char *arg, const char *name, const char *letter)
{
    return strcmp(arg, name) == 0 || strcmp(arg, letter) == 0;
}

LULL_MUST_USE static struct lull_error *query(struct args *a, const char *reg)
{
    if (reg == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "--query: which register?");
    }
    if (a->o.nqueries == LULL_CFF_QUERIES) {
        return lull_error_new(LULL_ERR_INVALID, "--query: more than %d registers",
                              LULL_CFF_QUERIES);
    }
    a->queries[a->o.nqueries++] = reg;
    return NULL;
}

/** Which draws a query shows; false: another option. */
static bool query_mode(struct args *a, const char *arg)
{
    static const char *const names[] = {
        [LULL_CFF_QUERY_ALL] = "--query-all",
        [LULL_CFF_QUERY_WRITTEN] = "--query-written",
        [LULL_CFF_QUERY_DELTA] = "--query-delta",
    };
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(arg, names[i]) == 0) {
            a->o.query_mode = (enum lull_cff_query_mode)i;
            a->has_mode = true;
            return true;
        }
    }
    return false;
}

LULL_MUST_USE static struct lull_error *draw(struct args *a, const char *value)
{
    int64_t n = 0;
    struct lull_error *err = number("--draw", value, &n);
    if (err == NULL && n > UINT32_MAX) {
        err = lull_error_new(LULL_ERR_INVALID, "--draw: %s is too large", value);
    }
    a->o.one_draw = true;
    a->o.draw = (uint32_t)n;
    return err;
}

LULL_MUST_USE static struct lull_error *option(struct args *a, int argc, char **argv, int *i)
{
    const char *arg = argv[*i], *value = *i + 1 < argc ? argv[*i + 1] : NULL;
    struct lull_error *err = NULL;
    if (is(arg, "--frame", "-F")) {
        err = number(arg, value, &a->o.first);
        a->o.last = a->o.first;
        ++*i;
    } else if (is(arg, "--start", "-S")) {
        err = number(arg, value, &a->o.first);
        ++*i;
    } else if (is(arg, "--end", "-E")) {
        err = number(arg, value, &a->o.last);
        ++*i;
    } else if (is(arg, "--draw", "-D")) {
        err = draw(a, value);
        ++*i;
    } else if (is(arg, "--query", "-q")) {
        err = query(a, value);
        ++*i;
    } else if (is(arg, "--exe", "-e")) {
        a->o.exe = value;
        err = value == NULL ? lull_error_new(LULL_ERR_INVALID, "--exe: which process?") : NULL;
        ++*i;
    } else if (query_mode(a, arg)) {
        return NULL;
    } else if (strcmp(arg, "--show-compositor") == 0) {
        a->o.compositor = true;
    } else if (strcmp(arg, "--dump-shaders") == 0) {
        a->o.shader_folder = ".";
    } else if (strcmp(arg, "--once") == 0) {
        a->o.once = true;
    } else if (strcmp(arg, "--not-once") == 0) {
        a->o.once = false;
    } else if (is(arg, "--summary", "-s")) {
        a->o.summary = true;
    } else if (is(arg, "--allregs", "-a")) {
        a->o.all_registers = true;
    } else if (strcmp(arg, "--unit-test") == 0 || strcmp(arg, "--no-color") == 0 ||
               strcmp(arg, "--no-pager") == 0) {
        return NULL; // so it is always
    } else if ((arg[0] == '-' && arg[1] != '\0') || a->file != NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "no option '%s'", arg);
    } else {
        a->file = arg;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *run(int argc, char **argv, int *status)
{
    (void)status;
    struct args a = {.o = {.last = -1}};
    struct lull_error *err = NULL;
    for (int i = 0; err == NULL && i < argc; i++) {
        err = option(&a, argc, argv, &i);
    }
    a.o.queries = a.queries;
    if (err == NULL && a.file == NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "which capture?");
    } else if (err == NULL && a.has_mode && a.o.nqueries == 0) {
        err = lull_error_new(LULL_ERR_INVALID, "--query-... needs --query REG");
    }
    struct lull_stream *s = NULL;
    err = err != NULL ? err : lull_stream_open(a.file, &s);
    if (err == NULL) {
        err = lull_error_in(lull_cff_decode(s, &a.o, stdout, stderr), "%s", a.file);
    }
    lull_stream_free(s);
    return err;
}

const struct lull_command lull_cli_cffdump = {
    .name = "cffdump",
    .args = "[OPTIONS] FILE.rd[.gz]",
    .help = "decode the command streams of an rd capture as Mesa's cffdump does",
    .more =
        "  --frame N, -F N       one stream, by number from 0; --start N, --end N: a range\n"
        "  --draw N, -D N        one draw, by number from 0\n"
        "  --exe NAME, -e NAME   only processes whose name starts so\n"
        "  --show-compositor     also compositors, X and fdperf, which are left out otherwise\n"
        "  --query REG, -q REG   only this register (name or number) at each draw; up to 64 times\n"
        "  --query-all|-written|-delta   at every draw, or where one was written, or has changed\n"
        "  --dump-shaders        each shader to a file 0000.vo3, 0001.fo3... in this folder\n"
        "  --once, --not-once    each indirect buffer only once\n"
        "  --summary, -s         registers only at draws\n"
        "  --allregs, -a         at draws all registers that were ever written\n"
        "  --unit-test, --no-color, --no-pager   taken, and always so\n"
        "\n"
        "Captures of a2xx, a4xx and a5xx have not been compared with cffdump.\n",
    .run = run,
};
