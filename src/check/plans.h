// SPDX-License-Identifier: MIT
/** @file
 * What checks have found out of instructions: each is looked at once, not each time that a wave
 * executes it.
 */
#ifndef LULL_CHECK_PLANS_H
#define LULL_CHECK_PLANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/observer.h"

enum { LULL_PLANS_RECENT = 4096 };

/** Zero-initialise but for bytes; lull_plans_done(). */
struct lull_plans {
    size_t bytes; ///< Of what is kept of an instruction.
    struct lull_plan **at, **recent;
    size_t n, room; ///< room: a power of 2.
};

/**
 * What is kept of the instruction at hand: of one that stands at its place and is the same. It
 * stays where it is until lull_plans_done().
 *
 * @param[out] fresh Whether it is all zero, because the instruction was not seen before.
 * @return NULL: no memory.
 */
void *lull_plans_of(struct lull_plans *p, const struct lull_observed *at, bool *fresh);

struct lull_plans_code {
    const void *bytes;
    size_t size;
    unsigned gen; ///< As struct lull_arch_mode has it.
};

/**
 * Is the code at @p begin what waves executed there, wherever they came? Instructions are compared
 * by their text; of several that stood in one place one may be it.
 */
bool lull_plans_ran(const struct lull_plans *p, uint64_t begin, const struct lull_plans_code *code);

void lull_plans_done(struct lull_plans *p);

#endif
