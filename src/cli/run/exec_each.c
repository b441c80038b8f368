// SPDX-License-Identifier: MIT
#include "cli/run/exec_each.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/cur.h"
#include "base/output.h"
#include "cli/opt/command.h"
#include "cli/opt/input.h"
#include "cli/opt/ranks.h"
#include "explore/pool.h"

enum { MOST_JOBS = 1024, MOST_TEXT = 1 << 20, OWN_WORDS = 6, SIGNALLED = 128 };

const struct lull_opt lull_exec_each_opts[] = {
    {"--each", NULL, "FILE",
     "run the command lines of FILE, for sh(1), each as a program of its own; under mpirun the "
     "ranks share them",
     LULL_OPT_IN, LULL_OPT_AT(struct lull_exec_each, path)},
    {"--sql", NULL, "FILE", "with --each: what came of them, an SQLite database", LULL_OPT_OUT,
     LULL_OPT_AT(struct lull_exec_each, sql)},
    {"--html", NULL, "FILE", "with --each: the same as a page, complete in itself", LULL_OPT_OUT,
     LULL_OPT_AT(struct lull_exec_each, html)},
    {"--jobs", "-j", "N",
     "with --each: programs at a time; as many as there are processors if not given, under mpirun "
     "1 for each rank",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct lull_exec_each, jobs), .min = 1, .max = MOST_JOBS},
    {0},
};

/** A command line and what came of it. */
struct program {
    const char *line; // In the file's text.
    char *text;       // What it and lull wrote; owned.
    uint32_t status;
    int rank;
};

struct each {
    char **argv; // lull exec OPTIONS -- sh -c, and room for the line.
    int nargs;
    struct program *programs;
    size_t n;
    struct lull_error *err;
};

/** Run `argv`; what it writes goes to @p out. @return Its exit status. */
static uint32_t run_one(char *const argv[], struct lull_str *out)
{
    int status = 0;
    char bytes[4096];
    size_t n = 0;
    FILE *to = tmpfile();
    const pid_t pid = to != NULL ? fork() : -1;
    if (pid == 0) {
        (void)unsetenv("OMPI_COMM_WORLD_SIZE"); // What it starts is none of the ranks.
        (void)unsetenv("PMI_SIZE");
        if (dup2(fileno(to), STDOUT_FILENO) >= 0 && dup2(fileno(to), STDERR_FILENO) >= 0) {
            (void)execv(argv[0], argv);
        }
        _exit(LULL_EXIT_FAILED);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        lull_str_addf(out, "it could not be started: %s\n", strerror(errno));
        status = LULL_EXIT_FAILED << 8;
    }
    if (to != NULL) {
        rewind(to);
        while (out->size < MOST_TEXT && (n = fread(bytes, 1, sizeof bytes, to)) != 0) {
            lull_str_printable(out, bytes, n);
        }
        (void)fclose(to);
    }
    return WIFEXITED(status) ? (uint32_t)WEXITSTATUS(status)
                             : SIGNALLED + (uint32_t)WTERMSIG(status);
}

static void work(void *ctx, const char *item, size_t size, struct lull_str *ret)
{
    const struct each *e = ctx;
    struct lull_str text = {0};
    e->argv[e->nargs] = strndup(item, size);
    if (e->argv[e->nargs] == NULL) {
        ret->err = &lull_enomem;
        return;
    }
    const uint32_t status = run_one(e->argv, &text);
    const uint8_t bytes[] = {(uint8_t)status, (uint8_t)(status >> 8), 0, 0};
    lull_str_add(ret, (const char *)bytes, sizeof bytes);
    lull_str_add(ret, lull_str_text(&text), text.size); // The process ends now.
}

static void item(void *ctx, size_t i, struct lull_str *ret)
{
    const struct each *e = ctx;
    lull_str_add(ret, e->programs[i].line, strlen(e->programs[i].line));
}

static bool done(void *ctx, size_t i, const struct lull_pool_result *r)
{
    struct each *e = ctx;
    struct program *p = &e->programs[i];
    struct lull_cur c = lull_cur_of(r->bytes, r->size);
    p->status = lull_cur_u32(&c);
    struct lull_error *err = lull_cur_error(&c, "result of a program");
    p->rank = r->rank;
    if (r->died || err != NULL) {
        lull_error_free(err);
        p->status = LULL_EXIT_FAILED;
        p->text = strdup("the process that ran it has died\n");
    } else {
        p->text = strndup(r->bytes + sizeof p->status, r->size - sizeof p->status);
    }
    e->err = p->text != NULL ? e->err : &lull_enomem;
    return p->text != NULL;
}

/** Lines that are neither empty nor comments. @p text is cut into them. */
LULL_MUST_USE static struct lull_error *read_lines(struct each *e, char *text)
{
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        line += strspn(line, " \t\r");
        if (*line == '\0' || *line == '#') {
            continue;
        }
        struct program *more = realloc(e->programs, (e->n + 1) * sizeof *more);
        if (more == NULL) {
            return &lull_enomem;
        }
        e->programs = more;
        e->programs[e->n++] = (struct program){.line = line};
    }
    return NULL;
}

/** The options that are not of --each, for each program. */
LULL_MUST_USE static struct lull_error *make_argv(struct each *e, const struct lull_form *form,
                                                  int argc, char **argv, char *self)
{
    static const char *const front[] = {"exec"}, *const back[] = {"--", "sh", "-c"};
    struct lull_opt_scan words = {.form = form, .argc = argc, .argv = argv};
    struct lull_opt_item one = {0};
    e->argv = calloc((size_t)argc + OWN_WORDS + 1, sizeof *e->argv);
    if (e->argv == NULL) {
        return &lull_enomem;
    }
    e->argv[e->nargs++] = self;
    e->argv[e->nargs++] = (char *)(uintptr_t)front[0];
    while (lull_opt_next(&words, &one)) {
        bool own = false;
        for (const struct lull_opt *o = lull_exec_each_opts; o->name != NULL; o++) {
            own = own || one.opt == o;
        }
        for (int i = one.first; i <= one.last && !own; i++) {
            e->argv[e->nargs++] = argv[i];
        }
    }
    for (size_t i = 0; i < sizeof back / sizeof back[0]; i++) {
        e->argv[e->nargs++] = (char *)(uintptr_t)back[i];
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *fill(const struct each *e, const char *path)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *s = NULL;
    int code = sqlite3_open(path, &db);
    code = code == SQLITE_OK ? sqlite3_exec(db,
                                            "PRAGMA journal_mode = OFF; PRAGMA user_version = 1;"
                                            "BEGIN; CREATE TABLE programs (number INTEGER PRIMARY "
                                            "KEY, command TEXT NOT NULL, status INTEGER NOT NULL, "
                                            "text TEXT NOT NULL, rank INTEGER NOT NULL);",
                                            NULL, NULL, NULL)
                             : code;
    code = code == SQLITE_OK
               ? sqlite3_prepare_v2(db, "INSERT INTO programs VALUES (?, ?, ?, ?, ?)", -1, &s, NULL)
               : code;
    for (size_t i = 0; code == SQLITE_OK && i < e->n; i++) {
        const struct program *p = &e->programs[i];
        (void)sqlite3_bind_int64(s, 1, (sqlite3_int64)i + 1);
        (void)sqlite3_bind_text(s, 2, p->line, -1, SQLITE_STATIC);
        (void)sqlite3_bind_int64(s, 3, p->status);
        (void)sqlite3_bind_text(s, 4, p->text, -1, SQLITE_STATIC);
        (void)sqlite3_bind_int64(s, 5, p->rank);
        code = sqlite3_step(s);
        code = code == SQLITE_DONE ? sqlite3_reset(s) : code;
    }
    code = code == SQLITE_OK ? sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) : code;
    struct lull_error *err =
        code == SQLITE_OK ? NULL
                          : lull_error_new(LULL_ERR_OS, "SQLite: %s",
                                           db != NULL ? sqlite3_errmsg(db) : sqlite3_errstr(code));
    (void)sqlite3_finalize(s);
    (void)sqlite3_close(db);
    return err;
}

static void page(const struct each *e, size_t nbad, struct lull_str *out)
{
    lull_str_addf(out,
                  "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'unsafe-inline'\">\n<title>Programs</title>\n<style>\n"
                  ":root{color-scheme:light dark}\n"
                  "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:80rem;"
                  "padding:0 1rem}\npre{font:13px/1.5 ui-monospace,monospace;white-space:pre-wrap;"
                  "margin:.3rem 0 1rem 1.5rem}\nsummary{cursor:pointer}.bad{color:#d93025}\n"
                  "</style></head><body>\n<h1>%zu of %zu programs did not end with 0</h1>\n",
                  nbad, e->n);
    for (size_t i = 0; i < e->n; i++) {
        const struct program *p = &e->programs[i];
        lull_str_addf(out, "<details%s><summary%s>%" PRIu32 " <code>",
                      p->status != 0 ? " open" : "", p->status != 0 ? " class=\"bad\"" : "",
                      p->status);
        lull_str_page(out, p->line);
        lull_str_addf(out, "</code></summary><pre>");
        lull_str_page(out, p->text);
        lull_str_addf(out, "</pre></details>\n");
    }
    lull_str_addf(out, "</body></html>\n");
}

/** On rank 0. */
LULL_MUST_USE static struct lull_error *report(const struct lull_exec_each *how,
                                               const struct each *e, int *status)
{
    struct lull_output sql = {0};
    struct lull_str html = {0};
    struct lull_error *err = NULL;
    size_t nbad = 0;
    for (size_t i = 0; i < e->n; i++) {
        nbad += e->programs[i].status != 0;
    }
    if (how->sql != NULL) {
        err = lull_output_open_named(&sql, how->sql);
        err = err != NULL ? err : lull_error_in(fill(e, sql.temp), "%s", how->sql);
        err = err != NULL ? err : lull_output_keep(&sql);
        lull_output_done(&sql);
    }
    if (err == NULL && how->html != NULL) {
        page(e, nbad, &html);
        err = html.err != NULL ? &lull_enomem : lull_output_write(how->html, html.text, html.size);
        lull_str_free(&html);
    }
    for (size_t i = 0; err == NULL && i < e->n; i++) {
        const struct program *p = &e->programs[i];
        printf("%" PRIu32 " %s\n", p->status, p->line);
        fputs(p->status != 0 ? p->text : "", stdout);
    }
    if (err == NULL) {
        printf("%zu programs, %zu did not end with 0\n", e->n, nbad);
        *status = nbad != 0 ? LULL_EXIT_FINDINGS : LULL_EXIT_CLEAN;
    }
    return err;
}

struct lull_error *lull_exec_each(const struct lull_exec_each *how, const struct lull_form *form,
                                  int argc, char **argv, int *status)
{
    struct each e = {0};
    struct lull_ranks ranks = {0};
    struct lull_pool *pool = NULL;
    lull_cleanup(lull_freep) char *text = NULL, *self = realpath("/proc/self/exe", NULL);
    size_t size = 0;
    struct lull_error *err = self == NULL ? lull_error_os(errno, "/proc/self/exe") : NULL;
    err = err != NULL ? err : lull_input_read(how->path, &text, &size);
    err = err != NULL ? err : read_lines(&e, text);
    err = err != NULL ? err : make_argv(&e, form, argc, argv, self);
    err = err != NULL ? err : lull_ranks_open(&ranks);
    const struct lull_pool_options o = {
        .jobs = (unsigned)how->jobs, .mpi = lull_ranks_mpi(&ranks), .work = work, .ctx = &e};
    const struct lull_pool_list list = {.n = e.n, .item = item, .done = done, .ctx = &e};
    err = err != NULL ? err : lull_pool_new(&o, &pool);
    if (err == NULL) {
        err = lull_ranks_first(&ranks) ? lull_pool_run(pool, &list) : lull_pool_serve(pool);
    }
    lull_pool_free(pool);
    err = err != NULL ? err : e.err;
    if (err == NULL && lull_ranks_first(&ranks)) {
        err = report(how, &e, status);
    }
    for (size_t i = 0; i < e.n; i++) {
        free(e.programs[i].text);
    }
    free(e.programs);
    free(e.argv);
    if (err == NULL) {
        lull_ranks_close(&ranks);
    }
    return err;
}
