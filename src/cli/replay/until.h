// SPDX-License-Identifier: MIT
/** @file
 * A replay that stops in front of a packet, and registers of the GPU as a replay leaves them.
 */
#ifndef LULL_CLI_REPLAY_UNTIL_H
#define LULL_CLI_REPLAY_UNTIL_H

#include <stdbool.h>
#include <stdint.h>

#include "adreno/replay/device.h"
#include "adreno/replay/walk.h"
#include "adreno/show/packet.h"
#include "base/json.h"
#include "drm/msm/debugfs.h"

/** Zero-initialise; lull_replay_until_done(). */
struct lull_replay_until {
    const char *text; ///< --until: which packet, as of lull_packet_words_place(); NULL: none.
    const char *regs; ///< --regs: names, with * and ?, separated by commas; NULL: none.
    struct lull_packet_words *words; ///< NULL: not opened.
    struct lull_msm_debugfs files;
    struct lull_packet_place place;
    bool came;
    struct lull_msm_packet_state at; ///< If it came.
    uint64_t streams;                ///< That had begun before the submit under way.
    uint64_t stream;                 ///< The number in the capture of the one that it came in.
    uint64_t met;                    ///< Packets of the last stream that is wanted; UINT64_MAX:
                                     ///< it has not come.
    uint8_t *states;                 ///< Of all registers, where the replay ended.
    uint32_t *values;
};

/** For the model behind @p k, of generation @p gen. LULL_ERR_INVALID: no packet is called so. */
struct lull_error *lull_replay_until_open(struct lull_replay_until *u, struct lull_kernel *k,
                                          unsigned gen) LULL_MUST_USE;
/** @p s runs next. */
struct lull_error *lull_replay_until_begin(struct lull_replay_until *u,
                                           const struct lull_rp_submit *s) LULL_MUST_USE;
/** It was waited for: did it come to the packet? */
struct lull_error *lull_replay_until_look(struct lull_replay_until *u,
                                          const struct lull_rp_submit *s) LULL_MUST_USE;
/** It did not come to it in any submit. */
struct lull_error *lull_replay_until_never(const struct lull_replay_until *u) LULL_MUST_USE;
/** Take the registers as they are. */
struct lull_error *lull_replay_until_take(struct lull_replay_until *u) LULL_MUST_USE;

/** "  before packet 12 of stream 0, IB2 0x100042000+0x10", and the packet. */
struct lull_error *lull_replay_until_text(struct lull_replay_until *u,
                                          const struct lull_rp_device *d,
                                          struct lull_str *out) LULL_MUST_USE;
/** Members "stream", "packet", "address", "packet_text". */
struct lull_error *lull_replay_until_json(struct lull_replay_until *u,
                                          const struct lull_rp_device *d,
                                          struct lull_json *j) LULL_MUST_USE;
/** What was taken: lines, or a list if @p j. LULL_ERR_NOT_FOUND: no register is called so. */
struct lull_error *lull_replay_until_regs(struct lull_replay_until *u,
                                          const struct lull_rp_device *d, struct lull_str *out,
                                          struct lull_json *j) LULL_MUST_USE;

/** @p s with @p v, up to the packet that it came to. */
void lull_replay_until_walk(const struct lull_replay_until *u, struct lull_rp_walk *w,
                            const struct lull_rp_submit *s, const struct lull_rp_visitor *v);
/** Before the kernel goes. */
void lull_replay_until_done(struct lull_replay_until *u);

#endif
