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
#include "cli/adreno/rd.h"
#include "cli/opt/command.h"
#include "cli/opt/progress.h"

struct args {
    struct lull_show_options o;
    const char *file;
    bool sections, cffdump;
};

static const struct lull_opt show_opts[] = {
    {"--summary", NULL, NULL, "what each draw, dispatch, blit and event is", LULL_OPT_SET,
     LULL_OPT_AT(struct args, o.mode), .min = LULL_SHOW_SUMMARY},
    {"--draw", NULL, "N", "one draw, by number from 0, with all state that it sees",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct args, o.draw), .max = INT64_MAX},
    {"--frame", "--stream", "N", "one command stream, by number from 0", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct args, o.frame), .max = INT64_MAX},
    {"--submit", NULL, "N", "one submit, by number from 0", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct args, o.submit), .max = INT64_MAX},
    {"--process", NULL, "TEXT", "only submits of processes whose text in the capture begins so",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, o.process)},
    {"--query", NULL, "REG,...",
     "these registers or fields (REG.FIELD) at each draw; * and ? match any; changes are marked "
     "with !",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, o.query)},
    {"--changed", NULL, NULL, "with --query: only where a value is another one than before",
     LULL_OPT_OFF, LULL_OPT_AT(struct args, o.all)},
    {"--both", NULL, NULL, "take every condition as true, whatever the mode of rendering is",
     LULL_OPT_FLAG, LULL_OPT_AT(struct args, o.both)},
    {"--raw", NULL, NULL, "also the dwords of each packet", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, o.raw)},
    {"--sections", NULL, NULL, "only a list of the sections", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, sections)},
    {"--style", NULL, "lull|cffdump",
     "cffdump: the text of Mesa's cffdump (lull cffdump has all its options)", LULL_OPT_CHOICE,
     LULL_OPT_AT(struct args, cffdump)},
    {"--json", NULL, NULL, "as JSON", LULL_OPT_FLAG, LULL_OPT_AT(struct args, o.json)},
    {"--sql", NULL, "OUT", "tables in the SQLite file OUT (docs/formats/rd.md)", LULL_OPT_OUT,
     LULL_OPT_AT(struct args, o.sql)},
    {"FILE", .kind = LULL_OPT_IN, LULL_OPT_AT(struct args, file), .flags = LULL_OPT_NEEDED},
    {0},
};

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

struct diff {
    struct lull_diff_options o;
    const char *names[2];
};

static const struct lull_opt diff_opts[] = {
    {"--ignore-addresses", NULL, NULL, "registers and descriptors with addresses may differ",
     LULL_OPT_FLAG, LULL_OPT_AT(struct diff, o.ignore_addresses)},
    {"--json", NULL, NULL, "as JSON", LULL_OPT_FLAG, LULL_OPT_AT(struct diff, o.json)},
    {"A", .kind = LULL_OPT_IN, LULL_OPT_AT(struct diff, names[0]), .flags = LULL_OPT_NEEDED},
    {"B", .kind = LULL_OPT_IN, LULL_OPT_AT(struct diff, names[1]), .flags = LULL_OPT_NEEDED},
    {0},
};

struct check {
    const char *file;
    bool json;
};

static const struct lull_opt check_opts[] = {
    {"--json", NULL, NULL, "as JSON", LULL_OPT_FLAG, LULL_OPT_AT(struct check, json)},
    {"FILE", .kind = LULL_OPT_IN, LULL_OPT_AT(struct check, file), .flags = LULL_OPT_NEEDED},
    {0},
};

static const struct lull_opt_group check_groups[] = {{NULL, check_opts, 0}, {0}};
static const struct lull_opt_group show_groups[] = {{NULL, show_opts, 0}, {0}};
static const struct lull_opt_group diff_groups[] = {{NULL, diff_opts, 0}, {0}};

LULL_MUST_USE static struct lull_error *run_diff(const struct lull_form *form, int argc,
                                                 char **argv, int *status)
{
    struct diff d = {.names = {NULL}};
    struct lull_diff_side side[2] = {{0}, {0}};
    struct lull_progress progress[2] = {{0}, {0}};
    bool different = false;
    struct lull_error *err = lull_opt_parse(form, &d, argc, argv);
    for (unsigned i = 0; err == NULL && i < 2; i++) {
        side[i].name = d.names[i];
        err = lull_progress_open(&progress[i], side[i].name, &side[i].s);
        err = err != NULL ? err : lull_error_in(lull_kind_want_rd(side[i].s), "%s", side[i].name);
    }
    err = err != NULL ? err
                      : lull_diff_captures(&side[0], &side[1], &d.o, stdout, stderr, &different);
    *status = different ? LULL_EXIT_FINDINGS : LULL_EXIT_CLEAN;
    lull_stream_free(side[0].s);
    lull_stream_free(side[1].s);
    return err;
}

LULL_MUST_USE static struct lull_error *run_check(const struct lull_form *form, int argc,
                                                  char **argv, int *status)
{
    struct check k = {0};
    struct lull_error *err = lull_opt_parse(form, &k, argc, argv);
    return err != NULL ? err : lull_rd_check(k.file, k.json, status);
}

LULL_MUST_USE static struct lull_error *run_show(const struct lull_form *form, int argc,
                                                 char **argv, int *status)
{
    struct args a = {.o = {.frame = -1, .submit = -1, .draw = -1, .all = true}};
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    if (err == NULL && a.o.sql != NULL &&
        (a.o.frame >= 0 || a.o.submit >= 0 || a.o.draw >= 0 || a.o.json || a.o.query != NULL ||
         a.o.process != NULL)) {
        err =
            lull_error_new(LULL_ERR_INVALID, "--sql takes all of the capture, and prints nothing");
    }
    a.o.mode = a.o.sql != NULL ? LULL_SHOW_SQL : a.o.query != NULL ? LULL_SHOW_QUERY : a.o.mode;
    if (err != NULL) {
        return err;
    }
    return a.sections ? lull_rd_sections(a.file, a.o.json, status) : show(&a, status);
}

static const struct lull_form form_show = {
    .word = "show",
    .about = "show prints the sections of a capture, every packet of its command streams, and "
             "registers and state at each draw. FILE is a capture from debugfs (rd, hangrd), "
             "Turnip or freedreno; plain, gzip or zstd; - is stdin.",
    .groups = show_groups,
    .run = run_show,
};

static const struct lull_form form_diff = {
    .word = "diff",
    .about = "diff compares the draws of two captures: their registers, shaders and state, and the "
             "packets between them that change none of these: waits, events, modes, writes to "
             "memory.",
    .groups = diff_groups,
    .run = run_diff,
};

static const struct lull_form form_check = {
    .word = "check",
    .about =
        "check reads the command streams of a capture of an a6xx or a7xx and names registers "
        "that a draw, dispatch or blit reads although its submit never wrote them, registers "
        "with one copy that are set without a wait, state of groups that are gone, and memory that "
        "is read before it was flushed.",
    .groups = check_groups,
    .run = run_check,
};

const struct lull_command lull_cli_rd = {
    .name = "rd",
    .help = "decode or check an rd capture of an Adreno GPU, compare two, or make it a C program",
    .forms = (const struct lull_form *const[]){&form_show, &form_diff, &form_check,
                                               &lull_rd_form_decompile, &lull_rd_form_names, NULL},
    .after = "Exit status 1: something is wrong with the capture, the rest was decoded; of diff: "
             "they differ; of check: something was found.\n"
             "\n"
             "  lull rd show --summary capture.rd.gz\n"
             "  lull rd decompile -s 0 capture.rd.gz > gen.c",
};
