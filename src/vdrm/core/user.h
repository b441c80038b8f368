// SPDX-License-Identifier: MIT
/** @file
 * Who makes a call, and its memory.
 */
#ifndef LULL_VDRM_CORE_USER_H
#define LULL_VDRM_CORE_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "vdrm/core/bo.h"
#include "vdrm/core/door.h"

enum { LULL_VD_SEEN = 6, LULL_VD_AHEAD = 4 };

/** Pages of a client's memory as they were read in a call: what it points to lies together, mostly
 * on a stack. Calls that begin with the same page read the same others, mostly: they are read with
 * it, all at once. */
struct lull_vd_seen {
    unsigned n, next; ///< next: to be given up, once there are LULL_VD_SEEN.
    uint64_t page[LULL_VD_SEEN];
    bool used[LULL_VD_SEEN]; ///< false: it was read ahead.
    struct {
        unsigned n;
        uint64_t page[LULL_VD_SEEN];
    } ahead[LULL_VD_AHEAD]; ///< What calls have read.
    unsigned next_ahead;
    uint8_t bytes[LULL_VD_SEEN][LULL_VD_PAGE];
};

/** Who makes a call, if it is another process. */
struct lull_vd_client {
    struct lull_vd_peer peer;  ///< Whose memory pointers mean.
    struct lull_vd_seen *seen; ///< Borrowed, for this call alone; NULL: pages are not kept.
    int arg_fd;  ///< Our number of the descriptor that is an argument; -1: not known yet.
    int want_fd; ///< Result: the client's number of such a descriptor, which the call needs; or -1.
    int out_fd;  ///< Result: our number of a new file for the client; or -1.
    uint64_t out_at; ///< Where the client expects its number, an int.
    enum lull_vd_share {
        LULL_VD_KEEP,
        LULL_VD_MOVED,   ///< Mappings of its device file [offset, +size) are to be of out_fd at 0.
        LULL_VD_SHARE,   ///< Its pages [address, +size) are to be the device file's at offset...
        LULL_VD_UNSHARE, ///< ... and no longer; then lull_vd_userptr_release().
    } share;             ///< Result: what the client has to do with its memory.
    uint64_t address, size, offset; ///< Results, for share. In bytes.
    /** Bytes of its memory that came along, nwindow of them from window_at on. */
    const char *window;
    uint64_t window_at;
    size_t nwindow;
    /** Its argument, which may go back with the reply, narg bytes of it at arg; 0: it may not. */
    uint64_t arg;
    size_t narg;
    char *back;   ///< Room for it.
    size_t nback; ///< Result, if has_back: bytes of it.
    bool has_back;
};

/**
 * Calls of this thread are made for @p client from now on; NULL: for this process. What the
 * kernel's `current` is: the only state that does not hang on a struct lull_vd.
 */
void lull_vd_client_set(struct lull_vd_client *client);
/** The client for which this thread makes calls; NULL: this process. */
struct lull_vd_client *lull_vd_client_now(void);
/** The process for which this thread makes calls. */
pid_t lull_vd_client_pid(void);

/** Calls of this thread are lull's own from now on: their pointers are good. @return what was. */
bool lull_vd_own_calls_set(bool own);

/** The client has had time to change its memory: what was read of it in this call is old. */
void lull_vd_user_changed(void);

/** copy_from_user() and copy_to_user(): 0 or -EFAULT, for any pointer. */
int lull_vd_from_user(void *to, uint64_t from, size_t size);
int lull_vd_to_user(uint64_t to, const void *from, size_t size);
static inline uint64_t lull_vd_ptr(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

/** The part at @p at of @p n bytes of data, as read(2) gives it. @return Bytes, or -EFAULT. */
ssize_t lull_vd_give(uint64_t to, size_t size, const void *data, size_t n, uint64_t at);

#endif
