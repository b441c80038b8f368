// SPDX-License-Identifier: MIT
#include "model/fp/fp.h"

#include <stddef.h>

#include "model/fp/fp_core.h"
#include "model/fp/fp_wide.h"

/*
 * Power series in 64-bit fixed point: the error is below 2^-54 of the result (below 2^-29 of an
 * f32 ULP), and the same on every host. The tables are rounded to the last bit.
 */

/** ln(2)^k / k! in units of 2^-62: 2^x = sum of coefficient k times x^k. */
static const uint64_t exp_coefficients[] = {
    0x4000000000000000, 0x2c5c85fdf473de6b, 0x0f5fdeffc162c754, 0x038d611ae09417f1,
    0x009d955b7dd273b9, 0x0015d87fe78a6731, 0x0002861225f0d8f1, 0x00003ff97f8b1162,
    0x0000058b0088e972, 0x0000006d494f4e58, 0x00000007933d4563, 0x000000007a32b1cd,
    0x00000000070ef594, 0x0000000000605865, 0x000000000004c526, 0x000000000000386e,
    0x0000000000000272, 0x000000000000001a, 0x0000000000000001,
};

/** 1 / (2k + 1) in units of 2^-63: artanh(t) = t times the sum of coefficient k times t^2k. */
static const uint64_t log_coefficients[] = {
    0x8000000000000000, 0x2aaaaaaaaaaaaaab, 0x199999999999999a, 0x1249249249249249,
    0x0e38e38e38e38e39, 0x0ba2e8ba2e8ba2e9, 0x09d89d89d89d89d9, 0x0888888888888889,
    0x0787878787878788, 0x06bca1af286bca1b, 0x0618618618618618, 0x0590b21642c8590b,
    0x051eb851eb851eb8, 0x04bda12f684bda13,
};

/** 1 / (2k + 1)! in units of 2^-63: sin(x) = x times their sum with x^2k and alternating sign. */
static const uint64_t sin_coefficients[] = {
    0x8000000000000000, 0x1555555555555555, 0x0111111111111111, 0x0006806806806807,
    0x0000171de3a556c7, 0x00000035cc8acfeb, 0x000000005849184f, 0x00000000006b9fd0,
    0x000000000000654b, 0x000000000000004c, 0x0000000000000000,
};

/** 1 / (2k)! in units of 2^-63: cos(x) = their sum with x^2k and alternating sign. */
static const uint64_t cos_coefficients[] = {
    0x8000000000000000, 0x4000000000000000, 0x0555555555555555, 0x002d82d82d82d82e,
    0x0000d00d00d00d01, 0x0000024fc9f6ef14, 0x000000047bb63bfe, 0x00000000064e5d2a,
    0x000000000006b9fd, 0x00000000000005a1, 0x0000000000000004,
};

#define TWO_OVER_LN2 0xb8aa3b295c17f0bcu ///< In units of 2^-62.
#define HALF_PI 0xc90fdaa22168c235u      ///< In units of 2^-63.

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/** c[0] + x * (c[1] + x * ...), x in units of 2^-64. */
static uint64_t series(const uint64_t *c, size_t n, uint64_t x)
{
    uint64_t r = c[n - 1];
    for (size_t k = n - 1; k-- > 0;) {
        r = c[k] + lull_mulhi(x, r);
    }
    return r;
}

/** c[0] - x * (c[1] - x * ...), x below 1 in units of 2^-64, c falling. */
static uint64_t alternating(const uint64_t *c, size_t n, uint64_t x)
{
    uint64_t r = c[n - 1];
    for (size_t k = n - 1; k-- > 0;) {
        r = c[k] - lull_mulhi(x, r);
    }
    return r;
}

/** Result sig / 2^62 * 2^exp, not normalised; sig 0: zero. */
struct result {
    uint64_t sig;
    int32_t exp;
    bool sign;
};

static struct result rcp(struct lull_fp_num n)
{
    uint64_t k = (uint64_t)1 << 31 | n.sig >> 31; // 32 bits, exact; the top one is set anyway.
    uint64_t q = ((uint64_t)1 << 63) / k;
    bool exact = q * k == (uint64_t)1 << 63;
    struct result r = {q << 1 | !exact, 29 - n.exp, n.sign};
    return r;
}

static struct result square_root(struct lull_fp_num n)
{
    bool odd = n.exp & 1, exact = false;
    uint64_t root = lull_sqrt64(n.sig << odd, &exact);
    struct result r = {root << 1 | !exact, 30 + (n.exp - odd) / 2, false};
    return r;
}

static struct result reciprocal_root(struct lull_fp_num n)
{
    bool odd = n.exp & 1;
    // sig << odd is a quarter of the operand, in [1/4, 1), in units of 2^-64.
    struct result r = {lull_inverse_root(n.sig << odd, 5), -((n.exp - odd) / 2) - 1, false};
    return r;
}

/** Whole and fractional part (units of 2^-64) of |n|, n.exp below 62. */
static uint64_t split(struct lull_fp_num n, uint64_t *whole)
{
    if (n.exp >= 0) {
        *whole = n.sig >> (62 - n.exp);
        return n.sig << 1 << (n.exp + 1);
    }
    *whole = 0;
    return n.exp < -63 ? 0 : n.sig << 1 >> (-n.exp - 1);
}

static struct result power_of_two(struct lull_fp_num n)
{
    uint64_t whole = 0;
    struct lull_fp_num limited = n;
    limited.exp = n.exp > 12 ? 12 : n.exp; // Far beyond the exponents of f32.
    uint64_t fraction = split(limited, &whole);
    int32_t exp = (int32_t)whole;
    if (n.sign) {
        exp = -exp - (fraction != 0);
        fraction = 0 - fraction;
    }
    struct result r = {series(exp_coefficients, COUNT(exp_coefficients), fraction), exp, false};
    return r;
}

static struct result log_two(struct lull_fp_num n)
{
    // Operand 2^exp * k / 2^24 with k / 2^24 in [0.7, 1.4]; t = (k - 2^24) / (k + 2^24).
    const int64_t one = (int64_t)1 << 24;
    int64_t k = (int64_t)(n.sig >> 38);
    int32_t exp = n.exp;
    if (k > 0x16a09e6) {
        // Half of it is k / 2^25: take everything in units of 2^-25.
        exp++;
    } else {
        k <<= 1;
    }
    uint64_t num = (uint64_t)(k < 2 * one ? 2 * one - k : k - 2 * one);
    uint64_t den = (uint64_t)(k + 2 * one);
    bool below = k < 2 * one;
    struct result r = {0, 0, false};
    uint64_t p = 0;
    unsigned up = 0; // log2 of the mantissa is p / 2^(up + 21).
    if (num) {
        up = lull_fp_clz(num);
        uint64_t q = (num << up) / den;
        uint64_t rest = (num << up) % den;
        uint64_t t = q << 24 | (rest << 24) / den; // Ratio times 2^(24 + up).
        uint64_t fixed = up - 40 > 63 ? 0 : t >> (up - 40);
        uint64_t s = series(log_coefficients, COUNT(log_coefficients), lull_mulhi(fixed, fixed));
        p = lull_mulhi(lull_mulhi(t, s), TWO_OVER_LN2);
    }
    if (exp == 0) {
        r.sig = p;
        r.exp = 41 - (int32_t)up;
        r.sign = below;
        return r;
    }
    unsigned down = up + 21 - 54;
    int64_t fixed = p == 0 || down > 63 ? 0 : (int64_t)(p >> down);
    int64_t v = (int64_t)exp * ((int64_t)1 << 54) + (below ? -fixed : fixed);
    r.sign = v < 0;
    r.sig = (uint64_t)(v < 0 ? -v : v);
    r.exp = 8;
    return r;
}

/** sin(g * pi / 2), g from 0 to 1 in units of 2^-62. */
static struct result quarter_sine(uint64_t g)
{
    const uint64_t one = (uint64_t)1 << 62;
    bool upper = g > one / 2;
    uint64_t h = upper ? one - g : g;
    uint64_t a = lull_mulhi(h << 2, HALF_PI) << 1; // Below 0.8, units of 2^-64.
    uint64_t a2 = lull_mulhi(a, a);
    struct result r = {0, 0, false};
    if (upper) {
        r.sig = alternating(cos_coefficients, COUNT(cos_coefficients), a2) >> 1;
    } else if (h) {
        unsigned up = lull_fp_clz(h);
        uint64_t s = alternating(sin_coefficients, COUNT(sin_coefficients), a2);
        r.sig = lull_mulhi(lull_mulhi(h << up, s), HALF_PI);
        r.exp = 2 - (int32_t)up;
    }
    return r;
}

/** Sine or cosine of a number of revolutions. */
static struct result sine(struct lull_fp_num n, bool cosine)
{
    const uint64_t one = (uint64_t)1 << 62;
    uint64_t whole = 0;
    if (n.exp < -30 && !cosine) {
        // 2 pi x: the next term is below 2^-56 of it.
        struct result r = {lull_mulhi(n.sig, HALF_PI), n.exp + 3, n.sign};
        return r;
    }
    uint64_t turn = n.exp > 61 ? 0 : split(n, &whole);
    unsigned quadrant = (unsigned)(turn >> 62);
    uint64_t g = turn & (one - 1);
    bool mirror = (quadrant & 1) != cosine;
    struct result r = quarter_sine(mirror ? one - g : g);
    bool lower = cosine ? quadrant == 1 || quadrant == 2 : quadrant >= 2;
    r.sign = cosine ? lower && r.sig : r.sig ? lower != n.sign : n.sign;
    return r;
}

/** Round to nearest even, whatever MODE says. */
static uint64_t finish(struct lull_fp_format f, struct result r, uint32_t m)
{
    if (r.sig == 0) {
        return r.sign ? lull_fp_sign_bit(f) : 0;
    }
    unsigned top = lull_fp_clz(r.sig);
    if (top == 0) {
        return lull_fp_round_to(f, r.sign, r.exp + 1, lull_fp_jam(r.sig, 1), LULL_ROUND_NEAREST, m);
    }
    return lull_fp_round_to(f, r.sign, r.exp - (int32_t)top + 1, r.sig << (top - 1),
                            LULL_ROUND_NEAREST, m);
}

enum function { RCP, RSQ, SQRT, EXP, LOG, SIN, COS };

/** Result for zero, infinity, NaN and negative operands of roots; false: compute. */
static bool special(struct lull_fp_format f, enum function fn, struct lull_fp_num n, uint32_t m,
                    uint64_t *ret)
{
    uint64_t sign = n.sign ? lull_fp_sign_bit(f) : 0;
    uint64_t inf = lull_fp_inf(f, false);
    uint64_t one = (((uint64_t)1 << (f.ebits - 1)) - 1) << f.mant;
    // What zero (first) and infinity (second) give, without sign.
    const uint64_t table[][2] = {
        [RCP] = {inf, 0},   [RSQ] = {inf, 0},   [SQRT] = {0, inf},   [EXP] = {one, inf},
        [LOG] = {inf, inf}, [SIN] = {0, f.nan}, [COS] = {one, f.nan}};
    bool root = fn == RSQ || fn == SQRT || fn == LOG;
    if (n.kind == LULL_FP_NAN) {
        *ret = lull_fp_quiet(f, n.sig, m);
        return true;
    }
    if (root && n.sign && n.kind != LULL_FP_ZERO) {
        *ret = f.nan;
        return true;
    }
    if (n.kind == LULL_FP_FINITE) {
        return false;
    }
    *ret = table[fn][n.kind == LULL_FP_INF];
    if (fn == EXP) {
        *ret = n.kind == LULL_FP_INF && n.sign ? 0 : *ret;
    } else if (fn == LOG) {
        *ret |= n.kind == LULL_FP_ZERO ? lull_fp_sign_bit(f) : 0;
    } else if (fn != COS) {
        *ret |= sign;
    }
    return true;
}

static uint64_t transcendental(struct lull_fp_format f, enum function fn, uint64_t a, uint32_t m)
{
    struct lull_fp_num n = lull_fp_unpack(f, a, m);
    uint64_t ret = 0;
    if (special(f, fn, n, m, &ret)) {
        return ret;
    }
    switch (fn) {
    case RCP:
        return finish(f, rcp(n), m);
    case RSQ:
        return finish(f, reciprocal_root(n), m);
    case SQRT:
        return finish(f, square_root(n), m);
    case EXP:
        return finish(f, power_of_two(n), m);
    case LOG:
        return finish(f, log_two(n), m);
    case SIN:
    case COS:
        break;
    }
    return finish(f, sine(n, fn == COS), m);
}

static uint32_t f32(enum function fn, uint32_t a, uint32_t m)
{
    m &= ~(3u << LULL_FP_DENORM_F32_SHIFT); // The unit flushes operands and results.
    return (uint32_t)transcendental(lull_fp32, fn, a, m);
}

uint32_t lull_f32_rcp(uint32_t a, uint32_t m)
{
    return f32(RCP, a, m);
}

uint32_t lull_f32_rsq(uint32_t a, uint32_t m)
{
    return f32(RSQ, a, m);
}

uint32_t lull_f32_sqrt(uint32_t a, uint32_t m)
{
    return f32(SQRT, a, m);
}

uint32_t lull_f32_exp(uint32_t a, uint32_t m)
{
    return f32(EXP, a, m);
}

uint32_t lull_f32_log(uint32_t a, uint32_t m)
{
    return f32(LOG, a, m);
}

uint32_t lull_f32_sin(uint32_t a, uint32_t m)
{
    return f32(SIN, a, m);
}

uint32_t lull_f32_cos(uint32_t a, uint32_t m)
{
    return f32(COS, a, m);
}

uint16_t lull_f16_rcp(uint16_t a, uint32_t m)
{
    return (uint16_t)transcendental(lull_fp16, RCP, a, m);
}

uint16_t lull_f16_rsq(uint16_t a, uint32_t m)
{
    return (uint16_t)transcendental(lull_fp16, RSQ, a, m);
}

uint16_t lull_f16_sqrt(uint16_t a, uint32_t m)
{
    return (uint16_t)transcendental(lull_fp16, SQRT, a, m);
}

uint16_t lull_f16_exp(uint16_t a, uint32_t m)
{
    return (uint16_t)transcendental(lull_fp16, EXP, a, m);
}

uint16_t lull_f16_log(uint16_t a, uint32_t m)
{
    return (uint16_t)transcendental(lull_fp16, LOG, a, m);
}

uint16_t lull_f16_sin(uint16_t a, uint32_t m)
{
    return (uint16_t)transcendental(lull_fp16, SIN, a, m);
}

uint16_t lull_f16_cos(uint16_t a, uint32_t m)
{
    return (uint16_t)transcendental(lull_fp16, COS, a, m);
}
