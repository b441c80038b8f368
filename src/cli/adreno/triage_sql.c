// SPDX-License-Identifier: MIT
#include <sqlite3.h>

#include "base/output.h"
#include "cli/adreno/triage.h"

static const char schema[] =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA user_version = 1; BEGIN;"
    "CREATE TABLE groups (id TEXT PRIMARY KEY, signature TEXT NOT NULL, dumps INTEGER NOT NULL,"
    " first_time INTEGER, last_time INTEGER, example TEXT NOT NULL);"
    "CREATE TABLE dumps (path TEXT PRIMARY KEY, group_id TEXT REFERENCES groups(id),"
    " state TEXT NOT NULL, error TEXT, signature TEXT, gpu TEXT, kernel TEXT, time TEXT,"
    " process TEXT, command TEXT, busy TEXT, fault TEXT, waits TEXT, location TEXT, sure TEXT,"
    " before TEXT, draw TEXT, shaders TEXT);"
    "CREATE INDEX dumps_group ON dumps(group_id);";

static const char add_group[] = "INSERT INTO groups VALUES (?, ?, ?, ?, ?, ?)";
static const char add_dump[] =
    "INSERT OR IGNORE INTO dumps VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/** NULL for what is not known. */
static void bind(sqlite3_stmt *s, int at, const char *text)
{
    if (text == NULL || text[0] == '\0') {
        (void)sqlite3_bind_null(s, at);
    } else {
        (void)sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC);
    }
}

static int step(sqlite3_stmt *s)
{
    const int done = sqlite3_step(s);
    (void)sqlite3_reset(s);
    (void)sqlite3_clear_bindings(s);
    return done == SQLITE_DONE ? SQLITE_OK : done;
}

static int put_groups(const struct lull_triage *t, sqlite3_stmt *s)
{
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && i < t->ngroups; i++) {
        const struct lull_triage_group *g = &t->groups[i];
        uint64_t first = 0, last = 0;
        bind(s, 1, g->id);
        bind(s, 2, t->files[g->first].facts[LULL_CRASH_FACT_SIGNATURE]);
        (void)sqlite3_bind_int64(s, 3, (sqlite3_int64)g->count);
        if (lull_triage_times(t, g, &first, &last)) {
            (void)sqlite3_bind_int64(s, 4, (sqlite3_int64)first);
            (void)sqlite3_bind_int64(s, 5, (sqlite3_int64)last);
        }
        bind(s, 6, t->files[g->first].path);
        code = step(s);
    }
    return code;
}

static int put_file(const struct lull_triage_file *f, const char *group, const char *state,
                    sqlite3_stmt *s)
{
    bind(s, 1, f->path);
    bind(s, 2, group);
    bind(s, 3, state);
    bind(s, 4, f->error);
    for (int i = 0; i < LULL_CRASH_NFACTS; i++) {
        bind(s, 5 + i, f->facts[i]);
    }
    return step(s);
}

static int put_files(const struct lull_triage *t, sqlite3_stmt *s)
{
    int code = SQLITE_OK;
    for (size_t i = 0; i < t->ngroups; i++) {
        const struct lull_triage_group *g = &t->groups[i];
        for (size_t j = 0; code == SQLITE_OK && j < g->count; j++) {
            code = put_file(&t->files[g->first + j], g->id, "whole", s);
        }
    }
    for (size_t i = t->first_damaged; code == SQLITE_OK && i < t->nfiles; i++) {
        code = put_file(&t->files[i], NULL, i < t->first_other ? "damaged" : "no dump", s);
    }
    return code;
}

LULL_MUST_USE static struct lull_error *fill(const struct lull_triage *t, const char *path)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *groups = NULL, *files = NULL;
    int code = sqlite3_open(path, &db);
    code = code == SQLITE_OK ? sqlite3_exec(db, schema, NULL, NULL, NULL) : code;
    code = code == SQLITE_OK ? sqlite3_prepare_v2(db, add_group, -1, &groups, NULL) : code;
    code = code == SQLITE_OK ? sqlite3_prepare_v2(db, add_dump, -1, &files, NULL) : code;
    code = code == SQLITE_OK ? put_groups(t, groups) : code;
    code = code == SQLITE_OK ? put_files(t, files) : code;
    code = code == SQLITE_OK ? sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) : code;
    struct lull_error *err =
        code == SQLITE_OK ? NULL
                          : lull_error_new(LULL_ERR_OS, "SQLite: %s",
                                           db != NULL ? sqlite3_errmsg(db) : sqlite3_errstr(code));
    (void)sqlite3_finalize(groups);
    (void)sqlite3_finalize(files);
    (void)sqlite3_close(db);
    return err;
}

struct lull_error *lull_triage_sql(const struct lull_triage *t, const char *path)
{
    struct lull_output o = {0};
    struct lull_error *err = lull_output_open_named(&o, path);
    err = err != NULL ? err : lull_error_in(fill(t, o.temp), "%s", path);
    err = err != NULL ? err : lull_output_keep(&o);
    lull_output_done(&o);
    return err;
}
