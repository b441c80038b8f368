// SPDX-License-Identifier: MIT
/* Values: print, x, echo. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/kept.h"
#include "debug/session/variables.h"
#include "debug/shell/shell.h"

enum { STRING_ROOM = 200, MAX_ELEMENTS = 4096 };

/* For $ and $1. What has parts is not kept. */
LULL_MUST_USE static struct lull_error *keep_printed(struct lull_debug *d,
                                                     const struct lull_expr *e)
{
    struct lull_value v = {0};
    if (lull_debug_has_parts(d, e)) {
        return NULL;
    }
    struct lull_error *err = lull_debug_value(d, e, &v);
    return err != NULL ? err : lull_debug_printed(d, &v);
}

/* gdb's variables that have no value until something has happened. */
static bool is_void(const struct lull_debug *d, const char *name)
{
    static const char *const words[] = {"_exitcode", "_siginfo", "_exception", "bpnum", "_", "__"};
    bool is = false;
    for (size_t i = 0; *name == '$' && i < sizeof words / sizeof words[0]; i++) {
        is = is || strcmp(name + 1, words[i]) == 0;
    }
    return is && (d->kept == NULL || lull_kept_find(d->kept, name + 1, strlen(name + 1)) == NULL);
}

/* The value of one of those behind @p what, the first of which is number 0. */
LULL_MUST_USE static struct lull_error *print_one(struct lull_cmd *c, const char *what, uint64_t i)
{
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    lull_cleanup(lull_str_free) struct lull_str value = {0};
    struct lull_expr *e = NULL;
    lull_str_addf(&text, "*(&(%s) + %" PRIu64 ")", what, i);
    struct lull_error *err = lull_debug_parse(c->d, lull_str_text(&text), &e);
    if (err != NULL) {
        return err;
    }
    struct lull_cmd own = *c;
    own.out = &value;
    if (c->json != NULL) {
        lull_json_open(c->json, '{');
    }
    err = lull_debug_show_expr(&own, e);
    if (c->json != NULL) {
        lull_json_close(c->json, '}');
    }
    lull_expr_free(e);
    lull_str_addf(c->out, "%s%.*s", i != 0 ? ", " : "", (int)strcspn(lull_str_text(&value), "\n"),
                  lull_str_text(&value));
    return err;
}

/* "WHAT@N": N of them, one behind the other. */
LULL_MUST_USE static struct lull_error *print_many(struct lull_cmd *c, const char *at)
{
    lull_cleanup(lull_freep) char *what = strndup(c->args, (size_t)(at - c->args));
    struct lull_value n = {0};
    struct lull_error *err = what == NULL ? &lull_enomem : lull_debug_eval(c->d, at + 1, &n);
    if (err == NULL && (n.lanes != 1 || n.v[0] == 0 || n.v[0] > MAX_ELEMENTS)) {
        err = lull_error_new(LULL_ERR_INVALID, "'%s' is not a count of 1 to %d", at + 1,
                             MAX_ELEMENTS);
    }
    if (err != NULL) {
        return err;
    }
    const size_t before = c->out->size;
    lull_str_addf(c->out, "%s = {", c->args);
    if (c->json != NULL) {
        lull_json_put_str(c->json, "expression", c->args);
        lull_json_key(c->json, "elements");
        lull_json_open(c->json, '[');
    }
    for (uint64_t i = 0; err == NULL && i < n.v[0]; i++) {
        err = print_one(c, what, i);
    }
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    lull_str_addf(c->out, "}\n");
    if (err != NULL && c->out->text != NULL) {
        c->out->size = before;
        c->out->text[before] = '\0';
    }
    return err;
}

/* The '=' of "PLACE = EXPRESSION", which is not part of another operator; NULL: there is none. */
static const char *assignment(const char *text)
{
    int nesting = 0;
    for (const char *at = text; *at != '\0'; at++) {
        nesting += *at == '(' || *at == '[' || *at == '{' ? 1 : 0;
        nesting -= *at == ')' || *at == ']' || *at == '}' ? 1 : 0;
        if (*at == '\'' || *at == '"') {
            return NULL;
        }
        if (*at == '=' && nesting == 0) {
            const bool other = at == text || at[1] == '=' || strchr("=!<>", at[-1]) != NULL;
            return other ? NULL : at;
        }
    }
    return NULL;
}

/* As C has it: it is assigned, and then what stands there is the value. */
LULL_MUST_USE static struct lull_error *print_assigned(struct lull_cmd *c, const char *equals)
{
    lull_cleanup(lull_freep) char *place = strndup(c->args, (size_t)(equals - c->args));
    struct lull_error *err = place != NULL ? lull_debug_assign(c->d, c->args) : &lull_enomem;
    size_t n = place != NULL ? strlen(place) : 0;
    while (n > 0 && isspace((unsigned char)place[n - 1])) {
        place[--n] = '\0';
    }
    struct lull_cmd own = *c;
    own.args = place;
    return err != NULL ? err : lull_cmd_print(&own);
}

struct lull_error *lull_cmd_print(struct lull_cmd *c)
{
    const char *dashes = *c->args == '-' ? strstr(c->args, "-- ") : NULL;
    if (dashes != NULL && isalpha((unsigned char)c->args[1])) { // "-pretty on --" of gdb
        c->args = dashes + 3 + strspn(dashes + 3, " ");
    }
    if (is_void(c->d, c->args)) {
        lull_str_addf(c->out, "%s = void\n", c->args);
        return NULL;
    }
    if (assignment(c->args) != NULL) {
        return print_assigned(c, assignment(c->args));
    }
    if (strchr(c->args, '@') != NULL) {
        return print_many(c, strrchr(c->args, '@'));
    }
    if (*c->args == '\0') {
        return lull_error_new(LULL_ERR_INVALID, "print what? An expression, as in 'print/x $v3'");
    }
    if (c->format == 'i' || c->format == 's') {
        return lull_error_new(LULL_ERR_INVALID, "format %c is for 'x'", c->format);
    }
    struct lull_expr *e = NULL;
    bool done = false;
    struct lull_error *none = lull_debug_print_beside(c, &done);
    lull_error_free(none); // what is wrong shows again where the name is read
    struct lull_error *err = lull_debug_parse(c->d, c->args, &e);
    if (err != NULL || done) {
        err = err != NULL ? err : keep_printed(c->d, e);
        lull_expr_free(e);
        if (done) {
            lull_error_free(err);
            err = NULL;
        }
        return err;
    }
    const size_t before = c->out->size;
    lull_str_addf(c->out, "%s = ", c->args);
    if (c->json != NULL) {
        lull_json_put_str(c->json, "expression", c->args);
    }
    err = lull_debug_show_expr(c, e);
    err = err != NULL ? err : keep_printed(c->d, e);
    lull_debug_show_used_beside(c);
    lull_expr_free(e);
    if (err != NULL && c->out->text != NULL) { // No name without a value.
        c->out->size = before;
        c->out->text[before] = '\0';
    }
    return err;
}

struct lull_error *lull_cmd_echo(struct lull_cmd *c)
{
    bool escaped = false;
    for (const char *at = c->args; *at != '\0'; at++) {
        static const char named[] = "ntae\\\"", meant[] = "\n\t\a\033\\\"";
        const char *what = *at == '\\' && at[1] != '\0' ? strchr(named, at[1]) : NULL;
        escaped |= *at == '\\';
        if (what != NULL) {
            lull_str_addf(c->out, "%c", meant[what - named]);
            at++;
        } else if (*at != '\\' || at[1] != '\0') { // one at the end keeps blanks in front of it
            lull_str_addf(c->out, "%c", *at);
        }
    }
    lull_str_addf(c->out, "%s", escaped ? "" : "\n");
    return NULL;
}

/* Where `x` reads. */
struct view {
    uint64_t address;
    bool lds;
    char format;
    unsigned bytes; ///< A unit's.
};

static void show_unit(uint64_t value, const struct view *v, struct lull_str *out)
{
    const struct lull_ctype type = {.bits = (uint8_t)(8 * v->bytes)};
    lull_str_addf(out, " ");
    lull_value_show_one(value, type, v->format, out);
}

LULL_MUST_USE static struct lull_error *view_units(struct lull_cmd *c, const struct view *v,
                                                   unsigned count)
{
    unsigned columns = v->bytes >= 4 ? 16 / v->bytes : 8;
    for (unsigned i = 0; i < count; i++) {
        uint64_t at = v->address + (uint64_t)i * v->bytes;
        uint64_t value = 0;
        struct lull_error *err = lull_debug_read_memory(c->d, v->lds, at, &value, v->bytes);
        if (err != NULL) {
            return err;
        }
        if (i % columns == 0 && v->lds) {
            lull_str_addf(c->out, "%slds:0x%04" PRIx64 ":", i == 0 ? "" : "\n", at);
        } else if (i % columns == 0) {
            lull_str_addf(c->out, "%s0x%012" PRIx64 ":", i == 0 ? "" : "\n", at);
        }
        show_unit(value, v, c->out);
        if (c->json != NULL) {
            lull_json_hex(c->json, value);
        }
    }
    lull_str_addf(c->out, "\n");
    return NULL;
}

LULL_MUST_USE static struct lull_error *view_code(struct lull_cmd *c, const struct view *v,
                                                  unsigned count)
{
    const struct lull_debug_wave *w =
        c->d->has_focus ? lull_debug_wave_by_number(c->d, c->d->focus) : NULL;
    uint64_t at = v->address;
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && i < count; i++) {
        unsigned size = 0;
        bool here = w != NULL && w->stopped && w->info.pc == at;
        err = lull_debug_show_insn(c, at, here, w != NULL ? w->info.lanes : 0, &size, c->json);
        at += size;
    }
    if (err == NULL) {
        c->d->next_x = at;
    }
    return err;
}

/* A string up to its NUL, in quotes; at most STRING_ROOM bytes. */
LULL_MUST_USE static struct lull_error *view_string(struct lull_cmd *c, struct view *v)
{
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    unsigned n = 0;
    char byte = 1;
    struct lull_error *err = NULL;
    for (; n < STRING_ROOM; n++) {
        err = lull_debug_read_memory(c->d, v->lds, v->address + n, &byte, 1);
        if (err != NULL || byte == '\0') {
            break;
        }
        const bool plain = byte >= ' ' && byte < 0x7f && byte != '"' && byte != '\\';
        lull_str_addf(&text, plain ? "%c" : "\\%03o", (unsigned char)byte);
    }
    if (err != NULL && n == 0) {
        return err;
    }
    const char *more = err != NULL ? " <the memory ends here>" : byte != '\0' ? "..." : "";
    lull_error_free(err);
    lull_str_addf(c->out, v->lds ? "lds:0x%04" PRIx64 : "0x%012" PRIx64, v->address);
    lull_str_addf(c->out, ": \"%s\"%s\n", lull_str_text(&text), more);
    if (c->json != NULL) {
        lull_json_str(c->json, lull_str_text(&text));
    }
    v->address += n + (byte == '\0');
    return NULL;
}

LULL_MUST_USE static struct lull_error *view_strings(struct lull_cmd *c, struct view *v,
                                                     unsigned count)
{
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && i < count; i++) {
        err = view_string(c, v);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *parse_view(struct lull_cmd *c, struct view *v)
{
    struct lull_debug *d = c->d;
    v->address = d->next_x;
    v->format = c->format != 0 ? c->format : 'x';
    v->bytes = c->size == 'b' ? 1 : c->size == 'h' ? 2 : c->size == 'g' ? 8 : 4;
    v->bytes = c->format == 'c' && c->size == 0 ? 1 : v->bytes;
    if (v->format == 'f' && v->bytes < 2) {
        return lull_error_new(LULL_ERR_INVALID, "format f has the sizes h, w and g");
    }
    return *c->args != '\0' ? lull_debug_place_of(d, c->args, &v->lds, &v->address) : NULL;
}

LULL_MUST_USE static struct lull_error *listed_code(struct lull_cmd *c, const struct view *v,
                                                    unsigned count)
{
    if (c->json != NULL) {
        lull_json_key(c->json, "instructions");
        lull_json_open(c->json, '[');
    }
    struct lull_error *err = view_code(c, v, count);
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    return err;
}

struct lull_error *lull_cmd_x(struct lull_cmd *c)
{
    struct view v = {0};
    unsigned count = c->count != 0 ? c->count : 1;
    struct lull_error *err = parse_view(c, &v);
    if (err != NULL) {
        return err;
    }
    if (v.format == 'i') {
        return v.lds ? lull_error_new(LULL_ERR_INVALID, "LDS holds no code")
                     : listed_code(c, &v, count);
    }
    if (c->json != NULL) {
        lull_json_put_hex(c->json, "address", v.address);
        lull_json_put_bool(c->json, "lds", v.lds);
        lull_json_put_u64(c->json, "size", v.bytes);
        lull_json_key(c->json, "values");
        lull_json_open(c->json, '[');
    }
    err = v.format == 's' ? view_strings(c, &v, count) : view_units(c, &v, count);
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    if (err == NULL) {
        err = lull_debug_set_convenience(c->d, "_", v.address);
    }
    if (err == NULL && !v.lds) {
        c->d->next_x = v.address + (v.format == 's' ? 0 : (uint64_t)count * v.bytes);
    }
    return err;
}
