// SPDX-License-Identifier: MIT
/* info functions, types, variables, address, frame: what symbols say of the program. */
#include <inttypes.h>
#include <regex.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/path.h"
#include "debug/session/frame.h"
#include "debug/session/symbols.h"
#include "debug/session/variables.h"
#include "debug/shell/shell.h"
#include "symbols/show.h"

/* One list of names that match what the user wrote. */
struct names {
    struct lull_cmd *c;
    bool all;
    regex_t re;
    size_t n;
};

LULL_MUST_USE static struct lull_error *begin(struct names *l, struct lull_cmd *c, const char *key)
{
    *l = (struct names){.c = c, .all = *c->args == '\0'};
    const int r = l->all ? 0 : regcomp(&l->re, c->args, REG_EXTENDED | REG_NOSUB);
    if (r != 0) {
        return lull_error_new(LULL_ERR_INVALID, "'%s' is not a regular expression", c->args);
    }
    if (c->json != NULL) {
        lull_json_key(c->json, key);
        lull_json_open(c->json, '[');
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *end(struct names *l)
{
    if (!l->all) {
        regfree(&l->re);
    }
    if (l->c->json != NULL) {
        lull_json_close(l->c->json, ']');
    }
    if (l->n == 0) {
        lull_str_addf(l->c->out, "None%s%s.\n", l->all ? "" : " that match ", l->c->args);
    }
    return NULL;
}

static bool is_meant(const struct names *l, const char *name)
{
    return name != NULL && *name != '\0' && (l->all || regexec(&l->re, name, 0, NULL, 0) == 0);
}

/* "v.cl:12  NAME  (more)" */
static void row(struct names *l, const char *name, const char *file, uint32_t line,
                const char *more)
{
    struct lull_cmd *c = l->c;
    l->n++;
    if (file != NULL && *file != '\0' && line != 0) {
        lull_str_addf(c->out, "%s:%" PRIu32 "  ", file, line);
    }
    lull_str_addf(c->out, "%s%s%s\n", name, *more != '\0' ? "  " : "", more);
    if (c->json != NULL) {
        lull_json_open(c->json, '{');
        lull_json_put_str(c->json, "name", name);
        lull_json_put_str(c->json, "file", file != NULL ? file : "");
        lull_json_put_u64(c->json, "line", line);
        lull_json_put_str(c->json, "what", more);
        lull_json_close(c->json, '}');
    }
}

/* Has an earlier unit, or an earlier inlined call, this function, too? */
static const struct lull_symscope *function_named(const struct lull_symscope *scope,
                                                  const char *name)
{
    for (; scope != NULL; scope = scope->next) {
        if (scope->kind == LULL_SYMSCOPE_FUNCTION && scope->name != NULL &&
            strcmp(scope->name, name) == 0) {
            return scope;
        }
        const struct lull_symscope *in =
            scope->kind == LULL_SYMSCOPE_UNIT ? function_named(scope->children, name) : NULL;
        if (in != NULL) {
            return in;
        }
    }
    return NULL;
}

static void function_rows(struct names *l, const struct lull_symscope *scope)
{
    for (; scope != NULL; scope = scope->next) {
        if (scope->kind == LULL_SYMSCOPE_UNIT) {
            function_rows(l, scope->children);
        } else if (scope->kind == LULL_SYMSCOPE_FUNCTION && is_meant(l, scope->name)) {
            row(l, scope->name, lull_path_from_here(scope->file), scope->line, "");
        }
    }
}

struct lull_error *lull_cmd_info_functions(struct lull_cmd *c)
{
    struct names l;
    const struct lull_symbols *s = lull_debug_symbols(c->d);
    struct lull_error *err = begin(&l, c, "functions");
    if (err != NULL) {
        return err;
    }
    if (s != NULL) {
        function_rows(&l, s->units);
    }
    for (size_t i = 0; c->d->image != NULL && i < lull_image_nsymbols(c->d->image); i++) {
        const struct lull_symbol *sym = lull_image_symbol(c->d->image, i);
        if (sym->is_code && is_meant(&l, sym->name) &&
            (s == NULL || function_named(s->units, sym->name) == NULL)) {
            row(&l, sym->name, NULL, 0, "no debug information");
        }
    }
    return end(&l);
}

struct lull_error *lull_cmd_info_types(struct lull_cmd *c)
{
    struct names l;
    const struct lull_symbols *s = lull_debug_symbols(c->d);
    struct lull_error *err = begin(&l, c, "types");
    for (size_t i = 0; err == NULL && s != NULL && i < s->ntypes; i++) {
        lull_cleanup(lull_str_free) struct lull_str text = {0};
        if (is_meant(&l, s->types[i]->name)) {
            lull_symtype_name(s->types[i], &text);
            row(&l, lull_str_text(&text), NULL, 0, "");
        }
    }
    return err != NULL ? err : end(&l);
}

struct lull_error *lull_cmd_info_variables(struct lull_cmd *c)
{
    struct names l;
    const struct lull_symbols *s = lull_debug_symbols(c->d);
    struct lull_error *err = begin(&l, c, "variables");
    if (err != NULL) {
        return err;
    }
    for (const struct lull_symscope *u = s != NULL ? s->units : NULL; u != NULL; u = u->next) {
        for (const struct lull_symvar *v = u->first; v != NULL; v = v->next) {
            lull_cleanup(lull_str_free) struct lull_str type = {0};
            if (is_meant(&l, v->name)) {
                lull_symtype_name(v->type, &type);
                row(&l, v->name, lull_path_from_here(v->file), v->line, lull_str_text(&type));
            }
        }
    }
    return end(&l);
}

/* Where it is kept, for the focused wave. */
LULL_MUST_USE static struct lull_error *address_of_variable(struct lull_cmd *c,
                                                            const struct lull_symvar *v)
{
    struct lull_location at = {0};
    struct lull_typed_value value = {0};
    bool memory = false;
    if (v->beside) { // its registers are said with its values
        return lull_debug_print_beside(c, &memory);
    }
    if (v->constant) {
        lull_str_addf(c->out, "'%s' is a constant, 0x%" PRIx64 "\n", c->args, v->value);
        return NULL;
    }
    struct lull_error *err = lull_debug_locate_variable(c->d, v, false, &memory, &at);
    err = err != NULL || memory ? err : lull_debug_evaluate(c->d, c->args, &value);
    if (err != NULL) {
        return err;
    }
    lull_str_addf(c->out, "'%s' is a variable ", c->args);
    if (!memory || at.held != NULL) {
        const bool named = !memory && value.place.kind == LULL_PLACE_REGISTER;
        lull_str_addf(c->out, named ? "in register $%s\n" : "in registers\n", value.place.name);
        return NULL;
    }
    lull_str_addf(c->out,
                  at.scratch ? "in scratch memory of each lane, at byte 0x%" PRIx64 "\n"
                  : at.lds   ? "in LDS at 0x%" PRIx64 "\n"
                             : "in memory at 0x%" PRIx64 "\n",
                  at.address[0]);
    if (c->json != NULL) {
        lull_json_put_str(c->json, "space", at.scratch ? "scratch" : at.lds ? "lds" : "memory");
        lull_json_put_hex(c->json, "address", at.address[0]);
    }
    return NULL;
}

struct lull_error *lull_cmd_info_address(struct lull_cmd *c)
{
    uint64_t va = 0;
    if (*c->args == '\0') {
        return lull_error_new(LULL_ERR_INVALID, "the address of what? A variable or a symbol");
    }
    const struct lull_symvar *v = lull_debug_find_variable(c->d, c->args);
    if (v != NULL) {
        return address_of_variable(c, v);
    }
    if (!lull_debug_find_symbol(c->d, c->args, &va)) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "no symbol '%s' here", c->args);
    }
    lull_cleanup(lull_str_free) struct lull_str symbol = {0};
    lull_debug_show_symbol(c->d, va, &symbol);
    lull_str_addf(c->out, "'%s' is %s at address 0x%012" PRIx64 "\n", c->args,
                  symbol.size != 0 ? "code" : "a buffer", va);
    if (c->json != NULL) {
        lull_json_put_hex(c->json, "address", va);
    }
    return NULL;
}

struct lull_error *lull_cmd_info_frame(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    struct lull_debug_wave *w = NULL;
    struct lull_frame frames[LULL_MAX_FRAMES];
    unsigned n = 0;
    bool more = false;
    struct lull_error *err = lull_debug_focused(d, &w);
    err = err != NULL ? err : lull_debug_frames(d, w, frames, &n, &more);
    if (err != NULL) {
        return err;
    }
    uint64_t asked = d->frame < n ? d->frame : 0;
    const char *text = c->args;
    (void)lull_cmd_word(&text, "level");
    err = *text != '\0' ? lull_cmd_count(text, 0, n - 1, &asked) : NULL;
    if (err != NULL) {
        return err;
    }
    const unsigned at = (unsigned)asked;
    const struct lull_frame *f = &frames[at];
    lull_cleanup(lull_str_free) struct lull_str symbol = {0};
    lull_debug_show_symbol(d, f->va, &symbol);
    lull_str_addf(c->out, "Frame %u of wave %u: 0x%012" PRIx64 " %s\n", at, w->number, f->va,
                  f->inlined != NULL ? f->inlined : lull_str_text(&symbol));
    if (f->line.line != 0) {
        lull_str_addf(c->out, " source  %s:%" PRIu32 "\n", f->line.file, f->line.line);
    }
    if (f->inlined != NULL) {
        lull_str_addf(c->out, " inlined into frame %u\n", at + 1);
    }
    if (at + 1 < n) {
        lull_str_addf(c->out, " caller  0x%012" PRIx64 "\n", frames[at + 1].va);
    } else {
        lull_str_addf(c->out, " caller  %s\n", more ? "not known" : "none: the kernel begins here");
    }
    if (c->json != NULL) {
        lull_json_put_u64(c->json, "frame", at);
        lull_json_put_hex(c->json, "pc", f->va);
        lull_json_put_u64(c->json, "frames", n);
    }
    return NULL;
}
