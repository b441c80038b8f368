// SPDX-License-Identifier: MIT
#include "vdrm/core/exchange.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
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

// @p looks: before it sleeps.
static ssize_t next_message(struct lull_vd_line *l, unsigned looks, struct msghdr *msg)
{
    const int sock = l->sock;
    ssize_t n = -1;
    errno = EAGAIN;
    for (unsigned i = 0; i < looks && n < 0 && (errno == EAGAIN || errno == EINTR); i++) {
        n = recvmsg(sock, msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
        if (n < 0) {
            lull_patience_pause();
        }
    }
    if (looks != 0) {
        lull_patience_learn(&l->patience, n >= 0);
    }
    while (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        n = recvmsg(sock, msg, MSG_CMSG_CLOEXEC);
    }
    return n;
}

// A message out of the box. @return False: it is none.
static bool take(const struct lull_vd_line *l, struct lull_vd_exchange *x)
{
    const struct lull_box *b = l->box;
    _Static_assert(sizeof b->tail <= sizeof x->tail, "all of the box has room");
    const uint64_t ntail = __atomic_load_n(&b->ntail, __ATOMIC_RELAXED);
    if (ntail > sizeof b->tail) {
        return false;
    }
    x->request = b->request;
    x->ntail = ntail;
    memcpy(x->tail, b->tail, ntail);
    x->sender = l->peer;
    return true;
}

bool lull_vd_receive(struct lull_vd_line *l, struct lull_vd_exchange *x)
{
    unsigned looks = l->looks;
    if (l->box != NULL && looks != 0) {
        const enum lull_box_state s = lull_box_wait(&l->box->to_driver);
        lull_patience_learn(&l->patience, s != LULL_BOX_SHUT);
        if (s == LULL_BOX_FULL) {
            return take(l, x);
        }
        looks = 0; // It comes over the socket.
    }
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
    const ssize_t n = next_message(l, looks, &msg);
    if (n >= 0) {
        take_control(&msg, x);
    }
    if (n < (ssize_t)sizeof x->request || (msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
        return false;
    }
    x->ntail = (size_t)n - sizeof x->request;
    return true;
}

// The answer into the box. @return False: nobody looks there.
static bool put(struct lull_box *b, const struct lull_vd_exchange *x)
{
    if (x->out >= 0) {
        lull_box_tell(&b->to_program, LULL_BOX_SOCKET);
        return false;
    }
    if (!lull_box_open(&b->to_program)) {
        return false;
    }
    b->reply = x->reply;
    b->nback = x->nback;
    memcpy(b->back, x->back, x->nback);
    return lull_box_tell(&b->to_program, LULL_BOX_FULL);
}

bool lull_vd_answer(struct lull_vd_line *l, struct lull_vd_exchange *x)
{
    l->looks = lull_patience_looks(&l->patience);
    if (l->box != NULL) { // The next request may come at once.
        lull_box_look(&l->box->to_driver, l->looks != 0);
        if (put(l->box, x)) {
            return true;
        }
    }
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
        n = sendmsg(l->sock, &msg, MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    return n == (ssize_t)(sizeof x->reply + x->nback);
}

int lull_vd_line_box(struct lull_vd_line *l, struct lull_vd_exchange *x)
{
    if (l->box != NULL) {
        return -EEXIST;
    }
    const int fd = memfd_create("lull-box", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0 || ftruncate(fd, sizeof *l->box) != 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        const int r = -errno;
        if (fd >= 0) {
            close(fd);
        }
        return r;
    }
    void *p = mmap(NULL, sizeof *l->box, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) {
        close(fd);
        return -ENOMEM;
    }
    l->box = p;
    x->out = fd;
    return 0;
}

void lull_vd_line_done(struct lull_vd_line *l)
{
    if (l->box != NULL) {
        munmap(l->box, sizeof *l->box);
        l->box = NULL;
    }
}
