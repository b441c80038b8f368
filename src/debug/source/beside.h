// SPDX-License-Identifier: MIT
/** @file
 * Values of a shader's variables where a wave stands in the driver's own code: lull interprets the
 * dispatch's SPIR-V beside it (front/eval), on the same descriptors, push constants and memory, and
 * looks for what it computes in the wave's registers.
 *
 * A register that has a variable's value in each active lane most likely is that variable. What is
 * in no register is shown by the interpreter's word alone; nothing is claimed about it.
 */
#ifndef LULL_DEBUG_SOURCE_BESIDE_H
#define LULL_DEBUG_SOURCE_BESIDE_H

#include "base/str.h"
#include "debug/session/debug.h"

enum { LULL_BESIDE_FOUND = 4 };

/** A number of a variable: the variable itself, a component, an element. */
struct lull_beside_leaf {
    char *name;              ///< "v.x", "a[2]", "m[1].y". Owned.
    bool local;              ///< Of the function; else of the module.
    bool around;             ///< Of the entry point, while the line is in another function.
    bool argument;           ///< Of the function, handed to it.
    const char *variable;    ///< Its name. Borrowed.
    uint32_t id;             ///< In the module.
    size_t word;             ///< Which number of it.
    uint64_t offset;         ///< Bytes from the variable's start, its numbers one behind the other.
    struct lull_value value; ///< In the wave's lanes; valid where the line was come to.
    bool truth;              ///< Of type bool.
    bool alike;              ///< All lanes that are looked at have the same value.
    bool used;               ///< An expression has read it.
    unsigned ulp;            ///< Registers differ by so much at most; value has what they hold.
    unsigned nfound;         ///< Registers that hold it; the names of the first:
    char found[LULL_BESIDE_FOUND][16];
};

struct lull_beside_view {
    struct lull_beside_leaf *leaves; ///< Owned.
    size_t n;
    const char *file; ///< Borrowed; NULL: not known.
    uint32_t line;
    bool exactly;   ///< The line is of the instruction where the wave stands; else of one before.
    bool before;    ///< Memory is as it was before the dispatch; else as it was at a stop in it.
    uint64_t lanes; ///< Active, of the wave and of the round.
    size_t round, nrounds; ///< Which of the times that somebody of the wave comes to the line.
    unsigned matched;      ///< Leaves in registers in that round.
    bool sure;             ///< No other round has as many.
};

/** The held dispatch's memory, if its lines are known: to be called before it runs. What is wrong
 * is no error: it shows when values are asked for. */
void lull_beside_keep(struct lull_debug *d);

/**
 * Values at the focused wave.
 *
 * @param[out] ret Borrowed; it stays as long as nothing has moved.
 * @return LULL_ERR_NOT_FOUND: no lines are known here, or the interpreter does not come to them.
 *         LULL_ERR_UNSUPPORTED, LULL_ERR_BAD_DATA: the interpreter's own words.
 */
struct lull_error *lull_beside_here(struct lull_debug *d,
                                    struct lull_beside_view **ret) LULL_MUST_USE;
void lull_beside_view_done(struct lull_beside_view *v);

/** Say of each variable that expressions have read since the last call how sure it is, a line each.
 */
void lull_beside_show_used(struct lull_debug *d, struct lull_str *out);

/** Let expressions name such variables. */
void lull_beside_enable(struct lull_debug *d);

/** "by value in 64 of 64 lanes: v3"; "by value within 2 ulp in ..."; "by the interpreter only". */
void lull_beside_show_sure(const struct lull_beside_view *v, const struct lull_beside_leaf *l,
                           struct lull_str *out);

#endif
