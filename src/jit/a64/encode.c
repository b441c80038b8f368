// SPDX-License-Identifier: MIT
// Source: Arm Architecture Reference Manual for A-profile, C4.1 and C6.2.
#include "jit/a64/encode.h"

#include <string.h>

enum { N_SHIFT = 5, IMM_SHIFT = 10, M_SHIFT = 16, MOST_IMM = 4095 };

// Behind the registers that emit.c keeps there.
const struct lull_x86_mem lull_a64_at_exit = {LULL_RSP, LULL_X86_NONE, 160};

void lull_a64(struct lull_x86 *x, uint32_t word)
{
    lull_x86_u32(x, word);
}

void lull_a64_reg(struct lull_x86 *x, uint32_t word, unsigned d, unsigned n, unsigned m)
{
    lull_a64(x, word | d | n << N_SHIFT | m << M_SHIFT);
}

unsigned lull_a64_base(unsigned base)
{
    switch (base) {
    case LULL_R13:
        return LULL_A64_VGPRS;
    case LULL_R14:
        return LULL_A64_CONSTS;
    case LULL_R15:
        return LULL_A64_AREA;
    case LULL_RSP:
        return LULL_A64_ZERO; // As a base that is sp.
    default:
        return LULL_A64_WAVE;
    }
}

void lull_a64_imm(struct lull_x86 *x, unsigned d, uint64_t v)
{
    const uint32_t movz = 0xd2800000, movk = 0xf2800000;
    lull_a64_reg(x, movz | (uint32_t)(v & 0xffff) << N_SHIFT, d, 0, 0);
    for (uint32_t part = 1; part < 4; part++) {
        const uint32_t bits = (uint32_t)(v >> 16 * part) & 0xffff;
        if (bits != 0) {
            lull_a64(x, movk | part << 21 | bits << N_SHIFT | d);
        }
    }
}

void lull_a64_address(struct lull_x86 *x, unsigned d, struct lull_x86_mem m)
{
    const uint32_t add_imm = 0x91000000, add = 0x8b000000;
    const unsigned base = lull_a64_base(m.base);
    if (m.disp >= 0 && m.disp <= MOST_IMM) {
        lull_a64_reg(x, add_imm | (uint32_t)m.disp << IMM_SHIFT, d, base, 0);
    } else {
        lull_a64_imm(x, d, (uint64_t)(int64_t)m.disp);
        lull_a64_reg(x, add, d, base, d);
    }
}

void lull_a64_mem(struct lull_x86 *x, uint32_t word, unsigned scale, unsigned reg,
                  struct lull_x86_mem m)
{
    const uint32_t units = (uint32_t)m.disp >> scale;
    if (m.disp >= 0 && units <= MOST_IMM && units << scale == (uint32_t)m.disp) {
        lull_a64_reg(x, word | units << IMM_SHIFT, reg, lull_a64_base(m.base), 0);
    } else {
        lull_a64_address(x, LULL_A64_T1, m);
        lull_a64_reg(x, word, reg, LULL_A64_T1, 0);
    }
}

size_t lull_a64_jump(struct lull_x86 *x, uint32_t word)
{
    const size_t at = x->len;
    lull_a64(x, word);
    return at;
}

void lull_a64_land(struct lull_x86 *x, size_t at, size_t to)
{
    uint32_t word = 0;
    if (x->full) {
        return;
    }
    memcpy(&word, x->to + at, sizeof word);
    const uint32_t by = (uint32_t)(((int64_t)to - (int64_t)at) / 4);
    word |= word == LULL_A64_B ? by & 0x3ffffff : (by & 0x7ffff) << N_SHIFT;
    memcpy(x->to + at, &word, sizeof word);
}
