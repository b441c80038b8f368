// SPDX-License-Identifier: MIT
/** @file
 * Shaders of ir3, a6xx and a7xx, rewritten after register allocation so that they write down what
 * their instructions read and write.
 *
 * In front of a chosen instruction the code takes room in a buffer, by an atomic addition or in
 * the invocation's own slice, writes the number of the invocation and of the instruction, and all
 * sources; behind it the destinations.
 * It waits for everything there, by data/isa/ir3.haz, and uses registers that are free at that
 * point; where there are not enough, it keeps others in private memory. Jumps go to where their
 * targets are. A preamble is left as it is. docs/formats/ir3-records.md.
 *
 * What it needs above all: Mesa merge request 8961 (the idea, and the order in a record).
 */
#ifndef LULL_INSTRUMENT_IR3_INSTRUMENT_H
#define LULL_INSTRUMENT_IR3_INSTRUMENT_H

#include "instrument/ir3/values.h"
#include "instrument/manifest.h"

enum {
    LULL_IR3_WHERE = 8,
    LULL_IR3_SLACK = 1 << 16, ///< Bytes that a buffer has besides its room, at most.
};

/** A register at the beginning of the shader, and the value that chosen invocations have there. */
struct lull_ir3_where {
    unsigned reg; ///< 4 times its number, and 0 to 3.
    bool half;
    unsigned shift; ///< The value is that of the bits from this one on.
    uint32_t value;
};

struct lull_ir3_instrument {
    unsigned gen;
    bool all_outputs;   ///< Any register may be an output; else those of @out.
    uint64_t buffer;    ///< Its address; all of it lies in the same 4 GiB.
    uint32_t room;      ///< Bytes of records in it.
    uint32_t slice;     ///< Bytes of records for each invocation alone; 0: one cursor for all.
    unsigned kinds;     ///< enum lull_ir3_values_kind.
    const bool *chosen; ///< Of each instruction: is it recorded?
    /* Which invocations, by their number, in the order in which they begin: */
    bool some;            ///< False: all.
    uint32_t first, last; ///< From first to last,
    uint32_t every;       ///< of them those whose number is a multiple of it,
    struct lull_ir3_where where[LULL_IR3_WHERE];
    unsigned nwhere; ///< and that have all of these.
    /** Bytes of private memory that the shader has without; negative: it is not known. */
    int64_t private_bytes;
    unsigned registers; ///< The code uses no register of four components from this on; 0: any.
};

struct lull_ir3_instrumented {
    uint64_t *words; ///< Owned.
    size_t n;
    uint32_t private_bytes; ///< That it needs; 0: no more than before.
    unsigned registers;     ///< Of four components that the code around instructions needs.
    unsigned branches;      ///< More on the branch stack than before.
    struct lull_manifest manifest;
    struct lull_str notes; ///< What is not recorded, a line each.
};

/** LULL_ERR_UNSUPPORTED: the shader cannot be rewritten, and why. */
struct lull_error *lull_ir3_instrument(const struct lull_ir3_shader *s,
                                       const struct lull_ir3_instrument *how,
                                       struct lull_ir3_instrumented *ret) LULL_MUST_USE;
void lull_ir3_instrumented_done(struct lull_ir3_instrumented *r);

#endif
