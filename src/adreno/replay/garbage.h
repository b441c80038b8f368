// SPDX-License-Identifier: MIT
/** @file
 * Memory of a capture that nobody had written when it was taken: whole pages of zeros, or of
 * buffers without contents. Garbage in them shows who counts on the zeros.
 */
#ifndef LULL_ADRENO_REPLAY_GARBAGE_H
#define LULL_ADRENO_REPLAY_GARBAGE_H

#include "adreno/replay/edit.h"

enum { LULL_RP_PAGE = 4096 };

/** A page that is zeros in the first submit which names it. */
struct lull_rp_zeros {
    uint64_t address;
    size_t first; ///< That submit, in the capture.
    size_t end;   ///< The first submit behind it in which the page is not zeros any more.
};

/** By address; owned. Zero-initialise. */
struct lull_rp_zero_pages {
    size_t n;
    struct lull_rp_zeros *all;
};

/** Find those of @p c. Of a page that two buffers share, both must be zeros. */
struct lull_error *lull_rp_zero_pages_find(struct lull_rp_zero_pages *z,
                                           const struct lull_rp_capture *c) LULL_MUST_USE;
/** Is @p address in one of them? */
bool lull_rp_zero_pages_has(const struct lull_rp_zero_pages *z, uint64_t address);
void lull_rp_zero_pages_done(struct lull_rp_zero_pages *z);

/**
 * Fill page @p which of @p z with 0xff bytes, as far as buffers reach: in the first submit, and in
 * those behind it as long as their contents still have zeros there.
 */
struct lull_error *lull_rp_zero_pages_fill(const struct lull_rp_zero_pages *z, size_t which,
                                           struct lull_rp_capture *c) LULL_MUST_USE;

#endif
