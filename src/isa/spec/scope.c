// SPDX-License-Identifier: MIT
#include "isa/spec/scope.h"

#include <stdarg.h>
#include <stdio.h>

enum { MAX_ERRORS = 4 };

const struct lull_spec_bitset *lull_spec_find(const struct lull_spec *spec, unsigned root,
                                              unsigned gen, uint64_t word)
{
    const struct lull_spec_root *r = &spec->roots[root];
    const unsigned at =
        r->bits != 0 ? (unsigned)(word >> r->shift & lull_spec_low_bits(r->bits)) : 0;
    const struct lull_spec_bitset *found = NULL;
    for (unsigned i = r->first[at]; i < r->first[at + 1]; i++) {
        const struct lull_spec_bitset *b = &spec->bitsets[r->leaves[i]];
        if ((word & b->mask) == b->match && gen >= b->gen_min && gen <= b->gen_max) {
            if (found != NULL) {
                return NULL;
            }
            found = b;
        }
    }
    return found;
}

uint64_t lull_spec_eval(struct lull_spec_scope *s, int16_t expr)
{
    for (unsigned i = 0; i < s->depth; i++) {
        if (s->stack[i] == expr) {
            return 0;
        }
    }
    if (s->depth == LULL_SPEC_DEPTH) {
        return 0;
    }
    s->stack[s->depth++] = expr;
    const uint64_t value = s->spec->exprs[expr].value(s);
    s->depth--;
    return value;
}

bool lull_spec_holds(struct lull_spec_scope *s, const struct lull_spec_case *c)
{
    return c->expr < 0 || lull_spec_eval(s, c->expr) != 0;
}

const struct lull_spec_field *lull_spec_find_field(struct lull_spec_scope *s, unsigned name)
{
    const struct lull_spec_bitset *b = s->bitset;
    unsigned i = b->where != NULL ? b->where[name] : 0;
    for (bool more = i != 0; more; i++) {
        const struct lull_spec_slot *slot = &b->slots[i - 1];
        // A condition may name fields of its own case.
        const bool computing = s->depth > 0 && s->stack[s->depth - 1] == slot->expr;
        if (slot->expr < 0 || computing || lull_spec_eval(s, slot->expr) != 0) {
            return slot->field;
        }
        more = slot->more;
    }
    return NULL;
}

const struct lull_spec_field *lull_spec_resolve(struct lull_spec_scope *s, unsigned name,
                                                uint64_t *ret)
{
    const struct lull_spec_field *f = lull_spec_find_field(s, name);
    while (f == NULL) {
        unsigned i = 0;
        while (i < s->nparams && s->params[i].as != name) {
            i++;
        }
        if (i == s->nparams || s->parent == NULL) {
            return NULL;
        }
        name = s->params[i].name;
        s = s->parent;
        f = lull_spec_find_field(s, name);
    }
    *ret = f->expr >= 0 ? lull_spec_eval(s, f->expr) : lull_spec_bits(s->word, f);
    return f;
}

void lull_spec_error(struct lull_spec_errors *e, const char *fmt, ...)
{
    if (e == NULL || !e->wanted || e->n++ >= MAX_ERRORS) {
        return;
    }
    char line[256];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    lull_str_addf(&e->text, "%s%s", e->n > 1 ? ", " : "", line);
}

void lull_spec_no_field(struct lull_spec_scope *s, unsigned name)
{
    for (unsigned i = 0; i < s->nmissing; i++) {
        if (s->missing[i] == name) {
            return;
        }
    }
    if (s->nmissing < sizeof s->missing) {
        s->missing[s->nmissing++] = (uint8_t)name;
    }
    lull_spec_error(s->errors, "no field '%s'", s->spec->names[name]);
}

uint64_t lull_spec_value(struct lull_spec_scope *s, unsigned name)
{
    uint64_t value = 0;
    const struct lull_spec_field *f = lull_spec_resolve(s, name, &value);
    if (f == NULL) {
        lull_spec_no_field(s, name);
    } else if (f->type == LULL_SPEC_INT) {
        value = (uint64_t)lull_spec_signed(value, f->bits);
    }
    return value;
}

unsigned lull_spec_gen(const struct lull_spec_scope *s)
{
    return s->gen;
}

bool lull_spec_field(const struct lull_spec *spec, unsigned gen, uint64_t word, unsigned name,
                     uint64_t *ret)
{
    struct lull_spec_scope s = {
        .spec = spec, .bitset = lull_spec_find(spec, 0, gen, word), .word = word, .gen = gen};
    return s.bitset != NULL && lull_spec_resolve(&s, name, ret) != NULL;
}
