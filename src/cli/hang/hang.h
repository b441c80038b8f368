// SPDX-License-Identifier: MIT
/** @file
 * A page about a GPU that hangs now: what it says of itself, its waves with the instruction at each
 * PC, the fault and what is mapped around it, and what to run next.
 *
 *   cmd_hang.c   whose GPU it is, and when it hangs
 *   hang_page.c  the page, of what a struct lull_target shows
 *   hang_rings.c rings and crumbs
 *   hang_dump.c  the page of a dump that the msm driver made
 */
#ifndef LULL_CLI_HANG_HANG_H
#define LULL_CLI_HANG_HANG_H

#include <stdbool.h>

#include "base/json.h"
#include "base/str.h"
#include "drm/core/kernel.h"
#include "target/target.h"

struct lull_hang_page {
    struct lull_target *t; ///< NULL: there is only a dump.
    struct lull_kernel *k;
    unsigned dri; ///< N of /sys/kernel/debug/dri/N.
    bool adreno;
    const char *log;     ///< Lines of the kernel's log about it; "": none.
    struct lull_json *j; ///< NULL: text. An object is open.
    struct lull_str *out;
};

/** Units, fault, waves, dispatches. */
struct lull_error *lull_hang_page(struct lull_hang_page *p) LULL_MUST_USE;
/** What to run next. */
void lull_hang_next_steps(struct lull_hang_page *p);

/* hang_rings.c */

/** Read and write pointers, fences, the last crumbs: what debugfs has of them. */
void lull_hang_rings(struct lull_hang_page *p);

/* hang_dump.c */

/** Has the virtual msm driver made a dump, as it does of a fault? */
bool lull_hang_has_dump(struct lull_kernel *k);
/** That dump; if there is none, make the driver give up what it runs, which makes one. @p ret "":
 * it made none. */
struct lull_error *lull_hang_give_up(struct lull_kernel *k, struct lull_str *ret) LULL_MUST_USE;
/** The dump that the kernel of `lull exec` has made, if there is one. */
void lull_hang_made(struct lull_kernel *k, struct lull_str *ret);
/** The newest dump of msm on this machine. LULL_ERR_NOT_FOUND: there is none. */
struct lull_error *lull_hang_newest(struct lull_str *ret) LULL_MUST_USE;
/** The page of that dump. */
struct lull_error *lull_hang_dump(struct lull_hang_page *p,
                                  const struct lull_str *dump) LULL_MUST_USE;

#endif
