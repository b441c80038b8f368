// SPDX-License-Identifier: MIT
// Loads from LDS, a lane after the other: there is no gather. Those beyond the workgroup's part are
// 0. Source: Arm Architecture Reference Manual for A-profile, C6.2, C7.2.
#include "jit/lds.h"

#include "jit/a64/a64.h"
#include "jit/a64/encode.h"
#include "jit/machine.h"
#include "model/amd/wave/wave.h"

enum { STRIP = 4, IMM_SHIFT = 10, MOST_IMM = 4095 };

static struct lull_x86_mem in_wave(size_t at)
{
    return (struct lull_x86_mem){LULL_RDI, LULL_X86_NONE, (int32_t)at};
}

void lull_a64_lds_begin(struct lull_x86 *x)
{
    enum { SCALE_X = 3 };
    const uint32_t add_imm = 0x91000000;
    lull_a64_mem(x, LULL_A64_LDR_X, SCALE_X, LULL_A64_T0, in_wave(offsetof(struct lull_wave, wg)));
    lull_a64_reg(x, add_imm | (uint32_t)offsetof(struct lull_workgroup, lds) << IMM_SHIFT,
                 LULL_A64_T1, LULL_A64_T0, 0);
    lull_a64_reg(x, LULL_A64_LDR_X, LULL_A64_LDS, LULL_A64_T1, 0);
    lull_a64_reg(x, add_imm | (uint32_t)offsetof(struct lull_workgroup, lds_size) << IMM_SHIFT,
                 LULL_A64_T1, LULL_A64_T0, 0);
    lull_a64_reg(x, LULL_A64_LDR_W, LULL_A64_LDS_SIZE, LULL_A64_T1, 0);
}

/** One lane of an element, whose address is in register @p p, to registers @p d. */
static void load_lane(struct lull_x86 *x, const struct lull_jit_lds *l, unsigned element,
                      unsigned lane, unsigned p, const unsigned *d)
{
    const uint32_t umov_w = 0x0e043c00, add_w = 0x0b000000, add_imm = 0x91000000, cmp = 0xeb00001f,
                   add = 0x8b000000, b_hi = 0x54000008,
                   ld1 = l->bytes == 1   ? 0x0ddf0000
                         : l->bytes == 2 ? 0x0ddf4000
                                         : 0x0ddf8000;
    lull_a64_reg(x, umov_w | lane << 19, LULL_A64_T0, p, 0);
    if (l->offset[element] != 0) {
        lull_a64_imm(x, LULL_A64_T1, l->offset[element]);
        lull_a64_reg(x, add_w, LULL_A64_T0, LULL_A64_T0, LULL_A64_T1);
    }
    lull_a64_reg(x, add_imm | (uint32_t)l->bytes << IMM_SHIFT, LULL_A64_T1, LULL_A64_T0, 0);
    lull_a64_reg(x, cmp, 0, LULL_A64_T1, LULL_A64_LDS_SIZE);
    const size_t outside = lull_a64_jump(x, b_hi);
    lull_a64_reg(x, add, LULL_A64_T0, LULL_A64_T0, LULL_A64_LDS);
    for (unsigned i = 0; i < l->nregs; i++) { // And as many bytes further.
        lull_a64_reg(x, ld1 | (lane >> 1) << 30 | (lane & 1) << 12, d[i], LULL_A64_T0, 0);
    }
    lull_a64_land(x, outside, x->len);
}

/** Less than a dword at the bottom of the lanes of @p d, which are 0 above, as it goes into its
 * register; @p old: register of what stays there. */
static void extend(struct lull_jit_window *q, const struct lull_jit_lds *l, unsigned d,
                   unsigned old, unsigned temp)
{
    const uint32_t shl = 0x4f205400, sshr = 0x4f400400, ushr = 0x6f400400, orr = 0x4ea01c00;
    enum { AT = 16, BITS = 32, HALF = 16 };
    const unsigned over = BITS - 8u * l->bytes;
    if (l->sign) { // Counts to the right are taken off.
        lull_a64_reg(q->x, shl + (over << AT), d, d, 0);
        lull_a64_reg(q->x, sshr - (over << AT), d, d, 0);
    }
    if (l->keep != 0) {
        lull_a64_reg(q->x, shl + (HALF << AT), d, d, 0);
        if (!l->high) {
            lull_a64_reg(q->x, ushr - (HALF << AT), d, d, 0);
        }
        q->target->machine->and_with(q, temp, old, lull_jit_const32(q, l->keep));
        lull_a64_reg(q->x, orr, d, d, temp);
    }
}

void lull_a64_emit_lds(struct lull_jit_window *q, const struct lull_jit_lds *l)
{
    const uint32_t movi_0 = 0x4f000400;
    const unsigned n = l->nregs, named = lull_jit_named(q, LULL_JIT_VGPR, l->address);
    unsigned p = named;
    q->slot[p].lock = true;
    if (l->address >= l->dst && l->address < l->dst + l->n * n) { // A result is in its place.
        p = lull_jit_grab(q);
        q->target->machine->copy(q, p, named);
        q->slot[p].lock = true;
        q->slot[named].lock = false;
    }
    const unsigned old = l->keep != 0 ? lull_jit_named(q, LULL_JIT_VGPR, l->dst) : p;
    const bool was = q->slot[old].lock;
    q->slot[old].lock = true;
    const unsigned temp = lull_jit_grab(q);
    for (unsigned e = 0; e < l->n; e++) {
        unsigned d[LULL_JIT_LDS_MOST];
        for (unsigned i = 0; i < n; i++) {
            d[i] = lull_jit_grab(q);
            lull_a64_reg(q->x, movi_0, d[i], 0, 0);
        }
        for (unsigned lane = 0; lane < STRIP; lane++) {
            load_lane(q->x, l, e, lane, p, d);
        }
        if (l->bytes < 4) {
            extend(q, l, d[0], old, temp);
        }
        q->slot[old].lock = was;
        for (unsigned i = 0; i < n; i++) {
            lull_jit_set(q, d[i], LULL_JIT_VGPR, l->dst + e * n + i);
        }
    }
    lull_jit_drop(q, temp);
    q->slot[p].lock = false;
    if (p != named) {
        lull_jit_drop(q, p);
    }
}
