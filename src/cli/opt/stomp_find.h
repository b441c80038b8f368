// SPDX-License-Identifier: MIT
/** @file
 * lull stomp: things that may hold garbage, and which of them made something fail.
 */
#ifndef LULL_CLI_STOMP_FIND_H
#define LULL_CLI_STOMP_FIND_H

#include "cli/opt/bisect.h"
#include "cli/opt/stomp.h"

enum { LULL_STOMP_NAME = 24, LULL_STOMP_FIRST = 0x0c00, LULL_STOMP_LAST = 0xbe01 };

/** What may hold garbage. */
enum lull_stomp_kind {
    LULL_STOMP_REGISTERS,
    LULL_STOMP_BUFFERS, ///< By number from 1, as a program makes them.
    LULL_STOMP_PAGES,   ///< Of 4096 bytes, by address.
};

/** Zero-initialise; lull_stomp_find_done(). */
struct lull_stomp_find {
    struct lull_bisect b;
    const char *range, *flags; ///< As of --range and --flags.
    bool memory, inverse;
    enum lull_stomp_kind kind;
    unsigned gen;
    enum lull_stomp_at at;
    const char *subject;            ///< What fails or passes, for what is printed.
    char (*names)[LULL_STOMP_NAME]; ///< Of flags; owned.
};

/** Rows of a struct lull_stomp_find: --range, --flags, --runs, --timeout, --json. */
extern const struct lull_opt lull_stomp_find_opts[];

/** Set `at` and `inverse` from `flags`. LULL_ERR_INVALID. */
struct lull_error *lull_stomp_find_when(struct lull_stomp_find *f) LULL_MUST_USE;
/** The range of `range`. LULL_ERR_INVALID. */
struct lull_error *lull_stomp_find_range(const struct lull_stomp_find *f, uint32_t *first,
                                         uint32_t *last) LULL_MUST_USE;
/** Room for @p n things in `b.flags`. */
struct lull_error *lull_stomp_find_room(struct lull_stomp_find *f, size_t n) LULL_MUST_USE;
/** The next thing; there is room. @p fmt: of a uint64_t. */
void lull_stomp_find_add(struct lull_stomp_find *f, uint64_t number);
/** All registers of `gen` that may hold garbage at `at` and that `range` names. */
struct lull_error *lull_stomp_find_registers(struct lull_stomp_find *f) LULL_MUST_USE;
/** Search, and say on standard output what was found. @p status: enum lull_exit. */
struct lull_error *lull_stomp_find(struct lull_stomp_find *f, int *status) LULL_MUST_USE;
/** Say what was found: what `b` holds. */
struct lull_error *lull_stomp_find_say(const struct lull_stomp_find *f) LULL_MUST_USE;
void lull_stomp_find_done(struct lull_stomp_find *f);

#endif
