// SPDX-License-Identifier: MIT
/** @file
 * x86-64 machine code: vector operations with VEX and EVEX, and the few instructions around them.
 */
#ifndef LULL_JIT_ENCODE_H
#define LULL_JIT_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

void lull_x86_byte(struct lull_x86 *x, unsigned byte);
void lull_x86_bytes(struct lull_x86 *x, const char *bytes, size_t n);
void lull_x86_u32(struct lull_x86 *x, uint32_t v);
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

void lull_vex_reg(struct lull_x86 *x, struct lull_vex op, unsigned reg, unsigned v, unsigned rm);
void lull_vex_mem(struct lull_x86 *x, struct lull_vex op, unsigned reg, unsigned v,
                  struct lull_x86_mem m);
void lull_evex_reg(struct lull_x86 *x, struct lull_evex op, unsigned reg, unsigned v, unsigned rm);
/** An index of 16 and more is that of a vector. */
void lull_evex_mem(struct lull_x86 *x, struct lull_evex op, unsigned reg, unsigned v,
                   struct lull_x86_mem m);

enum { LULL_JMP = 16, LULL_JE = 4, LULL_JNE = 5 };

#endif
