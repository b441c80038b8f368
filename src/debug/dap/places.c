// SPDX-License-Identifier: MIT
// What the program is made of, and where a wave may be sent: modules, source files, lines to go to,
// functions that a line calls.
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "debug/dap/dap_priv.h"
#include "debug/session/engine.h"
#include "debug/session/frame.h"
#include "debug/session/symbols.h"
#include "debug/shell/debugger.h"
#include "debug/shell/shell.h"

struct lull_error *lull_dap_modules(struct lull_dap *p, const json_t *args, json_t *body)
{
    json_t *list = json_array();
    const struct lull_image *im = p->d->image;
    const bool known = lull_debug_symbols(p->d) != NULL;
    const char *kernel = lull_dap_text(p->launched, "kernel");
    (void)args;
    if (im != NULL) { // A program's code is the pipeline's of the dispatch that is held.
        json_t *m = json_pack("{s:i,s:s,s:s,s:o}", "id", 1, "name",
                              kernel != NULL ? kernel : "the dispatch's code", "symbolStatus",
                              known ? "debug information" : "no debug information", "addressRange",
                              json_sprintf("0x%" PRIx64, p->d->image_va));
        if (kernel != NULL) {
            json_object_set_new(m, "path", json_string(kernel));
        }
        json_array_append_new(list, m);
    }
    json_object_set_new(body, "totalModules", json_integer((json_int_t)json_array_size(list)));
    json_object_set_new(body, "modules", list);
    return NULL;
}

/** Put @p file into @p list, once. */
static void add_file(const struct lull_dap *p, json_t *list, const char *file)
{
    json_t *one = file != NULL && *file != '\0' ? lull_dap_file(p, file) : NULL;
    const json_t *v = NULL;
    bool there = one == NULL;
    size_t i = 0;
    json_array_foreach(list, i, v)
    {
        there = there || json_equal(one, v) != 0;
    }
    if (there) {
        json_decref(one);
    } else {
        json_array_append_new(list, one);
    }
}

struct lull_error *lull_dap_sources(struct lull_dap *p, const json_t *args, json_t *body)
{
    json_t *list = json_array();
    const struct lull_symbols *s = lull_debug_symbols(p->d);
    (void)args;
    for (const struct lull_symscope *u = s != NULL ? s->units : NULL; u != NULL; u = u->next) {
        for (const struct lull_symscope *f = u->children; f != NULL; f = f->next) {
            add_file(p, list, f->file);
        }
    }
    json_object_set_new(body, "sources", list);
    return NULL;
}

struct lull_error *lull_dap_goto_targets(struct lull_dap *p, const json_t *args, json_t *body)
{
    const char *path = lull_dap_text(json_object_get(args, "source"), "path");
    const char *file = path != NULL && strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    lull_cleanup(lull_freep) uint64_t *places = NULL;
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    json_t *list = json_array();
    json_int_t line = 0;
    size_t n = 0;
    p->ntargets = 0;
    json_object_set_new(body, "targets", list);
    struct lull_error *err = lull_dap_number(args, "line", 0, INT32_MAX - 1, -1, &line);
    if (err == NULL && (file == NULL || line < 0)) {
        err = lull_error_new(LULL_ERR_INVALID, "gotoTargets: no source with a path, or line");
    }
    if (err != NULL) {
        return err;
    }
    lull_str_addf(&text, "%s:%" JSON_INTEGER_FORMAT, file, line + p->lines_from_0);
    lull_error_free(lull_debug_stop_places(p->d, lull_str_text(&text), &places, &n));
    for (size_t i = 0; i < n && p->ntargets < LULL_DAP_TARGETS; i++) { // None: no code is there.
        struct lull_line at = {0};
        const bool known = lull_debug_line_at(p->d, places[i], &at);
        json_array_append_new(
            list, json_pack("{s:i,s:o,s:I,s:o}", "id", (int)p->ntargets + 1, "label",
                            json_sprintf("%s at 0x%" PRIx64, lull_str_text(&text), places[i]),
                            "line", known ? (json_int_t)at.line - p->lines_from_0 : line,
                            "instructionPointerReference", json_sprintf("0x%" PRIx64, places[i])));
        p->targets[p->ntargets++] = places[i];
    }
    return NULL;
}

struct lull_error *lull_dap_goto(struct lull_dap *p, const json_t *args, json_t *body)
{
    json_int_t thread = 0, id = 0;
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    (void)body;
    struct lull_error *err = lull_dap_number(args, "threadId", 0, INT32_MAX, 0, &thread);
    err = err != NULL ? err : lull_dap_number(args, "targetId", 0, INT32_MAX, 0, &id);
    if (err == NULL && (id == 0 || id > (json_int_t)p->ntargets)) {
        err = lull_error_new(LULL_ERR_INVALID, "goto: no target of gotoTargets");
    }
    err = err != NULL ? err : lull_dap_focus(p, thread);
    if (err != NULL) {
        return err;
    }
    lull_str_addf(&text, "$pc = 0x%" PRIx64, p->targets[id - 1]);
    lull_dap_forget(p);
    err = lull_debug_assign(p->d, lull_str_text(&text));
    if (err == NULL) {
        lull_dap_event(p, "stopped",
                       json_pack("{s:s,s:I,s:b}", "reason", "goto", "threadId", thread,
                                 "allThreadsStopped", 1));
    }
    return err;
}

/** The functions that the text of a line names in front of a bracket, into @p list. */
static void called(const struct lull_symbols *s, const char *text, json_t *list)
{
    for (const char *at = text; *at != '\0';) {
        size_t n = 0;
        while (isalnum((unsigned char)at[n]) || at[n] == '_') {
            n++;
        }
        lull_cleanup(lull_freep) char *name = n != 0 ? strndup(at, n) : NULL;
        const char *behind = at + n + strspn(at + n, " \t");
        if (name != NULL && *behind == '(' && lull_symbols_function(s, NULL, name) != NULL) {
            const int id = (int)json_array_size(list) + 1;
            json_array_append_new(list, json_pack("{s:i,s:s}", "id", id, "label", name));
        }
        at += n != 0 ? n : 1;
    }
}

struct lull_error *lull_dap_step_in_targets(struct lull_dap *p, const json_t *args, json_t *body)
{
    const struct lull_symbols *s = lull_debug_symbols(p->d);
    char text[LULL_LINE_ROOM] = {0};
    struct lull_frame f = {.va = 0};
    struct lull_debug_wave *w = NULL;
    json_int_t id = 0;
    json_decref(p->functions);
    p->functions = json_array();
    struct lull_error *err = lull_dap_number(args, "frameId", 0, INT32_MAX, 0, &id);
    err = err != NULL ? err : lull_dap_frame(p, id);
    err = err != NULL ? err : lull_debug_focused(p->d, &w);
    err = err != NULL ? err : lull_debug_frame(p->d, w, &f);
    if (err == NULL && s != NULL && lull_debug_source_text(f.line.file, f.line.line, text)) {
        called(s, text, p->functions);
    }
    json_object_set(body, "targets", p->functions);
    return err;
}

struct lull_error *lull_dap_step_into(struct lull_dap *p, json_int_t target)
{
    const json_t *t = json_array_get(p->functions, (size_t)target - 1);
    const char *name = lull_dap_text(t, "label");
    return name != NULL ? lull_debug_until(p->d, name)
                        : lull_error_new(LULL_ERR_INVALID, "stepIn: no target of stepInTargets");
}
