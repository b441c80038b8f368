// SPDX-License-Identifier: MIT
// Which lanes show an exception, by what an instruction left. Every register of every lane is 1.0
// at first; lane 7 is told in the row, and what it must be told of follows from IEEE 754.
#include "arch/arch.h"
#include "debug/rdna/raised.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "isa/rdna/rdna.h"
#include "raised_rows.h"
#include "test.h"

#define ASM(text) text

enum {
    CODE = 0x1000,
    INVALID = LULL_EXCEPTION_INVALID,
    DENORMAL = LULL_EXCEPTION_DENORMAL,
    DIVZERO = LULL_EXCEPTION_DIVZERO,
    OVERFLOWS = LULL_EXCEPTION_OVERFLOW,
    UNDERFLOWS = LULL_EXCEPTION_UNDERFLOW,
    INEXACT = LULL_EXCEPTION_INEXACT,
    INT_DIVZERO = LULL_EXCEPTION_INT_DIVZERO,
    ONE = 0x3f800000,
    INF = 0x7f800000,
    MAX = 0x7f7fffff,
    QNAN = 0x7fc00000,
    SNAN = 0x7f800001,
    TINY = 1,
};

static const struct row {
    const char *text;
    uint32_t v[6]; ///< v0 to v5 of lane 7 behind the instruction.
    uint32_t excp;
    bool shown;
} rows[] = {
    {ASM("v_rcp_f32_e32 v3, v0"), {0, ONE, ONE, INF}, DIVZERO, true},
    {ASM("v_rcp_f32_e32 v3, v0"), {0, ONE, ONE, INF}, INEXACT, false},
    {ASM("v_rcp_f32_e32 v0, v0"), {INF}, DIVZERO, true}, // the operand is overwritten
    {ASM("v_log_f32_e32 v3, v0"), {INF, ONE, ONE, INF}, DIVZERO, false}, // another lane did it
    {ASM("v_rcp_iflag_f32_e32 v3, v0"), {0, ONE, ONE, INF}, INT_DIVZERO, true},
    {ASM("v_add_f32_e32 v3, v0, v1"), {INF, ONE, ONE, INF}, OVERFLOWS, false}, // was infinite
    {ASM("v_add_f32_e32 v3, v0, v1"), {MAX, MAX, ONE, INF}, OVERFLOWS, true},
    {ASM("v_add_f32_e32 v3, v0, v1"), {MAX, MAX, ONE, MAX}, OVERFLOWS, true},  // rounded to zero
    {ASM("v_add_f32_e32 v3, v0, v1"), {QNAN, ONE, ONE, QNAN}, INVALID, false}, // was a NaN
    {ASM("v_add_f32_e32 v3, v0, v1"), {SNAN, ONE, ONE, QNAN}, INVALID, true},
    {ASM("v_add_f32_e32 v3, v0, v1"), {QNAN, SNAN, ONE, QNAN}, INVALID, true},
    {ASM("v_sqrt_f32_e32 v3, v0"), {0xbf800000, ONE, ONE, 0xffc00000}, INVALID, true},
    {ASM("v_sqrt_f32_e32 v3, v0"), {0xbf800000, ONE, ONE, 0xffc00000}, DIVZERO, false},
    {ASM("v_mul_f32_e32 v3, v0, v1"), {ONE, ONE, ONE, TINY}, UNDERFLOWS, true},
    {ASM("v_mul_f32_e32 v3, v0, v1"), {ONE, ONE, ONE, 0x80000000}, UNDERFLOWS, true}, // flushed
    {ASM("v_mul_f32_e32 v3, v0, v1"), {ONE, TINY, ONE, ONE}, DENORMAL, true},
    {ASM("v_mul_f32_e32 v1, v0, v1"), {ONE, TINY, ONE, ONE}, DENORMAL, false}, // not the operand
    {ASM("v_fma_f32 v3, s0, v1, v2"), {TINY, ONE, TINY, ONE}, DENORMAL, true},
    {ASM("v_fma_f32 v3, s0, v1, v2"), {TINY, ONE, ONE, ONE}, DENORMAL, false}, // v0 is none of it
    {ASM("v_rcp_f64_e32 v[4:5], v[0:1]"), {0, 0, 0, 0, 0, 0x7ff00000}, DIVZERO, true},
    {ASM("v_rcp_f64_e32 v[4:5], v[0:1]"), {0, 0, 0, 0, INF, 0}, DIVZERO, false},
    {ASM("v_rcp_f64_e32 v[0:1], v[0:1]"), {0, 0x7ff00000}, DIVZERO, true},
    {ASM("v_rcp_f16_e32 v3, v0"), {0, 0, 0, 0x12347c00}, DIVZERO, true}, // the lower half
    {ASM("v_rcp_f16_e32 v3, v0"), {0, 0, 0, 0x7c001234}, DIVZERO, false},
    {ASM("v_cvt_u32_f32_e32 v3, v0"), {QNAN, 0, 0, 0}, INVALID, false}, // an integer shows nothing
    {ASM("v_cmp_lt_f32_e32 vcc_lo, v0, v1"), {SNAN, ONE}, INVALID, false},
    {ASM("v_pk_mul_f16 v3, v0, v1"), {0, 0, 0, 0x7c00}, OVERFLOWS, false},
};

struct fake {
    struct lull_target base;
    const struct row *row;
    uint64_t off; ///< Lanes that have lane 7's values.
};

static struct lull_error *read_code(struct lull_target *t, uint64_t va, void *buf, size_t size)
{
    const struct row *row = ((struct fake *)t)->row;
    memset(buf, 0, size);
    for (size_t i = 0; va == CODE && i < TEST_ROWS(asm_rows); i++) {
        if (strcmp(asm_rows[i].text, row->text) == 0) {
            const size_t n = 4ull * asm_rows[i].ndwords;
            memcpy(buf, asm_rows[i].dwords, n < size ? n : size);
        }
    }
    return NULL;
}

static struct lull_error *read_reg(struct lull_target *t, lull_wave_key key,
                                   struct lull_wave_reg reg, uint64_t *ret)
{
    const struct fake *f = (struct fake *)t;
    (void)key;
    *ret = (f->off >> reg.lane & 1) != 0 && reg.index < 6 ? f->row->v[reg.index] : (uint32_t)ONE;
    return NULL;
}

/** Lane 7 of @p lanes; lane 9 has the same values, but is off. */
static void check(const struct row *row, uint8_t lanes, unsigned lane)
{
    static const struct lull_target_ops ops = {
        .kind = "fake", .arch = &lull_arch_rdna3, .read = read_code, .read_reg = read_reg};
    struct fake f = {.base = {.ops = &ops}, .row = row, .off = 1ull << lane | 1 << 9};
    const struct lull_wave_info wave = {.lanes = lanes, .exec = ~(UINT64_C(1) << 9)};
    uint64_t got = 0;
    const uint64_t want = row->shown ? 1ull << lane : 0;
    struct lull_error *err = lull_raised_lanes(&f.base, &wave, CODE, row->excp, &got);
    test_case(err == NULL && got == want, row->text,
              "exceptions 0x%" PRIx32 ": lanes 0x%" PRIx64 ", want 0x%" PRIx64, row->excp, got,
              want);
    lull_error_free(err);
}

int main(void)
{
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        check(&rows[i], 32, 7);
        check(&rows[i], 64, 45);
    }
    return test_end();
}
