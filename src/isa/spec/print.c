// SPDX-License-Identifier: MIT
// Words to text by the displays of their bitsets. The order of errors is that of Mesa's isaspec:
// bits that do not matter, expected bits as the display is looked for, then fields from left to
// right.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "isa/spec/scope.h"

struct printer {
    const struct lull_spec *spec;
    const struct lull_spec_options *o;
    struct lull_spec_errors errors;
    struct lull_str *out;
};

enum { NESTING = 6 };

static void show(struct printer *p, struct lull_spec_scope *s, unsigned nesting);

static int hex_digits(const struct printer *p)
{
    return p->spec->bits / 4;
}

static const struct lull_spec_bitset *find(struct printer *p, unsigned root, uint64_t word)
{
    const struct lull_spec_bitset *b = lull_spec_find(p->spec, root, p->o->gen, word);
    if (b != NULL && (b->dontcare & word) != 0) {
        lull_spec_error(&p->errors, "dontcare bits in %s: %0*" PRIx64, b->name, hex_digits(p),
                        b->dontcare & word);
    }
    return b;
}

static void expect(struct printer *p, const struct lull_spec_scope *s,
                   const struct lull_spec_bitset *b, const struct lull_spec_case *c)
{
    for (unsigned i = 0; i < c->nfields; i++) {
        const struct lull_spec_field *f = &c->fields[i];
        const uint64_t value = lull_spec_bits(s->word, f);
        if (f->type == LULL_SPEC_EXPECT && value != f->expect) {
            lull_spec_error(&p->errors,
                            "WARNING: unexpected bits[%u:%u] in %s: %0*" PRIx64 " vs %0*" PRIx64,
                            f->lo, f->lo + f->bits - 1u, b->name, hex_digits(p), value,
                            hex_digits(p), f->expect);
        }
    }
}

static const struct lull_spec_case *display_of(struct printer *p, struct lull_spec_scope *s)
{
    for (const struct lull_spec_bitset *b = s->bitset; b != NULL;
         b = lull_spec_parent(p->spec, b)) {
        for (unsigned i = 0; i < b->ncases; i++) {
            const struct lull_spec_case *c = &b->cases[i];
            if (!lull_spec_holds(s, c)) {
                continue;
            }
            if (p->errors.wanted) {
                expect(p, s, b, c);
            }
            if (c->has_display) {
                return c;
            }
        }
    }
    return NULL;
}

static void show_operand(struct printer *p, struct lull_spec_scope *s,
                         const struct lull_spec_field *f, uint64_t value, unsigned nesting)
{
    const struct lull_spec_bitset *b = find(p, f->sub, value);
    if (b == NULL || nesting == NESTING) {
        lull_spec_error(&p->errors, "no match: FIELD: '%s.%s': %0*" PRIx64, s->bitset->mnemonic,
                        p->spec->names[f->name], hex_digits(p), value);
        return;
    }
    struct lull_spec_scope inner = {.spec = p->spec,
                                    .bitset = b,
                                    .word = value,
                                    .gen = s->gen,
                                    .parent = s,
                                    .params = f->params,
                                    .nparams = f->nparams,
                                    .errors = &p->errors};
    show(p, &inner, nesting + 1);
}

static void show_enum(struct printer *p, const struct lull_spec_field *f, uint64_t value)
{
    const struct lull_spec_enum *e = &p->spec->enums[f->sub];
    for (unsigned i = 0; i < e->n; i++) {
        if (e->values[i].value == value) {
            lull_str_put(p->out, e->values[i].text, strlen(e->values[i].text));
            return;
        }
    }
    lull_str_addf(p->out, "%u", (unsigned)value);
}

static double half(uint64_t h)
{
    const unsigned exponent = h >> 10 & 31, mantissa = h & 1023;
    double v = exponent == 0 ? ldexp(mantissa, -24) : ldexp(mantissa + 1024.0, (int)exponent - 25);
    if (exponent == 31) {
        v = mantissa != 0 ? (double)NAN : (double)INFINITY;
    }
    return h >> 15 & 1 ? -v : v;
}

static void show_float(struct printer *p, const struct lull_spec_field *f, uint64_t value)
{
    const uint32_t word = (uint32_t)value;
    float single = 0;
    memcpy(&single, &word, sizeof single);
    const double v = f->bits == 16 ? half(value) : (double)single;
    if (!lull_str_real(p->out, v, 6)) {
        lull_str_addf(p->out, "%f", v);
    }
}

static void show_number(struct printer *p, uint64_t value)
{
    lull_str_dec(p->out, value);
}

static void show_signed(struct printer *p, int64_t value)
{
    if (value < 0) {
        lull_str_put(p->out, "-", 1);
    }
    show_number(p, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static void show_text(struct printer *p, const struct lull_spec_field *f, uint64_t value, bool on)
{
    if (f->text == NULL && on) {
        show_number(p, value);
    } else if (on) {
        lull_str_put(p->out, f->text, strlen(f->text));
    }
}

static void show_target(struct printer *p, const struct lull_spec_field *f, uint64_t value)
{
    const struct lull_spec_hooks *h = p->o->hooks;
    const bool absolute = f->type == LULL_SPEC_ABSBRANCH;
    const int64_t target = absolute ? (int64_t)value : lull_spec_signed(value, f->bits);
    if (h == NULL || h->branch == NULL || !h->branch(h->ctx, absolute, target, p->out)) {
        show_signed(p, lull_spec_signed(value, f->bits));
    }
}

static void show_simple(struct printer *p, const struct lull_spec_field *f, uint64_t value)
{
    const struct lull_spec_hooks *h = p->o->hooks;
    const int64_t number = lull_spec_signed(value, f->bits);
    switch (f->type) {
    case LULL_SPEC_INT:
        show_signed(p, number);
        break;
    case LULL_SPEC_HEX:
        lull_str_hex(p->out, value, 1);
        break;
    case LULL_SPEC_OFFSET:
        lull_str_put(p->out, "+", number > 0);
        if (number != 0) {
            show_signed(p, number);
        }
        break;
    case LULL_SPEC_UOFFSET:
        lull_str_put(p->out, "+", value != 0);
        if (value != 0) {
            show_number(p, value);
        }
        break;
    case LULL_SPEC_CUSTOM:
        if (h == NULL || h->print == NULL ||
            !h->print(h->ctx, p->spec->names[f->name], value, p->out)) {
            lull_str_addf(p->out, "0x%03" PRIx64, value);
        }
        break;
    default:
        show_number(p, value);
        break;
    }
}

static void show_field(struct printer *p, struct lull_spec_scope *s, unsigned name,
                       unsigned nesting)
{
    uint64_t value = 0;
    const struct lull_spec_field *f = lull_spec_resolve(s, name, &value);
    if (f == NULL) {
        lull_spec_error(&p->errors, "no field '%s'", p->spec->names[name]);
        return;
    }
    if (p->o->hooks != NULL && p->o->hooks->field != NULL) {
        p->o->hooks->field(p->o->hooks->ctx, name, value);
    }
    switch (f->type) {
    case LULL_SPEC_BOOL:
        show_text(p, f, value, value != 0);
        break;
    case LULL_SPEC_BOOL_INV:
        show_text(p, f, value, value == 0);
        break;
    case LULL_SPEC_ENUM:
        show_enum(p, f, value);
        break;
    case LULL_SPEC_BITSET:
        show_operand(p, s, f, value, nesting);
        break;
    case LULL_SPEC_FLOAT:
        show_float(p, f, value);
        break;
    case LULL_SPEC_BRANCH:
    case LULL_SPEC_ABSBRANCH:
        show_target(p, f, value);
        break;
    default:
        show_simple(p, f, value);
        break;
    }
}

static void show(struct printer *p, struct lull_spec_scope *s, unsigned nesting)
{
    const struct lull_spec_case *c = display_of(p, s);
    if (c == NULL) {
        lull_spec_error(&p->errors, "%s: no display template", s->bitset->mnemonic);
        return;
    }
    for (unsigned i = 0; i < c->npieces; i++) {
        const struct lull_spec_piece *piece = &c->pieces[i];
        if (piece->text != NULL) {
            lull_str_put(p->out, piece->text, piece->length);
        } else if (piece->field == LULL_SPEC_NAME) {
            if (p->o->hooks != NULL && p->o->hooks->name != NULL) {
                p->o->hooks->name(p->o->hooks->ctx, s->bitset->mnemonic);
            }
            lull_str_put(p->out, s->bitset->mnemonic, strlen(s->bitset->mnemonic));
        } else {
            show_field(p, s, piece->field, nesting);
        }
    }
}

int lull_spec_print(const struct lull_spec *spec, const struct lull_spec_options *o, uint64_t word,
                    struct lull_str *out)
{
    struct printer p = {.spec = spec, .o = o, .errors = {.wanted = o->errors}, .out = out};
    struct lull_spec_scope s = {.spec = spec,
                                .bitset = find(&p, 0, word),
                                .word = word,
                                .gen = o->gen,
                                .errors = &p.errors};
    int errors = -1;
    if (s.bitset == NULL) {
        lull_str_addf(out, "no match: %0*" PRIx64, hex_digits(&p), word);
    } else {
        show(&p, &s, 0);
        if (p.errors.n > 0) {
            lull_str_addf(out, "\t; %s", lull_str_text(&p.errors.text));
        }
        errors = (int)p.errors.n;
    }
    lull_str_free(&p.errors.text);
    return errors;
}
