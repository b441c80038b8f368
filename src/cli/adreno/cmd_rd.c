// SPDX-License-Identifier: MIT
// lull rd: what an rd capture of an Adreno GPU says.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/cffdump/cff.h"
#include "adreno/file/kind.h"
#include "adreno/show/diff.h"
#include "adreno/show/show.h"
#include "base/files.h"
#include "cli/adreno/rd.h"
#include "cli/opt/command.h"
#include "cli/opt/progress.h"

struct args {
    struct lull_show_options o;
    const char *file;
    bool sections, cffdump;
};

LULL_MUST_USE static struct lull_error *number(const char *option, const char *text, int64_t *ret)
{
    char *end = NULL;
    const int64_t n = text != NULL ? strtoll(text, &end, 0) : 0;
    if (text == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "%s: which one?", option);
    }
    if (end == text || *end != '\0' || n < 0) {
        return lull_error_new(LULL_ERR_INVALID, "%s: '%s' is no number", option, text);
    }
    *ret = n;
    return NULL;
}

/** "--name=value", or "--name" and the next argument; false: another option. */
static bool takes(const char *name, int argc, char **argv, int *i, const char **ret)
{
    const size_t n = strlen(name);
    if (strncmp(argv[*i], name, n) != 0 || (argv[*i][n] != '\0' && argv[*i][n] != '=')) {
        return false;
    }
    *ret = argv[*i][n] == '=' ? argv[*i] + n + 1 : *i + 1 < argc ? argv[++*i] : NULL;
    return true;
}

LULL_MUST_USE static struct lull_error *style(struct args *a, const char *value)
{
    a->cffdump = value != NULL && strcmp(value, "cffdump") == 0;
    return a->cffdump || (value != NULL && strcmp(value, "lull") == 0)
               ? NULL
               : lull_error_new(LULL_ERR_INVALID, "--style: lull or cffdump, not '%s'",
                                value != NULL ? value : "");
}

LULL_MUST_USE static struct lull_error *option(struct args *a, int argc, char **argv, int *i)
{
    const char *arg = argv[*i], *value = NULL;
    if (takes("--frame", argc, argv, i, &value) || takes("--stream", argc, argv, i, &value)) {
        return number("--frame", value, &a->o.frame);
    }
    if (takes("--submit", argc, argv, i, &value)) {
        return number("--submit", value, &a->o.submit);
    }
    if (takes("--draw", argc, argv, i, &value)) {
        return number("--draw", value, &a->o.draw);
    }
    if (takes("--process", argc, argv, i, &value)) {
        a->o.process = value;
        return value != NULL ? NULL : lull_error_new(LULL_ERR_INVALID, "--process: which one?");
    }
    if (takes("--style", argc, argv, i, &value)) {
        return style(a, value);
    }
    if (takes("--query", argc, argv, i, &value)) {
        a->o.mode = LULL_SHOW_QUERY;
        a->o.query = value;
        return value != NULL ? NULL : lull_error_new(LULL_ERR_INVALID, "--query: which register?");
    }
    if (takes("--sql", argc, argv, i, &value)) {
        a->o.mode = LULL_SHOW_SQL;
        a->o.sql = value;
        return value != NULL && value[0] != '\0'
                   ? NULL
                   : lull_error_new(LULL_ERR_INVALID, "--sql: which file?");
    }
    if (strcmp(arg, "--json") == 0) {
        a->o.json = true;
    } else if (strcmp(arg, "--summary") == 0) {
        a->o.mode = LULL_SHOW_SUMMARY;
    } else if (strcmp(arg, "--sections") == 0) {
        a->sections = true;
    } else if (strcmp(arg, "--raw") == 0) {
        a->o.raw = true;
    } else if (strcmp(arg, "--both") == 0) {
        a->o.both = true;
    } else if (strcmp(arg, "--changed") == 0) {
        a->o.all = false;
    } else if (arg[0] == '-' && arg[1] != '\0') {
        return lull_error_new(LULL_ERR_INVALID, "no option '%s'", arg);
    } else if (a->file != NULL) {
        return lull_error_new(LULL_ERR_INVALID, "one file at a time: '%s' and '%s'", a->file, arg);
    } else {
        a->file = arg;
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *cffdump(const struct args *a, struct lull_stream *s)
{
    const struct lull_cff_options o = {
        .summary = a->o.mode == LULL_SHOW_SUMMARY,
        .exe = a->o.process,
        .one_draw = a->o.draw >= 0,
        .draw = (uint32_t)(a->o.draw >= 0 ? a->o.draw : 0),
        .first = a->o.frame >= 0 ? a->o.frame : 0,
        .last = a->o.frame,
    };
    if (a->o.json || a->o.mode == LULL_SHOW_QUERY || a->o.submit >= 0) {
        return lull_error_new(
            LULL_ERR_INVALID,
            "--style=cffdump takes --summary, --frame, --draw and --process only; "
            "lull cffdump has the others");
    }
    return lull_cff_decode(s, &o, stdout, stderr);
}

LULL_MUST_USE static struct lull_error *show(const struct args *a, int *status)
{
    struct lull_stream *s = NULL;
    uint64_t findings = 0;
    struct lull_progress progress = {.quiet = a->o.sql == NULL};
    struct lull_error *err = lull_progress_open(&progress, a->file, &s);
    err = err != NULL ? err : lull_error_in(lull_kind_want_rd(s), "%s", a->file);
    if (err != NULL) {
        lull_stream_free(s);
        return err;
    }
    if (a->cffdump) {
        err = lull_error_in(cffdump(a, s), "%s", a->file);
        lull_stream_free(s);
        return err;
    }
    err = lull_error_in(lull_show_capture(s, a->file, &a->o, stdout, stderr, &findings), "%s",
                        a->file);
    lull_stream_free(s);
    *status = findings != 0 ? LULL_EXIT_FINDINGS : LULL_EXIT_CLEAN;
    return err;
}

LULL_MUST_USE static struct lull_error *diff(int argc, char **argv, int *status)
{
    struct lull_diff_options o = {0};
    struct lull_diff_side side[2] = {{0}, {0}};
    struct lull_progress progress[2] = {{0}, {0}};
    unsigned n = 0;
    bool different = false;
    struct lull_error *err = NULL;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            o.json = true;
        } else if (strcmp(argv[i], "--ignore-addresses") == 0) {
            o.ignore_addresses = true;
        } else if (argv[i][0] == '-' && argv[i][1] != '\0') {
            return lull_error_new(LULL_ERR_INVALID, "no option '%s'", argv[i]);
        } else if (n == 2) {
            return lull_error_new(LULL_ERR_INVALID, "two files at a time, not '%s', too", argv[i]);
        } else {
            side[n++].name = argv[i];
        }
    }
    if (n < 2) {
        return lull_error_new(LULL_ERR_INVALID, "diff needs two files");
    }
    for (unsigned i = 0; err == NULL && i < 2; i++) {
        err = lull_progress_open(&progress[i], side[i].name, &side[i].s);
        err = err != NULL ? err : lull_error_in(lull_kind_want_rd(side[i].s), "%s", side[i].name);
    }
    err =
        err != NULL ? err : lull_diff_captures(&side[0], &side[1], &o, stdout, stderr, &different);
    *status = different ? LULL_EXIT_FINDINGS : LULL_EXIT_CLEAN;
    lull_stream_free(side[0].s);
    lull_stream_free(side[1].s);
    return err;
}

LULL_MUST_USE static struct lull_error *run(int argc, char **argv, int *status)
{
    struct args a = {.o = {.frame = -1, .submit = -1, .draw = -1, .all = true}};
    struct lull_error *err = NULL;
    if (argc >= 1 && strcmp(argv[0], "diff") == 0) {
        return diff(argc - 1, argv + 1, status);
    }
    if (argc < 1 || strcmp(argv[0], "show") != 0) {
        return argc < 1 ? lull_error_new(LULL_ERR_INVALID, "no action given")
                        : lull_error_new(LULL_ERR_INVALID, "no action '%s'", argv[0]);
    }
    for (int i = 1; err == NULL && i < argc; i++) {
        err = option(&a, argc, argv, &i);
    }
    if (err == NULL && a.file == NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "no file given");
    }
    if (err == NULL && a.o.sql != NULL &&
        (a.o.frame >= 0 || a.o.submit >= 0 || a.o.draw >= 0 || a.o.json || a.o.query != NULL ||
         a.o.process != NULL)) {
        err =
            lull_error_new(LULL_ERR_INVALID, "--sql takes all of the capture, and prints nothing");
    }
    err = err != NULL ? err : lull_files_check_two(a.file, a.o.sql);
    if (err != NULL) {
        return err;
    }
    return a.sections ? lull_rd_sections(a.file, a.o.json, status) : show(&a, status);
}

static const char more[] =
    "\n"
    "FILE is a capture from debugfs (rd, hangrd), Turnip or freedreno; plain, gzip or zstd; - is "
    "stdin.\n"
    "Shows its sections, every packet of its command streams, and registers and state at each "
    "draw.\n"
    "\n"
    "  --summary        what each draw, dispatch, blit and event is\n"
    "  --draw N         one draw, by number from 0, with all state that it sees\n"
    "  --frame N        one command stream, by number from 0 (--stream N is the same)\n"
    "  --submit N       one submit, by number from 0\n"
    "  --process TEXT   only submits of processes whose text in the capture begins so\n"
    "  --query REG,...  these registers or fields (REG.FIELD) at each draw; * and ? match any;\n"
    "                   changes are marked with !\n"
    "  --changed        with --query: only where a value is another one than before\n"
    "  --both           take every condition as true, whatever the mode of rendering is\n"
    "  --raw            also the dwords of each packet\n"
    "  --sections       only a list of the sections\n"
    "  --style=cffdump  the text of Mesa's cffdump (lull cffdump has all its options)\n"
    "  --json           as JSON\n"
    "  --sql OUT        tables in the SQLite file OUT (docs/formats/rd.md)\n"
    "\n"
    "diff compares the draws of two captures: their registers, shaders and state, and the packets\n"
    "between them that change none of these: waits, events, modes, writes to memory.\n"
    "\n"
    "  --ignore-addresses   registers and descriptors with addresses may differ\n"
    "  --json               as JSON\n"
    "\n"
    "Exit status 1: something is wrong with the capture, the rest was decoded; of diff: they "
    "differ.\n"
    "\n"
    "  lull rd show --summary capture.rd.gz\n";

const struct lull_command lull_cli_rd = {
    .name = "rd",
    .args = "show [OPTIONS] FILE | diff [OPTIONS] A B",
    .help = "decode an rd capture of an Adreno GPU, or compare two",
    .more = more,
    .run = run,
};
