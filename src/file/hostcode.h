// SPDX-License-Identifier: MIT
/** @file
 * Functions and lines of programs of the host, read through elfutils' libdwfl, which also finds
 * debug information that Debian keeps in files of its own (/usr/lib/debug).
 */
#ifndef LULL_FILE_HOSTCODE_H
#define LULL_FILE_HOSTCODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** Programs and libraries that were looked at: they stay open. */
struct lull_hostcode;

/** A function at an address; of inlined ones the call in their caller is a place of its own. */
struct lull_hostcode_place {
    const char *function; ///< "" if not known.
    const char *file;     ///< Path; "" if not known.
    uint32_t line;        ///< 0 if not known.
};

struct lull_error *lull_hostcode_new(struct lull_hostcode **ret) LULL_MUST_USE;
void lull_hostcode_free(struct lull_hostcode *h);

/**
 * What is at @p address of the ELF file @p path, from the innermost inlined function outwards.
 *
 * A file that is not there or cannot be read has no places; nobody needs to know why.
 *
 * @param address In the file's own addresses.
 * @param[out] ret Texts live as long as @p h.
 * @return How many, at most @p room.
 */
size_t lull_hostcode_find(struct lull_hostcode *h, const char *path, uint64_t address,
                          struct lull_hostcode_place *ret, size_t room);

#endif
