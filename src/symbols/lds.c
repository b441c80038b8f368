// SPDX-License-Identifier: MIT
// LLVM 19 puts the LDS variables of a kernel into one struct (amdgpu-lower-module-lds) and leaves
// DWARF behind that says of each that it is at 0. The struct's order follows from names, sizes and
// alignments; the kernel's LDS size says whether all of them are in it.
// Source: LLVM 19, AMDGPULowerModuleLDSPass (alignments, sorting by name), OptimizedStructLayout
// (alignment falls, then size).
#include <dwarf.h>
#include <string.h>

#include "symbols/show.h"
#include "symbols/symbols.h"

enum { MAX_VARIABLES = 64, MAX_DEPTH = 32 };

struct field {
    const struct lull_symvar *v;
    uint64_t size, align;
};

struct fields {
    struct field at[MAX_VARIABLES];
    size_t n;
    bool good;
};

/* Said to be at 0 of clang's address space for LDS. */
static bool is_forgotten(const struct lull_symvar *v)
{
    const struct lull_locexpr *e = v->nplaces == 1 ? &v->places[0].expr : NULL;
    return e != NULL && e->n == 4 && (e->ops[0].op == DW_OP_addrx || e->ops[0].op == DW_OP_addr) &&
           e->ops[0].a == 0 && e->ops[1].op == DW_OP_lit0 + LULL_LOCSPACE_LOCAL &&
           e->ops[3].op == DW_OP_xderef;
}

static uint64_t natural_align(const struct lull_symtype *t, unsigned depth)
{
    uint64_t most = 1;
    t = lull_symtype_plain(t);
    if (t->kind == LULL_SYMTYPE_ARRAY && depth < MAX_DEPTH) {
        return natural_align(t->of, depth + 1);
    }
    if (t->kind != LULL_SYMTYPE_STRUCT && t->kind != LULL_SYMTYPE_UNION) {
        return t->size;
    }
    for (size_t i = 0; i < t->nmembers && depth < MAX_DEPTH; i++) {
        const uint64_t align = natural_align(t->members[i].type, depth + 1);
        most = align > most ? align : most;
    }
    return most;
}

static uint64_t align_of(const struct lull_symtype *t)
{
    const uint64_t size = t->size;
    const uint64_t wide = size > 8 ? 16 : size > 4 ? 8 : size > 2 ? 4 : size > 1 ? 2 : 1;
    const uint64_t own = natural_align(t, 0);
    return own > wide ? own : wide;
}

static bool stands_before(const struct field *a, const struct field *b)
{
    return a->align != b->align ? a->align > b->align
           : a->size != b->size ? a->size > b->size
                                : strcmp(a->v->name, b->v->name) < 0;
}

static void insert(struct fields *f, const struct lull_symvar *v)
{
    const struct field new = {.v = v, .size = v->type->size, .align = align_of(v->type)};
    size_t i = f->n;
    f->good = f->good && f->n < MAX_VARIABLES && new.size != 0;
    if (!f->good) {
        return;
    }
    for (size_t k = 0; k < f->n; k++) {
        f->good = f->good && strcmp(f->at[k].v->name, v->name) != 0;
    }
    for (; i > 0 && stands_before(&new, &f->at[i - 1]); i--) {
        f->at[i] = f->at[i - 1];
    }
    f->at[i] = new;
    f->n++;
}

static void collect(struct fields *f, const struct lull_symscope *scope, unsigned depth)
{
    for (const struct lull_symvar *v = scope->first; v != NULL; v = v->next) {
        if (is_forgotten(v)) {
            insert(f, v);
        }
    }
    for (const struct lull_symscope *s = scope->children; s != NULL && depth < MAX_DEPTH;
         s = s->next) {
        collect(f, s, depth + 1);
    }
}

/* Is one of those from @p i on as small as a gap in front of it? */
static bool fits(const struct fields *f, size_t i, uint64_t gap)
{
    bool any = false;
    for (; i < f->n; i++) {
        any = any || f->at[i].size <= gap;
    }
    return any;
}

bool lull_symvar_local(const struct lull_symvar *v, uint64_t lds_bytes, bool *ret_known,
                       uint64_t *ret_offset)
{
    const struct lull_symscope *function = lull_symscope_function(v->scope);
    struct fields f = {.good = function != NULL};
    uint64_t at = 0;
    uint64_t most = 1; // alignment of the struct
    *ret_known = false;
    if (!is_forgotten(v)) {
        return false;
    }
    if (f.good) {
        collect(&f, function, 0);
    }
    for (size_t i = 0; i < f.n; i++) {
        const uint64_t own = natural_align(f.at[i].v->type, 0);
        const uint64_t gap = (f.at[i].align - at % f.at[i].align) % f.at[i].align;
        f.good = f.good && !fits(&f, i, gap); // else LLVM moves another into the gap
        at += gap;
        *ret_offset = f.at[i].v == v ? at : *ret_offset;
        at += f.at[i].size;
        most = own > most ? own : most;
    }
    *ret_known = f.good && (at + most - 1) / most * most == lds_bytes;
    return true;
}

static void tell_all(const struct lull_symscope *scope, uint64_t lds_bytes, unsigned depth,
                     void (*tell)(void *ctx, const struct lull_symvar *v, uint64_t offset),
                     void *ctx)
{
    for (const struct lull_symvar *v = scope->first; v != NULL; v = v->next) {
        bool known = false;
        uint64_t offset = 0;
        if (lull_symvar_local(v, lds_bytes, &known, &offset) && known) {
            tell(ctx, v, offset);
        }
    }
    for (const struct lull_symscope *s = scope->children; s != NULL && depth < MAX_DEPTH;
         s = s->next) {
        tell_all(s, lds_bytes, depth + 1, tell, ctx);
    }
}

void lull_symbols_local(const struct lull_symscope *function, uint64_t lds_bytes,
                        void (*tell)(void *ctx, const struct lull_symvar *v, uint64_t offset),
                        void *ctx)
{
    tell_all(function, lds_bytes, 0, tell, ctx);
}
