// SPDX-License-Identifier: MIT
/** @file
 * A machine with the virtual GPU in this process, and a program that runs on it: what `lull debug
 * -- PROGRAM` debugs.
 */
#ifndef LULL_CLI_HOST_H
#define LULL_CLI_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "drm/core/kernel.h"
#include "isa/ir3/assume.h"

struct lull_order;
struct lull_session;

/** Zero-initialise, set argv; lull_host_close() at the end. */
struct lull_host {
    char **argv; ///< Of the program; ended by NULL.
    uint64_t seed;
    struct lull_order *order;                ///< Of waves, model/order.h, borrowed; NULL: none.
    const char *gpu;                         ///< NULL: gfx1100.
    struct lull_ir3_assumptions assume;      ///< Of an Adreno.
    const struct lull_engine_option *engine; ///< Of gfx1100, borrowed; NULL: the interpreter.
    struct lull_kernel *kernel;
    struct lull_session *session;
    pid_t pid;     ///< 0: not started, or ended.
    char note[96]; ///< How it ended: "exited with status 0"; "" before.
    int status;    ///< The same as a shell has it: 128 + N after signal N.
};

/** The kernel and its service. SIGINT is blocked from then on; the program does not get it. */
struct lull_error *lull_host_open(struct lull_host *h) LULL_MUST_USE;
/** Where its names layer writes. */
const char *lull_host_folder(const struct lull_host *h);
/** Start the program. */
struct lull_error *lull_host_start(struct lull_host *h) LULL_MUST_USE;
/** Does the program run? Takes note of its end. */
bool lull_host_alive(struct lull_host *h);
/** Off: SIGINT is blocked, and looked for by lull_host_interrupted(). First before there are
 * threads, which must never take it. */
void lull_host_interruptible(bool on);
/** Has the user typed Ctrl-C since the last call? */
bool lull_host_interrupted(void);
/** SIGUSR1 and Ctrl-\ (SIGQUIT) are blocked from then on, before there are threads, and looked for
 * by lull_host_stop_wanted(): did one come since the last call? */
void lull_host_stop_key(void);
bool lull_host_stop_wanted(void);
/**
 * Where the names layer writes for process @p pid: its LULL_NAMES.
 *
 * @return False if it has none, or is not there.
 */
bool lull_host_names(uint32_t pid, char *dir, size_t room);
/** Kill the program if it runs. */
void lull_host_kill(struct lull_host *h);
/** After all that uses the kernel is gone. */
void lull_host_close(struct lull_host *h);

#endif
