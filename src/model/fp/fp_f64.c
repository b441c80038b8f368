// SPDX-License-Identifier: MIT
#include "model/fp/fp.h"

#include "model/fp/fp_generic.h"
#include "model/fp/fp_wide.h"

static const struct lull_fp_div div64 = {128, 768, 53};

uint64_t lull_f64_add(uint64_t a, uint64_t b, uint32_t m)
{
    return lull_fp_add(lull_fp64, a, b, m);
}

/** A finite number of 127 bits; its exponent is that of bit 126, which is set. */
struct wide {
    struct lull_u128 sig;
    int32_t exp;
    bool sign;
};

static struct wide multiply(struct lull_fp_num a, struct lull_fp_num b)
{
    // Shifted up by one, factors have bit 63 and end in 11 zeros; the product has bit 126 or 127.
    struct wide p = {lull_mul128(a.sig << 1, b.sig << 1), a.exp + b.exp, a.sign != b.sign};
    if (p.sig.hi >> 63) {
        p.sig = lull_shr128(p.sig, 1);
        p.exp++;
    }
    return p;
}

static uint64_t pack_wide(struct wide w, uint32_t m)
{
    return lull_fp_pack(lull_fp64, w.sign, w.exp, w.sig.hi | (w.sig.lo != 0), m);
}

/** a + b rounded once. */
static uint64_t add_wide(struct wide a, struct wide b, uint32_t m)
{
    if (a.exp < b.exp || (a.exp == b.exp && lull_less128(a.sig, b.sig))) {
        struct wide t = a;
        a = b;
        b = t;
    }
    struct lull_u128 small = lull_jam128(b.sig, (unsigned)(a.exp - b.exp));
    if (a.sign == b.sign) {
        a.sig = lull_add128(a.sig, small);
    } else {
        a.sig = lull_sub128(a.sig, small);
    }
    if (!a.sig.hi && !a.sig.lo) {
        return lull_fp_zero_sum(lull_fp64, a.sign, b.sign, m);
    }
    if (a.sig.hi >> 63) {
        a.sig = lull_jam128(a.sig, 1);
        a.exp++;
    }
    unsigned zeros = a.sig.hi ? lull_fp_clz(a.sig.hi) : 64 + lull_fp_clz(a.sig.lo);
    a.sig = lull_shl128(a.sig, zeros - 1);
    a.exp -= (int32_t)zeros - 1;
    return pack_wide(a, m);
}

uint64_t lull_f64_mul(uint64_t a, uint64_t b, uint32_t m)
{
    if (lull_fp_is_nan(lull_fp64, a) || lull_fp_is_nan(lull_fp64, b)) {
        return lull_fp_quiet(lull_fp64, lull_fp_is_nan(lull_fp64, a) ? a : b, m);
    }
    struct lull_fp_num x = lull_fp_unpack(lull_fp64, a, m);
    struct lull_fp_num y = lull_fp_unpack(lull_fp64, b, m);
    bool sign = x.sign != y.sign;
    if (x.kind == LULL_FP_FINITE && y.kind == LULL_FP_FINITE) {
        return pack_wide(multiply(x, y), m);
    }
    bool zero = x.kind == LULL_FP_ZERO || y.kind == LULL_FP_ZERO;
    if (x.kind == LULL_FP_INF || y.kind == LULL_FP_INF) {
        return zero ? LULL_F64_NAN : lull_fp_inf(lull_fp64, sign);
    }
    return sign ? lull_fp_sign_bit(lull_fp64) : 0;
}

/** fma scaled by 2^scale. */
static uint64_t fma_scaled(uint64_t a, uint64_t b, uint64_t c, int32_t scale, uint32_t m)
{
    struct lull_fp_num x = lull_fp_unpack(lull_fp64, a, m);
    struct lull_fp_num y = lull_fp_unpack(lull_fp64, b, m);
    struct lull_fp_num z = lull_fp_unpack(lull_fp64, c, m);
    bool nan = lull_fp_is_nan(lull_fp64, a) || lull_fp_is_nan(lull_fp64, b);
    if (nan || x.kind != LULL_FP_FINITE || y.kind != LULL_FP_FINITE) {
        // The product is exact (zero, infinity, NaN), but scaling has to come before rounding.
        uint64_t p = lull_f64_mul(a, b, m);
        if (nan || (p == LULL_F64_NAN && !lull_fp_is_nan(lull_fp64, c))) {
            return p;
        }
        struct lull_fp_num n = lull_fp_unpack(lull_fp64, p == LULL_F64_NAN ? 0 : p, m);
        z.exp += scale;
        return z.kind == LULL_FP_NAN ? lull_fp_quiet(lull_fp64, c, m)
                                     : lull_fp_sum(lull_fp64, n, z, m);
    }
    struct wide p = multiply(x, y);
    p.exp += scale;
    z.exp += scale;
    if (z.kind == LULL_FP_FINITE) {
        struct wide w = {{z.sig, 0}, z.exp, z.sign};
        return add_wide(p, w, m);
    }
    if (z.kind == LULL_FP_ZERO) {
        return pack_wide(p, m);
    }
    return z.kind == LULL_FP_NAN ? lull_fp_quiet(lull_fp64, c, m) : c;
}

uint64_t lull_f64_fma(uint64_t a, uint64_t b, uint64_t c, uint32_t m)
{
    return fma_scaled(a, b, c, 0, m);
}

uint64_t lull_f64_min(uint64_t a, uint64_t b, uint32_t m)
{
    return lull_fp_minmax(lull_fp64, a, b, false, m);
}

uint64_t lull_f64_max(uint64_t a, uint64_t b, uint32_t m)
{
    return lull_fp_minmax(lull_fp64, a, b, true, m);
}

uint64_t lull_f64_div_scale(uint64_t a, uint64_t b, uint64_t c, uint32_t m, bool *vcc)
{
    const uint64_t s[3] = {a, b, c};
    return lull_fp_div_scale(lull_fp64, &div64, s, m, vcc);
}

uint64_t lull_f64_div_fmas(uint64_t a, uint64_t b, uint64_t c, bool vcc, uint32_t m)
{
    bool up = (c & (lull_fp_sign_bit(lull_fp64) - 1)) >= 0x4000000000000000;
    return fma_scaled(a, b, c, !vcc ? 0 : up ? 128 : -128, m);
}

uint64_t lull_f64_div_fixup(uint64_t a, uint64_t b, uint64_t c, uint32_t m)
{
    return lull_fp_div_fixup(lull_fp64, a, b, c, -1075, m);
}

/** What zero and infinity give, but for the sign; whether it is a root. */
struct special {
    uint64_t zero, inf;
    bool root;
};

static const struct special of_rcp = {0x7ff0000000000000, 0, false};
static const struct special of_rsq = {0x7ff0000000000000, 0, true};
static const struct special of_sqrt = {0, 0x7ff0000000000000, true};

/** The cases of rcp, rsq and sqrt that need no arithmetic; false: @p n is finite. */
static bool special(struct lull_fp_num n, const struct special *s, uint32_t m, uint64_t *ret)
{
    uint64_t sign = n.sign ? lull_fp_sign_bit(lull_fp64) : 0;
    if (n.kind == LULL_FP_NAN) {
        *ret = lull_fp_quiet(lull_fp64, n.sig, m);
    } else if (n.kind == LULL_FP_ZERO) {
        *ret = s->zero | sign;
    } else if (s->root && n.sign) {
        *ret = LULL_F64_NAN;
    } else if (n.kind == LULL_FP_INF) {
        *ret = s->inf | sign;
    } else {
        return false;
    }
    return true;
}

static uint64_t pack_nearest(bool sign, int32_t exp, uint64_t sig, uint32_t m)
{
    unsigned up = lull_fp_clz(sig) - 1;
    return lull_fp_round_to(lull_fp64, sign, exp - (int32_t)up, sig << up, LULL_ROUND_NEAREST, m);
}

uint64_t lull_f64_rcp(uint64_t a, uint32_t m)
{
    struct lull_fp_num n = lull_fp_unpack(lull_fp64, a, m);
    uint64_t r = 0;
    if (special(n, &of_rcp, m, &r)) {
        return r;
    }
    // 2^124 / sig: between 2^61 and 2^62.
    struct lull_u128 one = {(uint64_t)1 << 60, 0};
    bool exact = false;
    uint64_t q = lull_div128(one, n.sig, &exact);
    return pack_nearest(n.sign, -n.exp, q | !exact, m);
}

/** floor of the square root of a finite number, bit 63 set, which has exponent *exp. */
static uint64_t root(struct lull_fp_num n, int32_t *exp, bool *exact)
{
    bool odd = n.exp & 1;
    struct lull_u128 v = {n.sig << odd, 0}; // Bit 126 or 127: the root has bit 63.
    *exp = (n.exp - odd) / 2;
    return lull_sqrt128(v, exact);
}

uint64_t lull_f64_sqrt(uint64_t a, uint32_t m)
{
    struct lull_fp_num n = lull_fp_unpack(lull_fp64, a, m);
    uint64_t r = 0;
    if (special(n, &of_sqrt, m, &r)) {
        return r;
    }
    int32_t exp = 0;
    bool exact = false;
    uint64_t q = root(n, &exp, &exact);
    return pack_nearest(false, exp, lull_fp_jam(q, 1) | !exact, m);
}

uint64_t lull_f64_rsq(uint64_t a, uint32_t m)
{
    struct lull_fp_num n = lull_fp_unpack(lull_fp64, a, m);
    uint64_t r = 0;
    if (special(n, &of_rsq, m, &r)) {
        return r;
    }
    int32_t exp = 0;
    bool exact = false, exact_root = false;
    uint64_t q = root(n, &exp, &exact_root);
    struct lull_u128 one = {(uint64_t)1 << 61, 0};
    q = lull_div128(one, q, &exact);
    return pack_nearest(false, -exp, q | !(exact && exact_root), m);
}

/** The first 1201 bits of 2/pi after the point, most significant first. */
static const uint64_t two_over_pi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b0000,
};

uint64_t lull_f64_trig_preop(uint64_t a, uint32_t seg, uint32_t m)
{
    const unsigned nwords = sizeof(two_over_pi) / sizeof(two_over_pi[0]);
    int32_t exp = (int32_t)(a >> 52 & 0x7ff);
    int32_t shift = (int32_t)(seg & 31) * 53;
    if (exp > 1077) {
        shift += exp - 1077;
    }
    unsigned word = (unsigned)shift / 64, bit = (unsigned)shift % 64;
    uint64_t hi = word < nwords ? two_over_pi[word] : 0;
    uint64_t lo = word + 1 < nwords ? two_over_pi[word + 1] : 0;
    struct lull_u128 w = {hi, lo};
    uint64_t v = lull_shl128(w, bit).hi >> 11;
    if (v == 0) {
        return 0;
    }
    int32_t scale = -53 - shift + (exp >= 1968 ? 128 : 0);
    return lull_fp_norm_pack(lull_fp64, false, 62 + scale, v, m);
}

uint64_t lull_f64_clamp(uint64_t a, uint32_t m)
{
    return lull_fp_clamp(lull_fp64, a, m);
}

uint64_t lull_f64_out(uint64_t a, unsigned omod, bool clamp, uint32_t m)
{
    return lull_fp_out(lull_fp64, a, omod, clamp, m);
}

uint64_t lull_f64_floor(uint64_t a, uint32_t m)
{
    return lull_fp_integral(lull_fp64, a, LULL_ROUND_DOWN, m);
}

uint64_t lull_f64_ceil(uint64_t a, uint32_t m)
{
    return lull_fp_integral(lull_fp64, a, LULL_ROUND_UP, m);
}

uint64_t lull_f64_trunc(uint64_t a, uint32_t m)
{
    return lull_fp_integral(lull_fp64, a, LULL_ROUND_ZERO, m);
}

uint64_t lull_f64_rndne(uint64_t a, uint32_t m)
{
    return lull_fp_integral(lull_fp64, a, LULL_ROUND_NEAREST, m);
}

uint64_t lull_f64_fract(uint64_t a, uint32_t m)
{
    return lull_fp_fract(lull_fp64, a, m);
}

uint64_t lull_f64_ldexp(uint64_t a, int32_t e, uint32_t m)
{
    return lull_fp_ldexp(lull_fp64, a, e, m);
}

int32_t lull_f64_frexp_exp(uint64_t a, uint32_t m)
{
    return lull_fp_frexp_exp(lull_fp64, a, m);
}

uint64_t lull_f64_frexp_mant(uint64_t a, uint32_t m)
{
    return lull_fp_frexp_mant(lull_fp64, a, m);
}

bool lull_f64_cmp(uint64_t a, uint64_t b, enum lull_fp_cmp op, uint32_t m)
{
    return lull_fp_cmp(lull_fp64, a, b, op, m);
}

bool lull_f64_class(uint64_t a, uint32_t mask)
{
    return lull_fp_class(lull_fp64, a, mask);
}
