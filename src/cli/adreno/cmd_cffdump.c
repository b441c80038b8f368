// SPDX-License-Identifier: MIT
// lull cffdump: command streams of an rd capture, with the options and the text of Mesa's cffdump.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/cffdump/cff.h"
#include "adreno/cffdump/script.h"
#include "adreno/file/kind.h"
#include "cli/opt/command.h"
#include "cli/opt/progress.h"

struct args {
    struct lull_cff_options o;
    const char *queries[LULL_CFF_QUERIES];
    const char *script;
    struct lull_cff_shaders shaders;
    bool has_mode;  ///< An option that means something in queries only.
    bool unit_test; ///< Nothing that differs from run to run: no names of files.
};

/** Options without a letter. */
enum {
    FIRST = 256,
    DUMP_SHADERS,
    NOTHING,
    TEXTURES,
    BINDLESS,
    COMPOSITOR,
    QUERY_ALL,
    QUERY_WRITTEN
};
enum { QUERY_DELTA = QUERY_WRITTEN + 1, QUERY_COMPARE, ONCE, NOT_ONCE, UNIT_TEST, COLOR, NO_COLOR };

static const struct option options[] = {
    {"dump-shaders", no_argument, NULL, DUMP_SHADERS},
    {"no-color", no_argument, NULL, NO_COLOR},
    {"color", no_argument, NULL, COLOR},
    {"no-pager", no_argument, NULL, NOTHING},
    {"pager", no_argument, NULL, NOTHING},
    {"textures", no_argument, NULL, TEXTURES},
    {"bindless", no_argument, NULL, BINDLESS},
    {"show-compositor", no_argument, NULL, COMPOSITOR},
    {"query-all", no_argument, NULL, QUERY_ALL},
    {"query-written", no_argument, NULL, QUERY_WRITTEN},
    {"query-delta", no_argument, NULL, QUERY_DELTA},
    {"query-compare", no_argument, NULL, QUERY_COMPARE},
    {"once", no_argument, NULL, ONCE},
    {"not-once", no_argument, NULL, NOT_ONCE},
    {"unit-test", no_argument, NULL, UNIT_TEST},
    {"verbose", no_argument, NULL, 'v'},
    {"summary", no_argument, NULL, 's'},
    {"allregs", no_argument, NULL, 'a'},
    {"start", required_argument, NULL, 'S'},
    {"end", required_argument, NULL, 'E'},
    {"frame", required_argument, NULL, 'F'},
    {"draw", required_argument, NULL, 'D'},
    {"exe", required_argument, NULL, 'e'},
    {"script", required_argument, NULL, 'L'},
    {"query", required_argument, NULL, 'q'},
    {NULL, 0, NULL, 0},
};

LULL_MUST_USE static struct lull_error *number(const char *option, const char *text, int64_t *ret)
{
    char *end = NULL;
    *ret = strtoll(text, &end, 0);
    return end != text && *end == '\0' && *ret >= 0 && *ret <= UINT32_MAX
               ? NULL
               : lull_error_new(LULL_ERR_INVALID, "%s: '%s' is no number", option, text);
}

LULL_MUST_USE static struct lull_error *query(struct args *a, const char *reg)
{
    if (a->o.nqueries == LULL_CFF_QUERIES) {
        return lull_error_new(LULL_ERR_INVALID, "--query: more than %d registers",
                              LULL_CFF_QUERIES);
    }
    a->queries[a->o.nqueries++] = reg;
    return NULL;
}

LULL_MUST_USE static struct lull_error *frames(struct args *a, int letter, const char *value)
{
    int64_t n = 0;
    struct lull_error *err = number(letter == 'S'   ? "--start"
                                    : letter == 'E' ? "--end"
                                    : letter == 'F' ? "--frame"
                                                    : "--draw",
                                    value, &n);
    a->o.first = letter == 'S' || letter == 'F' ? n : a->o.first;
    a->o.last = letter == 'E' || letter == 'F' ? n : a->o.last;
    if (letter == 'D') {
        a->o.one_draw = true;
        a->o.draw = (uint32_t)n;
    }
    return err;
}

static void query_option(struct args *a, int which)
{
    a->has_mode = true;
    if (which == QUERY_COMPARE) {
        a->o.query_compare = true;
    } else {
        a->o.query_mode = which == QUERY_ALL       ? LULL_CFF_QUERY_ALL
                          : which == QUERY_WRITTEN ? LULL_CFF_QUERY_WRITTEN
                                                   : LULL_CFF_QUERY_DELTA;
    }
}

LULL_MUST_USE static struct lull_error *option(struct args *a, int which, const char *value)
{
    switch (which) {
    case 'S':
    case 'E':
    case 'F':
    case 'D':
        return frames(a, which, value);
    case 'q':
        return query(a, value);
    case 'e':
        a->o.exe = value;
        break;
    case 'L':
        a->script = value;
        break;
    case 's':
        a->o.summary = true;
        break;
    case 'a':
        a->o.all_registers = true;
        break;
    case DUMP_SHADERS:
        a->shaders.folder = ".";
        a->o.shaders = &a->shaders;
        break;
    case TEXTURES:
        a->o.textures = true;
        break;
    case BINDLESS:
        a->o.bindless = true;
        break;
    case COMPOSITOR:
        a->o.compositor = true;
        break;
    case QUERY_ALL:
    case QUERY_WRITTEN:
    case QUERY_DELTA:
    case QUERY_COMPARE:
        query_option(a, which);
        break;
    case ONCE:
    case NOT_ONCE:
        a->o.once = which == ONCE;
        break;
    case COLOR:
    case NO_COLOR:
        a->o.color = which == COLOR;
        break;
    case UNIT_TEST:
        a->unit_test = true;
        break;
    default: // -v, and what is always so
        break;
    }
    return NULL;
}

/** All options, in any order; @p argv is sorted: files last, from optind on. */
LULL_MUST_USE static struct lull_error *parse(struct args *a, int argc, char **argv)
{
    struct lull_error *err = NULL;
    optind = 0; // start anew
    for (int which = 0; err == NULL;) {
        which = getopt_long(argc, argv, ":vsaS:E:F:D:e:L:q:", options, NULL);
        if (which == -1) {
            break;
        }
        if (which == '?' || which == ':') {
            err = lull_error_new(LULL_ERR_INVALID, which == '?' ? "no option '%s'" : "%s: what?",
                                 argv[optind - 1]);
        } else {
            err = option(a, which, optarg);
        }
    }
    if (err == NULL && optind >= argc) {
        err = lull_error_new(LULL_ERR_INVALID, "which capture?");
    } else if (err == NULL && a->has_mode && a->o.nqueries == 0) {
        err = lull_error_new(LULL_ERR_INVALID, "--query-... needs --query REG");
    }
    return err;
}

LULL_MUST_USE static struct lull_error *dump(struct args *a, const char *file)
{
    struct lull_stream *s = NULL;
    struct lull_progress progress = {.quiet = true};
    struct lull_error *err = lull_progress_open(&progress, file, &s);
    err = err != NULL ? err : lull_error_in(lull_kind_want_rd(s), "%s", file);
    if (err == NULL) {
        a->o.name = file;
        if (!a->unit_test) {
            printf("Reading %s...\n", file);
        }
        err = lull_error_in(lull_cff_decode(s, &a->o, stdout, stderr), "%s", file);
    }
    lull_stream_free(s);
    return err;
}

LULL_MUST_USE static struct lull_error *run(int argc, char **argv, int *status)
{
    struct args a = {.o = {.last = -1}};
    char **words = calloc((size_t)argc + 2, sizeof *words); // getopt() wants a name before them
    if (words == NULL) {
        return &lull_enomem;
    }
    words[0] = (char *)"cffdump";
    memcpy(words + 1, argv, (size_t)argc * sizeof *argv);
    struct lull_error *err = parse(&a, argc + 1, words);
    a.o.queries = a.queries;
    if (err == NULL && a.script != NULL) {
        err = lull_cff_script_new(a.script, stdout, &a.o.script);
    }
    for (int i = optind; i < argc + 1; i++) {
        lull_files_in(&a.shaders.inputs, words[i]);
    }
    if (err == NULL) {
        err = lull_files_check(&a.shaders.inputs);
    }
    for (int i = optind; err == NULL && i < argc + 1; i++) {
        err = dump(&a, words[i]);
        if (err != NULL && lull_error_code(err) == LULL_ERR_DAMAGED) { // the others may be whole
            fprintf(stderr, "lull cffdump: %s\n", lull_error_message(err));
            lull_error_free(err);
            err = NULL;
            *status = LULL_EXIT_FINDINGS;
        }
    }
    if (err == NULL) {
        err = lull_cff_script_finish(a.o.script);
    }
    lull_cff_script_free(a.o.script);
    lull_files_done(&a.shaders.inputs);
    free(words);
    return err;
}

const struct lull_command lull_cli_cffdump = {
    .name = "cffdump",
    .args = "[OPTIONS] FILE.rd[.gz]...",
    .help = "decode the command streams of an rd capture as Mesa's cffdump does",
    .more =
        "  --frame N, -F N       one stream, by number from 0; --start N, --end N: a range\n"
        "  --draw N, -D N        one draw, by number from 0\n"
        "  --exe NAME, -e NAME   only processes whose name starts so\n"
        "  --show-compositor     also compositors, X and fdperf, which are left out otherwise\n"
        "  --query REG, -q REG   only this register (name or number) at each draw; up to 64 times\n"
        "  --query-all, --query-written, --query-delta   at every draw, or where one was\n"
        "                        written, or has changed\n"
        "  --query-compare       in the binning pass and as it is drawn, side by side\n"
        "  --script FILE, -L FILE  run this Lua on the state at draws and packets\n"
        "  --dump-shaders        each shader to a file 0000.vo3, 0001.fo3... in this folder,\n"
        "                        numbered on from capture to capture\n"
        "  --textures            also what textures and buffers hold\n"
        "  --bindless            also bindless descriptors, at draws\n"
        "  --once, --not-once    each indirect buffer only once\n"
        "  --summary, -s         registers only at draws\n"
        "  --allregs, -a         at draws all registers that were ever written\n"
        "  --unit-test           no names of files\n"
        "  --color, --no-color   with the colours of a terminal (default: without)\n"
        "  --verbose, -v, --no-pager, --pager   taken; they change nothing\n",
    .run = run,
};
