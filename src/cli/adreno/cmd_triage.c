// SPDX-License-Identifier: MIT
// lull crash triage: many crash dumps, grouped.
#include <stdio.h>

#include "base/files.h"
#include "base/output.h"
#include "cli/adreno/triage.h"
#include "cli/opt/command.h"
#include "cli/opt/ranks.h"

enum { MOST_JOBS = 256, MOST_MIB = 1 << 20, MIB_SHIFT = 20 };

struct args {
    const char *html, *sql;
    bool json;
    uint64_t jobs, mib;
    struct lull_opt_words folders;
};

static const struct lull_opt opts[] = {
    {"--html", NULL, "OUT", "also as a page, complete in itself", LULL_OPT_OUT,
     LULL_OPT_AT(struct args, html)},
    {"--sql", NULL, "OUT", "also as an SQLite database", LULL_OPT_OUT,
     LULL_OPT_AT(struct args, sql)},
    {"--json", NULL, NULL, "to standard output as one object", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, json)},
    {"--jobs", "-j", "N", "threads; as many as there are processors if not given", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct args, jobs), .min = 1, .max = MOST_JOBS},
    {"--memory", NULL, "MIB", "for all of them together; 1024 if not given", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct args, mib), .min = 1, .max = MOST_MIB},
    {"DIR", .kind = LULL_OPT_TEXT, LULL_OPT_AT(struct args, folders),
     .flags = LULL_OPT_NEEDED | LULL_OPT_MANY},
    {0},
};

static const struct lull_opt_group groups[] = {{NULL, opts, 0}, {0}};

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

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct args a = {0};
    struct lull_triage t = {0};
    struct lull_ranks ranks = {0};
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    err = err != NULL ? err : lull_ranks_open(&ranks);
    const struct lull_triage_options o = {
        .jobs = (unsigned)a.jobs, .memory = a.mib << MIB_SHIFT, .mpi = lull_ranks_mpi(&ranks)};
    const char *const *folders = (const char *const *)a.folders.at;
    err = err != NULL ? err : lull_triage_run(folders, a.folders.n, &o, &t);
    if (err == NULL && lull_ranks_first(&ranks)) {
        *status = t.first_other != t.first_damaged ? LULL_EXIT_FINDINGS : LULL_EXIT_CLEAN;
        err = report(&a, &t);
    }
    lull_triage_done(&t);
    if (err == NULL) {
        lull_ranks_close(&ranks);
    }
    return err;
}

const struct lull_form lull_cli_triage = {
    .word = "triage",
    .about = "triage looks at all files in folders and groups the dumps by their signature. Under "
             "mpirun the ranks share the files; the first one reports.",
    .groups = groups,
    .after = "Exit status 1: a dump is damaged.",
    .run = run,
};
