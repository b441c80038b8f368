// SPDX-License-Identifier: MIT
/** @file
 * Breakpoints of a target: in code, as an s_trap in place of the instruction, or on the list that
 * the trap handler looks through behind every instruction. For src/target/ only.
 *
 * One in code costs nothing until a wave comes to it. A wave goes on from it through its block
 * (trap_layout.h), which does outside of the code what the instruction does: no other wave misses
 * the breakpoint meanwhile. On the list are those whose memory must not be written, because it is
 * not executable or holds other bytes than it did when the breakpoint was set, and those whose
 * instruction cannot be moved: s_trap, s_subvector_loop_*, s_swappc_b64 with registers that
 * overlap.
 */
#ifndef LULL_TARGET_AMD_BREAKS_H
#define LULL_TARGET_AMD_BREAKS_H

#include "target/amd/device.h"
#include "target/target.h"

struct lull_amd_target;

enum { LULL_AMD_BREAK_DWORDS = 5 }; ///< Of the longest instruction.

/** Where one is wanted, and what was there when it was first seen. */
struct lull_amd_break {
    uint64_t va;
    uint32_t code[LULL_AMD_BREAK_DWORDS];
    uint8_t size; ///< Bytes of the instruction; 0: not seen yet.
};

struct lull_amd_break_place {
    struct lull_amd_break is;
    bool in_code; ///< Else on the list.
};

struct lull_amd_breaks {
    struct lull_amd_bo *blocks;
    struct lull_amd_bo *changed; ///< struct lull_guard_words: those that stand in code.
    struct lull_amd_bo *tests;   ///< Code of tests, never written over: waves may be in it.
    uint64_t tests_used;         ///< Bytes of it.
    unsigned used;               ///< Blocks that have a key.
    bool by_step;                ///< All on the list.
    bool new_code;   ///< Code was changed since the host last looked: caches may hold the old.
    size_t n, nlist; ///< nlist: those that are not in code.
    size_t room;
    struct lull_amd_break_place *all; ///< Owned.
};

// blocks.c
/** An s_trap. */
uint32_t lull_amd_trap_word(unsigned id);
/** A block for @p is, where waves stop. @return False: the instruction cannot be moved, or all
 * blocks are in use. */
bool lull_amd_block_fill(struct lull_amd_breaks *b, const struct lull_amd_break *is);
/** Waves that come to @p va stop no more. */
void lull_amd_block_rest(struct lull_amd_breaks *b, uint64_t va);

/** Where the code of its test is, in use or not; 0: it has had none. */
uint64_t lull_amd_block_test(const struct lull_amd_breaks *b, uint64_t va);
/** @p test: of what a wave does that comes to @p va; 0: it stops. */
void lull_amd_block_set_test(struct lull_amd_breaks *b, uint64_t va, uint64_t test);

// tests.c
struct lull_error *lull_amd_tests_make(struct lull_amd_target *t) LULL_MUST_USE;
/** Tests of the breakpoints in code; those not named have none any more. */
void lull_amd_breaks_test(struct lull_amd_target *t, const struct lull_break_test *tests, size_t n);

// breaks.c
/** The blocks, all free. */
struct lull_error *lull_amd_breaks_make(struct lull_amd_target *t) LULL_MUST_USE;
void lull_amd_breaks_done(struct lull_amd_breaks *b);

/**
 * Replace the set of breakpoints, and look again at the code of those that stay.
 *
 * @param wanted What was seen is written into those that had seen nothing.
 * @return LULL_ERR_INVALID: too many for the list.
 */
struct lull_error *lull_amd_breaks_set(struct lull_amd_target *t, struct lull_amd_break *wanted,
                                       size_t n) LULL_MUST_USE;
/** The same breakpoints, after code may have been written by others. */
struct lull_error *lull_amd_breaks_again(struct lull_amd_target *t) LULL_MUST_USE;

// blocks.c
/** Of a wave at @p pc: where it is in the program, if it is in a block; else @p pc. */
uint64_t lull_amd_breaks_origin(const struct lull_amd_target *t, uint64_t pc);
/** Where a wave at @p va goes on that is not to meet a breakpoint there. */
uint64_t lull_amd_breaks_detour(const struct lull_amd_target *t, uint64_t va);
/** Is a breakpoint in code there? */
bool lull_amd_breaks_stand(const struct lull_amd_target *t, uint64_t va);

#endif
