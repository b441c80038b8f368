// SPDX-License-Identifier: MIT
/** @file
 * What uninit.c keeps of a wave, and where values come from that nothing wrote.
 */
#ifndef LULL_CHECK_UNINIT_WAVE_H
#define LULL_CHECK_UNINIT_WAVE_H

#include "check/checks.h"
#include "check/uninit/given.h"
#include "check/uninit/plan.h"
#include "check/uninit/twin.h"
#include "check/uninit/uninit.h"

/** How the twin comes through an instruction. */
enum lull_uninit_way {
    LULL_WAY_SAME,    ///< It reads and writes nothing that differs: results are copied.
    LULL_WAY_RUNS,    ///< It executes it.
    LULL_WAY_SCRATCH, ///< It executes it with its scratch memory.
    LULL_WAY_LOADS,   ///< What lanes that are on get from elsewhere is copied.
};

struct lull_uninit_wave {
    struct lull_twin *twin;
    uint32_t v[LULL_TWIN_VGPRS], s[LULL_TWIN_SGPRS], scc; // Origins of what differs; 0: here.
    uint32_t *scratch;                                    // By dword of a lane: the same.
    uint64_t *scratch_dirty; // By dword of a lane: lanes that may differ.
    bool *scratch_part;      // By dword of a lane: of these some may not.
    // The instruction that is being executed.
    const struct lull_uninit_plan *plan;
    enum lull_uninit_way way;
    bool some;
    uint64_t pc, active;
    uint32_t from; // Origin of what it reads.
    struct lull_given given;
};

/** At the instruction at hand: new, or it was there. @p place: register by operand number; byte;
 * lane; address. */
uint32_t lull_uninit_origin_here(const struct lull_check_now *n, enum lull_uninit_where where,
                                 uint64_t place, unsigned lane);

/** Of @p reg, of any kind. NULL: it has none. */
uint32_t *lull_uninit_origin_of(struct lull_uninit_wave *w, unsigned reg);

/** Whether register @p reg differs where the instruction at hand reads it, of which it then is the
 * origin if the value has none. */
uint64_t lull_uninit_reads(const struct lull_check_now *n, struct lull_uninit_wave *w,
                           unsigned reg);

/** Does scratch memory differ in no lane that loads? */
bool lull_uninit_scratch_same(const struct lull_uninit_wave *w, const struct lull_uninit_plan *p,
                              uint64_t active);

/** Scratch memory at an address that does not differ, the same of all lanes: is it that, and is
 * nothing else to be found out? */
bool lull_uninit_scratch(const struct lull_check_now *n, struct lull_uninit_wave *w);

#endif
