// SPDX-License-Identifier: MIT
/** @file
 * Look-up of registers by offset and by name, and printing of their values.
 *
 * The tables are made from data/reg/ by gen/reg.py, which also writes the
 * header with the numbers: hw/gc11_regs.h declares lull_regs_gc11 and defines
 * LULL_GC11_SQ_CMD, LULL_GC11_SQ_CMD__CMD_MASK, LULL_GC11_SQ_CMD__CMD__KILL ...
 * All tables are constant; any thread may read them.
 */
#ifndef LULL_HW_REG_H
#define LULL_HW_REG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hw/field.h"

/** A register, or an array of equal ones. */
struct lull_reg {
    const char *name;
    const char
        *bank; ///< "-"; "srbm": one for each VMID or queue; "grbm": one for each SE, SA, WGP; "sh".
    const char *source; ///< Keys of the table's source lines.
    uint32_t offset;    ///< Of element 0, in the table's unit.
    uint32_t stride;    ///< Between elements, in the table's unit.
    uint16_t count;     ///< Elements; 0: not an array.
    uint16_t gens;      ///< Bit g: it is so in generation g of the table.
    uint8_t width;      ///< 32 or 64 bits.
    uint8_t nfields;
    const struct lull_field *fields; ///< Lowest bit first.
};

/** One register by its own name: an element, if it belongs to an array. */
struct lull_reg_entry {
    const char *name;
    uint32_t offset;
    uint16_t reg;   ///< Index in lull_reg_db.regs.
    uint16_t index; ///< Element.
};

/** Two registers that hold one number: ((hi & hi_mask) : (lo & lo_mask)) << shift. */
struct lull_reg_pair {
    const char *name, *lo, *hi; ///< Names of struct lull_reg.
    uint32_t lo_mask, hi_mask;
    uint8_t shift;
};

struct lull_reg_db {
    const char *prefix; ///< GC11.
    const char *unit;   ///< Of offsets: "bytes", "index".
    uint16_t ngens, nregs, nentries, npairs;
    const char *const *gens;
    const struct lull_reg *regs;
    const struct lull_reg_entry *by_offset; ///< Sorted.
    const uint16_t *by_name;                ///< Indices into by_offset, sorted by name.
    const struct lull_reg_pair *pairs;
};

/** Register at @p offset in generation @p gen (an index of db->gens); NULL if there is none. */
const struct lull_reg_entry *lull_reg_at(const struct lull_reg_db *db, unsigned gen,
                                         uint32_t offset);

/** Register called @p name, in any case of letters, in generation @p gen; NULL if there is none. */
const struct lull_reg_entry *lull_reg_named(const struct lull_reg_db *db, unsigned gen,
                                            const char *name);

static inline const struct lull_reg *lull_reg_of(const struct lull_reg_db *db,
                                                 const struct lull_reg_entry *e)
{
    return &db->regs[e->reg];
}

/** Field of @p reg by name, in any case of letters; NULL if there is none. */
const struct lull_field *lull_reg_field(const struct lull_reg *reg, const char *name);

/** Pair of that name, or the one that register @p name is half of; NULL if there is none. */
const struct lull_reg_pair *lull_reg_pair_named(const struct lull_reg_db *db, const char *name);

/** The number that a pair of registers holds. */
uint64_t lull_reg_pair_value(const struct lull_reg_pair *pair, uint32_t lo, uint32_t hi);

/** "0x00000001 SCC PRIV": the value, then the fields that are not 0 (lull_fields_show()). */
void lull_reg_show(const struct lull_reg *reg, uint64_t value, struct lull_str *s);

#endif
