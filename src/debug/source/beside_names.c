// SPDX-License-Identifier: MIT
/* Variables in the driver's own code as expressions name them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "base/error.h"
#include "debug/rdna/regs.h"
#include "debug/session/lines.h"
#include "debug/source/beside_priv.h"

static const char *copy_of(struct lull_arena *a, const char *text)
{
    const size_t n = strlen(text) + 1;
    char *copy = lull_arena_calloc(a, n, 1);
    return copy != NULL ? memcpy(copy, text, n) : NULL;
}

/** Where a name is looked up: at a place that is asked about, at the wave, or in the dispatch. */
static bool code_of(struct lull_debug *d, uint64_t *ret_va, bool *ret_exact)
{
    const struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    uint64_t start = 0, held = 0;
    *ret_exact = d->place != NULL || (w != NULL && w->stopped);
    *ret_va = d->place != NULL ? *d->place : *ret_exact ? w->info.pc : d->dispatch.code_va;
    return d->has_dispatch && lull_debug_lines_of(d, *ret_va, &start) != NULL &&
           lull_debug_lines_of(d, d->dispatch.code_va, &held) != NULL && held == start;
}

enum { MOST_LINES = 1 << 20 };

/** Functions by line, of the world as it is now. */
static void find_lines(struct lull_beside *b)
{
    const struct lull_fr_module *m = lull_world_module(b->world);
    struct lull_spv_line at = {0};
    struct lull_spv_insn in = {0};
    for (uint32_t i = 0; i < m->nfunctions; i++) {
        for (size_t pos = m->functions[i].first;
             pos < m->functions[i].end && lull_spv_next(&m->spv, &pos, &in);) {
            lull_spv_line_step(&m->spv, &in, &at);
            if (at.line == 0 || at.line >= MOST_LINES) {
                continue;
            }
            if (at.line >= b->nlines) {
                const uint32_t n = at.line + 64;
                uint32_t *all = realloc(b->function_of, n * sizeof *all);
                if (all == NULL) {
                    return;
                }
                memset(all + b->nlines, 0, (n - b->nlines) * sizeof *all);
                b->function_of = all;
                b->nlines = n;
            }
            b->function_of[at.line] =
                b->function_of[at.line] != 0 ? b->function_of[at.line] : i + 1;
        }
    }
}

/** The function that a line is of; NULL: none. */
static const struct lull_fr_function *function_at(struct lull_beside *b, uint32_t line)
{
    const struct lull_fr_module *m = lull_world_module(b->world);
    if (b->function_of == NULL) {
        find_lines(b);
    }
    return line < b->nlines && b->function_of[line] != 0 ? &m->functions[b->function_of[line] - 1]
                                                         : NULL;
}

/** The function where the code is of; the entry point if nobody knows. */
static const struct lull_fr_function *function_of(struct lull_debug *d, struct lull_beside *b,
                                                  uint64_t va)
{
    const struct lull_fr_module *m = lull_world_module(b->world);
    struct lull_line line = {0};
    const struct lull_fr_function *f =
        lull_debug_lines_at(d, va, &line) ? function_at(b, line.line) : NULL;
    return f != NULL ? f : &m->functions[m->entry];
}

/** Does @p f call @p other, itself or by others? @p depth: calls that may be in each other. */
static bool calls(const struct lull_fr_module *m, const struct lull_fr_function *f,
                  const struct lull_fr_function *other, unsigned depth)
{
    struct lull_spv_insn in = {0};
    for (size_t pos = f->first; depth != 0 && pos < f->end && lull_spv_next(&m->spv, &pos, &in);) {
        const uint32_t id = in.op == SpvOpFunctionCall ? in.w[3] : 0;
        const uint32_t index = id < m->spv.bound ? m->ids[id].function : 0;
        if (index != 0 && (&m->functions[index - 1] == other ||
                           calls(m, &m->functions[index - 1], other, depth - 1))) {
            return true;
        }
    }
    return false;
}

static bool is_called(struct lull_debug *d, uint32_t from, uint32_t line)
{
    enum { DEPTH = 8 };
    struct lull_beside *b = NULL;
    struct lull_error *err = lull_beside_world(d, false, &b);
    if (err != NULL) {
        lull_error_free(err);
        return false;
    }
    const struct lull_fr_function *f = function_at(b, from), *g = function_at(b, line);
    return f != NULL && g != NULL && f != g && calls(lull_world_module(b->world), f, g, DEPTH);
}

/** The id that a name is: of the function, else of the module; 0: none. */
static uint32_t id_of(const struct lull_fr_module *m, const struct lull_fr_function *f,
                      const char *name)
{
    uint32_t found = 0;
    for (uint32_t id = 1; id < m->spv.bound; id++) {
        const size_t at = m->spv.def[id];
        const bool local = at >= f->first && at < f->end;
        if ((local || (at != 0 && at < m->spv.functions)) && lull_beside_is_named(m, id) &&
            strcmp(m->ids[id].name, name) == 0 && lull_beside_type_of(m, id) != NULL) {
            if (local) {
                return id;
            }
            found = id;
        }
    }
    return found;
}

static const struct lull_symtype *type_of(struct lull_beside *b, const struct lull_fr_type *t);

/** What GLSL writes before "vec" for vectors of such numbers. */
static const char *prefix_of(const struct lull_fr_type *e)
{
    switch ((int)e->kind) {
    case LULL_FR_BOOL:
        return "b";
    case LULL_FR_FLOAT:
        return e->bits == 16 ? "f16" : e->bits == 64 ? "d" : "";
    default:
        return e->bits == 8    ? (e->is_signed ? "i8" : "u8")
               : e->bits == 16 ? (e->is_signed ? "i16" : "u16")
               : e->bits == 64 ? (e->is_signed ? "i64" : "u64")
               : e->is_signed  ? "i"
                               : "u";
    }
}

/** "vec3", "uvec2"; "": it has no name. */
static const char *name_of(struct lull_beside *b, const struct lull_fr_module *m,
                           const struct lull_fr_type *t)
{
    char text[32] = "";
    if (t->kind == LULL_FR_STRUCT) {
        const char *own = m->ids[t->id].name;
        snprintf(text, sizeof text, "%s", own != NULL ? own : "");
    } else if (t->kind == LULL_FR_VECTOR) {
        const struct lull_fr_type *e = t->element;
        snprintf(text, sizeof text, "%svec%" PRIu32, prefix_of(e), t->count);
    }
    return copy_of(&b->arena, text);
}

static bool add_members(struct lull_beside *b, const struct lull_fr_type *t,
                        struct lull_symtype *ret)
{
    uint64_t offset = 0;
    ret->members = lull_arena_calloc(&b->arena, t->count + 1, sizeof *ret->members);
    for (uint32_t i = 0; ret->members != NULL && i < t->count; i++) {
        const char *name = t->names != NULL && t->names[i] != NULL ? t->names[i] : "";
        struct lull_symmember *member = &ret->members[i];
        member->name = copy_of(&b->arena, name);
        member->type = type_of(b, t->members[i]);
        member->offset = offset;
        if (member->name == NULL || member->type == NULL) {
            return false;
        }
        offset += member->type->size;
    }
    ret->nmembers = t->count;
    return ret->members != NULL;
}

/** The type as the debugger has types, its numbers one behind the other; NULL: none. */
static const struct lull_symtype *type_of(struct lull_beside *b, const struct lull_fr_type *t)
{
    const bool one = t->kind == LULL_FR_BOOL || t->kind == LULL_FR_INT || t->kind == LULL_FR_FLOAT;
    struct lull_symtype *ret = NULL;
    if (one) {
        return lull_beside_number(t);
    }
    ret = lull_arena_calloc(&b->arena, 1, sizeof *ret);
    if (ret == NULL) {
        return NULL;
    }
    ret->kind = t->kind == LULL_FR_STRUCT   ? LULL_SYMTYPE_STRUCT
                : t->kind == LULL_FR_VECTOR ? LULL_SYMTYPE_VECTOR
                                            : LULL_SYMTYPE_ARRAY;
    ret->name = name_of(b, lull_world_module(b->world), t);
    ret->size = lull_beside_bytes(t);
    if (ret->name == NULL || (t->kind == LULL_FR_STRUCT && !add_members(b, t, ret))) {
        return NULL;
    }
    if (t->kind != LULL_FR_STRUCT) {
        ret->of = type_of(b, t->element);
        ret->count = t->count;
    }
    return t->kind == LULL_FR_STRUCT || ret->of != NULL ? ret : NULL;
}

static bool same_type(const struct lull_symtype *a, const struct lull_symtype *b)
{
    if (a == b) {
        return true;
    }
    bool same = a->kind == b->kind && a->size == b->size && a->count == b->count &&
                a->nmembers == b->nmembers && strcmp(a->name, b->name) == 0 &&
                (a->of == NULL) == (b->of == NULL) && (a->of == NULL || same_type(a->of, b->of));
    for (size_t i = 0; same && i < a->nmembers; i++) {
        same = strcmp(a->members[i].name, b->members[i].name) == 0 &&
               same_type(a->members[i].type, b->members[i].type);
    }
    return same;
}

static const struct lull_symvar *find(struct lull_debug *d, const char *name)
{
    struct lull_beside *b = NULL;
    uint64_t va = 0;
    bool exact = false;
    if (!code_of(d, &va, &exact)) {
        return NULL;
    }
    struct lull_error *err = lull_beside_world(d, false, &b);
    if (err != NULL) {
        lull_error_free(err);
        return NULL;
    }
    const struct lull_fr_module *m = lull_world_module(b->world);
    const struct lull_fr_function *f = exact ? function_of(d, b, va) : &m->functions[m->entry];
    const uint32_t id = id_of(m, f, name);
    const struct lull_symtype *t = id != 0 ? type_of(b, lull_beside_type_of(m, id)) : NULL;
    if (t == NULL) {
        return NULL;
    }
    for (const struct lull_beside_named *n = b->named; n != NULL; n = n->next) {
        if (strcmp(n->var.name, name) == 0 && same_type(n->var.type, t)) {
            return &n->var;
        }
    }
    struct lull_beside_named *n = lull_arena_calloc(&b->arena, 1, sizeof *n);
    if (n == NULL) {
        return NULL;
    }
    n->var = (struct lull_symvar){
        .name = copy_of(&b->arena, name), .type = t, .file = "", .beside = true};
    n->next = b->named;
    b->named = n;
    return n->var.name != NULL ? &n->var : NULL;
}

/** Does the leaf belong to the variable, as the view has it? A local one hides the module's. */
static bool is_of(const struct lull_beside_view *v, const struct lull_beside_leaf *l,
                  const char *name)
{
    bool any_local = false;
    if (l->around || strcmp(l->variable, name) != 0) {
        return false;
    }
    for (size_t i = 0; !l->local && i < v->n; i++) {
        any_local |= v->leaves[i].local && strcmp(v->leaves[i].variable, name) == 0;
    }
    return !any_local;
}

LULL_MUST_USE static struct lull_error *enter(struct lull_debug *d, const struct lull_symvar *var,
                                              uint64_t *ret_lanes)
{
    struct lull_beside_view *v = NULL;
    uint64_t bytes = 0;
    struct lull_error *err = lull_beside_here(d, &v);
    for (size_t i = 0; err == NULL && i < v->n; i++) {
        const struct lull_beside_leaf *l = &v->leaves[i];
        bytes += is_of(v, l, var->name) ? lull_ctype_bits(l->value.type) / 8 : 0;
    }
    if (err == NULL && bytes != var->type->size) {
        err = bytes == 0 ? lull_error_new(LULL_ERR_NOT_FOUND, "'%s' has no value at line %" PRIu32,
                                          var->name, v->line)
                         : lull_error_new(LULL_ERR_NOT_FOUND,
                                          "'%s' is of another type here, or too large", var->name);
    }
    *ret_lanes = err == NULL ? v->lanes : 0;
    return err;
}

/** The number at @p offset. */
static struct lull_beside_leaf *leaf_at(const struct lull_beside_view *v, const char *name,
                                        uint64_t offset)
{
    for (size_t i = 0; i < v->n; i++) {
        struct lull_beside_leaf *l = &v->leaves[i];
        if (is_of(v, l, name) && offset >= l->offset &&
            offset - l->offset < lull_ctype_bits(l->value.type) / 8) {
            return l;
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_bytes(struct lull_debug *d,
                                                   const struct lull_symvar *var, unsigned lane,
                                                   uint64_t offset, void *buf, size_t size)
{
    const struct lull_beside *b = d->beside; // enter() was here
    const struct lull_beside_view *v = &b->view;
    for (size_t i = 0; i < size; i++) {
        struct lull_beside_leaf *l = leaf_at(v, var->name, offset + i);
        if (l == NULL || (v->lanes >> lane & 1) == 0) {
            return lull_error_new(LULL_ERR_NOT_FOUND, "'%s' has no value in lane %u", var->name,
                                  lane);
        }
        l->used = true;
        ((uint8_t *)buf)[i] = (uint8_t)(l->value.v[lane] >> 8 * (offset + i - l->offset));
    }
    return NULL;
}

/** Only where one register has exactly this value is it known which to write: a VGPR, or for a
 * truth value a mask of lanes. */
LULL_MUST_USE static struct lull_error *set_register(struct lull_debug *d,
                                                     const struct lull_debug_wave *w,
                                                     const struct lull_beside_leaf *l,
                                                     unsigned lane, unsigned dwords, uint64_t value)
{
    enum { VCC = 106, WORD_LANES = 32 };
    const char *name = l->found[0];
    const bool vector = name[0] == 'v' && name[1] != 'c';
    if (l->nfound != 1 || l->ulp != 0 || (!vector && !l->truth)) {
        return lull_error_new(
            LULL_ERR_UNSUPPORTED, "'%s' cannot be set: %s%s", l->name,
            l->nfound == 0   ? "no register is known to hold it"
            : l->nfound != 1 ? "more than one register has its value; each can be set, as in $"
            : l->ulp != 0    ? "not exactly its value is in the register that is nearest, $"
                             : "all lanes share its register, $",
            l->nfound == 0 ? "" : name);
    }
    unsigned index = (unsigned)strtoul(name + 1 + (name[1] == '['), NULL, 10);
    if (vector) {
        const struct lull_wave_reg reg = {
            .cls = LULL_REG_VGPR, .index = (uint16_t)index, .lane = (uint8_t)lane};
        return lull_reg_write(d->target, w->info.key, reg, dwords, value);
    }
    uint64_t mask = 0;
    index = (name[0] == 'v' ? VCC : index) + lane / WORD_LANES;
    struct lull_error *err = lull_debug_read_reg(d, w, LULL_REG_SGPR, index, 0, &mask);
    mask &= ~(UINT64_C(1) << lane % WORD_LANES);
    mask |= (uint64_t)(value != 0) << lane % WORD_LANES;
    const struct lull_wave_reg reg = {.cls = LULL_REG_SGPR, .index = (uint16_t)index};
    return err != NULL ? err : lull_reg_write(d->target, w->info.key, reg, 1, mask);
}

LULL_MUST_USE static struct lull_error *write_bytes(struct lull_debug *d,
                                                    const struct lull_symvar *var, unsigned lane,
                                                    uint64_t offset, const void *buf, size_t size)
{
    const struct lull_beside *b = d->beside; // enter() was here; registers may change meanwhile
    const struct lull_beside_view *v = &b->view;
    struct lull_debug_wave *w = NULL;
    uint64_t value = 0;
    struct lull_error *err = lull_debug_focused(d, &w);
    if (err != NULL) {
        return err;
    }
    const struct lull_beside_leaf *l = leaf_at(v, var->name, offset);
    if (l == NULL || offset != l->offset || size != lull_ctype_bits(l->value.type) / 8 ||
        size > sizeof value) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "'%s' has no value here", var->name);
    }
    memcpy(&value, buf, size);
    err = set_register(d, w, l, lane, size > 4 ? 2 : 1, value);
    return err != NULL ? err : lull_beside_set(d->beside, l, lane, value);
}

void lull_beside_show_used(struct lull_debug *d, struct lull_str *out)
{
    struct lull_beside *b = d->beside;
    for (size_t i = 0; b != NULL && i < b->view.n; i++) {
        struct lull_beside_leaf *l = &b->view.leaves[i];
        if (l->used) {
            lull_str_addf(out, "  (%s: ", l->name);
            lull_beside_show_sure(&b->view, l, out);
            lull_str_addf(out, ")\n");
        }
        l->used = false;
    }
}

static const struct lull_beside_ops ops = {.find = find,
                                           .enter = enter,
                                           .read = read_bytes,
                                           .write = write_bytes,
                                           .is_called = is_called,
                                           .keep = lull_beside_keep};

void lull_beside_enable(struct lull_debug *d)
{
    d->beside_ops = &ops;
}
