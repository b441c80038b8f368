// SPDX-License-Identifier: MIT
/** @file
 * What a program is, and how it is started: by itself, or by qemu-aarch64-static with the libraries
 * of a folder that tools/arm64-root.sh has made.
 */
#ifndef LULL_VDRM_CORE_LAUNCH_H
#define LULL_VDRM_CORE_LAUNCH_H

#include <stdbool.h>

#include "base/error.h"

/** Zero-initialise; lull_launch_done() at the end. */
struct lull_launch {
    bool arm64;           ///< It runs in an emulator, and needs the shim for arm64.
    const char *obstacle; ///< Why LD_PRELOAD will not reach it, the end of a sentence; NULL: it
                          ///< will.
    char **argv;          ///< What to execute.
    char *root;           ///< Of arm64 programs that lull starts: the folder; NULL: not needed.
    char *path, *qemu;    ///< Strings of argv.
};

/**
 * Look at what @p argv starts, whose strings are borrowed. Names without a slash are looked up in
 * PATH; with @p arm64_first in the folder before.
 *
 * LULL_ERR_NOT_FOUND: an arm64 program, and no emulator, or no folder: the message says how to get
 * them. That there is no such program is left to execvpe(3).
 */
struct lull_error *lull_launch_of(char *const argv[], bool arm64_first,
                                  struct lull_launch *ret) LULL_MUST_USE;
void lull_launch_done(struct lull_launch *p);

/** The folder of arm64 programs, for free(): LULL_ARM64, or where lull is. LULL_ERR_NOT_FOUND:
 * there is none; the message says how to get it. */
struct lull_error *lull_arm64_root(char **ret) LULL_MUST_USE;

/**
 * The file that is at one of @p places, seen from the folder of the running program, for free();
 * not one that is empty. NULL: none.
 */
char *lull_launch_beside(const char *const *places, unsigned n);

#endif
