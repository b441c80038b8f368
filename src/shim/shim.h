// SPDX-License-Identifier: MIT
/** @file
 * The library that `lull exec` puts into programs (LD_PRELOAD): calls on the GPU's files go to the
 * driver process, everything else to libc.
 *
 * It is a guest in a foreign process: no thread, no signal handler, no memory but what stands here
 * and two pages for each thread that calls the driver, and errno left alone where a call succeeds.
 */
#ifndef LULL_SHIM_SHIM_H
#define LULL_SHIM_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "vdrm/core/box.h"
#include "vdrm/core/wire.h"

#define LULL_SHIM_EXPORT __attribute__((visibility("default")))

/** The next definition of a function, libc's as a rule. Looked up once. */
#define LULL_SHIM_REAL(slot, name) lull_shim_real((void **)&(slot), name)
void lull_shim_real(void **slot, const char *name);

/* conn.c */

/** A request, its path or other bytes behind it, and a descriptor to send (-1: none). */
struct lull_shim_call {
    struct lull_wire_request request;
    const void *tail; ///< Any pointer: where it leads nowhere, the request goes without.
    size_t ntail;
    void *arg; ///< Where bytes behind the reply go, narg at most.
    size_t narg;
    int send_fd;
    struct lull_wire_reply reply;
    int fds[2]; ///< That came along, or -1; the caller's then.
};

/** One round trip on this thread's connection. @return 0, or -errno if the driver cannot be
 * reached. */
int lull_shim_exchange(struct lull_shim_call *c);

/* box.c */

/** The box of @p fd, which stays the caller's. NULL: it cannot be had or used here. */
struct lull_box *lull_shim_box_map(int fd);
void lull_shim_box_unmap(struct lull_box *b);
/** @return 0: the driver has it. -EAGAIN: it is to go over the socket. -EFAULT: its tail leads
 * nowhere. */
int lull_shim_box_send(struct lull_box *b, const struct lull_shim_call *c);
/** The reply that is there. @return 0 or -errno. */
int lull_shim_box_take(const struct lull_box *b, struct lull_shim_call *c);

/** A request on the device file behind @p fd, with the descriptors that the driver asks for.
 * @return The result of the call or -errno. */
long lull_shim_request(int fd, const struct stat *st, struct lull_shim_call *c);

/** Is @p fd a DRM file of ours? False at once in programs that have not used one. */
bool lull_shim_drm_fd(int fd, struct stat *ret);
/** One has been used. */
void lull_shim_drm_used(void);

/* share.c: what a reply asks for. @p st: of the device file. */

/** mmap(2) of the kernel's, on the file itself. MAP_FAILED and errno. */
void *lull_shim_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);

void lull_shim_moved(const struct stat *st, const struct lull_wire_reply *r, int fd);
/** @return 0 or -errno. */
int lull_shim_share(int fd, const struct lull_wire_reply *r);
void lull_shim_unshare(const struct stat *st, const struct lull_wire_reply *r);

/* path.c */

/** Is the program meant to see the GPU? (LULL_SOCKET is set.) */
bool lull_shim_active(void);

/** fstat() as the kernel says it. */
int lull_shim_fstat(int fd, struct stat *ret);

/** Where @p path really is: itself, or a path in @p buf of PATH_MAX bytes. */
const char *lull_shim_place(const char *path, char *buf);

/** A path of @p size bytes that came back: without the folder in front. @return Its size now. */
size_t lull_shim_unplace(char *path, size_t size);

/** A DRM file's status as that of a character device. */
void lull_shim_fix(struct stat *st);

/** Is it a DRM file of ours; @p ret_card: card0? */
bool lull_shim_is_drm(const struct stat *st, bool *ret_card);

#endif
