// SPDX-License-Identifier: MIT
// Named registers, or fields of them, at each draw: a table with the changes marked.
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/show/show_priv.h"
#include "adreno/show/walk.h"

enum { MOST_COLUMNS = 4096, NAME = 256 };

/** Does @p text of @p n characters match, with * and ?, whatever the case? */
static bool glob(const char *pattern, size_t n_pattern, const char *text)
{
    size_t p = 0, star = SIZE_MAX, from = 0, t = 0;
    while (text[t] != '\0') {
        if (p < n_pattern && pattern[p] == '*') {
            star = p++;
            from = t;
        } else if (p < n_pattern && (pattern[p] == '?' || toupper((unsigned char)pattern[p]) ==
                                                              toupper((unsigned char)text[t]))) {
            p++;
            t++;
        } else if (star != SIZE_MAX) { // let the last star take one more
            p = star + 1;
            t = ++from;
        } else {
            return false;
        }
    }
    while (p < n_pattern && pattern[p] == '*') {
        p++;
    }
    return p == n_pattern;
}

static void add_column(struct lull_show *w, uint32_t reg, const struct lull_dom_hit *hit,
                       const char *field)
{
    if (w->ncolumns == MOST_COLUMNS) {
        return;
    }
    struct lull_show_column *grown = realloc(w->columns, (w->ncolumns + 1) * sizeof *w->columns);
    if (grown == NULL) {
        w->err = w->err != NULL ? w->err : &lull_enomem;
        return;
    }
    w->columns = grown;
    struct lull_show_column *k = &w->columns[w->ncolumns++];
    *k = (struct lull_show_column){.reg = reg, .hit = *hit};
    (void)snprintf(k->field, sizeof k->field, "%s", field);
}

/** Fields of a register whose names match. */
static unsigned add_fields(struct lull_show *w, struct lull_cap *c, uint32_t reg,
                           const struct lull_dom_hit *hit, const char *pattern, size_t n)
{
    const struct lull_dom_field *f = NULL;
    const unsigned nfields = lull_dom_fields(&lull_dom_adreno, hit->reg, &f);
    unsigned found = 0;
    for (unsigned i = 0; i < nfields; i++) {
        if (lull_dom_holds(&lull_dom_adreno, &c->dom, f[i].cond) && glob(pattern, n, f[i].name)) {
            add_column(w, reg, hit, f[i].name);
            found++;
        }
    }
    return found;
}

/** Columns for one pattern. @return How many. */
static unsigned find(struct lull_show *w, struct lull_cap *c, const char *pattern, size_t n)
{
    struct lull_str name = {0};
    unsigned found = 0;
    char *end = NULL;
    const char *dot = memrchr(pattern, '.', n);
    const size_t before = dot != NULL ? (size_t)(dot - pattern) : n;
    const unsigned long number = strtoul(pattern, &end, 0);
    const bool is_number = isdigit((unsigned char)pattern[0]) && end == pattern + n;
    for (uint32_t at = 0; at < LULL_CAP_REGS; at++) {
        const struct lull_dom_hit hit = lull_dom_lookup(c->index, at);
        if (is_number && at == number) {
            add_column(w, at, &hit, "");
            found++;
            break;
        }
        if (is_number || hit.reg == NULL || hit.dword != 0) {
            continue;
        }
        name.size = 0;
        lull_dom_name(&hit, &name);
        if (glob(pattern, n, lull_str_text(&name))) {
            add_column(w, at, &hit, "");
            found++;
        } else if (dot != NULL && glob(pattern, before, lull_str_text(&name))) {
            found += add_fields(w, c, at, &hit, dot + 1, n - before - 1);
        }
    }
    lull_str_free(&name);
    return found;
}

static void columns(struct lull_show *w, struct lull_cap *c)
{
    w->gen = c->gen;
    w->ncolumns = 0;
    for (const char *at = w->o.query; *at != '\0';) {
        const size_t n = strcspn(at, ",");
        if (n > 0 && find(w, c, at, n) == 0 && w->err == NULL) {
            w->err = lull_error_new(LULL_ERR_INVALID, "no register '%.*s' in a%uxx",
                                    (int)(n < NAME ? n : NAME), at, c->gen);
            c->s.stop = true;
        }
        at += n + (at[n] == ',');
    }
    if (w->ncolumns == 0 && w->err == NULL) {
        w->err = lull_error_new(LULL_ERR_INVALID, "--query: which register?");
        c->s.stop = true;
    }
}

static void stream(void *ctx, struct lull_cap *c, const struct lull_cap_stream *s)
{
    struct lull_show *w = ctx;
    (void)s;
    if (c->gen != 0 && c->gen != w->gen) {
        columns(w, c);
    }
    if (w->err == NULL && w->o.json && !w->in_list) {
        lull_json_open(&w->j, '{');
        lull_json_key(&w->j, "draws");
        lull_json_open(&w->j, '[');
        w->in_list = true;
    } else if (w->err == NULL && !w->in_list) {
        lull_show_addf(w, "%6s  %-8s  %-20s    %-40s value\n", "draw", "kind", "mode", "register");
        w->in_list = true;
    }
}

static uint64_t mask(const struct lull_dom_field *f)
{
    return (f->hi - f->lo >= 63 ? UINT64_MAX : (UINT64_C(1) << (f->hi - f->lo + 1)) - 1) << f->lo;
}

/** The bits of a register that a column shows, and their text. */
static uint64_t cell(struct lull_cap *c, const struct lull_show_column *k, uint64_t value,
                     struct lull_str *out)
{
    const struct lull_dom_field *f = NULL;
    const unsigned n = k->hit.reg != NULL ? lull_dom_fields(&lull_dom_adreno, k->hit.reg, &f) : 0;
    for (unsigned i = 0; k->field[0] != '\0' && i < n; i++) {
        if (strcmp(f[i].name, k->field) == 0 &&
            lull_dom_holds(&lull_dom_adreno, &c->dom, f[i].cond)) {
            lull_dom_show_field(&lull_dom_adreno, &c->dom, &f[i], value, out);
            return (value & mask(&f[i])) >> f[i].lo;
        }
    }
    lull_cap_value(c, &k->hit, value, true, out);
    return value;
}

static void column_name(const struct lull_show_column *k, struct lull_str *out)
{
    lull_cap_name(&k->hit, k->reg, out);
    if (k->field[0] != '\0') {
        lull_str_addf(out, ".%s", k->field);
    }
}

static void row(struct lull_show *w, struct lull_cap *c, const struct lull_cap_draw *d,
                struct lull_show_column *k)
{
    const bool wide = k->hit.reg != NULL && k->hit.reg->width == 64;
    struct lull_str name = {0}, text = {0};
    const uint64_t value = cell(c, k, lull_cap_reg(c, k->reg, wide), &text);
    const bool changed = !k->shown || value != k->value;
    k->shown = true;
    k->value = value;
    column_name(k, &name);
    if (w->o.json && (changed || w->o.all)) {
        lull_json_open(&w->j, '{');
        lull_json_put_str(&w->j, "register", lull_str_text(&name));
        lull_json_put_hex(&w->j, "value", value);
        lull_json_put_str(&w->j, "text", lull_str_text(&text));
        lull_json_put_bool(&w->j, "changed", changed);
        lull_json_close(&w->j, '}');
    } else if (changed || w->o.all) {
        lull_show_addf(w, "%6" PRIu32 "  %-8s  %-20s  %c %-40s ", d->number,
                       lull_cap_draw_kind(d->kind), c->mode_name != NULL ? c->mode_name : "-",
                       changed ? '!' : ' ', lull_str_text(&name));
        lull_str_add(&w->text, text.text != NULL ? text.text : "", text.size);
        lull_show_add(w, "\n");
    }
    lull_str_free(&name);
    lull_str_free(&text);
    lull_show_flush(w, false);
}

static void draw(void *ctx, struct lull_cap *c, const struct lull_cap_draw *d)
{
    struct lull_show *w = ctx;
    if (w->err != NULL || !lull_show_wanted(w, c)) {
        return;
    }
    if (w->o.json) {
        lull_json_open(&w->j, '{');
        lull_json_put_u64(&w->j, "draw", d->number);
        lull_json_put_str(&w->j, "type", lull_cap_draw_kind(d->kind));
        if (c->mode_name != NULL) {
            lull_json_put_str(&w->j, "mode", c->mode_name);
        }
        lull_json_key(&w->j, "registers");
        lull_json_open(&w->j, '[');
    }
    for (unsigned i = 0; i < w->ncolumns; i++) {
        const uint32_t at = w->columns[i].reg;
        if (lull_cap_value_of(c, at, false).state != LULL_CAP_NEVER) {
            row(w, c, d, &w->columns[i]);
        }
    }
    if (w->o.json) {
        lull_json_close(&w->j, ']');
        lull_json_close(&w->j, '}');
        lull_show_flush(w, false);
    }
}

static void finish(struct lull_show *w, const struct lull_error *err)
{
    if (!w->o.json || w->err != NULL || (!w->in_list && err != NULL)) {
        return;
    }
    if (!w->in_list) { // a capture without streams
        lull_json_open(&w->j, '{');
        lull_json_key(&w->j, "draws");
        lull_json_open(&w->j, '[');
    }
    lull_json_close(&w->j, ']');
    lull_json_put_u64(&w->j, "problems", w->problems);
    if (err != NULL) {
        lull_json_put_str(&w->j, "error", lull_error_message(err));
    }
    lull_json_close(&w->j, '}');
    lull_show_add(w, "\n");
}

void lull_show_query_visitor(struct lull_show *w, struct lull_cap_visitor *v)
{
    v->stream = stream;
    v->draw = draw;
    w->finish = finish;
}
