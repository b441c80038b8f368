// SPDX-License-Identifier: MIT
/** @file
 * Crash dumps that the kernel's msm driver makes of Adreno GPUs (devcoredump), line by line.
 *
 * The format is docs/formats/devcore.md. The reader holds one line, or two for data. Source: Linux
 * 6.12 drivers/gpu/drm/msm/adreno/adreno_gpu.c, a6xx_gpu_state.c.
 */
#ifndef LULL_ADRENO_FILE_DEVCORE_H
#define LULL_ADRENO_FILE_DEVCORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "file/stream.h"

enum lull_devcore_kind {
    LULL_DEVCORE_TEXT,     ///< Something else.
    LULL_DEVCORE_HEAD,     ///< At the margin: "revision: 630 (6.3.0.2)", or a section: "bos:".
    LULL_DEVCORE_KEY,      ///< "    size: 4096", "  - iova: 0x1000".
    LULL_DEVCORE_REGISTER, ///< "  - { offset: 0x840, value: 0x5 }".
    LULL_DEVCORE_DATA,     ///< "data: !!ascii85 |" with the line after it.
};

struct lull_devcore_line {
    enum lull_devcore_kind kind;
    uint64_t number; ///< From 1; of DATA that of the second.
    /** As it stands there, with its end of line; of DATA both lines. Not NUL-terminated. */
    const char *text;
    size_t size;
    const char *section;      ///< What the last HEAD was called: "bos", "revision"; "" before.
    const char *key, *value;  ///< KEY and HEAD; "" of others. Cut at 31 and 255 characters.
    uint32_t offset, content; ///< REGISTER: in bytes; its value.
    const char *data;         ///< DATA: without blanks before and after.
    size_t data_size;
    bool cut;      ///< The dump ends without an end of this line.
    bool overlong; ///< It is over the limit: what follows in it was left out.
};

struct lull_devcore;

enum {
    LULL_DEVCORE_LIMIT = 1 << 28
}; ///< Longest line if the reader is not told another, in bytes.

/** Reader of @p s, which is borrowed. @p limit: bytes to keep of a line; 0: LULL_DEVCORE_LIMIT. */
struct lull_error *lull_devcore_new(struct lull_stream *s, size_t limit,
                                    struct lull_devcore **ret) LULL_MUST_USE;

/**
 * Next line.
 *
 * @param[out] ret Valid until the next call. @param[out] ret_more False: that was all.
 *
 * LULL_ERR_OS, LULL_ERR_BAD_DATA of the stream.
 */
struct lull_error *lull_devcore_next(struct lull_devcore *d, struct lull_devcore_line *ret,
                                     bool *ret_more) LULL_MUST_USE;

void lull_devcore_free(struct lull_devcore *d);

/** The number that @p value starts with, decimal or 0x; false: it starts with none. */
bool lull_devcore_number(const char *value, uint64_t *ret);

/** Append a data line and the one before it, which is indented by @p indent, as the kernel does:
 * without the zeros at the end, and not at all if all is zero. @p data_indent: of the data; the
 * kernel takes 5 for rings and buffers, and 6 for all else. */
void lull_devcore_put_data(struct lull_str *out, unsigned indent, unsigned data_indent,
                           const uint32_t *words, size_t n);

/** Append the line of a register at @p offset, in bytes. */
void lull_devcore_put_register(struct lull_str *out, unsigned indent, uint32_t offset,
                               uint32_t value);

#endif
