// SPDX-License-Identifier: MIT
// Sums and products of f32 by the host's floating-point unit: what fp.h computes, bit for bit.
#include "model/adreno/exec/alu.h"
#include "model/fp/fp_host.h"

static uint32_t add(const struct lull_ir3_alu_in *x, uint32_t *d)
{
    uint32_t nan = 0;
    for (unsigned i = 0; i < x->n; i++) {
        d[i] = lull_f32_add_raw(x->a[i], x->b[i]);
        nan |= lull_f32_is_nan(d[i]);
    }
    return nan;
}

static uint32_t mul(const struct lull_ir3_alu_in *x, uint32_t *d)
{
    uint32_t nan = 0;
    for (unsigned i = 0; i < x->n; i++) {
        d[i] = lull_f32_mul_raw(x->a[i], x->b[i]);
        nan |= lull_f32_is_nan(d[i]);
    }
    return nan;
}

static uint32_t mad(const struct lull_ir3_alu_in *x, uint32_t *d)
{
    uint32_t nan = 0;
    for (unsigned i = 0; i < x->n; i++) {
        d[i] = lull_f32_add_raw(lull_f32_mul_raw(x->a[i], x->b[i]), x->c[i]);
        nan |= lull_f32_is_nan(d[i]);
    }
    return nan;
}

bool lull_ir3_alu_quick(const struct lull_ir3_alu_row *row, const struct lull_ir3_alu_in *x,
                        uint32_t *d)
{
    const unsigned op = row->source == LULL_IR3_TYPE_F32 ? row->op : LULL_IR3_OP_NONE;
    uint32_t (*const fn)(const struct lull_ir3_alu_in *, uint32_t *) =
        op == LULL_IR3_OP_ADD_F                  ? add
        : op == LULL_IR3_OP_MUL_F                ? mul
        : op == LULL_IR3_OP_MAD_F32 && !x->fused ? mad
                                                 : NULL;
    if (fn == NULL || !lull_fp_host_ok(x->mode)) {
        return false;
    }
    const uint32_t saved = lull_fp_host_begin(x->mode);
    const uint32_t nan = fn(x, d);
    lull_fp_host_end(saved);
    return nan == 0; // Which one it is, fp.h knows.
}
