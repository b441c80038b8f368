// SPDX-License-Identifier: MIT
/** @file
 * Small integer functions that rows of data/isa/rdna3.sem call.
 *
 * Source: RDNA3 ISA guide, chapter 16, by the instruction named.
 */
#ifndef LULL_MODEL_AMD_EXEC_OPS_H
#define LULL_MODEL_AMD_EXEC_OPS_H

#include <stdint.h>

static inline uint32_t lull_bfe_u32(uint32_t a, unsigned offset, unsigned width)
{
    const uint32_t mask = width >= 32 ? UINT32_MAX : ((uint32_t)1 << width) - 1;
    return a >> offset & mask;
}

static inline int32_t lull_bfe_i32(int32_t a, unsigned offset, unsigned width)
{
    const int32_t t = a >> offset;
    const unsigned drop = width >= 32 ? 0 : 32 - width;
    return width == 0 ? 0 : (int32_t)((uint32_t)t << drop) >> drop;
}

static inline uint64_t lull_bfe_u64(uint64_t a, unsigned offset, unsigned width)
{
    const uint64_t mask = width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
    return a >> offset & mask;
}

static inline int64_t lull_bfe_i64(int64_t a, unsigned offset, unsigned width)
{
    const int64_t t = a >> offset;
    const unsigned drop = width >= 64 ? 0 : 64 - width;
    return width == 0 ? 0 : (int64_t)((uint64_t)t << drop) >> drop;
}

static inline uint32_t lull_brev32(uint32_t a)
{
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(a);
}

static inline uint64_t lull_brev64(uint64_t a)
{
    return (uint64_t)lull_brev32((uint32_t)a) << 32 | lull_brev32((uint32_t)(a >> 32));
}

/* -1 if there is no such bit. */
static inline int32_t lull_ctz32(uint32_t a)
{
    return a == 0 ? -1 : __builtin_ctz(a);
}

static inline int32_t lull_ctz64(uint64_t a)
{
    return a == 0 ? -1 : __builtin_ctzll(a);
}

static inline int32_t lull_clz32(uint32_t a)
{
    return a == 0 ? -1 : __builtin_clz(a);
}

static inline int32_t lull_clz64(uint64_t a)
{
    return a == 0 ? -1 : __builtin_clzll(a);
}

/** Number of equal bits at the top; -1 if all are equal. */
static inline int32_t lull_cls32(int32_t a)
{
    return lull_clz32((uint32_t)(a ^ a >> 31));
}

static inline int32_t lull_cls64(int64_t a)
{
    return lull_clz64((uint64_t)(a ^ a >> 63));
}

static inline int32_t lull_bcnt(uint64_t a)
{
    return __builtin_popcountll(a);
}

/** Each bit twice. */
static inline uint64_t lull_bitreplicate(uint32_t a)
{
    uint64_t t = a;
    t = (t | t << 16) & 0x0000ffff0000ffff;
    t = (t | t << 8) & 0x00ff00ff00ff00ff;
    t = (t | t << 4) & 0x0f0f0f0f0f0f0f0f;
    t = (t | t << 2) & 0x3333333333333333;
    t = (t | t << 1) & 0x5555555555555555;
    return t | t << 1;
}

/** Bit n: whether any of the bits 4n to 4n+3 is set. */
static inline uint64_t lull_quadmask(uint64_t a)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < 16; i++) {
        r |= (uint64_t)((a >> (4 * i) & 15) != 0) << i;
    }
    return r;
}

/** All four bits of each group in which any is set. */
static inline uint64_t lull_wqm(uint64_t a)
{
    a |= a >> 1 & 0x7777777777777777;
    a |= a >> 2 & 0x3333333333333333;
    return (a & 0x1111111111111111) * 15;
}

static inline uint32_t lull_sat_u32(uint64_t a)
{
    return a > UINT32_MAX ? UINT32_MAX : (uint32_t)a;
}

static inline int32_t lull_sat_i32(int64_t a)
{
    return a > INT32_MAX ? INT32_MAX : a < INT32_MIN ? INT32_MIN : (int32_t)a;
}

static inline int16_t lull_sat_i16(int64_t a)
{
    return a > INT16_MAX ? INT16_MAX : a < INT16_MIN ? INT16_MIN : (int16_t)a;
}

static inline uint32_t lull_sat_u8(int16_t a)
{
    return a < 0 ? 0 : a > 255 ? 255 : (uint32_t)a;
}

static inline uint32_t lull_lerp_u8(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < 32; i += 8) {
        r |= ((a >> i & 255) + (b >> i & 255) + (c >> i & 1)) >> 1 << i;
    }
    return r;
}

static inline uint32_t lull_absdiff(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static inline uint32_t lull_sad_u8(uint32_t a, uint32_t b)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < 32; i += 8) {
        r += lull_absdiff(a >> i & 255, b >> i & 255);
    }
    return r;
}

static inline uint32_t lull_sad_u16(uint32_t a, uint32_t b)
{
    return lull_absdiff(a & 0xffff, b & 0xffff) + lull_absdiff(a >> 16, b >> 16);
}

/** As sad, but bytes of the reference @p b that are 0 do not count. */
static inline uint32_t lull_msad_u8(uint32_t a, uint32_t b)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < 32; i += 8) {
        r += (b >> i & 255) == 0 ? 0 : lull_absdiff(a >> i & 255, b >> i & 255);
    }
    return r;
}

/** v_qsad_pk_u16_u8, v_mqsad_pk_u16_u8: four sums at four byte offsets. */
static inline uint64_t lull_qsad(uint64_t a, uint32_t b, uint64_t c, int masked)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t part = (uint32_t)(a >> (8 * i));
        const uint32_t sum = masked ? lull_msad_u8(part, b) : lull_sad_u8(part, b);
        r |= ((sum + (c >> (16 * i))) & 0xffff) << (16 * i);
    }
    return r;
}

/** Byte of {a, b} (b is low) by selector: 8..11 sign of byte 1, 3, 5, 7; 12 is 0; above is 0xff. */
static inline uint32_t lull_perm_byte(uint64_t data, uint32_t sel)
{
    if (sel >= 13) {
        return 0xff;
    }
    if (sel == 12) {
        return 0;
    }
    if (sel >= 8) {
        return (data >> (16 * (sel - 8) + 15) & 1) != 0 ? 0xff : 0;
    }
    return data >> (8 * sel) & 0xff;
}

static inline uint32_t lull_perm(uint32_t a, uint32_t b, uint32_t sel)
{
    const uint64_t data = (uint64_t)a << 32 | b;
    uint32_t r = 0;
    for (unsigned i = 0; i < 32; i += 8) {
        r |= lull_perm_byte(data, sel >> i & 255) << i;
    }
    return r;
}

static inline int32_t lull_element(uint32_t a, unsigned i, unsigned bits, unsigned is_signed)
{
    const uint32_t up = a << (32 - bits - i * bits);
    return is_signed ? (int32_t)up >> (32 - bits) : (int32_t)(up >> (32 - bits));
}

/** Sum of products of bytes; bit 0 of @p neg: a is signed, bit 1: b is. */
static inline int64_t lull_dot4(uint32_t a, uint32_t b, uint32_t neg)
{
    int64_t r = 0;
    for (unsigned i = 0; i < 4; i++) {
        r += (int64_t)lull_element(a, i, 8, neg & 1) * lull_element(b, i, 8, neg >> 1 & 1);
    }
    return r;
}

static inline int64_t lull_dot8(uint32_t a, uint32_t b, uint32_t neg)
{
    int64_t r = 0;
    for (unsigned i = 0; i < 8; i++) {
        r += (int64_t)lull_element(a, i, 4, neg & 1) * lull_element(b, i, 4, neg >> 1 & 1);
    }
    return r;
}

#endif
