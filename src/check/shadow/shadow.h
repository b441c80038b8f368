// SPDX-License-Identifier: MIT
/** @file
 * Marks on the bits of a wave's registers, ir3's, that move with the values: who looks for
 * something makes them, each with a number of its own that says where, and finds what the program
 * does with them.
 *
 * Moves, bitwise logic, shifts and choices move marks bit by bit, sums and products from the lowest
 * that is marked upwards; of what else is computed of a marked value all is marked. What comes from
 * memory has the marks that memory was given (struct lull_shadow_memory), or none.
 */
#ifndef LULL_CHECK_SHADOW_SHADOW_H
#define LULL_CHECK_SHADOW_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/ir3_uses.h"
#include "model/observer.h"

enum {
    LULL_SHADOW_REGS = LULL_ARCH_IR3_REGS, ///< Full components, shared ones too.
    LULL_SHADOW_FIBERS = 128,
    LULL_SHADOW_WORDS = (LULL_SHADOW_REGS + 63) / 64,
    LULL_SHADOW_CONSTS = 2048, ///< Dwords of constants.
};

/** Lanes of a register of one bit, or of a0.x. */
struct lull_shadow_flag {
    uint64_t lanes[2];
    uint32_t from;
};

/** Constants, of all waves of a dispatch: the number of each that is marked. Zero: none is. */
struct lull_shadow_consts {
    bool any;
    uint32_t from[LULL_SHADOW_CONSTS];
};

/** Of a wave. Zero: nothing is marked. Half registers are the halves of full ones; a shared one has
 * the same in all lanes. */
struct lull_shadow {
    uint32_t r[LULL_SHADOW_REGS][LULL_SHADOW_FIBERS]; ///< Bits.
    uint32_t from[LULL_SHADOW_REGS];                  ///< Numbers that they were made with.
    uint64_t marked[LULL_SHADOW_WORDS];               ///< Registers that have some.
    /** Of those, registers whose marks are not in r yet, where they have none: all bits of lanes
     * untouched, of shared ones of all lanes. */
    uint64_t whole[LULL_SHADOW_WORDS], untouched[2];
    struct lull_shadow_flag p[4], a[2];
    struct lull_shadow_consts *consts; ///< NULL: marks do not go there. Borrowed.
};

enum lull_shadow_kind {
    LULL_SHADOW_NONE, ///< It moves nothing.
    LULL_SHADOW_ALU,
    LULL_SHADOW_LANES,   ///< Lanes read others'.
    LULL_SHADOW_LOCAL,   ///< Local memory.
    LULL_SHADOW_PRIVATE, ///< The lane's own.
    LULL_SHADOW_MEMORY,  ///< Other memory, and textures.
};

/** What is known of an instruction. */
struct lull_shadow_plan {
    enum lull_shadow_kind kind;
    bool stores, loads; ///< Both: atomic.
    bool relative;      ///< Which registers, a0.x says.
    bool flags;         ///< It reads or writes predicates or a0.x, a1.x.
    bool textures;      ///< It reads what alias.tex says.
    bool constants;     ///< It reads or writes constants.
    uint64_t reads[LULL_SHADOW_WORDS], writes[LULL_SHADOW_WORDS];
    struct lull_arch_ir3_uses uses;
};

/** What the instruction at hand does with marks. */
enum lull_shadow_use {
    LULL_SHADOW_MOVES,
    LULL_SHADOW_BRANCH,
    LULL_SHADOW_ADDRESS,
    LULL_SHADOW_DATA
};

struct lull_shadow_found {
    enum lull_shadow_use use;
    uint64_t lanes[2];
    uint32_t from;
};

/** Memory with marks on bytes; zero: none yet. */
struct lull_shadow_memory {
    uint8_t *bits;  ///< By byte.
    uint32_t *from; ///< By dword.
    size_t bytes;   ///< Of all lanes.
    size_t lane;    ///< Of one, if each has its own; else 0.
};

/** Marks that were there when memory was made, and that nothing moved there. */
struct lull_shadow_never {
    uint64_t lanes[2]; ///< Which load such; none: nothing else is set.
    unsigned lane;     ///< The first,
    uint64_t address;  ///< and its byte.
};

/** @p ret is @p at's. */
void lull_shadow_plan(const struct lull_observed *at, struct lull_shadow_plan *ret);

/** Does the instruction at hand read or write something that is marked, perhaps? */
bool lull_shadow_meets(const struct lull_shadow *s, const struct lull_observed *at,
                       const struct lull_shadow_plan *p);

/** May something that it reads be marked? */
bool lull_shadow_reads(const struct lull_shadow *s, const struct lull_observed *at,
                       const struct lull_shadow_plan *p);

/** Is anything marked? */
bool lull_shadow_left(const struct lull_shadow *s);

/**
 * What the instruction at hand, which was not executed yet, does with marks in lanes that are on.
 *
 * @param strict Data counts only if the lowest byte of each of its components is marked: the rest
 *               may be padding.
 */
struct lull_shadow_found lull_shadow_used(const struct lull_shadow *s,
                                          const struct lull_observed *at,
                                          const struct lull_shadow_plan *p, bool strict);

/** The same of what a fragment shader, if the instruction at hand ends it, gives to targets. */
struct lull_shadow_found lull_shadow_given(const struct lull_shadow *s,
                                           const struct lull_observed *at);

/** A register with marks in lanes that are on, of number 0, that the instruction at hand reads.
 * LULL_SHADOW_REGS: none. @param[out] lane The first of its lanes. */
unsigned lull_shadow_unnumbered(const struct lull_shadow *s, const struct lull_observed *at,
                                const struct lull_shadow_plan *p, unsigned *lane);

/** What it reads, but data that it stores, is not marked any more in lanes that are on. */
void lull_shadow_settle(struct lull_shadow *s, const struct lull_observed *at,
                        const struct lull_shadow_plan *p);

/** It moves marks; what loads give has none until lull_shadow_access(). */
void lull_shadow_move(struct lull_shadow *s, const struct lull_observed *at,
                      const struct lull_shadow_plan *p);

/** Bits @p bits of full component @p reg become marked in @p lanes. */
void lull_shadow_mark(struct lull_shadow *s, unsigned reg, uint32_t bits, const uint64_t lanes[2],
                      uint32_t from);

/** All bits of registers @p regs become marked in @p lanes, of shared ones in all lanes, with
 * number 0; nothing was marked. */
void lull_shadow_mark_whole(struct lull_shadow *s, const uint64_t regs[LULL_SHADOW_WORDS],
                            const uint64_t lanes[2]);

/** All of the register that operand value @p number is, of 16 bits if @p half: lull_shadow_mark().
 */
void lull_shadow_mark_operand(struct lull_shadow *s, int32_t number, bool half,
                              const uint64_t lanes[2], uint32_t from);

/** Constant @p number becomes marked; @p from 0: it is not any more. */
void lull_shadow_mark_constant(struct lull_shadow *s, uint32_t number, uint32_t from);

/** Lanes of @p lanes in which bits of @p mask of @p reg are marked. @return Some are. */
bool lull_shadow_lanes(const struct lull_shadow *s, unsigned reg, uint32_t mask,
                       const uint64_t lanes[2], uint64_t ret[2]);

/** Only lanes @p keep of those marks of @p reg that are among @p mask stay. */
void lull_shadow_keep(struct lull_shadow *s, unsigned reg, uint32_t mask, const uint64_t keep[2]);

/** Forget all. */
void lull_shadow_clear(struct lull_shadow *s);

/** What source @p o of the instruction at hand is in each lane, @p step components further on. */
void lull_shadow_value(const struct lull_observed *at, const struct lull_ir3_operand *o,
                       unsigned step, uint32_t ret[LULL_SHADOW_FIBERS]);

/** Where memory at GPU virtual address @p address is; NULL: nothing can be read there. */
const uint8_t *lull_shadow_host(const struct lull_observed *at, uint64_t address);

/** @p bytes with marks @p fill on each; @p lane: of one lane. False: no memory. */
bool lull_shadow_memory_new(struct lull_shadow_memory *m, size_t bytes, size_t lane, uint8_t fill);
/** Private memory of the wave at hand, if it is not there yet. False: no memory. */
bool lull_shadow_memory_private(struct lull_shadow_memory *m, const struct lull_observed *at,
                                uint8_t fill);
void lull_shadow_memory_done(struct lull_shadow_memory *m);

/**
 * An access, @p t, of the instruction at hand to @p m moves marks. Those of @p ret have number 0.
 */
void lull_shadow_access(struct lull_shadow *s, struct lull_shadow_memory *m,
                        const struct lull_observed *at, const struct lull_shadow_plan *p,
                        const struct lull_touch *t, struct lull_shadow_never *ret);

#endif
