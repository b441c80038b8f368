// SPDX-License-Identifier: MIT
/** @file
 * Packets of an Adreno in words, for commands. For src/debug/shell/ only.
 */
#ifndef LULL_DEBUG_SHELL_PACKET_H
#define LULL_DEBUG_SHELL_PACKET_H

#include "adreno/show/packet.h"
#include "debug/session/packets.h"
#include "debug/shell/shell.h"

/** Names of packets and registers of this GPU, with the buffers that addresses may lie in. The
 * debugger's. */
struct lull_error *lull_debug_packet_words(struct lull_debug *d,
                                           struct lull_packet_words **ret) LULL_MUST_USE;
/** Dwords at @p address. @return How many are there. */
uint32_t lull_debug_packet_dwords(struct lull_debug *d, uint64_t address, uint32_t *ret,
                                  uint32_t n);
/** The packet at @p address. */
void lull_debug_packet_text(struct lull_debug *d, struct lull_packet_words *w, uint64_t address,
                            struct lull_str *out);
/** "stream 0 packet 12, IB2 group 3 0x100042000+0x10", where the command processor stands. */
void lull_debug_packet_place(const struct lull_debug *d, struct lull_str *out);

/** Does "packet PLACE" or "STREAM:NUMBER" stand there? Then @p at is behind the word. */
bool lull_cmd_names_packet(const char **at);
/** "0x100042000", "12", "CP_BLIT", "RB_CNTL", each also behind "STREAM:". */
struct lull_error *lull_cmd_packet(struct lull_debug *d, const char *text,
                                   struct lull_packet_where *ret) LULL_MUST_USE;

#endif
