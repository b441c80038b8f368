// SPDX-License-Identifier: MIT
/** @file
 * What is looked at after a replay: memory, images.
 */
#ifndef LULL_CLI_REPLAY_LOOK_H
#define LULL_CLI_REPLAY_LOOK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cli/replay/picture.h"
#include "cli/replay/session.h"

enum { LULL_REPLAY_LOOKS = 64 };

/** One of them. */
struct lull_replay_look {
    const char *text; ///< As it was given.
    uint64_t address, size;
    const char *file; ///< In `text`.
};

/** All of the command line. Zero-initialise. */
struct lull_replay_looks {
    struct lull_replay_look dumps[LULL_REPLAY_LOOKS];
    size_t ndumps;
    struct {
        struct lull_replay_picture picture;
        const char *file;
    } images[LULL_REPLAY_LOOKS];
    size_t nimages;
    const char *targets_dir, *all_dir; ///< --targets, --dump-all; NULL: not asked for.
    const char *records_dir;           ///< --records.
    struct lull_replay_targets targets;
};

/** ADDR:SIZE=FILE. LULL_ERR_INVALID names @p option. */
struct lull_error *lull_replay_looks_dump(struct lull_replay_looks *l, const char *option,
                                          const char *text) LULL_MUST_USE;

/** ADDR,FORMAT,WxH[,PITCH][,tiled]=FILE.png. */
struct lull_error *lull_replay_looks_image(struct lull_replay_looks *l, const char *option,
                                           const char *text) LULL_MUST_USE;

/** Write what was asked for. LULL_ERR_FAULT: it is in no buffer of the last submit. */
struct lull_error *lull_replay_looks_write(const struct lull_replay_looks *l,
                                           const struct lull_replay *r) LULL_MUST_USE;

#endif
