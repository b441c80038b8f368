// SPDX-License-Identifier: MIT
/** @file
 * The parts the fp_*.c files are made of: unpacking and rounding of f16, bf16, f32 and f64.
 *
 * A finite number is sig / 2^62 * 2^exp with bit 62 of sig set (63 bits and, in bit 0, whether
 * anything below was not zero); f64 products need more and have their own code (fp_f64.c).
 * Functions take the format as a constant, so that each use compiles to code for one format.
 */
#ifndef LULL_MODEL_FP_CORE_H
#define LULL_MODEL_FP_CORE_H

#include "model/fp/fp.h"

/** A float format and the MODE fields that rule it. */
struct lull_fp_format {
    uint64_t nan;          ///< Quiet NaN that invalid operations give.
    unsigned mant;         ///< Bits of the mantissa, without the hidden one.
    unsigned ebits;        ///< Bits of the exponent.
    unsigned round_shift;  ///< Of the rounding field in MODE.
    unsigned denorm_shift; ///< Of the denormal field in MODE.
    bool clamps;           ///< Heeds MODE.FP16_OVFL.
};

static const struct lull_fp_format lull_fp16 = {
    LULL_F16_NAN, 10, 5, LULL_FP_ROUND_F64_SHIFT, LULL_FP_DENORM_F64_SHIFT, true};
static const struct lull_fp_format lull_fp32 = {
    LULL_F32_NAN, 23, 8, LULL_FP_ROUND_F32_SHIFT, LULL_FP_DENORM_F32_SHIFT, false};
static const struct lull_fp_format lull_fp64 = {
    LULL_F64_NAN, 52, 11, LULL_FP_ROUND_F64_SHIFT, LULL_FP_DENORM_F64_SHIFT, false};

enum lull_fp_round { LULL_ROUND_NEAREST, LULL_ROUND_UP, LULL_ROUND_DOWN, LULL_ROUND_ZERO };

enum lull_fp_kind { LULL_FP_ZERO, LULL_FP_FINITE, LULL_FP_INF, LULL_FP_NAN };

/** A number taken apart. */
struct lull_fp_num {
    uint64_t sig; ///< Finite: bit 62 set. NaN: the bit pattern.
    int32_t exp;  ///< Finite: of bit 62.
    bool sign;
    enum lull_fp_kind kind;
};

static inline unsigned lull_fp_clz(uint64_t v)
{
    return (unsigned)__builtin_clzll(v); // Not defined for 0, which no caller has.
}

static inline uint64_t lull_fp_sign_bit(struct lull_fp_format f)
{
    return (uint64_t)1 << (f.mant + f.ebits);
}

static inline uint64_t lull_fp_inf(struct lull_fp_format f, bool sign)
{
    uint64_t v = (((uint64_t)1 << f.ebits) - 1) << f.mant;
    return sign ? v | lull_fp_sign_bit(f) : v;
}

static inline bool lull_fp_is_nan(struct lull_fp_format f, uint64_t a)
{
    return (a & (lull_fp_sign_bit(f) - 1)) > lull_fp_inf(f, false);
}

static inline bool lull_fp_is_snan(struct lull_fp_format f, uint64_t a)
{
    return lull_fp_is_nan(f, a) && !(a >> (f.mant - 1) & 1);
}

/** NaN @p a as a result: quieted if MODE.IEEE says so. */
static inline uint64_t lull_fp_quiet(struct lull_fp_format f, uint64_t a, uint32_t m)
{
    return m & LULL_FP_IEEE ? a | (uint64_t)1 << (f.mant - 1) : a;
}

/** @p a, or zero of its sign if it is denormal and MODE flushes denormal operands. */
static inline uint64_t lull_fp_flush_in(struct lull_fp_format f, uint64_t a, uint32_t m)
{
    uint64_t magnitude = a & (lull_fp_sign_bit(f) - 1);
    bool keep = m >> f.denorm_shift & 1;
    return !keep && magnitude < (uint64_t)1 << f.mant ? a & lull_fp_sign_bit(f) : a;
}

/** @p a, or zero of its sign if it is denormal and MODE flushes denormal results. */
static inline uint64_t lull_fp_flush_out(struct lull_fp_format f, uint64_t a, uint32_t m)
{
    uint64_t magnitude = a & (lull_fp_sign_bit(f) - 1);
    bool keep = m >> f.denorm_shift & 2;
    return !keep && magnitude < (uint64_t)1 << f.mant ? a & lull_fp_sign_bit(f) : a;
}

static inline struct lull_fp_num lull_fp_unpack(struct lull_fp_format f, uint64_t a, uint32_t m)
{
    uint64_t mant = a & (((uint64_t)1 << f.mant) - 1);
    uint32_t emax = (1u << f.ebits) - 1;
    uint32_t exp = (uint32_t)(a >> f.mant) & emax;
    int32_t bias = (int32_t)(emax >> 1);
    struct lull_fp_num n = {0, 0, a >> (f.mant + f.ebits) & 1, LULL_FP_ZERO};
    if (exp == emax) {
        n.kind = mant ? LULL_FP_NAN : LULL_FP_INF;
        n.sig = mant ? a : 0;
    } else if (exp) {
        n.kind = LULL_FP_FINITE;
        n.sig = (mant | (uint64_t)1 << f.mant) << (62 - f.mant);
        n.exp = (int32_t)exp - bias;
    } else if (mant && (m >> f.denorm_shift & 1)) {
        unsigned up = lull_fp_clz(mant) - 1;
        n.kind = LULL_FP_FINITE;
        n.sig = mant << up;
        n.exp = 1 - bias - (int32_t)f.mant + 62 - (int32_t)up;
    }
    return n;
}

/** @p v >> @p by, with bit 0 set if a set bit was lost. */
static inline uint64_t lull_fp_jam(uint64_t v, unsigned by)
{
    if (by == 0) {
        return v;
    }
    if (by > 63) {
        return v != 0;
    }
    return v >> by | ((v << (64 - by)) != 0);
}

/** @p v >> @p by, 1 to 63, rounded. */
static inline uint64_t lull_fp_shift_round(uint64_t v, unsigned by, bool sign, unsigned rm)
{
    uint64_t rest = v & (((uint64_t)1 << by) - 1);
    uint64_t half = (uint64_t)1 << (by - 1);
    uint64_t q = v >> by;
    bool up = false;
    if (rm == LULL_ROUND_NEAREST) {
        up = rest > half || (rest == half && (q & 1));
    } else if (rm == LULL_ROUND_UP) {
        up = rest && !sign;
    } else if (rm == LULL_ROUND_DOWN) {
        up = rest && sign;
    }
    return q + up;
}

/** What an overflow gives. */
static inline uint64_t lull_fp_overflow(struct lull_fp_format f, bool sign, unsigned rm, uint32_t m)
{
    uint64_t inf = lull_fp_inf(f, sign);
    bool finite = rm == LULL_ROUND_ZERO || rm == (sign ? LULL_ROUND_UP : LULL_ROUND_DOWN);
    return finite || (f.clamps && (m & LULL_FP_FP16_OVFL)) ? inf - 1 : inf;
}

/** lull_fp_round_to() with LULL_FP_PROBE in @p m. */
__attribute__((cold)) uint64_t lull_fp_probed(struct lull_fp_format f, bool sign, int32_t exp,
                                              uint64_t sig, unsigned rm, uint32_t m);

/**
 * Round to the format in direction @p rm (enum lull_fp_round). @p sig: bit 62 set, bit 0 sticky.
 *
 * A result is flushed if it is below the smallest normal number after rounding as if the
 * exponent had no limit, which is how x86 does it (fp_host.h has to agree).
 */
static inline uint64_t lull_fp_round_to(struct lull_fp_format f, bool sign, int32_t exp,
                                        uint64_t sig, unsigned rm, uint32_t m)
{
    if (__builtin_expect((m & LULL_FP_PROBE) != 0, 0)) {
        return lull_fp_probed(f, sign, exp, sig, rm, m);
    }
    unsigned shift = 62 - f.mant;
    int32_t bias = (1 << (f.ebits - 1)) - 1;
    int32_t emin = 1 - bias;
    uint64_t sbit = sign ? lull_fp_sign_bit(f) : 0;
    if (exp < emin) {
        bool keep = m >> f.denorm_shift & 2;
        if (!keep) {
            bool up = exp == emin - 1 && lull_fp_shift_round(sig, shift, sign, rm) >> (f.mant + 1);
            return up ? sbit | (uint64_t)1 << f.mant : sbit;
        }
        sig = lull_fp_jam(sig, (unsigned)(emin - exp));
        // A carry into bit mant makes the smallest normal number: the encoding is right as it is.
        return sbit | lull_fp_shift_round(sig, shift, sign, rm);
    }
    uint64_t q = lull_fp_shift_round(sig, shift, sign, rm);
    if (q >> (f.mant + 1)) {
        q >>= 1;
        exp++;
    }
    if (exp > bias) {
        return lull_fp_overflow(f, sign, rm, m);
    }
    return sbit | ((uint64_t)(exp + bias) << f.mant) | (q & (((uint64_t)1 << f.mant) - 1));
}

/** Round as MODE says. */
static inline uint64_t lull_fp_pack(struct lull_fp_format f, bool sign, int32_t exp, uint64_t sig,
                                    uint32_t m)
{
    return lull_fp_round_to(f, sign, exp, sig, m >> f.round_shift & 3, m);
}

/** Normalise @p sig (not 0) whose bit 62 has exponent @p exp, then round as MODE says. */
static inline uint64_t lull_fp_norm_pack(struct lull_fp_format f, bool sign, int32_t exp,
                                         uint64_t sig, uint32_t m)
{
    if (sig >> 63) {
        return lull_fp_pack(f, sign, exp + 1, lull_fp_jam(sig, 1), m);
    }
    unsigned up = lull_fp_clz(sig) - 1;
    return lull_fp_pack(f, sign, exp - (int32_t)up, sig << up, m);
}

/** Sign of an exact zero sum: minus only when rounding down. */
static inline uint64_t lull_fp_zero_sum(struct lull_fp_format f, bool a, bool b, uint32_t m)
{
    bool sign = a == b ? a : (m >> f.round_shift & 3) == LULL_ROUND_DOWN;
    return sign ? lull_fp_sign_bit(f) : 0;
}

/** a + b of numbers that are not NaN; each sig has enough zeros below for the format. */
static inline uint64_t lull_fp_sum(struct lull_fp_format f, struct lull_fp_num a,
                                   struct lull_fp_num b, uint32_t m)
{
    if (a.kind == LULL_FP_INF || b.kind == LULL_FP_INF) {
        bool invalid = a.kind == b.kind && a.sign != b.sign;
        return invalid ? f.nan : lull_fp_inf(f, a.kind == LULL_FP_INF ? a.sign : b.sign);
    }
    if (a.kind == LULL_FP_ZERO || b.kind == LULL_FP_ZERO) {
        struct lull_fp_num n = a.kind == LULL_FP_ZERO ? b : a;
        if (n.kind == LULL_FP_ZERO) {
            return lull_fp_zero_sum(f, a.sign, b.sign, m);
        }
        return lull_fp_pack(f, n.sign, n.exp, n.sig, m);
    }
    if (a.exp < b.exp || (a.exp == b.exp && a.sig < b.sig)) {
        struct lull_fp_num t = a;
        a = b;
        b = t;
    }
    uint64_t small = lull_fp_jam(b.sig, (unsigned)(a.exp - b.exp));
    uint64_t sum = a.sign == b.sign ? a.sig + small : a.sig - small;
    if (sum == 0) {
        return lull_fp_zero_sum(f, a.sign, b.sign, m);
    }
    return lull_fp_norm_pack(f, a.sign, a.exp, sum, m);
}

/** Product of finite numbers of at most 31 bits of mantissa; exact. */
static inline struct lull_fp_num lull_fp_product(struct lull_fp_num a, struct lull_fp_num b)
{
    struct lull_fp_num p = {(a.sig >> 31) * (b.sig >> 31), a.exp + b.exp, a.sign != b.sign,
                            LULL_FP_FINITE};
    // 2^31 <= factors < 2^32: the product has bit 62 or 63 as its top.
    if (p.sig >> 63) {
        p.sig >>= 1; // Factors end in zeros: nothing is lost.
        p.exp++;
    }
    return p;
}

static inline uint64_t lull_fp_add(struct lull_fp_format f, uint64_t x, uint64_t y, uint32_t m)
{
    if (lull_fp_is_nan(f, x)) {
        return lull_fp_quiet(f, x, m);
    }
    if (lull_fp_is_nan(f, y)) {
        return lull_fp_quiet(f, y, m);
    }
    return lull_fp_sum(f, lull_fp_unpack(f, x, m), lull_fp_unpack(f, y, m), m);
}

/** Product of two that are not NaN, before rounding; kind NaN: invalid. */
static inline struct lull_fp_num lull_fp_times(struct lull_fp_num a, struct lull_fp_num b)
{
    struct lull_fp_num p = {0, 0, a.sign != b.sign, LULL_FP_ZERO};
    if (a.kind == LULL_FP_FINITE && b.kind == LULL_FP_FINITE) {
        return lull_fp_product(a, b);
    }
    if (a.kind == LULL_FP_INF || b.kind == LULL_FP_INF) {
        bool invalid = a.kind == LULL_FP_ZERO || b.kind == LULL_FP_ZERO;
        p.kind = invalid ? LULL_FP_NAN : LULL_FP_INF;
    }
    return p;
}

static inline uint64_t lull_fp_mul(struct lull_fp_format f, uint64_t x, uint64_t y, uint32_t m)
{
    if (lull_fp_is_nan(f, x)) {
        return lull_fp_quiet(f, x, m);
    }
    if (lull_fp_is_nan(f, y)) {
        return lull_fp_quiet(f, y, m);
    }
    struct lull_fp_num p = lull_fp_times(lull_fp_unpack(f, x, m), lull_fp_unpack(f, y, m));
    switch (p.kind) {
    case LULL_FP_NAN:
        return f.nan;
    case LULL_FP_INF:
        return lull_fp_inf(f, p.sign);
    case LULL_FP_ZERO:
        return p.sign ? lull_fp_sign_bit(f) : 0;
    case LULL_FP_FINITE:
        break;
    }
    return lull_fp_pack(f, p.sign, p.exp, p.sig, m);
}

/** Fused multiply-add with the product scaled by 2^scale, and the addend too. */
static inline uint64_t lull_fp_fma(struct lull_fp_format f, uint64_t x, uint64_t y, uint64_t z,
                                   int32_t scale, uint32_t m)
{
    if (lull_fp_is_nan(f, x)) {
        return lull_fp_quiet(f, x, m);
    }
    if (lull_fp_is_nan(f, y)) {
        return lull_fp_quiet(f, y, m);
    }
    if (lull_fp_is_nan(f, z)) {
        return lull_fp_quiet(f, z, m);
    }
    struct lull_fp_num p = lull_fp_times(lull_fp_unpack(f, x, m), lull_fp_unpack(f, y, m));
    struct lull_fp_num c = lull_fp_unpack(f, z, m);
    if (p.kind == LULL_FP_NAN) {
        return f.nan;
    }
    p.exp += scale;
    c.exp += scale;
    return lull_fp_sum(f, p, c, m);
}

/** Round a finite magnitude to an integer, at most 2^62; larger ones give 2^62. */
static inline uint64_t lull_fp_to_int(struct lull_fp_num n, unsigned rm)
{
    if (n.kind == LULL_FP_ZERO) {
        return 0;
    }
    if (n.kind == LULL_FP_INF || n.exp > 61) {
        return (uint64_t)1 << 62;
    }
    uint64_t sig = n.sig;
    int32_t by = 62 - n.exp;
    if (by > 63) {
        sig = 1; // Below one half, not zero.
        by = 63;
    }
    return lull_fp_shift_round(sig, (unsigned)by, n.sign, rm);
}

/** Key whose order as a signed number is that of the floats, -0 below +0; NaN outside. */
static inline int64_t lull_fp_key(struct lull_fp_format f, uint64_t a)
{
    uint64_t magnitude = a & (lull_fp_sign_bit(f) - 1);
    return a & lull_fp_sign_bit(f) ? -1 - (int64_t)magnitude : (int64_t)magnitude;
}

/** v_min (@p max: v_max). Source: RDNA3 ISA guide 16.7. */
static inline uint64_t lull_fp_minmax(struct lull_fp_format f, uint64_t a, uint64_t b, bool max,
                                      uint32_t m)
{
    a = lull_fp_flush_in(f, a, m);
    b = lull_fp_flush_in(f, b, m);
    if (lull_fp_is_nan(f, a) || lull_fp_is_nan(f, b)) {
        bool ieee = m & LULL_FP_IEEE;
        if (ieee && lull_fp_is_snan(f, a)) {
            return lull_fp_quiet(f, a, m);
        }
        if (ieee && lull_fp_is_snan(f, b)) {
            return lull_fp_quiet(f, b, m);
        }
        a = lull_fp_is_nan(f, b) ? a : b;
    } else {
        bool less = lull_fp_key(f, a) < lull_fp_key(f, b);
        a = less != max ? a : b;
    }
    return lull_fp_flush_out(f, a, m);
}

#endif
