// SPDX-License-Identifier: MIT
/** @file
 * Which packets of an Adreno have crumbs, and when (model/crumb.h).
 *
 * A draw, dispatch or blit is told when it has begun and nothing of it was executed; any packet
 * before the engine steps over it. What comes after is told when no work is left and a poll has
 * come true, so it is kept until then.
 */
#ifndef LULL_MODEL_ADRENO_CRUMBS_H
#define LULL_MODEL_ADRENO_CRUMBS_H

#include "adreno/stream/stream.h"
#include "model/crumb.h"

struct lull_agpu_crumbs {
    struct lull_crumb_watcher to;
    uint64_t streams; ///< Buffers that rings have called.
    uint64_t drawn;   ///< Address of the packet that drew and is not done; 0: none.
    bool waits, told; ///< `asked` was refused; the packet that is next was told.
    struct lull_crumb_packet asked;
    unsigned n; ///< Packets that are done, but for what they started, innermost first.
    struct lull_crumb_packet done[LULL_AS_FRAMES];
};

/** What the engine did in ring @p ring. */
void lull_agpu_crumbs_did(struct lull_agpu_crumbs *c, const struct lull_astream *s, unsigned ring,
                          const struct lull_as_event *e);
/** Before anything runs. @return False: it waits. */
bool lull_agpu_crumbs_may_run(struct lull_agpu_crumbs *c);
/** Nothing is under way, and the engine is to step. @return False: it waits. */
bool lull_agpu_crumbs_may_step(struct lull_agpu_crumbs *c, const struct lull_astream *s,
                               unsigned ring);
/** All that ran is dropped. */
void lull_agpu_crumbs_drop(struct lull_agpu_crumbs *c);

#endif
