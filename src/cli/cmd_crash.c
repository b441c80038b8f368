// SPDX-License-Identifier: MIT
// lull crash: what an Adreno GPU was doing when its crash dump was made.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/input.h"
#include "forensics/crash.h"
#include "isa/afuc/afuc.h"

struct args {
    const char *file, *firmware;
    bool crashdec;
    enum lull_crash_style style;
};

/** Firmware from a file: a dword 0, and instructions. @param[out] ret_words free(); @p ret uses it.
 */
LULL_MUST_USE static struct lull_error *read_firmware(const char *path, uint32_t **ret_words,
                                                      struct lull_afuc *ret)
{
    char *data = NULL;
    size_t size = 0;
    struct lull_error *err = lull_input_read(path, &data, &size);
    if (err != NULL) {
        return err;
    }
    uint32_t *words = malloc(size + sizeof *words);
    if (words == NULL) {
        err = &lull_enomem;
    } else {
        memcpy(words, data, size);
        err = size % sizeof *words != 0 || size < sizeof *words || words[0] != 0
                  ? lull_error_new(LULL_ERR_BAD_DATA, "no firmware: %zu bytes, first dword not 0",
                                   size)
                  : lull_afuc_open(words + 1, (uint32_t)(size / sizeof *words) - 1, 0, ret);
    }
    free(data);
    *ret_words = words;
    return lull_error_in(err, "%s", path);
}

LULL_MUST_USE static struct lull_error *show(const struct args *a)
{
    const struct lull_crash_options o = {.summary = true};
    struct lull_stream *s = NULL;
    struct lull_str out = {0};
    struct lull_afuc fw = {0};
    uint32_t *words = NULL;
    struct lull_error *err = a->firmware != NULL ? read_firmware(a->firmware, &words, &fw) : NULL;
    err = err != NULL ? err : lull_stream_open(a->file, &s);
    if (err != NULL) {
        free(words);
        return err;
    }
    if (a->crashdec) {
        err = lull_crash_decode(s, &o, stdout, stderr);
    } else {
        const struct lull_crash_look look = {.style = a->style,
                                             .firmware = a->firmware != NULL ? &fw : NULL};
        err = lull_crash_page(s, &look, stderr, &out);
        fputs(lull_str_text(&out), stdout);
    }
    if (err == NULL && out.err != NULL) {
        err = &lull_enomem;
    }
    lull_str_free(&out);
    lull_stream_free(s);
    free(words);
    return lull_error_in(err, "%s", a->file);
}

LULL_MUST_USE static struct lull_error *run(int argc, char **argv, int *status)
{
    (void)status;
    struct args a = {0};
    if (argc < 1 || strcmp(argv[0], "show") != 0) {
        return lull_error_new(LULL_ERR_INVALID, "lull crash show");
    }
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            a.style = LULL_CRASH_JSON;
        } else if (strcmp(argv[i], "--signature") == 0) {
            a.style = LULL_CRASH_SIGNATURE;
        } else if (strcmp(argv[i], "--style=crashdec") == 0) {
            a.crashdec = true;
        } else if (strcmp(argv[i], "--firmware") == 0 && i + 1 < argc) {
            a.firmware = argv[++i];
        } else if ((argv[i][0] == '-' && argv[i][1] != '\0') || a.file != NULL) {
            return lull_error_new(LULL_ERR_INVALID, "no option '%s'", argv[i]);
        } else {
            a.file = argv[i];
        }
    }
    if (a.file == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "which dump?");
    }
    return show(&a);
}

const struct lull_command lull_cli_crash = {
    .name = "crash",
    .args = "show [--json | --signature | --style=crashdec] [--firmware FW] FILE",
    .help = "what an Adreno GPU was doing when its crash dump (devcoredump) was made",
    .more = "  --json             the page as one object\n"
            "  --signature        one line, the same for crashes of one kind\n"
            "  --firmware FILE    of the SQE, to show what is at its PC\n"
            "  --style=crashdec   all of the dump, as lull crashdec -s\n"
            "\n"
            "FILE may be gzip or zstd; \"-\" is standard input.\n",
    .run = run,
};
