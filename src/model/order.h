// SPDX-License-Identifier: MIT
/** @file
 * An order of waves that is given from outside: holds, which make a wave wait for another, and
 * orders that are drawn at random and written down. For whatever GPU; nothing here runs a wave.
 *
 * A hold says: wave A does not execute more than `at` instructions of its program before wave B has
 * executed `until` or has ended. All else is as the GPU's own scheduler has it, so that holds can
 * be taken away one by one. Where nothing could move any more because of a hold, it is dropped.
 */
#ifndef LULL_MODEL_ORDER_H
#define LULL_MODEL_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** A wave, whichever place it has on the GPU. */
struct lull_order_wave {
    uint64_t dispatch; ///< As struct lull_observed_wave has it, or as lull_order_again() counts.
    uint32_t workgroup[3];
    uint32_t index; ///< Its number in its workgroup.
};

/** Negative, 0, positive: by dispatch, workgroup (z, y, x), number. */
int lull_order_compare(const struct lull_order_wave *a, const struct lull_order_wave *b);

struct lull_hold {
    struct lull_order_wave wave, after;
    uint64_t at, until; ///< Instructions of `wave`, of `after`, since their starts.
};

/** A wave that ran from one number of its instructions to another, and nobody else. */
struct lull_order_part {
    struct lull_order_wave wave;
    uint64_t from, to;
};

struct lull_order;

/** @p holds are copied. */
struct lull_error *lull_order_new(const struct lull_hold *holds, size_t n,
                                  struct lull_order **ret) LULL_MUST_USE;
void lull_order_free(struct lull_order *o);

/** All waits again, and the dispatch that is seen next is number 0. At first the first one of each
 * ring is. */
void lull_order_again(struct lull_order *o);

/** Before the GPU has work: draw which wave runs, by @p seed, not 0. */
void lull_order_draw(struct lull_order *o, uint64_t seed);

/** Before the GPU has work: write down who ran. */
void lull_order_record(struct lull_order *o);

/** What was written down so far; NULL with @p n 0 if memory was short or nothing was asked. */
const struct lull_order_part *lull_order_parts(const struct lull_order *o, size_t *n);

/** The holds that give the order of @p parts, one between two each, at @p ret with room for n. */
size_t lull_order_holds(const struct lull_order_part *parts, size_t n, struct lull_hold *ret);

/** Holds that were dropped so far, and those that still wait. */
size_t lull_order_dropped(const struct lull_order *o);
size_t lull_order_waiting(const struct lull_order *o);

/** @{ For schedulers. */

/** How many instructions @p w, which has executed @p count, may execute; UINT64_MAX: any number. */
uint64_t lull_order_may(struct lull_order *o, const struct lull_order_wave *w, uint64_t count);

/** @p w has executed @p to instructions, @p from before; @p ended: and it will not execute more. */
void lull_order_ran(struct lull_order *o, const struct lull_order_wave *w, uint64_t from,
                    uint64_t to, bool ended);

/** Drop what makes @p w wait at @p count. */
void lull_order_drop(struct lull_order *o, const struct lull_order_wave *w, uint64_t count);

/** Orders are drawn. */
bool lull_order_drawn(const struct lull_order *o);

/** How many instructions the next part has at most. Draws. */
uint32_t lull_order_length(struct lull_order *o);

/** The greatest of the waves that can run is the one that does, until lull_order_length() draws
 * again. */
uint64_t lull_order_rank(const struct lull_order *o, const struct lull_order_wave *w);

/** Its state: bytes without pointers, to be saved and put back. */
void *lull_order_state(struct lull_order *o, size_t *size);
/** @} */

#endif
