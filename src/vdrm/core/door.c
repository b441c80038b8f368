// SPDX-License-Identifier: MIT
#include "vdrm/core/door.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "vdrm/core/wait.h"

bool lull_vd_peer_there(const struct lull_vd_peer *peer)
{
    struct pollfd p = {.fd = peer->pidfd, .events = POLLIN};
    return poll(&p, 1, 0) == 0;
}

bool lull_vd_peer_known(const struct lull_vd_peer *peer)
{
    enum { KNOWN_NS = 100000 }; // Many processes would have to begin and end in it.
    static _Thread_local struct {
        struct lull_vd_peer peer;
        uint64_t until;
    } seen;
    const uint64_t now = lull_vd_host_ns();
    if (seen.peer.pid == peer->pid && seen.peer.pidfd == peer->pidfd && now < seen.until) {
        return true;
    }
    const bool there = lull_vd_peer_there(peer);
    seen.peer = *peer;
    seen.until = there ? now + KNOWN_NS : 0;
    return there;
}

// Bind and listen. @return 0 or an errno.
static int listen_as(int sock, const struct sockaddr_un *address)
{
    enum { MODE = 0600 };
    const int on = 1;
    // The mode before bind() is that of the new file, less the umask: at no time can others
    // connect.
    if (setsockopt(sock, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0 || fchmod(sock, MODE) != 0 ||
        bind(sock, (const struct sockaddr *)address, sizeof *address) != 0) {
        return errno;
    }
    if (fchmodat(AT_FDCWD, address->sun_path, MODE, AT_SYMLINK_NOFOLLOW) != 0 ||
        listen(sock, SOMAXCONN) != 0) {
        const int r = errno;
        unlink(address->sun_path);
        return r;
    }
    return 0;
}

// The same, but the file is there only when one can connect: many wait for it to appear.
// @return 0 or an errno.
static int listen_at(int sock, const struct sockaddr_un *address)
{
    struct sockaddr_un first = {.sun_family = AF_UNIX};
    const int n = snprintf(first.sun_path, sizeof first.sun_path, "%s.%ld", address->sun_path,
                           (long)getpid());
    if (n < 0 || (size_t)n >= sizeof first.sun_path) {
        return listen_as(sock, address); // No room for another name.
    }
    int r = listen_as(sock, &first);
    if (r == 0) {
        r = link(first.sun_path, address->sun_path) == 0 ? 0 : errno;
        unlink(first.sun_path);
    }
    return r == EEXIST ? EADDRINUSE : r;
}

struct lull_error *lull_vd_door_open(struct lull_vd_door *d, const char *path, bool debugfs)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        return lull_error_new(LULL_ERR_INVALID, "%s: too long a path for a socket", path);
    }
    memcpy(address.sun_path, path, strlen(path));
    const int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (sock < 0) {
        return lull_error_os(errno, "%s", path);
    }
    const int r = listen_at(sock, &address);
    if (r != 0) {
        close(sock);
        return lull_error_os(r, "%s", path);
    }
    memcpy(d->path, address.sun_path, sizeof d->path);
    d->debugfs = debugfs;
    d->sock = sock;
    return NULL;
}

void lull_vd_door_close(struct lull_vd_door *d)
{
    if (d->sock >= 0) {
        unlink(d->path);
        close(d->sock);
        d->sock = -1;
    }
}

bool lull_vd_door_peer(const struct lull_vd_door *d, int sock, struct lull_vd_peer *ret)
{
    struct ucred cred = {0};
    socklen_t size = sizeof cred;
    if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &cred, &size) != 0 ||
        (d->debugfs && cred.uid != geteuid())) {
        return false;
    }
    ret->pid = cred.pid;
    ret->pidfd = (int)syscall(SYS_pidfd_open, cred.pid, 0);
    return ret->pidfd >= 0;
}
