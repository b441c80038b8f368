// SPDX-License-Identifier: MIT
// Floating-point functions. Source: OpenCL C 2.0, 6.13.2, 6.13.4, 6.13.5, 6.13.6.
//
// float: exp, log and their kin as the compiler lowers them for the hardware's base-2 instructions; what has no
// instruction is computed in double and rounded once. double: power series over reduced arguments, within a few
// units in the last place; sin, cos and tan take any argument.
// Not here: printf. erf, gamma functions, remquo: special.cl.
#include "common.clh"

#define SIN_TERMS 10
#define EXP_TERMS 14
#define LOG_TERMS 12
#define ATAN_TERMS 13

static double __attribute__((always_inline)) scale(double x, int n) { return __builtin_ldexp(x, n); }

static double __attribute__((always_inline)) exp_small(double r, double n)
{
    double p = 1;
#pragma unroll
    for (int k = EXP_TERMS; k > 0; k--) {
        p = __builtin_fma(p, r / k, 1.0);
    }
    n = n > 2100 ? 2100 : n < -2100 ? -2100 : n;
    int half_way = (int)n / 2;
    return scale(scale(p, half_way), (int)n - half_way);
}
static double __attribute__((always_inline)) exp_wide(double x, double to_base2, double high, double low)
{
    if (x != x) {
        return x;
    }
    x = x > 1e5 ? 1e5 : x < -1e5 ? -1e5 : x;
    double n = __builtin_rint(x * to_base2);
    return exp_small(__builtin_fma(-n, low, __builtin_fma(-n, high, x)), n);
}
FN double exp(double x) { return exp_wide(x, M_LOG2E, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56); }
FN double exp2(double x)
{
    if (x != x) {
        return x;
    }
    x = x > 1e5 ? 1e5 : x < -1e5 ? -1e5 : x;
    double n = __builtin_rint(x);
    return exp_small((x - n) * M_LN2, n);
}
FN double exp10(double x)
{
    if (x != x) {
        return x;
    }
    x = x > 1e4 ? 1e4 : x < -1e4 ? -1e4 : x;
    double n = __builtin_rint(x * 3.3219280948873623); // of log2(10); log10(2) in two parts
    return exp_small(__builtin_fma(-n, -0x1.9dc1da994fd21p-59, __builtin_fma(-n, 0x1.34413509f79ffp-2, x)) * M_LN10, n);
}
// log of the mantissa in [sqrt(1/2), sqrt(2)), and the exponent that goes with it.
static double __attribute__((always_inline)) log_parts(double x, double *e)
{
    double m = __builtin_amdgcn_frexp_mant(x);
    int n = __builtin_amdgcn_frexp_exp(x);
    bool small = m < M_SQRT1_2;
    m = small ? m + m : m;
    *e = small ? n - 1 : n;
    double f = (m - 1) / (m + 1), s = f * f, p = 0;
#pragma unroll
    for (int k = LOG_TERMS; k > 0; k--) {
        p = __builtin_fma(p, s, 2.0 / (2 * k + 1));
    }
    return __builtin_fma(f * s, p, 2 * f);
}
static bool __attribute__((always_inline)) log_special(double x) { return !(x > 0) || x == INFINITY; }
static double __attribute__((always_inline)) log_of_special(double x) { return x == 0 ? -INFINITY : x > 0 ? x : NAN; }
FN double log(double x)
{
    double e, l = log_parts(x, &e);
    return log_special(x) ? log_of_special(x) : __builtin_fma(e, 0x1.62e42fefa39efp-1, __builtin_fma(e, 0x1.abc9e3b39803fp-56, l));
}
FN double log2(double x)
{
    double e, l = log_parts(x, &e);
    return log_special(x) ? log_of_special(x) : __builtin_fma(l, M_LOG2E, e);
}
FN double log10(double x) { return log(x) * M_LOG10E; }
FN double log1p(double x)
{
    double u = 1 + x;
    return u == 1 ? x : u == INFINITY ? u : log(u) * (x / (u - 1));
}
FN double expm1(double x)
{
    double u = exp(x);
    return u == 1 ? x : u - 1 == -1 ? -1 : u == INFINITY ? u : (u - 1) * (x / log(u));
}

static double __attribute__((always_inline)) sin_series(double r)
{
    double s = r * r, p = 1;
#pragma unroll
    for (int k = SIN_TERMS; k > 0; k--) {
        p = __builtin_fma(p, -s / ((2 * k) * (2 * k + 1)), 1.0);
    }
    return p * r;
}
static double __attribute__((always_inline)) cos_series(double r)
{
    double s = r * r, p = 1;
#pragma unroll
    for (int k = SIN_TERMS; k > 0; k--) {
        p = __builtin_fma(p, -s / ((2 * k) * (2 * k - 1)), 1.0);
    }
    return p;
}
// 2/pi: a word of zeros, then its bits after the point.
__constant ulong two_over_pi[20] = {
    0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
    0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
};
// Payne and Hanek: of the bits of x * 2/pi only those below 4 matter; 192 bits of 2/pi leave enough of them.
static double __attribute__((noinline)) reduce_large(double x, int *quarter)
{
    ulong bits = as_ulong(x), m = (bits & 0xfffffffffffff) | 0x10000000000000;
    uint skip = (uint)(bits >> 52 & 0x7ff) - 1075 + 62, k = skip / 64, left = skip % 64;
    ulong w[3];
#pragma unroll
    for (uint i = 0; i < 3; i++) {
        ulong low = two_over_pi[k + i + 1];
        w[i] = left == 0 ? two_over_pi[k + i] : two_over_pi[k + i] << left | low >> (64 - left);
    }
    ulong carried = mul_hi(m, w[2]), low = m * w[1] + carried;
    ulong high = m * w[0] + mul_hi(m, w[1]) + (low < carried ? 1 : 0);
    uint q = (uint)((high + (1ul << 61)) >> 62);
    high -= (ulong)q << 62;
    bool below = (long)high < 0;
    if (below) {
        low = -low;
        high = ~high + (low == 0 ? 1 : 0);
    }
    double r = ((double)high * 0x1p-62 + (double)low * 0x1p-126) * M_PI_2;
    bool negative = bits >> 63 != 0;
    *quarter = (int)((negative ? -q : q) & 3);
    return below != negative ? -r : r;
}
static double __attribute__((always_inline)) reduce(double x, int *quarter)
{
    if (__builtin_fabs(x) > 0x1p30 && __builtin_fabs(x) < INFINITY) {
        return reduce_large(x, quarter);
    }
    double n = __builtin_rint(x * M_2_PI);
    *quarter = (int)(n - 4 * __builtin_floor(n * 0.25));
    double r = __builtin_fma(-n, 0x1.921fb54442d18p+0, x);
    return __builtin_fma(-n, 0x1.1a62633145c07p-54, r);
}
static double __attribute__((always_inline)) circle(double x, int turn)
{
    int q;
    double r = reduce(x, &q);
    q += turn;
    double v = (q & 1) != 0 ? cos_series(r) : sin_series(r);
    return (q & 2) != 0 ? -v : v;
}
FN double sin(double x) { return x == 0 ? x : circle(x, 0); }
FN double cos(double x) { return circle(x, 1); }
FN double tan(double x) { return x == 0 ? x : circle(x, 0) / circle(x, 1); }
// From the next quarter of a turn, to which the distance is exact.
static double __attribute__((always_inline)) circle_pi(double x, int turn)
{
    double half_turn = x - 2 * __builtin_rint(x * 0.5), q = __builtin_rint(half_turn * 2);
    double r = (half_turn - q * 0.5) * M_PI;
    int quarter = (int)q + turn;
    double v = (quarter & 1) != 0 ? cos_series(r) : sin_series(r);
    return (quarter & 2) != 0 ? -v : v;
}
FN double sinpi(double x) { return __builtin_isinf(x) ? NAN : x == __builtin_rint(x) ? __builtin_copysign(0.0, x) : circle_pi(x, 0); }
FN double cospi(double x) { return x - __builtin_floor(x) == 0.5 ? 0.0 : circle_pi(x, 1); }
FN double tanpi(double x) { return sinpi(x) / cospi(x); }

FN double atan(double x)
{
    double a = __builtin_fabs(x);
    bool inverted = a > 1;
    a = inverted ? 1 / a : a;
    double add = 0;
    if (a > 0.6681786379192989) { // tan(3 pi/16)
        a = (a - 1) / (a + 1), add = M_PI_4;
    } else if (a > 0.1989123673796580) { // tan(pi/16)
        a = (a - 0.4142135623730951) / (1 + a * 0.4142135623730951), add = M_PI_4 / 2;
    }
    double s = -a * a, p = 0;
#pragma unroll
    for (int k = ATAN_TERMS; k >= 0; k--) {
        p = __builtin_fma(p, s, 1.0 / (2 * k + 1));
    }
    double v = add + a * p;
    return __builtin_copysign(inverted ? M_PI_2 - v : v, x);
}
FN double atan2(double y, double x)
{
    if (x != x || y != y) {
        return x + y;
    }
    double ax = __builtin_fabs(x), ay = __builtin_fabs(y);
    double v = ay == ax ? (ax == 0 ? 0 : M_PI_4) : atan(ay / ax);
    bool left = __builtin_signbit(x);
    return __builtin_copysign(left ? M_PI - v : v, y);
}
FN double asin(double x) { return atan2(x, __builtin_sqrt((1 - x) * (1 + x))); }
FN double acos(double x) { return atan2(__builtin_sqrt((1 - x) * (1 + x)), x); }
FN double asinpi(double x) { return asin(x) * M_1_PI; }
FN double acospi(double x) { return acos(x) * M_1_PI; }
FN double atanpi(double x) { return atan(x) * M_1_PI; }
FN double atan2pi(double y, double x) { return atan2(y, x) * M_1_PI; }
FN double sinh(double x)
{
    double e = expm1(__builtin_fabs(x));
    return __builtin_copysign(e == INFINITY ? e : (e + e / (e + 1)) / 2, x);
}
FN double cosh(double x)
{
    double e = exp(__builtin_fabs(x));
    return (e + 1 / e) / 2;
}
FN double tanh(double x)
{
    double e = expm1(-2 * __builtin_fabs(x));
    return __builtin_copysign(-e / (e + 2), x);
}
FN double asinh(double x)
{
    double a = __builtin_fabs(x);
    return __builtin_copysign(a > 1e8 ? log(a) + M_LN2 : log1p(a + a * a / (1 + __builtin_sqrt(1 + a * a))), x);
}
FN double acosh(double x)
{
    return x > 1e8 ? log(x) + M_LN2 : x < 1 ? NAN : log1p(x - 1 + __builtin_sqrt((x - 1) * (x + 1)));
}
FN double atanh(double x)
{
    double a = __builtin_fabs(x);
    return __builtin_copysign(log1p(2 * a / (1 - a)) / 2, x);
}
FN double cbrt(double x)
{
    if (x == 0 || x != x || __builtin_isinf(x)) {
        return x;
    }
    double a = __builtin_fabs(x), r = exp2(log2(a) / 3);
    r = r - (r * r * r - a) / (3 * r * r);
    return __builtin_copysign(r, x);
}

// The logarithm in two doubles: 2 atanh(f) with f = (m - 1) / (m + 1), then times 1 / ln 2, plus the exponent.
static double __attribute__((always_inline)) pow_positive(double x, double y)
{
    double m = __builtin_amdgcn_frexp_mant(x), e = __builtin_amdgcn_frexp_exp(x);
    bool small = m < M_SQRT1_2;
    m = small ? m + m : m;
    e = small ? e - 1 : e;
    double u = m + 1, u_low = m - (u - 1), f = (m - 1) / u;
    double f_low = (__builtin_fma(-f, u, m - 1) - f * u_low) / u, s = f * f, tail = 0;
#pragma unroll
    for (int k = LOG_TERMS; k > 0; k--) {
        tail = __builtin_fma(tail, s, 1.0 / (2 * k + 1));
    }
    double l_low = f_low + f * (s * tail), l = f + l_low;
    l_low += f - l;
    double b = l * (2 * M_LOG2E);
    double b_low = __builtin_fma(l, 2 * M_LOG2E, -b) + l * 0x1.777d0ffda0d24p-55 + l_low * (2 * M_LOG2E);
    double h = e + b, part = h - e, h_low = (e - (h - part)) + (b - part) + b_low;
    double t = y * h, t_low = __builtin_fma(y, h, -t) + y * h_low;
    if (__builtin_fabs(t) > 1e5) {
        t = t > 0 ? 1e5 : -1e5;
        t_low = 0;
    }
    double n = __builtin_rint(t);
    return exp_small((t - n + t_low) * M_LN2, n);
}
// Under a name of its own: clang's pass over library calls turns pow of an absolute value into powr.
static double __attribute__((always_inline)) power(double x, double y)
{
    double a = __builtin_fabs(x);
    bool whole = y == __builtin_trunc(y);
    bool odd = whole && __builtin_fabs(y) < 0x1p53 && (((long)y) & 1) != 0;
    if (y == 0 || x == 1) {
        return 1;
    }
    if (x != x || y != y) {
        return x + y;
    }
    double r = __builtin_isinf(y)              ? (a == 1 ? 1 : (a > 1) == (y > 0) ? INFINITY : 0)
               : a == 0 || a == INFINITY ? ((a == 0) == (y > 0) ? 0 : INFINITY)
                                         : pow_positive(a, y);
    if (__builtin_signbit(x)) {
        r = a != 0 && a != INFINITY && !whole && !__builtin_isinf(y) ? NAN : odd ? -r : r;
    }
    return r;
}
FN double pow(double x, double y) { return power(x, y); }
FN double pown(double x, int n)
{
    double r = 1, b = x;
    for (uint k = n < 0 ? -(uint)n : (uint)n; k != 0; k >>= 1) {
        r = (k & 1) != 0 ? r * b : r;
        b *= b;
    }
    return n < 0 ? 1 / r : r;
}
FN double powr(double x, double y)
{
    bool no_limit = y == 0 ? x == 0 || __builtin_isinf(x) : x == 1 && __builtin_isinf(y);
    return x < 0 || no_limit || x != x || y != y ? NAN : power(__builtin_fabs(x), y);
}
FN double rootn(double x, int n)
{
    double r = pow(__builtin_fabs(x), 1.0 / n);
    return x >= 0 ? r : (n & 1) != 0 ? -r : NAN;
}
FN double hypot(double x, double y)
{
    double a = __builtin_fabs(x), b = __builtin_fabs(y);
    double high = a > b ? a : b, low = a > b ? b : a;
    int e = __builtin_amdgcn_frexp_exp(high);
    if (__builtin_isinf(a) || __builtin_isinf(b)) {
        return INFINITY;
    }
    if (x != x || y != y) {
        return x + y;
    }
    double h = scale(high, -e), l = scale(low, -e);
    return high == 0 ? high : scale(__builtin_sqrt(__builtin_fma(h, h, l * l)), e);
}
// Exact: subtracts the largest power-of-two multiple until what is left is smaller.
FN double fmod(double x, double y)
{
    double r = __builtin_fabs(x), b = __builtin_fabs(y);
    if (!(r < INFINITY) || !(b > 0)) {
        return NAN;
    }
    while (r >= b) {
        double t = scale(b, __builtin_amdgcn_frexp_exp(r) - __builtin_amdgcn_frexp_exp(b));
        r -= t > r ? t * 0.5 : t;
    }
    return y != y ? y : __builtin_copysign(r, x);
}
FN double remainder(double x, double y)
{
    double b = __builtin_fabs(y);
    double r = __builtin_fabs(b <= 0x1p1022 ? fmod(x, b + b) : fmod(x, b));
    if (r > b - r) {
        r -= b;
        r = r >= b - r ? r - b : r;
    }
    return __builtin_signbit(x) ? -r : r;
}

#define VIA_DOUBLE1(T, name) FN T name(T x) { return (T)name((double)x); }
#define VIA_DOUBLE2(T, name) FN T name(T x, T y) { return (T)name((double)x, (double)y); }
#define BY_DOUBLE(T)                                                                               \
    VIA_DOUBLE1(T, sin) VIA_DOUBLE1(T, cos) VIA_DOUBLE1(T, tan) VIA_DOUBLE1(T, sinpi)              \
    VIA_DOUBLE1(T, cospi) VIA_DOUBLE1(T, tanpi) VIA_DOUBLE1(T, asin) VIA_DOUBLE1(T, acos)          \
    VIA_DOUBLE1(T, atan) VIA_DOUBLE1(T, asinpi) VIA_DOUBLE1(T, acospi) VIA_DOUBLE1(T, atanpi)      \
    VIA_DOUBLE1(T, sinh) VIA_DOUBLE1(T, cosh) VIA_DOUBLE1(T, tanh) VIA_DOUBLE1(T, asinh)           \
    VIA_DOUBLE1(T, acosh) VIA_DOUBLE1(T, atanh) VIA_DOUBLE1(T, cbrt) VIA_DOUBLE1(T, expm1)         \
    VIA_DOUBLE1(T, log1p) VIA_DOUBLE2(T, atan2) VIA_DOUBLE2(T, atan2pi) VIA_DOUBLE2(T, pow)        \
    VIA_DOUBLE2(T, powr) VIA_DOUBLE2(T, hypot) VIA_DOUBLE2(T, fmod) VIA_DOUBLE2(T, remainder)      \
    FN T pown(T x, int n) { return (T)pown((double)x, n); }                                        \
    FN T rootn(T x, int n) { return (T)rootn((double)x, n); }
BY_DOUBLE(float) BY_DOUBLE(half)
FN float exp(float x) { return __builtin_expf(x); }
FN float exp2(float x) { return __builtin_exp2f(x); }
FN float exp10(float x) { return __builtin_exp10f(x); }
FN float log(float x) { return __builtin_logf(x); }
FN float log2(float x) { return __builtin_log2f(x); }
FN float log10(float x) { return __builtin_log10f(x); }
#define VIA_FLOAT1(name) FN half name(half x) { return (half)name((float)x); }
VIA_FLOAT1(exp) VIA_FLOAT1(exp2) VIA_FLOAT1(exp10) VIA_FLOAT1(log) VIA_FLOAT1(log2) VIA_FLOAT1(log10)

// What instructions or the compiler's expansions of them do. f: the suffix of the builtins; I: the integer of T's
// size, V: what a relational function of a vector gives.
#define DIRECT(T, f, I)                                                                            \
    FN T fabs(T x) { return __builtin_fabs##f(x); }                                                \
    FN T floor(T x) { return __builtin_floor##f(x); }                                              \
    FN T ceil(T x) { return __builtin_ceil##f(x); }                                                \
    FN T trunc(T x) { return __builtin_trunc##f(x); }                                              \
    FN T rint(T x) { return __builtin_rint##f(x); }                                                \
    FN T round(T x) { return __builtin_round##f(x); }                                              \
    FN T sqrt(T x) { return __builtin_sqrt##f(x); }                                                \
    FN T rsqrt(T x) { return (T)1 / __builtin_sqrt##f(x); }                                        \
    FN T fma(T a, T b, T c) { return __builtin_fma##f(a, b, c); }                                  \
    FN T mad(T a, T b, T c) { return __builtin_fma##f(a, b, c); }                                  \
    FN T fmin(T a, T b) { return __builtin_fmin##f(a, b); }                                        \
    FN T fmax(T a, T b) { return __builtin_fmax##f(a, b); }                                        \
    FN T min(T a, T b) { return __builtin_fmin##f(a, b); }                                         \
    FN T max(T a, T b) { return __builtin_fmax##f(a, b); }                                         \
    FN T clamp(T x, T low, T high) { return __builtin_fmin##f(__builtin_fmax##f(x, low), high); }  \
    FN T copysign(T a, T b) { return __builtin_copysign##f(a, b); }                                \
    FN T fdim(T a, T b) { return a != a || b != b ? a + b : a > b ? a - b : (T)0; }                \
    FN T maxmag(T a, T b)                                                                          \
    {                                                                                              \
        return fabs(a) > fabs(b) ? a : fabs(b) > fabs(a) ? b : fmax(a, b);                         \
    }                                                                                              \
    FN T minmag(T a, T b)                                                                          \
    {                                                                                              \
        return fabs(a) < fabs(b) ? a : fabs(b) < fabs(a) ? b : fmin(a, b);                         \
    }                                                                                              \
    FN T ldexp(T x, int n) { return __builtin_ldexp##f(x, n); }                                    \
    FN int ilogb(T x)                                                                              \
    {                                                                                              \
        return x == 0 ? FP_ILOGB0 : x != x ? FP_ILOGBNAN : isinf(x) ? INT_MAX : exponent(x) - 1;   \
    }                                                                                              \
    FN T logb(T x) { return x == 0 ? -(T)INFINITY : x != x || isinf(x) ? x * x : (T)(exponent(x) - 1); } \
    FN T degrees(T x) { return x * (T)57.295779513082320877; }                                     \
    FN T radians(T x) { return x * (T)0.017453292519943295769; }                                   \
    FN T mix(T a, T b, T t) { return a + (b - a) * t; }                                            \
    FN T step(T edge, T x) { return x < edge ? (T)0 : (T)1; }                                      \
    FN T smoothstep(T a, T b, T x)                                                                 \
    {                                                                                              \
        T t = clamp((x - a) / (b - a), (T)0, (T)1);                                                \
        return t * t * ((T)3 - (T)2 * t);                                                          \
    }                                                                                              \
    FN T sign(T x) { return x > 0 ? (T)1 : x < 0 ? (T)-1 : x == 0 ? x : (T)0; }                    \
    FN T bitselect(T a, T b, T c)                                                                  \
    {                                                                                              \
        I x = as_##I(a), y = as_##I(b), m = as_##I(c);                                             \
        return as_##T((I)((x & ~m) | (y & m)));                                                    \
    }                                                                                              \
    FN T nextafter(T x, T y)                                                                       \
    {                                                                                              \
        I v = as_##I(x);                                                                           \
        bool up = (x < y) == (x > 0);                                                              \
        T from_zero = copysign(as_##T((I)1), y);                                                   \
        return x != x || y != y ? x + y : x == y ? y : x == 0 ? from_zero : as_##T((I)(v + (up ? 1 : -1))); \
    }

#define CLASSES(T, I)                                                                              \
    static int __attribute__((always_inline, overloadable)) exponent(T x)                          \
    {                                                                                              \
        return __builtin_amdgcn_frexp_exp(x);                                                      \
    }                                                                                              \
    FN int isnan(T x) { return x != x; }                                                           \
    FN int isinf(T x) { return x == (T)INFINITY || x == -(T)INFINITY; }                            \
    FN int isfinite(T x) { return x - x == 0; }                                                    \
    FN int signbit(T x) { return as_##I(x) < 0; }                                                  \
    FN int isequal(T a, T b) { return a == b; }                                                    \
    FN int isnotequal(T a, T b) { return a != b; }                                                 \
    FN int isgreater(T a, T b) { return a > b; }                                                   \
    FN int isgreaterequal(T a, T b) { return a >= b; }                                             \
    FN int isless(T a, T b) { return a < b; }                                                      \
    FN int islessequal(T a, T b) { return a <= b; }                                                \
    FN int islessgreater(T a, T b) { return a < b || a > b; }                                      \
    FN int isordered(T a, T b) { return a == a && b == b; }                                        \
    FN int isunordered(T a, T b) { return a != a || b != b; }                                      \
    WIDTHS(CLASSES_WIDE, T, I)
#define CLASSES_WIDE(n, T, I)                                                                      \
    FN I##n isnan(T##n x) { return x != x; }                                                       \
    FN I##n isinf(T##n x) { return x == (T##n)((T)INFINITY) || x == (T##n)(-(T)INFINITY); }        \
    FN I##n isfinite(T##n x) { return x - x == (T##n)((T)0); }                                     \
    FN I##n signbit(T##n x) { return __builtin_astype(x, I##n) < (I##n)((I)0); }                   \
    FN I##n isequal(T##n a, T##n b) { return a == b; }                                             \
    FN I##n isnotequal(T##n a, T##n b) { return a != b; }                                          \
    FN I##n isgreater(T##n a, T##n b) { return a > b; }                                            \
    FN I##n isgreaterequal(T##n a, T##n b) { return a >= b; }                                      \
    FN I##n isless(T##n a, T##n b) { return a < b; }                                               \
    FN I##n islessequal(T##n a, T##n b) { return a <= b; }                                         \
    FN I##n islessgreater(T##n a, T##n b) { return a < b || a > b; }                               \
    FN I##n isordered(T##n a, T##n b) { return a == a && b == b; }                                 \
    FN I##n isunordered(T##n a, T##n b) { return a != a || b != b; }
static int __attribute__((always_inline, overloadable)) exponent(half x);
CLASSES(double, long) CLASSES(float, int)
static int __attribute__((always_inline, overloadable)) exponent(half x) { return exponent((float)x); }
FN int isnan(half x) { return x != x; }
FN int isinf(half x) { return isinf((float)x); }
FN int isfinite(half x) { return x - x == 0; }
FN int signbit(half x) { return as_short(x) < 0; }
FN int isnormal(float x) { return __builtin_fabsf(x) >= FLT_MIN && isfinite(x); }
FN int isnormal(double x) { return __builtin_fabs(x) >= DBL_MIN && isfinite(x); }
DIRECT(double, , long) DIRECT(float, f, int) DIRECT(half, f16, short)

#define SCALAR_2ND(n, name, T) FN T##n name(T##n a, T b) { return name(a, (T##n)(b)); }
#define SCALAR_1ST(n, name, T) FN T##n name(T a, T##n b) { return name((T##n)(a), b); }
#define SCALARS(n, T)                                                                              \
    FN T##n clamp(T##n x, T a, T b) { return clamp(x, (T##n)(a), (T##n)(b)); }                     \
    FN T##n mix(T##n a, T##n b, T t) { return mix(a, b, (T##n)(t)); }                              \
    FN T##n smoothstep(T a, T b, T##n x) { return smoothstep((T##n)(a), (T##n)(b), x); }           \
    FN T##n ldexp(T##n x, int k) { return ldexp(x, (int##n)(k)); }
#define WIDE(T)                                                                                    \
    VEC1(T, fabs, T) VEC1(T, floor, T) VEC1(T, ceil, T) VEC1(T, trunc, T) VEC1(T, rint, T)         \
    VEC1(T, round, T) VEC1(T, sqrt, T) VEC1(T, rsqrt, T) VEC3(T, fma, T, T, T) VEC3(T, mad, T, T, T) \
    VEC2(T, fmin, T, T) VEC2(T, fmax, T, T) VEC2(T, min, T, T) VEC2(T, max, T, T)                  \
    VEC3(T, clamp, T, T, T) VEC2(T, copysign, T, T) VEC2(T, fdim, T, T) VEC2(T, maxmag, T, T)      \
    VEC2(T, minmag, T, T) VEC2(T, ldexp, T, int) VEC1(int, ilogb, T) VEC1(T, logb, T)              \
    VEC1(T, degrees, T) VEC1(T, radians, T) VEC3(T, mix, T, T, T) VEC2(T, step, T, T)              \
    VEC3(T, smoothstep, T, T, T) VEC1(T, sign, T) VEC3(T, bitselect, T, T, T)                      \
    VEC2(T, nextafter, T, T) VEC1(T, exp, T) VEC1(T, exp2, T) VEC1(T, exp10, T) VEC1(T, log, T)    \
    VEC1(T, log2, T) VEC1(T, log10, T) VEC1(T, sin, T) VEC1(T, cos, T) VEC1(T, tan, T)             \
    VEC1(T, sinpi, T) VEC1(T, cospi, T) VEC1(T, tanpi, T) VEC1(T, asin, T) VEC1(T, acos, T)        \
    VEC1(T, atan, T) VEC1(T, sinh, T) VEC1(T, cosh, T) VEC1(T, tanh, T) VEC1(T, asinh, T)          \
    VEC1(T, acosh, T) VEC1(T, atanh, T) VEC1(T, cbrt, T) VEC1(T, expm1, T) VEC1(T, log1p, T)       \
    VEC2(T, atan2, T, T) VEC2(T, pow, T, T) VEC2(T, powr, T, T) VEC2(T, hypot, T, T)               \
    VEC2(T, fmod, T, T) VEC2(T, remainder, T, T) VEC2(T, pown, T, int) VEC2(T, rootn, T, int)      \
    VEC1(T, asinpi, T) VEC1(T, acospi, T) VEC1(T, atanpi, T) VEC2(T, atan2pi, T, T)                \
    WIDTHS(SCALAR_2ND, fmin, T) WIDTHS(SCALAR_2ND, fmax, T) WIDTHS(SCALAR_2ND, min, T)             \
    WIDTHS(SCALAR_2ND, max, T) WIDTHS(SCALAR_1ST, step, T) WIDTHS(SCALARS, T)
WIDE(float) WIDE(double) WIDE(half)

#define SELECT_WIDE(n, T, I, U)                                                                    \
    FN T##n select(T##n a, T##n b, I##n c)                                                         \
    {                                                                                              \
        I##n m = c >> (I##n)((I)(sizeof(I) * 8 - 1));                                              \
        return __builtin_astype((__builtin_astype(a, I##n) & ~m) | (__builtin_astype(b, I##n) & m), T##n); \
    }                                                                                              \
    FN T##n select(T##n a, T##n b, U##n c) { return select(a, b, __builtin_astype(c, I##n)); }
#define SELECT(T, I, U)                                                                            \
    FN T select(T a, T b, I c) { return c != 0 ? b : a; }                                          \
    FN T select(T a, T b, U c) { return c != 0 ? b : a; }                                          \
    WIDTHS(SELECT_WIDE, T, I, U)
SELECT(float, int, uint) SELECT(double, long, ulong) SELECT(half, short, ushort)

// Functions with a second result. The largest value below 1: of fract.
#define POINTERS(T, A)                                                                             \
    FN T fract(T x, A T *whole)                                                                    \
    {                                                                                              \
        *whole = floor(x);                                                                         \
        T below_one = (T)1 - (sizeof(T) == 8 ? (T)0x1p-53 : sizeof(T) == 4 ? (T)0x1p-24 : (T)0x1p-11); \
        return isinf(x) ? copysign((T)0, x) : fmin(x - floor(x), below_one);                       \
    }                                                                                              \
    FN T modf(T x, A T *whole)                                                                     \
    {                                                                                              \
        *whole = trunc(x);                                                                         \
        return copysign(isinf(x) ? (T)0 : x - trunc(x), x);                                        \
    }                                                                                              \
    FN T sincos(T x, A T *c)                                                                       \
    {                                                                                              \
        *c = cos(x);                                                                               \
        return sin(x);                                                                             \
    }                                                                                              \
    FN T frexp(T x, A int *e)                                                                      \
    {                                                                                              \
        bool special = x == 0 || x != x || isinf(x);                                               \
        *e = special ? 0 : exponent(x);                                                            \
        return special ? x : ldexp(x, -exponent(x));                                               \
    }
#define POINTERS_OF(T)                                                                             \
    SPACES(POINTERS, T) SECOND_WIDE1(fract, T, T) SECOND_WIDE1(modf, T, T) SECOND_WIDE1(sincos, T, T) \
    SECOND_WIDE1(frexp, T, int)
POINTERS_OF(float) POINTERS_OF(double) POINTERS_OF(half)

// native_ and half_ functions: the instruction and nothing else.
FN float native_recip(float x) { return __builtin_amdgcn_rcpf(x); }
FN float native_divide(float x, float y) { return x * __builtin_amdgcn_rcpf(y); }
FN float native_sqrt(float x) { return __builtin_amdgcn_sqrtf(x); }
FN float native_rsqrt(float x) { return __builtin_amdgcn_rsqf(x); }
FN float native_sin(float x) { return __builtin_amdgcn_sinf(__builtin_amdgcn_fractf(x * 0.15915494309f)); }
FN float native_cos(float x) { return __builtin_amdgcn_cosf(__builtin_amdgcn_fractf(x * 0.15915494309f)); }
FN float native_tan(float x) { return native_sin(x) * __builtin_amdgcn_rcpf(native_cos(x)); }
FN float native_exp2(float x) { return __builtin_amdgcn_exp2f(x); }
FN float native_exp(float x) { return __builtin_amdgcn_exp2f(x * M_LOG2E_F); }
FN float native_exp10(float x) { return __builtin_amdgcn_exp2f(x * 3.32192809489f); }
FN float native_log2(float x) { return __builtin_amdgcn_logf(x); }
FN float native_log(float x) { return __builtin_amdgcn_logf(x) * M_LN2_F; }
FN float native_log10(float x) { return __builtin_amdgcn_logf(x) * 0.30102999566f; }
FN float native_powr(float x, float y) { return __builtin_amdgcn_exp2f(y * __builtin_amdgcn_logf(x)); }
#define NATIVE1(name) VEC1(float, native_##name, float) FN float half_##name(float x) { return native_##name(x); } VEC1(float, half_##name, float)
#define NATIVE2(name) VEC2(float, native_##name, float, float) FN float half_##name(float x, float y) { return native_##name(x, y); } VEC2(float, half_##name, float, float)
NATIVE1(recip) NATIVE1(sqrt) NATIVE1(rsqrt) NATIVE1(sin) NATIVE1(cos) NATIVE1(tan) NATIVE1(exp2) NATIVE1(exp)
NATIVE1(exp10) NATIVE1(log2) NATIVE1(log) NATIVE1(log10) NATIVE2(divide) NATIVE2(powr)

#define GEOMETRY(T)                                                                                \
    FN T dot(T a, T b) { return a * b; }                                                           \
    FN T dot(T##2 a, T##2 b) { return a.x * b.x + a.y * b.y; }                                     \
    FN T dot(T##3 a, T##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }                         \
    FN T dot(T##4 a, T##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }             \
    FN T length(T a) { return fabs(a); }                                                           \
    FN T normalize(T a) { return sign(a); }                                                        \
    FN T distance(T a, T b) { return fabs(a - b); }                                                \
    FN T##3 cross(T##3 a, T##3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; }                        \
    FN T##4 cross(T##4 a, T##4 b) { return (T##4)(cross(a.xyz, b.xyz), (T)0); }                    \
    VECTORS(2, T) VECTORS(3, T) VECTORS(4, T)
#define VECTORS(n, T)                                                                              \
    FN T length(T##n a) { return sqrt(dot(a, a)); }                                                \
    FN T distance(T##n a, T##n b) { return length(a - b); }                                        \
    FN T##n normalize(T##n a) { return dot(a, a) == 0 ? a : a * rsqrt(dot(a, a)); }
GEOMETRY(float) GEOMETRY(double) GEOMETRY(half)
#define FAST(V)                                                                                    \
    FN float fast_length(V a) { return native_sqrt(dot(a, a)); }                                   \
    FN float fast_distance(V a, V b) { return fast_length(a - b); }                                \
    FN V fast_normalize(V a) { return dot(a, a) == 0 ? a : a * native_rsqrt(dot(a, a)); }
FAST(float) FAST(float2) FAST(float3) FAST(float4)
FN float nan(uint code) { return as_float(code | 0x7fc00000); }
FN double nan(ulong code) { return as_double(code | 0x7ff8000000000000); }
FN half nan(ushort code) { return as_half((ushort)(code | 0x7e00)); }
VEC1(float, nan, uint) VEC1(double, nan, ulong) VEC1(half, nan, ushort)
