// SPDX-License-Identifier: MIT
/** @file
 * Files of VK_LAYER_LULL_lines, read: code of a shader and of the shader with changes
 * (docs/formats/lines.md).
 */
#ifndef LULL_DEBUG_LINES_FILE_H
#define LULL_DEBUG_LINES_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

/** A line of the source. */
struct lull_lines_place {
    uint32_t file; ///< Index into files.
    uint32_t line;
};

struct lull_lines_change {
    struct lull_lines_place at;
    uint32_t op;          ///< Of SPIR-V.
    uint32_t kind;        ///< enum lull_spv_change; any number.
    uint32_t front, back; ///< Dwords that are the code's; together at most as many as it has.
    uint32_t n;           ///< Dwords between them.
    uint32_t *words;
};

struct lull_lines_file {
    unsigned gen; ///< As of lull_lines_file_read().
    uint32_t *code;
    size_t ncode;       ///< Dwords.
    const char **files; ///< "": not known.
    size_t nfiles;
    struct lull_lines_place *lines; ///< Those that have instructions, as they come.
    size_t nlines;
    struct lull_lines_change *changes;
    size_t nchanges;
    uint32_t ntried, nfailed;
    struct lull_arena arena; ///< Owns all of it.
};

/**
 * Read the bytes of a file; they are not needed afterwards.
 *
 * @param gen Of an Adreno, whose code is text that is assembled: 630, 740; 0: of gfx1100.
 * @param[out] ret Written only on success, for lull_lines_file_done().
 * @return LULL_ERR_BAD_DATA, LULL_ERR_UNSUPPORTED (not such a file), LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_lines_file_read(const void *data, size_t size, unsigned gen,
                                        struct lull_lines_file *ret) LULL_MUST_USE;

/** Is it a file of this code? Quick: no more than the front is looked at. Code of an Adreno (@p gen
 * as above) is compared as text: of some bits the text says nothing. */
bool lull_lines_file_is_of(const void *data, size_t size, unsigned gen, const void *code,
                           size_t code_bytes);

void lull_lines_file_done(struct lull_lines_file *f);

#endif
