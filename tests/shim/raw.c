// SPDX-License-Identifier: MIT
// Processes, threads and descriptors as a DRM client meets them. argv[1] says which; prints "ok".
#include "raw.h"

#include <glob.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

enum { VA_IB = 0x400000, VA_DATA = 0x500000, VA_OTHER = 0x600000, SOON_MS = 5000 };

// A client with a context, a command buffer and a buffer.
struct client {
    int fd;
    uint32_t ctx;
    struct raw_bo ib, data;
};

static struct client client_on(int fd, uint64_t domain)
{
    return (struct client){.fd = fd,
                           .ctx = raw_ctx(fd),
                           .ib = raw_bo(fd, AMDGPU_GEM_DOMAIN_GTT, VA_IB),
                           .data = raw_bo(fd, domain, VA_DATA)};
}

// The GPU writes @p value to @p va.
static void gpu_write(const struct client *c, uint64_t va, uint32_t value)
{
    raw_ib_write(c->ib.map, va, value);
    const uint64_t seq = raw_submit(c->fd, c->ctx, &c->ib, 0);
    errno = ETIME;
    raw_want(raw_wait(c->fd, c->ctx, seq, SOON_MS), "job");
}

static void same(uint64_t got, uint64_t want, const char *what)
{
    if (got != want) {
        printf("%s: got 0x%llx, want 0x%llx\n", what, (unsigned long long)got,
               (unsigned long long)want);
        fflush(stdout);
        _exit(1);
    }
}

static int reap(pid_t pid)
{
    int status = 0;
    waitpid(pid, &status, 0);
    return status;
}

static void child_ok(pid_t pid, const char *what)
{
    same((unsigned)reap(pid), 0, what);
}

// A word through a socket pair: the other side has come that far.
static void tell(int sock)
{
    raw_want(write(sock, "", 1) == 1, "write");
}

static void await(int sock)
{
    char byte = 0;
    raw_want(read(sock, &byte, 1) == 1, "read");
}

static void pair(int ret[2])
{
    raw_want(socketpair(AF_UNIX, SOCK_STREAM, 0, ret) == 0, "socketpair");
}

static void send_fd(int sock, int fd)
{
    char byte = 0;
    struct iovec iov = {&byte, 1};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = &control,
                         .msg_controllen = sizeof control.bytes};
    struct cmsghdr *h = CMSG_FIRSTHDR(&msg);
    h->cmsg_level = SOL_SOCKET;
    h->cmsg_type = SCM_RIGHTS;
    h->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(h), &fd, sizeof fd);
    raw_want(sendmsg(sock, &msg, 0) == 1, "sendmsg");
}

static int receive_fd(int sock)
{
    char byte = 0;
    struct iovec iov = {&byte, 1};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = &control,
                         .msg_controllen = sizeof control.bytes};
    raw_want(recvmsg(sock, &msg, 0) == 1 && CMSG_FIRSTHDR(&msg) != NULL, "recvmsg");
    int fd = -1;
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof fd);
    return fd;
}

// The device as programs look at it.
static void test_files(void)
{
    struct stat st = {0};
    char link[256] = "";
    const int fd = raw_open();
    raw_want(fstat(fd, &st) == 0 && S_ISCHR(st.st_mode), "fstat");
    same(st.st_rdev, makedev(226, 128), "rdev of the descriptor");
    raw_want(stat("/dev/dri/renderD128", &st) == 0 && S_ISCHR(st.st_mode), "stat");
    same(st.st_rdev, makedev(226, 128), "rdev of the name");
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    char to[256] = "";
    raw_want(readlink(link, to, sizeof to - 1) > 0, "readlink");
    errno = EINVAL;
    raw_want(strcmp(to, "/dev/dri/renderD128") == 0, to);
    char *real = realpath("/sys/dev/char/226:128/device/subsystem", NULL);
    raw_want(real != NULL && strcmp(real, "/sys/bus/pci") == 0, real != NULL ? real : "realpath");
    free(real);
    glob_t found = {0};
    raw_want(glob("/dev/dri/r*", 0, NULL, &found) == 0 && found.gl_pathc == 1 &&
                 strcmp(found.gl_pathv[0], "/dev/dri/renderD128") == 0,
             "glob");
    globfree(&found);
    errno = 0;
    raw_want(open("/dev/dri/renderD129", O_RDWR) < 0 && errno == ENOENT, "renderD129");
    raw_want(ioctl(fd, _IO('d', 0x9e), NULL) < 0 && errno == EINVAL, "unknown ioctl");
    raw_want(ioctl(fd, DRM_IOCTL_VERSION, (void *)8) < 0 && errno == EFAULT, "bad pointer");
}

// The VMID that jobs of this client run with, as a wave sees it.
// Arguments at the ends of what is mapped, and where nobody may write.
static void test_arguments(void)
{
    const size_t page = 4096;
    const int fd = raw_open();
    char *mem = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    raw_want(mem != MAP_FAILED && munmap(mem, page) == 0 && munmap(mem + 2 * page, page) == 0,
             "a page alone");
    char *const ends[] = {mem + page, mem + 2 * page - sizeof(struct drm_get_cap)};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct drm_get_cap cap = {.capability = DRM_CAP_SYNCOBJ};
        memcpy(ends[i], &cap, sizeof cap);
        raw_want(ioctl(fd, DRM_IOCTL_GET_CAP, ends[i]) == 0, "at the end of a page");
        memcpy(&cap, ends[i], sizeof cap);
        raw_want(cap.value == 1 && cap.capability == DRM_CAP_SYNCOBJ, "what comes back there");
    }
    errno = 0;
    raw_want(ioctl(fd, DRM_IOCTL_GET_CAP, ends[1] + 1) < 0 && errno == EFAULT, "over the end");
    errno = 0;
    raw_want(ioctl(fd, DRM_IOCTL_GET_CAP, ends[0] - 1) < 0 && errno == EFAULT, "before it");
    raw_want(mprotect(mem + page, page, PROT_READ) == 0, "mprotect");
    errno = 0;
    raw_want(ioctl(fd, DRM_IOCTL_GET_CAP, ends[0]) < 0 && errno == EFAULT, "for reading only");
    munmap(mem + page, page);
    close(fd);
}

static uint32_t vmid_of(const struct client *c)
{
    static const uint32_t code[] = {
        // llvm-mc-19 -mcpu=gfx1100
        0xb882f818,             // s_getreg_b32 s2, hwreg(HW_REG_HW_ID2)
        0x7e000202,             // v_mov_b32_e32 v0, s2
        0x7e020200,             // v_mov_b32_e32 v1, s0
        0x7e040201,             // v_mov_b32_e32 v2, s1
        0xdc6a0000, 0x007c0001, // global_store_b32 v[1:2], v0, off
        0xbfb00000,             // s_endpgm
    };
    enum { CODE = 512, RESULT = 1024 };
    memcpy((char *)c->data.map + CODE, code, sizeof code);
    c->data.map[RESULT / 4] = UINT32_MAX;
    raw_ib_dispatch(c->ib.map, VA_DATA + CODE, VA_DATA + RESULT);
    const uint64_t seq = raw_submit(c->fd, c->ctx, &c->ib, 0);
    errno = ETIME;
    raw_want(raw_wait(c->fd, c->ctx, seq, SOON_MS), "dispatch");
    return c->data.map[RESULT / 4] >> 24 & 15; // HW_ID2.VM_ID
}

// What two processes tell each other.
struct both {
    uint64_t offset;
    uint32_t vmid;
};

// Two processes at the same time, at the same addresses: neither sees the other.
static void two_child(int sock, uint32_t value, struct both *ret)
{
    const struct client c = client_on(raw_open(), AMDGPU_GEM_DOMAIN_VRAM);
    gpu_write(&c, VA_DATA, value);
    same(c.data.map[0], value, "own buffer");
    ret->offset = c.data.offset;
    ret->vmid = vmid_of(&c);
    tell(sock);
    await(sock); // both have written
    const uint64_t other = ret[value == 1 ? 1 : -1].offset;
    errno = EEXIST;
    raw_want(other != c.data.offset, "both have the same memory");
    raw_want(ret[0].vmid != ret[value == 1 ? 1 : -1].vmid, "both have the same VMID");
    raw_want(ret->vmid >= 1 && ret->vmid <= 7, "VMID");
    const uint32_t *map = mmap(NULL, RAW_PAGE, PROT_READ, MAP_SHARED, c.fd, (off_t)other);
    raw_want(map == MAP_FAILED || map[0] == 0, "the other's memory can be read");
    same(c.data.map[0], value, "own buffer, later");
    tell(sock);
    await(sock);
    _exit(0);
}

// A mapping of @p fd, of which nothing stays. @return 0 or an errno.
static int map_errno(int fd, uint64_t offset, size_t size, int prot, int flags)
{
    void *p = mmap(NULL, size, prot, flags, fd, (off_t)offset);
    const int r = p == MAP_FAILED ? errno : 0;
    if (r == 0) {
        munmap(p, size);
    }
    return r;
}

static struct raw_bo hidden_bo(int fd)
{
    union drm_amdgpu_gem_create create = {.in = {.bo_size = RAW_PAGE,
                                                 .domains = AMDGPU_GEM_DOMAIN_VRAM,
                                                 .domain_flags = AMDGPU_GEM_CREATE_NO_CPU_ACCESS}};
    raw_want(raw_ioctl(fd, DRM_IOCTL_AMDGPU_GEM_CREATE, &create) == 0, "GEM_CREATE");
    return (struct raw_bo){.handle = create.out.handle};
}

// What can be mapped where. Errors: do_mmap(), drm_gem_mmap(), amdgpu_gem_object_mmap(),
// ttm_bo_mmap_obj() and dma_buf_mmap_internal() of Linux 6.12.
static void test_mmap(void)
{
    enum { RW = PROT_READ | PROT_WRITE, P = RAW_PAGE };
    const struct client c = client_on(raw_open(), AMDGPU_GEM_DOMAIN_VRAM);
    const int other = raw_open(), ro = open("/dev/dri/renderD128", O_RDONLY | O_CLOEXEC),
              wo = open("/dev/dri/renderD128", O_WRONLY | O_CLOEXEC);
    const struct raw_bo theirs = raw_bo(other, AMDGPU_GEM_DOMAIN_GTT, VA_DATA),
                        read_only = raw_bo_unmapped(ro, AMDGPU_GEM_DOMAIN_GTT),
                        write_only = raw_bo_unmapped(wo, AMDGPU_GEM_DOMAIN_GTT);
    struct drm_prime_handle out = {.handle = c.ib.handle, .flags = DRM_CLOEXEC | DRM_RDWR};
    raw_want(raw_ioctl(c.fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &out) == 0, "HANDLE_TO_FD");
    const uint64_t at = c.data.offset, far = 1ull << 44;
    const struct {
        const char *name;
        int fd;
        uint64_t offset;
        size_t size;
        int prot, flags, want;
    } rows[] = {
        {"a buffer", c.fd, at, P, RW, MAP_SHARED, 0},
        {"less than a page of it", c.fd, at, 100, PROT_READ, MAP_SHARED, 0},
        {"a shared buffer", c.fd, c.ib.offset, P, RW, MAP_SHARED, 0},
        {"a dma-buf", out.fd, 0, P, RW, MAP_SHARED, 0},
        {"no buffer there", c.fd, far, P, RW, MAP_SHARED, EINVAL},
        {"not its start", c.fd, at + P, P, RW, MAP_SHARED, EINVAL},
        {"between pages", c.fd, at + 8, P, RW, MAP_SHARED, EINVAL},
        {"longer than it", c.fd, at, P + 1, RW, MAP_SHARED, EINVAL},
        {"nothing of it", c.fd, at, 0, RW, MAP_SHARED, EINVAL},
        {"much longer than it", c.fd, at, 1 << 30, RW, MAP_SHARED, EINVAL},
        {"a private copy", c.fd, at, P, RW, MAP_PRIVATE, EINVAL},
        {"a private copy to read", c.fd, at, P, PROT_READ, MAP_PRIVATE, EINVAL},
        {"a private place without rights", c.fd, at, P, PROT_NONE, MAP_PRIVATE, 0},
        {"neither shared nor private", c.fd, at, P, RW, 0, EINVAL},
        {"another file's buffer", c.fd, theirs.offset, P, RW, MAP_SHARED, EACCES},
        {"a file to read: read", ro, read_only.offset, P, PROT_READ, MAP_SHARED, 0},
        {"a file to read: write", ro, read_only.offset, P, RW, MAP_SHARED, EACCES},
        {"a file to write", wo, write_only.offset, P, PROT_WRITE, MAP_SHARED, EACCES},
        {"more than a dma-buf", out.fd, 0, 2 * P, RW, MAP_SHARED, EINVAL},
        {"behind a dma-buf", out.fd, P, P, RW, MAP_SHARED, EINVAL},
        {"a private copy of a dma-buf", out.fd, 0, P, RW, MAP_PRIVATE, EINVAL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        same((unsigned)map_errno(rows[i].fd, rows[i].offset, rows[i].size, rows[i].prot,
                                 rows[i].flags),
             (unsigned)rows[i].want, rows[i].name);
    }
    union drm_amdgpu_gem_mmap arg = {.in = {.handle = hidden_bo(c.fd).handle}};
    raw_want(raw_ioctl(c.fd, DRM_IOCTL_AMDGPU_GEM_MMAP, &arg) < 0 && errno == EPERM,
             "GEM_MMAP without access");
}

static void wake(int signal)
{
    (void)signal;
}

// What poll() is with _FORTIFY_SOURCE.
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room);

// Read and written as a file, a device has no events and no place. Errors: drm_read(), drm_poll(),
// vfs_write(), vfs_llseek() of Linux 6.12.
static void test_device(void)
{
    struct client c = client_on(raw_open(), AMDGPU_GEM_DOMAIN_VRAM);
    const int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC | O_NONBLOCK),
              wo = open("/dev/dri/renderD128", O_WRONLY | O_CLOEXEC | O_NONBLOCK),
              ro = open("/dev/dri/renderD128", O_RDONLY | O_CLOEXEC);
    char bytes[64] = "unchanged";
    struct iovec iov = {bytes, sizeof bytes};
    errno = 0;
    raw_want(read(fd, bytes, sizeof bytes) < 0 && errno == EAGAIN, "read");
    raw_want(readv(fd, &iov, 1) < 0 && errno == EAGAIN, "readv");
    raw_want(pread(fd, bytes, sizeof bytes, 0) < 0 && errno == EAGAIN, "pread");
    raw_want(pread(fd, bytes, sizeof bytes, 1ll << 44) < 0 && errno == EAGAIN, "pread far away");
    raw_want(read(wo, bytes, sizeof bytes) < 0 && errno == EBADF, "read of a file to write");
    same((unsigned)strcmp(bytes, "unchanged"), 0, "the buffer");
    raw_want(write(fd, bytes, sizeof bytes) < 0 && errno == EINVAL, "write");
    raw_want(writev(fd, &iov, 1) < 0 && errno == EINVAL, "writev");
    raw_want(pwrite(c.fd, bytes, sizeof bytes, (off_t)c.data.offset) < 0 && errno == EINVAL,
             "pwrite");
    raw_want(write(ro, bytes, sizeof bytes) < 0 && errno == EBADF, "write of a file to read");
    same(c.data.map[0], 0, "what pwrite() would have written");
    raw_want(lseek(fd, 0, SEEK_END) < 0 && errno == ESPIPE, "lseek");
    raw_want(lseek(fd, 0, SEEK_CUR) < 0 && errno == ESPIPE, "lseek to where it is");
    struct pollfd polled[2] = {{.fd = fd, .events = POLLIN | POLLOUT}, {.fd = -1}};
    int ends[2] = {-1, -1};
    raw_want(pipe(ends) == 0 && write(ends[1], "", 1) == 1, "pipe");
    polled[1] = (struct pollfd){.fd = ends[0], .events = POLLIN};
    same((unsigned)poll(polled, 1, 0), 0, "poll");
    same((unsigned)poll(polled, 2, -1), 1, "poll, and a pipe");
    same((unsigned)__poll_chk(polled, 1, 0, sizeof polled), 0, "__poll_chk");
    same((unsigned)__poll_chk(polled, 2, -1, sizeof polled), 1, "__poll_chk, and a pipe");
    same((unsigned)polled[0].revents, 0, "events of the device");
    same((unsigned)polled[1].revents, POLLIN, "events of the pipe");
    // Without O_NONBLOCK a read waits for an event, and none comes: it ends with a signal.
    struct sigaction act = {.sa_handler = wake}; // no SA_RESTART
    raw_want(sigaction(SIGVTALRM, &act, NULL) == 0, "sigaction");
    const pid_t self = getpid(), pid = fork();
    if (pid == 0) {
        for (;;) {
            usleep(20000);
            kill(self, SIGVTALRM);
        }
    }
    raw_want(read(c.fd, bytes, sizeof bytes) < 0 && errno == EINTR, "read that waits");
    kill(pid, SIGKILL);
    reap(pid);
}

static void test_two(void)
{
    struct both *both =
        mmap(NULL, RAW_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int socks[2][2];
    pid_t pids[2] = {0};
    for (uint32_t i = 0; i < 2; i++) {
        pair(socks[i]);
        pids[i] = fork();
        if (pids[i] == 0) {
            two_child(socks[i][1], i + 1, &both[i]);
        }
    }
    for (int round = 0; round < 2; round++) {
        await(socks[0][0]);
        await(socks[1][0]);
        tell(socks[0][0]);
        tell(socks[1][0]);
    }
    child_ok(pids[0], "first");
    child_ok(pids[1], "second");
}

// A child uses what it inherited, and then something of its own.
static void test_fork(void)
{
    const struct client c = client_on(raw_open(), AMDGPU_GEM_DOMAIN_GTT);
    gpu_write(&c, VA_DATA, 1);
    const pid_t pid = fork();
    if (pid == 0) {
        gpu_write(&c, VA_DATA + 4, 2);
        same(c.data.map[1], 2, "in the child");
        const struct client own = client_on(raw_open(), AMDGPU_GEM_DOMAIN_GTT);
        gpu_write(&own, VA_DATA, 3);
        same(own.data.map[0], 3, "the child's own");
        exit(0);
    }
    child_ok(pid, "child");
    gpu_write(&c, VA_DATA + 8, 4);
    same(c.data.map[0], 1, "before");
    same(c.data.map[1], 2, "the child's");
    same(c.data.map[2], 4, "after");
}

// A program started with nothing but a descriptor.
static void test_exec(char *self)
{
    const struct client c = client_on(raw_open(), AMDGPU_GEM_DOMAIN_GTT);
    const pid_t pid = fork();
    if (pid == 0) {
        char number[16] = "", offset[32] = "";
        snprintf(number, sizeof number, "%d", dup(c.fd)); // without close-on-exec
        snprintf(offset, sizeof offset, "%llu", (unsigned long long)c.data.offset);
        char *args[] = {self, (char[]){"exec2"}, number, offset, NULL};
        execv(self, args);
        raw_fail("execv");
    }
    child_ok(pid, "program");
    same(c.data.map[5], 99, "what the program wrote");
}

static void test_exec2(char **argv)
{
    const int fd = atoi(argv[2]);
    uint32_t *map = mmap(NULL, RAW_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, atoll(argv[3]));
    raw_want(map != MAP_FAILED, "mmap");
    const struct raw_bo ib = raw_bo(fd, AMDGPU_GEM_DOMAIN_GTT, VA_OTHER);
    const struct client c = {.fd = fd, .ctx = raw_ctx(fd), .ib = ib};
    gpu_write(&c, VA_DATA + 5 * 4, 99);
    same(map[5], 99, "in the program");
}

enum { THREADS = 6, ROUNDS = 30 };

static void *thread_main(void *arg)
{
    const uint32_t value = *(const uint32_t *)arg;
    const struct client c = client_on(raw_open(), AMDGPU_GEM_DOMAIN_GTT);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        gpu_write(&c, VA_DATA, value + i);
        same(c.data.map[0], value + i, "thread's buffer");
    }
    close(c.fd);
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[THREADS];
    uint32_t values[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        values[i] = i * 1000;
        raw_want(pthread_create(&threads[i], NULL, thread_main, &values[i]) == 0, "thread");
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

// One call waits while another thread's goes through and ends the wait.
static void *waiter_main(void *arg)
{
    const struct client *c = arg;
    raw_ib_wait(c->ib.map, VA_DATA, 7);
    const uint64_t seq = raw_submit(c->fd, c->ctx, &c->ib, 0);
    errno = ETIME;
    raw_want(raw_wait(c->fd, c->ctx, seq, SOON_MS), "job that waits");
    same(c->data.map[1], 8, "behind the wait");
    return NULL;
}

static void test_wait(void)
{
    struct client c = client_on(raw_open(), AMDGPU_GEM_DOMAIN_GTT);
    pthread_t thread;
    raw_want(pthread_create(&thread, NULL, waiter_main, &c) == 0, "thread");
    usleep(50000);
    close(raw_open()); // goes through while the other waits
    *(volatile uint32_t *)&c.data.map[0] = 7;
    pthread_join(thread, NULL);
}

// A process dies with a job that never ends; the ring is free again at once.
static void test_killed(void)
{
    for (int i = 0; i < 3; i++) {
        const pid_t pid = fork();
        if (pid == 0) {
            const struct client c = client_on(raw_open(), AMDGPU_GEM_DOMAIN_GTT);
            raw_ib_wait(c.ib.map, VA_DATA, 12345);
            const uint64_t seq = raw_submit(c.fd, c.ctx, &c.ib, 0);
            if (i == 0) {
                raise(SIGKILL);
            }
            alarm(1); // while it waits
            raw_wait(c.fd, c.ctx, seq, 60000);
            _exit(1);
        }
        errno = ECHILD;
        raw_want(WIFSIGNALED(reap(pid)), "child");
    }
    struct timespec start = {0}, end = {0};
    clock_gettime(CLOCK_MONOTONIC, &start);
    const struct client c = client_on(raw_open(), AMDGPU_GEM_DOMAIN_GTT);
    gpu_write(&c, VA_DATA, 1);
    clock_gettime(CLOCK_MONOTONIC, &end);
    errno = ETIME;
    raw_want(end.tv_sec - start.tv_sec < 3, "the ring was not freed");
}

// A job that never ends, and a call that waits for it.
static void test_hang(void)
{
    const struct client c = client_on(raw_open(), AMDGPU_GEM_DOMAIN_GTT);
    raw_ib_wait(c.ib.map, VA_DATA, 12345);
    const uint64_t seq = raw_submit(c.fd, c.ctx, &c.ib, 0);
    printf("waiting\n");
    fflush(stdout);
    raw_wait(c.fd, c.ctx, seq, 60000);
}

// Memory of the program's own.
static void test_userptr(void)
{
    const struct client c = client_on(raw_open(), AMDGPU_GEM_DOMAIN_GTT);
    uint32_t *own =
        mmap(NULL, 3 * RAW_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    raw_want(own != MAP_FAILED, "mmap");
    for (uint32_t i = 0; i < 3 * RAW_PAGE / 4; i++) {
        own[i] = i;
    }
    struct drm_amdgpu_gem_userptr arg = {.addr = (uint64_t)(uintptr_t)(own + RAW_PAGE / 4),
                                         .size = RAW_PAGE,
                                         .flags = AMDGPU_GEM_USERPTR_ANONONLY |
                                                  AMDGPU_GEM_USERPTR_REGISTER |
                                                  AMDGPU_GEM_USERPTR_VALIDATE};
    raw_want(raw_ioctl(c.fd, DRM_IOCTL_AMDGPU_GEM_USERPTR, &arg) == 0, "GEM_USERPTR");
    raw_map_va(c.fd, arg.handle, VA_OTHER);
    gpu_write(&c, VA_OTHER + 8, 0xabcd);
    same(own[RAW_PAGE / 4 + 2], 0xabcd, "what the GPU wrote");
    own[RAW_PAGE / 4 + 3] = 55; // the GPU waits for it
    raw_ib_wait(c.ib.map, VA_OTHER + 12, 55);
    const uint64_t seq = raw_submit(c.fd, c.ctx, &c.ib, 0);
    errno = ETIME;
    raw_want(raw_wait(c.fd, c.ctx, seq, SOON_MS), "the GPU does not see what is written");
    struct drm_gem_close gem = {.handle = arg.handle};
    raw_want(raw_ioctl(c.fd, DRM_IOCTL_GEM_CLOSE, &gem) == 0, "GEM_CLOSE");
    for (uint32_t i = 0; i < 3 * RAW_PAGE / 4; i++) {
        const uint32_t at = i - RAW_PAGE / 4;
        same(own[i], at == 2 ? 0xabcd : at == 3 ? 55 : at == 4 ? 56 : i, "memory afterwards");
    }
    raw_want(raw_ioctl(c.fd, DRM_IOCTL_AMDGPU_GEM_USERPTR, &arg) == 0, "GEM_USERPTR again");
    union drm_amdgpu_gem_mmap offset = {.in = {.handle = arg.handle}};
    raw_want(raw_ioctl(c.fd, DRM_IOCTL_AMDGPU_GEM_MMAP, &offset) < 0 && errno == EPERM,
             "GEM_MMAP of the program's own memory");
    arg.addr = (uint64_t)(uintptr_t)c.data.map;
    raw_want(raw_ioctl(c.fd, DRM_IOCTL_AMDGPU_GEM_USERPTR, &arg) < 0 && errno == EPERM,
             "a file's pages");
    arg.addr = RAW_PAGE;
    raw_want(raw_ioctl(c.fd, DRM_IOCTL_AMDGPU_GEM_USERPTR, &arg) < 0 && errno == EFAULT,
             "no pages");
}

// A buffer goes to another process, is written by both CPUs and both GPU contexts.
static void prime_child(int sock)
{
    const struct client c = client_on(raw_open(), AMDGPU_GEM_DOMAIN_GTT);
    const int fd = receive_fd(sock);
    same((uint64_t)lseek(fd, 0, SEEK_END), RAW_PAGE, "size of the dma-buf");
    struct drm_prime_handle import = {.fd = fd};
    raw_want(raw_ioctl(c.fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import) == 0, "FD_TO_HANDLE");
    struct drm_prime_handle again = {.fd = fd};
    raw_want(raw_ioctl(c.fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &again) == 0, "FD_TO_HANDLE again");
    same(again.handle, import.handle, "handle of the same buffer");
    close(fd);
    raw_map_va(c.fd, import.handle, VA_OTHER);
    union drm_amdgpu_gem_mmap offset = {.in = {.handle = import.handle}};
    raw_want(raw_ioctl(c.fd, DRM_IOCTL_AMDGPU_GEM_MMAP, &offset) == 0, "GEM_MMAP");
    volatile uint32_t *map =
        mmap(NULL, RAW_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, c.fd, (off_t)offset.out.addr_ptr);
    raw_want(map != MAP_FAILED, "mmap");
    same(map[0], 11, "what the exporter's CPU wrote before");
    same(map[1], 12, "what the exporter's GPU wrote before");
    map[2] = 13;
    gpu_write(&c, VA_OTHER + 12, 14);
    tell(sock);
    await(sock);
    same(map[4], 15, "what the exporter's CPU wrote later");
    same(map[5], 16, "what the exporter's GPU wrote later");
    exit(0);
}

static void test_prime(void)
{
    int sock[2];
    pair(sock);
    const pid_t pid = fork();
    if (pid == 0) {
        prime_child(sock[1]);
    }
    close(sock[1]);
    const struct client c = client_on(raw_open(), AMDGPU_GEM_DOMAIN_VRAM);
    volatile uint32_t *map = c.data.map;
    map[0] = 11;
    gpu_write(&c, VA_DATA + 4, 12);
    struct drm_prime_handle out = {.handle = c.data.handle, .flags = DRM_CLOEXEC | DRM_RDWR};
    raw_want(raw_ioctl(c.fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &out) == 0, "HANDLE_TO_FD");
    send_fd(sock[0], out.fd);
    close(out.fd);
    await(sock[0]);
    same(map[2], 13, "what the importer's CPU wrote");
    same(map[3], 14, "what the importer's GPU wrote");
    map[4] = 15;
    gpu_write(&c, VA_DATA + 5 * 4, 16);
    same(map[5], 16, "what the GPU wrote after the export");
    tell(sock[0]);
    child_ok(pid, "importer");
}

static uint32_t new_syncobj(int fd)
{
    struct drm_syncobj_create create = {0};
    raw_want(raw_ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, &create) == 0, "SYNCOBJ_CREATE");
    return create.handle;
}

static bool readable(int fd, int ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, ms) == 1 && (p.revents & POLLIN) != 0;
}

static int export_syncobj(int fd, uint32_t handle, uint32_t flags)
{
    struct drm_syncobj_handle arg = {.handle = handle, .flags = flags, .fd = -1};
    raw_want(raw_ioctl(fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &arg) == 0, "SYNCOBJ_HANDLE_TO_FD");
    return arg.fd;
}

// Another process waits for what this one signals.
static void syncobj_child(int sock)
{
    const int fd = raw_open();
    struct drm_syncobj_handle import = {.fd = receive_fd(sock)};
    raw_want(raw_ioctl(fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import) == 0, "FD_TO_HANDLE");
    close(import.fd);
    uint32_t handle = import.handle;
    tell(sock);
    struct drm_syncobj_wait wait = {.handles = (uint64_t)(uintptr_t)&handle,
                                    .timeout_nsec = INT64_MAX,
                                    .count_handles = 1,
                                    .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT};
    raw_want(raw_ioctl(fd, DRM_IOCTL_SYNCOBJ_WAIT, &wait) == 0, "SYNCOBJ_WAIT");
    exit(0);
}

static void test_syncobj(void)
{
    int sock[2];
    pair(sock);
    const pid_t pid = fork();
    if (pid == 0) {
        syncobj_child(sock[1]);
    }
    const struct client c = client_on(raw_open(), AMDGPU_GEM_DOMAIN_GTT);
    const uint32_t handle = new_syncobj(c.fd);
    const int event = eventfd(0, EFD_CLOEXEC);
    struct drm_syncobj_eventfd reg = {.handle = handle, .fd = event};
    raw_want(raw_ioctl(c.fd, DRM_IOCTL_SYNCOBJ_EVENTFD, &reg) == 0, "SYNCOBJ_EVENTFD");
    const int out = export_syncobj(c.fd, handle, 0);
    send_fd(sock[0], out);
    close(out);
    await(sock[0]);
    raw_ib_wait(c.ib.map, VA_DATA, 3);
    raw_submit(c.fd, c.ctx, &c.ib, handle);
    const int file = export_syncobj(c.fd, handle, DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE);
    errno = EALREADY;
    raw_want(!readable(event, 30) && !readable(file, 0), "signalled too early");
    *(volatile uint32_t *)&c.data.map[0] = 3;
    errno = ETIME;
    raw_want(readable(event, SOON_MS), "eventfd");
    raw_want(readable(file, SOON_MS), "sync file");
    child_ok(pid, "the other process");
    struct drm_syncobj_handle import = {.handle = new_syncobj(c.fd),
                                        .flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE,
                                        .fd = file};
    raw_want(raw_ioctl(c.fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import) == 0,
             "import of a sync file");
    import.fd = event;
    raw_want(raw_ioctl(c.fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import) < 0 && errno == EINVAL,
             "import of something else");
    import.fd = 987;
    raw_want(raw_ioctl(c.fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import) < 0, "import of nothing");
}

int main(int argc, char **argv)
{
    enum { LIMIT_S = 40 };
    alarm(LIMIT_S); // processes that wait for each other
    const char *which = argc > 1 ? argv[1] : "";
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {
        {"files", test_files},         {"two", test_two},     {"fork", test_fork},
        {"threads", test_threads},     {"wait", test_wait},   {"killed", test_killed},
        {"userptr", test_userptr},     {"prime", test_prime}, {"syncobj", test_syncobj},
        {"hang", test_hang},           {"mmap", test_mmap},   {"device", test_device},
        {"arguments", test_arguments},
    };
    if (strcmp(which, "exec") == 0) {
        test_exec(argv[0]);
    } else if (strcmp(which, "exec2") == 0 && argc > 3) {
        test_exec2(argv);
    } else {
        size_t i = 0;
        while (i < sizeof tests / sizeof tests[0] && strcmp(which, tests[i].name) != 0) {
            i++;
        }
        if (i == sizeof tests / sizeof tests[0]) {
            return 2;
        }
        tests[i].run();
    }
    printf("ok\n");
    return 0;
}
