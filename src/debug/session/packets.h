// SPDX-License-Identifier: MIT
/** @file
 * Packets of an Adreno's command processor: to step them, to stop in front of them, and what is
 * known there. Streams are numbered as the user knows them: those of a capture as `lull rd show`
 * has them.
 */
#ifndef LULL_DEBUG_SESSION_PACKETS_H
#define LULL_DEBUG_SESSION_PACKETS_H

#include "debug/session/debug.h"

/** Which packets and registers there are: those of generation @p ret, 6 or 7. LULL_ERR_UNSUPPORTED:
 * the target does not stop in front of packets. */
struct lull_error *lull_debug_packet_gen(const struct lull_debug *d, unsigned *ret) LULL_MUST_USE;
/** The packet that the command processor stands at: LULL_ERR_NOT_FOUND says that it does not. */
struct lull_error *lull_debug_at_packet(struct lull_debug *d,
                                        const struct lull_packet_info **ret) LULL_MUST_USE;
/** The number of its stream. */
uint64_t lull_debug_packet_stream(const struct lull_debug *d);

/** Streams that begin from now on have, for the user, numbers that are by @p shift larger than for
 * the target. */
struct lull_error *lull_debug_number_streams(struct lull_debug *d, int64_t shift) LULL_MUST_USE;

/** In front of the next packet, @p n times. @p over: buffers that a packet calls, and the state
 * that runs before a draw, are one with it. Anything else that stops ends it. */
struct lull_error *lull_debug_step_packets(struct lull_debug *d, bool over,
                                           uint64_t n) LULL_MUST_USE;
/** Start if it has not, and go on to that place. */
struct lull_error *lull_debug_until_packet(struct lull_debug *d,
                                           const struct lull_packet_where *where) LULL_MUST_USE;
/** To the packet that is @p n back in its stream, from the beginning on once more. */
struct lull_error *lull_debug_reverse_packets(struct lull_debug *d, uint64_t n) LULL_MUST_USE;

/** A breakpoint in front of a packet. @p what: as the user wrote it. */
struct lull_error *lull_debug_break_packet(struct lull_debug *d,
                                           const struct lull_packet_where *where, const char *what,
                                           bool temporary, unsigned *ret_number) LULL_MUST_USE;

/** The register of the GPU whose name is at @p at, which is moved behind it; @p ret_wide: the next
 * one is its upper half. False: there is none, or the target has no such registers. */
bool lull_debug_find_gpu_register(struct lull_debug *d, const char **at, uint32_t *ret,
                                  bool *ret_wide);
/** Register @p number of the GPU, as it is now. */
struct lull_error *lull_debug_gpu_register(struct lull_debug *d, uint32_t number,
                                           enum lull_gpu_reg_state *ret_state,
                                           uint32_t *ret) LULL_MUST_USE;
/** States of @p n registers from @p first on, enum lull_gpu_reg_state each. */
struct lull_error *lull_debug_gpu_register_states(struct lull_debug *d, uint32_t first,
                                                  uint8_t *ret, size_t n) LULL_MUST_USE;

#endif
