// SPDX-License-Identifier: MIT
/** @file
 * An X server for programs that look for one where there is none: a display of their own, in the
 * memory of Xvfb. Xvfb is started when a program first asks for it, and ends with this process.
 */
#ifndef LULL_CLI_RUN_DISPLAY_H
#define LULL_CLI_RUN_DISPLAY_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

enum { LULL_DISPLAY_PATH = 512 };

struct lull_xserver {
    int listener; ///< Of the socket that DISPLAY names; -1: none.
    int lock;     ///< Whoever has it may make and remove that socket; with listener.
    pid_t server; ///< Xvfb's shell; 0: it does not run.
    int alive;    ///< A pipe's end that it waits for.
    char program[LULL_DISPLAY_PATH], socket[64], number[16];
};

/**
 * If neither DISPLAY nor WAYLAND_DISPLAY is set and Xvfb is in PATH: a socket for a new display,
 * for this user alone, and DISPLAY in the environment. Before there are threads.
 */
struct lull_xserver lull_xserver_open(void);

/** Start Xvfb if somebody asks for it and it does not run. Call it now and then. */
void lull_xserver_serve(struct lull_xserver *d);

/** Is there no display, and the program at @p path one that names libraries of X? */
bool lull_xserver_missed(const struct lull_xserver *d, const char *path);

void lull_xserver_close(struct lull_xserver *d);

#endif
