// SPDX-License-Identifier: MIT
// Scopes by address, variables by name.
#include <string.h>

#include "symbols/symbols.h"

bool lull_symscope_covers(const struct lull_symscope *scope, uint64_t offset)
{
    for (size_t i = 0; i < scope->nranges; i++) {
        if (offset >= scope->ranges[i].low && offset < scope->ranges[i].high) {
            return true;
        }
    }
    return false;
}

static const struct lull_symscope *child_at(const struct lull_symscope *first, uint64_t offset)
{
    while (first != NULL && !lull_symscope_covers(first, offset)) {
        first = first->next;
    }
    return first;
}

const struct lull_symscope *lull_symbols_scope_at(const struct lull_symbols *s, uint64_t offset)
{
    const struct lull_symscope *found = NULL;
    for (const struct lull_symscope *u = s->units; u != NULL && found == NULL; u = u->next) {
        const struct lull_symscope *at = child_at(u->children, offset);
        for (; at != NULL; at = child_at(at->children, offset)) {
            found = at;
        }
    }
    return found;
}

/* Behind "struct " and the like, which @p kind is then. */
static const char *behind_keyword(const char *name, enum lull_symtype_kind *kind)
{
    static const struct {
        const char *word;
        enum lull_symtype_kind kind;
    } words[] = {{"struct ", LULL_SYMTYPE_STRUCT},
                 {"union ", LULL_SYMTYPE_UNION},
                 {"enum ", LULL_SYMTYPE_ENUM}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strncmp(name, words[i].word, strlen(words[i].word)) == 0) {
            *kind = words[i].kind;
            return name + strlen(words[i].word);
        }
    }
    return name;
}

const struct lull_symtype *lull_symbols_type(const struct lull_symbols *s, const char *name)
{
    enum lull_symtype_kind kind = LULL_SYMTYPE_VOID;
    const struct lull_symtype *found = NULL;
    name = behind_keyword(name, &kind);
    for (size_t i = 0; i < s->ntypes; i++) {
        const struct lull_symtype *t = s->types[i];
        const bool tagged = t->kind == LULL_SYMTYPE_STRUCT || t->kind == LULL_SYMTYPE_UNION ||
                            t->kind == LULL_SYMTYPE_ENUM;
        if (strcmp(t->name, name) == 0 && (tagged ? kind == t->kind : kind == LULL_SYMTYPE_VOID)) {
            found = t;
        }
    }
    return found;
}

/* Around the call of an inlined function: what surrounds it is not its own, but the file's is, and
 * so are a shader's variables, which are in the frame of its entry point. */
static const struct lull_symvar *find_global(const struct lull_symscope *s, const char *name)
{
    const struct lull_symvar *found = NULL;
    for (; s != NULL && found == NULL; s = s->parent) {
        for (const struct lull_symvar *v = s->first; v != NULL; v = v->next) {
            const bool own = v->global || s->kind == LULL_SYMSCOPE_UNIT;
            found = own && strcmp(v->name, name) == 0 ? v : found;
        }
    }
    return found;
}

const struct lull_symvar *lull_symscope_find(const struct lull_symscope *scope, const char *name)
{
    for (const struct lull_symscope *s = scope; s != NULL; s = s->parent) {
        const struct lull_symvar *found = NULL;
        for (const struct lull_symvar *v = s->first; v != NULL; v = v->next) {
            found = strcmp(v->name, name) == 0 ? v : found;
        }
        if (found != NULL) {
            return found;
        }
        if (s->kind == LULL_SYMSCOPE_INLINED) {
            return find_global(s->parent, name);
        }
    }
    return NULL;
}

const struct lull_symscope *lull_symscope_function(const struct lull_symscope *scope)
{
    while (scope != NULL && scope->kind != LULL_SYMSCOPE_FUNCTION) {
        scope = scope->parent;
    }
    return scope;
}

const struct lull_symplace *lull_symvar_place(const struct lull_symvar *v, uint64_t offset)
{
    for (size_t i = 0; i < v->nplaces; i++) {
        if (offset >= v->places[i].range.low && offset < v->places[i].range.high) {
            return &v->places[i];
        }
    }
    return NULL;
}

const struct lull_symvar *lull_symbols_constant(const struct lull_symbols *s, const char *name)
{
    const struct lull_symvar *v = s->constants;
    while (v != NULL && strcmp(v->name, name) != 0) {
        v = v->next;
    }
    return v;
}

/* Is @p file, @p size characters, the end of @p path, from a folder on? */
static bool ends_with(const char *path, const char *file, size_t size)
{
    const size_t n = path != NULL ? strlen(path) : 0;
    return n >= size && size != 0 && strncmp(path + n - size, file, size) == 0 &&
           (n == size || path[n - size - 1] == '/');
}

static const struct lull_symscope *function_in(const struct lull_symscope *first, const char *file,
                                               const char *name, size_t size)
{
    const struct lull_symscope *found = NULL;
    for (const struct lull_symscope *f = first; f != NULL && found == NULL; f = f->next) {
        const bool is = f->kind == LULL_SYMSCOPE_FUNCTION && f->name != NULL &&
                        strlen(f->name) == size && strncmp(f->name, name, size) == 0;
        const bool here = file == NULL || ends_with(f->file, file, strlen(file));
        found = is && here ? f : NULL;
    }
    return found;
}

const struct lull_symscope *lull_symbols_function(const struct lull_symbols *s, const char *file,
                                                  const char *name)
{
    const struct lull_symscope *found = NULL;
    for (const struct lull_symscope *u = s->units; u != NULL && found == NULL; u = u->next) {
        found = function_in(u->children, file, name, strlen(name));
    }
    return found;
}

/* In a scope and what is in it. */
static const struct lull_symvar *find_in(const struct lull_symscope *scope, const char *name)
{
    const struct lull_symvar *found = NULL;
    for (const struct lull_symvar *v = scope->first; v != NULL; v = v->next) {
        found = strcmp(v->name, name) == 0 ? v : found;
    }
    for (const struct lull_symscope *c = scope->children; c != NULL && found == NULL; c = c->next) {
        found = c->kind == LULL_SYMSCOPE_BLOCK ? find_in(c, name) : NULL;
    }
    return found;
}

const struct lull_symvar *lull_symbols_qualified(const struct lull_symbols *s, const char *name)
{
    const char *colons = strstr(name, "::");
    const struct lull_symvar *found = NULL;
    const size_t size = colons != NULL ? (size_t)(colons - name) : 0;
    for (const struct lull_symscope *u = s->units; u != NULL && size != 0 && found == NULL;
         u = u->next) {
        const struct lull_symscope *f = function_in(u->children, NULL, name, size);
        found = f != NULL ? find_in(f, colons + 2) : NULL;
        for (const struct lull_symvar *v = u->first; v != NULL && found == NULL; v = v->next) {
            const bool is = ends_with(v->file, name, size) && strcmp(v->name, colons + 2) == 0;
            found = is ? v : NULL;
        }
    }
    return found;
}
