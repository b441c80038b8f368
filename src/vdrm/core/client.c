// SPDX-License-Identifier: MIT
#include "vdrm/core/client.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "vdrm/core/wire.h"

enum { MAX_FDS = 2, MOST_FILES = 1024 };

struct client {
    struct lull_kernel k; // First.
    int sock;
    bool gone;
};

/** One request and its reply. */
struct call {
    struct lull_wire_request request;
    struct lull_wire_reply reply;
    const char *path; // Behind the request, or NULL.
    int send_fd;
    int fds[MAX_FDS];
};

static struct client *client_of(struct lull_kernel *k)
{
    return (struct client *)k;
}

static uint64_t pointer(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

static int send_request(struct client *c, struct call *call)
{
    struct iovec iov[2] = {
        {.iov_base = &call->request, .iov_len = sizeof call->request},
        {.iov_len = call->path != NULL ? strlen(call->path) : 0},
    };
    memcpy(&iov[1].iov_base, &call->path, sizeof call->path); // sendmsg() only reads it
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct msghdr msg = {.msg_iov = iov, .msg_iovlen = call->path != NULL ? 2 : 1};
    if (call->send_fd >= 0) {
        msg.msg_control = &control;
        msg.msg_controllen = sizeof control.bytes;
        struct cmsghdr *h = CMSG_FIRSTHDR(&msg);
        h->cmsg_level = SOL_SOCKET;
        h->cmsg_type = SCM_RIGHTS;
        h->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(h), &call->send_fd, sizeof(int));
    }
    ssize_t n = 0;
    do {
        n = sendmsg(c->sock, &msg, MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : 0;
}

static int receive_reply(struct client *c, struct call *call)
{
    struct iovec iov = {.iov_base = &call->reply, .iov_len = sizeof call->reply};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(MAX_FDS * sizeof(int))];
    } control = {.bytes = {0}};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = &control,
                         .msg_controllen = sizeof control.bytes};
    ssize_t n = 0;
    do {
        n = recvmsg(c->sock, &msg, MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof call->reply) {
        return n < 0 ? -errno : -ENODEV;
    }
    for (struct cmsghdr *h = CMSG_FIRSTHDR(&msg); h != NULL; h = CMSG_NXTHDR(&msg, h)) {
        if (h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_RIGHTS) {
            const size_t size = h->cmsg_len - CMSG_LEN(0);
            memcpy(call->fds, CMSG_DATA(h), size < sizeof call->fds ? size : sizeof call->fds);
        }
    }
    return 0;
}

static int exchange(struct client *c, struct call *call)
{
    call->fds[0] = call->fds[1] = -1;
    int r = c->gone ? -ENODEV : send_request(c, call);
    r = r == 0 ? receive_reply(c, call) : r;
    if (r != 0) {
        c->gone = true;
    }
    return r != 0 ? -ENODEV : 0;
}

/** A request about file @p fd; the service may want to have it first, once for a connection. */
static int64_t about(struct client *c, int fd, struct call *call)
{
    enum { ATTEMPTS = 3 };
    struct stat st = {0};
    if (fstat(fd, &st) != 0) {
        return -EBADF;
    }
    call->request.dev = st.st_dev;
    call->request.ino = st.st_ino;
    call->send_fd = -1;
    for (int i = 0; i < ATTEMPTS; i++) {
        const int r = exchange(c, call);
        if (r != 0) {
            return r;
        }
        if (call->reply.action != LULL_WIRE_SEND_DEVICE) {
            return call->reply.result;
        }
        call->send_fd = fd;
    }
    return -EIO;
}

static void drop(struct call *call)
{
    for (int i = 0; i < MAX_FDS; i++) {
        if (call->fds[i] >= 0) {
            close(call->fds[i]);
        }
    }
}

static int client_open(struct lull_kernel *k, const char *path, int flags)
{
    struct call call = {
        .request = {.op = LULL_WIRE_OPEN, .a = (uint64_t)flags}, .path = path, .send_fd = -1};
    if (strlen(path) >= LULL_WIRE_MAX_PATH) {
        return -ENAMETOOLONG;
    }
    const int r = exchange(client_of(k), &call);
    if (r != 0 || call.reply.result < 0) {
        drop(&call);
        return r != 0 ? r : (int)call.reply.result;
    }
    const int fd = call.fds[0];
    call.fds[0] = -1;
    drop(&call);
    return fd >= 0 ? fd : -EIO;
}

static int client_ioctl(struct lull_kernel *k, int fd, unsigned long request, void *arg)
{
    struct call call = {.request = {.op = LULL_WIRE_IOCTL, .a = request, .b = pointer(arg)},
                        .fds = {-1, -1}};
    const int64_t r = about(client_of(k), fd, &call);
    // What a debugger does shares no buffers: descriptors that come along are not for us.
    drop(&call);
    return (int)r;
}

static int client_mmap(struct lull_kernel *k, int fd, size_t size, uint64_t offset, void **ret)
{
    (void)k;
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
    if (map == MAP_FAILED) {
        return -errno;
    }
    *ret = map;
    return 0;
}

static int client_munmap(struct lull_kernel *k, void *map, size_t size)
{
    (void)k;
    return munmap(map, size) != 0 ? -errno : 0;
}

static ssize_t client_pread(struct lull_kernel *k, int fd, void *buf, size_t size, uint64_t offset)
{
    struct call call = {
        .request = {.op = LULL_WIRE_PREAD, .a = pointer(buf), .b = size, .c = offset},
        .fds = {-1, -1}};
    const int64_t r = about(client_of(k), fd, &call);
    drop(&call);
    return (ssize_t)r;
}

static ssize_t client_pwrite(struct lull_kernel *k, int fd, const void *buf, size_t size,
                             uint64_t offset)
{
    struct call call = {
        .request = {.op = LULL_WIRE_PWRITE, .a = pointer(buf), .b = size, .c = offset},
        .fds = {-1, -1}};
    const int64_t r = about(client_of(k), fd, &call);
    drop(&call);
    return (ssize_t)r;
}

static int client_close(struct lull_kernel *k, int fd)
{
    struct call reap = {.request = {.op = LULL_WIRE_REAP}, .send_fd = -1};
    if (close(fd) != 0) {
        return -errno;
    }
    if (exchange(client_of(k), &reap) == 0) {
        drop(&reap);
    }
    return 0;
}

/** A render file of a process: number of a descriptor, and what file it is. */
struct render {
    int fd;
    dev_t dev;
    ino_t ino;
};

static int by_number(const void *a, const void *b)
{
    const struct render *x = a;
    const struct render *y = b;
    return (x->fd > y->fd) - (x->fd < y->fd);
}

/* The first descriptor of each render file that @p pid has, by number. */
static int render_files(pid_t pid, struct render *ret, size_t room)
{
    char path[288] = "";
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *dir = opendir(path);
    if (dir == NULL) {
        return errno == ENOENT ? -ESRCH : -errno;
    }
    size_t n = 0;
    const struct dirent *e = NULL;
    while (n < room && (e = readdir(dir)) != NULL) {
        struct stat st = {0};
        snprintf(path, sizeof path, "/proc/%d/fd/%s", (int)pid, e->d_name);
        if (e->d_name[0] != '.' && stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
            (st.st_mode & LULL_WIRE_MODE_MASK) == LULL_WIRE_MODE_RENDER) {
            ret[n++] = (struct render){
                .fd = (int)strtol(e->d_name, NULL, 10), .dev = st.st_dev, .ino = st.st_ino};
        }
    }
    closedir(dir);
    qsort(ret, n, sizeof *ret, by_number);
    size_t unique = 0;
    for (size_t i = 0; i < n; i++) {
        bool seen = false;
        for (size_t j = 0; j < unique; j++) {
            seen = seen || (ret[j].ino == ret[i].ino && ret[j].dev == ret[i].dev);
        }
        if (!seen) {
            ret[unique++] = ret[i];
        }
    }
    return (int)unique;
}

static int client_adopt(struct lull_kernel *k, pid_t pid, unsigned index)
{
    struct render files[MOST_FILES] = {{0}};
    const int n = render_files(pid, files, MOST_FILES);
    (void)k;
    if (n < 0 || index >= (unsigned)n) {
        return n < 0 ? n : -ENOENT;
    }
    const long pidfd = syscall(SYS_pidfd_open, pid, 0);
    if (pidfd < 0) {
        return -errno;
    }
    const long fd = syscall(SYS_pidfd_getfd, (int)pidfd, files[index].fd, 0);
    const int r = fd < 0 ? -errno : (int)fd;
    close((int)pidfd);
    return r;
}

static uint64_t client_now_ns(struct lull_kernel *k)
{
    struct timespec ts = {0};
    (void)k;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void client_destroy(struct lull_kernel *k)
{
    close(client_of(k)->sock);
    free(k);
}

bool lull_client_alive(const struct lull_kernel *k)
{
    return !((const struct client *)k)->gone;
}

// The service gets to look into this process: it must be of the same user. @p ret: its process.
LULL_MUST_USE static struct lull_error *check_service(int sock, const char *path, pid_t *ret)
{
    struct ucred cred = {0};
    socklen_t size = sizeof cred;
    if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &cred, &size) != 0) {
        return lull_error_os(errno, "socket %s", path);
    }
    if (cred.uid != geteuid()) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "socket %s: belongs to a process of user %u, and this is user %u",
                              path, (unsigned)cred.uid, (unsigned)geteuid());
    }
    *ret = cred.pid;
    return NULL;
}

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        return -ENAMETOOLONG;
    }
    memcpy(address.sun_path, path, strlen(path));
    const int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (sock >= 0 && connect(sock, (const struct sockaddr *)&address, sizeof address) == 0) {
        return sock;
    }
    const int r = -errno;
    if (sock >= 0) {
        close(sock);
    }
    return r;
}

struct lull_error *lull_client_new(const char *path, struct lull_kernel **ret)
{
    struct client *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return &lull_enomem;
    }
    c->sock = connect_to(path);
    if (c->sock < 0) {
        struct lull_error *err = lull_error_os(-c->sock, "socket %s", path);
        free(c);
        return err;
    }
    pid_t service = 0;
    struct lull_error *err = check_service(c->sock, path, &service);
    if (err != NULL) {
        client_destroy(&c->k);
        return err;
    }
    c->k = (struct lull_kernel){
        .open = client_open,
        .ioctl = client_ioctl,
        .mmap = client_mmap,
        .munmap = client_munmap,
        .pread = client_pread,
        .pwrite = client_pwrite,
        .close = client_close,
        .adopt = client_adopt,
        .now_ns = client_now_ns,
        .destroy = client_destroy,
    };
    struct call hello = {.request = {.op = LULL_WIRE_HELLO, .a = LULL_WIRE_VERSION}, .send_fd = -1};
    const int r = exchange(c, &hello);
    if (r != 0 || hello.reply.result < 0) {
        drop(&hello);
        client_destroy(&c->k);
        return lull_error_new(LULL_ERR_UNSUPPORTED, "socket %s: not of this version of lull", path);
    }
    drop(&hello);
    // Where only parents may look into a process: the driver must, for arguments.
    prctl(PR_SET_PTRACER, (unsigned long)service, 0, 0, 0);
    *ret = &c->k;
    return NULL;
}
