// SPDX-License-Identifier: MIT
/** @file
 * Breadcrumbs put into a captured stream: numbers that the command processor writes to memory
 * before and after packets, so that what is left there after a hang says where it stopped.
 *
 * Command buffers that get crumbs are moved to a buffer of their own, each once for each stream
 * that runs it, and what calls them, or counts dwords over them, is changed to fit. Numbers are by
 * position, as where.h has them: the packets of all streams in the order in which the GPU first
 * comes to each, from 0; packet i has crumb 2i+1 before it and 2i+2 after it. What the GPU itself
 * writes into its command buffers is not followed.
 *
 * A crumb waits for all that is under way, as Turnip's does: CP_WAIT_MEM_WRITES,
 * CP_WAIT_FOR_IDLE, CP_WAIT_FOR_ME, CP_MEM_WRITE; and a CP_NOP that says which crumb it is and
 * where the packet was before (struct lull_crumb_mark).
 */
#ifndef LULL_ADRENO_CRUMBS_ADD_H
#define LULL_ADRENO_CRUMBS_ADD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adreno/replay/edit.h"
#include "base/error.h"

/** Which packets have crumbs. */
enum lull_crumbs_at {
    LULL_CRUMBS_AT_DRAWS,   ///< Draws, dispatches and blits, as Turnip.
    LULL_CRUMBS_AT_EVENTS,  ///< And events.
    LULL_CRUMBS_AT_PACKETS, ///< All but CP_NOP.
};

struct lull_crumbs_how {
    unsigned gen; ///< 6 or 7.
    enum lull_crumbs_at at;
    int scratch; ///< CP_SCRATCH register that gets the number, too; -1: none.
};

struct lull_crumbs_added {
    uint64_t memory;  ///< Where the numbers are written.
    uint32_t packets; ///< That have crumbs.
    uint32_t without; ///< That have a number, but no crumbs: their buffer cannot be moved.
};

/** Put crumbs into all streams of @p c. LULL_ERR_UNSUPPORTED: a buffer would be too large. */
struct lull_error *lull_crumbs_add(struct lull_rp_capture *c, const struct lull_crumbs_how *how,
                                   struct lull_crumbs_added *ret) LULL_MUST_USE;

/** Payload of the CP_NOP of a crumb. */
struct lull_crumb_mark {
    uint32_t magic[2];
    uint32_t number;
    uint32_t was[2]; ///< Address of the packet before crumbs were added, low half first.
};
enum { LULL_CRUMB_MARK_WORDS = sizeof(struct lull_crumb_mark) / 4 };

/** Are these @p n dwords, without a header, such a payload? */
bool lull_crumb_mark_read(const uint32_t *words, size_t n, struct lull_crumb_mark *ret);

/** What crumbs have left in memory. */
struct lull_crumb_left {
    uint32_t number; ///< 0: none was written.
    uint64_t was;    ///< Address that its packet had; 0: not known.
};

/** Are these @p size bytes, which a replay left, the buffer that lull_crumbs_add() made? */
bool lull_crumbs_left(const uint8_t *data, size_t size, struct lull_crumb_left *ret);

#endif
