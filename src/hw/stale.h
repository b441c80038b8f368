// SPDX-License-Identifier: MIT
/** @file
 * State of an Adreno that can be stale: which registers work reads, which have one copy only, which
 * must not hold garbage. The tables are made from data/adreno/a6xx.stale by gen/stale.py (format:
 * docs/formats/stale-table.md).
 */
#ifndef LULL_HW_STALE_H
#define LULL_HW_STALE_H

#include <stdbool.h>
#include <stdint.h>

enum lull_stale_work {
    LULL_STALE_DRAW,
    LULL_STALE_DIRECT, ///< A draw whose sizes are in its packet.
    LULL_STALE_PIXELS, ///< A draw that makes pixels: not of the binning pass.
    LULL_STALE_DISPATCH,
    LULL_STALE_BLIT,    ///< CP_BLIT.
    LULL_STALE_RESOLVE, ///< The event BLIT.
};

enum { LULL_STALE_TESTS = 4 };

/** When a row counts: by bits of a register. */
struct lull_stale_test {
    uint32_t reg;
    uint8_t lo, hi;
    enum {
        LULL_STALE_IS,
        LULL_STALE_IS_NOT,
        LULL_STALE_EACH, ///< For as many elements of the array: the bits over `value`, rounded up.
        LULL_STALE_VIA,  ///< Which element: the bits of an array of registers, `value` apart.
    } op;
    uint32_t value;
};

/** Work reads a register. */
struct lull_stale_read {
    enum lull_stale_work work;
    unsigned ntests;
    struct lull_stale_test tests[LULL_STALE_TESTS]; ///< All must hold.
    uint32_t reg;
    uint8_t dwords, stride;
    uint16_t count; ///< Elements that there are.
};

struct lull_stale_range {
    uint32_t first, last;
};

/** What an event does for those who read memory later. */
struct lull_stale_event {
    const char *name;
    enum {
        LULL_STALE_FLUSHES_COLOR,
        LULL_STALE_FLUSHES_DEPTH,
        LULL_STALE_INVALIDATES,
        LULL_STALE_CLEANS, ///< What UCHE has goes to memory, where the CP reads.
    } does;
};

/** Of one generation. */
struct lull_stale {
    unsigned gen;
    unsigned nreads;
    const struct lull_stale_read *reads;
    unsigned nevents;
    const struct lull_stale_event *events;
    unsigned nunbanked;
    const struct lull_stale_range *unbanked; ///< Registers of which there is one copy.
    unsigned nbound;
    const struct lull_stale_range
        *bound; ///< Registers of dispatches, set when a pipeline is bound.
    unsigned nkeep;
    const struct lull_stale_range *keep; ///< Registers that must not hold garbage.
};

/** Ended by one of generation 0. */
extern const struct lull_stale lull_stale_gens[];

/** What is known of generation @p gen; NULL: nothing. */
const struct lull_stale *lull_stale_of(unsigned gen);

/** Registers that a driver sets in each command buffer, or (@p pass) in each render pass or blit,
 * and that may hold garbage in front of it: up to @p room, in order. @return How many there are. */
unsigned lull_stale_registers(unsigned gen, bool pass, uint32_t *ret, unsigned room);

bool lull_stale_in(const struct lull_stale_range *ranges, unsigned n, uint32_t reg);

#endif
