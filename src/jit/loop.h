// SPDX-License-Identifier: MIT
/** @file
 * Loops of vector and scalar instructions, strip by strip: one strip goes round and round with its
 * registers where they are, then the next. For waves of 64; with AVX2 two strips at once.
 *
 * That is the same as all strips in step where scalars are the same for each strip, and a strip
 * that no lane goes on in changes nothing any more: what is left of the loop is checked for it.
 */
#ifndef LULL_JIT_LOOP_H
#define LULL_JIT_LOOP_H

#include "jit/unit.h"

enum {
    LULL_JIT_LOOP_BLOCKS = 8,
    LULL_JIT_LOOP_ITEMS = 64,
    LULL_JIT_LOOP_MASKS = 3, ///< EXEC among them.
    LULL_JIT_LOOP_PAIRS = 8,
    LULL_JIT_LOOP_VGPRS = LULL_JIT_HALF,
};

/** One instruction. */
struct lull_jit_loop_item {
    enum lull_jit_loop_kind {
        LULL_JIT_LOOP_NOTHING,
        LULL_JIT_LOOP_VECTOR,
        LULL_JIT_LOOP_MASK, ///< Of masks d, a and b.
        LULL_JIT_LOOP_SCALAR,
        LULL_JIT_LOOP_JUMP,
    } kind;
    const struct lull_uop *u;
    unsigned nvectors;
    struct lull_jit_vector v[LULL_JIT_MAX_VECTORS];
    uint8_t d, a, b;
};

/** Blocks that follow each other; behind the last comes the first. */
struct lull_jit_loop_step {
    const struct lull_jit_block *b;
    unsigned first, nitems;
    bool leaves;     ///< It may leave the loop,
    bool on_zero;    ///< if SCC, or the mask, is 0, or else if it is not,
    int mask;        ///< by this mask; -1: by SCC, which is the same for all strips.
    bool by_scc;     ///< SCC is 0 then, and not in memory.
    uint32_t target; ///< The dword where it goes on.
};

struct lull_jit_loop {
    unsigned nsteps, nitems;
    struct lull_jit_loop_step step[LULL_JIT_LOOP_BLOCKS];
    struct lull_jit_loop_item item[LULL_JIT_LOOP_ITEMS];
    unsigned nmasks, npairs, nvgprs;
    uint16_t mask[LULL_JIT_LOOP_MASKS]; ///< SGPRs; the first is EXEC.
    uint16_t pair[LULL_JIT_LOOP_PAIRS]; ///< Of SGPRs that scalar instructions write.
    uint16_t vgpr[LULL_JIT_LOOP_VGPRS];
    bool written[LULL_JIT_LOOP_VGPRS];
};

/** The loop that block @p b of @p unit begins. False: there is none that this can do. */
bool lull_jit_find_loop(const struct lull_jit_maker *m, const struct lull_jit_unit *unit,
                        const struct lull_jit_block *b, struct lull_jit_loop *ret);

/** Where code of a loop goes on. */
struct lull_jit_loop_exits {
    unsigned n;
    struct {
        size_t at; ///< A jump,
        uint32_t target;
    } to[LULL_JIT_LOOP_BLOCKS + 1];
};

/** Emit it, in front of the code of its first block. False: not enough registers, and nothing is
 * emitted. */
bool lull_jit_emit_loop(const struct lull_jit_maker *m, const struct lull_jit_loop *loop,
                        struct lull_jit_loop_exits *ret);

#endif
