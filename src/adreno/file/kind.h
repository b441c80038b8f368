// SPDX-License-Identifier: MIT
/** @file
 * What a file is that is said to be a capture or a crash dump, by its first bytes.
 */
#ifndef LULL_ADRENO_FILE_KIND_H
#define LULL_ADRENO_FILE_KIND_H

#include "base/error.h"
#include "file/stream.h"

enum lull_kind {
    LULL_KIND_OTHER, ///< Nothing that is known here, or it could not be read.
    LULL_KIND_EMPTY,
    LULL_KIND_ZEROS,
    LULL_KIND_RD,      ///< An rd capture: its first section is of a known type.
    LULL_KIND_DEVCORE, ///< Text with a line that begins a part of a crash dump.
    LULL_KIND_ELF,
    LULL_KIND_TEXT,
};

/** Looks at @p s, which is read from there on as if nobody had looked. */
enum lull_kind lull_kind_of(struct lull_stream *s);

/**
 * Is it an rd capture, or may be a damaged one?
 *
 * @return LULL_ERR_BAD_DATA says what it is instead. What cannot be read is left to its reader.
 */
struct lull_error *lull_kind_want_rd(struct lull_stream *s) LULL_MUST_USE;

/** Is it a crash dump? As lull_kind_want_rd(). */
struct lull_error *lull_kind_want_devcore(struct lull_stream *s) LULL_MUST_USE;

#endif
