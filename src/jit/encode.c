// SPDX-License-Identifier: MIT
// Source: Intel SDM volume 2, chapter 2.
#include "jit/encode.h"

#include <string.h>

enum { REX_W = 0x48, REX_R = 4, REX_B = 1, SIB_RSP = 4 };

/** As many as the caller knows when this is compiled. */
static inline void put(struct lull_x86 *x, const void *bytes, size_t n)
{
    const size_t len = x->len;
    if (n > x->size - len) {
        x->full = true;
        return;
    }
    x->len = len + n;
    memcpy(x->to + len, bytes, n);
}

void lull_x86_bytes(struct lull_x86 *x, const char *bytes, size_t n)
{
    put(x, bytes, n);
}

void lull_x86_byte(struct lull_x86 *x, unsigned byte)
{
    if (x->len < x->size) {
        x->to[x->len++] = (uint8_t)byte;
    } else {
        x->full = true;
    }
}

void lull_x86_u32(struct lull_x86 *x, uint32_t v)
{
    put(x, &v, sizeof v);
}

void lull_x86_load_imm(struct lull_x86 *x, enum lull_x86_reg reg, uint64_t v)
{
    const uint8_t op[] = {(uint8_t)(REX_W | (reg >= 8 ? REX_B : 0)), (uint8_t)(0xb8 | (reg & 7))};
    put(x, op, sizeof op);
    put(x, &v, sizeof v);
}

void lull_x86_move(struct lull_x86 *x, enum lull_x86_reg to, enum lull_x86_reg from)
{
    const uint8_t op[] = {(uint8_t)(REX_W | (from >= 8 ? REX_R : 0) | (to >= 8 ? REX_B : 0)), 0x89,
                          (uint8_t)(0xc0 | (from & 7) << 3 | (to & 7))};
    put(x, op, sizeof op);
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

/** Bits of registers that go on in the prefix are inverted there. */
static void prefix(struct lull_x86 *x, struct lull_vex op, unsigned reg, unsigned v, unsigned index,
                   unsigned base)
{
    const unsigned r = (~reg >> 3 & 1) << 7, tail = (~v & 15) << 3 | (unsigned)op.l << 2 | op.pp;
    if (op.map == 1 && op.w == 0 && index < 8 && base < 8) {
        lull_x86_byte(x, 0xc5);
        lull_x86_byte(x, r | tail);
    } else {
        lull_x86_byte(x, 0xc4);
        lull_x86_byte(x, r | (~index >> 3 & 1) << 6 | (~base >> 3 & 1) << 5 | op.map);
        lull_x86_byte(x, (unsigned)op.w << 7 | tail);
    }
    lull_x86_byte(x, op.opcode);
}

void lull_vex_reg(struct lull_x86 *x, struct lull_vex op, unsigned reg, unsigned v, unsigned rm)
{
    prefix(x, op, reg, v, 0, rm);
    lull_x86_byte(x, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

/** ModRM and what follows; the displacement counts in @p unit bytes where it is one byte. */
static void place(struct lull_x86 *x, unsigned reg, struct lull_x86_mem m, int32_t unit)
{
    const bool indexed = m.index != LULL_X86_NONE, sib = indexed || (m.base & 7) == SIB_RSP;
    const int32_t units = unit != 0 ? m.disp / unit : 0;
    const bool near = unit != 0 && m.disp % unit == 0 && units >= INT8_MIN && units <= INT8_MAX;
    lull_x86_byte(x, (near ? 0x40 : 0x80) | (reg & 7) << 3 | (sib ? SIB_RSP : m.base & 7));
    if (sib) {
        lull_x86_byte(x, (indexed ? m.index & 7 : SIB_RSP) << 3 | (m.base & 7));
    }
    if (near) {
        lull_x86_byte(x, (uint8_t)units);
    } else {
        lull_x86_u32(x, (uint32_t)m.disp);
    }
}

void lull_vex_mem(struct lull_x86 *x, struct lull_vex op, unsigned reg, unsigned v,
                  struct lull_x86_mem m)
{
    prefix(x, op, reg, v, m.index != LULL_X86_NONE ? m.index : 0, m.base);
    place(x, reg, m, 1);
}

/** @p high: the bit that goes on in X. */
static void evex_prefix(struct lull_x86 *x, struct lull_evex e, unsigned reg, unsigned v,
                        unsigned high, unsigned base)
{
    // One word of four bytes, the lowest first.
    const uint32_t p0 = (~reg >> 3 & 1) << 7 | (~high & 1) << 6 | (~base >> 3 & 1) << 5 |
                        (~reg >> 4 & 1) << 4 | e.op.map;
    const uint32_t p1 = (uint32_t)e.op.w << 7 | (~v & 15) << 3 | 4 | e.op.pp;
    const uint32_t p2 =
        (e.z & 1u) << 7 | (uint32_t)e.op.l << 5 | (e.z >> 1 & 1u) << 4 | (~v >> 4 & 1) << 3 | e.k;
    lull_x86_u32(x, 0x62 | p0 << 8 | p1 << 16 | p2 << 24);
    lull_x86_byte(x, e.op.opcode);
}

void lull_evex_reg(struct lull_x86 *x, struct lull_evex op, unsigned reg, unsigned v, unsigned rm)
{
    evex_prefix(x, op, reg, v, rm >> 4, rm);
    lull_x86_byte(x, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

void lull_evex_mem(struct lull_x86 *x, struct lull_evex op, unsigned reg, unsigned v,
                   struct lull_x86_mem m)
{
    const unsigned index = m.index != LULL_X86_NONE ? m.index : 0;
    evex_prefix(x, op, reg, v | (index & 16), index >> 3, m.base); // vvvv has its bit 4.
    place(x, reg, m, op.unit);
}
