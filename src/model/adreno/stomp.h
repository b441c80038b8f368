// SPDX-License-Identifier: MIT
/** @file
 * Garbage in registers at the start of each render pass, for finding out who reads what nobody set.
 *
 * A pass begins with the marker RM6_DIRECT_RENDER or RM6_BIN_VISIBILITY, or with
 * RM6_BIN_RENDER_START if its bins had no binning pass before. Drivers set some of its registers in
 * front of the marker: what was written since the last draw, dispatch or blit stays.
 */
#ifndef LULL_MODEL_ADRENO_STOMP_H
#define LULL_MODEL_ADRENO_STOMP_H

#include "adreno/stream/stream.h"

struct lull_agpu_stomp {
    const uint32_t *regs; ///< Borrowed.
    unsigned n;           ///< 0: nothing is done.
    uint32_t value;
    bool bins;                           ///< A pass in bins is under way.
    uint64_t written[LULL_AS_REGS / 64]; ///< Since the last work.
};

/** What the command processor did: writes, draws and markers count. */
void lull_agpu_stomp_did(struct lull_agpu_stomp *p, struct lull_astream *s,
                         const struct lull_as_event *e);

#endif
