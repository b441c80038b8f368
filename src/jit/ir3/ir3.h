// SPDX-License-Identifier: MIT
/** @file
 * Between the files of the compiler of ir3.
 *
 *   vector.c  an instruction as the compiler of waves takes it: its template, where operands stand
 *   region.c  which instructions go together, and their code
 *   run.c     what such code is called by, and what it calls
 *   engine.c  code of programs, kept for the next with the same instructions
 *
 * Code does 64 fibers at once: of a wave of 128 it is called twice.
 */
#ifndef LULL_JIT_IR3_IR3_H
#define LULL_JIT_IR3_IR3_H

#include "jit/ir3/jit.h"
#include "jit/region.h"
#include "model/adreno/exec/wave.h"

enum {
    LULL_JIT_IR3_LANES = 64,
    LULL_JIT_IR3_PREDICATES = 4,
    LULL_JIT_IR3_SCALARS = 16, ///< Instructions of a region that are done once, before it.
};

/** What code finds at rdi. */
struct lull_jit_ir3_lanes {
    uint64_t exec, p[LULL_JIT_IR3_PREDICATES];
    uint32_t *registers; ///< Fiber `first` of the first register.
    const uint32_t *consts, *shared;
    struct lull_ir3_wave *w; ///< For what is done again.
    struct lull_ir3_env *env;
    unsigned first; ///< 0 or 64.
};

/** A region and its code. */
struct lull_jit_ir3_made {
    struct lull_ir3_code code;
    struct lull_jit_region region;
    void (*run)(struct lull_jit_ir3_lanes *l);
    uint32_t nconsts; ///< Dwords of constants that it reads: up to the last of them.
    uint8_t scalars[LULL_JIT_IR3_SCALARS]; ///< Of code.n; the interpreter does them.
    uint8_t nscalars;
    uint32_t read; ///< A bit for each shared register that the others read.
    struct lull_jit_ir3_made *next;
};

/** In the key of what is the same for all fibers: a shared register, not a constant. */
enum { LULL_JIT_IR3_SHARED = 1 << 16 };

/** Repetition @p step of @p s as the compiler takes it. False: it cannot be compiled. */
bool lull_jit_ir3_vector(const struct lull_jit_target *t, const struct lull_ir3_op_step *s,
                         unsigned step, struct lull_jit_vector *ret);

/** What makes regions. */
struct lull_jit_ir3_maker {
    struct lull_x86 *x;
    struct lull_jit_pool *pool;
    struct lull_jit_area *area;
    const struct lull_jit_target *target;
    struct lull_jit_item *items; ///< Room for LULL_JIT_MAX_REGION.
    const struct lull_ir3_program *p;
    const bool *leader; ///< By instruction: somebody may come there, or fibers wait there.
};

/** Instructions that somebody jumps to, or that are behind one of category 0 that does something,
 * into @p ret, of as many as @p p has. */
void lull_jit_ir3_leaders(const struct lull_ir3_program *p, bool *ret);

/** The region at instruction @p i; its code is at @p entry. False: there is none. */
bool lull_jit_ir3_region(const struct lull_jit_ir3_maker *m, uint32_t i,
                         struct lull_jit_ir3_made *ret, size_t *entry);

/** struct lull_ir3_code.run of lull_jit_ir3_made. */
bool lull_jit_ir3_run(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                      const struct lull_ir3_code *c);

#endif
