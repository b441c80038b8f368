// SPDX-License-Identifier: MIT
/** @file
 * What may execute instructions of ir3 in the place of the interpreter: code that something above
 * this folder makes of them, with the same results.
 */
#ifndef LULL_MODEL_ADRENO_EXEC_ENGINE_H
#define LULL_MODEL_ADRENO_EXEC_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

struct lull_ir3_env;
struct lull_ir3_program;
struct lull_ir3_wave;

/** Instructions one after the other, none of which jumps or can fault. */
struct lull_ir3_code {
    /** Execute them, of a wave that runs and stands at the first, and that nobody watches. False:
     * not in this wave; nothing was done. */
    bool (*run)(struct lull_ir3_wave *w, struct lull_ir3_env *env, const struct lull_ir3_code *c);
    uint32_t n; ///< Instructions.
};

/** Code of a program. */
struct lull_ir3_codes {
    const struct lull_ir3_code *const *at; ///< By instruction; NULL: the interpreter's.
    unsigned *users; ///< Programs that have it: one less in lull_ir3_program_done().
};

/** How to compile. An engine is constant; what it makes belongs to one GPU. */
struct lull_ir3_engine {
    const void *host; ///< The engine's own: which machine code it makes.
    /** State for a GPU; NULL: no memory. */
    void *(*start)(const struct lull_ir3_engine *e);
    void (*end)(void *state); ///< No program has code of it any more.
    /** Sets code of @p p. What cannot be compiled stays as it is. */
    void (*compile)(void *state, struct lull_ir3_program *p);
};

#endif
