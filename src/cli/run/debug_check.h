// SPDX-License-Identifier: MIT
/** @file
 * --check under the debugger: a wave that is found doing something wrong stops behind it.
 */
#ifndef LULL_CLI_RUN_DEBUG_CHECK_H
#define LULL_CLI_RUN_DEBUG_CHECK_H

#include "cli/run/debug_session.h"

/** Attach the checks that are wanted to the model behind @p k, NULL: there is no model. */
struct lull_error *lull_ds_check(struct lull_ds *s, struct lull_kernel *k) LULL_MUST_USE;

/** What the debugger asks of them, once it is there. */
void lull_ds_check_hooks(struct lull_ds *s);

#endif
