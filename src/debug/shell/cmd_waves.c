// SPDX-License-Identifier: MIT
/* Many waves: info waves, wave where, lanes where, table. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/shell/rows.h"
#include "debug/shell/shell.h"

enum { MAX_RUNNING = 4096, MANY = 16 };

static void json_list(struct lull_json *json, const char *key)
{
    if (json != NULL) {
        lull_json_key(json, key);
        lull_json_open(json, '[');
    }
}

static void json_end(struct lull_json *json)
{
    if (json != NULL) {
        lull_json_close(json, ']');
    }
}

/* Where in the source it is, if that is known. */
static void line_json(struct lull_json *json, const struct lull_debug *d, uint64_t pc)
{
    struct lull_line line = {0};
    if (lull_debug_line_at(d, pc, &line)) {
        lull_json_put_str(json, "file", line.file);
        lull_json_put_u64(json, "line", line.line);
    }
}

static void wave_json(const struct lull_debug *d, struct lull_json *json,
                      const struct lull_wave_info *i, const struct lull_debug_wave *w, bool current)
{
    lull_json_open(json, '{');
    if (w != NULL) {
        lull_json_put_u64(json, "wave", w->number);
    }
    lull_json_put_bool(json, "current", current);
    lull_json_key(json, "workgroup");
    lull_json_open(json, '[');
    for (unsigned k = 0; k < 3; k++) {
        lull_json_u64(json, i->workgroup[k]);
    }
    lull_json_close(json, ']');
    lull_json_put_u64(json, "wave_in_group", i->wave_in_group);
    lull_json_put_str(json, "stop", lull_stop_name(i->stop));
    lull_json_put_hex(json, "pc", i->pc);
    line_json(json, d, i->pc);
    lull_json_put_hex(json, "exec", i->exec);
    lull_json_put_u64(json, "lanes", i->lanes);
    lull_json_put_u64(json, "se", i->se);
    lull_json_put_u64(json, "sa", i->sa);
    lull_json_put_u64(json, "wgp", i->wgp);
    lull_json_put_u64(json, "simd", i->simd);
    lull_json_put_u64(json, "slot", i->slot);
    lull_debug_json_work(i, json);
    lull_json_close(json, '}');
}

/* One row; @p w is NULL for a wave that runs and never stood. */
static void wave_row(struct lull_cmd *c, const struct lull_wave_info *i,
                     const struct lull_debug_wave *w)
{
    bool current = w != NULL && c->d->has_focus && w->number == c->d->focus;
    char number[16] = "-";
    char group[48] = {0};
    if (w != NULL) {
        snprintf(number, sizeof number, "%u", w->number);
    }
    if (i->of_draw) {
        snprintf(group, sizeof group, "draw %" PRIu64 " %s", i->draw,
                 i->stage == LULL_STAGE_VERTEX ? "vs" : "fs");
    } else {
        snprintf(group, sizeof group, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 "/%" PRIu32,
                 i->workgroup[0], i->workgroup[1], i->workgroup[2], i->wave_in_group);
    }
    lull_str_addf(c->out, "%c %-5s %-12s %-19s ", current ? '*' : ' ', number, group,
                  lull_stop_name(i->stop));
    if (i->stop == LULL_STOP_NOT) {
        lull_str_addf(c->out, "%-16s", "-");
    } else {
        lull_str_addf(c->out, "%0*" PRIx64 "%*s", i->lanes == 64 ? 16 : 8, i->exec,
                      i->lanes == 64 ? 0 : 8, "");
    }
    if (lull_debug_is_ir3(c->d)) {
        lull_str_addf(c->out, " %5u  %-6s  ", i->lanes, i->second_half ? "64-127" : "0-63");
    } else {
        lull_str_addf(c->out, " %5u  %u/%u/%u/%u/%-2u  ", i->lanes, i->se, i->sa, i->wgp, i->simd,
                      i->slot);
    }
    lull_str_addf(c->out, "0x%012" PRIx64 " ", i->pc);
    lull_debug_show_symbol(c->d, i->pc, c->out);
    lull_str_addf(c->out, "\n");
    if (c->json != NULL) {
        wave_json(c->d, c->json, i, w, current);
    }
}

static const struct lull_debug_wave *by_key(const struct lull_debug *d, lull_wave_key key)
{
    for (size_t i = 0; i < d->nwaves; i++) {
        if (d->waves[i].info.key == key) {
            return &d->waves[i];
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *running_rows(struct lull_cmd *c, size_t *count)
{
    lull_cleanup(lull_freep) struct lull_wave_info *infos = calloc(MAX_RUNNING, sizeof *infos);
    if (infos == NULL) {
        return &lull_enomem;
    }
    size_t n = 0;
    struct lull_error *err = lull_debug_running(c->d, infos, MAX_RUNNING, &n);
    for (size_t i = 0; err == NULL && i < n && i < MAX_RUNNING; i++) {
        const struct lull_debug_wave *w = by_key(c->d, infos[i].key);
        if (w == NULL || !w->stopped) {
            infos[i].stop = LULL_STOP_NOT;
            wave_row(c, &infos[i], w);
            ++*count;
        }
    }
    return err;
}

/* Numbers of waves. */
struct range {
    uint64_t first, last;
};

/* "7", "0-45"; false: @p at is something else. */
static bool parse_range(const char **at, struct range *ret)
{
    const char *p = *at;
    if (!lull_cmd_number(&p, &ret->first)) {
        return false;
    }
    ret->last = ret->first;
    if (*p == '-') {
        p++;
        if (!lull_cmd_number(&p, &ret->last)) {
            return false;
        }
    }
    *at = p;
    return true;
}

static bool in_range(const struct range *r, unsigned number)
{
    return number >= r->first && number <= r->last;
}

LULL_MUST_USE static struct lull_error *all_rows(struct lull_cmd *c, const struct range *r)
{
    size_t count = 0;
    lull_str_addf(c->out,
                  "  Wave  Group/wave   State               EXEC             Lanes  %s  PC\n",
                  lull_debug_is_ir3(c->d) ? "Fibers" : "SE/SA/WGP/SIMD/slot");
    json_list(c->json, "waves");
    for (size_t i = 0; i < c->d->nwaves; i++) {
        if (c->d->waves[i].stopped && in_range(r, c->d->waves[i].number)) {
            wave_row(c, &c->d->waves[i].info, &c->d->waves[i]);
            count++;
        }
    }
    const bool running = r->first == 0 && r->last == UINT64_MAX;
    struct lull_error *err = running ? running_rows(c, &count) : NULL;
    json_end(c->json);
    if (count == 0) {
        lull_str_addf(c->out, "No waves.\n");
    }
    return err;
}

/* What waves have in common: state, which lanes are on, the line or the address. */
static void describe(struct lull_debug *d, const struct lull_wave_info *i, struct lull_str *out)
{
    const uint64_t all = i->lanes == 64 ? UINT64_MAX : (UINT64_C(1) << i->lanes) - 1;
    struct lull_line line = {0};
    lull_str_addf(out, "%-19s  ", lull_stop_name(i->stop));
    if (i->of_draw) {
        lull_str_addf(out, "draw %" PRIu64 " %s  ", i->draw, lull_draw_stage_name(i->stage));
    }
    lull_str_addf(out, "%-10s  ",
                  (i->exec & all) == all ? "all lanes"
                  : (i->exec & all) == 0 ? "no lane"
                                         : "some lanes");
    if (lull_debug_line_at(d, i->pc, &line)) {
        const char *slash = strrchr(line.file, '/');
        lull_str_addf(out, "%s:%" PRIu32, slash != NULL ? slash + 1 : line.file, line.line);
    } else {
        lull_str_addf(out, "0x%012" PRIx64 " ", i->pc);
        lull_debug_show_symbol(d, i->pc, out);
    }
}

/* One line for waves that are alike. */
LULL_MUST_USE static struct lull_error *grouped(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    struct lull_rows rows = {0};
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < d->nwaves; i++) {
        if (d->waves[i].stopped) {
            lull_cleanup(lull_str_free) struct lull_str text = {0};
            describe(d, &d->waves[i].info, &text);
            err = lull_rows_add(&rows, d->waves[i].number, lull_str_text(&text));
        }
    }
    json_list(c->json, "groups");
    lull_rows_show(&rows, d->has_focus ? &d->focus : NULL, c->out, c->json);
    json_end(c->json);
    lull_rows_free(&rows);
    return err;
}

static size_t standing(const struct lull_debug *d)
{
    size_t n = 0;
    for (size_t i = 0; i < d->nwaves; i++) {
        n += d->waves[i].stopped;
    }
    return n;
}

/* Those that run, as one line. */
LULL_MUST_USE static struct lull_error *count_running(struct lull_cmd *c, struct lull_json *json)
{
    lull_cleanup(lull_str_free) struct lull_str rows = {0};
    struct lull_cmd quiet = {.d = c->d, .out = &rows, .json = json};
    size_t n = 0;
    struct lull_error *err = running_rows(&quiet, &n);
    if (err == NULL && n != 0) {
        lull_str_addf(c->out, "  %-14s %5zu wave%s  running\n", "-", n, n == 1 ? " " : "s");
    }
    return err;
}

struct lull_error *lull_cmd_info_waves(struct lull_cmd *c, const char *args)
{
    const struct range all = {.last = UINT64_MAX};
    struct range some = {0};
    const bool rows = strcmp(args, "-all") == 0;
    const bool groups = strcmp(args, "-groups") == 0;
    const char *at = args;
    if (parse_range(&at, &some) && *at == '\0') {
        return all_rows(c, &some);
    }
    if (!rows && !groups && *args != '\0') {
        return lull_error_new(LULL_ERR_INVALID,
                              "'%s': info waves takes -all, -groups or numbers of waves, N or M-N",
                              args);
    }
    if (rows || (!groups && standing(c->d) <= MANY)) {
        return all_rows(c, &all);
    }
    struct lull_error *err = grouped(c);
    json_list(c->json, "waves"); // all of them: programs read these
    for (size_t i = 0; c->json != NULL && i < c->d->nwaves; i++) {
        const struct lull_debug_wave *w = &c->d->waves[i];
        if (w->stopped) {
            wave_json(c->d, c->json, &w->info, w, c->d->has_focus && w->number == c->d->focus);
        }
    }
    err = err != NULL ? err : count_running(c, c->json);
    json_end(c->json);
    return err;
}

void lull_debug_show_lane(struct lull_cmd *c, const struct lull_wave_info *w, unsigned lane)
{
    const bool active = (w->exec >> lane & 1) != 0;
    const uint64_t thread = (uint64_t)w->wave_in_group * w->lanes + lane;
    struct lull_invocation who = {.vertex = 0};
    const bool known = lull_debug_invocation(c->d, w, lane, &who);
    lull_str_addf(c->out, "%c lane %2u  ", lane == c->d->lane ? '*' : ' ', lane);
    if (known) {
        lull_str_addf(c->out, "%-8s  ", active ? "active" : "inactive");
        lull_debug_show_invocation(&who, c->out);
        lull_str_addf(c->out, "\n");
    } else if (w->of_draw) {
        lull_str_addf(c->out, "inactive\n");
    } else {
        lull_str_addf(c->out, "thread %4" PRIu64 "  %s\n", thread, active ? "active" : "inactive");
    }
    if (c->json != NULL) {
        lull_json_open(c->json, '{');
        lull_json_put_u64(c->json, "lane", lane);
        if (!w->of_draw) {
            lull_json_put_u64(c->json, "thread", thread);
        }
        lull_json_put_bool(c->json, "active", active);
        if (known) {
            lull_debug_json_invocation(&who, c->json);
        }
        lull_json_close(c->json, '}');
    }
}

/* One of the expressions that stand in a list. */
struct part {
    const char *text;
    int size;
    unsigned number; ///< From 0 on.
    bool last;
};

/* Does something with the value of an expression in a wave, which has the focus meanwhile. */
typedef struct lull_error *in_wave_fn(struct lull_cmd *c, const struct lull_debug_wave *w,
                                      const struct lull_value *v, const struct part *p, void *ctx);

/* Read the expression at *@p at, behind which a comma and another may stand if @p list; then it
 * goes there. */
LULL_MUST_USE static struct lull_error *next_part(struct lull_debug *d, const char **at, bool list,
                                                  struct part *p, struct lull_expr **ret)
{
    const char *end = NULL;
    p->text = *at;
    struct lull_error *err = lull_debug_parse_part(d, *at, &end, ret);
    if (err != NULL) {
        return err;
    }
    p->last = !list || *end != ',';
    p->size = (int)(end - *at);
    while (p->size > 0 && (*at)[p->size - 1] == ' ') {
        p->size--;
    }
    if (p->last && *end != '\0') { // It says what is left over.
        lull_expr_free(*ret);
        *ret = NULL;
        return lull_debug_parse(d, *at, ret);
    }
    *at = p->last ? end : end + 1 + strspn(end + 1, " ");
    return NULL;
}

LULL_MUST_USE static struct lull_error *in_wave(struct lull_cmd *c, struct lull_debug_wave *w,
                                                const char *text, bool list, in_wave_fn *fn,
                                                void *ctx)
{
    struct lull_debug_look was = {0};
    struct lull_error *err = NULL;
    lull_debug_look_at(c->d, w, &was);
    for (struct part p = {.number = 0}; err == NULL && !p.last; p.number++) {
        struct lull_expr *e = NULL;
        struct lull_value v = {0};
        err = next_part(c->d, &text, list, &p, &e);
        err = err != NULL ? err : lull_debug_value(c->d, e, &v);
        err = err != NULL ? err : fn(c, w, &v, &p, ctx);
        lull_expr_free(e);
    }
    lull_debug_look_back(c->d, &was);
    return err;
}

/* In all waves of @p r that stand. What cannot be evaluated in some of them is left out, and an
 * error if it is so in all. @p ret: how many were left out. */
LULL_MUST_USE static struct lull_error *in_waves(struct lull_cmd *c, const struct range *r,
                                                 const char *text, bool list, in_wave_fn *fn,
                                                 void *ctx, size_t *ret)
{
    struct lull_error *first = NULL;
    size_t done = 0;
    *ret = 0;
    for (size_t i = 0; i < c->d->nwaves; i++) {
        struct lull_debug_wave *w = &c->d->waves[i];
        if (!w->stopped || !in_range(r, w->number)) {
            continue;
        }
        struct lull_error *err = in_wave(c, w, text, list, fn, ctx);
        done += err == NULL;
        *ret += err != NULL;
        if (first == NULL && err != NULL) {
            first = lull_error_in(err, "wave %u", w->number);
        } else {
            lull_error_free(err);
        }
    }
    if (done == 0 && first == NULL) {
        struct lull_debug_wave *w = NULL;
        first = lull_debug_focused(c->d, &w);
        return first != NULL ? first : lull_error_new(LULL_ERR_NOT_FOUND, "no such wave stands");
    }
    if (done == 0) {
        return first;
    }
    lull_error_free(first);
    return NULL;
}

static void left_out(struct lull_cmd *c, size_t n)
{
    if (n != 0) {
        lull_str_addf(c->out, "%zu wave%s left out: the expression has no value there\n", n,
                      n == 1 ? "" : "s");
    }
    if (c->json != NULL) {
        lull_json_put_u64(c->json, "left_out", n);
    }
}

/* Active lanes in which @p v is not 0; a value of one number is one of all lanes. */
static uint64_t lanes_true(const struct lull_debug_wave *w, const struct lull_value *v)
{
    const uint64_t lanes = lull_value_truth(v);
    return v->lanes == 1 && lanes != 0 ? w->info.exec : lanes;
}

LULL_MUST_USE static struct lull_error *add_true(struct lull_cmd *c,
                                                 const struct lull_debug_wave *w,
                                                 const struct lull_value *v, const struct part *p,
                                                 void *ctx)
{
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    const uint64_t lanes = lanes_true(w, v);
    (void)c;
    (void)p;
    if (lanes == 0) {
        return NULL;
    }
    if (lanes == w->info.exec) {
        lull_str_addf(&text, "  all active lanes");
    } else {
        lull_debug_show_lanes(lanes, &text);
    }
    return lull_rows_add(ctx, w->number, lull_str_text(&text) + 2);
}

struct lull_error *lull_cmd_wave_where(struct lull_cmd *c, const char *text)
{
    const struct range all = {.last = UINT64_MAX};
    struct lull_rows rows = {0};
    size_t nothing = 0;
    struct lull_error *err =
        *text == '\0' ? lull_error_new(LULL_ERR_INVALID, "wave where what? An expression")
                      : in_waves(c, &all, text, false, add_true, &rows, &nothing);
    if (err == NULL) {
        json_list(c->json, "groups");
        lull_rows_show(&rows, c->d->has_focus ? &c->d->focus : NULL, c->out, c->json);
        json_end(c->json);
        if (rows.n == 0) {
            lull_str_addf(c->out, "In no wave.\n");
        }
        left_out(c, nothing);
    }
    lull_rows_free(&rows);
    return err;
}

struct lull_error *lull_cmd_lanes(struct lull_cmd *c)
{
    const char *at = c->args;
    struct lull_debug_wave *w = NULL;
    struct lull_expr *e = NULL;
    struct lull_value v = {0};
    if (!lull_cmd_word(&at, "where") || *at == '\0') {
        return lull_error_new(LULL_ERR_INVALID, "'lanes where EXPR' shows lanes of the focused "
                                                "wave; 'info lanes' all of them");
    }
    struct lull_error *err = lull_debug_focused(c->d, &w);
    err = err != NULL ? err : lull_debug_parse(c->d, at, &e);
    err = err != NULL ? err : lull_debug_value(c->d, e, &v);
    lull_expr_free(e);
    if (err != NULL) {
        return err;
    }
    const uint64_t lanes = lanes_true(w, &v);
    json_list(c->json, "lanes");
    for (unsigned i = 0; i < w->info.lanes; i++) {
        if ((lanes >> i & 1) != 0) {
            lull_debug_show_lane(c, &w->info, i);
        }
    }
    json_end(c->json);
    lull_str_addf(c->out, "%d of %d active lanes of wave %u\n", __builtin_popcountll(lanes),
                  __builtin_popcountll(w->info.exec), w->number);
    return NULL;
}

/* What a table is made of. */
struct table {
    struct lull_rows rows;
    struct lull_str line; ///< Of the wave in hand.
};

LULL_MUST_USE static struct lull_error *add_values(struct lull_cmd *c,
                                                   const struct lull_debug_wave *w,
                                                   const struct lull_value *v, const struct part *p,
                                                   void *ctx)
{
    struct table *t = ctx;
    const bool alone = p->number == 0 && p->last;
    if (p->number == 0) {
        lull_str_free(&t->line);
    }
    if (!alone) {
        lull_str_addf(&t->line, "%s%.*s = ", p->number == 0 ? "" : "   ", p->size, p->text);
    }
    lull_value_show_active(v, c->format, &t->line);
    if (c->json != NULL) {
        lull_cleanup(lull_freep) char *name = strndup(p->text, (size_t)p->size);
        lull_json_open(c->json, '{');
        lull_json_put_u64(c->json, "wave", w->number);
        if (!alone && name != NULL) {
            lull_json_put_str(c->json, "expression", name);
        }
        lull_cmd_json_value(c->json, v);
        lull_json_close(c->json, '}');
    }
    return p->last ? lull_rows_add(&t->rows, w->number, lull_str_text(&t->line)) : NULL;
}

/* "-waves A-B" in front of the expression or behind it, where it is cut off. */
LULL_MUST_USE static struct lull_error *table_args(char *text, struct range *r, const char **ret)
{
    static const char option[] = "-waves";
    const char *at = text;
    char *behind = NULL;
    *ret = text;
    if (lull_cmd_word(&at, option)) {
        *ret = at;
        return parse_range(ret, r) && **ret != '\0'
                   ? NULL
                   : lull_error_new(LULL_ERR_INVALID, "'%s': expected -waves N or M-N", text);
    }
    for (char *p = strstr(text, option); p != NULL; p = strstr(p + 1, option)) {
        behind = p;
    }
    if (behind == NULL || behind == text) {
        return NULL;
    }
    at = behind + strlen(option);
    while (*at == ' ') {
        at++;
    }
    if (!parse_range(&at, r) || *at != '\0') {
        return lull_error_new(LULL_ERR_INVALID, "'%s': expected -waves N or M-N", behind);
    }
    *behind = '\0';
    return NULL;
}

struct lull_error *lull_cmd_table(struct lull_cmd *c)
{
    struct range r = {.last = UINT64_MAX};
    struct table t = {.rows = {0}};
    size_t nothing = 0;
    const char *text = NULL;
    lull_cleanup(lull_freep) char *copy = strdup(c->args);
    if (copy == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = table_args(copy, &r, &text);
    if (err == NULL && *text == '\0') {
        err = lull_error_new(LULL_ERR_INVALID, "table of what? An expression");
    }
    json_list(c->json, "rows");
    err = err != NULL ? err : in_waves(c, &r, text, true, add_values, &t, &nothing);
    json_end(c->json);
    if (err == NULL) {
        lull_rows_show(&t.rows, c->d->has_focus ? &c->d->focus : NULL, c->out, NULL);
        left_out(c, nothing);
    }
    lull_rows_free(&t.rows);
    lull_str_free(&t.line);
    return err;
}
