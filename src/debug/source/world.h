// SPDX-License-Identifier: MIT
/** @file
 * What a dispatch starts with: its module, its memory, its buffers and push constants; and one
 * workgroup of it, interpreted.
 */
#ifndef LULL_DEBUG_SOURCE_WORLD_H
#define LULL_DEBUG_SOURCE_WORLD_H

#include "debug/session/engine.h"
#include "front/eval/eval.h"

struct lull_world;

/** Of the dispatch that is held, or was last. Reads all memory that its process may write. */
struct lull_error *lull_world_new(struct lull_debug *d, struct lull_world **ret) LULL_MUST_USE;
void lull_world_free(struct lull_world *w);

const struct lull_fr_module *lull_world_module(const struct lull_world *w);

/**
 * Run workgroup @p group with subgroups of @p wave, @p line called where lines begin.
 *
 * What it writes is undone afterwards: each workgroup runs alone on the memory that was kept.
 */
struct lull_error *lull_world_run(struct lull_world *w, const uint32_t group[3], unsigned wave,
                                  struct lull_error *(*line)(void *arg, struct lull_ev *ev,
                                                             const struct lull_ev_place *at),
                                  void *arg) LULL_MUST_USE;

#endif
