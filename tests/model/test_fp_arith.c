// SPDX-License-Identifier: MIT
// Arithmetic of fp.h against MPFR: every rounding direction and denormal mode, random operands.
#include "model/fp/fp.h"
#include "model/fp_ref.h"
#include "test.h"

#include <inttypes.h>
#include <stdlib.h>

static int op_add(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    (void)c;
    return mpfr_add(r, a, b, rnd);
}

static int op_sub(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    (void)c;
    return mpfr_sub(r, a, b, rnd);
}

static int op_mul(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    (void)c;
    return mpfr_mul(r, a, b, rnd);
}

static int op_fma(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    return mpfr_fma(r, a, b, c, rnd);
}

/** v_div_fmas with vcc set. */
static int fmas(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd, int by)
{
    int e = mpfr_cmpabs_ui(c, 2) >= 0 ? by : -by;
    int t = mpfr_fma(r, a, b, c, rnd);
    mpfr_mul_2si(r, r, e, rnd);
    return t;
}

static int op_fmas32(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    return fmas(r, a, b, c, rnd, 64);
}

static int op_fmas64(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    return fmas(r, a, b, c, rnd, 128);
}

static int op_floor(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    (void)b, (void)c, (void)rnd;
    mpfr_rint_floor(r, a, MPFR_RNDN);
    return 0;
}

static int op_ceil(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    (void)b, (void)c, (void)rnd;
    mpfr_rint_ceil(r, a, MPFR_RNDN);
    return 0;
}

static int op_trunc(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    (void)b, (void)c, (void)rnd;
    mpfr_rint_trunc(r, a, MPFR_RNDN);
    return 0;
}

static int op_rndne(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    (void)b, (void)c, (void)rnd;
    mpfr_rint_roundeven(r, a, MPFR_RNDN);
    return 0;
}

/** An operation of one to three operands on f16 (h), f32 (s) or f64 (d). */
struct row {
    const char *name;
    ref_op *ref;
    uint16_t (*h1)(uint16_t, uint32_t);
    uint16_t (*h2)(uint16_t, uint16_t, uint32_t);
    uint16_t (*h3)(uint16_t, uint16_t, uint16_t, uint32_t);
    uint32_t (*s1)(uint32_t, uint32_t);
    uint32_t (*s2)(uint32_t, uint32_t, uint32_t);
    uint32_t (*s3)(uint32_t, uint32_t, uint32_t, uint32_t);
    uint64_t (*d1)(uint64_t, uint32_t);
    uint64_t (*d2)(uint64_t, uint64_t, uint32_t);
    uint64_t (*d3)(uint64_t, uint64_t, uint64_t, uint32_t);
};

static uint32_t fmas32(uint32_t a, uint32_t b, uint32_t c, uint32_t m)
{
    return lull_f32_div_fmas(a, b, c, true, m);
}

static uint64_t fmas64(uint64_t a, uint64_t b, uint64_t c, uint32_t m)
{
    return lull_f64_div_fmas(a, b, c, true, m);
}

static const struct row rows[] = {
    {.name = "f16 add", .ref = op_add, .h2 = lull_f16_add},
    {.name = "f16 sub", .ref = op_sub, .h2 = lull_f16_sub},
    {.name = "f16 mul", .ref = op_mul, .h2 = lull_f16_mul},
    {.name = "f16 fma", .ref = op_fma, .h3 = lull_f16_fma},
    {.name = "f16 floor", .ref = op_floor, .h1 = lull_f16_floor},
    {.name = "f16 ceil", .ref = op_ceil, .h1 = lull_f16_ceil},
    {.name = "f16 trunc", .ref = op_trunc, .h1 = lull_f16_trunc},
    {.name = "f16 rndne", .ref = op_rndne, .h1 = lull_f16_rndne},
    {.name = "f32 add", .ref = op_add, .s2 = lull_f32_add},
    {.name = "f32 sub", .ref = op_sub, .s2 = lull_f32_sub},
    {.name = "f32 mul", .ref = op_mul, .s2 = lull_f32_mul},
    {.name = "f32 fma", .ref = op_fma, .s3 = lull_f32_fma},
    {.name = "f32 div_fmas", .ref = op_fmas32, .s3 = fmas32},
    {.name = "f32 floor", .ref = op_floor, .s1 = lull_f32_floor},
    {.name = "f32 ceil", .ref = op_ceil, .s1 = lull_f32_ceil},
    {.name = "f32 trunc", .ref = op_trunc, .s1 = lull_f32_trunc},
    {.name = "f32 rndne", .ref = op_rndne, .s1 = lull_f32_rndne},
    {.name = "f64 add", .ref = op_add, .d2 = lull_f64_add},
    {.name = "f64 mul", .ref = op_mul, .d2 = lull_f64_mul},
    {.name = "f64 fma", .ref = op_fma, .d3 = lull_f64_fma},
    {.name = "f64 div_fmas", .ref = op_fmas64, .d3 = fmas64},
    {.name = "f64 floor", .ref = op_floor, .d1 = lull_f64_floor},
    {.name = "f64 ceil", .ref = op_ceil, .d1 = lull_f64_ceil},
    {.name = "f64 trunc", .ref = op_trunc, .d1 = lull_f64_trunc},
    {.name = "f64 rndne", .ref = op_rndne, .d1 = lull_f64_rndne},
};

static struct ref_format format_of(const struct row *r)
{
    if (r->h1 || r->h2 || r->h3) {
        return ref16;
    }
    return r->s1 || r->s2 || r->s3 ? ref32 : ref64;
}

static uint64_t call(const struct row *r, const uint64_t s[3], uint32_t m)
{
    uint16_t h[3] = {(uint16_t)s[0], (uint16_t)s[1], (uint16_t)s[2]};
    uint32_t w[3] = {(uint32_t)s[0], (uint32_t)s[1], (uint32_t)s[2]};
    if (r->h1) {
        return r->h1(h[0], m);
    }
    if (r->h2) {
        return r->h2(h[0], h[1], m);
    }
    if (r->h3) {
        return r->h3(h[0], h[1], h[2], m);
    }
    if (r->s1) {
        return r->s1(w[0], m);
    }
    if (r->s2) {
        return r->s2(w[0], w[1], m);
    }
    if (r->s3) {
        return r->s3(w[0], w[1], w[2], m);
    }
    if (r->d1) {
        return r->d1(s[0], m);
    }
    return r->d2 ? r->d2(s[0], s[1], m) : r->d3(s[0], s[1], s[2], m);
}

static void check_row(const struct row *row, unsigned count, uint64_t seed)
{
    struct ref_format f = format_of(row);
    uint64_t s[3] = {0}, got = 0, want = 0, first = seed;
    uint32_t mode = 0;
    unsigned i = 0;
    bool ok = true;
    for (i = 0; ok && i < count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            s[k] = ref_finite(f, &seed);
        }
        if (i % 5 == 0) {
            s[1] = s[0] ^ (i % 10 ? ref_sign(f) : 0); // Cancellation.
        }
        mode = ref_mode(&seed);
        got = call(row, s, mode);
        want = ref_compute(f, row->ref, s, mode);
        ok = got == want;
    }
    test_case(ok, row->name,
              "seed %" PRIu64 " case %u mode %#x: %#" PRIx64 " %#" PRIx64 " %#" PRIx64
              " got %#" PRIx64 " want %#" PRIx64,
              first, i, mode, s[0], s[1], s[2], got, want);
}

/** c / b by the instruction sequence compilers emit, with all denormals kept. */
static uint32_t divide32(uint32_t c, uint32_t b, uint32_t m)
{
    const uint32_t one = 0x3f800000, minus = 0x80000000;
    bool vcc = false, unused = false;
    uint32_t d = lull_f32_div_scale(b, b, c, m, &unused);
    uint32_t n = lull_f32_div_scale(c, b, c, m, &vcc);
    uint32_t y = lull_f32_rcp(d, m);
    y = lull_f32_fma(lull_f32_fma(d ^ minus, y, one, m), y, y, m);
    uint32_t q = lull_f32_mul(n, y, m);
    q = lull_f32_fma(lull_f32_fma(d ^ minus, q, n, m), y, q, m);
    uint32_t e = lull_f32_fma(d ^ minus, q, n, m);
    return lull_f32_div_fixup(lull_f32_div_fmas(e, y, q, vcc, m), b, c, m);
}

static uint64_t divide64(uint64_t c, uint64_t b, uint32_t m)
{
    const uint64_t one = 0x3ff0000000000000, minus = 0x8000000000000000;
    bool vcc = false, unused = false;
    uint64_t d = lull_f64_div_scale(b, b, c, m, &unused);
    uint64_t n = lull_f64_div_scale(c, b, c, m, &vcc);
    uint64_t y = lull_f64_rcp(d, m);
    y = lull_f64_fma(lull_f64_fma(d ^ minus, y, one, m), y, y, m);
    y = lull_f64_fma(lull_f64_fma(d ^ minus, y, one, m), y, y, m);
    uint64_t q = lull_f64_mul(n, y, m);
    uint64_t e = lull_f64_fma(d ^ minus, q, n, m);
    return lull_f64_div_fixup(lull_f64_div_fmas(e, y, q, vcc, m), b, c, m);
}

static int op_div(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    (void)c;
    return mpfr_div(r, a, b, rnd);
}

/**
 * Division made of div_scale, rcp, fma, div_fmas and div_fixup is correctly rounded. Source of
 * the sequence: LLVM's lowering of fdiv. Denormal quotients may be one off: they are rounded
 * twice, once as normal numbers.
 */
static void check_division(struct ref_format f, const char *name, unsigned count, uint64_t seed)
{
    const uint32_t mode = 0xf0;
    uint64_t s[3] = {0}, got = 0, want = 0, first = seed;
    bool ok = true;
    unsigned i = 0;
    for (i = 0; ok && i < count; i++) {
        s[0] = ref_finite(f, &seed);
        s[1] = ref_finite(f, &seed);
        got = f.bits == 32 ? divide32((uint32_t)s[0], (uint32_t)s[1], mode)
                           : divide64(s[0], s[1], mode);
        want = ref_compute(f, op_div, s, mode);
        uint64_t size = want & (ref_sign(f) - 1);
        ok = got == want || (size < (uint64_t)1 << f.mant && (got - want + 1) < 3);
    }
    test_case(ok, name,
              "seed %" PRIu64 " case %u: %#" PRIx64 " / %#" PRIx64 " got %#" PRIx64
              " want %#" PRIx64,
              first, i, s[0], s[1], got, want);
}

/** All pairs of a few hundred f16 with all of f16, in all four directions. */
static void check_all_f16(uint64_t seed)
{
    static const struct row pairs[] = {
        {.name = "every f16 add", .ref = op_add, .h2 = lull_f16_add},
        {.name = "every f16 mul", .ref = op_mul, .h2 = lull_f16_mul},
    };
    for (size_t r = 0; r < TEST_ROWS(pairs); r++) {
        uint64_t s[3] = {0}, got = 0, want = 0;
        bool ok = true;
        uint32_t mode = 0;
        for (uint32_t a = 0; ok && a < 0x10000; a++) {
            mode = ref_mode(&seed);
            s[0] = a;
            s[1] = ref_finite(ref16, &seed);
            if (ref_is_nan(ref16, a)) {
                continue;
            }
            got = call(&pairs[r], s, mode);
            want = ref_compute(ref16, pairs[r].ref, s, mode);
            ok = got == want;
        }
        test_case(ok, pairs[r].name,
                  "mode %#x: %#" PRIx64 " %#" PRIx64 " got %#" PRIx64 " want %#" PRIx64, mode, s[0],
                  s[1], got, want);
    }
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        check_row(&rows[i], 60000, seed + i);
    }
    check_all_f16(seed);
    check_division(ref32, "f32 division", 200000, seed);
    check_division(ref64, "f64 division", 60000, seed);
    return test_end();
}
