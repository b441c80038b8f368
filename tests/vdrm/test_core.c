// SPDX-License-Identifier: MIT
// The core of the virtual driver under a driver of a few lines, "toy": what any driver gets from
// its table. What calls answer is what Linux's do: drm_ioctl.c, drm_gem.c, drm_syncobj.c.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "drm/amdgpu/amdgpu.h"
#include "drm/core/file.h"
#include "drm/core/syncobj.h"
#include "test.h"
#include "uapi/drm.h"
#include "vdrm/core/client.h"
#include "vdrm/core/exchange.h"
#include "vdrm/core/patience.h"
#include "vdrm/core/server.h"
#include "vdrm/core/user.h"
#include "vdrm/core/vd.h"
#include "vdrm/toy.h"

static int open_render(struct lull_kernel *k)
{
    return k->open(k, "/dev/dri/renderD128", O_RDWR);
}

static int make(struct lull_kernel *k, int fd, uint64_t size, uint32_t flags, struct toy_new *ret)
{
    *ret = (struct toy_new){.size = size, .flags = flags};
    return k->ioctl(k, fd, TOY_NEW, ret);
}

static int bo_close(struct lull_kernel *k, int fd, uint32_t handle)
{
    struct drm_gem_close arg = {.handle = handle};
    return k->ioctl(k, fd, DRM_IOCTL_GEM_CLOSE, &arg);
}

static void same(long long got, long long want, const char *name)
{
    test_case(got == want, name, "got %lld, not %lld", got, want);
}

static void test_names(void)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){0}, &counts);
    const int fd = open_render(k), card = k->open(k, "/dev/dri/card0", O_RDWR);
    char name[8] = "", desc[8] = "", unique[16] = "", log[64] = "";
    struct drm_version v = {.name = name, .name_len = 7, .desc = desc, .desc_len = 7};
    struct drm_unique u = {.unique = unique, .unique_len = sizeof unique};
    k->ioctl(k, fd, DRM_IOCTL_VERSION, &v);
    k->ioctl(k, card, DRM_IOCTL_GET_UNIQUE, &u);
    test_case(strcmp(name, "toy") == 0 && strcmp(desc, "a toy") == 0 && v.version_major == 7 &&
                  v.version_minor == 8,
              "VERSION says the driver's", "%s %s %d.%d", name, desc, v.version_major,
              v.version_minor);
    test_case(strcmp(unique, "platform:toy") == 0, "GET_UNIQUE says the device's", "%s", unique);
    const int kmsg = k->open(k, "/dev/kmsg", O_RDONLY);
    const ssize_t n = k->pread(k, kmsg, log, sizeof log - 1, 0);
    test_case(n > 0 && strstr(log, ";toy: toy 52\n") != NULL,
              "the kernel log has the driver's word", "%zd: %s", n, log);
    char longest[400] = "";
    lull_vd_log(lull_vd_of(k), 6, "%0300d", 5);
    const ssize_t m = k->pread(k, kmsg, longest, sizeof longest - 1, 0);
    test_case(m > 255 && m == (ssize_t)strlen(longest) && longest[m - 1] == '\n' &&
                  strspn(strchr(longest, ';') + strlen(";toy: "), "0") == 255,
              "a record of the kernel log holds 255 bytes of text", "%zd: %s", m, longest);
    k->destroy(k);
}

static void test_rights(void)
{
    static const struct {
        const char *name;
        bool first; // The first who opens card0, else the second.
        bool render;
        unsigned long request;
        int want;
    } rows[] = {
        {"another letter than d", true, false, _IO('e', 0), -ENOTTY},
        {"a number that nobody has", true, false, DRM_IO(0x20), -EINVAL},
        {"a number of drivers that this one has not", true, false, DRM_IO(DRM_COMMAND_BASE + 9),
         -EINVAL},
        {"a core call that nothing answers", true, false, DRM_IOCTL_MODE_GETRESOURCES, -EOPNOTSUPP},
        {"one that render nodes do not have", true, true, DRM_IOCTL_MODE_GETRESOURCES, -EACCES},
        {"one for the master, by another", false, false, DRM_IOCTL_MODE_DIRTYFB, -EACCES},
        {"one of the driver's, not authenticated", false, false, TOY_NEW, -EACCES},
        {"the same through a render node", true, true, TOY_NEW, 0},
        {"the same by the master", true, false, TOY_NEW, 0},
    };
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){0}, &counts);
    const int card[2] = {k->open(k, "/dev/dri/card0", O_RDWR),
                         k->open(k, "/dev/dri/card0", O_RDWR)};
    const int render = open_render(k);
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        union {
            struct toy_new toy;
            uint8_t bytes[256];
        } arg = {.toy = {.size = 1}};
        const int fd = rows[i].render ? render : card[rows[i].first ? 0 : 1];
        same(k->ioctl(k, fd, rows[i].request, &arg), rows[i].want, rows[i].name);
    }
    k->destroy(k);
}

static void test_buffers(void)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){0}, &counts);
    const int fd = open_render(k);
    struct toy_new a = {0}, b = {0}, c = {0};
    same(make(k, fd, 0, 0, &a), -ENOSPC, "a buffer of no bytes");
    same(make(k, fd, TOY_SIZE + 1, 0, &a), -ENOMEM, "a buffer larger than the memory");
    make(k, fd, 5000, 0, &a);
    make(k, fd, 1, TOY_NO_MAP, &b);
    test_case(a.handle == 1 && b.handle == 2, "handles count from 1", "%u %u", a.handle, b.handle);
    test_case(a.offset == 0 && b.offset == 2 << LULL_VD_PAGE_SHIFT, "sizes are rounded up to pages",
              "0x%llx 0x%llx", (unsigned long long)a.offset, (unsigned long long)b.offset);
    void *map = NULL;
    same(k->mmap(k, fd, 2 << LULL_VD_PAGE_SHIFT, a.offset, &map), 0, "mmap of a buffer");
    memset(map, 0x5a, 5000);
    const struct toy *t = (const struct toy *)lull_vd_of(k);
    test_case(t->mem[4999] == 0x5a, "what is written is the GPU's memory", "0x%x", t->mem[4999]);
    k->munmap(k, map, 2 << LULL_VD_PAGE_SHIFT);
    same(k->mmap(k, fd, LULL_VD_PAGE, b.offset, &map), -EPERM, "mmap of one that says no");
    same(k->mmap(k, fd, LULL_VD_PAGE, LULL_VD_PAGE, &map), -EINVAL, "mmap from a buffer's middle");
    same(bo_close(k, fd, a.handle), 0, "GEM_CLOSE");
    same(bo_close(k, fd, a.handle), -EINVAL, "GEM_CLOSE again");
    same(counts.forgotten, 1, "the driver forgets the buffer");
    make(k, fd, 5000, 0, &c);
    test_case(c.handle == a.handle && c.offset == a.offset && t->mem[4999] == 0,
              "handle and place are given out again, as zeros", "%u 0x%llx 0x%x", c.handle,
              (unsigned long long)c.offset, t->mem[4999]);
    k->destroy(k);
}

static void test_prime(void)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){0}, &counts);
    const int fd = open_render(k), other = open_render(k);
    struct toy_new a = {0}, b = {0};
    make(k, fd, 1, 0, &a);
    make(k, fd, 1, TOY_NO_EXPORT, &b);
    struct drm_prime_handle out = {.handle = a.handle}, no = {.handle = b.handle};
    same(k->ioctl(k, fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &no), -EPERM, "export of one that says no");
    same(k->ioctl(k, fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &out), 0, "export");
    struct drm_prime_handle in = {.fd = out.fd};
    same(k->ioctl(k, other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &in), 0, "import in another file");
    k->close(k, fd);
    k->close(k, out.fd);
    void *map = NULL;
    same(k->mmap(k, other, 1, a.offset, &map), 0, "the importer maps it when the maker has gone");
    k->destroy(k);
}

static uint32_t syncobj(struct lull_kernel *k, int fd)
{
    uint32_t handle = 0;
    struct lull_error *err = lull_syncobj_create(k, fd, false, &handle);
    lull_error_free(err);
    return handle;
}

static int work(struct lull_kernel *k, int fd, uint32_t sync, uint64_t cycles)
{
    struct toy_work arg = {.cycles = cycles, .syncobj = sync};
    return k->ioctl(k, fd, TOY_WORK, &arg);
}

static int wait_for(struct lull_kernel *k, int fd, uint32_t sync, int64_t until)
{
    struct drm_syncobj_wait arg = {
        .handles = lull_vd_ptr(&sync), .count_handles = 1, .timeout_nsec = until};
    return k->ioctl(k, fd, DRM_IOCTL_SYNCOBJ_WAIT, &arg);
}

static void test_time(void)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){.poll_cycles = 10}, &counts);
    const int fd = open_render(k);
    const uint32_t s = syncobj(k, fd);
    same(wait_for(k, fd, s, 0), -EINVAL, "a sync object without a fence");
    same(work(k, fd, s + 1, 1), -ENOENT, "work for a sync object that is not there");
    work(k, fd, s, 1000);
    const uint64_t start = k->now_ns(k);
    same(wait_for(k, fd, s, 0), -ETIME, "a look before its time");
    same((long long)(k->now_ns(k) - start), 10 * TOY_NS, "lets one poll pass");
    same(wait_for(k, fd, s, (int64_t)(start + 100 * TOY_NS)), -ETIME, "a wait that is too short");
    same((long long)(k->now_ns(k) - start), 100 * TOY_NS, "ends at its time");
    same(wait_for(k, fd, s, (int64_t)(start + 1000000 * TOY_NS)), 0, "a wait that is long enough");
    same((long long)(k->now_ns(k) - start), 1000 * TOY_NS, "ends with the work");
    work(k, fd, s, TOY_STUCK);
    const uint64_t before = k->now_ns(k);
    same(wait_for(k, fd, s, (int64_t)(before + 5000 * TOY_NS)), -ETIME, "work that does not move");
    same((long long)(k->now_ns(k) - before), 5000 * TOY_NS, "the client's clock goes on");
    same(toy_of(lull_vd_of(k))->njobs, 1, "it is left alone");
    same(wait_for(k, fd, s, INT64_MAX), 0, "a wait without end for it");
    same(toy_of(lull_vd_of(k))->njobs, 0, "ends it");
    k->destroy(k);
}

static void test_event(void)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){.isolate = true}, &counts);
    const int fd = open_render(k);
    const uint32_t s = syncobj(k, fd);
    work(k, fd, s, 50);
    struct drm_syncobj_handle h = {.handle = s,
                                   .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
    same(k->ioctl(k, fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h), 0, "a sync file");
    struct pollfd p = {.fd = lull_vd_file_give(lull_vd_of(k), h.fd), .events = POLLIN};
    same(poll(&p, 1, 0), 0, "says nothing before its fence is done");
    wait_for(k, fd, s, INT64_MAX);
    same(poll(&p, 1, 0), 1, "and then does");
    close(p.fd);
    k->destroy(k);
}

// A call as the server makes it for another process, whose descriptors are not ours.
static void test_descriptors(void)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){.isolate = true}, &counts);
    const int fd = open_render(k);
    const uint32_t one = syncobj(k, fd), two = syncobj(k, fd);
    struct lull_vd_client c = {.peer = {.pid = getpid(), .pidfd = -1}, .arg_fd = -1, .want_fd = -1};
    c.peer.pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    lull_vd_client_set(&c);
    c.out_fd = -1;
    struct toy_work arg = {.cycles = 100, .syncobj = one};
    k->ioctl(k, fd, TOY_WORK, &arg);
    test_case(c.want_fd == -1 && c.out_fd == -1, "no descriptor in a call", "%d %d", c.want_fd,
              c.out_fd);
    arg.flags = TOY_FENCE_OUT;
    k->ioctl(k, fd, TOY_WORK, &arg);
    test_case(c.out_fd >= 0 && arg.fence == -1 && c.out_at == lull_vd_ptr(&arg.fence),
              "a new one is kept back for the client", "%d %d", c.out_fd, arg.fence);
    const int first = c.out_fd;
    arg = (struct toy_work){.syncobj = two, .flags = TOY_FENCE_IN | TOY_FENCE_OUT, .fence = 77};
    c.out_fd = -1;
    test_case(k->ioctl(k, fd, TOY_WORK, &arg) == -EBADF && c.want_fd == 77 && c.out_fd == -1,
              "one that is given is asked for first", "%d %d", c.want_fd, c.out_fd);
    c.arg_fd = first;
    same(k->ioctl(k, fd, TOY_WORK, &arg), 0, "and then the call is made");
    test_case(c.out_fd >= 0 && c.out_fd != first && arg.fence == -1, "with a new one as well",
              "%d %d", c.out_fd, arg.fence);
    const uint64_t start = k->now_ns(k);
    same(wait_for(k, fd, two, INT64_MAX), 0, "work behind a sync file");
    same((long long)(k->now_ns(k) - start), 100 * TOY_NS, "ends when that does");
    c.arg_fd = fd;
    same(k->ioctl(k, fd, TOY_WORK, &arg), -EINVAL, "a descriptor of something else");
    lull_vd_client_set(NULL);
    close(c.peer.pidfd);
    k->destroy(k);
}

// Reads a word of each of some pages, as a call of a client does. @return the sum, or -EFAULT.
static long read_words(struct lull_vd_client *c, uint8_t *const *pages, unsigned n)
{
    long sum = 0;
    lull_vd_client_set(c);
    for (unsigned i = 0; i < n && sum >= 0; i++) {
        uint32_t word = 0;
        const int r = lull_vd_from_user(&word, lull_vd_ptr(pages[i]) + 8, sizeof word);
        sum = r != 0 ? r : sum + word;
    }
    lull_vd_client_set(NULL);
    return sum;
}

// The client here is this process. Pages that calls have read behind one are read with it, as they
// are then; what is not mapped is missing where it is read, and nowhere else.
static void test_read_ahead(void)
{
    enum { PAGES = 3 };
    static struct lull_vd_seen seen;
    struct lull_vd_client c = {.peer = {.pid = getpid()}, .seen = &seen, .arg_fd = -1};
    uint8_t *pages[PAGES];
    c.peer.pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    for (unsigned i = 0; i < PAGES; i++) {
        pages[i] =
            mmap(NULL, LULL_VD_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        pages[i][8] = (uint8_t)(1 << i);
    }
    same(read_words(&c, pages, PAGES), 7, "a call reads three pages");
    pages[1][8] = pages[2][8] = 8;
    same(read_words(&c, pages, 1), 1, "the next begins with the first");
    same(seen.n, PAGES, "and they are read together");
    pages[2][8] = 16;
    same(read_words(&c, pages, PAGES), 25, "as they are in each call");
    same(read_words(&c, pages, 1) + read_words(&c, pages, 1), 2, "the first alone, twice");
    same(seen.n, 1, "what was not used is not read ahead again");
    same(read_words(&c, pages, PAGES), 25, "all again");
    munmap(pages[1], LULL_VD_PAGE);
    same(read_words(&c, pages, PAGES), -EFAULT, "one that is gone is missing to who reads it");
    same(read_words(&c, pages, 1), 1, "and nothing to who does not");
    munmap(pages[0], LULL_VD_PAGE);
    same(read_words(&c, pages, 1), -EFAULT, "so is the first");
    lull_vd_client_set(&c);
    uint32_t word = 0;
    same(lull_vd_from_user(&word, lull_vd_ptr(pages[2]) + 8, sizeof word), 0, "another is there");
    pages[2][8] = 32;
    lull_vd_user_changed();
    same(lull_vd_from_user(&word, lull_vd_ptr(pages[2]) + 8, sizeof word), 0, "after a change");
    same(word, 32, "it is read anew");
    lull_vd_client_set(NULL);
    munmap(pages[2], LULL_VD_PAGE);
    close(c.peer.pidfd);
}

// Who looks for messages in vain looks for ever fewer of them, and for all again once it found one.
static void test_patience(void)
{
    struct lull_patience p = {0};
    unsigned looked = 0;
    for (unsigned i = 0; i < 10000; i++) {
        if (lull_patience_looks(&p) != 0) {
            looked++;
            lull_patience_learn(&p, false);
        }
    }
    // After 3, 15, 63 and 255 that are slept for, one in 512.
    test_case(looked > 8 && looked <= 10 + 10000 / 512, "messages that are looked for in vain",
              "%u", looked);
    while (lull_patience_looks(&p) == 0) {
    }
    lull_patience_learn(&p, true);
    looked = 0;
    for (unsigned i = 0; i < 100; i++) {
        looked += lull_patience_looks(&p) != 0;
        lull_patience_learn(&p, true);
    }
    test_case(looked == 100, "messages that are there at once", "%u", looked);
    looked = 0;
    for (unsigned i = 0; i < 10000; i++) {
        if (lull_patience_looks(&p) != 0) {
            lull_patience_learn(&p, ++looked % 2 == 0);
        }
    }
    test_case(looked < 100, "every other message is there at once", "%u", looked);
}

// Who looks for a message in memory finds it there, or knows that it comes over the socket.
static void test_box(void)
{
    uint32_t s = LULL_BOX_SHUT;
    test_case(!lull_box_open(&s) && !lull_box_tell(&s, LULL_BOX_FULL) && s == LULL_BOX_SHUT &&
                  lull_box_wait(&s) == LULL_BOX_SHUT,
              "nobody looks", "%u", s);
    lull_box_look(&s, true);
    test_case(lull_box_open(&s) && lull_box_tell(&s, LULL_BOX_FULL) &&
                  !lull_box_tell(&s, LULL_BOX_SOCKET) && lull_box_wait(&s) == LULL_BOX_FULL,
              "a message that is looked for", "%u", s);
    lull_box_look(&s, true);
    test_case(lull_box_wait(&s) == LULL_BOX_SHUT && !lull_box_tell(&s, LULL_BOX_FULL),
              "nobody looks any more", "%u", s);
    lull_box_look(&s, true);
    test_case(lull_box_tell(&s, LULL_BOX_SOCKET) && lull_box_wait(&s) == LULL_BOX_SOCKET,
              "it comes elsewhere", "%u", s);
    lull_box_look(&s, false);
    same(s, LULL_BOX_SHUT, "who does not want to look");
}

// The driver's end of a connection with a box; the client here writes into it what it likes.
static void test_line(void)
{
    enum { NTAIL = 3, RESULT = 77 };
    int ends[2] = {-1, -1};
    struct lull_vd_exchange x = {.fd = -1, .out = -1};
    struct lull_wire_reply reply = {0};
    same(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0, "a socket");
    struct lull_vd_line l = {.sock = ends[0], .peer = getpid()};
    same(lull_vd_line_box(&l, &x), 0, "a box");
    same(lull_vd_answer(&l, &x), true, "an answer that nobody looks for, with a descriptor");
    same(recv(ends[1], &reply, sizeof reply, MSG_DONTWAIT), sizeof reply, "comes over the socket");
    close(x.out);
    x.out = -1;
    same(lull_vd_line_box(&l, &x), -EEXIST, "a second box");
    struct lull_box *b = l.box;
    same(lull_box_open(&b->to_driver), true, "the driver looks");
    b->request = (struct lull_wire_request){.op = LULL_WIRE_IOCTL, .a = 5};
    b->ntail = NTAIL;
    memcpy(b->tail, "abc", NTAIL);
    lull_box_tell(&b->to_driver, LULL_BOX_FULL);
    same(lull_vd_receive(&l, &x), true, "a message in the box");
    test_case(x.request.a == 5 && x.ntail == NTAIL && memcmp(x.tail, "abc", NTAIL) == 0 &&
                  x.sender == getpid(),
              "what it says", "%llu, %zu bytes", (unsigned long long)x.request.a, x.ntail);
    lull_box_look(&b->to_program, true);
    x.reply.result = RESULT;
    x.nback = NTAIL;
    memcpy(x.back, "def", NTAIL);
    same(lull_vd_answer(&l, &x), true, "an answer that is looked for");
    test_case(lull_box_wait(&b->to_program) == LULL_BOX_FULL && b->reply.result == RESULT &&
                  b->nback == NTAIL && memcmp(b->back, "def", NTAIL) == 0 &&
                  recv(ends[1], &reply, sizeof reply, MSG_DONTWAIT) < 0,
              "is in the box alone", "%u", b->to_program);
    b->ntail = sizeof b->tail + 1;
    lull_box_tell(&b->to_driver, LULL_BOX_FULL);
    same(lull_vd_receive(&l, &x), false, "more bytes than there is room for");
    lull_box_look(&b->to_program, true);
    x.out = ends[1];
    same(lull_vd_answer(&l, &x), true, "an answer that is looked for, with a descriptor");
    test_case(lull_box_wait(&b->to_program) == LULL_BOX_SOCKET &&
                  recv(ends[1], &reply, sizeof reply, MSG_DONTWAIT) == sizeof reply,
              "comes over the socket, and the box says so", "%u", b->to_program);
    x.out = -1;
    close(ends[1]);
    same(lull_vd_receive(&l, &x), false, "the client is gone");
    lull_vd_line_done(&l);
    close(ends[0]);
}

// Buffers that take the place of a client's pages, twice the same; the client here is this process,
// which does not do its part.
static void test_pages(void)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){.isolate = true}, &counts);
    const struct toy *t = (const struct toy *)lull_vd_of(k);
    const int fd = open_render(k);
    uint8_t *mem = mmap(NULL, 2 << LULL_VD_PAGE_SHIFT, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const uint64_t at = lull_vd_ptr(mem);
    struct toy_new a = {.size = 2 << LULL_VD_PAGE_SHIFT, .pages = at}, none = a, b = a;
    same(k->ioctl(k, fd, TOY_NEW, &none), -ENODEV, "pages of a client without a shim");
    struct lull_vd_client c = {.arg_fd = -1, .want_fd = -1, .out_fd = -1};
    c.peer = (struct lull_vd_peer){getpid(), (int)syscall(SYS_pidfd_open, getpid(), 0)};
    lull_vd_client_set(&c);
    none.pages = LULL_VD_PAGE;
    same(k->ioctl(k, fd, TOY_NEW, &none), -EFAULT, "pages that are not there");
    same(k->ioctl(k, fd, TOY_NEW, &a), 0, "pages of one's own");
    test_case(c.share == LULL_VD_SHARE && c.address == at && c.size == a.size &&
                  c.offset == a.offset && counts.mapped == 1,
              "the client is asked to share them, and the driver told", "%d %d", (int)c.share,
              counts.mapped);
    b.pages = at + LULL_VD_PAGE;
    b.size = LULL_VD_PAGE;
    same(k->ioctl(k, fd, TOY_NEW, &b), 0, "the second of them again");
    t->mem[b.offset] = 0x77;
    test_case(t->mem[a.offset + LULL_VD_PAGE] == 0x77 && counts.mapped == 3,
              "is the same memory in both, and the driver told", "0x%x %d",
              t->mem[a.offset + LULL_VD_PAGE], counts.mapped);
    same(bo_close(k, fd, a.handle), 0, "GEM_CLOSE of one");
    test_case(c.share == LULL_VD_UNSHARE && c.offset == a.offset, "asks for the pages back", "%d",
              (int)c.share);
    struct lull_vd_file *f = lull_vd_file_of(lull_vd_of(k), fd);
    same(lull_vd_userptr_release(f, a.offset), 0, "which the client says it has done");
    same(lull_vd_userptr_release(f, a.offset), -ENOENT, "once");
    lull_vd_client_set(NULL);
    close(c.peer.pidfd);
    munmap(mem, 2 << LULL_VD_PAGE_SHIFT);
    k->destroy(k);
}

static void test_files(void)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){0}, &counts);
    char text[32] = "";
    const int one = k->open(k, "/sys/kernel/debug/dri/0/toy_store", O_RDWR);
    const int two = k->open(k, "/sys/kernel/debug/dri/toy.0/toy_store", O_RDWR);
    same(k->pwrite(k, one, "first", 5, 0), 5, "a file of the driver's takes what is written");
    k->pwrite(k, two, "second", 6, 0);
    const ssize_t n = k->pread(k, one, text, sizeof text, 1);
    test_case(n == 7 && strcmp(text, "irst") == 0, "each open file has its own", "%zd: %s", n,
              text);
    same(k->ioctl(k, one, TOY_NEW, text), -ENOTTY, "and no ioctl if it has none");
    k->close(k, one);
    same(counts.nodes, 1, "close() of the file is called");
    const int clock = k->open(k, "/sys/kernel/debug/dri/128/toy_text", O_RDONLY);
    memset(text, 0, sizeof text);
    same(k->pread(k, clock, text, sizeof text, 0), 1, "a text of the driver's");
    same(k->open(k, "/sys/kernel/debug/dri/0/none", O_RDONLY), -ENOENT, "no such file in debugfs");
    const int uevent = k->open(k, "/sys/class/drm/card0/device/uevent", O_RDONLY);
    memset(text, 0, sizeof text);
    k->pread(k, uevent, text, sizeof text, 0);
    test_case(strcmp(text, "DRIVER=toy\n") == 0, "a file of the device in sysfs", "%s", text);
    test_case(k->open(k, "/sys/devices/toy/uevent", O_RDONLY) >= 0 &&
                  k->open(k, "/sys/devices/toy/uevent", O_RDWR) == -EACCES &&
                  k->open(k, "/sys/devices/toy/config", O_RDONLY) == -ENOENT,
              "by its bus; not to be written; no others", "wrong");
    k->destroy(k);
    same(counts.nodes, 2, "the end closes what is open");
}

static bool says(int dir, const char *path, const char *want)
{
    char text[32] = "";
    const int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0) {
        close(fd);
    }
    return n >= 0 && strcmp(text, want) == 0;
}

static void test_tree(const char *dir)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){0}, &counts);
    const int at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    same(lull_vd_sysfs_tree(lull_vd_of(k), at), 0, "the machine as files");
    test_case(says(at, DEVICE "/self/uevent", "DRIVER=toy\n") &&
                  says(at, DEVICE "/enable", "1\n") && says(at, "dev/dri/card0", "") &&
                  says(at, "dev/dri/renderD128", ""),
              "has links, texts, the device's files and nodes", "not all");
    test_case(faccessat(at, DEVICE "/config", F_OK, 0) != 0, "and no PCI", "there is a config");
    close(at);
    k->destroy(k);
}

static void test_close(void)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){0}, &counts);
    const int fd = open_render(k);
    struct toy_new a = {0};
    make(k, fd, TOY_SIZE, 0, &a);
    k->close(k, fd);
    test_case(counts.opened == 1 && counts.closed == 1 && counts.things == 100 && counts.done == 0,
              "closing a file drops all that the driver has in it, in parts", "%d %d %d %d",
              counts.opened, counts.closed, counts.things, counts.done);
    same(make(k, open_render(k), TOY_SIZE, 0, &a), 0, "and its buffers");
    k->destroy(k);
    test_case(counts.opened == 2 && counts.closed == 2 && counts.things == 200 && counts.done == 1,
              "the end closes files first, then the driver", "%d %d %d %d", counts.opened,
              counts.closed, counts.things, counts.done);
}

static void says_error(struct lull_error *err, const char *want, const char *name)
{
    const char *got = err != NULL ? lull_error_message(err) : "no error";
    test_case(strcmp(got, want) == 0, name, "%s", got);
    lull_error_free(err);
}

// What clients of DRM have for any driver.
static void test_client(void)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){0}, &counts);
    int fd = -1;
    struct toy_new a = {0};
    struct lull_error *err = lull_drm_open(k, "/dev/dri/renderD128", "toy", &fd);
    test_case(err == NULL && fd >= 0, "opened by the driver's name", "%d", fd);
    lull_error_free(err);
    says_error(lull_amdgpu_open(k, "/dev/dri/renderD128", &(int){-1}),
               "/dev/dri/renderD128: its driver is toy, not amdgpu", "not by another's");
    make(k, fd, 1, 0, &a);
    says_error(lull_drm_gem_close(k, fd, a.handle), "no error", "a buffer is closed");
    says_error(lull_drm_gem_close(k, fd, a.handle),
               "GEM_CLOSE of handle 1: no such buffer: Invalid argument", "closed again");
    k->destroy(k);
}

// Another process's way: everything through a socket, on the driver's own thread.
static void test_served(const char *dir)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k =
        toy_kernel((struct lull_vd_options){.isolate = true, .threaded = true}, &counts);
    struct lull_server *server = NULL;
    struct lull_kernel *c = NULL;
    char path[128] = "";
    snprintf(path, sizeof path, "%s/toy.sock", dir);
    struct lull_error *err = lull_server_new(k, path, false, &server);
    err = err == NULL ? lull_client_new(path, &c) : err;
    if (!test_case(err == NULL, "a server for the driver", "%s",
                   err != NULL ? lull_error_message(err) : "")) {
        lull_error_free(err);
        return;
    }
    const int fd = open_render(c);
    struct toy_new a = {0};
    void *map = NULL;
    same(make(c, fd, 1, 0, &a), 0, "a buffer through it");
    same(c->mmap(c, fd, LULL_VD_PAGE, a.offset, &map), 0, "its memory");
    memcpy(map, "seen", 4);
    const struct toy *t = (const struct toy *)lull_vd_of(k);
    test_case(memcmp(t->mem + a.offset, "seen", 4) == 0, "is the GPU's", "%.4s",
              (const char *)t->mem + a.offset);
    const uint32_t s = syncobj(c, fd);
    work(c, fd, s, 1000);
    same(wait_for(c, fd, s, INT64_MAX), 0, "a wait that the driver's thread ends");
    c->munmap(c, map, LULL_VD_PAGE);
    c->close(c, fd);
    c->destroy(c);
    lull_server_free(server);
    k->destroy(k);
    same(counts.things, 100, "nothing is left");
}

int main(void)
{
    char dir[] = "/tmp/lull-core-XXXXXX", tree[64] = "";
    if (mkdtemp(dir) == NULL) {
        return 1;
    }
    test_names();
    test_rights();
    test_buffers();
    test_prime();
    test_time();
    test_event();
    test_descriptors();
    test_read_ahead();
    test_patience();
    test_box();
    test_line();
    test_pages();
    test_files();
    test_close();
    test_client();
    test_served(dir);
    snprintf(tree, sizeof tree, "rm -rf %s", dir);
    test_tree(dir);
    return system(tree) != 0 ? 1 : test_end();
}
