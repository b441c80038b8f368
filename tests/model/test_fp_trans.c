// SPDX-License-Identifier: MIT
// Reciprocals, roots, exponentials and sines of fp.h against MPFR: the nearest value is asked for.
// f16 completely; f32 at random, and with a number of random operands as second argument.
#include "model/fp/fp.h"
#include "model/fp_ref.h"
#include "test.h"

#include <inttypes.h>
#include <stdlib.h>

static int op_rcp(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    (void)b, (void)c;
    return mpfr_ui_div(r, 1, a, rnd);
}

static int op_rsq(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    (void)b, (void)c;
    if (mpfr_zero_p(a)) { // MPFR gives +infinity for -0.
        mpfr_set_inf(r, mpfr_signbit(a) ? -1 : 1);
        return 0;
    }
    return mpfr_rec_sqrt(r, a, rnd);
}

static int op_sqrt(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    (void)b, (void)c;
    return mpfr_sqrt(r, a, rnd);
}

static int op_exp(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    (void)b, (void)c;
    return mpfr_exp2(r, a, rnd);
}

static int op_log(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    (void)b, (void)c;
    return mpfr_log2(r, a, rnd);
}

static int op_sin(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    (void)b, (void)c;
    int t = mpfr_sinu(r, a, 1, rnd);
    if (mpfr_zero_p(r)) { // Zeros have the sign of the operand.
        mpfr_setsign(r, r, mpfr_signbit(a), rnd);
    }
    return t;
}

static int op_cos(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    (void)b, (void)c;
    int t = mpfr_cosu(r, a, 1, rnd);
    if (mpfr_zero_p(r)) {
        mpfr_setsign(r, r, 0, rnd);
    }
    return t;
}

static const struct {
    const char *name;
    ref_op *ref;
    uint16_t (*h)(uint16_t, uint32_t);
    uint32_t (*s)(uint32_t, uint32_t);
    uint64_t (*d)(uint64_t, uint32_t);
} rows[] = {
    {"rcp", op_rcp, lull_f16_rcp, lull_f32_rcp, lull_f64_rcp},
    {"rsq", op_rsq, lull_f16_rsq, lull_f32_rsq, lull_f64_rsq},
    {"sqrt", op_sqrt, lull_f16_sqrt, lull_f32_sqrt, lull_f64_sqrt},
    {"exp", op_exp, lull_f16_exp, lull_f32_exp, NULL},
    {"log", op_log, lull_f16_log, lull_f32_log, NULL},
    {"sin", op_sin, lull_f16_sin, lull_f32_sin, NULL},
    {"cos", op_cos, lull_f16_cos, lull_f32_cos, NULL},
};

static void report(bool ok, const char *type, const char *name, uint32_t mode, uint64_t a,
                   uint64_t got, uint64_t want)
{
    char title[32];
    snprintf(title, sizeof(title), "%s %s", type, name);
    test_case(ok, title, "mode %#x: %#" PRIx64 " got %#" PRIx64 " want %#" PRIx64, mode, a, got,
              want);
}

/** Every f16, with denormals kept and flushed. */
static void check_f16(size_t r)
{
    uint64_t got = 0, want = 0;
    uint32_t mode = 0, a = 0;
    bool ok = true;
    for (uint32_t k = 0; ok && k < 4; k++) {
        mode = k << 6 | (k & 3) << 2; // The rounding direction must not matter.
        for (a = 0; ok && a < 0x10000; a++) {
            if (ref_is_nan(ref16, a)) {
                continue;
            }
            const uint64_t s[3] = {a};
            got = rows[r].h((uint16_t)a, mode);
            want = ref_compute(ref16, rows[r].ref, s, mode & 0xc0);
            ok = got == want;
        }
    }
    report(ok, "f16", rows[r].name, mode, a - !ok, got, want);
}

static void check_f32(size_t r, unsigned count, uint64_t seed)
{
    uint64_t s[3] = {0}, got = 0, want = 0;
    uint32_t mode = 0;
    bool ok = true;
    for (unsigned i = 0; ok && i < count; i++) {
        s[0] = ref_finite(ref32, &seed);
        if (i % 2 == 0) { // Where exponentials and sines vary.
            s[0] = (s[0] & 0x807fffff) | (uint64_t)(0x78 + (seed >> 8) % 15) << 23;
        }
        mode = ref_mode(&seed);
        got = rows[r].s((uint32_t)s[0], mode);
        want = ref_compute(ref32, rows[r].ref, s, 0);
        ok = got == want;
    }
    report(ok, "f32", rows[r].name, mode, s[0], got, want);
}

/** Whether @p got, which is next to the nearest value, is within 0.51 ULP: v_rsq_f64. */
static bool nearly(uint64_t a, uint64_t got, uint64_t want)
{
    if (got - want + 1 > 2) {
        return false;
    }
    mpfr_t exact, g, w;
    mpfr_inits2(200, exact, g, w, (mpfr_ptr)0);
    ref_set(exact, ref64, a);
    mpfr_rec_sqrt(exact, exact, MPFR_RNDN);
    ref_set(g, ref64, got);
    ref_set(w, ref64, want);
    mpfr_sub(exact, exact, g, MPFR_RNDN);
    mpfr_sub(w, w, g, MPFR_RNDN);
    mpfr_div(exact, exact, w, MPFR_RNDN);
    bool ok = fabs(mpfr_get_d(exact, MPFR_RNDN)) <= 0.51;
    mpfr_clears(exact, g, w, (mpfr_ptr)0);
    return ok;
}

static void check_f64(size_t r, unsigned count, uint64_t seed)
{
    uint64_t s[3] = {0}, got = 0, want = 0;
    uint32_t mode = 0;
    bool ok = true;
    for (unsigned i = 0; ok && i < count; i++) {
        s[0] = ref_finite(ref64, &seed);
        mode = ref_mode(&seed);
        got = rows[r].d(s[0], mode);
        want = ref_compute(ref64, rows[r].ref, s, mode & 0xf0);
        uint64_t operand = ref_operand(ref64, s[0], mode);
        ok = got == want || (rows[r].ref == op_rsq && nearly(operand, got, want));
    }
    report(ok, "f64", rows[r].name, mode, s[0], got, want);
}

static int op_set(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    (void)b, (void)c;
    return mpfr_set(r, a, rnd);
}

/** 2/pi in 53-bit segments, as v_trig_preop_f64 gives it, against MPFR's pi. */
static void check_preop(void)
{
    bool ok = true;
    uint64_t got = 0, want = 0;
    unsigned seg = 0;
    mpfr_t v;
    mpfr_init2(v, 4000);
    mpfr_const_pi(v, MPFR_RNDN);
    mpfr_ui_div(v, 2, v, MPFR_RNDN);
    mpfr_mul_2ui(v, v, 1201, MPFR_RNDN);
    mpfr_floor(v, v);
    mpfr_div_2ui(v, v, 1201, MPFR_RNDN); // The guide's 1201 bits.
    for (seg = 0; ok && seg < 32; seg++) {
        mpfr_t shifted;
        mpfr_init2(shifted, 4000);
        mpfr_mul_2ui(shifted, v, 53 * seg, MPFR_RNDN);
        mpfr_frac(shifted, shifted, MPFR_RNDN);
        mpfr_mul_2ui(shifted, shifted, 53, MPFR_RNDN);
        mpfr_floor(shifted, shifted);
        mpfr_div_2ui(shifted, shifted, 53 * (seg + 1), MPFR_RNDN);
        want = ref_apply(ref64, op_set, shifted, v, v, MPFR_RNDN, true);
        got = lull_f64_trig_preop(0x3ff0000000000000, seg, 0xf0);
        ok = got == want;
        mpfr_clear(shifted);
    }
    mpfr_clear(v);
    report(ok, "f64", "trig_preop", 0xf0, seg, got, want);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    for (size_t r = 0; r < TEST_ROWS(rows); r++) {
        check_f16(r);
        check_f32(r, 150000, seed + r);
        if (rows[r].d) {
            check_f64(r, 20000, seed + r);
        }
    }
    check_preop();
    mpfr_free_cache();
    return test_end();
}
