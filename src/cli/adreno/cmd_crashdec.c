// SPDX-License-Identifier: MIT
// lull crashdec: crash dumps of Adreno GPUs, with the options and the text of Mesa's crashdec.
#include <stdio.h>

#include "adreno/crash/crash.h"
#include "cli/opt/command.h"
#include "cli/opt/progress.h"

struct args {
    struct lull_crash_options o;
    const char *file, *operand;
};

// Mesa's program takes options twice.
static const struct lull_opt opts[] = {
    {"--file", "-f", "FILE", "the dump, also gzip or zstd; without it standard input", LULL_OPT_IN,
     LULL_OPT_AT(struct args, file), .flags = LULL_OPT_LAST},
    {"--summary", "-s", NULL, "registers of command streams only at draws", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, o.summary)},
    {"--allregs", "-a", NULL, "at draws all registers that were ever written", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, o.all_registers)},
    {"--color", "-c", NULL, "with the colours of a terminal", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, o.color)},
    {"--markers", "-m", NULL, "payloads of CP_NOP as text", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, o.markers)},
    {"--verbose", "-v", NULL, "all data, and the whole ring", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, o.verbose)},
    {"FILE", .kind = LULL_OPT_IN, LULL_OPT_AT(struct args, operand)},
    {0},
};

static const struct lull_opt_group groups[] = {{NULL, opts, 0}, {0}};

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct args a = {0};
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    (void)status;
    if (err == NULL && a.file != NULL && a.operand != NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "'%s' is one word too many", a.operand);
    }
    const char *file = a.file != NULL ? a.file : a.operand != NULL ? a.operand : "-";
    struct lull_stream *s = NULL;
    struct lull_progress progress = {.quiet = true};
    err = err != NULL ? err : lull_progress_open(&progress, file, &s);
    if (err == NULL) {
        err = lull_error_in(lull_crash_decode(s, &a.o, stdout, stderr), "%s", file);
    }
    lull_stream_free(s);
    return err;
}

static const struct lull_form form = {.groups = groups, .run = run};

const struct lull_command lull_cli_crashdec = {
    .name = "crashdec",
    .help = "decode a crash dump (devcoredump) of an Adreno GPU as Mesa's crashdec does",
    .forms = (const struct lull_form *const[]){&form, NULL},
};
