// SPDX-License-Identifier: MIT
// Words to operands, by the rows of their bitsets.
#include "isa/spec/scope.h"

enum { NESTING = 4 };

struct walk {
    struct lull_spec_found *ret;
    unsigned n, room;
};

static void walk(struct walk *w, struct lull_spec_scope *s, struct lull_spec_found from,
                 unsigned nesting);

/** Rows of a bitset: those of the first case that holds and has some. */
static const struct lull_spec_case *rows_of(struct lull_spec_scope *s)
{
    for (const struct lull_spec_bitset *b = s->bitset; b != NULL;
         b = lull_spec_parent(s->spec, b)) {
        for (unsigned i = 0; i < b->ncases; i++) {
            if (b->cases[i].noperands > 0 && lull_spec_holds(s, &b->cases[i])) {
                return &b->cases[i];
            }
        }
    }
    return NULL;
}

static uint8_t mods_of(struct lull_spec_scope *s, const struct lull_spec_operand *o)
{
    uint8_t mods = 0;
    for (unsigned i = 0; i < o->nmods; i++) {
        const uint64_t v = lull_spec_eval(s, o->mods[i].expr);
        if (o->mods[i].what == LULL_SPEC_MOD_ABSNEG) {
            mods |= (uint8_t)((v & 1) << LULL_SPEC_MOD_NEG | (v >> 1 & 1) << LULL_SPEC_MOD_ABS);
        } else {
            mods |= (uint8_t)((v != 0) << o->mods[i].what);
        }
    }
    return mods;
}

static void add(struct walk *w, struct lull_spec_found f)
{
    if (w->n < w->room) {
        w->ret[w->n++] = f;
    }
}

/** The operands in a field that is a bitset. */
static void walk_field(struct walk *w, struct lull_spec_scope *s, unsigned name,
                       struct lull_spec_found from, unsigned nesting)
{
    uint64_t value = 0;
    const struct lull_spec_field *f = lull_spec_resolve(s, name, &value);
    if (f == NULL) {
        return;
    }
    const struct lull_spec_bitset *b = f->type == LULL_SPEC_BITSET && nesting < NESTING
                                           ? lull_spec_find(s->spec, f->sub, s->gen, value)
                                           : NULL;
    if (b == NULL) {
        add(w, from);
        return;
    }
    struct lull_spec_scope inner = {.spec = s->spec,
                                    .bitset = b,
                                    .word = value,
                                    .gen = s->gen,
                                    .parent = s,
                                    .params = f->params,
                                    .nparams = f->nparams};
    walk(w, &inner, from, nesting + 1);
}

static void walk(struct walk *w, struct lull_spec_scope *s, struct lull_spec_found from,
                 unsigned nesting)
{
    const struct lull_spec_case *c = rows_of(s);
    for (unsigned i = 0; c != NULL && i < c->noperands; i++) {
        const struct lull_spec_operand *o = &c->operands[i];
        struct lull_spec_found f = from;
        f.role = o->role != LULL_SPEC_ROLE_OPERAND ? o->role : from.role;
        f.mods |= mods_of(s, o);
        if (o->kind == LULL_SPEC_OF_FIELD) {
            walk_field(w, s, o->field, f, nesting);
        } else if (o->kind != 0) {
            f.kind = o->kind;
            f.value = (int64_t)lull_spec_eval(s, o->expr);
            add(w, f);
        }
    }
}

unsigned lull_spec_operands(const struct lull_spec *spec, unsigned gen,
                            const struct lull_spec_bitset *bitset, uint64_t word,
                            struct lull_spec_found *ret, unsigned room)
{
    struct walk w = {.ret = ret, .room = room};
    struct lull_spec_scope s = {.spec = spec, .bitset = bitset, .word = word, .gen = gen};
    walk(&w, &s, (struct lull_spec_found){0}, 0);
    return w.n;
}

bool lull_spec_member(const struct lull_spec *spec, unsigned gen,
                      const struct lull_spec_bitset *bitset, uint64_t word, unsigned name,
                      int64_t *ret)
{
    struct lull_spec_scope s = {.spec = spec, .bitset = bitset, .word = word, .gen = gen};
    uint64_t value = 0;
    const struct lull_spec_field *f = lull_spec_resolve(&s, name, &value);
    if (f == NULL) {
        return false;
    }
    if (f->type == LULL_SPEC_BITSET) {
        struct lull_spec_found found = {0};
        struct walk w = {.ret = &found, .room = 1};
        walk_field(&w, &s, name, (struct lull_spec_found){0}, 0);
        value = w.n == 1 ? (uint64_t)found.value : 0;
    } else if (f->type == LULL_SPEC_INT || (f->type == LULL_SPEC_OFFSET && f->expr < 0)) {
        value = (uint64_t)lull_spec_signed(value, f->bits);
    }
    *ret = (int64_t)value;
    return true;
}
