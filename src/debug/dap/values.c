// SPDX-License-Identifier: MIT
// Scopes and variables: what commands of the shell say as JSON, part by part.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "debug/dap/dap_priv.h"
#include "debug/shell/debugger.h"

enum { MAX_REFS = 1 << 20, MAX_PREVIEW = 4 };

struct lull_error *lull_dap_command(struct lull_dap *p, const char *command, json_t **ret)
{
    lull_cleanup(lull_str_free) struct lull_str out = {0};
    json_error_t why;
    *ret = NULL;
    p->d->json = true;
    struct lull_error *err = lull_debug_command(p->d, command, &out);
    p->d->json = false;
    if (err == NULL) {
        *ret = json_loadb(lull_str_text(&out), out.size, JSON_DISABLE_EOF_CHECK, &why);
        err = *ret == NULL ? lull_error_new(LULL_ERR_UNSUPPORTED,
                                            "'%s' says nothing that can be shown", command)
                           : NULL;
    }
    return err;
}

void lull_dap_forget(struct lull_dap *p)
{
    for (size_t i = 0; i < p->nrefs; i++) {
        json_decref(p->refs[i].value);
    }
    p->nrefs = 0;
}

/** A variablesReference for the parts @p value of @p of, which may be NULL; 0: no memory, or too
 * many. */
static int refer(struct lull_dap *p, json_t *value, const json_t *of, const char *expression)
{
    if (p->nrefs == p->refs_room) {
        const size_t room = p->refs_room != 0 ? 2 * p->refs_room : 64;
        struct lull_dap_ref *more =
            p->nrefs < MAX_REFS ? realloc(p->refs, room * sizeof *more) : NULL;
        if (more == NULL) {
            return 0;
        }
        p->refs = more;
        p->refs_room = room;
    }
    struct lull_dap_ref *r = &p->refs[p->nrefs++];
    *r = (struct lull_dap_ref){.value = json_incref(value),
                               .frame = lull_dap_frame_id(p, p->d->frame)};
    (void)snprintf(r->expression, sizeof r->expression, "%s", expression);
    const char *type = lull_dap_text(of, "type");
    (void)snprintf(r->type, sizeof r->type, "%s", type != NULL ? type : "");
    r->members = of != NULL && value == json_object_get(of, "members");
    return (int)p->nrefs;
}

struct lull_error *lull_dap_scopes(struct lull_dap *p, const json_t *args, json_t *body)
{
    static const struct {
        const char *name, *command, *list, *hint;
        bool expensive;
    } scopes[] = {{"Locals", "info locals", "variables", "locals", false},
                  {"Arguments", "info args", "variables", "arguments", false},
                  {"Scalar registers", "info registers scalar", "registers", "registers", false},
                  {"Vector registers", "info registers vector", "registers", "registers", true},
                  {"Hardware registers", "info registers hw", "registers", "registers", true},
                  {"Descriptors", "info descriptors", "descriptors", NULL, true},
                  {"Push constants", "info push-constants", "push_constants", NULL, true},
                  {"Lanes", "info lanes", "lanes", NULL, true}};
    json_t *list = json_array();
    json_int_t id = 0;
    json_object_set_new(body, "scopes", list);
    struct lull_error *err = lull_dap_number(args, "frameId", 0, INT32_MAX, 0, &id);
    err = err != NULL ? err : lull_dap_frame(p, id);
    for (size_t i = 0; err == NULL && i < sizeof scopes / sizeof scopes[0]; i++) {
        json_t *said = NULL;
        struct lull_error *no = lull_dap_command(p, scopes[i].command, &said);
        json_t *parts = json_object_get(said, scopes[i].list);
        if (no == NULL && json_array_size(parts) != 0) {
            lull_dap_add_texts(parts, lull_dap_text(said, "text"));
            json_t *s = json_pack("{s:s,s:i,s:b,s:i}", "name", scopes[i].name, "variablesReference",
                                  refer(p, parts, NULL, ""), "expensive", scopes[i].expensive,
                                  "namedVariables", (int)json_array_size(parts));
            if (scopes[i].hint != NULL) {
                json_object_set_new(s, "presentationHint", json_string(scopes[i].hint));
            }
            json_array_append_new(list, s);
        }
        lull_error_free(no); // This one has none.
        json_decref(said);
    }
    return err;
}

/** A value of a lane, as its type has it; of none, "null". */
static void number(const char *type, const json_t *v, struct lull_str *out)
{
    lull_dap_value_text(type, json_is_string(v) ? json_string_value(v) : "null", out);
}

/** A number, text, or the first parts of what has parts. */
static void preview(const struct lull_dap *p, const json_t *v, struct lull_str *out)
{
    const json_t *lanes = json_object_get(v, "lanes"), *value = json_object_get(v, "value");
    const char *type = lull_dap_text(v, "type"), *text = lull_dap_text(v, "text");
    const char *error = lull_dap_text(v, "error");
    if (json_is_string(v)) {
        lull_str_addf(out, "%s", json_string_value(v));
    } else if (error != NULL) {
        lull_str_addf(out, "<%s>", error);
    } else if (text != NULL && lull_dap_is_typed(type)) {
        lull_str_addf(out, "%s", text);
    } else if (json_is_array(lanes) && p->d->lane < json_array_size(lanes)) {
        lull_str_addf(out, "lane %u: ", p->d->lane);
        number(type, json_array_get(lanes, p->d->lane), out);
    } else if (value != NULL) {
        number(type, value, out);
    } else if (json_is_array(v)) {
        const size_t n = json_array_size(v);
        lull_str_addf(out, "[");
        for (size_t i = 0; i < n && i < MAX_PREVIEW; i++) {
            lull_str_addf(out, "%s", i != 0 ? ", " : "");
            preview(p, json_array_get(v, i), out);
        }
        lull_str_addf(out, "%s]", n > MAX_PREVIEW ? ", ..." : "");
    } else if (json_is_object(v)) {
        lull_str_addf(out, "%s", text != NULL ? text : "{...}");
    } else {
        lull_cleanup(lull_freep) char *dump = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);
        lull_str_addf(out, "%s", dump != NULL ? dump : "");
    }
}

/** What the parts of @p v are; NULL: it has none. */
static json_t *parts_of(json_t *v)
{
    static const char *const lists[] = {"lanes", "members", "elements"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        json_t *list = json_object_get(v, lists[i]);
        if (json_is_array(list)) {
            return list;
        }
    }
    const bool plain = json_is_object(v) &&
                       (json_object_get(v, "value") != NULL || json_object_get(v, "error") != NULL);
    const bool has = (json_is_array(v) && json_array_size(v) != 0) || (json_is_object(v) && !plain);
    return has ? v : NULL;
}

/** One variable. @p expression: that gives it; "": none does. */
static json_t *variable(struct lull_dap *p, const char *name, json_t *v, const char *expression)
{
    lull_cleanup(lull_str_free) struct lull_str text = {0}, shown = {0};
    json_t *parts = parts_of(v);
    const char *type = lull_dap_text(v, "type");
    preview(p, v, &text);
    lull_str_printable(&shown, lull_str_text(&text), text.size);
    json_t *out =
        json_pack("{s:s,s:s,s:i}", "name", name, "value", lull_str_text(&shown),
                  "variablesReference", parts != NULL ? refer(p, parts, v, expression) : 0);
    if (json_is_array(parts)) {
        json_object_set_new(out, "indexedVariables",
                            json_integer((json_int_t)json_array_size(parts)));
    }
    if (type != NULL) {
        json_object_set_new(out, "type", json_string(type));
    }
    if (*expression != '\0') {
        json_object_set_new(out, "evaluateName", json_string(expression));
    }
    return out;
}

/** Name and expression of part @p i of @p r. */
static void part_names(const struct lull_dap_ref *r, size_t i, const json_t *v, char name[64],
                       char expression[80])
{
    const char *own = lull_dap_text(v, "name"), *of = lull_dap_text(v, "expression");
    own = own != NULL ? own : of != NULL ? of : lull_dap_text(v, "variable");
    expression[0] = '\0';
    if (own != NULL) {
        const bool reg = json_object_get(v, "bits") != NULL && of == NULL &&
                         lull_dap_text(v, "kind") == NULL &&
                         !lull_dap_is_typed(lull_dap_text(v, "type"));
        (void)snprintf(name, 64, "%s", own);
        (void)snprintf(expression, 80, "%s%s%s", r->members ? r->expression : "",
                       r->members             ? "."
                       : reg && own[0] != '$' ? "$"
                                              : "",
                       own);
        return;
    }
    const json_t *lane = json_object_get(v, "lane");
    (void)snprintf(name, 64, json_is_integer(lane) ? "lane %zu" : "[%zu]",
                   json_is_integer(lane) ? (size_t)json_integer_value(lane) : i);
    if (r->expression[0] != '\0') {
        (void)snprintf(expression, 80, "%s[%zu]", r->expression, i);
    }
}

LULL_MUST_USE static struct lull_error *ref_of(struct lull_dap *p, const json_t *args,
                                               struct lull_dap_ref *ret)
{
    json_int_t id = 0;
    struct lull_error *err = lull_dap_number(args, "variablesReference", 1, INT32_MAX, 0, &id);
    if (err == NULL && (id == 0 || (size_t)id > p->nrefs)) {
        err = lull_error_new(LULL_ERR_INVALID, "variablesReference: those of before are gone");
    }
    if (err == NULL) {
        *ret = p->refs[id - 1];
        err = lull_dap_frame(p, ret->frame);
    }
    return err;
}

struct lull_error *lull_dap_variables(struct lull_dap *p, const json_t *args, json_t *body)
{
    json_t *list = json_array();
    json_int_t start = 0, count = 0;
    struct lull_dap_ref r = {.frame = 0};
    json_object_set_new(body, "variables", list);
    struct lull_error *err = lull_dap_number(args, "start", 0, INT32_MAX, 0, &start);
    err = err != NULL ? err : lull_dap_number(args, "count", 0, INT32_MAX, 0, &count);
    err = err != NULL ? err : ref_of(p, args, &r); // A copy: refs move when some are added.
    if (err != NULL) {
        return err;
    }
    json_t *v = NULL;
    const char *key = NULL;
    const size_t last = count == 0 ? SIZE_MAX : (size_t)(start + count);
    for (size_t i = (size_t)start; i < json_array_size(r.value) && i < last; i++) {
        char name[64], expression[80];
        v = json_array_get(r.value, i);
        part_names(&r, i, v, name, expression);
        lull_cleanup(lull_str_free) struct lull_str text = {0};
        json_t *of_lane = NULL;
        if (json_is_string(v) && r.type[0] != '\0') {
            number(r.type, v, &text);
            v = of_lane = json_string(lull_str_text(&text));
        }
        json_array_append_new(list, variable(p, name, v, expression));
        json_decref(of_lane);
    }
    json_object_foreach(r.value, key, v)
    {
        json_array_append_new(list, variable(p, key, v, ""));
    }
    return NULL;
}

/** The value of an expression, as `print` has it. */
LULL_MUST_USE static struct lull_error *print(struct lull_dap *p, const char *expression,
                                              json_t *body, const char *key)
{
    lull_cleanup(lull_str_free) struct lull_str command = {0};
    json_t *said = NULL;
    lull_str_addf(&command, "print %s", expression);
    struct lull_error *err = lull_dap_command(p, lull_str_text(&command), &said);
    if (err != NULL) {
        return err;
    }
    if (parts_of(said) == said) { // Only text.
        json_object_set_new(body, key, json_incref(json_object_get(said, "text")));
        json_object_set_new(body, "variablesReference", json_integer(0));
    } else {
        lull_dap_own_text(said, expression);
        json_t *v = variable(p, expression, said, expression);
        json_t *value = json_object_get(v, "value");
        json_object_del(v, "name");
        json_object_set(body, key, value);
        if (strcmp(key, "value") != 0) {
            json_object_del(v, "value");
        }
        json_object_update(body, v);
        json_decref(v);
    }
    json_decref(said);
    return NULL;
}

struct lull_error *lull_dap_set_variable(struct lull_dap *p, const json_t *args, json_t *body)
{
    const char *name = lull_dap_text(args, "name"), *value = lull_dap_text(args, "value");
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    struct lull_dap_ref r = {.frame = 0};
    struct lull_error *err = ref_of(p, args, &r);
    if (err != NULL || name == NULL || value == NULL) {
        return err != NULL ? err
                           : lull_error_new(LULL_ERR_INVALID, "setVariable: no name or value");
    }
    for (size_t i = 0; i < json_array_size(r.value); i++) {
        char own[64], expression[80];
        part_names(&r, i, json_array_get(r.value, i), own, expression);
        if (strcmp(own, name) != 0 || expression[0] == '\0') {
            continue;
        }
        const bool lanes = json_is_array(json_object_get(json_array_get(r.value, i), "lanes"));
        lull_str_addf(&text, "%s%s = %s", expression, lanes ? "[*]" : "", value);
        err = lull_debug_assign(p->d, lull_str_text(&text));
        return err != NULL ? err : print(p, expression, body, "value");
    }
    return lull_error_new(LULL_ERR_UNSUPPORTED, "'%s' cannot be written", name);
}

struct lull_error *lull_dap_set_expression(struct lull_dap *p, const json_t *args, json_t *body)
{
    const char *expression = lull_dap_text(args, "expression");
    const char *value = lull_dap_text(args, "value");
    lull_cleanup(lull_str_free) struct lull_str text = {0}, command = {0};
    json_t *said = NULL;
    json_int_t id = -1;
    struct lull_error *err = lull_dap_number(args, "frameId", 0, INT32_MAX, -1, &id);
    err = err != NULL || id < 0 ? err : lull_dap_frame(p, id);
    if (err != NULL || expression == NULL || value == NULL) {
        return err != NULL
                   ? err
                   : lull_error_new(LULL_ERR_INVALID, "setExpression: no expression or value");
    }
    lull_str_addf(&command, "print %s", expression);
    err = lull_dap_command(p, lull_str_text(&command), &said);
    if (err == NULL) {
        const json_t *lanes = json_object_get(said, "lanes");
        const bool reg =
            *expression == '$' && json_is_array(lanes) && strchr(expression, '[') == NULL;
        lull_str_addf(&text, "%s%s = %s", expression, reg ? "[*]" : "", value);
        json_decref(said);
        err = lull_debug_assign(p->d, lull_str_text(&text));
    }
    return err != NULL ? err : print(p, expression, body, "value");
}

struct lull_error *lull_dap_evaluate(struct lull_dap *p, const json_t *args, json_t *body)
{
    const char *text = lull_dap_text(args, "expression"), *context = lull_dap_text(args, "context");
    json_int_t id = -1;
    struct lull_expr *e = NULL;
    struct lull_error *err = lull_dap_number(args, "frameId", 0, INT32_MAX, -1, &id);
    err = err != NULL || id < 0 ? err : lull_dap_frame(p, id);
    if (err != NULL || text == NULL) {
        return err != NULL ? err : lull_error_new(LULL_ERR_INVALID, "evaluate: no expression");
    }
    struct lull_error *no = lull_debug_parse(p->d, text, &e);
    lull_expr_free(e);
    if (no == NULL || context == NULL || strcmp(context, "repl") != 0) {
        lull_error_free(no);
        return print(p, text, body, "result");
    }
    lull_error_free(no); // In the console what is no expression is a command.
    lull_cleanup(lull_str_free) struct lull_str out = {0}, shown = {0};
    err = lull_debug_command(p->d, text, &out);
    lull_str_printable(&shown, lull_str_text(&out), out.size);
    json_object_set_new(body, "result", json_string(lull_str_text(&shown)));
    json_object_set_new(body, "variablesReference", json_integer(0));
    return err;
}
