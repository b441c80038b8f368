// SPDX-License-Identifier: MIT
/** @file
 * What observers of the model (model/observer.h) are told of waves of ir3.
 *
 * Addresses of instructions are lull_ir3_env.code + 8 times their number; addresses of shared
 * memory are offsets in it.
 */
#ifndef LULL_MODEL_ADRENO_EXEC_OBSERVED_H
#define LULL_MODEL_ADRENO_EXEC_OBSERVED_H

#include "arch/arch.h"
#include "model/adreno/exec/wave.h"
#include "model/observer.h"

/** A wave at an instruction that is told of. */
struct lull_ir3_seen {
    struct lull_observed at; ///< First.
    const struct lull_ir3_wave *wave;
    struct lull_insn_room room;
};

/** Tell the observers of @p env that @p w is at its next instruction. @return False: it is not an
 * instruction, and nobody was told. */
bool lull_ir3_see(const struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                  struct lull_ir3_seen *ret);

/** Tell them of an access of the instruction that env->seen is at. */
void lull_ir3_touch(const struct lull_ir3_env *env, unsigned fiber, uint64_t address,
                    unsigned bytes, bool store);

/** Tell them what it rested on. */
void lull_ir3_rested(const struct lull_ir3_env *env, uint32_t rows);

#endif
