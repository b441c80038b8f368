// SPDX-License-Identifier: MIT
// Exceptions of the ALU: what each kind of instruction raises (test_fp_excp.c has arithmetic at
// random), in which lanes, and the trap that follows. Expected flags by the RDNA3 ISA guide 3.4.9
// and 16, of conversions by IEEE 754-2008 7.2; section numbers stand beside what is less plain.
#include "hw/hwreg_regs.h"
#include "model/bare.h"
#include "test.h"

#include <inttypes.h>

#include "excp_rows.h"

#define ASM(text) text

enum {
    INVALID = 1,
    DENORMAL = 2,
    DIVZERO = 4,
    OVERFLOWS = 8,
    UNDERFLOWS = 16,
    INEXACT = 32,
    INT_DIVZERO = 64,
    ALL = 127,
    KEEP = 0xf0,   // MODE: denormals kept
    IEEE = 1 << 9, // MODE
    DX10 = 1 << 8, // MODE.DX10_CLAMP
    ONE = 0x3f800000,
    TWO = 0x40000000,
    INF = 0x7f800000,
    MAX = 0x7f7fffff,
    QNAN = 0x7fc00001,
    SNAN = 0x7f800001,
    TINY = 1,         // the smallest denormal
    MIN = 0x00800000, // the smallest normal
    TTMP0 = LULL_RDNA_TTMP0,
};

#define NEG(x) ((uint32_t)(x) | 0x80000000u)

static const struct {
    const char *text;
    uint32_t v[3];
    uint32_t want;
} rows[] = {
    // Division by zero: of reciprocals, roots, logarithms.
    {ASM("v_rcp_f32 v3, v0"), {0}, DIVZERO},
    {ASM("v_rcp_f32 v3, v0"), {NEG(0)}, DIVZERO},
    {ASM("v_rcp_f32 v3, v0"), {INF}, 0},
    {ASM("v_rcp_f32 v3, v0"), {TWO}, 0},
    {ASM("v_rsq_f32 v3, v0"), {0}, DIVZERO},
    {ASM("v_log_f32 v3, v0"), {0}, DIVZERO}, // IEEE 754-2008 7.3
    {ASM("v_sqrt_f32 v3, v0"), {0}, 0},
    {ASM("v_rcp_f16 v3, v0"), {0}, DIVZERO},
    // Integer division: 16.8, "can raise integer DIV_BY_ZERO" and nothing else.
    {ASM("v_rcp_iflag_f32 v3, v0"), {0}, INT_DIVZERO},
    {ASM("v_rcp_iflag_f32 v3, v0"), {0x40400000}, 0},
    {ASM("v_rcp_iflag_f32 v3, v0"), {SNAN}, 0},
    // Invalid operands.
    {ASM("v_sqrt_f32 v3, v0"), {NEG(ONE)}, INVALID},
    {ASM("v_rsq_f32 v3, v0"), {NEG(ONE)}, INVALID},
    {ASM("v_log_f32 v3, v0"), {NEG(ONE)}, INVALID},
    {ASM("v_sin_f32 v3, v0"), {INF}, INVALID},
    {ASM("v_cos_f32 v3, v0"), {0}, 0},
    {ASM("v_fract_f32 v3, v0"), {INF}, INVALID},
    {ASM("v_fract_f32 v3, v0"), {0xb0000000}, INEXACT}, // rounds to 1, which is not let out
    {ASM("v_mul_dx9_zero_f32 v3, v0, v1"), {0, INF}, 0},
    {ASM("v_add_f32 v3, v0, v1"), {INF, NEG(INF)}, INVALID},
    {ASM("v_add_f32 v3, v0, v1"), {QNAN, ONE}, 0},
    {ASM("v_add_f32 v3, v0, v1"), {ONE, SNAN}, INVALID},
    {ASM("v_max_f32 v3, v0, v1"), {ONE, SNAN}, INVALID},
    {ASM("v_max_f32 v3, v0, v1"), {TINY, QNAN}, DENORMAL},
    {ASM("v_med3_f32 v3, v0, v1, v2"), {ONE, TWO, SNAN}, INVALID},
    // Compares: signalling NaNs only; no arithmetic, nothing.
    {ASM("v_cmp_lt_f32 vcc_lo, v0, v1"), {QNAN, ONE}, 0},
    {ASM("v_cmp_lt_f32 vcc_lo, v0, v1"), {SNAN, ONE}, INVALID},
    {ASM("v_cmpx_eq_f32 v0, v1"), {SNAN, ONE}, INVALID},
    {ASM("v_cmp_class_f32 vcc_lo, v0, v1"), {SNAN, 1}, 0},
    {ASM("v_mov_b32 v3, v0"), {SNAN}, 0},
    {ASM("v_cndmask_b32 v3, v0, v1, vcc_lo"), {SNAN, TINY}, 0},
    {ASM("v_mul_u32_u24 v3, v0, v1"), {SNAN, TINY}, 0},
    // Rounding.
    {ASM("v_mul_f32 v3, v0, v1"), {MAX, TWO}, OVERFLOWS | INEXACT},
    {ASM("v_mul_f32 v3, v0, v1"), {MIN, 0x3f000000}, UNDERFLOWS}, // exact, but denormal
    {ASM("v_mul_f32 v3, v0, v1"), {MIN, MIN}, UNDERFLOWS | INEXACT},
    {ASM("v_ldexp_f32 v3, v0, v1"), {ONE, 200}, OVERFLOWS | INEXACT},
    {ASM("v_frexp_mant_f32 v3, v0"), {MAX}, 0},
    {ASM("v_rndne_f32 v3, v0"), {0x3fc00000}, 0}, // rounding to integers is no rounding of results
    {ASM("v_div_fmas_f32 v3, v0, v1, v2"), {MAX, TWO, 0}, OVERFLOWS | INEXACT},
    // Conversions to integers.
    {ASM("v_cvt_i32_f32 v3, v0"), {QNAN}, INVALID},
    {ASM("v_cvt_i32_f32 v3, v0"), {INF}, INVALID},
    {ASM("v_cvt_i32_f32 v3, v0"), {0x4f000000}, INVALID}, // 2^31
    {ASM("v_cvt_i32_f32 v3, v0"), {NEG(0x4f000000)}, 0},
    {ASM("v_cvt_i32_f32 v3, v0"), {0x3fc00000}, INEXACT},
    {ASM("v_cvt_u32_f32 v3, v0"), {NEG(ONE)}, INVALID},
    {ASM("v_cvt_u32_f32 v3, v0"), {NEG(0x3f000000)}, INEXACT},
    {ASM("v_cvt_u32_f32 v3, v0"), {0x4f000000}, 0},
    {ASM("v_cvt_i16_f16 v3, v0"), {0x7c00}, INVALID},
    {ASM("v_cvt_floor_i32_f32 v3, v0"), {QNAN}, INVALID},
    {ASM("v_cvt_floor_i32_f32 v3, v0"), {0x3fc00000}, INEXACT},
    {ASM("v_cvt_pk_i16_f32 v3, v0, v1"), {ONE, 0x3fc00000}, INEXACT},
    {ASM("v_cvt_pk_i16_f32 v3, v0, v1"), {0x47800000, ONE}, INVALID},
    {ASM("v_cvt_pk_u8_f32 v3, v0, v1, v2"), {0x3fc00000, 3, 0}, INEXACT},
    // Conversions of integers and of floats.
    {ASM("v_cvt_f32_u32 v3, v0"), {0x01000001}, INEXACT},
    {ASM("v_cvt_f32_i32 v3, v0"), {7}, 0},
    {ASM("v_cvt_f16_u16 v3, v0"), {0xffff}, OVERFLOWS | INEXACT},
    {ASM("v_cvt_pk_rtz_f16_f32 v3, v0, v1"), {ONE, 0x47800000}, OVERFLOWS | INEXACT},
    {ASM("v_cvt_f32_f16 v3, v0"), {1}, DENORMAL},
    {ASM("v_cvt_f32_f16 v3, v0"), {0x7c01}, INVALID},
    // The last step of a division: 16.9; the quotient in v0 counts for nothing.
    {ASM("v_div_fixup_f32 v3, v0, v1, v2"), {QNAN, 0, ONE}, DIVZERO},
    {ASM("v_div_fixup_f32 v3, v0, v1, v2"), {QNAN, 0, 0}, INVALID},
    {ASM("v_div_fixup_f32 v3, v0, v1, v2"), {QNAN, INF, INF}, INVALID},
    {ASM("v_div_fixup_f32 v3, v0, v1, v2"), {INF, TWO, MAX}, 0},
    {ASM("v_div_fixup_f32 v3, v0, v1, v2"), {SNAN, TWO, ONE}, 0},
    {ASM("v_div_fixup_f32 v3, v0, v1, v2"), {ONE, SNAN, 0}, INVALID},
    {ASM("v_div_fixup_f32 v3, v0, v1, v2"), {ONE, TINY, ONE}, DENORMAL},
    {ASM("v_div_fixup_f32 v3, v0, v1, v2"), {ONE, 0, INF}, 0},
    {ASM("v_div_fixup_f16 v3, v0, v1, v2"), {0, 0, 0x3c00}, DIVZERO},
    {ASM("v_div_scale_f32 v3, vcc_lo, v0, v1, v0"), {0, 0}, 0},
    // Modifiers come first, OMOD rounds once more.
    {ASM("v_sqrt_f32 v3, -v0"), {ONE}, INVALID},
    {ASM("v_sqrt_f32 v3, |v0|"), {NEG(ONE)}, 0},
    {ASM("v_add_f32 v3, v0, v1 clamp"), {MAX, MAX}, OVERFLOWS | INEXACT},
    // Halves.
    {ASM("v_pk_add_f16 v3, v0, v1"), {0x7bff0000, 0x7bff0000}, OVERFLOWS | INEXACT},
    {ASM("v_pk_add_f16 v3, v0, v1 op_sel_hi:[0,0]"), {0x7bff0000, 0x7bff0000}, 0},
    {ASM("v_pk_max_f16 v3, v0, v1"), {0x7c010000, 0}, INVALID},
    {ASM("v_fma_f16 v3, v0, v1, v2 op_sel:[1,1,0,0]"),
     {0x7bff0000, 0x40000000, 0},
     OVERFLOWS | INEXACT},
    {ASM("v_fma_mix_f32 v3, v0, v1, v2"), {INF, 0, 0}, INVALID},
    {ASM("v_fma_mixlo_f16 v3, v0, v1, v2"), {ONE, 0x47800000, 0}, OVERFLOWS | INEXACT},
    // VOPD: both operations; 7.6, "a single exception if either or both".
    {ASM("v_dual_mul_f32 v3, v0, v1 :: v_dual_add_f32 v4, v1, v2"), {MAX, TWO, 0}, 40},
    {ASM("v_dual_add_f32 v3, v1, v2 :: v_dual_mul_f32 v4, v0, v1"), {MAX, TWO, 0}, 40},
    {ASM("v_dual_mov_b32 v3, v1 :: v_dual_fmac_f32 v4, v0, v2"), {INF, TWO, 0}, INVALID},
    // The dot products and matrices of the model raise nothing.
    {ASM("v_dot2_f32_f16 v3, v0, v1, v2"), {0x7c01, 0, 0}, 0},
};

static void load(struct bare *b, unsigned at, const char *text)
{
    for (size_t i = 0; i < TEST_ROWS(asm_rows); i++) {
        if (strcmp(asm_rows[i].text, text) == 0) {
            memcpy(b->code + at, asm_rows[i].dwords, 4ull * asm_rows[i].ndwords);
            return;
        }
    }
    abort();
}

/** One instruction with v0 to v2 in lane 7 and 1.0 in all other lanes. @return TRAPSTS. */
static uint32_t run(struct bare *b, const char *text, const uint32_t v[3], uint32_t mode)
{
    load(b, 0, text);
    lull_code_cache_epoch(b->w.code);
    for (unsigned l = 0; l < b->w.lanes; l++) {
        for (unsigned k = 0; k < 3; k++) {
            *bare_vgpr(b, k, l) = l == 7 ? v[k] : ONE;
        }
        *bare_vgpr(b, 3, l) = *bare_vgpr(b, 4, l) = ONE;
    }
    b->w.mode = mode;
    b->w.trapsts = 0;
    b->w.pc = BARE_CODE;
    lull_wave_run(&b->w, 1);
    return b->w.trapsts;
}

static void test_rows(void)
{
    const uint32_t mode = KEEP | IEEE | (uint32_t)ALL << LULL_HWREG_MODE__EXCP_EN_SHIFT;
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct bare *b = bare_new(32);
        b->w.sgpr[LULL_RDNA_EXEC] = 1 << 7;
        const uint32_t got = run(b, rows[i].text, rows[i].v, mode);
        test_case(got == rows[i].want, rows[i].text,
                  "of 0x%" PRIx32 " 0x%" PRIx32 " 0x%" PRIx32 ": TRAPSTS 0x%" PRIx32
                  ", want 0x%" PRIx32,
                  rows[i].v[0], rows[i].v[1], rows[i].v[2], got, rows[i].want);
        bare_free(b);
    }
}

/** What MODE and EXEC have to do with it. */
static const struct {
    const char *name, *text;
    uint32_t v[3];
    unsigned lanes;
    uint32_t exec[2], mode, enable, want;
} modes[] = {
    {"nothing is enabled", ASM("v_rcp_f32 v3, v0"), {0}, 32, {-1u}, KEEP, 0, 0},
    {"another is enabled: it is sticky all the same",
     ASM("v_rcp_f32 v3, v0"),
     {0},
     32,
     {-1u},
     KEEP,
     INVALID,
     DIVZERO},
    {"watchpoints alone are not an exception of the ALU",
     ASM("v_rcp_f32 v3, v0"),
     {0},
     32,
     {-1u},
     KEEP,
     128,
     0},
    {"DX10_CLAMP suppresses them, 3.4.2",
     ASM("v_rcp_f32 v3, v0"),
     {0},
     32,
     {-1u},
     KEEP | DX10,
     ALL,
     0},
    {"the lane is off", ASM("v_rcp_f32 v3, v0"), {0}, 32, {~(1u << 7)}, KEEP, ALL, 0},
    {"wave64, the lane is off in the lower half",
     ASM("v_rcp_f32 v3, v0"),
     {0},
     64,
     {0, -1u},
     KEEP,
     ALL,
     0},
    {"wave64, the lane is on", ASM("v_rcp_f32 v3, v0"), {0}, 64, {1 << 7, 0}, KEEP, ALL, DIVZERO},
    {"DPP brings it from a lane that is on",
     ASM("v_rcp_f32_dpp v3, v0 row_shl:7 row_mask:0xf bank_mask:0xf"),
     {0},
     32,
     {1 | 1 << 7},
     KEEP,
     ALL,
     DIVZERO},
    {"bank_mask keeps the lane out",
     ASM("v_rcp_f32_dpp v3, v0 row_shl:7 row_mask:0xf bank_mask:0xe"),
     {0},
     32,
     {1 | 1 << 7},
     KEEP,
     ALL,
     0},
    {"a flushed operand is denormal still",
     ASM("v_add_f32 v3, v0, v1"),
     {TINY, ONE},
     32,
     {-1u},
     0,
     ALL,
     DENORMAL},
    {"a flushed result",
     ASM("v_mul_f32 v3, v0, v1"),
     {MIN, 0x3f000000},
     32,
     {-1u},
     0,
     ALL,
     UNDERFLOWS | INEXACT},
    {"a signalling NaN without MODE.IEEE",
     ASM("v_add_f32 v3, v0, v1"),
     {SNAN, ONE},
     32,
     {-1u},
     KEEP,
     ALL,
     INVALID},
    {"OMOD overflows",
     ASM("v_add_f32 v3, v0, v1 mul:4"),
     {0x7f000000, 0},
     32,
     {1 << 7},
     0,
     ALL,
     OVERFLOWS | INEXACT},
    {"OMOD is ignored where denormals are kept",
     ASM("v_add_f32 v3, v0, v1 mul:4"),
     {0x7f000000, 0},
     32,
     {1 << 7},
     KEEP,
     ALL,
     0},
};

static void test_modes(void)
{
    for (size_t i = 0; i < TEST_ROWS(modes); i++) {
        struct bare *b = bare_new(modes[i].lanes);
        b->w.sgpr[LULL_RDNA_EXEC] = modes[i].exec[0];
        b->w.sgpr[LULL_RDNA_EXEC + 1] = modes[i].exec[1];
        const uint32_t mode = modes[i].mode | modes[i].enable << LULL_HWREG_MODE__EXCP_EN_SHIFT;
        const uint32_t got = run(b, modes[i].text, modes[i].v, mode);
        test_case(got == modes[i].want, modes[i].name, "TRAPSTS 0x%" PRIx32 ", want 0x%" PRIx32,
                  got, modes[i].want);
        bare_free(b);
    }
}

/** The trap: after the instruction, before the next; the result is there. */
static void test_trap(uint32_t enable, bool handler, bool inside, bool want)
{
    static const uint32_t zero[3] = {0};
    struct bare *b = bare_new(32);
    load(b, 4, ASM("v_mov_b32 v4, 7"));
    b->w.tba = BARE_CODE + 0x100;
    b->w.trap_en = handler;
    b->w.status = inside ? LULL_HWREG_STATUS__PRIV_MASK : 0;
    (void)run(b, ASM("v_rcp_f32 v3, v0"), zero, enable << LULL_HWREG_MODE__EXCP_EN_SHIFT);
    const uint32_t v4 = *bare_vgpr(b, 4, 0);
    lull_wave_run(&b->w, 1);
    const bool trapped = b->w.pc == BARE_CODE + 0x100;
    const bool state = b->w.sgpr[TTMP0] == BARE_CODE + 4 && b->w.sgpr[TTMP0 + 1] == 0 &&
                       (b->w.status & LULL_HWREG_STATUS__PRIV_MASK) != 0;
    const bool went_on = b->w.pc == BARE_CODE + 8 && *bare_vgpr(b, 4, 0) == 7;
    test_case(v4 == ONE && *bare_vgpr(b, 3, 7) == INF && (want ? trapped && state : went_on),
              want       ? "an exception that is enabled traps behind its instruction"
              : !handler ? "no trap without a handler"
              : inside   ? "no trap inside the handler"
                         : "no trap for what is not enabled",
              "pc 0x%" PRIx64 " ttmp0 0x%" PRIx32 " TRAPSTS 0x%" PRIx32, b->w.pc, b->w.sgpr[TTMP0],
              b->w.trapsts);
    bare_free(b);
}

/** s_setreg switches them on and off for the instructions behind it. */
static void test_setreg(void)
{
    struct bare *b = bare_new(32);
    load(b, 0, ASM("v_rcp_f32 v3, v0"));
    load(b, 4, ASM("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 14, 1), 1"));
    load(b, 12, ASM("v_sqrt_f32 v3, v1"));
    load(b, 16, ASM("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 14, 1), 0"));
    load(b, 24, ASM("v_rcp_f32 v3, v0"));
    for (unsigned l = 0; l < 32; l++) {
        *bare_vgpr(b, 1, l) = NEG(ONE);
    }
    b->w.pc = BARE_CODE;
    lull_wave_run(&b->w, 5);
    test_case(b->w.trapsts == INVALID && b->w.pc == BARE_CODE + 28, "s_setreg of MODE.EXCP_EN",
              "TRAPSTS 0x%" PRIx32 ", want that of v_sqrt alone; pc 0x%" PRIx64, b->w.trapsts,
              b->w.pc);
    bare_free(b);
}

int main(void)
{
    test_rows();
    test_modes();
    test_trap(DIVZERO, true, false, true);
    test_trap(INVALID, true, false, false);
    test_trap(DIVZERO, false, false, false);
    test_trap(DIVZERO, true, true, false);
    test_setreg();
    return test_end();
}
