// SPDX-License-Identifier: MIT
/** @file
 * Shaders of a program patched where they are, between submission and run: each held dispatch's or
 * draw's code is rewritten into memory of ours (instrument/rdna), and what it writes down is taken
 * before its process goes.
 */
#ifndef LULL_DEBUG_PATCH_H
#define LULL_DEBUG_PATCH_H

#include "instrument/rdna/instrument.h"
#include "target/target.h"

/** A shader as a dispatch or a draw has it. */
struct lull_patch_code {
    uint32_t pid, client; ///< As struct lull_dispatch_info has them.
    uint64_t va;
    const char *kind; ///< "cs", "hs", "gs", "ps".
    unsigned lanes;
    bool compute;     ///< The rest is known:
    unsigned id_sgpr; ///< as struct lull_rdna_instrument has them.
    unsigned ids;
};

/** One that was met. */
struct lull_patch {
    struct lull_patch_code code;
    uint64_t hash;   ///< As `info shaders` has it.
    char symbol[16]; ///< "cs_01234567".
    uint32_t bytes, ninsns, nchosen;
    char *why;    ///< Not NULL: it was not patched, and why. Owned.
    bool patched; ///< What follows is there.
    struct lull_rdna_instrumented made;
    struct lull_own_memory code_at, records;
    uint8_t *data; ///< What was taken of the records when the process went. Owned.
    uint64_t size; ///< Bytes of it.
};

struct lull_patcher {
    struct lull_target *target; ///< NULL: it is gone.
    uint32_t room;              ///< Bytes of records for each shader.
    /** Which instructions of @p s; says in @p chosen, and how many. */
    struct lull_error *(*choose)(void *ctx, const struct lull_patch *p,
                                 const struct lull_rdna_shader *s, bool *chosen, uint32_t *ret);
    void *ctx;
    struct lull_patch *all; ///< Owned.
    size_t n, space;
};

/** Patch what the held dispatch or draw is going to run, where something of it is chosen. */
struct lull_error *lull_patcher_dispatch(struct lull_patcher *p,
                                         const struct lull_dispatch_info *i) LULL_MUST_USE;
struct lull_error *lull_patcher_draw(struct lull_patcher *p,
                                     const struct lull_draw_info *i) LULL_MUST_USE;

/** Keep what @p p has written so far: data, size. */
struct lull_error *lull_patch_take(struct lull_patch *p) LULL_MUST_USE;
/** The same of all of a process, which goes. */
struct lull_error *lull_patcher_leaves(struct lull_patcher *p, uint32_t pid,
                                       uint32_t client) LULL_MUST_USE;
void lull_patcher_done(struct lull_patcher *p);

#endif
