// SPDX-License-Identifier: MIT
/** @file
 * The command processor stopped in front of packets: what debug.h says of them.
 */
#ifndef LULL_MODEL_ADRENO_PACKETS_H
#define LULL_MODEL_ADRENO_PACKETS_H

#include "adreno/stream/stream.h"
#include "model/adreno/debug.h"

/** All zero: nobody watches. */
struct lull_agpu_packets {
    bool on;
    struct lull_agpu_packet_stops stops;
    bool passed; ///< It was let go in front of the packet that is next.
    bool ours;   ///< `now` is about a program's packet: none of the ring came since.
    bool waited; ///< It was let go in the packet that waits.
    bool fault;  ///< One is to be told when the packet is done: now.fault_*.
    uint64_t numbers[LULL_AS_DEEPEST + 1]; ///< Of the packet of each level.
    struct lull_agpu_packet now;           ///< If it stands, all of it; else what counts.
};

/** @p s NULL: off. */
void lull_agpu_packets_set(struct lull_agpu_packets *p, const struct lull_agpu_packet_stops *s);
/** The engine did @p e. */
void lull_agpu_packets_did(struct lull_agpu_packets *p, const struct lull_astream *s,
                           const struct lull_as_event *e);
/** Nothing of the last packet is under way any more: does it stop behind it, or in front of the
 * next? Then it stands. */
bool lull_agpu_packets_stop(struct lull_agpu_packets *p, const struct lull_astream *s);
/** It waits for what @p w says; where nobody is to write that, it stands. */
void lull_agpu_packets_wait(struct lull_agpu_packets *p, const struct lull_agpu_packet *w);
/** What it waited for is there. */
void lull_agpu_packets_go_on(struct lull_agpu_packets *p);
/** It cannot take what is at @p address. @return True: it stands there, and its driver is not to
 * hear of it yet. */
bool lull_agpu_packets_wrong(struct lull_agpu_packets *p, const struct lull_astream *s,
                             uint64_t address, const char *why);
/** @p block got nothing from memory. */
void lull_agpu_packets_fault(struct lull_agpu_packets *p, const char *block, uint64_t address,
                             bool write);
/** Somebody was told of the last fault. */
void lull_agpu_packets_fault_told(struct lull_agpu_packets *p);
/** Let it go. @return False: it does not stand. */
bool lull_agpu_packets_release(struct lull_agpu_packets *p);
/** The GPU is reset: it stands nowhere. */
void lull_agpu_packets_reset(struct lull_agpu_packets *p);

#endif
