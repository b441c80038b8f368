// SPDX-License-Identifier: MIT
/** @file
 * What may execute instructions in the place of the interpreter: code that something above this
 * folder makes of them. The interpreter's loop asks for it and calls it.
 */
#ifndef LULL_MODEL_AMD_EXEC_ENGINE_H
#define LULL_MODEL_AMD_EXEC_ENGINE_H

#include <stdint.h>

struct lull_code_page;
struct lull_wave;

/**
 * Instructions of a page that are executed at once, without a fault, a trap or a jump. They change
 * nothing but registers and SCC; the pc is the caller's.
 */
struct lull_exec_code {
    void (*run)(struct lull_wave *w); ///< With the host's floats as the run loop sets them.
    uint32_t mode;                    ///< MODE that they were compiled for.
    uint32_t ninsns, ndwords;
    uint32_t nvgprs; ///< The wave must have so many.
};

/** How to compile. An engine is constant; what it makes belongs to one code cache. */
struct lull_engine {
    /** State for a code cache; NULL: not on this machine, or no memory. */
    void *(*start)(void);
    void (*end)(void *state); ///< Frees all that it made.
    /** Instructions from dword @p i of @p p on, for @p w's size and MODE; the state owns them.
     * NULL: they are not worth it, or there is no room. */
    const struct lull_exec_code *(*compile)(void *state, struct lull_wave *w,
                                            struct lull_code_page *p, unsigned i);
};

#endif
