// SPDX-License-Identifier: MIT
// What lull explore has tried, as a database and as a page.
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "cli/run/explore.h"

struct lull_error *lull_explore_tried(struct lull_explore_log *l, enum lull_search_part part,
                                      uint64_t number, int rank, const struct lull_outcome *o)
{
    if (l->n == l->room) {
        const size_t room = l->room != 0 ? 2 * l->room : 64;
        struct lull_explore_row *more = realloc(l->rows, room * sizeof *more);
        if (more == NULL) {
            return &lull_enomem;
        }
        l->rows = more;
        l->room = room;
    }
    l->rows[l->n] = (struct lull_explore_row){.part = part,
                                              .number = number,
                                              .rank = rank,
                                              .how = o->how,
                                              .text = strdup(o->text != NULL ? o->text : "")};
    return l->rows[l->n++].text != NULL ? NULL : &lull_enomem;
}

static int in_order(const void *one, const void *other)
{
    const struct lull_explore_row *a = one, *b = other;
    return a->part != b->part       ? (int)a->part - (int)b->part
           : a->number != b->number ? (a->number < b->number ? -1 : 1)
                                    : 0;
}

void lull_explore_log_sort(struct lull_explore_log *l, const struct lull_order_found *f)
{
    if (l->n != 0) {
        qsort(l->rows, l->n, sizeof *l->rows, in_order);
    }
    const struct lull_explore_row last = {.part = f->part, .number = f->number};
    while (f->found && l->n != 0 && in_order(&l->rows[l->n - 1], &last) > 0) {
        free(l->rows[--l->n].text);
    }
}

void lull_explore_log_done(struct lull_explore_log *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->rows[i].text);
    }
    free(l->rows);
    *l = (struct lull_explore_log){0};
}

static const char *part_name(enum lull_search_part part)
{
    return part == LULL_SEARCH_DIRECTED ? "directed" : "drawn";
}

static const char *how_name(enum lull_outcome_how how)
{
    return how == LULL_OUTCOME_RIGHT ? "right" : how == LULL_OUTCOME_WRONG ? "wrong" : "unfair";
}

static const char schema[] =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA user_version = 1; BEGIN;"
    "CREATE TABLE program (path TEXT NOT NULL, own_order TEXT NOT NULL);"
    "CREATE TABLE orders (part TEXT NOT NULL, number INTEGER NOT NULL, seed INTEGER,"
    " result TEXT NOT NULL, text TEXT NOT NULL, rank INTEGER NOT NULL,"
    " PRIMARY KEY (part, number));"
    "CREATE TABLE waits (number INTEGER PRIMARY KEY, hold TEXT NOT NULL);"
    "CREATE TABLE found (part TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL,"
    " places TEXT NOT NULL, waits_before INTEGER NOT NULL, runs_to_shrink INTEGER NOT NULL);";

/** Run @p sql with @p n values: texts, or numbers where the text is NULL. */
static int put(sqlite3 *db, const char *sql, const char *const *texts, const uint64_t *numbers,
               int n)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &s, NULL);
    for (int i = 0; code == SQLITE_OK && i < n; i++) {
        code = texts[i] != NULL ? sqlite3_bind_text(s, i + 1, texts[i], -1, SQLITE_STATIC)
                                : sqlite3_bind_int64(s, i + 1, (sqlite3_int64)numbers[i]);
    }
    code = code == SQLITE_OK ? sqlite3_step(s) : code;
    (void)sqlite3_finalize(s);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int put_orders(const struct lull_explore_report *r, sqlite3 *db)
{
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && i < r->log->n; i++) {
        const struct lull_explore_row *row = &r->log->rows[i];
        const bool drawn = row->part == LULL_SEARCH_DRAWN;
        const char *const texts[] = {part_name(row->part), NULL,      NULL,
                                     how_name(row->how),   row->text, NULL};
        const uint64_t numbers[] = {0, row->number + 1,    r->first + row->number, 0,
                                    0, (uint64_t)row->rank};
        code = put(db,
                   drawn ? "INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?)"
                         : "INSERT INTO orders VALUES (?1, ?2, nullif(?3, ?3), ?4, ?5, ?6)",
                   texts, numbers, 6);
    }
    return code;
}

static int put_found(const struct lull_explore_report *r, sqlite3 *db)
{
    const struct lull_order_found *f = r->found;
    const char *const program[] = {r->program,
                                   r->own->how == LULL_OUTCOME_RIGHT ? "right" : r->own->text};
    const char *const texts[] = {part_name(f->part), NULL, f->text, f->places, NULL, NULL};
    const uint64_t numbers[] = {0, f->number + 1, 0, 0, f->before, f->shrink};
    int code = put(db, "INSERT INTO program VALUES (?, ?)", program, numbers, 2);
    if (code == SQLITE_OK && f->found) {
        code = put(db, "INSERT INTO found VALUES (?, ?, ?, ?, ?, ?)", texts, numbers, 6);
    }
    for (size_t i = 0; code == SQLITE_OK && f->found && i < f->schedule.n; i++) {
        struct lull_str hold = {0};
        lull_hold_text(&f->schedule.holds[i], &hold);
        const char *const wait[] = {NULL, lull_str_text(&hold)};
        const uint64_t number[] = {i + 1, 0};
        code = put(db, "INSERT INTO waits VALUES (?, ?)", wait, number, 2);
        lull_str_free(&hold);
    }
    return code;
}

LULL_MUST_USE static struct lull_error *fill(const struct lull_explore_report *r, const char *path)
{
    sqlite3 *db = NULL;
    int code = sqlite3_open(path, &db);
    code = code == SQLITE_OK ? sqlite3_exec(db, schema, NULL, NULL, NULL) : code;
    code = code == SQLITE_OK ? put_orders(r, db) : code;
    code = code == SQLITE_OK ? put_found(r, db) : code;
    code = code == SQLITE_OK ? sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) : code;
    struct lull_error *err =
        code == SQLITE_OK ? NULL
                          : lull_error_new(LULL_ERR_OS, "SQLite: %s",
                                           db != NULL ? sqlite3_errmsg(db) : sqlite3_errstr(code));
    (void)sqlite3_close(db);
    return err;
}

struct lull_error *lull_explore_sql(const struct lull_explore_report *r, const char *path)
{
    struct lull_output o = {0};
    struct lull_error *err = lull_output_open_named(&o, path);
    err = err != NULL ? err : lull_error_in(fill(r, o.temp), "%s", path);
    err = err != NULL ? err : lull_output_keep(&o);
    lull_output_done(&o);
    return err;
}

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>Orders of waves</title>\n";

static const char page_style[] =
    "<style>\n"
    ":root{color-scheme:light dark;--line:#d0d4da;--good:#5b8def;--bad:#d93025;--odd:#c9a227}\n"
    "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:80rem;padding:0 1rem}\n"
    "h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}\n"
    "pre{font:13px/1.5 ui-monospace,monospace;white-space:pre-wrap;border:1px solid var(--line);"
    "border-radius:6px;padding:.6rem 1rem}\n"
    ".all{display:flex;flex-wrap:wrap;gap:2px}\n"
    ".all i{width:10px;height:10px;background:var(--good);border-radius:2px}\n"
    "svg{max-width:52rem;font:12px ui-monospace,monospace;fill:currentColor}"
    ".ran{fill:var(--line)}.first{fill:var(--good)}.waits{fill:var(--bad)}"
    ".wait{stroke:currentColor;stroke-width:1.5}"
    ".key i{display:inline-block;width:10px;height:10px;border-radius:2px;margin:0 .3em 0 1em}"
    ".key .first{background:var(--good)}.key .waits{background:var(--bad)}\n"
    ".all i.wrong{background:var(--bad)}.all i.unfair{background:var(--odd)}\n"
    "</style></head><body>\n";

/** A square for each order of @p part. */
static void squares(const struct lull_explore_report *r, enum lull_search_part part,
                    struct lull_str *out)
{
    size_t n = 0;
    for (size_t i = 0; i < r->log->n; i++) {
        n += r->log->rows[i].part == part;
    }
    if (n == 0) {
        return;
    }
    lull_str_addf(out, "<h2>%zu %s</h2>\n<div class=\"all\">", n,
                  part == LULL_SEARCH_DIRECTED ? "with racing accesses turned round" : "drawn");
    for (size_t i = 0; i < r->log->n; i++) {
        const struct lull_explore_row *row = &r->log->rows[i];
        if (row->part == part) {
            lull_str_addf(out, "<i class=\"%s\" title=\"order %" PRIu64 ", rank %d: %s\"></i>",
                          how_name(row->how), row->number + 1, row->rank, how_name(row->how));
        }
    }
    lull_str_addf(out, "</div>\n");
}

void lull_explore_html(const struct lull_explore_report *r, struct lull_str *out)
{
    const struct lull_order_found *f = r->found;
    lull_str_addf(out, "%s%s%s<h1>", page_head,
                  r->running ? "<meta http-equiv=\"refresh\" content=\"1\">" : "", page_style);
    lull_str_page(out, r->program);
    lull_str_addf(out, "</h1>\n<p>The GPU's own order ");
    if (r->own->how == LULL_OUTCOME_RIGHT) {
        lull_str_addf(out, "is right.");
    } else {
        lull_str_addf(out, "goes wrong: ");
        lull_str_page(out, r->own->text);
    }
    lull_str_addf(out, "</p>\n");
    if (f->found) {
        struct lull_str schedule = {0};
        lull_str_addf(out, "<h2>Order %" PRIu64 " (%s) goes wrong</h2>\n<pre>", f->number + 1,
                      part_name(f->part));
        lull_str_page(out, f->text);
        lull_str_addf(out, "</pre>\n<p>%zu wait%s, of %zu, after %" PRIu64 " more runs:</p>\n<pre>",
                      f->schedule.n, f->schedule.n == 1 ? "" : "s", f->before, f->shrink);
        lull_str_page(out, f->places);
        lull_str_addf(out, "</pre>\n");
        lull_explore_picture(&f->schedule, out);
        lull_str_addf(out, "<p class=\"key\"><i class=\"first\"></i>done first<i "
                           "class=\"waits\"></i>waits for it</p>\n<p>As a file for "
                           "<code>--schedule</code>:</p>\n<pre>");
        lull_schedule_text(&f->schedule, &schedule);
        lull_str_page(out, lull_str_text(&schedule));
        lull_str_addf(out, "</pre>\n");
        lull_str_free(&schedule);
    } else if (r->own->how == LULL_OUTCOME_RIGHT) {
        lull_str_addf(out, "<p>%zu orders %s</p>\n", r->log->n,
                      r->running ? "so far: the search goes on, this page follows it"
                                 : "of others: none goes wrong");
    }
    squares(r, LULL_SEARCH_DIRECTED, out);
    squares(r, LULL_SEARCH_DRAWN, out);
    lull_str_addf(out, "</body></html>\n");
}
