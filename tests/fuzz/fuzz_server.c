// SPDX-License-Identifier: MIT
// Any messages on the driver's socket, with any descriptors: no crash, no leak, and it still stops.
// Seeds: tests/fuzz/corpus/server/.
//
// The input is a list of records: a byte that says what, a byte of choices (connection: bit 0,
// file: bits 3:1, descriptor to send: bits 6:4, as an argument: bit 7), then as many bytes as that
// needs. An 8-byte word whose first byte is 0xc0 + n and whose last is 0xc0 is the address of block
// n of the client's scratch memory. The client is a child process that only passes messages on, so
// that the driver writes into that, wherever it is told to.
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cur.h"
#include "vdrm/core/server.h"
#include "vdrm/core/wire.h"
#include "vdrm/fake.h"

enum {
    NCONNS = 2,
    NFILES = 8,
    BLOCK = 64,
    NBLOCKS = 32,
    ARG_BYTES = 256,
    MAX_RECORDS = 60,
    ANSWER_MS = 20,
    MAX_MESSAGE = 1024,
    HANG_UP = 0xff, // in place of a connection: all of them
    OP_RAW = 0,
    OP_HELLO,
    OP_OPEN,
    OP_CLOSE,
    OP_BLOCK,
    OP_REQUEST,
    OP_IOCTL, // and above: one of the calls
};

static const unsigned long requests[] = {
    DRM_IOCTL_VERSION,
    DRM_IOCTL_GEM_CLOSE,
    DRM_IOCTL_PRIME_HANDLE_TO_FD,
    DRM_IOCTL_PRIME_FD_TO_HANDLE,
    DRM_IOCTL_SYNCOBJ_CREATE,
    DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD,
    DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE,
    DRM_IOCTL_SYNCOBJ_EVENTFD,
    DRM_IOCTL_SYNCOBJ_WAIT,
    DRM_IOCTL_SYNCOBJ_SIGNAL,
    DRM_IOCTL_SYNCOBJ_RESET,
    DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL,
    DRM_IOCTL_AMDGPU_GEM_CREATE,
    DRM_IOCTL_AMDGPU_GEM_MMAP,
    DRM_IOCTL_AMDGPU_GEM_VA,
    DRM_IOCTL_AMDGPU_GEM_USERPTR,
    DRM_IOCTL_AMDGPU_CTX,
    DRM_IOCTL_AMDGPU_CS,
    DRM_IOCTL_AMDGPU_WAIT_CS,
    DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE,
    DRM_IOCTL_AMDGPU_SCHED,
    DRM_IOCTL_AMDGPU_INFO,
};

enum { NREQUESTS = sizeof requests / sizeof requests[0] };

// The client process: it has the connections, and says what it is told to.
static struct {
    pid_t pid;
    int sock;
    uint8_t *scratch; // Shared, at the same address.
    char dir[32];
} child;

struct state {
    int files[NFILES];
    uint64_t dev[NFILES], ino[NFILES];
};

static void send_fd(int sock, const void *bytes, size_t size, int fd)
{
    struct iovec iov = {(void *)(uintptr_t)bytes, size};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    if (fd >= 0) {
        msg.msg_control = &control;
        msg.msg_controllen = sizeof control.bytes;
        struct cmsghdr *h = CMSG_FIRSTHDR(&msg);
        h->cmsg_level = SOL_SOCKET;
        h->cmsg_type = SCM_RIGHTS;
        h->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(h), &fd, sizeof fd);
    }
    sendmsg(sock, &msg, MSG_NOSIGNAL);
}

// @return Bytes of a message; @p ret_fd: what came along, or -1.
static ssize_t receive_fd(int sock, void *bytes, size_t size, int *ret_fd)
{
    struct iovec iov = {bytes, size};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = &control,
                         .msg_controllen = sizeof control.bytes};
    const ssize_t n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *h = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL;
    *ret_fd = -1;
    if (h != NULL && h->cmsg_type == SCM_RIGHTS) {
        memcpy(ret_fd, CMSG_DATA(h), sizeof *ret_fd);
    }
    return n;
}

static void address(struct sockaddr_un *ret)
{
    *ret = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(ret->sun_path, sizeof ret->sun_path, "%s/gpu", child.dir);
}

static int dial(void)
{
    struct sockaddr_un a;
    const struct timeval limit = {.tv_usec = ANSWER_MS * 1000};
    address(&a);
    const int conn = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (connect(conn, (struct sockaddr *)&a, sizeof a) != 0) {
        _exit(1);
    }
    setsockopt(conn, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return conn;
}

static void hang_up(int *conn)
{
    if (*conn >= 0) {
        close(*conn);
        *conn = -1;
    }
}

// One message to the driver. @return Bytes of the answer; 0: it hung up, or the call waits.
static size_t pass_on(int *conn, const uint8_t *bytes, size_t size, int fd,
                      struct lull_wire_reply *ret, int *ret_fd)
{
    *conn = *conn < 0 ? dial() : *conn;
    send_fd(*conn, bytes, size, fd);
    const ssize_t n = receive_fd(*conn, ret, sizeof *ret, ret_fd);
    if (n <= 0) {
        hang_up(conn);
    }
    return n > 0 ? (size_t)n : 0;
}

// Messages here: the number of a connection, then what is to be said on it; the answer.
static _Noreturn void child_main(int sock)
{
    static uint8_t message[MAX_MESSAGE];
    int conns[NCONNS] = {-1, -1}, fd = -1, got = -1;
    ssize_t n = 0;
    while ((n = receive_fd(sock, message, sizeof message, &fd)) > 0) {
        struct {
            uint8_t any;
            struct lull_wire_reply reply;
        } out = {0};
        size_t size = 0;
        got = -1;
        if (message[0] == HANG_UP) {
            hang_up(&conns[0]);
            hang_up(&conns[1]);
        } else {
            size = pass_on(&conns[message[0] % NCONNS], message + 1, (size_t)n - 1, fd, &out.reply,
                           &got);
        }
        send_fd(sock, &out, size > 0 ? sizeof out : 1, got);
        hang_up(&fd);
        hang_up(&got);
    }
    _exit(0);
}

static void child_end(void)
{
    if (child.pid > 0) {
        kill(child.pid, SIGKILL);
        waitpid(child.pid, NULL, 0);
        close(child.sock);
        munmap(child.scratch, NBLOCKS * BLOCK);
        rmdir(child.dir);
        child.pid = 0;
    }
}

static void child_start(void)
{
    int ends[2] = {-1, -1};
    snprintf(child.dir, sizeof child.dir, "/tmp/lull-fuzz-XXXXXX");
    child.scratch =
        mmap(NULL, NBLOCKS * BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (child.scratch == MAP_FAILED || mkdtemp(child.dir) == NULL ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        abort();
    }
    child.pid = fork();
    if (child.pid == 0) {
        close(ends[0]);
        child_main(ends[1]);
    }
    close(ends[1]);
    child.sock = ends[0];
}

static void keep(struct state *s, int fd)
{
    struct stat st = {0};
    for (unsigned i = 0; fd >= 0 && i < NFILES; i++) {
        if (s->files[i] < 0 && fstat(fd, &st) == 0) {
            s->files[i] = fd;
            s->dev[i] = st.st_dev;
            s->ino[i] = st.st_ino;
            return;
        }
    }
    if (fd >= 0) {
        close(fd);
    }
}

// The child may have died of what the driver wrote into it: then there is no answer any more.
static void exchange(struct state *s, unsigned conn, const void *bytes, size_t size, int fd)
{
    uint8_t message[MAX_MESSAGE] = {(uint8_t)conn};
    int got = -1;
    memcpy(message + 1, bytes, size);
    send_fd(child.sock, message, size + 1, fd);
    receive_fd(child.sock, message, sizeof message, &got);
    keep(s, got);
}

static void take(struct lull_cur *c, uint8_t *arg, size_t size)
{
    memset(arg, 0, size);
    const size_t n = lull_cur_left(c) < size ? lull_cur_left(c) : size;
    const uint8_t *from = lull_cur_take(c, n);
    if (from != NULL && n > 0) {
        memcpy(arg, from, n);
    }
    for (size_t i = 0; i + 8 <= size; i += 8) {
        if ((arg[i] & 0xe0) == 0xc0 && arg[i + 7] == 0xc0) {
            const uint64_t p =
                (uint64_t)(uintptr_t)(child.scratch + arg[i] % NBLOCKS * (size_t)BLOCK);
            memcpy(arg + i, &p, sizeof p);
        }
    }
}

static void record(struct state *s, struct lull_cur *c)
{
    static const char node[] = "/dev/dri/renderD128";
    uint8_t arg[ARG_BYTES] = {0};
    struct {
        struct lull_wire_request r;
        char path[sizeof node - 1];
    } open_ = {.r = {.op = LULL_WIRE_OPEN, .a = O_RDWR}};
    memcpy(open_.path, node, sizeof open_.path);
    const unsigned op = lull_cur_u8(c), choice = lull_cur_u8(c);
    const unsigned conn = choice & 1;
    const unsigned file = choice >> 1 & 7;
    struct lull_wire_request r = {.flags = choice >> 7, .dev = s->dev[file], .ino = s->ino[file]};
    const int fd = s->files[choice >> 4 & 7];
    switch (op) {
    case OP_RAW:
        r.op = lull_cur_u8(c); // a size
        take(c, arg, r.op);
        exchange(s, conn, arg, r.op, fd);
        break;
    case OP_HELLO:
        r = (struct lull_wire_request){.op = LULL_WIRE_HELLO, .a = LULL_WIRE_VERSION};
        exchange(s, conn, &r, sizeof r, -1);
        break;
    case OP_OPEN:
        exchange(s, conn, &open_, sizeof open_.r + sizeof open_.path, -1);
        break;
    case OP_CLOSE:
        if (s->files[file] >= 0) {
            close(s->files[file]);
            s->files[file] = -1;
        }
        break;
    case OP_BLOCK:
        take(c, arg, BLOCK);
        memcpy(child.scratch + choice % NBLOCKS * (size_t)BLOCK, arg, BLOCK);
        break;
    case OP_REQUEST:
        take(c, arg, 32);
        r.op = arg[24];
        memcpy(&r.a, arg, 24);
        exchange(s, conn, &r, sizeof r, fd);
        break;
    default:
        take(c, arg, _IOC_SIZE(requests[op % NREQUESTS]));
        memcpy(child.scratch, arg, _IOC_SIZE(requests[op % NREQUESTS]));
        r.op = LULL_WIRE_IOCTL;
        r.a = requests[op % NREQUESTS];
        r.b = (uint64_t)(uintptr_t)child.scratch;
        exchange(s, conn, &r, sizeof r, fd);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_cur c = lull_cur_of(data, size);
    struct state s = {0};
    struct fake *f = NULL;
    struct lull_server *server = NULL;
    struct sockaddr_un a;
    if (child.pid == 0) {
        child_start();
        atexit(child_end);
    }
    address(&a);
    memset(s.files, 0xff, sizeof s.files);
    memset(child.scratch, 0, NBLOCKS * BLOCK);
    struct lull_kernel *k =
        fake_kernel(&(const struct lull_vdrm_options){.threaded = true, .isolate = true}, &f);
    f->cost = 10;
    struct lull_error *err = lull_server_new(k, a.sun_path, false, &server);
    if (err != NULL) {
        abort();
    }
    for (unsigned n = 0; n < MAX_RECORDS && lull_cur_left(&c) >= 2; n++) {
        record(&s, &c);
    }
    exchange(&s, HANG_UP, "", 0, -1);
    for (unsigned i = 0; i < NFILES; i++) {
        if (s.files[i] >= 0) {
            close(s.files[i]);
        }
    }
    lull_server_free(server);
    k->destroy(k);
    if (waitpid(child.pid, NULL, WNOHANG) != 0) { // killed by what was written into it
        child.pid = 0;
        close(child.sock);
        munmap(child.scratch, NBLOCKS * BLOCK);
        rmdir(child.dir);
    }
    return 0;
}
