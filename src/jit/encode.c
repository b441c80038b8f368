// SPDX-License-Identifier: MIT
// Source: Intel SDM volume 2, chapter 2.
#include "jit/encode.h"

enum { REX_W = 0x48, REX_R = 4, REX_B = 1 };

void lull_x86_load_imm(struct lull_x86 *x, enum lull_x86_reg reg, uint64_t v)
{
    const uint16_t op = (uint16_t)(REX_W | (reg >= 8 ? REX_B : 0) | (0xb8 | (reg & 7)) << 8);
    lull_x86_bytes(x, (const char *)&op, sizeof op);
    lull_x86_bytes(x, (const char *)&v, sizeof v);
}

void lull_x86_move(struct lull_x86 *x, enum lull_x86_reg to, enum lull_x86_reg from)
{
    const char op[] = {(char)(REX_W | (from >= 8 ? REX_R : 0) | (to >= 8 ? REX_B : 0)), (char)0x89,
                       (char)(0xc0 | (from & 7) << 3 | (to & 7))};
    lull_x86_bytes(x, op, sizeof op);
}

void lull_x86_call(struct lull_x86 *x, uint64_t function)
{
    lull_x86_load_imm(x, LULL_RAX, function);
    lull_x86_bytes(x, "\xff\xd0", 2);
}

size_t lull_x86_jump(struct lull_x86 *x, unsigned cc)
{
    if (cc >= LULL_JMP) {
        lull_x86_byte(x, 0xe9);
    } else {
        lull_x86_byte(x, 0x0f);
        lull_x86_byte(x, 0x80 | cc);
    }
    const size_t at = x->len;
    lull_x86_u32(x, 0);
    return at;
}

void lull_x86_land(struct lull_x86 *x, size_t at, size_t to)
{
    const uint32_t distance = (uint32_t)(to - (at + sizeof distance));
    if (!x->full) {
        memcpy(x->to + at, &distance, sizeof distance);
    }
}

/** @p high: the bit that goes on in X. */
static struct lull_x86_head evex_head(struct lull_evex e, unsigned reg, unsigned v, unsigned high,
                                      unsigned base)
{
    const uint32_t p0 = (~reg >> 3 & 1) << 7 | (~high & 1) << 6 | (~base >> 3 & 1) << 5 |
                        (~reg >> 4 & 1) << 4 | e.op.map;
    const uint32_t p1 = (uint32_t)e.op.w << 7 | (~v & 15) << 3 | 4 | e.op.pp;
    const uint32_t p2 =
        (e.z & 1u) << 7 | (uint32_t)e.op.l << 5 | (e.z >> 1 & 1u) << 4 | (~v >> 4 & 1) << 3 | e.k;
    const uint32_t prefix = 0x62 | p0 << 8 | p1 << 16 | p2 << 24;
    return (struct lull_x86_head){prefix | (uint64_t)e.op.opcode << 32, 5};
}

void lull_evex_reg(struct lull_x86 *x, struct lull_evex op, unsigned reg, unsigned v, unsigned rm)
{
    lull_x86_put_reg(x, evex_head(op, reg, v, rm >> 4, rm), reg, rm);
}

void lull_evex_mem(struct lull_x86 *x, struct lull_evex op, unsigned reg, unsigned v,
                   struct lull_x86_mem m)
{
    const unsigned index = m.index != LULL_X86_NONE ? m.index : 0;
    // vvvv has bit 4 of the index.
    const struct lull_x86_head head = evex_head(op, reg, v | (index & 16), index >> 3, m.base);
    lull_x86_put_mem(x, head, reg, m, op.unit);
}
