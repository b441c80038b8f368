// SPDX-License-Identifier: MIT
// An ELF image with DWARF: its scopes, variables and types are read, every type is shown, and every
// place is worked out for registers and memory that give any number.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "symbols/show.h"
#include "symbols/symbols.h"

static struct lull_error *read_register(void *ctx, unsigned number, unsigned lane, uint64_t *ret)
{
    (void)ctx;
    *ret = number * 16u + lane;
    return NULL;
}

static struct lull_error *read_memory(void *ctx, enum lull_locspace space, unsigned lane,
                                      uint64_t address, void *buf, size_t size)
{
    (void)ctx;
    (void)lane;
    if (size > 8 || space > LULL_LOCSPACE_LOCAL) {
        abort();
    }
    memset(buf, (int)(address & 0xff), size);
    return NULL;
}

static void find(const struct lull_locexpr *expr, const struct lull_locexpr *base)
{
    const struct lull_locenv env = {
        .read_register = read_register, .read_memory = read_memory, .frame_base = base};
    struct lull_locplace place = {0};
    struct lull_error *err = lull_location_find(expr, &env, &place);
    if (err == NULL && (place.n == 0 || place.n > LULL_LOC_PIECES)) {
        abort();
    }
    lull_error_free(err);
}

static void show(const struct lull_symtype *t)
{
    struct lull_str out = {0};
    uint64_t offset = 0;
    lull_symtype_name(t, &out);
    lull_symtype_show(t, &out);
    (void)lull_symtype_member(t, "x", 1, &offset);
    (void)lull_symtype_component(t, "s1", 2);
    lull_str_free(&out);
}

static void look_at(const struct lull_symscope *scope, unsigned depth)
{
    for (const struct lull_symvar *v = scope->first; v != NULL; v = v->next) {
        const struct lull_symscope *f = lull_symscope_function(scope);
        show(v->type);
        for (size_t i = 0; i < v->nplaces; i++) {
            find(&v->places[i].expr, f != NULL ? &f->frame_base : NULL);
        }
        if (depth < 64 && lull_symscope_find(scope, v->name) == NULL) {
            abort();
        }
    }
    for (const struct lull_symscope *s = scope->children; s != NULL; s = s->next) {
        look_at(s, depth + 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_symbols *s = NULL;
    struct lull_error *err = lull_symbols_read(data, size, &s);
    if (err != NULL) {
        lull_error_free(err);
        return 0;
    }
    for (const struct lull_symscope *u = s->units; u != NULL; u = u->next) {
        look_at(u, 0);
    }
    for (size_t i = 0; i < s->ntypes; i++) {
        show(s->types[i]);
    }
    for (uint64_t at = 0; at < 0x4000; at += 64) {
        (void)lull_symbols_scope_at(s, at);
    }
    lull_symbols_free(s);
    return 0;
}
