// SPDX-License-Identifier: MIT
/** @file
 * Jumps between the blocks of a unit.
 */
#ifndef LULL_JIT_JUMPS_H
#define LULL_JIT_JUMPS_H

#include "isa/rdna/ops.h"
#include "jit/unit.h"

/** What decides a jump. */
enum lull_jit_jump {
    LULL_JIT_NO_JUMP,
    LULL_JIT_ALWAYS,
    LULL_JIT_SCC0,
    LULL_JIT_SCC1,
    LULL_JIT_VCCZ,
    LULL_JIT_VCCNZ,
    LULL_JIT_EXECZ,
    LULL_JIT_EXECNZ,
};

static inline enum lull_jit_jump lull_jit_jump_of(const struct lull_uop *u)
{
    switch (u->in->op) {
    case LULL_RDNA_OP_S_BRANCH:
        return LULL_JIT_ALWAYS;
    case LULL_RDNA_OP_S_CBRANCH_SCC0:
        return LULL_JIT_SCC0;
    case LULL_RDNA_OP_S_CBRANCH_SCC1:
        return LULL_JIT_SCC1;
    case LULL_RDNA_OP_S_CBRANCH_VCCZ:
        return LULL_JIT_VCCZ;
    case LULL_RDNA_OP_S_CBRANCH_VCCNZ:
        return LULL_JIT_VCCNZ;
    case LULL_RDNA_OP_S_CBRANCH_EXECZ:
        return LULL_JIT_EXECZ;
    case LULL_RDNA_OP_S_CBRANCH_EXECNZ:
        return LULL_JIT_EXECNZ;
    default:
        return LULL_JIT_NO_JUMP;
    }
}

/** The dword that @p u at dword @p at jumps to; it may be outside of the page. */
static inline uint32_t lull_jit_target_of(const struct lull_uop *u, uint32_t at)
{
    return at + 1 + (uint32_t)u->in->imm;
}

/** The number of the block at dword @p at, or -1. */
static inline int lull_jit_find_block(const struct lull_jit_unit *unit, uint32_t at)
{
    return at < LULL_CODE_DWORDS ? unit->number[at] - 1 : -1;
}

#endif
