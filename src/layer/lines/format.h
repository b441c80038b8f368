// SPDX-License-Identifier: MIT
/** @file
 * Numbers of the files *.lines (docs/formats/lines.md), for who writes and who reads them.
 */
#ifndef LULL_LAYER_LINES_FORMAT_H
#define LULL_LAYER_LINES_FORMAT_H

enum {
    LULL_LINES_MAGIC = 0x4e494c4c, ///< "LLIN"
    LULL_LINES_VERSION = 1,        ///< Code is dwords;
    LULL_LINES_TEXT_VERSION = 2,   ///< it is text, in Mesa's words of ir3.
};

/** Kinds of records. */
enum lull_lines_record {
    LULL_LINES_END,
    LULL_LINES_FILE,
    LULL_LINES_LINE,
    LULL_LINES_CHANGE,
};

#endif
