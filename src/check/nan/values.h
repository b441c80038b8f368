// SPDX-License-Identifier: MIT
/** @file
 * Float operands of all lanes, by the types of data/isa/rdna3.ops.
 */
#ifndef LULL_CHECK_NAN_VALUES_H
#define LULL_CHECK_NAN_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "isa/rdna/ops.h"
#include "model/amd/wave/wave.h"

enum { LULL_NAN_SOURCES = 4, LULL_NAN_LANES = 64 };

/** Operation of an instruction, of which VOPD has two. */
struct lull_nan_op {
    unsigned op;
    const uint16_t *src;
    unsigned nsrc, dst;
};

/** How an operand is a float. */
enum lull_nan_kind { LULL_NAN_NONE, LULL_NAN_F16, LULL_NAN_F32, LULL_NAN_F64, LULL_NAN_PAIR };

/** An operand; high: of f64. */
struct lull_nan_value {
    enum lull_nan_kind kind;
    uint32_t low[LULL_NAN_LANES], high[LULL_NAN_LANES];
};

/** Of @p in. @return How many, 0 to 2. */
unsigned lull_nan_ops(const struct lull_rdna_insn *in, struct lull_nan_op ret[2]);

/** How operand slot @p slot of @p op is a float. */
enum lull_nan_kind lull_nan_kind(unsigned op, unsigned slot);

/** Operand @p reg of @p in, of kind @p kind, as it is now. */
void lull_nan_read(const struct lull_wave *w, const struct lull_rdna_insn *in, unsigned reg,
                   enum lull_nan_kind kind, struct lull_nan_value *ret);

/** @p v is operand @p i of @p in, which reads 32 bits or either half of them, as op_sel_hi and
 * op_sel say: it becomes that. */
void lull_nan_mix(const struct lull_rdna_insn *in, unsigned i, struct lull_nan_value *v);

/** Lanes of @p n that are NaNs. */
uint64_t lull_nan_lanes(const struct lull_nan_value *v, unsigned n);

/** Whether one of the @p n lanes at @p v, the upper dwords of f64, may be a NaN: quickly. */
bool lull_nan_may(const uint32_t *v, unsigned n, enum lull_nan_kind kind);

/** Append the number whose bits are @p bits. */
void lull_nan_number(enum lull_nan_kind kind, uint64_t bits, struct lull_str *out);

/** Append its value in lane @p lane. */
void lull_nan_text(const struct lull_nan_value *v, unsigned lane, struct lull_str *out);

#endif
