// SPDX-License-Identifier: MIT
/** @file
 * --while: what must hold of a capture that is replayed.
 */
#ifndef LULL_CLI_REPLAY_PREDICATE_H
#define LULL_CLI_REPLAY_PREDICATE_H

#include <stdbool.h>
#include <stdint.h>

#include "adreno/replay/edit.h"
#include "adreno/replay/garbage.h"
#include "base/error.h"
#include "cli/replay/session.h"

enum { LULL_REPLAY_BYTES = 64, LULL_REPLAY_WHERE = 160 };

/** Zero-initialise. */
struct lull_replay_predicate {
    enum lull_replay_while {
        LULL_REPLAY_NOTHING,
        LULL_REPLAY_FAULTS,
        LULL_REPLAY_HANGS,
        LULL_REPLAY_HAS,  ///< bytes at address, after the last submit.
        LULL_REPLAY_EXIT, ///< command, given the capture as $1, ends with 0.
        /** Memory after any submit, or how that ends, is not as in `after`. Of size bytes at
         * address alone, if size is not 0. */
        LULL_REPLAY_DIFFERS,
    } kind;
    uint64_t address;
    uint32_t size;
    uint8_t bytes[LULL_REPLAY_BYTES];
    const char *command;
    char where[LULL_REPLAY_WHERE]; ///< Of a fault its address, of a hang its packet; "": any.
    const struct lull_replay_after *after; ///< Borrowed.
    /** 0xff bytes were put here where zeros are: those that nobody wrote do not differ. NULL:
     * nowhere. Borrowed. */
    const struct lull_rp_zero_pages *garbage;
};

/** Memory after each submit of a capture. Zero-initialise. */
struct lull_replay_after {
    size_t n;
    struct lull_replay_after_submit {
        enum lull_replay_result result;
        struct lull_rp_submit memory;
    } * submits;
};

/** Replay @p c and keep what @p p compares. */
struct lull_error *lull_replay_after_read(struct lull_replay_after *a,
                                          const struct lull_replay_predicate *p,
                                          const struct lull_replay_how *how,
                                          const struct lull_rp_capture *c) LULL_MUST_USE;
void lull_replay_after_done(struct lull_replay_after *a);

/** fault, hang, bytes ADDR:SIZE=HEX, differs [ADDR:SIZE], exit CMD. LULL_ERR_INVALID names @p
 * option. */
struct lull_error *lull_replay_predicate_parse(struct lull_replay_predicate *p, const char *option,
                                               const char *text) LULL_MUST_USE;

/** Does it hold of @p c, replayed on a fresh GPU? An error means that it does not. A fault or hang
 * elsewhere than at p->where is another one. */
struct lull_error *lull_replay_predicate_test(const struct lull_replay_predicate *p,
                                              const struct lull_replay_how *how,
                                              const struct lull_rp_capture *c,
                                              bool *ret) LULL_MUST_USE;

/** Set p->where to where @p c faults or hangs first. */
struct lull_error *lull_replay_predicate_place(struct lull_replay_predicate *p,
                                               const struct lull_replay_how *how,
                                               const struct lull_rp_capture *c) LULL_MUST_USE;

#endif
