// SPDX-License-Identifier: MIT
// lull crashdec: crash dumps of Adreno GPUs, with the options and the text of Mesa's crashdec.
#include <stdio.h>
#include <string.h>

#include "adreno/crash/crash.h"
#include "cli/opt/command.h"
#include "cli/opt/progress.h"

struct args {
    struct lull_crash_options o;
    const char *file;
};

/** Letters of one argument: "-sf" takes the next one as the file. */
LULL_MUST_USE static struct lull_error *letters(struct args *a, const char *arg, const char *next,
                                                bool *took)
{
    for (const char *at = arg + 1; *at != '\0'; at++) {
        switch (*at) {
        case 's':
            a->o.summary = true;
            break;
        case 'a':
            a->o.all_registers = true;
            break;
        case 'v':
            a->o.verbose = true;
            break;
        case 'c':
            a->o.color = true;
            break;
        case 'm':
            a->o.markers = true;
            break;
        case 'f':
            a->file = at[1] != '\0' ? at + 1 : next;
            *took = at[1] == '\0';
            return a->file != NULL ? NULL : lull_error_new(LULL_ERR_INVALID, "-f: which file?");
        default:
            return lull_error_new(LULL_ERR_INVALID, "no option '-%c'", *at);
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *option(struct args *a, const char *arg, const char *next,
                                               bool *took)
{
    static const char file[] = "--file=";
    if (strcmp(arg, "--summary") == 0) {
        a->o.summary = true;
    } else if (strcmp(arg, "--allregs") == 0) {
        a->o.all_registers = true;
    } else if (strcmp(arg, "--verbose") == 0) {
        a->o.verbose = true;
    } else if (strcmp(arg, "--color") == 0) {
        a->o.color = true;
    } else if (strcmp(arg, "--markers") == 0) {
        a->o.markers = true;
    } else if (strncmp(arg, file, sizeof file - 1) == 0) {
        a->file = arg + sizeof file - 1;
    } else if (strcmp(arg, "--file") == 0) {
        return letters(a, "-f", next, took);
    } else if (arg[0] == '-' && arg[1] != '-' && arg[1] != '\0') {
        return letters(a, arg, next, took);
    } else if ((arg[0] == '-' && arg[1] != '\0') || a->file != NULL) {
        return lull_error_new(LULL_ERR_INVALID, "no option '%s'", arg);
    } else {
        a->file = arg;
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *run(int argc, char **argv, int *status)
{
    (void)status;
    struct args a = {0};
    struct lull_error *err = NULL;
    for (int i = 0; err == NULL && i < argc; i++) {
        bool took = false;
        err = option(&a, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &took);
        i += took;
    }
    if (err == NULL && a.file == NULL) {
        a.file = "-";
    }
    struct lull_stream *s = NULL;
    struct lull_progress progress = {.quiet = true};
    err = err != NULL ? err : lull_progress_open(&progress, a.file, &s);
    if (err == NULL) {
        err = lull_error_in(lull_crash_decode(s, &a.o, stdout, stderr), "%s", a.file);
    }
    lull_stream_free(s);
    return err;
}

const struct lull_command lull_cli_crashdec = {
    .name = "crashdec",
    .args = "[-acmsv] [-f FILE]",
    .help = "decode a crash dump (devcoredump) of an Adreno GPU as Mesa's crashdec does",
    .more = "  -f FILE, --file=FILE   the dump, also gzip or zstd; without it standard input\n"
            "  -s, --summary          registers of command streams only at draws\n"
            "  -a, --allregs          at draws all registers that were ever written\n"
            "  -c, --color            with the colours of a terminal\n"
            "  -m, --markers          payloads of CP_NOP as text\n"
            "  -v, --verbose          all data, and the whole ring\n",
    .run = run,
};
