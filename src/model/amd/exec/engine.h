// SPDX-License-Identifier: MIT
/** @file
 * What may execute instructions in the place of the interpreter: code that something above this
 * folder makes of them. The interpreter's loop asks for it and calls it.
 */
#ifndef LULL_MODEL_AMD_EXEC_ENGINE_H
#define LULL_MODEL_AMD_EXEC_ENGINE_H

#include <stddef.h>
#include <stdint.h>

struct lull_code_page;
struct lull_uop;
struct lull_wave;

/** How compiled code is called, and how it ended. */
struct lull_exec_exit {
    int32_t left;             ///< Instructions to be executed. Below 0: so many more were.
    uint32_t result;          ///< enum lull_exec_result; LULL_EXEC_NEXT: it just leaves, at w->pc.
    const struct lull_uop *u; ///< The instruction with another result, which is not counted yet.
};

/**
 * Instructions of a page from one on, with jumps among them. They change nothing but what handlers
 * of LULL_UOP_QUICK change. Code leaves at any instruction, with w->pc there. What has begun is
 * executed to its next jump, also where that is more than was asked for.
 */
struct lull_exec_code {
    void (*run)(struct lull_wave *w, struct lull_exec_exit *x);
    uint32_t mode;                ///< MODE that they were compiled for.
    uint32_t nvgprs;              ///< The wave must have so many.
    const uint8_t *inside;        ///< Where other code of the engine may jump to; NULL: nowhere,
    struct lull_exec_link *links; ///< and the LULL_EXEC_LINKS of that engine.
};

enum { LULL_EXEC_LINKS = 32 };

/** Code at a pc of another page, by bits of the pc above its lowest two: what leaves a page goes on
 * there at once if all is as it says. */
struct lull_exec_link {
    uint64_t pc;    ///< 0: nothing.
    uint64_t epoch; ///< Of the code cache: the page is up to date as long as that is the same.
    const uint8_t *inside;
    uint32_t mode, nvgprs, lanes;
};

/** The entry of @p pc. */
static inline unsigned lull_exec_link_of(uint64_t pc)
{
    return (unsigned)(pc >> 2) % LULL_EXEC_LINKS;
}

/** How to compile. An engine is constant; what it makes belongs to one code cache. */
struct lull_engine {
    size_t room;      ///< Bytes of code that one code cache may have.
    const void *host; ///< The engine's own: which machine code it makes.
    /** State for a code cache; NULL: not on this machine, or no memory. */
    void *(*start)(const struct lull_engine *e);
    void (*end)(void *state); ///< Frees all that it made.
    /** Compile from dword @p i of @p p on, for @p w's size and MODE: sets compiled of that
     * instruction, and of others that jumps go to, to what the state owns. What is not worth it
     * stays as it is. Where there is no room, all that was made goes (lull_code_forget()). */
    void (*compile)(void *state, struct lull_wave *w, struct lull_code_page *p, unsigned i);
};

#endif
