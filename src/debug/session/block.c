// SPDX-License-Identifier: MIT
#include "debug/session/block.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/bindings.h"
#include "debug/session/block_types.h"
#include "debug/session/engine.h"
#include "debug/session/names.h"
#include "file/spirv.h"
#include "symbols/show.h"

enum { MAX_WRITTEN = 4096, MAX_ELEMENTS = 64, MAX_MODULES = 8 };

/* A variable that was asked for. */
struct block {
    struct lull_symvar var;
    const struct lull_spirv *spirv; ///< Whose it is.
    uint32_t set, binding;
    bool push;
    uint64_t offset; ///< Of the member that it is, in the block.
    uint64_t bytes;  ///< Of the buffer when it was made.
    struct block *next;
};

struct lull_debug_blocks {
    struct lull_arena arena; ///< Types and variables. Expressions and printed values have them.
    struct block *first;
};

/* What is looked at: its modules, in the order in which names are looked for. */
struct seen {
    struct lull_dispatch_names names;
    const struct lull_spirv *spirv[MAX_MODULES];
    size_t n;
};

/* Modules of a draw's stages: that of the focused wave in front. */
static void stages_of(const struct lull_debug_wave *w, struct seen *s)
{
    const struct lull_names_pipeline *p =
        s->names.record != NULL ? s->names.record->pipeline : NULL;
    const bool last =
        w != NULL && (w->info.stage == LULL_STAGE_PIXEL || w->info.stage == LULL_STAGE_FRAGMENT);
    for (size_t i = 0; p != NULL && i < p->nstages && s->n < MAX_MODULES; i++) {
        const struct lull_names_stage *stage = &p->stages[last ? p->nstages - 1 - i : i];
        const struct lull_spirv *m =
            stage->shader != NULL ? lull_names_spirv(s->names.names, stage->shader) : NULL;
        s->spirv[s->n] = m;
        s->n += m != NULL;
    }
}

static void look(struct lull_debug *d, struct seen *ret)
{
    const struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    const bool wave = w != NULL && w->stopped;
    *ret = (struct seen){.n = 0};
    if (!lull_debug_is_program(d)) {
        return;
    }
    if (d->has_draw && (wave ? w->info.of_draw : d->at_draw)) {
        lull_debug_names_of_draw(d, &d->draw, &ret->names);
        stages_of(wave ? w : NULL, ret);
    } else if (d->has_dispatch) {
        lull_debug_names_of(d, &d->dispatch, &ret->names);
        ret->spirv[0] = ret->names.spirv;
        ret->n = ret->names.record != NULL && ret->names.spirv != NULL;
    }
}

static bool is_dispatch(struct lull_debug *d)
{
    const struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    return d->has_dispatch &&
           !(d->has_draw && (w != NULL && w->stopped ? w->info.of_draw : d->at_draw));
}

/* Where a binding's buffer is: as the code reaches it, else as the program wrote it. */
static bool buffer_of(struct lull_debug *d, const struct seen *s, uint32_t set, uint32_t binding,
                      uint32_t element, uint64_t *ret_va, uint64_t *ret_bytes)
{
    if (is_dispatch(d) && lull_debug_binding_at(d, set, binding, element, ret_va, ret_bytes)) {
        return true;
    }
    lull_cleanup(lull_freep) struct lull_names_descriptor *all = calloc(MAX_WRITTEN, sizeof *all);
    const size_t n = all != NULL ? lull_names_descriptors(s->names.record, all, MAX_WRITTEN) : 0;
    for (size_t i = 0; i < n; i++) {
        const struct lull_names_object *o = all[i].object;
        if (all[i].set == set && all[i].binding == binding && all[i].element == element &&
            o != NULL && o->kind == LULL_NAMES_BUFFER && o->place != 0) {
            *ret_va = (uint64_t)((int64_t)((o->place + all[i].offset) << 16) >> 16);
            *ret_bytes = all[i].range;
            return true;
        }
    }
    return false;
}

static struct lull_debug_blocks *blocks_of(struct lull_debug *d)
{
    d->blocks = d->blocks != NULL ? d->blocks : calloc(1, sizeof *d->blocks);
    return d->blocks;
}

/* As many structs as descriptors, wherever each buffer is: members say where. */
static const struct lull_symtype *many(struct lull_debug *d, const struct seen *s,
                                       const struct lull_spirv_binding *b,
                                       const struct lull_symtype *of)
{
    const size_t n = b->count < MAX_ELEMENTS && b->count != 0 ? b->count : MAX_ELEMENTS;
    struct lull_arena *arena = &d->blocks->arena;
    struct lull_symtype *t = lull_arena_calloc(arena, 1, sizeof *t);
    struct lull_symmember *at = lull_arena_calloc(arena, n, sizeof *at);
    uint64_t first = 0, bytes = 0;
    if (t == NULL || at == NULL) {
        return NULL;
    }
    *t = (struct lull_symtype){
        .kind = LULL_SYMTYPE_ARRAY, .name = "", .of = of, .stride = of->size, .members = at};
    for (size_t i = 0; i < n; i++) {
        uint64_t va = 0;
        if (!buffer_of(d, s, b->set, b->binding, (uint32_t)i, &va, &bytes)) {
            break;
        }
        first = i == 0 ? va : first;
        at[i] = (struct lull_symmember){.name = "", .type = of, .offset = va - first};
        t->nmembers = i + 1;
    }
    t->count = t->nmembers;
    return t->nmembers != 0 ? t : NULL;
}

/* A variable of this kind that was made before, or a new one. */
static const struct lull_symvar *keep(struct lull_debug *d, const struct block *what,
                                      const char *name, const struct lull_symtype *type)
{
    const size_t n = strlen(name) + 1;
    struct block *b = lull_arena_calloc(&d->blocks->arena, 1, sizeof *b);
    char *copy = lull_arena_calloc(&d->blocks->arena, n, 1);
    if (b == NULL || copy == NULL || type == NULL) {
        return NULL;
    }
    *b = *what;
    memcpy(copy, name, n);
    b->var = (struct lull_symvar){.name = copy, .type = type, .file = "", .block = true};
    b->next = d->blocks->first;
    d->blocks->first = b;
    return &b->var;
}

static const struct lull_symvar *made_before(const struct lull_debug_blocks *b,
                                             const struct block *what, const char *name)
{
    for (const struct block *i = b->first; i != NULL; i = i->next) {
        if (i->spirv == what->spirv && i->set == what->set && i->binding == what->binding &&
            i->push == what->push && i->bytes == what->bytes && strcmp(i->var.name, name) == 0) {
            return &i->var;
        }
    }
    return NULL;
}

/* The variable @p name: the block, or its member @p m. */
static const struct lull_symvar *make(struct lull_debug *d, const struct seen *s,
                                      struct block *what, const struct lull_spirv_type *t,
                                      const struct lull_spirv_binding *b, const char *member,
                                      const char *name)
{
    const struct lull_symvar *found =
        b == NULL || b->count == 1 ? made_before(d->blocks, what, name) : NULL;
    if (found != NULL) {
        return found;
    }
    struct lull_block_types to = {.arena = &d->blocks->arena,
                                  .pipeline = s->names.record->pipeline};
    const struct lull_symtype *type = lull_block_type(&to, t, what->bytes);
    if (type != NULL && member != NULL) {
        const struct lull_symmember *m =
            lull_symtype_member(type, member, strlen(member), &what->offset);
        type = m != NULL ? m->type : NULL;
    } else if (type != NULL && b != NULL && b->count != 1) {
        type = many(d, s, b, type);
    }
    return type != NULL ? keep(d, what, name, type) : NULL;
}

static const struct lull_symvar *make_binding(struct lull_debug *d, const struct seen *s,
                                              size_t module, const struct lull_spirv_binding *b,
                                              const char *member, const char *name)
{
    struct block what = {.spirv = s->spirv[module], .set = b->set, .binding = b->binding};
    uint64_t va = 0;
    return buffer_of(d, s, b->set, b->binding, 0, &va, &what.bytes)
               ? make(d, s, &what, b->type, b, member, name)
               : NULL;
}

static bool has_member(const struct lull_spirv_type *t, const char *name)
{
    for (size_t i = 0; i < t->nmembers; i++) {
        if (strcmp(t->members[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_block(const struct lull_spirv_binding *b)
{
    return b->type != NULL && b->type->kind == LULL_SPIRV_STRUCT;
}

/* By its own name, or, if it has none, by that of its type. */
static bool is_called(const struct lull_spirv_binding *b, const char *name)
{
    return is_block(b) && strcmp(b->name[0] == '\0' ? b->block : b->name, name) == 0;
}

bool lull_debug_block_address(struct lull_debug *d, const char *name, uint64_t *ret_va)
{
    struct seen s;
    look(d, &s);
    for (size_t k = 0; k < s.n; k++) {
        for (size_t i = 0; i < s.spirv[k]->nbindings; i++) {
            const struct lull_spirv_binding *b = &s.spirv[k]->bindings[i];
            uint64_t bytes = 0;
            if (is_called(b, name) && buffer_of(d, &s, b->set, b->binding, 0, ret_va, &bytes)) {
                return true;
            }
        }
    }
    return false;
}

const struct lull_symvar *lull_debug_block(struct lull_debug *d, const char *name)
{
    const struct lull_symvar *v = NULL;
    struct seen s;
    look(d, &s);
    for (size_t k = 0; v == NULL && k < s.n && blocks_of(d) != NULL; k++) {
        for (size_t i = 0; v == NULL && i < s.spirv[k]->nbindings; i++) {
            const struct lull_spirv_binding *b = &s.spirv[k]->bindings[i];
            v = is_called(b, name) ? make_binding(d, &s, k, b, NULL, name) : NULL;
        }
    }
    return v;
}

/* Push constants, or a member of them where they have no name. */
static const struct lull_symvar *pushed(struct lull_debug *d, const struct seen *s, size_t module,
                                        const char *name)
{
    const struct lull_spirv *m = s->spirv[module];
    struct block what = {.spirv = m, .push = true, .bytes = s->names.record->npush};
    if (m->push == NULL || what.bytes == 0) {
        return NULL;
    }
    const bool unnamed = m->push_name == NULL || m->push_name[0] == '\0';
    const bool is = strcmp(unnamed ? m->push->name : m->push_name, name) == 0;
    const bool in = unnamed && has_member(m->push, name);
    return is || in ? make(d, s, &what, m->push, NULL, is ? NULL : name, name) : NULL;
}

const struct lull_symvar *lull_debug_block_named(struct lull_debug *d, const char *name)
{
    const struct lull_symvar *v = NULL;
    struct seen s;
    look(d, &s);
    for (size_t k = 0; v == NULL && k < s.n && blocks_of(d) != NULL; k++) {
        for (size_t i = 0; v == NULL && i < s.spirv[k]->nbindings; i++) {
            const struct lull_spirv_binding *b = &s.spirv[k]->bindings[i];
            const bool in = is_block(b) && b->name[0] == '\0' && has_member(b->type, name);
            v = in ? make_binding(d, &s, k, b, name, name) : NULL;
        }
        v = v != NULL ? v : pushed(d, &s, k, name);
    }
    return v;
}

LULL_NEW_ERROR static struct lull_error *not_here(const struct lull_symvar *v)
{
    return lull_error_new(LULL_ERR_NOT_FOUND, "'%s' is of another shader than what is looked at",
                          v->name);
}

static bool is_of(const struct block *b, const struct seen *s)
{
    for (size_t i = 0; i < s->n; i++) {
        if (s->spirv[i] == b->spirv) {
            return true;
        }
    }
    return false;
}

struct lull_error *lull_debug_block_place(struct lull_debug *d, const struct lull_symvar *v,
                                          bool only_type, struct lull_location *ret)
{
    const struct block *b = (const struct block *)v; // its first member
    struct lull_location at = {.type = lull_ctype_of(v->type), .lanes = 1, .active = 1};
    uint64_t bytes = 0;
    struct seen s;
    look(d, &s);
    if (!only_type && (!is_of(b, &s) || (!b->push && !buffer_of(d, &s, b->set, b->binding, 0,
                                                                &at.address[0], &bytes)))) {
        return not_here(v);
    }
    at.held = b->push ? v : NULL;
    at.address[0] += b->push ? 0 : b->offset;
    *ret = at;
    return NULL;
}

struct lull_error *lull_debug_block_pushed(struct lull_debug *d, const struct lull_symvar *v,
                                           uint64_t offset, void *buf, size_t size)
{
    const struct block *b = (const struct block *)v; // its first member
    struct seen s;
    look(d, &s);
    if (!is_of(b, &s)) {
        return not_here(v);
    }
    const uint64_t n = s.names.record->npush;
    offset += b->offset;
    if (offset > n || size > n - offset) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "'%s': the program has pushed %" PRIu64 " bytes of constants",
                              v->name, n);
    }
    memcpy(buf, s.names.record->push + offset, size);
    return NULL;
}

void lull_debug_blocks_free(struct lull_debug_blocks *b)
{
    if (b != NULL) {
        lull_arena_done(&b->arena);
        free(b);
    }
}
