// SPDX-License-Identifier: MIT
/** @file
 * Instruction sets described by bitsets: printing and assembling words by table.
 *
 * A bitset says which bits are fixed, what the other bits are called, and how the text looks.
 * Fields may be bitsets themselves (operands). The tables are made from data/isa/ir3.spec and
 * afuc.spec by gen/spec.py (format: docs/formats/spec-table.md) and are constant: any thread may
 * use them, there is no other state.
 */
#ifndef LULL_ISA_SPEC_SPEC_H
#define LULL_ISA_SPEC_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct lull_spec;
struct lull_spec_scope;

enum lull_spec_type {
    LULL_SPEC_BOOL,     ///< Its text if 1.
    LULL_SPEC_BOOL_INV, ///< Its text if 0.
    LULL_SPEC_UINT,
    LULL_SPEC_INT,
    LULL_SPEC_HEX,     ///< Without 0x.
    LULL_SPEC_OFFSET,  ///< "+5", "-5", nothing for 0.
    LULL_SPEC_UOFFSET, ///< "+5", nothing for 0.
    LULL_SPEC_FLOAT,   ///< 16 or 32 bits.
    LULL_SPEC_BRANCH,  ///< Signed, in instructions from this one.
    LULL_SPEC_ABSBRANCH,
    LULL_SPEC_ENUM,
    LULL_SPEC_BITSET,
    LULL_SPEC_CUSTOM,  ///< Printed and parsed by struct lull_spec_hooks.
    LULL_SPEC_EXPECT,  ///< Bits that should have the value `expect`: an error if not.
    LULL_SPEC_FIXED,   ///< Bits that an assembler gives the value `expect`.
    LULL_SPEC_DEFAULT, ///< The same, where neither the text nor a condition decides them.
};

/** In the nested bitset the name @p as stands for the enclosing @p name. */
struct lull_spec_param {
    uint8_t name, as;
};

struct lull_spec_field {
    uint8_t name; ///< Index in lull_spec.names.
    uint8_t lo, bits;
    uint8_t type; ///< enum lull_spec_type.
    int16_t expr; ///< Derived: index of an expression; else -1.
    uint16_t sub; ///< ENUM: index in enums. BITSET: index in roots.
    uint8_t nparams;
    const struct lull_spec_param *params;
    const char *text; ///< BOOL; NULL: the number.
    uint64_t expect;
};

enum lull_spec_role {
    LULL_SPEC_ROLE_OPERAND, ///< Of an operand's own bitset: that of the field that it is in.
    LULL_SPEC_ROLE_DST,
    LULL_SPEC_ROLE_SRC,
    LULL_SPEC_ROLE_BOTH,   ///< Read, then written.
    LULL_SPEC_ROLE_TARGET, ///< Where a branch goes, in instructions from this one.
};

/** What is said of an operand besides its value. */
enum lull_spec_mod_kind {
    LULL_SPEC_MOD_HALF,
    LULL_SPEC_MOD_NEG,
    LULL_SPEC_MOD_ABS,
    LULL_SPEC_MOD_R, ///< Goes on to the next register when the instruction repeats.
    LULL_SPEC_MOD_LAST,
    LULL_SPEC_MOD_INV,
    LULL_SPEC_MOD_ABSNEG, ///< Bit 0: NEG, bit 1: ABS. Not in lull_spec_found.mods.
};

struct lull_spec_mod {
    uint8_t what; ///< enum lull_spec_mod_kind.
    int16_t expr;
};

enum { LULL_SPEC_OF_FIELD = 255 };

/** A row that says what is an operand. */
struct lull_spec_operand {
    uint8_t role;
    uint8_t kind;  ///< The table's own; 0: none. LULL_SPEC_OF_FIELD: the operands of a field.
    uint8_t field; ///< Name.
    int16_t expr;  ///< Value.
    uint8_t nmods;
    const struct lull_spec_mod *mods;
};

/** A piece of a display: literal text, or a field if text is NULL. */
struct lull_spec_piece {
    const char *text;
    uint8_t length; ///< Of the text.
    uint8_t field;  ///< Name; LULL_SPEC_NAME: the mnemonic.
};

enum { LULL_SPEC_NAME = 255, LULL_SPEC_DEPTH = 8 };

struct lull_spec_case {
    int16_t expr; ///< -1: always.
    bool has_display;
    uint8_t npieces, nfields, noperands;
    const struct lull_spec_operand *operands;
    const struct lull_spec_piece *pieces;
    const struct lull_spec_field *fields;
};

/** A field that a leaf may have: its own or a parent's. */
struct lull_spec_slot {
    const struct lull_spec_field *field;
    int16_t expr; ///< Condition of its case; -1: always.
    bool more;    ///< The next slot has the same name.
};

struct lull_spec_bitset {
    const char *name, *mnemonic;
    uint16_t gen_min, gen_max; ///< Inclusive.
    int16_t parent;            ///< -1: a root.
    uint8_t ncases, nalso;
    uint64_t mask, match, dontcare;     ///< With those of its parents.
    const struct lull_spec_case *cases; ///< Those with conditions first.
    const struct lull_spec_case *also;  ///< Displays that only an assembler reads.
    const struct lull_spec_slot *slots; ///< Of leaves; may be NULL.
    const uint8_t *where;               ///< By name: 1 + index of its first slot, 0: no such field.
};

struct lull_spec_value {
    uint64_t value;
    const char *text;
};

struct lull_spec_enum {
    const char *name;
    uint16_t n;
    const struct lull_spec_value *values; ///< Longest text first.
};

/** Leaves of a root, by the value of a few bits; in several ranges if they do not fix them all. */
struct lull_spec_root {
    const char *name;
    uint8_t shift, bits;   ///< Of the index; bits 0: no index.
    const uint16_t *first; ///< 1 << bits, and one more: ranges in leaves.
    const uint16_t *leaves;
};

struct lull_spec_expr {
    uint64_t (*value)(struct lull_spec_scope *s);
    uint8_t nuses;
    const uint8_t *uses; ///< Names of the fields in it.
};

struct lull_spec {
    const char *prefix;
    uint8_t bits; ///< Of a word: 32 or 64.
    uint16_t nbitsets, nroots, nenums, nnames;
    const struct lull_spec_bitset *bitsets;
    const struct lull_spec_root *roots; ///< roots[0]: instructions.
    const struct lull_spec_enum *enums;
    const char *const *names;
    const struct lull_spec_expr *exprs;
    uint16_t nexprs;
};

/** What only the instruction set's own code knows. Any may be NULL. */
struct lull_spec_hooks {
    /** Print a CUSTOM field. @return False: print the number. */
    bool (*print)(void *ctx, const char *field, uint64_t value, struct lull_str *out);
    /** Parse a CUSTOM field at @p text. @return Characters used, 0 if it is none. */
    size_t (*parse)(void *ctx, const char *field, const char *text, uint64_t *ret);
    /** Print a BRANCH (from the instruction) or ABSBRANCH. @return False: print the number. */
    bool (*branch)(void *ctx, bool absolute, int64_t value, struct lull_str *out);
    /** Parse a label after '#'. @return Characters used, 0 if it is none. */
    size_t (*label)(void *ctx, bool absolute, const char *text, int64_t *ret);
    /** Told of each field as it is printed, those of operands too, from left to right. */
    void (*field)(void *ctx, unsigned name, uint64_t value);
    /** Told of a mnemonic as it is printed. */
    void (*name)(void *ctx, const char *mnemonic);
    void *ctx;
};

struct lull_spec_index;

struct lull_spec_options {
    unsigned gen; ///< What gen_min and gen_max are compared with (ir3: 630; afuc: 6).
    bool errors;  ///< Say after the text what is wrong with the word, as Mesa does.
    const struct lull_spec_hooks *hooks; ///< May be NULL.
    const struct lull_spec_index *index; ///< For assembling many texts quickly; may be NULL.
};

/** What makes assembling quick; for one spec, whatever gen is, and one thread at a time. */
struct lull_error *lull_spec_index_new(const struct lull_spec *spec,
                                       struct lull_spec_index **ret) LULL_MUST_USE;
void lull_spec_index_free(struct lull_spec_index *x);

/** Bitset of root @p root that @p word is one of; NULL: none, or more than one. */
const struct lull_spec_bitset *lull_spec_find(const struct lull_spec *spec, unsigned root,
                                              unsigned gen, uint64_t word);

/**
 * Print an instruction word.
 *
 * @return The number of errors (of which at most four are named); -1: no instruction; then
 *         "no match: <hex>" is the text.
 */
int lull_spec_print(const struct lull_spec *spec, const struct lull_spec_options *o, uint64_t word,
                    struct lull_str *out);

/** Words that were printed; of one spec, and always with the same options but gen. NULL: no memory.
 */
struct lull_spec_again;
struct lull_spec_again *lull_spec_again_new(void);
void lull_spec_again_free(struct lull_spec_again *a);

/** lull_spec_print(), quick for a word that @p a has seen. Hooks are told the same. */
int lull_spec_print_again(struct lull_spec_again *a, const struct lull_spec *spec,
                          const struct lull_spec_options *o, uint64_t word, struct lull_str *out);

/**
 * Field @p name (index in names) of an instruction word, as its bits or its expression say.
 *
 * @return False: it has no such field.
 */
bool lull_spec_field(const struct lull_spec *spec, unsigned gen, uint64_t word, unsigned name,
                     uint64_t *ret);

/** An operand of a word. */
struct lull_spec_found {
    uint8_t role, kind; ///< kind 0: its bits are not an operand that is known.
    uint8_t mods;       ///< Bits by enum lull_spec_mod_kind.
    int64_t value;
};

/**
 * Operands of instruction word @p word, in the order of the table's rows.
 *
 * @param bitset What lull_spec_find() gives for the word. @return How many, at most @p room.
 */
unsigned lull_spec_operands(const struct lull_spec *spec, unsigned gen,
                            const struct lull_spec_bitset *bitset, uint64_t word,
                            struct lull_spec_found *ret, unsigned room);

/** The same for field @p name of the word alone: its value if it is not a bitset with operands. */
bool lull_spec_member(const struct lull_spec *spec, unsigned gen,
                      const struct lull_spec_bitset *bitset, uint64_t word, unsigned name,
                      int64_t *ret);

/**
 * Assemble one instruction: the word whose text is @p text.
 *
 * Of words with the same text it gives the one whose bits without a name in the text are 0, or as
 * the table's defaults say.
 *
 * @param[out] ret_column If it fails: how far into the text any instruction reads so.
 */
bool lull_spec_match(const struct lull_spec *spec, const struct lull_spec_options *o,
                     const char *text, uint64_t *ret, size_t *ret_column);

/** The same. @return LULL_ERR_INVALID with the column: what does not fit. */
struct lull_error *lull_spec_assemble(const struct lull_spec *spec,
                                      const struct lull_spec_options *o, const char *text,
                                      uint64_t *ret) LULL_MUST_USE;

/* For generated expressions. */

/** Field by name in the scope; 0 if there is none. */
uint64_t lull_spec_value(struct lull_spec_scope *s, unsigned name);
unsigned lull_spec_gen(const struct lull_spec_scope *s);

#endif
