// SPDX-License-Identifier: MIT
/** @file
 * Fields of a word by name: what printing and assembling have in common. For src/isa/spec/ only.
 */
#ifndef LULL_ISA_SPEC_SCOPE_H
#define LULL_ISA_SPEC_SCOPE_H

#include "isa/spec/spec.h"

/** A word (or an operand of one) and the bitset that it is. */
struct lull_spec_scope {
    const struct lull_spec *spec;
    const struct lull_spec_bitset *bitset;
    uint64_t word;
    unsigned gen;
    struct lull_spec_scope *parent; ///< The word that this one is an operand of.
    const struct lull_spec_param *params;
    unsigned nparams;
    /** Expressions that are being computed, newest last: none computes itself. */
    int16_t stack[LULL_SPEC_DEPTH];
    unsigned depth;
    struct lull_spec_errors *errors; ///< Where to tell of names that are not fields; may be NULL.
    uint8_t missing[4];              ///< Names already told of.
    unsigned nmissing;
};

/** What is wrong with a word. */
struct lull_spec_errors {
    unsigned n; ///< Of which four at most are in text.
    bool wanted;
    struct lull_str text;
};

/** Note an error, apart by commas. */
void lull_spec_error(struct lull_spec_errors *e, const char *fmt, ...) LULL_PRINTF(2, 3);
/** Note that there is no field @p name, once a scope. */
void lull_spec_no_field(struct lull_spec_scope *s, unsigned name);

/** Field @p name, from the first case that holds, the bitset's own before its parents'; or NULL. */
const struct lull_spec_field *lull_spec_find_field(struct lull_spec_scope *s, unsigned name);

/** The same, and through parameters in enclosing scopes. @p ret: the field's value. */
const struct lull_spec_field *lull_spec_resolve(struct lull_spec_scope *s, unsigned name,
                                                uint64_t *ret);

uint64_t lull_spec_eval(struct lull_spec_scope *s, int16_t expr);

/** Is the condition of @p c true? */
bool lull_spec_holds(struct lull_spec_scope *s, const struct lull_spec_case *c);

static inline uint64_t lull_spec_low_bits(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static inline uint64_t lull_spec_bits(uint64_t word, const struct lull_spec_field *f)
{
    return word >> f->lo & lull_spec_low_bits(f->bits);
}

static inline int64_t lull_spec_signed(uint64_t value, unsigned bits)
{
    const unsigned shift = bits >= 64 ? 0 : 64 - bits;
    return (int64_t)(value << shift) >> shift;
}

static inline const struct lull_spec_bitset *lull_spec_parent(const struct lull_spec *spec,
                                                              const struct lull_spec_bitset *b)
{
    return b->parent < 0 ? NULL : &spec->bitsets[b->parent];
}

#endif
