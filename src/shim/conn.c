// SPDX-License-Identifier: MIT
// The connection to the driver: one for each thread, so that a call that waits stops nobody else.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "shim/shim.h"
#include "vdrm/core/patience.h"

enum {
    HIGH_FD = 900, // out of the way of programs that close or count descriptors
    MAX_FDS = 2,
};

struct conn {
    int sock; // -1: none
    pid_t pid;
    dev_t dev;
    ino_t ino;
    struct lull_patience patience;
    struct lull_box *box; // NULL: none
};

static _Thread_local struct conn conn = {.sock = -1};
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

void lull_shim_real(void **slot, const char *name)
{
    if (*slot == NULL) {
        *slot = dlsym(RTLD_NEXT, name);
    }
}

int lull_shim_fstat(int fd, struct stat *ret)
{
    const int saved = errno;
    const long r = syscall(SYS_fstat, fd, ret);
    errno = saved;
    return r == 0 ? 0 : -1;
}

// Is the socket still the one we opened? Programs close descriptors they do not know.
static bool conn_there(void)
{
    struct stat st = {0};
    return conn.sock >= 0 && lull_shim_fstat(conn.sock, &st) == 0 && st.st_ino == conn.ino &&
           st.st_dev == conn.dev;
}

// After a fork it is another process's.
static bool conn_valid(void)
{
    return conn_there() && conn.pid == getpid();
}

static void conn_close(void *arg)
{
    (void)arg;
    if (conn_there()) {
        syscall(SYS_close, conn.sock);
    }
    if (conn.pid == getpid()) { // a child has not got it
        lull_shim_box_unmap(conn.box);
    }
    conn.box = NULL;
    conn.sock = -1;
}

static void make_key(void)
{
    pthread_key_create(&key, conn_close);
}

static int send_request(const struct lull_shim_call *c)
{
    struct iovec iov[2] = {
        {.iov_base = (void *)&c->request, .iov_len = sizeof c->request},
        {.iov_base = (void *)c->tail, .iov_len = c->ntail},
    };
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct msghdr msg = {.msg_iov = iov, .msg_iovlen = c->ntail > 0 ? 2 : 1};
    if (c->send_fd >= 0) {
        msg.msg_control = &control;
        msg.msg_controllen = sizeof control.bytes;
        struct cmsghdr *h = CMSG_FIRSTHDR(&msg);
        h->cmsg_level = SOL_SOCKET;
        h->cmsg_type = SCM_RIGHTS;
        h->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(h), &c->send_fd, sizeof(int));
    }
    long n = 0;
    do { // not sendmsg(): that is a point where a thread may be cancelled
        n = syscall(SYS_sendmsg, conn.sock, &msg, MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : 0;
}

static long receive(struct msghdr *msg, unsigned looks)
{
    long n = -1;
    errno = EAGAIN;
    for (unsigned i = 0; i < looks && n < 0 && (errno == EAGAIN || errno == EINTR); i++) {
        lull_patience_pause();
        n = syscall(SYS_recvmsg, conn.sock, msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    }
    const bool there = n >= 0 || errno != EAGAIN;
    if (looks != 0) {
        lull_patience_learn(&conn.patience, there);
    }
    while (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        n = syscall(SYS_recvmsg, conn.sock, msg, MSG_CMSG_CLOEXEC);
    }
    return n;
}

// @p looks: how often before sleeping.
static int receive_reply(struct lull_shim_call *c, unsigned looks)
{
    struct iovec iov[2] = {{.iov_base = &c->reply, .iov_len = sizeof c->reply},
                           {.iov_base = c->arg, .iov_len = c->narg}};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(MAX_FDS * sizeof(int))];
    } control = {.bytes = {0}};
    struct msghdr msg = {.msg_iov = iov,
                         .msg_iovlen = c->narg != 0 ? 2 : 1,
                         .msg_control = &control,
                         .msg_controllen = sizeof control.bytes};
    const long n = receive(&msg, looks);
    if (n < (long)sizeof c->reply) {
        return n < 0 ? -errno : -ENODEV;
    }
    for (struct cmsghdr *h = CMSG_FIRSTHDR(&msg); h != NULL; h = CMSG_NXTHDR(&msg, h)) {
        if (h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_RIGHTS) {
            const size_t size = h->cmsg_len - CMSG_LEN(0);
            memcpy(c->fds, CMSG_DATA(h), size < sizeof c->fds ? size : sizeof c->fds);
        }
    }
    return 0;
}

static int send_somehow(const struct lull_shim_call *c)
{
    const int r = conn.box != NULL ? lull_shim_box_send(conn.box, c) : -EAGAIN;
    return r == -EAGAIN ? send_request(c) : r;
}

static int round_trip(struct lull_shim_call *c)
{
    unsigned looks = lull_patience_looks(&conn.patience);
    c->fds[0] = c->fds[1] = -1;
    if (conn.box != NULL) {
        lull_box_look(&conn.box->to_program, looks != 0);
    }
    int r = send_somehow(c);
    if (r == -EFAULT && (c->request.flags & LULL_WIRE_ARG_BYTES) != 0) {
        c->request.flags &= ~(uint32_t)LULL_WIRE_ARG_BYTES; // The driver will say it.
        c->ntail = c->narg = 0;
        r = send_somehow(c);
    }
    if (r == 0 && conn.box != NULL && looks != 0) {
        const enum lull_box_state s = lull_box_wait(&conn.box->to_program);
        lull_patience_learn(&conn.patience, s != LULL_BOX_SHUT);
        if (s == LULL_BOX_FULL) {
            return lull_shim_box_take(conn.box, c);
        }
        looks = 0; // It comes over the socket.
    }
    return r != 0 ? r : receive_reply(c, looks);
}

// A socket that is ours alone and high up.
static int move_up(int sock)
{
    const int high = (int)syscall(SYS_fcntl, sock, F_DUPFD_CLOEXEC, HIGH_FD);
    if (high < 0) {
        return sock;
    }
    syscall(SYS_close, sock);
    return high;
}

// Do our pointers mean to the driver what they mean to us? Asked once in a process.
static bool known(void)
{
    static const volatile uint32_t word = LULL_WIRE_KNOWN_WORD;
    static atomic_bool asked;
    if (atomic_load_explicit(&asked, memory_order_relaxed)) {
        return true;
    }
    struct lull_shim_call c = {.request = {.op = LULL_WIRE_KNOWN, .a = (uint64_t)(uintptr_t)&word},
                               .send_fd = -1};
    const bool ok = round_trip(&c) == 0 && c.reply.result == 0;
    atomic_store_explicit(&asked, ok, memory_order_relaxed);
    return ok;
}

// Memory for calls, where it can be had.
static void open_box(void)
{
    struct lull_shim_call c = {.request = {.op = LULL_WIRE_BOX}, .send_fd = -1};
    if (round_trip(&c) == 0 && c.reply.result == 0 && c.fds[0] >= 0) {
        conn.box = lull_shim_box_map(c.fds[0]);
    }
    for (int i = 0; i < MAX_FDS; i++) {
        if (c.fds[i] >= 0) {
            syscall(SYS_close, c.fds[i]);
        }
    }
}

static int conn_open(void)
{
    const char *path = getenv("LULL_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (path == NULL || strlen(path) >= sizeof address.sun_path) {
        return -ENODEV;
    }
    memcpy(address.sun_path, path, strlen(path));
    const int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (sock < 0) {
        return -errno;
    }
    long r = 0;
    do { // not connect(): see above
        r = syscall(SYS_connect, sock, &address, sizeof address);
    } while (r < 0 && errno == EINTR);
    if (r < 0) {
        syscall(SYS_close, sock);
        return -ENODEV; // the driver is gone
    }
    struct stat st = {0};
    conn.sock = move_up(sock);
    conn.pid = getpid();
    lull_shim_fstat(conn.sock, &st);
    conn.dev = st.st_dev;
    conn.ino = st.st_ino;
    pthread_once(&once, make_key);
    pthread_setspecific(key, &conn);
    struct lull_shim_call hello = {.request = {.op = LULL_WIRE_HELLO, .a = LULL_WIRE_VERSION},
                                   .send_fd = -1};
    r = round_trip(&hello);
    if (r == 0 && hello.reply.result >= 0) {
        // Where only parents may look into a process: the driver may, wherever we end up.
        prctl(PR_SET_PTRACER, (unsigned long)hello.reply.value, 0, 0, 0);
        if (known()) {
            open_box();
            return 0;
        }
    }
    conn_close(NULL);
    return -ENODEV;
}

int lull_shim_exchange(struct lull_shim_call *c)
{
    const int saved = errno;
    int r = 0;
    if (!conn_valid()) {
        conn_close(NULL); // our copy of another process's
        r = conn_open();
    }
    r = r == 0 ? round_trip(c) : r;
    errno = saved;
    return r == -EPIPE || r == -ECONNRESET || r == -ENOTCONN ? -ENODEV : r;
}

static uint32_t with_bytes(const struct lull_shim_call *c)
{
    return c->ntail != 0 ? LULL_WIRE_ARG_BYTES : 0;
}

long lull_shim_request(int fd, const struct stat *st, struct lull_shim_call *c)
{
    enum { ATTEMPTS = 4 }; // the device, an argument, and both again after a fork
    c->request.dev = st->st_dev;
    c->request.ino = st->st_ino;
    c->send_fd = -1;
    c->request.flags = with_bytes(c);
    for (int i = 0; i < ATTEMPTS; i++) {
        const int r = lull_shim_exchange(c);
        if (r != 0) {
            return r;
        }
        if (c->reply.action == LULL_WIRE_SEND_DEVICE) {
            c->send_fd = fd;
            c->request.flags = with_bytes(c);
        } else if (c->reply.action == LULL_WIRE_SEND_ARG) {
            struct stat arg = {0};
            c->send_fd = (int)c->reply.value;
            if (lull_shim_fstat(c->send_fd, &arg) != 0) {
                return -EBADF;
            }
            c->request.flags = LULL_WIRE_ARG_FD | with_bytes(c);
        } else {
            return (long)c->reply.result;
        }
    }
    return -EIO;
}
