// SPDX-License-Identifier: MIT
#include "vdrm/core/exchange.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_FDS = 4 }; // Taken from one message; more than one are closed.

// The first descriptor of a message, and its sender; other descriptors are closed.
static void take_control(struct msghdr *msg, struct lull_vd_exchange *x)
{
    for (struct cmsghdr *h = CMSG_FIRSTHDR(msg); h != NULL; h = CMSG_NXTHDR(msg, h)) {
        if (h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_CREDENTIALS) {
            struct ucred cred = {0};
            memcpy(&cred, CMSG_DATA(h), sizeof cred);
            x->sender = cred.pid;
        }
        if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        const size_t n = (h->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < n; i++) {
            int fd = -1;
            memcpy(&fd, CMSG_DATA(h) + i * sizeof fd, sizeof fd);
            if (x->fd < 0) {
                x->fd = fd;
            } else {
                close(fd);
            }
        }
    }
}

static ssize_t next_message(int sock, struct lull_patience *patience, struct msghdr *msg)
{
    const unsigned looks = lull_patience_looks(patience);
    ssize_t n = -1;
    errno = EAGAIN;
    for (unsigned i = 0; i < looks && n < 0 && (errno == EAGAIN || errno == EINTR); i++) {
        n = recvmsg(sock, msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
        if (n < 0) {
            lull_patience_pause();
        }
    }
    if (looks != 0) {
        lull_patience_learn(patience, n >= 0);
    }
    while (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        n = recvmsg(sock, msg, MSG_CMSG_CLOEXEC);
    }
    return n;
}

bool lull_vd_receive(int sock, struct lull_patience *patience, struct lull_vd_exchange *x)
{
    struct iovec iov[2] = {{.iov_base = &x->request, .iov_len = sizeof x->request},
                           {.iov_base = x->tail, .iov_len = sizeof x->tail}};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(MAX_FDS * sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
    } control = {.bytes = {0}};
    struct msghdr msg = {.msg_iov = iov,
                         .msg_iovlen = 2,
                         .msg_control = &control,
                         .msg_controllen = sizeof control.bytes};
    const ssize_t n = next_message(sock, patience, &msg);
    if (n >= 0) {
        take_control(&msg, x);
    }
    if (n < (ssize_t)sizeof x->request || (msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
        return false;
    }
    x->ntail = (size_t)n - sizeof x->request;
    return true;
}

bool lull_vd_answer(int sock, struct lull_vd_exchange *x)
{
    struct iovec iov[2] = {{.iov_base = &x->reply, .iov_len = sizeof x->reply},
                           {.iov_base = x->back, .iov_len = x->nback}};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct msghdr msg = {.msg_iov = iov, .msg_iovlen = 2};
    if (x->out >= 0) {
        msg.msg_control = &control;
        msg.msg_controllen = sizeof control.bytes;
        struct cmsghdr *h = CMSG_FIRSTHDR(&msg);
        h->cmsg_level = SOL_SOCKET;
        h->cmsg_type = SCM_RIGHTS;
        h->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(h), &x->out, sizeof x->out);
        x->reply.nfds = 1;
    }
    ssize_t n = 0;
    do {
        n = sendmsg(sock, &msg, MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    return n == (ssize_t)(sizeof x->reply + x->nback);
}
