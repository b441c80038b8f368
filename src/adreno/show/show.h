// SPDX-License-Identifier: MIT
/** @file
 * Captures shown: as text or JSON, whole or a part of it. What `lull rd show` prints.
 */
#ifndef LULL_ADRENO_SHOW_SHOW_H
#define LULL_ADRENO_SHOW_SHOW_H

#include <stdio.h>

#include "adreno/show/capture.h"

enum lull_show_mode {
    LULL_SHOW_WHOLE,   ///< Everything.
    LULL_SHOW_SUMMARY, ///< What each draw, dispatch, blit and event is.
    LULL_SHOW_QUERY,   ///< Registers across draws.
    LULL_SHOW_SQL,     ///< Tables in the file `sql`.
};

struct lull_show_options {
    enum lull_show_mode mode;
    bool json;
    bool raw;            ///< Also the dwords of each packet.
    bool both;           ///< Every condition holds.
    bool all;            ///< Queries: also draws where nothing changed.
    int64_t frame;       ///< Only this stream; -1: all.
    int64_t submit;      ///< Only this submit; -1: all.
    int64_t draw;        ///< Only this draw, with all state; -1: all.
    const char *process; ///< Only submits of processes whose text begins so; NULL: all.
    const char *sql;     ///< SQLite file to write.
    const char *query;   ///< Names of registers, REG.FIELD too, with * and ?; separated by commas.
    uint64_t most_work;  ///< As in struct lull_cap_options.
};

/**
 * Show the capture @p s on @p out; what is wrong with it goes to @p log, a line each.
 *
 * @param[out] ret_findings How many things are wrong with it, its end included: once a section
 * could be read, a file that is damaged is a finding and no error.
 * @return LULL_ERR_BAD_DATA: not one section could be read. LULL_ERR_INVALID: no such draw, frame,
 *         submit or register.
 */
struct lull_error *lull_show_capture(struct lull_stream *s, const char *name,
                                     const struct lull_show_options *o, FILE *out, FILE *log,
                                     uint64_t *ret_findings) LULL_MUST_USE;

#endif
