// SPDX-License-Identifier: MIT
/** @file
 * `lull debug --web`: the session in a browser.
 */
#ifndef LULL_CLI_RUN_DEBUG_WEB_H
#define LULL_CLI_RUN_DEBUG_WEB_H

#include "cli/run/debug_session.h"

/** Say the page's address on standard error and serve it until Ctrl-C. @p after: commands are done,
 * as of struct lull_web_host, with @p s. */
struct lull_error *lull_ds_web(struct lull_ds *s, void (*after)(void *s)) LULL_MUST_USE;

#endif
