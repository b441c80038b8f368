// SPDX-License-Identifier: MIT
/* Values shown, and as JSON: numbers, and what has members and elements; variables of the program.
 */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/block.h"
#include "debug/session/frame.h"
#include "debug/session/variables.h"
#include "debug/shell/shell.h"
#include "symbols/show.h"

enum { MAX_DEPTH = 12, MAX_LEAVES = 200, MAX_ELEMENTS = 64 };

static void json_one(struct lull_json *json, const struct lull_value *v, unsigned lane)
{
    if ((v->valid >> lane & 1) != 0) {
        lull_json_hex(json, v->v[lane]);
    } else {
        lull_json_null(json);
    }
}

void lull_cmd_json_value(struct lull_json *json, const struct lull_value *v)
{
    lull_cleanup(lull_str_free) struct lull_str type = {0};
    lull_ctype_show(v->type, &type);
    lull_json_put_str(json, "type", lull_str_text(&type));
    lull_json_put_u64(json, "bits", lull_ctype_bits(v->type));
    if (v->lanes == 1) {
        lull_json_key(json, "value");
        json_one(json, v, 0);
        return;
    }
    lull_json_put_hex(json, "active", v->active);
    lull_json_key(json, "lanes");
    lull_json_open(json, '[');
    for (unsigned i = 0; i < v->lanes; i++) {
        json_one(json, v, i);
    }
    lull_json_close(json, ']');
}

/* What is shown now. */
struct shown {
    struct lull_cmd *c;
    struct lull_expr_scope scope;
    struct lull_str *out;
    struct lull_json *json;
    unsigned depth, leaves;
};

LULL_MUST_USE static struct lull_error *show_at(struct shown *s, const struct lull_location *at);

LULL_MUST_USE static struct lull_error *show_leaf(struct shown *s, const struct lull_location *at)
{
    struct lull_value v = {0};
    struct lull_error *err = lull_location_load(&s->scope, at, &v);
    if (err != NULL && at->held != NULL && lull_error_code(err) == LULL_ERR_NOT_FOUND) {
        lull_str_addf(s->out, "<optimised out>");
        if (s->json != NULL) {
            lull_json_put_str(s->json, "error", lull_error_message(err));
        }
        lull_error_free(err);
        return NULL;
    }
    if (err != NULL) {
        return err;
    }
    s->leaves++;
    lull_value_show_active(&v, s->c->format, s->out);
    if (s->json != NULL) {
        lull_cmd_json_value(s->json, &v);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *show_members(struct shown *s,
                                                     const struct lull_location *at,
                                                     const struct lull_symtype *t)
{
    struct lull_error *err = NULL;
    lull_str_addf(s->out, "{");
    for (size_t i = 0; err == NULL && i < t->nmembers && s->leaves < MAX_LEAVES; i++) {
        const struct lull_symmember *m = &t->members[i];
        struct lull_location part = lull_location_part(at, m->type, m->offset);
        part.bit = m->bit;
        part.nbits = m->nbits;
        lull_str_addf(s->out, "%s%s%s", i == 0 ? "" : ", ", m->name,
                      m->name[0] != '\0' ? " = " : "");
        if (s->json != NULL) {
            lull_json_open(s->json, '{');
            lull_json_put_str(s->json, "name", m->name);
        }
        err = show_at(s, &part);
        if (s->json != NULL) {
            lull_json_close(s->json, '}');
        }
    }
    lull_str_addf(s->out, "%s}", s->leaves < MAX_LEAVES ? "" : ", ...");
    return err;
}

LULL_MUST_USE static struct lull_error *show_elements(struct shown *s,
                                                      const struct lull_location *at,
                                                      const struct lull_symtype *t)
{
    struct lull_error *err = NULL;
    uint64_t n = t->count < MAX_ELEMENTS ? t->count : MAX_ELEMENTS;
    lull_str_addf(s->out, "{");
    for (uint64_t i = 0; err == NULL && i < n && s->leaves < MAX_LEAVES; i++) {
        const struct lull_location part = lull_location_part(at, t->of, lull_symtype_element(t, i));
        lull_str_addf(s->out, i == 0 ? "" : ", ");
        if (s->json != NULL) {
            lull_json_open(s->json, '{');
        }
        err = show_at(s, &part);
        if (s->json != NULL) {
            lull_json_close(s->json, '}');
        }
    }
    const bool all = n == t->count && n != 0 && s->leaves < MAX_LEAVES; // 0: not known
    lull_str_addf(s->out, "%s}", all ? "" : n == 0 ? "..." : ", ...");
    return err;
}

/* A value, or its parts: members of JSON, "type" the first. */
LULL_MUST_USE static struct lull_error *show_at(struct shown *s, const struct lull_location *at)
{
    if (at->type.kind != LULL_CTYPE_PARTS || at->type.stars != 0) {
        return show_leaf(s, at);
    }
    const struct lull_symtype *t = lull_symtype_plain(at->type.of);
    const bool array = t->kind == LULL_SYMTYPE_ARRAY || t->kind == LULL_SYMTYPE_VECTOR;
    if (++s->depth > MAX_DEPTH || (!array && t->nmembers == 0)) {
        lull_str_addf(s->out, "{...}");
        s->depth--;
        return NULL;
    }
    if (s->json != NULL) {
        lull_cleanup(lull_str_free) struct lull_str name = {0};
        lull_symtype_name(at->type.of, &name);
        lull_json_put_str(s->json, "type", lull_str_text(&name));
        lull_json_key(s->json, array ? "elements" : "members");
        lull_json_open(s->json, '[');
    }
    struct lull_error *err = array ? show_elements(s, at, t) : show_members(s, at, t);
    if (s->json != NULL) {
        lull_json_close(s->json, ']');
    }
    s->depth--;
    return err;
}

/* "   (lanes 0-6)" if not all lanes of the wave are on. */
static void show_which(struct lull_cmd *c, unsigned lanes, uint64_t active)
{
    const uint64_t all = lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    if (lanes > 1 && (active & all) != all && (active & all) != 0) {
        lull_debug_show_lanes(active & all, &text);
        lull_str_addf(c->out, "   (%s)", lull_str_text(&text) + strlen(", "));
    }
}

LULL_MUST_USE static struct lull_error *show_parts(struct lull_cmd *c, const struct lull_expr *e)
{
    struct shown s = {.c = c, .scope = lull_debug_expr_scope(c->d), .out = c->out, .json = c->json};
    struct lull_location at = {0};
    struct lull_error *err = lull_expr_locate(&s.scope, e, &at);
    if (err == NULL && at.ref != NULL) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "it is in registers, and has parts");
    }
    err = err != NULL ? err : show_at(&s, &at);
    if (err == NULL) {
        show_which(c, at.lanes, at.active);
        lull_str_addf(c->out, "\n");
    }
    return err;
}

struct lull_error *lull_debug_show_expr(struct lull_cmd *c, const struct lull_expr *e)
{
    const struct lull_expr_scope scope = lull_debug_expr_scope(c->d);
    struct lull_ctype type = {0};
    struct lull_value v = {0};
    struct lull_error *err = lull_expr_type(&scope, e, &type);
    if (err == NULL && type.kind == LULL_CTYPE_PARTS && type.stars == 0) {
        return show_parts(c, e);
    }
    err = err != NULL ? err : lull_debug_value(c->d, e, &v);
    if (err != NULL) {
        return err;
    }
    if (c->format == 'a' && v.lanes == 1) {
        lull_str_addf(c->out, "0x%" PRIx64 " ", v.v[0]);
        lull_debug_show_symbol(c->d, v.v[0], c->out);
        lull_str_addf(c->out, "\n");
    } else if (v.type.of != NULL) {
        lull_value_show_active(&v, c->format, c->out);
        show_which(c, v.lanes, v.active);
        lull_str_addf(c->out, "\n");
    } else {
        lull_value_show(&v, c->format, c->d->lane, c->out);
    }
    if (c->json != NULL) {
        lull_cmd_json_value(c->json, &v);
    }
    return NULL;
}

/* A variable by its name, whatever else has that name: "name = value". */
static void show_variable(struct lull_cmd *c, const struct lull_symvar *v, uint32_t line)
{
    struct lull_expr *e = NULL;
    lull_str_addf(c->out, "%s = ", v->name);
    if (c->json != NULL) {
        lull_json_open(c->json, '{');
        lull_json_put_str(c->json, "name", v->name);
    }
    if (!v->parameter && line != 0 && v->line > line && v->nplaces != 0) {
        lull_str_addf(c->out, "<not set before line %" PRIu32 ">\n", v->line);
        if (c->json != NULL) {
            lull_json_put_u64(c->json, "set_at_line", v->line);
            lull_json_close(c->json, '}');
        }
        return;
    }
    struct lull_error *err = lull_debug_parse_variable(c->d, v, &e);
    err = err != NULL ? err : lull_debug_show_expr(c, e);
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
    lull_expr_free(e);
}

/* Those of a scope and of what is around it in the function. @p line: where the wave is. */
static unsigned show_scope(struct lull_cmd *c, const struct lull_symscope *scope, bool parameters,
                           uint32_t line)
{
    unsigned n = 0;
    for (const struct lull_symscope *s = scope; s != NULL && s->kind != LULL_SYMSCOPE_UNIT;
         s = s->kind == LULL_SYMSCOPE_INLINED ? NULL : s->parent) {
        for (const struct lull_symvar *v = s->first; v != NULL; v = v->next) {
            if (v->parameter == parameters) {
                show_variable(c, v, line);
                n++;
            }
        }
    }
    return n;
}

LULL_MUST_USE static struct lull_error *show_variables(struct lull_cmd *c, bool parameters)
{
    struct lull_debug_wave *w = NULL;
    uint64_t offset = 0;
    struct lull_error *err = lull_debug_focused(c->d, &w);
    if (err == NULL && *c->args != '\0') {
        err = lull_error_new(LULL_ERR_INVALID, "'%s': this takes no argument", c->args);
    }
    const struct lull_symscope *scope = err == NULL ? lull_debug_scope(c->d, &offset) : NULL;
    if (err == NULL && scope == NULL) {
        err = lull_error_new(LULL_ERR_NOT_FOUND, "no variables are known for 0x%" PRIx64 "%s%s",
                             w->info.pc,
                             c->d->symbols_wrong != NULL ? ": " : " (was it compiled with -g?)",
                             c->d->symbols_wrong != NULL ? c->d->symbols_wrong : "");
    }
    if (err != NULL) {
        return err;
    }
    if (c->json != NULL) {
        lull_json_key(c->json, "variables");
        lull_json_open(c->json, '[');
    }
    struct lull_frame frame = {.va = 0};
    lull_error_free(lull_debug_frame(c->d, w, &frame));
    if (show_scope(c, scope, parameters, frame.line.line) == 0) {
        lull_str_addf(c->out, parameters ? "No arguments.\n" : "No locals.\n");
    }
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    return NULL;
}

struct lull_error *lull_cmd_info_locals(struct lull_cmd *c)
{
    return show_variables(c, false);
}

struct lull_error *lull_cmd_info_args(struct lull_cmd *c)
{
    return show_variables(c, true);
}

/* "TYPE name", and where it is written: a line. */
static void declare(struct lull_cmd *c, const struct lull_symvar *v)
{
    lull_cleanup(lull_str_free) struct lull_str type = {0};
    lull_symtype_name(v->type, &type);
    lull_str_addf(c->out, "%-12s %s, %s", v->name, lull_str_text(&type),
                  v->parameter ? "argument" : "local");
    if (v->line != 0) {
        lull_str_addf(c->out, ", line %" PRIu32, v->line);
    }
    lull_str_addf(c->out, "%s\n", v->nplaces == 0 && !v->constant ? ", optimised out" : "");
    if (c->json != NULL) {
        lull_json_open(c->json, '{');
        lull_json_put_str(c->json, "name", v->name);
        lull_json_put_str(c->json, "type", lull_str_text(&type));
        lull_json_put_bool(c->json, "argument", v->parameter);
        lull_json_put_u64(c->json, "line", v->line);
        lull_json_put_bool(c->json, "optimised_out", v->nplaces == 0 && !v->constant);
        lull_json_close(c->json, '}');
    }
}

struct lull_error *lull_cmd_info_scope(struct lull_cmd *c)
{
    uint64_t va = 0;
    uint64_t offset = 0;
    struct lull_error *err =
        *c->args != '\0' ? lull_debug_location(c->d, c->args, &va)
                         : lull_error_new(LULL_ERR_INVALID, "the variables of which PLACE?");
    if (err != NULL) {
        return err;
    }
    c->d->place = &va;
    const struct lull_symscope *scope = lull_debug_scope(c->d, &offset);
    c->d->place = NULL;
    if (scope == NULL) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "no variables are known for 0x%" PRIx64, va);
    }
    if (c->json != NULL) {
        lull_json_key(c->json, "variables");
        lull_json_open(c->json, '[');
    }
    for (const struct lull_symscope *s = scope; s != NULL && s->kind != LULL_SYMSCOPE_UNIT;
         s = s->kind == LULL_SYMSCOPE_INLINED ? NULL : s->parent) {
        for (const struct lull_symvar *v = s->first; v != NULL; v = v->next) {
            declare(c, v);
        }
    }
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    return NULL;
}

/* "float (int *, int)" of a function; false: @p name is none. */
static bool show_function(struct lull_debug *d, const char *name, struct lull_str *out)
{
    const struct lull_symbols *s = lull_debug_symbols(d);
    const struct lull_symscope *f = s != NULL && lull_debug_find_variable(d, name) == NULL
                                        ? lull_symbols_function(s, NULL, name)
                                        : NULL;
    if (f == NULL) {
        return false;
    }
    lull_symtype_name(f->gives, out);
    lull_str_addf(out, " (");
    bool any = false;
    for (const struct lull_symvar *v = f->first; v != NULL; v = v->next) {
        if (v->parameter) {
            lull_str_addf(out, any ? ", " : "");
            lull_symtype_name(v->type, out);
            any = true;
        }
    }
    lull_str_addf(out, any ? ")" : "void)");
    return true;
}

/* @p err, or if @p text is "struct X" what is wrong with that, in gdb's words. */
LULL_MUST_USE static struct lull_error *no_such_type(const char *text, struct lull_error *err)
{
    static const char *const kinds[] = {"struct", "union", "enum"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *name = text;
        if (lull_cmd_word(&name, kinds[i]) && *name != '\0') {
            lull_error_free(err);
            return lull_error_new(LULL_ERR_NOT_FOUND, "no %s type named %s", kinds[i], name);
        }
    }
    return err;
}

/* The type of an expression, which is named or shown with its members. */
LULL_MUST_USE static struct lull_error *show_type(struct lull_cmd *c, bool whole)
{
    const struct lull_expr_scope scope = lull_debug_expr_scope(c->d);
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    struct lull_expr *e = NULL;
    struct lull_ctype type = {0};
    const struct lull_symvar *block =
        lull_debug_find_variable(c->d, c->args) == NULL ? lull_debug_block(c->d, c->args) : NULL;
    const struct lull_symtype *named =
        block != NULL ? block->type : lull_debug_find_type(c->d, c->args);
    if (*c->args == '\0') {
        return lull_error_new(LULL_ERR_INVALID,
                              "the type of what? An expression, or a type's name");
    }
    struct lull_error *err = NULL;
    const bool function = named == NULL && show_function(c->d, c->args, &text);
    if (named == NULL && !function) {
        err = lull_debug_parse(c->d, c->args, &e);
        err = err != NULL ? err : lull_expr_type(&scope, e, &type);
    }
    if (err != NULL && lull_expr_type_named(&scope, c->args, &type)) { // "int *"
        lull_error_free(err);
        err = NULL;
    } else if (err != NULL) {
        err = no_such_type(c->args, err);
    }
    const struct lull_symtype *of = named != NULL ? named : type.above == 0 ? type.of : NULL;
    if (err == NULL && !function && of != NULL && (whole || named != NULL)) {
        (whole ? lull_symtype_show : lull_symtype_name)(whole ? of : lull_symtype_under(of), &text);
    } else if (err == NULL && !function) {
        lull_ctype_show(type, &text);
    }
    lull_expr_free(e);
    if (err == NULL) {
        lull_str_addf(c->out, "type = %s\n", lull_str_text(&text));
    }
    if (err == NULL && c->json != NULL) {
        lull_json_put_str(c->json, "expression", c->args);
        lull_json_put_str(c->json, "type", lull_str_text(&text));
    }
    return err;
}

struct lull_error *lull_cmd_ptype(struct lull_cmd *c)
{
    return show_type(c, true);
}

struct lull_error *lull_cmd_whatis(struct lull_cmd *c)
{
    return show_type(c, false);
}
