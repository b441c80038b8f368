// SPDX-License-Identifier: MIT
/** @file
 * From a value back to what made it: the instruction, its operands, and so on, across lanes, waves,
 * LDS and memory, down to what nobody has written.
 */
#ifndef LULL_DEBUG_SESSION_WHY_H
#define LULL_DEBUG_SESSION_WHY_H

#include "debug/session/travel_priv.h"

enum lull_why_where {
    LULL_WHY_REGISTER, ///< address: operand number.
    LULL_WHY_MEMORY,   ///< address: GPU virtual.
    LULL_WHY_LDS,      ///< address: byte of the workgroup's.
    LULL_WHY_SCRATCH,  ///< address: byte of the lane's.
};

struct lull_why_place {
    enum lull_why_where where;
    struct lull_travel_wave who; ///< Not of MEMORY.
    unsigned lane;
    uint64_t address;
    unsigned size; ///< Bytes, 1 to 4.
};

/** How a value came there. */
enum lull_why_how {
    LULL_WHY_MADE,    ///< By the instruction.
    LULL_WHY_NEVER,   ///< Nobody has written it: what it was when the dispatch began.
    LULL_WHY_LATER,   ///< Nobody had written it yet, but the instruction does so later.
    LULL_WHY_START,   ///< The wave started with it.
    LULL_WHY_AGAIN,   ///< As node `same` says.
    LULL_WHY_DEEPER,  ///< Not looked for: the depth is used up.
    LULL_WHY_UNKNOWN, ///< Not known: note.
};

struct lull_why_node {
    struct lull_why_place place;
    enum lull_why_how how;
    uint64_t value;
    bool has_value;
    bool copies; ///< MADE: the instruction only moves the value.
    bool memory; ///< MADE: it loads or stores.
    bool is_float;
    bool is_mask;      ///< A register of bits, or of one value for all lanes: no float.
    bool earlier;      ///< Not an operand: another lane's store to the same place, before.
    uint64_t time, pc; ///< MADE, LATER: of the instruction; time is the target's.
    unsigned wave, lane, group[3]; ///< The same: who executed it; wave: its number.
    uint64_t until;                ///< Who wrote it before then; 0: before its parent's time.
    size_t parent, same;
    unsigned depth;
    const char *note; ///< Static; NULL: none.
};

enum { LULL_WHY_NODES = 256 };

/** Nodes behind their parents; number 0 is what was asked for. */
struct lull_why {
    size_t n;
    struct lull_why_node nodes[LULL_WHY_NODES];
};

/** How much is followed. */
struct lull_why_far {
    unsigned depth; ///< Of instructions that do not just move a value.
    bool control;   ///< Of stores: which lanes are on.
};

/**
 * @param text A register, a variable, or a place in memory, in the focused lane.
 * @param ret Allocated: the caller frees it.
 */
struct lull_error *lull_debug_why(struct lull_debug *d, const char *text,
                                  const struct lull_why_far *far,
                                  struct lull_why **ret) LULL_MUST_USE;

/** Append the name of a REGISTER place. */
void lull_debug_why_register(const struct lull_debug *d, const struct lull_why_place *p,
                             struct lull_str *out);

#endif
