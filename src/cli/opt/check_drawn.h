// SPDX-License-Identifier: MIT
/** @file
 * Draws of the GPU, and which of a Vulkan program's draws they are, for --check.
 */
#ifndef LULL_CLI_CHECK_DRAWN_H
#define LULL_CLI_CHECK_DRAWN_H

#include "base/error.h"
#include "drm/core/kernel.h"
#include "image/names.h"

/** A draw of the GPU; of an Adreno, a draw in one tile. */
struct lull_check_drawn {
    uint64_t number, packet;
    uint32_t pid, part;
    bool tiled;
    uint32_t window[4];
    size_t
        of; ///< Which of the list it is a part of: of its tiles and of a packet's draws the first.
    struct lull_names_hw hw;
    struct lull_names *names;                 ///< NULL: its process has none.
    const struct lull_names_dispatch *record; ///< NULL: the driver's own, or not known.
};

/** Zero-initialise; lull_check_drawn_done(). */
struct lull_check_drawn_list {
    struct lull_check_drawn *at; ///< By number.
    size_t n, room;
};

/** The draws that the driver remembers: none, if it has forgotten some. */
struct lull_error *lull_check_drawn_read(struct lull_kernel *k, bool adreno,
                                         struct lull_check_drawn_list *ret) LULL_MUST_USE;

/** Those of process @p pid against what it calls them, which @p names has read. */
struct lull_error *lull_check_drawn_match(struct lull_check_drawn_list *l, uint32_t pid,
                                          struct lull_names *names) LULL_MUST_USE;

/** NULL: not known. */
const struct lull_check_drawn *lull_check_drawn_at(const struct lull_check_drawn_list *l,
                                                   uint64_t number);

void lull_check_drawn_done(struct lull_check_drawn_list *l);

#endif
