// SPDX-License-Identifier: MIT
#include "model/amd/exec/matrix.h"

#include <string.h>

#include "model/fp/fp.h"
#include "model/fp/host_trans.h"
#include "model/rdna_sem_fns.h"

enum { SIDE = 16, BF16_SHIFT = 16, SIGN16 = 0x8000, C_BIT = 4 };

enum element { E_F16, E_BF16, E_I8, E_I4 };

/** What one of the instructions works on. */
struct shape {
    enum element in;
    unsigned bits; ///< Of an element of A and B.
    bool narrow;   ///< C and D are of the type of A and B, 16 bits.
};

/** A by rows, B by k and then columns, as f32 or as integers. */
struct tile {
    uint32_t a[SIDE][SIDE], b[SIDE][SIDE];
};

static struct shape shape_of(unsigned op)
{
    switch (op) {
    case LULL_RDNA_OP_V_WMMA_F32_16X16X16_F16:
        return (struct shape){E_F16, 16, false};
    case LULL_RDNA_OP_V_WMMA_F32_16X16X16_BF16:
        return (struct shape){E_BF16, 16, false};
    case LULL_RDNA_OP_V_WMMA_F16_16X16X16_F16:
        return (struct shape){E_F16, 16, true};
    case LULL_RDNA_OP_V_WMMA_BF16_16X16X16_BF16:
        return (struct shape){E_BF16, 16, true};
    case LULL_RDNA_OP_V_WMMA_I32_16X16X16_IU8:
        return (struct shape){E_I8, 8, false};
    default:
        return (struct shape){E_I4, 4, false};
    }
}

static const uint32_t *vgpr(const struct lull_wave *w, unsigned op)
{
    return w->vgpr + (size_t)(op - LULL_RDNA_VGPR0) * w->lanes;
}

/** Element @p k of a row or column, from its dword. */
static uint32_t take(const struct lull_rdna_insn *in, const struct shape *s, unsigned n, unsigned k,
                     uint32_t dword, uint32_t mode)
{
    const unsigned at = k % (32 / s->bits);
    if (s->bits < 16) {
        const uint32_t sign = in->neg >> n & 1;
        return (uint32_t)(s->in == E_I8 ? lull_byte_s(dword, at, sign)
                                        : lull_nibble_s(dword, at, sign));
    }
    const unsigned neg = at == 0 ? in->neg : in->neg_hi;
    const uint32_t half = (dword >> (16 * at) & UINT16_MAX) ^ ((neg >> n & 1) != 0 ? SIGN16 : 0);
    int32_t bad = 0;
    const uint32_t f = lull_host_f32_from_f16((uint16_t)half, mode, &bad);
    return s->in != E_F16 ? half << BF16_SHIFT
           : bad == 0     ? f
                          : lull_f32_from_f16((uint16_t)half, mode);
}

/** Row or column @p line of source @p n. */
static void load(const struct lull_wave *w, const struct lull_rdna_insn *in, const struct shape *s,
                 unsigned n, unsigned line, uint32_t to[SIDE])
{
    const unsigned per = 32 / s->bits;
    for (unsigned k = 0; k < SIDE; k++) {
        to[k] = take(in, s, n, k, vgpr(w, in->src[n] + k / per)[line], w->mode);
    }
}

static void load_tile(const struct lull_wave *w, const struct lull_rdna_insn *in,
                      const struct shape *s, struct tile *t)
{
    for (unsigned line = 0; line < SIDE; line++) {
        uint32_t column[SIDE];
        load(w, in, s, 0, line, t->a[line]);
        load(w, in, s, 1, line, column);
        for (unsigned k = 0; k < SIDE; k++) {
            t->b[k][line] = column[k];
        }
    }
}

/** C as f32 or integer. */
static uint32_t take_c(const struct lull_wave *w, const struct lull_rdna_insn *in,
                       const struct shape *s, unsigned reg, unsigned lane)
{
    const bool halves = s->narrow && in->src[2] >= LULL_RDNA_VGPR0;
    const enum lull_sem_type type = !s->narrow        ? LULL_T_F32
                                    : s->in == E_BF16 ? LULL_T_BF16
                                                      : LULL_T_F16;
    uint32_t v = in->src[2] >= LULL_RDNA_VGPR0
                     ? vgpr(w, in->src[2] + reg)[lane]
                     : (uint32_t)lull_scalar_read(w, in->src[2], type, in->literal);
    if (s->bits < 16) {
        return v;
    }
    if (s->narrow) {
        v = v >> (halves && (in->op_sel & C_BIT) != 0 ? 16 : 0) & UINT16_MAX;
        v = s->in == E_F16 ? lull_f32_from_f16((uint16_t)v, w->mode) : v << BF16_SHIFT;
    }
    v = (in->neg_hi & C_BIT) != 0 ? v & ~UINT32_C(0x80000000) : v;
    return (in->neg & C_BIT) != 0 ? v ^ UINT32_C(0x80000000) : v;
}

/** @p r += row * B in f32. Products of f16 are exact, so that the host may multiply and add. */
static void row_float(const uint32_t a[SIDE], const struct tile *t, bool f16, uint32_t mode,
                      uint32_t r[SIDE])
{
    uint32_t c[SIDE];
    int32_t bad = 0;
    memcpy(c, r, sizeof c);
    for (unsigned k = 0; k < SIDE; k++) {
        for (unsigned col = 0; col < SIDE && f16; col++) {
            const uint32_t p = lull_host_f32_mul(a[k], t->b[k][col], mode);
            r[col] = lull_host_f32_add(p, r[col], mode);
        }
        for (unsigned col = 0; col < SIDE && !f16; col++) {
            r[col] = lull_host_f32_fma(a[k], t->b[k][col], r[col], mode);
        }
    }
    for (unsigned col = 0; col < SIDE; col++) {
        bad |= lull_host_nan(r[col]);
    }
    for (unsigned col = 0; col < SIDE && bad != 0; col++) {
        r[col] = c[col];
        for (unsigned k = 0; k < SIDE; k++) {
            r[col] = lull_f32_fma(a[k], t->b[k][col], r[col], mode);
        }
    }
}

/** The same of integers: the products alone fit into 32 bits. */
static void row_int(const uint32_t a[SIDE], const struct tile *t, bool clamp, uint32_t r[SIDE])
{
    int32_t sum[SIDE] = {0};
    for (unsigned k = 0; k < SIDE; k++) {
        for (unsigned col = 0; col < SIDE; col++) {
            sum[col] += (int32_t)a[k] * (int32_t)t->b[k][col];
        }
    }
    for (unsigned col = 0; col < SIDE; col++) {
        const int64_t v = (int64_t)sum[col] + (int32_t)r[col];
        r[col] = clamp ? (uint32_t)lull_sat_i32(v) : (uint32_t)v;
    }
}

static uint16_t bf16_from_f32(uint32_t v)
{
    if ((v & 0x7fffffff) > 0x7f800000) {
        return (uint16_t)(v >> BF16_SHIFT | 0x40);
    }
    return (uint16_t)((v + 0x7fff + (v >> BF16_SHIFT & 1)) >> BF16_SHIFT);
}

static void put(const struct lull_wave *w, const struct lull_rdna_insn *in, const struct shape *s,
                uint32_t *d, uint32_t v)
{
    if (!s->narrow) {
        *d = v;
        return;
    }
    const unsigned shift = (in->op_sel & C_BIT) != 0 ? 16 : 0;
    const uint32_t half = s->in == E_F16 ? lull_f16_from_f32(v, w->mode) : bf16_from_f32(v);
    *d = (*d & ~((uint32_t)UINT16_MAX << shift)) | half << shift;
}

static bool exist(const struct lull_wave *w, unsigned op, unsigned n)
{
    return op >= LULL_RDNA_VGPR0 && op - LULL_RDNA_VGPR0 + n <= w->nvgprs;
}

enum lull_exec_result lull_wmma(struct lull_wave *w, const struct lull_uop *u)
{
    const struct lull_rdna_insn *in = u->in;
    const struct shape s = shape_of(in->op);
    const unsigned groups = w->lanes / SIDE, nacc = SIDE / groups, nsrc = s.bits / 2;
    struct tile t;
    uint32_t r[SIDE][SIDE];
    if (!exist(w, in->dst, nacc) || !exist(w, in->src[0], nsrc) || !exist(w, in->src[1], nsrc) ||
        (in->src[2] >= LULL_RDNA_VGPR0 && !exist(w, in->src[2], nacc))) {
        return LULL_EXEC_ILLEGAL;
    }
    load_tile(w, in, &s, &t);
    for (unsigned row = 0; row < SIDE; row++) {
        for (unsigned col = 0; col < SIDE; col++) {
            r[row][col] = take_c(w, in, &s, row / groups, row % groups * SIDE + col);
        }
        if (s.bits < 16) {
            row_int(t.a[row], &t, in->clamp, r[row]);
        } else {
            row_float(t.a[row], &t, s.in == E_F16, w->mode, r[row]);
        }
    }
    for (unsigned row = 0; row < SIDE; row++) {
        uint32_t *d = w->vgpr + (size_t)(in->dst - LULL_RDNA_VGPR0 + row / groups) * w->lanes;
        for (unsigned col = 0; col < SIDE; col++) {
            put(w, in, &s, &d[row % groups * SIDE + col], r[row][col]);
        }
    }
    return LULL_EXEC_NEXT;
}
