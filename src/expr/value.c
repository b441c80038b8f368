// SPDX-License-Identifier: MIT
#include "expr/value.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "symbols/show.h"

enum {
    HALF_MANTISSA = 10,
    HALF_BIAS = 15,
    HALF_EXP_MAX = 31,
};

unsigned lull_ctype_bits(struct lull_ctype t)
{
    const struct lull_symtype *of =
        t.of != NULL && t.above == 0 && t.stars != 0 ? lull_symtype_plain(t.of) : NULL;
    const bool narrow = of != NULL && of->kind == LULL_SYMTYPE_POINTER && of->size == 4;
    return narrow ? 32 : t.stars != 0 ? LULL_POINTER_BITS : t.bits;
}

void lull_ctype_show(struct lull_ctype t, struct lull_str *out)
{
    static const char letters[] = {'u', 'i', 'f'};
    if (t.of != NULL) {
        lull_symtype_name(t.of, out);
        lull_str_addf(out, "%s%.*s", t.above != 0 ? " " : "", (int)(t.above % 8), "********");
        return;
    }
    if (t.kind == LULL_CTYPE_VOID || t.kind == LULL_CTYPE_PARTS) {
        lull_str_addf(out, "void");
    } else {
        lull_str_addf(out, "%c%u", letters[t.kind], t.bits);
    }
    for (unsigned i = 0; i < t.stars; i++) {
        lull_str_addf(out, "*");
    }
}

double lull_half_value(uint16_t bits)
{
    const int exp = bits >> HALF_MANTISSA & HALF_EXP_MAX;
    const unsigned frac = bits & ((1u << HALF_MANTISSA) - 1);
    double magnitude = 0;
    if (exp == HALF_EXP_MAX) {
        magnitude = frac != 0 ? (double)NAN : (double)INFINITY;
    } else {
        const unsigned full = exp != 0 ? frac | 1u << HALF_MANTISSA : frac;
        magnitude = ldexp(full, (exp != 0 ? exp : 1) - HALF_BIAS - HALF_MANTISSA);
    }
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

uint16_t lull_half_of(double value)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const uint16_t infinity = HALF_EXP_MAX << HALF_MANTISSA;
    if (isnan(value)) {
        return sign | infinity | 1u << (HALF_MANTISSA - 1);
    }
    int exp = 1 - HALF_BIAS; // of 0, for which frexp() says 0
    if (value != 0) {
        (void)frexp(value, &exp); // magnitude is in [2^(exp-1), 2^exp)
    }
    exp = exp - 1 > 1 - HALF_BIAS ? exp - 1 : 1 - HALF_BIAS;
    if (isinf(value) || exp > HALF_BIAS) {
        return sign | infinity;
    }
    // In units of the last place, with the leading 1, which counts as one more exponent: so does
    // what rounding carries.
    const unsigned units = (unsigned)rint(ldexp(fabs(value), HALF_MANTISSA - exp));
    return (uint16_t)(sign | (((unsigned)(exp + HALF_BIAS - 1) << HALF_MANTISSA) + units));
}

static uint64_t low_bits(uint64_t v, unsigned bits)
{
    return bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

static int64_t sign_extend(uint64_t v, unsigned bits)
{
    const unsigned shift = 64 - bits;
    return (int64_t)(v << shift) >> shift;
}

static double real_of(unsigned bits, uint64_t v)
{
    double wide = 0;
    float single = 0;
    const uint32_t low = (uint32_t)v;
    if (bits == 16) {
        return lull_half_value((uint16_t)v);
    }
    if (bits == 64) {
        memcpy(&wide, &v, sizeof wide);
        return wide;
    }
    memcpy(&single, &low, sizeof single);
    return (double)single;
}

static uint64_t bits_of(unsigned bits, double value)
{
    uint64_t wide = 0;
    uint32_t word = 0;
    const float single = (float)value;
    if (bits == 16) {
        return lull_half_of(value);
    }
    memcpy(&wide, &value, sizeof wide);
    memcpy(&word, &single, sizeof word);
    return bits == 64 ? wide : word;
}

/* An integer becomes the nearest float: by way of a double it might be rounded twice. */
static uint64_t real_of_integer(struct lull_ctype from, uint64_t v, unsigned bits)
{
    const bool negative = lull_ctype_is_signed(from) && sign_extend(v, from.bits) < 0;
    const int64_t s = negative ? sign_extend(v, from.bits) : 0;
    if (bits != 32) {
        return bits_of(bits, negative ? (double)s : (double)v);
    }
    const float single = negative ? (float)s : (float)v;
    uint32_t word = 0;
    memcpy(&word, &single, sizeof word);
    return word;
}

static uint64_t integer_of_real(double value, struct lull_ctype to)
{
    const unsigned bits = lull_ctype_bits(to);
    const bool is_signed = lull_ctype_is_signed(to);
    const double limit = ldexp(1, (int)(is_signed ? bits - 1 : bits)); // the first too big
    if (isnan(value) || (!is_signed && value <= 0)) {
        return 0;
    }
    if (value >= limit) {
        return low_bits(is_signed ? (UINT64_C(1) << (bits - 1)) - 1 : UINT64_MAX, bits);
    }
    if (is_signed && value <= -limit) {
        return UINT64_C(1) << (bits - 1);
    }
    return low_bits(is_signed ? (uint64_t)(int64_t)value : (uint64_t)value, bits);
}

uint64_t lull_value_convert(struct lull_ctype from, uint64_t bits, struct lull_ctype to)
{
    const bool real = lull_ctype_is_float(from);
    if (lull_ctype_is_float(to)) {
        return real && from.bits == to.bits ? bits
               : real                       ? bits_of(to.bits, real_of(from.bits, bits))
                                            : real_of_integer(from, bits, to.bits);
    }
    if (real) {
        return integer_of_real(real_of(from.bits, bits), to);
    }
    const bool extend = lull_ctype_is_signed(from);
    return low_bits(extend ? (uint64_t)sign_extend(bits, from.bits) : bits, lull_ctype_bits(to));
}

uint64_t lull_value_truth(const struct lull_value *v)
{
    const struct lull_ctype t = v->type;
    uint64_t lanes = 0;
    for (unsigned i = 0; i < v->lanes; i++) {
        const bool real = lull_ctype_is_float(t);
        const bool set = real ? real_of(t.bits, v->v[i]) != 0 : v->v[i] != 0;
        lanes |= (uint64_t)set << i;
    }
    return lanes & v->active & v->valid;
}

static void show_real(unsigned bits, uint64_t v, struct lull_str *out)
{
    static const int digits[] = {[16] = 5, [32] = 9, [64] = 17};
    const double value = real_of(bits, v);
    if (isnan(value)) {
        lull_str_addf(out, signbit(value) ? "-nan" : "nan");
    } else {
        lull_str_addf(out, "%.*g", digits[bits], value);
    }
}

static void show_binary(uint64_t v, unsigned bits, struct lull_str *out)
{
    lull_str_addf(out, "0b");
    for (unsigned i = bits; i > 0; i--) {
        lull_str_add(out, (v >> (i - 1) & 1) != 0 ? "1" : "0", 1);
    }
}

static void show_character(uint64_t v, struct lull_ctype t, struct lull_str *out)
{
    const struct lull_ctype whole = {.kind = LULL_CTYPE_SIGNED, .bits = 64};
    const uint64_t n = lull_value_convert(t, v, whole);
    const unsigned c = n & UINT8_MAX;
    const bool plain = c >= ' ' && c < 0x7f && c != '\'' && c != '\\';
    lull_str_addf(out, plain ? "%" PRId64 " '%c'" : "%" PRId64 " '\\%03o'", (int64_t)n, c);
}

/* As the program's source would have it; false: like any other. */
static bool show_source(uint64_t v, struct lull_ctype t, struct lull_str *out)
{
    const struct lull_symtype *of = t.of != NULL && t.stars == 0 ? lull_symtype_plain(t.of) : NULL;
    for (size_t i = 0; of != NULL && of->kind == LULL_SYMTYPE_ENUM && i < of->nconstants; i++) {
        if (low_bits((uint64_t)of->constants[i].value, t.bits) == v) {
            lull_str_addf(out, "%s", of->constants[i].name);
            return true;
        }
    }
    const enum lull_symtype_kind kind = of != NULL ? of->kind : LULL_SYMTYPE_VOID;
    if (kind == LULL_SYMTYPE_BOOL && v <= 1) {
        lull_str_addf(out, v != 0 ? "true" : "false");
    } else if ((kind == LULL_SYMTYPE_CHAR || kind == LULL_SYMTYPE_UCHAR) && t.bits == 8) {
        show_character(v, t, out);
    } else if (of != NULL && t.kind == LULL_CTYPE_UNSIGNED) {
        lull_str_addf(out, "%" PRIu64, v);
    } else if (t.of != NULL && t.stars != 0) {
        lull_str_addf(out, "0x%" PRIx64, v);
    } else {
        return false;
    }
    return true;
}

void lull_value_show_one(uint64_t v, struct lull_ctype t, char format, struct lull_str *out)
{
    if (format == 0 && show_source(v, t, out)) {
        return;
    }
    const unsigned bits = lull_ctype_bits(t);
    const bool real = format == 'f' ? bits != 8 : lull_ctype_is_float(t) && format == 0;
    const bool decimal = format == 'f' || (format == 0 && lull_ctype_is_signed(t));
    if (real) {
        show_real(bits, v, out);
    } else if (format == 'd' || (decimal && lull_ctype_is_signed(t))) {
        lull_str_addf(out, "%" PRId64, sign_extend(v, bits));
    } else if (format == 'u' || decimal) {
        lull_str_addf(out, "%" PRIu64, v);
    } else if (format == 'o') {
        lull_str_addf(out, v == 0 ? "0" : "0%" PRIo64, v);
    } else if (format == 'a') {
        lull_str_addf(out, "0x%" PRIx64, v);
    } else if (format == 't') {
        show_binary(v, bits, out);
    } else if (format == 'c') {
        show_character(v, t, out);
    } else {
        lull_str_addf(out, "0x%0*" PRIx64, (int)bits / 4, v);
    }
}
