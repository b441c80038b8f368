// SPDX-License-Identifier: MIT
// Operands and registers of gfx1100, as regions see them.
#include <stddef.h>

#include "jit/redo.h"
#include "jit/vendor.h"

static struct lull_jit_operand operand(const struct lull_jit_vector *v, unsigned n, unsigned part)
{
    const unsigned op = v->src[n];
    if (op >= LULL_RDNA_VGPR0) {
        return (struct lull_jit_operand){LULL_JIT_VGPR, op - LULL_RDNA_VGPR0 + part};
    }
    if (lull_is_sgpr(op)) {
        return (struct lull_jit_operand){LULL_JIT_SGPR, lull_jit_sgpr_key(op + part, v->saved[n])};
    }
    const uint64_t c = lull_scalar_const(op, (enum lull_sem_type)v->type[n], v->literal);
    return (struct lull_jit_operand){LULL_JIT_CONST, (uint32_t)(c >> 32 * part)};
}

static void redo(void *at, const struct lull_jit_region *r, unsigned first)
{
    lull_jit_redo(at, r, first);
}

const struct lull_jit_vendor lull_jit_rdna = {
    .exec = (int32_t)(offsetof(struct lull_wave, sgpr) + sizeof(uint32_t[LULL_RDNA_EXEC])),
    .registers = offsetof(struct lull_wave, vgpr),
    .operand = operand,
    .uniform = lull_jit_at_sgpr,
    .mask = lull_jit_at_mask,
    .redo = redo,
};
