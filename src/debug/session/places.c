// SPDX-License-Identifier: MIT
/* The places of breakpoints: a line or a function that was inlined or unrolled has several. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/symbols.h"

static bool same_place(uint64_t a, uint64_t b)
{
    return ((a ^ b) & 0xffffffffffff) == 0;
}

bool lull_debug_has_place(const struct lull_breakpoint *b, uint64_t va)
{
    bool at = same_place(b->va, va) && !b->first_off;
    for (size_t i = 0; !at && i < b->nmore; i++) {
        at = same_place(b->more[i].va, va) && !b->more[i].off;
    }
    return at && b->number != 0 && b->kind == LULL_BREAK_CODE;
}

bool lull_debug_is_at(const struct lull_breakpoint *b, uint64_t va)
{
    return lull_debug_has_place(b, va) && b->enabled && !b->agent;
}

static const struct lull_break_place *other_place(const struct lull_breakpoint *b, uint64_t va)
{
    for (size_t i = 0; i < b->nmore && !same_place(b->va, va); i++) {
        if (same_place(b->more[i].va, va)) {
            return &b->more[i];
        }
    }
    return NULL;
}

const struct lull_expr *lull_debug_test_at(const struct lull_breakpoint *b, uint64_t va)
{
    const struct lull_break_place *p = other_place(b, va);
    return p != NULL ? p->test : b->test;
}

const struct lull_dprintf *lull_debug_print_at(const struct lull_breakpoint *b, uint64_t va)
{
    const struct lull_break_place *p = other_place(b, va);
    return p != NULL && p->print != NULL ? p->print : b->print;
}

bool lull_debug_break_place(const struct lull_breakpoint *b, size_t i, uint64_t *ret_va,
                            bool *ret_on)
{
    if (i > b->nmore) {
        return false;
    }
    *ret_va = i == 0 ? b->va : b->more[i - 1].va;
    *ret_on = i == 0 ? !b->first_off : !b->more[i - 1].off;
    return true;
}

/* The function, or the call that was inlined, that code belongs to; NULL: not known. */
static const struct lull_symscope *call_at(struct lull_debug *d, uint64_t offset)
{
    const struct lull_symbols *s = lull_debug_symbols(d);
    const struct lull_symscope *at = s != NULL ? lull_symbols_scope_at(s, offset) : NULL;
    while (at != NULL && at->kind == LULL_SYMSCOPE_BLOCK) {
        at = at->parent;
    }
    return at;
}

/* Does every variable have one place for all of the code? So it is at -O0, where a line has been
 * copied nowhere. */
static bool is_plain(const struct lull_symscope *scope)
{
    const struct lull_symscope *f = lull_symscope_function(scope);
    bool plain = f != NULL && f->frame_base.n != 0 && scope == f;
    for (const struct lull_symvar *v = f != NULL ? f->first : NULL; plain && v != NULL;
         v = v->next) {
        plain = v->constant || (v->nplaces == 1 && v->places[0].range.high == UINT64_MAX);
    }
    return plain;
}

/* Behind the prologue, if that begins here. */
static uint64_t behind_prologue(const struct lull_debug *d, const struct lull_symscope *scope,
                                uint64_t offset)
{
    const bool first = scope != NULL && scope->kind == LULL_SYMSCOPE_FUNCTION &&
                       scope->nranges != 0 && scope->ranges[0].low == offset;
    return first ? lull_debug_behind_prologue(d, offset, scope->ranges[0].high) : offset;
}

/* In each function and each inlined call the first run counts and, in optimised code, what has a
 * column of that again: a copy. What has not is a part of the same that was moved. */
static bool is_place(const struct lull_line_run *runs, const struct lull_symscope *const *calls,
                     size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (calls[k] == calls[i]) {
            return !is_plain(calls[i]) && (runs[k].columns & runs[i].columns) != 0;
        }
    }
    return true;
}

struct list {
    uint64_t *to;
    size_t n, room;
    bool no_memory;
};

static void add(struct list *l, uint64_t va)
{
    for (size_t i = 0; i < l->n; i++) {
        if (same_place(l->to[i], va)) {
            return;
        }
    }
    if (l->n == l->room) {
        const size_t room = l->room == 0 ? 16 : 2 * l->room;
        uint64_t *to = reallocarray(l->to, room, sizeof *to);
        l->no_memory = l->no_memory || to == NULL;
        l->to = to != NULL ? to : l->to;
        l->room = to != NULL ? room : l->room;
    }
    if (l->n < l->room) {
        l->to[l->n++] = va;
    }
}

/* Those of @p n runs that are places of their own. */
LULL_MUST_USE static struct lull_error *run_places(struct lull_debug *d,
                                                   const struct lull_line_run *runs, size_t n,
                                                   struct list *l)
{
    const struct lull_symscope **calls = calloc(n + 1, sizeof *calls);
    for (size_t i = 0; calls != NULL && i < n; i++) {
        calls[i] = call_at(d, runs[i].offset);
        if (is_place(runs, calls, i)) {
            add(l, d->image_va + behind_prologue(d, calls[i], runs[i].offset));
        }
    }
    free((void *)calls);
    return calls == NULL ? &lull_enomem : NULL;
}

LULL_MUST_USE static struct lull_error *line_places(struct lull_debug *d, const char *text,
                                                    struct list *l)
{
    char file[4096];
    uint32_t line = 0;
    const char *colon = strrchr(text, ':');
    struct lull_error *err = lull_debug_line_number(text, &line);
    if (err != NULL || (colon != NULL && (size_t)(colon - text) >= sizeof file)) {
        return err;
    }
    memcpy(file, text, colon != NULL ? (size_t)(colon - text) : 0);
    file[colon != NULL ? colon - text : 0] = '\0';
    const char *in = colon != NULL ? file : NULL;
    const size_t room = lull_image_line_runs(d->image, in, line, NULL, 0);
    struct lull_line_run *runs = calloc(room + 1, sizeof *runs);
    if (runs == NULL) {
        return &lull_enomem;
    }
    const size_t n = lull_image_line_runs(d->image, in, line, runs, room);
    err = run_places(d, runs, n < room ? n : room, l);
    free(runs);
    return err;
}

/* Where calls of function @p name were inlined, in @p scope and what is in it. */
static void inlined_places(const struct lull_debug *d, const struct lull_symscope *scope,
                           const char *name, struct list *l)
{
    for (; scope != NULL; scope = scope->next) {
        if (scope->kind == LULL_SYMSCOPE_INLINED && scope->name != NULL &&
            strcmp(scope->name, name) == 0 && scope->nranges != 0) {
            uint64_t low = scope->ranges[0].low;
            for (size_t i = 1; i < scope->nranges; i++) {
                low = scope->ranges[i].low < low ? scope->ranges[i].low : low;
            }
            add(l, d->image_va + low);
        }
        inlined_places(d, scope->children, name, l);
    }
}

LULL_MUST_USE static struct lull_error *places_of(struct lull_debug *d, const char *text,
                                                  uint64_t **ret, size_t *ret_n)
{
    struct list l = {0};
    const struct lull_symbols *s = lull_debug_symbols(d);
    struct lull_error *err = NULL;
    if (lull_debug_is_line(text)) {
        err = d->image != NULL ? line_places(d, text, &l) : NULL;
    } else if (lull_debug_is_function(d, text) && s != NULL) {
        inlined_places(d, s->units, text, &l);
    }
    uint64_t first = 0;
    err = err != NULL ? err : lull_debug_stop_location(d, text, &first);
    if (err != NULL && l.n != 0 && !lull_debug_is_line(text)) { // a function that was inlined only
        lull_error_free(err);
        err = NULL;
    } else if (err == NULL && !(lull_debug_is_line(text) && l.n != 0)) {
        // The function itself comes first.
        uint64_t *to = calloc(l.n + 1, sizeof *to);
        if (to != NULL) {
            to[0] = first;
        }
        if (to != NULL && l.n > 0) {
            memcpy(to + 1, l.to, l.n * sizeof *to);
        }
        l.no_memory = l.no_memory || to == NULL;
        free(l.to);
        l.to = to;
        l.n++;
    }
    err = err == NULL && l.no_memory ? &lull_enomem : err;
    if (err != NULL) {
        free(l.to);
        return err;
    }
    *ret = l.to;
    *ret_n = l.n;
    return NULL;
}

struct lull_error *lull_debug_stop_places(struct lull_debug *d, const char *text, uint64_t **ret,
                                          size_t *ret_n)
{
    lull_cleanup(lull_freep) char *place = NULL;
    struct lull_error *err = lull_debug_plain_place(d, text, &place);
    return err != NULL ? err : places_of(d, place, ret, ret_n);
}
