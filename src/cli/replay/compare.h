// SPDX-License-Identifier: MIT
/** @file
 * Memory after a replay as a folder of files, and compared with another replay or such a folder.
 */
#ifndef LULL_CLI_REPLAY_COMPARE_H
#define LULL_CLI_REPLAY_COMPARE_H

#include <stdbool.h>

#include "base/json.h"
#include "cli/replay/session.h"

/** What is different. */
struct lull_replay_difference {
    uint64_t buffers, differ;        ///< Compared; of them different, or not on both sides.
    uint64_t buffer, address, bytes; ///< Of the first: its start, the first byte, how many differ.
    unsigned here, there;            ///< That byte.
    bool missing;                    ///< The first is not on the other side.
};

/** Each buffer into @p dir, made if it is not there, as ADDRESS.bin in hexadecimal. */
struct lull_error *lull_replay_dump_all(const struct lull_replay *r, const char *dir) LULL_MUST_USE;

/** With another replay. */
void lull_replay_compare(const struct lull_replay *a, const struct lull_replay *b,
                         struct lull_replay_difference *ret);
/** With what lull_replay_dump_all() wrote. */
struct lull_error *lull_replay_compare_dir(const struct lull_replay *r, const char *dir,
                                           struct lull_replay_difference *ret) LULL_MUST_USE;

/** As a line, or as members of an object. */
void lull_replay_difference_text(const struct lull_replay_difference *d, struct lull_str *out);
void lull_replay_difference_json(const struct lull_replay_difference *d, struct lull_json *j);

#endif
