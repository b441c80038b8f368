// SPDX-License-Identifier: MIT
/** @file
 * Where waves are, by the number of their instructions: an observer of one GPU.
 */
#ifndef LULL_EXPLORE_WATCH_H
#define LULL_EXPLORE_WATCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "explore/schedule.h"
#include "model/observer.h"

/** Two instructions whose accesses race, in the order in which they came. */
struct lull_pair {
    uint64_t pc[2];
    uint32_t workgroup[2][3], wave[2]; ///< Who it was: wave counts in its workgroup.
};

struct lull_watch;

/** Watch instructions of @p pairs, and the places of @p holds; both live as long. */
struct lull_error *lull_watch_new(const struct lull_pair *pairs, size_t npairs,
                                  const struct lull_schedule *holds,
                                  struct lull_watch **ret) LULL_MUST_USE;
void lull_watch_free(struct lull_watch *w);
/** For the GPU. */
struct lull_observer *lull_watch_observer(struct lull_watch *w);

enum { LULL_WATCH_ORDERS = 512 };

/**
 * After the run: holds, each of which has one instruction of a pair wait for the other. Those of
 * the waves of the pair come first, then those of others.
 */
struct lull_error *lull_watch_orders(const struct lull_watch *w,
                                     struct lull_schedule *ret) LULL_MUST_USE;

/** After the run: where the wave of hold @p i waits, in front of the instruction there; 0: it did
 * not come there. */
uint64_t lull_watch_at(const struct lull_watch *w, size_t i);
/** And the last instruction that the other executes before it goes on. */
uint64_t lull_watch_until(const struct lull_watch *w, size_t i);

#endif
