// SPDX-License-Identifier: MIT
/** @file
 * x86-64 machine code: vector operations with VEX and EVEX, and the few instructions around them.
 */
#ifndef LULL_JIT_ENCODE_H
#define LULL_JIT_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Numbers of general registers. */
enum lull_x86_reg {
    LULL_RAX,
    LULL_RCX,
    LULL_RDX,
    LULL_RBX,
    LULL_RSP,
    LULL_RSI = 6,
    LULL_RDI,
    LULL_R8,
    LULL_R11 = 11,
    LULL_R12 = 12,
    LULL_R13,
    LULL_R14,
    LULL_R15,
    LULL_X86_NONE = 255,
};

/** Code being made. What does not fit is dropped, and full says so. */
struct lull_x86 {
    uint8_t *to; ///< Borrowed.
    size_t len, size;
    bool full;
};

/** An operation with VEX: map 1 to 3; pp 0 to 3: none, 66, f3, f2; l 1: 256 bits. */
struct lull_vex {
    uint8_t map, pp, w, l, opcode;
};

/** The same with EVEX, where l 2 is 512 bits. */
struct lull_evex {
    struct lull_vex op;
    uint8_t k;    ///< Mask register of the lanes that are written; 0: all are.
    uint8_t z;    ///< 1: the others become 0; 2: 512 bits, and op.l says how it is rounded.
    uint8_t unit; ///< Bytes of the operand in memory; 0: not known.
};

/** [base + index + disp]. */
struct lull_x86_mem {
    uint8_t base, index; ///< index: LULL_X86_NONE for none.
    int32_t disp;
};

/** Bytes that an instruction may have, and more: words of eight are stored. */
enum { LULL_X86_MOST = 24 };

/** Whether there is room for an instruction. */
static inline bool lull_x86_has_room(struct lull_x86 *x)
{
    const bool has = x->size - x->len >= LULL_X86_MOST;
    x->full = x->full || !has;
    return has;
}

static inline void lull_x86_bytes(struct lull_x86 *x, const char *bytes, size_t n)
{
    const size_t len = x->len;
    if (n > x->size - len) {
        x->full = true;
        return;
    }
    x->len = len + n;
    memcpy(x->to + len, bytes, n);
}

static inline void lull_x86_byte(struct lull_x86 *x, unsigned byte)
{
    const char c = (char)byte;
    lull_x86_bytes(x, &c, 1);
}

static inline void lull_x86_u32(struct lull_x86 *x, uint32_t v)
{
    lull_x86_bytes(x, (const char *)&v, sizeof v);
}

/** mov @p reg, @p v. */
void lull_x86_load_imm(struct lull_x86 *x, enum lull_x86_reg reg, uint64_t v);
/** mov between general registers of 64 bits. */
void lull_x86_move(struct lull_x86 *x, enum lull_x86_reg to, enum lull_x86_reg from);
void lull_x86_call(struct lull_x86 *x, uint64_t function);
/** jmp, or jcc if @p cc is below 16, to a place that lull_x86_land() says. @return what it wants.
 */
size_t lull_x86_jump(struct lull_x86 *x, unsigned cc);
/** The jump at @p at goes to @p to. */
void lull_x86_land(struct lull_x86 *x, size_t at, size_t to);

/** The beginning of an instruction: its first bytes, the lowest first. */
struct lull_x86_head {
    uint64_t bytes;
    unsigned n;
};

/** Prefix and opcode. Bits of registers that go on in the prefix are inverted there. */
static inline struct lull_x86_head lull_vex_head(struct lull_vex op, unsigned reg, unsigned v,
                                                 unsigned index, unsigned base)
{
    const uint32_t r = (~reg >> 3 & 1) << 7, tail = (~v & 15) << 3 | (uint32_t)op.l << 2 | op.pp;
    const uint32_t opcode = op.opcode;
    const uint32_t p1 = r | (~index >> 3 & 1) << 6 | (~base >> 3 & 1) << 5 | op.map;
    const uint32_t p2 = (uint32_t)op.w << 7 | tail;
    const bool is_short = op.map == 1 && op.w == 0 && ((index | base) & 8) == 0;
    const uint32_t two = 0xc5 | (r | tail) << 8 | opcode << 16;
    const uint32_t three = 0xc4 | p1 << 8 | p2 << 16 | opcode << 24;
    return (struct lull_x86_head){is_short ? two : three, is_short ? 3 : 4};
}

/** @p head and ModRM of two registers. */
static inline void lull_x86_put_reg(struct lull_x86 *x, struct lull_x86_head head, unsigned reg,
                                    unsigned rm)
{
    const uint64_t modrm = 0xc0 | (reg & 7) << 3 | (rm & 7);
    const uint64_t bytes = head.bytes | modrm << 8 * head.n;
    if (lull_x86_has_room(x)) {
        memcpy(x->to + x->len, &bytes, sizeof bytes);
        x->len += head.n + 1;
    }
}

/** @p head, ModRM and what follows; the displacement counts in @p unit bytes where it is one byte.
 */
static inline void lull_x86_put_mem(struct lull_x86 *x, struct lull_x86_head head, unsigned reg,
                                    struct lull_x86_mem m, int32_t unit)
{
    enum { SIB_RSP = 4 };
    const bool indexed = m.index != LULL_X86_NONE, sib = indexed || (m.base & 7) == SIB_RSP;
    const int32_t units = unit > 1 ? m.disp / unit : m.disp;
    const bool near =
        unit != 0 && (unit == 1 || m.disp % unit == 0) && units >= INT8_MIN && units <= INT8_MAX;
    const int32_t disp = near ? units : m.disp;
    const uint64_t modrm = (near ? 0x40u : 0x80u) | (reg & 7) << 3 | (sib ? SIB_RSP : m.base & 7u);
    const uint64_t scale = (indexed ? m.index & 7u : SIB_RSP) << 3 | (m.base & 7u);
    uint64_t bytes = head.bytes | modrm << 8 * head.n;
    unsigned n = head.n + 1;
    bytes |= sib ? scale << 8 * n : 0;
    n += sib;
    if (lull_x86_has_room(x)) {
        memcpy(x->to + x->len, &bytes, sizeof bytes);
        memcpy(x->to + x->len + n, &disp, sizeof disp);
        x->len += n + (near ? 1 : sizeof disp);
    }
}

static inline void lull_vex_reg(struct lull_x86 *x, struct lull_vex op, unsigned reg, unsigned v,
                                unsigned rm)
{
    lull_x86_put_reg(x, lull_vex_head(op, reg, v, 0, rm), reg, rm);
}

static inline void lull_vex_mem(struct lull_x86 *x, struct lull_vex op, unsigned reg, unsigned v,
                                struct lull_x86_mem m)
{
    const unsigned index = m.index != LULL_X86_NONE ? m.index : 0;
    lull_x86_put_mem(x, lull_vex_head(op, reg, v, index, m.base), reg, m, 1);
}

void lull_evex_reg(struct lull_x86 *x, struct lull_evex op, unsigned reg, unsigned v, unsigned rm);
/** An index of 16 and more is that of a vector. */
void lull_evex_mem(struct lull_x86 *x, struct lull_evex op, unsigned reg, unsigned v,
                   struct lull_x86_mem m);

enum { LULL_JMP = 16, LULL_JE = 4, LULL_JNE = 5 };

#endif
