// SPDX-License-Identifier: MIT
/** @file
 * What a run wrote, and what one invocation executed, as a file that another run is compared with.
 *
 * A module of the checks that finds nothing and keeps all: each store of the program with its data,
 * and, of one invocation, each instruction with what it read and wrote. docs/formats/run-trace.md.
 */
#ifndef LULL_CHECK_TRACE_TRACE_H
#define LULL_CHECK_TRACE_TRACE_H

#include "base/error.h"
#include "base/str.h"
#include "check/checks.h"
#include "check/objects.h"

struct lull_arch;

/** An invocation of a dispatch; dispatches count from 0 as their first wave starts. */
struct lull_trace_who {
    uint32_t dispatch, workgroup[3];
    uint32_t item; ///< Its number in the workgroup.
};

/** Zero-initialise, then set. It lives as long as the checks; lull_trace_done() at the end. */
struct lull_trace {
    bool has_who; ///< Steps of it are kept, else none.
    struct lull_trace_who who;
    uint64_t most; ///< Bytes that may be kept; 0: any.
    // The module's own.
    struct lull_str out;
    uint64_t time;
    uint32_t ndispatches;
    uint64_t last_dispatch;
    bool full;
    struct lull_trace_code *code; ///< Instructions that records name, by address.
    size_t ncode, code_room;
    const struct lull_arch *arch; ///< Of the instructions; NULL: there was none.
};

/** config: a struct lull_trace_config. */
extern const struct lull_check_module lull_check_trace;

struct lull_trace_config {
    struct lull_trace *to;
};

/** Line of the code at @p pc; false: not known. */
typedef bool lull_trace_line_fn(const void *ctx, uint64_t pc, const char **ret_file,
                                uint32_t *ret_line);

/**
 * The file's bytes.
 *
 * @param out Is appended to.
 * @return LULL_ERR_UNSUPPORTED: more than `most`. LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_trace_file(struct lull_trace *t, const struct lull_check_objects *objects,
                                   lull_trace_line_fn *line, const void *ctx,
                                   struct lull_str *out) LULL_MUST_USE;
void lull_trace_done(struct lull_trace *t);

/** @{ Steps that are lines of an interpreted program: number @p step made @p values, at most 64 of
 * them, and is at a line. */
void lull_trace_put_line(struct lull_trace *t, uint64_t step, const uint32_t *values, uint32_t n);
void lull_trace_put_place(struct lull_trace *t, uint64_t step, const char *file, uint32_t line);
/** @} */

#endif
