// SPDX-License-Identifier: MIT
/** @file
 * Accesses of two dispatches to the same bytes, one of them a store. Whether something orders the
 * two only the program's API says, which is asked behind the run: here are the pairs.
 */
#ifndef LULL_CHECK_RACE_ACROSS_H
#define LULL_CHECK_RACE_ACROSS_H

#include "check/checks.h"

enum lull_across_kind {
    LULL_ACROSS_READ,  ///< The second loads what the first stored.
    LULL_ACROSS_WRITE, ///< Both store.
    LULL_ACROSS_AFTER, ///< The second stores what the first loaded.
};

/** Of launches in a pair: this bit, and the number of a transfer. */
#define LULL_ACROSS_TRANSFER (UINT64_C(1) << 63)

/** Memory written between dispatches. Pieces that lie one behind the other are one. */
struct lull_across_moved {
    struct lull_transfer t;
    uint32_t stores, loads; ///< Records; loads 0: it does not copy.
};

/** A byte of a pair, and who did the second's part; of a transfer nobody. */
struct lull_across_end {
    uint64_t address;
    uint32_t workgroup[3], full[3], wave, lane;
};

/** Two instructions of two dispatches, or one and a transfer, which has no pc. */
struct lull_across_pair {
    enum lull_across_kind kind;
    uint64_t launches[2]; ///< lull_check_group.launch, the first in front; or a transfer.
    struct lull_check_site sites[2];
    uint32_t space;
    uint64_t count;
    struct lull_across_end first, low, high; ///< Of sites; the lowest and highest of all times.
};

/** Zero-initialise; lull_across_done(). */
struct lull_across {
    struct lull_across_pair *pairs;
    size_t npairs, room;
    struct lull_across_page **pages, *last;
    size_t npages, pages_room;
    struct lull_across_record *records;
    size_t nrecords, records_room;
    struct lull_across_moved *moved;
    size_t nmoved, moved_room;
    uint32_t *index; ///< Of pairs, by their records: number + 1.
    size_t index_room;
    struct {
        uint64_t launch, pc;
        uint32_t record;
    } known[64];
};

/** An access to memory of the GPU. */
void lull_across_touch(struct lull_across *a, const struct lull_check_now *n,
                       const struct lull_touch *t);

/** A transfer, or a part of one. */
void lull_across_transfer(struct lull_across *a, const struct lull_transfer *t);

/** The dispatch that stored last to the dword at @p address, in any space, and where; false: none
 * that is known, or a transfer. Texts of *ret are for free(). */
bool lull_across_stored(const struct lull_across *a, uint64_t address, uint32_t *ret_space,
                        struct lull_check_site *ret);

/** The last transfer to the dword at @p address in front of launch @p launch; NULL: none. */
const struct lull_across_moved *lull_across_moved_to(const struct lull_across *a, uint64_t address,
                                                     uint64_t launch);

void lull_across_done(struct lull_across *a);

#endif
