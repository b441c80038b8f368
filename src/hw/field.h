// SPDX-License-Identifier: MIT
/** @file
 * Bit fields of registers and packet dwords: taking them out, putting them in,
 * and printing them. The tables are made from data/ by gen/reg.py and gen/pkt.py.
 */
#ifndef LULL_HW_FIELD_H
#define LULL_HW_FIELD_H

#include <stddef.h>
#include <stdint.h>

struct lull_str;

enum lull_field_kind {
    LULL_FIELD_UINT,
    LULL_FIELD_ADDRESS, ///< Stands for value << shift, a byte address.
    LULL_FIELD_REG,     ///< Number of a register, in dwords from byte offset base.
    LULL_FIELD_F32,
    LULL_FIELD_SIGNED,
};

struct lull_field_value {
    uint64_t value;
    const char *name;
};

/** One bit field. */
struct lull_field {
    const char *name;
    uint8_t lo, bits; ///< Lowest bit and number of bits in the register.
    uint8_t shift;
    uint8_t kind;  ///< enum lull_field_kind.
    uint32_t base; ///< For LULL_FIELD_REG.
    uint16_t nvalues;
    const struct lull_field_value *values; ///< Sorted by value.
};

/** Field @p mask (in place, not 0) of @p value, moved down to bit 0. */
static inline uint32_t lull_get(uint32_t value, uint32_t mask)
{
    return (value & mask) >> __builtin_ctz(mask);
}

/** @p value with field @p mask (in place, not 0) set to @p field; bits that do not fit are lost. */
static inline uint32_t lull_set(uint32_t value, uint32_t mask, uint32_t field)
{
    return (value & ~mask) | (field << __builtin_ctz(mask) & mask);
}

/** lull_get() of a 64-bit register. */
static inline uint64_t lull_get64(uint64_t value, uint64_t mask)
{
    return (value & mask) >> __builtin_ctzll(mask);
}

/** lull_set() of a 64-bit register. */
static inline uint64_t lull_set64(uint64_t value, uint64_t mask, uint64_t field)
{
    return (value & ~mask) | (field << __builtin_ctzll(mask) & mask);
}

/** Value of field @p f in @p value, as it stands: not shifted by f->shift. */
uint64_t lull_field_of(const struct lull_field *f, uint64_t value);

/** Name of @p number (a field's value) in the field's list; NULL if it has none. */
const char *lull_field_value_name(const struct lull_field *f, uint64_t number);

/** "NAME" for a single set bit without names, else "NAME=VALUE": by name, address or number. */
void lull_field_show(const struct lull_field *f, uint64_t value, struct lull_str *s);

/**
 * All fields of @p value that are not 0 or whose 0 has a name, with blanks
 * between; bits that no field covers come last as "?=0x...".
 */
void lull_fields_show(const struct lull_field *f, size_t n, uint64_t value, struct lull_str *s);

#endif
