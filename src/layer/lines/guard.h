// SPDX-License-Identifier: MIT
/** @file
 * Calls into the driver that may crash it: compilers of drivers have bugs, and a program must not
 * end because one of its shaders was compiled with a change.
 */
#ifndef LULL_LAYER_LINES_GUARD_H
#define LULL_LAYER_LINES_GUARD_H

#include <stdbool.h>

/**
 * @p call with @p arg. If this thread gets SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGABRT meanwhile,
 * the call is left where it is, with all that it holds; other threads' go to who had them before.
 *
 * @return False: it was left.
 */
bool lull_ll_guard(void (*call)(void *arg), void *arg);

#endif
