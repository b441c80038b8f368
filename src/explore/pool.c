// SPDX-License-Identifier: MIT
#include "explore/pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    READ_BYTES = 65536,
    WAIT_MS = 100, // for children, where nobody else can come
    RANK_WAIT_MS = 1,
    RANK_WAIT_NS = 200000,
    HEADER = 2 * sizeof(uint64_t), // of messages: number, and what it is
};

/** What a message is. */
enum message { DO, DONE, DIED, END };

/** Someone who works: a child of this process, or a rank. */
struct worker {
    bool busy;
    size_t item;
    uint64_t serial;
    pid_t pid; // 0: a rank.
    int fd, rank;
    struct lull_str out;
};

struct lull_pool {
    struct lull_pool_options o;
    struct worker *workers;
    unsigned n, nchildren;
    uint64_t serial;
};

struct lull_error *lull_pool_new(const struct lull_pool_options *o, struct lull_pool **ret)
{
    struct lull_pool *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return &lull_enomem;
    }
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned all = processors > 0 ? (unsigned)processors : 1;
    p->o = *o;
    p->nchildren = o->jobs != 0 ? o->jobs : o->mpi != NULL ? 1 : all;
    p->n = p->nchildren + (o->mpi != NULL ? (unsigned)o->mpi->size - 1 : 0);
    p->workers = calloc(p->n, sizeof *p->workers);
    if (p->workers == NULL) {
        free(p);
        return &lull_enomem;
    }
    for (unsigned i = 0; i < p->n; i++) {
        p->workers[i].fd = -1;
        p->workers[i].rank = i < p->nchildren ? 0 : (int)(i - p->nchildren) + 1;
    }
    *ret = p;
    return NULL;
}

/** Send one message: a header of @p serial and @p what, then @p size bytes. */
static bool send_message(const struct lull_pool *p, int to, uint64_t serial, enum message what,
                         const struct lull_str *body)
{
    const size_t size = body != NULL ? body->size : 0;
    const uint64_t header[] = {serial, what};
    char *message = malloc(HEADER + size);
    if (message == NULL) {
        return false;
    }
    memcpy(message, header, HEADER);
    if (size != 0) {
        memcpy(message + HEADER, body->text, size);
    }
    const bool sent = p->o.mpi->send(to, message, HEADER + size);
    free(message);
    return sent;
}

static void stop(struct worker *w)
{
    if (w->pid > 0) {
        (void)kill(w->pid, SIGKILL);
        (void)waitpid(w->pid, NULL, 0);
        (void)close(w->fd);
        w->pid = 0;
        w->fd = -1;
        w->busy = false;
    }
    lull_str_free(&w->out);
    w->out = (struct lull_str){0};
}

void lull_pool_free(struct lull_pool *p)
{
    if (p == NULL) {
        return;
    }
    for (unsigned i = 0; i < p->n; i++) {
        stop(&p->workers[i]);
        if (p->workers[i].rank != 0 && p->o.mpi->rank == 0) {
            (void)send_message(p, p->workers[i].rank, 0, END, NULL);
        }
    }
    free(p->workers);
    free(p);
}

unsigned lull_pool_width(const struct lull_pool *p)
{
    return p->n;
}

/** The child: work, write, end. Nothing of the parent is flushed or freed. */
static void child(const struct lull_pool *p, const struct lull_str *item, int fd)
{
    struct lull_str out = {0};
    p->o.work(p->o.ctx, lull_str_text(item), item->size, &out);
    size_t at = 0;
    while (out.err == NULL && at < out.size) {
        const ssize_t n = write(fd, out.text + at, out.size - at);
        if (n < 0 && errno != EINTR) {
            _exit(1);
        }
        at += n > 0 ? (size_t)n : 0;
    }
    _exit(out.err == NULL ? 0 : 1);
}

LULL_MUST_USE static struct lull_error *start_child(struct lull_pool *p, struct worker *w,
                                                    const struct lull_str *item)
{
    int ends[2] = {-1, -1};
    if (pipe(ends) != 0) {
        return lull_error_os(errno, "pipe");
    }
    (void)fflush(NULL); // else the child could write it, too
    const pid_t pid = fork();
    if (pid < 0) {
        struct lull_error *err = lull_error_os(errno, "fork");
        (void)close(ends[0]);
        (void)close(ends[1]);
        return err;
    }
    if (pid == 0) {
        (void)close(ends[0]);
        child(p, item, ends[1]);
    }
    (void)close(ends[1]);
    w->pid = pid;
    w->fd = ends[0];
    w->busy = true;
    return NULL;
}

/** Read what has come of a child. True: it has ended, and @p died says how. */
static bool read_child(struct worker *w, bool *died)
{
    char bytes[READ_BYTES];
    const ssize_t n = read(w->fd, bytes, sizeof bytes);
    if (n > 0) {
        lull_str_add(&w->out, bytes, (size_t)n);
        return false;
    }
    if (n < 0 && errno == EINTR) {
        return false;
    }
    int status = 0;
    (void)close(w->fd);
    (void)waitpid(w->pid, &status, 0);
    *died = !WIFEXITED(status) || WEXITSTATUS(status) != 0 || w->out.err != NULL;
    w->pid = 0;
    w->fd = -1;
    return true;
}

/** A list under way. */
struct round {
    const struct lull_pool_list *list;
    size_t next, limit; // Items from limit on are not needed.
};

LULL_MUST_USE static struct lull_error *hand_out(struct lull_pool *p, struct worker *w,
                                                 struct round *r)
{
    struct lull_str item = {0};
    struct lull_error *err = NULL;
    w->item = r->next++;
    w->serial = ++p->serial;
    r->list->item(r->list->ctx, w->item, &item);
    if (item.err != NULL) {
        err = &lull_enomem;
    } else if (w->rank == 0) {
        err = start_child(p, w, &item);
    } else if (!send_message(p, w->rank, w->serial, DO, &item)) {
        err = lull_error_new(LULL_ERR_OS, "MPI: rank %d takes nothing", w->rank);
    } else {
        w->busy = true;
    }
    lull_str_free(&item);
    return err;
}

/** What @p w has done is known. */
static void take(struct round *r, struct worker *w, const struct lull_pool_result *result)
{
    w->busy = false;
    if (w->item < r->limit && !r->list->done(r->list->ctx, w->item, result)) {
        r->limit = w->item + 1;
    }
    lull_str_free(&w->out);
    w->out = (struct lull_str){0};
}

/** Messages of ranks that have come. */
LULL_MUST_USE static struct lull_error *listen_ranks(struct lull_pool *p, struct round *r)
{
    const struct lull_mpi *mpi = p->o.mpi;
    int from = -1;
    size_t size = 0;
    while (mpi != NULL) {
        if (!mpi->probe(&from, &size)) {
            return lull_error_new(LULL_ERR_OS, "MPI failed");
        }
        if (from < 0) {
            return NULL;
        }
        char *bytes = malloc(size + 1);
        if (bytes == NULL) {
            return &lull_enomem;
        }
        uint64_t header[2] = {0};
        const bool good = mpi->receive(from, bytes, size) && size >= HEADER && from < mpi->size;
        if (good) {
            memcpy(header, bytes, HEADER);
            bytes[size] = '\0';
            struct worker *w = &p->workers[p->nchildren + (unsigned)from - 1];
            const bool ours = w->serial == header[0] && w->item < r->list->n;
            if (ours) {
                take(r, w,
                     &(struct lull_pool_result){bytes + HEADER, size - HEADER, header[1] == DIED,
                                                from});
            }
            w->busy = false;
        }
        free(bytes);
        if (!good) {
            return lull_error_new(LULL_ERR_OS, "MPI: a message of rank %d is damaged", from);
        }
    }
    return NULL;
}

/** Children that have written or ended. */
LULL_MUST_USE static struct lull_error *listen_children(struct lull_pool *p, struct round *r)
{
    struct pollfd *fds = calloc(p->nchildren, sizeof *fds);
    if (fds == NULL) {
        return &lull_enomem;
    }
    for (unsigned i = 0; i < p->nchildren; i++) {
        fds[i] = (struct pollfd){.fd = p->workers[i].fd, .events = POLLIN};
    }
    (void)poll(fds, p->nchildren, p->o.mpi != NULL ? RANK_WAIT_MS : WAIT_MS);
    for (unsigned i = 0; i < p->nchildren; i++) {
        struct worker *w = &p->workers[i];
        bool died = false;
        if (fds[i].revents != 0 && w->fd >= 0 && read_child(w, &died)) {
            take(r, w,
                 &(struct lull_pool_result){lull_str_text(&w->out), w->out.size, died,
                                            p->o.mpi != NULL ? p->o.mpi->rank : 0});
        }
    }
    free(fds);
    return NULL;
}

struct lull_error *lull_pool_run(struct lull_pool *p, const struct lull_pool_list *list)
{
    struct round r = {.list = list, .limit = list->n};
    struct lull_error *err = NULL;
    bool busy = true;
    while (err == NULL && (busy || r.next < r.limit)) {
        for (unsigned i = 0; err == NULL && i < p->n && r.next < r.limit; i++) {
            err = p->workers[i].busy ? NULL : hand_out(p, &p->workers[i], &r);
        }
        err = err != NULL ? err : listen_children(p, &r);
        err = err != NULL ? err : listen_ranks(p, &r);
        busy = false;
        for (unsigned i = 0; i < p->n; i++) { // what is not needed any more is not waited for
            struct worker *w = &p->workers[i];
            if (w->busy && w->item >= r.limit) {
                w->serial = 0;
                stop(w);
            }
            busy = busy || (w->busy && w->serial != 0);
        }
    }
    for (unsigned i = 0; err != NULL && i < p->nchildren; i++) {
        stop(&p->workers[i]);
    }
    return err;
}

/** One item of rank 0, in a child. */
LULL_MUST_USE static struct lull_error *serve_one(struct lull_pool *p, uint64_t serial,
                                                  const struct lull_str *item)
{
    struct worker *w = &p->workers[0];
    bool died = false;
    struct lull_error *err = start_child(p, w, item);
    while (err == NULL && !read_child(w, &died)) {
    }
    if (err == NULL && !send_message(p, 0, serial, died ? DIED : DONE, &w->out)) {
        err = lull_error_new(LULL_ERR_OS, "MPI: rank 0 takes nothing");
    }
    w->busy = false;
    stop(w);
    return err;
}

struct lull_error *lull_pool_serve(struct lull_pool *p)
{
    const struct lull_mpi *mpi = p->o.mpi;
    const struct timespec wait = {.tv_nsec = RANK_WAIT_NS};
    struct lull_error *err = NULL;
    bool more = true;
    while (err == NULL && more) {
        int from = -1;
        size_t size = 0;
        uint64_t header[2] = {0};
        struct lull_str item = {0};
        if (!mpi->probe(&from, &size)) {
            return lull_error_new(LULL_ERR_OS, "MPI failed");
        }
        if (from < 0) {
            (void)nanosleep(&wait, NULL);
            continue;
        }
        char *bytes = malloc(size + 1);
        if (bytes == NULL || !mpi->receive(from, bytes, size) || size < HEADER) {
            err = lull_error_new(LULL_ERR_OS, "MPI: a message of rank %d is damaged", from);
        } else {
            memcpy(header, bytes, HEADER);
            more = header[1] != END;
            lull_str_add(&item, bytes + HEADER, size - HEADER);
            err = more ? serve_one(p, header[0], &item) : NULL;
        }
        free(bytes);
        lull_str_free(&item);
    }
    return err;
}
