// SPDX-License-Identifier: MIT
// lull crash triage: many crash dumps, grouped.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/output.h"
#include "cli/adreno/triage.h"
#include "cli/opt/command.h"

enum { MOST_JOBS = 256, MOST_MIB = 1 << 20, MIB_SHIFT = 20 };

struct args {
    const char *html, *sql;
    bool json;
    uint64_t jobs, mib;
};

/** One option. @param[out] took The next argument belongs to it. */
LULL_MUST_USE static struct lull_error *option(struct args *a, const char *arg, const char *next,
                                               bool *took)
{
    const struct {
        const char *name;
        const char **text;
        uint64_t *number, most;
    } rows[] = {{"--html", &a->html, NULL, 0},
                {"--sql", &a->sql, NULL, 0},
                {"--memory", NULL, &a->mib, MOST_MIB},
                {"--jobs", NULL, &a->jobs, MOST_JOBS},
                {"-j", NULL, &a->jobs, MOST_JOBS}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const size_t n = strlen(rows[i].name);
        const bool joined = n == 2 && arg[n] != '\0'; // -j4
        if (strncmp(arg, rows[i].name, n) != 0 || (arg[n] != '\0' && arg[n] != '=' && !joined)) {
            continue;
        }
        const char *value = arg[n] == '=' ? arg + n + 1 : joined ? arg + n : next;
        char *end = NULL;
        *took = value == next;
        if (value == NULL || value[0] == '\0') {
            return lull_error_new(LULL_ERR_INVALID, "%s: which?", arg);
        }
        if (rows[i].text != NULL) {
            *rows[i].text = value;
            return NULL;
        }
        *rows[i].number = value[0] >= '0' && value[0] <= '9' ? strtoull(value, &end, 10) : 0;
        return *rows[i].number != 0 && *end == '\0' && *rows[i].number <= rows[i].most
                   ? NULL
                   : lull_error_new(LULL_ERR_INVALID, "%s: '%s' is no number from 1 to %llu",
                                    rows[i].name, value, (unsigned long long)rows[i].most);
    }
    return lull_error_new(LULL_ERR_INVALID, "no option '%s'", arg);
}

LULL_MUST_USE static struct lull_error *check_files(const struct args *a,
                                                    const struct lull_triage *t)
{
    struct lull_files files = {0};
    for (size_t i = 0; i < t->nfiles; i++) {
        lull_files_in(&files, t->files[i].path);
    }
    lull_files_out(&files, a->html);
    lull_files_out(&files, a->sql);
    struct lull_error *err = lull_files_check(&files);
    lull_files_done(&files);
    return err;
}

LULL_MUST_USE static struct lull_error *report(const struct args *a, const struct lull_triage *t)
{
    struct lull_str html = {0}, text = {0};
    struct lull_error *err = check_files(a, t);
    err = err == NULL && a->sql != NULL ? lull_triage_sql(t, a->sql) : err;
    if (err == NULL && a->html != NULL) {
        lull_triage_html(t, &html);
        err = html.err != NULL ? &lull_enomem : lull_output_write(a->html, html.text, html.size);
    }
    if (err == NULL && a->json) {
        lull_triage_json(t, &text);
    } else if (err == NULL) {
        lull_triage_text(t, &text);
    }
    err = err == NULL && text.err != NULL ? &lull_enomem : err;
    if (err == NULL) {
        (void)fwrite(lull_str_text(&text), 1, text.size, stdout);
    }
    lull_str_free(&html);
    lull_str_free(&text);
    return err;
}

struct lull_error *lull_cli_triage(int argc, char **argv, int *status)
{
    struct args a = {0};
    struct lull_triage t = {0};
    const char **paths = calloc((size_t)argc + 1, sizeof *paths);
    size_t n = 0;
    struct lull_error *err = paths == NULL ? &lull_enomem : NULL;
    for (int i = 0; err == NULL && i < argc; i++) {
        bool took = false;
        if (strcmp(argv[i], "--json") == 0) {
            a.json = true;
        } else if (argv[i][0] == '-') {
            err = option(&a, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &took);
        } else {
            paths[n++] = argv[i];
        }
        i += took;
    }
    if (err == NULL && n == 0) {
        err = lull_error_new(LULL_ERR_INVALID, "triage: which folder?");
    }
    const struct lull_triage_options o = {.jobs = (unsigned)a.jobs, .memory = a.mib << MIB_SHIFT};
    err = err != NULL ? err : lull_triage_run(paths, n, &o, &t);
    if (err == NULL) {
        *status = t.first_other != t.first_damaged ? LULL_EXIT_FINDINGS : LULL_EXIT_CLEAN;
        err = report(&a, &t);
    }
    lull_triage_done(&t);
    free(paths);
    return err;
}
