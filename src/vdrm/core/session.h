// SPDX-License-Identifier: MIT
/** @file
 * A machine with the virtual GPU for programs: a folder with the socket and the files that sysfs
 * would have, and programs started so that they see it.
 */
#ifndef LULL_VDRM_CORE_SESSION_H
#define LULL_VDRM_CORE_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "drm/core/kernel.h"
#include "vdrm/core/launch.h"

struct lull_session;

/**
 * Folder and server for @p k, borrowed. A process of /bin/sh removes the folder if this one is
 * killed. Signals that this process wants to wait for are to be blocked before, as threads are
 * started (see also server.h).
 *
 * @param mask Signals that are blocked in programs.
 */
struct lull_error *lull_session_new(struct lull_kernel *k, const sigset_t *mask,
                                    struct lull_session **ret) LULL_MUST_USE;
/** Ends the service and removes the folder. Programs that still run have no GPU then. */
void lull_session_free(struct lull_session *s);

/** Its folder: what programs see below /dev/dri and /sys is there as dev and sys, as soon as one
 * looks. */
const char *lull_session_folder(const struct lull_session *s);

/** Have them there now, for who wants to add to them. */
struct lull_error *lull_session_places(struct lull_session *s) LULL_MUST_USE;

/** A socket at @p path for debuggers: what takes root elsewhere. Removed at the end. */
struct lull_error *lull_session_debuggers(struct lull_session *s, const char *path) LULL_MUST_USE;

/**
 * Programs that are started from now on have VK_LAYER_LULL_names, which writes to @p dir; NULL: the
 * session's own folder. LULL_ERR_NOT_FOUND: the layer is not where lull is; LULL_ERR_OS: no such
 * directory.
 */
struct lull_error *lull_session_names(struct lull_session *s, const char *dir) LULL_MUST_USE;

/** The folder of lull's Vulkan layers, for free(). LULL_ERR_NOT_FOUND: not where lull is. */
struct lull_error *lull_session_layers(char **ret) LULL_MUST_USE;

/**
 * Start argv[0], found in PATH, with the GPU; an arm64 program by an emulator (launch.h). It is
 * killed when the calling thread ends, whatever ends it; what it has started itself goes on without
 * a GPU.
 *
 * LULL_ERR_NOT_FOUND: no such program. LULL_ERR_OS: it cannot be executed.
 */
struct lull_error *lull_session_spawn(struct lull_session *s, char *const argv[],
                                      pid_t *ret) LULL_MUST_USE;

/** Programs without a slash in their name are looked up among the arm64 ones first. */
void lull_session_arm64(struct lull_session *s);
/** What lull_session_spawn() would start; for lull_launch_done(), also on errors. */
struct lull_error *lull_session_launch(const struct lull_session *s, char *const argv[],
                                       struct lull_launch *ret) LULL_MUST_USE;

#endif
