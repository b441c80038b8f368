// SPDX-License-Identifier: MIT
/** @file
 * Breakpoints at lines that no code has yet: of a program whose dispatches are still to come.
 */
#ifndef LULL_DEBUG_SESSION_PENDING_H
#define LULL_DEBUG_SESSION_PENDING_H

#include "debug/session/debug.h"

/** A dispatch's code has come: those whose lines it has wait no longer. */
struct lull_error *lull_debug_settle_pending(struct lull_debug *d) LULL_MUST_USE;

#endif
