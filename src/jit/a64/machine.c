// SPDX-License-Identifier: MIT
// Masks are vectors, all bits of a lane set or none. Source: Arm Architecture Reference Manual for
// A-profile, C7.2.
#include "jit/machine.h"

#include "jit/a64/a64.h"
#include "jit/a64/encode.h"

enum { SCALE_Q = 4, SCALE_X = 3, SCALE_W = 2, M_SHIFT = 16, N_SHIFT = 5 };

static const uint32_t and_16b = 0x4e201c00, orr_16b = 0x4ea01c00, orn_16b = 0x4ee01c00,
                      eor_16b = 0x6e201c00, fcmeq_4s = 0x4e20e400, cmtst_4s = 0x4ea08c00,
                      dup_4s = 0x4e040c00;

static void copy(struct lull_jit_window *q, unsigned to, unsigned from)
{
    if (to != from) {
        lull_a64_reg(q->x, orr_16b, to, from, from);
    }
}

static void load(struct lull_jit_window *q, unsigned to, struct lull_x86_mem from)
{
    lull_a64_mem(q->x, LULL_A64_LDR_Q, SCALE_Q, to, from);
}

static void store(struct lull_jit_window *q, unsigned from, struct lull_x86_mem to)
{
    lull_a64_mem(q->x, LULL_A64_STR_Q, SCALE_Q, from, to);
}

static void broadcast(struct lull_jit_window *q, unsigned to, struct lull_x86_mem dword)
{
    const uint32_t ld1r_4s = 0x4d40c800;
    lull_a64_address(q->x, LULL_A64_T0, dword);
    lull_a64_reg(q->x, ld1r_4s, to, LULL_A64_T0, 0);
}

static void chosen(struct lull_jit_window *q, unsigned to, unsigned n)
{
    const uint32_t ldr_q_uxtw = 0x3ce04800;
    lull_a64_mem(q->x, LULL_A64_LDR_W, SCALE_W, LULL_A64_T0, lull_jit_at_choice(n));
    lull_a64_reg(q->x, ldr_q_uxtw, to, LULL_A64_VGPRS, LULL_A64_T0);
}

static void strip_of(struct lull_jit_window *q, unsigned to, int32_t disp)
{
    const uint32_t add_lsl_2 = 0x8b000800;
    lull_a64_address(q->x, LULL_A64_T0, (struct lull_x86_mem){LULL_R15, LULL_X86_NONE, disp});
    lull_a64_reg(q->x, add_lsl_2, LULL_A64_T0, LULL_A64_T0, LULL_A64_LANE);
    lull_a64_reg(q->x, LULL_A64_LDR_Q, to, LULL_A64_T0, 0);
}

/** Both SGPRs of a mask, of which wave32 uses the first, shifted so that the strip's bits are the
 * lowest. */
void lull_a64_mask_bits(struct lull_x86 *x, struct lull_x86_mem bits)
{
    lull_a64_mem(x, LULL_A64_LDR_X, SCALE_X, LULL_A64_T0, bits);
    lull_a64_reg(x, LULL_A64_LSR, LULL_A64_T0, LULL_A64_T0, LULL_A64_LANE);
}

void lull_a64_mask_vector(struct lull_x86 *x, unsigned p)
{
    lull_a64_reg(x, dup_4s, p, LULL_A64_T0, 0);
    lull_a64_reg(x, cmtst_4s, p, p, LULL_A64_BITS);
}

static void mask_load(struct lull_jit_window *q, unsigned p, struct lull_x86_mem bits)
{
    lull_a64_mask_bits(q->x, bits);
    lull_a64_mask_vector(q->x, p);
}

static void mask_on(struct lull_jit_window *q, unsigned p)
{
    lull_a64_reg(q->x, and_16b, p, p, LULL_A64_EXEC);
}

static void blend(struct lull_jit_window *q, unsigned to, unsigned a, unsigned b, unsigned mask)
{
    copy(q, to, a);
    lull_a64_reg(q->x, LULL_A64_BIT, to, b, mask);
}

static void in_doubt(struct lull_jit_window *q, unsigned p)
{
    lull_a64_reg(q->x, orr_16b, LULL_A64_DOUBT, LULL_A64_DOUBT, p);
    q->checked = true;
}

static void unordered(struct lull_jit_window *q, unsigned a, unsigned b, unsigned temp)
{
    const unsigned both[] = {a, b};
    (void)temp;
    for (unsigned i = 0; i < (a == b ? 1 : 2); i++) {
        lull_a64_reg(q->x, fcmeq_4s, LULL_A64_TEMP, both[i], both[i]);
        lull_a64_reg(q->x, orn_16b, LULL_A64_DOUBT, LULL_A64_DOUBT, LULL_A64_TEMP);
    }
    q->checked = true;
}

static void and_with(struct lull_jit_window *q, unsigned to, unsigned from, uint32_t n)
{
    load(q, LULL_A64_TEMP, lull_jit_at_const(q, n));
    lull_a64_reg(q->x, and_16b, to, from, LULL_A64_TEMP);
}

static void xor_with(struct lull_jit_window *q, unsigned to, unsigned from, uint32_t n)
{
    load(q, LULL_A64_TEMP, lull_jit_at_const(q, n));
    lull_a64_reg(q->x, eor_16b, to, from, LULL_A64_TEMP);
}

static void halves(struct lull_jit_window *q, unsigned to, unsigned from, unsigned which)
{
    static const uint32_t rev32_8h = 0x6e600800, trn1_8h = 0x4e402800, trn2_8h = 0x4e406800;
    enum { LOW_LOW, HIGH_LOW, LOW_HIGH, HIGH_HIGH }; // The lower half's, then the upper one's.
    switch (which) {
    case LOW_LOW:
        lull_a64_reg(q->x, trn1_8h, to, from, from);
        break;
    case HIGH_LOW:
        lull_a64_reg(q->x, rev32_8h, to, from, 0);
        break;
    case HIGH_HIGH:
        lull_a64_reg(q->x, trn2_8h, to, from, from);
        break;
    case LOW_HIGH:
    default:
        copy(q, to, from);
        break;
    }
}

static void widen(struct lull_jit_window *q, unsigned to, unsigned from, bool high)
{
    const uint32_t xtn_4h = 0x0e612800, shrn_4h_16 = 0x0f108400, fcvtl_4s = 0x0e217800;
    lull_a64_reg(q->x, high ? shrn_4h_16 : xtn_4h, to, from, 0);
    lull_a64_reg(q->x, fcvtl_4s, to, to, 0);
}

static void operation(struct lull_jit_window *q, const struct lull_jit_op *o, unsigned d,
                      const unsigned r[3])
{
    if (o->konst >= 0) {
        const uint8_t *c = lull_jit_const_of(q->target, o->konst);
        load(q, d, lull_jit_at_const(q, lull_jit_const(q, c)));
    } else {
        lull_a64_reg(q->x, o->word, d, r[0], r[1]);
    }
}

const struct lull_jit_machine lull_jit_machine_a64 = {
    .copy = copy,
    .load = load,
    .store = store,
    .broadcast = broadcast,
    .chosen = chosen,
    .strip_of = strip_of,
    .mask_load = mask_load,
    .mask_uniform = broadcast,
    .mask_on = mask_on,
    .blend = blend,
    .in_doubt = in_doubt,
    .unordered = unordered,
    .and_with = and_with,
    .xor_with = xor_with,
    .halves = halves,
    .widen = widen,
    .operation = operation,
};
