// SPDX-License-Identifier: MIT
/** @file
 * Words that all fibers of a wave load or store at once, where they lie in one piece of memory and
 * nobody watches: what memory.c and resource.c else do fiber by fiber.
 */
#ifndef LULL_MODEL_ADRENO_EXEC_WORDS_H
#define LULL_MODEL_ADRENO_EXEC_WORDS_H

#include "model/adreno/exec/wave.h"

struct lull_ir3_words {
    bool store;
    unsigned reg, n;    ///< The first whole register; words of a fiber, one behind the other.
    const uint32_t *at; ///< By fiber: where its first is, in bytes; of who is off it is anything.
    int32_t offset;     ///< Added to that.
};

/** Of global memory from @p base on, by who is @p on. False: nothing was done. */
bool lull_ir3_words_global(struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                           const struct lull_ir3_mask *on, uint64_t base,
                           const struct lull_ir3_words *words);
/** The same of shared memory. */
bool lull_ir3_words_local(struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                          const struct lull_ir3_mask *on, const struct lull_ir3_words *words);

/** The least and the greatest of @p v by who is @p on; nobody: the least is the greater one. */
void lull_ir3_span(const struct lull_ir3_wave *w, const struct lull_ir3_mask *on, const uint32_t *v,
                   uint32_t ret[2]);

#endif
