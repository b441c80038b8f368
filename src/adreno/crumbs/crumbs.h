// SPDX-License-Identifier: MIT
/** @file
 * Breadcrumbs: numbers that a GPU writes as it goes through a command stream, before and after each
 * draw, dispatch and blit, so that the last one says where it stopped.
 *
 * On the wire each is a datagram of four bytes, the number, most significant first. Source: Mesa
 * 25.0.7 src/freedreno/vulkan/tu_cs_breadcrumbs.cc, and the freedreno documentation.
 */
#ifndef LULL_ADRENO_CRUMBS_CRUMBS_H
#define LULL_ADRENO_CRUMBS_CRUMBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/tree.h"

/* What comes from a sender */

/** How often each number has come. Zero-initialise; lull_crumbs_done() at the end. */
struct lull_crumbs {
    struct lull_tree counts;
    bool has_break;
    uint32_t stop, hits; ///< From crumb `stop` on, once it came `hits` times, each needs an ack.
    uint64_t came;       ///< All of them.
    uint32_t last;       ///< The newest, if some came.
};

/** A crumb that came. */
struct lull_crumb {
    uint32_t number;
    uint64_t times; ///< How often it had come before.
    bool breaks;    ///< It needs an ack.
};

enum { LULL_CRUMB_BYTES = 4, LULL_CRUMBS_MOST = 1 << 20 };

/** "5:0" as of --break; "-1:0" is no break. LULL_ERR_INVALID. */
struct lull_error *lull_crumbs_break(struct lull_crumbs *c, const char *text) LULL_MUST_USE;

/**
 * The crumb that begins a datagram of @p size bytes. What is longer is several, as the documents'
 * receiver takes it.
 *
 * @return LULL_ERR_BAD_DATA: not a multiple of four bytes, or none. LULL_ERR_UNSUPPORTED: more
 * different numbers than LULL_CRUMBS_MOST.
 */
struct lull_error *lull_crumbs_take(struct lull_crumbs *c, const void *data, size_t size,
                                    struct lull_crumb *ret) LULL_MUST_USE;

/** The same bytes as a sender makes them: also what an ack is. */
void lull_crumb_put(uint32_t number, uint8_t ret[LULL_CRUMB_BYTES]);

void lull_crumbs_done(struct lull_crumbs *c);

#endif
