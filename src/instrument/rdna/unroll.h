// SPDX-License-Identifier: MIT
/** @file
 * The buffer that instrumented code of gfx1100 has filled, a record for each wave, as records of
 * invocations: docs/formats/rdna-records.md, docs/formats/ir3-records.md.
 */
#ifndef LULL_INSTRUMENT_RDNA_UNROLL_H
#define LULL_INSTRUMENT_RDNA_UNROLL_H

#include "instrument/rdna/instrument.h"

/** Which invocation a lane is: those of a wave have numbers one behind the other. */
struct lull_rdna_wave {
    uint64_t lanes; ///< That have a record.
    uint32_t first; ///< Number of the lowest.
};

struct lull_rdna_unrolled {
    struct lull_str bytes;        ///< What lull_dump_of() takes, with the manifest.
    struct lull_rdna_wave *waves; ///< Owned.
    size_t nwaves;
};

/**
 * @param r Its manifest gets the room that the records take now.
 * @return LULL_ERR_BAD_DATA with an offset.
 */
struct lull_error *lull_rdna_unroll(struct lull_rdna_instrumented *r, const void *data,
                                    uint64_t size, struct lull_rdna_unrolled *ret) LULL_MUST_USE;
void lull_rdna_unrolled_done(struct lull_rdna_unrolled *u);

/** Wave and lane of an invocation. False: there is no such invocation. */
bool lull_rdna_lane_of(const struct lull_rdna_unrolled *u, uint32_t invocation, uint32_t *ret_wave,
                       unsigned *ret_lane);

#endif
