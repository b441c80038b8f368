// SPDX-License-Identifier: MIT
/** @file
 * Values that an instruction gives though nobody computed them: of lanes that are off, and of
 * memory that nothing ever wrote.
 */
#ifndef LULL_CHECK_UNINIT_GIVEN_H
#define LULL_CHECK_UNINIT_GIVEN_H

#include <string.h>

#include "check/uninit/never.h"
#include "check/uninit/plan.h"

enum { LULL_GIVEN = 16 };

/** Of a wave; zero-initialise. */
struct lull_given {
    /** What the last instruction gave: registers that are to differ as soon as they are written. */
    struct lull_given_value {
        unsigned reg;
        uint32_t bits, origin; ///< bits: of the register.
        uint64_t lanes;        ///< Of a scalar 1.
    } at[LULL_GIVEN];
    unsigned n;
    /** Vector registers written since lanes last went on or off, by lanes that were on. */
    uint64_t active, since[LULL_TWIN_VGPRS / 64];
};

/** What writes the vector registers of @p n words @p sets is about to be executed. */
static inline void lull_given_follow(struct lull_given *g, const uint64_t *sets, unsigned n,
                                     uint64_t active)
{
    if (active != g->active) {
        memset(g->since, 0, sizeof g->since);
        g->active = active;
    }
    for (unsigned i = 0; i < n; i++) {
        g->since[i] |= sets[i];
    }
}

/** Does @p p, which reads other lanes, get what is nobody's from one that is off? That was written
 * while it was off, or by ds_bpermute, which gives 0. @param[out] lane One of those. @return Lanes
 * that get it; of a scalar 1. */
uint64_t lull_given_off(const struct lull_given *g, const struct lull_uninit_plan *p,
                        const struct lull_wave *of, uint64_t active, unsigned *lane);

/** Lanes of @p t, a load, whose dword @p d is of memory that nothing wrote. */
uint64_t lull_given_never(const struct lull_never *v, const struct lull_touch *t,
                          const struct lull_wave *of, unsigned d);

/** Bits of a register that a load of @p t's width writes. */
uint32_t lull_given_bits(const struct lull_uninit_plan *p, const struct lull_touch *t);

#endif
