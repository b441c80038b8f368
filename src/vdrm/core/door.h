// SPDX-License-Identifier: MIT
/** @file
 * Sockets that are listened on, and who comes in.
 */
#ifndef LULL_VDRM_CORE_DOOR_H
#define LULL_VDRM_CORE_DOOR_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/un.h>

#include "base/error.h"

/** Another process, and what tells it from a later one of the same number. */
struct lull_vd_peer {
    pid_t pid;
    int pidfd;
};

/** Has it not ended yet? */
bool lull_vd_peer_there(const struct lull_vd_peer *peer);
/** Had it not ended just now, so that its number is nobody else's yet? Numbers do not go round in
 * such a time. This thread's peers only: what was seen is the thread's own. */
bool lull_vd_peer_known(const struct lull_vd_peer *peer);

struct lull_vd_door {
    int sock; ///< -1: none.
    bool debugfs;
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
};

/**
 * Listen at @p path, which only this process's user can open, whatever the umask says. Messages
 * that come in tell their sender (SCM_CREDENTIALS).
 *
 * @param debugfs Who comes in may do what takes root elsewhere: nobody but this process's user.
 */
struct lull_error *lull_vd_door_open(struct lull_vd_door *d, const char *path,
                                     bool debugfs) LULL_MUST_USE;
void lull_vd_door_close(struct lull_vd_door *d);
/** Who is at the other end of @p sock, which came in at @p d. @return False: nobody to be let in.
 * Else pidfd is the caller's. */
bool lull_vd_door_peer(const struct lull_vd_door *d, int sock, struct lull_vd_peer *ret);

#endif
