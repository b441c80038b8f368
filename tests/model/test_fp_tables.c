// SPDX-License-Identifier: MIT
// Special cases of fp.h: rows from the pseudo code of the RDNA3 ISA guide (chapter 16), the CLRX
// documentation and the values tinygrad's tests saw on gfx1100 ("seen").
#include "model/fp/fp.h"
#include "test.h"

#include <inttypes.h>

#define INF 0x7f800000u
#define MINF 0xff800000u
#define QNAN 0x7fc00001u
#define SNAN 0x7f800001u
#define ONE 0x3f800000u
#define MONE 0xbf800000u
#define TWO 0x40000000u
#define MZERO 0x80000000u
#define TINY 0x00000001u
#define MAX 0x7f7fffffu

enum { FLUSH = 0, KEEP = 0xf0, IEEE = 0x200, DX10 = 0x100, OVFL = 1 << 23 };

static void check(const char *name, size_t row, uint64_t got, uint64_t want)
{
    char title[48];
    snprintf(title, sizeof(title), "%s %zu", name, row);
    test_case(got == want, title, "got %#" PRIx64 " want %#" PRIx64, got, want);
}

typedef uint32_t one32(uint32_t, uint32_t);
typedef uint32_t two32(uint32_t, uint32_t, uint32_t);
typedef uint32_t three32(uint32_t, uint32_t, uint32_t, uint32_t);

static const struct {
    const char *name;
    one32 *fn;
    uint32_t a, mode, want;
} ones[] = {
    // Without rounding direction and denormals of MODE: RDNA3 has both for no TRANS f32.
    {"rcp", lull_f32_rcp, 0, KEEP, INF},
    {"rcp", lull_f32_rcp, MZERO, KEEP, MINF},
    {"rcp", lull_f32_rcp, TINY, KEEP, INF},
    {"rcp", lull_f32_rcp, MINF, KEEP, MZERO},
    {"rcp", lull_f32_rcp, 0x7f000000, KEEP, 0}, // 2^-127 is denormal.
    {"rcp", lull_f32_rcp, SNAN, IEEE, QNAN},
    {"rcp", lull_f32_rcp, SNAN, 0, SNAN},
    {"rsq", lull_f32_rsq, 0, 0, INF},
    {"rsq", lull_f32_rsq, MZERO, 0, MINF},
    {"rsq", lull_f32_rsq, MONE, 0, LULL_F32_NAN},
    {"rsq", lull_f32_rsq, INF, 0, 0},
    {"sqrt", lull_f32_sqrt, MZERO, 0, MZERO},
    {"sqrt", lull_f32_sqrt, MONE, 0, LULL_F32_NAN},
    {"sqrt", lull_f32_sqrt, MINF, 0, LULL_F32_NAN},
    {"sqrt", lull_f32_sqrt, 0x80000001, KEEP, MZERO},
    {"sqrt", lull_f32_sqrt, INF, 0, INF},
    {"log", lull_f32_log, MZERO, 0, MINF},
    {"log", lull_f32_log, TINY, KEEP, MINF},
    {"log", lull_f32_log, ONE, 0, 0},
    {"log", lull_f32_log, MONE, 0, LULL_F32_NAN},
    {"log", lull_f32_log, INF, 0, INF},
    {"exp", lull_f32_exp, MINF, 0, 0},
    {"exp", lull_f32_exp, INF, 0, INF},
    {"exp", lull_f32_exp, MZERO, 0, ONE},
    {"exp", lull_f32_exp, 0x43000000, 0, INF},        // 128
    {"exp", lull_f32_exp, 0xc2fc0000, 0, 0x00800000}, // -126
    {"exp", lull_f32_exp, 0xc2fc0001, KEEP, 0},
    {"exp", lull_f32_exp, 0xff7fffff, KEEP, 0},
    {"sin", lull_f32_sin, INF, 0, LULL_F32_NAN},
    {"sin", lull_f32_sin, MZERO, 0, MZERO},
    {"sin", lull_f32_sin, 0x3e800000, 0, ONE}, // A quarter: seen.
    {"sin", lull_f32_sin, 0x4800e800, 0, 0},   // 132000: seen.
    {"cos", lull_f32_cos, 0x4800e800, 0, ONE}, // 132000: seen.
    {"cos", lull_f32_cos, 0x3e800000, 0, 0},
    {"cos", lull_f32_cos, 0x3f000000, 0, MONE},           // A half: seen.
    {"fract", lull_f32_fract, 0xbfa00000, 0, 0x3f400000}, // -1.25: seen.
    {"fract", lull_f32_fract, 0x80800000, 0, 0x3f7fffff}, // Never 1.
    {"fract", lull_f32_fract, INF, 0, 0x7fc00000},
    {"fract", lull_f32_fract, MINF, 0, 0xffc00000},
    {"frexp_mant", lull_f32_frexp_mant, 0x40c00000, 0, 0x3f400000}, // 6 = 0.75 * 2^3
    {"frexp_mant", lull_f32_frexp_mant, TINY, KEEP, 0x3f000000},
    {"frexp_mant", lull_f32_frexp_mant, TINY, FLUSH, 0},
    {"frexp_mant", lull_f32_frexp_mant, MINF, 0, MINF},
    {"clamp", lull_f32_clamp, QNAN, DX10, 0}, // Seen.
    {"clamp", lull_f32_clamp, QNAN, 0, QNAN},
    {"clamp", lull_f32_clamp, MZERO, 0, 0},
    {"clamp", lull_f32_clamp, MINF, 0, 0},
    {"clamp", lull_f32_clamp, TWO, 0, ONE},
    {"clamp", lull_f32_clamp, 0x3f7fffff, 0, 0x3f7fffff},
    {"i32_from_f32", lull_i32_from_f32, QNAN, 0, 0},
    {"nearest_i32", lull_i32_nearest_f32, 0x40200000, 0, 3},          // 2.5
    {"nearest_i32", lull_i32_nearest_f32, 0xc0200000, 0, 0xfffffffe}, // -2.5
    {"nearest_i32", lull_i32_nearest_f32, QNAN, 0, 0x7fffffff},
    {"nearest_i32", lull_i32_nearest_f32, 0xffc00000, 0, 0x80000000},
};

static const struct {
    const char *name;
    two32 *fn;
    uint32_t a, b, mode, want;
} twos[] = {
    {"add", lull_f32_add, INF, MINF, 0, LULL_F32_NAN},
    {"add", lull_f32_add, SNAN, ONE, IEEE, QNAN},
    {"add", lull_f32_add, ONE, SNAN, 0, SNAN},
    {"add", lull_f32_add, QNAN, 0xffc00002, 0, QNAN},
    {"add", lull_f32_add, ONE, MONE, 0, 0},
    {"add", lull_f32_add, ONE, MONE, 2, MZERO}, // Down.
    {"add", lull_f32_add, MZERO, MZERO, 0, MZERO},
    {"add", lull_f32_add, TINY, TINY, KEEP, 2},
    {"add", lull_f32_add, TINY, TINY, 0x10, 0}, // Operands kept, result flushed.
    {"add", lull_f32_add, TINY, TINY, 0x20, 0}, // The other way round.
    {"sub", lull_f32_sub, ONE, QNAN, 0, QNAN},
    {"mul", lull_f32_mul, 0, INF, 0, LULL_F32_NAN}, // NaN: seen.
    {"mul", lull_f32_mul, MAX, TWO, 3, MAX},
    {"mul", lull_f32_mul, MAX, TWO, OVFL, INF}, // FP16_OVFL is for f16 alone.
    {"mul", lull_f32_mul, TINY, ONE, 0, 0},     // Seen.
    {"mul_dx9", lull_f32_mul_dx9, MZERO, INF, 0, 0},
    {"mul_dx9", lull_f32_mul_dx9, QNAN, 0, 0, 0},
    {"mul_dx9", lull_f32_mul_dx9, TINY, INF, FLUSH, 0},
    {"mul_dx9", lull_f32_mul_dx9, TINY, INF, KEEP, INF},
    {"min", lull_f32_min, 0, MZERO, 0, MZERO},
    {"min", lull_f32_min, MZERO, 0, 0, MZERO},
    {"max", lull_f32_max, 0, MZERO, 0, 0},
    {"max", lull_f32_max, MZERO, 0, 0, 0},
    {"min", lull_f32_min, QNAN, ONE, 0, ONE},    // Seen.
    {"min", lull_f32_min, ONE, QNAN, IEEE, ONE}, // Seen.
    {"max", lull_f32_max, SNAN, ONE, 0, ONE},
    {"max", lull_f32_max, SNAN, ONE, IEEE, QNAN},
    {"max", lull_f32_max, ONE, SNAN, IEEE, QNAN},
    {"max", lull_f32_max, SNAN, SNAN, 0, SNAN},
    {"max", lull_f32_max, QNAN, 0xffc00002, IEEE, QNAN},
    {"min", lull_f32_min, MINF, INF, 0, MINF},
    {"min", lull_f32_min, TINY, ONE, FLUSH, 0},
    {"max", lull_f32_max, TINY, 0, KEEP, TINY},
    {"pk_rtz", lull_pk_f16_from_f32_rtz, 0x477fffff, MONE, 0, 0xbc007bff},
    {"pk_i16_i32", NULL, 0x8000, 0xffff7fff, 0, 0x80007fff},
    {"pk_norm_i16", lull_pk_i16_norm_f32, ONE, MONE, 0, 0x80017fff},         // Seen.
    {"pk_norm_u16", lull_pk_u16_norm_f32, ONE, 0x3f000000, 0, 0x8000ffff},   // Seen.
    {"pk_i16", lull_pk_i16_from_f32, 0x42c90000, 0xc24acccd, 0, 0xffce0064}, // 100.5, -50.7: seen.
    {"pk_add", lull_pk_f16_add, 0x3c003c00, 0x40003c00, 0, 0x42004000},
    {"pk_mul", lull_pk_f16_mul, 0x7bff4000, 0x40004000, 0, 0x7c004400},
    {"pk_mul", lull_pk_f16_mul, 0x7bff7c00, 0x40004000, OVFL, 0x7bff7c00}, // Infinity stays.
    {"pk_min", lull_pk_f16_min, 0x80007e00, 0x00003c00, 0, 0x80003c00},
    {"pk_max", lull_pk_f16_max, 0x8000bc00, 0x00003c00, 0, 0x00003c00},
};

static const struct {
    const char *name;
    three32 *fn;
    uint32_t a, b, c, mode, want;
} threes[] = {
    {"fma", lull_f32_fma, 0, INF, ONE, 0, LULL_F32_NAN},
    {"fma", lull_f32_fma, 0, INF, QNAN, 0, QNAN},
    {"fma", lull_f32_fma, ONE, SNAN, QNAN, IEEE, QNAN},
    {"fma", lull_f32_fma, ONE, INF, MINF, 0, LULL_F32_NAN},
    {"fma", lull_f32_fma, 0x3f800001, 0x3f800001, 0xbf800002, 0, 0x28800000}, // One rounding.
    {"fma_dx9", lull_f32_fma_dx9, 0, INF, TWO, 0, TWO},
    {"fma_dx9", lull_f32_fma_dx9, QNAN, MZERO, MZERO, 0, MZERO},
    {"fma_dx9", lull_f32_fma_dx9, TWO, TWO, ONE, 0, 0x40a00000},
    {"mullit", lull_f32_mullit, TWO, 0x40400000, ONE, 0, 0x40c00000}, // 2 * 3: seen.
    {"mullit", lull_f32_mullit, TWO, 0x40400000, 0, 0, 0xff7fffff},   // Seen.
    {"mullit", lull_f32_mullit, TWO, MINF, ONE, 0, 0xff7fffff},
    {"mullit", lull_f32_mullit, TWO, QNAN, ONE, 0, 0xff7fffff},
    {"mullit", lull_f32_mullit, TWO, TWO, QNAN, 0, 0xff7fffff},
    {"med3", lull_f32_med3, ONE, TWO, MONE, 0, ONE},
    {"med3", lull_f32_med3, TWO, MONE, ONE, 0, ONE},
    {"med3", lull_f32_med3, MONE, ONE, TWO, 0, ONE},
    {"med3", lull_f32_med3, QNAN, ONE, TWO, 0, ONE}, // The minimum: seen.
    {"med3", lull_f32_med3, TWO, QNAN, ONE, 0, ONE},
    {"med3", lull_f32_med3, MZERO, 0, MZERO, 0, 0}, // The guide's order of tests.
    {"min3", lull_f32_min3, TWO, QNAN, MONE, 0, MONE},
    {"max3", lull_f32_max3, TWO, QNAN, MONE, 0, TWO},
    {"minmax", lull_f32_minmax, TWO, ONE, 0, 0, ONE},
    {"maxmin", lull_f32_maxmin, TWO, ONE, 0, 0, 0},
    // Estimate, denominator, numerator.
    {"div_fixup", lull_f32_div_fixup, ONE, 0, 0, 0, 0xffc00000},
    {"div_fixup", lull_f32_div_fixup, ONE, INF, MINF, 0, 0xffc00000},
    {"div_fixup", lull_f32_div_fixup, ONE, MZERO, ONE, 0, MINF},
    {"div_fixup", lull_f32_div_fixup, ONE, MINF, ONE, 0, MZERO}, // Seen.
    {"div_fixup", lull_f32_div_fixup, ONE, SNAN, ONE, 0, QNAN},
    {"div_fixup", lull_f32_div_fixup, ONE, QNAN, 0x7fc00007, 0, 0x7fc00007},
    {"div_fixup", lull_f32_div_fixup, QNAN, ONE, ONE, 0, INF},   // Seen.
    {"div_fixup", lull_f32_div_fixup, QNAN, MONE, ONE, 0, MINF}, // Seen.
    {"div_fixup", lull_f32_div_fixup, MONE, ONE, ONE, 0, ONE},
    {"div_fixup", lull_f32_div_fixup, ONE, 0x7f000000, 0x00800000, KEEP, 0},
    {"div_fixup", lull_f32_div_fixup, ONE, 0x7f000000, 0x80800000, KEEP | 2, 0x80000001},
    // Directions +x, -x, +y, -y, +z, -z: face, s, t, major axis.
    {"cubeid", lull_f32_cubeid, TWO, ONE, MONE, 0, 0},
    {"cubeid", lull_f32_cubeid, 0xc0000000, ONE, ONE, 0, 0x3f800000},
    {"cubeid", lull_f32_cubeid, ONE, TWO, ONE, 0, 0x40000000},
    {"cubeid", lull_f32_cubeid, ONE, 0xc0000000, ONE, 0, 0x40400000},
    {"cubeid", lull_f32_cubeid, ONE, ONE, ONE, 0, 0x40800000},
    {"cubeid", lull_f32_cubeid, ONE, ONE, 0xc0000000, 0, 0x40a00000},
    {"cubesc", lull_f32_cubesc, TWO, ONE, MONE, 0, ONE},
    {"cubesc", lull_f32_cubesc, 0xc0000000, ONE, MONE, 0, MONE},
    {"cubesc", lull_f32_cubesc, ONE, TWO, MONE, 0, ONE},
    {"cubesc", lull_f32_cubesc, ONE, ONE, TWO, 0, ONE},
    {"cubesc", lull_f32_cubesc, ONE, ONE, 0xc0000000, 0, MONE},
    {"cubetc", lull_f32_cubetc, TWO, ONE, MONE, 0, MONE},
    {"cubetc", lull_f32_cubetc, ONE, TWO, MONE, 0, MONE},
    {"cubetc", lull_f32_cubetc, ONE, 0xc0000000, MONE, 0, ONE},
    {"cubetc", lull_f32_cubetc, ONE, ONE, TWO, 0, MONE},
    {"cubema", lull_f32_cubema, 0xc0000000, ONE, MONE, 0, 0xc0800000},
    {"cubema", lull_f32_cubema, ONE, ONE, ONE, 0, TWO},
    {"pk_u8", lull_pk_u8_from_f32, 0x43008000, 0, 0xffffff00, 0, 0xffffff80}, // 128.5: seen.
    {"pk_u8", lull_pk_u8_from_f32, 0x43c00000, 7, 0x12345678, 0, 0xff345678}, // 384
    {"pk_u8", lull_pk_u8_from_f32, QNAN, 1, 0xffffffff, 0, 0xffff00ff},
    {"pk_fma", lull_pk_f16_fma, 0x40003c00, 0x40003c00, 0x3c003c00, 0, 0x45004000},
    {"dot2_f16", lull_f32_dot2_f16, 0x40003c00, 0x42004000, ONE, 0, 0x41100000}, // 1*2 + 2*3 + 1
    {"dot2_bf16", lull_f32_dot2_bf16, 0x40003f80, 0x40404000, ONE, 0, 0x41100000},
};

static void check_div_scale(void)
{
    static const struct {
        uint32_t a, b, c, mode, want;
        bool vcc;
    } rows[] = {
        {ONE, 0x40800000, ONE, 0, ONE, false},               // Nothing to do: seen.
        {ONE, 0, ONE, 0, LULL_F32_NAN, true},                // NaN and vcc: seen.
        {0, ONE, 0, 0, LULL_F32_NAN, true},                  // Seen.
        {ONE, ONE, MAX, 0, 0x5f800000, true},                // 2^64: seen.
        {MAX, ONE, MAX, 0, MAX, true},                       // Only the denominator.
        {TINY, TINY, ONE, FLUSH, LULL_F32_NAN, true},        // Seen.
        {0x00800000, ONE, 0x00800000, 0, 0x20800000, true},  // 2^-62: seen.
        {ONE, 0x7f000000, ONE, 0, ONE, true},                // Seen.
        {0x7f000000, 0x7f000000, ONE, 0, 0x5f000000, true},  // The denominator goes down.
        {0x7f000000, 0x7f000000, MAX, 0, 0x5f000000, false}, // Both go down.
        {TINY, TINY, TINY, KEEP, 0x15000000, false},         // Both go up: to 2^-85.
        {QNAN, QNAN, ONE, 0, QNAN, true},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        bool vcc = false;
        uint32_t got = lull_f32_div_scale(rows[i].a, rows[i].b, rows[i].c, rows[i].mode, &vcc);
        check("div_scale", i, got, rows[i].want);
        check("div_scale vcc", i, vcc, rows[i].vcc);
    }
    bool vcc = false;
    check(
        "div_scale f64", 0,
        lull_f64_div_scale(0x4000000000000000, 0x4000000000000000, 0x4000000000000000, 0xf0, &vcc),
        0x4000000000000000);
    check("div_scale f64 vcc", 0, vcc, false); // Seen.
    check("div_scale f64", 1,
          lull_f64_div_scale(0x3ff0000000000000, 0, 0x3ff0000000000000, 0xf0, &vcc), LULL_F64_NAN);
    check("div_scale f64 vcc", 1, vcc, true); // Seen.
}

/** v_div_fmas_f32 as seen: up by 2^64 from an addend of 2 on, else down. */
static void check_div_fmas(void)
{
    check("div_fmas", 0, lull_f32_div_fmas(TWO, 0x40400000, ONE, false, 0), 0x40e00000);
    check("div_fmas", 1, lull_f32_div_fmas(ONE, ONE, TWO, true, 0), 0x60400000);
    check("div_fmas", 2, lull_f32_div_fmas(TWO, 0x40400000, ONE, true, 0), 0x20e00000);
}

/** One value of each class, bit by bit, for the three formats. */
static void check_class(void)
{
    static const uint32_t f32[] = {SNAN, QNAN, MINF, MONE, 0x807fffff, MZERO, 0, TINY, ONE, INF};
    static const uint16_t f16[] = {0x7c01, 0x7e00, 0xfc00, 0xbc00, 0x8001,
                                   0x8000, 0,      0x03ff, 0x3c00, 0x7c00};
    static const uint64_t f64[] = {0x7ff0000000000001,
                                   0xfff8000000000000,
                                   0xfff0000000000000,
                                   0x8010000000000000,
                                   0x800fffffffffffff,
                                   0x8000000000000000,
                                   0,
                                   1,
                                   0x7fefffffffffffff,
                                   0x7ff0000000000000};
    for (unsigned i = 0; i < 10; i++) {
        uint32_t got[3] = {0};
        for (unsigned bit = 0; bit < 32; bit++) {
            got[0] |= (uint32_t)lull_f32_class(f32[i], 1u << bit) << bit;
            got[1] |= (uint32_t)lull_f16_class(f16[i], 1u << bit) << bit;
            got[2] |= (uint32_t)lull_f64_class(f64[i], 1u << bit) << bit;
        }
        check("class f32", i, got[0], 1u << i);
        check("class f16", i, got[1], 1u << i);
        check("class f64", i, got[2], 1u << i);
    }
}

/** Every predicate on less, equal, greater and unordered; the C operators say what is right. */
static void check_cmp(void)
{
    static const uint32_t s[][2] = {{ONE, TWO}, {0, MZERO}, {MONE, MINF}, {QNAN, ONE}};
    static const float v[][2] = {
        {1, 2}, {0, -0.0f}, {-1, -__builtin_inff()}, {__builtin_nanf(""), 1}};
    for (unsigned i = 0; i < 4; i++) {
        float a = v[i][0], b = v[i][1];
        bool u = a != a || b != b;
        const bool want[16] = {
            false,     a<b, a == b, a <= b, a> b, a < b || a > b, a >= b,    !u,     u,
            !(a >= b), !(a < b || a > b),         !(a > b),       !(a <= b), a != b, !(a < b),
            true};
        uint32_t got = 0, all = 0;
        for (unsigned op = 0; op < 16; op++) {
            got |= (uint32_t)lull_f32_cmp(s[i][0], s[i][1], (enum lull_fp_cmp)op, 0) << op;
            all |= (uint32_t)want[op] << op;
        }
        check("cmp", i, got, all);
    }
    check("cmp flush", 0, lull_f32_cmp(TINY, 0, LULL_CMP_EQ, FLUSH), true);
    check("cmp flush", 1, lull_f32_cmp(TINY, 0, LULL_CMP_EQ, KEEP), false);
    check("cmp f16", 0, lull_f16_cmp(0xbc00, 0x0001, LULL_CMP_LT, KEEP), true);
    check("cmp f64", 0, lull_f64_cmp(0x8000000000000000, 0, LULL_CMP_EQ, 0), true);
}

static void check_rest(void)
{
    check("omod", 0, lull_f32_omod(ONE, 1, FLUSH), TWO);
    check("omod", 1, lull_f32_omod(ONE, 2, FLUSH), 0x40800000);
    check("omod", 2, lull_f32_omod(ONE, 3, FLUSH), 0x3f000000);
    check("omod ieee", 0, lull_f32_omod(ONE, 1, IEEE), ONE);
    check("omod denorm", 0, lull_f32_omod(ONE, 1, KEEP), ONE);
    check("omod flush", 0, lull_f32_omod(0x80800000, 3, FLUSH), 0);
    check("omod zero", 0, lull_f32_omod(MZERO, 1, FLUSH), 0);
    check("out", 0, lull_f32_out(ONE, 1, true, DX10), ONE);
    check("frexp_exp", 0, (uint32_t)lull_f32_frexp_exp(0x40c00000, 0), 3);
    check("frexp_exp", 1, (uint32_t)lull_f32_frexp_exp(TINY, KEEP), (uint32_t)-148);
    check("frexp_exp", 2, (uint32_t)lull_f32_frexp_exp(0, 0), 0);
    check("frexp_exp", 3, (uint32_t)lull_f32_frexp_exp(INF, 0), 0);
    check("frexp_exp f16", 0, (uint32_t)lull_f16_frexp_exp(0x4600, 0), 3);
    check("frexp_exp f64", 0, (uint32_t)lull_f64_frexp_exp(1, 0xf0), (uint32_t)-1073);
    check("ldexp", 0, lull_f32_ldexp(ONE, 127, 0), 0x7f000000);
    check("ldexp", 1, lull_f32_ldexp(ONE, INT32_MAX, 0), INF);
    check("ldexp", 2, lull_f32_ldexp(MONE, INT32_MIN, KEEP), MZERO);
    check("ldexp", 3, lull_f32_ldexp(0x3fc00000, -149, KEEP), 2); // 1.5 to even.
    check("ldexp f64", 0, lull_f64_ldexp(0x3ff0000000000000, -1074, 0xf0), 1);
    check("ldexp f16", 0, lull_f16_ldexp(0x3c00, 16, 0), 0x7c00);
    check("ldexp f16", 1, lull_f16_ldexp(0x3c00, 16, OVFL), 0x7bff);
    check("f16 add", 0, lull_f16_add(0x7c00, 0xfc00, 0), LULL_F16_NAN);
    check("f16 nan", 0, lull_f16_add(0x3c00, 0x7c01, IEEE), 0x7e01);
    check("f16 from f32", 0, lull_f16_from_f32(0x47800000, 0), 0x7c00);
    check("f16 from f32", 1, lull_f16_from_f32(0x47800000, OVFL), 0x7bff);
    check("f16 from f32", 2, lull_f16_from_f32(INF, OVFL), 0x7c00);
    check("f16 from f32", 3, lull_f16_from_f32(0xffc02000, 0), 0xfe01);
    check("f16 from f32", 4, lull_f16_from_f32(SNAN, 0), 0x7e00);
    check("f32 from f16", 0, lull_f32_from_f16(0x0001, 0xf0), 0x33800000); // Seen.
    check("f32 from f16", 1, lull_f32_from_f16(0x0001, 0x30), 0);
    check("f32 from f64", 0, lull_f32_from_f64(0x7ff8000000000000, 0), 0x7fc00000);
    check("f64 nan", 0, lull_f64_fma(0, 0x7ff0000000000000, 0, 0), LULL_F64_NAN);
    check("f64 nan", 1, lull_f64_fma(0, 0x7ff0000000000000, 0x7ff8000000000003, 0),
          0x7ff8000000000003);
    check("f64 nan", 2, lull_f64_mul(0x3ff0000000000000, 0x7ff0000000000001, IEEE),
          0x7ff8000000000001);
    check("f64 rsq", 0, lull_f64_rsq(0x8000000000000000, 0), 0xfff0000000000000);
    check("f64 sqrt", 0, lull_f64_sqrt(0xbff0000000000000, 0), LULL_F64_NAN);
    check("f64 clamp", 0, lull_f64_clamp(0x4000000000000000, 0), 0x3ff0000000000000);
    check("f64 fract", 0, lull_f64_fract(0x8010000000000000, 0xf0), 0x3fefffffffffffff);
    check("f16 fract", 0, lull_f16_fract(0x8400, 0xf0), 0x3bff);
    check("ubyte", 0, lull_f32_ubyte(0x12ff5678, 2), 0x437f0000);
    check("off_i4", 0, lull_f32_off_i4(8), 0xbf000000);
    check("off_i4", 1, lull_f32_off_i4(7), 0x3ee00000);
    check("off_i4", 2, lull_f32_off_i4(0x10), 0);
    check("off_i4", 3, lull_f32_off_i4(15), 0xbd800000);
    check("dot2 f16", 0, lull_f16_dot2(0x40003c00, 0x42004000, 0x3c00, 0), 0x4880);
    check("dot2 bf16", 0, lull_bf16_dot2(0x40003f80, 0x40404000, 0x3f80, 0), 0x4110);
    check("mix", 0, lull_f32_mix(0x3c004000, true, true, 0), ONE);
    check("mix", 1, lull_f32_mix(0x3c004000, false, true, 0), TWO);
    check("mix", 2, lull_f32_mix(0x3c004000, true, false, 0), 0x3c004000);
    check("fma_mix", 0, lull_f16_fma_mix(TWO, TWO, ONE, 0), 0x4500);
    check("trig_preop", 0, lull_f64_trig_preop(0x3ff0000000000000, 0, 0xf0), 0x3fe45f306dc9c882);
    check("pk_u16_u32", 0, lull_pk_u16_from_u32(0x10000, 7), 0x0007ffff);
    check("pk_clamp", 0, lull_pk_f16_clamp(0xbc004000, 0), 0x00003c00);
    check("div_fixup f16", 0, lull_f16_div_fixup(0x3c00, 0, 0, 0), 0xfe00);
    check("div_fixup f16", 1, lull_f16_div_fixup(0x3c00, 0xfc00, 0x3c00, 0), 0x8000);
}

int main(void)
{
    for (size_t i = 0; i < TEST_ROWS(ones); i++) {
        check(ones[i].name, i, ones[i].fn(ones[i].a, ones[i].mode), ones[i].want);
    }
    for (size_t i = 0; i < TEST_ROWS(twos); i++) {
        uint32_t got = twos[i].fn ? twos[i].fn(twos[i].a, twos[i].b, twos[i].mode)
                                  : lull_pk_i16_from_i32(twos[i].a, twos[i].b);
        check(twos[i].name, i, got, twos[i].want);
    }
    for (size_t i = 0; i < TEST_ROWS(threes); i++) {
        check(threes[i].name, i,
              threes[i].fn(threes[i].a, threes[i].b, threes[i].c, threes[i].mode), threes[i].want);
    }
    check_div_scale();
    check_div_fmas();
    check_class();
    check_cmp();
    check_rest();
    return test_end();
}
