// SPDX-License-Identifier: MIT
/* Registers by name; displays. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/variables.h"
#include "debug/shell/debugger.h"
#include "debug/shell/shell.h"

struct lull_error *lull_cmd_show_named(struct lull_cmd *c, const char *name)
{
    char text[32] = {0};
    snprintf(text, sizeof text, "$%s", name);
    struct lull_value v = {0};
    struct lull_error *err = lull_debug_eval(c->d, text, &v);
    if (err != NULL) {
        return err;
    }
    lull_str_addf(c->out, "%-12s ", name);
    lull_value_show(&v, c->format, c->d->lane, c->out);
    if (c->json != NULL) {
        lull_json_open(c->json, '{');
        lull_json_put_str(c->json, "name", name);
        lull_cmd_json_value(c->json, &v);
        lull_json_close(c->json, '}');
    }
    return NULL;
}

/* "display/i $pc": the instruction there, as `x/i` has it. */
static void show_insn(struct lull_cmd *c, unsigned number, const struct lull_display *display)
{
    lull_cleanup(lull_str_free) struct lull_str command = {0}, said = {0};
    const bool json = c->d->json;
    lull_str_addf(&command, "x/i %s", display->text);
    c->d->json = false;
    struct lull_error *err = c->command(c->d, lull_str_text(&command), &said);
    c->d->json = json;
    const char *text = err != NULL ? lull_error_message(err) : lull_str_text(&said);
    lull_str_addf(c->out, err != NULL ? "%u: %s: <%s>\n" : "%u: %s\n%s", number,
                  lull_str_text(&command), text);
    if (c->json != NULL) {
        lull_json_open(c->json, '{');
        lull_json_put_u64(c->json, "number", number);
        lull_json_put_str(c->json, "expression", display->text);
        lull_json_put_str(c->json, err != NULL ? "error" : "instruction", text);
        lull_json_close(c->json, '}');
    }
    lull_error_free(err);
}

static void show_display(struct lull_cmd *c, unsigned number, const struct lull_display *display)
{
    if (display->format == 'i') {
        show_insn(c, number, display);
        return;
    }
    const char format = c->format;
    lull_str_addf(c->out, "%u: %s = ", number, display->text);
    if (c->json != NULL) {
        lull_json_open(c->json, '{');
        lull_json_put_u64(c->json, "number", number);
        lull_json_put_str(c->json, "expression", display->text);
    }
    c->format = display->format;
    struct lull_error *err = lull_debug_show_expr(c, display->expr);
    c->format = format;
    lull_debug_show_used_beside(c);
    if (err != NULL) {
        lull_str_addf(c->out, "<%s>\n", lull_error_message(err));
        if (c->json != NULL) {
            lull_json_put_str(c->json, "error", lull_error_message(err));
        }
    }
    if (c->json != NULL) {
        lull_json_close(c->json, '}');
    }
    lull_error_free(err);
}

struct lull_error *lull_debug_show_displays(struct lull_cmd *c)
{
    bool open = false;
    for (unsigned i = 0; i < LULL_MAX_DISPLAYS; i++) {
        if (c->d->displays[i].text == NULL) {
            continue;
        }
        if (!open && c->json != NULL) {
            lull_json_key(c->json, "displays");
            lull_json_open(c->json, '[');
        }
        open = true;
        show_display(c, i + 1, &c->d->displays[i]);
    }
    if (open && c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    return NULL;
}

struct lull_error *lull_cmd_display(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    if (*c->args == '\0') {
        return lull_debug_show_displays(c);
    }
    unsigned i = 0;
    while (i < LULL_MAX_DISPLAYS && d->displays[i].text != NULL) {
        i++;
    }
    if (i == LULL_MAX_DISPLAYS) {
        return lull_error_new(LULL_ERR_INVALID, "all %d displays are in use: 'undisplay' frees one",
                              LULL_MAX_DISPLAYS);
    }
    struct lull_debug_wave *w = NULL;
    struct lull_value v = {0};
    struct lull_display display = {.format = c->format, .text = strdup(c->args)};
    struct lull_error *err =
        display.text == NULL ? &lull_enomem : lull_debug_parse(d, c->args, &display.expr);
    struct lull_error *none = lull_debug_focused(d, &w);
    bool stands = none == NULL;
    lull_error_free(none);
    if (err == NULL && stands && !lull_debug_has_parts(d, display.expr)) {
        err = lull_debug_value(d, display.expr, &v);
    }
    if (err != NULL) {
        lull_debug_free_display(&display);
        return err;
    }
    d->displays[i] = display;
    if (stands && c->json == NULL) {
        show_display(c, i + 1, &d->displays[i]);
    }
    return NULL;
}

struct lull_error *lull_cmd_undisplay(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    const char *at = c->args;
    uint64_t n = 0;
    if (*at == '\0') {
        for (unsigned i = 0; i < LULL_MAX_DISPLAYS; i++) {
            lull_debug_free_display(&d->displays[i]);
        }
        return NULL;
    }
    if (!lull_cmd_number(&at, &n) || *at != '\0' || n == 0 || n > LULL_MAX_DISPLAYS ||
        d->displays[n - 1].text == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "no display '%s'", c->args);
    }
    lull_debug_free_display(&d->displays[n - 1]);
    return NULL;
}
