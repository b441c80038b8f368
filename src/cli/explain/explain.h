// SPDX-License-Identifier: MIT
/** @file
 * What a word of a GPU stands for, from the tables of data/.
 *
 *   explain_adreno.c  registers, packets, descriptors, enumerators of Adreno
 *   explain_amd.c     registers, packets, enumerators of gfx11
 *   explain.c         names that are, or are like, a word
 *   cmd_explain.c     terms, and the command
 */
#ifndef LULL_CLI_EXPLAIN_H
#define LULL_CLI_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { LULL_EXPLAIN_NEAR = 24 };

/** A word that is looked for, and what was found. */
struct lull_explain {
    const char *word; ///< A name, in any case of letters, or
    bool is_number;   ///< the number of a register:
    uint64_t number;  ///< Adreno: dwords; AMD: bytes.
    bool has_value;   ///< A register's value is taken apart.
    uint64_t value;
    unsigned of;  ///< LULL_TERM_ADRENO, LULL_TERM_AMD: where to look.
    unsigned gen; ///< Of Adreno, 2 to 7; 0: all.
    struct lull_str out;
    unsigned found;
    const char *near[LULL_EXPLAIN_NEAR]; ///< Names that have the word in them.
    unsigned nnear;
};

/** Is @p name what is looked for? If not but it has the word in it, it is kept as near. */
bool lull_explain_is(struct lull_explain *e, const char *name);

void lull_explain_adreno(struct lull_explain *e);
void lull_explain_amd(struct lull_explain *e);

#endif
