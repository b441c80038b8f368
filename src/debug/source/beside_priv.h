// SPDX-License-Identifier: MIT
/** @file
 * Between the files about variables in the driver's own code.
 */
#ifndef LULL_DEBUG_SOURCE_BESIDE_PRIV_H
#define LULL_DEBUG_SOURCE_BESIDE_PRIV_H

#include "base/arena.h"
#include "debug/source/beside.h"
#include "debug/source/match.h"
#include "debug/source/world.h"
#include "symbols/symbols.h"

struct lull_beside_gather;

/** A variable that an expression has named. */
struct lull_beside_named {
    struct lull_symvar var;
    struct lull_beside_named *next;
};

/** A line, for the lanes of a wave. */
struct lull_beside_spot {
    const char *file; ///< Borrowed; NULL: any.
    uint32_t line, function;
    uint32_t first_lane, lanes; ///< Of the workgroup.
};

/** A number that the user has set. */
struct lull_beside_edit {
    struct lull_beside_spot spot; ///< When: as its lanes came there
    size_t round;                 ///< so many times.
    size_t seen;
    uint32_t group[3], id, lane;
    size_t word;
    uint64_t value;
};

/** Of a session: struct lull_debug.beside. */
struct lull_beside {
    uint64_t dispatch;
    bool before;              ///< Kept before it ran.
    struct lull_world *world; ///< Owned; NULL: of no dispatch.
    struct lull_arena arena;  ///< Types and names, until the session ends.
    struct lull_beside_named *named;
    uint32_t *function_of; ///< By line: 1 + index of its function; of this world. Owned.
    uint32_t nlines;
    struct lull_beside_edit *edits; ///< In the order of `set var`. Owned.
    size_t nedits;
    bool edited; ///< Since values were computed.
    // What was looked at last:
    struct lull_beside_gather *gather; ///< Values at a line, of one wave. Owned.
    lull_wave_key wave;
    uint64_t pc, exec;
    struct lull_match regs; ///< Registers then. Owned.
    struct lull_beside_view view;
};

/** The world of the dispatch that is held, or was last. */
struct lull_error *lull_beside_world(struct lull_debug *d, bool before,
                                     struct lull_beside **ret) LULL_MUST_USE;

/** What a named id is, as far as it can be shown; NULL: it cannot. */
const struct lull_fr_type *lull_beside_type_of(const struct lull_fr_module *m, uint32_t id);

/** Has the id a name of the source? */
bool lull_beside_is_named(const struct lull_fr_module *m, uint32_t id);

/** A number's or truth value's type as GLSL names it; NULL: none. */
const struct lull_symtype *lull_beside_number(const struct lull_fr_type *t);

/** Which of the spot's lanes are where @p at is, if that is its line. */
uint64_t lull_beside_lanes(const struct lull_beside_spot *spot, const struct lull_ev_place *at);

/** Give to the interpreter what was set of workgroup @p group, if it is time. Before each run:
 * lull_beside_rewind(). */
void lull_beside_apply(struct lull_beside *b, const uint32_t group[3], struct lull_ev *ev,
                       const struct lull_ev_place *at);
void lull_beside_rewind(struct lull_beside *b);

/** From now on the interpreter goes on with @p value in @p lane, from the round of the view on. */
struct lull_error *lull_beside_set(struct lull_beside *b, const struct lull_beside_leaf *l,
                                   unsigned lane, uint64_t value) LULL_MUST_USE;
struct lull_error *lull_beside_remember(struct lull_beside *b,
                                        const struct lull_beside_edit *e) LULL_MUST_USE;

/** Bytes of a type in the order of its numbers. */
uint64_t lull_beside_bytes(const struct lull_fr_type *t);

#endif
