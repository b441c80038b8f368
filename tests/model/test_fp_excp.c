// SPDX-License-Identifier: MIT
// TRAPSTS.EXCP after instructions with random operands, against the flags that MPFR's results have:
// every rounding direction and denormal mode. The rules are those of the RDNA3 ISA guide 3.4.9.
#include "isa/rdna/rdna.h"
#include "model/bare.h"
#include "model/fp_ref.h"
#include "test.h"

#include <inttypes.h>
#include <stdlib.h>

#include "fp_excp_rows.h"

#define ASM(text) text

enum {
    INVALID = 1,
    DENORMAL = 2,
    DIVZERO = 4,
    OVERFLOWS = 8,
    UNDERFLOWS = 16,
    INEXACT = 32,
    ALL = 63,
    MODE_EXCP_EN = 12,
    MODE_IEEE = 1 << 9,
};

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

static int op_set(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    (void)b, (void)c;
    return mpfr_set(r, a, rnd);
}

static int op_rcp(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    (void)b, (void)c;
    return mpfr_ui_div(r, 1, a, rnd);
}

static int op_rsq(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd)
{
    (void)b, (void)c;
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

/** How an instruction treats MODE. */
enum how {
    BY_MODE,
    NEAREST, ///< Rounds to nearest.
    FLUSHES, ///< Rounds to nearest and flushes operands and results.
};

static const struct row {
    const char *text;
    ref_op *ref;
    const struct ref_format *from, *to;
    enum how how;
    uint32_t skip; ///< Flags that the model has only nearly.
} rows[] = {
    {ASM("v_add_f32 v3, v0, v1"), op_add, &ref32, &ref32, BY_MODE, 0},
    {ASM("v_sub_f32 v3, v0, v1"), op_sub, &ref32, &ref32, BY_MODE, 0},
    {ASM("v_mul_f32 v3, v0, v1"), op_mul, &ref32, &ref32, BY_MODE, 0},
    {ASM("v_fma_f32 v3, v0, v1, v2"), op_fma, &ref32, &ref32, BY_MODE, 0},
    {ASM("v_add_f16 v3, v0, v1"), op_add, &ref16, &ref16, BY_MODE, 0},
    {ASM("v_mul_f16 v3, v0, v1"), op_mul, &ref16, &ref16, BY_MODE, 0},
    {ASM("v_fma_f16 v3, v0, v1, v2"), op_fma, &ref16, &ref16, BY_MODE, 0},
    {ASM("v_pk_mul_f16 v3, v0, v1"), op_mul, &ref16, &ref16, BY_MODE, 0},
    {ASM("v_add_f64 v[6:7], v[0:1], v[2:3]"), op_add, &ref64, &ref64, BY_MODE, 0},
    {ASM("v_mul_f64 v[6:7], v[0:1], v[2:3]"), op_mul, &ref64, &ref64, BY_MODE, 0},
    {ASM("v_fma_f64 v[6:7], v[0:1], v[2:3], v[4:5]"), op_fma, &ref64, &ref64, BY_MODE, 0},
    {ASM("v_cvt_f16_f32 v3, v0"), op_set, &ref32, &ref16, BY_MODE, 0},
    {ASM("v_cvt_f32_f16 v3, v0"), op_set, &ref16, &ref32, BY_MODE, 0},
    {ASM("v_cvt_f32_f64 v3, v[0:1]"), op_set, &ref64, &ref32, BY_MODE, 0},
    {ASM("v_cvt_f64_f32 v[6:7], v0"), op_set, &ref32, &ref64, BY_MODE, 0},
    {ASM("v_rcp_f32 v3, v0"), op_rcp, &ref32, &ref32, FLUSHES, 0},
    {ASM("v_rcp_f16 v3, v0"), op_rcp, &ref16, &ref16, NEAREST, 0},
    {ASM("v_rcp_f64 v[6:7], v[0:1]"), op_rcp, &ref64, &ref64, NEAREST, 0},
    {ASM("v_sqrt_f32 v3, v0"), op_sqrt, &ref32, &ref32, FLUSHES, 0},
    {ASM("v_sqrt_f64 v[6:7], v[0:1]"), op_sqrt, &ref64, &ref64, NEAREST, 0},
    {ASM("v_rsq_f32 v3, v0"), op_rsq, &ref32, &ref32, FLUSHES, INEXACT},
    {ASM("v_exp_f32 v3, v0"), op_exp, &ref32, &ref32, FLUSHES, INEXACT},
    {ASM("v_log_f32 v3, v0"), op_log, &ref32, &ref32, FLUSHES, INEXACT},
};

/** Flags of rounding: overflow, underflow, inexact. */
static uint32_t rounding(const struct row *row, mpfr_t v[3], mpfr_rnd_t rnd, bool keep)
{
    struct ref_format to = *row->to;
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_t r, cut;
    mpfr_inits2(to.mant + 1, r, cut, (mpfr_ptr)0);
    row->ref(cut, v[0], v[1], v[2], MPFR_RNDZ); // Exponents are not limited.
    int t = row->ref(r, v[0], v[1], v[2], rnd);
    bool over = mpfr_regular_p(r) && mpfr_get_exp(r) > ref_bias(to) + 1;
    bool tiny = mpfr_regular_p(cut) && mpfr_get_exp(cut) < 2 - ref_bias(to);
    mpfr_set_emin(1 - ref_bias(to) - (int)to.mant + 1);
    mpfr_set_emax(ref_bias(to) + 1);
    t = mpfr_check_range(r, t, rnd);
    t = mpfr_subnormalize(r, t, rnd);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    mpfr_clears(r, cut, (mpfr_ptr)0);
    return (over ? OVERFLOWS : 0) | (tiny ? UNDERFLOWS : 0) |
           (t != 0 || (tiny && !keep) ? INEXACT : 0);
}

static bool is_denormal(struct ref_format f, uint64_t a)
{
    uint64_t magnitude = a & (ref_sign(f) - 1);
    return magnitude != 0 && magnitude < (uint64_t)1 << f.mant;
}

static unsigned operands_of(const struct row *row)
{
    return row->ref == op_fma                                               ? 3
           : row->ref == op_add || row->ref == op_sub || row->ref == op_mul ? 2
                                                                            : 1;
}

static uint32_t expected(const struct row *row, const uint64_t s[3], uint32_t mode)
{
    struct ref_format f = *row->from;
    uint32_t flags = 0;
    bool nan = false;
    mpfr_t v[3], r;
    mpfr_init2(r, 64);
    uint32_t seen = row->how == FLUSHES ? mode & ~(3u << f.denorm) : mode;
    for (unsigned i = 0; i < 3; i++) {
        mpfr_init2(v[i], 64);
        ref_set(v[i], f, ref_operand(f, s[i], seen));
        if (i < operands_of(row)) {
            bool quiet = s[i] >> (f.mant - 1) & 1;
            nan = nan || ref_is_nan(f, s[i]);
            flags |= ref_is_nan(f, s[i]) && !quiet ? INVALID : 0;
            flags |= is_denormal(f, s[i]) ? DENORMAL : 0;
        }
    }
    if (!nan) {
        mpfr_clear_flags();
        row->ref(r, v[0], v[1], v[2], MPFR_RNDN);
        flags |= (mpfr_nanflag_p() ? INVALID : 0) | (mpfr_divby0_p() ? DIVZERO : 0);
        // Beyond even MPFR's exponents.
        flags |= mpfr_overflow_p() ? OVERFLOWS | INEXACT : 0;
        flags |= mpfr_underflow_p() ? UNDERFLOWS | INEXACT : 0;
        mpfr_rnd_t rnd = row->how == BY_MODE ? ref_round(*row->to, mode) : MPFR_RNDN;
        bool keep = row->how != FLUSHES && (mode >> row->to->denorm & 2);
        flags |= mpfr_regular_p(r) ? rounding(row, v, rnd, keep) : 0;
    }
    mpfr_clears(v[0], v[1], v[2], r, (mpfr_ptr)0);
    return flags;
}

static void load(struct bare *b, const char *text)
{
    for (size_t i = 0; i < TEST_ROWS(asm_rows); i++) {
        if (strcmp(asm_rows[i].text, text) == 0) {
            memcpy(b->code, asm_rows[i].dwords, 4ull * asm_rows[i].ndwords);
            return;
        }
    }
    abort();
}

/** What is often special, signalling NaNs among it. */
static uint64_t operand(struct ref_format f, uint64_t *seed)
{
    uint64_t v = ref_number(f, seed);
    return ref_random(seed) % 16 == 0 ? (v & ref_sign(f)) | ref_inf(f) | (v & 3) << (f.mant - 2)
                                      : v;
}

static void check(const struct row *row, unsigned count, uint64_t seed)
{
    struct bare *b = bare_new(32);
    struct ref_format f = *row->from;
    uint64_t s[3] = {0};
    uint32_t mode = 0, got = 0, want = 0, all = 0;
    load(b, row->text);
    bool ok = true;
    for (unsigned i = 0; ok && i < count; i++) {
        mode = ref_mode(&seed);
        const unsigned lane = (unsigned)(ref_random(&seed) & 31);
        memset(b->vgpr, 0xff, 8ull * 32 * sizeof *b->vgpr);
        for (unsigned k = 0; k < 3; k++) {
            s[k] = operand(f, &seed);
            const unsigned reg = f.bits == 64 ? 2 * k : k;
            // Both halves of a packed operand; v_add_f16 looks at the lower one.
            *bare_vgpr(b, reg, lane) = (uint32_t)(f.bits == 16 ? s[k] * 0x10001 : s[k]);
            if (f.bits == 64) {
                *bare_vgpr(b, reg + 1, lane) = (uint32_t)(s[k] >> 32);
            }
        }
        b->w.sgpr[LULL_RDNA_EXEC] = 1u << lane;
        b->w.mode = mode | MODE_IEEE | (uint32_t)ALL << MODE_EXCP_EN;
        b->w.trapsts = 0;
        b->w.pc = BARE_CODE;
        lull_wave_run(&b->w, 1);
        got = b->w.trapsts & ~row->skip;
        want = expected(row, s, mode) & ~row->skip;
        all |= want;
        ok = got == want;
    }
    test_case(ok && all != 0, row->text,
              "mode 0x%" PRIx32 " of 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 ": 0x%" PRIx32
              ", want 0x%" PRIx32,
              mode, s[0], s[1], s[2], got, want);
    bare_free(b);
}

int main(int argc, char **argv)
{
    unsigned count = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 2000;
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    printf("# seed %" PRIu64 ", %u operands each\n", seed, count);
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        check(&rows[i], count, seed + i);
    }
    mpfr_free_cache();
    return test_end();
}
