// SPDX-License-Identifier: MIT
/** @file
 * Looking for who wrote a place. For src/debug/session only.
 */
#ifndef LULL_DEBUG_SESSION_WHY_PRIV_H
#define LULL_DEBUG_SESSION_WHY_PRIV_H

#include "arch/arch.h"
#include "debug/session/why.h"
#include "isa/rdna/rdna.h"

/** What one wave executed, kept for the next question. */
struct lull_why_trace {
    struct lull_travel_wave who;
    uint64_t until, from; ///< All of it between these times is there.
    size_t n;
    struct lull_found *found; ///< Owned.
};

enum { LULL_WHY_TRACES = 4 };

struct lull_why_search {
    struct lull_debug *d;
    uint64_t first; ///< The earliest time that is remembered.
    struct lull_why_trace traces[LULL_WHY_TRACES];
    unsigned next;
    struct lull_found *found; ///< Owned: room for a search.
};

struct lull_error *lull_why_search_begin(struct lull_why_search *s,
                                         struct lull_debug *d) LULL_MUST_USE;
void lull_why_search_done(struct lull_why_search *s);
/** Who wrote @p p last before @p until. False in @p ret_is: nobody that is remembered. */
struct lull_error *lull_why_writer(struct lull_why_search *s, const struct lull_why_place *p,
                                   uint64_t until, struct lull_found *ret,
                                   bool *ret_is) LULL_MUST_USE;
/** Does the instruction write register @p reg of @p lane, with lanes @p exec on? */
bool lull_why_writes(const struct lull_rdna_insn *in, unsigned lanes, uint64_t reg, unsigned lane,
                     uint64_t exec);

/** Whose register an instruction reads for what a lane gets. */
struct lull_why_lane {
    bool crosses;  ///< It looks at other lanes.
    bool needs_on; ///< A lane that is off gives 0.
    int from;      ///< -1: none, or not known.
    unsigned reg;  ///< The operand that comes from there.
};

struct lull_why_lane lull_why_lane(struct lull_debug *d, const struct lull_debug_wave *w,
                                   const struct lull_rdna_insn *in, unsigned lane);
/** By DPP, its masks, or a source that is not there, the lane keeps what it had. */
bool lull_why_dpp_keeps(const struct lull_rdna_insn *in, unsigned lane, uint64_t exec);

#endif
