// SPDX-License-Identifier: MIT
// Values of registers in words, in the form that Mesa's rnndec gives them.
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "hw/dom.h"

struct show {
    const struct lull_dom_db *db;
    struct lull_dom_state *s;
    struct lull_str *out;
};

/** A field, or a register without fields. */
struct typed {
    unsigned kind; ///< enum lull_dom_kind.
    unsigned sub, lo, hi, shr, radix;
    bool is_inline;
};

/** From here on in this colour, if there are colours. */
static void color(const struct show *w, enum lull_dom_color which)
{
    if (w->s->colors != NULL) {
        const char *text = w->s->colors[which];
        lull_str_put(w->out, text, strlen(text));
    }
}

static void color_end(const struct show *w)
{
    color(w, LULL_DOM_COLOR_RESET);
}

static uint64_t low_bits(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

const char *lull_dom_enum_name(const struct lull_dom_db *db, const struct lull_dom_state *s,
                               unsigned which, uint64_t value)
{
    const struct lull_dom_enum *e = &db->enums[which];
    for (unsigned i = 0; i < e->n; i++) {
        const struct lull_dom_value *v = &e->values[i];
        if (v->value == value && (v->chips == 0 || (v->chips >> s->chip & 1) != 0)) {
            return v->name;
        }
    }
    return NULL;
}

static double half_float(const struct show *w, uint64_t h)
{
    const unsigned exponent = h >> 10 & 31, mantissa = h & 1023;
    double v = ldexp(mantissa + 1024.0, (int)exponent - 25);
    if (exponent == 0) {
        v = ldexp(mantissa, -24);
        // Mesa 25.0.7 loses one bit of every second power of two.
        if (w->s->like_mesa && mantissa != 0 && (ilogb((double)mantissa) & 1) != 0) {
            v /= 2;
        }
    } else if (exponent == 31) {
        v = mantissa != 0 ? (double)NAN : (double)INFINITY;
    }
    return h >> 15 & 1 ? -v : v;
}

static void show_float(const struct show *w, unsigned bits, uint64_t value)
{
    double v = 0;
    if (bits == 64) {
        memcpy(&v, &value, sizeof v);
    } else if (bits == 32) {
        const uint32_t word = (uint32_t)value;
        float f = 0;
        memcpy(&f, &word, sizeof f);
        v = (double)f;
    } else if (bits == 16) {
        v = half_float(w, value);
    } else {
        lull_str_addf(w->out, "%#" PRIx64, value);
        return;
    }
    lull_str_addf(w->out, "%f", v);
}

static void show_signed(const struct show *w, const struct typed *t, uint64_t value)
{
    const unsigned bits = t->hi - t->lo + 1 + t->shr;
    const bool negative = value >> (bits - 1) & 1;
    const uint64_t size = negative ? (~value + 1) & low_bits(bits) : value;
    if (t->kind == LULL_DOM_INT) {
        lull_str_addf(w->out, "%s%" PRIu64, negative ? "-" : "", size);
    } else {
        const unsigned radix = w->s->like_mesa && t->is_inline ? 0 : t->radix;
        lull_str_addf(w->out, "%s%f", negative ? "-" : "", ldexp((double)size, -(int)radix));
    }
}

/** A number or a name: one piece of text. */
static void show_plain(const struct show *w, const struct typed *t, uint64_t value)
{
    const unsigned bits = t->hi - t->lo + 1;
    switch (t->kind) {
    case LULL_DOM_UINT:
        lull_str_dec(w->out, value);
        break;
    case LULL_DOM_INT:
    case LULL_DOM_FIXED:
        show_signed(w, t, value);
        break;
    case LULL_DOM_UFIXED:
        lull_str_addf(w->out, "%f",
                      ldexp((double)value, w->s->like_mesa && t->is_inline ? 0 : -(int)t->radix));
        break;
    case LULL_DOM_FLOAT:
        show_float(w, bits, value);
        break;
    case LULL_DOM_REGID:
        lull_str_put(w->out, "r", 1);
        lull_str_dec(w->out, value >> 2);
        lull_str_put(w->out, (const char[]){'.', "xyzw"[value & 3]}, 2);
        break;
    default:
        lull_str_prefixed(w->out, value);
        break;
    }
}

static void show_typed(const struct show *w, const struct typed *t, uint64_t raw)
{
    const uint64_t value = (raw >> t->lo & low_bits(t->hi - t->lo + 1)) << t->shr;
    const char *name = NULL;
    if (t->kind == LULL_DOM_VOID) {
        return;
    }
    if (t->kind == LULL_DOM_NONE) {
        lull_str_hex(w->out, value, 8);
        return;
    }
    if (t->kind == LULL_DOM_BITSET) {
        lull_dom_show_bitset(w->db, w->s, t->sub, value, w->out);
        return;
    }
    if (t->kind == LULL_DOM_ENUM) {
        name = lull_dom_enum_name(w->db, w->s, t->sub, value);
    } else if (t->kind == LULL_DOM_BOOL && value <= 1) {
        name = value == 0 ? "FALSE" : "TRUE";
    }
    color(w, name != NULL ? LULL_DOM_COLOR_WORD : LULL_DOM_COLOR_NUMBER);
    if (name != NULL) {
        lull_str_put(w->out, name, strlen(name));
    } else {
        show_plain(w, t, value);
    }
    color_end(w);
}

/** UNK and a number: hidden when 0. */
static bool is_unknown(const char *name)
{
    return strncmp(name, "UNK", 3) == 0 && isdigit((unsigned char)name[3]);
}

/** Does a field's value choose among variants? If it has a name: what has none leaves the choice.
 */
static void choose(const struct show *w, const struct lull_dom_field *f, uint64_t number)
{
    if (f->adds != 0 && (!w->s->like_mesa || f->kind != LULL_DOM_ENUM ||
                         lull_dom_enum_name(w->db, w->s, f->sub, number) != NULL)) {
        w->s->chosen[f->adds - 1] = (uint32_t)number;
        w->s->has_chosen[f->adds - 1] = true;
    }
}

/** "NAME" of a flag that is set, or "NAME = value". */
static void show_field(const struct show *w, const struct lull_dom_field *f, uint64_t value)
{
    const bool unknown = is_unknown(f->name), flag = f->kind == LULL_DOM_BOOL;
    color(w, !flag ? LULL_DOM_COLOR_NAME : unknown ? LULL_DOM_COLOR_UNKNOWN : LULL_DOM_COLOR_FLAG);
    lull_str_put(w->out, f->name, strlen(f->name));
    color_end(w);
    if (flag) {
        return;
    }
    lull_str_put(w->out, " = ", 3);
    if (unknown && f->kind != LULL_DOM_REGID) {
        color(w, LULL_DOM_COLOR_UNKNOWN);
        lull_str_prefixed(w->out, (value >> f->lo & low_bits(f->hi - f->lo + 1u)) << f->shr);
        color_end(w);
    } else {
        const struct typed t = {f->kind, f->sub, f->lo, f->hi, f->shr, f->radix, f->is_inline};
        show_typed(w, &t, value);
    }
}

static void show_fields(const struct show *w, const struct lull_dom_field *fields, unsigned n,
                        uint64_t value)
{
    uint64_t covered = 0;
    const char *between = "{ ";
    for (unsigned i = 0; i < n; i++) {
        const struct lull_dom_field *f = &fields[i];
        if (!lull_dom_holds(w->db, w->s, f->cond)) {
            continue;
        }
        const uint64_t mask = low_bits(f->hi - f->lo + 1u), number = value >> f->lo & mask;
        covered |= mask << f->lo;
        choose(w, f, number);
        if (number == 0 && (f->kind == LULL_DOM_BOOL || is_unknown(f->name))) {
            continue;
        }
        lull_str_put(w->out, between, strlen(between));
        between = " | ";
        show_field(w, f, value);
    }
    if ((value & ~covered) != 0) {
        lull_str_put(w->out, between, strlen(between));
        color(w, LULL_DOM_COLOR_UNKNOWN);
        lull_str_prefixed(w->out, value & ~covered);
        color_end(w);
        between = " | ";
    }
    if (between[0] == '{') {
        lull_str_put(w->out, "{ ", 2);
        color(w, LULL_DOM_COLOR_NUMBER);
        lull_str_put(w->out, "0", 1);
        color_end(w);
    }
    lull_str_put(w->out, " }", 2);
}

void lull_dom_show_bitset(const struct lull_dom_db *db, struct lull_dom_state *s, unsigned bitset,
                          uint64_t value, struct lull_str *out)
{
    const struct show w = {db, s, out};
    show_fields(&w, db->bitsets[bitset].fields, db->bitsets[bitset].n, value);
}

void lull_dom_show(const struct lull_dom_db *db, struct lull_dom_state *s,
                   const struct lull_dom_reg *reg, uint64_t value, struct lull_str *out)
{
    const struct show w = {db, s, out};
    const uint64_t mask = low_bits(reg->hi - reg->lo + 1u) << reg->lo;
    if (reg->kind == LULL_DOM_FIELDS) {
        show_fields(&w, reg->fields, reg->nfields, (value & mask) >> reg->lo);
    } else {
        const struct typed t = {reg->kind, reg->sub, reg->lo, reg->hi, reg->shr, reg->radix, false};
        show_typed(&w, &t, value);
    }
    if ((value & ~mask) != 0 && reg->kind != LULL_DOM_FIELDS && reg->kind != LULL_DOM_BITSET) {
        lull_str_put(out, " | ", 3);
        color(&w, LULL_DOM_COLOR_UNKNOWN);
        lull_str_prefixed(out, value & ~mask);
        color_end(&w);
    }
}

void lull_dom_show_field(const struct lull_dom_db *db, struct lull_dom_state *s,
                         const struct lull_dom_field *f, uint64_t value, struct lull_str *out)
{
    const struct show w = {db, s, out};
    const struct typed t = {f->kind, f->sub, f->lo, f->hi, f->shr, f->radix, f->is_inline};
    show_typed(&w, &t, value);
}

unsigned lull_dom_fields(const struct lull_dom_db *db, const struct lull_dom_reg *reg,
                         const struct lull_dom_field **ret)
{
    const bool bitset = reg->kind == LULL_DOM_BITSET;
    *ret = bitset ? db->bitsets[reg->sub].fields : reg->fields;
    return bitset ? db->bitsets[reg->sub].n : reg->kind == LULL_DOM_FIELDS ? reg->nfields : 0;
}

/** Field @p name of @p reg; NULL: it has none. */
static const struct lull_dom_field *field_of(const struct lull_dom_db *db,
                                             const struct lull_dom_state *s,
                                             const struct lull_dom_reg *reg, const char *name)
{
    const bool bitset = reg->kind == LULL_DOM_BITSET;
    const struct lull_dom_field *f = bitset ? db->bitsets[reg->sub].fields : reg->fields;
    const unsigned n = bitset ? db->bitsets[reg->sub].n : reg->nfields;
    for (unsigned i = 0; i < n; i++) {
        if (strcmp(f[i].name, name) == 0 && lull_dom_holds(db, s, f[i].cond)) {
            return &f[i];
        }
    }
    return NULL;
}

bool lull_dom_field(const struct lull_dom_db *db, const struct lull_dom_state *s,
                    const struct lull_dom_reg *reg, const char *name, uint64_t value, uint64_t *ret)
{
    const struct lull_dom_field *f = field_of(db, s, reg, name);
    if (f != NULL) {
        *ret = (value >> f->lo & low_bits(f->hi - f->lo + 1u)) << f->shr;
    }
    return f != NULL;
}

bool lull_dom_field_set(const struct lull_dom_db *db, const struct lull_dom_state *s,
                        const struct lull_dom_reg *reg, const char *name, uint64_t to,
                        uint64_t *value)
{
    const struct lull_dom_field *f = field_of(db, s, reg, name);
    const uint64_t most = f != NULL ? low_bits(f->hi - f->lo + 1u) : 0;
    if (f == NULL || to >> f->shr > most || to >> f->shr << f->shr != to) {
        return false;
    }
    *value = (*value & ~(most << f->lo)) | to >> f->shr << f->lo;
    return true;
}
