// SPDX-License-Identifier: MIT
/** @file
 * A crash dump that goes on: the dump of an Adreno GPU becomes a submit that puts back the state
 * at the packet that the GPU was in, and then runs from there.
 *
 * The place is the estimate of the crash page (adreno/crash). State is what the command stream had
 * set up to there, as the engine of adreno/stream says it, and for all else what the dump's
 * registers say. It is put back by packets, in a buffer of its own, so any GPU behind msm's
 * interface can take it. Level for level the rest of each buffer follows: what was in IB2 runs in
 * IB2 again.
 *
 *   resume.c  from a dump to a submit
 *   state.c   what the stream had set
 *   write.c   packets that put it back
 *   absent.c  what the dump does not hold
 */
#ifndef LULL_ADRENO_RESUME_RESUME_H
#define LULL_ADRENO_RESUME_RESUME_H

#include <stdbool.h>
#include <stdint.h>

#include "adreno/replay/submit.h"
#include "base/error.h"
#include "base/str.h"
#include "file/stream.h"

enum { LULL_RESUME_LEVELS = 16, LULL_RESUME_NAME = 64 };

struct lull_resume_options {
    bool zeros;                       ///< Buffers without contents are zeros; else not there.
    uint64_t most_memory, most_bytes; ///< As of struct lull_crash_options.
};

/** A buffer of which the dump has no contents. */
struct lull_resume_absent {
    uint64_t address, size; ///< In bytes.
    char name[LULL_RESUME_NAME];
};

/** A buffer that was being run: dword @p next of it is next. */
struct lull_resume_level {
    uint64_t base;
    uint32_t dwords, next;
};

/** All zero: nothing. lull_resume_done() at the end. */
struct lull_resumed {
    /** The first stream puts the state back, and goes on in the innermost buffer. */
    struct lull_rp_submit submit;
    uint64_t at;      ///< Address of the packet that the GPU was in.
    uint32_t header;  ///< Its first dword.
    const char *sure; ///< How sure that is, and why. Static.
    unsigned nlevels; ///< Of buffers below the ring, at least 1.
    struct lull_resume_level levels[LULL_RESUME_LEVELS]; ///< levels[0] is IB1.
    uint64_t state_address;                              ///< The buffer that is not the dump's.
    uint32_t state_bytes;
    struct lull_str page;     ///< As `lull crash show` writes it.
    struct lull_str firmware; ///< The SQE's PC, and what is there.
    struct lull_str missing;  ///< What the dump does not hold, a sentence in each line.
    size_t nabsent;
    struct lull_resume_absent *absent;
};

struct lull_afuc;

/**
 * Read the dump @p s.
 *
 * @param firmware Of the SQE, to show what is at its PC; NULL: not known.
 * @return LULL_ERR_UNSUPPORTED: it is not known where the GPU was, and why. LULL_ERR_DAMAGED: as of
 * lull_crash_decode(); @p ret is what could be read, to be undone all the same.
 */
struct lull_error *lull_resume_read(struct lull_stream *s, const struct lull_resume_options *o,
                                    const struct lull_afuc *firmware,
                                    struct lull_resumed *ret) LULL_MUST_USE;
void lull_resume_done(struct lull_resumed *r);

/** The buffer without contents that @p address is in; NULL: none. */
const struct lull_resume_absent *lull_resume_absent_at(const struct lull_resumed *r,
                                                       uint64_t address);

#endif
