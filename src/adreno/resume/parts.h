// SPDX-License-Identifier: MIT
/** @file
 * Between the files of src/adreno/resume/.
 */
#ifndef LULL_ADRENO_RESUME_PARTS_H
#define LULL_ADRENO_RESUME_PARTS_H

#include "adreno/crash/crash_page.h"
#include "adreno/resume/resume.h"
#include "adreno/stream/stream.h"

enum { LULL_RESUME_GROUP_DWORDS = 3 };

/** A packet that sets state which is in no register, as it ran last. */
struct lull_resume_packet {
    uint32_t what;   ///< Opcode.
    uint64_t key;    ///< Those of the same opcode and key set the same thing.
    uint64_t order;  ///< They run by this.
    uint32_t n;      ///< Dwords, with the header.
    uint32_t *words; ///< Owned; NULL: there is no packet here.
};

enum { LULL_RESUME_PLACES = 8192 };

/** State at a packet. Large: on the heap. Zero-initialise; lull_resume_state_done(). */
struct lull_resume_state {
    const struct lull_crash *k;
    uint64_t steps; ///< Packets that were gone through.
    size_t npackets;
    struct lull_resume_packet *packets; ///< LULL_RESUME_PLACES, by a hash of opcode and key.
    bool full;                          ///< There were more.
    struct lull_error *err;
    unsigned triple; ///< Of the packet that sets groups of draw state.
    uint32_t groups[LULL_AS_GROUPS][LULL_RESUME_GROUP_DWORDS];
    uint32_t from_stream, from_dump, context_regs, context_same;
    const char *context; ///< Of the clusters, as the dump calls it; NULL: none.
    struct lull_astream s;
};

/* state.c */

/** Go through the ring of @p p up to the packet that the GPU was in. */
struct lull_error *lull_resume_state_find(struct lull_resume_state *st,
                                          const struct lull_page *p) LULL_MUST_USE;
/** Add what only the registers of the dump say. */
void lull_resume_state_add_dump(struct lull_resume_state *st);
void lull_resume_state_done(struct lull_resume_state *st);

/* write.c */

/** Packets that make the state. @p ret: the caller frees. */
struct lull_error *lull_resume_write(const struct lull_resume_state *st, uint32_t **ret,
                                     size_t *ret_n) LULL_MUST_USE;

/* absent.c */

struct lull_error *lull_resume_find_absent(struct lull_resumed *r, const struct lull_page *p,
                                           bool zeros) LULL_MUST_USE;
/** Say all of it in r->missing. */
void lull_resume_missing(struct lull_resumed *r, const struct lull_resume_state *st, bool zeros);

#endif
