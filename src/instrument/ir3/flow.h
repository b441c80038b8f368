// SPDX-License-Identifier: MIT
/** @file
 * Where a shader of ir3 goes, and which registers have a value that is read later.
 *
 * Registers as halves of components (lull_arch_ir3_place()), so halves and full ones overlap as in
 * the merged file of a6xx and a7xx. A fiber by itself: where fibers part, each keeps its registers.
 * Too much is live rather than too little: what a fiber may not write (predt, predf) ends nothing,
 * what is written or read by a0.x is any register, what other fibers may read is never free.
 */
#ifndef LULL_INSTRUMENT_IR3_FLOW_H
#define LULL_INSTRUMENT_IR3_FLOW_H

#include "arch/ir3_uses.h"
#include "isa/ir3/ir3.h"

enum { LULL_IR3_SET_WORDS = (LULL_ARCH_IR3_PLACES + 63) / 64 };

/** A set of places. */
struct lull_ir3_set {
    uint64_t w[LULL_IR3_SET_WORDS];
};

static inline bool lull_ir3_set_has(const struct lull_ir3_set *s, unsigned place)
{
    return (s->w[place / 64] >> place % 64 & 1) != 0;
}

static inline void lull_ir3_set_add(struct lull_ir3_set *s, unsigned place)
{
    s->w[place / 64] |= UINT64_C(1) << place % 64;
}

static inline void lull_ir3_set_join(struct lull_ir3_set *s, const struct lull_ir3_set *other)
{
    for (unsigned i = 0; i < LULL_IR3_SET_WORDS; i++) {
        s->w[i] |= other->w[i];
    }
}

struct lull_ir3_step {
    struct lull_ir3_insn in;
    bool known; ///< It is an instruction.
    struct lull_arch_ir3_uses uses;
    struct lull_ir3_set read, written, before, after; ///< before, after: what is live there.
    bool predicated;                                  ///< Between predt or predf and prede.
    bool follows; ///< alias stands before it, and is part of it.
};

struct lull_ir3_flow {
    struct lull_ir3_step *steps; ///< Owned.
    size_t n;
    size_t main;                  ///< The first instruction that all run, behind the preamble.
    struct lull_ir3_set named;    ///< Read or written anywhere, and outputs.
    struct lull_ir3_set foreign;  ///< Those that other fibers may read.
    struct lull_ir3_set returned; ///< Live behind any call: ret goes there.
};

/**
 * @p all_outputs: any register may be an output; else those of @out.
 *
 * @return LULL_ERR_UNSUPPORTED: code that is not an instruction, or a preamble that calls a
 * function of the shader.
 */
struct lull_error *lull_ir3_flow_of(const struct lull_ir3_shader *s, unsigned gen, unsigned lanes,
                                    bool all_outputs, struct lull_ir3_flow *ret) LULL_MUST_USE;
void lull_ir3_flow_done(struct lull_ir3_flow *f);

/** Instructions that may follow @p at, at most two; of ret it does not know any. @return How many.
 */
unsigned lull_ir3_flow_next(const struct lull_ir3_flow *f, size_t at, size_t ret[2]);

#endif
