// SPDX-License-Identifier: MIT
/** @file
 * Run traces (docs/formats/run-trace.md), read.
 */
#ifndef LULL_CHECK_TRACE_READ_H
#define LULL_CHECK_TRACE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "check/trace/format.h"

struct lull_arch;

/** A name in the file's bytes: not NUL-terminated. */
struct lull_tr_text {
    const char *text;
    uint32_t size;
};

struct lull_tr_object {
    uint64_t va, size;
    struct lull_tr_text name; ///< Size 0: not the program's own.
};

struct lull_tr_code {
    uint64_t pc;
    uint32_t line; ///< 0: not known.
    struct lull_tr_text text, file;
};

/** What one lane stored. */
struct lull_tr_store {
    uint64_t time, pc, address, base;
    uint32_t dispatch, workgroup[3], item;
    uint32_t flags, bytes; ///< flags: LULL_TRACE_*.
    const uint8_t *data;   ///< bytes of them, little-endian, in the file's bytes.
};

/** What the invocation executed. */
struct lull_tr_step {
    uint64_t time, pc, address;
    uint32_t flags, memory, bytes; ///< bytes 0: it went to no memory; memory: flags of that.
    uint32_t data;                 ///< Register of the first dword that it loads or stores.
    uint32_t nreads, nwrites;
    const uint8_t *regs; ///< Pairs of register and value: reads, then writes.
};

/** Zero-initialise; borrows the bytes. */
struct lull_tr_run {
    struct lull_tr_object *objects;
    struct lull_tr_code *codes; ///< By rising pc.
    struct lull_tr_store *stores;
    struct lull_tr_step *steps;
    size_t nobjects, ncodes, nstores, nsteps;
    const struct lull_arch *arch; ///< Of its instructions and registers.
    uint64_t time;                ///< Instructions of waves, all together.
};

/** LULL_ERR_BAD_DATA names the byte. */
struct lull_error *lull_tr_parse(const void *data, size_t size,
                                 struct lull_tr_run *ret) LULL_MUST_USE;
void lull_tr_done(struct lull_tr_run *r);

/** NULL: the trace does not have it. */
const struct lull_tr_code *lull_tr_code_at(const struct lull_tr_run *r, uint64_t pc);

/** Register and value number @p i of a step's reads and, behind them, writes. */
void lull_tr_reg(const struct lull_tr_step *s, uint32_t i, uint32_t *ret_reg, uint32_t *ret_value);

#endif
