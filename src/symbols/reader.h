// SPDX-License-Identifier: MIT
/** @file
 * What the files that read DWARF share. For src/symbols/ only.
 */
#ifndef LULL_SYMBOLS_READER_H
#define LULL_SYMBOLS_READER_H

#include <elfutils/libdw.h>

#include "symbols/symbols.h"

/** A type by the offset of its entry. */
struct lull_symread_known {
    uint64_t offset;
    struct lull_symtype *type;
};

/** A type in the order in which they were met, the last first. */
struct lull_symread_type {
    struct lull_symtype type;
    struct lull_symread_type *next;
};

struct lull_symread {
    struct lull_symbols *symbols;
    struct lull_symscope *last_unit;
    size_t nscopes, ntypes, room;
    struct lull_symread_known *types; ///< Open addressing; offset 0: free. Owned.
    struct lull_symread_type *all;
    unsigned depth;
};

/** A copy in the arena; "" of NULL. */
struct lull_error *lull_symread_text(struct lull_symread *r, const char *text,
                                     const char **ret) LULL_MUST_USE;
/** An attribute that is a number, of the entry or of what it is an instance of. */
bool lull_symread_number(Dwarf_Die *die, unsigned name, uint64_t *ret);
/** The type that DW_AT_type of an entry says; void if it has none. */
struct lull_error *lull_symread_type_of(struct lull_symread *r, Dwarf_Die *die,
                                        const struct lull_symtype **ret) LULL_MUST_USE;
/** Cut typedefs and arrays that lead to themselves, work out sizes, keep those with names. */
struct lull_error *lull_symread_check_types(struct lull_symbols *s,
                                            struct lull_symread_type *all) LULL_MUST_USE;

#endif
