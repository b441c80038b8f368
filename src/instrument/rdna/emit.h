// SPDX-License-Identifier: MIT
/** @file
 * Instructions of gfx1100 put one behind the other. For src/instrument/rdna/ only.
 */
#ifndef LULL_INSTRUMENT_RDNA_EMIT_H
#define LULL_INSTRUMENT_RDNA_EMIT_H

#include "base/error.h"
#include "isa/rdna/rdna.h"
#include "isa/rdna_ops.h"

/** Code that grows. */
struct lull_rdna_emit {
    uint32_t *words; ///< Owned.
    size_t n, space;
    struct lull_error *err; ///< The first; then nothing is added. Owned.
};

void lull_rdna_emit_done(struct lull_rdna_emit *e);
void lull_rdna_emit_words(struct lull_rdna_emit *e, const void *words, size_t n);
void lull_rdna_emit_insn(struct lull_rdna_emit *e, const struct lull_rdna_insn *in);

/** SOP1, VOP1: @p dst of @p src. */
void lull_rdna_emit_move(struct lull_rdna_emit *e, enum lull_rdna_op op, unsigned dst,
                         unsigned src);
/** The same of a number: a literal. */
void lull_rdna_emit_literal(struct lull_rdna_emit *e, enum lull_rdna_op op, unsigned dst,
                            uint32_t value);
/** SOPP, and SOPK where there is a @p dst. */
void lull_rdna_emit_imm(struct lull_rdna_emit *e, enum lull_rdna_op op, unsigned dst, int32_t imm);
/** SOP2, SOPC (dst: none), and VOP3 of lanes: @p dst of @p a and @p b, which may be a literal. */
void lull_rdna_emit_two(struct lull_rdna_emit *e, enum lull_rdna_op op, unsigned dst, unsigned a,
                        unsigned b);

/** Where a buffer instruction of MUBUF goes: what @p resource says, and these behind it. */
struct lull_rdna_place {
    unsigned resource, soffset; ///< Operand numbers.
    uint32_t offset;            ///< At most 4095.
};
void lull_rdna_emit_buffer(struct lull_rdna_emit *e, enum lull_rdna_op op, unsigned data,
                           const struct lull_rdna_place *at, bool returns);

/** Everything before it has been done. */
void lull_rdna_emit_wait(struct lull_rdna_emit *e);
/** @p lo and the register behind it: @p address. */
void lull_rdna_emit_address(struct lull_rdna_emit *e, unsigned lo, uint64_t address);

#endif
