// SPDX-License-Identifier: MIT
#include "cli/vulkan/vk_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lull_error *lull_tolerance_parse(const char *text, struct lull_tolerance *ret)
{
    static const char *const kinds[] = {"exact", "ulp", "abs", "rel"};
    struct lull_tolerance t = {0};
    const char *rest = text;
    const char *equals = strchr(text, '=');
    if (equals != NULL) {
        const size_t n = (size_t)(equals - text);
        if (n == 0 || n >= sizeof t.place) {
            return lull_error_new(LULL_ERR_INVALID, "--tolerance %s: no place", text);
        }
        memcpy(t.place, text, n);
        rest = equals + 1;
    }
    char name[8] = "";
    const size_t word = strcspn(rest, ":");
    if (word < sizeof name) {
        memcpy(name, rest, word);
    }
    t.type = lull_type_find(name);
    if (t.type != NULL) {
        rest += word + (rest[word] == ':');
    }
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const size_t n = strlen(kinds[i]);
        if (strncmp(rest, kinds[i], n) != 0 || rest[n] != (i == 0 ? '\0' : ':')) {
            continue;
        }
        char *end = NULL;
        t.kind = (enum lull_tolerance_kind)i;
        t.limit = i == 0 ? 0 : strtod(rest + n + 1, &end);
        if (i == 0 || (end != rest + n + 1 && *end == '\0' && t.limit >= 0)) {
            *ret = t;
            return NULL;
        }
    }
    return lull_error_new(LULL_ERR_INVALID,
                          "--tolerance: '%s' is not [PLACE=][TYPE:]ulp:N, abs:X, rel:X or exact",
                          text);
}

/** Numbers in an order in which neighbours are one apart. */
static int64_t ordered(const struct lull_type *t, const uint8_t *bytes)
{
    uint64_t bits = 0;
    memcpy(&bits, bytes, t->size);
    const uint64_t sign = (uint64_t)1 << (8 * t->size - 1);
    const int64_t magnitude = (int64_t)(bits & (sign - 1));
    return (bits & sign) != 0 ? -magnitude : magnitude;
}

static double number(const struct lull_type *t, const uint8_t *bytes)
{
    if (t->kind == 'f') {
        return lull_type_float(t, bytes);
    }
    uint64_t v = 0;
    memcpy(&v, bytes, t->size);
    const unsigned spare = 64 - 8 * t->size;
    return t->kind == 'i' ? (double)((int64_t)(v << spare) >> spare) : (double)v;
}

bool lull_within(const struct lull_type *t, const struct lull_tolerance *tolerance,
                 const uint8_t *got, const uint8_t *want, double *error)
{
    const double a = number(t, got), b = number(t, want);
    *error = isfinite(a) && isfinite(b) ? fabs(a - b) : 0;
    if (tolerance == NULL || tolerance->kind == LULL_TOLERANCE_EXACT) {
        return false; // the bytes are different
    }
    if (isnan(a) || isnan(b)) {
        return isnan(a) && isnan(b);
    }
    switch (tolerance->kind) {
    case LULL_TOLERANCE_ULP:
        if (t->kind != 'f') {
            return fabs(a - b) <= tolerance->limit;
        }
        return fabs((double)ordered(t, got) - (double)ordered(t, want)) <= tolerance->limit;
    case LULL_TOLERANCE_ABS:
        return fabs(a - b) <= tolerance->limit;
    case LULL_TOLERANCE_REL:
        return fabs(a - b) <= tolerance->limit * fmax(fabs(a), fabs(b));
    case LULL_TOLERANCE_EXACT:
        break;
    }
    return false;
}

void lull_compare(const struct lull_type *t, const struct lull_tolerance *tolerance,
                  const uint8_t *got, const uint8_t *want, size_t size, struct lull_difference *ret)
{
    *ret = (struct lull_difference){.elements = size / t->size, .type = t};
    for (size_t i = 0; i < ret->elements; i++) {
        const uint8_t *a = got + i * t->size, *b = want + i * t->size;
        double error = 0;
        if (memcmp(a, b, t->size) == 0 || lull_within(t, tolerance, a, b, &error)) {
            continue;
        }
        if (ret->count++ == 0) {
            ret->first = i;
            lull_type_print(t, a, ret->got);
            lull_type_print(t, b, ret->want);
        }
        ret->max_error = error > ret->max_error ? error : ret->max_error;
    }
    const size_t tail = size % t->size;
    if (tail != 0 && memcmp(got + size - tail, want + size - tail, tail) != 0) {
        if (ret->count++ == 0) {
            ret->first = ret->elements;
            snprintf(ret->got, sizeof ret->got, "byte %u", got[size - tail]);
            snprintf(ret->want, sizeof ret->want, "byte %u", want[size - tail]);
        }
    }
}

void lull_difference_text(struct lull_str *out, const char *place, const struct lull_difference *d)
{
    lull_str_addf(out, "%s: %zu of %zu %s differ, first [%zu]: got %s, want %s", place, d->count,
                  d->elements, d->type->name, d->first, d->got, d->want);
    if (d->max_error > 0) {
        lull_str_addf(out, ", greatest distance %g", d->max_error);
    }
    lull_str_addf(out, "\n");
}

void lull_difference_json(struct lull_json *j, const char *place, const struct lull_difference *d)
{
    lull_json_put_str(j, "place", place);
    lull_json_put_str(j, "type", d->type->name);
    lull_json_put_u64(j, "elements", d->elements);
    lull_json_put_u64(j, "different", d->count);
    if (d->count != 0) {
        char error[32] = "";
        snprintf(error, sizeof error, "%.9g", d->max_error);
        lull_json_put_u64(j, "first", d->first);
        lull_json_put_str(j, "got", d->got);
        lull_json_put_str(j, "want", d->want);
        lull_json_put_str(j, "max_error", error);
    }
}

static uint32_t rotate(uint32_t v, unsigned n)
{
    return v >> n | v << (32 - n);
}

// First 32 bits of the fractions of the roots of primes: square roots of 8, cube roots of 64.
// clang-format off
static const uint32_t sha_start[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};
static const uint32_t sha_round[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
    0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5,
    0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
// clang-format on

static void sha_block(uint32_t h[8], const uint8_t *p)
{
    uint32_t w[64] = {0}, s[8] = {0};
    memcpy(s, h, sizeof s);
    for (unsigned i = 0; i < 64; i++) {
        if (i < 16) {
            w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
                   (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
        } else {
            const uint32_t a = w[i - 15], b = w[i - 2];
            w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
                   (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
        }
        const uint32_t e = s[4], a = s[0];
        const uint32_t t1 = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                            ((e & s[5]) ^ (~e & s[6])) + sha_round[i] + w[i];
        const uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                            ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (unsigned i = 0; i < 8; i++) {
        h[i] += s[i];
    }
}

void lull_sha256_text(const uint8_t *bytes, size_t size, char text[65])
{
    uint32_t h[8] = {0};
    memcpy(h, sha_start, sizeof h);
    size_t at = 0;
    for (; size - at >= 64; at += 64) {
        sha_block(h, bytes + at);
    }
    uint8_t tail[128] = {0};
    const size_t left = size - at, blocks = left < 56 ? 64 : 128;
    if (left != 0) {
        memcpy(tail, bytes + at, left);
    }
    tail[left] = 0x80;
    for (unsigned i = 0; i < 8; i++) {
        tail[blocks - 1 - i] = (uint8_t)((uint64_t)size * 8 >> 8 * i);
    }
    for (size_t i = 0; i < blocks; i += 64) {
        sha_block(h, tail + i);
    }
    for (unsigned i = 0; i < 8; i++) {
        snprintf(text + 8 * i, 9, "%08x", h[i]);
    }
}
