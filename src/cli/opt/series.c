// SPDX-License-Identifier: MIT
#include "cli/opt/series.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opt/args.h"
#include "cli/opt/opt.h"

static const struct lull_type types[] = {
    {"i8", 1, 'i'},  {"u8", 1, 'u'},  {"i16", 2, 'i'}, {"u16", 2, 'u'},
    {"f16", 2, 'f'}, {"i32", 4, 'i'}, {"u32", 4, 'u'}, {"f32", 4, 'f'},
    {"i64", 8, 'i'}, {"u64", 8, 'u'}, {"f64", 8, 'f'},
};

const struct lull_type *lull_type_find(const char *name)
{
    for (size_t i = 0; name != NULL && i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i].name, name) == 0) {
            return &types[i];
        }
    }
    return NULL;
}

uint16_t lull_type_half(double v)
{
    const uint16_t sign = signbit(v) ? 0x8000 : 0;
    const double a = fabs(v);
    if (isnan(v)) {
        return 0x7e00;
    }
    if (a >= 65520.0) { // half way to what would be the next power of two
        return sign | 0x7c00;
    }
    if (a < 0x1p-14) {
        return sign | (uint16_t)nearbyint(a * 0x1p24);
    }
    int e = 0;
    const double m = frexp(a, &e); // m in [0.5, 1)
    // Eleven bits; rounding up to 2048 carries into the exponent as it should.
    return sign | (uint16_t)(((unsigned)(e + 13) << 10) + (unsigned)nearbyint(m * 2048.0));
}

static double from_half(uint16_t h)
{
    const int e = h >> 10 & 31, m = h & 1023;
    const double a = e == 31  ? (m != 0 ? (double)NAN : (double)INFINITY)
                     : e == 0 ? ldexp(m, -24)
                              : ldexp(m + 1024, e - 25);
    return (h & 0x8000) != 0 ? -a : a;
}

double lull_type_float(const struct lull_type *t, const uint8_t *bytes)
{
    if (t->size == 2) {
        uint16_t h = 0;
        memcpy(&h, bytes, sizeof h);
        return from_half(h);
    }
    if (t->size == 4) {
        float f = 0;
        memcpy(&f, bytes, sizeof f);
        return (double)f;
    }
    double d = 0;
    memcpy(&d, bytes, sizeof d);
    return d;
}

void lull_type_print(const struct lull_type *t, const uint8_t *bytes, char text[32])
{
    if (t->kind == 'f') {
        snprintf(text, 32,
                 t->size == 8   ? "%.17g"
                 : t->size == 4 ? "%.9g"
                                : "%.5g",
                 lull_type_float(t, bytes));
        return;
    }
    uint64_t v = 0;
    memcpy(&v, bytes, t->size);
    if (t->kind == 'i') {
        const unsigned spare = 64 - 8 * t->size;
        snprintf(text, 32, "%lld", (long long)((int64_t)(v << spare) >> spare));
    } else {
        snprintf(text, 32, "%llu", (unsigned long long)v);
    }
}

struct lull_error *lull_type_parse(const struct lull_type *t, const char *text, uint8_t *bytes)
{
    char *end = NULL;
    bool fits = text[0] != '\0' && !isspace((unsigned char)text[0]);
    errno = 0;
    if (t->kind == 'f') {
        const double d = strtod(text, &end);
        if (t->size == 4) {
            const float f = strtof(text, &end);
            memcpy(bytes, &f, sizeof f);
        } else if (t->size == 2) {
            const uint16_t h = lull_type_half(d);
            memcpy(bytes, &h, sizeof h);
        } else {
            memcpy(bytes, &d, sizeof d);
        }
        errno = 0; // too large or too small is infinity or a denormal
    } else if (t->kind == 'i') {
        const long long v = strtoll(text, &end, 0);
        const unsigned spare = 64 - 8 * t->size;
        fits = fits && (int64_t)((uint64_t)v << spare) >> spare == v;
        memcpy(bytes, &v, t->size);
    } else {
        const unsigned long long v = strtoull(text, &end, 0);
        fits = fits && text[0] != '-' && (t->size == 8 || v >> 8 * t->size == 0);
        memcpy(bytes, &v, t->size);
    }
    return fits && errno == 0 && end != text && *end == '\0'
               ? NULL
               : lull_error_new(LULL_ERR_INVALID, "'%s' is not a value of type %s", text, t->name);
}

struct lull_error *lull_args_number(const char *what, const char *text, uint64_t max, uint64_t *ret)
{
    return lull_opt_number(what, text, 0, max, ret);
}

char *lull_next_part(char **rest)
{
    char *part = *rest;
    char *colon = part != NULL ? strchr(part, ':') : NULL;
    *rest = colon != NULL ? colon + 1 : NULL;
    if (colon != NULL) {
        *colon = '\0';
    }
    return part;
}

/** SplitMix64 by Sebastiano Vigna (public domain description): the next of its numbers. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void lull_series_fill(const struct lull_type *t, const uint64_t *seed, uint64_t count,
                      uint8_t *bytes)
{
    uint64_t state = seed != NULL ? *seed : 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t r = seed != NULL ? next_random(&state) : i;
        uint8_t *p = bytes + i * t->size;
        if (t->kind != 'f') {
            memcpy(p, &r, t->size);
        } else if (t->size == 2) {
            const uint16_t h =
                lull_type_half(seed != NULL ? (double)(r >> 53) * 0x1p-11 : (double)r);
            memcpy(p, &h, sizeof h);
        } else if (t->size == 4) {
            const float f = seed != NULL ? (float)(r >> 40) * 0x1p-24f : (float)r;
            memcpy(p, &f, sizeof f);
        } else {
            const double d = seed != NULL ? (double)(r >> 11) * 0x1p-53 : (double)r;
            memcpy(p, &d, sizeof d);
        }
    }
}
