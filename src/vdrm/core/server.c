// SPDX-License-Identifier: MIT
// Connections, device files, and what a request does.
#include "vdrm/core/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vdrm/core/door.h"
#include "vdrm/core/exchange.h"
#include "vdrm/core/user.h"
#include "vdrm/core/vd.h"
#include "vdrm/core/wire.h"

enum {
    MAX_CONNS = 4096,
    MAX_DEVICES = 512, // that one process may open
    REAP_MS = 200,
    PAUSE_US = 10000, // when there is no descriptor left for a connection
    STACK_BYTES = 512 << 10,
};

// A file of the driver's, as clients know it.
struct device {
    struct device *next;
    int fd; // of the kernel's: the file's number, and something of the same inode
    dev_t dev;
    ino_t ino;
    pid_t pid; // Who opened it.
    uint64_t serial;
    bool pipe;
    unsigned busy; // Calls that use it now.
};

struct conn {
    struct conn *next;
    struct lull_server *s;
    struct lull_vd_line line;
    struct lull_vd_peer peer; // Who connected, and nobody else is answered.
    bool hello, debugfs;
    uint64_t *attached; // Serials of files whose descriptor it has shown.
    size_t nattached, attached_room;
    struct lull_vd_seen seen;
};

struct lull_server {
    struct lull_kernel *k;
    struct lull_vd_door doors[2]; // For programs, for debuggers. The second comes under the lock.
    int wake;
    pthread_t thread;
    pthread_mutex_t lock; // Of all below.
    pthread_cond_t ended;
    struct device *devices;
    struct conn *conns;
    unsigned nconns;
    uint64_t serial;
    bool stop;
};

static void close_fd(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

/* Files. */

static struct device *device_find(struct lull_server *s, dev_t dev, ino_t ino)
{
    struct device *f = s->devices;
    while (f != NULL && (f->ino != ino || f->dev != dev)) {
        f = f->next;
    }
    return f;
}

// Forget files that are closed. With the lock held.
static void attached_prune(struct conn *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->nattached; i++) {
        const struct device *f = c->s->devices;
        while (f != NULL && f->serial != c->attached[i]) {
            f = f->next;
        }
        if (f != NULL) {
            c->attached[n++] = c->attached[i];
        }
    }
    c->nattached = n;
}

static bool attach(struct conn *c, const struct device *f)
{
    if (c->nattached == c->attached_room) {
        attached_prune(c);
    }
    if (c->nattached == c->attached_room) {
        const size_t room = c->attached_room * 2 + 4;
        uint64_t *attached = realloc(c->attached, room * sizeof *attached);
        if (attached == NULL) {
            return false;
        }
        c->attached = attached;
        c->attached_room = room;
    }
    c->attached[c->nattached++] = f->serial;
    return true;
}

static bool attached(const struct conn *c, const struct device *f)
{
    for (size_t i = 0; i < c->nattached; i++) {
        if (c->attached[i] == f->serial) {
            return true;
        }
    }
    return false;
}

static void device_release(struct lull_server *s, struct device *f)
{
    if (f != NULL) {
        pthread_mutex_lock(&s->lock);
        f->busy--;
        pthread_mutex_unlock(&s->lock);
    }
}

// The file that a request is about, if the client has shown that it has it. To be released.
static int device_get(struct conn *c, struct lull_vd_exchange *x, struct device **ret)
{
    struct lull_server *s = c->s;
    int r = -EBADF;
    pthread_mutex_lock(&s->lock);
    struct device *f = device_find(s, (dev_t)x->request.dev, (ino_t)x->request.ino);
    if (f != NULL && !attached(c, f) && x->fd >= 0 && (x->request.flags & LULL_WIRE_ARG_FD) == 0) {
        struct stat st = {0};
        if (fstat(x->fd, &st) != 0 || st.st_dev != f->dev || st.st_ino != f->ino) {
            f = NULL;
        } else if (!attach(c, f)) {
            r = -ENOMEM;
            f = NULL;
        }
    }
    if (f != NULL && !attached(c, f)) {
        x->reply.action = LULL_WIRE_SEND_DEVICE;
    } else if (f != NULL) {
        f->busy++;
        *ret = f;
        r = 0;
    }
    pthread_mutex_unlock(&s->lock);
    return r;
}

// The file behind a descriptor that came as an argument. To be released; NULL: not ours.
static struct device *device_of(struct lull_server *s, int fd)
{
    struct stat st = {0};
    if (fstat(fd, &st) != 0) {
        return NULL;
    }
    pthread_mutex_lock(&s->lock);
    struct device *f = device_find(s, st.st_dev, st.st_ino);
    if (f != NULL) {
        f->busy++;
    }
    pthread_mutex_unlock(&s->lock);
    return f;
}

// Another open file of the same memfd, so that the kernel counts the client's.
static int reopen(int fd)
{
    char path[32] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const int out = open(path, O_RDWR | O_CLOEXEC);
    return out < 0 ? -errno : out;
}

// A descriptor for the client.
static int client_fd(struct lull_server *s, int fd, bool *ret_pipe)
{
    const int give = lull_vd_file_give(lull_vd_of(s->k), fd);
    *ret_pipe = give >= 0;
    return give >= 0 ? give : reopen(fd);
}

// Has anybody else this file, or a mapping of it?
static bool held(const struct device *f)
{
    if (f->pipe) {
        struct pollfd p = {.fd = f->fd};
        return poll(&p, 1, 0) == 0 || (p.revents & POLLERR) == 0;
    }
    // A lease for writing is given only to who has a file alone.
    if (fcntl(f->fd, F_SETLEASE, F_WRLCK) != 0) {
        return errno == EAGAIN;
    }
    fcntl(f->fd, F_SETLEASE, F_UNLCK);
    return false;
}

// Close files that nobody has any more; @p all: every file. Those in use end what waits, and go
// next time.
static void reap(struct lull_server *s, bool all)
{
    struct device *gone = NULL;
    pthread_mutex_lock(&s->lock);
    for (struct device **at = &s->devices; *at != NULL;) {
        struct device *f = *at;
        const bool kept = !all && held(f);
        if (!kept && f->busy == 0) {
            *at = f->next;
            f->next = gone;
            gone = f;
            continue;
        }
        if (!kept) { // calls of clients that are dead
            lull_vd_file_hang_up(lull_vd_of(s->k), f->fd);
        }
        at = &f->next;
    }
    pthread_mutex_unlock(&s->lock);
    while (gone != NULL) {
        struct device *next = gone->next;
        s->k->close(s->k, gone->fd);
        free(gone);
        gone = next;
    }
}

// How many files a process may have is the server's to say: it has one of each.
static bool too_many(struct lull_server *s, pid_t pid)
{
    unsigned n = MAX_DEVICES;
    for (int i = 0; i < 2 && n >= MAX_DEVICES; i++) {
        if (i > 0) {
            reap(s, false); // some may be closed already
        }
        n = 0;
        pthread_mutex_lock(&s->lock);
        for (const struct device *f = s->devices; f != NULL; f = f->next) {
            n += f->pid == pid;
        }
        pthread_mutex_unlock(&s->lock);
    }
    return n >= MAX_DEVICES;
}

// A new file of the kernel's becomes known, and its descriptor goes to the client.
static int device_add(struct conn *c, int fd, struct lull_vd_exchange *x)
{
    struct lull_server *s = c->s;
    struct stat st = {0};
    struct device *f = calloc(1, sizeof *f);
    int r = f == NULL || fstat(fd, &st) != 0 ? -ENOMEM : too_many(s, c->peer.pid) ? -EMFILE : 0;
    if (r == 0) {
        x->out = client_fd(s, fd, &f->pipe);
        r = x->out < 0 ? x->out : 0;
    }
    if (r != 0) {
        free(f);
        s->k->close(s->k, fd);
        return r;
    }
    f->fd = fd;
    f->pid = c->peer.pid;
    f->dev = st.st_dev;
    f->ino = st.st_ino;
    pthread_mutex_lock(&s->lock);
    f->serial = ++s->serial;
    f->next = s->devices;
    s->devices = f;
    (void)!attach(c, f); // or it will be asked for
    pthread_mutex_unlock(&s->lock);
    return 0;
}

/* Requests. */

static struct lull_vd_client client_of(struct conn *c)
{
    return (struct lull_vd_client){
        .peer = c->peer, .seen = &c->seen, .arg_fd = -1, .want_fd = -1, .out_fd = -1};
}

static int64_t do_hello(struct conn *c, struct lull_vd_exchange *x)
{
    if (x->request.a != LULL_WIRE_VERSION) {
        struct lull_vd *d = lull_vd_of(c->s->k);
        lull_vd_lock(d);
        lull_vd_log(d, 3, "process %d: a shim of another build (version %llu, not %d) gets no GPU",
                    (int)c->peer.pid, (unsigned long long)x->request.a, LULL_WIRE_VERSION);
        lull_vd_unlock(d);
        return -EPROTO;
    }
    c->hello = true;
    x->reply.value = (uint64_t)getpid();
    return 0;
}

// An emulator may give its program memory elsewhere than the program says.
static int64_t do_known(struct conn *c, const struct lull_vd_exchange *x)
{
    struct lull_vd *d = lull_vd_of(c->s->k);
    struct lull_vd_client client = client_of(c);
    uint32_t word = 0;
    lull_vd_client_set(&client);
    const int r = lull_vd_from_user(&word, x->request.a, sizeof word);
    lull_vd_client_set(NULL);
    if (r == 0 && word == LULL_WIRE_KNOWN_WORD) {
        return 0;
    }
    lull_vd_lock(d);
    lull_vd_log(d, 3,
                "process %d: its pointers do not lead to its memory, so it gets no GPU; of an "
                "emulator the guest base must be 0 (qemu: -B 0)",
                (int)c->peer.pid);
    lull_vd_unlock(d);
    return -EFAULT;
}

static int64_t do_open(struct conn *c, struct lull_vd_exchange *x)
{
    struct lull_server *s = c->s;
    static const char dri[] = "/dev/dri/";
    char path[LULL_WIRE_MAX_PATH + 1] = "";
    memcpy(path, x->tail, x->ntail);
    if (x->ntail == 0 || memchr(path, '\0', x->ntail) != NULL) {
        return -ENOENT;
    }
    if (!c->debugfs && strncmp(path, dri, sizeof dri - 1) != 0) {
        return -EACCES;
    }
    struct lull_vd_client client = client_of(c);
    lull_vd_client_set(&client);
    const int fd = s->k->open(s->k, path, (int)x->request.a);
    lull_vd_client_set(NULL);
    return fd < 0 ? fd : device_add(c, fd, x);
}

static void *pointer(uint64_t address)
{
    void *p = NULL;
    memcpy(&p, &address, sizeof p);
    return p;
}

static bool needs_memory(const struct lull_vd *d, unsigned long request)
{
    const struct lull_vd_ioctl *row = lull_vd_ioctl_of(d, request);
    return row != NULL && (row->who & LULL_VD_MEMORY) != 0;
}

// The argument that came along with a request, and what is around it.
static void take_argument(struct lull_vd_client *client, struct lull_vd_exchange *x)
{
    const struct lull_wire_request *r = &x->request;
    const size_t size = _IOC_SIZE((unsigned long)r->a);
    if ((r->flags & LULL_WIRE_ARG_BYTES) == 0 || size > sizeof x->back) {
        return;
    }
    client->window = x->tail;
    client->window_at = r->c;
    client->nwindow = x->ntail;
    client->arg = r->b;
    client->narg = size;
    client->back = x->back;
}

static int64_t do_ioctl(struct conn *c, const struct device *f, struct lull_vd_exchange *x)
{
    struct lull_server *s = c->s;
    struct device *arg = NULL;
    struct lull_vd_client client = client_of(c);
    if (x->fd >= 0 && (x->request.flags & LULL_WIRE_ARG_FD) != 0) {
        arg = device_of(s, x->fd);
        client.arg_fd = arg != NULL ? arg->fd : x->fd;
    }
    take_argument(&client, x);
    lull_vd_client_set(&client);
    int r = s->k->ioctl(s->k, f->fd, (unsigned long)x->request.a, pointer(x->request.b));
    if (r == -ENOMEM && needs_memory(lull_vd_of(s->k), (unsigned long)x->request.a)) {
        reap(s, false); // what a process that has just ended had
        r = s->k->ioctl(s->k, f->fd, (unsigned long)x->request.a, pointer(x->request.b));
    }
    lull_vd_client_set(NULL);
    device_release(s, arg);
    x->nback = client.has_back ? client.nback : 0;
    x->reply.address = client.address;
    x->reply.size = client.size;
    x->reply.offset = client.offset;
    if (client.want_fd >= 0) {
        x->reply.action = LULL_WIRE_SEND_ARG;
        x->reply.value = (uint64_t)client.want_fd;
    } else if (client.out_fd >= 0) {
        x->reply.action = client.share == LULL_VD_MOVED ? LULL_WIRE_MOVED : LULL_WIRE_PATCH;
        x->reply.value = client.out_at;
        const int added = device_add(c, client.out_fd, x);
        r = added != 0 ? added : r;
    } else if (client.share != LULL_VD_KEEP) {
        x->reply.action = client.share == LULL_VD_SHARE ? LULL_WIRE_SHARE : LULL_WIRE_UNSHARE;
    }
    return r;
}

// May the client map this; and where does it really lie, if not in the device file? With the
// driver's lock.
static int mmap_place(const struct lull_vd_file *f, struct lull_vd_exchange *x)
{
    const struct lull_vd_mapping m = {.offset = x->request.a,
                                      .size = x->request.b,
                                      .prot = (int)(uint32_t)x->request.c,
                                      .flags = (int)(x->request.c >> 32)};
    struct lull_vd_bo *bo = NULL;
    if (f == NULL || f->kind != LULL_VD_DRM) {
        return f == NULL ? -EBADF : -ENODEV;
    }
    const int r = lull_vd_mmap_check(f, &m, &bo);
    if (r != 0 || bo->own == f->own) {
        return r;
    }
    x->reply.offset = bo->own_offset;
    x->out = reopen(bo->own->fd);
    return x->out < 0 ? x->out : 0;
}

static int64_t do_mmap(struct conn *c, const struct device *f, struct lull_vd_exchange *x)
{
    struct lull_vd *d = lull_vd_of(c->s->k);
    lull_vd_lock(d);
    const int r = mmap_place(lull_vd_file_of(d, f->fd), x);
    lull_vd_unlock(d);
    return r;
}

static int64_t do_release(struct conn *c, const struct device *f, const struct lull_vd_exchange *x)
{
    struct lull_vd *d = lull_vd_of(c->s->k);
    lull_vd_lock(d);
    struct lull_vd_file *file = lull_vd_file_of(d, f->fd);
    const int r = file != NULL ? lull_vd_userptr_release(file, x->request.a) : -EBADF;
    lull_vd_unlock(d);
    return r;
}

static int64_t do_transfer(struct conn *c, const struct device *f, const struct lull_vd_exchange *x)
{
    struct lull_kernel *k = c->s->k;
    struct lull_vd_client client = client_of(c);
    void *buf = pointer(x->request.a);
    const size_t size = (size_t)x->request.b;
    lull_vd_client_set(&client);
    const ssize_t r = x->request.op == LULL_WIRE_PREAD
                          ? k->pread(k, f->fd, buf, size, x->request.c)
                          : k->pwrite(k, f->fd, buf, size, x->request.c);
    lull_vd_client_set(NULL);
    return r;
}

static int64_t do_request(struct conn *c, struct lull_vd_exchange *x)
{
    if (x->request.op == LULL_WIRE_HELLO) {
        return do_hello(c, x);
    }
    if (!c->hello) {
        return -EPROTO;
    }
    if (x->request.op == LULL_WIRE_OPEN) {
        return do_open(c, x);
    }
    if (x->request.op == LULL_WIRE_KNOWN) {
        return do_known(c, x);
    }
    if (x->request.op == LULL_WIRE_PLACES) {
        return lull_vd_places(lull_vd_of(c->s->k));
    }
    if (x->request.op == LULL_WIRE_BOX) {
        return lull_vd_line_box(&c->line, x);
    }
    if (x->request.op == LULL_WIRE_REAP) {
        reap(c->s, false);
        return 0;
    }
    struct device *f = NULL;
    int64_t r = device_get(c, x, &f);
    if (r != 0) {
        return r;
    }
    switch (x->request.op) {
    case LULL_WIRE_IOCTL:
        r = do_ioctl(c, f, x);
        break;
    case LULL_WIRE_PREAD:
    case LULL_WIRE_PWRITE:
        r = do_transfer(c, f, x);
        break;
    case LULL_WIRE_MMAP:
        r = do_mmap(c, f, x);
        break;
    case LULL_WIRE_RELEASE:
        r = do_release(c, f, x);
        break;
    default:
        r = -EPROTO;
        break;
    }
    device_release(c->s, f);
    return r;
}

/* Connections. */

// Has the process that connected sent this, and is it still there? Then its number was its own all
// the time, and still is. What waits behind HELLO may have been sent before we knew whom the number
// meant.
static bool from_peer(const struct conn *c, const struct lull_vd_exchange *x)
{
    char byte = 0;
    if (x->sender != c->peer.pid || !lull_vd_peer_known(&c->peer)) {
        return false;
    }
    return x->request.op != LULL_WIRE_HELLO ||
           (recv(c->line.sock, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN);
}

static void conn_end(struct conn *c)
{
    struct lull_server *s = c->s;
    lull_vd_line_done(&c->line);
    close(c->line.sock);
    close(c->peer.pidfd);
    pthread_mutex_lock(&s->lock);
    struct conn **at = &s->conns;
    while (*at != c) {
        at = &(*at)->next;
    }
    *at = c->next;
    free(c->attached);
    free(c);
    // Last touch of the server: it may be freed as soon as the lock is open.
    eventfd_write(s->wake, 1);
    s->nconns--;
    pthread_cond_signal(&s->ended);
    pthread_mutex_unlock(&s->lock);
}

static void *conn_main(void *arg)
{
    struct conn *c = arg;
    bool go = true;
    while (go) {
        struct lull_vd_exchange x = {.fd = -1, .out = -1};
        go = lull_vd_receive(&c->line, &x) && from_peer(c, &x);
        if (go) {
            x.reply.result = do_request(c, &x);
            go = lull_vd_answer(&c->line, &x);
        }
        close_fd(&x.fd);
        close_fd(&x.out);
    }
    conn_end(c);
    return NULL;
}

static void conn_start(struct lull_server *s, int sock, const struct lull_vd_door *d)
{
    struct lull_vd_peer peer = {.pidfd = -1};
    struct conn *c = calloc(1, sizeof *c);
    if (c == NULL || !lull_vd_door_peer(d, sock, &peer)) {
        free(c);
        close(sock);
        return;
    }
    c->s = s;
    c->line = (struct lull_vd_line){.sock = sock, .peer = peer.pid};
    c->peer = peer;
    c->debugfs = d->debugfs;
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    pthread_mutex_lock(&s->lock);
    const bool ok = s->nconns < MAX_CONNS && pthread_create(&thread, &attr, conn_main, c) == 0;
    if (ok) {
        c->next = s->conns;
        s->conns = c;
        s->nconns++;
    }
    pthread_mutex_unlock(&s->lock);
    pthread_attr_destroy(&attr);
    if (!ok) {
        close(sock);
        close(peer.pidfd);
        free(c);
    }
}

static bool stopped(struct lull_server *s)
{
    pthread_mutex_lock(&s->lock);
    const bool stop = s->stop;
    pthread_mutex_unlock(&s->lock);
    return stop;
}

// Let in whoever waits at the door.
static void server_accept(struct lull_server *s, const struct lull_vd_door *d)
{
    const int sock = accept4(d->sock, NULL, NULL, SOCK_CLOEXEC);
    if (sock >= 0) {
        conn_start(s, sock, d);
    } else {
        usleep(PAUSE_US);
    }
}

static void *server_main(void *arg)
{
    struct lull_server *s = arg;
    while (!stopped(s)) {
        pthread_mutex_lock(&s->lock);
        const int second = s->doors[1].sock;
        pthread_mutex_unlock(&s->lock);
        struct pollfd p[3] = {{.fd = s->doors[0].sock, .events = POLLIN},
                              {.fd = s->wake, .events = POLLIN},
                              {.fd = second, .events = POLLIN}};
        poll(p, 3, REAP_MS);
        if ((p[0].revents & POLLIN) != 0) {
            server_accept(s, &s->doors[0]);
            continue;
        }
        if ((p[2].revents & POLLIN) != 0) {
            server_accept(s, &s->doors[1]);
            continue;
        }
        if ((p[1].revents & POLLIN) != 0) {
            eventfd_t n = 0;
            eventfd_read(s->wake, &n);
        }
        reap(s, false);
    }
    return NULL;
}

struct lull_error *lull_server_debuggers(struct lull_server *s, const char *path)
{
    pthread_mutex_lock(&s->lock);
    struct lull_error *err =
        s->doors[1].sock >= 0
            ? lull_error_new(LULL_ERR_INVALID, "%s: there is one already", s->doors[1].path)
            : lull_vd_door_open(&s->doors[1], path, true);
    pthread_mutex_unlock(&s->lock);
    eventfd_write(s->wake, 1);
    return err;
}

static void server_done(struct lull_server *s)
{
    lull_vd_door_close(&s->doors[0]);
    lull_vd_door_close(&s->doors[1]);
    close_fd(&s->wake);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->ended);
    free(s);
}

struct lull_error *lull_server_new(struct lull_kernel *k, const char *path, bool debugfs,
                                   struct lull_server **ret)
{
    struct lull_server *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return &lull_enomem;
    }
    *s = (struct lull_server){.k = k, .doors = {{.sock = -1}, {.sock = -1}}, .wake = -1};
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->ended, NULL);
    sigset_t io;
    sigemptyset(&io);
    sigaddset(&io, SIGIO);
    pthread_sigmask(SIG_BLOCK, &io, NULL);
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct lull_error *err = s->wake < 0 ? lull_error_os(errno, "thread of the driver")
                                         : lull_vd_door_open(&s->doors[0], path, debugfs);
    if (err == NULL) {
        sigset_t all, before; // threads of connections have its mask
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        const int r = pthread_create(&s->thread, NULL, server_main, s);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        err = r != 0 ? lull_error_os(r, "thread of the driver") : NULL;
    }
    if (err != NULL) {
        server_done(s);
        return err;
    }
    *ret = s;
    return NULL;
}

void lull_server_free(struct lull_server *s)
{
    if (s == NULL) {
        return;
    }
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_mutex_unlock(&s->lock);
    eventfd_write(s->wake, 1);
    pthread_join(s->thread, NULL);
    pthread_mutex_lock(&s->lock);
    for (struct conn *c = s->conns; c != NULL; c = c->next) {
        shutdown(c->line.sock, SHUT_RDWR);
    }
    for (const struct device *f = s->devices; f != NULL; f = f->next) {
        lull_vd_file_hang_up(lull_vd_of(s->k), f->fd);
    }
    while (s->nconns > 0) {
        pthread_cond_wait(&s->ended, &s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    reap(s, true);
    server_done(s);
}
