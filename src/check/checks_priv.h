// SPDX-License-Identifier: MIT
/** @file
 * Between checks.c (waves, modules, findings), stretch.c (instructions that are executed as a
 * whole) and at.c (what is known of what is at hand).
 */
#ifndef LULL_CHECK_CHECKS_PRIV_H
#define LULL_CHECK_CHECKS_PRIV_H

#include "check/checks.h"
#include "check/codes.h"
#include "check/plans.h"

struct lull_checks_one {
    const struct lull_check_module *m;
    const void *config;
    void *own;
    size_t plan; // Where in a plan.
};

/** Of an instruction; behind it what the modules keep. */
struct lull_checks_plan {
    uint32_t always; // Modules whose before() is always called,
    uint32_t takes;  // and whose takes() is.
    bool barrier;
    struct lull_checks_stretch *stretch; // That begins here; NULL: none was made yet.
    _Alignas(16) unsigned char of[];
};

/** A wave, with what its modules are called with. */
struct lull_checks_wave {
    struct lull_check_now now[LULL_CHECK_MODULES];
    struct lull_checks_plan *plan; // Of its last instruction.
    struct lull_check_wave w;
};

/** Text of an instruction that may be needed later. */
struct lull_checks_insn {
    uint64_t pc;
    uint32_t space;
    const char *mnemonic;
    char *text; // NULL: free.
};

/** Pointers by an address, open addressing; room is a power of 2. */
struct lull_checks_table {
    void **at; // Each begins with its key.
    size_t n, room;
};

/** What is touched. */
enum lull_checks_touched {
    LULL_CHECKS_MEMORY,
    LULL_CHECKS_IMAGE,
    LULL_CHECKS_PRIV,
    LULL_CHECKS_NOTHING,
    LULL_CHECKS_LOCAL, ///< Loads of local memory, nothing of which is out of bounds.
    LULL_CHECKS_TOUCHED
};

struct lull_checks {
    struct lull_observer observer; // First.
    /** Modules whose memory() is called for it: always; while the wave's calls say so. */
    uint32_t always[LULL_CHECKS_TOUCHED], called[LULL_CHECKS_TOUCHED];
    struct lull_checks_one modules[LULL_CHECK_MODULES];
    size_t nmodules;
    struct lull_plans plans;
    struct lull_codes codes;
    uint32_t calm;                             // Modules that have calm().
    struct lull_checks_stretch *stretches;     // All that were made.
    const struct lull_checks_stretch *stretch; // That is being executed,
    struct lull_checks_wave *passes;           // by this wave.
    struct lull_checks_table waves, groups;
    struct lull_check_wave *last; // Who was looked up last; or NULL.
    uint64_t groups_started;
    bool taken; // The instruction at hand is not the program's.
    bool stops;
    bool drew;           // A wave of a draw has started.
    bool past;           // Nothing can be looked at any more.
    bool again;          // All is gone through once more.
    bool renews;         // From the launch of the next wave that starts on.
    uint64_t seen, next; // Launches below were seen, and come again; next: below which one came.
    struct lull_checks_insn *insns; // Open addressing by pc.
    size_t ninsns, insns_room;
    struct lull_finding *found;
    size_t nfound, found_room;
    size_t waits; // The finding, + 1, whose instruction has not accessed memory yet; 0: none.
    uint64_t lost;
};

/** at.c: the key of an entry of a table, the place of @p key, and what has it; NULL: nothing. */
static inline const void *lull_checks_key_of(const void *entry)
{
    return *(const void *const *)entry;
}
size_t lull_checks_place_of(const struct lull_checks_table *t, const void *key);
void *lull_checks_look_up(const struct lull_checks_table *t, const void *key);

/** The wave at hand; NULL: it is not looked at. */
struct lull_check_wave *lull_checks_wave_of(struct lull_checks *c, const struct lull_observed *at);

/** The instruction at hand, which may be seen for the first time. NULL: no memory. */
struct lull_checks_plan *lull_checks_plan_of(struct lull_checks *c, struct lull_checks_wave *w,
                                             const struct lull_observed *at);

static inline struct lull_checks_wave *lull_checks_whole(struct lull_check_wave *w)
{
    return (struct lull_checks_wave *)((char *)w - offsetof(struct lull_checks_wave, w));
}

/** stretch.c: of lull_observer. */
const struct lull_stretch *lull_checks_stretch(struct lull_observer *o,
                                               const struct lull_observed *at, uint32_t most,
                                               struct lull_ahead *ahead);
bool lull_checks_gave(struct lull_observer *o, const struct lull_stretch *s, unsigned k);
void lull_checks_passed(struct lull_observer *o, const struct lull_stretch *s, unsigned n);

/** at.c: of lull_observer. */
bool lull_checks_loud(struct lull_observer *o, const struct lull_observed *at);
bool lull_checks_quiet(struct lull_observer *o, const struct lull_observed *at);

/** stretch.c: forget them. */
void lull_checks_stretches_done(struct lull_checks *c);

#endif
