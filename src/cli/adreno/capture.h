// SPDX-License-Identifier: MIT
/** @file
 * What an msm kernel driver offers to be copied: rd, hangrd (debugfs) and crash dumps
 * (devcoredump, sysfs). For `lull capture`.
 *
 *   capture.c      from a file that may never end to one that is whole
 *   capture_why.c  where the files are, and why they are not
 *   capture_set.c  settings for its time, and a crash on purpose
 *
 * Source: Linux 6.12 drivers/gpu/drm/msm/msm_rd.c, drivers/base/devcoredump.c.
 */
#ifndef LULL_CLI_CAPTURE_H
#define LULL_CLI_CAPTURE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "drm/core/kernel.h"
#include "drm/msm/msm.h"

/** When to stop, and how what comes is looked at. */
struct lull_capture_rules {
    bool sections;     ///< It is rd: keep whole sections only.
    uint64_t streams;  ///< Of rd: stop after as many command streams; 0: no.
    int64_t deadline;  ///< Of lull_capture_now(), in ms; 0: none.
    int64_t idle;      ///< Of rd, once more came than the GPU's number: stop when nothing comes for
                       ///< so many ms; 0: no.
    const char *magic; ///< Must stand in the first KiB; NULL: anything may.
    bool (*tick)(void *arg); ///< Once something came, some ten times a second; true: stop.
    void *arg;
};

enum lull_capture_end {
    LULL_CAPTURE_EOF,
    LULL_CAPTURE_SIGNAL,
    LULL_CAPTURE_TIMEOUT,
    LULL_CAPTURE_IDLE,
    LULL_CAPTURE_STREAMS,
    LULL_CAPTURE_TICK,  ///< Rule `tick` said so.
    LULL_CAPTURE_OTHER, ///< The magic is not there; nothing is kept.
};

struct lull_capture_result {
    enum lull_capture_end end;
    uint64_t bytes, cut; ///< Kept; left out behind the last whole section.
    uint64_t sections;
    char *file; ///< free(); NULL: there was nothing to keep.
};

/** Milliseconds of a clock that only goes on. */
int64_t lull_capture_now(void);

/** SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1: to be blocked (sigprocmask) before
 * lull_capture_copy(). */
sigset_t lull_capture_signals(void);

/** Wait @p ms for one of the signals that end a capture; true: it came. */
bool lull_capture_sleep(int64_t ms);

/**
 * Copy @p from into folder @p out, to @p name with a number and @p suffix that is still free
 * ("rd-1.rd"). Until it is whole, the file has another name, and is gone if it does not become so.
 *
 * @return LULL_ERR_OS: @p from; the errno tells. LULL_ERR_NOT_FOUND: the copy, with @p out.
 */
struct lull_error *lull_capture_copy(const char *from, const char *out, const char *name,
                                     const char *suffix, const struct lull_capture_rules *rules,
                                     struct lull_capture_result *ret) LULL_MUST_USE;

/* capture_why.c */

/** ".../sys/kernel/debug/dri/N/FILE"; @p dri NULL: the first that has one. LULL_ERR_NOT_FOUND with
 * what is missing and what to do. */
struct lull_error *lull_capture_debugfs(const char *root, const char *dri, const char *file,
                                        struct lull_str *ret) LULL_MUST_USE;

/** NULL if the kernel makes crash dumps; else why not. */
struct lull_error *lull_capture_coredumps(const char *root) LULL_MUST_USE;

/** Put what to do to the message of @p err, which came of opening or reading such a file. */
struct lull_error *lull_capture_why(struct lull_error *err) LULL_MUST_USE;

/** What there is, in words; @p out gets lines. True: all that is needed is there. */
bool lull_capture_check(const char *root, struct lull_str *out);

/* capture_set.c */

enum { LULL_CAPTURE_SETTINGS = 2, LULL_POKE_DWORDS = 16 };

/** Files of one value, as they were. */
struct lull_capture_settings {
    struct lull_capture_setting {
        char *path, value[32];
    } at[LULL_CAPTURE_SETTINGS];
    unsigned n;
};

/** Write @p value to @p path, and keep what it was. At most LULL_CAPTURE_SETTINGS times. */
struct lull_error *lull_capture_set(struct lull_capture_settings *s, const char *path,
                                    const char *value) LULL_MUST_USE;
/** All as it was. @return The first that cannot be. */
struct lull_error *lull_capture_put_back(struct lull_capture_settings *s) LULL_MUST_USE;

/** A submit that hangs the GPU. */
struct lull_capture_poke {
    struct lull_kernel *k;
    int fd; ///< -1: not open.
    struct lull_msm_bo bo;
};

/**
 * Submit a command stream that begins with a word that begins no packet, as an unprivileged program
 * may: the GPU stands, the kernel finds it, makes its dump and resets the GPU.
 *
 * @param device A render node; NULL: the first of msm.
 * @param[out] ret To be undone with lull_capture_poke_done(), also after an error.
 */
struct lull_error *lull_capture_poke(const char *device,
                                     struct lull_capture_poke *ret) LULL_MUST_USE;
void lull_capture_poke_done(struct lull_capture_poke *p);

#endif
