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
    uint32_t block[3]; ///< Work-items of a workgroup.
};

enum { LULL_PATCH_EXTRA = 128 };

/** What is recorded of a shader. */
struct lull_patch_choice {
    bool *chosen; ///< Of each instruction; all false in the beginning.
    uint32_t n;   ///< How many are.
    struct lull_rdna_extra extra[LULL_PATCH_EXTRA];
    unsigned nextra;
};

/** One that was met. */
struct lull_patch {
    struct lull_patch_code code;
    uint64_t hash;   ///< As `info shaders` has it.
    char symbol[16]; ///< "cs_01234567".
    uint32_t bytes, ninsns, nchosen;
    char *why;                            ///< Not NULL: it was not patched, and why. Owned.
    bool patched;                         ///< What follows is there.
    uint64_t set;                         ///< struct lull_patcher's when it was met.
    uint32_t old[LULL_RDNA_ENTRY_DWORDS]; ///< What stood where the jump is.
    uint32_t *offsets;                    ///< Of its instructions, in bytes. Owned.
    struct lull_rdna_instrumented made;
    struct lull_own_memory code_at, records;
    uint8_t *data; ///< What was taken of the records when the process went. Owned.
    uint64_t size; ///< Bytes of it.
    size_t seen;   ///< For whoever looks: how many records it has seen,
    bool told;     ///< and that it has told of missing ones.
};

struct lull_patcher {
    struct lull_target *target; ///< NULL: it is gone.
    uint32_t room;              ///< Bytes of records for each shader.
    uint64_t set;               ///< What choose() goes by: if it is another, code is patched anew.
    /** Which instructions of @p s. */
    struct lull_error *(*choose)(void *ctx, const struct lull_patch *p,
                                 const struct lull_rdna_shader *s, struct lull_patch_choice *ret);
    void *ctx;
    struct lull_patch *all; ///< Owned.
    size_t n, space;
};

/** Patch what the held dispatch or draw is going to run, where something of it is chosen. */
struct lull_error *lull_patcher_dispatch(struct lull_patcher *p,
                                         const struct lull_dispatch_info *i) LULL_MUST_USE;
struct lull_error *lull_patcher_draw(struct lull_patcher *p,
                                     const struct lull_draw_info *i) LULL_MUST_USE;

/** Put the dispatch's code back as it was, if it is patched. */
struct lull_error *lull_patcher_restore(struct lull_patcher *p,
                                        const struct lull_dispatch_info *i) LULL_MUST_USE;

/** Keep what @p p has written so far: data, size. */
struct lull_error *lull_patch_take(struct lull_patch *p) LULL_MUST_USE;
/** The same of all of a process, which goes. */
struct lull_error *lull_patcher_leaves(struct lull_patcher *p, uint32_t pid,
                                       uint32_t client) LULL_MUST_USE;
void lull_patcher_done(struct lull_patcher *p);

#endif
