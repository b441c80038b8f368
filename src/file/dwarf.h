// SPDX-License-Identifier: MIT
/** @file
 * DWARF line tables of an ELF image, read through libdw.
 */
#ifndef LULL_FILE_DWARF_H
#define LULL_FILE_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

/** A row: from its address to the next row's the code belongs to this line. */
struct lull_dwarf_line {
    uint64_t address;
    const char *file;  ///< Path: the compiler's, made absolute with its directory if it was not.
    uint32_t line;     ///< 0: code of no line.
    uint32_t column;   ///< 0: unknown.
    bool is_stmt;      ///< A good place for a breakpoint.
    bool prologue_end; ///< A function's frame is set up here.
    bool end;          ///< One past the last byte of a sequence; has no line.
};

/** All line tables of an image in one. Zero-initialise to start. */
struct lull_dwarf_lines {
    size_t count;
    struct lull_dwarf_line
        *lines;              ///< By rising address; an end stands before a row of its address.
    struct lull_arena arena; ///< Owns lines and their strings.
};

/**
 * Read .debug_line of an ELF image. An image without one gives no rows and no error.
 *
 * @return LULL_ERR_BAD_DATA if libdw refuses the image or a table; LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_dwarf_read_lines(const void *image, size_t size,
                                         struct lull_dwarf_lines *ret) LULL_MUST_USE;

void lull_dwarf_lines_done(struct lull_dwarf_lines *lines);

/** The row that covers @p address, or NULL. */
const struct lull_dwarf_line *lull_dwarf_line_at(const struct lull_dwarf_lines *lines,
                                                 uint64_t address);

#endif
