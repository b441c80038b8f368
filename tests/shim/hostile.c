// SPDX-License-Identifier: MIT
// A client that talks to the driver's socket itself, and wants what is not its own. Prints "ok".
// With argument "reuse": a process that takes over the number of another; "skip: WHY" where that
// cannot be tried.
#include "raw.h"

#include <linux/sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "vdrm/core/box.h"

static int dial(void)
{
    const char *path = getenv("LULL_SOCKET");
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    snprintf(a.sun_path, sizeof a.sun_path, "%s", path != NULL ? path : "");
    const int sock = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    raw_want(sock >= 0 && connect(sock, (struct sockaddr *)&a, sizeof a) == 0, "connect");
    return sock;
}

// Any bytes and descriptors.
static void throw(int sock, const void *bytes, size_t size, int fd, unsigned nfds)
{
    enum { MANY = 64 };
    struct iovec iov = {(void *)bytes, size};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(MANY * sizeof(int))];
    } control = {.bytes = {0}};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    if (nfds > 0) {
        msg.msg_control = &control;
        msg.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
        struct cmsghdr *h = CMSG_FIRSTHDR(&msg);
        h->cmsg_level = SOL_SOCKET;
        h->cmsg_type = SCM_RIGHTS;
        h->cmsg_len = CMSG_LEN(nfds * sizeof(int));
        for (unsigned i = 0; i < nfds; i++) {
            memcpy(CMSG_DATA(h) + i * sizeof fd, &fd, sizeof fd);
        }
    }
    raw_want(sendmsg(sock, &msg, MSG_NOSIGNAL) >= 0, "sendmsg");
}

// The same. @return Bytes of the answer; 0: the driver hung up.
static ssize_t say(int sock, const void *bytes, size_t size, int fd, unsigned nfds,
                   struct lull_wire_reply *reply)
{
    throw(sock, bytes, size, fd, nfds);
    return recv(sock, reply, sizeof *reply, 0);
}

static int64_t ask(int sock, struct lull_wire_request r, int fd, struct lull_wire_reply *reply)
{
    errno = EPIPE;
    raw_want(say(sock, &r, sizeof r, fd, fd >= 0, reply) == (ssize_t)sizeof *reply, "answer");
    return reply->result;
}

static int hello(void)
{
    const int sock = dial();
    struct lull_wire_reply reply = {0};
    errno = EPROTO;
    raw_want(ask(sock, (struct lull_wire_request){.op = LULL_WIRE_HELLO, .a = LULL_WIRE_VERSION},
                 -1, &reply) == 0,
             "HELLO");
    return sock;
}

static void want(bool ok, const char *what)
{
    if (!ok) {
        printf("%s\n", what);
        fflush(stdout);
        _exit(1);
    }
}

// Messages that are none.
static void nonsense(void)
{
    struct lull_wire_reply reply = {0};
    static char big[100000];
    static const size_t sizes[] = {1, 7, sizeof(struct lull_wire_request) - 1, 5000, sizeof big};
    memset(big, 0x5a, sizeof big);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const int sock = dial();
        const ssize_t n = say(sock, big, sizes[i], -1, 0, &reply);
        want(n <= 0, "nonsense is answered");
        close(sock);
    }
    int sock = dial();
    struct lull_wire_request r = {.op = LULL_WIRE_HELLO, .a = 999};
    want(ask(sock, r, -1, &reply) == -EPROTO, "another version");
    r = (struct lull_wire_request){.op = LULL_WIRE_IOCTL};
    want(ask(sock, r, -1, &reply) == -EPROTO, "a call before HELLO");
    close(sock);
    sock = hello();
    for (uint32_t op = 0; op < 300; op = op < 20 ? op + 1 : op + 97) {
        r = (struct lull_wire_request){.op = op, .flags = op, .dev = 1, .ino = 2, .a = 3, .b = 4};
        want(ask(sock, r, op % 2 != 0 ? 0 : -1, &reply) <= 0, "a file that is not there");
    }
    want(say(sock, &r, sizeof r, 0, 60, &reply) <= 0, "sixty descriptors");
    close(sock);
}

// Calls on a file of somebody else's, of which only the numbers are known.
static void foreign(dev_t dev, ino_t ino)
{
    const int sock = hello(), own = raw_open();
    struct lull_wire_reply reply = {0};
    struct drm_version version = {0};
    struct lull_wire_request r = {.op = LULL_WIRE_IOCTL,
                                  .dev = dev,
                                  .ino = ino,
                                  .a = DRM_IOCTL_VERSION,
                                  .b = (uint64_t)(uintptr_t)&version};
    want(ask(sock, r, -1, &reply) < 0 && reply.action == LULL_WIRE_SEND_DEVICE,
         "another's file without its descriptor");
    want(ask(sock, r, own, &reply) < 0, "another's file with one of mine");
    r.flags = LULL_WIRE_ARG_FD;
    want(ask(sock, r, own, &reply) < 0, "another's file with an argument");
    r = (struct lull_wire_request){.op = LULL_WIRE_MMAP, .dev = dev, .ino = ino};
    want(ask(sock, r, -1, &reply) < 0 && reply.nfds == 0, "mmap of another's file");
    want(version.version_major == 0, "the call was made");
    close(sock);
}

static void paths(void)
{
    static const char *const names[] = {"/sys/kernel/debug/dri/0/amdgpu_vram",
                                        "/sys/kernel/debug/dri/0/amdgpu_regs2",
                                        "/dev/kmsg",
                                        "/etc/passwd",
                                        "/dev/dri/../../etc/passwd",
                                        "/dev/dri/",
                                        ""};
    const int sock = hello();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char message[sizeof(struct lull_wire_request) + 64] = {0};
        const struct lull_wire_request r = {.op = LULL_WIRE_OPEN, .a = O_RDWR};
        struct lull_wire_reply reply = {0};
        memcpy(message, &r, sizeof r);
        memcpy(message + sizeof r, names[i], strlen(names[i]));
        want(say(sock, message, sizeof r + strlen(names[i]), -1, 0, &reply) ==
                     (ssize_t)sizeof reply &&
                 reply.result < 0,
             names[i]);
    }
    close(sock);
}

// The memory behind the device cannot be taken away from under the driver.
static void memory(void)
{
    const int fd = raw_open();
    const struct raw_bo bo = raw_bo(fd, AMDGPU_GEM_DOMAIN_VRAM, 0x400000);
    want(ftruncate(fd, 0) != 0, "the device can be truncated");
    want(ftruncate(fd, 1ll << 45) != 0, "the device can be made longer");
    struct drm_prime_handle out = {.handle = bo.handle, .flags = DRM_RDWR};
    raw_want(raw_ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &out) == 0, "HANDLE_TO_FD");
    want(ftruncate(out.fd, 0) != 0, "a dma-buf can be truncated");
}

// Pointers into nowhere, and counts without end.
static void arguments(void)
{
    const int fd = raw_open();
    const uint32_t ctx = raw_ctx(fd);
    union drm_amdgpu_cs cs = {.in = {.ctx_id = ctx, .num_chunks = UINT32_MAX, .chunks = 4096}};
    want(ioctl(fd, DRM_IOCTL_AMDGPU_CS, &cs) != 0, "chunks without end");
    cs =
        (union drm_amdgpu_cs){.in = {.ctx_id = ctx, .num_chunks = 3, .chunks = 0xffff800000000000}};
    want(ioctl(fd, DRM_IOCTL_AMDGPU_CS, &cs) != 0 && errno == EFAULT, "chunks in the kernel");
    struct drm_syncobj_array array = {.handles = 8, .count_handles = UINT32_MAX};
    want(ioctl(fd, DRM_IOCTL_SYNCOBJ_RESET, &array) != 0, "sync objects without end");
    struct drm_amdgpu_info info = {.return_pointer = 8, .return_size = UINT32_MAX};
    want(ioctl(fd, DRM_IOCTL_AMDGPU_INFO, &info) != 0 && errno == EFAULT, "info to nowhere");
    struct drm_syncobj_eventfd event = {.fd = fd};
    want(ioctl(fd, DRM_IOCTL_SYNCOBJ_EVENTFD, &event) != 0, "an eventfd that is none");
    struct drm_amdgpu_gem_userptr user = {
        .addr = 1ull << 46, .size = 1ull << 46, .flags = AMDGPU_GEM_USERPTR_REGISTER};
    want(ioctl(fd, DRM_IOCTL_AMDGPU_GEM_USERPTR, &user) != 0, "all memory there is");
}

// Files until there are no more; they come back.
static void files(void)
{
    for (int round = 0; round < 2; round++) {
        const pid_t pid = fork();
        if (pid == 0) {
            int n = 0;
            while (n < 2000 && open("/dev/dri/renderD128", O_RDWR) >= 0) {
                n++;
            }
            _exit(n < 100 || n == 2000);
        }
        int status = 0;
        waitpid(pid, &status, 0);
        want(status == 0, "number of files");
    }
}

// What the driver would write: not into anybody's memory but the sender's.
static struct drm_version canary;

static struct lull_wire_request version_of(int fd)
{
    struct stat st = {0};
    raw_want(fstat(fd, &st) == 0, "fstat");
    return (struct lull_wire_request){.op = LULL_WIRE_IOCTL,
                                      .dev = st.st_dev,
                                      .ino = st.st_ino,
                                      .a = DRM_IOCTL_VERSION,
                                      .b = (uint64_t)(uintptr_t)&canary};
}

// A child on its parent's connection, which would reach into the parent: as another user if that
// can be.
static void sender(void)
{
    enum { NOBODY = 65534 };
    const int sock = hello(), fd = raw_open();
    const struct lull_wire_request r = version_of(fd);
    struct lull_wire_reply reply = {0};
    want(ask(sock, r, fd, &reply) == 0 && canary.version_major != 0, "the device is not known");
    canary = (struct drm_version){0};
    const pid_t pid = fork();
    if (pid == 0) {
        if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)) {
            _exit(2);
        }
        _exit(say(sock, &r, sizeof r, -1, 0, &reply) > 0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    want(status == 0, "a child is answered on its parent's connection");
    want(canary.version_major == 0, "a child made the driver write into its parent");
    want(recv(sock, &reply, sizeof reply, 0) <= 0, "the connection goes on");
    close(sock);
    want(ask(hello(), r, fd, &reply) == 0 && canary.version_major != 0, "the parent is locked out");
}

// Bytes that come along and are not the argument, or not all of it: the driver looks itself.
static void along(void)
{
    const int sock = hello(), fd = raw_open();
    struct {
        struct lull_wire_request request;
        char bytes[1024];
    } m = {.request = version_of(fd)};
    struct lull_wire_reply reply = {0};
    want(ask(sock, m.request, fd, &reply) == 0, "the device is not known");
    const uint64_t places[] = {0, m.request.b - 1, m.request.b + 1, UINT64_MAX,
                               m.request.b - sizeof m.bytes + 8};
    m.request.flags = LULL_WIRE_ARG_BYTES;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        canary = (struct drm_version){0};
        memset(m.bytes, 0x5a, sizeof m.bytes);
        m.request.c = places[i];
        const size_t size = i == 1 ? sizeof canary : sizeof m.bytes;
        raw_want(say(sock, &m, sizeof m.request + size, -1, 0, &reply) > 0, "answer");
        want(reply.result == 0, "a call with other bytes");
    }
    m.request.b = 8; // Its bytes are there, but it is not.
    m.request.c = 8;
    memset(m.bytes, 0, sizeof m.bytes);
    want(say(sock, &m, sizeof m, -1, 0, &reply) > 0, "no answer");
    close(sock);
}

// Its box; NULL: it has one.
static struct lull_box *box_of(int sock)
{
    struct lull_wire_request r = {.op = LULL_WIRE_BOX};
    struct lull_wire_reply reply = {0};
    struct iovec iov = {&reply, sizeof reply};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = &control,
                         .msg_controllen = sizeof control.bytes};
    throw(sock, &r, sizeof r, -1, 0);
    raw_want(recvmsg(sock, &msg, 0) == sizeof reply, "answer");
    const struct cmsghdr *h = CMSG_FIRSTHDR(&msg);
    if (h == NULL) {
        want(reply.result < 0, "a box without a file");
        return NULL;
    }
    int fd = -1;
    memcpy(&fd, CMSG_DATA(h), sizeof fd);
    want(ftruncate(fd, 0) != 0, "the driver's memory is taken away");
    void *p = mmap(NULL, sizeof(struct lull_box), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    raw_want(p != MAP_FAILED, "mmap");
    close(fd);
    return p;
}

// Any bytes in a box, while the driver looks there and while it does not (test_line() of
// vdrm/test_core.c has each for sure).
static void boxes(void)
{
    static const uint64_t sizes[] = {LULL_BOX_TAIL + 1, UINT32_MAX, UINT64_MAX};
    struct lull_wire_reply reply = {0};
    const struct lull_wire_request r = {.op = LULL_WIRE_REAP};
    for (uint32_t i = 0; i < 300; i++) {
        const int sock = hello();
        struct lull_box *b = box_of(sock);
        want(b != NULL && box_of(sock) == NULL, "one box");
        want(ask(sock, r, -1, &reply) == 0, "REAP");
        memset(&b->request, (int)i, sizeof b->request);
        b->ntail = sizes[i % 3];
        if (i % 2 != 0) {
            b->to_driver = b->to_program = i;
        } else if (lull_box_tell(&b->to_driver, LULL_BOX_FULL)) {
            want(recv(sock, &reply, sizeof reply, 0) <= 0,
                 "more than there is room for is answered");
        }
        munmap(b, sizeof *b);
        close(sock);
    }
}

// In a process of its own: leave a call behind in the socket, which nobody has taken from there
// yet, and end.
static pid_t leave_behind(int sock, int fd)
{
    const struct lull_wire_request first = {.op = LULL_WIRE_HELLO, .a = LULL_WIRE_VERSION},
                                   second = version_of(fd);
    const char *path = getenv("LULL_SOCKET");
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    snprintf(a.sun_path, sizeof a.sun_path, "%s", path != NULL ? path : "");
    const pid_t pid = fork();
    if (pid == 0) {
        raw_want(connect(sock, (struct sockaddr *)&a, sizeof a) == 0, "connect");
        throw(sock, &first, sizeof first, -1, 0);
        throw(sock, &second, sizeof second, fd, 1);
        _exit(0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    want(status == 0, "the process that leaves something behind");
    return pid;
}

// A fork whose number is @p pid. -1: not allowed.
static pid_t fork_as(pid_t pid)
{
    struct clone_args args = {
        .exit_signal = SIGCHLD, .set_tid = (uint64_t)(uintptr_t)&pid, .set_tid_size = 1};
    return (pid_t)syscall(SYS_clone3, &args, sizeof args);
}

// A process connects, asks and ends before the driver looks; another one has its number then.
static int reuse(void)
{
    int ends[2] = {-1, -1};
    char byte = 0;
    const int fd = raw_open(), sock = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    const pid_t driver = getppid();
    raw_want(pipe(ends) == 0 && sock >= 0 && kill(driver, SIGSTOP) == 0, "stop the driver");
    const pid_t gone = leave_behind(sock, fd), pid = fork_as(gone);
    if (pid == 0) {
        close(ends[1]);
        _exit(read(ends[0], &byte, 1) != 1 || canary.version_major != 0);
    }
    raw_want(kill(driver, SIGCONT) == 0, "let the driver go on");
    if (pid < 0) {
        printf("skip: a process's number cannot be chosen: %s\n", strerror(errno));
        return 0;
    }
    want(pid == gone, "another number");
    struct lull_wire_reply reply = {0};
    for (int i = 0; i < 2 && recv(sock, &reply, sizeof reply, 0) > 0; i++) {
    }
    int status = 0;
    raw_want(write(ends[1], "", 1) == 1, "write");
    waitpid(pid, &status, 0);
    want(status == 0, "the driver wrote into a process that has the number of another");
    printf("ok\n");
    return 0;
}

// The same structure with something else in it, in calls that write nothing back: each is read
// anew.
static void again(void)
{
    const int fd = raw_open();
    const uint32_t first = raw_bo_unmapped(fd, AMDGPU_GEM_DOMAIN_GTT).handle,
                   second = raw_bo_unmapped(fd, AMDGPU_GEM_DOMAIN_GTT).handle;
    struct drm_gem_close bo = {.handle = first};
    want(raw_ioctl(fd, DRM_IOCTL_GEM_CLOSE, &bo) == 0, "GEM_CLOSE");
    bo.handle = second;
    want(raw_ioctl(fd, DRM_IOCTL_GEM_CLOSE, &bo) == 0, "GEM_CLOSE of another");
    want(raw_ioctl(fd, DRM_IOCTL_GEM_CLOSE, &bo) != 0 && errno == EINVAL, "GEM_CLOSE again");
    close(fd);
}

int main(int argc, char **argv)
{
    enum { LIMIT_S = 40 };
    alarm(LIMIT_S);
    if (argc > 1 && strcmp(argv[1], "reuse") == 0) {
        return reuse();
    }
    struct stat st = {0};
    int ends[2] = {-1, -1};
    raw_want(pipe(ends) == 0, "pipe");
    const pid_t pid = fork(); // somebody with a file
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); // a client that fails leaves nobody behind
        const int fd = raw_open();
        raw_want(fstat(fd, &st) == 0 && write(ends[1], &st, sizeof st) == sizeof st, "victim");
        pause();
    }
    raw_want(read(ends[0], &st, sizeof st) == sizeof st, "victim");
    nonsense();
    again();
    foreign(st.st_dev, st.st_ino);
    paths();
    memory();
    arguments();
    along();
    boxes();
    sender();
    files();
    kill(pid, SIGKILL);
    const int fd = raw_open(); // the driver is still there
    struct drm_version version = {0};
    raw_want(raw_ioctl(fd, DRM_IOCTL_VERSION, &version) == 0, "VERSION");
    printf("ok\n");
    return 0;
}
