// SPDX-License-Identifier: MIT
#include "model/fp/fp.h"

#include "model/fp/fp_core.h"

/** NaN @p a of format @p from as a NaN of @p to: sign and the upper bits of the payload. */
static uint64_t convert_nan(struct lull_fp_format to, struct lull_fp_format from, uint64_t a,
                            uint32_t m)
{
    bool sign = a & lull_fp_sign_bit(from);
    uint64_t mant = a & (((uint64_t)1 << from.mant) - 1);
    mant = to.mant > from.mant ? mant << (to.mant - from.mant) : mant >> (from.mant - to.mant);
    if (mant == 0) {
        mant = (uint64_t)1 << (to.mant - 1); // Nothing left of the payload: still a NaN.
    }
    return lull_fp_quiet(to, lull_fp_inf(to, sign) | mant, m);
}

static uint64_t convert(struct lull_fp_format to, struct lull_fp_format from, uint64_t a,
                        unsigned rm, uint32_t m)
{
    struct lull_fp_num n = lull_fp_unpack(from, a, m);
    switch (n.kind) {
    case LULL_FP_NAN:
        return convert_nan(to, from, a, m);
    case LULL_FP_INF:
        return lull_fp_inf(to, n.sign);
    case LULL_FP_ZERO:
        return n.sign ? lull_fp_sign_bit(to) : 0;
    case LULL_FP_FINITE:
        break;
    }
    return lull_fp_round_to(to, n.sign, n.exp, n.sig, rm, m);
}

static unsigned mode_round(struct lull_fp_format f, uint32_t m)
{
    return m >> f.round_shift & 3;
}

uint32_t lull_f32_from_f16(uint16_t a, uint32_t m)
{
    return (uint32_t)convert(lull_fp32, lull_fp16, a, mode_round(lull_fp32, m), m);
}

uint16_t lull_f16_from_f32(uint32_t a, uint32_t m)
{
    return (uint16_t)convert(lull_fp16, lull_fp32, a, mode_round(lull_fp16, m), m);
}

uint16_t lull_f16_from_f32_rtz(uint32_t a, uint32_t m)
{
    return (uint16_t)convert(lull_fp16, lull_fp32, a, LULL_ROUND_ZERO, m);
}

uint32_t lull_pk_f16_from_f32_rtz(uint32_t a, uint32_t b, uint32_t m)
{
    return lull_f16_from_f32_rtz(a, m) | (uint32_t)lull_f16_from_f32_rtz(b, m) << 16;
}

uint32_t lull_f32_from_f64(uint64_t a, uint32_t m)
{
    return (uint32_t)convert(lull_fp32, lull_fp64, a, mode_round(lull_fp32, m), m);
}

uint64_t lull_f64_from_f32(uint32_t a, uint32_t m)
{
    return convert(lull_fp64, lull_fp32, a, mode_round(lull_fp64, m), m);
}

static uint64_t from_int(struct lull_fp_format f, bool sign, uint32_t magnitude, uint32_t m)
{
    return magnitude ? lull_fp_norm_pack(f, sign, 62, magnitude, m) : 0;
}

static uint64_t from_signed(struct lull_fp_format f, int32_t v, uint32_t m)
{
    return from_int(f, v < 0, v < 0 ? 0u - (uint32_t)v : (uint32_t)v, m);
}

uint32_t lull_f32_from_i32(uint32_t a, uint32_t m)
{
    return (uint32_t)from_signed(lull_fp32, (int32_t)a, m);
}

uint32_t lull_f32_from_u32(uint32_t a, uint32_t m)
{
    return (uint32_t)from_int(lull_fp32, false, a, m);
}

uint64_t lull_f64_from_i32(uint32_t a, uint32_t m)
{
    return from_signed(lull_fp64, (int32_t)a, m);
}

uint64_t lull_f64_from_u32(uint32_t a, uint32_t m)
{
    return from_int(lull_fp64, false, a, m);
}

uint16_t lull_f16_from_i16(uint16_t a, uint32_t m)
{
    return (uint16_t)from_signed(lull_fp16, (int16_t)a, m);
}

uint16_t lull_f16_from_u16(uint16_t a, uint32_t m)
{
    return (uint16_t)from_int(lull_fp16, false, a, m);
}

uint32_t lull_f32_ubyte(uint32_t a, unsigned n)
{
    return (uint32_t)from_int(lull_fp32, false, a >> (8 * (n & 3)) & 0xff, 0);
}

uint32_t lull_f32_off_i4(uint32_t a)
{
    // -8 to 7 sixteenths: exact in any mode.
    int32_t v = (int32_t)((a & 15) ^ 8) - 8;
    uint32_t f = (uint32_t)from_signed(lull_fp32, v, 0);
    return v ? f - (4u << 23) : 0;
}

/** Whether a finite number has something below 1. */
static bool has_fraction(struct lull_fp_num n)
{
    return n.kind == LULL_FP_FINITE && n.exp < 62 && (n.exp < 0 || n.sig << (n.exp + 2) != 0);
}

/** Round in direction @p rm and saturate to [lo, hi]; NaN gives 0. */
static int64_t to_int(struct lull_fp_num n, unsigned rm, int64_t lo, int64_t hi, uint32_t m)
{
    const int64_t invalid = m & LULL_FP_PROBE ? LULL_EXCP_INVALID : 0;
    const int64_t inexact = m & LULL_FP_PROBE && has_fraction(n) ? LULL_EXCP_INEXACT : 0;
    if (n.kind == LULL_FP_NAN) {
        return invalid;
    }
    int64_t v = (int64_t)lull_fp_to_int(n, rm);
    v = n.sign ? -v : v;
    return v < lo ? lo ^ invalid : v > hi ? hi ^ invalid : v ^ inexact;
}

uint32_t lull_i32_from_f32(uint32_t a, uint32_t m)
{
    struct lull_fp_num n = lull_fp_unpack(lull_fp32, a, m);
    return (uint32_t)to_int(n, LULL_ROUND_ZERO, INT32_MIN, INT32_MAX, m);
}

uint32_t lull_u32_from_f32(uint32_t a, uint32_t m)
{
    return (uint32_t)to_int(lull_fp_unpack(lull_fp32, a, m), LULL_ROUND_ZERO, 0, UINT32_MAX, m);
}

uint32_t lull_i32_from_f64(uint64_t a, uint32_t m)
{
    struct lull_fp_num n = lull_fp_unpack(lull_fp64, a, m);
    return (uint32_t)to_int(n, LULL_ROUND_ZERO, INT32_MIN, INT32_MAX, m);
}

uint32_t lull_u32_from_f64(uint64_t a, uint32_t m)
{
    return (uint32_t)to_int(lull_fp_unpack(lull_fp64, a, m), LULL_ROUND_ZERO, 0, UINT32_MAX, m);
}

uint16_t lull_i16_from_f16(uint16_t a, uint32_t m)
{
    struct lull_fp_num n = lull_fp_unpack(lull_fp16, a, m);
    return (uint16_t)to_int(n, LULL_ROUND_ZERO, INT16_MIN, INT16_MAX, m);
}

uint16_t lull_u16_from_f16(uint16_t a, uint32_t m)
{
    return (uint16_t)to_int(lull_fp_unpack(lull_fp16, a, m), LULL_ROUND_ZERO, 0, UINT16_MAX, m);
}

/** floor, with the NaN results of v_cvt_floor_i32_f32 and v_cvt_nearest_i32_f32. */
static uint32_t floor_i32(uint32_t a, uint32_t m)
{
    struct lull_fp_num n = lull_fp_unpack(lull_fp32, a, m);
    if (n.kind == LULL_FP_NAN) {
        return (n.sign ? 0x80000000u : 0x7fffffffu) ^
               (m & LULL_FP_PROBE ? (uint32_t)LULL_EXCP_INVALID : 0);
    }
    return (uint32_t)to_int(n, LULL_ROUND_DOWN, INT32_MIN, INT32_MAX, m);
}

uint32_t lull_i32_nearest_f32(uint32_t a, uint32_t m)
{
    return floor_i32(lull_f32_add(a, 0x3f000000, m & ~LULL_FP_PROBE), m);
}

uint32_t lull_i32_floor_f32(uint32_t a, uint32_t m)
{
    return floor_i32(a, m);
}

static uint32_t pair(int64_t lo, int64_t hi)
{
    return (uint32_t)(uint16_t)lo | (uint32_t)(uint16_t)hi << 16;
}

uint32_t lull_pk_i16_from_f32(uint32_t a, uint32_t b, uint32_t m)
{
    struct lull_fp_num lo = lull_fp_unpack(lull_fp32, a, m);
    struct lull_fp_num hi = lull_fp_unpack(lull_fp32, b, m);
    return pair(to_int(lo, LULL_ROUND_ZERO, INT16_MIN, INT16_MAX, m),
                to_int(hi, LULL_ROUND_ZERO, INT16_MIN, INT16_MAX, m));
}

uint32_t lull_pk_u16_from_f32(uint32_t a, uint32_t b, uint32_t m)
{
    struct lull_fp_num lo = lull_fp_unpack(lull_fp32, a, m);
    struct lull_fp_num hi = lull_fp_unpack(lull_fp32, b, m);
    return pair(to_int(lo, LULL_ROUND_ZERO, 0, UINT16_MAX, m),
                to_int(hi, LULL_ROUND_ZERO, 0, UINT16_MAX, m));
}

static int32_t saturate_i16(uint32_t v)
{
    int32_t s = (int32_t)v;
    return s < INT16_MIN ? INT16_MIN : s > INT16_MAX ? INT16_MAX : s;
}

uint32_t lull_pk_i16_from_i32(uint32_t a, uint32_t b)
{
    return pair(saturate_i16(a), saturate_i16(b));
}

uint32_t lull_pk_u16_from_u32(uint32_t a, uint32_t b)
{
    return pair(a > UINT16_MAX ? UINT16_MAX : a, b > UINT16_MAX ? UINT16_MAX : b);
}

/** @p n (at most 24 bits of mantissa) times @p scale, rounded and saturated; never probed. */
static int64_t to_norm(struct lull_fp_num n, uint32_t scale, bool is_signed)
{
    if (n.kind == LULL_FP_FINITE) {
        uint64_t sig = (n.sig >> 31) * scale; // In units of 2^(exp - 31).
        unsigned up = lull_fp_clz(sig) - 1;
        n.sig = sig << up;
        n.exp += 31 - (int32_t)up;
    }
    return to_int(n, LULL_ROUND_NEAREST, is_signed ? -(int64_t)scale : 0, scale, 0);
}

uint16_t lull_i16_norm_f16(uint16_t a, uint32_t m)
{
    return (uint16_t)to_norm(lull_fp_unpack(lull_fp16, a, m), INT16_MAX, true);
}

uint16_t lull_u16_norm_f16(uint16_t a, uint32_t m)
{
    return (uint16_t)to_norm(lull_fp_unpack(lull_fp16, a, m), UINT16_MAX, false);
}

uint32_t lull_pk_i16_norm_f16(uint16_t a, uint16_t b, uint32_t m)
{
    return pair(lull_i16_norm_f16(a, m), lull_i16_norm_f16(b, m));
}

uint32_t lull_pk_u16_norm_f16(uint16_t a, uint16_t b, uint32_t m)
{
    return pair(lull_u16_norm_f16(a, m), lull_u16_norm_f16(b, m));
}

uint32_t lull_pk_i16_norm_f32(uint32_t a, uint32_t b, uint32_t m)
{
    return pair(to_norm(lull_fp_unpack(lull_fp32, a, m), INT16_MAX, true),
                to_norm(lull_fp_unpack(lull_fp32, b, m), INT16_MAX, true));
}

uint32_t lull_pk_u16_norm_f32(uint32_t a, uint32_t b, uint32_t m)
{
    return pair(to_norm(lull_fp_unpack(lull_fp32, a, m), UINT16_MAX, false),
                to_norm(lull_fp_unpack(lull_fp32, b, m), UINT16_MAX, false));
}

uint32_t lull_pk_u8_from_f32(uint32_t a, uint32_t b, uint32_t c, uint32_t m)
{
    unsigned shift = (b & 3) * 8;
    int64_t v = to_int(lull_fp_unpack(lull_fp32, a, m), mode_round(lull_fp32, m), 0, UINT8_MAX, m);
    return (c & ~(0xffu << shift)) | (uint32_t)v << shift;
}
