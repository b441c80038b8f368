// SPDX-License-Identifier: MIT
/** @file
 * Processes that become another program.
 */
#ifndef LULL_BASE_CHILD_H
#define LULL_BASE_CHILD_H

#include <sys/types.h>

/**
 * Start a child that calls @p begin(@p arg), which prepares it and executes a program. Until then
 * it has this process's memory, as with posix_spawn(), and the calling thread waits: fork() copies
 * the tables of all memory, and each page that one of both writes after it.
 *
 * @p begin makes system calls alone. It has all signals blocked, and what had a handler here has
 * the default. It returns only with an errno, if it could not execute.
 *
 * @return 0, or an errno, also that of @p begin.
 */
int lull_child_start(int (*begin)(void *arg), void *arg, pid_t *ret);

#endif
