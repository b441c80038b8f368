// SPDX-License-Identifier: MIT
/** @file
 * Logs of a submit (SHADER_LOG_BUFFER, CP_LOG_BUFFER), which programs of <lull/rdgen.h> make, and
 * memory for files (WRBUFFER).
 */
#ifndef LULL_CLI_REPLAY_LOGS_H
#define LULL_CLI_REPLAY_LOGS_H

#include "base/json.h"
#include "cli/replay/session.h"

/** Before the submit: memory that is to be filled first. */
struct lull_error *lull_replay_logs_clear(struct lull_rp_submit *s) LULL_MUST_USE;

/** What the logs hold now, as lines. */
void lull_replay_logs_text(const struct lull_rp_device *d, const struct lull_rp_submit *s,
                           struct lull_str *out);
/** The same, as members of an object. */
void lull_replay_logs_json(const struct lull_rp_device *d, const struct lull_rp_submit *s,
                           struct lull_json *j);
/** Files into @p dir, which is made. A name with a folder in it is refused. */
struct lull_error *lull_replay_logs_files(const struct lull_rp_device *d,
                                          const struct lull_rp_submit *s,
                                          const char *dir) LULL_MUST_USE;

#endif
