// SPDX-License-Identifier: MIT
// Source: Arm Architecture Reference Manual for A-profile, C6.2.
#include "jit/scalar.h"

#include <string.h>

#include "jit/a64/a64.h"
#include "jit/a64/encode.h"

bool lull_a64_has_scalar(const struct lull_uop *u)
{
    int32_t value[LULL_JIT_HOLE_K + 1] = {0};
    return lull_a64_stencils[u->in->op][u->konst & 3].size != 0 && lull_jit_scalar_holes(u, value);
}

void lull_a64_emit_scalar(struct lull_x86 *x, const struct lull_uop *u)
{
    enum { PARTS = 4, PART_BITS = 16, IMM_SHIFT = 5 };
    const struct lull_jit_stencil *s = &lull_a64_stencils[u->in->op][u->konst & 3];
    int32_t value[LULL_JIT_HOLE_K + 1] = {0};
    lull_jit_scalar_holes(u, value);
    lull_a64_reg(x, LULL_A64_MOV, LULL_A64_X0, 0, LULL_A64_WAVE);
    const size_t at = x->len;
    lull_x86_bytes(x, (const char *)lull_a64_stencil_code + s->code, s->size);
    for (unsigned i = 0; i < s->nholes && !x->full; i++) {
        const struct lull_jit_hole *h = &lull_a64_holes[s->holes + i];
        const int64_t v = value[h->which % PARTS];
        const uint64_t part = (uint64_t)v >> PART_BITS * (h->which / PARTS) & 0xffff;
        uint32_t word = 0;
        memcpy(&word, x->to + at + h->at, sizeof word);
        word |= (uint32_t)part << IMM_SHIFT;
        memcpy(x->to + at + h->at, &word, sizeof word);
    }
}
