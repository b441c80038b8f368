// SPDX-License-Identifier: MIT
// Integer and relational functions, conversions, vector loads and stores.
// Source: OpenCL C 2.0, 6.2.3, 6.13.3, 6.13.6, 6.13.7.
#include "common.clh"

#define SCALAR_2ND(n, name, T) FN T##n name(T##n a, T b) { return name(a, (T##n)(b)); }
#define SCALAR_3RD(n, name, T) FN T##n name(T##n a, T b, T c) { return name(a, (T##n)(b), (T##n)(c)); }

// Double width in __int128 for 64 bits: clang's _BitInt is not in OpenCL, so take halves there.
static ulong __attribute__((always_inline)) high64(ulong a, ulong b)
{
    ulong low = (a & 0xffffffff) * (b & 0xffffffff);
    ulong mid = (a >> 32) * (b & 0xffffffff) + (low >> 32);
    ulong mid2 = (a & 0xffffffff) * (b >> 32) + (mid & 0xffffffff);
    return (a >> 32) * (b >> 32) + (mid >> 32) + (mid2 >> 32);
}
FN uchar mul_hi(uchar a, uchar b) { return (uchar)((uint)a * b >> 8); }
FN ushort mul_hi(ushort a, ushort b) { return (ushort)((uint)a * b >> 16); }
FN uint mul_hi(uint a, uint b) { return (uint)((ulong)a * b >> 32); }
FN ulong mul_hi(ulong a, ulong b) { return high64(a, b); }
FN char mul_hi(char a, char b) { return (char)((int)a * b >> 8); }
FN short mul_hi(short a, short b) { return (short)((int)a * b >> 16); }
FN int mul_hi(int a, int b) { return (int)((long)a * b >> 32); }
FN long mul_hi(long a, long b)
{
    return (long)(high64((ulong)a, (ulong)b) - (a < 0 ? (ulong)b : 0) - (b < 0 ? (ulong)a : 0));
}

#define BOTH(T, U, S, bits)                                                                        \
    FN T min(T a, T b) { return b < a ? b : a; }                                                   \
    FN T max(T a, T b) { return a < b ? b : a; }                                                   \
    FN T clamp(T a, T low, T high) { return min(max(a, low), high); }                              \
    FN U abs_diff(T a, T b) { return a > b ? (U)((U)a - (U)b) : (U)((U)b - (U)a); }                \
    FN T hadd(T a, T b) { return (T)((a >> 1) + (b >> 1) + (a & b & 1)); }                         \
    FN T rhadd(T a, T b) { return (T)((a >> 1) + (b >> 1) + ((a | b) & 1)); }                      \
    FN T rotate(T a, T n)                                                                          \
    {                                                                                              \
        U k = (U)n & (bits - 1), v = (U)a;                                                         \
        return (T)(U)(v << k | v >> ((bits - k) & (bits - 1)));                                    \
    }                                                                                              \
    FN T clz(T a)                                                                                  \
    {                                                                                              \
        return a == 0 ? bits : (T)(__builtin_clzl((ulong)(U)a) - (64 - bits));                     \
    }                                                                                              \
    FN T ctz(T a) { return a == 0 ? bits : (T)__builtin_ctzl((ulong)(U)a); }                       \
    FN T popcount(T a) { return (T)__builtin_popcountl((ulong)(U)a); }                             \
    FN T mad_hi(T a, T b, T c) { return (T)(mul_hi(a, b) + c); }                                   \
    FN T bitselect(T a, T b, T c) { return (T)((a & ~c) | (b & c)); }                              \
    FN T select(T a, T b, S c) { return c ? b : a; }                                               \
    FN T select(T a, T b, U c) { return c ? b : a; }                                               \
    VEC2(T, min, T, T) VEC2(T, max, T, T) VEC3(T, clamp, T, T, T) VEC2(U, abs_diff, T, T)          \
    VEC2(T, hadd, T, T) VEC2(T, rhadd, T, T) VEC2(T, rotate, T, T) VEC1(T, clz, T) VEC1(T, ctz, T) \
    VEC1(T, popcount, T) VEC2(T, mul_hi, T, T) VEC3(T, mad_hi, T, T, T) VEC3(T, bitselect, T, T, T) \
    WIDTHS(SCALAR_2ND, min, T) WIDTHS(SCALAR_2ND, max, T) WIDTHS(SCALAR_3RD, clamp, T)             \
    WIDTHS(SELECT_BITS, T, U, S, bits)
// For vectors the most significant bit of each component decides.
#define SELECT_BITS(n, T, U, S, bits)                                                              \
    FN T##n select(T##n a, T##n b, S##n c) { return c < (S##n)(0) ? b : a; }                       \
    FN T##n select(T##n a, T##n b, U##n c) { return __builtin_astype(c, S##n) < (S##n)(0) ? b : a; }
SIGNED(BOTH) UNSIGNED(BOTH)

#define LIMIT_MIN(bits) ((long)(-1L << (bits - 1)))
#define ONLY_UNSIGNED(T, U, S, bits)                                                               \
    FN T abs(T a) { return a; }                                                                    \
    FN T add_sat(T a, T b) { T s = (T)(a + b); return s < a ? (T)~(T)0 : s; }                      \
    FN T sub_sat(T a, T b) { return a > b ? (T)(a - b) : (T)0; }                                   \
    FN T mad_sat(T a, T b, T c) { return mul_hi(a, b) != 0 ? (T)~(T)0 : add_sat((T)(a * b), c); }  \
    VEC1(T, abs, T) VEC2(T, add_sat, T, T) VEC2(T, sub_sat, T, T) VEC3(T, mad_sat, T, T, T)
#define ONLY_SIGNED(T, U, S, bits)                                                                 \
    FN U abs(T a) { return a < 0 ? (U)(-(U)a) : (U)a; }                                            \
    FN T add_sat(T a, T b)                                                                         \
    {                                                                                              \
        T s = (T)((U)a + (U)b), top = (T)LIMIT_MIN(bits);                                          \
        return ((a ^ s) & (b ^ s)) < 0 ? (a < 0 ? top : (T)~top) : s;                              \
    }                                                                                              \
    FN T sub_sat(T a, T b)                                                                         \
    {                                                                                              \
        T s = (T)((U)a - (U)b), top = (T)LIMIT_MIN(bits);                                          \
        return ((a ^ b) & (a ^ s)) < 0 ? (a < 0 ? top : (T)~top) : s;                              \
    }                                                                                              \
    FN T mad_sat(T a, T b, T c)                                                                    \
    {                                                                                              \
        T high = mul_hi(a, b), low = (T)((U)a * (U)b), top = (T)LIMIT_MIN(bits);                   \
        U sum = (U)((U)low + (U)c);                                                                \
        T high2 = (T)(high + (c < 0 ? -1 : 0) + (sum < (U)low ? 1 : 0));                           \
        return high2 == (T)((T)sum >> (bits - 1)) ? (T)sum : high2 < 0 ? top : (T)~top;            \
    }                                                                                              \
    VEC1(U, abs, T) VEC2(T, add_sat, T, T) VEC2(T, sub_sat, T, T) VEC3(T, mad_sat, T, T, T)
UNSIGNED(ONLY_UNSIGNED) SIGNED(ONLY_SIGNED)

FN int mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
FN uint mul24(uint a, uint b) { return (a & 0xffffff) * (b & 0xffffff); }
FN int mad24(int a, int b, int c) { return mul24(a, b) + c; }
FN uint mad24(uint a, uint b, uint c) { return mul24(a, b) + c; }
VEC2(int, mul24, int, int) VEC2(uint, mul24, uint, uint)
VEC3(int, mad24, int, int, int) VEC3(uint, mad24, uint, uint, uint)

#define UPSAMPLE(W, H, L, bits)                                                                    \
    FN W upsample(H a, L b) { return (W)((W)a << bits | b); }                                      \
    VEC2(W, upsample, H, L)
UPSAMPLE(short, char, uchar, 8) UPSAMPLE(ushort, uchar, uchar, 8) UPSAMPLE(int, short, ushort, 16)
UPSAMPLE(uint, ushort, ushort, 16) UPSAMPLE(long, int, uint, 32) UPSAMPLE(ulong, uint, uint, 32)

// any and all look at the most significant bit.
#define ANY_ALL(T, U, S, bits)                                                                     \
    FN int any(T a) { return a < 0; }                                                              \
    FN int any(T##2 a) { return (a.x | a.y) < 0; }                                                 \
    FN int any(T##3 a) { return (a.x | a.y | a.z) < 0; }                                           \
    FN int any(T##4 a) { return any(a.lo | a.hi); }                                                \
    FN int any(T##8 a) { return any(a.lo | a.hi); }                                                \
    FN int any(T##16 a) { return any(a.lo | a.hi); }                                               \
    FN int all(T a) { return a < 0; }                                                              \
    FN int all(T##2 a) { return (a.x & a.y) < 0; }                                                 \
    FN int all(T##3 a) { return (a.x & a.y & a.z) < 0; }                                           \
    FN int all(T##4 a) { return all(a.lo & a.hi); }                                                \
    FN int all(T##8 a) { return all(a.lo & a.hi); }                                                \
    FN int all(T##16 a) { return all(a.lo & a.hi); }
SIGNED(ANY_ALL)

// Conversions. M(to, from) over all pairs.
#define FROM_INTEGERS(M, T, ...) M(T, char, __VA_ARGS__) M(T, uchar, __VA_ARGS__) M(T, short, __VA_ARGS__)  \
    M(T, ushort, __VA_ARGS__) M(T, int, __VA_ARGS__) M(T, uint, __VA_ARGS__) M(T, long, __VA_ARGS__)        \
    M(T, ulong, __VA_ARGS__)
#define FROM_FLOATS(M, T, ...) M(T, half, __VA_ARGS__) M(T, float, __VA_ARGS__) M(T, double, __VA_ARGS__)
#define PLAIN_WIDE(n, T, F, suffix)                                                                \
    FN T##n convert_##T##n##suffix(F##n a) { return __builtin_convertvector(a, T##n); }
#define PLAIN(T, F, suffix)                                                                        \
    FN T convert_##T##suffix(F a) { return (T)a; }                                                 \
    WIDTHS(PLAIN_WIDE, T, F, suffix)
#define PLAIN_ALL(T, U, S, bits) FROM_INTEGERS(PLAIN, T, ) FROM_FLOATS(PLAIN, T, ) FROM_FLOATS(PLAIN, T, _rtz)
SIGNED(PLAIN_ALL) UNSIGNED(PLAIN_ALL)
#define TO_FLOAT(T) FROM_INTEGERS(PLAIN, T, ) FROM_FLOATS(PLAIN, T, ) FROM_INTEGERS(PLAIN, T, _rte) FROM_FLOATS(PLAIN, T, _rte)
TO_FLOAT(half) TO_FLOAT(float) TO_FLOAT(double)

#define ROUND_WIDE(T, suffix, F)                                                                   \
    FN T##2 convert_##T##2##suffix(F##2 a)                                                         \
    {                                                                                              \
        return (T##2)(convert_##T##suffix(a.x), convert_##T##suffix(a.y));                         \
    }                                                                                              \
    FN T##3 convert_##T##3##suffix(F##3 a)                                                         \
    {                                                                                              \
        return (T##3)(convert_##T##2##suffix(a.xy), convert_##T##suffix(a.z));                     \
    }                                                                                              \
    FN T##4 convert_##T##4##suffix(F##4 a)                                                         \
    {                                                                                              \
        return (T##4)(convert_##T##2##suffix(a.lo), convert_##T##2##suffix(a.hi));                 \
    }                                                                                              \
    FN T##8 convert_##T##8##suffix(F##8 a)                                                         \
    {                                                                                              \
        return (T##8)(convert_##T##4##suffix(a.lo), convert_##T##4##suffix(a.hi));                 \
    }                                                                                              \
    FN T##16 convert_##T##16##suffix(F##16 a)                                                      \
    {                                                                                              \
        return (T##16)(convert_##T##8##suffix(a.lo), convert_##T##8##suffix(a.hi));                \
    }
// Saturation of floats: NaN becomes 0, the rest is compared as double (exact for float and half).
#define SAT_FLOAT(T, F, suffix, low, high, how)                                                    \
    FN T convert_##T##_sat##suffix(F a)                                                            \
    {                                                                                              \
        double d = how((double)a);                                                                 \
        return d != d ? (T)0 : d <= (double)low ? low : d >= (double)high ? high : (T)d;           \
    }                                                                                              \
    ROUND_WIDE(T, _sat##suffix, F)
#define SAT_INTEGER(T, F, suffix, low, high, how)                                                  \
    FN T convert_##T##_sat(F a)                                                                    \
    {                                                                                              \
        return a < 0 ? ((T)-1 > (T)0 ? (T)0 : (long)a < (long)low ? low : (T)a)                    \
                     : (ulong)a > (ulong)high ? high : (T)a;                                       \
    }                                                                                              \
    ROUND_WIDE(T, _sat, F)
#define NOT_ROUNDED(x) (x)
#define ROUNDED(T, F, suffix, how)                                                                 \
    FN T convert_##T##suffix(F a) { return (T)how((double)a); }                                    \
    ROUND_WIDE(T, suffix, F)
#define ROUNDINGS(T, low, high)                                                                    \
    FROM_INTEGERS(SAT_INTEGER, T, , low, high, )                                                   \
    FROM_FLOATS(SAT_FLOAT, T, , low, high, NOT_ROUNDED)                                            \
    FROM_FLOATS(SAT_FLOAT, T, _rtz, low, high, NOT_ROUNDED)                                        \
    FROM_FLOATS(SAT_FLOAT, T, _rte, low, high, __builtin_rint)                                     \
    FROM_FLOATS(SAT_FLOAT, T, _rtp, low, high, __builtin_ceil)                                     \
    FROM_FLOATS(SAT_FLOAT, T, _rtn, low, high, __builtin_floor)                                    \
    FROM_FLOATS(ROUNDED, T, _rte, __builtin_rint)                                                  \
    FROM_FLOATS(ROUNDED, T, _rtp, __builtin_ceil)                                                  \
    FROM_FLOATS(ROUNDED, T, _rtn, __builtin_floor)
ROUNDINGS(char, CHAR_MIN, CHAR_MAX) ROUNDINGS(uchar, (uchar)0, (uchar)UCHAR_MAX)
ROUNDINGS(short, SHRT_MIN, SHRT_MAX) ROUNDINGS(ushort, (ushort)0, (ushort)USHRT_MAX)
ROUNDINGS(int, INT_MIN, INT_MAX) ROUNDINGS(uint, 0u, UINT_MAX)
ROUNDINGS(long, LONG_MIN, LONG_MAX) ROUNDINGS(ulong, 0ul, ULONG_MAX)

#define LOAD(n, T, A)                                                                              \
    FN T##n vload##n(size_t i, const A T *p)                                                       \
    {                                                                                              \
        T##n v;                                                                                    \
        __builtin_memcpy(&v, p + i * n, n * sizeof(T));                                            \
        return v;                                                                                  \
    }
#define STORE(n, T, A)                                                                             \
    FN void vstore##n(T##n v, size_t i, A T *p) { __builtin_memcpy(p + i * n, &v, n * sizeof(T)); }
#define MEMORY(T, U, S, bits)                                                                      \
    WIDTHS(LOAD, T, __generic) WIDTHS(LOAD, T, __global) WIDTHS(LOAD, T, __local)                  \
    WIDTHS(LOAD, T, __private) WIDTHS(LOAD, T, __constant)                                         \
    WIDTHS(STORE, T, __generic) WIDTHS(STORE, T, __global) WIDTHS(STORE, T, __local)               \
    WIDTHS(STORE, T, __private)
SIGNED(MEMORY) UNSIGNED(MEMORY) MEMORY(half, , , 16) MEMORY(float, , , 32) MEMORY(double, , , 64)
#define HALVES(A)                                                                                  \
    FN float vload_half(size_t i, const A half *p) { return (float)p[i]; }                         \
    FN float2 vload_half2(size_t i, const A half *p) { return (float2)(p[2 * i], p[2 * i + 1]); }  \
    FN float4 vload_half4(size_t i, const A half *p)                                               \
    {                                                                                              \
        return (float4)(vload_half2(2 * i, p), vload_half2(2 * i + 1, p));                         \
    }
#define HALVES_OUT(A)                                                                              \
    FN void vstore_half(float v, size_t i, A half *p) { p[i] = (half)v; }                          \
    FN void vstore_half_rte(float v, size_t i, A half *p) { p[i] = (half)v; }                      \
    FN void vstore_half2(float2 v, size_t i, A half *p) { p[2 * i] = (half)v.x, p[2 * i + 1] = (half)v.y; } \
    FN void vstore_half4(float4 v, size_t i, A half *p)                                            \
    {                                                                                              \
        vstore_half2(v.lo, 2 * i, p), vstore_half2(v.hi, 2 * i + 1, p);                            \
    }
HALVES(__generic) HALVES(__global) HALVES(__local) HALVES(__private) HALVES(__constant)
HALVES_OUT(__generic) HALVES_OUT(__global) HALVES_OUT(__local) HALVES_OUT(__private)
