// SPDX-License-Identifier: MIT
// Text to words: the displays read backwards.
//
// A display is matched piece by piece; a field that stands in the word is put there, one that is
// derived becomes a constraint, and so do the conditions of the cases that are chosen. Where the
// text allows more than one way (operands, optional words) they are tried in order. At the end the
// constraints are solved for the bits that the text does not name, and the word is looked up again.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isa/spec/assemble.h"
#include "isa/spec/index.h"

static bool match(struct assembly *a, const struct frame *f, const char *at);

static const char *blanks(const char *at)
{
    while (*at == ' ' || *at == '\t') {
        at++;
    }
    return at;
}

/** Text at @p at after the literal @p text, blanks aside; NULL: it does not stand there. */
static const char *literal(const char *text, const char *at)
{
    for (; *text != '\0'; text++) {
        if (*text == ' ') {
            continue;
        }
        at = blanks(at);
        if (*at != *text) {
            return NULL;
        }
        at++;
    }
    return at;
}

/** Put @p value into bits of the word. False: something else is there. */
static bool put(struct assembly *a, const struct node *n, const struct lull_spec_field *f,
                uint64_t value)
{
    const uint64_t low = lull_spec_low_bits(f->bits), mask = low << (n->shift + f->lo);
    const uint64_t bits = value << (n->shift + f->lo) & mask;
    if ((value & ~low) != 0 || (a->known & mask & (a->word ^ bits)) != 0) {
        return false;
    }
    a->word |= bits;
    a->known |= mask;
    return true;
}

/** Bits that a case fixes or expects. */
static bool put_case(struct assembly *a, const struct node *n, const struct lull_spec_case *c)
{
    for (unsigned i = 0; i < c->nfields; i++) {
        const struct lull_spec_field *f = &c->fields[i];
        if (lull_spec_is_given(f) && !put(a, n, f, f->expect)) {
            return false;
        }
    }
    return true;
}

static bool add_constraint(struct assembly *a, const struct constraint *c)
{
    for (unsigned i = 0; i < a->nconstraints && c->kind == IS_TRUTH && !a->to_the_end; i++) {
        const struct constraint *other = &a->constraints[i];
        if (other->expr == c->expr && other->node == c->node && other->kind == IS_TRUTH) {
            return other->value == c->value;
        }
    }
    if (a->nconstraints == MAX_CONSTRAINTS) {
        return false;
    }
    a->constraints[a->nconstraints++] = *c;
    return true;
}

static bool constrain(struct assembly *a, const struct node *n, int16_t expr,
                      enum constraint_kind kind, uint64_t value)
{
    return add_constraint(
        a, &(struct constraint){.node = n, .expr = expr, .kind = kind, .value = value});
}

/** Bits that a case without a display gives a value: now, or if its condition turns out to hold. */
static bool constrain_case(struct assembly *a, const struct node *n, const struct lull_spec_case *c)
{
    bool given = false;
    for (unsigned i = 0; i < c->nfields; i++) {
        given = given || lull_spec_is_given(&c->fields[i]);
    }
    if (c->expr < 0) {
        return put_case(a, n, c);
    }
    return !given || add_constraint(a, &(struct constraint){
                                           .node = n, .expr = c->expr, .kind = IS_CASE, .c = c});
}

/** The field has this value, and the rest of the text matches. */
static bool with_value(struct assembly *a, const struct frame *f, const struct node *n,
                       const struct lull_spec_field *field, uint64_t value, const char *at)
{
    const uint64_t word = a->word, known = a->known;
    const unsigned nconstraints = a->nconstraints;
    bool ok = false;
    if (field->expr >= 0) {
        const bool is_bool = field->type == LULL_SPEC_BOOL || field->type == LULL_SPEC_BOOL_INV;
        ok = constrain(a, n, field->expr, is_bool ? IS_TRUTH : IS_VALUE, value);
    } else {
        ok = put(a, n, field, value);
    }
    const struct frame next = {f->pieces, f->n, f->i + 1, f->node, f->up};
    if (ok && match(a, &next, at)) {
        return true;
    }
    a->word = word;
    a->known = known;
    a->nconstraints = nconstraints;
    return false;
}

/** Value of a field of @p bits from a signed number; false: it does not fit. */
static bool fit(const struct lull_spec_field *f, long long number, uint64_t *ret)
{
    const bool wide = f->expr >= 0 || f->bits == 64;
    const long long most = wide ? INT64_MAX : (1ll << (f->bits - 1)) - 1;
    *ret = wide ? (uint64_t)number : (uint64_t)number & lull_spec_low_bits(f->bits);
    return number <= most && number >= -most - 1;
}

static bool number_field(struct assembly *a, const struct frame *f, const struct node *n,
                         const struct lull_spec_field *field, const char *at)
{
    char *end = NULL;
    uint64_t value = 0;
    if (field->type == LULL_SPEC_INT) {
        const long long v = strtoll(at, &end, 0);
        return end != at && fit(field, v, &value) && with_value(a, f, n, field, value, end);
    }
    if (!isxdigit((unsigned char)*at)) {
        return false;
    }
    const bool zero_x = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    value = strtoull(at, &end, field->type == LULL_SPEC_HEX || zero_x ? 16 : 10);
    return end != at && with_value(a, f, n, field, value, end);
}

static bool offset_field(struct assembly *a, const struct frame *f, const struct node *n,
                         const struct lull_spec_field *field, const char *at)
{
    const char *start = blanks(at);
    if (*start == '+' || *start == '-') {
        char *end = NULL;
        uint64_t value = 0;
        const char *digits = blanks(start + 1);
        const long long v = strtoll(digits, &end, 0) * (*start == '-' ? -1 : 1);
        const bool fits = field->type == LULL_SPEC_OFFSET ? fit(field, v, &value) : v >= 0;
        value = field->type == LULL_SPEC_OFFSET ? value : (uint64_t)v;
        if (end != digits && isdigit((unsigned char)*digits) && fits &&
            with_value(a, f, n, field, value, end)) {
            return true;
        }
    }
    return with_value(a, f, n, field, 0, at);
}

static bool float_field(struct assembly *a, const struct frame *f, const struct node *n,
                        const struct lull_spec_field *field, const char *at)
{
    char *end = NULL;
    const float v = strtof(at, &end);
    uint32_t word = 0;
    memcpy(&word, &v, sizeof word);
    return end != at &&
           with_value(a, f, n, field, field->bits == 16 ? lull_spec_half(v) : (uint64_t)word, end);
}

static bool text_field(struct assembly *a, const struct frame *f, const struct node *n,
                       const struct lull_spec_field *field, const char *at)
{
    const uint64_t on = field->type == LULL_SPEC_BOOL ? 1 : 0;
    const char *end = literal(field->text != NULL ? field->text : "1", at);
    return (end != NULL && with_value(a, f, n, field, on, end)) ||
           with_value(a, f, n, field, !on, at);
}

static bool enum_field(struct assembly *a, const struct frame *f, const struct node *n,
                       const struct lull_spec_field *field, const char *at)
{
    const struct lull_spec_enum *e = &a->spec->enums[field->sub];
    for (unsigned i = 0; i < e->n; i++) {
        const char *end = literal(e->values[i].text, at);
        if (end != NULL && with_value(a, f, n, field, e->values[i].value, end)) {
            return true;
        }
    }
    char *end = NULL;
    at = blanks(at);
    const uint64_t value = isdigit((unsigned char)*at) ? strtoull(at, &end, 10) : 0;
    return end != NULL && with_value(a, f, n, field, value, end);
}

static bool target_field(struct assembly *a, const struct frame *f, const struct node *n,
                         const struct lull_spec_field *field, const char *at)
{
    const struct lull_spec_hooks *h = a->o->hooks;
    const bool absolute = field->type == LULL_SPEC_ABSBRANCH;
    char *end = NULL;
    uint64_t value = 0;
    int64_t target = strtoll(at, &end, 0);
    if (end == at && h != NULL && h->label != NULL) {
        end += h->label(h->ctx, absolute, at, &target);
    }
    const bool fits = absolute ? target >= 0 : fit(field, target, &value);
    return end != at && fits &&
           with_value(a, f, n, field, absolute ? (uint64_t)target : value, end);
}

static bool custom_field(struct assembly *a, const struct frame *f, const struct node *n,
                         const struct lull_spec_field *field, const char *at)
{
    const struct lull_spec_hooks *h = a->o->hooks;
    uint64_t value = 0;
    const size_t used = h != NULL && h->parse != NULL
                            ? h->parse(h->ctx, a->spec->names[field->name], at, &value)
                            : 0;
    return used != 0 ? with_value(a, f, n, field, value, at + used)
                     : number_field(a, f, n, field, at);
}

/** Match a text that only an assembler reads. */
static bool match_also(struct assembly *a, const struct node *n, const struct frame *up,
                       const char *at)
{
    for (unsigned i = 0; i < n->bitset->nalso; i++) {
        const struct lull_spec_case *c = &n->bitset->also[i];
        const struct frame inner = {c->pieces, c->npieces, 0, n, up};
        if (match(a, &inner, at)) {
            return true;
        }
    }
    return false;
}

/** Match one of the displays of the node's bitset, then what comes after in @p up. */
static bool match_node(struct assembly *a, const struct node *n, const struct frame *up,
                       const char *at)
{
    const unsigned nconstraints = a->nconstraints;
    const uint64_t word = a->word, known = a->known;
    bool ok = true, done = false;
    for (const struct lull_spec_bitset *b = n->bitset; ok && !done && b != NULL;
         b = lull_spec_parent(a->spec, b)) {
        for (unsigned i = 0; ok && !done && i < b->ncases; i++) {
            const struct lull_spec_case *c = &b->cases[i];
            if (!c->has_display) {
                ok = constrain_case(a, n, c);
                continue;
            }
            const unsigned before = a->nconstraints;
            const uint64_t word_before = a->word, known_before = a->known;
            const struct frame inner = {c->pieces, c->npieces, 0, n, up};
            done = (c->expr < 0 || constrain(a, n, c->expr, IS_TRUTH, 1)) && put_case(a, n, c) &&
                   match(a, &inner, at);
            if (!done) {
                a->nconstraints = before;
                a->word = word_before;
                a->known = known_before;
                ok = c->expr >= 0 && constrain(a, n, c->expr, IS_TRUTH, 0);
            }
        }
    }
    if (!done) {
        a->nconstraints = nconstraints;
        a->word = word;
        a->known = known;
    }
    return done || match_also(a, n, up, at);
}

/** The word's bits at this place are those of bitset @p b. */
static bool put_bitset(struct assembly *a, const struct lull_spec_bitset *b, unsigned shift)
{
    const uint64_t mask = (b->mask | b->dontcare) << shift, bits = b->match << shift;
    if ((a->known & mask & (a->word ^ bits)) != 0) {
        return false;
    }
    a->word |= bits;
    a->known |= mask;
    return true;
}

static bool operand_field(struct assembly *a, const struct frame *f, const struct node *n,
                          const struct lull_spec_field *field, const char *at)
{
    const struct lull_spec_root *root = &a->spec->roots[field->sub];
    const struct frame next = {f->pieces, f->n, f->i + 1, f->node, f->up};
    if (a->nnodes == MAX_NODES || field->expr >= 0) {
        return false;
    }
    for (unsigned i = 0; i < root->first[1u << root->bits]; i++) {
        const struct lull_spec_bitset *b = &a->spec->bitsets[root->leaves[i]];
        const uint64_t word = a->word, known = a->known;
        if (a->o->gen < b->gen_min || a->o->gen > b->gen_max) {
            continue;
        }
        const struct node inner = {b, n, field, n->shift + field->lo, field->bits};
        a->nodes[a->nnodes++] = &inner;
        if (put_bitset(a, b, inner.shift) && match_node(a, &inner, &next, at)) {
            return true;
        }
        a->nnodes--;
        a->word = word;
        a->known = known;
    }
    return false;
}

static bool one_field(struct assembly *a, const struct frame *f, const struct node *n,
                      const struct lull_spec_field *field, const char *at)
{
    const char *start = blanks(at);
    switch (field->type) {
    case LULL_SPEC_BOOL:
    case LULL_SPEC_BOOL_INV:
        return text_field(a, f, n, field, at);
    case LULL_SPEC_OFFSET:
    case LULL_SPEC_UOFFSET:
        return offset_field(a, f, n, field, at);
    case LULL_SPEC_FLOAT:
        return float_field(a, f, n, field, start);
    case LULL_SPEC_ENUM:
        return enum_field(a, f, n, field, at);
    case LULL_SPEC_BITSET:
        return operand_field(a, f, n, field, at);
    case LULL_SPEC_BRANCH:
    case LULL_SPEC_ABSBRANCH:
        return target_field(a, f, n, field, start);
    case LULL_SPEC_CUSTOM:
        return custom_field(a, f, n, field, start);
    default:
        return number_field(a, f, n, field, start);
    }
}

static const struct lull_spec_field *field_in(const struct lull_spec_case *c, unsigned name)
{
    for (unsigned i = 0; i < c->nfields; i++) {
        if (c->fields[i].name == name) {
            return &c->fields[i];
        }
    }
    return NULL;
}

/** Field @p name of the node, as each case that has it says; else of an enclosing node. */
static bool named_field(struct assembly *a, const struct frame *f, const struct node *n,
                        unsigned name, const char *at)
{
    const unsigned nconstraints = a->nconstraints;
    bool ok = true, any = false;
    for (const struct lull_spec_bitset *b = n->bitset; ok && b != NULL;
         b = lull_spec_parent(a->spec, b)) {
        for (unsigned i = 0; ok && i < b->ncases; i++) {
            const struct lull_spec_case *c = &b->cases[i];
            const struct lull_spec_field *field = field_in(c, name);
            if (field == NULL) {
                continue;
            }
            any = true;
            const unsigned before = a->nconstraints;
            if ((c->expr < 0 || constrain(a, n, c->expr, IS_TRUTH, 1)) &&
                one_field(a, f, n, field, at)) {
                return true;
            }
            a->nconstraints = before;
            ok = c->expr >= 0 && constrain(a, n, c->expr, IS_TRUTH, 0);
        }
    }
    a->nconstraints = nconstraints;
    for (unsigned i = 0; !any && n->via != NULL && i < n->via->nparams; i++) {
        if (n->via->params[i].as == name) {
            return named_field(a, f, n->parent, n->via->params[i].name, at);
        }
    }
    // A display may name a field that is not there: it prints as nothing.
    const struct frame next = {f->pieces, f->n, f->i + 1, f->node, f->up};
    return !any && match(a, &next, at);
}

static bool match(struct assembly *a, const struct frame *f, const char *at)
{
    if (++a->steps > MAX_STEPS) {
        return false;
    }
    if (f->i == f->n) {
        if (f->up != NULL) {
            return match(a, f->up, at);
        }
        at = blanks(at);
        a->furthest = at > a->furthest ? at : a->furthest;
        return *at == '\0' && lull_spec_solve(a);
    }
    const struct lull_spec_piece *piece = &f->pieces[f->i];
    if (piece->text == NULL && piece->field != LULL_SPEC_NAME) {
        return named_field(a, f, f->node, piece->field, at);
    }
    at = literal(piece->text != NULL ? piece->text : f->node->bitset->mnemonic, at);
    const struct frame next = {f->pieces, f->n, f->i + 1, f->node, f->up};
    a->furthest = at != NULL && at > a->furthest ? at : a->furthest;
    return at != NULL && match(a, &next, at);
}

/** Does a display name an instruction that @p text has in it? Quick, and never false wrongly. */
static bool may_read(const struct lull_spec_case *c, const char *mnemonic, const char *text)
{
    for (unsigned i = 0; i < c->npieces; i++) {
        const struct lull_spec_piece *p = &c->pieces[i];
        if (p->text == NULL && p->field == LULL_SPEC_NAME) {
            return strstr(text, mnemonic) != NULL;
        }
        const size_t word = p->text != NULL ? strcspn(p->text, " ") : 0;
        if (word != 0 && isalpha((unsigned char)p->text[0])) {
            return memmem(text, strlen(text), p->text, word) != NULL;
        }
    }
    return true;
}

static bool any_may_read(const struct lull_spec *spec, const struct lull_spec_bitset *leaf,
                         const char *text)
{
    bool any = false;
    for (const struct lull_spec_bitset *b = leaf; b != NULL; b = lull_spec_parent(spec, b)) {
        for (unsigned i = 0; !any && i < b->ncases; i++) {
            any = b->cases[i].has_display && may_read(&b->cases[i], leaf->mnemonic, text);
        }
        for (unsigned i = 0; !any && i < b->nalso; i++) {
            any = may_read(&b->also[i], leaf->mnemonic, text);
        }
    }
    return any;
}

static bool match_leaf(struct assembly *a, const struct lull_spec_bitset *b, const char *text)
{
    const struct node n = {b, NULL, NULL, 0, a->spec->bits};
    a->word = b->match;
    a->known = b->mask | b->dontcare;
    a->nconstraints = 0;
    a->steps = 0;
    a->nnodes = 1;
    a->nodes[0] = &n;
    return match_node(a, &n, NULL, text);
}

static bool is_of(const struct assembly *a, const struct lull_spec_bitset *b)
{
    return a->o->gen >= b->gen_min && a->o->gen <= b->gen_max;
}

/** By the index. @return whether any leaf was tried; *ret: whether one matches. */
static bool match_indexed(struct assembly *a, const char *text, bool *ret)
{
    uint64_t masks[LULL_SPEC_INDEX_LEAVES / 64];
    bool tried = false;
    lull_spec_index_find(a->o->index, text, masks);
    for (unsigned i = 0; i < LULL_SPEC_INDEX_LEAVES / 64; i++) {
        for (uint64_t m = masks[i]; m != 0; m &= m - 1) {
            const unsigned leaf = 64 * i + (unsigned)__builtin_ctzll(m);
            const struct lull_spec_bitset *b = lull_spec_index_leaf(a->o->index, leaf);
            if (!is_of(a, b)) {
                continue;
            }
            tried = true;
            if (match_leaf(a, b, text)) {
                *ret = true;
                return true;
            }
        }
    }
    return tried;
}

static bool match_any(struct assembly *a, const char *text)
{
    const struct lull_spec_root *root = &a->spec->roots[0];
    const bool by_index = a->o->index != NULL;
    bool done = false, tried = by_index && match_indexed(a, text, &done);
    // all: only to see how far the text goes
    for (int all = by_index; all < 2 && !tried; all++) {
        for (unsigned i = 0; !done && i < root->first[1u << root->bits]; i++) {
            const struct lull_spec_bitset *b = &a->spec->bitsets[root->leaves[i]];
            if (is_of(a, b) && (all != 0 || any_may_read(a->spec, b, text))) {
                tried = true;
                done = match_leaf(a, b, text);
            }
        }
    }
    return done;
}

bool lull_spec_match(const struct lull_spec *spec, const struct lull_spec_options *o,
                     const char *text, uint64_t *ret, size_t *ret_column)
{
    struct assembly a = {.spec = spec, .o = o, .furthest = text};
    bool done = match_any(&a, text);
    if (!done) {
        a.to_the_end = true;
        done = match_any(&a, text);
    }
    *ret = done ? a.word : *ret;
    *ret_column = (size_t)(a.furthest - text);
    return done;
}

struct lull_error *lull_spec_assemble(const struct lull_spec *spec,
                                      const struct lull_spec_options *o, const char *text,
                                      uint64_t *ret)
{
    size_t column = 0;
    if (lull_spec_match(spec, o, text, ret, &column)) {
        return NULL;
    }
    return lull_error_new(LULL_ERR_INVALID, "column %zu: no instruction reads so: '%.40s'",
                          column + 1, text[column] != '\0' ? text + column : text);
}
