// SPDX-License-Identifier: MIT
// Conversions of fp.h against MPFR.
#include "model/fp/fp.h"
#include "model/fp_ref.h"
#include "test.h"

#include <inttypes.h>
#include <stdlib.h>

static int op_set(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    (void)b, (void)c;
    return mpfr_set(r, a, rnd);
}

static void report(bool ok, const char *name, uint32_t mode, uint64_t a, uint64_t got,
                   uint64_t want)
{
    test_case(ok, name, "mode %#x: %#" PRIx64 " got %#" PRIx64 " want %#" PRIx64, mode, a, got,
              want);
}

/** @p a of format @p from, in format @p to. */
static uint64_t ref_convert(struct ref_format to, struct ref_format from, uint64_t a,
                            mpfr_rnd_t rnd, uint32_t mode)
{
    mpfr_t v;
    mpfr_init2(v, 64);
    ref_set(v, from, ref_operand(from, a, mode));
    uint64_t r = ref_apply(to, op_set, v, v, v, rnd, mode >> to.denorm & 2);
    mpfr_clear(v);
    return r;
}

static uint64_t f32_f16(uint64_t a, uint32_t m)
{
    return lull_f32_from_f16((uint16_t)a, m);
}

static uint64_t f16_f32(uint64_t a, uint32_t m)
{
    return lull_f16_from_f32((uint32_t)a, m);
}

static uint64_t f32_f64(uint64_t a, uint32_t m)
{
    return lull_f32_from_f64(a, m);
}

static uint64_t f64_f32(uint64_t a, uint32_t m)
{
    return lull_f64_from_f32((uint32_t)a, m);
}

static uint64_t f16_rtz(uint64_t a, uint32_t m)
{
    uint32_t both = lull_pk_f16_from_f32_rtz((uint32_t)a, (uint32_t)a ^ 0x80000000, m);
    return (both >> 16 ^ 0x8000) == (both & 0xffff) ? both & 0xffff : both;
}

static const struct {
    const char *name;
    const struct ref_format *to, *from;
    uint64_t (*convert)(uint64_t, uint32_t);
    bool rtz;
} floats[] = {
    {"f32 from f16", &ref32, &ref16, f32_f16, false},
    {"f16 from f32", &ref16, &ref32, f16_f32, false},
    {"f32 from f64", &ref32, &ref64, f32_f64, false},
    {"f64 from f32", &ref64, &ref32, f64_f32, false},
    {"pk_rtz_f16_f32", &ref16, &ref32, f16_rtz, true},
};

static void check_float(size_t r, unsigned count, uint64_t seed)
{
    uint64_t a = 0, got = 0, want = 0;
    uint32_t m = 0;
    bool ok = true;
    struct ref_format to = *floats[r].to, from = *floats[r].from;
    for (unsigned i = 0; ok && i < count; i++) {
        a = ref_finite(from, &seed);
        if (i % 2 && to.mant < from.mant) { // Into the range of the result, or just out of it.
            int e = ref_bias(from) + (int)(ref_random(&seed) % 1024) * ref_bias(to) / 400 -
                    ref_bias(to) * 5 / 4;
            a = (a & (ref_sign(from) | (((uint64_t)1 << from.mant) - 1))) | (uint64_t)e
                                                                                << from.mant;
        }
        m = ref_mode(&seed);
        got = floats[r].convert(a, m);
        want = ref_convert(to, from, a, floats[r].rtz ? MPFR_RNDZ : ref_round(to, m), m);
        ok = got == want;
    }
    report(ok, floats[r].name, m, a, got, want);
}

static uint64_t i32_f32(uint64_t a, uint32_t m)
{
    return lull_i32_from_f32((uint32_t)a, m);
}

static uint64_t u32_f32(uint64_t a, uint32_t m)
{
    return lull_u32_from_f32((uint32_t)a, m);
}

static uint64_t i32_f64(uint64_t a, uint32_t m)
{
    return lull_i32_from_f64(a, m);
}

static uint64_t u32_f64(uint64_t a, uint32_t m)
{
    return lull_u32_from_f64(a, m);
}

static uint64_t i16_f16(uint64_t a, uint32_t m)
{
    return lull_i16_from_f16((uint16_t)a, m);
}

static uint64_t u16_f16(uint64_t a, uint32_t m)
{
    return lull_u16_from_f16((uint16_t)a, m);
}

static uint64_t floor_f32(uint64_t a, uint32_t m)
{
    return lull_i32_floor_f32((uint32_t)a, m);
}

static uint64_t pk_i16(uint64_t a, uint32_t m)
{
    return lull_pk_i16_from_f32((uint32_t)a, 0, m);
}

static uint64_t pk_u16(uint64_t a, uint32_t m)
{
    return lull_pk_u16_from_f32(0, (uint32_t)a, m) >> 16;
}

static uint64_t pk_u8(uint64_t a, uint32_t m)
{
    return lull_pk_u8_from_f32((uint32_t)a, 2, 0, m) >> 16;
}

static uint64_t norm_i16_f16(uint64_t a, uint32_t m)
{
    return lull_i16_norm_f16((uint16_t)a, m);
}

static uint64_t norm_u16_f16(uint64_t a, uint32_t m)
{
    return lull_pk_u16_norm_f16(0, (uint16_t)a, m) >> 16;
}

static uint64_t norm_i16_f32(uint64_t a, uint32_t m)
{
    return lull_pk_i16_norm_f32((uint32_t)a, 0, m);
}

static uint64_t norm_u16_f32(uint64_t a, uint32_t m)
{
    return lull_pk_u16_norm_f32(0, (uint32_t)a, m) >> 16;
}

enum direction { ZERO, DOWN, NEAREST, BY_MODE };

/** To integers: scaled, rounded, limited to [lo, hi], in a number of bits; what NaN gives. */
static const struct {
    const char *name;
    const struct ref_format *from;
    uint64_t (*convert)(uint64_t, uint32_t);
    enum direction round;
    unsigned scale, bits;
    int64_t lo, hi;
    uint64_t nan, minus_nan;
} ints[] = {
    {"i32 from f32", &ref32, i32_f32, ZERO, 1, 32, INT32_MIN, INT32_MAX, 0, 0},
    {"u32 from f32", &ref32, u32_f32, ZERO, 1, 32, 0, UINT32_MAX, 0, 0},
    {"i32 from f64", &ref64, i32_f64, ZERO, 1, 32, INT32_MIN, INT32_MAX, 0, 0},
    {"u32 from f64", &ref64, u32_f64, ZERO, 1, 32, 0, UINT32_MAX, 0, 0},
    {"i16 from f16", &ref16, i16_f16, ZERO, 1, 16, INT16_MIN, INT16_MAX, 0, 0},
    {"u16 from f16", &ref16, u16_f16, ZERO, 1, 16, 0, UINT16_MAX, 0, 0},
    {"floor_i32_f32", &ref32, floor_f32, DOWN, 1, 32, INT32_MIN, INT32_MAX, INT32_MAX, 0x80000000},
    {"pk_i16_f32", &ref32, pk_i16, ZERO, 1, 16, INT16_MIN, INT16_MAX, 0, 0},
    {"pk_u16_f32", &ref32, pk_u16, ZERO, 1, 16, 0, UINT16_MAX, 0, 0},
    {"pk_u8_f32", &ref32, pk_u8, BY_MODE, 1, 8, 0, UINT8_MAX, 0, 0},
    {"norm_i16_f16", &ref16, norm_i16_f16, NEAREST, 32767, 16, -32767, 32767, 0, 0},
    {"norm_u16_f16", &ref16, norm_u16_f16, NEAREST, 65535, 16, 0, 65535, 0, 0},
    {"pk_norm_i16_f32", &ref32, norm_i16_f32, NEAREST, 32767, 16, -32767, 32767, 0, 0},
    {"pk_norm_u16_f32", &ref32, norm_u16_f32, NEAREST, 65535, 16, 0, 65535, 0, 0},
};

static uint64_t ref_int(size_t r, uint64_t a, uint32_t m)
{
    struct ref_format f = *ints[r].from;
    if (ref_is_nan(f, a)) {
        return a & ref_sign(f) ? ints[r].minus_nan : ints[r].nan;
    }
    static const mpfr_rnd_t rnd[] = {MPFR_RNDZ, MPFR_RNDD, MPFR_RNDN};
    mpfr_t v;
    mpfr_init2(v, 128);
    ref_set(v, f, ref_operand(f, a, m));
    mpfr_mul_ui(v, v, ints[r].scale, MPFR_RNDN);
    mpfr_rint(v, v, ints[r].round == BY_MODE ? ref_round(f, m) : rnd[ints[r].round]);
    int64_t i = mpfr_cmp_si(v, ints[r].lo) < 0   ? ints[r].lo
                : mpfr_cmp_si(v, ints[r].hi) > 0 ? ints[r].hi
                                                 : mpfr_get_sj(v, MPFR_RNDZ);
    mpfr_clear(v);
    return (uint64_t)i & (((uint64_t)1 << ints[r].bits) - 1);
}

static void check_int(size_t r, unsigned count, uint64_t seed)
{
    struct ref_format f = *ints[r].from;
    uint64_t a = 0, got = 0, want = 0;
    uint32_t m = 0;
    bool ok = true;
    bool all = f.bits == 16;
    for (unsigned i = 0; ok && i < (all ? 0x10000 : count); i++) {
        a = all ? i : ref_number(f, &seed);
        if (!all && i % 2) { // From fractions to just out of range.
            uint64_t e = (uint64_t)(ref_bias(f) - 18 + (int)(ref_random(&seed) % 54));
            a = (a & (ref_sign(f) | (((uint64_t)1 << f.mant) - 1))) | e << f.mant;
        }
        m = ref_mode(&seed);
        got = ints[r].convert(a, m);
        want = ref_int(r, a, m);
        ok = got == want;
    }
    report(ok, ints[r].name, m, a, got, want);
}

static uint64_t from_i32(uint32_t a, uint32_t m)
{
    return lull_f32_from_i32(a, m);
}

static uint64_t from_u32(uint32_t a, uint32_t m)
{
    return lull_f32_from_u32(a, m);
}

static uint64_t f64_from_i32(uint32_t a, uint32_t m)
{
    return lull_f64_from_i32(a, m);
}

static uint64_t f64_from_u32(uint32_t a, uint32_t m)
{
    return lull_f64_from_u32(a, m);
}

static uint64_t from_i16(uint32_t a, uint32_t m)
{
    return lull_f16_from_i16((uint16_t)a, m);
}

static uint64_t from_u16(uint32_t a, uint32_t m)
{
    return lull_f16_from_u16((uint16_t)a, m);
}

static const struct {
    const char *name;
    const struct ref_format *to;
    uint64_t (*convert)(uint32_t, uint32_t);
    unsigned bits;
    bool is_signed;
} from_ints[] = {
    {"f32 from i32", &ref32, from_i32, 32, true},
    {"f32 from u32", &ref32, from_u32, 32, false},
    {"f64 from i32", &ref64, f64_from_i32, 32, true},
    {"f64 from u32", &ref64, f64_from_u32, 32, false},
    {"f16 from i16", &ref16, from_i16, 16, true},
    {"f16 from u16", &ref16, from_u16, 16, false},
};

static void check_from_int(size_t r, unsigned count, uint64_t seed)
{
    struct ref_format f = *from_ints[r].to;
    uint64_t got = 0, want = 0;
    uint32_t m = 0, a = 0;
    bool ok = true;
    mpfr_t v;
    mpfr_init2(v, 64);
    for (unsigned i = 0; ok && i < count; i++) {
        uint64_t x = ref_random(&seed);
        m = ref_mode(&seed);
        a = (uint32_t)x >> (x >> 59);
        a &= from_ints[r].bits == 16 ? 0xffff : UINT32_MAX;
        int64_t s = from_ints[r].bits == 16 ? (int16_t)a : (int32_t)a;
        mpfr_set_sj(v, from_ints[r].is_signed ? s : (int64_t)a, MPFR_RNDN);
        got = from_ints[r].convert(a, m);
        want = ref_apply(f, op_set, v, v, v, ref_round(f, m), true);
        ok = got == want;
    }
    mpfr_clear(v);
    report(ok, from_ints[r].name, m, a, got, want);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    for (size_t r = 0; r < TEST_ROWS(floats); r++) {
        check_float(r, 80000, seed + r);
    }
    for (size_t r = 0; r < TEST_ROWS(ints); r++) {
        check_int(r, 50000, seed + r);
    }
    for (size_t r = 0; r < TEST_ROWS(from_ints); r++) {
        check_from_int(r, 50000, seed + r);
    }
    return test_end();
}
