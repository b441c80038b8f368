// SPDX-License-Identifier: MIT
// The error function, the gamma function, remquo. Source: OpenCL C 2.0, 6.13.2; Abramowitz and Stegun, 6.1 and 7.1.
// In double for all types; functions of some length are called, so that vectors of 16 stay small.
#include "common.clh"

#define ERF_TERMS 20
#define ERFC_TERMS 22
#define GAMMA_TERMS 28

// 7.1.6, for |x| < 1: e^-xx (1 + 2xx/3 (1 + 2xx/5 (1 + ...))), all of one sign.
CALLED double erf_series(double x)
{
    double s = 2 * x * x, p = 1;
#pragma unroll
    for (int k = ERF_TERMS; k > 0; k--) {
        p = __builtin_fma(p, s * (1.0 / (2 * k + 1)), 1.0);
    }
    return 0x1.20dd750429b6dp+0 * x * exp(-s / 2) * p;
}
// erfc(x) e^xx (1 + 2x) from 0.5 to 28, where erfc is 0 in double: a polynomial in (x - 3.75) / (x + 3.75), moved and
// scaled to -1 to 1, from the highest power down. Of mpmath's chebyfit with 60 digits, which gives its error as 5e-18.
__constant double erfc_terms[ERFC_TERMS] = {
    -0x1.5e34528f8ac83p-37, 0x1.f56b62747dad0p-34, 0x1.237d047ee4aeep-33, -0x1.05b3c20bdd63dp-29,
    -0x1.36853d031a404p-31, 0x1.947983373ca17p-26, -0x1.2c577a85edfa6p-26, -0x1.1c97388c9fcd6p-22,
    0x1.6dcf0fee6455fp-21, 0x1.127864c412579p-19, -0x1.fa3c06bab987cp-17, 0x1.509e8ee5caf81p-16,
    0x1.4731cf073d006p-13, -0x1.298e491d838d5p-10, 0x1.1b65420c694d7p-8, -0x1.7fcd5585d1f6bp-7,
    0x1.8af8b9e6b3127p-6, -0x1.30a881562ae54p-5, 0x1.2d986b9cfb9f4p-5, 0x1.09b7c727e0074p-9,
    -0x1.b702beba06135p-4, 0x1.3cd1e2822eb29p+0,
};
CALLED double erfc_tail(double x)
{
    double u = ((x - 3.75) / (x + 3.75) + 0x1.e5ad3c5a97100p-12) * 0x1.4ef8dcef8dcf0p+0, p = 0;
#pragma unroll
    for (int k = 0; k < ERFC_TERMS; k++) {
        p = __builtin_fma(p, u, erfc_terms[k]);
    }
    double s = x * x, low = __builtin_fma(x, x, -s);
    return exp(-s) * (1 - low) * p / (1 + 2 * x);
}
FN double erfc(double x)
{
    double a = __builtin_fabs(x);
    if (x != x || a < 0.5) {
        return 1 - erf_series(x);
    }
    double tail = a > 28 ? 0 : erfc_tail(a);
    return x < 0 ? 2 - tail : tail;
}
FN double erf(double x)
{
    double a = __builtin_fabs(x);
    return x != x || a < 1 ? erf_series(x) : __builtin_copysign(a > 6 ? 1 : 1 - erfc_tail(a), x);
}

// ln gamma(2 + z) for |z| <= 1/2, 6.1.33: of z^k (-1)^k (zeta(k) - 1) / k, from k = 28 down; of z 1 - Euler's constant.
__constant double gamma_terms[GAMMA_TERMS] = {
    0x1.24932a337434cp-33, -0x1.2f69a9fabe3e0p-32, 0x1.3b15d2b2fc10cp-31, -0x1.47b1679258d0ep-30,
    0x1.555a877ffd2c3p-29, -0x1.6434a8447aeadp-28, 0x1.7469daccfadcdp-27, -0x1.862c734df3eacp-26,
    0x1.99b93c2070b0fp-25, -0x1.af5a6cbbf8a97p-24, 0x1.c76bbb3f07a4dp-23, -0x1.e2600d93cfd2fp-22,
    0x1.0064cdeb22f0fp-20, -0x1.11b2eb7679541p-19, 0x1.2597a39f34aacp-18, -0x1.3cbc963ce2243p-17,
    0x1.580dcee66eb02p-16, -0x1.78de5bd7c81efp-15, 0x1.a127b0f17d65ap-14, -0x1.d3fd4c76d2fc8p-13,
    0x1.0b36af86396e9p-11, -0x1.38ac5c2bf8e08p-10, 0x1.7add6eadb6c30p-9, -0x1.e404fc218f5f2p-8,
    0x1.51322ac7d8483p-6, -0x1.13e001a557607p-4, 0x1.4a34cc4a60fa6p-2,
    0x1.b0ee6072093cep-2,
};
CALLED double log_gamma_near_2(double z)
{
    double p = 0;
#pragma unroll
    for (int k = 0; k < GAMMA_TERMS; k++) {
        p = __builtin_fma(p, z, gamma_terms[k]);
    }
    return p * z;
}
// What Stirling's formula, 6.1.40, leaves out, for x >= 10.
static double __attribute__((always_inline)) stirling_rest(double x)
{
    double i = 1 / x, s = i * i, p = -3617.0 / 122400;
    p = __builtin_fma(p, s, 1.0 / 156);
    p = __builtin_fma(p, s, -691.0 / 360360);
    p = __builtin_fma(p, s, 1.0 / 1188);
    p = __builtin_fma(p, s, -1.0 / 1680);
    p = __builtin_fma(p, s, 1.0 / 1260);
    p = __builtin_fma(p, s, -1.0 / 360);
    p = __builtin_fma(p, s, 1.0 / 12);
    return p * i;
}
// gamma(x) for x > 0 is what is returned times *factor: one of both may be too large for it alone. Numbers that are
// added to x change none of its bits.
CALLED double gamma_positive(double x, double *factor)
{
    double product = 1, z = x - 2;
    *factor = 1;
    if (x > 190) {
        *factor = INFINITY;
        return INFINITY;
    }
    if (x >= 10) {
        double p = pow(x, (x - 0.5) / 2);
        *factor = p * exp(-x);
        return p * 0x1.40d931ff62706p+1 * exp(stirling_rest(x));
    }
    for (; z > 0.5; z -= 1) {
        product *= z + 1;
    }
    if (x < 0.5) {
        return exp(log_gamma_near_2(x)) / (1 + x) / x;
    }
    if (x < 1.5) {
        return exp(log_gamma_near_2(x - 1)) / x;
    }
    return exp(log_gamma_near_2(z)) * product;
}
CALLED double gamma_any(double x)
{
    double a = __builtin_fabs(x), factor = 1;
    if (x != x || x == INFINITY || x == 0) {
        return x == 0 ? 1 / x : x;
    }
    if (x < 0 && x == __builtin_floor(x)) {
        return NAN;
    }
    double g = gamma_positive(a, &factor);
    return x > 0 ? g * factor : -M_PI / (x * sinpi(x)) / g / factor; // 6.1.17
}
CALLED double log_gamma_positive(double x)
{
    double factor = 1;
    if (x < 0.5) {
        return log_gamma_near_2(x) - log1p(x) - log(x);
    }
    if (x < 1.5) {
        return log_gamma_near_2(x - 1) - log1p(x - 1);
    }
    if (x <= 2.5) {
        return log_gamma_near_2(x - 2);
    }
    if (x < 10) {
        return log(gamma_positive(x, &factor));
    }
    double l = log(x);
    return x > 0x1p60 ? x * (l - 1) : __builtin_fma(x - 0.5, l - 1, stirling_rest(x) + (0x1.d67f1c864beb5p-1 - 0.5));
}
CALLED double log_gamma_any(double x)
{
    double a = __builtin_fabs(x);
    if (x != x || a == INFINITY || (x <= 0 && x == __builtin_floor(x))) {
        return x != x ? x : INFINITY;
    }
    double l = log_gamma_positive(a);
    return x > 0 ? l : log(M_PI / __builtin_fabs(x * sinpi(x))) - l;
}
FN double tgamma(double x) { return gamma_any(x); }
FN double lgamma(double x) { return log_gamma_any(x); }
FN float erf(float x) { return (float)erf((double)x); }
FN float erfc(float x) { return (float)erfc((double)x); }
FN float tgamma(float x) { return (float)tgamma((double)x); }
FN float lgamma(float x) { return (float)lgamma((double)x); }
FN half erf(half x) { return (half)erf((double)x); }
FN half erfc(half x) { return (half)erfc((double)x); }
FN half tgamma(half x) { return (half)tgamma((double)x); }
FN half lgamma(half x) { return (half)lgamma((double)x); }
#define SPECIAL_WIDE(T) VEC1(T, erf, T) VEC1(T, erfc, T) VEC1(T, tgamma, T) VEC1(T, lgamma, T)
SPECIAL_WIDE(float) SPECIAL_WIDE(double) SPECIAL_WIDE(half)

// The remainder as in remainder(), and the lowest 7 bits of the quotient with its sign.
CALLED double remainder_and_quotient(double x, double y, int *quotient)
{
    double r = __builtin_fabs(x), b = __builtin_fabs(y);
    uint q = 0;
    *quotient = 0;
    if (!(r < INFINITY) || !(b > 0)) {
        return NAN;
    }
    while (r >= b) {
        int k = __builtin_amdgcn_frexp_exp(r) - __builtin_amdgcn_frexp_exp(b);
        double t = __builtin_ldexp(b, k);
        k = t > r ? k - 1 : k;
        r -= t > r ? t * 0.5 : t;
        q += k < 7 ? 1u << k : 0;
    }
    if (r > b - r || (r == b - r && (q & 1) != 0)) {
        r -= b;
        q++;
    }
    q &= 127;
    *quotient = __builtin_signbit(x) != __builtin_signbit(y) ? -(int)q : (int)q;
    return __builtin_signbit(x) ? -r : r;
}
#define REMQUO(T, A)                                                                               \
    FN T remquo(T x, T y, A int *quotient)                                                         \
    {                                                                                              \
        int q;                                                                                     \
        T r = (T)remainder_and_quotient((double)x, (double)y, &q);                                 \
        *quotient = q;                                                                             \
        return r;                                                                                  \
    }
#define REMQUO_OF(T) SPACES(REMQUO, T) SECOND_WIDE2(remquo, T, int)
REMQUO_OF(float) REMQUO_OF(double) REMQUO_OF(half)

// The sign of gamma: of -0 -1, of the other numbers at which it has no value 1.
#define LGAMMA_R(T, A)                                                                             \
    FN T lgamma_r(T x, A int *sign)                                                                \
    {                                                                                              \
        double d = (double)x, f = __builtin_floor(d);                                              \
        bool odd = d < 0 && f != d && f != 2 * __builtin_floor(f / 2);                             \
        *sign = odd || (d == 0 && __builtin_signbit(d)) ? -1 : 1;                                  \
        return lgamma(x);                                                                          \
    }
#define LGAMMA_R_OF(T) SPACES(LGAMMA_R, T) SECOND_WIDE1(lgamma_r, T, int)
LGAMMA_R_OF(float) LGAMMA_R_OF(double) LGAMMA_R_OF(half)
