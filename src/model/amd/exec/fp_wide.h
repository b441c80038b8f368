// SPDX-License-Identifier: MIT
/** @file 128-bit unsigned integers for the wider products of fp_*.c. */
#ifndef LULL_MODEL_AMD_EXEC_FP_WIDE_H
#define LULL_MODEL_AMD_EXEC_FP_WIDE_H

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

/** floor(num / den) for num < den * 2^64; *exact: nothing was left. */
static inline uint64_t lull_div128(struct lull_u128 num, uint64_t den, bool *exact)
{
    // Restoring division, a bit at a time: only f64 reciprocals come here.
    uint64_t rest = num.hi, q = 0;
    for (unsigned i = 64; i-- > 0;) {
        bool carry = rest >> 63;
        rest = rest << 1 | (num.lo >> i & 1);
        q <<= 1;
        if (carry || rest >= den) {
            rest -= den;
            q |= 1;
        }
    }
    *exact = rest == 0;
    return q;
}

/** floor(sqrt(v)); *exact: v is a square. */
static inline uint64_t lull_sqrt128(struct lull_u128 v, bool *exact)
{
    uint64_t root = 0;
    for (unsigned i = 64; i-- > 0;) {
        uint64_t next = root | (uint64_t)1 << i;
        if (!lull_less128(v, lull_mul128(next, next))) {
            root = next;
        }
    }
    struct lull_u128 square = lull_mul128(root, root);
    *exact = square.hi == v.hi && square.lo == v.lo;
    return root;
}

#endif
