// SPDX-License-Identifier: MIT
/* printf, output, save: for scripts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/output.h"
#include "debug/session/dprintf.h"
#include "debug/shell/shell.h"
#include "expr/value.h"

enum { STRING_ROOM = 200 };

/** The string at @p va, or the first STRING_ROOM bytes of it. */
LULL_MUST_USE static struct lull_error *read_string(struct lull_debug *d, uint64_t va,
                                                    char ret[STRING_ROOM + 1])
{
    size_t n = 0;
    struct lull_error *err = NULL;
    do {
        err = lull_debug_read(d, va + n, &ret[n], 1);
    } while (err == NULL && ret[n] != '\0' && ++n < STRING_ROOM);
    ret[n] = '\0';
    return err;
}

/** Put the strings of @p p into its format, so that they need no values. */
LULL_MUST_USE static struct lull_error *insert_strings(struct lull_cmd *c, struct lull_dprintf *p,
                                                       struct lull_value *values)
{
    lull_cleanup(lull_str_free) struct lull_str format = {0};
    struct lull_printf_conv conv = {0};
    struct lull_printf_diag diag = {0};
    size_t at = 0, from = 0;
    unsigned n = 0, kept = 0;
    struct lull_error *err = NULL;
    while (err == NULL && lull_printf_next(p->format, p->size, &at, &conv, &diag) > 0) {
        char text[STRING_ROOM + 1];
        const struct lull_value *v = &values[n < p->nargs ? n : 0];
        n += conv.conversion != '%';
        if (conv.conversion == '%' || conv.conversion != 's') {
            if (conv.conversion != '%') {
                values[kept++] = *v;
            }
            continue;
        }
        lull_str_add(&format, p->format + from, conv.offset - from);
        from = conv.offset + conv.size;
        err = read_string(c->d, v->v[v->lanes > 1 ? c->d->lane : 0], text);
        const size_t size = err == NULL ? strlen(text) : 0;
        const size_t shown =
            conv.precision >= 0 && (size_t)conv.precision < size ? (size_t)conv.precision : size;
        const int wide = conv.width > (int)shown ? conv.width - (int)shown : 0;
        const bool left = (conv.flags & LULL_PRINTF_MINUS) != 0;
        lull_str_addf(&format, "%*s", left ? 0 : wide, "");
        for (size_t i = 0; i < shown; i++) {
            lull_str_addf(&format, text[i] == '%' ? "%%%%" : "%c", text[i]);
        }
        lull_str_addf(&format, "%*s", left ? wide : 0, "");
    }
    lull_str_add(&format, p->format + from, p->size - from);
    if (err == NULL && format.err == NULL) {
        free(p->format);
        p->size = format.size;
        p->format = strndup(lull_str_text(&format), format.size);
        err = p->format == NULL ? &lull_enomem : NULL;
        for (unsigned i = kept; i < p->nargs; i++) {
            lull_expr_free(p->args[i]);
            free(p->texts[i]);
        }
        p->nargs = kept;
    }
    return err != NULL ? err : format.err;
}

struct lull_error *lull_cmd_printf(struct lull_cmd *c)
{
    struct lull_dprintf *p = NULL;
    struct lull_value values[LULL_DPRINTF_ARGS];
    struct lull_error *err = lull_dprintf_parse(c->d, c->args, &p);
    for (unsigned i = 0; err == NULL && i < p->nargs; i++) {
        err = lull_debug_value(c->d, p->args[i], &values[i]);
    }
    err = err != NULL || p->nstrings == 0 ? err : insert_strings(c, p, values);
    if (err == NULL) {
        lull_dprintf_text(p, values, c->d->lane, c->out);
    }
    lull_dprintf_free(p);
    return err;
}

struct lull_error *lull_cmd_shell(struct lull_cmd *c)
{
    if (*c->args == '\0') {
        return lull_error_new(LULL_ERR_INVALID, "shell: a command is needed");
    }
    if (c->d->shell == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "shell: only at lull debug's prompt and in its scripts");
    }
    return c->d->shell(c->d->run_ctx, c->args, c->out);
}

struct lull_error *lull_cmd_output(struct lull_cmd *c)
{
    struct lull_value v;
    struct lull_error *err = lull_debug_eval(c->d, c->args, &v);
    if (err != NULL) {
        return err;
    }
    const unsigned lane = v.lanes == 1 ? 0 : c->d->lane;
    if ((v.valid >> lane & 1) == 0) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "lane %u has no value", lane);
    }
    lull_value_show_one(v.v[lane], v.type, 0, c->out);
    if (c->json != NULL) {
        lull_json_put_str(c->json, "expression", c->args);
        lull_cmd_json_value(c->json, &v);
    }
    return NULL;
}

/** The words that make @p b again, but for its condition. */
static void made_by(const struct lull_breakpoint *b, struct lull_str *out)
{
    static const char *const watches[] = {
        [LULL_WATCH_WRITE] = "watch", [LULL_WATCH_READ] = "rwatch", [LULL_WATCH_ACCESS] = "awatch"};
    const char *what = b->what != NULL ? b->what : "";
    if (b->kind == LULL_BREAK_EXCEPTION) {
        lull_str_addf(out, "catch fp %s", what);
    } else if (b->kind == LULL_BREAK_PACKET) {
        lull_str_addf(out, "%s packet %s", b->temporary ? "tbreak" : "break", what);
    } else if (b->kind == LULL_BREAK_WATCH) {
        lull_str_addf(out, "%s%s %s", watches[b->watch], b->software ? " --software" : "", what);
    } else if (b->kind == LULL_BREAK_CATCH) {
        lull_str_addf(out, "catch %s %s%s",
                      b->by == LULL_CATCHPOINT_FRAME ? "frame"
                      : b->draw                      ? "draw"
                                                     : "dispatch",
                      b->by == LULL_CATCHPOINT_NAME ? "name " : "", what);
    } else {
        lull_str_addf(out, "%s ", b->print != NULL ? "dprintf" : b->temporary ? "tbreak" : "break");
        if (*what != '\0') {
            lull_str_addf(out, "%s", what);
        } else {
            lull_str_addf(out, "*0x%" PRIx64, b->va);
        }
    }
}

/** `,"FORMAT",EXPR`. */
static void print_of(const struct lull_dprintf *p, struct lull_str *out)
{
    lull_str_addf(out, ",\"");
    for (size_t i = 0; i < p->size; i++) {
        const char c = p->format[i];
        const char *escape = c == '\n'   ? "\\n"
                             : c == '\t' ? "\\t"
                             : c == '"'  ? "\\\""
                             : c == '\\' ? "\\\\"
                                         : NULL;
        lull_str_add(out, escape != NULL ? escape : &c, escape != NULL ? 2 : 1);
    }
    lull_str_addf(out, "\"");
    for (unsigned i = 0; i < p->nargs; i++) {
        lull_str_addf(out, ",%s", p->texts[i]);
    }
}

struct lull_error *lull_cmd_save(struct lull_cmd *c)
{
    const char *at = c->args;
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    if (!lull_cmd_word(&at, "breakpoints") || *at == '\0') {
        return lull_error_new(LULL_ERR_INVALID, "save breakpoints FILE");
    }
    for (unsigned n = 1; n < c->d->next_breakpoint; n++) {
        const struct lull_breakpoint *b = lull_debug_breakpoint(c->d, n);
        if (b == NULL) {
            continue;
        }
        made_by(b, &text);
        if (b->print != NULL) {
            print_of(b->print, &text);
        }
        lull_str_addf(&text, "\n");
        if (b->condition != NULL) {
            lull_str_addf(&text, "condition $bpnum %s\n", b->condition);
        }
        lull_str_addf(&text, "%s", b->enabled ? "" : "disable $bpnum\n");
        if (b->commands != NULL) {
            lull_str_addf(&text, "commands\n%send\n", b->commands);
        }
    }
    if (text.size == 0) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "no breakpoints to save");
    }
    struct lull_error *err = text.err;
    if (err == NULL && c->d->files != NULL) {
        err = lull_files_may_write(c->d->files, at);
    }
    err = err != NULL ? err : lull_output_write(at, text.text, text.size);
    if (err == NULL) {
        lull_str_addf(c->out, "Saved to file '%s'.\n", at);
        if (c->json != NULL) {
            lull_json_put_str(c->json, "file", at);
        }
    }
    return err;
}
