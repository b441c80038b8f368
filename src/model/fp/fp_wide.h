// SPDX-License-Identifier: MIT
/** @file 128-bit unsigned integers for the wider products of fp_*.c. */
#ifndef LULL_MODEL_FP_WIDE_H
#define LULL_MODEL_FP_WIDE_H

#include <stdbool.h>
#include <stdint.h>

struct lull_u128 {
    uint64_t hi, lo;
};

static inline struct lull_u128 lull_mul128(uint64_t a, uint64_t b)
{
    uint64_t al = (uint32_t)a, ah = a >> 32;
    uint64_t bl = (uint32_t)b, bh = b >> 32;
    uint64_t low = al * bl;
    uint64_t mid = ah * bl + (low >> 32);
    uint64_t mid2 = al * bh + (uint32_t)mid;
    struct lull_u128 r = {ah * bh + (mid >> 32) + (mid2 >> 32), mid2 << 32 | (uint32_t)low};
    return r;
}

/** Upper half of the product. */
static inline uint64_t lull_mulhi(uint64_t a, uint64_t b)
{
    return lull_mul128(a, b).hi;
}

static inline struct lull_u128 lull_add128(struct lull_u128 a, struct lull_u128 b)
{
    struct lull_u128 r = {a.hi + b.hi, a.lo + b.lo};
    r.hi += r.lo < a.lo;
    return r;
}

static inline struct lull_u128 lull_sub128(struct lull_u128 a, struct lull_u128 b)
{
    struct lull_u128 r = {a.hi - b.hi - (a.lo < b.lo), a.lo - b.lo};
    return r;
}

static inline bool lull_less128(struct lull_u128 a, struct lull_u128 b)
{
    return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}

/** @p v << @p by, 0 to 127. */
static inline struct lull_u128 lull_shl128(struct lull_u128 v, unsigned by)
{
    struct lull_u128 r = v;
    if (by >= 64) {
        r.hi = v.lo << (by - 64);
        r.lo = 0;
    } else if (by) {
        r.hi = v.hi << by | v.lo >> (64 - by);
        r.lo = v.lo << by;
    }
    return r;
}

/** @p v >> @p by, 0 to 127. */
static inline struct lull_u128 lull_shr128(struct lull_u128 v, unsigned by)
{
    struct lull_u128 r = v;
    if (by >= 64) {
        r.lo = v.hi >> (by - 64);
        r.hi = 0;
    } else if (by) {
        r.lo = v.lo >> by | v.hi << (64 - by);
        r.hi = v.hi >> by;
    }
    return r;
}

/** @p v >> @p by, any count, with bit 0 set if a set bit was lost. */
static inline struct lull_u128 lull_jam128(struct lull_u128 v, unsigned by)
{
    struct lull_u128 r = {0, v.hi || v.lo};
    if (by < 128) {
        r = lull_shr128(v, by);
        struct lull_u128 back = lull_shl128(r, by);
        r.lo |= back.hi != v.hi || back.lo != v.lo;
    }
    return r;
}

/** (*rest * 2^32 + digit) / den for *rest < den with bit 63 set; *rest: what is left. */
static inline uint64_t lull_div_step(uint64_t *rest, uint32_t digit, uint64_t den)
{
    uint64_t top = den >> 32, q = *rest / top;
    // q is too large by 2 at most, which the lower half of den shows. Source: Knuth, 4.3.1, D3.
    struct lull_u128 have = {*rest >> 32, *rest << 32 | digit};
    struct lull_u128 take = lull_mul128(q, den);
    while (lull_less128(have, take)) {
        struct lull_u128 d = {0, den};
        take = lull_sub128(take, d);
        q--;
    }
    *rest = have.lo - take.lo;
    return q;
}

/** floor(num / den) for num < den * 2^64; *exact: nothing was left. */
static inline uint64_t lull_div128(struct lull_u128 num, uint64_t den, bool *exact)
{
    unsigned up = (unsigned)__builtin_clzll(den);
    num = lull_shl128(num, up);
    den <<= up;
    uint64_t rest = num.hi;
    uint64_t q = lull_div_step(&rest, (uint32_t)(num.lo >> 32), den) << 32;
    q |= lull_div_step(&rest, (uint32_t)num.lo, den);
    *exact = rest == 0;
    return q;
}

/**
 * 1 / sqrt(x / 2^64) in units of 2^-62, for x of 2^62 or more, by Newton's method.
 *
 * @p steps: 4 for 2^-41 of relative error, 5 for 2^-57 (what the arithmetic gives).
 */
static inline uint64_t lull_inverse_root(uint64_t x, unsigned steps)
{
    const uint64_t three = (uint64_t)3 << 60;
    // The line 2.2 - 1.25 x is within 12 %; each step squares that and takes 3/2 of it.
    uint64_t y = 0x8ccccccccccccccdu - (x / 16) * 5;
    for (unsigned i = 0; i < steps; i++) {
        uint64_t xyy = lull_mulhi(x, lull_mulhi(y, y)); // Units of 2^-60, near 1.
        y = lull_mulhi(y, (three - xyy) << 1) << 2;
    }
    return y;
}

/** floor(sqrt(v)) for v of 2^62 or more; *exact: v is a square. */
static inline uint64_t lull_sqrt64(uint64_t v, bool *exact)
{
    uint64_t root = lull_mulhi(v, lull_inverse_root(v, 4)) >> 30;
    root = root > UINT32_MAX ? UINT32_MAX : root;
    while (root * root > v) {
        root--;
    }
    while (root < UINT32_MAX && (root + 1) * (root + 1) <= v) {
        root++;
    }
    *exact = root * root == v;
    return root;
}

/** floor(sqrt(v)) for v of 2^126 or more; *exact: v is a square. */
static inline uint64_t lull_sqrt128(struct lull_u128 v, bool *exact)
{
    // The upper 32 bits of the root, then the lower ones as rest / (2 * root), as on paper.
    bool unused = false;
    uint64_t top = lull_sqrt64(v.hi, &unused);
    uint64_t rest = v.hi - top * top; // At most 2 * top: 33 bits.
    uint64_t next = rest << 31 | v.lo >> 33;
    uint64_t low = next / top;
    low = low > UINT32_MAX ? UINT32_MAX : low;
    uint64_t root = top << 32 | low;
    while (lull_less128(v, lull_mul128(root, root))) {
        root--; // Once at most: low^2 was left out.
    }
    struct lull_u128 square = lull_mul128(root, root);
    *exact = square.hi == v.hi && square.lo == v.lo;
    return root;
}

#endif
