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

/** Of a session: struct lull_debug.beside. */
struct lull_beside {
    uint64_t dispatch;
    bool before;              ///< Kept before it ran.
    struct lull_world *world; ///< Owned; NULL: of no dispatch.
    struct lull_arena arena;  ///< Types and names, until the session ends.
    struct lull_beside_named *named;
    uint32_t *function_of; ///< By line: 1 + index of its function; of this world. Owned.
    uint32_t nlines;
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

/** Bytes of a type in the order of its numbers. */
uint64_t lull_beside_bytes(const struct lull_fr_type *t);

#endif
