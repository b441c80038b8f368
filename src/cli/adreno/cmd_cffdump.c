// SPDX-License-Identifier: MIT
// lull cffdump: command streams of an rd capture, with the options and the text of Mesa's cffdump.
#include <stdio.h>
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
    struct lull_opt_words files;
    bool unit_test; ///< Nothing that differs from run to run: no names of files.
};

LULL_MUST_USE static struct lull_error *query(void *base, const struct lull_opt *o, const char *reg)
{
    struct args *a = base;
    if (a->o.nqueries == LULL_CFF_QUERIES) {
        return lull_error_new(LULL_ERR_INVALID, "%s: more than %d registers", o->name,
                              LULL_CFF_QUERIES);
    }
    a->queries[a->o.nqueries++] = reg;
    return NULL;
}

/** Of --start, --end, --frame and --draw the last one counts. */
LULL_MUST_USE static struct lull_error *frames(void *base, const struct lull_opt *o,
                                               const char *value)
{
    struct args *a = base;
    uint64_t n = 0;
    struct lull_error *err = lull_opt_number(o->name, value, 0, UINT32_MAX, &n);
    const bool start = strcmp(o->name, "--start") == 0, end = strcmp(o->name, "--end") == 0;
    const bool frame = strcmp(o->name, "--frame") == 0;
    a->o.first = start || frame ? (int64_t)n : a->o.first;
    a->o.last = end || frame ? (int64_t)n : a->o.last;
    if (!start && !end && !frame) {
        a->o.one_draw = true;
        a->o.draw = (uint32_t)n;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *dump_shaders(void *base, const struct lull_opt *o,
                                                     const char *value)
{
    struct args *a = base;
    (void)o;
    (void)value;
    a->shaders.folder = ".";
    a->o.shaders = &a->shaders;
    return NULL;
}

static const struct lull_opt opts[] = {
    {"--frame", "-F", "N", "one stream, by number from 0", LULL_OPT_CALL, .call = frames,
     .flags = LULL_OPT_LAST},
    {"--start", "-S", "N", "the streams from this one on", LULL_OPT_CALL, .call = frames,
     .flags = LULL_OPT_LAST},
    {"--end", "-E", "N", "the streams up to this one", LULL_OPT_CALL, .call = frames,
     .flags = LULL_OPT_LAST},
    {"--draw", "-D", "N", "one draw, by number from 0", LULL_OPT_CALL, .call = frames,
     .flags = LULL_OPT_LAST},
    {"--exe", "-e", "NAME", "only processes whose name starts so", LULL_OPT_TEXT,
     LULL_OPT_AT(struct args, o.exe), .flags = LULL_OPT_LAST},
    {"--show-compositor", NULL, NULL,
     "also compositors, X and fdperf, which are left out otherwise", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, o.compositor)},
    {"--query", "-q", "REG", "only this register (name or number) at each draw; up to 64 times",
     LULL_OPT_CALL, .call = query, .flags = LULL_OPT_MANY},
    {0},
};

static const struct lull_opt query_opts[] = {
    {"--query-all", NULL, NULL, "the registers at every draw", LULL_OPT_SET,
     LULL_OPT_AT(struct args, o.query_mode), .min = LULL_CFF_QUERY_ALL},
    {"--query-written", NULL, NULL, "where one of them was written", LULL_OPT_SET,
     LULL_OPT_AT(struct args, o.query_mode), .min = LULL_CFF_QUERY_WRITTEN},
    {"--query-delta", NULL, NULL, "where one of them has changed", LULL_OPT_SET,
     LULL_OPT_AT(struct args, o.query_mode), .min = LULL_CFF_QUERY_DELTA},
    {"--query-compare", NULL, NULL, "in the binning pass and as it is drawn, side by side",
     LULL_OPT_FLAG, LULL_OPT_AT(struct args, o.query_compare)},
    {0},
};

static const struct lull_opt text_opts[] = {
    {"--script", "-L", "FILE", "run this Lua on the state at draws and packets", LULL_OPT_IN,
     LULL_OPT_AT(struct args, script), .flags = LULL_OPT_LAST},
    {"--dump-shaders", NULL, NULL,
     "each shader to a file 0000.vo3, 0001.fo3... in this folder, numbered on from capture to "
     "capture",
     LULL_OPT_CALL, .call = dump_shaders},
    {"--textures", NULL, NULL, "also what textures and buffers hold", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, o.textures)},
    {"--bindless", NULL, NULL, "also bindless descriptors, at draws", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, o.bindless)},
    {"--once", NULL, NULL, "each indirect buffer only once", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, o.once)},
    {"--not-once", NULL, NULL, "each as often as it is called (default)", LULL_OPT_OFF,
     LULL_OPT_AT(struct args, o.once)},
    {"--summary", "-s", NULL, "registers only at draws", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, o.summary)},
    {"--allregs", "-a", NULL, "at draws all registers that were ever written", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, o.all_registers)},
    {"--unit-test", NULL, NULL, "no names of files", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, unit_test)},
    {"--color", NULL, NULL, "with the colours of a terminal", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, o.color)},
    {"--no-color", NULL, NULL, "without them (default)", LULL_OPT_OFF,
     LULL_OPT_AT(struct args, o.color)},
    {"--verbose", "-v", NULL, "accepted; changes nothing", .kind = LULL_OPT_PASS},
    {"--pager", NULL, NULL, "accepted; changes nothing", .kind = LULL_OPT_PASS},
    {"--no-pager", NULL, NULL, "accepted; changes nothing", .kind = LULL_OPT_PASS},
    {"FILE", .kind = LULL_OPT_IN, LULL_OPT_AT(struct args, files),
     .flags = LULL_OPT_NEEDED | LULL_OPT_MANY},
    {0},
};

static const struct lull_opt_group groups[] = {
    {NULL, opts, 0}, {NULL, query_opts, 0}, {NULL, text_opts, 0}, {0}};

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

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct args a = {.o = {.last = -1}};
    struct lull_opts o = {.form = form, .base = &a};
    struct lull_error *err = lull_opts_parse(&o, argc, argv);
    const char *mode = lull_opts_given_of(&o, query_opts);
    if (err == NULL && mode != NULL && a.o.nqueries == 0) {
        err = lull_error_new(LULL_ERR_INVALID, "%s needs --query REG", mode);
    }
    a.o.queries = a.queries;
    if (err == NULL && a.script != NULL) {
        err = lull_cff_script_new(a.script, stdout, &a.o.script);
    }
    for (size_t i = 0; i < a.files.n; i++) {
        lull_files_in(&a.shaders.inputs, a.files.at[i]);
    }
    if (err == NULL) {
        err = lull_files_check(&a.shaders.inputs);
    }
    for (size_t i = 0; err == NULL && i < a.files.n; i++) {
        err = dump(&a, a.files.at[i]);
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
    return err;
}

static const struct lull_form form = {.groups = groups, .flags = LULL_FORM_SHORTENED, .run = run};

const struct lull_command lull_cli_cffdump = {
    .name = "cffdump",
    .help = "decode the command streams of an rd capture as Mesa's cffdump does",
    .about = "FILE may be gzip or zstd; - is standard input.",
    .forms = (const struct lull_form *const[]){&form, NULL},
};
