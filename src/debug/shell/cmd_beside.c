// SPDX-License-Identifier: MIT
/* Variables where a wave stands in the driver's own code: print, info locals. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/path.h"
#include "debug/session/lines.h"
#include "debug/shell/shell.h"
#include "debug/source/beside.h"

/** Is the focused wave in the driver's code, with lines that are known? */
static bool is_there(struct lull_debug *d)
{
    const struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    uint64_t start = 0;
    return w != NULL && w->stopped && lull_debug_lines_of(d, w->info.pc, &start) != NULL;
}

/** A line of text, a member of the list of JSON. */
static void show_leaf(struct lull_cmd *c, const struct lull_beside_view *v,
                      const struct lull_beside_leaf *l)
{
    lull_cleanup(lull_str_free) struct lull_str sure = {0};
    lull_beside_show_sure(v, l, &sure);
    lull_str_addf(c->out, "%s = ", l->name);
    lull_value_show_active(&l->value, c->format, c->out);
    lull_str_addf(c->out, "   (%s)\n", lull_str_text(&sure));
    if (c->json != NULL) {
        lull_json_open(c->json, '{');
        lull_json_put_str(c->json, "name", l->name);
        lull_cmd_json_value(c->json, &l->value);
        lull_json_put_str(c->json, "how", lull_str_text(&sure));
        lull_json_key(c->json, "registers");
        lull_json_open(c->json, '[');
        for (unsigned i = 0; i < l->nfound && i < LULL_BESIDE_FOUND; i++) {
            lull_json_str(c->json, l->found[i]);
        }
        lull_json_close(c->json, ']');
        lull_json_close(c->json, '}');
    }
}

/** Which line and round the values are of, where that is not plain. */
static void show_notes(struct lull_cmd *c, const struct lull_beside_view *v)
{
    if (!v->exactly) {
        lull_str_addf(c->out,
                      "The line here is not known: these are values of line %" PRIu32
                      ", the last that is.\n",
                      v->line);
    }
    if (v->nrounds > 1) {
        lull_str_addf(c->out, "Round %zu of %zu of line %" PRIu32 "%s.\n", v->round, v->nrounds,
                      v->line, v->sure ? ": no other fits as well" : "; others fit as well");
    }
    if (!v->before) {
        lull_str_addf(c->out, "Memory was kept when the dispatch was running: it may have written "
                              "before. 'catch dispatch' keeps it in time.\n");
    }
    if (c->json != NULL) {
        lull_json_put_u64(c->json, "line", v->line);
        lull_json_put_bool(c->json, "line_exactly", v->exactly);
        lull_json_put_u64(c->json, "round", v->round);
        lull_json_put_u64(c->json, "rounds", v->nrounds);
        lull_json_put_bool(c->json, "round_sure", v->sure);
        lull_json_put_bool(c->json, "memory_before", v->before);
    }
}

/** Is @p leaf the variable @p name, or a part of it? */
static bool is_of(const char *leaf, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(leaf, name, n) == 0 && (leaf[n] == '\0' || leaf[n] == '.' || leaf[n] == '[');
}

/** Which leaves are meant. */
enum which { OF_NAME, LOCALS, ARGUMENTS };

static bool is_meant(const struct lull_beside_leaf *l, enum which which, const char *name,
                     bool any_local)
{
    if (which != OF_NAME) {
        return l->local && l->argument == (which == ARGUMENTS);
    }
    return (l->local || (!any_local && !l->around)) && is_of(l->name, name);
}

/** Show them. How many there are. */
static unsigned show(struct lull_cmd *c, const struct lull_beside_view *v, enum which which,
                     const char *name)
{
    unsigned n = 0;
    if (c->json != NULL) {
        lull_json_key(c->json, "variables");
        lull_json_open(c->json, '[');
    }
    bool any_local = false; // a local variable hides the module's
    for (size_t i = 0; which == OF_NAME && i < v->n; i++) {
        any_local |= v->leaves[i].local && is_of(v->leaves[i].name, name);
    }
    for (size_t i = 0; i < v->n; i++) {
        const struct lull_beside_leaf *l = &v->leaves[i];
        if (is_meant(l, which, name, any_local)) {
            show_leaf(c, v, l);
            n++;
        }
    }
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    return n;
}

bool lull_debug_is_beside(struct lull_debug *d)
{
    return is_there(d);
}

/** All of the function. */
LULL_MUST_USE static struct lull_error *show_all(struct lull_cmd *c, enum which which)
{
    struct lull_beside_view *v = NULL;
    struct lull_error *err =
        *c->args != '\0' ? lull_error_new(LULL_ERR_INVALID, "'%s': this takes no argument", c->args)
                         : lull_beside_here(c->d, &v);
    if (err != NULL) {
        return err;
    }
    if (show(c, v, which, NULL) == 0) {
        lull_str_addf(c->out, "No %s.\n", which == LOCALS ? "locals" : "arguments");
    }
    show_notes(c, v);
    return NULL;
}

struct lull_error *lull_debug_locals_beside(struct lull_cmd *c)
{
    return show_all(c, LOCALS);
}

struct lull_error *lull_debug_args_beside(struct lull_cmd *c)
{
    return show_all(c, ARGUMENTS);
}

struct lull_error *lull_debug_print_beside(struct lull_cmd *c, bool *ret_done)
{
    struct lull_beside_view *v = NULL;
    const size_t size = strlen(c->args);
    const bool name = size != 0 &&
                      strspn(c->args, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_.[]") == size &&
                      (c->args[0] < '0' || c->args[0] > '9');
    *ret_done = false;
    if (!name || !is_there(c->d)) {
        return NULL;
    }
    struct lull_error *err = lull_beside_here(c->d, &v);
    if (err != NULL) {
        return err;
    }
    bool any = false;
    for (size_t i = 0; i < v->n; i++) {
        any |= !v->leaves[i].around && is_of(v->leaves[i].name, c->args);
    }
    if (any) {
        if (c->json != NULL) {
            lull_json_put_str(c->json, "expression", c->args);
        }
        show(c, v, OF_NAME, c->args);
        show_notes(c, v);
        *ret_done = true;
    }
    return NULL;
}

void lull_debug_show_used_beside(struct lull_cmd *c)
{
    lull_cleanup(lull_str_free) struct lull_str sure = {0};
    lull_beside_show_used(c->d, &sure);
    if (sure.size == 0) {
        return;
    }
    lull_str_addf(c->out, "%s", lull_str_text(&sure));
    if (c->json != NULL) {
        lull_json_put_str(c->json, "how", lull_str_text(&sure));
    }
}
