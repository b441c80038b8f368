// SPDX-License-Identifier: MIT
/** @file
 * Domains: address spaces of registers, packets and descriptors of Adreno GPUs, by dword.
 *
 * The tables are made from data/adreno/ by gen/dom.py (format: docs/formats/dom-table.md);
 * hw/adreno_doms.h declares lull_dom_adreno and has the numbers. All tables are constant.
 */
#ifndef LULL_HW_DOM_H
#define LULL_HW_DOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct lull_str;

enum lull_dom_kind {
    LULL_DOM_NONE, ///< No type known.
    LULL_DOM_HEX,
    LULL_DOM_UINT,
    LULL_DOM_INT,
    LULL_DOM_BOOL,
    LULL_DOM_FLOAT, ///< Of 16, 32 or 64 bits, as wide as the field.
    LULL_DOM_FIXED,
    LULL_DOM_UFIXED,
    LULL_DOM_REGID, ///< Shader register: number << 2 | component.
    LULL_DOM_ADDRESS,
    LULL_DOM_WADDRESS, ///< Address that the GPU writes to.
    LULL_DOM_VOID,     ///< The value means nothing.
    LULL_DOM_ENUM,
    LULL_DOM_BITSET, ///< sub: in bitsets.
    LULL_DOM_FIELDS, ///< A register with fields of its own.
};

/** When an entry is there. Index 0: always. */
struct lull_dom_cond {
    uint16_t chips; ///< Bit n: generation n (2 is a2xx); 0: all.
    int16_t which;  ///< Which choosing enum must have `value`; -1: none.
    uint32_t value;
};

struct lull_dom_field {
    const char *name;
    uint8_t lo, hi;
    uint8_t kind; ///< enum lull_dom_kind.
    uint8_t shr;  ///< The number stands for value << shr.
    uint8_t radix;
    uint16_t sub;   ///< ENUM, BITSET: which.
    uint16_t cond;  ///< In conds.
    uint8_t adds;   ///< 1 + which choosing enum this field sets; 0: none.
    bool is_inline; ///< From a bitset that several registers share.
};

struct lull_dom_value {
    uint32_t value;
    const char *name;
    uint16_t chips; ///< 0: all.
};

struct lull_dom_enum {
    const char *name;
    uint16_t n;
    const struct lull_dom_value *values;
};

struct lull_dom_bitset {
    const char *name;
    uint16_t n;
    const struct lull_dom_field *fields;
};

enum lull_dom_usage { LULL_DOM_USE_NONE, LULL_DOM_USE_CMD, LULL_DOM_USE_RP_BLIT };

struct lull_dom_reg {
    uint32_t offset;          ///< Of element 0, in dwords.
    const char *name, *after; ///< An element is called name[index]after.
    uint16_t count;           ///< 0: no array.
    uint16_t stride;
    uint8_t width; ///< 32 or 64 bits.
    uint8_t kind;
    uint16_t sub;
    uint8_t shr, radix, lo, hi;
    uint16_t cond;
    uint8_t usage; ///< enum lull_dom_usage.
    uint8_t nfields;
    const struct lull_dom_field *fields; ///< The one that chooses a variant first.
};

struct lull_dom {
    const char *name;
    uint16_t n;
    const struct lull_dom_reg *regs; ///< In the order in which they are meant: first one wins.
};

struct lull_dom_db {
    uint16_t ndomains, nenums, nbitsets, nconds, nchoosing;
    const struct lull_dom *domains;
    const struct lull_dom_enum *enums;
    const struct lull_dom_bitset *bitsets;
    const struct lull_dom_cond *conds;
    const uint16_t *choosing; ///< Enums whose fields choose a variant.
};

enum { LULL_DOM_CHOOSING = 8 };

/** What parts of the text are, for those who want them in colours. */
enum lull_dom_color {
    LULL_DOM_COLOR_RESET,
    LULL_DOM_COLOR_NAME,
    LULL_DOM_COLOR_FLAG,
    LULL_DOM_COLOR_NUMBER,
    LULL_DOM_COLOR_WORD,    ///< A value that has a name.
    LULL_DOM_COLOR_UNKNOWN, ///< What nobody knows.
    LULL_DOM_COLORS,
};

/** What conditions are asked about. */
struct lull_dom_state {
    unsigned chip;                      ///< 2 to 7.
    uint32_t chosen[LULL_DOM_CHOOSING]; ///< By choosing enum: its last value.
    bool has_chosen[LULL_DOM_CHOOSING];
    /** As Mesa's decoder prints, its faults included: fixed-point fields of shared bitsets without
     * their point, denormal half floats as they come out there. */
    bool like_mesa;
    const char *const *colors; ///< LULL_DOM_COLORS texts; NULL: none.
};

/** A register at an address. */
struct lull_dom_hit {
    const struct lull_dom_reg *reg; ///< NULL: none.
    unsigned index;                 ///< Element of an array.
    unsigned dword;                 ///< 1: the upper half of a 64-bit register.
};

bool lull_dom_holds(const struct lull_dom_db *db, const struct lull_dom_state *s, unsigned cond);

/** The register at @p offset of @p dom: the first one in the table. */
struct lull_dom_hit lull_dom_at(const struct lull_dom_db *db, const struct lull_dom_state *s,
                                const struct lull_dom *dom, uint32_t offset);

/** Registers of up to two domains by address, for one generation. Immutable once made. */
struct lull_dom_index;

/** Index of @p doms in order of preference, over addresses below @p size. */
struct lull_error *lull_dom_index_new(const struct lull_dom_db *db, unsigned chip,
                                      const struct lull_dom *const *doms, unsigned ndoms,
                                      uint32_t size, struct lull_dom_index **ret) LULL_MUST_USE;
void lull_dom_index_free(struct lull_dom_index *ix);
struct lull_dom_hit lull_dom_lookup(const struct lull_dom_index *ix, uint32_t offset);

/** "NAME", "NAME[0x3].FIELD", "NAME_HI" or "NAME+0x1" for an upper half. */
void lull_dom_name(const struct lull_dom_hit *hit, struct lull_str *out);
/** The same in @p colors (as of struct lull_dom_state). */
void lull_dom_name_in(const char *const *colors, const struct lull_dom_hit *hit,
                      struct lull_str *out);

/** Offset of the register called @p name (as lull_dom_name() prints it, or with a decimal number in
 * its brackets); false: there is none. */
bool lull_dom_find(const struct lull_dom_index *ix, const char *name, uint32_t *ret);

/** Name of @p value in enum @p which, or NULL. */
const char *lull_dom_enum_name(const struct lull_dom_db *db, const struct lull_dom_state *s,
                               unsigned which, uint64_t value);

/** The value in words: "{ A = 1 | FLAG }", a number, a name. Fields that choose a variant set @p s.
 */
void lull_dom_show(const struct lull_dom_db *db, struct lull_dom_state *s,
                   const struct lull_dom_reg *reg, uint64_t value, struct lull_str *out);

/** The same of a bitset. */
void lull_dom_show_bitset(const struct lull_dom_db *db, struct lull_dom_state *s, unsigned bitset,
                          uint64_t value, struct lull_str *out);

/** Field @p f of a register whose value is @p value, in words. */
void lull_dom_show_field(const struct lull_dom_db *db, struct lull_dom_state *s,
                         const struct lull_dom_field *f, uint64_t value, struct lull_str *out);

/** Fields of @p reg, its own or those of its bitset. @return How many; 0: it has none. */
unsigned lull_dom_fields(const struct lull_dom_db *db, const struct lull_dom_reg *reg,
                         const struct lull_dom_field **ret);

/** Field @p name of @p reg in @p value; false: it has none. */
bool lull_dom_field(const struct lull_dom_db *db, const struct lull_dom_state *s,
                    const struct lull_dom_reg *reg, const char *name, uint64_t value,
                    uint64_t *ret);
/** Field @p name of @p reg in *value becomes @p to; false: it has none, or that does not fit. */
bool lull_dom_field_set(const struct lull_dom_db *db, const struct lull_dom_state *s,
                        const struct lull_dom_reg *reg, const char *name, uint64_t to,
                        uint64_t *value);

#endif
