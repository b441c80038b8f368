// SPDX-License-Identifier: MIT
/** @file
 * What race.c keeps of waves and workgroups, and what it tells.
 */
#ifndef LULL_CHECK_RACE_STEP_H
#define LULL_CHECK_RACE_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "check/checks.h"
#include "check/race/cells.h"
#include "check/race/clock.h"
#include "check/race/log.h"

enum { LULL_RACE_KNOWN = 32, LULL_RACE_HOLES = 8 };

/** Of the run. */
struct race {
    struct lull_race_shadow shadow;
    uint32_t time; // Counts instructions that access memory.
    uint64_t waves, live, dispatch;
    uint32_t insns;     // Instructions that access memory, as they are numbered.
    bool unsure;        // Of the dispatch: lull_touch.unsure counts.
    bool unsure_stores; // The source may call stores atomic, which the code does not show.
    uint32_t *waited;   // By number of the wave: when it last had no store open; 0: not known.
    size_t waited_room;
    uint64_t waited_from; // The number of the wave that the first is.
};

struct group {
    struct lull_race_clock clock; // What its waves are behind.
    /** When a wave came last to barrier number k, by k modulo 2: no wave can be two ahead. What the
     * workgroup did up to then is in front of what is behind the barrier. */
    struct come {
        uint32_t k, time;
    } come[2];
    struct lull_race_cell *local; // By dword; NULL: not needed yet.
    size_t nlocal;
    /** By dword of local memory, what was stored there last before the first atomic operation:
     * one of the same wave hides it in the cell. NULL: there was none yet. */
    struct lull_race_access *plain;
    uint32_t stored; // When it stored there last.
    struct lull_race_log loads;
};

/** Of a record: whose it is. */
struct whose {
    uint32_t record;
    bool mine, ours; // Of this wave, or of an earlier dispatch; of this workgroup.
};

struct wave {
    uint64_t number;
    uint32_t barriers;
    bool past;     // A barrier, since the clock of the group was taken over.
    uint64_t half; // Instructions in front of the one whose lower half was told last.
    struct lull_race_clock clock;
    uint32_t open; // Since when it has stores in global memory that it has not waited for; 0: none.
    /** Of waves that it is behind: stores that these had not waited for, by time. */
    struct hole {
        uint64_t started;
        uint32_t from, to;
    } holes[LULL_RACE_HOLES];
    unsigned nholes;
    uint32_t *records, nrecords;         // By number of the instruction; 0: none yet.
    struct whose known[LULL_RACE_KNOWN]; // The last asked for.
};

/** An instruction's access to a dword, as it is compared with those before. */
struct step {
    const struct lull_check_now *n;
    const struct lull_touch *t;
    struct race *r;
    struct wave *w;
    struct group *g;
    uint32_t record;
    unsigned lane;
    uint8_t mask;
    uint32_t value;
    bool valued;
    uint64_t address;            // Of the dword.
    uint32_t floor;              // What the workgroup did up to this time is in front.
    struct lull_race_page *page; // Of the last dword in memory.
};

/** Its lane, of the wave. */
static inline uint8_t lull_race_lane(const struct step *s)
{
    return (uint8_t)(s->t->from + s->lane);
}

/** The bits of the bytes in @p mask. */
uint32_t lull_race_bits(uint8_t mask);

/** Why an access is not in front of the one at hand. */
enum lull_race_why {
    LULL_RACE_ORDERED, ///< It is.
    LULL_RACE_NOTHING,
    LULL_RACE_RELEASE, ///< An atomic operation is between them, and the store may come behind it.
};

/** A finding: the access at hand, and @p a, one of the cell @p c or an earlier store; @p stored: it
 * stored. */
void lull_race_tell(const struct step *s, const struct lull_race_cell *c,
                    const struct lull_race_access *a, bool stored, enum lull_race_why why);

/** A finding: two lanes of the store at hand, one of which is in @p c already. */
void lull_race_tell_lanes(const struct step *s, const struct lull_race_cell *c);

#endif
