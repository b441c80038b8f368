// SPDX-License-Identifier: MIT
/** @file
 * --engine, --threads: what executes waves on the model, and on how many threads.
 */
#ifndef LULL_CLI_ENGINE_H
#define LULL_CLI_ENGINE_H

#include "cli/opt/opt.h"

struct lull_engine;
struct lull_ir3_engine;

/** Values of --engine, in the order of its words. */
enum lull_engine_kind {
    LULL_ENGINE_AUTO,   ///< Compiled where lull_engine_threads() found that nothing asks for an
                        ///< order.
    LULL_ENGINE_INTERP, ///< The interpreter.
    LULL_ENGINE_JIT,    ///< Code that is compiled of what the interpreter executes often.
};

/** Zero-initialise. */
struct lull_engine_option {
    unsigned kind;    ///< enum lull_engine_kind.
    unsigned threads; ///< --threads; 0: not given.
    bool seeded;      ///< --seed was given, be it 0: waves have an order.
    unsigned chosen;  ///< lull_engine_threads(); 0: the GPU's own alone.
    bool free;        ///< lull_engine_threads(): nothing asks for the order of one thread.
    bool watched; ///< lull_engine_threads(): checks do, which gfx1100's waves may be compiled for.
};

/** Rows of a struct lull_engine_option. */
extern const struct lull_opt lull_engine_opts[];
/** --engine alone, of a debugger. */
extern const struct lull_opt lull_engine_debug_opts[];

/**
 * The engine of @p o for gfx1100; NULL is the interpreter.
 *
 * @return LULL_ERR_UNSUPPORTED: not on this machine; LULL_ERR_INVALID: LULL_JIT of the environment
 * is no target.
 */
struct lull_error *lull_engine_choose(const struct lull_engine_option *o,
                                      const struct lull_engine **ret) LULL_MUST_USE;
/** The same for an Adreno, @p gpu; LULL_ERR_INVALID also: threads, which it has not. */
struct lull_error *lull_engine_choose_ir3(const struct lull_engine_option *o, const char *gpu,
                                          const struct lull_ir3_engine **ret) LULL_MUST_USE;

/**
 * Choose on how many threads workgroups run: as many as --threads says, or LULL_THREADS of the
 * environment, or as many as there are processors.
 *
 * @param order The option of @p command that asks for the order of one thread; NULL: none. Then it
 * is the GPU's own, and if --threads said more, a line on standard error says why.
 *
 * @return LULL_ERR_INVALID: LULL_THREADS is no number of threads.
 */
struct lull_error *lull_engine_threads(struct lull_engine_option *o, const char *command,
                                       const char *order) LULL_MUST_USE;

#endif
