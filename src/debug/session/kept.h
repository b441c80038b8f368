// SPDX-License-Identifier: MIT
/** @file
 * Values that a session keeps, as gdb does: convenience variables (`set $i = 0`), and what `print`
 * has printed ($1, $$, $). For src/debug/ only.
 */
#ifndef LULL_DEBUG_SESSION_KEPT_H
#define LULL_DEBUG_SESSION_KEPT_H

#include "debug/session/debug.h"

enum { LULL_MAX_HISTORY = 1000, LULL_MAX_CONVENIENCES = 1000 };

struct lull_kept_value {
    char *name; ///< Owned; of the history NULL.
    struct lull_value value;
};

/** All zeros: none. */
struct lull_kept {
    struct lull_kept_value *named; ///< Owned.
    size_t nnamed;
    struct lull_kept_value *printed; ///< The last ones, number n at n % LULL_MAX_HISTORY. Owned.
    uint64_t nprinted;               ///< Ever; the first has number 1.
};

/** Does the name at @p at, which may have no character, say a value of the history? @p ret_length:
 * its characters: of "", "$", "$2", "7". */
bool lull_kept_is_history(const char *at, size_t *ret_length);
/** The value of such a name. LULL_ERR_NOT_FOUND: none was printed, or it is too long ago. */
struct lull_error *lull_kept_history(const struct lull_kept *k, const char *name,
                                     struct lull_value *ret) LULL_MUST_USE;
/** A variable; NULL: it was never set. */
const struct lull_value *lull_kept_find(const struct lull_kept *k, const char *name, size_t length);
/** Set it. LULL_ERR_INVALID: there are too many. */
struct lull_error *lull_kept_set(struct lull_kept *k, const char *name, size_t length,
                                 const struct lull_value *value) LULL_MUST_USE;
/** The value was printed; its number is k->nprinted then. */
struct lull_error *lull_kept_print(struct lull_kept *k,
                                   const struct lull_value *value) LULL_MUST_USE;
void lull_kept_done(struct lull_kept *k);

#endif
