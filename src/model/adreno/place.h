// SPDX-License-Identifier: MIT
/** @file
 * Where the command processor is, as registers and crash dumps say it: the packet that it is in,
 * and what of the buffers that it runs is not yet read.
 *
 * The model reads nothing ahead: what is "left" are the dwords behind the packet, all of them not
 * fetched and none in the ROQ. Of what is no packet, and of an opcode that nobody knows, only the
 * header was read.
 */
#ifndef LULL_MODEL_ADRENO_PLACE_H
#define LULL_MODEL_ADRENO_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "adreno/stream/stream.h"

enum { LULL_AGPU_RB, LULL_AGPU_IB1, LULL_AGPU_IB2, LULL_AGPU_SDS, LULL_AGPU_LEVELS };

/** All zero: nowhere. A buffer that has ended stays, with nothing left of it. */
struct lull_agpu_place {
    uint32_t word; ///< $01 of the SQE: the header of the packet that it is in.
    bool ended;    ///< It stays so: the CP has stopped.
    struct {
        uint64_t base;
        uint32_t dwords; ///< Of the buffer.
        uint32_t left;   ///< Of the buffer; of RB, of the part of the ring that was taken last.
    } at[LULL_AGPU_LEVELS];
};

/** The engine did @p e. */
void lull_agpu_place_did(struct lull_agpu_place *p, const struct lull_astream *s,
                         const struct lull_as_event *e);
/** The CP stops: where it is now, it stays. @p next: the dword of the buffer on top that is not
 * read yet; UINT32_MAX: as the engine has it. */
void lull_agpu_place_stop(struct lull_agpu_place *p, const struct lull_astream *s, uint32_t next);
/** Where it is. */
struct lull_agpu_place lull_agpu_place_now(const struct lull_agpu_place *p,
                                           const struct lull_astream *s);
/** The register at @p reg, if it is one of those that say it. */
bool lull_agpu_place_reg(const struct lull_agpu_place *now, uint32_t reg, uint32_t *ret);

/** RBBM_STATUS: waves of a dispatch run, the command processor is busy. */
uint32_t lull_agpu_place_status(bool waves, bool cp);

#endif
