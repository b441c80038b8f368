// SPDX-License-Identifier: MIT
/** @file
 * f32 on the host's floating-point unit, for loops over lanes that the compiler vectorises.
 *
 * Use: if lull_fp_host_ok(MODE), then lull_fp_host_begin(MODE), loops, lull_fp_host_end(). In
 * between, results are bit for bit those of fp.h. Otherwise use fp.h.
 *
 * NaN: x86 gives the first NaN operand quieted, where the compiler decides which is first, and
 * 0xffc00000 for invalid operations, which is LULL_F32_NAN. So only NaN operands need work: a
 * comparison and a blend for each operand, in order, which also undoes the quieting if MODE.IEEE
 * is clear. Cheaper still: the _raw forms for all lanes, and if any result is a NaN
 * (lull_f32_is_nan()), the loop once more with fp.h.
 */
#ifndef LULL_MODEL_FP_HOST_H
#define LULL_MODEL_FP_HOST_H

#include <string.h>

#include "model/fp/fp.h"

/** What the unit that loops are compiled for has: rounding and flushing by MODE; fused
 * multiply-add; rounding to integers. Templates for aarch64 (jit/strip.h) say so themselves, where
 * the compiler's code sets the unit; lull on such a host does not. */
#if defined(LULL_FP_HOST_ALL)
#define LULL_FP_HOST 1
#define LULL_FP_HOST_FMA 1
#define LULL_FP_HOST_ROUNDS 1
#endif
#if defined(__SSE2__)
#define LULL_FP_HOST 1
#endif
#if defined(__FMA__)
#define LULL_FP_HOST_FMA 1
#endif
#if defined(__SSE4_1__)
#define LULL_FP_HOST_ROUNDS 1
#endif

/**
 * Whether the loops compiled here can do f32 by @p m: x86; without FMA only to nearest even.
 * Inline, so that it speaks of the flags its user was compiled with.
 */
static inline bool lull_fp_host_ok(uint32_t m)
{
#if defined(LULL_FP_HOST) && defined(LULL_FP_HOST_FMA)
    (void)m;
    return true;
#elif defined(LULL_FP_HOST)
    return (m >> LULL_FP_ROUND_F32_SHIFT & 3) == 0;
#else
    (void)m;
    return false;
#endif
}

/** Set rounding and flushing of the calling thread by @p m; @return what end wants. */
uint32_t lull_fp_host_begin(uint32_t m);
void lull_fp_host_end(uint32_t saved);

/** The same for who begins soon again: while the thread is held it stays as begin left it. */
void lull_fp_host_pause(uint32_t saved);
/** Whether the thread is held, and as begin for @p m would leave it: then that has nothing to do.
 */
bool lull_fp_host_stands(uint32_t m);
/** Hold the calling thread for waves one after the other, with nothing between them that computes
 * with floats. @return what release wants. */
uint32_t lull_fp_host_hold(void);
void lull_fp_host_release(uint32_t saved);

static inline float lull_f32_value(uint32_t a)
{
    float f = 0;
    memcpy(&f, &a, sizeof(f));
    return f;
}

static inline uint32_t lull_f32_bits(float f)
{
    uint32_t a = 0;
    memcpy(&a, &f, sizeof(a));
    return a;
}

static inline bool lull_f32_is_nan(uint32_t a)
{
    return (int32_t)(a & 0x7fffffff) > 0x7f800000;
}

/** c ? x : y by masks: gcc 12 turns the operator into a branch, which keeps a loop scalar. */
static inline uint32_t lull_f32_pick(bool c, uint32_t x, uint32_t y)
{
    uint32_t mask = 0u - (uint32_t)c;
    return (x & mask) | (y & ~mask);
}

/** Bit 22 if MODE.IEEE is set. */
static inline uint32_t lull_f32_quiet_bit(uint32_t m)
{
    return (m & LULL_FP_IEEE) << 13;
}

static inline uint32_t lull_f32_add_raw(uint32_t a, uint32_t b)
{
    return lull_f32_bits(lull_f32_value(a) + lull_f32_value(b));
}

static inline uint32_t lull_f32_mul_raw(uint32_t a, uint32_t b)
{
    return lull_f32_bits(lull_f32_value(a) * lull_f32_value(b));
}

/**
 * Without FMA: product and sum in double, the sum rounded to odd, so that rounding it to float
 * is right. To nearest even only. Source: Boldo and Melquiond, "Emulation of a FMA and correctly
 * rounded sums", 2008.
 */
static inline uint32_t lull_f32_fma_raw(uint32_t a, uint32_t b, uint32_t c)
{
#ifdef LULL_FP_HOST_FMA
    return lull_f32_bits(__builtin_fmaf(lull_f32_value(a), lull_f32_value(b), lull_f32_value(c)));
#else
    double p = (double)lull_f32_value(a) * (double)lull_f32_value(b), z = (double)lull_f32_value(c);
    double s = p + z;
    double back = s - p;
    double error = (p - (s - back)) + (z - back);
    int64_t bits = 0;
    memcpy(&bits, &s, sizeof(bits));
    // An inexact even sum: its odd neighbour, on the side of the error.
    int64_t away = (error < 0) == (s < 0) ? 1 : -1;
    bool inexact = error > 0 || error < 0;
    bits += inexact && !(bits & 1) ? away : 0;
    memcpy(&s, &bits, sizeof(s));
    return lull_f32_bits((float)s);
#endif
}

static inline uint32_t lull_f32_add_host(uint32_t a, uint32_t b, uint32_t m)
{
    uint32_t q = lull_f32_quiet_bit(m), r = lull_f32_add_raw(a, b);
    r = lull_f32_pick(lull_f32_is_nan(b), b | q, r);
    return lull_f32_pick(lull_f32_is_nan(a), a | q, r);
}

static inline uint32_t lull_f32_sub_host(uint32_t a, uint32_t b, uint32_t m)
{
    uint32_t q = lull_f32_quiet_bit(m), r = lull_f32_add_raw(a, b ^ 0x80000000);
    r = lull_f32_pick(lull_f32_is_nan(b), b | q, r);
    return lull_f32_pick(lull_f32_is_nan(a), a | q, r);
}

static inline uint32_t lull_f32_mul_host(uint32_t a, uint32_t b, uint32_t m)
{
    uint32_t q = lull_f32_quiet_bit(m), r = lull_f32_mul_raw(a, b);
    r = lull_f32_pick(lull_f32_is_nan(b), b | q, r);
    return lull_f32_pick(lull_f32_is_nan(a), a | q, r);
}

static inline uint32_t lull_f32_fma_host(uint32_t a, uint32_t b, uint32_t c, uint32_t m)
{
    uint32_t q = lull_f32_quiet_bit(m), r = lull_f32_fma_raw(a, b, c);
    r = lull_f32_pick(lull_f32_is_nan(c), c | q, r);
    r = lull_f32_pick(lull_f32_is_nan(b), b | q, r);
    return lull_f32_pick(lull_f32_is_nan(a), a | q, r);
}

/** @p a, or zero of its sign if it is denormal and @p keep is 0. */
static inline uint32_t lull_f32_flush(uint32_t a, uint32_t keep)
{
    bool denormal = (int32_t)(a & 0x7fffffff) < 0x00800000;
    return a & ~lull_f32_pick(denormal & (keep == 0), 0x7fffffff, 0);
}

/** v_min_f32 and v_max_f32 in integers: needs no lull_fp_host_begin(). */
static inline uint32_t lull_f32_minmax_host(uint32_t a, uint32_t b, bool max, uint32_t m)
{
    uint32_t keep_in = m >> LULL_FP_DENORM_F32_SHIFT & 1;
    uint32_t keep_out = m >> LULL_FP_DENORM_F32_SHIFT & 2;
    uint32_t q = lull_f32_quiet_bit(m);
    a = lull_f32_flush(a, keep_in);
    b = lull_f32_flush(b, keep_in);
    int32_t x = (int32_t)(a ^ ((a >> 31) * 0x7fffffff));
    int32_t y = (int32_t)(b ^ ((b >> 31) * 0x7fffffff));
    uint32_t r = lull_f32_pick((x < y) != max, a, b);
    r = lull_f32_pick(lull_f32_is_nan(a), b, r);
    r = lull_f32_pick(lull_f32_is_nan(b), a, r);
    // q is set: a signalling NaN wins, quieted.
    r = lull_f32_pick(lull_f32_is_nan(b) & ((b & q) != q), b | q, r);
    r = lull_f32_pick(lull_f32_is_nan(a) & ((a & q) != q), a | q, r);
    return lull_f32_flush(r, keep_out);
}

static inline uint32_t lull_f32_min_host(uint32_t a, uint32_t b, uint32_t m)
{
    return lull_f32_minmax_host(a, b, false, m);
}

static inline uint32_t lull_f32_max_host(uint32_t a, uint32_t b, uint32_t m)
{
    return lull_f32_minmax_host(a, b, true, m);
}

#endif
