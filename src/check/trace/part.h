// SPDX-License-Identifier: MIT
/** @file
 * Where two runs part: first the place in memory that differs in the end and was stored to first,
 * then the instruction of the invocation that stored there.
 *
 * It is looked for from the store back over operands, through registers and the invocation's own
 * memory, as long as the other run has other values: of the same code at the same step, of other
 * code anywhere in what led to its store. What was executed first of these has operands that both
 * runs had, and makes what only one has. Intermediate values that compilers choose differently do
 * not matter if what is made of them is the same.
 */
#ifndef LULL_CHECK_TRACE_PART_H
#define LULL_CHECK_TRACE_PART_H

#include "base/str.h"
#include "check/trace/read.h"

enum { LULL_PART_RUNS = 2 };

/** A place in memory that differs in the end. */
struct lull_part_place {
    struct lull_str name; ///< "out+0x1c"; the caller frees it.
    uint64_t differing, places;
    unsigned bytes;
    bool local;
    bool stored[LULL_PART_RUNS];
    uint32_t value[LULL_PART_RUNS];
    uint32_t at[LULL_PART_RUNS];                ///< Byte of the store that is there.
    struct lull_tr_store store[LULL_PART_RUNS]; ///< The last there, if stored.
};

/**
 * What the runs left in memory.
 *
 * @return LULL_ERR_NO_MEMORY. True in @p ret_any: @p ret says where they differ.
 */
struct lull_error *lull_part_memory(const struct lull_tr_run *const runs[LULL_PART_RUNS],
                                    struct lull_part_place *ret, bool *ret_any) LULL_MUST_USE;

enum lull_part_why {
    LULL_PART_NOT_FOUND,
    LULL_PART_RESULT,   ///< The same instruction with the same operands has another result.
    LULL_PART_INPUT,    ///< It loads something else from the same address.
    LULL_PART_OPERANDS, ///< It reads a register that differs, and no instruction wrote it.
    LULL_PART_VALUE,    ///< Of other code: it makes a value that the other run does not have.
};

enum { LULL_PART_CHAIN = 12 };

/** What leads from the step where they part to the store, or to the branch, in order. */
struct lull_part_chain {
    const struct lull_tr_run *run; ///< Of it.
    size_t n;                      ///< May be more than are here.
    struct lull_tr_step steps[LULL_PART_CHAIN];
};

struct lull_part {
    bool same_code;
    enum lull_part_why why;
    struct lull_part_chain chain[LULL_PART_RUNS]; ///< n 0: not known of that run.
    bool branches; ///< Of same code: control goes different ways behind
    struct lull_tr_step branch[LULL_PART_RUNS];
};

/** @p runs have steps of the invocation; @p place says which store is asked about. */
struct lull_error *lull_part_steps(const struct lull_tr_run *const runs[LULL_PART_RUNS],
                                   const struct lull_part_place *place,
                                   struct lull_part *ret) LULL_MUST_USE;

/** The first line of the source with a value that only the run has whose result is the source's. */
struct lull_part_line {
    const struct lull_tr_code *at; ///< NULL: not found. Borrowed from the lines.
    unsigned run;                  ///< Which has it.
    uint32_t value;
};

/**
 * What the source says: @p lines is the invocation interpreted (steps are lines), @p part what
 * lull_part_steps() found for other code.
 */
struct lull_part_line lull_part_source(const struct lull_tr_run *lines,
                                       const struct lull_part *part,
                                       const struct lull_part_place *place);

/** The last store of a run to the memory of @p s before its time; NULL: there is none. */
const struct lull_tr_store *lull_part_writer(const struct lull_tr_run *r,
                                             const struct lull_tr_step *s,
                                             const uint32_t workgroup[3]);

#endif
