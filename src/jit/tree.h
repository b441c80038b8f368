// SPDX-License-Identifier: MIT
/** @file
 * Decisions by one SGPR: compares with constants, branches, and selections between VGPRs that they
 * decide, as compilers make them of arrays in registers. What they come to is computed when code is
 * made, for each value that the SGPR may have, and is a row of a table then.
 */
#ifndef LULL_JIT_TREE_H
#define LULL_JIT_TREE_H

#include "jit/unit.h"

enum {
    LULL_JIT_TREE_KEYS = 128,
    LULL_JIT_TREE_REGS = 8,  ///< SGPRs that are written, at most,
    LULL_JIT_TREE_MOVES = 6, ///< and VGPRs,
    LULL_JIT_TREE_ENDS = 4,  ///< and dwords where it goes on.
};

/** For one value of the SGPR. */
struct lull_jit_tree_row {
    bool good;
    uint8_t end, nregs, nmoves;
    uint16_t ninsns;
    uint32_t scc;
    uint32_t value[LULL_JIT_TREE_REGS]; ///< Of SGPRs reg.
    uint8_t reg[LULL_JIT_TREE_REGS];
    uint8_t dst[LULL_JIT_TREE_MOVES], src[LULL_JIT_TREE_MOVES]; ///< VGPRs, in this order.
};

/** What an instruction is to a way through the decisions. */
enum lull_jit_tree_kind {
    LULL_JIT_TREE_UNKNOWN, ///< Nobody has looked.
    LULL_JIT_TREE_OTHER,   ///< The way ends before it.
    LULL_JIT_TREE_NOTHING,
    LULL_JIT_TREE_JUMP,
    LULL_JIT_TREE_SCALAR,
    LULL_JIT_TREE_CHOICE, ///< VGPR dst is src[1] where the mask is set, else src[0].
};

/** Operands of a scalar or of a choice. */
struct lull_jit_tree_insn {
    bool reads_scc, writes_scc;
    uint8_t mask, dst;
    uint8_t src[2];            ///< Of a scalar: SGPRs, the first of each; 255: none, or constant.
    uint8_t last[2], last_dst; ///< The last of each, or 255.
};

struct lull_jit_tree {
    bool begun;                       ///< What is of the unit, kind and inside, is set.
    uint32_t done;                    ///< Instructions of the block before it.
    unsigned sgpr;                    ///< The one that decides, and what it is in row 0.
    int32_t low;                      ///< Row n: low + n.
    unsigned nrows;                   ///< From the first that is good to the last.
    unsigned nregs, nmoves, nends;    ///< The most of a row, and in all.
    uint32_t end[LULL_JIT_TREE_ENDS]; ///< Dwords, outside of the page perhaps.
    struct lull_jit_tree_row row[LULL_JIT_TREE_KEYS];
    bool inside[LULL_CODE_DWORDS];  ///< Dwords of all trees of the unit that were found so far.
    uint8_t kind[LULL_CODE_DWORDS]; ///< enum lull_jit_tree_kind, by dword.
    struct lull_jit_tree_insn insn[LULL_CODE_DWORDS]; ///< Of those that have operands.
};

/** The tree that block @p b of @p m ends with. False: none that is worth it. @p t: what the unit's
 * others have left; of the first, begun is false. */
bool lull_jit_find_tree(const struct lull_jit_maker *m, const struct lull_jit_unit *unit,
                        const struct lull_jit_block *b, struct lull_jit_tree *t);

/** Jumps to t->end[0] and so on, into @p ret. Code behind it is for who has found no row. */
void lull_jit_emit_tree(const struct lull_jit_maker *m, const struct lull_jit_block *b,
                        const struct lull_jit_tree *t, size_t ret[LULL_JIT_TREE_ENDS]);

#endif
