// SPDX-License-Identifier: MIT
/* watch, rwatch, awatch, and what is said when one was hit. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/watch_value.h"
#include "debug/shell/shell.h"
#include "expr/value.h"

static void put_value(struct lull_cmd *c, const char *key, const struct lull_value *v)
{
    if (c->json != NULL) {
        lull_json_key(c->json, key);
        lull_json_open(c->json, '{');
        lull_cmd_json_value(c->json, v);
        lull_json_close(c->json, '}');
    }
}

/* Of a value that is not in memory. */
LULL_MUST_USE static struct lull_error *show_value(struct lull_cmd *c, struct lull_breakpoint *b)
{
    struct lull_debug *d = c->d;
    struct lull_watched *v = b->value;
    if (v->ended) {
        lull_str_addf(c->out,
                      "Software watchpoint %u: %s\n%s has ended: the watchpoint is deleted\n",
                      b->number, b->what, v->lds ? "The workgroup" : "The wave");
        if (c->json != NULL) {
            lull_json_put_u64(c->json, "watchpoint", b->number);
            lull_json_put_bool(c->json, "ended", true);
        }
        lull_debug_delete_breakpoint(b);
        return NULL;
    }
    lull_str_addf(c->out, "Software watchpoint %u: %s\n", b->number, b->what);
    if (b->watch == LULL_WATCH_WRITE) {
        lull_str_addf(c->out, "Old value = ");
        lull_value_show_active(&v->was, 0, c->out);
        lull_str_addf(c->out, "\nNew value = ");
    } else {
        lull_str_addf(c->out, "Value = ");
    }
    lull_value_show_active(&v->now, 0, c->out);
    lull_str_addf(c->out, " by 0x%012" PRIx64 " ", d->watch_pc);
    lull_debug_show_symbol(d, d->watch_pc, c->out);
    lull_debug_show_lanes(d->watch_lanes, c->out);
    lull_str_addf(c->out, "\n");
    if (c->json != NULL) {
        lull_json_put_u64(c->json, "watchpoint", b->number);
        put_value(c, "old", &v->was);
        put_value(c, "new", &v->now);
        lull_json_put_hex(c->json, "watch_pc", d->watch_pc);
        lull_json_put_hex(c->json, "watch_lanes", d->watch_lanes);
    }
    v->was = v->now;
    return NULL;
}

/* As `print` shows a float, in bits what else is not one. */
static void put_number(struct lull_cmd *c, const struct lull_breakpoint *b, uint64_t v)
{
    if (lull_ctype_is_float(b->type)) {
        lull_value_show_one(v, b->type, 0, c->out);
        lull_str_addf(c->out, "  (0x%" PRIx64 ")", v);
        return;
    }
    lull_str_addf(c->out, "0x%" PRIx64 "  (", v);
    if (lull_ctype_is_signed(b->type)) {
        lull_value_show_one(v, b->type, 'd', c->out);
    } else {
        lull_str_addf(c->out, "%" PRIu64, v);
    }
    lull_str_addf(c->out, ")");
}

static void put_change(struct lull_cmd *c, const struct lull_breakpoint *b, uint64_t now,
                       uint64_t lanes)
{
    struct lull_debug *d = c->d;
    lull_str_addf(c->out, "%s %u: %s\n", b->software ? "Software watchpoint" : "Watchpoint",
                  b->number, b->what);
    if (now != b->old_value) {
        lull_str_addf(c->out, "Old value = ");
        put_number(c, b, b->old_value);
        lull_str_addf(c->out, "\nNew value = ");
    } else {
        lull_str_addf(c->out, "Value = ");
    }
    put_number(c, b, now);
    lull_str_addf(c->out, " by 0x%012" PRIx64 " ", d->watch_pc);
    lull_debug_show_symbol(d, d->watch_pc, c->out);
    lull_debug_show_lanes(lanes, c->out);
    lull_str_addf(c->out, "\n");
}

/* Other watchpoints on memory that the same instruction changed: it stops once. */
LULL_MUST_USE static struct lull_error *also_changed(struct lull_cmd *c,
                                                     const struct lull_breakpoint *first)
{
    struct lull_debug *d = c->d;
    const struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && w != NULL && i < d->nbreakpoints; i++) {
        struct lull_breakpoint *b = d->breakpoints[i];
        uint64_t now = 0, lanes = 0;
        if (b == first || b->number == 0 || b->kind != LULL_BREAK_WATCH || !b->enabled ||
            b->value != NULL || b->condition != NULL || b->watch == LULL_WATCH_READ) {
            continue;
        }
        err = lull_debug_watched_value(d, b, &now);
        err = err != NULL ? err : lull_debug_touching(d, w, d->watch_pc, b, &lanes);
        if (err == NULL && lanes != 0 && now != b->old_value) {
            put_change(c, b, now, lanes);
            b->hits++;
            b->old_value = now;
        }
    }
    return err;
}

struct lull_error *lull_debug_show_watch(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    struct lull_breakpoint *b = NULL;
    for (size_t i = 0; b == NULL && i < d->nbreakpoints; i++) {
        b = d->breakpoints[i]->number == d->watch_hit ? d->breakpoints[i] : NULL;
    }
    if (b == NULL || b->kind != LULL_BREAK_WATCH) {
        return NULL;
    }
    if (b->value != NULL) {
        return show_value(c, b);
    }
    uint64_t now = 0;
    struct lull_error *err = lull_debug_watched_value(d, b, &now);
    if (err != NULL) {
        return err;
    }
    if (d->watch_pixel.how != LULL_BY_NOBODY) {
        lull_str_addf(c->out, "Watchpoint %u: %s\n", b->number, b->what);
        lull_debug_show_pixel(c, &d->watch_pixel);
    } else {
        put_change(c, b, now, d->watch_lanes);
    }
    if (c->json != NULL) {
        lull_json_put_u64(c->json, "watchpoint", b->number);
        lull_json_put_hex(c->json, "old", b->old_value);
        lull_json_put_hex(c->json, "new", now);
        lull_json_put_hex(c->json, "watch_pc", d->watch_pc);
        lull_json_put_hex(c->json, "watch_lanes", d->watch_lanes);
    }
    b->old_value = now;
    return also_changed(c, b);
}

LULL_MUST_USE static struct lull_error *any_watch(struct lull_cmd *c, enum lull_watch_kind kind)
{
    const char *at = c->args;
    bool software = lull_cmd_word(&at, "--software");
    if (*at == '\0') {
        return lull_error_new(LULL_ERR_INVALID,
                              "watch what? An address or a place, as in 'watch {u32}(out+16)'");
    }
    lull_cleanup(lull_freep) char *text = strdup(at);
    if (text == NULL) {
        return &lull_enomem;
    }
    char *condition = strstr(text, " if ");
    if (condition != NULL) {
        *condition = '\0';
        condition += 4;
    }
    for (size_t n = strlen(text); n > 0 && isspace((unsigned char)text[n - 1]); n--) {
        text[n - 1] = '\0';
    }
    unsigned number = 0;
    struct lull_error *err = lull_debug_watch(c->d, text, kind, software, condition, &number);
    if (err != NULL) {
        return err;
    }
    const struct lull_breakpoint *b = lull_debug_breakpoint(c->d, number);
    lull_str_addf(c->out, "%s %u: %s", b->software ? "Software watchpoint" : "Watchpoint", number,
                  b->what);
    if (b->value != NULL) {
        const struct lull_watched *v = b->value;
        if (v->lds) {
            lull_str_addf(c->out, " (of workgroup %" PRIu32 ",%" PRIu32 ",%" PRIu32,
                          v->workgroup[0], v->workgroup[1], v->workgroup[2]);
        } else {
            lull_str_addf(c->out, " (of wave %u", v->wave);
        }
        lull_str_addf(c->out, ": all waves are stepped)\n");
    } else {
        lull_str_addf(c->out, " (0x%012" PRIx64 ", %u bytes%s)\n", b->va, b->size,
                      !b->fell_back ? ""
                      : !lull_debug_has_watchpoints(c->d)
                          ? "; this GPU has none of its own: all waves are stepped"
                          : "; the GPU's four are in use: all waves are stepped");
    }
    if (c->json != NULL) {
        lull_json_put_u64(c->json, "number", number);
        lull_json_put_bool(c->json, "software", b->software);
        if (b->value == NULL) {
            lull_json_put_hex(c->json, "address", b->va);
        }
    }
    return NULL;
}

struct lull_error *lull_cmd_watch(struct lull_cmd *c)
{
    return any_watch(c, LULL_WATCH_WRITE);
}

struct lull_error *lull_cmd_rwatch(struct lull_cmd *c)
{
    return any_watch(c, LULL_WATCH_READ);
}

struct lull_error *lull_cmd_awatch(struct lull_cmd *c)
{
    return any_watch(c, LULL_WATCH_ACCESS);
}
