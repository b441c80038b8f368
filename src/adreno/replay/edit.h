// SPDX-License-Identifier: MIT
/** @file
 * A whole capture in memory, its parts, and the same capture without some of them. What is taken
 * away leaves all else where it was: packets become CP_NOP of the same length.
 */
#ifndef LULL_ADRENO_REPLAY_EDIT_H
#define LULL_ADRENO_REPLAY_EDIT_H

#include <stdbool.h>

#include "adreno/replay/submit.h"

/** All zero: an empty one. */
struct lull_rp_capture {
    size_t nsubmits;
    struct lull_rp_submit *submits;
};

/** All submits of @p r that have a stream which @p wants wants; NULL: all. */
struct lull_error *lull_rp_capture_read(struct lull_rp_capture *c, struct lull_rp_reader *r,
                                        bool (*wants)(void *ctx, struct lull_rp_submit *s),
                                        void *ctx) LULL_MUST_USE;
void lull_rp_capture_done(struct lull_rp_capture *c);
/** Append it as a file. */
void lull_rp_capture_put(const struct lull_rp_capture *c, struct lull_str *to);

enum lull_rp_kind {
    LULL_RP_STREAMS,
    LULL_RP_PACKETS, ///< That run, but for CP_NOP; each once, in the order in which they first run.
    LULL_RP_REGISTERS, ///< Of packets that write several.
    LULL_RP_BUFFERS,
    LULL_RP_KINDS,
};
extern const char *const lull_rp_kind_names[LULL_RP_KINDS];

struct lull_rp_part {
    size_t submit;    ///< In the capture.
    size_t index;     ///< Of the stream or buffer in its submit, or the register in its packet.
    uint64_t address; ///< Of the packet.
    uint32_t dwords;  ///< With the header.
    uint32_t reg;     ///< The first that the packet writes.
    const char *name; ///< Of its opcode; NULL: it writes registers.
};

/** Parts of one kind. Zero-initialise; lull_rp_parts_done(). */
struct lull_rp_parts {
    enum lull_rp_kind kind;
    uint32_t nop; ///< Opcode of CP_NOP.
    size_t n, room;
    struct lull_rp_part *all;
};

struct lull_error *lull_rp_parts_find(struct lull_rp_parts *p, const struct lull_rp_capture *c,
                                      unsigned gen, enum lull_rp_kind kind) LULL_MUST_USE;
void lull_rp_parts_done(struct lull_rp_parts *p);
/** Take those away that are not among @p which, @p n numbers in rising order. */
struct lull_error *lull_rp_parts_keep(const struct lull_rp_parts *p, struct lull_rp_capture *c,
                                      const size_t *which, size_t n) LULL_MUST_USE;

#endif
