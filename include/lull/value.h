// SPDX-License-Identifier: MIT
/** @file
 * Values of C's types, one number or one number for each lane of a wave.
 */
#ifndef LULL_VALUE_H
#define LULL_VALUE_H

#include <stdbool.h>
#include <stdint.h>

enum { LULL_VALUE_LANES = 64 };

enum lull_ctype_kind {
    LULL_CTYPE_UNSIGNED,
    LULL_CTYPE_SIGNED,
    LULL_CTYPE_FLOAT,
    LULL_CTYPE_VOID,  ///< Of pointers only.
    LULL_CTYPE_PARTS, ///< A struct, union, array or vector of the program: it has no one number.
};

struct lull_symtype;

/** A scalar type, or a pointer to one, to a pointer to one ... */
struct lull_ctype {
    enum lull_ctype_kind kind;
    uint8_t bits;  ///< 8, 16, 32, 64; 0: void. Of what a pointer leads to in the end.
    uint8_t stars; ///< How many times it is a pointer; it has 64 bits, or those of the program's.
    bool lds;      ///< An offset in LDS, or a pointer to something there.
    bool scratch;  ///< A pointer to a lane's own memory.
    uint8_t above; ///< As many of the stars are not of `of`, but lead to it.
    const struct lull_symtype *of; ///< The type in the program's source; NULL: another type.
};

/** A value: one number, or one number a lane. */
struct lull_value {
    struct lull_ctype type;
    unsigned lanes;  ///< 1, or the wave's 32 or 64.
    uint64_t active; ///< Bit n: lane n is on in EXEC; 1 if lanes is 1.
    uint64_t valid;  ///< Bit n: lane n has a value. An inactive lane has none of memory, or where
                     ///< an active one would be an error.
    uint64_t v[LULL_VALUE_LANES]; ///< As many bits as the type has; those above are 0.
};

/** Where a value is kept. */
enum lull_place_kind {
    LULL_PLACE_NONE, ///< Nowhere: it was computed.
    LULL_PLACE_REGISTER,
    LULL_PLACE_MEMORY,
    LULL_PLACE_LDS,
};

struct lull_place {
    enum lull_place_kind kind;
    char name[16];  ///< REGISTER: as expressions write it, without the '$': "v3", "s[4:5]".
    unsigned lanes; ///< MEMORY, LDS: addresses, 1 or one a lane.
    uint64_t address[LULL_VALUE_LANES]; ///< GPU virtual address or offset in LDS, in bytes.
};

/** What an expression gives. */
struct lull_typed_value {
    struct lull_value value;
    struct lull_place place;
};

#endif
