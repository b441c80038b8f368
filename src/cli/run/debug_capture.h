// SPDX-License-Identifier: MIT
/** @file
 * A capture of an Adreno under the debugger: its submits are replayed one after the other on the
 * model, whose waves and command processor the debugger stops.
 */
#ifndef LULL_CLI_RUN_DEBUG_CAPTURE_H
#define LULL_CLI_RUN_DEBUG_CAPTURE_H

#include <stdbool.h>

#include "adreno/file/kind.h"
#include "cli/replay/session.h"
#include "debug/session/debug.h"
#include "target/target.h"

struct lull_debug_capture;

/** Does @p file begin as one of @p kind does? False also if it cannot be read, or is not a file. */
bool lull_debug_file_is(const char *file, enum lull_kind kind);
/** Is it a capture or a crash dump of an Adreno? */
bool lull_debug_is_left_behind(const char *file);

/** @p bytes: the capture that was made of @p file, borrowed; NULL: that is one. @p how is taken
 * over. LULL_ERR_BAD_DATA: what a submit needs is not in it. */
struct lull_error *lull_debug_capture_open(const char *file, const struct lull_str *bytes,
                                           const struct lull_replay_how *how,
                                           struct lull_debug_capture **ret) LULL_MUST_USE;
/** Borrowed. */
struct lull_target *lull_debug_capture_target(struct lull_debug_capture *c);
/** @p d, a debugger of that target, starts and kills the replay. */
void lull_debug_capture_attach(struct lull_debug_capture *c, struct lull_debug *d);
/** After the debugger. */
void lull_debug_capture_free(struct lull_debug_capture *c);

#endif
