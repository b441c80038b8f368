// SPDX-License-Identifier: MIT
/** @file
 * The queues by which the kernel and the power controller (GMU) of a6xx and later talk: the dump of
 * their memory taken apart into messages.
 *
 * The layout is data/adreno/hfi.dom. A queue is a ring; where its oldest whole message begins is
 * found as Mesa's crashdec does: from the last places that the kernel read at, back as long as
 * messages follow each other up to the writer without a gap in their numbers.
 */
#ifndef LULL_ADRENO_CRASH_HFI_H
#define LULL_ADRENO_CRASH_HFI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "hw/adreno_doms.h"

enum {
    LULL_HFI_HISTORIES = 2,
    LULL_HFI_HISTORY = 8,
    LULL_HFI_QUEUES = 8,       ///< Most that are looked at.
    LULL_HFI_TABLE_DWORDS = 6, ///< As in data/adreno/hfi.dom.
    LULL_HFI_QUEUE_DWORDS = 12,
    LULL_HFI_MESSAGE_DWORDS = 256,
};

struct lull_hfi {
    const uint32_t *words; ///< Of gmu-hfi; borrowed.
    uint64_t n;
    uint64_t iova;
    int64_t history[LULL_HFI_HISTORIES][LULL_HFI_HISTORY]; ///< -1: none.
    bool legacy;                                           ///< Messages stand without gaps.
};

/** A queue. */
struct lull_hfi_queue {
    unsigned number;
    const uint32_t *header; ///< LULL_HFI_QUEUE_DWORDS.
    const uint32_t *ring;   ///< NULL: it is not in the dump.
    uint32_t size;          ///< Dwords of the ring.
    uint32_t write_index;
    int64_t start; ///< Of the oldest message; -1: not found.
};

struct lull_hfi_message {
    uint32_t header;
    const char *name; ///< NULL: nobody knows it.
    unsigned id, size, type, seqnum;
    unsigned n; ///< Dwords, with the header and the gap behind it.
    uint32_t words[LULL_HFI_MESSAGE_DWORDS];
};

/** Are messages of GPU number @p gpu_id (630) without gaps? */
bool lull_hfi_is_legacy(uint64_t gpu_id);

/** How many queues the table says there are, at most LULL_HFI_QUEUES; 0: it is too short. */
unsigned lull_hfi_queues(const struct lull_hfi *h);
/** Queue @p number of them; false: there is none. */
bool lull_hfi_queue(const struct lull_hfi *h, unsigned number, struct lull_hfi_queue *ret);

/** The message at @p at; @return Where the next one is. */
uint32_t lull_hfi_message(const struct lull_hfi *h, const struct lull_hfi_queue *q, uint32_t at,
                          struct lull_hfi_message *ret);

/** ID, size, type, number of a header. */
void lull_hfi_header(uint32_t header, struct lull_hfi_message *ret);

/** "status:       0x1", a line for each dword of a domain, @p indent before it. */
void lull_hfi_show_domain(unsigned domain, const uint32_t *words, uint32_t n, const char *indent,
                          struct lull_str *out);

/** What a message says, in lines, @p indent before each. */
void lull_hfi_show(const struct lull_hfi *h, const struct lull_hfi_message *m, const char *indent,
                   struct lull_str *out);

#endif
