// SPDX-License-Identifier: MIT
#include "cli/adreno/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "hw/rd_regs.h"

enum { CHUNK = 1 << 16, HEAD = 1024, HEADER = 8, TICK = 100, FILES = 100000, MS = 1000 };

/** Sections of an rd capture as they go by. */
struct tracker {
    uint8_t header[HEADER];
    unsigned nheader;
    uint64_t left;  ///< Bytes of this payload.
    uint64_t whole; ///< Bytes up to the end of the last whole section.
    uint64_t at, sections, streams, streams_wanted;
    bool enough; ///< Streams; what comes behind is not looked at.
    bool begun;  ///< There is more than the number of the GPU, which open() alone gives.
};

/** What the thread that reads and the one that waits have in common. */
struct copier {
    const char *from, *out;
    int fd, to; ///< Of `from`; -1: not open.
    uint8_t data[CHUNK];
    bool sections;
    pthread_t waiter;
    pthread_mutex_t lock; ///< Of all that follows.
    bool ended;
    int error, write_error;
    uint64_t bytes;
    char head[HEAD];
    size_t nhead;
    struct tracker t;
};

int64_t lull_capture_now(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * MS + now.tv_nsec / 1000000;
}

sigset_t lull_capture_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGQUIT);
    sigaddset(&set, SIGUSR1); // from the thread that reads: look at what there is
    return set;
}

bool lull_capture_sleep(int64_t ms)
{
    const sigset_t set = lull_capture_signals();
    const struct timespec wait = {.tv_sec = ms / MS, .tv_nsec = (long)(ms % MS) * 1000000};
    const int sig = sigtimedwait(&set, NULL, &wait);
    return sig > 0 && sig != SIGUSR1;
}

static uint32_t word(const uint8_t *b)
{
    return (uint32_t)(b[0] | b[1] << 8 | b[2] << 16) | (uint32_t)b[3] << 24;
}

static void track(struct tracker *t, const uint8_t *data, size_t size)
{
    while (size > 0 && !t->enough) {
        size_t n = 1;
        if (t->nheader < HEADER) {
            t->header[t->nheader++] = *data;
            if (t->nheader == HEADER) {
                const uint32_t bytes = word(t->header + 4);
                const bool filler = word(t->header) == LULL_RD_FILLER && bytes == LULL_RD_FILLER;
                t->left = filler ? 0 : bytes;
            }
        } else {
            n = size < t->left ? size : (size_t)t->left;
            t->left -= n;
        }
        data += n;
        size -= n;
        t->at += n;
        if (t->nheader == HEADER && t->left == 0) {
            t->nheader = 0;
            t->whole = t->at;
            t->sections++;
            const uint32_t type = word(t->header);
            t->begun |= type != LULL_RD_GPU_ID && type != LULL_RD_CHIP_ID;
            t->streams += type == LULL_RD_CMDSTREAM_ADDR;
            t->enough = t->streams_wanted != 0 && t->streams == t->streams_wanted;
        }
    }
}

static bool put(struct copier *c, const uint8_t *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = write(c->to, data + done, size - done);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/** What was read goes to the copy. @return errno of that. */
static int take(struct copier *c, size_t n)
{
    const int error = put(c, c->data, n) ? 0 : errno;
    (void)pthread_mutex_lock(&c->lock);
    const size_t head = n < HEAD - c->nhead ? n : HEAD - c->nhead;
    memcpy(c->head + c->nhead, c->data, head);
    c->nhead += head;
    c->bytes += n;
    if (c->sections) {
        track(&c->t, c->data, n);
    }
    (void)pthread_mutex_unlock(&c->lock);
    (void)pthread_kill(c->waiter, SIGUSR1);
    return error;
}

/** Can be cancelled where it opens and reads, which may take for ever; nowhere else. */
static void *reader(void *arg)
{
    struct copier *c = arg;
    int old = 0;
    c->fd = open(c->from, O_RDONLY | O_CLOEXEC);
    int error = c->fd < 0 ? errno : 0, write_error = 0;
    for (ssize_t n = 1; error == 0 && write_error == 0 && n != 0;) {
        n = read(c->fd, c->data, sizeof c->data);
        (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
        error = n < 0 && errno != EINTR ? errno : 0;
        write_error = n > 0 ? take(c, (size_t)n) : 0;
        (void)pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    }
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    (void)pthread_mutex_lock(&c->lock);
    c->ended = true;
    c->error = error;
    c->write_error = write_error;
    (void)pthread_mutex_unlock(&c->lock);
    (void)pthread_kill(c->waiter, SIGUSR1);
    return NULL;
}

/** Until there is a reason to stop. */
static enum lull_capture_end wait_for(struct copier *c, const struct lull_capture_rules *r)
{
    uint64_t seen = 0;
    int64_t last = 0;
    for (bool stop = false;;) {
        const int64_t now = lull_capture_now();
        (void)pthread_mutex_lock(&c->lock);
        const bool ended = c->ended, enough = c->t.enough, moved = c->bytes != seen;
        const bool begun = c->t.begun;
        seen = c->bytes;
        (void)pthread_mutex_unlock(&c->lock);
        last = moved ? now : last;
        if (enough) {
            return LULL_CAPTURE_STREAMS;
        }
        if (ended) {
            return LULL_CAPTURE_EOF;
        }
        if (stop) {
            return LULL_CAPTURE_SIGNAL;
        }
        if (r->deadline != 0 && now >= r->deadline) {
            return LULL_CAPTURE_TIMEOUT;
        }
        if (r->idle != 0 && begun && now - last >= r->idle) {
            return LULL_CAPTURE_IDLE;
        }
        if (r->tick != NULL && seen != 0 && r->tick(r->arg)) {
            return LULL_CAPTURE_TICK;
        }
        stop = lull_capture_sleep(TICK);
    }
}

/** Not an error of the system: what lull_capture_why() says is of the kernel's files alone. */
LULL_MUST_USE static struct lull_error *not_written(int error, const char *path)
{
    return lull_error_new(LULL_ERR_NOT_FOUND, "%s: the copy cannot be written: %s", path,
                          strerror(error));
}

/** Give the copy @p temp a name that is free. @param[out] ret free(). */
LULL_MUST_USE static struct lull_error *settle(const char *temp, const char *out, const char *name,
                                               const char *suffix, char **ret)
{
    for (unsigned i = 1; i < FILES; i++) {
        struct lull_str path = {0};
        lull_str_addf(&path, "%s/%s-%u%s", out, name, i, suffix);
        if (path.err != NULL) {
            return &lull_enomem;
        }
        // A hard link never takes the place of a file; where there are none, look first.
        const bool linked = link(temp, path.text) == 0;
        if (!linked && errno != EEXIST && access(path.text, F_OK) != 0 &&
            rename(temp, path.text) != 0) {
            struct lull_error *err = not_written(errno, path.text);
            lull_str_free(&path);
            return err;
        }
        if (linked || access(temp, F_OK) != 0) {
            (void)unlink(temp);
            *ret = path.text;
            return NULL;
        }
        lull_str_free(&path);
    }
    return lull_error_new(LULL_ERR_INVALID, "%s: too many files '%s-N%s'", out, name, suffix);
}

/** The signals that the thread sent and nobody waited for: unblocked, one would end the process. */
static void forget_signals(void)
{
    const struct timespec now = {0};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    while (sigtimedwait(&set, NULL, &now) == SIGUSR1) {
    }
}

/** The thread, from its start to its end. */
LULL_MUST_USE static struct lull_error *pump(struct copier *c, const struct lull_capture_rules *r,
                                             struct lull_capture_result *ret)
{
    pthread_t thread;
    const int failed = pthread_create(&thread, NULL, reader, c);
    if (failed != 0) {
        return lull_error_os(failed, "thread");
    }
    ret->end = wait_for(c, r);
    (void)pthread_cancel(thread);
    (void)pthread_join(thread, NULL);
    forget_signals();
    if (c->fd >= 0) {
        close(c->fd);
    }
    if (c->write_error != 0) {
        return not_written(c->write_error, c->out);
    }
    if (c->error != 0) {
        return lull_error_os(c->error, "%s", c->from);
    }
    if (r->magic != NULL && memmem(c->head, c->nhead, r->magic, strlen(r->magic)) == NULL &&
        ret->end == LULL_CAPTURE_EOF) {
        ret->end = LULL_CAPTURE_OTHER;
        return NULL;
    }
    ret->sections = c->t.sections;
    ret->bytes = r->sections ? c->t.whole : c->bytes;
    // What has no sections is whole only at its end; the GPU's number alone is not worth a file.
    ret->bytes = !c->t.begun && ret->end != LULL_CAPTURE_EOF ? 0 : ret->bytes;
    ret->cut = c->t.enough ? 0 : c->bytes - ret->bytes;
    if (ret->bytes != 0 && (ftruncate(c->to, (off_t)ret->bytes) != 0 || fsync(c->to) != 0)) {
        return not_written(errno, c->out);
    }
    return NULL;
}

struct lull_error *lull_capture_copy(const char *from, const char *out, const char *name,
                                     const char *suffix, const struct lull_capture_rules *rules,
                                     struct lull_capture_result *ret)
{
    struct lull_str temp = {0};
    lull_str_addf(&temp, "%s/.%s-XXXXXX", out, name);
    *ret = (struct lull_capture_result){0};
    if (temp.err != NULL) {
        return &lull_enomem;
    }
    struct copier *c = calloc(1, sizeof *c);
    if (c == NULL) {
        lull_str_free(&temp);
        return &lull_enomem;
    }
    *c = (struct copier){.from = from,
                         .out = out,
                         .fd = -1,
                         .to = mkostemp(temp.text, O_CLOEXEC),
                         .sections = rules->sections,
                         .waiter = pthread_self(),
                         .lock = PTHREAD_MUTEX_INITIALIZER,
                         .t = {.streams_wanted = rules->streams}};
    struct lull_error *err = c->to < 0 ? not_written(errno, out) : NULL;
    if (c->to >= 0) {
        err = pump(c, rules, ret);
        if (err == NULL && ret->bytes != 0) {
            const mode_t mask = umask(0);
            (void)umask(mask);
            (void)fchmod(c->to, 0666 & ~mask);
            err = settle(temp.text, out, name, suffix, &ret->file);
        }
        close(c->to);
        if (ret->file == NULL) {
            (void)unlink(temp.text);
        }
    }
    lull_str_free(&temp);
    free(c);
    return err;
}
