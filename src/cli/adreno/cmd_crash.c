// SPDX-License-Identifier: MIT
// lull crash: what an Adreno GPU was doing when its crash dump was made.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/crash/crash.h"
#include "adreno/file/kind.h"
#include "cli/adreno/triage.h"
#include "cli/opt/command.h"
#include "cli/opt/input.h"
#include "cli/opt/progress.h"
#include "isa/afuc/afuc.h"

struct args {
    const char *file, *firmware;
    bool crashdec, no_page;
    unsigned sections;
    enum lull_crash_style style;
};

static const struct {
    const char *name;
    unsigned section;
} sections[] = {
    {"page", 0},
    {"commands", LULL_CRASH_COMMANDS},
    {"code", LULL_CRASH_CODE},
    {"rings", LULL_CRASH_RINGBUFFERS},
    {"buffers", LULL_CRASH_BUFFERS},
    {"registers", LULL_CRASH_REGISTERS},
    {"gmu", LULL_CRASH_GMU},
    {"indexed", LULL_CRASH_INDEXED},
    {"blocks", LULL_CRASH_BLOCKS},
    {"clusters", LULL_CRASH_CLUSTERS},
    {"debugbus", LULL_CRASH_DEBUGBUS},
    {"all", LULL_CRASH_ALL},
};

/** "rings,gmu" */
LULL_MUST_USE static struct lull_error *add_sections(struct args *a, const char *list)
{
    bool page = false;
    for (const char *at = list; at != NULL && *at != '\0';) {
        const size_t n = strcspn(at, ",");
        bool known = false;
        for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
            if (strlen(sections[i].name) == n && strncmp(sections[i].name, at, n) == 0) {
                a->sections |= sections[i].section;
                page |= sections[i].section == 0;
                known = true;
            }
        }
        if (!known) {
            return lull_error_new(LULL_ERR_INVALID, "no section '%.*s'", (int)n, at);
        }
        at += n + (at[n] == ',');
    }
    a->no_page = !page;
    return a->sections != 0 || page ? NULL : lull_error_new(LULL_ERR_INVALID, "which section?");
}

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
    struct lull_progress progress = {.quiet = a->crashdec};
    err = err != NULL ? err : lull_progress_open(&progress, a->file, &s);
    if (err == NULL && !a->crashdec) { // that is as lenient as Mesa's
        err = lull_error_in(lull_kind_want_devcore(s), "%s", a->file);
    }
    if (err != NULL) {
        lull_stream_free(s);
        free(words);
        return err;
    }
    if (a->crashdec) {
        err = lull_crash_decode(s, &o, stdout, stderr);
    } else {
        const struct lull_crash_look look = {.style = a->style,
                                             .no_page = a->no_page,
                                             .sections = a->sections,
                                             .firmware = a->firmware != NULL ? &fw : NULL};
        err = lull_crash_page(s, &look, &out);
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

/** One argument. @param[out] took The next one belongs to it. */
LULL_MUST_USE static struct lull_error *option(struct args *a, const char *arg, const char *next,
                                               bool *took)
{
    static const char section[] = "--section", firmware[] = "--firmware";
    const struct {
        const char *name;
        enum lull_crash_style style;
    } styles[] = {{"--json", LULL_CRASH_JSON}, {"--signature", LULL_CRASH_SIGNATURE}};
    for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++) {
        if (strcmp(arg, styles[i].name) == 0) {
            a->style = styles[i].style;
            return NULL;
        }
    }
    if (strcmp(arg, "--style=crashdec") == 0) {
        a->crashdec = true;
    } else if (strcmp(arg, "--all") == 0) {
        a->sections |= LULL_CRASH_ALL;
        a->no_page = false;
    } else if (strncmp(arg, section, sizeof section - 1) == 0 && arg[sizeof section - 1] == '=') {
        return add_sections(a, arg + sizeof section);
    } else if (strcmp(arg, section) == 0) {
        *took = true;
        return add_sections(a, next);
    } else if (strncmp(arg, firmware, sizeof firmware - 1) == 0 &&
               arg[sizeof firmware - 1] == '=') {
        a->firmware = arg + sizeof firmware;
    } else if (strcmp(arg, firmware) == 0 && next != NULL) {
        *took = true;
        a->firmware = next;
    } else if ((arg[0] == '-' && arg[1] != '\0') || a->file != NULL) {
        return lull_error_new(LULL_ERR_INVALID, "no option '%s'", arg);
    } else {
        a->file = arg;
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *run(int argc, char **argv, int *status)
{
    struct args a = {0};
    struct lull_error *err = NULL;
    if (argc > 0 && strcmp(argv[0], "triage") == 0) {
        return lull_cli_triage(argc - 1, argv + 1, status);
    }
    if (argc < 1 || strcmp(argv[0], "show") != 0) {
        return lull_error_new(LULL_ERR_INVALID, "show, or triage?");
    }
    for (int i = 1; err == NULL && i < argc; i++) {
        bool took = false;
        err = option(&a, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &took);
        i += took;
    }
    if (err == NULL && a.file == NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "which dump?");
    }
    return err != NULL ? err : show(&a);
}

const struct lull_command lull_cli_crash = {
    .name = "crash",
    .args =
        "show [--json | --signature | --style=crashdec] [--all] [--section LIST] [--firmware FW] "
        "FILE\n"
        "       lull crash triage [--json] [--html OUT] [--sql OUT] [-j N] [--memory MIB] DIR...",
    .help = "what an Adreno GPU was doing when its crash dump (devcoredump) was made",
    .more =
        "  --all              all sections after the page\n"
        "  --section LIST     only these: page, commands, code, rings, buffers, registers, gmu,\n"
        "                     indexed, blocks, clusters, debugbus, all; with commas\n"
        "  --json             the page and all sections as one object\n"
        "  --signature        one line, the same for crashes of one kind\n"
        "  --firmware FILE    of the SQE, to show what is at its PC (and those of BV and LPAC)\n"
        "  --style=crashdec   all of the dump, as lull crashdec -s\n"
        "\n"
        "FILE may be gzip or zstd; \"-\" is standard input.\n"
        "\n"
        "triage looks at all files in folders and groups the dumps by their signature:\n"
        "  --html OUT         also as a page, complete in itself\n"
        "  --sql OUT          also as an SQLite database\n"
        "  --json             to standard output as one object\n"
        "  -j N, --jobs N     threads; else as many as there are processors\n"
        "  --memory MIB       for all of them together; else 1024\n"
        "The exit status is 1 if a dump is damaged.\n",
    .run = run,
};
