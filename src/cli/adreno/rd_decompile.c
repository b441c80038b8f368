// SPDX-License-Identifier: MIT
// lull rd decompile, lull rd names: a capture as C, and the names that such C is written with.
#include <stdio.h>

#include "adreno/decompile/decompile.h"
#include "adreno/file/kind.h"
#include "cli/adreno/rd.h"
#include "cli/opt/command.h"
#include "cli/opt/progress.h"

struct args {
    int64_t stream;
    const char *file;
    unsigned gen;
};

static const struct lull_opt decompile_opts[] = {
    {"--stream", "-s", "N",
     "one command stream, by number from 0, with the buffers of its submit; without it, all",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct args, stream), .max = INT64_MAX},
    {"FILE", .kind = LULL_OPT_IN, LULL_OPT_AT(struct args, file), .flags = LULL_OPT_NEEDED},
    {0},
};

static const struct lull_opt names_opts[] = {
    {"GPU", NULL, "a2xx|a3xx|a4xx|a5xx|a6xx|a7xx", .kind = LULL_OPT_CHOICE,
     LULL_OPT_AT(struct args, gen), .flags = LULL_OPT_NEEDED, .min = 2},
    {0},
};

static const struct lull_opt_group decompile_groups[] = {{NULL, decompile_opts, 0}, {0}};
static const struct lull_opt_group names_groups[] = {{NULL, names_opts, 0}, {0}};

static void print(struct lull_str *text)
{
    (void)fwrite(lull_str_text(text), 1, text->size, stdout);
    lull_str_free(text);
}

LULL_MUST_USE static struct lull_error *run_decompile(const struct lull_form *form, int argc,
                                                      char **argv, int *status)
{
    struct args a = {.stream = -1};
    struct lull_progress progress = {.quiet = true};
    struct lull_stream *s = NULL;
    struct lull_str text = {0};
    (void)status;
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    if (err != NULL) {
        return err;
    }
    err = lull_progress_open(&progress, a.file, &s);
    err = err != NULL ? err : lull_error_in(lull_kind_want_rd(s), "%s", a.file);
    err =
        err != NULL ? err : lull_error_in(lull_decompile(s, a.file, a.stream, &text), "%s", a.file);
    lull_stream_free(s);
    if (err == NULL) {
        print(&text);
    }
    lull_str_free(&text);
    return err;
}

LULL_MUST_USE static struct lull_error *run_names(const struct lull_form *form, int argc,
                                                  char **argv, int *status)
{
    struct args a = {.stream = -1};
    struct lull_str text = {0};
    (void)status;
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    err = err != NULL ? err : lull_decompile_names(a.gen, &text);
    err = err != NULL ? err : text.err;
    if (err == NULL) {
        print(&text);
    }
    return err;
}

const struct lull_form lull_rd_form_decompile = {
    .word = "decompile",
    .about =
        "decompile prints a capture as a C program that writes it again: registers and "
        "packets by name, shaders as text, everything else as arrays. Edit it, compile it with "
        "-llull, and run it: [--vastart=N --vasize=N] OUT.rd.",
    .groups = decompile_groups,
    .run = run_decompile,
};

const struct lull_form lull_rd_form_names = {
    .word = "names",
    .about = "names prints packets, registers and fields of a generation as macros of C: the "
             "headers lull/a2xx.h to lull/a7xx.h.",
    .groups = names_groups,
    .run = run_names,
};
