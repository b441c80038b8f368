// SPDX-License-Identifier: MIT
/** @file
 * What programs present, as pictures: by the layer VK_LAYER_LULL_frames (src/layer/frames.h).
 */
#ifndef LULL_CLI_RUN_FRAMES_H
#define LULL_CLI_RUN_FRAMES_H

#include <stdint.h>

#include "base/error.h"

struct lull_frames {
    const char *dir; ///< NULL: no pictures.
    uint64_t only;   ///< The number of the one that is written; 0: all.
};

/** The layer into this process's environment, which programs get. Before there are threads.
 * LULL_ERR_INVALID: --frames-only without --frames; LULL_ERR_OS: no directory to write into. */
struct lull_error *lull_frames_set(const struct lull_frames *f) LULL_MUST_USE;

/** At the end: what the layer could not do. LULL_ERR_OS. */
struct lull_error *lull_frames_check(const struct lull_frames *f) LULL_MUST_USE;

#endif
