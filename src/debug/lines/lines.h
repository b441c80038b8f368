// SPDX-License-Identifier: MIT
/** @file
 * Lines of a driver's own code: which instruction depends on which line of the shader's source,
 * found by what changes in the code when one line of the source changes.
 *
 * Nothing is guessed: an instruction that no change alters has no line, and of each line is known
 * what says so. Waits and hints of the schedule have none of their own.
 */
#ifndef LULL_DEBUG_LINES_LINES_H
#define LULL_DEBUG_LINES_LINES_H

#include "base/str.h"
#include "debug/lines/code.h"
#include "debug/lines/file.h"

/** How sure the line of an instruction is. */
enum lull_lines_sure {
    LULL_LINES_UNKNOWN,
    LULL_LINES_SEVERAL, ///< Changes of several lines alter it alike: it is part of each.
    LULL_LINES_BETWEEN, ///< It stands between instructions of one line, in one block.
    LULL_LINES_CHANGED, ///< Changes of this line alter it, with others at the same time.
    LULL_LINES_EXACT,   ///< Changes of this line alone, and one alters hardly anything else.
};

struct lull_lines_row {
    uint32_t offset, size;        ///< Bytes in the code.
    struct lull_lines_place at;   ///< Line 0: not known.
    struct lull_lines_place also; ///< Of SEVERAL: another.
    enum lull_lines_sure sure;
    unsigned changes; ///< Of this line, that alter it.
    bool waits;       ///< A wait or a hint.
};

struct lull_lines {
    struct lull_lines_file file;
    struct lull_lines_row *rows; ///< In file.arena.
    size_t nrows;
    unsigned nlarge; ///< Changes that altered too much to say anything.
};

/**
 * The lines of the code in a file of VK_LAYER_LULL_lines.
 *
 * @param gen As of lull_lines_file_read().
 * @param[out] ret Written only on success, for lull_lines_done().
 * @return As lull_lines_file_read().
 */
struct lull_error *lull_lines_read(const void *data, size_t size, unsigned gen,
                                   struct lull_lines *ret) LULL_MUST_USE;
void lull_lines_done(struct lull_lines *l);

/** The row that holds the byte @p offset of the code; NULL: none. */
const struct lull_lines_row *lull_lines_at(const struct lull_lines *l, uint64_t offset);

/** The surest instruction of a line, the first if there are several; NULL: none is known. The file
 * by the end of its path, NULL for any. */
const struct lull_lines_row *lull_lines_find(const struct lull_lines *l, const char *file,
                                             uint32_t line);

/** The path of a place's file. */
const char *lull_lines_path(const struct lull_lines *l, const struct lull_lines_place *p);

/** Is the file of a place called so? */
bool lull_lines_is_file(const struct lull_lines *l, const struct lull_lines_place *p,
                        const char *file);

/** "exact, by 2 changes"; "by 1 change"; "between"; "also line 12". */
void lull_lines_show_sure(const struct lull_lines_row *r, struct lull_str *out);

/** How much is known. */
struct lull_lines_sum {
    unsigned insns, exact, changed, several, between, unknown; ///< Without waits.
    unsigned lines, lines_exact, lines_known; ///< Of the source; KNOWN: exact ones, too.
};
void lull_lines_add_up(const struct lull_lines *l, struct lull_lines_sum *ret);

#endif
