// SPDX-License-Identifier: MIT
// Types of the program as expressions have them, and lanes of its values shown.
#include <inttypes.h>

#include "expr/tree.h"
#include "symbols/show.h"

enum { MAX_STARS = 16, MAX_RUNS = 6, COLUMNS = 8 };

static struct lull_ctype plain_ctype(const struct lull_symtype *t)
{
    struct lull_ctype c = {.kind = LULL_CTYPE_UNSIGNED, .bits = (uint8_t)(8 * (t->size & 15))};
    switch (t->kind) {
    case LULL_SYMTYPE_SIGNED:
    case LULL_SYMTYPE_CHAR:
        c.kind = LULL_CTYPE_SIGNED;
        break;
    case LULL_SYMTYPE_FLOAT:
        c.kind = LULL_CTYPE_FLOAT;
        break;
    case LULL_SYMTYPE_ENUM:
        c.kind = lull_symtype_plain(t->of)->kind == LULL_SYMTYPE_SIGNED ? LULL_CTYPE_SIGNED
                                                                        : LULL_CTYPE_UNSIGNED;
        break;
    case LULL_SYMTYPE_VOID:
    case LULL_SYMTYPE_FUNCTION:
        return (struct lull_ctype){.kind = LULL_CTYPE_VOID};
    case LULL_SYMTYPE_UNSIGNED:
    case LULL_SYMTYPE_UCHAR:
    case LULL_SYMTYPE_BOOL:
        break;
    case LULL_SYMTYPE_POINTER:
    case LULL_SYMTYPE_ARRAY:
    case LULL_SYMTYPE_VECTOR:
    case LULL_SYMTYPE_STRUCT:
    case LULL_SYMTYPE_UNION:
    case LULL_SYMTYPE_TYPEDEF:
    case LULL_SYMTYPE_CONST:
    case LULL_SYMTYPE_VOLATILE:
        return (struct lull_ctype){.kind = LULL_CTYPE_PARTS};
    }
    const bool real = c.kind == LULL_CTYPE_FLOAT;
    const bool good = t->size == 4 || t->size == 8 || t->size == 2 || (t->size == 1 && !real);
    return good ? c : (struct lull_ctype){.kind = LULL_CTYPE_PARTS};
}

struct lull_ctype lull_ctype_of(const struct lull_symtype *t)
{
    const struct lull_symtype *plain = lull_symtype_plain(t);
    const struct lull_symtype *at = plain;
    uint8_t stars = 0;
    while (at->kind == LULL_SYMTYPE_POINTER && stars < MAX_STARS) {
        at = lull_symtype_plain(at->of);
        stars++;
    }
    struct lull_ctype c = plain_ctype(at);
    c.stars = stars;
    c.of = t;
    c.lds = stars != 0 && plain->space == LULL_LOCSPACE_LOCAL;
    c.scratch = stars != 0 && plain->space == LULL_LOCSPACE_SCRATCH;
    return c;
}

const struct lull_symtype *lull_ctype_source(struct lull_ctype t)
{
    return t.of != NULL && t.above == 0 ? lull_symtype_plain(t.of) : NULL;
}

struct lull_ctype lull_ctype_pointee(struct lull_ctype t)
{
    const struct lull_symtype *of = lull_ctype_source(t);
    if (of != NULL && of->kind == LULL_SYMTYPE_POINTER) {
        return lull_ctype_of(of->of);
    }
    if (t.above == 1) {
        return lull_ctype_of(t.of);
    }
    t.stars--;
    t.above = (uint8_t)(t.above - (t.above != 0));
    t.lds = false;
    t.scratch = false;
    return t;
}

struct lull_ctype lull_ctype_pointer(struct lull_ctype t, bool lds, bool scratch)
{
    t.stars++;
    t.above = (uint8_t)(t.above + (t.of != NULL));
    t.lds = lds;
    t.scratch = scratch;
    return t;
}

struct lull_ctype lull_ctype_element(struct lull_ctype t)
{
    return lull_ctype_of(lull_ctype_source(t)->of);
}

/* Lanes that are shown. */
struct lanes {
    const struct lull_value *v;
    uint8_t at[LULL_VALUE_LANES];
    unsigned n;
};

static struct lanes active_of(const struct lull_value *v)
{
    struct lanes l = {.v = v};
    for (unsigned i = 0; i < v->lanes; i++) {
        if ((v->active & v->valid) >> i & 1) {
            l.at[l.n++] = (uint8_t)i;
        }
    }
    return l;
}

/* Is it one integer more, or less, or as many more, from lane to lane? */
static bool is_row(const struct lanes *l, int64_t *ret_step)
{
    const struct lull_value *v = l->v;
    const struct lull_symtype *of = lull_ctype_source(v->type);
    const bool number =
        v->type.stars == 0 && v->type.kind != LULL_CTYPE_FLOAT &&
        (of == NULL || of->kind == LULL_SYMTYPE_SIGNED || of->kind == LULL_SYMTYPE_UNSIGNED);
    bool row = number && l->n > 3;
    for (unsigned i = 1; row && i < l->n; i++) {
        const uint64_t a = lull_value_convert(v->type, v->v[l->at[i - 1]], lull_ctype_i64);
        const uint64_t b = lull_value_convert(v->type, v->v[l->at[i]], lull_ctype_i64);
        row = l->at[i] == l->at[i - 1] + 1 && (i == 1 || (int64_t)(b - a) == *ret_step);
        *ret_step = (int64_t)(b - a);
    }
    return row;
}

static unsigned run_end(const struct lanes *l, unsigned i)
{
    const unsigned first = i;
    while (i + 1 < l->n && l->v->v[l->at[i + 1]] == l->v->v[l->at[first]] &&
           l->at[i + 1] == l->at[i] + 1) {
        i++;
    }
    return i + 1;
}

static unsigned count_runs(const struct lanes *l)
{
    unsigned n = 0;
    for (unsigned i = 0; i < l->n; i = run_end(l, i)) {
        n++;
    }
    return n;
}

static bool all_equal(const struct lanes *l)
{
    unsigned i = 1;
    while (i < l->n && l->v->v[l->at[i]] == l->v->v[l->at[0]]) {
        i++;
    }
    return i >= l->n;
}

static void show_runs(const struct lanes *l, char format, struct lull_str *out)
{
    for (unsigned i = 0; i < l->n;) {
        const unsigned end = run_end(l, i);
        lull_str_addf(out, "%s[%u", i == 0 ? "" : " ", l->at[i]);
        if (end - i > 1) {
            lull_str_addf(out, "-%u", l->at[end - 1]);
        }
        lull_str_addf(out, "] ");
        lull_value_show_one(l->v->v[l->at[i]], l->v->type, format, out);
        i = end;
    }
}

static void show_every(const struct lanes *l, char format, struct lull_str *out)
{
    for (unsigned i = 0; i < l->n; i++) {
        const bool named = i == 0 || l->at[i] % COLUMNS == 0 || l->at[i] != l->at[i - 1] + 1;
        lull_str_addf(out, "%s", i == 0 ? "" : " ");
        if (named) {
            lull_str_addf(out, "[%u] ", l->at[i]);
        }
        lull_value_show_one(l->v->v[l->at[i]], l->v->type, format, out);
    }
}

void lull_value_show_active(const struct lull_value *v, char format, struct lull_str *out)
{
    const struct lanes l = active_of(v);
    int64_t step = 0;
    if (l.n == 0) {
        lull_str_addf(out, v->lanes == 1 ? "<no value>" : "<no lane is active>");
    } else if (all_equal(&l)) {
        lull_value_show_one(v->v[l.at[0]], v->type, format, out);
    } else if (format == 0 && is_row(&l, &step)) {
        lull_value_show_one(v->v[l.at[0]], v->type, format, out);
        if (step != 1) {
            lull_str_addf(out, ", ");
            lull_value_show_one(v->v[l.at[1]], v->type, format, out);
        }
        lull_str_addf(out, "…");
        lull_value_show_one(v->v[l.at[l.n - 1]], v->type, format, out);
    } else if (count_runs(&l) <= MAX_RUNS) {
        show_runs(&l, format, out);
    } else {
        show_every(&l, format, out);
    }
}

static void show_lanes(const struct lull_value *v, char format, unsigned lane, struct lull_str *out)
{
    const unsigned columns = lull_ctype_bits(v->type) == 64 ? 4 : 8;
    for (unsigned i = 0; i < v->lanes; i++) {
        const bool on = (v->active >> i & 1) != 0;
        if (i % columns == 0) {
            lull_str_addf(out, "%s  lane %2u:", i == 0 ? "\n" : "", i);
        }
        lull_str_addf(out, "%s%s", i == lane ? " *" : "  ", on ? "" : "(");
        if ((v->valid >> i & 1) != 0) {
            lull_value_show_one(v->v[i], v->type, format, out);
        } else {
            lull_str_addf(out, "-");
        }
        lull_str_addf(out, "%s%s", on ? "" : ")", i % columns == columns - 1 ? "\n" : "");
    }
}

void lull_value_show(const struct lull_value *v, char format, unsigned lane, struct lull_str *out)
{
    if (v->type.of != NULL && format == 0) {
        lull_value_show_active(v, format, out);
        lull_str_addf(out, "\n");
        return;
    }
    if (v->lanes != 1) {
        show_lanes(v, format, lane, out);
        return;
    }
    if (format != 0 || lull_ctype_is_float(v->type) || v->type.stars != 0) {
        lull_value_show_one(v->v[0], v->type, format, out);
        lull_str_addf(out, "\n");
        return;
    }
    lull_value_show_one(v->v[0], v->type, 'x', out);
    lull_str_addf(out, "  (");
    lull_value_show_one(v->v[0], v->type, lull_ctype_is_signed(v->type) ? 'd' : 'u', out);
    lull_str_addf(out, ")\n");
}
