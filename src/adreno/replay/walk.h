// SPDX-License-Identifier: MIT
/** @file
 * The engine of adreno/stream over a submit: what its packets do, with the memory that was
 * captured and what the command processor itself writes.
 */
#ifndef LULL_ADRENO_REPLAY_WALK_H
#define LULL_ADRENO_REPLAY_WALK_H

#include <stdbool.h>

#include "adreno/replay/submit.h"
#include "adreno/stream/stream.h"

/** Large: on the heap. State stays from submit to submit, as a GPU's does. */
struct lull_rp_walk;

/** @p gen: of the GPU, 6 or 7. */
struct lull_error *lull_rp_walk_new(unsigned gen, struct lull_rp_walk **ret) LULL_MUST_USE;
void lull_rp_walk_free(struct lull_rp_walk *w);

/** The engine's state. */
const struct lull_astream *lull_rp_walk_state(const struct lull_rp_walk *w);

/** Who is told, and may set @p s->stop. */
struct lull_rp_visitor {
    void *ctx;
    void (*did)(void *ctx, struct lull_astream *s, const struct lull_as_event *e);
};

/** All streams of @p s. @p v may be NULL. @return True: to the end; false: @p v stopped it. */
bool lull_rp_walk_submit(struct lull_rp_walk *w, const struct lull_rp_submit *s,
                         const struct lull_rp_visitor *v);

/**
 * Is something not in the capture that its command streams call, or load code and state from?
 *
 * @return LULL_ERR_BAD_DATA: one sentence that names the stream, the address and the buffer.
 */
struct lull_error *lull_rp_missing(struct lull_rp_walk *w,
                                   const struct lull_rp_submit *s) LULL_MUST_USE;

#endif
