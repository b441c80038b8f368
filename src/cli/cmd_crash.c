// SPDX-License-Identifier: MIT
// lull crash: what an Adreno GPU was doing when its crash dump was made.
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "forensics/crash.h"

LULL_MUST_USE static struct lull_error *show(const char *file, bool crashdec,
                                             enum lull_crash_style style)
{
    const struct lull_crash_options o = {.summary = true};
    struct lull_stream *s = NULL;
    struct lull_str out = {0};
    struct lull_error *err = lull_stream_open(file, &s);
    if (err != NULL) {
        return err;
    }
    if (crashdec) {
        err = lull_crash_decode(s, &o, stdout, stderr);
    } else {
        err = lull_crash_page(s, style, stderr, &out);
        fputs(lull_str_text(&out), stdout);
    }
    if (err == NULL && out.err != NULL) {
        err = &lull_enomem;
    }
    lull_str_free(&out);
    lull_stream_free(s);
    return lull_error_in(err, "%s", file);
}

LULL_MUST_USE static struct lull_error *run(int argc, char **argv, int *status)
{
    (void)status;
    const char *file = NULL;
    bool crashdec = false;
    enum lull_crash_style style = LULL_CRASH_PAGE;
    if (argc < 1 || strcmp(argv[0], "show") != 0) {
        return lull_error_new(LULL_ERR_INVALID, "lull crash show");
    }
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            style = LULL_CRASH_JSON;
        } else if (strcmp(argv[i], "--signature") == 0) {
            style = LULL_CRASH_SIGNATURE;
        } else if (strcmp(argv[i], "--style=crashdec") == 0) {
            crashdec = true;
        } else if ((argv[i][0] == '-' && argv[i][1] != '\0') || file != NULL) {
            return lull_error_new(LULL_ERR_INVALID, "no option '%s'", argv[i]);
        } else {
            file = argv[i];
        }
    }
    if (file == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "which dump?");
    }
    return show(file, crashdec, style);
}

const struct lull_command lull_cli_crash = {
    .name = "crash",
    .args = "show [--json | --signature | --style=crashdec] FILE",
    .help = "what an Adreno GPU was doing when its crash dump (devcoredump) was made",
    .more = "  --json             the page as one object\n"
            "  --signature        one line, the same for crashes of one kind\n"
            "  --style=crashdec   all of the dump, as lull crashdec -s\n"
            "\n"
            "FILE may be gzip or zstd; \"-\" is standard input.\n",
    .run = run,
};
