// SPDX-License-Identifier: MIT
// A capture as tables of an SQLite file (docs/formats/rd.md). Written beside its name, and renamed
// when it is complete.
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/show/show_priv.h"
#include "adreno/show/walk.h"
#include "base/output.h"
#include "hw/rd_regs.h"

enum { TEXT_MOST = 1 << 20 };

static const char schema[] =
    "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;"
    "CREATE TABLE capture(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
    "CREATE TABLE sections(number INTEGER PRIMARY KEY, offset INTEGER, type TEXT, size INTEGER,"
    " submit INTEGER, text TEXT);"
    "CREATE TABLE submits(submit INTEGER PRIMARY KEY, process TEXT);"
    "CREATE TABLE buffers(section INTEGER PRIMARY KEY, submit INTEGER, address INTEGER,"
    " size INTEGER, held INTEGER);"
    "CREATE TABLE streams(stream INTEGER PRIMARY KEY, submit INTEGER, offset INTEGER,"
    " address INTEGER, dwords INTEGER, found INTEGER);"
    "CREATE TABLE packets(packet INTEGER PRIMARY KEY, stream INTEGER, level INTEGER,"
    " address INTEGER, type TEXT, code INTEGER, name TEXT, dwords INTEGER, executed INTEGER,"
    " fields TEXT);"
    "CREATE TABLE calls(packet INTEGER, kind TEXT, number INTEGER, address INTEGER,"
    " dwords INTEGER, found INTEGER);"
    "CREATE TABLE groups(packet INTEGER, number INTEGER, what TEXT, address INTEGER,"
    " dwords INTEGER, modes TEXT, dirty INTEGER);"
    "CREATE TABLE draws(draw INTEGER PRIMARY KEY, packet INTEGER, stream INTEGER, submit INTEGER,"
    " address INTEGER, type TEXT, name TEXT, what TEXT, mode TEXT, thread TEXT, vertices INTEGER,"
    " instances INTEGER, first INTEGER, index_bytes INTEGER, index_address INTEGER,"
    " groups_x INTEGER, groups_y INTEGER, groups_z INTEGER, local_x INTEGER, local_y INTEGER,"
    " local_z INTEGER, indirect INTEGER, written INTEGER, changed INTEGER);"
    "CREATE TABLE indirects(draw INTEGER, number INTEGER, address INTEGER, v0 INTEGER, v1 INTEGER,"
    " v2 INTEGER, v3 INTEGER, v4 INTEGER);"
    "CREATE TABLE registers(draw INTEGER, reg INTEGER, name TEXT, value INTEGER, old INTEGER,"
    " text TEXT, changed INTEGER, PRIMARY KEY(draw, reg)) WITHOUT ROWID;"
    "CREATE TABLE shaders(hash TEXT PRIMARY KEY, instructions INTEGER, text TEXT) WITHOUT ROWID;"
    "CREATE TABLE draw_shaders(draw INTEGER, stage TEXT, address INTEGER, hash TEXT);"
    "CREATE TABLE loads(load INTEGER PRIMARY KEY, packet INTEGER, stage TEXT, what TEXT,"
    " first INTEGER, units INTEGER, address INTEGER, bindless_set INTEGER, shared INTEGER);"
    "CREATE TABLE load_units(load INTEGER, unit INTEGER, text TEXT);"
    "CREATE TABLE problems(offset INTEGER, address INTEGER, text TEXT);"
    "CREATE VIEW state AS SELECT d.draw AS draw, r.reg AS reg, r.name AS name, r.value AS value,"
    " r.text AS text, r.draw AS since FROM draws d JOIN registers r ON r.draw ="
    " (SELECT max(x.draw) FROM registers x WHERE x.reg = r.reg AND x.draw <= d.draw);";

enum statement {
    SECTION,
    SUBMIT,
    BUFFER,
    HELD,
    STREAM,
    PACKET,
    CALL,
    GROUP,
    DRAW,
    INDIRECT,
    REGISTER,
    SHADER,
    DRAW_SHADER,
    LOAD,
    UNIT,
    PROBLEM,
    META,
    STATEMENTS
};

static const char *const statements[STATEMENTS] = {
    [SECTION] = "INSERT INTO sections VALUES(?,?,?,?,?,?)",
    [SUBMIT] = "INSERT OR REPLACE INTO submits VALUES(?,?)",
    [BUFFER] = "INSERT INTO buffers VALUES(?,?,?,?,0)",
    [HELD] = "UPDATE buffers SET held = ? WHERE section = ?",
    [STREAM] = "INSERT INTO streams VALUES(?,?,?,?,?,?)",
    [PACKET] = "INSERT INTO packets VALUES(?,?,?,?,?,?,?,?,?,?)",
    [CALL] = "INSERT INTO calls VALUES(?,?,?,?,?,?)",
    [GROUP] = "INSERT INTO groups VALUES(?,?,?,?,?,?,?)",
    [DRAW] = "INSERT INTO draws VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [INDIRECT] = "INSERT INTO indirects VALUES(?,?,?,?,?,?,?,?)",
    [REGISTER] = "INSERT INTO registers VALUES(?,?,?,?,?,?,?)",
    [SHADER] = "INSERT OR IGNORE INTO shaders VALUES(?,?,?)",
    [DRAW_SHADER] = "INSERT INTO draw_shaders VALUES(?,?,?,?)",
    [LOAD] = "INSERT INTO loads VALUES(?,?,?,?,?,?,?,?,?)",
    [UNIT] = "INSERT INTO load_units VALUES(?,?,?)",
    [PROBLEM] = "INSERT INTO problems VALUES(?,?,?)",
    [META] = "INSERT OR REPLACE INTO capture VALUES(?,?)",
};

struct lull_show_sql {
    sqlite3 *db;
    sqlite3_stmt *st[STATEMENTS];
    struct lull_output file;
    uint64_t packet, load, buffer_section;
    bool has_buffer;
    struct lull_str s;
};

static void failed(struct lull_show *w, const char *what)
{
    if (w->err == NULL) {
        w->err = lull_error_new(LULL_ERR_OS, "%s: %s: %s", w->o.sql, what,
                                w->sql->db != NULL ? sqlite3_errmsg(w->sql->db) : "no memory");
    }
}

/** Values of a row, from left to right. */
struct row {
    struct lull_show *w;
    sqlite3_stmt *st;
    int n;
};

static struct row row(struct lull_show *w, enum statement which)
{
    return (struct row){.w = w, .st = w->sql->st[which]};
}

static void num(struct row *r, uint64_t v)
{
    sqlite3_bind_int64(r->st, ++r->n, (sqlite3_int64)v);
}

/** NULL: no value. */
static void str(struct row *r, const char *text)
{
    if (text == NULL) {
        sqlite3_bind_null(r->st, ++r->n);
    } else {
        sqlite3_bind_text(r->st, ++r->n, text, -1, SQLITE_TRANSIENT);
    }
}

static void null(struct row *r)
{
    sqlite3_bind_null(r->st, ++r->n);
}

/** NULL: never written, or not known. */
static void known(struct row *r, struct lull_cap_value value)
{
    if (value.state == LULL_CAP_KNOWN) {
        num(r, value.v);
    } else {
        null(r);
    }
}

static void put(struct row *r)
{
    if (r->w->err == NULL && sqlite3_step(r->st) != SQLITE_DONE) {
        failed(r->w, "write");
    }
    sqlite3_reset(r->st);
}

static void section(void *ctx, struct lull_cap *c, const struct lull_rd_section *s,
                    const char *wrong)
{
    struct lull_show *w = ctx;
    struct lull_show_sql *q = w->sql;
    struct lull_rd_range range = {0};
    char type[32] = "";
    lull_show_type(s, type, sizeof type);
    const uint32_t kind = s->filler ? LULL_RD_NONE : s->type;
    q->s.size = 0;
    if (kind == LULL_RD_CMD || kind == LULL_RD_TEST || kind == LULL_RD_VERT_SHADER ||
        kind == LULL_RD_FRAG_SHADER) {
        lull_show_payload(s, TEXT_MOST, &q->s);
    }
    struct row r = row(w, SECTION);
    num(&r, s->number), num(&r, s->offset), str(&r, type), num(&r, s->size);
    num(&r, c->submit), str(&r, q->s.size != 0 ? q->s.text : NULL);
    put(&r);
    if (kind == LULL_RD_GPUADDR && wrong == NULL && lull_rd_range(s, &range)) {
        r = row(w, BUFFER);
        num(&r, s->number), num(&r, c->submit), num(&r, range.address), num(&r, range.size);
        put(&r);
        q->buffer_section = s->number;
        q->has_buffer = true;
    } else if (kind == LULL_RD_BUFFER_CONTENTS && q->has_buffer) {
        r = row(w, HELD);
        num(&r, s->size), num(&r, q->buffer_section);
        put(&r);
        q->has_buffer = false;
    }
}

static void stream(void *ctx, struct lull_cap *c, const struct lull_cap_stream *s)
{
    struct lull_show *w = ctx;
    struct row r = row(w, SUBMIT);
    num(&r, c->submit), str(&r, c->process);
    put(&r);
    r = row(w, STREAM);
    num(&r, s->number), num(&r, c->submit), num(&r, s->offset), num(&r, s->address);
    num(&r, s->dwords), num(&r, s->found);
    put(&r);
}

static void packet(void *ctx, struct lull_cap *c, const struct lull_as_packet *p)
{
    struct lull_show *w = ctx;
    struct lull_show_sql *q = w->sql;
    const bool op = p->type == LULL_APKT_OP, write = p->type == LULL_APKT_WRITE;
    const struct lull_dom *d = op ? c->s.op_doms[p->what % LULL_CAP_OPCODES] : NULL;
    q->s.size = 0;
    if (d != NULL && p->n > 1) {
        const struct lull_cap_words body = {p->words + 1, p->address + 4, p->n - 1};
        lull_cap_fields_line(c, d, body, &q->s);
    } else if (write) {
        const struct lull_dom_hit hit = lull_dom_lookup(c->index, p->what);
        lull_cap_name(&hit, p->what, &q->s);
    }
    struct row r = row(w, PACKET);
    num(&r, ++q->packet), num(&r, c->streams - 1), num(&r, c->level), num(&r, p->address);
    str(&r, op ? "packet" : write ? "write" : "nop"), num(&r, p->what), str(&r, p->name);
    num(&r, p->n), num(&r, !p->dead), str(&r, q->s.size != 0 ? q->s.text : NULL);
    put(&r);
}

static void enter(void *ctx, struct lull_cap *c, const struct lull_as_frame *call)
{
    static const char *const kinds[] = {"ib", "group", "prefix", "body", "table"};
    struct lull_show *w = ctx;
    struct row r = row(w, CALL);
    (void)c;
    num(&r, w->sql->packet), str(&r, kinds[call->kind]), num(&r, call->number);
    num(&r, call->address), num(&r, call->dwords), num(&r, call->n);
    put(&r);
}

static void group(void *ctx, struct lull_cap *c, unsigned id, const struct lull_as_group *g,
                  enum lull_as_group_what what)
{
    struct lull_show *w = ctx;
    struct row r = row(w, GROUP);
    (void)c;
    w->sql->s.size = 0;
    lull_cap_modes(g->mask, &w->sql->s);
    num(&r, w->sql->packet), num(&r, id), str(&r, lull_cap_group_what(what)), num(&r, g->address),
        num(&r, g->count);
    str(&r, lull_str_text(&w->sql->s)), num(&r, g->flags & 1);
    put(&r);
}

static void load(void *ctx, struct lull_cap *c, const struct lull_cap_load *l)
{
    struct lull_show *w = ctx;
    struct lull_show_sql *q = w->sql;
    const struct lull_dom *dom = lull_cap_load_domain(c, l->of.what);
    struct row r = row(w, LOAD);
    num(&r, ++q->load), num(&r, q->packet), str(&r, lull_cap_stage_name(l->stage));
    str(&r, lull_cap_load_name(l->of.what)), num(&r, l->of.offset), num(&r, l->of.units);
    num(&r, l->w.address);
    if (l->set >= 0) {
        num(&r, (uint64_t)l->set);
    } else {
        null(&r);
    }
    num(&r, l->shared);
    put(&r);
    for (uint32_t i = 0; l->of.what != LULL_LOAD_SHADER && l->apart != 0 && i * l->apart < l->w.n;
         i++) {
        const struct lull_cap_words one = lull_cap_part(l->w, i * l->apart, l->each);
        q->s.size = 0;
        if (dom != NULL) {
            lull_cap_fields_line(c, dom, one, &q->s);
        }
        for (uint32_t k = 0; dom == NULL && k < one.n; k++) {
            lull_str_add(&q->s, " ", k != 0);
            if (l->of.what == LULL_LOAD_CONSTANTS) {
                lull_cap_float(one.words[k], &q->s);
            } else {
                lull_str_hex(&q->s, one.words[k], 8);
            }
        }
        r = row(w, UNIT);
        num(&r, q->load), num(&r, l->of.offset + i), str(&r, lull_str_text(&q->s));
        put(&r);
    }
}

static void reg(void *ctx, struct lull_cap *c, uint32_t at, const struct lull_dom_hit *hit,
                struct lull_cap_value old, struct lull_cap_value value)
{
    struct lull_show *w = ctx;
    struct lull_show_sql *q = w->sql;
    struct row r = row(w, REGISTER);
    num(&r, c->draws), num(&r, at);
    q->s.size = 0;
    lull_cap_name(hit, at, &q->s);
    str(&r, lull_str_text(&q->s)), known(&r, value), known(&r, old);
    q->s.size = 0;
    lull_cap_value(c, hit, value.v, false, &q->s);
    str(&r, value.state == LULL_CAP_KNOWN ? lull_str_text(&q->s) : NULL);
    num(&r, lull_cap_differ(old, value));
    put(&r);
}

static void shaders(struct lull_show *w, struct lull_cap *c, const struct lull_cap_draw *d)
{
    struct lull_show_sql *q = w->sql;
    for (unsigned i = 0; i < d->nshaders; i++) {
        const struct lull_cap_shader *s = &d->shaders[i];
        char hash[20] = "";
        (void)snprintf(hash, sizeof hash, "%016" PRIx64, s->hash);
        struct row r = row(w, DRAW_SHADER);
        num(&r, d->number), str(&r, lull_cap_stage_name((int)s->stage)), num(&r, s->address);
        str(&r, s->hash != 0 ? hash : NULL);
        put(&r);
        if (s->hash != 0 && !lull_show_was_seen(w, s->hash)) {
            q->s.size = 0;
            lull_cap_disasm(c, s, false, &q->s);
            r = row(w, SHADER);
            str(&r, hash), num(&r, s->n), str(&r, lull_str_text(&q->s));
            put(&r);
        }
    }
}

static void indirects(struct lull_show *w, struct lull_cap *c, const struct lull_cap_draw *d)
{
    bool counted = false;
    uint32_t said = 0;
    const uint32_t n = d->indirect != 0 ? lull_cap_param_count(c, d, &counted, &said) : 0;
    for (uint32_t i = 0; i < n && !c->s.idle; i++) {
        struct lull_cap_params p = {0};
        if (!lull_cap_param(c, d, i, &p)) {
            break;
        }
        struct row r = row(w, INDIRECT);
        num(&r, d->number), num(&r, i), num(&r, p.address);
        for (unsigned k = 0; k < LULL_CAP_PARAMS; k++) {
            if (k < p.n) {
                num(&r, p.values[k]);
            } else {
                null(&r);
            }
        }
        put(&r);
    }
}

static void draw(void *ctx, struct lull_cap *c, const struct lull_cap_draw *d)
{
    struct lull_show *w = ctx;
    struct row r = row(w, DRAW);
    num(&r, d->number), num(&r, w->sql->packet), num(&r, c->streams - 1), num(&r, c->submit);
    num(&r, d->packet->address), str(&r, lull_cap_draw_kind(d->kind)), str(&r, d->packet->name);
    str(&r, d->what), str(&r, c->mode_name), str(&r, c->thread), num(&r, d->vertices);
    num(&r, d->instances), num(&r, d->first), num(&r, d->index_bytes), num(&r, d->index_address);
    for (unsigned i = 0; i < 3; i++) {
        num(&r, d->groups[i]);
    }
    for (unsigned i = 0; i < 3; i++) {
        num(&r, d->local[i]);
    }
    num(&r, d->indirect), num(&r, d->written), num(&r, d->changed);
    put(&r);
    lull_cap_registers(c, false, reg, w);
    shaders(w, c, d);
    indirects(w, c, d);
    c->s.stop |= w->err != NULL;
}

static void problem(void *ctx, struct lull_cap *c, uint64_t offset, uint64_t address,
                    const char *text)
{
    struct lull_show *w = ctx;
    struct row r = row(w, PROBLEM);
    (void)c;
    num(&r, offset), num(&r, address), str(&r, text);
    put(&r);
}

static void stream_end(void *ctx, struct lull_cap *c, const struct lull_cap_stream *s)
{
    struct lull_show *w = ctx;
    (void)s;
    w->sql->s.size = 0;
    lull_show_gpu(c, &w->sql->s);
    struct row r = row(w, META);
    str(&r, "gpu"), str(&r, lull_str_text(&w->sql->s));
    put(&r);
}

static void finish(struct lull_show *w, const struct lull_error *err)
{
    const struct {
        const char *key, *value;
    } rows[] = {{"file", w->name},
                {"schema", "1"},
                {"error", err != NULL ? lull_error_message(err) : NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct row r = row(w, META);
        str(&r, rows[i].key), str(&r, rows[i].value);
        put(&r);
    }
    char *message = NULL;
    if (w->err == NULL &&
        sqlite3_exec(w->sql->db, "CREATE INDEX registers_reg ON registers(reg, draw); COMMIT;",
                     NULL, NULL, &message) != SQLITE_OK) {
        failed(w, "write");
    }
    sqlite3_free(message);
}

void lull_show_sql_end(struct lull_show *w, bool keep)
{
    struct lull_show_sql *q = w->sql;
    if (q == NULL) {
        return;
    }
    for (unsigned i = 0; i < STATEMENTS; i++) {
        sqlite3_finalize(q->st[i]);
    }
    if (sqlite3_close(q->db) != SQLITE_OK) {
        failed(w, "close");
    }
    if (keep && w->err == NULL) {
        w->err = lull_output_keep(&q->file);
    }
    lull_output_done(&q->file);
    lull_str_free(&q->s);
    free(q);
    w->sql = NULL;
}

/** The file beside the one that is asked for. */
static void open_file(struct lull_show *w)
{
    struct lull_show_sql *q = w->sql;
    w->err = lull_output_open_named(&q->file, w->o.sql);
    if (w->err != NULL) {
        return;
    }
    if (sqlite3_open(q->file.temp, &q->db) != SQLITE_OK ||
        sqlite3_exec(q->db, schema, NULL, NULL, NULL) != SQLITE_OK) {
        failed(w, "create");
        return;
    }
    for (unsigned i = 0; i < STATEMENTS && w->err == NULL; i++) {
        if (sqlite3_prepare_v2(q->db, statements[i], -1, &q->st[i], NULL) != SQLITE_OK) {
            failed(w, "prepare");
        }
    }
}

void lull_show_sql_visitor(struct lull_show *w, struct lull_cap_visitor *v)
{
    w->sql = calloc(1, sizeof *w->sql);
    if (w->sql == NULL) {
        w->err = &lull_enomem;
        return;
    }
    open_file(w);
    if (w->err != NULL) {
        return;
    }
    v->section = section;
    v->stream = stream;
    v->stream_end = stream_end;
    v->packet = packet;
    v->enter = enter;
    v->group = group;
    v->load = load;
    v->draw = draw;
    v->problem = problem;
    w->finish = finish;
}
