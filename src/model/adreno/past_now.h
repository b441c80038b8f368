// SPDX-License-Identifier: MIT
/** @file
 * What is under way on the GPU, a dispatch or a draw, as past.c goes through it.
 */
#ifndef LULL_MODEL_ADRENO_PAST_NOW_H
#define LULL_MODEL_ADRENO_PAST_NOW_H

#include "base/error.h"
#include "model/adreno/exec/group.h"

struct lull_agpu;

/** All of it that changes while it runs, but memory. Owned by the caller. */
struct lull_agpu_saved;

/** Instructions of its waves so far. */
uint64_t lull_agpu_now_time(const struct lull_agpu *g);
bool lull_agpu_now_ended(const struct lull_agpu *g);
/** @p ret_bytes: what it costs. @return NULL: no memory. */
struct lull_agpu_saved *lull_agpu_now_save(const struct lull_agpu *g, uint64_t *ret_bytes);
void lull_agpu_saved_free(struct lull_agpu_saved *s);
struct lull_error *lull_agpu_now_put_back(struct lull_agpu *g,
                                          const struct lull_agpu_saved *s) LULL_MUST_USE;
/** What needs no time happens: the next group, or wave of a draw, is there if there is one. */
struct lull_error *lull_agpu_now_settle(struct lull_agpu *g) LULL_MUST_USE;
/** At most @p most instructions. @p ret_done 0: it cannot go on. */
struct lull_error *lull_agpu_now_run(struct lull_agpu *g, uint64_t most,
                                     uint64_t *ret_done) LULL_MUST_USE;
/** The wave that executes the next instruction; NULL: none can. */
struct lull_ir3_wave *lull_agpu_now_next(struct lull_agpu *g);
/** The group under way; NULL: none is now. A wave of a draw is one of its own. */
struct lull_ir3_group *lull_agpu_now_group(struct lull_agpu *g);
/** No wave of another group under way stands. */
void lull_agpu_now_let_others_go(struct lull_agpu *g);
/** What the waves of the group share. */
struct lull_ir3_env *lull_agpu_now_env(struct lull_agpu *g);
/** Memory, and who looks on, of all waves from now on. */
void lull_agpu_now_memory(struct lull_agpu *g, const struct lull_ir3_memory *m);
void lull_agpu_now_observe(struct lull_agpu *g, struct lull_observer *observers);
/** What went wrong has been told. */
void lull_agpu_now_told(struct lull_agpu *g);

#endif
