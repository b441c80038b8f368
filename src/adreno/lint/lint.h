// SPDX-License-Identifier: MIT
/** @file
 * Stale state and missing waits in the command streams of a capture (a6xx, a7xx), found without
 * running them. The walk is that of adreno/show/capture.h; which registers work reads, and of which
 * there is one copy, are rows of data/adreno/a6xx.stale.
 *
 *   lint.c        the walk: submits
 *   found.c       findings
 *   registers.c   registers: never written, written without a wait, left by another group
 *   caches.c      memory that is read before it was flushed
 *
 * What a submit before has left in registers or caches does not count: another context may have run
 * between. A register or buffer is told once in each submit, at its first use.
 */
#ifndef LULL_ADRENO_LINT_LINT_H
#define LULL_ADRENO_LINT_LINT_H

#include <stdint.h>

#include "adreno/show/capture.h"

enum lull_lint_rule {
    LULL_LINT_NEVER_WRITTEN, ///< Work reads a register that no packet of its submit wrote.
    LULL_LINT_NO_WAIT,       ///< A register with one copy changes while work may be under way.
    LULL_LINT_STALE_GROUP,   ///< Work reads a register as a group left it that is gone.
    LULL_LINT_NOT_FLUSHED,   ///< Memory is read before what was written there has arrived.
    LULL_LINT_SAME_DRAW, ///< A shader samples what it has stored: textures have a cache of their
                         ///< own.
    LULL_LINT_RULES,
};

struct lull_lint_finding {
    enum lull_lint_rule rule;
    uint64_t submit, stream;
    const struct lull_as_packet *packet; ///< At which it shows.
    const struct lull_cap_draw *draw;    ///< NULL: the packet is no work.
    uint32_t reg;                        ///< Of rules about registers.
    struct lull_dom_hit hit;             ///< reg's name.
    uint64_t address, size;              ///< Of rules about memory: where, in bytes.
    const char *as;                      ///< NOT_FLUSHED: what it is read as.
    uint64_t earlier;                    ///< Address of the packet that it comes from; 0: none.
    const char *before;                  ///< What that is; may be NULL.
    const char *mend;
    unsigned group; ///< STALE_GROUP.
};

struct lull_lint_sink {
    void *ctx;
    void (*found)(void *ctx, struct lull_cap *c, const struct lull_lint_finding *f);
    /** As of struct lull_cap_visitor; may be NULL. */
    void (*problem)(void *ctx, struct lull_cap *c, uint64_t offset, uint64_t address,
                    const char *text);
};

/** "never written", ... */
const char *lull_lint_rule_name(enum lull_lint_rule rule);

/**
 * Check the capture @p s.
 *
 * @param[out] ret_findings How many were told to @p sink, problems of the capture included.
 * @return LULL_ERR_UNSUPPORTED: it is not of an a6xx or a7xx.
 */
struct lull_error *lull_lint_capture(struct lull_stream *s, const struct lull_cap_options *o,
                                     const struct lull_lint_sink *sink,
                                     uint64_t *ret_findings) LULL_MUST_USE;

#endif
