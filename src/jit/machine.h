// SPDX-License-Identifier: MIT
/** @file
 * What the window and templates want of one kind of host: moves, masks and the operations of its
 * templates. Registers are slots of the window; r14, r15 and the like of struct lull_x86_mem are
 * names that each machine has registers for.
 */
#ifndef LULL_JIT_MACHINE_H
#define LULL_JIT_MACHINE_H

#include "jit/window.h"

/** Of a number in two's complement. */
struct lull_jit_sign {
    bool abs, neg; ///< Its magnitude; the opposite, then.
};

struct lull_jit_machine {
    /** Between registers of one kind; and of memory, aligned or not. */
    void (*copy)(struct lull_jit_window *q, unsigned to, unsigned from);
    void (*load)(struct lull_jit_window *q, unsigned to, struct lull_x86_mem from);
    void (*store)(struct lull_jit_window *q, unsigned from, struct lull_x86_mem to);
    /** A dword to all lanes. */
    void (*broadcast)(struct lull_jit_window *q, unsigned to, struct lull_x86_mem dword);
    /** This strip of the VGPR that is choice @p n. */
    void (*chosen)(struct lull_jit_window *q, unsigned to, unsigned n);
    /** This strip of the dwords of all lanes that stand in the area at @p disp. */
    void (*strip_of)(struct lull_jit_window *q, unsigned to, int32_t disp);

    /** As in masks.h. */
    void (*mask_load)(struct lull_jit_window *q, unsigned p, struct lull_x86_mem bits);
    void (*mask_uniform)(struct lull_jit_window *q, unsigned p, struct lull_x86_mem dword);
    void (*mask_on)(struct lull_jit_window *q, unsigned p);
    void (*blend)(struct lull_jit_window *q, unsigned to, unsigned a, unsigned b, unsigned mask);
    void (*in_doubt)(struct lull_jit_window *q, unsigned p);
    void (*unordered)(struct lull_jit_window *q, unsigned a, unsigned b, unsigned temp);
    /** @return the jump if mask @p p is empty; it lands by lull_x86_land(). NULL: there is none. */
    size_t (*if_none)(struct lull_jit_window *q, unsigned p);

    /** With constant @p n. */
    void (*and_with)(struct lull_jit_window *q, unsigned to, unsigned from, uint32_t n);
    void (*xor_with)(struct lull_jit_window *q, unsigned to, unsigned from, uint32_t n);
    /** Each lane, or its lower half as a number of 16 bits, with another sign. NULL: not on this
     * machine. */
    void (*with_sign)(struct lull_jit_window *q, unsigned to, unsigned from, bool half,
                      struct lull_jit_sign sign);
    /** Halves of lanes: + 1 in @p which if the lower one comes from the upper, + 2 if the upper. */
    void (*halves)(struct lull_jit_window *q, unsigned to, unsigned from, unsigned which);
    /** One half of each lane, from f16 to f32. A NaN stays one; denormals stay. */
    void (*widen)(struct lull_jit_window *q, unsigned to, unsigned from, bool high);
    /** The f16 that stands in f32 in @p from to the lower half, and 0 to the upper. NULL: not on
     * this machine. */
    void (*narrow)(struct lull_jit_window *q, unsigned to, unsigned from);
    /** @p to |= @p from; where there is narrow. */
    void (*or_with)(struct lull_jit_window *q, unsigned to, unsigned from);
    /** An operation of form LULL_JIT_A64, in registers. */
    void (*operation)(struct lull_jit_window *q, const struct lull_jit_op *o, unsigned d,
                      const unsigned r[3]);
};

/** AVX2 and AVX-512: moves.c, masks.c and x86.c. */
extern const struct lull_jit_machine lull_jit_machine_x86;
/** Advanced SIMD of aarch64: a64/. */
extern const struct lull_jit_machine lull_jit_machine_a64;

#endif
