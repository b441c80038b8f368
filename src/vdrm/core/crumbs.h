// SPDX-License-Identifier: MIT
/** @file
 * Breadcrumbs of the GPU behind a virtual driver: packets of the streams that programs submit, by
 * numbers, as they are done. The same for every driver.
 *
 * Numbers are by position, so that they do not shift between runs: packets count from 0 in the
 * order in which the GPU first comes to each in its stream, and on from stream to stream; packet i
 * has crumb 2i+1 before it and 2i+2 after it.
 */
#ifndef LULL_VDRM_CORE_CRUMBS_H
#define LULL_VDRM_CORE_CRUMBS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct lull_kernel;
struct lull_vd;

/** A file in debugfs, which no real kernel has: the last crumbs as text, a line each, the newest
 * last. */
#define LULL_VD_CRUMBS_FILE "lull_crumbs"

enum { LULL_VD_CRUMB_RINGS = 8, LULL_VD_CRUMBS_KEPT = 16, LULL_VD_CRUMB_NAME = 40 };

struct lull_vd_crumb {
    uint32_t number;
    uint32_t times;  ///< How often it came before.
    uint64_t stream; ///< From 1; changes with each command buffer of a submit, or job.
    unsigned ring;
    uint64_t buffer, packet; ///< Addresses: of the command buffer, of the packet.
    char name[LULL_VD_CRUMB_NAME];
    bool after;
};

/** Who is told. */
struct lull_vd_crumbs_to {
    void *ctx;
    bool packets; ///< Of all packets but NOP; else of draws, dispatches and blits.
    /** With the lock held: must not call the kernel. False: the GPU stands until
     * lull_vd_crumbs_go(). NULL: nobody. */
    bool (*came)(void *ctx, const struct lull_vd_crumb *c);
};

/** From now on, until the kernel is destroyed. LULL_ERR_UNSUPPORTED: this GPU cannot. */
struct lull_error *lull_vd_crumbs_on(struct lull_kernel *k,
                                     const struct lull_vd_crumbs_to *to) LULL_MUST_USE;
/** The GPU goes on, if it stands. */
void lull_vd_crumbs_go(struct lull_kernel *k);
/** The newest, or, if there was a hang, the newest at the first. @return False: none came. */
bool lull_vd_crumbs_last(struct lull_kernel *k, struct lull_vd_crumb *ret, bool *ret_hang);
/** "before CP_EXEC_CS at 0x..., dword 12 of the buffer at 0x..., stream 3" */
void lull_vd_crumb_text(const struct lull_vd_crumb *c, struct lull_str *to);

/* For drivers. */

/** The GPU tells of @p c, of which number and times are not set. @return False: it shall wait. */
bool lull_vd_crumb(struct lull_vd *d, const struct lull_vd_crumb *c, bool again);
/** It stands at one: nothing is a hang. */
bool lull_vd_crumbs_stand(const struct lull_vd *d);
/** What ring @p ring is at is a hang. If its waves are killed and it goes on, what comes after the
 * packet was not reached: that crumb is left out. */
void lull_vd_crumbs_hang(struct lull_vd *d, unsigned ring);
/** What stood is gone from the GPU. */
void lull_vd_crumbs_drop(struct lull_vd *d);
/** LULL_VD_CRUMBS_FILE */
void lull_vd_crumbs_file(struct lull_vd *d, struct lull_str *ret);
void lull_vd_crumbs_done(struct lull_vd *d);

#endif
