// SPDX-License-Identifier: MIT
#include <sqlite3.h>

#include "base/output.h"
#include "cli/adreno/ir3_records.h"

static const char schema[] =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA user_version = 1; BEGIN;"
    "CREATE TABLE instructions (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, text TEXT NOT NULL);"
    "CREATE TABLE records (id INTEGER PRIMARY KEY, invocation INTEGER NOT NULL,"
    " instruction INTEGER NOT NULL REFERENCES instructions(id));"
    "CREATE TABLE vals (record INTEGER NOT NULL REFERENCES records(id), role TEXT NOT NULL,"
    " name TEXT NOT NULL, bits INTEGER NOT NULL);";

static const char indices[] =
    "CREATE INDEX records_invocation ON records(invocation); CREATE INDEX vals_record ON "
    "vals(record);"
    "COMMIT";

static int step(sqlite3_stmt *s)
{
    const int done = sqlite3_step(s);
    (void)sqlite3_reset(s);
    return done == SQLITE_DONE ? SQLITE_OK : done;
}

static int put_instructions(const struct lull_manifest *m, sqlite3_stmt *s)
{
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && i < m->n; i++) {
        (void)sqlite3_bind_int64(s, 1, (sqlite3_int64)i);
        (void)sqlite3_bind_int64(s, 2, m->all[i].at);
        (void)sqlite3_bind_text(s, 3, m->all[i].text, -1, SQLITE_STATIC);
        code = step(s);
    }
    return code;
}

static int put_record(const struct lull_dump *d, size_t at, sqlite3_stmt *record,
                      sqlite3_stmt *value)
{
    const struct lull_dump_record *r = &d->all[at];
    const struct lull_recorded *insn = &d->m->all[r->insn];
    (void)sqlite3_bind_int64(record, 1, (sqlite3_int64)at);
    (void)sqlite3_bind_int64(record, 2, r->invocation);
    (void)sqlite3_bind_int64(record, 3, r->insn);
    int code = step(record);
    for (uint32_t k = 0; code == SQLITE_OK && k < insn->ndst + insn->nsrc; k++) {
        (void)sqlite3_bind_int64(value, 1, (sqlite3_int64)at);
        (void)sqlite3_bind_text(value, 2, k < insn->ndst ? "dst" : "src", -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(value, 3, insn->names[k], -1, SQLITE_STATIC);
        (void)sqlite3_bind_int64(value, 4, lull_dump_value(d, r, k));
        code = step(value);
    }
    return code;
}

LULL_MUST_USE static struct lull_error *fill(const struct lull_dump *d, const char *path)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *insn = NULL, *record = NULL, *value = NULL;
    int code = sqlite3_open(path, &db);
    code = code == SQLITE_OK ? sqlite3_exec(db, schema, NULL, NULL, NULL) : code;
    code = code == SQLITE_OK ? sqlite3_prepare_v2(db, "INSERT INTO instructions VALUES (?, ?, ?)",
                                                  -1, &insn, NULL)
                             : code;
    code = code == SQLITE_OK
               ? sqlite3_prepare_v2(db, "INSERT INTO records VALUES (?, ?, ?)", -1, &record, NULL)
               : code;
    code = code == SQLITE_OK
               ? sqlite3_prepare_v2(db, "INSERT INTO vals VALUES (?, ?, ?, ?)", -1, &value, NULL)
               : code;
    code = code == SQLITE_OK ? put_instructions(d->m, insn) : code;
    for (size_t i = 0; code == SQLITE_OK && i < d->n; i++) {
        code = put_record(d, i, record, value);
    }
    code = code == SQLITE_OK ? sqlite3_exec(db, indices, NULL, NULL, NULL) : code;
    struct lull_error *err =
        code == SQLITE_OK ? NULL
                          : lull_error_new(LULL_ERR_OS, "SQLite: %s",
                                           db != NULL ? sqlite3_errmsg(db) : sqlite3_errstr(code));
    (void)sqlite3_finalize(insn);
    (void)sqlite3_finalize(record);
    (void)sqlite3_finalize(value);
    (void)sqlite3_close(db);
    return err;
}

struct lull_error *lull_ir3_records_sql(const struct lull_dump *d, const char *path)
{
    struct lull_output o = {0};
    struct lull_error *err = lull_output_open_named(&o, path);
    err = err != NULL ? err : lull_error_in(fill(d, o.temp), "%s", path);
    err = err != NULL ? err : lull_output_keep(&o);
    lull_output_done(&o);
    return err;
}
