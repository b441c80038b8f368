// SPDX-License-Identifier: MIT
// v_wmma_*: matrices laid out in registers as the ISA guide draws them, against sums computed here.
// All sums are of small integers and quarters, so that they are exact in any order.
#include <stdint.h>

#include "matrix_rows.h"

#include "wave_fixture.h"

enum { SIDE = 16, A0 = 0, B0 = 8, C0 = 16 };

/** Bits of @p v, which must be exact in them. */
static uint32_t f32_bits(float v)
{
    uint32_t b = 0;
    memcpy(&b, &v, 4);
    return b;
}

static uint32_t f16_bits(float v)
{
    const uint32_t b = f32_bits(v);
    return v == 0.0f ? 0 : (b >> 16 & 0x8000) | ((b >> 23 & 255) - 112) << 10 | (b >> 13 & 0x3ff);
}

static uint32_t bf16_bits(float v)
{
    return f32_bits(v) >> 16;
}

enum kind { F32_F16, F32_BF16, F16, BF16, IU8, IU4 };

/** How matrices are put into registers, and what is made of them. */
struct wmma {
    const char *name, *text;
    enum kind kind;
    unsigned lanes;
    bool a_signed, b_signed, clamp, high; // high: the upper half of 16-bit C and D.
    float sign_even, sign_odd, sign_c;    // Of A by k, and of C.
    bool abs_c;
    int range; // Elements are from -range to range, or 0 to 2 * range.
};

static unsigned bits_of(const struct wmma *t)
{
    return t->kind == IU8 ? 8 : t->kind == IU4 ? 4 : 16;
}

static bool is_float(const struct wmma *t)
{
    return t->kind < IU8;
}

static int element(struct fixture *f, const struct wmma *t, bool is_signed)
{
    const int r = (int)(fix_random(f) % (2u * (unsigned)t->range + 1));
    return is_signed ? r - t->range : r;
}

static uint32_t encode(const struct wmma *t, int v)
{
    if (is_float(t)) {
        return t->kind == F32_F16 || t->kind == F16 ? f16_bits((float)v) : bf16_bits((float)v);
    }
    return (uint32_t)v & ((1u << bits_of(t)) - 1);
}

static void put_operand(struct fixture *f, const struct wmma *t, unsigned reg, int m[SIDE][SIDE])
{
    const unsigned per = 32 / bits_of(t);
    for (unsigned k = 0; k < SIDE; k++) {
        uint32_t *row = fix_v(f, reg + k / per);
        for (unsigned l = 0; l < t->lanes; l++) {
            row[l] |= encode(t, m[l % SIDE][k]) << k % per * bits_of(t);
        }
    }
}

/** Register and lane of row @p r, column @p c of C and D. */
static uint32_t *cell(struct fixture *f, const struct wmma *t, unsigned r, unsigned c)
{
    const unsigned groups = t->lanes / SIDE;
    return &fix_v(f, C0 + r / groups)[r % groups * SIDE + c];
}

static uint32_t encode_c(const struct wmma *t, double v)
{
    switch (t->kind) {
    case F32_F16:
    case F32_BF16:
        return f32_bits((float)v);
    case F16:
        return f16_bits((float)v) << (t->high ? 16 : 0) | (t->high ? 0x1234 : 0x12340000);
    case BF16:
        return bf16_bits((float)v) << (t->high ? 16 : 0) | (t->high ? 0x1234 : 0x12340000);
    case IU8:
    case IU4:
        break;
    }
    const int64_t i = (int64_t)v;
    return !t->clamp       ? (uint32_t)i
           : i > INT32_MAX ? INT32_MAX
           : i < INT32_MIN ? 0x80000000u
                           : (uint32_t)i;
}

static double want(const struct wmma *t, const int *a, const int *b, double c)
{
    double sum = (t->abs_c && c < 0 ? -c : c) * (double)t->sign_c;
    for (unsigned k = 0; k < SIDE; k++) {
        sum += (double)a[k] * b[k] * (double)(k % 2 == 0 ? t->sign_even : t->sign_odd);
    }
    return sum;
}

static void check(const struct wmma *t, uint64_t seed)
{
    struct fixture *f = fix_new(t->lanes, seed);
    const struct lull_rdna_insn in = fix_decode(t->text);
    int a[SIDE][SIDE] = {0}, b[SIDE][SIDE] = {0};
    double c[SIDE][SIDE] = {0};
    for (unsigned i = 0; i < SIDE * SIDE; i++) {
        const unsigned r = i / SIDE, k = i % SIDE;
        a[r][k] = element(f, t, t->a_signed);
        b[r][k] = element(f, t, t->b_signed);
        c[r][k] = (double)(int)(fix_random(f) % 41) - 20;
        c[r][k] = t->clamp && i % 3 != 0 ? (i % 3 == 1 ? 2147483600.0 : -2147483600.0) : c[r][k];
        *cell(f, t, r, k) = encode_c(t, c[r][k]);
    }
    put_operand(f, t, A0, a);
    put_operand(f, t, B0, b);
    f->w.sgpr[LULL_RDNA_EXEC] = 0x5; // Is not looked at.
    const enum lull_exec_result res = lull_alu_handler(&in)(&f->w, &in);
    unsigned bad = 0, at = 0;
    for (unsigned i = SIDE * SIDE; i-- > 0;) {
        const unsigned r = i / SIDE, k = i % SIDE;
        if (*cell(f, t, r, k) != encode_c(t, want(t, a[r], b[k], c[r][k]))) {
            bad++;
            at = i;
        }
    }
    test_case(res == LULL_EXEC_NEXT && bad == 0, t->name,
              "wave%u: result %d, %u of 256 wrong, first %u,%u: 0x%08x, want 0x%08x", t->lanes, res,
              bad, at / SIDE, at % SIDE, *cell(f, t, at / SIDE, at % SIDE),
              encode_c(t, want(t, a[at / SIDE], b[at % SIDE], c[at / SIDE][at % SIDE])));
    fix_free(f);
}

// clang-format off: a text stands in one line.
static const struct wmma rows[] = {
    {"f32 of f16", ASM("v_wmma_f32_16x16x16_f16 v[16:23], v[0:7], v[8:15], v[16:23]"), F32_F16, 32,
     true, true, false, false, 1, 1, 1, false, 20},
    {"f32 of bf16", ASM("v_wmma_f32_16x16x16_bf16 v[16:23], v[0:7], v[8:15], v[16:23]"), F32_BF16,
     32, true, true, false, false, 1, 1, 1, false, 20},
    {"f16 of f16", ASM("v_wmma_f16_16x16x16_f16 v[16:23], v[0:7], v[8:15], v[16:23]"), F16, 32,
     true, true, false, false, 1, 1, 1, false, 5},
    {"f16 of f16, high half",
     ASM("v_wmma_f16_16x16x16_f16 v[16:23], v[0:7], v[8:15], v[16:23] op_sel:[0,0,1]"), F16, 32,
     true, true, false, true, 1, 1, 1, false, 5},
    {"bf16 of bf16", ASM("v_wmma_bf16_16x16x16_bf16 v[16:23], v[0:7], v[8:15], v[16:23]"), BF16, 32,
     true, true, false, false, 1, 1, 1, false, 2},
    {"bf16 of bf16, high half",
     ASM("v_wmma_bf16_16x16x16_bf16 v[16:23], v[0:7], v[8:15], v[16:23] op_sel:[0,0,1]"), BF16, 32,
     true, true, false, true, 1, 1, 1, false, 2},
    {"i32 of u8", ASM("v_wmma_i32_16x16x16_iu8 v[16:23], v[0:3], v[8:11], v[16:23]"), IU8, 32,
     false, false, false, false, 1, 1, 1, false, 127},
    {"i32 of i8 and u8",
     ASM("v_wmma_i32_16x16x16_iu8 v[16:23], v[0:3], v[8:11], v[16:23] neg_lo:[1,0,0]"), IU8, 32,
     true, false, false, false, 1, 1, 1, false, 127},
    {"i32 of i8, clamp",
     ASM("v_wmma_i32_16x16x16_iu8 v[16:23], v[0:3], v[8:11], v[16:23] neg_lo:[1,1,0] clamp"), IU8,
     32, true, true, true, false, 1, 1, 1, false, 127},
    {"i32 of u4", ASM("v_wmma_i32_16x16x16_iu4 v[16:23], v[0:1], v[8:9], v[16:23]"), IU4, 32, false,
     false, false, false, 1, 1, 1, false, 7},
    {"i32 of u4 and i4",
     ASM("v_wmma_i32_16x16x16_iu4 v[16:23], v[0:1], v[8:9], v[16:23] neg_lo:[0,1,0]"), IU4, 32,
     false, true, false, false, 1, 1, 1, false, 7},
    {"neg_lo and neg_hi of A",
     ASM("v_wmma_f32_16x16x16_f16 v[16:23], v[0:7], v[8:15], v[16:23] neg_lo:[1,0,0]"), F32_F16, 32,
     true, true, false, false, -1, 1, 1, false, 20},
    {"neg_hi of B",
     ASM("v_wmma_f32_16x16x16_bf16 v[16:23], v[0:7], v[8:15], v[16:23] neg_hi:[0,1,0]"), F32_BF16,
     32, true, true, false, false, 1, -1, 1, false, 20},
    {"minus |C|",
     ASM("v_wmma_f32_16x16x16_f16 v[16:23],v[0:7],v[8:15],v[16:23] neg_lo:[0,0,1] neg_hi:[0,0,1]"),
     F32_F16, 32, true, true, false, false, 1, 1, -1, true, 20},
};
// clang-format on

/** A constant for C; a wave without the registers. */
static void test_rest(void)
{
    struct fixture *f = fix_new(32, 1);
    const struct lull_rdna_insn in =
        fix_decode(ASM("v_wmma_f16_16x16x16_f16 v[16:23], v[0:7], v[8:15], 1.0"));
    const enum lull_exec_result res = lull_alu_handler(&in)(&f->w, &in);
    test_case(res == LULL_EXEC_NEXT && fix_v(f, 16)[0] == 0x3c00 && fix_v(f, 23)[31] == 0x3c00,
              "constant C", "result %d, 0x%08x", res, fix_v(f, 16)[0]);
    f->w.nvgprs = 20;
    test_case(lull_alu_handler(&in)(&f->w, &in) == LULL_EXEC_ILLEGAL, "registers not there",
              "executed");
    fix_free(f);
}

int main(void)
{
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        check(&rows[i], i + 1);
        struct wmma wide = rows[i];
        wide.lanes = 64;
        check(&wide, i + 77);
    }
    test_rest();
    return test_end();
}
