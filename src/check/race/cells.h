// SPDX-License-Identifier: MIT
/** @file
 * What race/race.c keeps of memory: who touched each dword last, and records of that.
 */
#ifndef LULL_CHECK_RACE_CELLS_H
#define LULL_CHECK_RACE_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Accesses of one wave by one instruction. */
struct lull_race_record {
    uint64_t dispatch, pc;
    uint64_t group;   ///< lull_check_group.number.
    uint64_t started; ///< Counts waves: which one.
    uint32_t wave;    ///< Its number in its group.
    uint32_t workgroup[3], full[3];
    uint32_t lanes;
};

/** An access: record 0 is none. */
struct lull_race_access {
    uint32_t record, time;
    uint8_t mask; ///< Bytes of the dword.
    uint8_t now;  ///< Those of them that were touched at that very time.
    uint8_t lane;
};

/** A dword. */
struct lull_race_cell {
    struct lull_race_access store, read[2]; ///< read: the last, and the last of another wave.
    uint32_t value;                         ///< That was stored.
    /** Since this time its wave had stores in global memory that it had not waited for; 0: none. */
    uint32_t open;
    bool atomic;   ///< The store was an atomic operation.
    bool atomics;  ///< There has been one.
    bool compared; ///< There has been one that compares.
};

enum {
    LULL_RACE_PAGE_DWORDS = 1024,
    LULL_RACE_LINE_DWORDS = 16, ///< What lanes of one instruction mostly touch together.
    LULL_RACE_LINES = LULL_RACE_PAGE_DWORDS / LULL_RACE_LINE_DWORDS,
};

struct lull_race_page {
    uint64_t number; ///< Address / 4096.
    uint32_t space, generation;
    /** Bit n: the dwords of line n have cells of their own. Else all that touched it were 16 lanes
     * in a row, dword by dword: lines[n] is of its first, and lanes and values count up. */
    uint64_t split;
    struct lull_race_cell *cells; ///< By dword; NULL: no line is split.
    /** By dword, what was stored there last by no atomic operation; of those that have had one.
     * NULL: there was none. */
    struct lull_race_access *plain;
    uint32_t *values; ///< By dword, of lines that are not split; NULL: none was stored.
    struct lull_race_cell lines[LULL_RACE_LINES];
};

/** Zero-initialise; lull_race_shadow_done(). */
struct lull_race_shadow {
    struct lull_race_page **pages, *last;
    size_t npages, room;
    struct lull_race_record *records;
    size_t nrecords, records_room;
    uint32_t generation;
};

/** The page with @p address; NULL: no memory. */
struct lull_race_page *lull_race_page_at(struct lull_race_shadow *s, uint32_t space,
                                         uint64_t address);

/** The dwords of line @p line of @p p get cells of their own, if they have none. False: no memory.
 */
bool lull_race_split(struct lull_race_page *p, unsigned line);

/** Values of line @p line, to be written; NULL: no memory. */
uint32_t *lull_race_values(struct lull_race_page *p, unsigned line);

/** A new record, whose number is @p ret; NULL: no memory. */
struct lull_race_record *lull_race_record_new(struct lull_race_shadow *s, uint32_t *ret);

/** Forget all accesses. */
void lull_race_shadow_clear(struct lull_race_shadow *s);

void lull_race_shadow_done(struct lull_race_shadow *s);

#endif
